// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/record_who.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/probe/cgroup.h"
#include "user/probe/sleepers.h"
#include "user/util/log.h"
#include "user/util/units.h"

/* "1,22,333" */
static int ids__parse(const char *list, const char *option, pid_t **out, size_t *cnt)
{
	char *copy = strdup(list), *save = NULL, *word;
	uint64_t id;
	pid_t *more;
	int err = copy ? 0 : -ENOMEM;

	for (word = copy ? strtok_r(copy, ",", &save) : NULL; !err && word;
	     word = strtok_r(NULL, ",", &save)) {
		if (wc_units__parse_unsigned(word, &id) || !id || id > 1u << 30) {
			wc_err("%s wants ids, as in %s 17,4711, not \"%s\"", option, option, list);
			err = -EINVAL;
			break;
		}
		more = reallocarray(*out, *cnt + 1, sizeof(*more));
		if (!more) {
			err = -ENOMEM;
			break;
		}
		*out = more;
		more[(*cnt)++] = (pid_t)id;
	}
	free(copy);
	if (!err && !*cnt) {
		wc_err("%s wants at least one id", option);
		err = -EINVAL;
	}
	return err;
}

static int ids__alive(const pid_t *ids, size_t cnt, const char *what)
{
	char path[64];
	size_t i;

	for (i = 0; i < cnt; i++) {
		snprintf(path, sizeof(path), "/proc/%d", ids[i]);
		if (!access(path, F_OK))
			continue;
		wc_err("there is no %s %d: `ps -eLo pid,tid,comm` lists them", what, ids[i]);
		return -ESRCH;
	}
	return 0;
}

#define FAMILY_MAX 4096 /* as many as can be filtered by */

/* Children that are there already; those to come are followed in the kernel. */
static int pids__add_families(struct wc_who *who)
{
	pid_t *below = calloc(FAMILY_MAX, sizeof(*below)), *more;
	int err = below ? 0 : -ENOMEM;
	size_t i, k, m, cnt;

	who->named_cnt = who->pid_cnt;
	for (i = 0; !err && i < who->named_cnt; i++) {
		cnt = wc_family__of(who->pids[i], below, FAMILY_MAX);
		more = reallocarray(who->pids, who->pid_cnt + cnt + 1, sizeof(*more));
		if (!more) {
			err = -ENOMEM;
			break;
		}
		who->pids = more;
		for (k = 0; k < cnt && who->pid_cnt < FAMILY_MAX; k++) {
			for (m = 0; m < who->pid_cnt && more[m] != below[k]; m++)
				;
			if (m == who->pid_cnt)
				more[who->pid_cnt++] = below[k];
		}
	}
	free(below);
	return err;
}

/* "0-3,8" */
static int cpus__parse(struct wc_who *who, const char *list)
{
	const char *p = list;
	char *end;
	unsigned long from, to;

	memset(who->cpus, 0, sizeof(who->cpus));
	for (;;) {
		from = to = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : ULONG_MAX;
		if (from != ULONG_MAX && *end == '-')
			to = end[1] >= '0' && end[1] <= '9' ? strtoul(end + 1, &end, 10)
							    : ULONG_MAX;
		if (from > to || to >= sizeof(who->cpus) * 8 || (*end && *end != ',')) {
			wc_err("-C wants a list of CPUs, as in -C 0-3,8, not \"%s\"", list);
			return -EINVAL;
		}
		for (; from <= to; from++)
			who->cpus[from / 8] |= 1u << from % 8;
		if (!*end)
			break;
		p = end + 1;
	}
	who->filter.cpus = who->cpus;
	who->filter.cpu_cnt = sizeof(who->cpus) * 8;
	return 0;
}

static int cgroup__parse(const char *path, const char *option, uint64_t *id, int *level)
{
	int err = wc_cgroup__resolve(path, id, level);

	if (err == -ENOTSUP)
		wc_err("%s %s is not in the cgroup v2 hierarchy, which alone the kernel filters by: "
		       "name one under the mount of type cgroup2",
		       option, path);
	else if (err)
		wc_err("%s %s: %s; `systemd-cgls` lists control groups", option, path,
		       strerror(-err));
	return err ? -ESRCH : 0;
}

static int words__check(const struct wc_who_words *w)
{
	int whom = !!w->pids + !!w->tids + !!w->comm + !!w->cgroup + !!w->waker_cgroup + w->all;

	if (w->command && whom) {
		wc_err("a command is recorded with its children: give no -p, -t, --comm, -G or -a "
		       "beside it");
		return -EINVAL;
	}
	if (w->all && whom > 1) {
		wc_err("-a means all tasks: give no other choice beside it");
		return -EINVAL;
	}
	if (!whom && !w->command) {
		wc_err("record whom? -p PID, -t TID, --comm NAME, -G CGROUP, -a, or -- COMMAND");
		return -EINVAL;
	}
	return 0;
}

int wc_who__parse(struct wc_who *who, const struct wc_who_words *w)
{
	struct wc_filter *f = &who->filter;
	int err = words__check(w);

	if (!err && w->pids)
		err = ids__parse(w->pids, "-p", &who->pids, &who->pid_cnt);
	if (!err && w->tids)
		err = ids__parse(w->tids, "-t", &who->tids, &who->tid_cnt);
	err = err ? err : ids__alive(who->pids, who->pid_cnt, "process");
	err = err ? err : ids__alive(who->tids, who->tid_cnt, "thread");
	err = err ? err : pids__add_families(who);
	if (!err && w->cpus)
		err = cpus__parse(who, w->cpus);
	if (!err && w->cgroup)
		err = cgroup__parse(w->cgroup, "-G", &f->cgroup_id, &f->cgroup_level);
	if (!err && w->waker_cgroup)
		err = cgroup__parse(w->waker_cgroup, "--waker-cgroup", &f->waker_cgroup_id,
				    &f->waker_cgroup_level);
	f->tgids = who->pids;
	f->tgid_cnt = who->pid_cnt;
	f->tids = who->tids;
	f->tid_cnt = who->tid_cnt;
	f->comm = w->comm;
	f->follow = w->pids || w->command;
	f->exclude_self = !w->pids && !w->command;
	return err;
}

void wc_who__free(struct wc_who *who)
{
	free(who->pids);
	free(who->tids);
	who->pids = who->tids = NULL;
}
