/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that look random and are the same for the same seed (splitmix64). */
#ifndef WC_UTIL_RNG_H
#define WC_UTIL_RNG_H

#include <stddef.h>
#include <stdint.h>

struct wc_rng {
	uint64_t state;
};

static inline uint64_t wc_rng__next(struct wc_rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Evenly in 0..n-1; n > 0. Rejects what would favour the small ones. */
static inline uint64_t wc_rng__below(struct wc_rng *r, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, v;

	do
		v = wc_rng__next(r);
	while (v >= limit);
	return v % n;
}

static inline void wc_rng__shuffle(struct wc_rng *r, size_t *v, size_t n)
{
	for (; n > 1; n--) {
		size_t j = wc_rng__below(r, n), t = v[n - 1];

		v[n - 1] = v[j];
		v[j] = t;
	}
}

#endif
