/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds over cells: each round visits every cell once, in an order drawn from the seed, with a
 * fresh process a cell; the first round is warm-up. Inside a cell the same process is measured
 * with the probes attached and detached, in an order drawn as well.
 */
#ifndef WC_EXPERIMENT_RUN_H
#define WC_EXPERIMENT_RUN_H

#include <signal.h>

#include "user/model/result.h"
#include "user/probe/session.h"

struct wc_run_opts {
	const char *workload_path;
	unsigned int rounds;	    /* without the warm-up round */
	unsigned int warmup;	    /* warm-up rounds: 1, or 0 */
	uint64_t budget_ns;	    /* no further round that would end after this; 0: none */
	unsigned int rounds_min;    /* .. but so many whatever they take */
	bool optional_cells;	    /* a cell that is refused is left out, not an error */
	bool no_bpf;		    /* bare only: no session */
	struct wc_session *session; /* NULL with no_bpf */
	const volatile sig_atomic_t *stop;
	/* called after each cell; may be NULL */
	void (*progress)(void *ctx, size_t done, size_t total, const char *label);
	void *ctx;
	char *error; /* sentence on failure */
	size_t error_sz;
};

/*
 * Fills the cells of r, which stand (wc_cells__build) and have a seed. 0; -EINTR when stopped,
 * with r->interrupted set and what is complete kept; -EINVAL when the workload refuses a
 * parameter; -errno when the probes fail. A cell whose workload cannot be set up (a limit) is
 * left without rounds, with a warning, and the others go on; if none could, -ECHILD.
 */
int wc_run__rounds(struct wc_result *r, const struct wc_run_opts *opts);

#endif
