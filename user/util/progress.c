// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "user/util/log.h"

#define REDRAW_NS 250000000ull
#define WIDTH_MAX 100u

static struct wc_progress *shown_one;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static unsigned int stderr__width(void)
{
	struct winsize ws;

	/* The last column stays free: some terminals wrap when it is written. */
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 1)
		return ws.ws_col - 1u < WIDTH_MAX ? ws.ws_col - 1u : WIDTH_MAX;
	return 79;
}

/* Cuts s to a number of columns, between characters. */
static void text__cut(char *s, unsigned int columns)
{
	for (; *s; s++) {
		if (((unsigned char)*s & 0xc0) == 0x80)
			continue;
		if (columns-- == 0) {
			*s = '\0';
			return;
		}
	}
}

size_t wc_progress__format(char *dst, size_t sz, unsigned int width, uint64_t done, uint64_t total,
			   uint64_t elapsed_ns, const char *label)
{
	char left[32] = "", safe[256];
	uint64_t left_s;

	if (done > total)
		done = total;
	wc_text__safe(safe, sizeof(safe), label);
	/* The first steps say little about the rest. */
	if (done && elapsed_ns >= 1000000000ull) {
		left_s = (uint64_t)((double)elapsed_ns / 1e9 * (double)(total - done) /
					    (double)done +
				    0.5);
		snprintf(left, sizeof(left), "  %" PRIu64 ":%02" PRIu64 " left", left_s / 60,
			 left_s % 60);
	}
	snprintf(dst, sz, "%" PRIu64 "/%" PRIu64 "  %" PRIu64 " %%%s  %s", done, total,
		 total ? done * 100 / total : 100, left, safe);
	text__cut(dst, width);
	return strlen(dst);
}

void wc_progress__start(struct wc_progress *p)
{
	memset(p, 0, sizeof(*p));
	p->active = wc_log__level() >= WC_LOG_INFO && isatty(STDERR_FILENO) == 1;
	p->started_ns = now_ns();
}

void wc_progress__update(struct wc_progress *p, uint64_t done, uint64_t total, const char *label)
{
	uint64_t now;
	char line[512];

	if (!p->active)
		return;
	now = now_ns();
	if (p->drawn_ns && now - p->drawn_ns < REDRAW_NS)
		return;
	wc_progress__format(line, sizeof(line), stderr__width(), done, total, now - p->started_ns,
			    label);
	fprintf(stderr, "\r\033[K%s", line);
	fflush(stderr);
	p->drawn_ns = now;
	p->shown = true;
	shown_one = p;
}

void wc_progress__hide(void)
{
	if (!shown_one || !shown_one->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	shown_one->shown = false;
	shown_one->drawn_ns = 0;
}

void wc_progress__end(struct wc_progress *p)
{
	if (shown_one == p) {
		wc_progress__hide();
		shown_one = NULL;
	}
	p->active = false;
}
