/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command of the user's own: started stopped, released once the probes are attached, so that its
 * first wake is not missed; and seen once more just before its memory goes, so that its addresses
 * can be named afterwards.
 */
#ifndef WC_EXPERIMENT_TARGET_H
#define WC_EXPERIMENT_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct wc_target {
	pid_t pid;
	int go_fd; /* closing it lets the command begin */
	int exec_fd;
	bool traced;
	bool ended;
	int status; /* as of waitpid(), once ended */
};

/* 0 or -errno: the child exists and waits. */
int wc_target__launch(struct wc_target *t, char **argv);
/* Lets it begin. 0, or the errno of exec as -errno (-ENOENT, -EACCES, ...). */
int wc_target__release(struct wc_target *t);
/*
 * Takes in what has happened to it, without waiting; to be called on SIGCHLD. Calls before_exit
 * when it is about to exit and its memory still stands.
 */
void wc_target__reap(struct wc_target *t, void (*before_exit)(void *ctx, pid_t pid), void *ctx);
/* Ends it if it has not ended by itself. */
void wc_target__kill(struct wc_target *t);

#endif
