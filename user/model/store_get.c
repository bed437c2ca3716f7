/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A result, from the rows of a recording. Nothing a row says is believed: types, ranges, order
 * and sums are checked, and so is how much memory all of it will take.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/store_impl.h"

#define TEXT_MAX_BYTES (1 << 16)
#define ROW_MAX_CNT    (1u << 20) /* of any table but pair */
#define HIST_MAX_CNT   (1u << 18) /* 2 GiB in memory */
#define PAIR_MAX_CNT   (1u << 22)
#define KEY_MAX_CNT    4096 /* of one list of keys and values */

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

static uint64_t get_u64(struct row *row, int at)
{
	sqlite3_int64 v = sqlite3_column_int64(row->st, at);

	if (sqlite3_column_type(row->st, at) != SQLITE_INTEGER || v < 0) {
		row->bad = true;
		return 0;
	}
	return (uint64_t)v;
}

static uint64_t get_below(struct row *row, int at, uint64_t end)
{
	uint64_t v = get_u64(row, at);

	if (v >= end) {
		row->bad = true;
		return 0;
	}
	return v;
}

static uint32_t get_u32(struct row *row, int at)
{
	return (uint32_t)get_below(row, at, 1ull << 32);
}

static bool get_bool(struct row *row, int at)
{
	return get_below(row, at, 2);
}

static const char *get_text(struct row *row, int at)
{
	if (sqlite3_column_type(row->st, at) != SQLITE_TEXT ||
	    sqlite3_column_bytes(row->st, at) > TEXT_MAX_BYTES) {
		row->bad = true;
		return "";
	}
	return (const char *)sqlite3_column_text(row->st, at);
}

static char *get_copy(struct row *row, int at)
{
	return strdup(get_text(row, at));
}

static int sql_error(int rc)
{
	switch (rc) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_INTERRUPT: /* more steps than a sound file of this size needs */
	case SQLITE_TOOBIG:
		return -E2BIG;
	default:
		return -EBADMSG;
	}
}

/* Calls fn for every row of a query. fn returns 0 or -errno. */
static int each(struct reader *rd, const char *table, const char *sql, uint64_t max_cnt,
		int (*fn)(struct reader *rd, struct row *row))
{
	struct row row = { 0 };
	int rc, err = 0;

	rd->what = table;
	rc = sqlite3_prepare_v2(rd->db, sql, -1, &row.st, NULL);
	if (rc != SQLITE_OK)
		return sql_error(rc);
	while (!err && (rc = sqlite3_step(row.st)) == SQLITE_ROW) {
		if (row.number >= max_cnt) {
			err = -E2BIG;
			break;
		}
		err = fn(rd, &row);
		if (!err && row.bad)
			err = -EBADMSG;
		row.number++;
	}
	if (!err && rc != SQLITE_DONE)
		err = sql_error(rc);
	sqlite3_finalize(row.st);
	return err;
}

/* ---- head ---- */

static int replace_text(char **field, const char *value)
{
	free(*field);
	*field = strdup(value);
	return *field ? 0 : -ENOMEM;
}

static int parse_number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	if (*text < '0' || *text > '9')
		return -EBADMSG;
	*out = strtoull(text, &end, 10);
	return errno || *end ? -EBADMSG : 0;
}

/* Unknown keys are let pass: a later version may add some. */
static int read_meta(struct reader *rd, struct row *row)
{
	const char *key = get_text(row, 0), *value = get_text(row, 1);
	struct wc_result *r = rd->r;
	uint64_t number;
	int err;

	if (!strcmp(key, "schema"))
		return replace_text(&r->schema, value);
	if (!strcmp(key, "tool_version"))
		return replace_text(&r->tool_version, value);
	if (!strcmp(key, "command_line"))
		return replace_text(&r->command_line, value);
	if (!strcmp(key, "shape"))
		return replace_text(&r->shape, value);
	if (!strcmp(key, "seed"))
		return parse_number(value, &r->seed);
	if (!strcmp(key, "started_s"))
		return parse_number(value, &r->started_s);
	if (strcmp(key, "rounds_wanted") && strcmp(key, "interrupted"))
		return 0;
	err = parse_number(value, &number);
	if (!err && !strcmp(key, "interrupted"))
		r->interrupted = number != 0;
	else if (!err && number > UINT32_MAX)
		err = -EBADMSG;
	else if (!err)
		r->rounds_wanted = (unsigned int)number;
	return err;
}

static int read_host(struct reader *rd, struct row *row)
{
	return wc_kvs__set(&rd->r->host, get_text(row, 0), get_text(row, 1));
}

static int read_param(struct reader *rd, struct row *row)
{
	return wc_kvs__set(&rd->r->params, get_text(row, 0), get_text(row, 1));
}

static int read_warning(struct reader *rd, struct row *row)
{
	return wc_result__warnf(rd->r, "%s", get_text(row, 0));
}

static int read_stage(struct reader *rd, struct row *row)
{
	unsigned int id = (unsigned int)get_below(row, 0, WC_STAGE_CNT), status;
	struct wc_stage_info *info = &rd->r->stages[id];
	const char *name = get_text(row, 1);

	if (row->bad || info->shown_as)
		return -EBADMSG;
	for (status = 0; wc_status__name(status); status++)
		if (!strcmp(name, wc_status__name(status)))
			break;
	if (!wc_status__name(status))
		return -EBADMSG;
	info->status = (enum wc_status)status;
	info->shown_as = get_copy(row, 2);
	info->probe = get_copy(row, 3);
	info->why = get_copy(row, 4);
	return info->shown_as && info->probe && info->why ? 0 : -ENOMEM;
}

/* ---- cells and rounds ---- */

static int read_cell(struct reader *rd, struct row *row)
{
	if (get_u64(row, 0) != row->number)
		return -EBADMSG;
	return wc_result__add_cell(rd->r) ? 0 : -ENOMEM;
}

static int read_cell_param(struct reader *rd, struct row *row)
{
	uint64_t cell = get_below(row, 0, rd->r->cell_cnt);

	if (row->bad)
		return -EBADMSG;
	if (rd->r->cells[cell].params.cnt >= KEY_MAX_CNT)
		return -E2BIG;
	return wc_kvs__set(&rd->r->cells[cell].params, get_text(row, 1), get_text(row, 2));
}

static int add_ref(struct reader *rd, uint64_t cell)
{
	size_t n = rd->ref_cnt;

	if (!(n & (n - 1))) {
		struct round_ref *refs = reallocarray(rd->refs, n ? n * 2 : 1, sizeof(*refs));

		if (!refs)
			return -ENOMEM;
		rd->refs = refs;
	}
	rd->refs[n] = (struct round_ref){
		.cell = (uint32_t)cell,
		.round = (uint32_t)rd->r->cells[cell].round_cnt - 1,
	};
	rd->ref_cnt++;
	return 0;
}

static int read_round(struct reader *rd, struct row *row)
{
	uint64_t cell = get_below(row, 1, rd->r->cell_cnt);
	struct wc_round *round;

	if (get_u64(row, 0) != row->number || row->bad)
		return -EBADMSG;
	if (rd->r->cells[cell].round_cnt >= WC_ROUND_MAX)
		return -E2BIG;
	round = wc_cell__add_round(&rd->r->cells[cell]);
	if (!round)
		return -ENOMEM;
	round->index = get_u32(row, 2);
	round->order = get_u32(row, 3);
	round->warmup = get_bool(row, 4);
	round->complete = get_bool(row, 5);
	round->parked_cnt = get_u64(row, 6);
	if (sqlite3_column_type(row->st, 7) != SQLITE_NULL)
		round->chain_cnt = get_u64(row, 7);
	round->futex_slots = get_u64(row, 8);
	return add_ref(rd, cell);
}

/* Of the id in a column; NULL and bad when there is no such round. */
static struct wc_round *get_round(struct reader *rd, struct row *row, int at)
{
	uint64_t id = get_below(row, at, rd->ref_cnt);

	if (row->bad)
		return NULL;
	return &rd->r->cells[rd->refs[id].cell].rounds[rd->refs[id].round];
}

static int read_phase(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	bool probed = get_bool(row, 1);
	struct wc_phase *p;

	if (!round || row->bad)
		return -EBADMSG;
	p = probed ? &round->probed : &round->bare;
	p->valid = true;
	p->handoff = (struct wc_dist){
		.count = get_u64(row, 2),
		.sum_ns = get_u64(row, 3),
		.min_ns = get_u64(row, 4),
		.max_ns = get_u64(row, 5),
		.p50_ns = get_u64(row, 6),
		.p90_ns = get_u64(row, 7),
		.p99_ns = get_u64(row, 8),
	};
	p->elapsed_ns = get_u64(row, 9);
	p->cpu_ns = get_u64(row, 10);
	p->csw_voluntary_cnt = get_u64(row, 11);
	p->csw_involuntary_cnt = get_u64(row, 12);
	return 0;
}

static int read_hist(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	unsigned int wake_class = (unsigned int)get_below(row, 1, WC_CLASS_CNT);
	unsigned int metric = (unsigned int)get_below(row, 2, WC_METRIC_CNT);
	uint64_t count = get_u64(row, 3), sum = get_u64(row, 4);
	const char *slots = get_text(row, 5);
	struct wc_hist *h;

	if (!round || row->bad || round->hists[wake_class][metric])
		return -EBADMSG;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	round->hists[wake_class][metric] = h;
	h->sum = sum;
	return wc_store__decode_slots(slots, h) || h->count != count ? -EBADMSG : 0;
}

static int read_other(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	uint64_t wake_class = get_below(row, 1, WC_CLASS_CNT);

	if (!round || row->bad)
		return -EBADMSG;
	round->other[wake_class].count = get_u64(row, 2);
	round->other[wake_class].sum = get_u64(row, 3);
	return 0;
}

static int read_counter(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	uint64_t counter = get_below(row, 1, WC_CNT_CNT);

	if (!round || row->bad)
		return -EBADMSG;
	round->counters[counter] = get_u64(row, 2);
	return 0;
}

static int read_context(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	uint64_t context = get_below(row, 1, WC_CTX_CNT);

	if (!round || row->bad)
		return -EBADMSG;
	round->contexts[context] = get_u64(row, 2);
	return 0;
}

/* ---- pairs: two passes, for a round's pairs are one array ---- */

static int count_pairs(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	uint64_t cnt = get_u64(row, 1);

	if (!round || row->bad)
		return -EBADMSG;
	if (cnt > PAIR_MAX_CNT - rd->pair_cnt)
		return -E2BIG;
	rd->pair_cnt += cnt;
	round->pairs = calloc(cnt, sizeof(*round->pairs));
	return round->pairs ? 0 : -ENOMEM;
}

static int read_pair(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 1);
	struct wc_pair *p;

	if (!round || get_u64(row, 0) != row->number || row->bad || row->number >= rd->pair_cnt)
		return -EBADMSG;
	p = &round->pairs[round->pair_cnt++];
	rd->pairs[row->number] = p;
	p->key.waker_tid = get_u32(row, 2);
	p->key.waker_context = (unsigned int)get_below(row, 3, WC_CTX_CNT);
	p->key.wakee_tid = get_u32(row, 4);
	p->key.wakee_gen = get_u32(row, 5);
	p->waker_tgid = get_u32(row, 6);
	p->wakee_tgid = get_u32(row, 7);
	strncpy(p->waker_comm, get_text(row, 8), sizeof(p->waker_comm) - 1);
	strncpy(p->wakee_comm, get_text(row, 9), sizeof(p->wakee_comm) - 1);
	p->handoff_cnt = get_u64(row, 10);
	p->total.count = get_u64(row, 11);
	p->total.sum = get_u64(row, 12);
	return 0;
}

static int read_pair_class(struct reader *rd, struct row *row)
{
	uint64_t pair = get_below(row, 0, rd->pair_cnt);
	uint64_t wake_class = get_below(row, 1, WC_CLASS_CNT);

	if (row->bad)
		return -EBADMSG;
	rd->pairs[pair]->wakes[wake_class] = get_u64(row, 2);
	return 0;
}

static int read_pair_stage(struct reader *rd, struct row *row)
{
	uint64_t pair = get_below(row, 0, rd->pair_cnt), stage = get_below(row, 1, WC_STAGE_CNT);

	if (row->bad)
		return -EBADMSG;
	rd->pairs[pair]->stages[stage].count = get_u64(row, 2);
	rd->pairs[pair]->stages[stage].sum = get_u64(row, 3);
	return 0;
}

static int get_pairs(struct reader *rd)
{
	size_t read = 0;
	int err = each(rd, "pair", "SELECT round, count(*) FROM pair GROUP BY round", ROW_MAX_CNT,
		       count_pairs);

	if (err || !rd->pair_cnt)
		return err;
	rd->pairs = calloc(rd->pair_cnt,
			   sizeof(struct wc_pair *)); /* NOLINT(bugprone-sizeof-expression) */
	if (!rd->pairs)
		return -ENOMEM;
	err = each(rd, "pair",
		   "SELECT id, round, waker_tid, waker_context, wakee_tid, wakee_gen, waker_tgid,"
		   " wakee_tgid, waker_comm, wakee_comm, handoffs, count, sum_ns"
		   " FROM pair ORDER BY id",
		   rd->pair_cnt, read_pair);
	for (size_t i = 0; !err && i < rd->ref_cnt; i++)
		read += rd->r->cells[rd->refs[i].cell].rounds[rd->refs[i].round].pair_cnt;
	if (!err && read != rd->pair_cnt)
		err = -EBADMSG;
	if (!err)
		err = each(rd, "pair_class", "SELECT pair, class, wakes FROM pair_class",
			   PAIR_MAX_CNT, read_pair_class);
	if (!err)
		err = each(rd, "pair_stage", "SELECT pair, stage, count, sum_ns FROM pair_stage",
			   PAIR_MAX_CNT, read_pair_stage);
	return err;
}

static const struct {
	const char *table, *sql;
	uint64_t max_cnt;
	int (*fn)(struct reader *rd, struct row *row);
} reads[] = {
	{ "meta", "SELECT key, value FROM meta", ROW_MAX_CNT, read_meta },
	{ "host", "SELECT key, value FROM host ORDER BY pos", KEY_MAX_CNT, read_host },
	{ "param", "SELECT key, value FROM param ORDER BY pos", KEY_MAX_CNT, read_param },
	{ "warning", "SELECT text FROM warning ORDER BY pos", KEY_MAX_CNT, read_warning },
	{ "stage", "SELECT id, status, shown_as, probe, why FROM stage", 64, read_stage },
	{ "cell", "SELECT id FROM cell ORDER BY id", ROW_MAX_CNT, read_cell },
	{ "cell_param", "SELECT cell, key, value FROM cell_param ORDER BY cell, pos", ROW_MAX_CNT,
	  read_cell_param },
	{ "round",
	  "SELECT id, cell, idx, ord, warmup, complete, parked, chain, futex_slots FROM round"
	  " ORDER BY id",
	  ROW_MAX_CNT, read_round },
	{ "phase",
	  "SELECT round, probed, handoffs, sum_ns, min_ns, max_ns, p50_ns, p90_ns, p99_ns,"
	  " elapsed_ns, cpu_ns, csw_voluntary, csw_involuntary FROM phase",
	  ROW_MAX_CNT, read_phase },
	{ "hist", "SELECT round, class, metric, count, sum_ns, slots FROM hist", HIST_MAX_CNT,
	  read_hist },
	{ "other", "SELECT round, class, count, sum_ns FROM other", ROW_MAX_CNT, read_other },
	{ "round_counter", "SELECT round, counter, value FROM round_counter", ROW_MAX_CNT,
	  read_counter },
	{ "round_context", "SELECT round, context, value FROM round_context", ROW_MAX_CNT,
	  read_context },
};

/* A view that goes by the name of a table could be a query without end. */
static int check_is_table(struct reader *rd, const char *table)
{
	sqlite3_stmt *st;
	int rc, err;

	rd->what = table;
	rc = sqlite3_prepare_v2(rd->db,
				"SELECT count(*) FROM sqlite_schema WHERE name = ?"
				" AND type = 'table' AND sql LIKE 'CREATE TABLE %'",
				-1, &st, NULL);
	if (rc != SQLITE_OK)
		return sql_error(rc);
	sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
	rc = sqlite3_step(st);
	if (rc != SQLITE_ROW)
		err = sql_error(rc);
	else
		err = sqlite3_column_int(st, 0) == 1 ? 0 : -EBADMSG;
	sqlite3_finalize(st);
	return err;
}

int wc_store__get(sqlite3 *db, struct wc_result *r, const char **what)
{
	struct reader rd = { .db = db, .r = r };
	static const char *const pair_tables[] = { "pair", "pair_class", "pair_stage" };
	size_t cnt = sizeof(reads) / sizeof(reads[0]);
	int err = 0;

	for (size_t i = 0; i < 3 && !err; i++)
		err = check_is_table(&rd, pair_tables[i]);
	for (size_t i = 0; i < cnt && !err; i++) {
		err = check_is_table(&rd, reads[i].table);
		if (!err)
			err = each(&rd, reads[i].table, reads[i].sql, reads[i].max_cnt,
				   reads[i].fn);
	}
	if (!err)
		err = get_pairs(&rd);
	free(rd.refs);
	free(rd.pairs);
	*what = rd.what;
	return err;
}
