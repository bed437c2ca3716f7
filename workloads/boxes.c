/* SPDX-License-Identifier: BSD-2-Clause */
/* The boxes, and where in the futex hash their words fall. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bg.h"
#include "fail.h"
#include "futex_hash.h"
#include "limit.h"
#include "registry.h"
#include "run.h"

/* Candidates beside the boxes themselves: a word for any of 1,024 buckets is among them. */
#define SPARE_CNT 16384u

/* May box i have its word there? `first`: bucket of box 0, `one`: that of futex-one. */
static bool boxes__suits(const struct wl_run *run, u32 i, u32 bucket, u32 first, u32 one)
{
	bool beside_one = run->bg == &bg_futex_one && run->bg_ctx->cnt;

	if (beside_one && run->p.bucket == BUCKET_PAIR && i < 2)
		return bucket == one;
	if (beside_one && run->p.bucket == BUCKET_OTHER && bucket == one)
		return false;
	/* The two of a pair apart, while there are enough buckets: the same in every process. */
	if (i == 1 && run->hash.slots >= 4)
		return bucket != first;
	return true;
}

static int boxes__place(struct wl_run *run)
{
	u32 spare = run->mech == &mech_futex ? SPARE_CNT : 0, at = 0, end, i, bucket, first = 0,
	    one = 0;
	bool computable = run->mech == &mech_futex && run->hash.slots > 0;
	struct wl_mail *mails;

	end = run->box_cnt + spare;
	mails = mmap(NULL, (size_t)end * sizeof(*mails), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mails == MAP_FAILED)
		return limit__refused(LIMIT_MMAP, errno, (size_t)end * sizeof(*mails), 0,
				      "mailboxes");
	if (computable && run->bg == &bg_futex_one)
		one = futex_hash__bucket(run->bg_ctx->objects, (u32)run->hash.slots);
	for (i = 0; i < run->box_cnt; i++, at++) {
		for (; computable; at++) {
			if (at == end)
				return fail__set(
					ERANGE, "futex_slots",
					"no futex word in the bucket asked for (%d slots); use fewer "
					"futex_slots or bucket=any",
					run->hash.slots);
			bucket = futex_hash__bucket(&mails[at].word, (u32)run->hash.slots);
			if (boxes__suits(run, i, bucket, first, one))
				break;
		}
		if (computable && i == 0)
			first = bucket;
		run->boxes[i].mail = &mails[at];
		/* Fault the page in. */
		mails[at].word = 0;
		__atomic_store_n(&mails[at].id, 0, __ATOMIC_RELAXED);
	}
	return 0;
}

int boxes__create(struct wl_run *run)
{
	size_t sz;
	u32 i;
	int err;

	run->box_cnt = run->shape->box_cnt(run);
	sz = run->box_cnt * sizeof(*run->boxes);
	run->boxes = aligned_alloc(64, sz);
	if (!run->boxes)
		return limit__refused(LIMIT_MMAP, ENOMEM, sz, 0, "mailboxes");
	memset(run->boxes, 0, sz);
	err = boxes__place(run);
	for (i = 0; !err && i < run->box_cnt; i++) {
		run->boxes[i].fd = run->boxes[i].fd_write = -1;
		run->boxes[i].wake_cnt = 1;
		if (run->mech->box_init)
			err = run->mech->box_init(run, &run->boxes[i],
						  run->shape->box_waiter_cnt(run, i));
	}
	return err ? err : run->shape->attach(run);
}
