/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of the user's, run for as long as it is looked at and ended then. Unlike a target of
 * record it is not traced: it runs by itself between the looks.
 */
#ifndef WC_EXPERIMENT_PROGRAM_H
#define WC_EXPERIMENT_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct wc_program {
	pid_t pid;
	bool ended;
	int status; /* as of waitpid(), once ended */
};

/*
 * Starts argv[0]. Its standard output goes to standard error: ours is for the result. env: up to a
 * NULL, "KEY=VALUE" that it gets beside our own. 0, or the errno of exec as -errno.
 */
int wc_program__start(struct wc_program *p, char *const *argv, const char *const *env);
/* Until then, unless it ends or *stop: whether it still runs. */
bool wc_program__wait(struct wc_program *p, uint64_t ns, const volatile sig_atomic_t *stop);
/* SIGTERM, and where that is not enough in so long, SIGKILL; to those below it as well. */
void wc_program__end(struct wc_program *p, uint64_t grace_ns);

#endif
