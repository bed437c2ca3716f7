/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/store_impl.h"

char *wc_store__encode_slots(const struct wc_hist *h)
{
	char *text = NULL;
	bool first = true;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fputc('{', f);
	for (unsigned int i = 0; i < WC_HIST_SLOT_CNT; i++) {
		if (!h->slots[i])
			continue;
		fprintf(f, "%s\"%u\":%llu", first ? "" : ",", i, h->slots[i]);
		first = false;
	}
	fputc('}', f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Plain decimal, no more than fits an SQL integer. */
static bool read_number(const char **p, unsigned long long *out)
{
	unsigned long long v = 0;
	const char *s = *p;

	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (v > (INT64_MAX - 9) / 10)
			return false;
		v = v * 10 + (unsigned long long)(*s - '0');
	}
	*p = s;
	*out = v;
	return true;
}

static bool skip(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

int wc_store__decode_slots(const char *text, struct wc_hist *h)
{
	unsigned long long next = 0, slot, n;
	const char *p = text;

	h->count = 0;
	memset(h->slots, 0, sizeof(h->slots));
	if (!skip(&p, '{'))
		return -EBADMSG;
	while (*p != '}') {
		if (next && !skip(&p, ','))
			return -EBADMSG;
		if (!skip(&p, '"') || !read_number(&p, &slot) || !skip(&p, '"') || !skip(&p, ':') ||
		    !read_number(&p, &n))
			return -EBADMSG;
		if (slot < next || slot >= WC_HIST_SLOT_CNT || !n || n > INT64_MAX - h->count)
			return -EBADMSG;
		h->slots[slot] = n;
		h->count += n;
		next = slot + 1;
	}
	return p[1] ? -EBADMSG : 0;
}
