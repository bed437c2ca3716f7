// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/opts.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/util/log.h"
#include "user/util/units.h"

enum {
	ROWS_MAX = 64,
	LONG_BASE = 256, /* what getopt returns for row i: past every letter */
	HELP_COLUMN = 28,
	HELP_WIDTH = 79,
};

/* Rows of both tables in the forms getopt wants. */
struct parser {
	const struct wc_opt *rows[ROWS_MAX];
	size_t cnt;
	struct option longs[ROWS_MAX + 1];
	char letters[2 * ROWS_MAX + 4];
};

static int parser__add(struct parser *p, const struct wc_opt *opts)
{
	size_t len = strlen(p->letters);

	for (; opts && opts->type != WC_OPT_NONE; opts++) {
		if (p->cnt == ROWS_MAX)
			return -E2BIG;
		p->longs[p->cnt].name = opts->name;
		p->longs[p->cnt].has_arg = opts->arg ? required_argument : no_argument;
		p->longs[p->cnt].val = LONG_BASE + (int)p->cnt;
		if (opts->letter) {
			p->letters[len++] = opts->letter;
			if (opts->arg)
				p->letters[len++] = ':';
		}
		p->rows[p->cnt++] = opts;
	}
	return 0;
}

static const struct wc_opt *parser__row(const struct parser *p, int val)
{
	size_t i;

	if (val >= LONG_BASE)
		return p->rows[val - LONG_BASE];
	for (i = 0; i < p->cnt; i++)
		if (val && p->rows[i]->letter == val)
			return p->rows[i];
	return NULL;
}

static int number__set(const struct wc_opt *opt, const char *arg)
{
	char lo[WC_UNITS_BUF_SZ], hi[WC_UNITS_BUF_SZ];
	uint64_t v;
	int err;

	if (opt->type == WC_OPT_DURATION)
		err = wc_units__parse_duration(arg, &v);
	else if (opt->type == WC_OPT_SIZE)
		err = wc_units__parse_size(arg, &v);
	else
		err = wc_units__parse_unsigned(arg, &v);
	if (!err && v >= opt->min && v <= opt->max) {
		*opt->to.number = v;
		return 0;
	}
	if (opt->type == WC_OPT_DURATION)
		wc_err("--%s wants a time from %s to %s, such as 5s or 200ms, not '%s'", opt->name,
		       wc_units__format_ns(lo, sizeof(lo), (double)opt->min),
		       wc_units__format_ns(hi, sizeof(hi), (double)opt->max), arg);
	else if (opt->type == WC_OPT_SIZE)
		wc_err("--%s wants a size from %s to %s, such as 64K or 4M, not '%s'", opt->name,
		       wc_units__format_bytes(lo, sizeof(lo), opt->min),
		       wc_units__format_bytes(hi, sizeof(hi), opt->max), arg);
	else
		wc_err("--%s wants a whole number from %s to %s, not '%s'", opt->name,
		       wc_units__format_count(lo, sizeof(lo), opt->min),
		       wc_units__format_count(hi, sizeof(hi), opt->max), arg);
	return -EINVAL;
}

/* "a, b or c" */
static void choices__join(const char *const *choices, char *dst, size_t sz)
{
	size_t len = 0, i;

	dst[0] = '\0';
	for (i = 0; choices[i] && len < sz; i++)
		len += (size_t)snprintf(dst + len, sz - len, "%s%s",
					!i ? "" : (choices[i + 1] ? ", " : " or "), choices[i]);
}

static int choice__set(const struct wc_opt *opt, const char *arg)
{
	char all[256];
	unsigned int i;

	for (i = 0; opt->choices[i]; i++) {
		if (strcmp(opt->choices[i], arg) == 0) {
			*opt->to.choice = i;
			return 0;
		}
	}
	choices__join(opt->choices, all, sizeof(all));
	wc_err("--%s wants %s, not '%s'", opt->name, all, arg);
	return -EINVAL;
}

static int strings__add(struct wc_strings *s, const char *item)
{
	const char **items = reallocarray(s->items, s->cnt + 1, sizeof(*items));

	if (!items) {
		wc_err("no memory");
		return -ENOMEM;
	}
	s->items = items;
	s->items[s->cnt++] = item;
	return 0;
}

void wc_strings__free(struct wc_strings *s)
{
	free(s->items);
	s->items = NULL;
	s->cnt = 0;
}

static int opt__set(const struct wc_opt *opt, const char *arg)
{
	if (opt->given)
		*opt->given = true;
	switch (opt->type) {
	case WC_OPT_FLAG:
		*opt->to.flag = true;
		return 0;
	case WC_OPT_STRING:
		*opt->to.string = arg;
		return 0;
	case WC_OPT_STRINGS:
		return strings__add(opt->to.strings, arg);
	case WC_OPT_ENUM:
		return choice__set(opt, arg);
	case WC_OPT_UNSIGNED:
	case WC_OPT_DURATION:
	case WC_OPT_SIZE:
		return number__set(opt, arg);
	case WC_OPT_NONE:
		break;
	}
	return -EINVAL;
}

static int parser__refuse_long(const struct parser *p, const char *word)
{
	unsigned int best = 3, d, alike = 0;
	const char *close = NULL;
	char name[64];
	size_t i;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	for (i = 0; i < p->cnt; i++) {
		if (p->rows[i]->hidden)
			continue;
		alike += wc_text__starts(p->rows[i]->name, name);
		d = wc_text__distance(name, p->rows[i]->name, 2);
		if (d < best) {
			best = d;
			close = p->rows[i]->name;
		}
	}
	if (alike > 1)
		wc_err("option --%s could be %u options: write more of it", name, alike);
	else if (close)
		wc_err("unknown option --%s; did you mean --%s?", name, close);
	else
		wc_err("unknown option --%s; --help lists them", name);
	return -EINVAL;
}

/* getopt said '?' or ':' about word. */
static int parser__refuse(const struct parser *p, int said, const char *word)
{
	const struct wc_opt *opt = parser__row(p, optopt);

	if (opt && said == ':')
		wc_err("--%s wants %s", opt->name, opt->arg);
	else if (opt && wc_text__starts(word, "--"))
		wc_err("--%s takes no value", opt->name);
	else if (wc_text__starts(word, "--"))
		return parser__refuse_long(p, word);
	else
		wc_err("unknown option -%c; --help lists them", optopt);
	return -EINVAL;
}

int wc_opts__parse(const struct wc_opt *opts, const struct wc_opt *common, int *argc, char **argv)
{
	/* '+': stop at what is not an option, so that "--" and arguments are told apart here. */
	struct parser p = { .letters = "+:" };
	const struct wc_opt *opt;
	int said, at, kept = 1, err;

	err = parser__add(&p, opts);
	if (!err)
		err = parser__add(&p, common);
	if (err)
		return err;
	opterr = 0;
	optind = 0; /* glibc: start anew */
	for (at = 1; at < *argc; at = optind) {
		said = getopt_long(*argc, argv, p.letters, p.longs, NULL);
		if (said == -1 && optind > at) /* "--" */
			break;
		if (said == -1) {
			argv[kept++] = argv[optind++];
			continue;
		}
		if (said == '?' || said == ':')
			return parser__refuse(&p, said, argv[at]);
		opt = parser__row(&p, said);
		err = opt__set(opt, optarg);
		if (err)
			return err;
	}
	while (optind < *argc && optind > 0)
		argv[kept++] = argv[optind++];
	argv[kept] = NULL;
	*argc = kept;
	return 0;
}

const struct wc_opt *wc_opts__find(const struct wc_opt *opts, const char *name, char letter)
{
	for (; opts && opts->type != WC_OPT_NONE; opts++)
		if ((name && strcmp(opts->name, name) == 0) || (letter && opts->letter == letter))
			return opts;
	return NULL;
}

/* Words of text from column HELP_COLUMN on; the cursor stands at column at. */
static void help__wrap(size_t at, const char *text)
{
	size_t len;

	while (*text) {
		len = strcspn(text, " ");
		if (at > HELP_COLUMN && at + 1 + len > HELP_WIDTH) {
			putchar('\n');
			at = 0;
		}
		if (at < HELP_COLUMN) {
			printf("%*s", (int)(HELP_COLUMN - at), "");
			at = HELP_COLUMN;
		} else if (at > HELP_COLUMN) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)len, text);
		at += len;
		text += len;
		text += *text == ' ';
	}
	putchar('\n');
}

void wc_opts__print_help(const struct wc_opt *opts)
{
	char left[128], letter[] = "-x, ";

	for (; opts->type != WC_OPT_NONE; opts++) {
		if (opts->hidden)
			continue;
		letter[1] = opts->letter;
		snprintf(left, sizeof(left), "  %s--%s%s%s", opts->letter ? letter : "    ",
			 opts->name, opts->arg ? " " : "", opts->arg ? opts->arg : "");
		printf("%s", left);
		if (strlen(left) + 2 > HELP_COLUMN) {
			putchar('\n');
			help__wrap(0, opts->help);
		} else {
			help__wrap(strlen(left), opts->help);
		}
	}
}
