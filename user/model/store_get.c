/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A result, from the rows of a recording. Nothing a row says is believed: types, ranges, order
 * and sums are checked, and so is how much memory all of it will take.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/memory.h"
#include "user/model/store_rows.h"

#define ROW_MAX_CNT  (1u << 20) /* of any table but pair */
#define HIST_MAX_CNT (1u << 18) /* 2 GiB in memory */
#define PAIR_MAX_CNT (1u << 22)
#define KEY_MAX_CNT  4096 /* of one list of keys and values */

/* ---- head ---- */

static int replace_text(char **field, const char *value)
{
	free(*field);
	*field = strdup(value);
	return *field ? 0 : -ENOMEM;
}

static int parse_number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	if (*text < '0' || *text > '9')
		return -EBADMSG;
	*out = strtoull(text, &end, 10);
	return errno || *end ? -EBADMSG : 0;
}

/* Unknown keys are let pass: a later version may add some. */
static int read_meta(struct reader *rd, struct row *row)
{
	const char *key = row__text(row, 0), *value = row__text(row, 1);
	struct wc_result *r = rd->r;
	uint64_t number;
	int err;

	if (!strcmp(key, "schema"))
		return replace_text(&r->schema, value);
	if (!strcmp(key, "tool_version"))
		return replace_text(&r->tool_version, value);
	if (!strcmp(key, "command_line"))
		return replace_text(&r->command_line, value);
	if (!strcmp(key, "shape"))
		return replace_text(&r->shape, value);
	if (!strcmp(key, "work"))
		return replace_text(&r->work, value);
	if (!strcmp(key, "seed"))
		return parse_number(value, &r->seed);
	if (!strcmp(key, "started_s"))
		return parse_number(value, &r->started_s);
	if (strcmp(key, "rounds_wanted") && strcmp(key, "interrupted"))
		return 0;
	err = parse_number(value, &number);
	if (!err && !strcmp(key, "interrupted"))
		r->interrupted = number != 0;
	else if (!err && number > UINT32_MAX)
		err = -EBADMSG;
	else if (!err)
		r->rounds_wanted = (unsigned int)number;
	return err;
}

static int read_host(struct reader *rd, struct row *row)
{
	return wc_kvs__set(&rd->r->host, row__text(row, 0), row__text(row, 1));
}

static int read_param(struct reader *rd, struct row *row)
{
	return wc_kvs__set(&rd->r->params, row__text(row, 0), row__text(row, 1));
}

static int read_warning(struct reader *rd, struct row *row)
{
	return wc_result__warnf(rd->r, "%s", row__text(row, 0));
}

static int read_access(struct reader *rd, struct row *row)
{
	const char *pattern = row__text(row, 0);
	struct wc_access *a = wc_result__add_access(rd->r);

	if (!a)
		return -ENOMEM;
	while (a->pattern < WC_ACCESS_PATTERN_CNT &&
	       strcmp(pattern, wc_access__pattern_name(a->pattern)))
		a->pattern++;
	if (a->pattern == WC_ACCESS_PATTERN_CNT)
		return -EBADMSG;
	a->huge = row__bool(row, 1);
	a->bytes = row__u64(row, 2);
	a->lines = row__below(row, 3, 1ull << 40);
	a->ns = row__ns(row, 4);
	a->q1 = row__ns(row, 5);
	a->q3 = row__ns(row, 6);
	return 0;
}

static int read_stage(struct reader *rd, struct row *row)
{
	unsigned int id = (unsigned int)row__below(row, 0, WC_STAGE_CNT), status;
	struct wc_stage_info *info = &rd->r->stages[id];
	const char *name = row__text(row, 1);

	if (row->bad || info->shown_as)
		return -EBADMSG;
	for (status = 0; wc_status__name(status); status++)
		if (!strcmp(name, wc_status__name(status)))
			break;
	if (!wc_status__name(status))
		return -EBADMSG;
	info->status = (enum wc_status)status;
	info->shown_as = row__copy(row, 2);
	info->probe = row__copy(row, 3);
	info->why = row__copy(row, 4);
	return info->shown_as && info->probe && info->why ? 0 : -ENOMEM;
}

/* ---- cells and rounds ---- */

static int read_cell(struct reader *rd, struct row *row)
{
	if (row__u64(row, 0) != row->number)
		return -EBADMSG;
	return wc_result__add_cell(rd->r) ? 0 : -ENOMEM;
}

static int read_cell_param(struct reader *rd, struct row *row)
{
	uint64_t cell = row__below(row, 0, rd->r->cell_cnt);

	if (row->bad)
		return -EBADMSG;
	if (rd->r->cells[cell].params.cnt >= KEY_MAX_CNT)
		return -E2BIG;
	return wc_kvs__set(&rd->r->cells[cell].params, row__text(row, 1), row__text(row, 2));
}

static int add_ref(struct reader *rd, uint64_t cell)
{
	size_t n = rd->ref_cnt;

	if (!(n & (n - 1))) {
		struct round_ref *refs = reallocarray(rd->refs, n ? n * 2 : 1, sizeof(*refs));

		if (!refs)
			return -ENOMEM;
		rd->refs = refs;
	}
	rd->refs[n] = (struct round_ref){
		.cell = (uint32_t)cell,
		.round = (uint32_t)rd->r->cells[cell].round_cnt - 1,
	};
	rd->ref_cnt++;
	return 0;
}

static int read_round(struct reader *rd, struct row *row)
{
	uint64_t cell = row__below(row, 1, rd->r->cell_cnt);
	struct wc_round *round;

	if (row__u64(row, 0) != row->number || row->bad)
		return -EBADMSG;
	if (rd->r->cells[cell].round_cnt >= WC_ROUND_MAX)
		return -E2BIG;
	round = wc_cell__add_round(&rd->r->cells[cell]);
	if (!round)
		return -ENOMEM;
	round->index = row__u32(row, 2);
	round->order = row__u32(row, 3);
	round->warmup = row__bool(row, 4);
	round->complete = row__bool(row, 5);
	round->parked_cnt = row__u64(row, 6);
	if (sqlite3_column_type(row->st, 7) != SQLITE_NULL)
		round->chain_cnt = row__u64(row, 7);
	round->futex_slots = row__u64(row, 8);
	return add_ref(rd, cell);
}

/* Of the id in a column; NULL and bad when there is no such round. */
static struct wc_round *get_round(struct reader *rd, struct row *row, int at)
{
	uint64_t id = row__below(row, at, rd->ref_cnt);

	if (row->bad)
		return NULL;
	return &rd->r->cells[rd->refs[id].cell].rounds[rd->refs[id].round];
}

static int read_phase(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	bool probed = row__bool(row, 1);
	struct wc_phase *p;

	if (!round || row->bad)
		return -EBADMSG;
	p = probed ? &round->probed : &round->bare;
	p->valid = true;
	p->handoff = (struct wc_dist){
		.count = row__u64(row, 2),
		.sum_ns = row__u64(row, 3),
		.min_ns = row__u64(row, 4),
		.max_ns = row__u64(row, 5),
		.p50_ns = row__u64(row, 6),
		.p90_ns = row__u64(row, 7),
		.p99_ns = row__u64(row, 8),
	};
	p->elapsed_ns = row__u64(row, 9);
	p->cpu_ns = row__u64(row, 10);
	p->csw_voluntary_cnt = row__u64(row, 11);
	p->csw_involuntary_cnt = row__u64(row, 12);
	return 0;
}

static int read_hist(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	unsigned int wake_class = (unsigned int)row__below(row, 1, WC_CLASS_CNT);
	unsigned int metric = (unsigned int)row__below(row, 2, WC_METRIC_CNT);
	uint64_t count = row__u64(row, 3), sum = row__u64(row, 4);
	const char *slots = row__text(row, 5);
	struct wc_hist *h;

	if (!round || row->bad || round->hists[wake_class][metric])
		return -EBADMSG;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	round->hists[wake_class][metric] = h;
	h->sum = sum;
	return wc_store__decode_slots(slots, h) || h->count != count ? -EBADMSG : 0;
}

static int read_other(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	uint64_t wake_class = row__below(row, 1, WC_CLASS_CNT);

	if (!round || row->bad)
		return -EBADMSG;
	round->other[wake_class].count = row__u64(row, 2);
	round->other[wake_class].sum = row__u64(row, 3);
	return 0;
}

static int read_counter(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	uint64_t counter = row__below(row, 1, WC_CNT_CNT);

	if (!round || row->bad)
		return -EBADMSG;
	round->counters[counter] = row__u64(row, 2);
	return 0;
}

static int read_context(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	uint64_t context = row__below(row, 1, WC_CTX_CNT);

	if (!round || row->bad)
		return -EBADMSG;
	round->contexts[context] = row__u64(row, 2);
	return 0;
}

/* ---- pairs: two passes, for a round's pairs are one array ---- */

static int count_pairs(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	uint64_t cnt = row__u64(row, 1);

	if (!round || row->bad)
		return -EBADMSG;
	if (cnt > PAIR_MAX_CNT - rd->pair_cnt)
		return -E2BIG;
	rd->pair_cnt += cnt;
	round->pairs = calloc(cnt, sizeof(*round->pairs));
	return round->pairs ? 0 : -ENOMEM;
}

static int read_pair(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 1);
	struct wc_pair *p;

	if (!round || row__u64(row, 0) != row->number || row->bad || row->number >= rd->pair_cnt)
		return -EBADMSG;
	p = &round->pairs[round->pair_cnt++];
	rd->pairs[row->number] = p;
	p->key.waker_tid = row__u32(row, 2);
	p->key.waker_context = (unsigned int)row__below(row, 3, WC_CTX_CNT);
	p->key.wakee_tid = row__u32(row, 4);
	p->key.wakee_gen = row__u32(row, 5);
	p->waker_tgid = row__u32(row, 6);
	p->wakee_tgid = row__u32(row, 7);
	strncpy(p->waker_comm, row__text(row, 8), sizeof(p->waker_comm) - 1);
	strncpy(p->wakee_comm, row__text(row, 9), sizeof(p->wakee_comm) - 1);
	p->handoff_cnt = row__u64(row, 10);
	p->total.count = row__u64(row, 11);
	p->total.sum = row__u64(row, 12);
	return 0;
}

static int read_pair_class(struct reader *rd, struct row *row)
{
	uint64_t pair = row__below(row, 0, rd->pair_cnt);
	uint64_t wake_class = row__below(row, 1, WC_CLASS_CNT);

	if (row->bad)
		return -EBADMSG;
	rd->pairs[pair]->wakes[wake_class] = row__u64(row, 2);
	return 0;
}

static int read_pair_stage(struct reader *rd, struct row *row)
{
	uint64_t pair = row__below(row, 0, rd->pair_cnt), stage = row__below(row, 1, WC_STAGE_CNT);

	if (row->bad)
		return -EBADMSG;
	rd->pairs[pair]->stages[stage].count = row__u64(row, 2);
	rd->pairs[pair]->stages[stage].sum = row__u64(row, 3);
	return 0;
}

static int get_pairs(struct reader *rd)
{
	size_t read = 0;
	int err = reader__each(rd, "pair", "SELECT round, count(*) FROM pair GROUP BY round",
			       ROW_MAX_CNT, count_pairs);

	if (err || !rd->pair_cnt)
		return err;
	rd->pairs = calloc(rd->pair_cnt,
			   sizeof(struct wc_pair *)); /* NOLINT(bugprone-sizeof-expression) */
	if (!rd->pairs)
		return -ENOMEM;
	err = reader__each(
		rd, "pair",
		"SELECT id, round, waker_tid, waker_context, wakee_tid, wakee_gen, waker_tgid,"
		" wakee_tgid, waker_comm, wakee_comm, handoffs, count, sum_ns"
		" FROM pair ORDER BY id",
		rd->pair_cnt, read_pair);
	for (size_t i = 0; !err && i < rd->ref_cnt; i++)
		read += rd->r->cells[rd->refs[i].cell].rounds[rd->refs[i].round].pair_cnt;
	if (!err && read != rd->pair_cnt)
		err = -EBADMSG;
	if (!err)
		err = reader__each(rd, "pair_class", "SELECT pair, class, wakes FROM pair_class",
				   PAIR_MAX_CNT, read_pair_class);
	if (!err)
		err = reader__each(rd, "pair_stage",
				   "SELECT pair, stage, count, sum_ns FROM pair_stage",
				   PAIR_MAX_CNT, read_pair_stage);
	return err;
}

static const struct read reads[] = {
	{ "meta", "SELECT key, value FROM meta", ROW_MAX_CNT, read_meta },
	{ "host", "SELECT key, value FROM host ORDER BY pos", KEY_MAX_CNT, read_host },
	{ "param", "SELECT key, value FROM param ORDER BY pos", KEY_MAX_CNT, read_param },
	{ "warning", "SELECT text FROM warning ORDER BY pos", KEY_MAX_CNT, read_warning },
	{ "stage", "SELECT id, status, shown_as, probe, why FROM stage", 64, read_stage },
	{ "cell", "SELECT id FROM cell ORDER BY id", ROW_MAX_CNT, read_cell },
	{ "cell_param", "SELECT cell, key, value FROM cell_param ORDER BY cell, pos", ROW_MAX_CNT,
	  read_cell_param },
	{ "round",
	  "SELECT id, cell, idx, ord, warmup, complete, parked, chain, futex_slots FROM round"
	  " ORDER BY id",
	  ROW_MAX_CNT, read_round },
	{ "phase",
	  "SELECT round, probed, handoffs, sum_ns, min_ns, max_ns, p50_ns, p90_ns, p99_ns,"
	  " elapsed_ns, cpu_ns, csw_voluntary, csw_involuntary FROM phase",
	  ROW_MAX_CNT, read_phase },
	{ "hist", "SELECT round, class, metric, count, sum_ns, slots FROM hist", HIST_MAX_CNT,
	  read_hist },
	{ "other", "SELECT round, class, count, sum_ns FROM other", ROW_MAX_CNT, read_other },
	{ "round_counter", "SELECT round, counter, value FROM round_counter", ROW_MAX_CNT,
	  read_counter },
	{ "round_context", "SELECT round, context, value FROM round_context", ROW_MAX_CNT,
	  read_context },
};

/* Each has a name, so that none is taken for another. */
static int read_gauge(struct reader *rd, struct row *row)
{
	struct wc_gauge *g;

	if (row__u64(row, 0) != row->number)
		return -EBADMSG;
	if (row->number >= WC_GAUGE_MAX)
		return -E2BIG;
	g = wc_result__add_gauge(rd->r);
	if (!g)
		return -ENOMEM;
	g->name = row__copy(row, 1);
	g->unit = row__copy(row, 2);
	g->better = row__copy(row, 3);
	g->group = row__copy(row, 4);
	g->label = row__copy(row, 5);
	g->help = row__copy(row, 6);
	if (!g->name || !g->unit || !g->better || !g->group || !g->label || !g->help)
		return -ENOMEM;
	return *g->name ? 0 : -EBADMSG;
}

static int read_round_gauge(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	bool probed = row__bool(row, 1);
	uint64_t gauge = row__below(row, 2, rd->r->gauge_cnt);
	struct wc_phase *phase;
	int err;

	if (!round || row->bad)
		return -EBADMSG;
	phase = probed ? &round->probed : &round->bare;
	err = wc_phase__make_gauges(rd->r, phase);
	if (!err)
		phase->gauges[gauge] = row__real(row, 3);
	return err;
}

static const struct read gauge_reads[] = {
	{ "gauge", "SELECT id, name, unit, better, grp, label, help FROM gauge ORDER BY id",
	  WC_GAUGE_MAX, read_gauge },
	{ "round_gauge", "SELECT round, probed, gauge, value FROM round_gauge", PAIR_MAX_CNT,
	  read_round_gauge },
};

static int read_hw_counter(struct reader *rd, struct row *row)
{
	if (rd->r->counters.cnt >= WC_PMU_MAX)
		return -EBADMSG;
	return wc_kvs__set(&rd->r->counters, row__text(row, 0), row__text(row, 1));
}

static int read_span(struct reader *rd, struct row *row)
{
	struct wc_round *round = get_round(rd, row, 0);
	const char *stage = row__text(row, 1);
	uint64_t counter = row__below(row, 2, rd->r->counters.cnt);
	unsigned int span = 0;

	while (span < WC_SPAN_CNT && strcmp(stage, wc_span__name(span)))
		span++;
	if (!round || row->bad || span == WC_SPAN_CNT)
		return -EBADMSG;
	round->spans[span].count = row__u64(row, 3);
	round->spans[span].discarded = row__u64(row, 4);
	round->spans[span].failed = row__u64(row, 5);
	round->spans[span].sums[counter] = row__u64(row, 6);
	return 0;
}

/* Tables that came within version 2, and may not be there. */
static const struct read late_reads[] = {
	{ "access",
	  "SELECT pattern, huge_pages, bytes, lines, ns, q1_ns, q3_ns FROM access ORDER BY pos",
	  KEY_MAX_CNT, read_access },
	{ "hw_counter", "SELECT name, meaning FROM hw_counter ORDER BY id", WC_PMU_MAX,
	  read_hw_counter },
	{ "span", "SELECT round, stage, hw_counter, count, discarded, failed, sum FROM span",
	  ROW_MAX_CNT, read_span },
};

static int get_late(struct reader *rd)
{
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(late_reads) / sizeof(late_reads[0]); i++) {
		if (reader__has(rd, late_reads[i].table))
			err = reader__all(rd, &late_reads[i], 1);
	}
	return err;
}

int wc_store__get(sqlite3 *db, struct wc_result *r, unsigned int version, bool events,
		  const char **what)
{
	struct reader rd = { .db = db, .r = r };
	static const char *const pair_tables[] = { "pair", "pair_class", "pair_stage" };
	int err = 0;

	for (size_t i = 0; i < 3 && !err; i++)
		err = reader__check_table(&rd, pair_tables[i]);
	if (!err)
		err = reader__all(&rd, reads, sizeof(reads) / sizeof(reads[0]));
	if (!err)
		err = get_pairs(&rd);
	if (!err && reader__has(&rd, gauge_reads[0].table)) /* came within version 2 */
		err = reader__all(&rd, gauge_reads, 2);
	/* work without a count of it, or the other way round, is neither the one nor the other */
	if (!err && !r->work != !r->gauge_cnt) {
		rd.what = "gauge";
		err = -EBADMSG;
	}
	if (!err)
		err = get_late(&rd);
	if (!err && version >= WC_STORE_VERSION_PROFILE)
		err = reader__profile(&rd, events);
	free(rd.refs);
	free(rd.pairs);
	*what = rd.what;
	return err;
}
