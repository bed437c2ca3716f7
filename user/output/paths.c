// SPDX-License-Identifier: BSD-2-Clause
#include "user/output/paths.h"

#include <string.h>

unsigned int wc_paths__stage_order(const char *name)
{
	unsigned int i;

	for (i = 0; i < WC_STAGE_CNT; i++)
		if (!strcmp(name, wc_stage__name(i)))
			break;
	return i;
}

const char *wc_paths__name(const struct wc_result *r, const struct wc_path_frame *f)
{
	if (f->path_class == WC_PATH_STAGE) {
		unsigned int i = wc_paths__stage_order(f->name);

		if (i < WC_STAGE_CNT && r->stages[i].shown_as && *r->stages[i].shown_as)
			return r->stages[i].shown_as;
	}
	return f->name && *f->name ? f->name : "[unknown]";
}
