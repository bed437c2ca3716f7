/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of a file that a stranger may have made: wrong types and too many of them end the reading. */
#include <errno.h>
#include <math.h>
#include <math.h>
#include <string.h>

#include "user/model/store_rows.h"

uint64_t row__u64(struct row *row, int at)
{
	sqlite3_int64 v = sqlite3_column_int64(row->st, at);

	if (sqlite3_column_type(row->st, at) != SQLITE_INTEGER || v < 0) {
		row->bad = true;
		return 0;
	}
	return (uint64_t)v;
}

uint64_t row__below(struct row *row, int at, uint64_t end)
{
	uint64_t v = row__u64(row, at);

	if (v >= end) {
		row->bad = true;
		return 0;
	}
	return v;
}

int64_t row__i64(struct row *row, int at)
{
	if (sqlite3_column_type(row->st, at) != SQLITE_INTEGER) {
		row->bad = true;
		return 0;
	}
	return sqlite3_column_int64(row->st, at);
}

bool row__is_null(struct row *row, int at)
{
	return sqlite3_column_type(row->st, at) == SQLITE_NULL;
}

uint32_t row__index(struct row *row, int at, uint64_t end)
{
	return row__is_null(row, at) ? WC_NONE : (uint32_t)row__below(row, at, end);
}

double row__real(struct row *row, int at)
{
	double v = sqlite3_column_double(row->st, at);
	int type = sqlite3_column_type(row->st, at);

	if ((type != SQLITE_FLOAT && type != SQLITE_INTEGER) || !isfinite(v)) {
		row->bad = true;
		return 0;
	}
	return v;
}

uint32_t row__u32(struct row *row, int at)
{
	return (uint32_t)row__below(row, at, 1ull << 32);
}

bool row__bool(struct row *row, int at)
{
	return row__below(row, at, 2);
}

double row__ns(struct row *row, int at)
{
	double v = sqlite3_column_double(row->st, at);

	if (sqlite3_column_type(row->st, at) != SQLITE_FLOAT || !isfinite(v) || v < 0) {
		row->bad = true;
		return 0;
	}
	return v;
}

const char *row__text(struct row *row, int at)
{
	if (sqlite3_column_type(row->st, at) != SQLITE_TEXT ||
	    sqlite3_column_bytes(row->st, at) > STORE_TEXT_MAX_BYTES) {
		row->bad = true;
		return "";
	}
	return (const char *)sqlite3_column_text(row->st, at);
}

char *row__copy(struct row *row, int at)
{
	return strdup(row__text(row, at));
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

int reader__each(struct reader *rd, const char *table, const char *sql, uint64_t max_cnt,
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

bool reader__has(struct reader *rd, const char *table)
{
	sqlite3_stmt *st;
	bool has;

	if (sqlite3_prepare_v2(rd->db, "SELECT 1 FROM sqlite_schema WHERE name = ?", -1, &st,
			       NULL) != SQLITE_OK)
		return true; /* what is wrong will be said by who reads it */
	sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
	has = sqlite3_step(st) != SQLITE_DONE;
	sqlite3_finalize(st);
	return has;
}

/* A view that goes by the name of a table could be a query without end. */
int reader__check_table(struct reader *rd, const char *table)
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

int reader__all(struct reader *rd, const struct read *reads, size_t cnt)
{
	int err = 0;

	for (size_t i = 0; i < cnt && !err; i++) {
		err = reader__check_table(rd, reads[i].table);
		if (!err)
			err = reader__each(rd, reads[i].table, reads[i].sql, reads[i].max_cnt,
					   reads[i].fn);
	}
	return err;
}
