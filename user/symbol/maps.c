// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "user/symbol/maps.h"

#define DELETED " (deleted)"

/* The kernel writes a newline as \012, and nothing else that way. */
static void unescape(char *path)
{
	char *to = path;

	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

bool wc_map__parse(char *line, struct wc_map *map)
{
	unsigned int maj, min;
	char perms[5];
	int at = 0;
	size_t len;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n", &map->start,
		   &map->end, perms, &map->offset, &maj, &min, &map->inode, &at) != 7 ||
	    map->start >= map->end || strlen(perms) != 4)
		return false;
	line += at;
	line += strspn(line, " ");
	map->dev = makedev(maj, min);
	map->exec = perms[2] == 'x';
	len = strlen(line);
	map->deleted = map->inode && len > strlen(DELETED) &&
		       !strcmp(line + len - strlen(DELETED), DELETED);
	if (map->deleted)
		line[len - strlen(DELETED)] = '\0';
	unescape(line);
	map->path = line;
	return true;
}

const char *wc_map__module(const struct wc_map *map)
{
	const char *slash = strrchr(map->path, '/');

	if (!*map->path)
		return "[anon]";
	return slash && slash[1] ? slash + 1 : map->path;
}
