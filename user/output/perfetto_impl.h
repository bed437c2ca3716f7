/* SPDX-License-Identifier: BSD-2-Clause */
/* A Perfetto trace while it is written: what its two files share. */
#ifndef WC_OUTPUT_PERFETTO_IMPL_H
#define WC_OUTPUT_PERFETTO_IMPL_H

#include <stdio.h>

#include "proto/perfetto.pb-c.h"
#include "user/output/perfetto_slices.h"
#include "user/util/strtab.h"

enum {
	CLOCK_ID_REALTIME = 1,
	CLOCK_ID_MONOTONIC = 3,
	SEQUENCE = 1,
	FLAG_CLEARED = 1, /* of sequence_flags: what was interned before is forgotten */
	FLAG_NEEDS = 2,
	TYPE_BEGIN = 1,
	TYPE_END = 2,
};

struct trace {
	FILE *f;
	const struct wc_profile *p;
	const struct wc_task **tasks; /* by tid */
	struct wc_strtab names;	      /* of slices; iid is number + 1 */
	uint8_t *buf;
	size_t cap;
	int err;
};

/* Encodes and writes one packet. */
void perfetto__put(struct trace *t, Perfetto__Packet *packet);
/* Makes tasks known by tid. 0 or -ENOMEM. */
int perfetto__know_tasks(struct trace *t);
/* UTF-8; free() it. NULL: t->err is set. */
char *perfetto__thread_name(struct trace *t, uint32_t tid);
uint64_t perfetto__track_uuid(const struct wc_track *track);
/* What stands ahead of the slices. */
void perfetto__put_clocks(struct trace *t);
void perfetto__put_tracks(struct trace *t, const struct wc_slice *slices, size_t cnt);

#endif
