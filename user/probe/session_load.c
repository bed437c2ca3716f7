// SPDX-License-Identifier: BSD-2-Clause
/*
 * Choosing a source for every boundary: what the kernel's BTF and kallsyms say first, then the
 * kernel's own word (load, attach). A refusal costs one candidate, never the session.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/probe/kbtf.h"
#include "user/probe/session_internal.h"
#include "user/util/log.h"

static struct wc_session *loading; /* libbpf's print callback takes no context */

int session__fail(struct wc_session *s, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	return err;
}

/* libbpf says which program was refused only in its log. */
static int on_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char line[1024];
	char *name, *end;

	vsnprintf(line, sizeof(line), fmt, ap);
	name = strstr(line, "prog '");
	if (loading && level == LIBBPF_WARN && name && !loading->load_failed[0] &&
	    strstr(line, "load")) {
		name += strlen("prog '");
		end = strchr(name, '\'');
		if (end && (size_t)(end - name) < sizeof(loading->load_failed)) {
			memcpy(loading->load_failed, name, end - name);
			loading->load_failed[end - name] = '\0';
		}
	}
	if (level != LIBBPF_DEBUG)
		wc_debug("libbpf: %s", line);
	return 0;
}

static const char *refusal_words(int err)
{
	switch (err) {
	case -EPERM:
		return "refused by the kernel (EPERM)";
	case -ENOENT:
	case -ESRCH:
		return "not in this kernel";
	case -EOPNOTSUPP:
	case -524: /* ENOTSUPP, which is the kernel's own */
		return "not supported by this kernel";
	case -EINVAL:
		return "not accepted by this kernel (EINVAL)";
	case -EBUSY:
		return "not traceable, or taken (EBUSY)";
	default:
		return strerror(-err);
	}
}

/* A mark of why one candidate is out; the first (best) one's is what the user is told. */
static void candidate__refuse(struct wc_bound_state *b, const struct wc_boundary_def *def,
			      size_t cand, const char *why)
{
	const struct wc_candidate *all = def->candidates;

	b->refused[cand] = true;
	/* rows shown alike are one to the user: the one given up last was nearest to working */
	if (!b->why[0] || cand < b->why_cand || !strcmp(all[cand].shown, all[b->why_cand].shown)) {
		b->why_cand = cand;
		snprintf(b->why, sizeof(b->why), "%s %s", all[cand].shown, why);
	}
	wc_debug("%s: %s %s", def->name, all[cand].shown, why);
}

/* A two-instruction fentry program: is this kind of program allowed at all? */
static int try_fentry(const struct wc_kbtf *kbtf)
{
	struct bpf_insn insns[] = {
		{ .code = 0xb7, .dst_reg = 0, .imm = 0 }, /* r0 = 0 */
		{ .code = 0x95 },			  /* exit */
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	int id = wc_kbtf__func_id(kbtf, "schedule");
	int fd;

	if (id < 0)
		return id;
	opts.attach_btf_id = id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "wc_try", "Dual BSD/GPL", insns, 2, &opts);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Why a whole source cannot be used here, or NULL. */
static const char *source__why_not(const struct wc_session *s, enum wc_source src,
				   const struct wc_kbtf *kbtf)
{
	int err;

	if (s->opts.disable_sources & (1u << src))
		return "switched off by --disable";
	if (src == WC_SRC_FENTRY) {
		err = try_fentry(kbtf);
		return err ? refusal_words(err) : NULL;
	}
	if (src == WC_SRC_KPROBE && access("/sys/bus/event_source/devices/kprobe/type", R_OK))
		return "not built into this kernel (CONFIG_KPROBES)";
	return NULL;
}

static const char *candidate__why_not(const struct wc_session *s, const struct wc_candidate *c,
				      const struct wc_kbtf *kbtf)
{
	char sym[128];
	size_t i;

	for (i = 0; i < WC_CANDIDATE_PROG_MAX && c->tps[i]; i++) {
		if (wc_kbtf__tp_arg_cnt(kbtf, c->tps[i]) < 0)
			return "not in this kernel";
	}
	if (c->switch_args && wc_kbtf__tp_arg_cnt(kbtf, "sched_switch") != c->switch_args)
		return "has other arguments in this kernel";
	for (i = 0; i < WC_CANDIDATE_PROG_MAX && c->funcs[i]; i++) {
		if (c->source == WC_SRC_FENTRY && wc_kbtf__func_id(kbtf, c->funcs[i]) < 0)
			return "not in this kernel's BTF";
		if (s->kallsyms &&
		    (wc_symbol__resolve(s->kallsyms, c->funcs[i], sym, sizeof(sym)) ||
		     strcmp(sym, c->funcs[i])))
			return "inlined or renamed in this kernel";
	}
	if (c->suffixed && s->kallsyms &&
	    wc_symbol__resolve(s->kallsyms, c->suffixed, sym, sizeof(sym)))
		return "inlined or renamed in this kernel";
	return NULL;
}

static void session__screen(struct wc_session *s, const struct wc_kbtf *kbtf)
{
	const char *source_why[WC_SRC_CNT];
	size_t i, j;

	for (i = 0; i < WC_SRC_CNT; i++)
		source_why[i] = source__why_not(s, i, kbtf);
	for (i = 0; i < WC_BOUND_CNT; i++) {
		const struct wc_boundary_def *def = &wc_boundaries[i];

		for (j = 0; j < WC_CANDIDATE_MAX && def->candidates[j].shown; j++) {
			const struct wc_candidate *c = &def->candidates[j];
			const char *why = source_why[c->source];

			why = why ?: candidate__why_not(s, c, kbtf);
			if (why)
				candidate__refuse(&s->bounds[i], def, j, why);
		}
	}
}

/* See compat__preempt_count() in bpf/compat.bpf.h. 0: this kernel's BTF does not say. */
static long preempt_count_distance(const struct wc_kbtf *kbtf)
{
	long from = wc_kbtf__percpu_off(kbtf, "runqueues", NULL);
	long to = wc_kbtf__percpu_off(kbtf, "__preempt_count", NULL);

	if (to < 0)
		to = wc_kbtf__percpu_off(kbtf, "pcpu_hot", "preempt_count");
	return from < 0 || to < 0 ? 0 : to - from;
}

/* Whether this session has a use for a boundary at all. */
static bool bound__wanted(const struct wc_session *s, size_t bound)
{
	if (s->opts.all_boundaries)
		return true;
	switch (bound) {
	case WC_BOUND_SYSCALLS:
		return s->opts.syscalls || s->opts.counters;
	case WC_BOUND_FOLLOW:
		return s->opts.follow;
	case WC_BOUND_TASKS:
		return s->opts.record;
	default:
		return true;
	}
}

/* The best candidate not yet refused, for each boundary. */
static int session__pick(struct wc_session *s)
{
	size_t i, j;

	for (i = 0; i < WC_BOUND_CNT; i++) {
		const struct wc_boundary_def *def = &wc_boundaries[i];
		struct wc_bound_state *b = &s->bounds[i];

		b->chosen = NULL;
		if (!bound__wanted(s, i))
			continue;
		for (j = 0; j < WC_CANDIDATE_MAX && def->candidates[j].shown; j++) {
			if (!b->refused[j]) {
				b->chosen = &def->candidates[j];
				break;
			}
		}
		if (!b->chosen && def->required)
			return session__fail(
				s, -EOPNOTSUPP,
				"this kernel gives no %s events: %s; `wakecost doctor` says "
				"what is missing",
				def->name, b->why);
	}
	return 0;
}

static int map__resize(struct bpf_map *map, unsigned int cnt)
{
	return bpf_map__set_max_entries(map, cnt);
}

static void session__configure_record(struct wc_session *s)
{
	unsigned int stacks = s->opts.stack_max ?: WC_STACK_MAX_DEFAULT, size = 1;
	struct wakecost_bpf *k = s->skel;

	while (size < stacks)
		size *= 2;
	k->rodata->cfg_record = s->opts.record;
	k->rodata->cfg_syscalls = s->opts.syscalls && s->bounds[WC_BOUND_SYSCALLS].chosen;
	k->rodata->cfg_stack_every = s->opts.stack_every;
	k->rodata->cfg_slow_ns = s->opts.slow_ns;
	k->rodata->cfg_stack_mask = s->opts.stack_every ? size - 1 : 0;
	k->rodata->cfg_unwind = s->opts.unwind;
}

static unsigned int pair_hists_max(unsigned int pair_max)
{
	unsigned int least = pair_max < WC_PAIR_HISTS_MIN ? pair_max : WC_PAIR_HISTS_MIN;

	return pair_max / WC_PAIR_HISTS_PART > least ? pair_max / WC_PAIR_HISTS_PART : least;
}

static int session__configure(struct wc_session *s)
{
	const struct wc_session_opts *o = &s->opts;
	const struct wc_candidate *chosen = s->bounds[WC_BOUND_CHOSEN].chosen;
	bool raw = s->bounds[WC_BOUND_CORE].chosen->source == WC_SRC_RAW_TP;
	unsigned int pair_max =
		o->pair_max ?: (o->record ? WC_PAIR_MAX_RECORD : WC_PAIR_MAX_DEFAULT);
	struct wakecost_bpf *k = s->skel;
	int err;

	k->rodata->cfg_mode = o->empty ? 1 : o->clock_only ? 2 : 0;
	k->rodata->cfg_handoffs = o->handoffs && !o->no_return;
	k->rodata->cfg_stamps = o->handoffs && !o->no_return;
	k->rodata->cfg_select_exact = chosen && !chosen->partial;
	k->rodata->cfg_have_entry = s->bounds[WC_BOUND_ENTRY].chosen != NULL;
	k->rodata->cfg_have_exit = s->bounds[WC_BOUND_EXIT].chosen != NULL;
	k->rodata->cfg_event_every = o->event_bytes ? (o->event_every ?: 1) : 0;
	k->rodata->cfg_pair_max = pair_max;
	k->rodata->cfg_pair_hists_max = pair_hists_max(pair_max);
	k->rodata->cfg_cpu_max = s->cpu_cnt;
	k->rodata->cfg_preempt_dist = s->preempt_dist;
	session__configure_record(s);
	err = session__size_counters(s);
	err = err ?: map__resize(k->maps.cpus, s->cpu_cnt);
	err = err ?: map__resize(k->maps.filter_cpus, s->cpu_cnt);
	err = err ?: map__resize(k->maps.pair_idx, pair_max);
	err = err ?: map__resize(k->maps.pairs, pair_max);
	if (o->record) {
		err = err ?: map__resize(k->maps.pair_hists, pair_hists_max(pair_max));
		err = err ?: map__resize(k->maps.chains, o->chain_max ?: WC_CHAIN_MAX_DEFAULT);
		err = err ?: map__resize(k->maps.stacks, k->rodata->cfg_stack_mask + 1);
	}
	if (o->unwind) {
		err = err ?: map__resize(k->maps.unwind_hints, WC_HINT_MAX);
		err = err ?: map__resize(k->maps.unwind_asked, WC_HINT_ASKED_BYTES);
	}
	if (raw)
		err = err ?: map__resize(k->maps.recs_by_tid, WC_RECS_BY_TID_MAX);
	if (o->event_bytes)
		err = err ?: map__resize(k->maps.events, o->event_bytes);
	return err;
}

static int session__autoload(struct wc_session *s, const char *name)
{
	struct bpf_program *prog = bpf_object__find_program_by_name(s->skel->obj, name);

	if (!prog) { /* a row of the table without its entry point */
		wc_debug("the object has no program %s", name);
		return -ENOENT;
	}
	return bpf_program__set_autoload(prog, true);
}

/* Which boundary's chosen candidate has this program? */
static int session__bound_of(const struct wc_session *s, const char *prog)
{
	size_t i, j;

	for (i = 0; i < WC_BOUND_CNT; i++) {
		const struct wc_candidate *c = s->bounds[i].chosen;

		for (j = 0; c && j < WC_CANDIDATE_PROG_MAX && c->progs[j]; j++) {
			if (!strcmp(c->progs[j], prog))
				return i;
		}
	}
	return -1;
}

static void session__refuse_chosen(struct wc_session *s, int bound, const char *why)
{
	const struct wc_boundary_def *def = &wc_boundaries[bound];

	candidate__refuse(&s->bounds[bound], def, s->bounds[bound].chosen - def->candidates, why);
}

static int session__load_once(struct wc_session *s)
{
	char btf_path[512];
	LIBBPF_OPTS(bpf_object_open_opts, opts,
		    .btf_custom_path = getenv("WAKECOST_BTF")
					       ? wc_kbtf__path(btf_path, sizeof(btf_path))
					       : NULL);
	size_t i, j;
	int err;

	wakecost_bpf__destroy(s->skel);
	s->skel = wakecost_bpf__open_opts(&opts);
	if (!s->skel)
		return -errno;
	err = session__configure(s);
	if (err)
		return err;
	err = session__autoload(s, "self__ns");
	for (i = 0; i < WC_BOUND_CNT; i++) {
		const struct wc_candidate *c = s->bounds[i].chosen;

		for (j = 0; c && j < WC_CANDIDATE_PROG_MAX && c->progs[j]; j++)
			err = err ?: session__autoload(s, c->progs[j]);
	}
	if (err)
		return err;
	s->load_failed[0] = '\0';
	loading = s;
	err = wakecost_bpf__load(s->skel);
	loading = NULL;
	return err;
}

/* A verifier that refuses the walk over user stacks costs that, not a boundary. */
static int session__load(struct wc_session *s)
{
	int with = session__load_once(s), without;

	if (!with || !s->opts.unwind)
		return with;
	s->opts.unwind = false;
	without = session__load_once(s);
	s->opts.unwind = without != 0;
	if (!without)
		wc_debug("user stacks by frame pointers only: hints %s", refusal_words(with));
	return without;
}

static int session__explain_load(struct wc_session *s, int err)
{
	if (err == -EPERM && geteuid() != 0)
		return session__fail(
			s, err,
			"loading the probes needs root, or CAP_BPF and CAP_PERFMON: run "
			"it with sudo");
	if (err == -EPERM)
		return session__fail(s, err,
				     "this kernel refuses to load the probes (EPERM): `wakecost "
				     "doctor` says what is allowed here");
	if (err == -ENOMEM)
		return session__fail(s, err,
				     "no memory for the probes' maps: free some, or lower the "
				     "memlock limit's use");
	return session__fail(s, err,
			     "loading the probes failed: %s (%s); `wakecost doctor -v` shows "
			     "the kernel's words",
			     strerror(-err),
			     s->load_failed[0] ? s->load_failed : "before any program");
}

/* Load, and attach once for trial; each refusal gives up one candidate and tries again. */
static int session__settle_sources(struct wc_session *s)
{
	unsigned int tries;
	char why[128];
	int err, bad;

	for (tries = 0; tries < WC_BOUND_CNT * WC_CANDIDATE_MAX; tries++) {
		err = session__pick(s);
		if (err)
			return err;
		err = session__load(s);
		bad = err && s->load_failed[0] ? session__bound_of(s, s->load_failed) : -1;
		if (err && bad < 0)
			return session__explain_load(s, err);
		if (!err) {
			err = session__attach_all(s, &bad);
			wc_session__detach(s);
			if (!err)
				return 0;
			if (bad < 0)
				return session__fail(s, err, "attaching the probes failed: %s",
						     strerror(-err));
		}
		if (wc_boundaries[bad].required && err == -EPERM)
			return session__explain_load(s, err);
		snprintf(why, sizeof(why), "%s", refusal_words(err));
		session__refuse_chosen(s, bad, why);
	}
	return session__fail(s, -EOPNOTSUPP,
			     "no set of probes fits this kernel; `wakecost doctor -v`");
}

static char *read_kallsyms(void)
{
	size_t sz = 0, cap = 1 << 20, n;
	FILE *f = fopen("/proc/kallsyms", "re");
	char *buf = f ? malloc(cap) : NULL, *more;

	while (buf && (n = fread(buf + sz, 1, cap - sz - 1, f)) > 0) {
		sz += n;
		if (cap - sz > 1)
			continue;
		cap *= 2;
		more = realloc(buf, cap);
		if (!more)
			free(buf);
		buf = more;
	}
	if (buf)
		buf[sz] = '\0';
	if (f)
		fclose(f);
	return buf;
}

int session__choose_and_load(struct wc_session *s)
{
	struct wc_kbtf *kbtf = NULL;
	char path[512];
	int err;

	libbpf_set_print(on_libbpf);
	err = wc_kbtf__open(&kbtf);
	if (err)
		return session__fail(
			s, err == -EACCES || err == -EPERM ? err : -ENOENT,
			"no type information (BTF) in %s (%s): use a kernel built with "
			"CONFIG_DEBUG_INFO_BTF=y, as distributions' kernels since 5.10 are",
			wc_kbtf__path(path, sizeof(path)), strerror(-err));
	s->kallsyms = read_kallsyms();
	session__screen(s, kbtf);
	s->preempt_dist = preempt_count_distance(kbtf);
	wc_kbtf__free(kbtf);
	err = session__settle_sources(s);
	return err;
}
