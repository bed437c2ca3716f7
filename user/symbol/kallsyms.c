// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/symbol/kallsyms.h"

/* A symbol reaches to the next one; the last of its module has none and is given this much. */
#define LAST_SZ (64 * 1024)

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), end_len = strlen(end);

	return len >= end_len && !strcmp(s + len - end_len, end);
}

/* Marks a place and is no function: "_stext", "__sched_text_end". */
static bool is_marker(const char *name)
{
	static const char *const marks[] = { "_text_start", "_text_end", "_stext", "_etext",
					     "_text" };
	size_t i;

	if (name[0] != '_')
		return false;
	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (ends_with(name, marks[i]))
			return true;
	}
	return false;
}

/* Of the names of one function: the one that its source has, as far as one can tell. */
static int demerit_of(char type, const char *name)
{
	int demerit = 0;

	if (is_marker(name))
		demerit += 1000;
	if (strchr(name, '.'))
		demerit += 200;
	while (*name == '_') {
		demerit += 20;
		name++;
	}
	if (type == 't')
		demerit += 2;
	else if (type == 'w' || type == 'W')
		demerit += 1;
	return demerit;
}

static bool is_code(char type, const char *name)
{
	if (!strchr("tTwW", type))
		return false;
	/* Padding before a function that tracing may patch. */
	return strncmp(name, "__pfx_", 6) != 0 && strncmp(name, "__cfi_", 6) != 0;
}

static int add(struct wc_kallsyms *k, const struct wc_ksym *sym)
{
	struct wc_ksym *bigger;
	size_t cap;

	if (k->cnt == k->cap) {
		cap = k->cap ? k->cap * 2 : 4096;
		bigger = reallocarray(k->syms, cap, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		k->syms = bigger;
		k->cap = cap;
	}
	k->syms[k->cnt++] = *sym;
	return 0;
}

/* "ffffffff81000000 T _stext" or "... t name	[module]"; other lines are passed over. */
static int read_line(struct wc_kallsyms *k, struct wc_pool *pool, char *line, bool *any)
{
	struct wc_ksym sym = { 0 };
	char *end, *name, *module, type;

	line[strcspn(line, "\n")] = '\0';
	errno = 0;
	sym.addr = strtoull(line, &end, 16);
	if (errno || end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return 0;
	type = end[1];
	name = end + 3;
	module = name + strcspn(name, " \t");
	if (*module)
		*module++ = '\0';
	module += strspn(module, " \t");
	if (!*name)
		return 0;
	*any = true;
	if (!sym.addr || !is_code(type, name))
		return 0;
	sym.name = wc_pool__add(pool, name);
	sym.module = wc_pool__add(pool, *module ? module : "[kernel]");
	sym.demerit = demerit_of(type, name);
	if (!sym.name || !sym.module)
		return -ENOMEM;
	return add(k, &sym);
}

static int by_address(const void *a, const void *b)
{
	const struct wc_ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->demerit != y->demerit)
		return x->demerit < y->demerit ? -1 : 1;
	if (strlen(x->name) != strlen(y->name))
		return strlen(x->name) < strlen(y->name) ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Programs, trampolines and so on come and go each for itself: they have no common beginning. */
static bool has_base(const char *module)
{
	return strcmp(module, "[bpf]") != 0 && strncmp(module, "[__builtin", 10) != 0;
}

static void set_ends(struct wc_kallsyms *k)
{
	const char *module = "";
	uint64_t base = 0;
	size_t i;

	for (i = 0; i < k->cnt; i++) {
		struct wc_ksym *sym = &k->syms[i];
		bool last = i + 1 == k->cnt || k->syms[i + 1].module != sym->module;

		if (sym->module != module || !has_base(sym->module)) {
			module = sym->module;
			base = sym->addr;
		}
		sym->base = base;
		sym->end = i + 1 < k->cnt ? k->syms[i + 1].addr : UINT64_MAX;
		if (last && sym->end - sym->addr > LAST_SZ)
			sym->end = sym->addr + LAST_SZ;
		if (ends_with(sym->name, "_etext"))
			sym->end = sym->addr;
	}
}

int wc_kallsyms__load(struct wc_kallsyms *k, struct wc_pool *pool, const char *path)
{
	FILE *f = fopen(path, "re");
	size_t sz = 0, i, kept = 0;
	bool any = false;
	char *line = NULL;
	int err = 0;

	if (!f)
		return -errno;
	while (!err && getline(&line, &sz, f) >= 0)
		err = read_line(k, pool, line, &any);
	free(line);
	fclose(f);
	if (err)
		return err;
	k->hidden = any && !k->cnt;
	if (!k->syms)
		return any ? 0 : -ENODATA;
	qsort(k->syms, k->cnt, sizeof(*k->syms), by_address);
	for (i = 0; i < k->cnt; i++) {
		if (!kept || k->syms[kept - 1].addr != k->syms[i].addr)
			k->syms[kept++] = k->syms[i];
	}
	k->cnt = kept;
	set_ends(k);
	return 0;
}

const struct wc_ksym *wc_kallsyms__find(const struct wc_kallsyms *k, uint64_t ip)
{
	size_t lo = 0, hi = k->cnt, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (k->syms[mid].addr <= ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || ip >= k->syms[lo - 1].end)
		return NULL;
	return &k->syms[lo - 1];
}

void wc_kallsyms__clear(struct wc_kallsyms *k)
{
	free(k->syms);
	*k = (struct wc_kallsyms){ 0 };
}
