// SPDX-License-Identifier: BSD-2-Clause
/*
 * The files that processes map, each once. An inode that is held open cannot be given to another
 * file, so device, inode and path say which one it is. (The path, because some file systems give
 * the same numbers to files of different subvolumes.)
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/symbol/elf_open.h"
#include "user/symbol/process.h"

#define VDSO_MAX_BYTES (1u << 20)

static size_t bucket_of(const struct wc_map *map)
{
	return (map->inode * 31 + map->dev) % WC_BUCKETS;
}

static bool is_mapped_inode(int fd, const struct wc_map *map)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_ino == map->inode && st.st_dev == map->dev;
}

/* -ESTALE: there is a file of that name, but it is not the one mapped. */
static int open_mapped(int proc_fd, const struct wc_root *root, const struct wc_map *map)
{
	char link[64];
	int fd, err;

	/* This leads to the inode itself, whatever has become of its name. */
	snprintf(link, sizeof(link), "map_files/%" PRIx64 "-%" PRIx64, map->start, map->end);
	fd = openat(proc_fd, link, O_PATH | O_CLOEXEC);
	if (fd >= 0)
		return wc_root__reopen(fd);
	err = -errno;
	/* Without the right to that: by name, provided that it is still the same file. */
	fd = openat(proc_fd, "exe", O_PATH | O_CLOEXEC);
	if (fd >= 0 && is_mapped_inode(fd, map))
		return wc_root__reopen(fd);
	if (fd >= 0)
		close(fd);
	if (map->path[0] != '/' || !root)
		return err;
	fd = wc_root__open_flags(root->fd, map->path, O_PATH);
	if (fd < 0)
		return err;
	if (is_mapped_inode(fd, map))
		return wc_root__reopen(fd);
	close(fd);
	return -ESTALE;
}

static struct wc_image_entry *add(struct wc_image_entry **list, struct wc_image *image)
{
	struct wc_image_entry *entry = calloc(1, sizeof(*entry));

	if (!entry) {
		wc_image__free(image);
		return NULL;
	}
	entry->image = image;
	entry->next = *list;
	*list = entry;
	return entry;
}

static int get_vdso(struct wc_symbols *s, int proc_fd, const struct wc_map *map,
		    struct wc_image **out)
{
	size_t sz = map->end - map->start;
	struct wc_image_entry *entry;
	struct wc_image *image;
	char *bytes;
	int mem;

	if (sz > VDSO_MAX_BYTES)
		return 0;
	bytes = malloc(sz);
	if (!bytes)
		return -ENOMEM;
	mem = openat(proc_fd, "mem", O_RDONLY | O_CLOEXEC);
	if (mem < 0 || pread(mem, bytes, sz, (off_t)map->start) != (ssize_t)sz) {
		if (mem >= 0)
			close(mem);
		free(bytes);
		return 0;
	}
	close(mem);
	for (entry = s->vdsos; entry; entry = entry->next) {
		if (entry->image->bytes_sz == sz && !memcmp(entry->image->bytes, bytes, sz)) {
			free(bytes);
			*out = entry->image;
			return 0;
		}
	}
	image = wc_image__new(s->pool, -1, bytes, sz, -1, "", map->path);
	if (!image || !add(&s->vdsos, image))
		return -ENOMEM;
	*out = image;
	return 0;
}

/* With too many files open: read now, keep what was read, let go of the file. */
static int limit_open(struct wc_symbols *s, struct wc_image *image)
{
	int err = 0;

	if (s->fd_cnt < s->fd_max) {
		s->fd_cnt++;
		return 0;
	}
	err = wc_image__load(image);
	if (s->inlines)
		wc_symbols__warn(s, "too many files are mapped to keep them all open: some have "
				    "no source lines; raise the limit (ulimit -n)");
	close(image->fd);
	image->fd = -1;
	return err;
}

int wc_images__get(struct wc_symbols *s, int proc_fd, const struct wc_root *root,
		   const struct wc_map *map, struct wc_image **out)
{
	struct wc_image_entry **bucket = &s->images[bucket_of(map)], *entry;
	struct wc_image *image;
	int fd;

	*out = NULL;
	if (!strcmp(map->path, "[vdso]"))
		return get_vdso(s, proc_fd, map, out);
	for (entry = *bucket; entry; entry = entry->next) {
		if (entry->dev == map->dev && entry->inode == map->inode &&
		    !strcmp(entry->image->path, map->path)) {
			*out = entry->image;
			return 0;
		}
	}
	fd = open_mapped(proc_fd, root, map);
	if (fd == -ESTALE)
		wc_symbols__warn(s,
				 "%s was replaced while it ran: what runs can only be read as root",
				 map->path);
	else if (fd < 0 && fd != -ENOENT && fd != -ESRCH && fd != -EINVAL)
		wc_symbols__warn(s, "%s: cannot read its symbols: %s", map->path, strerror(-fd));
	if (fd < 0)
		return 0;
	image = wc_image__new(s->pool, fd, NULL, 0, root ? root->fd : -1, map->path,
			      wc_map__module(map));
	entry = image ? add(bucket, image) : NULL;
	if (!entry)
		return -ENOMEM;
	entry->dev = map->dev;
	entry->inode = map->inode;
	*out = image;
	return limit_open(s, image);
}

static void free_list(struct wc_image_entry *entry)
{
	struct wc_image_entry *next;

	for (; entry; entry = next) {
		next = entry->next;
		wc_image__free(entry->image);
		free(entry);
	}
}

void wc_images__free(struct wc_symbols *s)
{
	size_t i;

	for (i = 0; i < WC_BUCKETS; i++)
		free_list(s->images[i]);
	free_list(s->vdsos);
}
