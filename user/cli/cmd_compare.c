// SPDX-License-Identifier: BSD-2-Clause
/* wakecost compare: what changed between two recordings, and whether that can be said. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/cmd.h"
#include "user/cli/dest.h"
#include "user/lab/read.h"
#include "user/model/profile.h"
#include "user/model/explain.h"
#include "user/model/store.h"
#include "user/model/book_work.h"
#include "user/output/book.h"
#include "user/output/compare.h"
#include "user/output/lab.h"
#include "user/output/output.h"
#include "user/util/file.h"
#include "user/util/log.h"

/* In the order of enum wc_compare_sort. */
static const char *const sort_names[] = { "cell", "change", "cost", NULL };
static const char *const fail_names[] = { "regression", NULL };
static const char *const colour_names[] = { "auto", "always", "never", NULL };

static unsigned int sort, fail_on, colour;
static bool sort_given, fail_given, json, book;
static uint64_t limit;
static const char *threshold = "5", *flame;

#define BOOK_FILE_MAX 16

static const struct wc_opt opts[] = {
	WC_STRING(0, "threshold", "PCT", &threshold, "a smaller change is none (5)"),
	WC_ENUM(0, "fail-on", "WHAT", &fail_on, fail_names,
		"regression: status 4 when anything is slower", .given = &fail_given),
	WC_ENUM('s', "sort", "KEY", &sort, sort_names,
		"cell (run), change or cost (record): largest first", .given = &sort_given),
	WC_UNSIGNED('n', "limit", "N", &limit, 1, 1000000, "rows of cells or pairs (all)"),
	WC_STRING(0, "flame", "FILE", &flame, "record: leave a flame graph of the difference"),
	WC_FLAG(0, "book", &book, "put BASE, of explain, lab or servers, beside published figures"),
	WC_FLAG('j', "json", &json, "print one JSON document"),
	WC_ENUM(0, "color", "WHEN", &colour, colour_names, "auto, always or never (auto)"),
	WC_OPT_END,
};

static const char *const examples[] = {
	"wakecost compare --threshold 3 --fail-on regression main.data branch.data",
	"wakecost compare before.data after.data --flame change.svg -s change -n 20",
	"wakecost compare --book lab.json explain.data",
	NULL,
};

struct job {
	struct wc_result *base, *new;
	struct wc_compare_opts how;
	double threshold; /* as a ratio */
};

/* "5", "0.5", "5%": 0 <= PCT <= 1000. */
static bool parse_threshold(double *ratio)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(threshold, &end);
	if (end != threshold && *end == '%')
		end++;
	*ratio = 1 + v / 100;
	if (!errno && end != threshold && !*end && isfinite(v) && v >= 0 && v <= 1000)
		return true;
	wc_err("--threshold takes a percentage from 0 to 1000, not '%s'", threshold);
	return false;
}

static bool open_recording(const char *path, struct wc_result **r)
{
	char *why;
	int err = wc_store__read_sums(path, r, &why);

	if (!err)
		return true;
	wc_err("%s", why ? why : strerror(-err));
	free(why);
	return false;
}

static int printed(int err)
{
	if (!err)
		return WC_EXIT_OK;
	wc_err("cannot print the comparison: %s", strerror(-err));
	return WC_EXIT_FAILED;
}

/* ---- experiments ---- */

static int verdict_status(const struct wc_comparison *c)
{
	unsigned int open = c->verdicts[WC_JUDGED_INCONCLUSIVE];

	if (!c->cell_cnt) {
		wc_err("no cell is in both recordings: run the same shape and parameters");
		return WC_EXIT_FAILED;
	}
	if (!fail_given)
		return WC_EXIT_OK;
	if (c->verdicts[WC_JUDGED_SLOWER]) {
		wc_err("regression: %u figure%s slower", c->verdicts[WC_JUDGED_SLOWER],
		       c->verdicts[WC_JUDGED_SLOWER] == 1 ? "" : "s");
		return WC_EXIT_REGRESSION;
	}
	if (open)
		wc_warn("%u figure%s inconclusive, which is no pass: more rounds", open,
			open == 1 ? "" : "s");
	return WC_EXIT_OK;
}

static int compare_runs(struct job *job)
{
	struct wc_comparison c;
	int err = wc_compare__runs(job->base, job->new, job->threshold, &c), status;

	if (!err)
		err = json ? wc_out_compare_runs_json(stdout, job->base, job->new, &c, &job->how)
			   : wc_out_compare_runs(stdout, job->base, job->new, &c, &job->how);
	status = printed(err);
	if (status == WC_EXIT_OK)
		status = verdict_status(&c);
	wc_comparison__free(&c);
	return status;
}

/* ---- recordings of programs ---- */

static bool is_flame_graph(int fd, void *ctx)
{
	char head[512];
	ssize_t len = pread(fd, head, sizeof(head) - 1, 0);

	(void)ctx;
	if (len <= 0)
		return false;
	head[len] = '\0';
	return strstr(head, WC_FLAME_MAGIC) != NULL;
}

static int draw(FILE *f, void *ctx)
{
	const struct wc_flame_opts how = { .per = WC_PER_WAKE };
	const struct job *job = ctx;

	return wc_out_flame(f, job->new, job->base, &how);
}

static int leave_flame(struct job *job)
{
	int err = wc_dest__print(flame, is_flame_graph, draw, job);

	if (!err)
		return WC_EXIT_OK;
	wc_dest__complain(flame, err, "it is no flame graph of ours, give another name");
	return WC_EXIT_FAILED;
}

static int compare_records(struct job *job)
{
	struct wc_record_comparison c;
	int err, status;

	if (fail_given) {
		wc_err("--fail-on needs rounds: recordings of `wakecost record` have none");
		return WC_EXIT_USAGE;
	}
	if (!sort_given)
		job->how.sort = WC_COMPARE_SORT_COST;
	err = wc_compare__records(job->base, job->new, &c);
	if (!err)
		err = json ? wc_out_compare_records_json(stdout, job->base, job->new, &c, &job->how)
			   : wc_out_compare_records(stdout, job->base, job->new, &c, &job->how);
	wc_record_comparison__free(&c);
	status = printed(err);
	return status == WC_EXIT_OK && flame ? leave_flame(job) : status;
}

/* ---- published figures ---- */

static int book_usage(void)
{
	wc_err("compare --book takes a recording of wakecost explain, a file of wakecost lab, or both, "
	       "or recordings of servers");
	return WC_EXIT_USAGE;
}

/* Of servers: more than one, for what one run cannot ask. */
static int book_of_work(const struct wc_result *const *results, size_t cnt, bool in_colour)
{
	const char *shape = results[0]->shape ? results[0]->shape : "";

	if (!wc_work_book__of(shape)) {
		wc_err("nothing was published of the shape %s: compare --book knows server, admission "
		       "and cpu-limited",
		       shape);
		return WC_EXIT_FAILED;
	}
	return printed(json ? wc_out_book_work_json(stdout, results, cnt)
			    : wc_out_book_work_text(stdout, results, cnt, in_colour));
}

static int book_of_works(char **paths, size_t cnt, bool in_colour)
{
	const struct wc_result *results[BOOK_FILE_MAX] = { NULL };
	struct wc_result *r;
	int status = WC_EXIT_OK;
	size_t i, opened;

	for (opened = 0; status == WC_EXIT_OK && opened < cnt; opened++) {
		r = NULL;
		if (!open_recording(paths[opened], &r)) {
			status = WC_EXIT_FAILED;
			break;
		}
		results[opened] = r;
		if (!opened && (r->profile || !r->work)) {
			status = book_usage();
			continue;
		}
		if (r->profile || !r->work || !r->shape ||
		    strcmp(r->shape, results[0]->shape) != 0) {
			wc_err("%s is not of `wakecost run` of a server, of the same shape as %s: give "
			       "recordings of one shape",
			       paths[opened], paths[0]);
			status = WC_EXIT_FAILED;
		}
	}
	if (status == WC_EXIT_OK)
		status = book_of_work(results, cnt, in_colour);
	for (i = 0; i < BOOK_FILE_MAX; i++)
		wc_result__free((struct wc_result *)results[i]);
	return status;
}

static int book_of_recording(const char *path, bool in_colour)
{
	struct wc_result *r = NULL;
	int status = WC_EXIT_FAILED;

	if (!open_recording(path, &r))
		return status;
	if (!r->profile && r->work)
		status = book_of_work((const struct wc_result *const *)&r, 1, in_colour);
	else if (r->profile || strcmp(r->schema, WC_EXPLAIN_SCHEMA) != 0)
		wc_err("%s is not of `wakecost explain`, nor of servers: make one with sudo wakecost "
		       "explain -o FILE",
		       path);
	else
		status = printed(json ? wc_out_book_json(stdout, r)
				      : wc_out_book_text(stdout, r, in_colour));
	wc_result__free(r);
	return status;
}

/* path: of wakecost lab; host: a recording of times to put beside, or NULL. */
static int book_of_lab(const char *path, const char *host_path, bool in_colour)
{
	struct wc_result *host = NULL;
	struct wc_lab *lab = NULL;
	char why[512];
	int status = WC_EXIT_FAILED;

	if (wc_lab__read(path, &lab, why, sizeof(why)))
		wc_err("%s", why);
	else if (!host_path || open_recording(host_path, &host))
		status = printed(json ? wc_out_lab_book_json(stdout, lab, host)
				      : wc_out_lab_book(stdout, lab, host, in_colour));
	wc_result__free(host);
	wc_lab__free(lab);
	return status;
}

static int compare_book(int argc, char **argv, bool in_colour)
{
	bool lab = argc > 1 && wc_lab__is_file(argv[1]);

	if (lab && argc <= 3)
		return book_of_lab(argv[1], argc == 3 ? argv[2] : NULL, in_colour);
	if (argc == 3 && wc_lab__is_file(argv[2]))
		return book_of_lab(argv[2], argv[1], in_colour);
	if (argc == 2)
		return book_of_recording(argv[1], in_colour);
	if (argc > 2 && argc - 1 <= BOOK_FILE_MAX)
		return book_of_works(argv + 1, (size_t)argc - 1, in_colour);
	return book_usage();
}

/* ---- */

static int compare_both(struct job *job)
{
	if (!job->base->profile != !job->new->profile) {
		wc_err("%s is of `wakecost %s` and %s of `wakecost %s`: compare like with like",
		       job->how.base_name, job->base->profile ? "record" : "run", job->how.new_name,
		       job->new->profile ? "record" : "run");
		return WC_EXIT_FAILED;
	}
	if (job->base->profile)
		return compare_records(job);
	if (job->base->work || job->new->work) {
		wc_err("compare knows handoffs, and %s counts %ss: set both side by side with "
		       "`wakecost report`, or `wakecost export --format csv`",
		       job->base->work ? job->how.base_name : job->how.new_name,
		       job->base->work ? job->base->work : job->new->work);
		return WC_EXIT_FAILED;
	}
	if (flame) {
		wc_err("--flame draws recordings of `wakecost record`; these are of `wakecost run`");
		return WC_EXIT_USAGE;
	}
	return compare_runs(job);
}

static int compare(int argc, char **argv)
{
	struct job job = {
		.how = {
			.sort = (enum wc_compare_sort)sort,
			.limit = (unsigned int)limit,
			.wide = wc_log__level() == WC_LOG_DEBUG,
			.colour = colour == 0 ? wc_log__may_colour(STDOUT_FILENO) : colour == 1,
		},
	};
	int status = WC_EXIT_FAILED;

	if (book)
		return compare_book(argc, argv, job.how.colour);
	if (argc != 3) {
		wc_err("compare takes two recordings: BASE, and NEW");
		return WC_EXIT_USAGE;
	}
	if (!parse_threshold(&job.threshold))
		return WC_EXIT_USAGE;
	job.how.base_name = argv[1];
	job.how.new_name = argv[2];
	if (open_recording(argv[1], &job.base) && open_recording(argv[2], &job.new))
		status = compare_both(&job);
	wc_result__free(job.base);
	wc_result__free(job.new);
	return status;
}

const struct wc_cmd wc_cmd_compare = {
	.name = "compare",
	.alias = "diff",
	.args = "BASE [NEW]",
	.args_max = BOOK_FILE_MAX, /* of --book */
	.help = "what changed between two recordings",
	.opts = opts,
	.examples = examples,
	.fn = compare,
};
