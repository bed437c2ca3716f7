// SPDX-License-Identifier: BSD-2-Clause
/* What `record` reads beyond a round: tasks, stacks, paths, histograms of pairs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/probe/session_internal.h"
#include "user/util/log.h"

static int reset_stacks(struct wc_session *s)
{
	int fd = bpf_map__fd(s->skel->maps.stacks);
	unsigned int cnt = bpf_map__max_entries(s->skel->maps.stacks), key;
	struct wc_stack_slot slot, zero = {};

	for (key = 0; key < cnt; key++) {
		if (bpf_map_lookup_elem(fd, &key, &slot))
			return -errno;
		if (slot.hash && bpf_map_update_elem(fd, &key, &zero, BPF_ANY))
			return -errno;
	}
	return 0;
}

int session__reset_record(struct wc_session *s)
{
	int hist_fd = bpf_map__fd(s->skel->maps.pair_hists);
	int chain_fd = bpf_map__fd(s->skel->maps.chains);
	static const struct wc_pair_hists zero;
	unsigned int used = s->skel->bss->pair_hists_next, key;
	struct wc_chain_key at;

	if (!s->opts.record)
		return 0;
	for (key = 0; key < used && key < bpf_map__max_entries(s->skel->maps.pair_hists); key++) {
		if (bpf_map_update_elem(hist_fd, &key, &zero, BPF_ANY))
			return -errno;
	}
	s->skel->bss->pair_hists_next = 0;
	while (!bpf_map_get_next_key(chain_fd, NULL, &at)) {
		if (bpf_map_delete_elem(chain_fd, &at) && errno != ENOENT)
			return -errno;
	}
	return s->opts.stack_every ? reset_stacks(s) : 0;
}

/* The walk itself runs as the file is read. */
static int tasks__read(struct wc_session *s, int iter_fd,
		       int (*fn)(void *ctx, const struct wc_task_out *t), void *ctx)
{
	struct wc_task_out out[64];
	size_t have = 0, i, cnt;
	ssize_t n;
	int err = 0;

	while ((n = read(iter_fd, (char *)out + have, sizeof(out) - have)) > 0) {
		have += n;
		cnt = have / sizeof(*out);
		for (i = 0; !err && i < cnt; i++)
			err = fn(ctx, &out[i]);
		if (err)
			return err;
		have -= cnt * sizeof(*out);
		memmove(out, &out[cnt], have);
	}
	if (n < 0)
		return session__fail(s, -errno, "the walk over tasks failed: %s", strerror(errno));
	return 0;
}

/* A file whose reading runs the boundary's program over every task; or -errno. */
static int tasks__open(struct wc_session *s, enum wc_boundary_id bound)
{
	const char *name = s->bounds[bound].chosen->progs[0];
	struct bpf_program *prog = bpf_object__find_program_by_name(s->skel->obj, name);
	struct bpf_link *link = bpf_program__attach_iter(prog, NULL);
	int fd;

	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	fd = fd < 0 ? -errno : fd;
	bpf_link__destroy(link); /* the file keeps the program */
	return fd;
}

int wc_session__tasks(struct wc_session *s, int (*fn)(void *ctx, const struct wc_task_out *t),
		      void *ctx)
{
	int fd, err;

	if (!s->bounds[WC_BOUND_TASKS].chosen)
		return 0;
	fd = tasks__open(s, WC_BOUND_TASKS);
	if (fd < 0)
		return session__fail(s, fd, "cannot walk over the tasks: %s", strerror(-fd));
	err = tasks__read(s, fd, fn, ctx);
	close(fd);
	return err;
}

void session__prepare_tasks(struct wc_session *s)
{
	char none[64];
	ssize_t n;
	int fd;

	if (!s->bounds[WC_BOUND_AHEAD].chosen)
		return;
	fd = tasks__open(s, WC_BOUND_AHEAD);
	if (fd < 0) {
		wc_debug("no walk over the tasks: %s", strerror(-fd));
		return;
	}
	do
		n = read(fd, none, sizeof(none));
	while (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)));
	close(fd);
}

int wc_session__chains(struct wc_session *s,
		       int (*fn)(void *ctx, const struct wc_chain_key *key,
				 const struct wc_chain_sums *sums),
		       void *ctx)
{
	int fd = bpf_map__fd(s->skel->maps.chains), err = 0;
	struct wc_chain_key key, next;
	struct wc_chain_sums sums;
	bool first = true;

	while (!err && !bpf_map_get_next_key(fd, first ? NULL : &key, &next)) {
		first = false;
		key = next;
		if (!bpf_map_lookup_elem(fd, &key, &sums))
			err = fn(ctx, &key, &sums);
	}
	return err;
}

int wc_session__stack(struct wc_session *s, unsigned int id, uint64_t ips[WC_STACK_DEPTH])
{
	unsigned int idx = id - 1;
	struct wc_stack_slot slot;

	if (!id || id == WC_STACK_LOST || id == WC_STACK_NOT_TAKEN)
		return 0;
	if (bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.stacks), &idx, &slot))
		return -errno;
	if (!slot.ready || slot.cnt > WC_STACK_DEPTH)
		return 0;
	memcpy(ips, slot.ips, slot.cnt * sizeof(*ips));
	return slot.cnt;
}

int wc_session__pair_hists(struct wc_session *s, unsigned int hists, struct wc_pair_hists *out)
{
	unsigned int idx = hists - 1;

	if (bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.pair_hists), &idx, out))
		return -errno;
	return 0;
}

int wc_session__cpu_sum(struct wc_session *s, unsigned int cpu, unsigned int metric,
			struct wc_sum *out)
{
	struct wc_hist *per_cpu = calloc(s->cpu_cnt, sizeof(*per_cpu));
	struct wc_cpu_view v;
	unsigned int c, i, key;
	int err = per_cpu ? session__cpu_view(s, cpu, &v) : -ENOMEM;

	memset(out, 0, sizeof(*out));
	for (c = 0; !err && c < WC_CLASS_CNT; c++) {
		if (c == WC_CLASS_TIMED || c == WC_CLASS_NEW)
			continue;
		key = c * WC_METRIC_CNT + metric;
		if (bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.hists), &key, per_cpu)) {
			err = -errno;
			break;
		}
		out->sum += v.sums[key];
		for (i = 0; i < WC_HIST_SLOT_CNT; i++)
			out->count += per_cpu[cpu].slots[i];
	}
	free(per_cpu);
	return err;
}

unsigned int wc_session__cpu_cnt(const struct wc_session *s)
{
	return s->cpu_cnt;
}

const struct wc_session_opts *wc_session__opts(const struct wc_session *s)
{
	return &s->opts;
}
