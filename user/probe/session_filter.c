// SPDX-License-Identifier: BSD-2-Clause
/* Which wakes are counted: from the caller's words to what the probes compare. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "user/probe/session_internal.h"

/* Bits as in bpf/filter.bpf.h. */
enum {
	FILTER_TGID = 1,
	FILTER_TGIDS = 2,
	FILTER_TIDS = 4,
	FILTER_COMM = 8,
	FILTER_CGROUP = 16,
	FILTER_WAKER_CGROUP = 32,
	FILTER_CPU = 64,
	FILTER_NOT_TGID = 128,
};

static int ids__set(struct wc_session *s, struct bpf_map *map, const pid_t *ids, size_t cnt,
		    const char *what)
{
	int fd = bpf_map__fd(map);
	unsigned char one = 1;
	unsigned int key;
	size_t i;

	while (!bpf_map_get_next_key(fd, NULL, &key))
		bpf_map_delete_elem(fd, &key);
	if (cnt > bpf_map__max_entries(map))
		return session__fail(s, -E2BIG,
				     "at most %u %s can be filtered by: name fewer, or a "
				     "cgroup",
				     bpf_map__max_entries(map), what);
	for (i = 0; i < cnt; i++) {
		key = ids[i];
		if (bpf_map_update_elem(fd, &key, &one, BPF_ANY))
			return session__fail(s, -errno, "setting the filter of %s failed: %s", what,
					     strerror(errno));
	}
	return 0;
}

static int cpus__set(struct wc_session *s, const struct wc_filter *f)
{
	unsigned int cpu;

	for (cpu = 0; cpu < s->cpu_cnt; cpu++) {
		unsigned char on = cpu / 8 < f->cpu_cnt / 8 + 1 && cpu < f->cpu_cnt &&
				   (f->cpus[cpu / 8] >> (cpu % 8) & 1);

		if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.filter_cpus), &cpu, &on, BPF_ANY))
			return session__fail(s, -errno, "setting the filter of CPUs failed: %s",
					     strerror(errno));
	}
	return 0;
}

static int comm__set(struct wc_session *s, const char *comm)
{
	size_t len = strlen(comm);
	bool prefix = len && comm[len - 1] == '*';

	if (prefix)
		len--;
	if (memchr(comm, '*', len) || memchr(comm, '?', len) || memchr(comm, '[', len))
		return session__fail(s, -EINVAL,
				     "a name may end in *, and have no other wildcard: "
				     "\"%s\"",
				     comm);
	if (len > 15)
		return session__fail(s, -EINVAL,
				     "the kernel keeps 15 bytes of a thread's name; \"%s\" "
				     "is longer: shorten it and end it in *",
				     comm);
	memset(s->skel->bss->filter_comm, 0, sizeof(s->skel->bss->filter_comm));
	memcpy(s->skel->bss->filter_comm, comm, len);
	s->skel->bss->filter_comm_len = prefix ? len : 16;
	return 0;
}

int wc_session__set_filter(struct wc_session *s, const struct wc_filter *f)
{
	unsigned int bits = 0;
	int err;

	s->skel->bss->filter_bits = 0;
	/* One process is by far the usual case, and the kernel's own id needs no lookup. */
	if (f->tgid_cnt == 1 && !s->skel->bss->self_level) {
		s->skel->bss->filter_tgid = f->tgids[0];
		bits |= FILTER_TGID | (f->follow ? FILTER_TGIDS : 0);
	} else if (f->tgid_cnt) {
		bits |= FILTER_TGIDS;
	} else if (f->exclude_self) {
		s->skel->bss->filter_tgid = s->skel->bss->self_tgid;
		bits |= FILTER_NOT_TGID;
	}
	if (f->tid_cnt)
		bits |= FILTER_TIDS;
	if (f->comm)
		bits |= FILTER_COMM;
	if (f->cgroup_id)
		bits |= FILTER_CGROUP;
	if (f->waker_cgroup_id)
		bits |= FILTER_WAKER_CGROUP;
	if (f->cpus)
		bits |= FILTER_CPU;
	err = ids__set(s, s->skel->maps.filter_tgids, f->tgids, f->tgid_cnt, "processes");
	err = err ?: ids__set(s, s->skel->maps.filter_tids, f->tids, f->tid_cnt, "threads");
	if (f->comm)
		err = err ?: comm__set(s, f->comm);
	if (f->cpus)
		err = err ?: cpus__set(s, f);
	if (err)
		return err;
	s->skel->bss->filter_cgroup_id = f->cgroup_id;
	s->skel->bss->filter_cgroup_level = f->cgroup_level;
	s->skel->bss->filter_waker_cgroup_id = f->waker_cgroup_id;
	s->skel->bss->filter_waker_cgroup_level = f->waker_cgroup_level;
	s->skel->bss->filter_bits = bits;
	return 0;
}
