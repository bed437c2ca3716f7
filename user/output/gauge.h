/* SPDX-License-Identifier: BSD-2-Clause */
/* Gauges as the outputs print them: what a unit means, and nothing about any one gauge. */
#ifndef WC_OUTPUT_GAUGE_H
#define WC_OUTPUT_GAUGE_H

#include "user/model/summary.h"
#include "user/output/grid.h"

#define WC_GAUGE_VALUE_SZ  64
#define WC_GAUGE_FIGURE_SZ 200

/* "12.3 ms", "466", "95.6 %", "4.0 MiB". Returns buf. */
const char *wc_gauge__format(const struct wc_gauge *g, double value, char buf[WC_GAUGE_VALUE_SZ]);
/* "466 [454, 468]"; "-" when not measured. */
const char *wc_gauge__figure(const struct wc_gauge *g, const struct wc_figure *fig,
			     char buf[WC_GAUGE_FIGURE_SZ]);
/* Heads its column; suffix ("bare") or NULL. */
void wc_gauge__head(const struct wc_gauge *g, struct wc_grid *grid, const char *suffix);

#endif
