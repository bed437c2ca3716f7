/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/doctor.h"
#include "user/util/text.h"
#include "user/util/units.h"

#define COLUMNS	   80
#define MARK_COLS  10
#define NAME_COLS  26
#define BELOW_COL  (2 + MARK_COLS)
#define VALUE_COL  (2 + MARK_COLS + NAME_COLS)
#define TEXT_BYTES 4096

/* Words of text from column col on, further lines beginning at indent. Ends the line. */
static void print_wrapped(FILE *f, int col, int indent, const char *text)
{
	char safe[TEXT_BYTES];
	const char *word = safe;
	bool first = true;

	wc_text__safe(safe, sizeof(safe), text);
	while (*word) {
		int len = (int)strcspn(word, " ");
		char one[TEXT_BYTES];
		int width;

		snprintf(one, sizeof(one), "%.*s", len, word);
		width = (int)wc_text__width(one);
		if (!first && col + 1 + width > COLUMNS) {
			fprintf(f, "\n%*s", indent, "");
			col = indent;
			first = true;
		}
		fprintf(f, "%s%s", first ? "" : " ", one);
		col += width + !first;
		first = false;
		word += len;
		word += strspn(word, " ");
	}
	fputc('\n', f);
}

/* "why: ..." below a line, at its value's column. */
static void print_below(FILE *f, int indent, const char *label, const char *text)
{
	if (!*text)
		return;
	fprintf(f, "%*s%-5s", indent, "", label);
	print_wrapped(f, indent + 5, indent + 5, text);
}

static void print_verdict(FILE *f, const struct wc_checkup *c)
{
	unsigned int cnt[WC_STATUS_MISSING + 1] = { 0 };
	size_t i;

	for (i = 0; i < WC_STAGE_CNT; i++)
		cnt[c->stages[i].status]++;
	if (c->verdict == WC_VERDICT_UNABLE) {
		fputs("cannot run: the probes do not load here\n", f);
		if (c->session_error)
			print_below(f, 2, "why:", c->session_error);
	} else if (c->verdict == WC_VERDICT_FULL) {
		fputs("full: every stage is measured by itself\n", f);
	} else {
		fprintf(f,
			"degraded: of %d stages %u exact, %u merged with a neighbour, %u missing\n",
			WC_STAGE_CNT, cnt[WC_STATUS_EXACT], cnt[WC_STATUS_MERGED],
			cnt[WC_STATUS_MISSING]);
	}
}

static void print_stages(FILE *f, const struct wc_checkup *c)
{
	size_t i;

	if (!c->have_stages)
		return;
	fputs("\nStages\n", f);
	for (i = 0; i < WC_STAGE_CNT; i++) {
		const struct wc_stage_info *s = &c->stages[i];
		const char *name = wc_stage__name((unsigned int)i);
		bool other = s->shown_as && *s->shown_as && strcmp(s->shown_as, name) != 0;
		char value[512];

		snprintf(value, sizeof(value), "%s%s%s%s", other ? "as " : "",
			 other ? s->shown_as : "", other && s->probe && *s->probe ? ", by " : "",
			 s->probe ? s->probe : "");
		fprintf(f, "  %-*s%-*s", MARK_COLS, wc_status__name(s->status), NAME_COLS, name);
		print_wrapped(f, VALUE_COL, VALUE_COL, value);
		print_below(f, BELOW_COL, "why:", s->why ? s->why : "");
	}
}

static void print_section(FILE *f, const struct wc_checkup *c, enum wc_section section)
{
	bool any = false;
	size_t i;

	for (i = 0; i < c->finding_cnt; i++) {
		const struct wc_finding *one = &c->findings[i];

		if (one->section != section)
			continue;
		if (!any)
			fprintf(f, "\n%s\n", wc_section__title(section));
		any = true;
		fprintf(f, "  %-*s%-*s", MARK_COLS, wc_mark__name(one->mark), NAME_COLS - 1,
			one->name);
		fputc(' ', f);
		print_wrapped(f, VALUE_COL, VALUE_COL, one->value);
		print_below(f, BELOW_COL, "why:", one->why);
		print_below(f, BELOW_COL, "do:", one->todo);
	}
}

/* In the unit a person thinks of: bytes where the limit is memory. */
static const char *format_value(char *buf, size_t sz, const struct wc_limit *l, uint64_t value)
{
	if (value == UINT64_MAX)
		snprintf(buf, sz, "none");
	else if (l->per_thread >= 1024)
		wc_units__format_bytes(buf, sz, value);
	else
		wc_units__format_count(buf, sz, value);
	return buf;
}

static void print_limits(FILE *f, const struct wc_checkup *c)
{
	const struct wc_limit *first = wc_checkup__first_limit(c, false);
	char value[WC_UNITS_BUF_SZ], used[WC_UNITS_BUF_SZ], room[WC_UNITS_BUF_SZ];
	char name[TEXT_BYTES];
	size_t i;

	if (!c->limit_cnt)
		return;
	fprintf(f, "\n  %-34s%12s%12s%15s\n", "limit", "value", "used", "threads left");
	for (i = 0; i < c->limit_cnt; i++) {
		const struct wc_limit *l = &c->limits[i];

		wc_text__safe(name, sizeof(name), l->name);
		if (l->room == UINT64_MAX)
			snprintf(room, sizeof(room), "any");
		else
			wc_units__format_count(room, sizeof(room), l->room);
		fprintf(f, "  %-33s %12s%12s%15s%s\n", name,
			format_value(value, sizeof(value), l, l->value),
			format_value(used, sizeof(used), l, l->used), room,
			l == first    ? " <"
			: l->fds_only ? " *"
				      : "");
	}
	fputs("  < stops first    * only if each is parked on a descriptor of its own\n", f);
}

static void print_machine(FILE *f, const struct wc_checkup *c)
{
	size_t i;

	if (c->host->host.cnt)
		fputs("\nMachine\n", f);
	for (i = 0; i < c->host->host.cnt; i++) {
		const struct wc_kv *kv = &c->host->host.items[i];

		fprintf(f, "  %-17s ", kv->key);
		print_wrapped(f, 20, 20, kv->value);
	}
	if (c->host->warning_cnt)
		fputs("\nWhat makes figures doubtful here\n", f);
	for (i = 0; i < c->host->warning_cnt; i++) {
		fputs("  - ", f);
		print_wrapped(f, 4, 4, c->host->warnings[i]);
	}
}

void wc_doctor__print_text(FILE *f, const struct wc_checkup *c)
{
	unsigned int section;

	print_verdict(f, c);
	print_stages(f, c);
	for (section = 0; section < WC_SEC_CNT; section++)
		print_section(f, c, section);
	print_limits(f, c);
	print_machine(f, c);
}
