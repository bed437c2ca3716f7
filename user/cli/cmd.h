/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands. Adding one takes user/cli/cmd_NAME.c, which exports
 *
 *	const struct wc_cmd wc_cmd_NAME = { ... };
 *
 * one WC_COMMANDS row below, and its section in docs/wakecost.rst (a test compares them).
 */
#ifndef WC_CLI_CMD_H
#define WC_CLI_CMD_H

#include "user/cli/opts.h"
#include "user/util/exit.h"

struct wc_cmd {
	const char *name;
	const char *alias; /* another word for it, shown nowhere but in the manual; NULL: none */
	const char *args;  /* as shown: "[FILE]"; NULL: takes none */
	unsigned int args_max;
	const char *help;	     /* one line, for the list of commands */
	const struct wc_opt *opts;   /* ends with WC_OPT_END */
	const char *const *examples; /* three, end with NULL; shown by --help */
	const char *const *words;    /* what args may be, for completion; NULL: files */
	/*
	 * Called with options parsed: argv[0] is the command's name, argv[1..argc) what was not
	 * an option. Returns an exit status (user/util/exit.h).
	 */
	int (*fn)(int argc, char **argv);
};

/* In the order a reader meets them. */
#define WC_COMMANDS(row)                                                                  \
	row(run) row(explain) row(record) row(ceiling) row(doctor) row(report) row(flame) \
		row(compare) row(export) row(lab) row(list) row(help)

#define WC_CMD_DECLARE_(n) extern const struct wc_cmd wc_cmd_##n;
WC_COMMANDS(WC_CMD_DECLARE_)

/* The table, ends with NULL. */
extern const struct wc_cmd *const wc_cmds[];

/* By name or unique prefix. NULL with a message and a suggestion when there is none. */
const struct wc_cmd *wc_cmd__find(const char *name);
/* Parses, answers --help, calls fn. */
int wc_cmd__run(const struct wc_cmd *cmd, int argc, char **argv);
void wc_cmd__print_help(const struct wc_cmd *cmd);
/* What bare `wakecost` says. */
void wc_cmd__print_overview(void);
/* Candidates for the last of words, one a line (docs/wakecost.bash). */
int wc_cmd__complete(int cnt, char **words);

#endif
