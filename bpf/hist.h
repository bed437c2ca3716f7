/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Log-linear histogram of nanoseconds: bucket arithmetic, shared by the probes, the user side
 * and the tests. Exact below 32 ns, then 32 buckets an octave (a bucket is at most 3.1 % wide)
 * up to 2^36 ns (69 s); the last bucket holds everything above.
 *
 * No helper, no loop, no division: the verifier and the hot path both like it so.
 */
#ifndef WAKECOST_HIST_H
#define WAKECOST_HIST_H

#define WC_HIST_SUB_BITS   5
#define WC_HIST_SUB_CNT	   (1u << WC_HIST_SUB_BITS)
#define WC_HIST_OCTAVE_CNT 31
#define WC_HIST_SLOT_CNT   ((WC_HIST_OCTAVE_CNT + 1) * WC_HIST_SUB_CNT) /* 1024 */

struct wc_hist {
	unsigned long long count;
	unsigned long long sum; /* ns */
	unsigned long long slots[WC_HIST_SLOT_CNT];
};

/* Position of the highest bit of v; v > 0. */
static inline unsigned int wc_log2(unsigned long long v)
{
	unsigned int r, s;

	r = (v > 0xffffffffull) << 5;
	v >>= r;
	s = (v > 0xffff) << 4;
	v >>= s;
	r |= s;
	s = (v > 0xff) << 3;
	v >>= s;
	r |= s;
	s = (v > 0xf) << 2;
	v >>= s;
	r |= s;
	s = (v > 0x3) << 1;
	v >>= s;
	r |= s;
	return r | (unsigned int)(v >> 1);
}

static inline unsigned int wc_hist_slot(unsigned long long ns)
{
	unsigned int octave, slot;

	if (ns < WC_HIST_SUB_CNT)
		return (unsigned int)ns;
	octave = wc_log2(ns) - WC_HIST_SUB_BITS;
	slot = (octave + 1) * WC_HIST_SUB_CNT +
	       ((unsigned int)(ns >> octave) & (WC_HIST_SUB_CNT - 1));
	return slot < WC_HIST_SLOT_CNT ? slot : WC_HIST_SLOT_CNT - 1;
}

/* Lowest value of a slot; the one of slot + 1 is its (exclusive) end. */
static inline unsigned long long wc_hist_slot_low(unsigned int slot)
{
	unsigned int octave = slot / WC_HIST_SUB_CNT;

	if (octave <= 1)
		return slot;
	return (unsigned long long)(WC_HIST_SUB_CNT + slot % WC_HIST_SUB_CNT) << (octave - 1);
}

#endif
