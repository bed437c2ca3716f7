/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of the store and nobody else. */
#ifndef WC_MODEL_STORE_IMPL_H
#define WC_MODEL_STORE_IMPL_H

#include <sqlite3.h>

#include "user/model/profile.h"
#include "user/model/store.h"

extern const char wc_store_schema[], wc_store_schema_profile[];

/* All rows of a result into an empty database with the schema. 0 or -errno. */
int wc_store__put(sqlite3 *db, const struct wc_result *r);
/*
 * All rows of a database into an empty result, but for single wakes unless asked for. 0 or -errno;
 * *what says what was wrong.
 */
int wc_store__get(sqlite3 *db, struct wc_result *r, unsigned int version, bool events,
		  const char **what);
/* The first version with the tables of a profile. */
#define WC_STORE_VERSION_PROFILE 2

/*
 * Slots as text that SQL's own json_each() reads: {"53":1200,"54":77}, each slot once, rising.
 * encode returns an allocated string; decode fills slots and count: 0 or -EBADMSG.
 */
char *wc_store__encode_slots(const struct wc_hist *h);
int wc_store__decode_slots(const char *text, struct wc_hist *h);

/*
 * A histogram of a pair: runs of slots that are not empty, each as the number of empty ones before
 * it, its length, and its counts; all LEB128. out takes WC_STORE_PHIST_MAX bytes; returns how many.
 */
#define WC_STORE_PHIST_MAX (WC_PHIST_SLOT_CNT * 8)
size_t wc_store__encode_phist(const struct wc_phist *h, unsigned char *out);
int wc_store__decode_phist(const unsigned char *bytes, size_t len, struct wc_phist *h);
/* Indices as a JSON array: allocated text; into an allocated array (NULL when empty). */
char *wc_store__encode_list(const uint32_t *items, uint32_t cnt);
int wc_store__decode_list(const char *text, uint32_t end, uint32_t **items, uint32_t *cnt);

void wc_store__explain(char **err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Whether these first bytes of a file are a recording's; the version it says it has. */
#define WC_STORE_HEADER_SZ 100
bool wc_store__is_recording(const unsigned char *header, size_t len, unsigned int *version);

#endif
