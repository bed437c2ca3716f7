// SPDX-License-Identifier: BSD-2-Clause
/*
 * Compilation units by address, and of a unit, once it is asked about, its functions by address.
 * The tables of the file itself (.debug_aranges) are not used: compilers leave them out.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "user/symbol/demangle.h"
#include "user/symbol/elf_open.h"
#include "user/symbol/lines.h"
#include "user/symbol/ranges.h"

/* A file that goes beyond these was made to waste our time. */
#define DIES_MAX       (1u << 22) /* looked at in one go */
#define DIE_RANGES_MAX (1u << 16)
#define NESTING_MAX    64
#define SCOPE_MAX      16

struct unit {
	Dwarf_Die skeleton; /* has the lines */
	Dwarf_Die die;	    /* has the functions: the same, or split off into another file */
	bool read;
	struct wc_ranges ranges; /* value: index of functions */
	Dwarf_Die *functions;
	size_t function_cnt, function_cap;
};

struct wc_lines {
	struct wc_elf elf;
	Dwarf *dwarf;
	struct wc_ranges ranges; /* value: index of units */
	struct unit *units;
	size_t unit_cnt, unit_cap;
};

static int add_ranges(struct wc_ranges *r, Dwarf_Die *die, uint64_t rank, size_t value)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	size_t n = 0;
	int err = 0;

	while (!err && n++ < DIE_RANGES_MAX &&
	       (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		/* Code that the linker threw away is left at 0. */
		if (start)
			err = wc_ranges__add(r, start, end, rank, (uint32_t)value);
	}
	return err;
}

static int add_unit(struct wc_lines *l, const Dwarf_Die *skeleton, const Dwarf_Die *die)
{
	struct unit *bigger;
	size_t cap;

	if (l->unit_cnt == l->unit_cap) {
		cap = l->unit_cap ? l->unit_cap * 2 : 64;
		bigger = reallocarray(l->units, cap, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		l->units = bigger;
		l->unit_cap = cap;
	}
	l->units[l->unit_cnt] = (struct unit){ .skeleton = *skeleton, .die = *die };
	l->unit_cnt++;
	return add_ranges(&l->ranges, &l->units[l->unit_cnt - 1].skeleton, 0, l->unit_cnt - 1);
}

static int read_units(struct wc_lines *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, sub;
	uint8_t type;
	int err = 0;

	while (!err && !dwarf_get_units(l->dwarf, cu, &cu, NULL, &type, &die, &sub)) {
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			err = add_unit(l, &die, type == DW_UT_skeleton && sub.addr ? &sub : &die);
	}
	return err ? err : wc_ranges__build(&l->ranges);
}

struct wc_lines *wc_lines__new(struct wc_elf *e)
{
	struct wc_lines *l = calloc(1, sizeof(*l));

	if (!l) {
		wc_elf__end(e);
		return NULL;
	}
	l->elf = *e;
	l->dwarf = dwarf_begin_elf(e->elf, DWARF_C_READ, NULL);
	if (!l->dwarf || read_units(l)) {
		wc_lines__free(l);
		return NULL;
	}
	return l;
}

void wc_lines__free(struct wc_lines *l)
{
	size_t i;

	if (!l)
		return;
	for (i = 0; i < l->unit_cnt; i++) {
		wc_ranges__clear(&l->units[i].ranges);
		free(l->units[i].functions);
	}
	free(l->units);
	wc_ranges__clear(&l->ranges);
	dwarf_end(l->dwarf);
	wc_elf__end(&l->elf);
	free(l);
}

static int add_function(struct unit *u, Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Die *bigger;
	size_t cap;

	if (u->function_cnt == u->function_cap) {
		cap = u->function_cap ? u->function_cap * 2 : 64;
		bigger = reallocarray(u->functions, cap, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		u->functions = bigger;
		u->function_cap = cap;
	}
	u->functions[u->function_cnt] = *die;
	u->function_cnt++;
	return add_ranges(&u->ranges, die, depth, u->function_cnt - 1);
}

/* Functions are at the top, or in what has a name for a scope, or in each other. */
static int read_scope(struct unit *u, Dwarf_Die *scope, unsigned int depth, unsigned int *left)
{
	Dwarf_Die die;
	int err = 0, more = dwarf_child(scope, &die);

	for (; !more && !err && *left; more = dwarf_siblingof(&die, &die)) {
		--*left;
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			err = add_function(u, &die, depth);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
			break;
		default:
			continue;
		}
		if (!err && depth < SCOPE_MAX && dwarf_haschildren(&die) > 0)
			err = read_scope(u, &die, depth + 1, left);
	}
	return err;
}

static int read_unit(struct unit *u)
{
	unsigned int left = DIES_MAX;
	int err;

	if (u->read)
		return 0;
	u->read = true;
	err = read_scope(u, &u->die, 0, &left);
	return err ? err : wc_ranges__build(&u->ranges);
}

/* The inlined functions around addr, outermost first. */
static size_t find_inlined(const Dwarf_Die *function, uint64_t addr, Dwarf_Die inlined[NESTING_MAX])
{
	unsigned int left = DIES_MAX, depth = 0;
	Dwarf_Die scope = *function, die;
	size_t cnt = 0;
	bool deeper = true;
	int more, tag;

	while (deeper && cnt < NESTING_MAX && depth++ < 4 * NESTING_MAX) {
		deeper = false;
		for (more = dwarf_child(&scope, &die); !more && left;
		     more = dwarf_siblingof(&die, &die)) {
			left--;
			tag = dwarf_tag(&die);
			if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block &&
			     tag != DW_TAG_try_block && tag != DW_TAG_catch_block) ||
			    dwarf_haspc(&die, addr) <= 0)
				continue;
			if (tag == DW_TAG_inlined_subroutine)
				inlined[cnt++] = die;
			scope = die;
			deeper = true;
			break;
		}
	}
	return cnt;
}

static const char *name_of(Dwarf_Die *die, struct wc_pool *pool)
{
	Dwarf_Attribute attr;
	const char *linkage = NULL, *name, *kept;
	char *shown;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		linkage = dwarf_formstring(&attr);
	shown = linkage ? wc_demangle(linkage) : NULL;
	name = shown ? shown : dwarf_diename(die);
	if (!name)
		name = linkage ? linkage : "[unknown]";
	kept = wc_pool__add(pool, name);
	free(shown);
	return kept;
}

/* Where the function was called that is inlined here. */
static void call_site(Dwarf_Die *die, struct wc_pool *pool, struct wc_line *out)
{
	Dwarf_Attribute attr;
	Dwarf_Word line = 0, file = 0;
	Dwarf_Files *files;
	Dwarf_Die cu;
	size_t cnt;
	const char *path = NULL;

	if (dwarf_attr(die, DW_AT_call_line, &attr) && !dwarf_formudata(&attr, &line) &&
	    line <= UINT32_MAX)
		out->line = (uint32_t)line;
	if (dwarf_attr(die, DW_AT_call_file, &attr) && !dwarf_formudata(&attr, &file) &&
	    dwarf_diecu(die, &cu, NULL, NULL) && !dwarf_getsrcfiles(&cu, &files, &cnt) &&
	    file < cnt)
		path = dwarf_filesrc(files, file, NULL, NULL);
	out->file = wc_pool__add(pool, path ? path : "");
}

static void source_line(struct unit *u, uint64_t addr, struct wc_pool *pool, struct wc_line *out)
{
	Dwarf_Line *line = dwarf_getsrc_die(&u->skeleton, addr);
	const char *path = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int number;

	if (line && !dwarf_lineno(line, &number) && number > 0)
		out->line = (uint32_t)number;
	out->file = wc_pool__add(pool, path ? path : "");
}

int wc_lines__find(struct wc_lines *l, struct wc_pool *pool, uint64_t addr, struct wc_line *out,
		   size_t max)
{
	const struct wc_range *range = wc_ranges__find(&l->ranges, addr);
	Dwarf_Die inlined[NESTING_MAX];
	size_t cnt = 0, i, skip;
	struct unit *u;
	Dwarf_Addr entry;

	if (!range || !max)
		return 0;
	u = &l->units[range->value];
	if (read_unit(u))
		return -ENOMEM;
	range = wc_ranges__find(&u->ranges, addr);
	if (range)
		cnt = find_inlined(&u->functions[range->value], addr, inlined);
	skip = cnt + 1 > max ? cnt + 1 - max : 0;
	for (i = skip; i <= cnt; i++) {
		struct wc_line *line = &out[i - skip];

		*line = (struct wc_line){ 0 };
		/* i functions have been left; the one before was called from here. */
		if (i)
			call_site(&inlined[cnt - i], pool, line);
		else
			source_line(u, addr, pool, line);
		if (i < cnt) {
			line->name = name_of(&inlined[cnt - 1 - i], pool);
			if (!dwarf_entrypc(&inlined[cnt - 1 - i], &entry))
				line->addr = entry;
		}
		if (!line->file || (i < cnt && !line->name))
			return -ENOMEM;
	}
	return (int)(cnt + 1 - skip);
}
