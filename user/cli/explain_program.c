// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/explain_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/measuring.h"
#include "user/experiment/look.h"
#include "user/experiment/steady.h"
#include "user/output/running.h"
#include "user/probe/session.h"
#include "user/util/exit.h"
#include "user/util/log.h"
#include "user/util/path.h"
#include "user/util/progress.h"
#include "user/util/units.h"

#define GRACE_NS       10000000000ull
#define STEADY_MOST_NS 60000000000ull
#define PRELOAD	       "libwakecost-slots.so"
#define SLOTS_LEAST    2
#define SLOTS_MOST     (1u << 20)

struct explain {
	const struct wc_explain_program *p;
	struct wc_session *session;
	char error[1024];
	unsigned int slots;	 /* of the what-if; 0: none */
	char preload[4096];	 /* the library */
	struct wc_looked looked; /* the last window without */
	struct wc_trial *without, *with;
	size_t round_cnt; /* complete ones */
};

static int fail(const struct explain *e, int err)
{
	wc_err("%s", e->error[0] ? e->error : strerror(-err));
	return err;
}

/* "futex-slots=4096" */
static int parse_what_if(struct explain *e)
{
	static const char key[] = "futex-slots=";
	const char *word = e->p->what_if;
	uint64_t slots;
	int err;

	if (!word)
		return 0;
	if (strncmp(word, key, sizeof(key) - 1) ||
	    wc_units__parse_unsigned(word + sizeof(key) - 1, &slots) || slots < SLOTS_LEAST ||
	    slots > SLOTS_MOST || slots & (slots - 1)) {
		wc_err("--what-if wants futex-slots=N, N a power of two from %d to %u, not \"%s\"",
		       SLOTS_LEAST, SLOTS_MOST, word);
		return -EINVAL;
	}
	e->slots = (unsigned int)slots;
	err = wc_path__library(PRELOAD, e->preload, sizeof(e->preload));
	if (err)
		wc_err("%s is neither beside wakecost nor in libexec/wakecost: install both",
		       PRELOAD);
	return err;
}

static struct wc_look_opts look_opts(struct explain *e)
{
	return (struct wc_look_opts){
		.session = e->session,
		.duration_ns = e->p->duration_ns,
		.stop = &wc_measuring__stop,
		.error = e->error,
		.error_sz = sizeof(e->error),
	};
}

/* A window over pid and those below it, in a result that can be kept. */
static int window(struct explain *e, pid_t pid, struct wc_looked *out)
{
	struct wc_look_opts lo = look_opts(e);
	char *line;
	int err;

	memset(out, 0, sizeof(*out));
	out->r = wc_result__new();
	line = wc_measuring__join("wakecost explain", e->p->command, e->p->command_cnt);
	err = out->r && line ? wc_measuring__describe(out->r, e->session, "wakecost.record/1",
						      "record", line)
			     : -ENOMEM;
	free(line);
	err = err ? err : wc_kvs__setf(&out->r->params, "pid", "%d", (int)pid);
	return err ? err : wc_look__window(pid, &lo, out);
}

static int look_at_pid(struct explain *e)
{
	uint64_t pid;

	if (wc_units__parse_unsigned(e->p->pid, &pid) || !pid || pid > 1u << 30) {
		wc_err("-p wants the id of one process, not \"%s\"", e->p->pid);
		return -EINVAL;
	}
	if (kill((pid_t)pid, 0) && errno == ESRCH) {
		wc_err("there is no process %s: `ps -e` lists them", e->p->pid);
		return -ESRCH;
	}
	return window(e, (pid_t)pid, &e->looked);
}

static int start(struct explain *e, struct wc_program *prog, unsigned int slots, const char *report)
{
	char preload[8192], want[64], file[128];
	const char *env[4] = { NULL }, *had = getenv("LD_PRELOAD");
	size_t cnt = 0;
	int err;

	if (e->slots) {
		snprintf(preload, sizeof(preload), "LD_PRELOAD=%s%s%s", e->preload,
			 had && *had ? ":" : "", had ? had : "");
		snprintf(file, sizeof(file), "WAKECOST_FUTEX_REPORT=%s", report);
		env[cnt++] = preload;
		env[cnt++] = file;
	}
	snprintf(want, sizeof(want), "WAKECOST_FUTEX_SLOTS=%u", slots);
	if (slots)
		env[cnt++] = want;
	err = wc_program__start(prog, e->p->command, env);
	if (err)
		snprintf(e->error, sizeof(e->error), "cannot run %s: %s", e->p->command[0],
			 strerror(-err));
	return err;
}

static struct wc_progress bar;

static void on_parked(uint64_t parked)
{
	char label[96], cnt[WC_UNITS_BUF_SZ];

	wc_units__format_count(cnt, sizeof(cnt), parked);
	snprintf(label, sizeof(label), "until the number of parked threads is steady: %s", cnt);
	wc_progress__update(&bar, 0, 1, label);
}

/* Until it can be measured: whether it still runs. */
static bool wait_for(struct explain *e, struct wc_program *prog)
{
	enum wc_steady_end end;

	if (e->p->delay_given)
		return wc_program__wait(prog, e->p->delay_ns, &wc_measuring__stop);
	wc_progress__start(&bar);
	end = wc_steady__wait(prog, STEADY_MOST_NS, &wc_measuring__stop, on_parked);
	wc_progress__end(&bar);
	if (end == WC_STEADY_TOO_LONG)
		wc_warn("the number of its parked threads still changes after %llu s: measured "
			"all the same; --delay says when",
			STEADY_MOST_NS / 1000000000);
	/* once more: it may have been stopped, which is no end of its own */
	return wc_program__wait(prog, 0, NULL);
}

/* One run of the command, with slots of its own (0: as it is) and a window in it. */
static int run_once(struct explain *e, unsigned int slots, struct wc_looked *out)
{
	char report[64] = "";
	struct wc_program prog;
	unsigned int told = 0;
	int err = e->slots ? wc_look__new_report(report, sizeof(report)) : 0;

	memset(out, 0, sizeof(*out));
	err = err ? err : start(e, &prog, slots, report);
	if (err) {
		if (report[0])
			unlink(report);
		return err;
	}
	if (wait_for(e, &prog)) {
		err = wc_measuring__stop ? -EINTR : window(e, prog.pid, out);
	} else {
		snprintf(e->error, sizeof(e->error),
			 "%s ended before the window began: give it longer work, or a shorter "
			 "--delay (it may be 0)",
			 e->p->command[0]);
		err = -ESRCH;
	}
	wc_program__end(&prog, GRACE_NS);
	if (report[0])
		told = wc_look__take_report(report, (pid_t)out->facts.pid);
	if (told) {
		out->facts.slots = told;
		out->facts.basis = WC_SLOTS_TOLD;
	}
	return err;
}

static int trial_of(const struct wc_looked *l, struct wc_trial *t)
{
	struct wc_running run;
	int err = wc_running__of(l->r, &l->facts, &run);

	t->find_p50_ns = run.find_p50_ns;
	t->wake_p50_ns = run.p50_ns;
	t->wakes_per_s = run.wakes_per_s;
	t->slots = l->facts.basis == WC_SLOTS_TOLD ? l->facts.slots : 0;
	wc_running__free(&run);
	return err;
}

/* Without and with, the order turned over from round to round: what drifts hits both. */
static int run_round(struct explain *e, size_t round)
{
	struct wc_looked with;
	bool with_first = round & 1;
	int i, err = 0;

	for (i = 0; !err && i < 2; i++) {
		if ((i == 0) == with_first)
			wc_info("round %zu of %u, with %u futex slots", round + 1, e->p->rounds,
				e->slots);
		else
			wc_info("round %zu of %u, as it is", round + 1, e->p->rounds);
		if ((i == 0) == with_first) {
			err = run_once(e, e->slots, &with);
			err = err ? err : trial_of(&with, &e->with[round]);
			wc_looked__free(&with);
		} else {
			wc_looked__free(&e->looked);
			err = run_once(e, 0, &e->looked);
			err = err ? err : trial_of(&e->looked, &e->without[round]);
		}
	}
	return err;
}

static int run_rounds(struct explain *e)
{
	int err = 0;

	e->without = calloc(e->p->rounds, sizeof(*e->without));
	e->with = calloc(e->p->rounds, sizeof(*e->with));
	if (!e->without || !e->with)
		return -ENOMEM;
	while (!err && !wc_measuring__stop && e->round_cnt < e->p->rounds) {
		err = run_round(e, e->round_cnt);
		e->round_cnt += !err;
	}
	/* stopped: what is complete counts */
	return err == -EINTR && e->round_cnt && e->looked.r ? 0 : err;
}

static int deliver(struct explain *e)
{
	bool colour = wc_log__may_colour(STDOUT_FILENO);
	struct wc_running run;
	struct wc_whatif what_if, *w = NULL;
	int err = wc_running__of(e->looked.r, &e->looked.facts, &run);

	if (!err && e->slots) {
		err = wc_whatif__of(e->without, e->with, e->round_cnt, e->slots, &what_if);
		w = &what_if;
	}
	if (err)
		wc_err("%s", strerror(-err));
	else
		err = e->p->json ? wc_out_running_json(stdout, e->looked.r, &run, w)
				 : wc_out_running_text(stdout, e->looked.r, &run, w, colour);
	wc_running__free(&run);
	if (err || !e->p->output)
		return err;
	return wc_measuring__save(e->looked.r, e->p->output);
}

static int status_of(const struct explain *e, int err)
{
	if (!err)
		return WC_EXIT_OK;
	if (err == -EINVAL)
		return WC_EXIT_USAGE;
	if (e->p->command && err == -ENOENT)
		return WC_EXIT_NOT_FOUND;
	if (e->p->command && (err == -EACCES || err == -ENOEXEC))
		return WC_EXIT_CANNOT_RUN;
	return WC_EXIT_FAILED;
}

int wc_explain_program__run(const struct wc_explain_program *p)
{
	struct wc_session_opts so = {
		.record = true,
		.syscalls = true,
		.follow = true,
	};
	struct explain e = { .p = p };
	int err = parse_what_if(&e), status;

	if (err)
		return err == -EINVAL ? WC_EXIT_USAGE : WC_EXIT_FAILED;
	status = wc_measuring__open(&so, p->disable, &e.session);
	if (status)
		goto out;
	wc_measuring__catch_signals();
	if (p->pid)
		err = look_at_pid(&e);
	else if (e.slots)
		err = run_rounds(&e);
	else
		err = run_once(&e, 0, &e.looked);
	if (err && !(err == -EINVAL && p->pid) && !(err == -ESRCH && !e.error[0]))
		fail(&e, err);
	err = err ? err : deliver(&e);
	status = status_of(&e, err);
out:
	wc_looked__free(&e.looked);
	wc_session__free(e.session);
	free(e.without);
	free(e.with);
	return status;
}
