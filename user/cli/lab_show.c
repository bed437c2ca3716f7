// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/lab_show.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/dest.h"
#include "user/output/lab.h"
#include "user/output/output.h"
#include "user/util/file.h"
#include "user/util/log.h"

struct job {
	const struct wc_lab *const *labs;
	size_t cnt;
	const struct wc_lab_show *show;
	const struct wc_lab_cell *cell;
};

/* ---- what may be replaced */

static bool begins_with(int fd, void *magic)
{
	char head[512];
	ssize_t len = pread(fd, head, sizeof(head) - 1, 0);

	if (len < 0)
		return false;
	head[len] = '\0';
	return strstr(head, magic) != NULL;
}

static const struct {
	char magic[48];
	const char *hint;
} kinds[] = {
	{ "\"wakecost.lab/", "it was not left by wakecost lab, give another name" },
	{ WC_LAB_HTML_MAGIC, "it is no page of the lab's, give another name" },
	{ WC_FLAME_MAGIC, "it is no flame graph of ours, give another name" },
};

static bool is_lab(int fd, void *ctx)
{
	(void)ctx;
	return begins_with(fd, (void *)kinds[0].magic);
}

static bool is_page(int fd, void *ctx)
{
	(void)ctx;
	return begins_with(fd, (void *)kinds[1].magic);
}

static bool is_flame(int fd, void *ctx)
{
	(void)ctx;
	return begins_with(fd, (void *)kinds[2].magic);
}

static bool (*const checks[])(int fd, void *ctx) = { is_lab, is_page, is_flame };

int wc_lab_show__check(const struct wc_lab_show *show)
{
	const char *const paths[] = { show->output, show->html, show->flame };
	struct wc_outfile *out;
	size_t i;
	int err;

	for (i = 0; i < 3; i++) {
		const struct wc_outfile_opts how = { .is_ours = checks[i] };

		if (!paths[i] || !strcmp(paths[i], "-"))
			continue;
		err = wc_outfile__open(paths[i], &how, &out);
		if (err) {
			wc_dest__complain(paths[i], err, kinds[i].hint);
			return err;
		}
		wc_outfile__discard(out);
	}
	return 0;
}

/* ---- printing */

static int print_json(FILE *f, void *ctx)
{
	const struct job *job = ctx;

	return wc_out_lab_json(f, job->labs[0]);
}

static int print_page(FILE *f, void *ctx)
{
	const struct job *job = ctx;

	return wc_out_lab_html(f, job->labs, job->cnt, job->show->host);
}

static int print_flame(FILE *f, void *ctx)
{
	const struct job *job = ctx;
	const struct wc_lab *lab = job->labs[0];

	return wc_out_lab_flame(f, lab, job->cell,
				job->show->diff ? wc_lab__baseline(lab, job->cell) : NULL,
				(enum wc_lab_count)job->show->metric, false);
}

static bool has_word(const char *params, const char *word)
{
	size_t len = strlen(word);
	const char *at = params;

	while ((at = strstr(at, word))) {
		if ((at == params || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
		at++;
	}
	return false;
}

/* The last cell that fits what was asked for. */
static const struct wc_lab_cell *choose(const struct wc_lab *lab, const struct wc_lab_show *show)
{
	const struct wc_lab_cell *found = NULL;
	size_t i, k;

	for (i = 0; i < lab->cell_cnt; i++) {
		const struct wc_lab_cell *cell = &lab->cells[i];
		bool fits = !show->kernel || !strcmp(show->kernel, cell->kernel);

		for (k = 0; fits && k < show->param_cnt; k++)
			fits = has_word(cell->params, show->params[k]);
		if (fits && wc_lab__is_first(lab, cell))
			found = cell;
	}
	return found;
}

static int leave(struct job *job, unsigned int kind, const char *path,
		 int (*print)(FILE *f, void *ctx))
{
	int err = path ? wc_dest__print(path, checks[kind], print, job) : 0;

	if (err == -ENODATA)
		wc_err("%s: nothing of this was counted there", path);
	else if (err)
		wc_dest__complain(path, err, kinds[kind].hint);
	else if (path && kind && strcmp(path, "-"))
		wc_log(WC_LOG_INFO, "%s: open it in a web browser", path);
	return err;
}

static bool takes_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static int print(struct job *job)
{
	const struct wc_lab_show *show = job->show;
	size_t i;
	int err = 0;

	if (takes_stdout(show->output) || takes_stdout(show->html) || takes_stdout(show->flame))
		return 0;
	if (show->json)
		err = print_json(stdout, job);
	for (i = 0; i < job->cnt && !err && !show->json; i++)
		err = wc_out_lab_table(stdout, job->labs[i], wc_log__may_colour(STDOUT_FILENO));
	if (err)
		wc_err("printing the result failed: %s", strerror(-err));
	return err;
}

int wc_lab_show(const struct wc_lab *const *labs, size_t cnt, const struct wc_lab_show *show)
{
	struct job job = { labs, cnt, show, choose(labs[0], show) };
	int err;

	if (show->flame && !job.cell) {
		wc_err("no cell fits what was asked for with --kernel and -P");
		return -ENOENT;
	}
	err = print(&job);
	err = err ?: leave(&job, 0, show->output, print_json);
	err = err ?: leave(&job, 1, show->html, print_page);
	return err ?: leave(&job, 2, show->flame, print_flame);
}
