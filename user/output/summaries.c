/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "user/output/summaries.h"

struct wc_cell_summary *wc_summaries__of(const struct wc_result *r)
{
	struct wc_cell_summary *s = calloc(r->cell_cnt ? r->cell_cnt : 1, sizeof(*s));

	for (size_t i = 0; s && i < r->cell_cnt; i++)
		wc_cell__summarise(r, &r->cells[i], &s[i]);
	return s;
}

int wc_summaries__finish(FILE *f)
{
	errno = 0;
	if (fflush(f) || ferror(f))
		return errno ? -errno : -EIO;
	return 0;
}
