// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/measuring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "user/experiment/shape.h"
#include "user/model/store.h"
#include "user/probe/host.h"
#include "user/probe/pmu.h"
#include "user/util/exit.h"
#include "user/util/log.h"
#include "user/util/path.h"
#include "user/util/version.h"

volatile sig_atomic_t wc_measuring__stop;

static void on_signal(int sig)
{
	wc_measuring__stop = sig;
	signal(sig, SIG_DFL);
}

void wc_measuring__catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void wc_measuring__die_if_stopped(void)
{
	if (wc_measuring__stop)
		raise(wc_measuring__stop); /* default by now */
}

int wc_measuring__open(struct wc_session_opts *opts, const char *disable, struct wc_session **s)
{
	if (disable && wc_source__parse_list(disable, &opts->disable_sources)) {
		wc_err("--disable wants a list of tp_btf, raw_tp, fentry and kprobe, not \"%s\"",
		       disable);
		return WC_EXIT_USAGE;
	}
	if (!wc_session__open(opts, s))
		return WC_EXIT_OK;
	wc_err("%s", wc_session__error(*s));
	return WC_EXIT_UNABLE;
}

int wc_measuring__counters(struct wc_result *r, const char *list, struct wc_session_opts *so)
{
	char why[512];
	int err = list ? wc_pmu__parse(list, &r->counters, why, sizeof(why)) : 0;

	if (!list)
		return WC_EXIT_OK;
	if (err) {
		wc_err("%s", why[0] ? why : strerror(-err));
		return err == -EINVAL ? WC_EXIT_USAGE : WC_EXIT_FAILED;
	}
	so->counters = &r->counters;
	return WC_EXIT_OK;
}

static int replace(char **at, const char *with)
{
	free(*at);
	*at = strdup(with);
	return *at ? 0 : -ENOMEM;
}

int wc_measuring__describe(struct wc_result *r, struct wc_session *s, const char *schema,
			   const char *shape, const char *command_line)
{
	struct timespec now;
	int err = replace(&r->schema, schema);

	clock_gettime(CLOCK_REALTIME, &now);
	r->started_s = (uint64_t)now.tv_sec;
	err = err ? err : replace(&r->tool_version, wc_version());
	err = err ? err : replace(&r->command_line, command_line);
	err = err ? err : replace(&r->shape, shape);
	err = err ? err : wc_host__describe(&r->host, r);
	if (err || !s)
		return err;
	err = wc_session__stages(s, r->stages);
	return err ? err
		   : wc_kvs__setf(&r->host, "probe_memory_bytes", "%llu",
				  (unsigned long long)wc_session__map_bytes(s));
}

uint64_t wc_measuring__seed(bool given, uint64_t seed)
{
	if (!given && getrandom(&seed, sizeof(seed), 0) == sizeof(seed))
		seed >>= 33;
	return seed;
}

char *wc_measuring__join(const char *head, char *const *words, int cnt)
{
	char *line = NULL;
	size_t sz;
	FILE *f = open_memstream(&line, &sz);
	int i;

	if (!f)
		return NULL;
	fputs(head, f);
	for (i = 0; i < cnt; i++)
		fprintf(f, "%s%s", i || head[0] ? " " : "", words[i]);
	return fclose(f) ? NULL : line;
}

static int workload_path(char *path, size_t sz)
{
	int err = wc_path__workload(path, sz);

	if (err)
		wc_err("wakecost-workload is neither beside wakecost nor on PATH: install both");
	return err;
}

int wc_measuring__shape(struct wc_result *r, const char *shape)
{
	char path[4096], why[512] = "";
	int err = workload_path(path, sizeof(path));

	if (err)
		return err;
	err = wc_shape__ask(r, path, shape, why, sizeof(why));
	if (err)
		wc_err("%s", why[0] ? why : strerror(-err));
	return err;
}

static struct wc_progress bar;

static void on_progress(void *ctx, size_t done, size_t total, const char *label)
{
	(void)ctx;
	wc_progress__update(&bar, done, total, label);
}

int wc_measuring__rounds(struct wc_result *r, struct wc_run_opts *ro)
{
	char path[4096], why[1024] = "";
	int err = workload_path(path, sizeof(path));

	if (err)
		return err;
	ro->workload_path = path;
	ro->stop = &wc_measuring__stop;
	ro->progress = on_progress;
	ro->error = why;
	ro->error_sz = sizeof(why);
	wc_progress__start(&bar);
	err = wc_run__rounds(r, ro);
	wc_progress__end(&bar);
	if (err && err != -EINTR)
		wc_err("%s", why[0] ? why : strerror(-err));
	return err;
}

int wc_measuring__save(const struct wc_result *r, const char *path)
{
	char *why = NULL;
	int err = wc_store__write(r, path, &why);

	if (err)
		wc_err("%s", why ? why : strerror(-err));
	free(why);
	return err;
}
