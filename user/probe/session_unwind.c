// SPDX-License-Identifier: BSD-2-Clause
/* Hints for the walks over user stacks: asked for by the probes, given by the user side. */
#include <errno.h>
#include <string.h>

#include "user/probe/session_internal.h"

bool session__can_unwind(void)
{
#ifdef __x86_64__
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_task_pt_regs, NULL) ==
	       1;
#else
	return false;
#endif
}

static int on_ask(void *ctx, void *data, size_t sz)
{
	struct wc_session *s = ctx;

	if (sz >= sizeof(struct wc_hint_ask) && s->ask_fn(s->ask_ctx, data))
		return -ECANCELED; /* this one counts as taken */
	return 0;
}

int wc_session__hints_asked(struct wc_session *s, int (*fn)(void *ctx, const struct wc_hint_ask *a),
			    void *ctx)
{
	int cnt;

	if (!s->opts.unwind)
		return 0;
	if (!s->asked)
		s->asked =
			ring_buffer__new(bpf_map__fd(s->skel->maps.unwind_asked), on_ask, s, NULL);
	if (!s->asked)
		return session__fail(s, -errno, "cannot read which addresses have no hint: %s",
				     strerror(errno));
	s->ask_fn = fn;
	s->ask_ctx = ctx;
	cnt = ring_buffer__consume(s->asked);
	return cnt < 0 && cnt != -ECANCELED ? cnt : 0;
}

int wc_session__hint(struct wc_session *s, const struct wc_hint_key *key, const struct wc_hint *h)
{
	if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.unwind_hints), key, h, BPF_ANY))
		return -errno;
	return 0;
}

bool wc_session__has_hint(const struct wc_session *s, const struct wc_hint_key *key)
{
	struct wc_hint h;

	return !bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.unwind_hints), key, &h) &&
	       (h.kind != WC_HINT_FP || h.cfa_off);
}

void wc_session__unhint(struct wc_session *s, const struct wc_hint_key *key)
{
	bpf_map_delete_elem(bpf_map__fd(s->skel->maps.unwind_hints), key);
}

bool wc_session__hints_full(const struct wc_session *s)
{
	return s->opts.unwind && *(volatile unsigned int *)&s->skel->bss->unwind_full;
}

int wc_session__hints_drop(struct wc_session *s, bool (*fn)(void *ctx, uint64_t space), void *ctx)
{
	int fd = bpf_map__fd(s->skel->maps.unwind_hints), cnt = 0;
	struct wc_hint_key key, next;
	struct wc_hint h;
	bool more = !bpf_map_get_next_key(fd, NULL, &key);
	/* a key deleted by others makes the walk begin anew: this ends it */
	unsigned int steps = 2 * WC_HINT_MAX;

	while (more && steps--) {
		more = !bpf_map_get_next_key(fd, &key, &next);
		if (!bpf_map_lookup_elem(fd, &key, &h) &&
		    (h.kind == WC_HINT_FP || fn(ctx, key.space)) && !bpf_map_delete_elem(fd, &key))
			cnt++;
		key = next;
	}
	s->skel->bss->unwind_full = 0;
	return cnt;
}
