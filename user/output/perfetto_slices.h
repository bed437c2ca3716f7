/* SPDX-License-Identifier: BSD-2-Clause */
/* Single wakes as slices on the tracks of their two sides, each inside another or beside it. */
#ifndef WC_OUTPUT_PERFETTO_SLICES_H
#define WC_OUTPUT_PERFETTO_SLICES_H

#include "user/model/profile.h"

/* Where a slice lies: a thread, or what interrupts a CPU. */
struct wc_track {
	unsigned int context; /* enum wc_context */
	uint32_t id;	      /* tid; of interrupts, and of an idle CPU (tid 0), the CPU */
	bool idle;
};

enum wc_slice_kind {
	WC_SLICE_WAKE = 0,  /* waker's side, whole */
	WC_SLICE_WOKEN = 1, /* wakee's side, whole */
	WC_SLICE_STAGES = 2,
};

struct wc_slice {
	struct wc_track track;
	uint64_t begin_ns, end_ns;
	size_t event; /* in wc_profile.events */
	enum wc_slice_kind kind;
	unsigned int stages; /* WC_SLICE_STAGES: bits of those it spans; more than one: merged */
};

/*
 * Track by track, in order of their beginnings, an outer slice before what is inside it. Slices
 * of a track never overlap without one being inside the other: what one would stick out of
 * another by is cut off, and what is then left with nothing is left out, the two whole ones of
 * a wake excepted. free() *out. 0 or -ENOMEM.
 */
int wc_slices__of(const struct wc_profile *p, struct wc_slice **out, size_t *cnt);
int wc_track__compare(const struct wc_track *a, const struct wc_track *b);

#endif
