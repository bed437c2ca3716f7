/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that code is mapped from (or the vdso): its functions by address. */
#ifndef WC_SYMBOL_IMAGE_H
#define WC_SYMBOL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/symbol/pool.h"
#include "user/symbol/ranges.h"

struct wc_apart;
struct wc_cfi;
struct wc_row;

struct wc_segment {
	uint64_t offset, vaddr, filesz;
	bool exec;
};

struct wc_function {
	const char *name;  /* as in the file */
	const char *shown; /* demangled; NULL: not asked yet */
	uint64_t start;
};

struct wc_image {
	struct wc_pool *pool; /* of all strings */
	int fd;		      /* of the mapped inode; -1: none */
	void *bytes;	      /* instead of a file */
	size_t bytes_sz;
	int root_fd;	  /* of a process that maps it, borrowed; -1: ours */
	const char *path; /* in that root, "" for none */
	const char *module;
	const char *build_id; /* hex; "" until loaded */
	bool loaded, is_elf;
	struct wc_segment *segments;
	size_t segment_cnt;
	struct wc_ranges ranges; /* value: index of functions */
	struct wc_function *functions;
	size_t function_cnt;
	struct wc_apart *lines;
	bool lines_tried;
	struct wc_cfi *cfi;
	bool cfi_tried;
};

/* fd or bytes become the image's, also on failure. NULL: no memory. */
struct wc_image *wc_image__new(struct wc_pool *pool, int fd, void *bytes, size_t bytes_sz,
			       int root_fd, const char *path, const char *module);
void wc_image__free(struct wc_image *image);

/* Reads the functions, if that has not been done. 0, also for what is no ELF file, or -ENOMEM. */
int wc_image__load(struct wc_image *image);
/* Address in the ELF file's own terms; false: offset is in no segment. Only when loaded. */
bool wc_image__vaddr(const struct wc_image *image, uint64_t offset, uint64_t *vaddr);
/* NULL: in none. Its shown name is filled in. Only when loaded. */
const struct wc_function *wc_image__function(struct wc_image *image, uint64_t vaddr);
/* Debug information, looked for once; NULL: there is none. */
struct wc_apart *wc_image__lines(struct wc_image *image);

/* How the frame of the code at this place in the file is left; loaded or not. 0 or -ENOENT. */
int wc_image__row(struct wc_image *image, uint64_t offset, struct wc_row *out);

#endif
