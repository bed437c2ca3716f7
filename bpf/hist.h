/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Log-linear histogram of nanoseconds: bucket arithmetic, shared by the probes, the user side
 * and the tests. Exact below 32 ns, then 32 buckets an octave (a bucket is at most 3.1 % wide)
 * up to 2^36 ns (69 s); the last bucket holds everything above.
 *
 * No loop, no division, no branch: the verifier and the hot path both like it so.
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

/*
 * The same, coarser, where there are many: 8 buckets an octave (at most 12.5 % wide), up to 2^34
 * ns (17 s), 32-bit counts. No sum: it is kept beside.
 */
#define WC_PHIST_SLOT_CNT 256u

struct wc_phist {
	unsigned int slots[WC_PHIST_SLOT_CNT];
};

/* Where the product of a run of ones with the de Bruijn constant below has its top six bits. */
static const unsigned char __attribute__((unused)) wc_log2_table[64] = {
	0,  47, 1,  56, 48, 27, 2,  60, 57, 49, 41, 37, 28, 16, 3,  61, 54, 58, 35, 52, 50, 42,
	21, 44, 38, 32, 29, 23, 17, 11, 4,  62, 46, 55, 26, 59, 40, 36, 15, 53, 34, 51, 20, 43,
	31, 22, 10, 45, 25, 39, 14, 33, 19, 30, 9,  24, 13, 18, 8,  12, 7,  6,	5,  63,
};

/* Position of the highest bit of v; v > 0. Without a branch: the verifier follows every one. */
static inline unsigned int wc_log2(unsigned long long v)
{
	v |= v >> 1;
	v |= v >> 2;
	v |= v >> 4;
	v |= v >> 8;
	v |= v >> 16;
	v |= v >> 32;
	return wc_log2_table[v * 0x03f79d71b4cb0a89ull >> 58];
}

static inline unsigned int wc_hist_slot(unsigned long long ns)
{
	/* rows of 32: row 0 is 0..31, row 1 is 32..63, row 2 is 64..127 by twos, ... */
	unsigned int row = wc_log2(ns | (WC_HIST_SUB_CNT - 1)) - (WC_HIST_SUB_BITS - 1);
	unsigned int shift = row - ((row + 63) >> 6); /* row - 1, and 0 for row 0 */
	unsigned int slot =
		row * WC_HIST_SUB_CNT + ((unsigned int)(ns >> shift) & (WC_HIST_SUB_CNT - 1));
	unsigned int above = (unsigned int)((int)(WC_HIST_SLOT_CNT - 1 - slot) >> 31);

	return (slot | above) & (WC_HIST_SLOT_CNT - 1);
}

/* Lowest value of a slot; the one of slot + 1 is its (exclusive) end. */
static inline unsigned long long wc_hist_slot_low(unsigned int slot)
{
	unsigned int octave = slot / WC_HIST_SUB_CNT;

	if (octave <= 1)
		return slot;
	return (unsigned long long)(WC_HIST_SUB_CNT + slot % WC_HIST_SUB_CNT) << (octave - 1);
}

/* Rows of 8: 0..7, 8..15, 16..31 by twos, ... */
static inline unsigned int wc_phist_slot(unsigned long long ns)
{
	unsigned int row = wc_log2(ns | 7) - 2;
	unsigned int shift = row - ((row + 63) >> 6);
	unsigned int slot = row * 8 + ((unsigned int)(ns >> shift) & 7);
	unsigned int above = (unsigned int)((int)(WC_PHIST_SLOT_CNT - 1 - slot) >> 31);

	return (slot | above) & (WC_PHIST_SLOT_CNT - 1);
}

static inline unsigned long long wc_phist_slot_low(unsigned int slot)
{
	unsigned int row = slot / 8;

	return row <= 1 ? slot : (unsigned long long)(8 + slot % 8) << (row - 1);
}

#endif
