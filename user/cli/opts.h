/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One table of options a command: it drives parsing, --help, completion and the test of the
 * manual. A row points at the variable it sets, whose first value is the default:
 *
 *	static bool json;
 *	static uint64_t rounds = 7;
 *	static struct wc_strings params;
 *
 *	static const struct wc_opt opts[] = {
 *		WC_FLAG('j', "json", &json, "print one JSON document"),
 *		WC_UNSIGNED('r', "rounds", "N", &rounds, 1, 10000, "rounds of every cell (7)"),
 *		WC_STRINGS('P', "param", "K=V[,V...]", &params, "values of a parameter"),
 *		WC_STRING(0, "disable", "LIST", &disable, "for tests", .hidden = true),
 *		WC_OPT_END,
 *	};
 *
 * -h, -q and -v are added to every command by the frame. Letters mean the same everywhere:
 * -p pid -t tid -a all -C cpu -G cgroup -d duration -i input -o output -n limit -s sort -r rounds
 * -P param -u unit -j json -q -v -h -V.
 */
#ifndef WC_CLI_OPTS_H
#define WC_CLI_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wc_opt_type {
	WC_OPT_NONE = 0, /* end of the table */
	WC_OPT_FLAG,
	WC_OPT_STRING,	 /* the last one given counts */
	WC_OPT_STRINGS,	 /* every one given counts, in order */
	WC_OPT_UNSIGNED, /* within min..max */
	WC_OPT_DURATION, /* ns, within min..max */
	WC_OPT_SIZE,	 /* bytes, within min..max */
	WC_OPT_ENUM,	 /* one of choices; stored as its index */
};

/* Strings belong to argv; the array to the parser (wc_strings__free). */
struct wc_strings {
	const char **items;
	size_t cnt;
};

struct wc_opt {
	char letter;	  /* 0: long form only */
	const char *name; /* without dashes */
	enum wc_opt_type type;
	const char *arg; /* as shown: "FILE"; NULL for a flag */
	union {
		bool *flag;
		const char **string;
		struct wc_strings *strings;
		uint64_t *number;
		unsigned int *choice;
	} to;
	const char *help; /* one line, lower case; every choice, and the default in brackets */
	uint64_t min, max;
	const char *const *choices; /* ends with NULL */
	bool *given;		    /* set when the option was there; optional */
	bool hidden;		    /* parsed, and shown nowhere */
};

/* What follows the help text may set further fields: .hidden = true, .given = &x. */
#define WC_FLAG(l, n, v, h, ...)                                                              \
	{                                                                                     \
		.letter = (l), .name = (n), .type = WC_OPT_FLAG, .to.flag = (v), .help = (h), \
		##__VA_ARGS__                                                                 \
	}
#define WC_STRING(l, n, a, v, h, ...)                                                            \
	{                                                                                        \
		.letter = (l), .name = (n), .type = WC_OPT_STRING, .arg = (a), .to.string = (v), \
		.help = (h), ##__VA_ARGS__                                                       \
	}
#define WC_STRINGS(l, n, a, v, h, ...)                                                             \
	{                                                                                          \
		.letter = (l), .name = (n), .type = WC_OPT_STRINGS, .arg = (a), .to.strings = (v), \
		.help = (h), ##__VA_ARGS__                                                         \
	}
#define WC_NUMBER_(t, l, n, a, v, lo, hi, h, ...)                                      \
	{                                                                              \
		.letter = (l), .name = (n), .type = (t), .arg = (a), .to.number = (v), \
		.min = (lo), .max = (hi), .help = (h), ##__VA_ARGS__                   \
	}
#define WC_UNSIGNED(...) WC_NUMBER_(WC_OPT_UNSIGNED, __VA_ARGS__)
#define WC_DURATION(...) WC_NUMBER_(WC_OPT_DURATION, __VA_ARGS__)
#define WC_SIZE(...)	 WC_NUMBER_(WC_OPT_SIZE, __VA_ARGS__)
#define WC_ENUM(l, n, a, v, c, h, ...)                                                         \
	{                                                                                      \
		.letter = (l), .name = (n), .type = WC_OPT_ENUM, .arg = (a), .to.choice = (v), \
		.choices = (c), .help = (h), ##__VA_ARGS__                                     \
	}
#define WC_OPT_END                  \
	{                           \
		.type = WC_OPT_NONE \
	}

/*
 * Parses argv[1..]; options and arguments may be mixed, "--" ends options. What is not an option
 * is moved to argv[1..*argc). common is a second table (may be NULL) tried after opts.
 * 0 or -EINVAL, with the message already printed: option, what it wants, what it got.
 */
int wc_opts__parse(const struct wc_opt *opts, const struct wc_opt *common, int *argc, char **argv);
/* Option lines of --help on stdout. */
void wc_opts__print_help(const struct wc_opt *opts);
const struct wc_opt *wc_opts__find(const struct wc_opt *opts, const char *name, char letter);

void wc_strings__free(struct wc_strings *s);

#endif
