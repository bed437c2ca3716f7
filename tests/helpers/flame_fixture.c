// SPDX-License-Identifier: BSD-2-Clause
/* A made-up recording as a flame graph on stdout: flame_fixture jvm|db|hostile|wide VIEW [OPTION..] */
#include "tests/unit/fixture_profile.h"
#include "user/output/output.h"

/* So many paths that a browser and the writer have something to do. */
static void wide(struct wc_profile *p, unsigned int cnt)
{
	uint32_t task = prof_task(p, 1, 1, "many", "many", false);
	uint32_t edge = prof_edge(p, task, WC_CTX_TASK, task);
	char stack[2048];

	for (unsigned int i = 0; i < cnt; i++) {
		struct prof_path path = { .edge = edge, .weight = 1 + i % 7, .ns = 1000 + i % 97 };
		unsigned int seed = i * 2654435761u;
		size_t len = 0;

		for (unsigned int d = 0; d < 40; d++, seed = seed * 1664525u + 1013904223u)
			len += (size_t)snprintf(stack + len, sizeof(stack) - len, "%sfn_%u_%u",
						d ? ";" : "", d, seed >> (d < 30 ? 31 : 28));
		path.wakee_user = stack;
		path.wakee_kernel = PROF_FWAIT;
		path.waker_kernel = PROF_FWAKE;
		prof_chain(p, &path);
	}
}

static struct wc_result *result_of(const char *name, bool before)
{
	struct wc_result *r = prof_result(before ? "wakecost record -- before"
						 : "wakecost record -- ./service --threads 4000");

	if (!strcmp(name, "jvm"))
		prof_jvm(r->profile, before ? 5000 : 25000);
	else if (!strcmp(name, "db"))
		prof_db(r->profile, before ? 60000 : 35000);
	else if (!strcmp(name, "hostile"))
		prof_hostile(r->profile);
	else if (!strcmp(name, "wide"))
		wide(r->profile, 50000);
	else
		exit(2);
	return r;
}

int main(int argc, char **argv)
{
	static const char *const views[] = { "chain", "wakee", "waker", "stage" };
	struct wc_flame_opts opts = { 0 };
	struct wc_result *r, *base = NULL;
	int err;

	if (argc < 3)
		return 2;
	for (unsigned int i = 0; i < 4; i++)
		if (!strcmp(argv[2], views[i]))
			opts.view = (enum wc_view)i;
	for (int i = 3; i < argc; i++) {
		if (!strcmp(argv[i], "inverted"))
			opts.inverted = true;
		else if (!strcmp(argv[i], "threads"))
			opts.threads = true;
		else if (!strcmp(argv[i], "nojs"))
			opts.no_js = true;
		else if (!strcmp(argv[i], "diff"))
			base = result_of(argv[1], true);
		else
			return 2;
	}
	r = result_of(argv[1], false);
	if (base) { /* something gone, something new */
		prof_chain(base->profile,
			   &(struct prof_path){ 0, 9000, 9000, 1, "main;old_way;sleep", PROF_FWAIT,
						PROF_FWAKE, "old_waker", 0 });
		prof_chain(r->profile,
			   &(struct prof_path){ 0, 9000, 12000, 1, "main;new_way;sleep", PROF_FWAIT,
						PROF_FWAKE, "new_waker", 0 });
	}
	err = wc_out_flame(stdout, r, base, &opts);
	wc_result__free(base);
	wc_result__free(r);
	return err ? 1 : 0;
}
