/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile, from rows that may lie: every index is of something that is there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/store_rows.h"
#include "user/util/grow.h"

#define TASK_MAX_CNT  (1u << 22)
#define EDGE_MAX_CNT  (1u << 20)
#define HIST_MAX_CNT  (1u << 22) /* 4 GiB in memory */
#define FRAME_MAX_CNT (1u << 22)
#define STACK_MAX_CNT (1u << 22)
#define CHAIN_MAX_CNT (1u << 20)
#define EVENT_MAX_CNT (1u << 22)
#define CPU_MAX_CNT   8192

static int read_profile(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;

	if (p)
		return -EBADMSG; /* there is one or none */
	p = rd->r->profile = wc_profile__new();
	if (!p)
		return -ENOMEM;
	p->window_ns = row__u64(row, 0);
	p->started_ns = row__u64(row, 1);
	p->clock_offset_ns = (uint64_t)row__i64(row, 2);
	p->stack_every = row__u32(row, 3);
	p->slow_ns = row__u64(row, 4);
	p->stacks_full_cnt = row__u64(row, 5);
	p->stacks_failed_cnt = row__u64(row, 6);
	p->chains_full_cnt = row__u64(row, 7);
	p->user_stack_cnt = row__u64(row, 8);
	p->user_truncated_cnt = row__u64(row, 9);
	return 0;
}

static int read_task(struct reader *rd, struct row *row)
{
	struct wc_task *t = wc_profile__add_task(rd->r->profile);

	if (!t)
		return -ENOMEM;
	if (row__u64(row, 0) != row->number)
		return -EBADMSG;
	t->tid = row__u32(row, 1);
	t->tgid = row__u32(row, 2);
	t->ns_tid = row__u32(row, 3);
	t->comm = row__copy(row, 4);
	t->process = row__copy(row, 5);
	t->kernel_thread = row__bool(row, 6);
	t->exited = row__bool(row, 7);
	t->outside = row__bool(row, 8);
	t->switched_in_cnt = row__u64(row, 9);
	return t->comm && t->process ? 0 : -ENOMEM;
}

static int read_edge(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;
	struct wc_edge *e = wc_profile__add_edge(p);

	if (!e)
		return -ENOMEM;
	if (row__u64(row, 0) != row->number)
		return -EBADMSG;
	e->waker = row__index(row, 1, p->task_cnt);
	e->context = (uint32_t)row__below(row, 2, WC_CTX_CNT);
	e->wakee = (uint32_t)row__below(row, 3, p->task_cnt);
	e->blocked.count = row__u64(row, 4);
	e->blocked.sum = row__u64(row, 5);
	return 0;
}

static int read_edge_class(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;
	uint64_t edge = row__below(row, 0, p->edge_cnt);
	uint64_t wake_class = row__below(row, 1, WC_CLASS_CNT), wakes = row__u64(row, 2);

	if (row->bad)
		return -EBADMSG;
	p->edges[edge].wakes[wake_class] = wakes;
	return 0;
}

static int read_edge_stage(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;
	uint64_t edge = row__below(row, 0, p->edge_cnt), metric = row__below(row, 1, WC_METRIC_CNT);
	struct wc_sum sum = { row__u64(row, 2), row__u64(row, 3) };
	const void *bytes;
	struct wc_edge *e;

	if (row->bad)
		return -EBADMSG;
	e = &p->edges[edge];
	*(metric == WC_METRIC_TOTAL ? &e->total : &e->stages[metric]) = sum;
	if (row__is_null(row, 4))
		return 0;
	if (sqlite3_column_type(row->st, 4) != SQLITE_BLOB || e->hists[metric])
		return -EBADMSG;
	e->hists[metric] = malloc(sizeof(*e->hists[metric]));
	if (!e->hists[metric])
		return -ENOMEM;
	bytes = sqlite3_column_blob(row->st, 4); /* NULL for one of no length */
	return bytes ? wc_store__decode_phist(bytes, (size_t)sqlite3_column_bytes(row->st, 4),
					      e->hists[metric])
		     : -EBADMSG;
}

static int read_frame(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;
	struct wc_frame *frames = wc_grow(p->frames, p->frame_cnt, sizeof(*frames)), *f;

	if (!frames)
		return -ENOMEM;
	p->frames = frames;
	f = &frames[p->frame_cnt++];
	*f = (struct wc_frame){ .kind = (enum wc_frame_kind)row__below(row, 1, WC_FRAME_NOTE + 1) };
	if (row__u64(row, 0) != row->number)
		return -EBADMSG;
	f->name = row__copy(row, 2);
	f->module = row__copy(row, 3);
	f->build_id = row__copy(row, 4);
	f->file = row__copy(row, 5);
	f->line = row__u32(row, 6);
	f->addr = (uint64_t)row__i64(row, 7);
	return f->name && f->module && f->build_id && f->file ? 0 : -ENOMEM;
}

static int read_stack(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;
	struct wc_stack *stacks = wc_grow(p->stacks, p->stack_cnt, sizeof(*stacks)), *s;

	if (!stacks)
		return -ENOMEM;
	p->stacks = stacks;
	s = &stacks[p->stack_cnt++];
	*s = (struct wc_stack){ .user = row__bool(row, 1), .truncated = row__bool(row, 2) };
	if (row__u64(row, 0) != row->number)
		return -EBADMSG;
	return wc_store__decode_list(row__text(row, 3), (uint32_t)p->frame_cnt, &s->frames,
				     &s->frame_cnt);
}

static int read_chain(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;
	struct wc_chain *c = wc_profile__add_chain(p);

	if (!c)
		return -ENOMEM;
	if (row__u64(row, 0) != row->number)
		return -EBADMSG;
	c->edge = row__index(row, 1, p->edge_cnt);
	c->waker_user = row__index(row, 2, p->stack_cnt);
	c->waker_kernel = row__index(row, 3, p->stack_cnt);
	c->wakee_kernel = row__index(row, 4, p->stack_cnt);
	c->wakee_user = row__index(row, 5, p->stack_cnt);
	c->waker_missing = row__bool(row, 6);
	c->sampled_cnt = row__u64(row, 7);
	c->weight = row__u64(row, 8);
	c->total_ns = row__u64(row, 9);
	c->blocked_ns = row__u64(row, 10);
	return 0;
}

static int read_chain_stage(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;
	uint64_t chain = row__below(row, 0, p->chain_cnt), stage = row__below(row, 1, WC_STAGE_CNT);
	uint64_t sum_ns = row__u64(row, 2);

	if (row->bad)
		return -EBADMSG;
	p->chains[chain].stage_ns[stage] = sum_ns;
	return 0;
}

static int read_open(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;
	struct wc_open *o = wc_profile__add_open(p);

	if (!o)
		return -ENOMEM;
	o->task = (uint32_t)row__below(row, 0, p->task_cnt);
	o->woken = row__bool(row, 1);
	o->since_ns = row__u64(row, 2);
	return 0;
}

static int read_cpu(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;
	struct wc_cpu_stats *cpus = wc_grow(p->cpus, p->cpu_cnt, sizeof(*cpus));

	if (!cpus)
		return -ENOMEM;
	p->cpus = cpus;
	cpus[p->cpu_cnt++] = (struct wc_cpu_stats){
		.cpu = row__u32(row, 0),
		.wakes = row__u64(row, 1),
	};
	return 0;
}

static int by_cpu(const void *key, const void *item)
{
	const uint32_t *cpu = key;
	const struct wc_cpu_stats *c = item;

	return (*cpu > c->cpu) - (*cpu < c->cpu);
}

static int read_cpu_stage(struct reader *rd, struct row *row)
{
	struct wc_profile *p = rd->r->profile;
	uint32_t cpu = row__u32(row, 0);
	uint64_t metric = row__below(row, 1, WC_METRIC_CNT);
	struct wc_sum sum = { row__u64(row, 2), row__u64(row, 3) };
	struct wc_cpu_stats *c =
		p->cpu_cnt ? bsearch(&cpu, p->cpus, p->cpu_cnt, sizeof(*c), by_cpu) : NULL;

	if (row->bad || !c)
		return -EBADMSG;
	*(metric == WC_METRIC_TOTAL ? &c->total : &c->stages[metric]) = sum;
	return 0;
}

static uint64_t boundary(struct row *row, int at, uint64_t from_ns)
{
	return row__is_null(row, at) ? 0 : from_ns + (uint64_t)row__i64(row, at);
}

static int read_event(struct reader *rd, struct row *row)
{
	/* behind each other in the row, without the waking */
	static const unsigned char columns[] = { WC_BND_CALL,	WC_BND_CHOSEN, WC_BND_HANDLED,
						 WC_BND_WAKEUP, WC_BND_ENTRY,  WC_BND_SWITCH,
						 WC_BND_EXIT,	WC_BND_RETURN };
	struct wc_profile *p = rd->r->profile;
	struct wc_event *events = wc_grow(p->events, p->event_cnt, sizeof(*events)), *e;
	uint64_t from;

	if (!events)
		return -ENOMEM;
	p->events = events;
	e = &events[p->event_cnt++];
	*e = (struct wc_event){
		.wake_class = (unsigned int)row__below(row, 1, WC_CLASS_CNT),
		.context = (unsigned int)row__below(row, 2, WC_CTX_CNT),
		.waker_tid = row__u32(row, 3),
		.waker_tgid = row__u32(row, 4),
		.wakee_tid = row__u32(row, 5),
		.wakee_tgid = row__u32(row, 6),
		.waker_cpu = row__u32(row, 7),
		.prev_cpu = row__u32(row, 8),
		.chosen_cpu = row__u32(row, 9),
		.ran_cpu = row__u32(row, 10),
	};
	e->at_ns[WC_BND_WAKING] = boundary(row, 0, p->started_ns);
	from = e->at_ns[WC_BND_WAKING] ? e->at_ns[WC_BND_WAKING] : p->started_ns;
	for (unsigned int i = 0; i < sizeof(columns); i++)
		e->at_ns[columns[i]] = boundary(row, 11 + (int)i, from);
	return 0;
}

static const struct read head[] = {
	{ "profile",
	  "SELECT window_ns, started_ns, clock_offset_ns, stack_every, slow_ns, stacks_full,"
	  " stacks_failed, chains_full, user_stacks, user_truncated FROM profile",
	  2, read_profile },
};

static const struct read reads[] = {
	{ "task",
	  "SELECT id, tid, tgid, ns_tid, comm, process, kernel_thread, exited, outside,"
	  " switched_in FROM task ORDER BY id",
	  TASK_MAX_CNT, read_task },
	{ "edge",
	  "SELECT id, waker, context, wakee, blocked_count, blocked_ns FROM edge ORDER BY id",
	  EDGE_MAX_CNT, read_edge },
	{ "edge_class", "SELECT edge, class, wakes FROM edge_class", EDGE_MAX_CNT *WC_CLASS_CNT,
	  read_edge_class },
	{ "edge_stage", "SELECT edge, metric, count, sum_ns, slots FROM edge_stage", HIST_MAX_CNT,
	  read_edge_stage },
	{ "frame",
	  "SELECT id, kind, name, module, build_id, file, line, addr FROM frame ORDER BY id",
	  FRAME_MAX_CNT, read_frame },
	{ "stack", "SELECT id, user, truncated, frames FROM stack ORDER BY id", STACK_MAX_CNT,
	  read_stack },
	{ "chain",
	  "SELECT id, edge, waker_user, waker_kernel, wakee_kernel, wakee_user, waker_missing,"
	  " sampled, weight, total_ns, blocked_ns FROM chain ORDER BY id",
	  CHAIN_MAX_CNT, read_chain },
	{ "chain_stage", "SELECT chain, stage, sum_ns FROM chain_stage",
	  CHAIN_MAX_CNT *WC_STAGE_CNT, read_chain_stage },
	{ "open_end", "SELECT task, woken, since_ns FROM open_end ORDER BY id", TASK_MAX_CNT,
	  read_open },
	{ "cpu", "SELECT cpu, wakes FROM cpu ORDER BY cpu", CPU_MAX_CNT, read_cpu },
	{ "cpu_stage", "SELECT cpu, metric, count, sum_ns FROM cpu_stage",
	  CPU_MAX_CNT *WC_METRIC_CNT, read_cpu_stage },
};

static const struct read singles[] = {
	{ "event",
	  "SELECT at_ns, class, context, waker_tid, waker_tgid, wakee_tid, wakee_tgid, waker_cpu,"
	  " prev_cpu, chosen_cpu, ran_cpu, call, chosen, handled, wakeup, entry, switch, exit,"
	  " return FROM event ORDER BY id",
	  EVENT_MAX_CNT, read_event },
};

int reader__profile(struct reader *rd, bool events)
{
	int err = reader__all(rd, head, 1);

	if (err || !rd->r->profile)
		return err;
	err = reader__all(rd, reads, sizeof(reads) / sizeof(reads[0]));
	return err || !events ? err : reader__all(rd, singles, 1);
}
