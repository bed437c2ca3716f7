/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile for pprof while it is built: what its two files share. */
#ifndef WC_OUTPUT_PPROF_IMPL_H
#define WC_OUTPUT_PPROF_IMPL_H

#include "proto/pprof.pb-c.h"
#include "user/model/profile.h"
#include "user/util/arena.h"
#include "user/util/grow.h"
#include "user/util/strtab.h"

#define COLUMN_MAX (3 + WC_STAGE_CNT)

struct pprof {
	const struct wc_result *r;
	enum wc_view view;
	bool times; /* of the stage view: paths with times, or paths with numbers */
	unsigned int columns[COLUMN_MAX];
	size_t column_cnt;
	struct wc_arena arena;
	struct wc_strtab strings, functions, mappings, labels;
	uint64_t *frame_locations; /* of the profile's frames, 0: not yet */
	uint64_t *label_locations; /* of frames that are names only */
	uint32_t label_cnt;
	Pprof__Profile out;
	int err; /* of the first failure: nothing is added after it */
};

/* Zeroed memory that lives as long as b; NULL: b->err is set. */
void *pprof__grab(struct pprof *b, size_t sz);

#define GRAB(b, items, cnt) ((items) = pprof__grab((b), sizeof(*(items)) * (cnt)))

/* To a list of pointers. */
#define APPEND(b, list, cnt, item)                                     \
	do {                                                           \
		void *grown_ = wc_grow((list), (cnt), sizeof(void *)); \
		if (grown_) {                                          \
			(list) = grown_;                               \
			(list)[(cnt)++] = (item);                      \
		} else {                                               \
			(b)->err = -ENOMEM;                            \
		}                                                      \
	} while (0)

/* Number in the string table: protobuf wants UTF-8, a terminal wants more than that. */
int64_t pprof__text(struct pprof *b, const char *raw);
/* Ids of the places of a frame, and of a name that stands where a function does. 0: failed. */
uint64_t pprof__frame_location(struct pprof *b, const struct wc_frame *f);
uint64_t pprof__label_location(struct pprof *b, const char *name);

#endif
