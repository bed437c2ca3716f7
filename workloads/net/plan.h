/* SPDX-License-Identifier: BSD-2-Clause */
/* From the parameters to what server and clients are to do. */
#ifndef WORKLOADS_NET_PLAN_H
#define WORKLOADS_NET_PLAN_H

#include "load.h"
#include "stub.h"

/* Times by the scale. */
struct wl_net_params plan__scaled(const struct wl_net_params *p);
/* A little of the same, and quickly: what a process does the first time is then done. */
struct wl_net_params plan__warm(const struct wl_net_params *p);
void plan__load(const struct wl_net_params *p, u16 port, struct load_plan *out);
/* apart=1: this process on the last CPU, the others' on the rest. stub may be NULL. */
int plan__place(const struct wl_run *run, pid_t load, const struct stub *stub);

#endif
