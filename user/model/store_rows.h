/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows read and rows written: shared by the files of the store that do either. */
#ifndef WC_MODEL_STORE_ROWS_H
#define WC_MODEL_STORE_ROWS_H

#include "user/model/store_impl.h"

/* Longer ones are cut when written and refused when read. */
#define STORE_TEXT_MAX_BYTES (1 << 16)

/* ---- reading ---- */

struct round_ref {
	uint32_t cell, round;
};

struct reader {
	sqlite3 *db;
	struct wc_result *r;
	struct round_ref *refs; /* by the round's id */
	size_t ref_cnt;
	struct wc_pair **pairs; /* by the pair's id */
	size_t pair_cnt;
	const char *what; /* table being read */
};

/* One row; wrong types set bad, and the reader stops. */
struct row {
	sqlite3_stmt *st;
	uint64_t number; /* of the row: ids must count up from 0 */
	bool bad;
};

uint64_t row__u64(struct row *row, int at);
int64_t row__i64(struct row *row, int at);
uint64_t row__below(struct row *row, int at, uint64_t end);
uint32_t row__u32(struct row *row, int at);
bool row__bool(struct row *row, int at);
double row__ns(struct row *row, int at); /* finite, not below 0 */
bool row__is_null(struct row *row, int at);
/* Below end, or WC_NONE for NULL. */
uint32_t row__index(struct row *row, int at, uint64_t end);
double row__real(struct row *row, int at);	/* finite */
const char *row__text(struct row *row, int at); /* valid until the next row */
char *row__copy(struct row *row, int at);	/* NULL: no memory */

/* Calls fn for every row of a query. fn returns 0 or -errno. */
int reader__each(struct reader *rd, const char *table, const char *sql, uint64_t max_cnt,
		 int (*fn)(struct reader *rd, struct row *row));
int reader__check_table(struct reader *rd, const char *table);
/* Whether anything goes by that name: of tables that came later. */
bool reader__has(struct reader *rd, const char *table);

struct read {
	const char *table, *sql;
	uint64_t max_cnt;
	int (*fn)(struct reader *rd, struct row *row);
};

int reader__all(struct reader *rd, const struct read *reads, size_t cnt);
int reader__profile(struct reader *rd, bool events);

/* ---- writing ---- */

enum table {
	T_META,
	T_HOST,
	T_PARAM,
	T_WARNING,
	T_GAUGE,
	T_ROUND_GAUGE,
	T_ACCESS,
	T_HW_COUNTER,
	T_SPAN,
	T_STAGE,
	T_METRIC,
	T_CLASS,
	T_CONTEXT,
	T_COUNTER,
	T_CELL,
	T_CELL_PARAM,
	T_ROUND,
	T_PHASE,
	T_HIST,
	T_OTHER,
	T_ROUND_COUNTER,
	T_ROUND_CONTEXT,
	T_PAIR,
	T_PAIR_CLASS,
	T_PAIR_STAGE,
	T_FIGURE,
	T_CELL_STAGE,
	T_PROFILE,
	T_TASK,
	T_EDGE,
	T_EDGE_CLASS,
	T_EDGE_STAGE,
	T_FRAME,
	T_STACK,
	T_CHAIN,
	T_CHAIN_STAGE,
	T_OPEN_END,
	T_CPU,
	T_CPU_STAGE,
	T_EVENT,
	T_CNT,
};

struct writer {
	sqlite3 *db;
	sqlite3_stmt *inserts[T_CNT];
	int err; /* the first one; later rows are skipped */
	uint64_t round_id, pair_id;
};

/* Bound as NULL. */
#define ABSENT	  UINT64_MAX
#define NO_SIGNED INT64_MIN
#define NO_REAL	  __builtin_nan("")
#define U(v)	  ((uint64_t)(v))

/* Arguments as the letters of the table: i uint64_t, s int64_t, t text, r double, b blob, size. */
void writer__put(struct writer *w, enum table t, ...);
void writer__profile(struct writer *w, const struct wc_profile *p);

#endif
