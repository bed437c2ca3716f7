/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who woke whom and from where: what `record` adds to a result (wc_result.profile). Indices point
 * into the arrays of the same profile; WC_NONE means there is none. All times are ns.
 */
#ifndef WC_MODEL_PROFILE_H
#define WC_MODEL_PROFILE_H

#include "user/model/result.h"

#define WC_NONE UINT32_MAX

enum wc_frame_kind {
	WC_FRAME_KERNEL = 0,
	WC_FRAME_USER = 1,
	WC_FRAME_JIT = 2,
	WC_FRAME_INLINED = 3, /* into the frame above it (its caller) */
	WC_FRAME_NOTE = 4,    /* no code: "[no frame pointers]", "[softirq]", "[lost]" */
};

struct wc_frame {
	enum wc_frame_kind kind;
	char *name;	/* function, demangled; "[unknown]"; any bytes */
	char *module;	/* "libc.so.6", "[kernel]", "[vdso]"; "" for none */
	char *build_id; /* hex; "" */
	char *file;	/* source; "" */
	uint32_t line;	/* 0: unknown */
	uint64_t addr;	/* in the module's file, of the function's code; 0 for notes */
};

/* Leaf first. */
struct wc_stack {
	uint32_t *frames;
	uint32_t frame_cnt;
	bool user;
	bool truncated; /* cut for want of frame pointers, or deeper than the table holds */
};

struct wc_task {
	uint32_t tid, tgid; /* in the kernel's own (initial) pid namespace */
	uint32_t ns_tid;    /* in the task's own; 0: the same */
	char *comm;	    /* any bytes but NUL */
	char *process;	    /* name of its thread group's leader, or of its program */
	bool kernel_thread;
	bool exited;		  /* before the end of the window */
	bool outside;		  /* woke others, and its own wakes were not asked for */
	uint64_t switched_in_cnt; /* 0: never ran in the window */
};

/* One waker and wakee. Interrupts are wakers without a task. */
struct wc_edge {
	uint32_t waker;	  /* task, or WC_NONE */
	uint32_t context; /* enum wc_context of the waker */
	uint32_t wakee;	  /* task */
	uint64_t wakes[WC_CLASS_CNT];
	struct wc_sum total;
	struct wc_sum stages[WC_STAGE_CNT];
	struct wc_sum blocked; /* asleep before these wakes */
	/* coarse histograms (bpf/hist.h, wc_phist); NULL where empty */
	struct wc_phist *hists[WC_METRIC_CNT];
};

/*
 * One path: stack of the waker over stack of the wakee. Weighted: wakes taken one in K count K,
 * those taken because they were slow count 1.
 */
struct wc_chain {
	uint32_t edge;
	uint32_t waker_user, waker_kernel; /* stacks, or WC_NONE: no such stack (kernel thread) */
	uint32_t wakee_kernel, wakee_user;
	bool waker_missing;   /* slow, and its waker's stack had not been taken */
	uint64_t sampled_cnt; /* wakes really taken */
	uint64_t weight;      /* wakes they stand for */
	uint64_t total_ns;    /* weighted sums */
	uint64_t blocked_ns;
	uint64_t stage_ns[WC_STAGE_CNT];
};

/* A wake that was under way, or a sleep that had not ended, when the window closed. */
struct wc_open {
	uint32_t task;
	bool woken;	   /* sched_waking seen, not yet run; else still asleep */
	uint64_t since_ns; /* lower bound of its length */
};

/* Ran-on CPU: the stages as seen there. */
struct wc_cpu_stats {
	uint32_t cpu;
	uint64_t wakes;
	struct wc_sum total;
	struct wc_sum stages[WC_STAGE_CNT];
};

struct wc_profile {
	struct wc_task *tasks;
	size_t task_cnt;
	struct wc_edge *edges;
	size_t edge_cnt;
	struct wc_frame *frames;
	size_t frame_cnt;
	struct wc_stack *stacks;
	size_t stack_cnt;
	struct wc_chain *chains;
	size_t chain_cnt;
	struct wc_open *opens;
	size_t open_cnt;
	struct wc_cpu_stats *cpus;
	size_t cpu_cnt;
	struct wc_event *events; /* sampled single wakes, by time of waking */
	size_t event_cnt;
	uint64_t window_ns, started_ns; /* length; CLOCK_MONOTONIC at its start */
	uint64_t clock_offset_ns;	/* CLOCK_REALTIME - CLOCK_MONOTONIC at its start */
	uint32_t stack_every;		/* K; 0: no stacks, 1: every wake */
	uint64_t slow_ns;		/* threshold of taking every wake; 0: none */
	/* lost on the way to a stack, by kind */
	uint64_t stacks_full_cnt, stacks_failed_cnt, chains_full_cnt;
	uint64_t plain_pair_cnt; /* pairs without histograms for want of room; not stored */
	uint64_t user_stack_cnt,
		user_truncated_cnt; /* weighted: the share is the second by the first */
};

struct wc_profile *wc_profile__new(void); /* NULL: no memory */
void wc_profile__free(struct wc_profile *p);

/* Index of an equal frame or stack, added if new; WC_NONE: no memory. Takes copies. */
uint32_t wc_profile__frame(struct wc_profile *p, const struct wc_frame *f);
uint32_t wc_profile__stack(struct wc_profile *p, const uint32_t *frames, uint32_t cnt, bool user,
			   bool truncated);
/* Appends one, zeroed; NULL: no memory. The arrays may move. */
struct wc_task *wc_profile__add_task(struct wc_profile *p);
struct wc_edge *wc_profile__add_edge(struct wc_profile *p);
struct wc_chain *wc_profile__add_chain(struct wc_profile *p);
struct wc_open *wc_profile__add_open(struct wc_profile *p);

/*
 * What a flame graph and folded output are drawn from: frames of one path, root first, with the
 * weight of one metric. Names of frames are as in the profile; the kinds tell colours.
 */
enum wc_view {
	WC_VIEW_CHAIN =
		0, /* wakee process, user, kernel, then waker kernel, user, process on top */
	WC_VIEW_WAKEE = 1,
	WC_VIEW_WAKER = 2,
	WC_VIEW_STAGE = 3, /* waker's path, then the stages as top frames */
};

enum wc_weigh {
	WC_WEIGH_COST = 0,    /* call to return, or sched_waking to switched in */
	WC_WEIGH_WAIT = 1,    /* the stage of that name */
	WC_WEIGH_BLOCKED = 2, /* length of the sleep */
	WC_WEIGH_COUNT = 3,   /* wakes */
	WC_WEIGH_STAGE = 4,   /* + enum wc_stage */
};

/* Classes of frame, for colours and for the suffixes of folded output. */
enum wc_path_class {
	WC_PATH_PROCESS = 0, /* name of a process or thread */
	WC_PATH_WAKEE_USER = 1,
	WC_PATH_WAKEE_KERNEL = 2,
	WC_PATH_SEPARATOR = 3, /* "--" between wakee and waker */
	WC_PATH_WAKER_KERNEL = 4,
	WC_PATH_WAKER_USER = 5,
	WC_PATH_CONTEXT = 6, /* [hardirq], [softirq], [timer] */
	WC_PATH_STAGE = 7,
	WC_PATH_NOTE = 8,
};

struct wc_path_frame {
	const char *name;
	const struct wc_frame *frame; /* NULL where there is no code */
	enum wc_path_class path_class;
	enum wc_frame_kind kind;
};

struct wc_path {
	const struct wc_path_frame *frames; /* root first */
	size_t frame_cnt;
	uint64_t value; /* ns, or wakes */
	const struct wc_edge *edge;
	const struct wc_chain *chain; /* all that is known of it */
};

/*
 * Calls fn for every path of a view with a value above zero; frames are valid during the call.
 * Returns 0, -ENOMEM, or what fn returned when not 0. threads: a thread's name below its process.
 */
int wc_profile__paths(const struct wc_profile *p, enum wc_view view, unsigned int weigh,
		      bool threads, int (*fn)(void *ctx, const struct wc_path *path), void *ctx);

#endif
