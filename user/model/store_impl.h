/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of the store and nobody else. */
#ifndef WC_MODEL_STORE_IMPL_H
#define WC_MODEL_STORE_IMPL_H

#include <sqlite3.h>

#include "user/model/store.h"

extern const char wc_store_schema[];

/* All rows of a result into an empty database with the schema. 0 or -errno. */
int wc_store__put(sqlite3 *db, const struct wc_result *r);
/* All rows of a database into an empty result. 0 or -errno; *what says what was wrong. */
int wc_store__get(sqlite3 *db, struct wc_result *r, const char **what);

/*
 * Slots as text that SQL's own json_each() reads: {"53":1200,"54":77}, each slot once, rising.
 * encode returns an allocated string; decode fills slots and count: 0 or -EBADMSG.
 */
char *wc_store__encode_slots(const struct wc_hist *h);
int wc_store__decode_slots(const char *text, struct wc_hist *h);

void wc_store__explain(char **err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Whether these first bytes of a file are a recording's; the version it says it has. */
#define WC_STORE_HEADER_SZ 100
bool wc_store__is_recording(const unsigned char *header, size_t len, unsigned int *version);

#endif
