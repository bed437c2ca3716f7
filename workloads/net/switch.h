/* SPDX-License-Identifier: BSD-2-Clause */
/* From one stack to another. */
#ifndef WORKLOADS_NET_SWITCH_H
#define WORKLOADS_NET_SWITCH_H

#include "workloads/types.h"

/* In assembler where it is written; else by ucontext, which asks the kernel for the signal mask. */
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(CONTEXT_PORTABLE)
#define CONTEXT_OWN 1
#else
#include <ucontext.h>
#endif

/* A context that is not running: where its stack is. */
struct context {
#ifdef CONTEXT_OWN
	void *sp;
#else
	ucontext_t portable;
#endif
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
