/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program says on stdout: NDJSON under --control, else one document. */
#include <stdio.h>
#include <unistd.h>

#include "bg.h"
#include "fail.h"
#include "futex_hash.h"
#include "json.h"
#include "registry.h"
#include "run.h"

#define THREADS_SHOWN_CNT 64u

static struct json doc;

static const char *const buckets[] = {
	[BUCKET_OTHER] = "other",
	[BUCKET_PAIR] = "pair",
	[BUCKET_ANY] = "any",
};

static void output__hash(struct wl_run *run, struct json *j)
{
	bool known = run->hash.slots > 0;

	json__open_object(j, "futex_hash");
	json__string(j, "kind", known ? "private" : "global");
	if (known)
		json__u64(j, "slots", (u64)run->hash.slots);
	else
		json__null(j, "slots");
	json__bool(j, "prctl", run->hash.slots >= 0);
	json__close_object(j);
	/* Where futex-one really sits; computable in a private table only. */
	if (run->bg != &bg_futex_one)
		return;
	if (known && run->mech == &mech_futex)
		json__string(j, "bucket", buckets[run->p.bucket]);
	else
		json__string(j, "bucket", "unknown");
}

static u64 output__chain(const struct wl_bg_ctx *ctx, u32 bucket, u32 slots)
{
	u64 cnt = 0;
	u32 i;

	for (i = 0; i < ctx->task_cnt; i++) {
		if (ctx->futexes[i] &&
		    futex_hash__bucket((const void *)(uintptr_t)ctx->futexes[i], slots) == bucket)
			cnt++;
	}
	return cnt;
}

/* Parked waiters each wake must pass in the bucket of its word, as computed. */
static void output__prediction(struct wl_run *run, struct json *j)
{
	u32 shown = run->box_cnt < THREADS_SHOWN_CNT ? run->box_cnt : THREADS_SHOWN_CNT, i;
	u32 slots = run->hash.slots > 0 ? (u32)run->hash.slots : 0;

	if (!slots || run->mech != &mech_futex || run->bg_ctx->unread) {
		json__null(j, "predicted_chain");
		return;
	}
	json__open_object(j, "predicted_chain");
	json__open_array(j, "pair_buckets");
	for (i = 0; i < shown; i++)
		json__u64(j, NULL, futex_hash__bucket(&run->boxes[i].mail->word, slots));
	json__close_array(j);
	json__open_array(j, "chain");
	for (i = 0; i < shown; i++)
		json__u64(j, NULL,
			  output__chain(run->bg_ctx,
					futex_hash__bucket(&run->boxes[i].mail->word, slots),
					slots));
	json__close_array(j);
	json__close_object(j);
}

static void output__threads(struct wl_run *run, struct json *j)
{
	u32 i;

	json__open_array(j, "threads");
	for (i = 0; i < run->actor_cnt && i < THREADS_SHOWN_CNT; i++) {
		json__open_object(j, NULL);
		json__string(j, "role", run->shape->role(i));
		json__u64(j, "tid", (u64)run->actors[i].tid);
		json__close_object(j);
	}
	json__close_array(j);
	json__u64(j, "threads_cnt", run->actor_cnt);
	json__open_array(j, "cpus");
	for (i = 0; i < (u32)run->cpu_cnt; i++)
		json__u64(j, NULL, (u64)run->cpus[i]);
	json__close_array(j);
}

static void output__background(struct wl_run *run, struct json *j)
{
	json__u64(j, "parked_actual", run->bg_ctx->cnt);
	json__u64(j, "parked_proven", run->bg_ctx->proven_cnt);
	json__u64(j, "parked_tasks", run->bg_ctx->task_cnt);
	output__hash(run, j);
	output__prediction(run, j);
	output__threads(run, j);
}

static void output__facts(struct wl_run *run, struct json *j)
{
	int i;

	json__string(j, "schema", "wakecost.workload/1");
	json__u64(j, "pid", (u64)getpid());
	json__string(j, "shape", run->shape->name);
	params__write(&run->p, run->shape->name, j, "params");
	if (!run->shape->work)
		output__background(run, j);
	json__u64(j, "setup_ns", run->setup_ns);
	json__open_array(j, "warnings");
	for (i = 0; i < warn__cnt(); i++)
		json__string(j, NULL, warn__at(i));
	json__close_array(j);
}

int output__ready(struct wl_run *run)
{
	struct json j;

	json__begin(&j, stdout);
	json__open_object(&j, NULL);
	json__string(&j, "event", "ready");
	output__facts(run, &j);
	json__close_object(&j);
	return json__finish(&j);
}

int output__event(const char *event)
{
	struct json j;

	json__begin(&j, stdout);
	json__open_object(&j, NULL);
	json__string(&j, "event", event);
	json__close_object(&j);
	return json__finish(&j);
}

static void output__quantiles(struct wl_run *run, struct json *j)
{
	struct wl_quantiles q;

	samples__summarize(run->samples, run->plan.handoff_cnt, &q);
	json__open_object(j, "handoff_ns");
	json__u64(j, "count", q.count);
	json__u64(j, "p50", q.p50);
	json__u64(j, "p90", q.p90);
	json__u64(j, "p99", q.p99);
	json__u64(j, "min", q.min);
	json__u64(j, "max", q.max);
	json__real(j, "mean", q.mean);
	json__u64(j, "sum", q.sum);
	json__close_object(j);
}

static void output__switches(const struct wl_usage *used, struct json *j)
{
	json__open_object(j, "context_switches");
	json__u64(j, "voluntary", used->voluntary);
	json__u64(j, "involuntary", used->involuntary);
	json__close_object(j);
}

static void output__usage(struct wl_run *run, struct json *j)
{
	u64 cnt = run->plan.handoff_cnt, wait_cnt = 0, unslept_cnt = 0;
	struct wl_usage sum = { 0, 0, 0 };
	u32 i;

	for (i = 0; i < run->actor_cnt; i++) {
		sum.voluntary += run->actors[i].used.voluntary;
		sum.involuntary += run->actors[i].used.involuntary;
		sum.cpu_ns += run->actors[i].used.cpu_ns;
		if (run->shape->waker_0 && !i)
			continue;
		wait_cnt += run->actors[i].used.voluntary;
		unslept_cnt += run->actors[i].unslept_cnt;
	}
	if (run->mech->sees_unslept)
		json__u64(j, "unslept_seen", unslept_cnt);
	else
		json__null(j, "unslept_seen");
	output__switches(&sum, j);
	json__real(j, "waits_per_handoff", (double)wait_cnt / (double)cnt);
	json__u64(j, "cpu_ns", sum.cpu_ns);
	json__real(j, "cpu_ns_per_handoff", (double)sum.cpu_ns / (double)cnt);
}

static void output__directions(struct wl_run *run, struct json *j)
{
	u64 cnt = run->plan.handoff_cnt;
	u32 i;

	json__open_array(j, "by_direction");
	for (i = 0; run->shape->pair && i < 2; i++) {
		json__open_object(j, NULL);
		json__u64(j, "from", (u64)run->actors[i].tid);
		json__u64(j, "to", (u64)run->actors[1 - i].tid);
		json__u64(j, "handoffs", (cnt + 1 - i) / 2);
		json__close_object(j);
	}
	json__close_array(j);
}

static void output__one_result(struct wl_run *run, struct json *j, u64 round)
{
	json__string(j, "event", "result");
	json__u64(j, "round", round);
	if (run->shape->work) {
		gauges__write(&run->gauges, j, "gauges");
		json__u64(j, "round_ns", run->end_ns - run->start_ns);
		output__switches(&run->used, j);
		json__u64(j, "cpu_ns", run->used.cpu_ns);
		return;
	}
	json__u64(j, "handoffs", run->plan.handoff_cnt);
	output__quantiles(run, j);
	json__u64(j, "round_ns", run->end_ns - run->start_ns);
	output__usage(run, j);
	output__directions(run, j);
}

int output__result(struct wl_run *run, u64 round)
{
	struct json j;

	if (doc.out) {
		json__open_object(&doc, NULL);
		output__one_result(run, &doc, round);
		json__close_object(&doc);
		return 0;
	}
	json__begin(&j, stdout);
	json__open_object(&j, NULL);
	output__one_result(run, &j, round);
	json__close_object(&j);
	return json__finish(&j);
}

int output__document_open(struct wl_run *run)
{
	json__begin(&doc, stdout);
	json__open_object(&doc, NULL);
	output__facts(run, &doc);
	json__open_array(&doc, "results");
	return 0;
}

int output__document_close(void)
{
	json__close_array(&doc);
	json__close_object(&doc);
	return json__finish(&doc);
}
