// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INLINE_MAX	16
#define PROBE_FRAME_MAX 12 /* how deep the probes' own frames can reach */

/* A stack already named: by id, and for user stacks by process, as the same addresses differ. */
struct known {
	unsigned int id;
	pid_t tgid; /* 0: kernel; -1: kernel, interrupt */
	uint32_t stack;
	bool used;
};

struct wc_frames {
	struct wc_session *s;
	struct wc_symbols *syms;
	struct wc_profile *p;
	struct known *known;
	size_t mask, cnt;
	int err;
};

struct wc_frames *wc_frames__new(struct wc_session *s, struct wc_symbols *syms,
				 struct wc_profile *p)
{
	struct wc_frames *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->s = s;
	f->syms = syms;
	f->p = p;
	f->mask = 4095;
	f->known = calloc(f->mask + 1, sizeof(*f->known));
	if (f->known)
		return f;
	free(f);
	return NULL;
}

void wc_frames__free(struct wc_frames *f)
{
	if (!f)
		return;
	free(f->known);
	free(f);
}

int wc_frames__error(const struct wc_frames *f)
{
	return f->err;
}

static struct known *known__slot(struct known *table, size_t mask, unsigned int id, pid_t tgid)
{
	size_t i = (id * 2654435761u ^ (unsigned int)tgid * 40503u) & mask;

	while (table[i].used && (table[i].id != id || table[i].tgid != tgid))
		i = (i + 1) & mask;
	return &table[i];
}

static int known__grow(struct wc_frames *f)
{
	size_t mask = f->mask * 2 + 1, i;
	struct known *more;

	if (f->cnt * 2 < f->mask)
		return 0;
	more = calloc(mask + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	for (i = 0; i <= f->mask; i++) {
		if (f->known[i].used)
			*known__slot(more, mask, f->known[i].id, f->known[i].tgid) = f->known[i];
	}
	free(f->known);
	f->known = more;
	f->mask = mask;
	return 0;
}

static uint32_t frame__add(struct wc_frames *f, const struct wc_symbol *sym)
{
	const struct wc_frame frame = {
		.kind = (enum wc_frame_kind)sym->kind,
		.name = (char *)sym->name,
		.module = (char *)sym->module,
		.build_id = (char *)sym->build_id,
		.file = (char *)sym->file,
		.line = sym->line,
		.addr = sym->addr,
	};
	uint32_t at = wc_profile__frame(f->p, &frame);

	if (at == WC_NONE)
		f->err = -ENOMEM;
	return at;
}

/* A stack of one frame that is no code. */
static uint32_t note(struct wc_frames *f, const char *text, bool user)
{
	const struct wc_frame frame = {
		.kind = WC_FRAME_NOTE,
		.name = (char *)text,
		.module = (char *)"",
		.build_id = (char *)"",
		.file = (char *)"",
	};
	uint32_t at = wc_profile__frame(f->p, &frame);
	uint32_t stack = at == WC_NONE ? WC_NONE : wc_profile__stack(f->p, &at, 1, user, false);

	if (stack == WC_NONE)
		f->err = -ENOMEM;
	return stack;
}

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* The last frame, from the leaf, of what the probes themselves put there; frames to leave out. */
static size_t probe_frames(const struct wc_symbol *syms, size_t cnt)
{
	static const char *const ours[] = { "__traceiter_", "bpf_trace_run",   "__bpf_trace_",
					    "bpf_prog_",    "bpf_trampoline_", "__probestub_" };
	size_t i, j, cut = 0;

	for (i = 0; i < cnt && i < PROBE_FRAME_MAX; i++) {
		for (j = 0; j < sizeof(ours) / sizeof(ours[0]); j++) {
			if (starts(syms[i].name, ours[j]))
				cut = i + 1;
		}
	}
	return cut;
}

/* Frames of an interrupt before those of what it interrupted. */
static size_t interrupt_frames(const struct wc_symbol *syms, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++) {
		const char *name = syms[i].name;

		if (starts(name, "asm_") || starts(name, "el1h_") || !strcmp(name, "do_softirq") ||
		    !strcmp(name, "run_ksoftirqd"))
			return i + 1;
	}
	return cnt;
}

static uint32_t kernel__name(struct wc_frames *f, unsigned int id, bool interrupt)
{
	uint64_t ips[WC_STACK_DEPTH];
	struct wc_symbol syms[WC_STACK_DEPTH];
	uint32_t frames[WC_STACK_DEPTH];
	int cnt = wc_session__stack(f->s, id, ips), i;
	size_t from, to, n = 0;

	for (i = 0; i < cnt; i++) {
		if (wc_symbols__kernel(f->syms, ips[i] - (i > 0), &syms[i]) == -ENOMEM)
			f->err = -ENOMEM;
	}
	if (cnt <= 0 || f->err)
		return WC_NONE;
	from = probe_frames(syms, cnt);
	to = interrupt ? interrupt_frames(syms, cnt) : (size_t)cnt;
	for (; from < to; from++)
		frames[n++] = frame__add(f, &syms[from]);
	if (!n || f->err)
		return WC_NONE;
	return wc_profile__stack(f->p, frames, n, false, cnt == WC_STACK_DEPTH);
}

/* Where a walk that was not cut short ends. */
static bool is_root(const char *name)
{
	static const char *const roots[] = { "_start",
					     "__libc_start_main",
					     "__libc_start_call_main",
					     "start_thread",
					     "clone",
					     "clone3",
					     "__clone",
					     "__clone3",
					     "_dl_start_user",
					     "runtime.goexit" };
	size_t i;

	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		size_t len = strlen(roots[i]);

		if (!strncmp(name, roots[i], len) &&
		    (!name[len] || name[len] == '@' || !strncmp(name + len, "_impl", 5)))
			return true;
	}
	return false;
}

/*
 * A libc without symbols has no names for where threads begin. One frame alone in it is something
 * else: a walk that had no frame pointer to follow. With hints the walk itself knows its end.
 */
static bool ends_in_libc(const struct wc_symbol *sym, size_t frames)
{
	return frames > 1 && !strcmp(sym->name, "[unknown]") &&
	       (starts(sym->module, "libc.") || starts(sym->module, "libc-") ||
		starts(sym->module, "ld-"));
}

static uint32_t user__name(struct wc_frames *f, unsigned int id, pid_t tgid)
{
	uint64_t ips[WC_STACK_DEPTH];
	struct wc_symbol syms[INLINE_MAX];
	uint32_t frames[WC_STACK_DEPTH * 2];
	int cnt = wc_session__stack(f->s, id, ips), i, j, n;
	bool hinted = wc_session__opts(f->s)->unwind, root = false, ended;
	size_t out = 0;

	ended = cnt > 0 && !ips[cnt - 1];
	cnt -= ended;
	for (i = 0; i < cnt && out < WC_STACK_DEPTH * 2; i++) {
		n = wc_symbols__user(f->syms, tgid, ips[i], i == 0, syms, INLINE_MAX);
		if (n < 0)
			f->err = n;
		for (j = 0; j < n && out < WC_STACK_DEPTH * 2; j++) {
			frames[out++] = frame__add(f, &syms[j]);
			root = is_root(syms[j].name) || (!hinted && ends_in_libc(&syms[j], out));
		}
	}
	if (!out || f->err)
		return WC_NONE;
	return wc_profile__stack(f->p, frames, out, true, !root && !ended);
}

static uint32_t stack__of(struct wc_frames *f, unsigned int id, pid_t tgid)
{
	struct known *k;
	uint32_t stack;

	if (!id || id == WC_STACK_NOT_TAKEN)
		return WC_NONE;
	if (id == WC_STACK_LOST)
		return note(f, "[lost stack]", tgid > 0);
	if (known__grow(f)) {
		f->err = -ENOMEM;
		return WC_NONE;
	}
	k = known__slot(f->known, f->mask, id, tgid);
	if (k->used)
		return k->stack;
	stack = tgid > 0 ? user__name(f, id, tgid) : kernel__name(f, id, tgid < 0);
	*k = (struct known){ .id = id, .tgid = tgid, .stack = stack, .used = true };
	f->cnt++;
	return stack;
}

uint32_t wc_frames__kernel(struct wc_frames *f, unsigned int id, bool interrupt)
{
	return stack__of(f, id, interrupt ? -1 : 0);
}

uint32_t wc_frames__user(struct wc_frames *f, unsigned int id, pid_t tgid)
{
	return tgid > 0 ? stack__of(f, id, tgid) : WC_NONE;
}

bool wc_frames__task_lives(pid_t tgid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d", tgid, tid);
	return !access(path, F_OK);
}

/* A process has a program; a kernel thread has none. */
bool wc_frames__is_kernel_thread(pid_t tgid)
{
	char path[64], program[8];

	snprintf(path, sizeof(path), "/proc/%d/exe", tgid);
	return readlink(path, program, sizeof(program)) < 0 && errno == ENOENT &&
	       wc_frames__task_lives(tgid, tgid);
}
