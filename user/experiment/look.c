// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/experiment/record.h"
#include "user/probe/futex_hash.h"
#include "user/probe/sleepers.h"

#define FAMILY_MAX 256

static int fail(const struct wc_look_opts *o, int err, const char *fmt, int pid)
{
	snprintf(o->error, o->error_sz, fmt, pid);
	return err;
}

static pid_t largest(const pid_t *pids, size_t cnt)
{
	size_t i, most = 0;
	pid_t pid = cnt ? pids[0] : 0;

	for (i = 0; i < cnt; i++) {
		size_t threads = wc_family__thread_cnt(pids[i]);

		if (threads > most) {
			most = threads;
			pid = pids[i];
		}
	}
	return pid;
}

/* Not asked of the process: what one of as many threads would have. */
static void guess_slots(struct wc_running_facts *f, size_t threads)
{
	struct wc_futex_table t;

	wc_futex_hash__measure(&t);
	if (t.kind == WC_FUTEX_PRIVATE && threads > 1) {
		f->basis = WC_SLOTS_RULE;
		f->slots = threads >= t.threads_most ? t.slots_most : t.slots_two;
	} else if (t.kind == WC_FUTEX_PRIVATE || t.kind == WC_FUTEX_GLOBAL) {
		f->basis = WC_SLOTS_GLOBAL;
		f->slots = t.global_slots;
	}
}

int wc_look__window(pid_t pid, const struct wc_look_opts *opts, struct wc_looked *out)
{
	struct wc_running_facts *f = &out->facts;
	pid_t pids[FAMILY_MAX];
	struct wc_record_opts ro = {
		.session = opts->session,
		.pids = pids,
		.filter = { .tgids = pids, .follow = true },
		.duration_ns = opts->duration_ns,
		.stop = opts->stop,
		.error = opts->error,
		.error_sz = opts->error_sz,
	};
	int err;

	memset(f, 0, sizeof(*f));
	opts->error[0] = '\0';
	ro.pid_cnt = ro.filter.tgid_cnt = wc_family__of(pid, pids, FAMILY_MAX);
	if (!ro.pid_cnt)
		return fail(opts, -ESRCH, "process %d has ended", pid);
	f->pid = (uint32_t)largest(pids, ro.pid_cnt);
	wc_family__name((pid_t)f->pid, out->name, sizeof(out->name));
	f->name = out->name;
	err = wc_look__take((pid_t)f->pid, &f->before);
	if (err == -EACCES)
		return fail(opts, err, "what process %d sleeps in cannot be read: run as root",
			    pid);
	if (err)
		return fail(opts, err, "process %d has ended", pid);
	guess_slots(f, f->before.cnt);
	err = wc_record__run(out->r, &ro);
	if (f->basis == WC_SLOTS_UNKNOWN) /* no thread to be had just then */
		guess_slots(f, f->before.cnt);
	/* it may have ended in the window: then the look before must do */
	if (!err)
		wc_look__take((pid_t)f->pid, &f->after);
	return err;
}

void wc_looked__free(struct wc_looked *l)
{
	wc_look__free(&l->facts.before);
	wc_look__free(&l->facts.after);
	wc_result__free(l->r);
	l->r = NULL;
}

int wc_look__new_report(char *path, size_t sz)
{
	int fd;

	snprintf(path, sz, "/tmp/wakecost-slots-XXXXXX");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

unsigned int wc_look__take_report(const char *path, pid_t pid)
{
	FILE *f = fopen(path, "re");
	int who, had, last = 0;

	while (f && fscanf(f, "%d %d", &who, &had) == 2) {
		if (who == pid && had > 0)
			last = had;
	}
	if (f)
		fclose(f);
	unlink(path);
	return (unsigned int)last;
}
