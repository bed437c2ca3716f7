// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/cmd.h"

static int help__main(int argc, char **argv)
{
	const struct wc_cmd *cmd;

	if (argc < 2) {
		wc_cmd__print_overview();
		return WC_EXIT_OK;
	}
	cmd = wc_cmd__find(argv[1]);
	if (!cmd)
		return WC_EXIT_USAGE;
	wc_cmd__print_help(cmd);
	return WC_EXIT_OK;
}

static const struct wc_opt opts[] = {
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost help",
	"wakecost help list",
	"man wakecost",
	NULL,
};

const struct wc_cmd wc_cmd_help = {
	.name = "help",
	.args = "[COMMAND]",
	.args_max = 1,
	.help = "options and examples of a command",
	.opts = opts,
	.examples = examples,
	.fn = help__main,
};
