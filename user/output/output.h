/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One function a format. Adding one takes user/output/NAME.c, its declaration here and a row in
 * user/cli/cmd_export.c. All return 0 or -errno (of the stream, or -ENOMEM); none closes f.
 *
 * Strings of a result may come from elsewhere: no output lets one reach a terminal or break its
 * format.
 */
#ifndef WC_OUTPUT_OUTPUT_H
#define WC_OUTPUT_OUTPUT_H

#include <stdio.h>

#include "user/model/profile.h"
#include "user/model/summary.h"

enum wc_table_by {
	WC_TABLE_BY_CELL = 0,
	WC_TABLE_BY_CLASS = 1, /* and the stages of every kind of wake */
	WC_TABLE_BY_PAIR = 2,  /* and who woke whom */
};

enum wc_table_sort {
	WC_TABLE_SORT_CELL = 0, /* as asked for */
	WC_TABLE_SORT_P50 = 1,	/* this and the next: largest first */
	WC_TABLE_SORT_P99 = 2,
	WC_TABLE_SORT_COST = 3,	 /* cost of measuring */
	WC_TABLE_SORT_WAKES = 4, /* pairs: number of wakes; cells: handoffs */
};

struct wc_table_opts {
	bool wide;   /* all parameters, all counters, no care for 80 columns */
	bool colour; /* the caller knows the terminal */
	enum wc_table_by by;
	enum wc_table_sort sort;
	unsigned int limit; /* rows of cells or pairs; 0: all (pairs: 20 a cell) */
};

int wc_out_table(FILE *f, const struct wc_result *r, const struct wc_table_opts *opts);
int wc_out_json(FILE *f, const struct wc_result *r); /* docs/json.md */
int wc_out_csv(FILE *f, const struct wc_result *r);
int wc_out_prom(FILE *f, const struct wc_result *r);

/* Of a profile. Without one (wc_result.profile is NULL) these return -ENODATA. */
struct wc_folded_opts {
	enum wc_view view;
	unsigned int weigh; /* enum wc_weigh */
	bool threads;
};

int wc_out_folded(FILE *f, const struct wc_result *r, const struct wc_folded_opts *opts);

/* What makes a base comparable: its figures are scaled by new / base of this. */
enum wc_per {
	WC_PER_WAKE = 0,
	WC_PER_SECOND = 1,
	WC_PER_SHARE = 2, /* both wholes are made equal */
	WC_PER_NONE = 3,
};

struct wc_flame_opts {
	enum wc_view view;
	unsigned int weigh; /* enum wc_weigh */
	bool threads;
	bool inverted;	      /* root on top */
	bool no_js;	      /* a still picture */
	const char *title;    /* NULL: says metric and command */
	unsigned int width;   /* px; 0: as wide as the window, 1200 without script */
	double min_width_pct; /* frames narrower are not drawn, only counted; 0: the default */
	/* with a base */
	enum wc_per per;
	bool self;	      /* colour by change of the frame itself, without what it calls */
	double min_delta_pct; /* of the whole; less is no change; 0: the default */
};

#define WC_FLAME_MIN_WIDTH_PCT 0.02
#define WC_FLAME_MIN_DELTA_PCT 0.1
#define WC_FLAME_WIDTH	       1200

/* The first comment of every SVG of ours. */
#define WC_FLAME_MAGIC "<!-- wakecost flame graph"

/* base: what it is compared with, or NULL. */
int wc_out_flame(FILE *f, const struct wc_result *r, const struct wc_result *base,
		 const struct wc_flame_opts *opts);

/* Binary: no food for terminals. The second returns -ENODATA too without single wakes. */
int wc_out_pprof(FILE *f, const struct wc_result *r, enum wc_view view);
int wc_out_perfetto(FILE *f, const struct wc_result *r);

#endif
