/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WORKLOADS_TYPES_H
#define WORKLOADS_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define ARRAY_CNT(a) (sizeof(a) / sizeof((a)[0]))
#define LINE_SZ	     64u /* stride that keeps two objects off one cache line */

static inline u64 clock__now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000ull + (u64)ts.tv_nsec;
}

static inline void cpu__relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ __volatile__("yield" ::: "memory");
#else
	__asm__ __volatile__("" ::: "memory");
#endif
}

static inline void compiler__barrier(void)
{
	__asm__ __volatile__("" ::: "memory");
}

#endif
