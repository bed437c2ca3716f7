/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WORKLOADS_NUM_H
#define WORKLOADS_NUM_H

#include "types.h"

/* Decimal digits and nothing else: -EINVAL, or -ERANGE when it does not fit. */
int num__parse(const char *text, u64 *out);
/* The same with one optional suffix K, M or G (powers of 1024). */
int num__parse_size(const char *text, u64 *out);

#endif
