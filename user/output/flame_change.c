// SPDX-License-Identifier: BSD-2-Clause
/* Colours of a comparison: by relative change, unless it is too small a part of the whole. */
#include "user/output/flame_impl.h"
#include "user/util/units.h"

static const double steps[] = { 0.05, 0.2, 0.5 }; /* of the larger of both */
static const char *const more[] = { "more1", "more2", "more3", "more4" };
static const char *const less[] = { "less1", "less2", "less3", "less4" };

static double share_floor(const struct flame *fl)
{
	const struct flame_node *root = &fl->tree.nodes[0];
	uint64_t whole = root->value[FLAME_NEW] > root->value[FLAME_BASE] ? root->value[FLAME_NEW]
									  : root->value[FLAME_BASE];

	return (double)whole * fl->opts.min_delta_pct / 100;
}

static void put_percent(char *buf, size_t sz, double now, double before)
{
	double ratio = now / before;

	if (before <= 0)
		snprintf(buf, sz, "new");
	else if (ratio >= 10)
		snprintf(buf, sz, "x%.0f", ratio);
	else
		snprintf(buf, sz, "%+.*f %%", ratio < 1.1 && ratio > 0.9 ? 1 : 0,
			 (ratio - 1) * 100);
}

struct flame_change flame__change(const struct flame *fl, const struct flame_node *n)
{
	const uint64_t *values = fl->opts.self ? n->self : n->value;
	double now = (double)values[FLAME_NEW], before = (double)values[FLAME_BASE];
	double larger = now > before ? now : before, delta = now - before;
	struct flame_change c = { .css = "same" };
	size_t step = 0;

	if (n->ghost) {
		c.css = "gone";
		snprintf(c.text, sizeof(c.text), "gone");
		return c;
	}
	if (!n->value[FLAME_BASE] && n->value[FLAME_NEW]) {
		c.css = "new";
		snprintf(c.text, sizeof(c.text), "new");
		return c;
	}
	if (larger <= 0 || (delta < 0 ? -delta : delta) <= share_floor(fl))
		return c;
	while (step < 3 && (delta < 0 ? -delta : delta) > steps[step] * larger)
		step++;
	c.css = delta > 0 ? more[step] : less[step];
	put_percent(c.text, sizeof(c.text), now, before);
	return c;
}
