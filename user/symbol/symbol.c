// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "user/symbol/apart.h"
#include "user/symbol/kernel.h"
#include "user/symbol/process.h"
#include "user/symbol/symbol.h"

#define UNKNOWN	     "[unknown]"
#define WARNINGS_MAX 64

struct wc_symbols *wc_symbols__new(void)
{
	struct wc_symbols *s = calloc(1, sizeof(*s));
	struct rlimit limit;

	if (!s)
		return NULL;
	s->pool = wc_pool__new();
	s->kernel = calloc(1, sizeof(*s->kernel));
	s->warnings = calloc(WARNINGS_MAX, sizeof(*s->warnings));
	if (!s->pool || !s->kernel || !s->warnings) {
		wc_symbols__free(s);
		return NULL;
	}
	/* The limit is not raised: a program started by us would inherit that. */
	s->fd_max = 512;
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		s->fd_max = limit.rlim_cur / 2 < 65536 ? limit.rlim_cur / 2 : 65536;
	return s;
}

void wc_symbols__free(struct wc_symbols *s)
{
	struct wc_process *p;
	struct wc_root *root;
	size_t i;

	if (!s)
		return;
	for (i = 0; i < WC_BUCKETS; i++) {
		while ((p = s->processes[i])) {
			s->processes[i] = p->next;
			wc_process__free(p);
		}
	}
	wc_images__free(s);
	while ((root = s->roots)) {
		s->roots = root->next;
		wc_root__free(root);
	}
	if (s->kernel)
		wc_kallsyms__clear(&s->kernel->syms);
	free(s->kernel);
	free(s->warnings);
	wc_pool__free(s->pool);
	free(s);
}

void wc_symbols__set_inlines(struct wc_symbols *s, bool on)
{
	s->inlines = on;
}

void wc_symbols__warn(struct wc_symbols *s, const char *fmt, ...)
{
	const char *kept;
	va_list ap;
	char *text;
	size_t i;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	kept = wc_pool__add(s->pool, text);
	free(text);
	/* The same text is the same pointer. */
	for (i = 0; i < s->warning_cnt; i++) {
		if (s->warnings[i] == kept)
			return;
	}
	if (kept && s->warning_cnt < WARNINGS_MAX)
		s->warnings[s->warning_cnt++] = kept;
}

const char *const *wc_symbols__warnings(const struct wc_symbols *s, size_t *cnt)
{
	*cnt = s->warning_cnt;
	return s->warnings;
}

static void set_unknown(struct wc_symbol *out, enum wc_symbol_kind kind, const char *module,
			uint64_t addr)
{
	*out = (struct wc_symbol){
		.kind = kind,
		.name = UNKNOWN,
		.module = module,
		.build_id = "",
		.file = "",
		.addr = addr,
	};
}

int wc_symbols__kernel(struct wc_symbols *s, uint64_t ip, struct wc_symbol *out)
{
	struct wc_kernel *k = s->kernel;
	const struct wc_ksym *sym;

	wc_kernel__load(k, s->pool);
	sym = wc_kallsyms__find(&k->syms, ip);
	/* Where it would be is left out: it tells where the kernel is. */
	set_unknown(out, WC_SYMBOL_KERNEL, "[kernel]", 0);
	if (k->build_id)
		out->build_id = k->build_id;
	if (!sym)
		return -ENOENT;
	out->name = sym->name;
	out->module = sym->module;
	if (strcmp(sym->module, "[kernel]") != 0)
		out->build_id = "";
	out->addr = sym->addr - sym->base;
	out->offset = ip - sym->addr;
	return 0;
}

const char *wc_symbols__kernel_trouble(struct wc_symbols *s)
{
	wc_kernel__load(s->kernel, s->pool);
	return s->kernel->trouble;
}

int wc_symbols__snapshot(struct wc_symbols *s, pid_t tgid)
{
	return wc_process__snapshot(s, tgid);
}

uint64_t wc_symbols__started(const struct wc_symbols *s, pid_t tgid)
{
	const struct wc_process *p = wc_process__find(s, tgid, 0);

	return p ? p->started : 0;
}

int wc_symbols__look_again(struct wc_symbols *s, pid_t tgid)
{
	struct wc_process *p = wc_process__find(s, tgid, 0);

	return p ? wc_process__read_jit(s, p) : -ESRCH;
}

/* Code that no ELF file holds. */
static int find_jit(struct wc_symbols *s, struct wc_process *p, const struct wc_mapping *m,
		    uint64_t at, struct wc_symbol *out)
{
	const struct wc_jit *code;

	set_unknown(out, WC_SYMBOL_USER, m ? m->module : "",
		    m && m->file ? at - m->start + m->offset : at);
	if (!p->jit_read && wc_process__read_jit(s, p) == -ENOMEM)
		return -ENOMEM;
	code = wc_jitmap__find(&p->jit, at);
	if (!code)
		return 1;
	out->kind = WC_SYMBOL_JIT;
	out->name = code->name;
	out->module = "[jit]";
	out->addr = code->start;
	out->offset = at - code->start;
	return 1;
}

/* From *base, which is the function of the code itself, to all that the lines know. */
static int add_inlined(struct wc_symbols *s, struct wc_image *image, uint64_t vaddr,
		       const struct wc_symbol *base, struct wc_symbol *out, size_t max)
{
	struct wc_line lines[WC_LINES_MAX];
	struct wc_apart *l = wc_image__lines(image);
	int cnt = 0, i;

	if (l)
		cnt = wc_apart__find(l, s->pool, vaddr, lines,
				     max < WC_LINES_MAX ? max : WC_LINES_MAX);
	if (l && wc_apart__failed(l))
		wc_symbols__warn(s, "%s: its debug information is broken: no source lines of it",
				 image->module);
	if (!cnt) {
		out[0] = *base;
		return 1;
	}
	for (i = 0; i < cnt; i++) {
		out[i] = *base;
		out[i].file = lines[i].file;
		out[i].line = lines[i].line;
		if (!lines[i].name)
			continue;
		out[i].kind = WC_SYMBOL_INLINED;
		out[i].name = lines[i].name;
		out[i].addr = lines[i].addr;
		out[i].offset = lines[i].addr <= vaddr ? vaddr - lines[i].addr : 0;
	}
	return cnt;
}

static int find_in_image(struct wc_symbols *s, const struct wc_mapping *m, uint64_t at,
			 struct wc_symbol *out, size_t max)
{
	const struct wc_function *fn;
	struct wc_symbol base;
	uint64_t offset = at - m->start + m->offset, vaddr;

	set_unknown(&base, WC_SYMBOL_USER, m->module, offset);
	base.build_id = m->image->build_id;
	if (!wc_image__vaddr(m->image, offset, &vaddr)) {
		out[0] = base;
		return 1;
	}
	base.addr = vaddr;
	fn = wc_image__function(m->image, vaddr);
	if (fn) {
		base.name = fn->shown;
		base.addr = fn->start;
		base.offset = vaddr - fn->start;
	}
	if (s->inlines)
		return add_inlined(s, m->image, vaddr, &base, out, max);
	out[0] = base;
	return 1;
}

int wc_symbols__user_of(struct wc_symbols *s, pid_t tgid, uint64_t started, uint64_t ip, bool leaf,
			struct wc_symbol *out, size_t max)
{
	struct wc_process *p = wc_process__find(s, tgid, started);
	const struct wc_range *range;
	const struct wc_mapping *m;
	/* A call may be the last instruction of its function. */
	uint64_t at = leaf || !ip ? ip : ip - 1;

	if (!max)
		return -EINVAL;
	if (!p) {
		set_unknown(out, WC_SYMBOL_USER, "", at);
		return 1;
	}
	range = wc_ranges__find(&p->ranges, at);
	m = range ? &p->maps[range->value] : NULL;
	if (m && m->image) {
		if (wc_image__load(m->image))
			return -ENOMEM;
		if (m->image->is_elf)
			return find_in_image(s, m, at, out, max);
	}
	return find_jit(s, p, m, at, out);
}

int wc_symbols__user(struct wc_symbols *s, pid_t tgid, uint64_t ip, bool leaf,
		     struct wc_symbol *out, size_t max)
{
	return wc_symbols__user_of(s, tgid, 0, ip, leaf, out, max);
}
