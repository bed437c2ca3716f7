// SPDX-License-Identifier: BSD-2-Clause
/*
 * Places of a pprof profile. Everything is resolved already, so addresses are numbers of ours: a
 * different one for every location, since readers take those with the same address for the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "user/output/pprof_impl.h"
#include "user/util/text.h"

#define MAPPING_BITS 32 /* each mapping has so much room for its addresses */

void *pprof__grab(struct pprof *b, size_t sz)
{
	void *p = wc_arena__alloc(&b->arena, sz);

	if (!p)
		b->err = -ENOMEM;
	return p;
}

int64_t pprof__text(struct pprof *b, const char *raw)
{
	size_t len = wc_text__safe(NULL, 0, raw);
	char *safe = malloc(len + 1);
	uint32_t i = WC_STRTAB_NONE;

	if (safe) {
		wc_text__safe(safe, len + 1, raw);
		i = wc_strtab__add(&b->strings, safe);
		free(safe);
	}
	if (i == WC_STRTAB_NONE)
		b->err = -ENOMEM;
	return i;
}

/* Number from 1 of a key; *is_new when it was not there. 0: no memory. */
static uint64_t number_of(struct pprof *b, struct wc_strtab *t, int64_t one, int64_t two,
			  bool *is_new)
{
	uint32_t before = t->cnt, i;
	char key[48];

	snprintf(key, sizeof(key), "%" PRId64 " %" PRId64, one, two);
	i = wc_strtab__add(t, key);
	if (i == WC_STRTAB_NONE)
		b->err = -ENOMEM;
	*is_new = t->cnt > before;
	return b->err ? 0 : (uint64_t)i + 1;
}

static Pprof__Mapping *mapping(struct pprof *b, const char *file, const char *build_id)
{
	int64_t file_str = pprof__text(b, file), build_id_str = pprof__text(b, build_id);
	Pprof__Mapping *m;
	bool is_new;
	uint64_t id = number_of(b, &b->mappings, file_str, build_id_str, &is_new);

	if (b->err || !is_new)
		return b->err ? NULL : b->out.mappings[id - 1];
	if (!GRAB(b, m, 1))
		return NULL;
	pprof__mapping__init(m);
	m->id = id;
	m->start = id << MAPPING_BITS;
	m->limit = m->start + (1ull << (MAPPING_BITS - 1)); /* a gap: neighbours get joined */
	m->file_str = file_str;
	m->build_id_str = build_id_str;
	m->has_functions = true;
	APPEND(b, b->out.mappings, b->out.n_mappings, m);
	return b->err ? NULL : m;
}

static uint64_t function(struct pprof *b, const char *name, const char *file)
{
	int64_t name_str = pprof__text(b, name), file_str = pprof__text(b, file);
	Pprof__Function *f;
	bool is_new;
	uint64_t id = number_of(b, &b->functions, name_str, file_str, &is_new);

	if (b->err || !is_new || !GRAB(b, f, 1))
		return id;
	pprof__function__init(f);
	f->id = id;
	f->name_str = name_str;
	f->file_str = file_str;
	APPEND(b, b->out.functions, b->out.n_functions, f);
	return id;
}

static uint64_t location(struct pprof *b, const Pprof__Mapping *m, uint64_t function_id,
			 uint32_t line)
{
	Pprof__Line *at, **lines;
	Pprof__Location *l;

	lines = pprof__grab(b, sizeof(void *));
	if (b->err || !lines || !GRAB(b, l, 1) || !GRAB(b, at, 1))
		return 0;
	pprof__location__init(l);
	pprof__line__init(at);
	at->function_id = function_id;
	at->line = line;
	lines[0] = at;
	l->id = b->out.n_locations + 1;
	l->mapping_id = m->id;
	l->address = m->start + l->id;
	l->lines = lines;
	l->n_lines = 1;
	APPEND(b, b->out.locations, b->out.n_locations, l);
	return l->id;
}

uint64_t pprof__frame_location(struct pprof *b, const struct wc_frame *f)
{
	uint64_t *known = &b->frame_locations[f - b->r->profile->frames];
	const char *module = f->module && *f->module ? f->module : "[unknown]";
	const char *name = f->name && *f->name ? f->name : "[unknown]";
	const char *file = f->file ? f->file : "";
	Pprof__Mapping *m;
	uint64_t id = *known;

	if (id)
		return id;
	m = mapping(b, module, f->build_id ? f->build_id : "");
	if (!m)
		return 0;
	m->has_files |= *file != '\0';
	m->has_lines |= f->line != 0;
	m->has_inlined |= f->kind == WC_FRAME_INLINED;
	id = location(b, m, function(b, name, file), f->line);
	*known = id;
	return id;
}

uint64_t pprof__label_location(struct pprof *b, const char *name)
{
	uint32_t i = wc_strtab__add(&b->labels, name);
	Pprof__Mapping *m;
	uint64_t *grown;

	if (i < b->label_cnt)
		return b->label_locations[i];
	grown = wc_grow(b->label_locations, b->label_cnt, sizeof(*grown));
	if (i == WC_STRTAB_NONE || !grown) {
		b->err = -ENOMEM;
		return 0;
	}
	b->label_locations = grown;
	m = mapping(b, "[wakecost]", "");
	if (!m)
		return 0;
	grown[b->label_cnt++] = location(b, m, function(b, name, ""), 0);
	return grown[i];
}
