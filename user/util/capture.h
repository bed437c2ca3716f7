/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WC_UTIL_CAPTURE_H
#define WC_UTIL_CAPTURE_H

#include <stddef.h>

/*
 * Runs a program to its end and returns what it wrote to stdout, NUL-terminated; free() it.
 * NULL with errno when it could not be run, wrote more than max bytes (EFBIG) or failed
 * (ECHILD, *status as waitpid gives it). Its stderr is ours.
 */
char *wc_capture__run(char *const argv[], size_t max, int *status);

#endif
