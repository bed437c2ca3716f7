// SPDX-License-Identifier: BSD-2-Clause
/* The paths of a profile, as drawn: each side root first, the waker's turned over in a chain. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/profile.h"

struct walk {
	const struct wc_profile *p;
	enum wc_view view;
	unsigned int weigh;
	bool threads;
	const struct wc_edge *edge;
	const struct wc_chain *chain;
	struct wc_path_frame *frames;
	size_t cnt, cap;
	int (*fn)(void *ctx, const struct wc_path *path);
	void *ctx;
	int err;
};

/* One end of a wake. */
struct side {
	const struct wc_task *task; /* NULL: an interrupt, or not known */
	unsigned int context;
	const struct wc_stack *user, *kernel;
	const char *note; /* stands for stacks that are not there */
	enum wc_path_class user_class, kernel_class;
};

static const char *const context_labels[WC_CTX_CNT] = {
	[WC_CTX_SOFTIRQ] = "[softirq]",
	[WC_CTX_HARDIRQ] = "[hardirq]",
	[WC_CTX_NMI] = "[nmi]",
	[WC_CTX_TIMER] = "[timer]",
};

static void push(struct walk *w, const struct wc_path_frame *f)
{
	struct wc_path_frame *frames;

	if (w->err)
		return;
	if (w->cnt == w->cap) {
		frames = reallocarray(w->frames, w->cap ? w->cap * 2 : 256, sizeof(*frames));
		if (!frames) {
			w->err = -ENOMEM;
			return;
		}
		w->frames = frames;
		w->cap = w->cap ? w->cap * 2 : 256;
	}
	w->frames[w->cnt++] = *f;
}

static void push_label(struct walk *w, const char *name, enum wc_path_class path_class)
{
	struct wc_path_frame f = { name, NULL, path_class, WC_FRAME_NOTE };

	push(w, &f);
}

static void push_stack(struct walk *w, const struct wc_stack *s, enum wc_path_class path_class)
{
	if (s->truncated)
		push_label(w, s->user ? "[no frame pointers]" : "[truncated]", WC_PATH_NOTE);
	for (uint32_t i = s->frame_cnt; i-- > 0;) {
		struct wc_path_frame f = { .path_class = path_class };

		if (s->frames[i] >= w->p->frame_cnt)
			continue;
		f.frame = &w->p->frames[s->frames[i]];
		f.name = f.frame->name;
		f.kind = f.frame->kind;
		if (f.kind == WC_FRAME_NOTE)
			f.path_class = WC_PATH_NOTE;
		push(w, &f);
	}
}

static bool named(const char *s)
{
	return s && *s;
}

static void push_task(struct walk *w, const struct wc_task *t)
{
	if (!t) {
		push_label(w, "[unknown]", WC_PATH_PROCESS);
		return;
	}
	push_label(w,
		   named(t->process) ? t->process
		   : named(t->comm)  ? t->comm
				     : "[unknown]",
		   WC_PATH_PROCESS);
	if (w->threads && named(t->comm))
		push_label(w, t->comm, WC_PATH_PROCESS);
}

static void push_side(struct walk *w, const struct side *s)
{
	if (s->context != WC_CTX_TASK)
		push_label(w, context_labels[s->context], WC_PATH_CONTEXT);
	else
		push_task(w, s->task);
	if (s->note)
		push_label(w, s->note, WC_PATH_NOTE);
	if (s->user)
		push_stack(w, s->user, s->user_class);
	if (s->user && s->kernel)
		push_label(w, "-", WC_PATH_SEPARATOR);
	if (s->kernel)
		push_stack(w, s->kernel, s->kernel_class);
}

static void reverse(struct walk *w, size_t from)
{
	for (size_t a = from, b = w->cnt; a + 1 < b; a++) {
		struct wc_path_frame f = w->frames[a];

		w->frames[a] = w->frames[--b];
		w->frames[b] = f;
	}
}

static const struct wc_task *task_at(const struct wc_profile *p, uint32_t i)
{
	return i < p->task_cnt ? &p->tasks[i] : NULL;
}

/* NULL also for one that holds nothing. */
static const struct wc_stack *stack_at(const struct wc_profile *p, uint32_t i)
{
	return i < p->stack_cnt && (p->stacks[i].frame_cnt || p->stacks[i].truncated)
		       ? &p->stacks[i]
		       : NULL;
}

static const char *missing_note(const struct walk *w, const struct side *s)
{
	return w->p->stack_every && !s->user && !s->kernel ? "[lost stack]" : NULL;
}

static struct side wakee_side(const struct walk *w, const struct wc_edge *e,
			      const struct wc_chain *c)
{
	struct side s = {
		.task = task_at(w->p, e->wakee),
		.context = WC_CTX_TASK,
		.user = stack_at(w->p, c->wakee_user),
		.kernel = stack_at(w->p, c->wakee_kernel),
		.user_class = WC_PATH_WAKEE_USER,
		.kernel_class = WC_PATH_WAKEE_KERNEL,
	};

	s.note = missing_note(w, &s);
	return s;
}

static struct side waker_side(const struct walk *w, const struct wc_edge *e,
			      const struct wc_chain *c)
{
	struct side s = {
		.task = task_at(w->p, e->waker),
		.context = e->context < WC_CTX_CNT ? e->context : WC_CTX_TASK,
		.kernel = stack_at(w->p, c->waker_kernel),
		.user_class = WC_PATH_WAKER_USER,
		.kernel_class = WC_PATH_WAKER_KERNEL,
	};

	/* below an interrupt lies whoever it hit */
	if (s.context == WC_CTX_TASK)
		s.user = stack_at(w->p, c->waker_user);
	if (c->waker_missing) {
		s.user = s.kernel = NULL;
		s.note = "[waker not sampled]";
	} else {
		s.note = missing_note(w, &s);
	}
	return s;
}

static uint64_t weigh(const struct wc_chain *c, unsigned int by)
{
	switch (by) {
	case WC_WEIGH_COST:
		return c->total_ns;
	case WC_WEIGH_WAIT:
		return c->stage_ns[WC_STAGE_WAIT];
	case WC_WEIGH_BLOCKED:
		return c->blocked_ns;
	case WC_WEIGH_COUNT:
		return c->weight;
	}
	by -= WC_WEIGH_STAGE;
	return by < WC_STAGE_CNT ? c->stage_ns[by] : 0;
}

static void emit(struct walk *w, uint64_t value)
{
	struct wc_path path = { w->frames, w->cnt, value, w->edge, w->chain };

	if (!w->err && value)
		w->err = w->fn(w->ctx, &path);
}

static void emit_stage(struct walk *w, const char *name, uint64_t value)
{
	push_label(w, name, WC_PATH_STAGE);
	emit(w, value);
	if (w->cnt)
		w->cnt--;
}

/* Every stage on the same path: their widths add up to the cost. */
static void emit_stages(struct walk *w, const struct wc_chain *c)
{
	uint64_t covered = 0;

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++) {
		covered += c->stage_ns[i];
		emit_stage(w, wc_stage__name(i), c->stage_ns[i]);
	}
	if (c->total_ns > covered)
		emit_stage(w, "unattributed", c->total_ns - covered);
}

static void walk_stages(struct walk *w, const struct wc_chain *c)
{
	if (w->weigh == WC_WEIGH_COST)
		emit_stages(w, c);
	else if (w->weigh == WC_WEIGH_WAIT)
		emit_stage(w, wc_stage__name(WC_STAGE_WAIT), weigh(c, w->weigh));
	else if (w->weigh >= WC_WEIGH_STAGE && w->weigh < WC_WEIGH_STAGE + WC_STAGE_CNT)
		emit_stage(w, wc_stage__name(w->weigh - WC_WEIGH_STAGE), weigh(c, w->weigh));
	else /* neither sleep nor number has stages */
		emit(w, weigh(c, w->weigh));
}

static void walk_chain(struct walk *w, const struct wc_edge *e, const struct wc_chain *c)
{
	struct side wakee = wakee_side(w, e, c), waker = waker_side(w, e, c);
	size_t turned;

	w->cnt = 0;
	w->edge = e;
	w->chain = c;
	switch (w->view) {
	case WC_VIEW_CHAIN:
		push_side(w, &wakee);
		push_label(w, "--", WC_PATH_SEPARATOR);
		turned = w->cnt;
		push_side(w, &waker);
		if (!w->err)
			reverse(w, turned);
		break;
	case WC_VIEW_WAKEE:
		push_side(w, &wakee);
		break;
	case WC_VIEW_WAKER:
		push_side(w, &waker);
		break;
	case WC_VIEW_STAGE:
		push_side(w, &waker);
		walk_stages(w, c);
		return;
	}
	emit(w, weigh(c, w->weigh));
}

/* Without stacks there still is who woke whom. */
static void walk_edge(struct walk *w, const struct wc_edge *e)
{
	struct wc_chain c = {
		.waker_user = WC_NONE,
		.waker_kernel = WC_NONE,
		.wakee_kernel = WC_NONE,
		.wakee_user = WC_NONE,
		.weight = e->total.count,
		.total_ns = e->total.sum,
		.blocked_ns = e->blocked.sum,
	};

	for (unsigned int i = 0; i < WC_STAGE_CNT; i++)
		c.stage_ns[i] = e->stages[i].sum;
	walk_chain(w, e, &c);
}

int wc_profile__paths(const struct wc_profile *p, enum wc_view view, unsigned int by, bool threads,
		      int (*fn)(void *ctx, const struct wc_path *path), void *ctx)
{
	struct walk w = {
		.p = p,
		.view = view,
		.weigh = by,
		.threads = threads,
		.fn = fn,
		.ctx = ctx,
	};

	for (size_t i = 0; i < p->chain_cnt && !w.err; i++)
		if (p->chains[i].edge < p->edge_cnt)
			walk_chain(&w, &p->edges[p->chains[i].edge], &p->chains[i]);
	for (size_t i = 0; i < p->edge_cnt && !p->chain_cnt && !p->stack_every && !w.err; i++)
		walk_edge(&w, &p->edges[i]);
	free(w.frames);
	return w.err;
}
