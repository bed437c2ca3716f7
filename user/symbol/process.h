/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes as they were when seen, with what must be held so that they can be asked later. */
#ifndef WC_SYMBOL_PROCESS_H
#define WC_SYMBOL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/symbol/image.h"
#include "user/symbol/jitmap.h"
#include "user/symbol/maps.h"

/* The files as some processes see them: shared by all in one mount namespace and root. */
struct wc_root {
	struct wc_root *next;
	uint64_t mnt_ns, dev, inode;
	int fd;
	int tmp_fd; /* held too: its mount may go with the namespace; -1: none */
};

struct wc_mapping {
	uint64_t start, end, offset;
	struct wc_image *image; /* NULL: memory without a file */
	const char *module;
	bool file;
	bool hidden;  /* while indexing: newer ones cover it */
	bool current; /* there when last looked */
};

struct wc_process {
	struct wc_process *next; /* in its bucket, the newest first */
	pid_t tgid, ns_pid;
	uint64_t started;
	uid_t uid;
	struct wc_root *root; /* NULL: could not be opened */
	struct wc_mapping *maps;
	size_t map_cnt, map_cap;
	struct wc_ranges ranges; /* value: index of maps */
	uint64_t maps_hash;
	bool seen_anon; /* memory without a file is executable: a JIT */
	struct wc_jitmap jit;
	int jit_fd; /* the map, if there was one when last looked; -1 */
	bool jit_read;
};

#define WC_BUCKETS 1024

struct wc_image_entry {
	struct wc_image_entry *next;
	uint64_t dev, inode;
	struct wc_image *image; /* its path is part of the key */
};

struct wc_symbols {
	struct wc_pool *pool;
	struct wc_root *roots;
	struct wc_process *processes[WC_BUCKETS];
	struct wc_image_entry *images[WC_BUCKETS];
	struct wc_image_entry *vdsos; /* from memory */
	size_t fd_cnt, fd_max;	      /* images held open */
	struct wc_kernel *kernel;
	bool inlines;
	const char **warnings;
	size_t warning_cnt;
};

/* The newest of that number when started is 0; NULL: never seen. */
struct wc_process *wc_process__find(const struct wc_symbols *s, pid_t tgid, uint64_t started);
int wc_process__snapshot(struct wc_symbols *s, pid_t tgid);
void wc_process__free(struct wc_process *p);
/* Adds what is mapped executable now, if anything has changed. 0 or -errno. */
int wc_process__read_maps(struct wc_symbols *s, struct wc_process *p, int proc_fd);
/* A file of a directory in /proc, terminated; free() it. NULL with errno. */
char *wc_process__slurp(int dir_fd, const char *name, size_t *len);
void wc_root__free(struct wc_root *root);
/* Makes p->jit current; as wc_symbols__look_again(). */
int wc_process__read_jit(struct wc_symbols *s, struct wc_process *p);
/* Holds the map of p open, if there is one now that may be trusted; no warnings. */
void wc_process__hold_jit(struct wc_process *p);

/*
 * The image of one mapping of the process whose directory in /proc proc_fd is. *out is NULL when
 * it cannot be had. 0 or -ENOMEM.
 */
int wc_images__get(struct wc_symbols *s, int proc_fd, const struct wc_root *root,
		   const struct wc_map *map, struct wc_image **out);
void wc_images__free(struct wc_symbols *s);

void wc_symbols__warn(struct wc_symbols *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
