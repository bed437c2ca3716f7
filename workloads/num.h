/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WORKLOADS_NUM_H
#define WORKLOADS_NUM_H

#include "types.h"

/* Decimal digits and nothing else: -EINVAL, or -ERANGE when it does not fit. */
int num__parse(const char *text, u64 *out);
/* The same with one optional suffix K, M or G (powers of 1024). */
int num__parse_size(const char *text, u64 *out);
/* "100ms", "5s", "250us", "0": ns. */
int num__parse_time(const char *text, u64 *ns);
/* "0.5", at most three decimals: thousandths. */
int num__parse_decimal(const char *text, u64 *milli);
/* "127.0.0.1": as it stands in memory. */
int num__parse_ipv4(const char *text, u64 *address);
/* The same, written; all return buf. */
#define NUM_TIME_SZ 32
const char *num__time(char buf[NUM_TIME_SZ], u64 ns);
const char *num__decimal(char buf[NUM_TIME_SZ], u64 milli);
const char *num__ipv4(char buf[NUM_TIME_SZ], u64 address);

#endif
