// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "user/util/log.h"

#define WC_CMD_ROW_(n) &wc_cmd_##n,
const struct wc_cmd *const wc_cmds[] = { WC_COMMANDS(WC_CMD_ROW_) NULL };

static bool common_help, common_quiet, common_verbose;

static const struct wc_opt common[] = {
	WC_FLAG('h', "help", &common_help, "print this help"),
	WC_FLAG('q', "quiet", &common_quiet, "errors only, no progress"),
	WC_FLAG('v', "verbose", &common_verbose, "say more, on stderr"),
	WC_OPT_END,
};

static const struct wc_cmd *cmd__closest(const char *name)
{
	const struct wc_cmd *const *c, *close = NULL;
	unsigned int best = 3, d;

	for (c = wc_cmds; *c; c++) {
		d = wc_text__distance(name, (*c)->name, 2);
		if (d < best) {
			best = d;
			close = *c;
		}
	}
	return close;
}

const struct wc_cmd *wc_cmd__find(const char *name)
{
	const struct wc_cmd *const *c, *found = NULL;
	char all[256] = "";
	unsigned int cnt = 0;

	for (c = wc_cmds; *c; c++) {
		const struct wc_cmd *cmd = *c;

		if (strcmp(cmd->name, name) == 0 || (cmd->alias && !strcmp(cmd->alias, name)))
			return cmd;
		if (!*name || !wc_text__starts(cmd->name, name))
			continue;
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", cnt ? ", " : "",
			 cmd->name);
		found = cmd;
		cnt++;
	}
	if (cnt == 1)
		return found;
	found = cmd__closest(name);
	if (cnt > 1)
		wc_err("'%s' could be %s", name, all);
	else if (found)
		wc_err("no command '%s'; did you mean '%s'?", name, found->name);
	else
		wc_err("no command '%s'; 'wakecost help' lists them", name);
	return NULL;
}

int wc_cmd__run(const struct wc_cmd *cmd, int argc, char **argv)
{
	if (wc_opts__parse(cmd->opts, common, &argc, argv))
		return WC_EXIT_USAGE;
	if (common_help) {
		wc_cmd__print_help(cmd);
		return WC_EXIT_OK;
	}
	if (common_quiet)
		wc_log__set_level(WC_LOG_ERR);
	if (common_verbose)
		wc_log__set_level(WC_LOG_DEBUG);
	if ((unsigned int)(argc - 1) > cmd->args_max) {
		wc_err("%s: '%s' is one argument too many; 'wakecost help %s' shows its use",
		       cmd->name, argv[cmd->args_max + 1], cmd->name);
		return WC_EXIT_USAGE;
	}
	return cmd->fn(argc, argv);
}

void wc_cmd__print_help(const struct wc_cmd *cmd)
{
	const char *const *example;

	printf("wakecost %s [OPTION...]%s%s\n", cmd->name, cmd->args ? " " : "",
	       cmd->args ? cmd->args : "");
	printf("  %s\n\n", cmd->help);
	wc_opts__print_help(cmd->opts);
	wc_opts__print_help(common);
	puts("\nexamples:");
	for (example = cmd->examples; *example; example++)
		printf("  %s\n", *example);
}

void wc_cmd__print_overview(void)
{
	const struct wc_cmd *const *c;

	puts("wakecost: what a thread wakeup costs, and in which stage\n");
	for (c = wc_cmds; *c; c++)
		printf("  %-9s %s\n", (*c)->name, (*c)->help);
	puts("'wakecost COMMAND --help' shows its options; the manual is wakecost(1)");
}

static void complete__word(const char *candidate, const char *cur)
{
	if (wc_text__starts(candidate, cur))
		puts(candidate);
}

static void complete__commands(const char *cur)
{
	const struct wc_cmd *const *c;

	for (c = wc_cmds; *c; c++)
		complete__word((*c)->name, cur);
}

static void complete__options(const struct wc_opt *opts, const char *cur)
{
	char word[64];

	for (; opts->type != WC_OPT_NONE; opts++) {
		if (opts->hidden)
			continue;
		snprintf(word, sizeof(word), "--%s", opts->name);
		complete__word(word, cur);
	}
}

/* The option that word is, if it is one that takes a value. */
static const struct wc_opt *complete__taker(const struct wc_cmd *cmd, const char *word)
{
	const struct wc_opt *opt = NULL;

	if (wc_text__starts(word, "--"))
		opt = wc_opts__find(cmd->opts, word + 2, 0);
	else if (word[0] == '-' && word[1])
		opt = wc_opts__find(cmd->opts, NULL, word[strlen(word) - 1]);
	return opt && opt->arg ? opt : NULL;
}

int wc_cmd__complete(int cnt, char **words)
{
	const struct wc_cmd *const *c, *cmd = NULL;
	const char *cur = cnt ? words[cnt - 1] : "", *const * w;
	const struct wc_opt *opt;
	int prev = cnt - 2;

	if (cnt <= 1) {
		complete__commands(cur);
		complete__word("--help", cur);
		complete__word("--version", cur);
		return WC_EXIT_OK;
	}
	for (c = wc_cmds; *c; c++)
		if (strcmp((*c)->name, words[0]) == 0)
			cmd = *c;
	if (!cmd)
		return WC_EXIT_OK;
	/* bash cuts "--opt=val" into three words. */
	if (strcmp(cur, "=") == 0)
		cur = "";
	else if (prev > 0 && strcmp(words[prev], "=") == 0)
		prev--;
	opt = complete__taker(cmd, words[prev]);
	if (opt) {
		for (w = opt->choices; w && *w; w++)
			complete__word(*w, cur);
	} else if (*cur == '-') {
		complete__options(cmd->opts, cur);
		complete__options(common, cur);
	} else if (cmd == &wc_cmd_help) {
		complete__commands(cur);
	} else {
		for (w = cmd->words; w && *w; w++)
			complete__word(*w, cur);
	}
	return WC_EXIT_OK;
}
