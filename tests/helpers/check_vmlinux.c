/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_vmlinux OBJECT BTF...: holds the kernel types the probes name against kernels' BTF.
 *
 * Taken from the object: every struct that one of its CO-RE relocations names, and those their
 * members lead to, with all of their members. In each kernel,
 *  - a plain struct (task_struct) must have every member, of a kind libbpf accepts;
 *  - of flavours ___vN and ___preN of one struct, at least one must match;
 *  - any other flavour is optional: a program asks for it with bpf_core_field_exists().
 * One line a fault, exit status 1 if there is any; -v also says which flavours matched.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 128
#define BASE_FMT   "%.*s"

static const struct btf *ours;
static bool *wanted; /* by type id of ours */
static bool verbose;

struct kernel {
	const char *path;
	struct btf *btf;
	unsigned int faults;
};

static const struct btf_type *strip(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

static const char *name_of(const struct btf *btf, __u32 off)
{
	const char *name = btf__name_by_offset(btf, off);

	return name ? name : "";
}

/* Length of the name before its flavour. */
static int base_len(const char *name)
{
	const char *at = strstr(name, "___");

	return at && at != name ? (int)(at - name) : (int)strlen(name);
}

static bool is_flavour(const char *name)
{
	return name[base_len(name)] != '\0';
}

/* Marks a struct of ours and those its members contain or point to. */
static void want(__u32 id)
{
	const struct btf_type *t = btf__type_by_id(ours, id);
	int i;

	if (!t || wanted[id])
		return;
	wanted[id] = true;
	if (btf_is_composite(t))
		for (i = 0; i < btf_vlen(t); i++)
			want(btf_members(t)[i].type);
	else if (btf_is_array(t))
		want(btf_array(t)->type);
	else if (btf_is_ptr(t) || btf_is_mod(t) || btf_is_typedef(t))
		want(t->type);
}

struct ext_header {
	__u16 magic;
	__u8 version, flags;
	__u32 hdr_len;
	__u32 func_off, func_len, line_off, line_len;
	__u32 core_off, core_len;
};

/* The relocations, section by section: size of a record, then (section, count, records)... */
static int want_relocated(const struct btf_ext *ext)
{
	__u32 size, rec_size, cnt, i;
	const char *data = btf_ext__get_raw_data(ext, &size);
	const struct ext_header *h = (const void *)data;
	const char *at, *end;
	int found = 0;

	if (size < sizeof(*h) || h->hdr_len < sizeof(*h) || !h->core_len)
		return 0;
	at = data + h->hdr_len + h->core_off;
	end = at + h->core_len;
	if (end > data + size)
		return 0;
	memcpy(&rec_size, at, sizeof(rec_size));
	if (rec_size < sizeof(struct bpf_core_relo))
		return 0;
	for (at += sizeof(rec_size); at + 8 <= end;) {
		memcpy(&cnt, at + 4, sizeof(cnt));
		at += 8;
		for (i = 0; i < cnt && at + rec_size <= end; i++, at += rec_size, found++) {
			struct bpf_core_relo relo;

			memcpy(&relo, at, sizeof(relo));
			want(relo.type_id);
		}
	}
	return found;
}

/* A member by name, looked for in anonymous structs and unions too. */
static const struct btf_member *find_member(const struct btf *btf, const struct btf_type *t,
					    const char *name)
{
	const struct btf_member *m = btf_members(t), *in;
	int i;

	for (i = 0; i < btf_vlen(t); i++, m++) {
		const char *own = name_of(btf, m->name_off);
		const struct btf_type *mt;

		if (*own && !strcmp(own, name))
			return m;
		mt = *own ? NULL : strip(btf, m->type);
		in = mt && btf_is_composite(mt) ? find_member(btf, mt, name) : NULL;
		if (in)
			return in;
	}
	return NULL;
}

static bool is_number(const struct btf_type *t)
{
	return btf_is_int(t) || btf_is_any_enum(t);
}

/* As libbpf compares fields: kinds must agree, sizes of numbers need not. */
static bool kinds_agree(const struct btf *theirs, __u32 their_id, __u32 our_id)
{
	const struct btf_type *a = strip(ours, our_id), *b = strip(theirs, their_id);

	if (!a || !b)
		return false;
	if (btf_is_array(a) && btf_is_array(b))
		return kinds_agree(theirs, btf_array(b)->type, btf_array(a)->type);
	return (is_number(a) && is_number(b)) || (btf_is_composite(a) && btf_is_composite(b)) ||
	       (btf_is_ptr(a) && btf_is_ptr(b));
}

static const struct btf_type *find_struct(const struct btf *btf, const char *name)
{
	char base[NAME_BYTES];
	int id;

	snprintf(base, sizeof(base), BASE_FMT, base_len(name), name);
	id = btf__find_by_name_kind(btf, base, BTF_KIND_STRUCT);
	if (id < 0)
		id = btf__find_by_name_kind(btf, base, BTF_KIND_UNION);
	return id < 0 ? NULL : btf__type_by_id(btf, (__u32)id);
}

/* Whether every member of ours is in theirs; the first that is not goes to fault. Members that
 * are structs themselves are compared with the member's own type. */
static bool matches(const struct kernel *k, const struct btf_type *o, const struct btf_type *theirs,
		    const char *path, char *fault, size_t sz, bool report_all)
{
	const struct btf_member *m = btf_members(o), *t;
	bool all = true;
	int i;

	for (i = 0; i < btf_vlen(o); i++, m++) {
		const char *name = name_of(ours, m->name_off);
		const struct btf_type *mt = strip(ours, m->type);
		char where[2 * NAME_BYTES];
		bool good;

		snprintf(where, sizeof(where), "%s%s%s", path, *name ? "." : "", name);
		t = *name ? find_member(k->btf, theirs, name) : NULL;
		if (!*name && mt && btf_is_composite(mt))
			good = matches(k, mt, theirs, path, fault, sz, report_all);
		else if (!t || !kinds_agree(k->btf, t->type, m->type))
			good = false;
		else if (mt && btf_is_composite(mt) && is_flavour(name_of(ours, mt->name_off)))
			good = matches(k, mt, strip(k->btf, t->type), where, fault, sz, report_all);
		else
			continue;
		if (good)
			continue;
		all = false;
		if (*name && (!t || !kinds_agree(k->btf, t->type, m->type)))
			snprintf(fault, sz, "%s %s", where,
				 t ? "is of another kind" : "is missing");
		if (!report_all)
			return false;
		if (*fault)
			printf("%s: %s\n", k->path, fault);
		*fault = '\0';
	}
	return all;
}

static bool flavour_matches(const struct kernel *k, const struct btf_type *o, char *fault,
			    size_t sz)
{
	const char *name = name_of(ours, o->name_off);
	const struct btf_type *theirs = find_struct(k->btf, name);

	if (!theirs) {
		snprintf(fault, sz, "%.*s is missing", base_len(name), name);
		return false;
	}
	return matches(k, o, theirs, name, fault, sz, false);
}

/* The other of ___vN and ___preN, or NULL. */
static const struct btf_type *partner_of(const char *name)
{
	int len = base_len(name), id;
	const char *mark = name + len;
	char other[NAME_BYTES];

	if (!strncmp(mark, "___v", 4))
		snprintf(other, sizeof(other), BASE_FMT "___pre%s", len, name, mark + 4);
	else if (!strncmp(mark, "___pre", 6))
		snprintf(other, sizeof(other), BASE_FMT "___v%s", len, name, mark + 6);
	else
		return NULL;
	id = btf__find_by_name_kind(ours, other, BTF_KIND_STRUCT);
	return id < 0 || !wanted[id] ? NULL : btf__type_by_id(ours, (__u32)id);
}

static void check_flavour(struct kernel *k, const struct btf_type *o)
{
	const char *name = name_of(ours, o->name_off);
	const struct btf_type *partner = partner_of(name);
	char fault[512] = "", other[512] = "";
	bool good = flavour_matches(k, o, fault, sizeof(fault));

	if (verbose)
		printf("%s: %s %s%s%s\n", k->path, name, good ? "matches" : "is not this kernel's",
		       good ? "" : ": ", fault);
	/* A pair is judged once, at its newer half. */
	if (good || !partner || strncmp(name + base_len(name), "___v", 4) != 0 ||
	    flavour_matches(k, partner, other, sizeof(other)))
		return;
	printf("%s: neither %s (%s) nor %s (%s)\n", k->path, name, fault,
	       name_of(ours, partner->name_off), other);
	k->faults++;
}

static void check_plain(struct kernel *k, const struct btf_type *o)
{
	const char *name = name_of(ours, o->name_off);
	const struct btf_type *theirs = find_struct(k->btf, name);
	char fault[512] = "";

	if (!theirs) {
		printf("%s: struct %s is missing\n", k->path, name);
		k->faults++;
	} else if (!matches(k, o, theirs, name, fault, sizeof(fault), true)) {
		k->faults++;
	}
}

static unsigned int check_kernel(struct kernel *k)
{
	unsigned int cnt = btf__type_cnt(ours), checked = 0, id;

	for (id = 1; id < cnt; id++) {
		const struct btf_type *o = btf__type_by_id(ours, id);
		const char *name = name_of(ours, o->name_off);

		if (!wanted[id] || !btf_is_composite(o) || !*name)
			continue;
		checked++;
		if (is_flavour(name))
			check_flavour(k, o);
		else
			check_plain(k, o);
	}
	return checked;
}

static int check_file(const char *path)
{
	struct kernel k = { .path = path, .btf = btf__parse(path, NULL) };
	unsigned int checked;

	if (!k.btf || libbpf_get_error(k.btf)) {
		fprintf(stderr, "%s: no BTF can be read from it\n", path);
		return 1;
	}
	checked = check_kernel(&k);
	printf("%s: %u types, %s\n", path, checked, k.faults ? "FAULTY" : "all there");
	btf__free(k.btf);
	return k.faults || !checked;
}

int main(int argc, char **argv)
{
	struct btf_ext *ext = NULL;
	struct btf *obj;
	int i, status = 0;

	if (argc > 1 && !strcmp(argv[1], "-v")) {
		verbose = true;
		argv++;
		argc--;
	}
	if (argc < 3) {
		fputs("usage: check_vmlinux [-v] OBJECT BTF...\n", stderr);
		return 2;
	}
	obj = btf__parse_elf(argv[1], &ext);
	if (!obj || libbpf_get_error(obj) || !ext) {
		fprintf(stderr, "%s: no BTF with relocations in it\n", argv[1]);
		return 2;
	}
	ours = obj;
	wanted = calloc(btf__type_cnt(ours), sizeof(*wanted));
	if (!wanted || !want_relocated(ext)) {
		fprintf(stderr, "%s: names no kernel type\n", argv[1]);
		status = 2;
	}
	for (i = 2; status < 2 && i < argc; i++)
		status |= check_file(argv[i]);
	free(wanted);
	btf_ext__free(ext);
	btf__free(obj);
	return status;
}
