/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells of a lab: every point of an experiment on every kernel, with every seed, a boot each. */
#ifndef WC_LAB_LAB_H
#define WC_LAB_LAB_H

#include "user/model/lab.h"
#include "user/model/result.h"

struct wc_lab_kernel {
	const char *name; /* as it is shown */
	char *vmlinuz;
};

struct wc_lab_opts {
	const struct wc_lab_kernel *kernels;
	size_t kernel_cnt;
	const struct wc_result *points; /* cells and their parameters; nothing measured in them */
	const char *shape;
	const char *model; /* "l2=2M:16,stlb=2048:16" for the plugin; NULL: its defaults */
	uint64_t seeds, handoffs;
	unsigned int timeout_s;
	/* Called before each boot. */
	void (*progress)(void *ctx, size_t done, size_t total, const char *label);
	void *ctx;
};

/* 0, or -errno with the sentence in error. lab is complete, or to be thrown away. */
int wc_lab__run(const struct wc_lab_opts *opts, struct wc_lab *lab, char *error, size_t error_sz);

#endif
