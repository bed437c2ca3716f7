// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/lab_points.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/book.h"
#include "user/model/explain_cells.h"
#include "user/util/grow.h"
#include "user/util/units.h"

#define VALUE_SZ 64

/* Of "background=futex-own parked=4000"; absent when it is not there. */
static const char *value_of(const char *params, const char *key, const char *absent, char *buf)
{
	size_t len = strlen(key);
	const char *at;

	for (at = params; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
		if (!strncmp(at, key, len) && at[len] == '=') {
			snprintf(buf, VALUE_SZ, "%.*s", (int)strcspn(at + len + 1, " "),
				 at + len + 1);
			return buf;
		}
	}
	snprintf(buf, VALUE_SZ, "%s", absent);
	return buf;
}

/* Whether there is anything in it that is not one of these keys. */
static bool only_known(const char *params)
{
	static const char *const known[] = { "background", "parked", "threads" };
	const char *at;
	size_t i;

	for (at = params; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
		for (i = 0; i < 3; i++) {
			size_t len = strlen(known[i]);

			if (!strncmp(at, known[i], len) && at[len] == '=')
				break;
		}
		if (i == 3)
			return false;
	}
	return true;
}

const char *wc_lab__words(const struct wc_lab *lab, const char *params, char *buf, size_t sz)
{
	static const struct {
		const char *background, *words;
	} how[] = {
		{ "futex-own", ", each on its own futex" },
		{ "futex-one", ", all on one futex" },
		{ "pause", " in pause()" },
		{ "epoll", " in epoll_wait()" },
		{ "condvar", " on condition variables" },
	};
	char background[VALUE_SZ], parked[VALUE_SZ], threads[VALUE_SZ], count[WC_UNITS_BUF_SZ];
	const char *words = NULL;
	size_t i;

	value_of(params, "background", "none", background);
	value_of(params, "parked", "0", parked);
	value_of(params, "threads", "16", threads);
	for (i = 0; i < sizeof(how) / sizeof(*how); i++) {
		if (!strcmp(how[i].background, background))
			words = how[i].words;
	}
	if (!only_known(params))
		snprintf(buf, sz, "%s", params);
	else if (!strcmp(lab->shape, "ring"))
		snprintf(buf, sz, "ring of %s threads",
			 wc_units__format_count(count, sizeof(count), strtoull(threads, NULL, 10)));
	else if (!strtoull(parked, NULL, 10))
		snprintf(buf, sz, "nobody parked");
	else if (words)
		snprintf(buf, sz, "%s parked%s",
			 wc_units__format_count(count, sizeof(count), strtoull(parked, NULL, 10)),
			 words);
	else
		snprintf(buf, sz, "%s", params);
	return buf;
}

const struct wc_lab_cell *wc_lab__at(const struct wc_lab *lab, const char *kernel,
				     const char *params)
{
	size_t i;

	for (i = 0; i < lab->cell_cnt; i++) {
		if (!strcmp(lab->cells[i].kernel, kernel) && !strcmp(lab->cells[i].params, params))
			return &lab->cells[i];
	}
	return NULL;
}

const struct wc_lab_cell *wc_lab__kernel(const struct wc_lab *lab, size_t nth)
{
	size_t i;

	for (i = 0; i < lab->cell_cnt; i++) {
		if (wc_lab__baseline(lab, &lab->cells[i]) == &lab->cells[i] && !nth--)
			return &lab->cells[i];
	}
	return NULL;
}

/* The same but for how many. */
static bool same_kind(const char *a, const char *b)
{
	while (*a || *b) {
		size_t x = strcspn(a, " "), y = strcspn(b, " "), key = strcspn(a, "=");

		if ((x != y || strncmp(a, b, x)) &&
		    (strncmp(a, b, key + 1) ||
		     (strncmp(a, "parked=", 7) && strncmp(a, "threads=", 8))))
			return false;
		a += x + (a[x] != '\0');
		b += y + (b[y] != '\0');
	}
	return true;
}

bool wc_lab__is_largest(const struct wc_lab *lab, const struct wc_lab_cell *cell)
{
	const struct wc_lab_cell *later;

	for (later = cell + 1; later < lab->cells + lab->cell_cnt; later++) {
		if (!strcmp(later->kernel, cell->kernel) && strcmp(later->params, cell->params) &&
		    same_kind(later->params, cell->params))
			return false;
	}
	return true;
}

const char *wc_lab_cell__kernel_words(const struct wc_lab_cell *cell, char *buf, size_t sz)
{
	snprintf(buf, sz, "%s%s%s%s", cell->kernel, cell->scheduler ? " (" : "",
		 cell->scheduler ?: "", cell->scheduler ? ")" : "");
	return buf;
}

/* ---- the host's cell for the same question */

static bool same_value(const struct wc_cell *cell, const char *key, const char *absent,
		       const char *wanted)
{
	const char *value = wc_kvs__get(&cell->params, key);

	return !strcmp(value ?: absent, wanted);
}

/* Other cells of explain have these values too, and something else besides. */
static bool is_plain(const struct wc_cell *cell)
{
	static const char *const plain[] = { WC_ROLE_BASE, WC_ROLE_SUBJECT, WC_ROLE_TASKS,
					     WC_ROLE_ONE_OTHER, WC_ROLE_RING };
	const char *role = wc_kvs__get(&cell->params, WC_ROLE_KEY);
	size_t i;

	for (i = 0; role && i < sizeof(plain) / sizeof(*plain); i++) {
		if (!strcmp(plain[i], role))
			return true;
	}
	return !role;
}

static const struct wc_cell *host__cell(const struct wc_result *host, const char *shape,
					const char *params)
{
	char background[VALUE_SZ], parked[VALUE_SZ], threads[VALUE_SZ];
	bool ring = !strcmp(shape, "ring");
	size_t i;

	if (!host || !only_known(params))
		return NULL;
	value_of(params, "parked", "0", parked);
	value_of(params, "background", "none", background);
	value_of(params, "threads", "16", threads);
	if (!strcmp(parked, "0"))
		strcpy(background, "none");
	for (i = 0; i < host->cell_cnt; i++) {
		const struct wc_cell *c = &host->cells[i];
		const char *own = wc_kvs__get(&c->params, "parked");
		bool none = !own || !strcmp(own, "0");

		if (!is_plain(c) || !same_value(c, "shape", host->shape ?: "handoff", shape))
			continue;
		if (ring ? same_value(c, "threads", "16", threads)
			 : same_value(c, "parked", "0", parked) &&
				    (none || same_value(c, "background", "none", background)))
			return c;
	}
	return NULL;
}

static void point__ask_host(struct wc_lab_point *p, const struct wc_lab *lab,
			    const struct wc_result *host, const char *base_params)
{
	const struct wc_cell *cell = host__cell(host, lab->shape, p->params);
	const struct wc_cell *base = host__cell(host, lab->shape, base_params);
	const struct wc_term over = { cell, WC_BITS_TOTAL, 1 }, under = { base, WC_BITS_TOTAL, 1 };

	if (!cell)
		return;
	wc_cells__value(cell, WC_BITS_TOTAL, &p->host);
	if (base)
		wc_terms__ratio(&over, 1, &under, 1, &p->host_ratio);
}

/* What was published is of threads parked each for itself, and of none. */
static void point__ask_book(struct wc_lab_point *p, const struct wc_lab *lab)
{
	char background[VALUE_SZ], parked[VALUE_SZ];
	const char *id;
	size_t i;

	value_of(p->params, "parked", "0", parked);
	value_of(p->params, "background", "none", background);
	if (strcmp(lab->shape, "handoff") || !only_known(p->params))
		return;
	if (!strcmp(parked, "0"))
		id = "parked-0";
	else if (!strcmp(parked, "4000") && !strcmp(background, "futex-own"))
		id = "parked-4000";
	else
		return;
	for (i = 0; i < WC_BOOK_ROW_CNT; i++) {
		if (!strcmp(wc_book__rows[i].id, id)) {
			p->book_ns = wc_book__rows[i].value;
			p->book_ratio = wc_book__rows[i].ratio;
		}
	}
}

static struct wc_lab_point *add(struct wc_lab_point **out, size_t *cnt)
{
	struct wc_lab_point *more = wc_grow(*out, *cnt, sizeof(*more));

	if (!more)
		return NULL;
	*out = more;
	more += (*cnt)++;
	memset(more, 0, sizeof(*more));
	return more;
}

/* Threads that the kernel does not see: in no lab, since to a kernel they are nobody. */
static int add_published(const struct wc_lab *lab, const struct wc_result *host,
			 struct wc_lab_point **out, size_t *cnt)
{
	struct wc_beside beside[WC_BOOK_ROW_CNT];
	size_t i;

	if (strcmp(lab->shape, "handoff"))
		return 0;
	if (host)
		wc_book__beside(host, beside);
	for (i = 0; i < WC_BOOK_ROW_CNT; i++) {
		const struct wc_book_row *row = &wc_book__rows[i];
		struct wc_lab_point *p;

		if (strncmp(row->id, "virtual-", 8))
			continue;
		p = add(out, cnt);
		if (!p)
			return -ENOMEM;
		snprintf(p->what, sizeof(p->what), "%s", row->what);
		p->book_ns = row->value;
		p->book_ratio = row->ratio;
		if (host) {
			p->host = beside[i].own;
			p->host_ratio = beside[i].ratio;
		}
	}
	return 0;
}

int wc_lab_points__of(const struct wc_lab *lab, const struct wc_result *host,
		      struct wc_lab_point **out, size_t *cnt)
{
	size_t i, j;

	*out = NULL;
	*cnt = 0;
	for (i = 0; i < lab->cell_cnt; i++) {
		const char *params = lab->cells[i].params;
		struct wc_lab_point *p;

		for (j = 0; j < *cnt && strcmp((*out)[j].params, params); j++)
			;
		if (j < *cnt)
			continue;
		p = add(out, cnt);
		if (!p)
			return -ENOMEM;
		p->params = params;
		wc_lab__words(lab, params, p->what, sizeof(p->what));
		point__ask_book(p, lab);
		point__ask_host(p, lab, host, lab->cells[0].params);
	}
	return add_published(lab, host, out, cnt);
}
