// SPDX-License-Identifier: BSD-2-Clause
#include "user/symbol/unwind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/symbol/process.h"
#include "user/util/file.h"

int wc_symbols__row(struct wc_symbols *s, pid_t tgid, uint64_t ip, bool leaf, struct wc_row *out)
{
	const struct wc_process *p = wc_process__find(s, tgid, 0);
	/* A call may be the last instruction of its function. */
	uint64_t at = leaf || !ip ? ip : ip - 1;
	const struct wc_range *range = p ? wc_ranges__find(&p->ranges, at) : NULL;
	const struct wc_mapping *m = range ? &p->maps[range->value] : NULL;

	if (!m || !m->current)
		return -ENOENT;
	if (!m->image || wc_image__row(m->image, at - m->start + m->offset, out))
		return -ENODATA;
	return 0;
}

uint64_t wc_symbols__stack_start(pid_t tgid)
{
	char path[32], text[1024], *at;
	int field;

	snprintf(path, sizeof(path), "/proc/%d/stat", tgid);
	if (wc_file__read(path, text, sizeof(text)) < 0)
		return 0;
	/* the 28th; the second, a name, may hold anything */
	at = strrchr(text, ')');
	for (field = 2; at && field < 28; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}
