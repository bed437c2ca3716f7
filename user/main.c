// SPDX-License-Identifier: BSD-2-Clause
/* wakecost: finds the command, runs it, and makes sure that what it printed has arrived. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "user/cli/cmd.h"
#include "user/cli/version.h"
#include "user/util/log.h"

static bool word__is(const char *word, const char *letter, const char *name)
{
	return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

static int wakecost__run(int argc, char **argv)
{
	const struct wc_cmd *cmd;

	if (argc < 2 || word__is(argv[1], "-h", "--help")) {
		wc_cmd__print_overview();
		return WC_EXIT_OK;
	}
	if (word__is(argv[1], "-V", "--version")) {
		wc_cmd__print_version();
		return WC_EXIT_OK;
	}
	if (strcmp(argv[1], "--complete") == 0)
		return wc_cmd__complete(argc - 2, argv + 2);
	if (argv[1][0] == '-') {
		wc_err("options stand behind a command; '%s' is none of --help and --version",
		       argv[1]);
		return WC_EXIT_USAGE;
	}
	cmd = wc_cmd__find(argv[1]);
	return cmd ? wc_cmd__run(cmd, argc - 1, argv + 1) : WC_EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int status = wakecost__run(argc, argv);

	/* A full disk shows only now; success would be a lie. */
	if (fflush(stdout) || ferror(stdout)) {
		wc_err("cannot write to standard output: %s", strerror(errno));
		if (status == WC_EXIT_OK)
			status = WC_EXIT_FAILED;
	}
	return status;
}
