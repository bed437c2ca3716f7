/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux 6.17 (80367ad01d93, 56180dd20c19) gives a process its own table of futex buckets. The
 * index there is jhash2 over the page address with the offset in the page as seed; the mm is not
 * part of it, so a program can compute where its words land. The global table hashes the kernel's
 * mm pointer too: nothing can be said about that one from here.
 */
#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "futex_hash.h"

#ifndef PR_FUTEX_HASH
#define PR_FUTEX_HASH		78
#define PR_FUTEX_HASH_SET_SLOTS 1
#define PR_FUTEX_HASH_GET_SLOTS 2
#endif

#define JHASH_INITVAL 0xdeadbeef

int futex_hash__slots(void)
{
	return prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_GET_SLOTS, 0, 0, 0);
}

int futex_hash__set_slots(u32 slots)
{
	return prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_SET_SLOTS, (unsigned long)slots, 0, 0) ? -errno
											 : 0;
}

static u32 rol32(u32 word, unsigned int shift)
{
	return word << shift | word >> (32 - shift);
}

/* The kernel's jhash2() for a key of two words. */
static u32 jhash2__two(u32 k0, u32 k1, u32 initval)
{
	u32 a, b, c;

	a = b = c = JHASH_INITVAL + (2u << 2) + initval;
	b += k1;
	a += k0;
	c ^= b;
	c -= rol32(b, 14);
	a ^= c;
	a -= rol32(c, 11);
	b ^= a;
	b -= rol32(a, 25);
	c ^= b;
	c -= rol32(b, 16);
	a ^= c;
	a -= rol32(c, 4);
	b ^= a;
	b -= rol32(a, 14);
	c ^= b;
	c -= rol32(b, 24);
	return c;
}

u32 futex_hash__bucket(const void *word, u32 slots)
{
	u64 addr = (u64)(uintptr_t)word;
	u64 off = addr & ((u64)sysconf(_SC_PAGESIZE) - 1);
	u64 page = addr - off;
	u32 k0 = (u32)page, k1 = (u32)(page >> 32);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	k0 = (u32)(page >> 32);
	k1 = (u32)page;
#endif
	return jhash2__two(k0, k1, (u32)off) & (slots - 1);
}
