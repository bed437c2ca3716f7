/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything that is said and is not data: to stderr, one line each, "wakecost: ...". A message
 * is printed once, by the layer that knows the user's words, and ends with what to do.
 *
 * The whole message goes through wc_text__safe(), so foreign text is passed as it is; a newline
 * starts another prefixed line, and one at the end is not needed.
 */
#ifndef WC_UTIL_LOG_H
#define WC_UTIL_LOG_H

#include <stdarg.h>
#include <stdbool.h>

#include "user/util/progress.h"
#include "user/util/text.h"

enum wc_log_level {
	WC_LOG_ERR = 0,
	WC_LOG_WARN = 1,
	WC_LOG_INFO = 2, /* default */
	WC_LOG_DEBUG = 3,
};

void wc_log__set_level(enum wc_log_level level); /* -q: ERR, -v: DEBUG */
enum wc_log_level wc_log__level(void);
void wc_log(enum wc_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void wc_log__v(enum wc_log_level level, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#define wc_err(...)   wc_log(WC_LOG_ERR, __VA_ARGS__)
#define wc_warn(...)  wc_log(WC_LOG_WARN, __VA_ARGS__)
#define wc_info(...)  wc_log(WC_LOG_INFO, __VA_ARGS__)
#define wc_debug(...) wc_log(WC_LOG_DEBUG, __VA_ARGS__)

/* Whether fd may be coloured: a terminal, TERM not "dumb", NO_COLOR empty or not set. */
bool wc_log__may_colour(int fd);

#endif
