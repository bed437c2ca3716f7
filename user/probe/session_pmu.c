// SPDX-License-Identifier: BSD-2-Clause
/* Counters in the probes: opened on every CPU, put where the probes read them, and read out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/probe/pmu.h"
#include "user/probe/session_internal.h"

int session__size_counters(struct wc_session *s)
{
	struct wakecost_bpf *k = s->skel;
	int err;

	k->rodata->cfg_counter_cnt = s->opts.counters ? (unsigned int)s->opts.counters->cnt : 0;
	if (!s->opts.counters)
		return 0;
	err = bpf_map__set_max_entries(k->maps.pmu_events, WC_PMU_MAX * s->cpu_cnt);
	return err ?: bpf_map__set_max_entries(k->maps.pmu_cpus, s->cpu_cnt);
}

/* The map forgets a counter whose descriptor is closed. */
static int open_on(struct wc_session *s, unsigned int counter, unsigned int cpu)
{
	const char *name = s->opts.counters->items[counter].key;
	unsigned int key = counter * s->cpu_cnt + cpu;
	int fd = wc_pmu__open(name, cpu), err = 0;

	if (fd == -ENODEV) /* possible, and not there */
		return 0;
	if (fd < 0)
		return session__fail(s, fd, "the counter %s cannot be had on CPU %u: %s", name, cpu,
				     wc_pmu__why(fd));
	if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.pmu_events), &key, &fd, BPF_ANY)) {
		err = -errno;
		session__fail(s, err, "the counter %s cannot be given to the probes: %s", name,
			      strerror(-err));
		close(fd);
		return err;
	}
	s->counter_fds[s->counter_fd_cnt++] = fd;
	return 0;
}

int session__open_counters(struct wc_session *s)
{
	unsigned int counter, cpu;
	int err = 0;

	if (!s->opts.counters)
		return 0;
	s->counter_fds = calloc((size_t)WC_PMU_MAX * s->cpu_cnt, sizeof(*s->counter_fds));
	if (!s->counter_fds)
		return session__fail(s, -ENOMEM, "no memory");
	for (counter = 0; !err && counter < s->opts.counters->cnt; counter++) {
		for (cpu = 0; !err && cpu < s->cpu_cnt; cpu++)
			err = open_on(s, counter, cpu);
	}
	return err;
}

void session__close_counters(struct wc_session *s)
{
	while (s->counter_fd_cnt)
		close(s->counter_fds[--s->counter_fd_cnt]);
	free(s->counter_fds);
	s->counter_fds = NULL;
}

/* What is there is added to round; NULL: set to zero. */
static int each_cpu(struct wc_session *s, struct wc_round *round)
{
	size_t sz = bpf_map__value_size(s->skel->maps.pmu_cpus);
	struct wc_span *spans = calloc(1, sz); /* they are in front */
	int fd = bpf_map__fd(s->skel->maps.pmu_cpus), err = spans ? 0 : -ENOMEM;
	unsigned int cpu, span, i;

	for (cpu = 0; !err && cpu < s->cpu_cnt; cpu++) {
		if (!round) {
			err = bpf_map_update_elem(fd, &cpu, spans, BPF_ANY) ? -errno : 0;
			continue;
		}
		if (bpf_map_lookup_elem(fd, &cpu, spans)) {
			err = -errno;
			break;
		}
		for (span = 0; span < WC_SPAN_CNT; span++) {
			round->spans[span].count += spans[span].count;
			round->spans[span].discarded += spans[span].discarded;
			round->spans[span].failed += spans[span].failed;
			for (i = 0; i < WC_PMU_MAX; i++)
				round->spans[span].sums[i] += spans[span].sums[i];
		}
	}
	free(spans);
	return err;
}

int session__reset_counters(struct wc_session *s)
{
	return s->opts.counters ? each_cpu(s, NULL) : 0;
}

int session__read_counters(struct wc_session *s, struct wc_round *round)
{
	return s->opts.counters ? each_cpu(s, round) : 0;
}
