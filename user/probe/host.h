/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine a result was measured on, and what about it makes figures doubtful. */
#ifndef WC_PROBE_HOST_H
#define WC_PROBE_HOST_H

#include "user/model/result.h"

/*
 * Fills kvs (keys in printing order: kernel, arch, scheduler, cpus, cpu_model, virtualised, ...)
 * and adds a warning to r for each doubtful thing, ending with what to do. 0 or -ENOMEM; a fact
 * that cannot be read is left out, never guessed.
 */
int wc_host__describe(struct wc_kvs *kvs, struct wc_result *r);
/* "CFS", "EEVDF", "EEVDF, delayed dequeue" or "sched_ext (NAME)", from what this kernel shows, not from its version. */
const char *wc_host__scheduler(char *buf, size_t sz);

#endif
