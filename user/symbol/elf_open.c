// SPDX-License-Identifier: BSD-2-Clause
#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/symbol/elf_open.h"

static bool begin(struct wc_elf *e, Elf *elf)
{
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		e->elf = elf;
		return true;
	}
	elf_end(elf);
	return false;
}

bool wc_elf__begin(struct wc_elf *e, int fd)
{
	*e = (struct wc_elf){ .fd = -1 };
	elf_version(EV_CURRENT);
	return begin(e, elf_begin(fd, ELF_C_READ, NULL));
}

bool wc_elf__begin_memory(struct wc_elf *e, void *bytes, size_t sz)
{
	*e = (struct wc_elf){ .fd = -1 };
	elf_version(EV_CURRENT);
	return begin(e, elf_memory(bytes, sz));
}

void wc_elf__end(struct wc_elf *e)
{
	elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	free(e->bytes);
	*e = (struct wc_elf){ .fd = -1 };
}

Elf_Scn *wc_elf__section(Elf *elf, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	const char *found;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, shdr))
			continue;
		found = elf_strptr(elf, strings, shdr->sh_name);
		if (found && !strcmp(found, name))
			return scn;
	}
	return NULL;
}

void wc_elf__build_id(Elf *elf, char out[2 * WC_BUILD_ID_MAX + 1])
{
	const void *bytes = NULL;
	ssize_t len = dwelf_elf_gnu_build_id(elf, &bytes), i;

	out[0] = '\0';
	if (len > WC_BUILD_ID_MAX)
		return;
	for (i = 0; i < len; i++)
		snprintf(out + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
}
