/* SPDX-License-Identifier: BSD-2-Clause */
/* A stack of another process, by its memory as it is now. */
#ifndef WC_EXPERIMENT_WALK_H
#define WC_EXPERIMENT_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/symbol/cfi.h"

#define WC_WALK_BYTES 8192

struct wc_walk {
	pid_t tgid;
	uint64_t ip, sp, bp;
	/* what was read last */
	uint64_t from;
	size_t have;
	unsigned char bytes[WC_WALK_BYTES];
};

/* To the caller of the frame that is left so; false: there is none, or none to be found. */
bool wc_walk__step(struct wc_walk *w, const struct wc_row *row);

#endif
