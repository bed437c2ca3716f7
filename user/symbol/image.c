// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/symbol/apart.h"
#include "user/symbol/cfi.h"
#include "user/symbol/demangle.h"
#include "user/symbol/elf_open.h"
#include "user/symbol/functions.h"
#include "user/symbol/image.h"

/* More than any linker makes. */
#define SEGMENTS_MAX 4096

struct wc_image *wc_image__new(struct wc_pool *pool, int fd, void *bytes, size_t bytes_sz,
			       int root_fd, const char *path, const char *module)
{
	struct wc_image *image = calloc(1, sizeof(*image));

	if (image) {
		image->pool = pool;
		image->fd = fd;
		image->bytes = bytes;
		image->bytes_sz = bytes_sz;
		image->root_fd = root_fd;
		image->path = wc_pool__add(pool, path);
		image->module = wc_pool__add(pool, module);
		image->build_id = wc_pool__add(pool, "");
		if (image->path && image->module && image->build_id)
			return image;
		free(image);
	}
	if (fd >= 0)
		close(fd);
	free(bytes);
	return NULL;
}

void wc_image__free(struct wc_image *image)
{
	if (!image)
		return;
	wc_apart__free(image->lines);
	wc_cfi__free(image->cfi);
	wc_ranges__clear(&image->ranges);
	free(image->functions);
	free(image->segments);
	free(image->bytes);
	if (image->fd >= 0)
		close(image->fd);
	free(image);
}

static bool begin(struct wc_image *image, struct wc_elf *e)
{
	if (image->bytes)
		return wc_elf__begin_memory(e, image->bytes, image->bytes_sz);
	return image->fd >= 0 && wc_elf__begin(e, image->fd);
}

static int read_segments(struct wc_image *image, Elf *elf)
{
	GElf_Phdr phdr;
	size_t cnt, i;

	if (elf_getphdrnum(elf, &cnt))
		return 0;
	if (cnt > SEGMENTS_MAX)
		cnt = SEGMENTS_MAX;
	image->segments = calloc(cnt + 1, sizeof(*image->segments));
	if (!image->segments)
		return -ENOMEM;
	for (i = 0; i < cnt; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		image->segments[image->segment_cnt++] = (struct wc_segment){
			.offset = phdr.p_offset,
			.vaddr = phdr.p_vaddr,
			.filesz = phdr.p_filesz,
			.exec = phdr.p_flags & PF_X,
		};
	}
	return 0;
}

int wc_image__load(struct wc_image *image)
{
	char build_id[2 * WC_BUILD_ID_MAX + 1];
	const char *id;
	struct wc_elf e;
	int err;

	if (image->loaded)
		return 0;
	image->loaded = true;
	if (!begin(image, &e))
		return 0;
	image->is_elf = true;
	wc_elf__build_id(e.elf, build_id);
	id = wc_pool__add(image->pool, build_id);
	if (id)
		image->build_id = id;
	err = id ? read_segments(image, e.elf) : -ENOMEM;
	if (!err)
		err = wc_functions__read(image, e.elf);
	wc_elf__end(&e);
	return err;
}

bool wc_image__vaddr(const struct wc_image *image, uint64_t offset, uint64_t *vaddr)
{
	size_t i;
	int exec;

	/* A page may be in two segments; code is in the executable one. */
	for (exec = 1; exec >= 0; exec--) {
		for (i = 0; i < image->segment_cnt; i++) {
			const struct wc_segment *seg = &image->segments[i];

			if (seg->exec != exec || offset < seg->offset ||
			    offset - seg->offset >= seg->filesz)
				continue;
			*vaddr = offset - seg->offset + seg->vaddr;
			return true;
		}
	}
	return false;
}

const struct wc_function *wc_image__function(struct wc_image *image, uint64_t vaddr)
{
	const struct wc_range *range = wc_ranges__find(&image->ranges, vaddr);
	struct wc_function *fn;
	char *shown;

	if (!range)
		return NULL;
	fn = &image->functions[range->value];
	if (!fn->shown) {
		shown = wc_demangle(fn->name);
		fn->shown = shown ? wc_pool__add(image->pool, shown) : fn->name;
		free(shown);
		if (!fn->shown)
			fn->shown = fn->name;
	}
	return fn;
}

struct wc_apart *wc_image__lines(struct wc_image *image)
{
	struct wc_elf e, other;
	GElf_Shdr shdr;

	if (image->lines_tried)
		return image->lines;
	image->lines_tried = true;
	if (!begin(image, &e))
		return NULL;
	if (wc_elf__section(e.elf, ".debug_info", &shdr) && shdr.sh_type != SHT_NOBITS) {
		image->lines = wc_apart__new(&e, image->fd);
	} else if (wc_elf__begin_debug(&other, e.elf, image->root_fd, image->path)) {
		image->lines = wc_apart__new(&other, other.fd);
		wc_elf__end(&e);
	} else {
		wc_elf__end(&e);
	}
	return image->lines;
}

int wc_image__row(struct wc_image *image, uint64_t offset, struct wc_row *out)
{
	const struct wc_cfi_from from = { image->bytes ? -1 : image->fd, image->bytes,
					  image->bytes_sz };
	uint64_t vaddr;

	if (!image->bytes && image->fd < 0) /* let go of: too many files */
		return -ENOENT;
	if (!image->cfi_tried)
		image->cfi = wc_cfi__new(&from);
	image->cfi_tried = true;
	if (!image->cfi || !wc_cfi__vaddr(image->cfi, offset, &vaddr))
		return -ENOENT;
	return wc_cfi__row(image->cfi, &from, vaddr, out);
}
