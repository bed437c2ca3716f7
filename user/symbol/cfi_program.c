// SPDX-License-Identifier: BSD-2-Clause
#include "user/symbol/cfi_program.h"

#include <errno.h>
#include <string.h>

#define REMEMBER_MAX 16
#define FRAME_MAX    (1 << 20)	     /* bytes */
#define BP_OFF_MAX   (8 * INT16_MAX) /* what a hint can hold */

/* DWARF numbers of registers. */
enum reg {
	REG_BP = 6,
	REG_SP = 7,
	REG_RA = 16,
};

/* The upper two bits of an instruction, or all of it. */
enum cfa_op {
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RECALL = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_OFFSET_NEGATIVE = 0x2f,
};

enum rule_kind {
	RULE_SAME = 0,
	RULE_UNDEFINED,
	RULE_OFFSET, /* saved at CFA + off */
	RULE_OTHER,
};

struct rule {
	enum rule_kind kind;
	int64_t off;
};

struct row {
	bool cfa_known;
	uint64_t cfa_reg;
	int64_t cfa_off;
	struct rule bp, ra;
};

struct machine {
	struct wc_span *code;
	uint64_t code_align;
	int64_t data_align;
	uint64_t loc, pc;
	struct row row, initial, remembered[REMEMBER_MAX];
	unsigned int depth;
	bool done, bad;
};

uint64_t wc_span__uint(struct wc_span *s, size_t sz)
{
	uint64_t value = 0;
	size_t i;

	if ((size_t)(s->end - s->at) < sz) {
		s->bad = true;
		s->at = s->end;
		return 0;
	}
	for (i = 0; i < sz; i++)
		value |= (uint64_t)s->at[i] << 8 * i;
	s->at += sz;
	return value;
}

int64_t wc_span__sint(struct wc_span *s, size_t sz)
{
	unsigned int unused = 64 - 8 * (unsigned int)sz;

	return (int64_t)(wc_span__uint(s, sz) << unused) >> unused;
}

static uint64_t leb(struct wc_span *s, bool with_sign)
{
	unsigned int shift = 0;
	uint64_t value = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)wc_span__uint(s, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (with_sign && byte & 0x40 && shift < 64)
		value |= UINT64_MAX << shift;
	return value;
}

uint64_t wc_span__uleb(struct wc_span *s)
{
	return leb(s, false);
}

int64_t wc_span__sleb(struct wc_span *s)
{
	return (int64_t)leb(s, true);
}

struct wc_span wc_span__take(struct wc_span *s, uint64_t sz)
{
	struct wc_span taken = { s->at, s->at, false };

	if ((uint64_t)(s->end - s->at) < sz) {
		s->bad = true;
		sz = 0;
	}
	s->at += sz;
	taken.end = s->at;
	return taken;
}

/* What is kept of a register; most are nobody's concern here. */
static struct rule *rule_of(struct row *row, uint64_t reg)
{
	return reg == REG_BP ? &row->bp : reg == REG_RA ? &row->ra : NULL;
}

static void set_rule(struct machine *m, uint64_t reg, enum rule_kind kind, uint64_t off)
{
	struct rule *rule = rule_of(&m->row, reg);

	if (rule)
		*rule = (struct rule){ kind, (int64_t)off };
}

static void restore(struct machine *m, uint64_t reg)
{
	struct rule *rule = rule_of(&m->row, reg);

	if (rule)
		*rule = *rule_of(&m->initial, reg);
}

static void advance(struct machine *m, uint64_t delta)
{
	m->loc += delta * m->code_align;
	m->done = m->loc > m->pc;
}

static void skip_block(struct machine *m)
{
	wc_span__take(m->code, wc_span__uleb(m->code));
}

/* Offsets wrap as unsigned numbers do: what a hostile one means is of no interest. */
static uint64_t factored(const struct machine *m, uint64_t n)
{
	return n * (uint64_t)m->data_align;
}

static void step_cfa(struct machine *m, uint8_t op)
{
	struct row *row = &m->row;

	switch (op) {
	case CFA_DEF_CFA:
	case CFA_DEF_CFA_SF:
		row->cfa_known = true;
		row->cfa_reg = wc_span__uleb(m->code);
		row->cfa_off = op == CFA_DEF_CFA ? (int64_t)wc_span__uleb(m->code)
						 : (int64_t)factored(m, wc_span__sleb(m->code));
		break;
	case CFA_DEF_CFA_REGISTER:
		row->cfa_reg = wc_span__uleb(m->code);
		break;
	case CFA_DEF_CFA_OFFSET:
		row->cfa_off = (int64_t)wc_span__uleb(m->code);
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		row->cfa_off = (int64_t)factored(m, wc_span__sleb(m->code));
		break;
	default: /* by an expression */
		row->cfa_known = false;
		skip_block(m);
	}
}

static void step_rule(struct machine *m, uint8_t op)
{
	uint64_t reg = wc_span__uleb(m->code);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_rule(m, reg, RULE_OFFSET, factored(m, wc_span__uleb(m->code)));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		set_rule(m, reg, RULE_OFFSET, factored(m, wc_span__sleb(m->code)));
		break;
	case CFA_GNU_OFFSET_NEGATIVE:
		set_rule(m, reg, RULE_OFFSET, -factored(m, wc_span__uleb(m->code)));
		break;
	case CFA_RESTORE_EXTENDED:
		restore(m, reg);
		break;
	case CFA_UNDEFINED:
		set_rule(m, reg, RULE_UNDEFINED, 0);
		break;
	case CFA_SAME_VALUE:
		set_rule(m, reg, RULE_SAME, 0);
		break;
	case CFA_EXPRESSION:
	case CFA_VAL_EXPRESSION:
		set_rule(m, reg, RULE_OTHER, 0);
		skip_block(m);
		break;
	default: /* in a register, or a value */
		set_rule(m, reg, RULE_OTHER, 0);
		wc_span__uleb(m->code);
	}
}

static void step_state(struct machine *m, bool remember)
{
	if (remember && m->depth < REMEMBER_MAX)
		m->remembered[m->depth++] = m->row;
	else if (!remember && m->depth)
		m->row = m->remembered[--m->depth];
	else
		m->bad = true;
}

static void step(struct machine *m)
{
	uint8_t op = (uint8_t)wc_span__uint(m->code, 1), low = op & 0x3f;

	switch (op & 0xc0 ? op & 0xc0 : op) {
	case CFA_ADVANCE:
		advance(m, low);
		break;
	case CFA_OFFSET:
		set_rule(m, low, RULE_OFFSET, factored(m, wc_span__uleb(m->code)));
		break;
	case CFA_RESTORE:
		restore(m, low);
		break;
	case CFA_NOP:
		break;
	case CFA_ADVANCE1:
	case CFA_ADVANCE2:
	case CFA_ADVANCE4:
		advance(m, wc_span__uint(m->code, 1u << (op - CFA_ADVANCE1)));
		break;
	case CFA_DEF_CFA:
	case CFA_DEF_CFA_SF:
	case CFA_DEF_CFA_REGISTER:
	case CFA_DEF_CFA_OFFSET:
	case CFA_DEF_CFA_OFFSET_SF:
	case CFA_DEF_CFA_EXPRESSION:
		step_cfa(m, op);
		break;
	case CFA_REMEMBER:
	case CFA_RECALL:
		step_state(m, op == CFA_REMEMBER);
		break;
	case CFA_GNU_ARGS_SIZE:
		wc_span__uleb(m->code);
		break;
	case CFA_OFFSET_EXTENDED:
	case CFA_OFFSET_EXTENDED_SF:
	case CFA_GNU_OFFSET_NEGATIVE:
	case CFA_RESTORE_EXTENDED:
	case CFA_UNDEFINED:
	case CFA_SAME_VALUE:
	case CFA_REGISTER:
	case CFA_EXPRESSION:
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
	case CFA_VAL_EXPRESSION:
		step_rule(m, op);
		break;
	default: /* not to be skipped, its length being unknown; nobody writes set_loc */
		m->bad = true;
	}
}

static bool run(struct machine *m, struct wc_span *code)
{
	m->code = code;
	m->done = false;
	while (!m->done && !m->bad && code->at < code->end) {
		step(m);
		m->bad |= code->bad;
	}
	return !m->bad;
}

static int settle(const struct row *row, struct wc_row *out)
{
	int64_t bp_off = row->bp.kind == RULE_OFFSET ? row->bp.off : 0;

	*out = (struct wc_row){ .kind = WC_ROW_END };
	if (row->ra.kind == RULE_UNDEFINED)
		return 0;
	if (!row->cfa_known || (row->cfa_reg != REG_SP && row->cfa_reg != REG_BP) ||
	    row->cfa_off < -FRAME_MAX || row->cfa_off > FRAME_MAX || row->cfa_off % 8)
		return -ENOENT;
	if (row->ra.kind != RULE_OFFSET || row->ra.off != -8 || row->bp.kind == RULE_OTHER)
		return -ENOENT;
	if (row->bp.kind == RULE_OFFSET && (bp_off > -16 || bp_off < -BP_OFF_MAX || bp_off % 8))
		return -ENOENT;
	out->kind = row->cfa_reg == REG_SP ? WC_ROW_SP : WC_ROW_BP;
	out->cfa_off = (int32_t)row->cfa_off;
	out->bp_off = (int32_t)bp_off;
	if (out->kind == WC_ROW_BP && out->cfa_off == 16 && out->bp_off == -16)
		out->kind = WC_ROW_FP;
	return 0;
}

int wc_cfi__run(struct wc_span initial, struct wc_span program, uint64_t start, uint64_t pc,
		uint64_t code_align, int64_t data_align, struct wc_row *out)
{
	struct machine m = {
		.code_align = code_align,
		.data_align = data_align,
		.loc = start,
		.pc = UINT64_MAX, /* all of the CIE's */
	};

	if (!run(&m, &initial))
		return -ENOENT;
	m.initial = m.row;
	m.loc = start;
	m.pc = pc;
	if (!run(&m, &program))
		return -ENOENT;
	return settle(&m.row, out);
}
