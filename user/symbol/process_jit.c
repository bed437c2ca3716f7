// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where a process put the map of the code it made: perf-PID.map in its own /tmp, by the number
 * it has for itself. Anybody can put a file of that name there, so it must be the process's user's
 * or root's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/symbol/elf_open.h"
#include "user/symbol/process.h"

/* -EPERM: neither its user's nor root's. -ELOOP: a link. */
static int open_map(const struct wc_process *p)
{
	struct stat st;
	char name[32];
	int fd;

	if (!p->root || p->root->tmp_fd < 0)
		return -ENOENT;
	snprintf(name, sizeof(name), "perf-%d.map", p->ns_pid);
	fd = openat(p->root->tmp_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -ELOOP;
	}
	if (st.st_uid != p->uid && st.st_uid != 0) {
		close(fd);
		return -EPERM;
	}
	return wc_root__reopen(fd);
}

void wc_process__hold_jit(struct wc_process *p)
{
	int fd = open_map(p);

	if (fd < 0)
		return;
	if (p->jit_fd >= 0)
		close(p->jit_fd);
	p->jit_fd = fd;
}

int wc_process__read_jit(struct wc_symbols *s, struct wc_process *p)
{
	int fd = open_map(p), err;

	p->jit_read = true;
	if (fd == -EPERM || fd == -ELOOP)
		wc_symbols__warn(s, "/tmp/perf-%d.map of process %d is not used: it %s", p->ns_pid,
				 p->tgid,
				 fd == -EPERM ? "belongs neither to the process's user nor to root"
					      : "is not a regular file");
	if (fd >= 0) {
		if (p->jit_fd >= 0)
			close(p->jit_fd);
		p->jit_fd = fd;
	}
	/* The one held from before, though its name may be gone. */
	if (p->jit_fd < 0)
		return fd == -ELOOP ? -EPERM : fd;
	err = wc_jitmap__read(&p->jit, s->pool, p->jit_fd);
	if (err == -EFBIG)
		wc_symbols__warn(s,
				 "/tmp/perf-%d.map of process %d is too large: only its beginning "
				 "is used",
				 p->ns_pid, p->tgid);
	return err;
}
