/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers with units, read strictly and written for people. */
#ifndef WC_UTIL_UNITS_H
#define WC_UTIL_UNITS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The whole string or nothing: 0, -EINVAL (not a number, sign, trailing text) or -ERANGE (does
 * not fit). *out is written only on success.
 */
int wc_units__parse_unsigned(const char *s, uint64_t *out);
/* "5s", "200ms", "1.5m", "1h"; ns us ms s m h; a bare number is seconds. Rounded down to ns. */
int wc_units__parse_duration(const char *s, uint64_t *ns);
/* "64K", "1.5M", "4G", "512"; powers of 1024, an optional "B" or "iB" behind the letter. */
int wc_units__parse_size(const char *s, uint64_t *bytes);

/* All return buf, always terminated. WC_UNITS_BUF_SZ suffices for each. */
#define WC_UNITS_BUF_SZ 48
/* Three digits that say something and one unit: "842 ns", "1.76 us", "12.3 ms", "-4.20 us". */
const char *wc_units__format_ns(char *buf, size_t sz, double ns);
const char *wc_units__format_count(char *buf, size_t sz, uint64_t count); /* "16,000" */
const char *wc_units__format_bytes(char *buf, size_t sz, uint64_t bytes); /* "4.0 MiB" */
/* share 0..1: "0.43 %", "12.5 %", "100 %" */
const char *wc_units__format_percent(char *buf, size_t sz, double share);

/* One unit for a whole column: the one its largest figure wants. */
struct wc_unit {
	const char *name; /* "us" */
	double ns;	  /* length of one */
};
const struct wc_unit *wc_units__for_ns(double largest_ns);

#endif
