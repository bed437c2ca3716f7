// SPDX-License-Identifier: BSD-2-Clause
/* wakecost ceiling: how many threads there can be here, and which limit stops them. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/output/ceiling.h"
#include "user/util/capture.h"
#include "user/util/log.h"
#include "user/util/path.h"
#include "user/util/version.h"

#define DOCUMENT_MAX_BYTES (1u << 20)
#define MOST		   4194304
#define STACK_LEAST	   16384
#define STACK_MOST	   (1ull << 40)
#define COROUTINE_MOST	   100000000

static uint64_t threads = MOST, stack, coroutines = 1000000;
static unsigned int stacks_choice;
static bool json;

static const char *const stacks_choices[] = { "pthread", "slab", NULL };

static const struct wc_opt opts[] = {
	WC_UNSIGNED(0, "threads", "N", &threads, 0, MOST, "stop at so many, if nothing else does"),
	WC_ENUM(0, "stacks", "KIND", &stacks_choice, stacks_choices,
		"pthread: a mapping and a guard each; slab: many in one mapping (pthread)"),
	WC_SIZE(0, "stack", "SIZE", &stack, STACK_LEAST, STACK_MOST,
		"of each thread's stack (what pthread_create gives)"),
	WC_UNSIGNED(0, "coroutines", "N", &coroutines, 0, COROUTINE_MOST,
		    "to enter beside, 0: none (1000000)"),
	WC_FLAG('j', "json", &json, "print one JSON document"),
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost ceiling",
	"wakecost ceiling --stacks slab --coroutines 0",
	"sudo systemd-run --pty -p TasksMax=4915 wakecost ceiling -j",
	NULL,
};

/* The workload's document; free() it. NULL with the message printed. */
static char *measure(void)
{
	char path[PATH_MAX], params[256], *text;
	char *argv[] = { path, (char *)"ceiling", (char *)"-P", params, NULL };
	int status, len;

	if (wc_path__workload(path, sizeof(path))) {
		wc_err("wakecost-workload is neither beside wakecost nor on PATH: install both");
		return NULL;
	}
	len = snprintf(params, sizeof(params), "most=%llu,coroutines=%llu,stacks=%s",
		       (unsigned long long)threads, (unsigned long long)coroutines,
		       stacks_choices[stacks_choice]);
	if (stack)
		snprintf(params + len, sizeof(params) - (size_t)len, ",thread_stack=%llu",
			 (unsigned long long)stack);
	text = wc_capture__run(argv, DOCUMENT_MAX_BYTES, &status);
	if (!text && errno == ECHILD && WIFSIGNALED(status))
		wc_err("wakecost-workload was ended by signal %d (%s); see dmesg", WTERMSIG(status),
		       strsignal(WTERMSIG(status)));
	else if (!text && errno != ECHILD) /* it has said why itself */
		wc_err("%s could not be run: %s", path, strerror(errno));
	return text;
}

static int cmd_ceiling(int argc, char **argv)
{
	char *document = measure();
	int err;

	(void)argc;
	(void)argv;
	if (!document)
		return WC_EXIT_FAILED;
	err = json ? wc_out_ceiling_json(stdout, document, wc_version())
		   : wc_out_ceiling_text(stdout, document, wc_log__may_colour(STDOUT_FILENO));
	free(document);
	if (err == -EBADMSG)
		wc_err("wakecost-workload is of another version: install both anew");
	else if (err)
		wc_err("printing the result failed: %s", strerror(-err));
	return err ? WC_EXIT_FAILED : WC_EXIT_OK;
}

const struct wc_cmd wc_cmd_ceiling = {
	.name = "ceiling",
	.args = NULL,
	.args_max = 0,
	.help = "how many threads there can be, and which limit stops them",
	.opts = opts,
	.examples = examples,
	.fn = cmd_ceiling,
};
