/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "switch.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define FIBER_START(fake, ctx) __sanitizer_start_switch_fiber(fake, (ctx)->bottom, (ctx)->sz)
#define FIBER_DONE(fake, from) __sanitizer_finish_switch_fiber(fake, &(from)->bottom, &(from)->sz)
#else
#define FIBER_START(fake, ctx) ((void)0)
#define FIBER_DONE(fake, from) ((void)0)
#endif

#ifdef CONTEXT_OWN
/* What the callee must keep goes on the stack, the stack pointer to *from; and back from `to`. */
void wl_context_swap(void **from, void *to);
/* The first return of a new stack comes here: its function and argument are in kept registers. */
void wl_context_first(void);
#endif

#if defined(CONTEXT_OWN) && defined(__x86_64__)
#define KEPT_CNT 6
#define KEPT_ARG 3 /* r12, r13: counted from the stack pointer */
#define KEPT_FN	 2
__asm__(".text\n"
	".globl wl_context_swap\n"
	".type wl_context_swap, @function\n"
	"wl_context_swap:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size wl_context_swap, .-wl_context_swap\n"
	".globl wl_context_first\n"
	".type wl_context_first, @function\n"
	"wl_context_first:\n"
	"	mov %r12, %rdi\n"
	"	xor %ebp, %ebp\n"
	"	call *%r13\n"
	"	ud2\n"
	".size wl_context_first, .-wl_context_first\n");
#elif defined(CONTEXT_OWN)
#define KEPT_CNT 20
__asm__(".text\n"
	".globl wl_context_swap\n"
	".type wl_context_swap, %function\n"
	"wl_context_swap:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size wl_context_swap, .-wl_context_swap\n"
	".globl wl_context_first\n"
	".type wl_context_first, %function\n"
	"wl_context_first:\n"
	"	mov x0, x19\n"
	"	mov x29, xzr\n"
	"	blr x20\n"
	"	brk #1\n"
	".size wl_context_first, .-wl_context_first\n");
#endif

/* At the very top of a new stack. */
struct first {
	void (*fn)(void *arg);
	void *arg;
} __attribute__((aligned(16)));

static __thread struct context *came_from;

static void context__begin(void *arg)
{
	struct first first = *(struct first *)arg;

	FIBER_DONE(NULL, came_from);
	first.fn(first.arg);
	abort();
}

#if !defined(CONTEXT_OWN)
/* makecontext() hands over integers. */
static void context__begin_portable(unsigned int high, unsigned int low)
{
	context__begin((void *)(uintptr_t)((u64)high << 32 | low));
}
#endif

void context__make(struct context *ctx, char *stack, size_t sz, void (*fn)(void *arg), void *arg)
{
	struct first *first = (struct first *)(stack + sz) - 1;

	memset(ctx, 0, sizeof(*ctx));
	ctx->bottom = stack;
	ctx->sz = sz;
	*first = (struct first){ fn, arg };
#if !defined(CONTEXT_OWN)
	getcontext(&ctx->portable);
	ctx->portable.uc_stack.ss_sp = stack;
	ctx->portable.uc_stack.ss_size = sz - sizeof(*first);
	makecontext(&ctx->portable, (void (*)(void))context__begin_portable, 2,
		    (unsigned int)((u64)(uintptr_t)first >> 32), (unsigned int)(uintptr_t)first);
#else
	void **top = (void **)first;

#if defined(__x86_64__)
	/* Returned to, it finds the stack at a multiple of 16, as its call wants it. */
	top -= 1;
	*top = (void *)wl_context_first;
	top -= KEPT_CNT;
	memset(top, 0, KEPT_CNT * sizeof(*top));
	top[KEPT_ARG] = first;
	top[KEPT_FN] = (void *)context__begin;
#else
	top -= KEPT_CNT;
	memset(top, 0, KEPT_CNT * sizeof(*top));
	top[0] = first;
	top[1] = (void *)context__begin;
	top[11] = (void *)wl_context_first;
#endif
	ctx->sp = top;
#endif
}

static void context__swap(struct context *from, struct context *to)
{
#ifdef CONTEXT_OWN
	wl_context_swap(&from->sp, to->sp);
#else
	swapcontext(&from->portable, &to->portable);
#endif
}

void context__switch(struct context *from, struct context *to)
{
	came_from = from;
	FIBER_START(&from->fake, to);
	context__swap(from, to);
	FIBER_DONE(from->fake, came_from);
}

void context__leave(struct context *from, struct context *to)
{
	came_from = from;
	FIBER_START(NULL, to);
	context__swap(from, to);
	abort();
}
