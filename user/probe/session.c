// SPDX-License-Identifier: BSD-2-Clause
#include "user/probe/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "user/probe/session_internal.h"

/* Before 5.11 BPF memory counts as locked memory; the limit may be raised only if it may. */
static void raise_memlock(void)
{
	struct rlimit lim = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &lim);
}

static void session__fill_info(struct wc_session *s)
{
	size_t i;

	for (i = 0; i < WC_BOUND_CNT; i++) {
		struct wc_bound_state *b = &s->bounds[i];

		/* what is worse than the one in use needs no excuse */
		if (b->chosen && b->why_cand > (size_t)(b->chosen - wc_boundaries[i].candidates))
			b->why[0] = '\0';
		b->info.name = wc_boundaries[i].name;
		b->info.have = b->chosen != NULL;
		b->info.source = b->chosen ? b->chosen->source : WC_SRC_CNT;
		b->info.program = b->chosen ? b->chosen->shown : "";
		b->info.why = b->why;
	}
}

static int session__learn_self(struct wc_session *s)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int fd = bpf_program__fd(s->skel->progs.self__ns);
	int err = bpf_prog_test_run_opts(fd, &opts);

	if (err)
		return session__fail(s, err, "cannot learn this process's pid namespace: %s",
				     strerror(-err));
	return 0;
}

int wc_session__open(const struct wc_session_opts *opts, struct wc_session **out)
{
	struct wc_session *s = calloc(1, sizeof(*s));
	int err, cpus;

	*out = s;
	if (!s)
		return -ENOMEM;
	s->opts = *opts;
	s->opts.unwind = opts->unwind && opts->stack_every && session__can_unwind();
	raise_memlock();
	cpus = libbpf_num_possible_cpus();
	if (cpus <= 0)
		return session__fail(s, -EINVAL,
				     "cannot tell the number of CPUs from "
				     "/sys/devices/system/cpu/possible: is /sys mounted?");
	s->cpu_cnt = cpus;
	err = session__choose_and_load(s);
	session__fill_info(s);
	err = err ?: session__learn_self(s);
	err = err ?: session__open_counters(s);
	if (!err)
		err = wc_session__reset(s);
	return err;
}

void wc_session__free(struct wc_session *s)
{
	if (!s)
		return;
	wc_session__detach(s);
	ring_buffer__free(s->ring);
	ring_buffer__free(s->asked);
	wakecost_bpf__destroy(s->skel);
	session__close_counters(s);
	free(s->kallsyms);
	free(s);
}

const char *wc_session__error(const struct wc_session *s)
{
	return s ? s->error : "no memory";
}

static struct bpf_link *attach_one(struct wc_session *s, const struct wc_candidate *c,
				   struct bpf_program *prog)
{
	char sym[128];

	if (!c->suffixed)
		return bpf_program__attach(prog);
	if (!s->kallsyms || wc_symbol__resolve(s->kallsyms, c->suffixed, sym, sizeof(sym))) {
		errno = ENOENT;
		return NULL;
	}
	return bpf_program__attach_kprobe(prog, false, sym);
}

int session__attach_all(struct wc_session *s, int *bad_bound)
{
	int i, j;

	*bad_bound = -1;
	/* From the end of a wake to its beginning: what begins inside the window can end in it. */
	for (i = WC_BOUND_CNT - 1; i >= 0; i--) {
		const struct wc_candidate *c = s->bounds[i].chosen;

		for (j = WC_CANDIDATE_PROG_MAX - 1; c && j >= 0; j--) {
			struct bpf_program *prog;
			struct bpf_link *link;

			if (!c->progs[j] || c->iterator)
				continue;
			prog = bpf_object__find_program_by_name(s->skel->obj, c->progs[j]);
			link = s->link_cnt < WC_LINK_MAX ? attach_one(s, c, prog) : NULL;
			if (!link) {
				*bad_bound = i;
				return -errno;
			}
			s->links[s->link_cnt++] = link;
		}
	}
	return 0;
}

int wc_session__attach(struct wc_session *s)
{
	int bad, err;

	if (s->link_cnt)
		return 0;
	session__prepare_tasks(s); /* before a link could find one without */
	err = session__attach_all(s, &bad);
	if (!err)
		return 0;
	wc_session__detach(s);
	return session__fail(s, err,
			     "attaching the probes failed (%s): %s; try again, or `wakecost "
			     "doctor`",
			     bad >= 0 ? wc_boundaries[bad].name : "?", strerror(-err));
}

void wc_session__detach(struct wc_session *s)
{
	while (s->link_cnt)
		bpf_link__destroy(s->links[--s->link_cnt]);
}

int wc_session__stamp_fd(const struct wc_session *s)
{
	return bpf_map__fd(s->skel->maps.stamps);
}

size_t wc_session__boundary_cnt(const struct wc_session *s)
{
	(void)s;
	return WC_BOUND_CNT;
}

const struct wc_boundary_info *wc_session__boundary(const struct wc_session *s, size_t i)
{
	return i < WC_BOUND_CNT ? &s->bounds[i].info : NULL;
}

int wc_session__stages(const struct wc_session *s, struct wc_stage_info rows[WC_STAGE_CNT])
{
	const struct wc_candidate *chosen[WC_BOUND_CNT];
	const char *why[WC_BOUND_CNT];
	size_t i;

	for (i = 0; i < WC_BOUND_CNT; i++) {
		chosen[i] = s->bounds[i].chosen;
		why[i] = s->bounds[i].why;
	}
	/* without stamps, both ends of a wake are system calls */
	return wc_sources__stages(chosen, why,
				  s->opts.record || (s->opts.syscalls && !s->opts.handoffs), rows);
}

/* Memory by the maps' own sizes: what the kernel rounds up, and task storage, come on top. */
uint64_t wc_session__map_bytes(const struct wc_session *s)
{
	struct bpf_map *map;
	uint64_t sum = 0;

	bpf_object__for_each_map(map, s->skel->obj)
	{
		uint64_t each = bpf_map__value_size(map) + bpf_map__key_size(map);

		if (bpf_map__type(map) == BPF_MAP_TYPE_RINGBUF)
			each = 1;
		if (bpf_map__type(map) == BPF_MAP_TYPE_PERCPU_ARRAY)
			each *= s->cpu_cnt;
		sum += each * bpf_map__max_entries(map);
	}
	return sum;
}
