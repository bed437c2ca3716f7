/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The recording: one SQLite file, written only after measuring, read as if a stranger had made
 * it. Schema and queries: docs/format.md.
 *
 * Both work on the image of the database in memory: a recording being read cannot change under
 * the reader, and one being written is either complete or not there.
 */
#ifndef WC_MODEL_STORE_H
#define WC_MODEL_STORE_H

#include "user/model/result.h"

#define WC_STORE_APPLICATION_ID 0x776b6373 /* "wkcs" */
#define WC_STORE_VERSION	2
#define WC_STORE_MAX_BYTES	(1ull << 30)

/*
 * 0 or -errno; on failure *err is a sentence without full stop for the user (free() it; NULL when
 * even that could not be allocated).
 *
 * Writing keeps a previous recording as PATH.old, refuses to replace anything that is not a
 * recording (-EEXIST), and leaves everything as it was when it fails.
 */
int wc_store__write(const struct wc_result *r, const char *path, char **err);
/*
 * -ENOENT and such: cannot be read; -EMEDIUMTYPE: not a recording; -EPROTONOSUPPORT: of a newer
 * wakecost; -EBADMSG: damaged; -E2BIG: larger than anything wakecost writes.
 */
int wc_store__read(const char *path, struct wc_result **out, char **err);
/* Without its single wakes, which can be a million, and which few ask for. */
int wc_store__read_sums(const char *path, struct wc_result **out, char **err);

#endif
