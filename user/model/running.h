/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the wakes of one running program wait for: parts of a wake's cost that add up to it, the
 * futex chains its sleeping threads make, and the sentence that follows. Computed from a recording
 * and two looks at the threads; knows nothing of how either was had.
 */
#ifndef WC_MODEL_RUNNING_H
#define WC_MODEL_RUNNING_H

#include "user/model/effect.h"
#include "user/model/profile.h"

/* ---- a look at its threads ---- */

enum wc_sleep {
	WC_SLEEP_RUNNING = 0, /* on a CPU, or waiting for one */
	WC_SLEEP_PRIVATE = 1, /* on a private futex */
	WC_SLEEP_SHARED = 2,  /* on a futex that other processes may see: the machine's table */
	WC_SLEEP_POLL = 3,    /* epoll, poll, select */
	WC_SLEEP_TIMED = 4,   /* only until a time */
	WC_SLEEP_OTHER = 5,
	WC_SLEEP_UNREAD = 6, /* could not be read */
	WC_SLEEP_CNT = 7,
};

const char *wc_sleep__name(unsigned int how); /* "private futex" */

struct wc_sleeper {
	uint32_t tid; /* in our pid namespace */
	enum wc_sleep how;
	uint64_t addr; /* of the futex */
};

struct wc_look {
	bool taken;
	struct wc_sleeper *items;
	size_t cnt;
};

/* ---- chains ---- */

enum wc_slots_basis {
	WC_SLOTS_UNKNOWN = 0,
	WC_SLOTS_RULE = 1,   /* what this kernel gives a process of as many threads */
	WC_SLOTS_TOLD = 2,   /* the process itself said so */
	WC_SLOTS_GLOBAL = 3, /* no table of its own: the machine's, where chains are only means */
};

const char *wc_slots_basis__name(unsigned int basis);

struct wc_chains {
	size_t thread_cnt, by_sleep[WC_SLEEP_CNT];
	double mean; /* threads on private futexes a slot */
	uint64_t longest;
	/* others in the slots that woken threads sleep in, weighted by wakes */
	double ahead;
	double ahead_share; /* of the wakes, whose wakee was seen asleep on a private futex */
};

/* Slot of a private futex: the kernel's index into the table of a process. */
unsigned int wc_futex__slot(uint64_t addr, unsigned int slots, uint64_t page_sz);
/* 0 or -ENOMEM. p may be NULL: nobody was woken. */
int wc_chains__of(const struct wc_look *look, unsigned int slots, enum wc_slots_basis basis,
		  const struct wc_profile *p, struct wc_chains *out);

/* ---- parts ---- */

/* Every stage of every kind of wake is in one part. */
enum wc_part {
	WC_PART_WALK = 0,   /* find: the call until the wakee is found */
	WC_PART_CHOOSE = 1, /* select */
	WC_PART_IDLE = 2,  /* send, and wait of remote wakes: a CPU to be interrupted or woken up */
	WC_PART_QUEUE = 3, /* wait and pick where the waker queued it: others run, or go on */
	WC_PART_MIGRATE = 4, /* wait and pick of those that ran elsewhere than queued */
	WC_PART_DELAYED = 5, /* select and enqueue of those still queued by delayed dequeue */
	WC_PART_ENQUEUE = 6,
	WC_PART_COLD = 7, /* switch and return: nothing is chosen any more */
	WC_PART_REST = 8, /* no stage's */
	WC_PART_CNT = 9,
};

const char *wc_part__name(unsigned int part);
const char *wc_part__what(unsigned int part); /* which stages of which wakes */

struct wc_part_sum {
	double total_ns, mean_ns, share; /* mean: per wake of any kind, so that they add up */
	double typical_ns;		 /* in the wake in the middle; these need not add up */
};

/* ---- the whole ---- */

struct wc_running_facts {
	uint32_t pid;
	const char *name; /* of the process; any bytes */
	struct wc_look before, after;
	unsigned int slots;
	enum wc_slots_basis basis;
};

#define WC_RUNNING_VERDICT_MAX 10

struct wc_running {
	uint32_t pid;
	char name[64];
	unsigned int slots;
	enum wc_slots_basis basis;
	bool has_before, has_after;
	struct wc_chains before, after;
	uint64_t window_ns, wakes, total_ns, lost;
	double wakes_per_s, mean_ns, p50_ns, p99_ns;
	bool find_known;
	double find_p50_ns;
	struct wc_part_sum parts[WC_PART_CNT];
	unsigned int top;     /* WC_PART_CNT: there was no wake */
	bool dominates;	      /* top stands out: see running.c */
	unsigned int typical; /* largest in the middle wake: few long ones may make another top */
	double shares[WC_CLASS_CNT]; /* of the wakes, by kind */
	double moved_share;	     /* ran elsewhere than last time */
	char *verdicts[WC_RUNNING_VERDICT_MAX];
	size_t verdict_cnt;
};

/* r: of wc_record__run(). 0, -ENOMEM or -EINVAL. Free it in any case. */
int wc_running__of(const struct wc_result *r, const struct wc_running_facts *facts,
		   struct wc_running *out);
void wc_running__free(struct wc_running *run);
/* Slots that make chains of four, for so many sleepers. */
unsigned int wc_running__slots_for(size_t sleepers);

/* ---- what if ---- */

/* One run of the program. */
struct wc_trial {
	double find_p50_ns, wake_p50_ns, wakes_per_s;
	unsigned int slots; /* as it said itself; 0: it did not */
};

enum wc_whatif_metric {
	WC_WHATIF_FIND = 0,
	WC_WHATIF_WAKE = 1,
	WC_WHATIF_RATE = 2,
	WC_WHATIF_CNT = 3,
};

const char *wc_whatif__name(unsigned int metric);

struct wc_whatif {
	unsigned int rounds;
	unsigned int slots_asked, slots_before, slots_after;
	/* medians over rounds; the change is that of pairs */
	struct wc_effect before[WC_WHATIF_CNT], after[WC_WHATIF_CNT], change[WC_WHATIF_CNT];
	char verdict[512];
};

/* without[i] and with[i] are one round. 0 or -ENOMEM. */
int wc_whatif__of(const struct wc_trial *without, const struct wc_trial *with, size_t cnt,
		  unsigned int slots_asked, struct wc_whatif *out);

#endif
