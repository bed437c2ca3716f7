/* SPDX-License-Identifier: BSD-2-Clause */
/* Exit statuses: the same for every command, promised in wakecost(1). */
#ifndef WC_UTIL_EXIT_H
#define WC_UTIL_EXIT_H

enum wc_exit {
	WC_EXIT_OK = 0,
	WC_EXIT_FAILED = 1,	  /* tried, and could not */
	WC_EXIT_USAGE = 2,	  /* the command line is wrong; doctor: cannot run at all */
	WC_EXIT_UNABLE = 3,	  /* this kernel or these rights do not suffice */
	WC_EXIT_REGRESSION = 4,	  /* compare --fail-on */
	WC_EXIT_WRAPPER = 125,	  /* as a wrapper: wakecost itself failed */
	WC_EXIT_CANNOT_RUN = 126, /* as a wrapper: the program is not executable */
	WC_EXIT_NOT_FOUND = 127,  /* as a wrapper: no such program */
	WC_EXIT_INTERRUPTED = 130,
};

#endif
