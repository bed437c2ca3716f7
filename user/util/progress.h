/* SPDX-License-Identifier: BSD-2-Clause */
/* What a person sees while waiting. */
#ifndef WC_UTIL_PROGRESS_H
#define WC_UTIL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One line on stderr that is rewritten in place, at most four times a second: only on a terminal
 * and not with -q. Messages written meanwhile erase it first. One at a time.
 */
struct wc_progress {
	bool active;
	bool shown;
	uint64_t started_ns;
	uint64_t drawn_ns;
};

void wc_progress__start(struct wc_progress *p);
void wc_progress__update(struct wc_progress *p, uint64_t done, uint64_t total, const char *label);
void wc_progress__end(struct wc_progress *p); /* erases it */
/* The line itself, at most width columns: "12/90  13 %  0:41 left  label". Returns its length. */
size_t wc_progress__format(char *dst, size_t sz, unsigned int width, uint64_t done, uint64_t total,
			   uint64_t elapsed_ns, const char *label);
/* Erases the line shown, if any; the next update draws it again. */
void wc_progress__hide(void);

#endif
