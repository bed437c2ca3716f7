/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks cut from large areas of our own: one mapping for thousands of them, where pthread_create
 * makes two for each and meets vm.max_map_count near 32,000 threads.
 */
#ifndef WORKLOADS_STACKS_H
#define WORKLOADS_STACKS_H

#include "params.h"

struct wl_stacks {
	size_t sz;
	bool guard, huge;
	char *slab;
	u32 left_cnt; /* stacks still in the slab */
	u32 given_cnt;
};

int stacks__init(struct wl_stacks *stacks, const struct wl_params *params);
/* The lowest address of a fresh stack, NULL with the failure set. */
void *stacks__take(struct wl_stacks *stacks, const char *what);
/* Writes `page_cnt` pages of the calling thread's stack, less than all of it. */
void stacks__touch(u64 page_cnt);

#endif
