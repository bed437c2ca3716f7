// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/symbol/kernel.h"
#include "user/util/file.h"

#define NT_GNU_BUILD_ID	 3
#define BUILD_ID_MAX_LEN 64

/* As everywhere where the kernel is read: tests put files of their own there. */
static const char *sysroot(void)
{
	const char *root = secure_getenv("WAKECOST_SYSROOT");

	return root ? root : "";
}

static const char *why_hidden(void)
{
	char path[512];
	uint64_t level = 0;

	if (geteuid() != 0)
		return "kernel addresses are hidden from you: run as root";
	snprintf(path, sizeof(path), "%s/proc/sys/kernel/kptr_restrict", sysroot());
	if (!wc_file__read_u64(path, &level) && level > 1)
		return "the kernel hides its addresses (kptr_restrict is 2): "
		       "sudo sysctl kernel.kptr_restrict=1";
	return "the kernel hides its addresses from this container: it needs CAP_SYSLOG, "
	       "or on the host sudo sysctl kernel.kptr_restrict=0";
}

static size_t padded(uint32_t sz)
{
	return ((size_t)sz + 3) & ~(size_t)3;
}

/* The kernel's notes: each is sizes of name and content, type, name, content, padded to 4. */
static const char *read_build_id(struct wc_pool *pool)
{
	char path[512], notes[4096], hex[2 * BUILD_ID_MAX_LEN + 1] = "";
	ssize_t len;
	size_t at = 0, i;
	uint32_t head[3];

	snprintf(path, sizeof(path), "%s/sys/kernel/notes", sysroot());
	len = wc_file__read(path, notes, sizeof(notes));
	while (len > 0 && at + sizeof(head) <= (size_t)len) {
		memcpy(head, notes + at, sizeof(head));
		at += sizeof(head);
		if (padded(head[0]) + padded(head[1]) > (size_t)len - at)
			break;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 && !memcmp(notes + at, "GNU", 4) &&
		    head[1] <= BUILD_ID_MAX_LEN) {
			for (i = 0; i < head[1]; i++)
				snprintf(hex + 2 * i, 3, "%02x",
					 (unsigned char)notes[at + padded(head[0]) + i]);
			break;
		}
		at += padded(head[0]) + padded(head[1]);
	}
	return wc_pool__add(pool, hex);
}

void wc_kernel__load(struct wc_kernel *k, struct wc_pool *pool)
{
	char path[512], text[640];
	int err;

	if (k->tried)
		return;
	k->tried = true;
	k->build_id = read_build_id(pool);
	snprintf(path, sizeof(path), "%s/proc/kallsyms", sysroot());
	err = wc_kallsyms__load(&k->syms, pool, path);
	if (err) {
		snprintf(text, sizeof(text), "kernel functions have no names: cannot read %s: %s",
			 path, strerror(-err));
		k->trouble = wc_pool__add(pool, text);
	} else if (k->syms.hidden) {
		k->trouble = why_hidden();
	}
}
