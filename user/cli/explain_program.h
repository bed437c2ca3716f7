/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost explain of a program that runs, or is started to be looked at. */
#ifndef WC_CLI_EXPLAIN_PROGRAM_H
#define WC_CLI_EXPLAIN_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct wc_explain_program {
	const char *pid;      /* NULL: the command */
	char *const *command; /* ends with NULL */
	int command_cnt;
	uint64_t duration_ns;
	bool delay_given; /* else: until the number of parked threads is steady */
	uint64_t delay_ns;
	const char *what_if; /* "futex-slots=4096"; NULL: none */
	unsigned int rounds;
	const char *output; /* a recording of the window; NULL: none */
	bool json;
	const char *disable; /* sources not to use; NULL: none */
};

/* An exit status. */
int wc_explain_program__run(const struct wc_explain_program *p);

#endif
