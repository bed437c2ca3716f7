// SPDX-License-Identifier: BSD-2-Clause
/* What was counted: read out into a round, and set back to zero. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/probe/session_internal.h"

/* The kernel pads per-CPU values to 8 bytes; this one needs none. */
_Static_assert(sizeof(struct wc_hist) % 8 == 0, "per-CPU values are copied as they are");

uint64_t session__recursion_misses(const struct wc_session *s)
{
	struct bpf_program *prog;
	uint64_t sum = 0;

	bpf_object__for_each_program(prog, s->skel->obj)
	{
		struct bpf_prog_info info = {};
		unsigned int len = sizeof(info);
		int fd = bpf_program__fd(prog);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len))
			sum += info.recursion_misses;
	}
	return sum;
}

static int reset_hists(struct wc_session *s, int fd)
{
	struct wc_hist *zero = calloc(s->cpu_cnt, sizeof(*zero));
	unsigned int key;
	int err = zero ? 0 : -ENOMEM;

	for (key = 0; !err && key < WC_CLASS_CNT * WC_METRIC_CNT; key++)
		err = bpf_map_update_elem(fd, &key, zero, BPF_ANY) ? -errno : 0;
	free(zero);
	return err;
}

static int reset_pairs(struct wc_session *s)
{
	int idx_fd = bpf_map__fd(s->skel->maps.pair_idx), fd = bpf_map__fd(s->skel->maps.pairs);
	unsigned int used = s->skel->bss->pair_next, key;
	struct wc_pair_key at;
	struct wc_pair zero = {};

	for (key = 0; key < used && key < bpf_map__max_entries(s->skel->maps.pairs); key++) {
		if (bpf_map_update_elem(fd, &key, &zero, BPF_ANY))
			return -errno;
	}
	while (!bpf_map_get_next_key(idx_fd, NULL, &at)) {
		if (bpf_map_delete_elem(idx_fd, &at) && errno != ENOENT)
			return -errno;
	}
	s->skel->bss->pair_next = 0;
	return session__reset_record(s);
}

static int reset_cpus(struct wc_session *s)
{
	size_t sz = bpf_map__value_size(s->skel->maps.cpus);
	void *zero = calloc(1, sz);
	unsigned int key;
	int err = zero ? 0 : -ENOMEM;

	for (key = 0; !err && key < s->cpu_cnt; key++)
		err = bpf_map_update_elem(bpf_map__fd(s->skel->maps.cpus), &key, zero, BPF_ANY)
			      ? -errno
			      : 0;
	free(zero);
	return err;
}

static void drop_event(void *ctx, const struct wc_event *e)
{
	(void)ctx;
	(void)e;
}

int wc_session__reset(struct wc_session *s)
{
	int err = reset_hists(s, bpf_map__fd(s->skel->maps.hists));

	err = err ?: reset_pairs(s);
	err = err ?: reset_cpus(s);
	err = err ?: session__reset_counters(s);
	if (s->opts.event_bytes && !err) {
		int cnt = wc_session__events(s, drop_event, NULL);

		err = cnt < 0 ? cnt : 0;
	}
	if (err)
		return session__fail(s, err, "resetting the probes' counters failed: %s",
				     strerror(-err));
	s->skel->data->cfg_gen++;
	s->recursion_base = session__recursion_misses(s);
	return 0;
}

/* The probes keep no count: it is that of the slots. The sum comes with the CPU's counters. */
static int hist__add_cpu(struct wc_hist **into, const struct wc_hist *from)
{
	uint64_t cnt = 0;
	unsigned int i;

	for (i = 0; i < WC_HIST_SLOT_CNT; i++)
		cnt += from->slots[i];
	if (!cnt)
		return 0;
	if (!*into)
		*into = calloc(1, sizeof(**into));
	if (!*into)
		return -ENOMEM;
	for (i = 0; i < WC_HIST_SLOT_CNT; i++)
		(*into)->slots[i] += from->slots[i];
	(*into)->count += cnt;
	return 0;
}

static int read_hists(struct wc_session *s, struct wc_round *round)
{
	struct wc_hist *per_cpu = calloc(s->cpu_cnt, sizeof(*per_cpu));
	int fd = bpf_map__fd(s->skel->maps.hists), err = 0;
	unsigned int cpu, key;

	if (!per_cpu)
		return -ENOMEM;
	for (key = 0; !err && key < WC_CLASS_CNT * WC_METRIC_CNT; key++) {
		struct wc_hist **into = &round->hists[key / WC_METRIC_CNT][key % WC_METRIC_CNT];

		if (bpf_map_lookup_elem(fd, &key, per_cpu))
			err = -errno;
		for (cpu = 0; !err && cpu < s->cpu_cnt; cpu++)
			err = hist__add_cpu(into, &per_cpu[cpu]);
	}
	free(per_cpu);
	return err;
}

int session__cpu_view(struct wc_session *s, unsigned int cpu, struct wc_cpu_view *out)
{
	size_t sz = bpf_map__value_size(s->skel->maps.cpus);
	char *slot = malloc(sz);
	int err = slot ? 0 : -ENOMEM;

	if (!err && bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.cpus), &cpu, slot))
		err = -errno;
	if (!err)
		memcpy(out, slot, sizeof(*out));
	free(slot);
	return err;
}

static void add_cpu(struct wc_round *round, const struct wc_cpu_view *v)
{
	size_t i;

	for (i = 0; i < WC_CNT_CNT; i++)
		round->counters[i] += v->counters[i];
	for (i = 0; i < WC_CTX_CNT; i++)
		round->contexts[i] += v->contexts[i];
	for (i = 0; i < WC_CLASS_CNT; i++) {
		round->other[i].count += v->other[i].count;
		round->other[i].sum += v->other[i].sum;
	}
	for (i = 0; i < WC_CLASS_CNT * WC_METRIC_CNT; i++) {
		struct wc_hist *h = round->hists[i / WC_METRIC_CNT][i % WC_METRIC_CNT];

		if (h) /* else nothing was in it when the slots were read */
			h->sum += v->sums[i];
	}
}

static int read_cpus(struct wc_session *s, struct wc_round *round)
{
	struct wc_cpu_view v;
	unsigned int cpu;
	int err = 0;

	for (cpu = 0; !err && cpu < s->cpu_cnt; cpu++) {
		err = session__cpu_view(s, cpu, &v);
		if (!err)
			add_cpu(round, &v);
	}
	round->counters[WC_CNT_RECURSION] += session__recursion_misses(s) - s->recursion_base;
	return err;
}

static int read_pairs(struct wc_session *s, struct wc_round *round)
{
	unsigned int cnt = s->skel->bss->pair_next, key;
	int fd = bpf_map__fd(s->skel->maps.pairs);
	struct wc_pair *pairs;

	if (cnt > bpf_map__max_entries(s->skel->maps.pairs))
		cnt = bpf_map__max_entries(s->skel->maps.pairs);
	if (!cnt)
		return 0;
	pairs = realloc(round->pairs, (round->pair_cnt + cnt) * sizeof(*pairs));
	if (!pairs)
		return -ENOMEM;
	round->pairs = pairs;
	for (key = 0; key < cnt; key++) {
		if (bpf_map_lookup_elem(fd, &key, &pairs[round->pair_cnt]))
			return -errno;
		round->pair_cnt++;
	}
	return 0;
}

int wc_session__read(struct wc_session *s, struct wc_round *round)
{
	int err = read_hists(s, round);

	err = err ?: read_cpus(s, round);
	err = err ?: read_pairs(s, round);
	err = err ?: session__read_counters(s, round);
	if (err)
		return session__fail(s, err, "reading the probes' counters failed: %s",
				     strerror(-err));
	return 0;
}

static int on_event(void *ctx, void *data, size_t sz)
{
	struct wc_session *s = ctx;

	if (sz >= sizeof(struct wc_event))
		s->event_fn(s->event_ctx, data);
	return 0;
}

int wc_session__events(struct wc_session *s, void (*fn)(void *ctx, const struct wc_event *e),
		       void *ctx)
{
	if (!s->opts.event_bytes)
		return 0;
	if (!s->ring)
		s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.events), on_event, s, NULL);
	if (!s->ring)
		return session__fail(s, -errno, "cannot map the ring buffer of single wakes: %s",
				     strerror(errno));
	s->event_fn = fn;
	s->event_ctx = ctx;
	return ring_buffer__consume(s->ring);
}
