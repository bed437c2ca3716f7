/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that may be gzip-compressed. */
#ifndef WC_UTIL_GZ_H
#define WC_UTIL_GZ_H

#include <stddef.h>

/* The whole file, inflated when it is compressed, NUL-terminated; *out is the caller's to free.
 * Length, or -errno; -EFBIG beyond max_bytes. */
long wc_gz__read_file(const char *path, size_t max_bytes, char **out);

/* Compressed, the same bytes for the same input; *out is the caller's to free. 0 or -errno. */
int wc_gz__compress(const void *data, size_t len, void **out, size_t *out_len);

#endif
