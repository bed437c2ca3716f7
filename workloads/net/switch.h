/* SPDX-License-Identifier: BSD-2-Clause */
/* From one stack to another, without asking the kernel. */
#ifndef WORKLOADS_NET_SWITCH_H
#define WORKLOADS_NET_SWITCH_H

#include "workloads/types.h"

/* A context that is not running: where its stack is. */
struct context {
	void *sp;
	/* for the sanitizer, which follows stacks */
	void *fake;
	const void *bottom;
	size_t sz;
};

/* fn(arg) on that stack, at the first switch to it; fn never returns. */
void context__make(struct context *ctx, char *stack, size_t sz, void (*fn)(void *arg), void *arg);
void context__switch(struct context *from, struct context *to);
/* The same, and `from` will not be gone back to. */
void context__leave(struct context *from, struct context *to) __attribute__((noreturn));

#endif
