/* SPDX-License-Identifier: BSD-2-Clause */
/* The file around the rows: which files are recordings, opening safely, replacing at once. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/model/store_impl.h"
#include "user/util/file.h"

void wc_store__explain(char **err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(err, fmt, ap) < 0)
		*err = NULL;
	va_end(ap);
}

static unsigned int read_be32(const unsigned char *p)
{
	return (unsigned int)p[0] << 24 | (unsigned int)p[1] << 16 | (unsigned int)p[2] << 8 | p[3];
}

bool wc_store__is_recording(const unsigned char *header, size_t len, unsigned int *version)
{
	if (len < WC_STORE_HEADER_SZ || memcmp(header, "SQLite format 3", 16) ||
	    read_be32(header + 68) != WC_STORE_APPLICATION_ID)
		return false;
	if (version)
		*version = read_be32(header + 60);
	return true;
}

/* ---- writing ---- */

/* An empty file holds nothing that could be lost. */
static bool is_ours(int fd, void *ctx)
{
	unsigned char header[WC_STORE_HEADER_SZ];
	ssize_t n = pread(fd, header, sizeof(header), 0);

	(void)ctx;
	return !n || (n > 0 && wc_store__is_recording(header, (size_t)n, NULL));
}

static int build(const struct wc_result *r, unsigned char **image, size_t *len, char **err)
{
	sqlite3_int64 sz = 0;
	sqlite3 *db = NULL;
	char pragmas[96];
	int rc, result;

	*image = NULL;
	sqlite3_snprintf(sizeof(pragmas), pragmas,
			 "PRAGMA application_id=%u; PRAGMA user_version=%u; BEGIN;",
			 (unsigned int)WC_STORE_APPLICATION_ID, (unsigned int)WC_STORE_VERSION);
	rc = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, pragmas, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, wc_store_schema, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, wc_store_schema_profile, NULL, NULL, NULL);
	result = rc == SQLITE_OK ? wc_store__put(db, r) : -EIO;
	if (!result && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		result = -EIO;
	if (!result) {
		*image = sqlite3_serialize(db, "main", &sz, 0);
		if (!*image)
			result = -ENOMEM;
	}
	*len = (size_t)sz;
	if (result)
		wc_store__explain(err, "cannot build the recording: %s",
				  result == -EIO ? sqlite3_errmsg(db) : strerror(-result));
	sqlite3_close(db);
	return result;
}

static void explain_write(char **err, const char *path, int result)
{
	switch (result) {
	case -EEXIST:
		wc_store__explain(err,
				  "%s (or %s.old) is there and is not a wakecost recording: not "
				  "replaced; give another name with -o",
				  path, path);
		break;
	case -ELOOP:
		wc_store__explain(err, "%s is a symbolic link: not followed; give the file itself",
				  path);
		break;
	case -ENOSPC:
	case -EDQUOT:
		wc_store__explain(err,
				  "no space left for %s: nothing written, what was there is "
				  "unchanged; free some or give another place with -o",
				  path);
		break;
	default:
		wc_store__explain(err, "cannot write %s: %s", path, strerror(-result));
	}
}

int wc_store__write(const struct wc_result *r, const char *path, char **err)
{
	const struct wc_outfile_opts opts = { .is_ours = is_ours, .keep_old = true };
	struct wc_outfile *out = NULL;
	unsigned char *image = NULL;
	size_t len = 0;
	int result;

	*err = NULL;
	/* opened first: what cannot be written need not be built */
	result = wc_outfile__open(path, &opts, &out);
	if (result) {
		explain_write(err, path, result);
		return result;
	}
	result = build(r, &image, &len, err);
	if (!result) {
		result = wc_file__write_all(wc_outfile__fd(out), image, len);
		if (!result)
			result = wc_outfile__commit(out);
		if (result)
			explain_write(err, path, result);
	}
	sqlite3_free(image);
	wc_outfile__discard(out);
	return result;
}

/* ---- reading ---- */

#define STEPS_PER_CALL 10000

static int count_down(void *ctx)
{
	uint64_t *calls_left = ctx;

	return !*calls_left || !--*calls_left;
}

static int check_image(sqlite3 *db)
{
	sqlite3_stmt *st;
	int rc, err = -EBADMSG;

	if (sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &st, NULL) != SQLITE_OK)
		return -EBADMSG;
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW && sqlite3_column_type(st, 0) == SQLITE_TEXT &&
	    !strcmp((const char *)sqlite3_column_text(st, 0), "ok"))
		err = 0;
	sqlite3_finalize(st);
	return err;
}

/* A foreign database can do nothing but be read, and that not without end. */
static int open_image(unsigned char *image, size_t len, uint64_t *calls_left, sqlite3 **db)
{
	int rc = sqlite3_open_v2(":memory:", db, SQLITE_OPEN_READWRITE, NULL);

	if (rc != SQLITE_OK)
		return -ENOMEM;
	sqlite3_db_config(*db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(*db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(*db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(*db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(*db, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_limit(*db, SQLITE_LIMIT_SQL_LENGTH, 1 << 16);
	sqlite3_limit(*db, SQLITE_LIMIT_COLUMN, 64);
	sqlite3_limit(*db, SQLITE_LIMIT_EXPR_DEPTH, 64);
	sqlite3_limit(*db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_progress_handler(*db, STEPS_PER_CALL, count_down, calls_left);
	rc = sqlite3_deserialize(*db, "main", image, (sqlite3_int64)len, (sqlite3_int64)len,
				 SQLITE_DESERIALIZE_READONLY);
	if (rc != SQLITE_OK)
		return rc == SQLITE_NOMEM ? -ENOMEM : -EBADMSG;
	rc = sqlite3_exec(*db, "PRAGMA query_only=1; PRAGMA cell_size_check=1;", NULL, NULL, NULL);
	return rc == SQLITE_OK ? check_image(*db) : -EBADMSG;
}

static int parse(unsigned char *image, size_t len, unsigned int version, bool events,
		 struct wc_result *r, const char **what)
{
	uint64_t calls_left = 10000 + len * 8 / STEPS_PER_CALL; /* sound files need a tenth */
	sqlite3 *db = NULL;
	int err = open_image(image, len, &calls_left, &db);

	if (!err)
		err = wc_store__get(db, r, version, events, what);
	sqlite3_close(db);
	return err;
}

static int slurp(const char *path, unsigned char **image, size_t *len)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode)) /* a fifo would wait for ever */
		return -EMEDIUMTYPE;
	*image = (unsigned char *)wc_file__slurp(path, WC_STORE_MAX_BYTES, len);
	if (!*image)
		return errno == EFBIG ? -E2BIG : -errno;
	return 0;
}

static void explain_read(char **err, const char *path, int result, unsigned int version,
			 const char *what)
{
	switch (result) {
	case -EMEDIUMTYPE:
		wc_store__explain(err, "%s is not a wakecost recording", path);
		break;
	case -EPROTONOSUPPORT:
		wc_store__explain(err,
				  "%s was written by a newer wakecost (format %u, this one reads "
				  "up to %u): update wakecost",
				  path, version, WC_STORE_VERSION);
		break;
	case -EBADMSG:
		wc_store__explain(err, "%s is damaged (%s): record again, or try %s.old", path,
				  what ? what : "its pages do not hold together", path);
		break;
	case -E2BIG:
		wc_store__explain(err, "%s holds more than wakecost would write: not read", path);
		break;
	default:
		wc_store__explain(err, "cannot read %s: %s", path, strerror(-result));
	}
}

static int read_file(const char *path, bool events, struct wc_result **out, char **err)
{
	unsigned char *image = NULL;
	const char *table = NULL;
	char what[48] = "";
	unsigned int version = 0;
	size_t len = 0;
	int result;

	*err = NULL;
	*out = NULL;
	result = slurp(path, &image, &len);
	if (!result && !wc_store__is_recording(image, len, &version))
		result = -EMEDIUMTYPE;
	if (!result && version > WC_STORE_VERSION)
		result = -EPROTONOSUPPORT;
	if (!result) {
		*out = wc_result__new();
		result = *out ? parse(image, len, version, events, *out, &table) : -ENOMEM;
	}
	free(image);
	if (!result)
		return 0;
	if (table)
		snprintf(what, sizeof(what), "table %s", table);
	explain_read(err, path, result, version, table ? what : NULL);
	wc_result__free(*out);
	*out = NULL;
	return result;
}

int wc_store__read(const char *path, struct wc_result **out, char **err)
{
	return read_file(path, true, out, err);
}

int wc_store__read_sums(const char *path, struct wc_result **out, char **err)
{
	return read_file(path, false, out, err);
}
