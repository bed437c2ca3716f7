/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading what the kernel shows in /proc, /sys and /boot. Every path goes through
 * wc_sys__path(), so that tests can put a mock tree there: WAKECOST_SYSROOT names the directory
 * that stands for "/". It is for tests only.
 */
#ifndef WC_PROBE_SYS_H
#define WC_PROBE_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool wc_sys__is_mock(void); /* WAKECOST_SYSROOT is set */
/* Absolute path -> the same below the mock root. Returns buf. */
const char *wc_sys__path(char *buf, size_t sz, const char *path);

/* Whole small file, NUL-terminated, last newline cut. Length, or -errno. */
int wc_sys__read(const char *path, char *buf, size_t sz);
int wc_sys__readf(char *buf, size_t sz, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A number as the whole file; "max" and -1 are UINT64_MAX. 0 or -errno. */
int wc_sys__read_u64(const char *path, uint64_t *val);
/* "key: value" or "key value" line of a file such as /proc/meminfo. 0 or -errno. */
int wc_sys__read_key(const char *path, const char *key, char *buf, size_t sz);
int wc_sys__read_key_u64(const char *path, const char *key, uint64_t *val);
/* The word in brackets of "a [b] c". 0 or -errno. */
int wc_sys__read_bracketed(const char *path, char *buf, size_t sz);
/* Word of /proc/cmdline that begins with key ("preempt="): what follows. 0 or -ENOENT. */
int wc_sys__cmdline(const char *key, char *buf, size_t sz);
/* CPUs in a list such as "0-3,8". */
unsigned int wc_sys__count_list(const char *list);
unsigned int wc_sys__cpu_cnt(const char *which); /* "online", "possible"; 0: unknown */

/* Options of this kernel's build, "CONFIG_X" -> "y"; read once. 0 or -errno. */
int wc_kconfig__get(const char *key, char *buf, size_t sz);
bool wc_kconfig__is_set(const char *key); /* =y or =m; false too when there is no config */
bool wc_kconfig__is_known(void);

#endif
