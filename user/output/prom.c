/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prometheus text for node_exporter's textfile collector: base unit seconds, no client
 * timestamps, few series; docs/export.md.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/params.h"
#include "user/output/output.h"
#include "user/output/prom_impl.h"
#include "user/output/record.h"
#include "user/output/summaries.h"
#include "user/util/text.h"

/* 1-2-5 where wakes are, then decades: fifteen and +Inf. */
static const struct {
	uint64_t ns;
	const char *le;
} buckets[] = {
	{ 1000, "1e-06" },    { 2000, "2e-06" },    { 5000, "5e-06" },	  { 10000, "1e-05" },
	{ 20000, "2e-05" },   { 50000, "5e-05" },   { 100000, "0.0001" }, { 200000, "0.0002" },
	{ 500000, "0.0005" }, { 1000000, "0.001" }, { 2000000, "0.002" }, { 5000000, "0.005" },
	{ 10000000, "0.01" }, { 100000000, "0.1" }, { 1000000000, "1" },
};

void prom__value(FILE *f, const char *value)
{
	for (const unsigned char *p = (const unsigned char *)value; *p; p++) {
		if (*p == '\\' || *p == '"')
			fprintf(f, "\\%c", *p);
		else if (*p == '\n')
			fputs("\\n", f);
		else /* the format wants UTF-8; what else may hide in a value is of no use there */
			fputc(isprint(*p) ? *p : '?', f);
	}
}

/* Letters, digits and _; a name of ours is not given away. */
static void put_name(FILE *f, const char *key)
{
	static const char *const taken[] = { "le", "stage", "kind", "cell", "shape", NULL };
	bool prefix = isdigit((unsigned char)*key) || !strncmp(key, "__", 2) || !*key;

	for (size_t i = 0; taken[i]; i++)
		prefix |= !strcmp(key, taken[i]);
	fputs(prefix ? "param_" : "", f);
	for (const char *p = key; *p; p++)
		fputc(isalnum((unsigned char)*p) ? *p : '_', f);
}

/* The labels of a cell, and whether a first one is still to come. */
static char *labels_of(const struct wc_result *r, size_t cell, bool with_cell)
{
	const struct wc_kvs *params = &r->cells[cell].params;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fputs("shape=\"", f);
	prom__value(f, r->shape ? r->shape : "");
	fputc('"', f);
	for (size_t i = 0; i < params->cnt; i++) {
		if (!wc_params__varies(r, params->items[i].key))
			continue;
		fputc(',', f);
		put_name(f, params->items[i].key);
		fputs("=\"", f);
		prom__value(f, params->items[i].value);
		fputc('"', f);
	}
	if (with_cell)
		fprintf(f, ",cell=\"%zu\"", cell);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static void free_labels(char **labels, size_t cnt)
{
	for (size_t i = 0; labels && i < cnt; i++)
		free(labels[i]);
	free(labels);
}

/* Cells that are alike in every parameter would be one series twice: then their number tells. */
static char **all_labels(const struct wc_result *r)
{
	char **labels = calloc(r->cell_cnt ? r->cell_cnt : 1, sizeof(*labels));
	bool twins = false, failed = !labels;

	for (size_t i = 0; i < r->cell_cnt && !failed; i++) {
		labels[i] = labels_of(r, i, false);
		failed = !labels[i];
		for (size_t k = 0; k < i && !failed; k++)
			twins |= !strcmp(labels[i], labels[k]);
	}
	for (size_t i = 0; i < r->cell_cnt && twins && !failed; i++) {
		free(labels[i]);
		labels[i] = labels_of(r, i, true);
		failed = !labels[i];
	}
	if (failed) {
		free_labels(labels, r->cell_cnt);
		return NULL;
	}
	return labels;
}

void prom__help(FILE *f, const char *name, const char *type, const char *help)
{
	fprintf(f, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_seconds(FILE *f, const char *name, const char *labels, double ns)
{
	fprintf(f, "%s{%s} %.9g\n", name, labels, ns / 1e9);
}

/* A bucket holds what surely belongs to it: slots that reach over its bound go to the next. */
void prom__hist(FILE *f, const char *name, const char *labels, const struct wc_hist *h)
{
	unsigned long long below = 0;
	unsigned int slot = 0;

	for (size_t i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++) {
		while (slot < WC_HIST_SLOT_CNT - 1 &&
		       wc_hist_slot_low(slot + 1) - 1 <= buckets[i].ns)
			below += h->slots[slot++];
		fprintf(f, "%s_bucket{%s,le=\"%s\"} %llu\n", name, labels, buckets[i].le, below);
	}
	fprintf(f, "%s_bucket{%s,le=\"+Inf\"} %llu\n", name, labels, h->count);
	fprintf(f, "%s_sum{%s} %.9g\n", name, labels, (double)h->sum / 1e9);
	fprintf(f, "%s_count{%s} %llu\n", name, labels, h->count);
}

static void put_totals(FILE *f, const struct wc_result *r, char **labels)
{
	const char *name = r->work ? "wakecost_wake_seconds" : "wakecost_handoff_seconds";
	struct wc_hist h;

	prom__help(f, name, "histogram",
		   r->work ? "Wakes of the process that works."
			   : "Handoffs that slept, from the call that wakes to the return of the "
			     "sleeper.");
	for (size_t i = 0; i < r->cell_cnt; i++) {
		wc_cell__pool(&r->cells[i], WC_METRIC_TOTAL, &h);
		prom__hist(f, name, labels[i], &h);
	}
}

/* ---- gauges: seconds, bytes, ratios and counts, each in a metric of its own ---- */

static const struct {
	const char *unit, *suffix;
	double scale;
} units[] = {
	{ "ns", "_seconds", 1e-9 },
	{ "bytes", "_bytes", 1 },
	{ "1/s", "_per_second", 1 },
	{ "share", "_ratio", 1 },
};

/* What the recording calls it, as far as that is a name here. */
static char *gauge_name(const struct wc_gauge *g, bool bare, double *scale)
{
	const char *suffix = "";
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	*scale = 1;
	if (!f)
		return NULL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(g->unit, units[i].unit))
			continue;
		suffix = units[i].suffix;
		*scale = units[i].scale;
	}
	fputs(bare ? "wakecost_work_bare_" : "wakecost_work_", f);
	for (const char *p = g->name; *p; p++)
		fputc(isalnum((unsigned char)*p) ? *p : '_', f);
	fputs(suffix, f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static int put_gauge(FILE *f, const struct wc_result *r, size_t gauge, bool bare, char **labels)
{
	char *name, help[256];
	bool begun = false;
	double scale;

	name = gauge_name(&r->gauges[gauge], bare, &scale);
	if (!name)
		return -ENOMEM;
	for (size_t i = 0; i < r->cell_cnt; i++) {
		struct wc_figure fig = wc_cell__gauge(&r->cells[i], gauge, !bare);

		if (!fig.n)
			continue;
		wc_text__safe(help, sizeof(help), r->gauges[gauge].help);
		if (!begun)
			prom__help(f, name, "gauge", help);
		begun = true;
		fprintf(f, "%s{%s} %.9g\n", name, labels[i], fig.median * scale);
	}
	free(name);
	return 0;
}

static int put_work_gauges(FILE *f, const struct wc_result *r, const struct wc_cell_summary *s,
			   char **labels)
{
	int err = 0;

	for (size_t i = 0; i < r->gauge_cnt && !err; i++) {
		err = put_gauge(f, r, i, false, labels);
		err = err ? err : put_gauge(f, r, i, true, labels);
	}
	prom__help(f, "wakecost_work_wakes", "gauge", "Wakes for a piece of work.");
	for (size_t i = 0; i < r->cell_cnt; i++)
		if (s[i].wakes_per_work.n)
			fprintf(f, "wakecost_work_wakes{%s} %.9g\n", labels[i],
				s[i].wakes_per_work.median);
	return err;
}

static char *with_stage(const char *labels, const char *stage)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fprintf(f, "%s,stage=\"", labels);
	prom__value(f, stage);
	fputc('"', f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static int put_stages(FILE *f, const struct wc_result *r, const struct wc_cell_summary *s,
		      char **labels)
{
	struct wc_hist h;

	prom__help(f, "wakecost_stage_seconds", "histogram",
		   r->work ? "Stages of these wakes." : "Stages of handoffs that slept.");
	for (size_t i = 0; i < r->cell_cnt; i++) {
		for (unsigned int k = 0; k < WC_STAGE_CNT; k++) {
			char *text;

			if (!s[i].stages[k].present)
				continue;
			text = with_stage(labels[i], s[i].stages[k].name);
			if (!text)
				return -ENOMEM;
			wc_cell__pool(&r->cells[i], k, &h);
			prom__hist(f, "wakecost_stage_seconds", text, &h);
			free(text);
		}
	}
	return 0;
}

static void put_gauges(FILE *f, const struct wc_result *r, const struct wc_cell_summary *s,
		       char **labels)
{
	prom__help(f, "wakecost_bare_handoff_p50_seconds", "gauge",
		   "Median handoff with the probes detached.");
	for (size_t i = 0; i < r->cell_cnt; i++)
		if (s[i].bare.p50_ns.n)
			put_seconds(f, "wakecost_bare_handoff_p50_seconds", labels[i],
				    s[i].bare.p50_ns.median);
	prom__help(f, "wakecost_probe_cost_seconds", "gauge", "What measuring adds to a handoff.");
	for (size_t i = 0; i < r->cell_cnt; i++)
		if (s[i].probe_cost_ns.n)
			put_seconds(f, "wakecost_probe_cost_seconds", labels[i],
				    s[i].probe_cost_ns.median);
}

void prom__end(FILE *f, const struct wc_result *r, const uint64_t counters[WC_CNT_CNT])
{
	prom__help(f, "wakecost_lost_total", "counter", "What was not measured, by kind.");
	for (unsigned int c = 0; c < WC_CNT_CNT; c++)
		if (wc_counter__is_loss(c))
			fprintf(f, "wakecost_lost_total{kind=\"%s\"} %llu\n", wc_counter__name(c),
				(unsigned long long)counters[c]);
	prom__help(f, "wakecost_run_interrupted", "gauge", "1 when the run was stopped early.");
	fprintf(f, "wakecost_run_interrupted %d\n", r->interrupted);
	prom__help(f, "wakecost_last_run_timestamp_seconds", "gauge", "When the run began.");
	fprintf(f, "wakecost_last_run_timestamp_seconds %llu\n", (unsigned long long)r->started_s);
}

static void put_run(FILE *f, const struct wc_result *r, const struct wc_cell_summary *s)
{
	uint64_t counters[WC_CNT_CNT] = { 0 };

	for (size_t i = 0; i < r->cell_cnt; i++)
		for (unsigned int c = 0; c < WC_CNT_CNT; c++)
			counters[c] += s[i].counters[c];
	prom__end(f, r, counters);
}

int wc_out_prom(FILE *f, const struct wc_result *r)
{
	struct wc_cell_summary *s;
	char **labels;
	int err;

	if (r->profile)
		return wc_out_record_prom(f, r);
	s = wc_summaries__of(r);
	labels = all_labels(r);
	err = s && labels ? 0 : -ENOMEM;
	if (!err) {
		put_totals(f, r, labels);
		err = put_stages(f, r, s, labels);
		if (r->work)
			err = err ? err : put_work_gauges(f, r, s, labels);
		else
			put_gauges(f, r, s, labels);
		put_run(f, r, s);
		err = err ? err : wc_summaries__finish(f);
	}
	free_labels(labels, r->cell_cnt);
	free(s);
	return err;
}
