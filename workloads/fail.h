/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one message of a failure. Whoever knows the user's words sets it and returns -errno; main
 * prints it. Also the only way out from a thread that cannot go on.
 */
#ifndef WORKLOADS_FAIL_H
#define WORKLOADS_FAIL_H

#include "types.h"

/* Keeps the first message; returns -err. `limit` names what stopped us, or NULL. */
int fail__set(int err, const char *limit, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Appends to the message (what to do). */
void fail__hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Usage errors end with status 2. */
int fail__usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int fail__status(void);

/* stderr, and with `as_event` an error event on stdout. */
void fail__print(bool as_event);
/* fail__print(), then the whole process ends at once. From any thread. */
void fail__die(void) __attribute__((noreturn));
void fail__use_events(bool on);

void warn__add(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int warn__cnt(void);
const char *warn__at(int i);

#endif
