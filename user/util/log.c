// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/util/progress.h"

static enum wc_log_level log_level = WC_LOG_INFO;

void wc_log__set_level(enum wc_log_level level)
{
	log_level = level;
}

enum wc_log_level wc_log__level(void)
{
	return log_level;
}

static void log__line(enum wc_log_level level, const char *line)
{
	static const char *const kinds[] = { "error: ", "warning: ", "", "debug: " };
	size_t need = wc_text__safe(NULL, 0, line) + 1;
	char small[1024], *safe = small;

	if (need > sizeof(small)) {
		safe = malloc(need);
		if (!safe) {
			safe = small;
			need = sizeof(small);
		}
	}
	wc_text__safe(safe, need < sizeof(small) ? sizeof(small) : need, line);
	/* One call, so that lines of several processes do not mix. */
	fprintf(stderr, "wakecost: %s%s\n", kinds[level], safe);
	if (safe != small)
		free(safe);
}

void wc_log__v(enum wc_log_level level, const char *fmt, va_list ap)
{
	char *text = NULL, *line, *rest;

	if (level > log_level)
		return;
	if (vasprintf(&text, fmt, ap) < 0) {
		log__line(level, "(no memory for a message)");
		return;
	}
	wc_progress__hide();
	rest = text;
	while ((line = strsep(&rest, "\n")))
		if (*line || rest)
			log__line(level, line);
	free(text);
}

void wc_log(enum wc_log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wc_log__v(level, fmt, ap);
	va_end(ap);
}

bool wc_log__may_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	if (no_colour && *no_colour)
		return false;
	if (!term || strcmp(term, "dumb") == 0)
		return false;
	return isatty(fd) == 1;
}
