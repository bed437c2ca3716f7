// SPDX-License-Identifier: BSD-2-Clause
/* The SVG itself. What the script needs stands in attributes; nothing foreign is ever script. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/flame_impl.h"
#include "user/output/paths.h"
#include "user/util/units.h"

#define LINE 17 /* px a line of the head */

static const struct {
	const char *css, *meaning;
} classes[] = {
	[WC_PATH_PROCESS] = { "pr", "process, thread" },
	[WC_PATH_WAKEE_USER] = { "eu", "wakee, user" },
	[WC_PATH_WAKEE_KERNEL] = { "ek", "wakee, kernel" },
	[WC_PATH_SEPARATOR] = { "sp", "woken by" },
	[WC_PATH_WAKER_KERNEL] = { "rk", "waker, kernel" },
	[WC_PATH_WAKER_USER] = { "ru", "waker, user" },
	[WC_PATH_CONTEXT] = { "cx", "interrupt" },
	[WC_PATH_STAGE] = { "st", "stage" },
	[WC_PATH_NOTE] = { "no", "note: no code" },
};
#define CLASS_CNT (sizeof(classes) / sizeof(classes[0]))

static const struct {
	const char *css, *meaning;
} changes[] = {
	{ "less4", "less, by over half" },
	{ "less2", "less" },
	{ "same", "no change" },
	{ "more2", "more" },
	{ "more4", "more, by over half" },
	{ "new", "new" },
	{ "gone", "gone: as wide as it was" },
};
#define CHANGE_CNT (sizeof(changes) / sizeof(changes[0]))

struct drawing {
	const struct flame *fl;
	FILE *f;
	uint32_t rows;
	unsigned int width; /* of the page */
	double x, y;	    /* where the next fact or key goes */
	int err;
};

/* By name, but stages lie side by side and must differ from their neighbours. */
static unsigned int shade(const struct flame_node *n)
{
	const char *name = n->name;
	uint32_t h = 0x811c9dc5u;

	if (n->path_class == WC_PATH_SEPARATOR)
		return 0;
	if (n->path_class == WC_PATH_STAGE)
		return wc_paths__stage_order(name) * 3 % 5;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x01000193u;
	h ^= h >> 15;
	h *= 0x2c1b3c6du;
	return (h ^ h >> 13) % 5;
}

static const char *unit_name(const struct flame *fl)
{
	if (fl->unit)
		return fl->unit;
	return fl->opts.weigh == WC_WEIGH_COUNT ? "wakes" : "ns";
}

static bool drawn(const struct flame *fl, const struct flame_node *n)
{
	return n->width >= fl->width_min;
}

/* Places a piece of the head that is so wide; a line that is full ends. */
static void flow(struct drawing *d, double width)
{
	if (d->x > FLAME_PAD && d->x + width > d->width - FLAME_PAD) {
		d->x = FLAME_PAD;
		d->y += LINE;
	}
}

static void put_facts(struct drawing *d)
{
	fputs("<g id=\"facts\">\n", d->f);
	for (size_t i = 0; i < d->fl->fact_cnt; i++) {
		size_t room = (size_t)((d->width - 2 * FLAME_PAD) / FLAME_CHAR);
		size_t columns = flame__columns(d->fl->facts[i]);
		double width = (double)(columns < room ? columns : room) * FLAME_CHAR;

		flow(d, width);
		fprintf(d->f, "<text class=\"fact\" x=\"%.0f\" y=\"%.0f\"", d->x, d->y);
		if (columns > room) {
			fputs(" data-full=\"", d->f);
			flame__put(d->f, d->fl->facts[i]);
			fputc('"', d->f);
		}
		fputc('>', d->f);
		flame__put_cut(d->f, d->fl->facts[i], room, false);
		fputs("</text>\n", d->f);
		d->x += width + 2.5 * FLAME_CHAR;
	}
	fputs("</g>\n", d->f);
	d->x = FLAME_PAD;
	d->y += LINE + 5;
}

static void put_key(struct drawing *d, const char *css, const char *meaning)
{
	double width = (double)strlen(meaning) * FLAME_CHAR + 20;

	flow(d, width);
	fprintf(d->f,
		"<g class=\"key\" transform=\"translate(%.0f,%.0f)\"><g class=\"%s\">"
		"<rect y=\"-11\" width=\"14\" height=\"14\"/></g>"
		"<text x=\"19\">%s</text></g>\n",
		d->x, d->y, css, meaning);
	d->x += width + 1.5 * FLAME_CHAR;
}

static void put_legend(struct drawing *d)
{
	bool there[CLASS_CNT] = { false };
	const struct flame_tree *t = &d->fl->tree;

	fputs("<g id=\"legend\">\n", d->f);
	for (size_t i = 1; i < t->cnt; i++)
		there[t->nodes[i].path_class] |= drawn(d->fl, &t->nodes[i]);
	for (size_t i = 0; i < CLASS_CNT && !d->fl->compared; i++)
		if (there[i])
			put_key(d, classes[i].css, classes[i].meaning);
	for (size_t i = 0; i < CHANGE_CNT && d->fl->compared; i++)
		put_key(d, changes[i].css, changes[i].meaning);
	fputs("</g>\n", d->f);
	d->x = FLAME_PAD;
	d->y += 8;
}

static const char *kind_note(const struct flame_node *n)
{
	return n->kind == WC_FRAME_JIT	     ? ", compiled at run time"
	       : n->kind == WC_FRAME_INLINED ? ", inlined"
					     : "";
}

static void put_tooltip(struct drawing *d, const struct flame_node *n, const char *name,
			const char *module, const struct flame_change *c)
{
	const struct flame_node *root = &d->fl->tree.nodes[0];
	enum flame_side side = n->ghost ? FLAME_BASE : FLAME_NEW;
	uint64_t whole = root->value[side];
	char value[WC_UNITS_BUF_SZ], share[WC_UNITS_BUF_SZ], was[WC_UNITS_BUF_SZ];

	fputs("<title>", d->f);
	flame__put(d->f, name);
	fprintf(d->f, "\n%s%s", n == root ? "everything" : classes[n->path_class].meaning,
		kind_note(n));
	if (*module) {
		fputs(", ", d->f);
		flame__put(d->f, module);
	}
	fprintf(d->f, "\n%s, %s of all%s",
		flame__format(d->fl, value, sizeof(value), n->value[side]),
		wc_units__format_percent(share, sizeof(share),
					 whole ? (double)n->value[side] / (double)whole : 0),
		n->ghost ? " before; gone" : "");
	if (d->fl->compared && !n->ghost)
		fprintf(d->f, "\n%s; before %s", *c->text ? c->text : "no change",
			flame__format(d->fl, was, sizeof(was),
				      d->fl->opts.self ? n->self[FLAME_BASE]
						       : n->value[FLAME_BASE]));
	fputs("</title>", d->f);
}

/* As much of the name as fits, with the change behind it where there is room for both. */
static void put_label(struct drawing *d, const struct flame_node *n, const char *name,
		      const struct flame_change *c, double x_pct, double w_pct, uint32_t y)
{
	double px = w_pct / 100 * (d->width - 2 * FLAME_PAD) - 8;
	size_t columns = px > 0 ? (size_t)(px / FLAME_CHAR) : 0;
	size_t extra = *c->text ? strlen(c->text) + 1 : 0;

	if (columns < 3)
		return;
	fprintf(d->f, "<text x=\"%.5g%%\" dx=\"4\" y=\"%u\">", x_pct, y + 13);
	if (flame__columns(name) + extra > columns)
		extra = 0;
	flame__put_cut(d->f, name, columns - extra, n->kind == WC_FRAME_JIT);
	if (extra)
		fprintf(d->f, " %s", c->text);
	fputs("</text>", d->f);
}

static void put_data(struct drawing *d, const struct flame_node *n, const struct flame_change *c)
{
	enum flame_side side = n->ghost ? FLAME_BASE : FLAME_NEW;

	fprintf(d->f, " data-x=\"%" PRIu64 "\" data-v=\"%" PRIu64 "\"", n->x, n->value[side]);
	if (n->width != n->value[side])
		fprintf(d->f, " data-w=\"%" PRIu64 "\"", n->width);
	if (n->kind == WC_FRAME_JIT)
		fputs(" data-j=\"\"", d->f);
	if (d->fl->compared && *c->text)
		fprintf(d->f, " data-d=\"%s\"", c->text);
}

static void put_frame(struct drawing *d, const struct flame_node *n)
{
	const struct flame *fl = d->fl;
	const struct flame_node *root = &fl->tree.nodes[0];
	struct flame_change c = { .css = "", .text = "" };
	uint32_t row = fl->opts.inverted ? n->depth : d->rows - 1 - n->depth;
	double whole = (double)root->width, x = 0, w = 100;
	char *name = flame__safe(n->path_class == WC_PATH_SEPARATOR ? "woken by" : n->name);
	char *module = flame__safe(n->module);

	if (!name || !module) {
		d->err = -ENOMEM;
	} else {
		if (fl->compared)
			c = flame__change(fl, n);
		if (n->path_class == WC_PATH_SEPARATOR)
			c.text[0] = '\0'; /* it is a line, with no cost of its own */
		if (whole > 0) {
			x = (double)n->x / whole * 100;
			w = (double)n->width / whole * 100;
		}
		if (fl->compared && n->path_class != WC_PATH_SEPARATOR)
			fprintf(d->f, "<g class=\"f %s\"", c.css);
		else
			fprintf(d->f, "<g class=\"f %s s%u\"", classes[n->path_class].css,
				shade(n));
		put_data(d, n, &c);
		fputc('>', d->f);
		put_tooltip(d, n, name, module, &c);
		fprintf(d->f, "<rect x=\"%.7g%%\" y=\"%u\" width=\"%.7g%%\" height=\"%d\"/>", x,
			row * FLAME_ROW, w, FLAME_ROW - 1);
		put_label(d, n, name, &c, x, w, row * FLAME_ROW);
		fputs("</g>\n", d->f);
	}
	free(name);
	free(module);
}

/* Parents first; depth is bounded by FLAME_DEPTH_MAX. */
static void put_tree(struct drawing *d, uint32_t i)
{
	const struct flame_node *nodes = d->fl->tree.nodes;

	if (!drawn(d->fl, &nodes[i]) || d->err)
		return;
	put_frame(d, &nodes[i]);
	for (uint32_t c = nodes[i].child; c != FLAME_NONE; c = nodes[c].next)
		put_tree(d, c);
}

/* Unlike a text of attributes, a style or script ends at "]]>" alone, and ours hold none. */
static void put_block(FILE *f, const char *tag, const char *text)
{
	fprintf(f, "<%s><![CDATA[\n%s]]></%s>\n", tag, text, tag);
}

static void put_root(struct drawing *d, double height)
{
	const struct flame *fl = d->fl;
	const struct flame_node *root = &fl->tree.nodes[0];

	fprintf(d->f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" WC_FLAME_MAGIC
		": open it in a web browser -->\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" id=\"wakecost\" "
		"width=\"%u\" height=\"%.0f\" role=\"img\" aria-labelledby=\"wc-title wc-desc\" "
		"font-size=\"12\" font-family=\"ui-monospace, 'DejaVu Sans Mono', 'Liberation "
		"Mono', Menlo, Consolas, monospace\" data-unit=\"%s\" data-rows=\"%u\" "
		"data-inverted=\"%d\" data-fluid=\"%d\" data-total=\"%" PRIu64 "\"",
		d->width, height, unit_name(fl), d->rows, fl->opts.inverted, !fl->opts.width,
		root->value[FLAME_NEW]);
	if (fl->unit)
		fprintf(d->f, " data-per=\"%.0f\"", fl->per);
	if (fl->compared)
		fprintf(d->f, " data-base=\"%" PRIu64 "\"", root->value[FLAME_BASE]);
	fputs(">\n<title id=\"wc-title\">", d->f);
	flame__put(d->f, fl->title);
	fputs("</title>\n<desc id=\"wc-desc\">Flame graph. A frame is as wide as its ", d->f);
	if (fl->unit)
		fprintf(d->f, "number of %s", fl->unit);
	else
		fputs(fl->opts.weigh == WC_WEIGH_COUNT ? "number of wakes" : "time", d->f);
	fprintf(d->f, "; what it leads to stands %s it.", fl->opts.inverted ? "below" : "above");
	for (size_t i = 0; i < fl->fact_cnt; i++) {
		fputc(' ', d->f);
		flame__put(d->f, fl->facts[i]);
		fputc(';', d->f);
	}
	fputs("</desc>\n", d->f);
}

static int put_head(struct drawing *d, char **head)
{
	FILE *out = d->f;
	size_t len;

	d->f = open_memstream(head, &len);
	if (!d->f) {
		d->f = out;
		return -ENOMEM;
	}
	fprintf(d->f, "<g id=\"head\">\n<text class=\"title\" id=\"heading\" x=\"%d\" y=\"25\">",
		FLAME_PAD);
	flame__put_cut(d->f, d->fl->title,
		       (size_t)((d->width - 2 * FLAME_PAD) / (FLAME_CHAR * 16 / 12)), false);
	fputs("</text>\n", d->f);
	d->x = FLAME_PAD;
	d->y = 46;
	put_facts(d);
	put_legend(d);
	fputs("</g>\n", d->f);
	if (fclose(d->f)) {
		d->f = out;
		return -ENOMEM;
	}
	d->f = out;
	return 0;
}

int flame__write(const struct flame *fl, FILE *f)
{
	unsigned int width = fl->opts.width ? fl->opts.width : WC_FLAME_WIDTH;
	struct drawing d = { .fl = fl, .f = f, .width = width };
	unsigned int height;
	char *head = NULL;

	for (size_t i = 0; i < fl->tree.cnt; i++)
		if (drawn(fl, &fl->tree.nodes[i]) && fl->tree.nodes[i].depth >= d.rows)
			d.rows = fl->tree.nodes[i].depth + 1;
	d.err = put_head(&d, &head);
	if (d.err) {
		free(head);
		return d.err;
	}
	height = d.rows * FLAME_ROW;
	put_root(&d, d.y + height + 30);
	put_block(f, "style", wc_flame_css);
	fprintf(f, "<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n%s", head);
	free(head);
	fprintf(f, "<svg id=\"frames\" x=\"%d\" y=\"%.0f\" width=\"%u\" height=\"%u\">\n",
		FLAME_PAD, d.y, width - 2 * FLAME_PAD, height);
	put_tree(&d, 0);
	fputs("</svg>\n", f);
	if (!fl->opts.no_js)
		put_block(f, "script", wc_flame_js);
	fputs("</svg>\n", f);
	if (d.err)
		return d.err;
	return fflush(f) || ferror(f) ? -(errno ? errno : EIO) : 0;
}
