// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/experiment/away.h"

#define LINE_MAX_SZ (8u << 20)

static int fail(struct wc_workload *w, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct wc_workload *w, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->error, sizeof(w->error), fmt, ap);
	va_end(ap);
	return err;
}

/* What it left on stderr, less its own name. */
static void take_stderr(struct wc_workload *w, char *dst, size_t sz)
{
	static const char name[] = "wakecost-workload: ";
	ssize_t n = pread(w->err_fd, dst, sz - 1, 0);

	dst[n > 0 ? n : 0] = '\0';
	dst[strcspn(dst, "\n")] = '\0';
	if (!strncmp(dst, name, sizeof(name) - 1))
		memmove(dst, dst + sizeof(name) - 1, strlen(dst) - sizeof(name) + 2);
}

/* It is gone, and had not said why on its stdout. */
static int explain_death(struct wc_workload *w)
{
	char said[768];
	int status = 0;

	if (waitpid(w->pid, &status, 0) == w->pid)
		w->pid = 0;
	take_stderr(w, said, sizeof(said));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
		w->usage = true;
		return fail(w, -EINVAL, "%s", said[0] ? said : "the workload refused its options");
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return fail(w, -ENOENT, "cannot run wakecost-workload: is it installed whole?");
	if (said[0])
		return fail(w, -ECHILD, "%s", said);
	if (WIFSIGNALED(status))
		return fail(w, -ECHILD,
			    "the workload was killed by signal %d (out of memory?): try fewer "
			    "threads",
			    WTERMSIG(status));
	return fail(w, -ECHILD, "the workload ended early with status %d", WEXITSTATUS(status));
}

/* One more line into *line (owned by w, valid until the next call). */
static int read_line(struct wc_workload *w, char **line)
{
	static const char *const too_long = "the workload said more than a line can hold";

	for (;;) {
		struct pollfd p = { .fd = w->out_fd, .events = POLLIN };
		char *nl = w->len ? memchr(w->buf, '\n', w->len) : NULL;
		ssize_t n;

		if (nl) {
			*nl = '\0';
			*line = w->buf;
			return 0;
		}
		if (w->len + 1 >= w->cap) {
			size_t cap = w->cap ? w->cap * 2 : 65536;
			char *more = cap > LINE_MAX_SZ ? NULL : realloc(w->buf, cap);

			if (!more)
				return fail(w, -ENOMEM, "%s", too_long);
			w->buf = more;
			w->cap = cap;
		}
		if (w->stop && *w->stop)
			return fail(w, -EINTR, "interrupted");
		/* a signal between the test and poll() is noticed within half a second */
		if (poll(&p, 1, 500) <= 0)
			continue;
		n = read(w->out_fd, w->buf + w->len, w->cap - w->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return w->stop && *w->stop ? fail(w, -EINTR, "interrupted")
						   : explain_death(w);
		w->len += n;
	}
}

static void drop_line(struct wc_workload *w, const char *line)
{
	size_t used = strlen(line) + 1;

	memmove(w->buf, w->buf + used, w->len - used);
	w->len -= used;
}

/* The next event, which must be the one named. *doc: json_decref() it. */
static int expect(struct wc_workload *w, const char *event, json_t **doc)
{
	const char *name;
	json_error_t je;
	char *line = NULL;
	int err = read_line(w, &line);

	*doc = NULL;
	if (err)
		return err;
	*doc = json_loads(line, 0, &je);
	drop_line(w, line);
	name = *doc ? json_string_value(json_object_get(*doc, "event")) : NULL;
	if (name && !strcmp(name, event))
		return 0;
	if (name && !strcmp(name, "error"))
		err = fail(w, -ECHILD, "%s",
			   json_string_value(json_object_get(*doc, "message")) ?: "?");
	else
		err = fail(w, -EPROTO,
			   "the workload answered out of turn: wakecost and "
			   "wakecost-workload are of different versions?");
	json_decref(*doc);
	*doc = NULL;
	return err;
}

static int command(struct wc_workload *w, const char *word)
{
	/* a dead workload is told from its stdout, in its own words */
	if (write(w->in_fd, word, strlen(word)) < 0 && errno != EPIPE)
		return fail(w, -errno, "cannot command the workload: %s", strerror(errno));
	return 0;
}

static uint64_t get_u64(const json_t *o, const char *key, uint64_t absent)
{
	const json_t *v = json_object_get(o, key);

	return json_is_integer(v) && json_integer_value(v) >= 0 ? (uint64_t)json_integer_value(v)
								: absent;
}

static int take_params(struct wc_kvs *params, const json_t *doc)
{
	const char *key;
	json_t *v;
	int err = 0;

	json_object_foreach(json_object_get(doc, "params"), key, v) {
		/* its own repeats, which nobody commands it to make, beside the experiment's rounds */
		if (err || wc_kvs__get(params, key) || !strcmp(key, "rounds"))
			continue;
		if (json_is_string(v))
			err = wc_kvs__set(params, key, json_string_value(v));
		else if (json_is_integer(v))
			err = wc_kvs__setf(params, key, "%lld", (long long)json_integer_value(v));
		else if (json_is_boolean(v))
			err = wc_kvs__set(params, key, json_is_true(v) ? "1" : "0");
	}
	return err;
}

static void take_ready(struct wc_workload_ready *ready, const json_t *doc)
{
	const json_t *chain = json_object_get(json_object_get(doc, "predicted_chain"), "chain");
	uint64_t sum = 0;
	size_t i;

	ready->parked_cnt = get_u64(doc, "parked_proven", 0);
	ready->futex_slots = get_u64(json_object_get(doc, "futex_hash"), "slots", 0);
	ready->chain_cnt = UINT64_MAX;
	for (i = 0; i < json_array_size(chain); i++)
		sum += json_integer_value(json_array_get(chain, i));
	if (i) /* each word is walked to in turn */
		ready->chain_cnt = (sum + i / 2) / i;
}

/*
 * Only what was asked for: a value the workload filled in may not apply to its own shape. Keys
 * that begin with a dot are the experiment's own.
 */
static char **make_argv(const char *path, const struct wc_kvs *params, size_t asked_cnt,
			char *stamp_arg)
{
	char **argv = calloc(asked_cnt * 2 + 6, sizeof(*argv));
	size_t i, n = 0;

	if (!argv)
		return NULL;
	argv[n++] = strdup(path);
	argv[n++] = strdup(wc_kvs__get(params, "shape") ?: "");
	argv[n++] = strdup("--control");
	if (stamp_arg)
		argv[n++] = strdup(stamp_arg);
	for (i = 0; i < asked_cnt && i < params->cnt; i++) {
		if (!strcmp(params->items[i].key, "shape") || params->items[i].key[0] == '.')
			continue;
		argv[n++] = strdup("-P");
		if (asprintf(&argv[n], "%s=%s", params->items[i].key, params->items[i].value) < 0)
			argv[n] = NULL;
		n++;
	}
	for (i = 0; i < n; i++) {
		if (!argv[i])
			n = 0;
	}
	return argv;
}

static void free_argv(char **argv)
{
	size_t i;

	for (i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

/* In the child: never returns. Descriptors are the child's own copies. */
static void become(const char *path, char **argv, int in_fd, int out_fd, int err_fd, int stamp_fd,
		   pid_t parent)
{
	/* gone with the tool, also by kill -9; and Ctrl-C is the tool's to answer */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	signal(SIGINT, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	wc_away__undo();
	dup2(in_fd, STDIN_FILENO);
	dup2(out_fd, STDOUT_FILENO);
	dup2(err_fd, STDERR_FILENO);
	if (stamp_fd >= 0)
		fcntl(stamp_fd, F_SETFD, 0);
	execv(path, argv);
	_exit(127);
}

static int spawn(struct wc_workload *w, const char *path, char **argv, int stamp_fd)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err = 0;
	pid_t parent = getpid();

	w->err_fd = memfd_create("workload-stderr", MFD_CLOEXEC);
	if (w->err_fd < 0 || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		err = -errno;
	if (!err) {
		w->pid = fork();
		if (w->pid < 0)
			err = -errno;
		if (w->pid == 0)
			become(path, argv, in[0], out[1], w->err_fd, stamp_fd, parent);
	}
	if (in[0] >= 0)
		close(in[0]);
	if (out[1] >= 0)
		close(out[1]);
	w->in_fd = in[1];
	w->out_fd = out[0];
	if (err) {
		w->pid = 0;
		return fail(w, err, "cannot start the workload: %s", strerror(-err));
	}
	return 0;
}

/* It said why, and is ending: by status 2 when its command line was the reason. */
static int note_usage(struct wc_workload *w, int err)
{
	int status = 0;

	if (w->pid > 0 && waitpid(w->pid, &status, 0) == w->pid) {
		w->pid = 0;
		w->usage = WIFEXITED(status) && WEXITSTATUS(status) == 2;
	}
	return w->usage ? -EINVAL : err;
}

int wc_workload__start(struct wc_workload *w, const char *path, struct wc_kvs *params,
		       size_t asked_cnt, int stamp_fd, struct wc_workload_ready *ready)
{
	const volatile sig_atomic_t *stop = w->stop;
	const struct wc_result *gauges_of = w->gauges_of;
	char stamp[32];
	char **argv;
	json_t *doc;
	int err;

	memset(w, 0, sizeof(*w));
	w->stop = stop;
	w->gauges_of = gauges_of;
	w->in_fd = w->out_fd = w->err_fd = -1;
	snprintf(stamp, sizeof(stamp), "--stamp-fd=%d", stamp_fd);
	argv = make_argv(path, params, asked_cnt, stamp_fd >= 0 ? stamp : NULL);
	if (!argv || !argv[0])
		err = fail(w, -ENOMEM, "no memory");
	else
		err = spawn(w, path, argv, stamp_fd);
	free_argv(argv);
	if (err)
		return err;
	err = expect(w, "ready", &doc);
	if (err)
		return err == -ECHILD ? note_usage(w, err) : err;
	take_ready(ready, doc);
	err = take_params(params, doc);
	json_decref(doc);
	return err ? fail(w, err, "no memory") : 0;
}

int wc_workload__warm(struct wc_workload *w)
{
	int err = command(w, "warm\n");
	json_t *doc = NULL;

	err = err ?: expect(w, "warm", &doc);
	json_decref(doc);
	return err;
}

static int take_gauges(const struct wc_workload *w, struct wc_phase *phase, const json_t *doc)
{
	const struct wc_result *r = w->gauges_of;
	const json_t *gauges = json_object_get(doc, "gauges"), *v;
	size_t i;

	if (wc_phase__make_gauges(r, phase))
		return -ENOMEM;
	for (i = 0; i < r->gauge_cnt; i++) {
		v = json_object_get(gauges, r->gauges[i].name);
		if (json_is_number(v))
			phase->gauges[i] = json_number_value(v);
	}
	phase->valid = phase->gauges[0] >= 0;
	return 0;
}

int wc_workload__measure(struct wc_workload *w, struct wc_phase *phase)
{
	int err = command(w, "measure\n");
	json_t *doc = NULL;
	const json_t *q, *csw;

	err = err ?: expect(w, "result", &doc);
	if (err)
		return err;
	q = json_object_get(doc, "handoff_ns");
	csw = json_object_get(doc, "context_switches");
	phase->handoff.count = get_u64(q, "count", 0);
	phase->handoff.sum_ns = get_u64(q, "sum", 0);
	phase->handoff.min_ns = get_u64(q, "min", 0);
	phase->handoff.max_ns = get_u64(q, "max", 0);
	phase->handoff.p50_ns = get_u64(q, "p50", 0);
	phase->handoff.p90_ns = get_u64(q, "p90", 0);
	phase->handoff.p99_ns = get_u64(q, "p99", 0);
	phase->elapsed_ns = get_u64(doc, "round_ns", 0);
	phase->cpu_ns = get_u64(doc, "cpu_ns", 0);
	phase->csw_voluntary_cnt = get_u64(csw, "voluntary", 0);
	phase->csw_involuntary_cnt = get_u64(csw, "involuntary", 0);
	phase->valid = phase->handoff.count > 0;
	if (w->gauges_of)
		err = take_gauges(w, phase, doc);
	json_decref(doc);
	if (err)
		return fail(w, err, "no memory");
	if (!phase->valid)
		return fail(w, -EPROTO,
			    "the workload reported nothing done: wakecost and "
			    "wakecost-workload are of different versions?");
	return 0;
}

void wc_workload__stop(struct wc_workload *w)
{
	if (w->pid > 0) {
		/* nothing it could still say is wanted, and 30,000 threads exit faster so */
		kill(w->pid, SIGKILL);
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	w->pid = 0;
	if (w->in_fd > 0)
		close(w->in_fd);
	if (w->out_fd > 0)
		close(w->out_fd);
	if (w->err_fd > 0)
		close(w->err_fd);
	w->in_fd = w->out_fd = w->err_fd = -1;
	free(w->buf);
	w->buf = NULL;
	w->len = w->cap = 0;
}
