/* SPDX-License-Identifier: BSD-2-Clause */
/* What a profile has very many of, in few bytes: histograms of pairs, and lists of indices. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/store_impl.h"
#include "user/util/grow.h"

static unsigned char *put_leb(unsigned char *out, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		*out++ = (unsigned char)(v | 0x80);
	*out++ = (unsigned char)v;
	return out;
}

static int get_leb(const unsigned char **p, const unsigned char *end, uint32_t *out)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 35 && *p < end; shift += 7) {
		unsigned char byte = *(*p)++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		*out = (uint32_t)v;
		return v > UINT32_MAX ? -EBADMSG : 0;
	}
	return -EBADMSG;
}

size_t wc_store__encode_phist(const struct wc_phist *h, unsigned char *out)
{
	unsigned char *p = out;
	unsigned int at = 0, from, len;

	for (;;) {
		for (from = at; from < WC_PHIST_SLOT_CNT && !h->slots[from];)
			from++;
		if (from == WC_PHIST_SLOT_CNT)
			return (size_t)(p - out);
		for (len = 0; from + len < WC_PHIST_SLOT_CNT && h->slots[from + len];)
			len++;
		p = put_leb(p, from - at);
		p = put_leb(p, len);
		for (at = from; at < from + len; at++)
			p = put_leb(p, h->slots[at]);
	}
}

int wc_store__decode_phist(const unsigned char *bytes, size_t len, struct wc_phist *h)
{
	const unsigned char *p = bytes, *end = bytes + len;
	uint32_t at = 0, gap, run;

	memset(h, 0, sizeof(*h));
	while (p < end) {
		if (get_leb(&p, end, &gap) || get_leb(&p, end, &run) ||
		    gap > WC_PHIST_SLOT_CNT - at || !run || run > WC_PHIST_SLOT_CNT - at - gap)
			return -EBADMSG;
		for (at += gap; run; run--, at++)
			if (get_leb(&p, end, &h->slots[at]) || !h->slots[at])
				return -EBADMSG;
	}
	return at ? 0 : -EBADMSG;
}

char *wc_store__encode_list(const uint32_t *items, uint32_t cnt)
{
	char *text = malloc((size_t)cnt * 11 + 3), *p = text;

	if (!text)
		return NULL;
	*p++ = '[';
	for (uint32_t i = 0; i < cnt; i++)
		p += sprintf(p, i ? ",%u" : "%u", items[i]);
	strcpy(p, "]");
	return text;
}

static bool get_index(const char **p, uint32_t end, uint32_t *out)
{
	const char *s = *p;
	uint64_t v = 0;

	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9' && v < end; s++)
		v = v * 10 + (uint64_t)(*s - '0');
	*p = s;
	*out = (uint32_t)v;
	return v < end;
}

int wc_store__decode_list(const char *text, uint32_t end, uint32_t **items, uint32_t *cnt)
{
	const char *p = text;
	uint32_t *list = NULL, n = 0;

	*items = NULL;
	*cnt = 0;
	if (*p++ != '[')
		return -EBADMSG;
	while (*p != ']') {
		uint32_t *grown = wc_grow(list, n, sizeof(*list));

		if (!grown) {
			free(list);
			return -ENOMEM;
		}
		list = grown;
		if ((n && *p++ != ',') || !get_index(&p, end, &list[n])) {
			free(list);
			return -EBADMSG;
		}
		n++;
	}
	if (p[1]) {
		free(list);
		return -EBADMSG;
	}
	*items = list;
	*cnt = n;
	return 0;
}
