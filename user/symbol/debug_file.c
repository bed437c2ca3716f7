// SPDX-License-Identifier: BSD-2-Clause
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <lzma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/symbol/elf_open.h"

#define DEBUG_DIR "/usr/lib/debug"

/* What a .gnu_debugdata of honest size unpacks to, with room; it holds function names alone. */
#define MINI_MAX_BYTES	  (64u << 20)
#define MINI_MEMORY_BYTES (128u << 20)

int wc_root__open_flags(int root_fd, const char *path, int flags)
{
	/* An absolute link means the root it is found in, not ours. */
	struct open_how how = {
		.flags = (uint64_t)flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	if (root_fd < 0) {
		fd = open(path, flags | O_CLOEXEC);
		return fd < 0 ? -errno : (int)fd;
	}
	fd = syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

int wc_root__reopen(int path_fd)
{
	char self[32];
	struct stat st;
	int fd;

	if (fstat(path_fd, &st) || !S_ISREG(st.st_mode)) {
		close(path_fd);
		return -EINVAL;
	}
	snprintf(self, sizeof(self), "/proc/self/fd/%d", path_fd);
	fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		fd = -errno;
	close(path_fd);
	return fd;
}

int wc_root__open(int root_fd, const char *path)
{
	int fd = wc_root__open_flags(root_fd, path, O_PATH);

	return fd < 0 ? fd : wc_root__reopen(fd);
}

/* The checksum that .gnu_debuglink carries: CRC-32 as in zlib. */
static bool crc_of(int fd, uint32_t *out)
{
	static uint32_t table[256];
	unsigned char buf[16384];
	uint32_t crc = UINT32_MAX, i, bit;
	off_t at = 0;
	ssize_t n;

	for (i = 0; !table[255] && i < 256; i++) {
		table[i] = i;
		for (bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		for (i = 0; i < (uint32_t)n; i++)
			crc = table[(crc ^ buf[i]) & 0xff] ^ crc >> 8;
		at += n;
	}
	*out = ~crc;
	return n == 0;
}

/* A debug file of another build names the wrong functions: better none. crc NULL: none known. */
static bool try(struct wc_elf *e, int root_fd, const char *path, const char *build_id,
		const GElf_Word *crc)
{
	char theirs[2 * WC_BUILD_ID_MAX + 1];
	uint32_t sum;
	int fd = wc_root__open(root_fd, path);

	if (fd < 0)
		return false;
	if (wc_elf__begin(e, fd)) {
		e->fd = fd;
		wc_elf__build_id(e->elf, theirs);
		if (*build_id && *theirs ? !strcmp(build_id, theirs)
					 : crc && crc_of(fd, &sum) && sum == *crc)
			return true;
		wc_elf__end(e);
		return false;
	}
	close(fd);
	return false;
}

static bool try_link(struct wc_elf *e, Elf *main, int root_fd, const char *path,
		     const char *build_id)
{
	static const char *const places[] = { "%.*s/%s", "%.*s/.debug/%s", DEBUG_DIR "%.*s/%s" };
	GElf_Word crc;
	const char *name = dwelf_elf_gnu_debuglink(main, &crc), *slash = strrchr(path, '/');
	char *full;
	bool found = false;
	size_t i;

	if (!name || !slash || !*name || strchr(name, '/'))
		return false;
	for (i = 0; i < sizeof(places) / sizeof(*places) && !found; i++) {
		if (asprintf(&full, places[i], (int)(slash - path), path, name) < 0)
			return false;
		found = try(e, root_fd, full, build_id, &crc);
		free(full);
	}
	return found;
}

bool wc_elf__begin_debug(struct wc_elf *e, Elf *main, int root_fd, const char *path)
{
	char build_id[2 * WC_BUILD_ID_MAX + 1], full[2 * WC_BUILD_ID_MAX + 64];

	wc_elf__build_id(main, build_id);
	if (strlen(build_id) > 2) {
		snprintf(full, sizeof(full), DEBUG_DIR "/.build-id/%.2s/%s.debug", build_id,
			 build_id + 2);
		if (try(e, -1, full, build_id, NULL) ||
		    (root_fd >= 0 && try(e, root_fd, full, build_id, NULL)))
			return true;
	}
	return try_link(e, main, root_fd, path, build_id);
}

/* NULL when it is no xz data, or unpacks to more than it may. */
static void *unpack(const void *in, size_t in_sz, size_t *out_sz)
{
	size_t cap = 1u << 20, in_at, at;
	uint64_t memory;
	lzma_ret ret;
	uint8_t *out;

	for (;; cap *= 4) {
		out = malloc(cap);
		in_at = 0;
		at = 0;
		memory = MINI_MEMORY_BYTES;
		ret = out ? lzma_stream_buffer_decode(&memory, 0, NULL, in, &in_at, in_sz, out, &at,
						      cap)
			  : LZMA_MEM_ERROR;
		if (ret == LZMA_OK) {
			*out_sz = at;
			return out;
		}
		free(out);
		if (ret != LZMA_BUF_ERROR || cap >= MINI_MAX_BYTES)
			return NULL;
	}
}

bool wc_elf__begin_mini(struct wc_elf *e, Elf *main)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = wc_elf__section(main, ".gnu_debugdata", &shdr);
	Elf_Data *packed = scn ? elf_rawdata(scn, NULL) : NULL;
	void *bytes;
	size_t sz = 0;

	if (!packed || !packed->d_buf)
		return false;
	bytes = unpack(packed->d_buf, packed->d_size, &sz);
	if (!bytes)
		return false;
	if (!wc_elf__begin_memory(e, bytes, sz)) {
		free(bytes);
		return false;
	}
	e->bytes = bytes;
	return true;
}
