// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/symbol/elf_open.h"
#include "user/symbol/functions.h"

/* A symbol as read; which of several at one address is shown is decided when all are there. */
struct sym {
	const char *name; /* in the pool */
	uint64_t start, size, section_end;
	int demerit;
};

struct syms {
	struct sym *syms;
	size_t cnt, cap;
};

static int add(struct syms *all, const struct sym *sym)
{
	struct sym *bigger;
	size_t cap;

	if (all->cnt == all->cap) {
		cap = all->cap ? all->cap * 2 : 256;
		bigger = reallocarray(all->syms, cap, sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		all->syms = bigger;
		all->cap = cap;
	}
	all->syms[all->cnt++] = *sym;
	return 0;
}

/* Marks where code and data alternate; no function. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("xdat", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_code(Elf *elf, const GElf_Sym *s, uint64_t *section_end)
{
	int type = GELF_ST_TYPE(s->st_info);
	Elf_Scn *scn;
	GElf_Shdr shdr;

	*section_end = UINT64_MAX;
	if (s->st_shndx == SHN_UNDEF || s->st_shndx == SHN_ABS || s->st_shndx == SHN_COMMON ||
	    !s->st_value)
		return false;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	scn = s->st_shndx < SHN_LORESERVE ? elf_getscn(elf, s->st_shndx) : NULL;
	if (!scn || !gelf_getshdr(scn, &shdr))
		return type != STT_NOTYPE;
	if (s->st_value < shdr.sh_addr || s->st_value - shdr.sh_addr >= shdr.sh_size)
		return type != STT_NOTYPE && s->st_size;
	*section_end = shdr.sh_addr + shdr.sh_size;
	return type != STT_NOTYPE || shdr.sh_flags & SHF_EXECINSTR;
}

static int demerit_of(const GElf_Sym *s, const char *name)
{
	int demerit = (int)(strspn(name, "_") & 0xff) * 20;

	if (GELF_ST_TYPE(s->st_info) == STT_NOTYPE)
		demerit += 1000;
	if (GELF_ST_BIND(s->st_info) == STB_LOCAL)
		demerit += 2;
	else if (GELF_ST_BIND(s->st_info) == STB_WEAK)
		demerit += 1;
	return demerit;
}

static int read_one(struct syms *all, struct wc_pool *pool, Elf *elf, const GElf_Sym *s,
		    const char *name, bool thumb)
{
	struct sym sym = { .start = s->st_value, .size = s->st_size };

	if (!name || !*name || is_mapping_symbol(name) || !is_code(elf, s, &sym.section_end))
		return 0;
	if (thumb)
		sym.start &= ~1ULL;
	sym.demerit = demerit_of(s, name);
	/* "write@@GLIBC_2.2.5": the version says nothing here. */
	sym.name = wc_pool__add_len(pool, name, 1 + strcspn(name + 1, "@"));
	return sym.name ? add(all, &sym) : -ENOMEM;
}

/* All tables of that type; *found, if there is one with anything in it. */
static int read_tables(struct syms *all, struct wc_pool *pool, Elf *elf, uint32_t type, bool *found)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Ehdr ehdr;
	Elf_Data *data;
	GElf_Sym s;
	size_t i, cnt;
	bool thumb = gelf_getehdr(elf, &ehdr) && ehdr.e_machine == EM_ARM;
	int err = 0;

	while (!err && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != type || !shdr.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data || !data->d_buf || data->d_type != ELF_T_SYM)
			continue;
		cnt = data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
		for (i = 1; i < cnt && !err; i++) {
			if (!gelf_getsym(data, (int)i, &s))
				break;
			*found = true;
			err = read_one(all, pool, elf, &s, elf_strptr(elf, shdr.sh_link, s.st_name),
				       thumb);
		}
	}
	return err;
}

static int by_start(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/*
 * From what may be overruled to what overrules: without a size, then by start (what begins inside
 * another is the closer one), then the smaller, then the better name.
 */
static int by_rank(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	if (!x->size != !y->size)
		return x->size ? 1 : -1;
	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	if (x->demerit != y->demerit)
		return x->demerit < y->demerit ? 1 : -1;
	return strcmp(y->name, x->name);
}

static uint64_t end_of(const struct sym *sym, uint64_t end)
{
	if (sym->size)
		return sym->start + sym->size < sym->start ? UINT64_MAX : sym->start + sym->size;
	return end;
}

static int rank_all(struct wc_image *image, struct syms *all)
{
	uint64_t next = UINT64_MAX, above = UINT64_MAX;
	size_t i;
	int err = 0;

	if (!all->cnt)
		return 0;
	image->functions = calloc(all->cnt, sizeof(*image->functions));
	if (!image->functions)
		return -ENOMEM;
	/* One without a size reaches to the next, but not out of its section. */
	qsort(all->syms, all->cnt, sizeof(*all->syms), by_start);
	for (i = all->cnt; i--;) {
		struct sym *sym = &all->syms[i];

		if (sym->start != above) {
			next = above;
			above = sym->start;
		}
		if (sym->section_end > next)
			sym->section_end = next;
	}
	qsort(all->syms, all->cnt, sizeof(*all->syms), by_rank);
	for (i = 0; i < all->cnt && !err; i++) {
		const struct sym *sym = &all->syms[i];

		image->functions[i] =
			(struct wc_function){ .name = sym->name, .start = sym->start };
		err = wc_ranges__add(&image->ranges, sym->start, end_of(sym, sym->section_end), i,
				     (uint32_t)i);
	}
	image->function_cnt = all->cnt;
	return err ? err : wc_ranges__build(&image->ranges);
}

int wc_functions__read(struct wc_image *image, Elf *elf)
{
	struct syms all = { 0 };
	struct wc_elf other;
	bool found = false, ignored;
	int err = read_tables(&all, image->pool, elf, SHT_SYMTAB, &found);

	if (!err && !found && wc_elf__begin_debug(&other, elf, image->root_fd, image->path)) {
		err = read_tables(&all, image->pool, other.elf, SHT_SYMTAB, &found);
		wc_elf__end(&other);
	}
	if (!err && !found && wc_elf__begin_mini(&other, elf)) {
		err = read_tables(&all, image->pool, other.elf, SHT_SYMTAB, &ignored);
		wc_elf__end(&other);
	}
	if (!err && !found)
		err = read_tables(&all, image->pool, elf, SHT_DYNSYM, &ignored);
	if (!err)
		err = rank_all(image, &all);
	free(all.syms);
	return err;
}
