/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the programs of this package are. */
#ifndef WC_UTIL_PATH_H
#define WC_UTIL_PATH_H

#include <stddef.h>

/*
 * The wakecost-workload to run: beside this very program, else in PREFIX/libexec/wakecost, else
 * on PATH. 0, -ENOENT, or -ENAMETOOLONG.
 */
int wc_path__workload(char *dst, size_t sz);
/* A library for LD_PRELOAD, likewise, but not on PATH. */
int wc_path__library(const char *name, char *dst, size_t sz);
/* Likewise any program of the package. */
int wc_path__program(const char *name, char *dst, size_t sz);

#endif
