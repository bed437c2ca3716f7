/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/probe/kbtf.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/probe/sys.h"

struct wc_kbtf {
	struct btf *btf;
};

const char *wc_kbtf__path(char *buf, size_t sz)
{
	const char *other = secure_getenv("WAKECOST_BTF");

	if (other && *other) {
		snprintf(buf, sz, "%s", other);
		return buf;
	}
	return wc_sys__path(buf, sz, "/sys/kernel/btf/vmlinux");
}

int wc_kbtf__open(struct wc_kbtf **out)
{
	struct wc_kbtf *kbtf = calloc(1, sizeof(*kbtf));
	char path[4096];
	int err;

	*out = NULL;
	if (!kbtf)
		return -ENOMEM;
	kbtf->btf = btf__parse(wc_kbtf__path(path, sizeof(path)), NULL);
	err = libbpf_get_error(kbtf->btf);
	if (err) {
		free(kbtf);
		return err;
	}
	*out = kbtf;
	return 0;
}

void wc_kbtf__free(struct wc_kbtf *kbtf)
{
	if (!kbtf)
		return;
	btf__free(kbtf->btf);
	free(kbtf);
}

/* Anonymous structs and unions inside count as part of the struct. */
static bool has_member(const struct btf *btf, const struct btf_type *t, const char *member)
{
	const struct btf_member *m;
	int i;

	if (!t || !btf_is_composite(t))
		return false;
	m = btf_members(t);
	for (i = 0; i < btf_vlen(t); i++, m++) {
		const char *name = btf__name_by_offset(btf, m->name_off);

		if (name && *name ? !strcmp(name, member)
				  : has_member(btf, btf__type_by_id(btf, m->type), member))
			return true;
	}
	return false;
}

bool wc_kbtf__has_member(const struct wc_kbtf *kbtf, const char *type, const char *member)
{
	int id = kbtf ? btf__find_by_name_kind(kbtf->btf, type, BTF_KIND_STRUCT) : -ENOENT;

	return id > 0 && has_member(kbtf->btf, btf__type_by_id(kbtf->btf, (__u32)id), member);
}

bool wc_kbtf__has_struct(const struct wc_kbtf *kbtf, const char *type)
{
	return kbtf && btf__find_by_name_kind(kbtf->btf, type, BTF_KIND_STRUCT) > 0;
}

int wc_kbtf__tp_id(const struct wc_kbtf *kbtf, const char *tp)
{
	char name[128];
	int id;

	if (!kbtf)
		return -ENOENT;
	snprintf(name, sizeof(name), "btf_trace_%s", tp);
	id = btf__find_by_name_kind(kbtf->btf, name, BTF_KIND_TYPEDEF);
	return id > 0 ? id : -ENOENT;
}

int wc_kbtf__func_id(const struct wc_kbtf *kbtf, const char *func)
{
	int id = kbtf ? btf__find_by_name_kind(kbtf->btf, func, BTF_KIND_FUNC) : -ENOENT;

	return id > 0 ? id : -ENOENT;
}

int wc_kbtf__tp_arg_cnt(const struct wc_kbtf *kbtf, const char *tp)
{
	int id = wc_kbtf__tp_id(kbtf, tp);
	const struct btf_type *t;

	if (id < 0)
		return id;
	/* typedef -> pointer -> prototype, whose first parameter is the context */
	t = btf__type_by_id(kbtf->btf, (__u32)id);
	t = btf__type_by_id(kbtf->btf, t->type);
	if (!t || !btf_is_ptr(t))
		return -EINVAL;
	t = btf__type_by_id(kbtf->btf, t->type);
	if (!t || !btf_is_func_proto(t) || btf_vlen(t) < 1)
		return -EINVAL;
	return btf_vlen(t) - 1;
}

static long member_off(const struct btf *btf, const struct btf_type *t, const char *member)
{
	const struct btf_member *m;
	long off;
	int i;

	if (!t || !btf_is_composite(t))
		return -ENOENT;
	m = btf_members(t);
	for (i = 0; i < btf_vlen(t); i++, m++) {
		const char *name = btf__name_by_offset(btf, m->name_off);

		if (name && !strcmp(name, member))
			return btf_member_bit_offset(t, i) / 8;
		if (name && *name)
			continue;
		off = member_off(btf, btf__type_by_id(btf, m->type), member);
		if (off >= 0)
			return btf_member_bit_offset(t, i) / 8 + off;
	}
	return -ENOENT;
}

long wc_kbtf__percpu_off(const struct wc_kbtf *kbtf, const char *var, const char *member)
{
	int sec = kbtf ? btf__find_by_name_kind(kbtf->btf, ".data..percpu", BTF_KIND_DATASEC) : -1;
	int id = kbtf ? btf__find_by_name_kind(kbtf->btf, var, BTF_KIND_VAR) : -1;
	const struct btf_var_secinfo *v;
	const struct btf_type *t;
	long off = 0;
	int i;

	if (sec <= 0 || id <= 0)
		return -ENOENT;
	if (member) {
		t = btf__type_by_id(kbtf->btf, btf__type_by_id(kbtf->btf, (__u32)id)->type);
		off = member_off(kbtf->btf, t, member);
		if (off < 0)
			return off;
	}
	t = btf__type_by_id(kbtf->btf, (__u32)sec);
	v = btf_var_secinfos(t);
	for (i = 0; i < btf_vlen(t); i++) {
		if (v[i].type == (__u32)id)
			return (long)v[i].offset + off;
	}
	return -ENOENT;
}
