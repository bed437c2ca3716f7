// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/symbol/process.h"

/* A JIT may map for ever; of what is gone this much is remembered. */
#define MAPPINGS_MAX   32768
#define MAPS_MAX_BYTES (512u << 20)

/* Read whole through a directory that stays that process's whatever becomes of its number. */
char *wc_process__slurp(int dir_fd, const char *name, size_t *len)
{
	size_t cap = 16384;
	char *text = malloc(cap), *bigger;
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC), err = fd < 0 ? errno : 0;
	ssize_t n;

	*len = 0;
	while (text && fd >= 0) {
		n = read(fd, text + *len, cap - *len - 1);
		if (n < 0)
			err = errno;
		if (n <= 0)
			break;
		*len += (size_t)n;
		if (cap - *len > 1)
			continue;
		if (cap >= MAPS_MAX_BYTES)
			break;
		bigger = realloc(text, cap *= 2);
		if (!bigger)
			free(text);
		text = bigger;
	}
	if (fd >= 0)
		close(fd);
	if (text && !err) {
		text[*len] = '\0';
		return text;
	}
	if (!text)
		err = ENOMEM;
	free(text);
	errno = err;
	return NULL;
}

/* Puts it behind all others, so that it covers them. */
static int add_mapping(struct wc_process *p, const struct wc_mapping *m)
{
	struct wc_mapping *bigger;
	size_t cap;

	if (p->map_cnt >= MAPPINGS_MAX) {
		memmove(p->maps, p->maps + MAPPINGS_MAX / 4,
			(p->map_cnt - MAPPINGS_MAX / 4) * sizeof(*p->maps));
		p->map_cnt -= MAPPINGS_MAX / 4;
	}
	if (p->map_cnt == p->map_cap) {
		cap = p->map_cap ? p->map_cap * 2 : 32;
		bigger = reallocarray(p->maps, cap, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		p->maps = bigger;
		p->map_cap = cap;
	}
	p->maps[p->map_cnt++] = *m;
	return 0;
}

static int take_map(struct wc_symbols *s, struct wc_process *p, int proc_fd,
		    const struct wc_map *map)
{
	struct wc_mapping m = {
		.start = map->start,
		.end = map->end,
		.offset = map->offset,
		.file = map->inode != 0,
		.current = true,
	};
	int err = 0;

	if (map->inode || !strcmp(map->path, "[vdso]"))
		err = wc_images__get(s, proc_fd, p->root, map, &m.image);
	else if (strcmp(map->path, "[vsyscall]") != 0)
		p->seen_anon = true;
	/* Also what cannot be opened, or is no program: code is written into such files. */
	if (map->inode && (!m.image || map->path[0] != '/' || map->deleted))
		p->seen_anon = true;
	m.module = wc_pool__add(s->pool, wc_map__module(map));
	if (!m.module)
		return -ENOMEM;
	return err ? err : add_mapping(p, &m);
}

/* Forgets what newer mappings cover, and so what is there again as it was. */
static void drop_covered(struct wc_process *p)
{
	struct wc_ranges seen = { 0 };
	size_t i, kept = 0;

	for (i = 0; i < p->map_cnt; i++) {
		const struct wc_mapping *m = &p->maps[i];

		if (wc_ranges__add(&seen, m->start, m->end, i, (uint32_t)i))
			goto out;
	}
	if (wc_ranges__build(&seen))
		goto out;
	for (i = 0; i < p->map_cnt; i++)
		p->maps[i].hidden = true;
	for (i = 0; i < seen.piece_cnt; i++)
		p->maps[seen.ranges[seen.pieces[i].range].value].hidden = false;
	for (i = 0; i < p->map_cnt; i++) {
		if (!p->maps[i].hidden)
			p->maps[kept++] = p->maps[i];
	}
	p->map_cnt = kept;
out:
	wc_ranges__clear(&seen);
}

static int index_maps(struct wc_process *p)
{
	size_t i;
	int err = 0;

	drop_covered(p);
	wc_ranges__clear(&p->ranges);
	for (i = 0; i < p->map_cnt && !err; i++)
		err = wc_ranges__add(&p->ranges, p->maps[i].start, p->maps[i].end, i, (uint32_t)i);
	return err ? err : wc_ranges__build(&p->ranges);
}

int wc_process__read_maps(struct wc_symbols *s, struct wc_process *p, int proc_fd)
{
	size_t len;
	char *text = wc_process__slurp(proc_fd, "maps", &len), *line, *end;
	struct wc_map map;
	uint64_t h;
	size_t i;
	int err = 0, built;

	if (!text)
		return -errno;
	h = wc_hash(text, len) | 1;
	if (!len || h == p->maps_hash) {
		free(text);
		return len ? 0 : -ESRCH;
	}
	for (i = 0; i < p->map_cnt; i++)
		p->maps[i].current = false;
	for (line = text; !err && (end = memchr(line, '\n', (size_t)(text + len - line)));
	     line = end + 1) {
		*end = '\0';
		if (wc_map__parse(line, &map) && map.exec)
			err = take_map(s, p, proc_fd, &map);
	}
	free(text);
	built = index_maps(p);
	if (!err && !built)
		p->maps_hash = h;
	return err ? err : built;
}
