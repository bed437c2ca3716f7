// SPDX-License-Identifier: BSD-2-Clause
#include <dirent.h>
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

/* Start time and state of /proc/PID/stat; the name in it may hold anything. */
static int read_stat(int proc_fd, uint64_t *started, char *state)
{
	size_t len;
	char *text = wc_process__slurp(proc_fd, "stat", &len), *at;
	int found;

	*state = 0;
	*started = 0;
	if (!text)
		return -errno;
	at = strrchr(text, ')');
	found = at ? sscanf(at + 1,
			    " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			    "%*s %*s %" SCNu64,
			    state, started)
		   : 0;
	free(text);
	return found == 2 ? 0 : -ESRCH;
}

static int read_status(int proc_fd, struct wc_process *p)
{
	size_t len;
	char *text = wc_process__slurp(proc_fd, "status", &len), *at, *last;
	unsigned int uid = 0;

	if (!text)
		return -errno;
	at = strstr(text, "\nUid:");
	if (at && sscanf(at, "\nUid: %*u %u", &uid) == 1)
		p->uid = uid;
	p->ns_pid = p->tgid;
	at = strstr(text, "\nNSpid:");
	if (at) {
		at++;
		at[strcspn(at, "\n")] = '\0';
		last = strrchr(at, '\t');
		if (last)
			p->ns_pid = (pid_t)strtol(last, NULL, 10);
	}
	free(text);
	return 0;
}

/*
 * The leader's memory and files are gone once it has ended, though its other threads run on: then
 * one of them is asked.
 */
static int open_living(pid_t tgid, int proc_fd)
{
	int task_fd = openat(proc_fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
	DIR *dir = task_fd < 0 ? NULL : fdopendir(task_fd);
	char path[64], state;
	struct dirent *d;
	uint64_t started;
	long tid;

	if (!dir) {
		if (task_fd >= 0)
			close(task_fd);
		return -ESRCH;
	}
	while (fd < 0 && (d = readdir(dir))) {
		tid = strtol(d->d_name, NULL, 10);
		if (tid <= 0 || tid == tgid)
			continue;
		snprintf(path, sizeof(path), "/proc/%ld", tid);
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && (read_stat(fd, &started, &state) || state == 'Z' || state == 'X')) {
			close(fd);
			fd = -1;
		}
	}
	closedir(dir);
	return fd < 0 ? -ESRCH : fd;
}

static struct wc_root *get_root(struct wc_symbols *s, int proc_fd)
{
	struct stat ns = { 0 }, st;
	struct wc_root *root;
	int fd = openat(proc_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) || fstatat(proc_fd, "ns/mnt", &ns, 0)) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	for (root = s->roots; root; root = root->next) {
		if (root->mnt_ns == ns.st_ino && root->dev == st.st_dev &&
		    root->inode == st.st_ino) {
			close(fd);
			return root;
		}
	}
	root = calloc(1, sizeof(*root));
	if (!root) {
		close(fd);
		return NULL;
	}
	*root = (struct wc_root){
		.next = s->roots,
		.mnt_ns = ns.st_ino,
		.dev = st.st_dev,
		.inode = st.st_ino,
		.fd = fd,
		.tmp_fd = wc_root__open_flags(fd, "/tmp", O_PATH | O_DIRECTORY),
	};
	s->roots = root;
	return root;
}

void wc_root__free(struct wc_root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	if (root->tmp_fd >= 0)
		close(root->tmp_fd);
	free(root);
}

struct wc_process *wc_process__find(const struct wc_symbols *s, pid_t tgid, uint64_t started)
{
	struct wc_process *p = s->processes[(unsigned int)tgid % WC_BUCKETS];

	while (p && (p->tgid != tgid || (started && p->started != started)))
		p = p->next;
	return p;
}

void wc_process__free(struct wc_process *p)
{
	wc_ranges__clear(&p->ranges);
	wc_jitmap__clear(&p->jit);
	if (p->jit_fd >= 0)
		close(p->jit_fd);
	free(p->maps);
	free(p);
}

static struct wc_process *add_process(struct wc_symbols *s, pid_t tgid, uint64_t started)
{
	struct wc_process *p = calloc(1, sizeof(*p)),
			  **bucket = &s->processes[(unsigned int)tgid % WC_BUCKETS];

	if (!p)
		return NULL;
	p->tgid = tgid;
	p->ns_pid = tgid;
	p->started = started;
	p->jit_fd = -1;
	p->next = *bucket;
	*bucket = p;
	return p;
}

static int look(struct wc_symbols *s, struct wc_process *p, int proc_fd)
{
	struct wc_root *root = get_root(s, proc_fd);
	int err;

	if (root)
		p->root = root;
	err = read_status(proc_fd, p);
	if (!err)
		err = wc_process__read_maps(s, p, proc_fd);
	if (p->seen_anon)
		wc_process__hold_jit(p);
	return err;
}

int wc_process__snapshot(struct wc_symbols *s, pid_t tgid)
{
	struct wc_process *p;
	uint64_t started;
	char path[32], state;
	int fd, living, err;

	if (tgid <= 0)
		return -EINVAL;
	snprintf(path, sizeof(path), "/proc/%d", tgid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	err = read_stat(fd, &started, &state);
	if (!err && state == 'Z') {
		living = open_living(tgid, fd);
		close(fd);
		fd = living;
		err = living < 0 ? living : 0;
	}
	if (!err) {
		p = wc_process__find(s, tgid, started);
		if (!p)
			p = add_process(s, tgid, started);
		err = p ? look(s, p, fd) : -ENOMEM;
	}
	if (fd >= 0)
		close(fd);
	return err;
}
