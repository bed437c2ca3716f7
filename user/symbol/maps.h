/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of /proc/PID/maps. */
#ifndef WC_SYMBOL_MAPS_H
#define WC_SYMBOL_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct wc_map {
	uint64_t start, end, offset;
	uint64_t dev, inode; /* dev as in stat(2) */
	bool exec, deleted;
	const char *path; /* unescaped, "" for none; in the line itself */
};

/* Changes line, which ends without a newline. False: no such line. */
bool wc_map__parse(char *line, struct wc_map *map);
/* What is shown for it: the name without its directories. */
const char *wc_map__module(const struct wc_map *map);

#endif
