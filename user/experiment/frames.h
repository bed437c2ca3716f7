/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks of the probes, by id, as stacks of a profile: named, trimmed, each once. */
#ifndef WC_EXPERIMENT_FRAMES_H
#define WC_EXPERIMENT_FRAMES_H

#include "user/model/profile.h"
#include "user/probe/session.h"
#include "user/symbol/symbol.h"

struct wc_frames;

struct wc_frames *wc_frames__new(struct wc_session *s, struct wc_symbols *syms,
				 struct wc_profile *p); /* NULL: no memory */
void wc_frames__free(struct wc_frames *f);
int wc_frames__error(const struct wc_frames *f); /* the first that came up, or 0 */

/*
 * Index of the stack in the profile, or WC_NONE when there is none. The probes' own frames are
 * left out; of an interrupt's stack, so is what it interrupted.
 */
uint32_t wc_frames__kernel(struct wc_frames *f, unsigned int id, bool interrupt);
uint32_t wc_frames__user(struct wc_frames *f, unsigned int id, pid_t tgid);

/* Whether this thread is still there. */
bool wc_frames__task_lives(pid_t tgid, pid_t tid);
bool wc_frames__is_kernel_thread(pid_t tgid);

#endif
