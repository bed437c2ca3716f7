/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that may be gzip-compressed. */
#ifndef WC_UTIL_GZ_H
#define WC_UTIL_GZ_H

#include <stddef.h>

/* The whole file, inflated when it is compressed, NUL-terminated; *out is the caller's to free.
 * Length, or -errno; -EFBIG beyond max_bytes. */
long wc_gz__read_file(const char *path, size_t max_bytes, char **out);

#endif
