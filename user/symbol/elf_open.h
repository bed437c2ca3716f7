/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF files and what belongs to them: build ids, separate debug files. */
#ifndef WC_SYMBOL_ELF_OPEN_H
#define WC_SYMBOL_ELF_OPEN_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>

/* With what it is read from. */
struct wc_elf {
	Elf *elf;
	int fd;	     /* -1: not ours */
	void *bytes; /* freed with it */
};

#define WC_BUILD_ID_MAX 64

/*
 * Reads through fd, which stays the caller's. Never mapped: its owner may cut the file short at
 * any moment. False: no ELF file.
 */
bool wc_elf__begin(struct wc_elf *e, int fd);
/* From memory, which stays the caller's unless put into e->bytes. */
bool wc_elf__begin_memory(struct wc_elf *e, void *bytes, size_t sz);
void wc_elf__end(struct wc_elf *e);

/* NULL: no such section. */
Elf_Scn *wc_elf__section(Elf *elf, const char *name, GElf_Shdr *shdr);
/* Hex, "" when it has none. */
void wc_elf__build_id(Elf *elf, char out[2 * WC_BUILD_ID_MAX + 1]);

/*
 * The separate debug file of main: by build id under /usr/lib/debug, ours and that of the root,
 * else by .gnu_debuglink beside path in the root (root_fd -1: ours). Only one whose build id, or
 * else checksum, fits.
 */
bool wc_elf__begin_debug(struct wc_elf *e, Elf *main, int root_fd, const char *path);
/* The little symbol table that some distributions leave in a stripped file. */
bool wc_elf__begin_mini(struct wc_elf *e, Elf *main);

/* Opens a regular file for reading, as the path means it in that root; -errno. */
int wc_root__open(int root_fd, const char *path);
/* For reading, what was opened with O_PATH (closed here): nothing but a regular file is opened,
 * since opening a device or a pipe can itself do harm. -errno. */
int wc_root__reopen(int path_fd);
/* As open(2) with these flags, whatever it is; -errno. */
int wc_root__open_flags(int root_fd, const char *path, int flags);

#endif
