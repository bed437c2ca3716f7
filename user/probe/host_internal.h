/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of wc_host__describe(), one per file; and what of them unit tests call directly. */
#ifndef WC_PROBE_HOST_INTERNAL_H
#define WC_PROBE_HOST_INTERNAL_H

#include "user/probe/host.h"
#include "user/probe/kbtf.h"

/* Each 0 or -ENOMEM. */
int wc_host__describe_kernel(struct wc_kvs *kvs, struct wc_result *r);
int wc_host__describe_cpus(struct wc_kvs *kvs, struct wc_result *r);
int wc_host__describe_virt(struct wc_kvs *kvs, struct wc_result *r);
int wc_host__describe_load(struct wc_kvs *kvs, struct wc_result *r);
int wc_host__describe_clock(struct wc_kvs *kvs, struct wc_result *r);

/* Stolen share in 1/1000 between two readings of /proc/stat's first line; from == NULL: since
 * boot. -ENODATA where no time has passed, -EINVAL on other text. */
int wc_host__steal_permille(const char *from, const char *to);
/* The preemption model, and from where it is known; -ENOENT. */
int wc_host__preemption(char *buf, size_t sz);

#endif
