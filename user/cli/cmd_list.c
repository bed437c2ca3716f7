// SPDX-License-Identifier: BSD-2-Clause
/* wakecost list: what there is to name on a command line, and what was recorded. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "user/cli/cmd.h"
#include "user/model/store.h"
#include "user/output/list.h"
#include "user/util/capture.h"
#include "user/util/file.h"
#include "user/util/log.h"
#include "user/util/path.h"
#include "user/util/units.h"

#define WORKLOAD_LIST_MAX_BYTES (1u << 20)

static bool json;

static const struct wc_opt opts[] = {
	WC_FLAG('j', "json", &json, "print one JSON document"),
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost list params",
	"wakecost list stages",
	"wakecost list recordings -j",
	NULL,
};

static int workload__read(struct wc_list *list, bool params)
{
	char path[PATH_MAX], *argv[] = { path, "--list", "-j", NULL }, *text;
	int status, err = wc_path__workload(path, sizeof(path));

	if (err) {
		wc_err("wakecost-workload not found beside wakecost, in libexec/wakecost or on PATH");
		return err;
	}
	text = wc_capture__run(argv, WORKLOAD_LIST_MAX_BYTES, &status);
	if (!text) {
		err = -errno;
		wc_err("%s --list -j failed: %s", path, strerror(errno));
		return err;
	}
	err = wc_list__add_workloads(list, text, params);
	if (err == -EBADMSG)
		wc_err("%s is of another version: its list cannot be read", path);
	free(text);
	return err;
}

static int list__workloads(struct wc_list *list)
{
	return workload__read(list, false);
}

static int list__params(struct wc_list *list)
{
	return workload__read(list, true);
}

static int list__stages(struct wc_list *list)
{
	static const char *const meanings[WC_STAGE_CNT] = {
		[WC_STAGE_FIND] = "from the call that wakes until its wakee is found",
		[WC_STAGE_SELECT] = "until the CPU is chosen",
		[WC_STAGE_SEND] = "until another CPU takes the wake over; remote wakes only",
		[WC_STAGE_ENQUEUE] = "until the wakee is queued and preemption is decided",
		[WC_STAGE_WAIT] = "until the target CPU enters its scheduler",
		[WC_STAGE_PICK] = "until the wakee is picked and the switch begins",
		[WC_STAGE_SWITCH] = "until the wakee runs again, in the kernel",
		[WC_STAGE_RETURN] = "until the call that slept has returned",
	};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < WC_STAGE_CNT; i++)
		err = wc_list__add(list, "", wc_stage__name(i), "", meanings[i]);
	return err;
}

static int list__classes(struct wc_list *list)
{
	static const char *const meanings[WC_CLASS_CNT] = {
		[WC_CLASS_LOCAL] = "selected and queued by the waker itself",
		[WC_CLASS_DELAYED] = "still queued by delayed dequeue: nothing selected (6.12+)",
		[WC_CLASS_REMOTE] = "handed to another CPU, which queued it",
		[WC_CLASS_RACED] = "the wakee was still leaving its CPU",
		[WC_CLASS_MIGRATED] = "ran on another CPU than the one it was queued on",
		[WC_CLASS_NEW] = "first run of a new task",
		[WC_CLASS_TIMED] = "its own timer ended the sleep; not in the main table",
	};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < WC_CLASS_CNT; i++)
		err = wc_list__add(list, "", wc_class__name(i), "", meanings[i]);
	return err;
}

static int list__formats(struct wc_list *list)
{
	const struct wc_opt *format = wc_opts__find(wc_cmd_export.opts, "format", 0);
	char how[128];
	size_t i;
	int err = 0;

	for (i = 0; !err && format->choices[i]; i++) {
		snprintf(how, sizeof(how), "wakecost export --format %s", format->choices[i]);
		err = wc_list__add(list, "", format->choices[i], "", how);
	}
	return err;
}

/* By its first bytes: opening every file of a directory as a database would take long. */
static bool file__is_recording(const char *name)
{
	unsigned char head[73];
	struct stat st;
	ssize_t len;

	if (stat(name, &st) || !S_ISREG(st.st_mode))
		return false;
	len = wc_file__read(name, (char *)head, sizeof(head));
	if ((len < 72 && len != -EFBIG) || memcmp(head, "SQLite format 3", 16) != 0)
		return false;
	return ((uint32_t)head[68] << 24 | (uint32_t)head[69] << 16 | (uint32_t)head[70] << 8 |
		head[71]) == WC_STORE_APPLICATION_ID;
}

static int recording__add(struct wc_list *list, const char *name)
{
	char when[32] = "", help[256];
	struct wc_result *r = NULL;
	const char *kernel;
	char *why = NULL;
	struct tm tm;
	time_t at;
	int err;

	err = wc_store__read_sums(name, &r, &why);
	if (err) {
		snprintf(help, sizeof(help), "cannot be read: %s", why ? why : strerror(-err));
		free(why);
		return wc_list__add(list, "", name, "", help);
	}
	at = (time_t)r->started_s;
	if (gmtime_r(&at, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &tm);
	kernel = wc_kvs__get(&r->host, "kernel");
	snprintf(help, sizeof(help), "%s, %s, %zu cells, Linux %s%s", when, r->shape, r->cell_cnt,
		 kernel ? kernel : "unknown", r->interrupted ? ", interrupted" : "");
	wc_result__free(r);
	return wc_list__add(list, "", name, "", help);
}

static int list__recordings(struct wc_list *list)
{
	struct dirent **entries;
	int cnt = scandir(".", &entries, NULL, alphasort), i, err = 0;

	if (cnt < 0) {
		err = -errno;
		wc_err("cannot read this directory: %s", strerror(errno));
		return err;
	}
	for (i = 0; i < cnt; i++) {
		if (!err && file__is_recording(entries[i]->d_name))
			err = recording__add(list, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (!err && !list->cnt)
		wc_info("no recordings here; 'wakecost run -o FILE' makes one");
	return err;
}

static const struct topic {
	const char *name, *help;
	int (*fill)(struct wc_list *list);
} topics[] = {
	{ "workloads", "shapes, mechanisms and backgrounds that run can run", list__workloads },
	{ "params", "parameters of a workload, for run -P", list__params },
	{ "stages", "what a wake is cut into", list__stages },
	{ "classes", "kinds of wake", list__classes },
	{ "formats", "what a recording can be exported as", list__formats },
	{ "recordings", "recordings in this directory", list__recordings },
};

static const char *const words[] = {
	"workloads", "params", "stages", "classes", "formats", "recordings", NULL,
};
#define TOPIC_CNT (sizeof(topics) / sizeof(topics[0]))
_Static_assert(sizeof(words) / sizeof(words[0]) == TOPIC_CNT + 1, "a word for every topic");

static int list__topics(struct wc_list *list)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < TOPIC_CNT; i++)
		err = wc_list__add(list, "", topics[i].name, "", topics[i].help);
	return err;
}

static int list__main(int argc, char **argv)
{
	int (*fill)(struct wc_list *) = argc > 1 ? NULL : list__topics;
	const char *topic = argc > 1 ? argv[1] : "topics";
	struct wc_list list = { 0 };
	size_t i;
	int err;

	for (i = 0; argc > 1 && i < TOPIC_CNT; i++)
		if (strcmp(topics[i].name, topic) == 0)
			fill = topics[i].fill;
	if (!fill) {
		wc_err("no list of '%s'; 'wakecost list' shows what can be listed", topic);
		return WC_EXIT_USAGE;
	}
	err = fill(&list);
	if (!err)
		err = json ? wc_list__print_json(stdout, &list, topic)
			   : wc_list__print(stdout, &list);
	if (err == -ENOMEM)
		wc_err("no memory");
	wc_list__free(&list);
	return err ? WC_EXIT_FAILED : WC_EXIT_OK;
}

const struct wc_cmd wc_cmd_list = {
	.name = "list",
	.args = "[TOPIC]",
	.args_max = 1,
	.help = "workloads, parameters, stages, formats, recordings",
	.opts = opts,
	.examples = examples,
	.words = words,
	.fn = list__main,
};
