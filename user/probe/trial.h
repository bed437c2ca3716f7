/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel grants, by asking it: a program of two instructions is loaded and attached for
 * a moment, a map is made. libbpf's own answer for tracing programs is not asked: it takes a
 * refused fentry for "no tracing at all".
 */
#ifndef WC_PROBE_TRIAL_H
#define WC_PROBE_TRIAL_H

#include "user/probe/kbtf.h"

enum wc_trial_kind {
	WC_TRIAL_TP_BTF = 0,
	WC_TRIAL_RAW_TP = 1,
	WC_TRIAL_FENTRY = 2,
	WC_TRIAL_FEXIT = 3,
	WC_TRIAL_KPROBE = 4,
	WC_TRIAL_KPROBE_MULTI = 5,
	WC_TRIAL_ITER_TASK = 6,
	WC_TRIAL_TASK_STORAGE = 7,
	WC_TRIAL_RINGBUF = 8,
	WC_TRIAL_MMAP_ARRAY = 9,
	WC_TRIAL_CNT = 10,
};

enum wc_trial_step {
	WC_STEP_TYPES = 0, /* BTF lacks what the program needs */
	WC_STEP_LOAD = 1,
	WC_STEP_ATTACH = 2,
};

struct wc_trial {
	int err; /* 0 or -errno of the step that failed */
	enum wc_trial_step step;
};

struct wc_trial wc_trial__run(enum wc_trial_kind kind, const struct wc_kbtf *kbtf);

#endif
