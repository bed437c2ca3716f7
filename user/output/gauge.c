/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "user/output/gauge.h"
#include "user/util/units.h"

static const char *format_number(double value, char buf[WC_GAUGE_VALUE_SZ])
{
	double size = fabs(value);

	if (size >= 99.95 && size < 1e15 && value > 0)
		return wc_units__format_count(buf, WC_GAUGE_VALUE_SZ, (uint64_t)llround(value));
	if (size < 1e15 && fabs(value - nearbyint(value)) < 1e-9)
		snprintf(buf, WC_GAUGE_VALUE_SZ, "%.0f", value);
	else
		snprintf(buf, WC_GAUGE_VALUE_SZ, "%.*f", size < 9.995 ? 2 : 1, value);
	return buf;
}

const char *wc_gauge__format(const struct wc_gauge *g, double value, char buf[WC_GAUGE_VALUE_SZ])
{
	if (!strcmp(g->unit, "ns"))
		return wc_units__format_ns(buf, WC_GAUGE_VALUE_SZ, value);
	if (!strcmp(g->unit, "bytes") && value >= 0 && value < 1e18)
		return wc_units__format_bytes(buf, WC_GAUGE_VALUE_SZ, (uint64_t)value);
	if (!strcmp(g->unit, "share"))
		return wc_units__format_percent(buf, WC_GAUGE_VALUE_SZ, value);
	return format_number(value, buf);
}

const char *wc_gauge__figure(const struct wc_gauge *g, const struct wc_figure *fig,
			     char buf[WC_GAUGE_FIGURE_SZ])
{
	char median[WC_GAUGE_VALUE_SZ], lo[WC_GAUGE_VALUE_SZ], hi[WC_GAUGE_VALUE_SZ];

	if (!fig->n)
		return strcpy(buf, "-");
	wc_gauge__format(g, fig->median, median);
	if (fig->has_ci)
		snprintf(buf, WC_GAUGE_FIGURE_SZ, "%s [%s, %s]", median,
			 wc_gauge__format(g, fig->lo, lo), wc_gauge__format(g, fig->hi, hi));
	else
		snprintf(buf, WC_GAUGE_FIGURE_SZ, "%s", median);
	return buf;
}

void wc_gauge__head(const struct wc_gauge *g, struct wc_grid *grid, const char *suffix)
{
	char text[96], *bar;

	snprintf(text, sizeof(text), "%s%s%s", g->label, suffix ? "|" : "", suffix ? suffix : "");
	/* two lines at most: a second bar is a blank */
	for (bar = strchr(text, '|'); bar; bar = strchr(bar, '|'))
		*bar = memchr(text, '\n', (size_t)(bar - text)) ? ' ' : '\n';
	wc_grid__head(grid, text);
}
