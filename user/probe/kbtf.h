/* SPDX-License-Identifier: BSD-2-Clause */
/* What the running kernel's type information (BTF) says about it. */
#ifndef WC_PROBE_KBTF_H
#define WC_PROBE_KBTF_H

#include <stdbool.h>
#include <stddef.h>

struct wc_kbtf;

/* WAKECOST_BTF if set (doctor --btf), else the kernel's own file. Returns buf. */
const char *wc_kbtf__path(char *buf, size_t sz);
/* 0, or -errno with *out NULL. */
int wc_kbtf__open(struct wc_kbtf **out);
void wc_kbtf__free(struct wc_kbtf *kbtf); /* NULL allowed */

/* All accept NULL, where nothing is found. */
bool wc_kbtf__has_member(const struct wc_kbtf *kbtf, const char *type, const char *member);
bool wc_kbtf__has_struct(const struct wc_kbtf *kbtf, const char *type);
/* Arguments of a tracepoint, without the leading context; -ENOENT: no such tracepoint. */
int wc_kbtf__tp_arg_cnt(const struct wc_kbtf *kbtf, const char *tp);
/* BTF ids as the bpf() call wants them; -ENOENT. */
int wc_kbtf__tp_id(const struct wc_kbtf *kbtf, const char *tp);
int wc_kbtf__func_id(const struct wc_kbtf *kbtf, const char *func);
/* Offset of a per-CPU variable, or of a member of it, in the per-CPU section; -ENOENT. */
long wc_kbtf__percpu_off(const struct wc_kbtf *kbtf, const char *var, const char *member);

#endif
