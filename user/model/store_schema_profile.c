/* SPDX-License-Identifier: BSD-2-Clause */
/* What recordings of `record` hold besides (version 2); empty in those of `run`. */
#include "user/model/store_impl.h"

/* Means of all stages per wake of a pair, so that they add up to the whole. */
#define MEAN(table, key, id, whole, name) \
	", (SELECT sum_ns FROM " table " WHERE " key " = " id ") * 1.0 / " whole " AS " name "_ns"
#define MEANS(table, key, whole)                \
	MEAN(table, key, "0", whole, "find")    \
	MEAN(table, key, "1", whole, "select")  \
	MEAN(table, key, "2", whole, "send")    \
	MEAN(table, key, "3", whole, "enqueue") \
	MEAN(table, key, "4", whole, "wait")    \
	MEAN(table, key, "5", whole, "pick")    \
	MEAN(table, key, "6", whole, "switch") MEAN(table, key, "7", whole, "return")

const char wc_store_schema_profile[] =
	"CREATE TABLE profile(window_ns INTEGER NOT NULL, started_ns INTEGER NOT NULL,\n"
	" clock_offset_ns INTEGER NOT NULL, stack_every INTEGER NOT NULL,\n"
	" slow_ns INTEGER NOT NULL, stacks_full INTEGER NOT NULL, stacks_failed INTEGER NOT NULL,\n"
	" chains_full INTEGER NOT NULL, user_stacks INTEGER NOT NULL,\n"
	" user_truncated INTEGER NOT NULL);\n"
	"CREATE TABLE task(id INTEGER PRIMARY KEY, tid INTEGER NOT NULL, tgid INTEGER NOT NULL,\n"
	" ns_tid INTEGER NOT NULL, comm TEXT NOT NULL, process TEXT NOT NULL,\n"
	" kernel_thread INTEGER NOT NULL, exited INTEGER NOT NULL, outside INTEGER NOT NULL,\n"
	" switched_in INTEGER NOT NULL);\n"
	"CREATE TABLE edge(id INTEGER PRIMARY KEY, waker INTEGER REFERENCES task,\n"
	" context INTEGER NOT NULL REFERENCES context, wakee INTEGER NOT NULL REFERENCES task,\n"
	" blocked_count INTEGER NOT NULL, blocked_ns INTEGER NOT NULL);\n"
	"CREATE TABLE edge_class(edge INTEGER NOT NULL REFERENCES edge,\n"
	" class INTEGER NOT NULL REFERENCES class, wakes INTEGER NOT NULL,\n"
	" PRIMARY KEY(edge, class)) WITHOUT ROWID;\n"
	"CREATE TABLE edge_stage(edge INTEGER NOT NULL REFERENCES edge,\n"
	" metric INTEGER NOT NULL REFERENCES metric, count INTEGER NOT NULL,\n"
	" sum_ns INTEGER NOT NULL, p50_ns REAL, p99_ns REAL, slots BLOB,\n"
	" PRIMARY KEY(edge, metric)) WITHOUT ROWID;\n"
	"CREATE TABLE frame(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, name TEXT NOT NULL,\n"
	" module TEXT NOT NULL, build_id TEXT NOT NULL, file TEXT NOT NULL,\n"
	" line INTEGER NOT NULL, addr INTEGER NOT NULL);\n"
	"CREATE TABLE stack(id INTEGER PRIMARY KEY, user INTEGER NOT NULL,\n"
	" truncated INTEGER NOT NULL, frames TEXT NOT NULL);\n"
	"CREATE TABLE chain(id INTEGER PRIMARY KEY, edge INTEGER REFERENCES edge,\n"
	" waker_user INTEGER REFERENCES stack, waker_kernel INTEGER REFERENCES stack,\n"
	" wakee_kernel INTEGER REFERENCES stack, wakee_user INTEGER REFERENCES stack,\n"
	" waker_missing INTEGER NOT NULL, sampled INTEGER NOT NULL, weight INTEGER NOT NULL,\n"
	" total_ns INTEGER NOT NULL, blocked_ns INTEGER NOT NULL);\n"
	"CREATE TABLE chain_stage(chain INTEGER NOT NULL REFERENCES chain,\n"
	" stage INTEGER NOT NULL REFERENCES stage, sum_ns INTEGER NOT NULL,\n"
	" PRIMARY KEY(chain, stage)) WITHOUT ROWID;\n"
	"CREATE TABLE open_end(id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES task,\n"
	" woken INTEGER NOT NULL, since_ns INTEGER NOT NULL);\n"
	"CREATE TABLE cpu(cpu INTEGER PRIMARY KEY, wakes INTEGER NOT NULL);\n"
	"CREATE TABLE cpu_stage(cpu INTEGER NOT NULL REFERENCES cpu,\n"
	" metric INTEGER NOT NULL REFERENCES metric, count INTEGER NOT NULL,\n"
	" sum_ns INTEGER NOT NULL, PRIMARY KEY(cpu, metric)) WITHOUT ROWID;\n"
	"CREATE TABLE event(id INTEGER PRIMARY KEY, at_ns INTEGER,\n"
	" class INTEGER NOT NULL REFERENCES class, context INTEGER NOT NULL REFERENCES context,\n"
	" waker_tid INTEGER NOT NULL, waker_tgid INTEGER NOT NULL, wakee_tid INTEGER NOT NULL,\n"
	" wakee_tgid INTEGER NOT NULL, waker_cpu INTEGER NOT NULL, prev_cpu INTEGER NOT NULL,\n"
	" chosen_cpu INTEGER NOT NULL, ran_cpu INTEGER NOT NULL, call INTEGER, chosen INTEGER,\n"
	" handled INTEGER, wakeup INTEGER, entry INTEGER, switch INTEGER, exit INTEGER,\n"
	" return INTEGER);\n"

	"CREATE VIEW pairs AS SELECT r.cell, r.idx AS round, r.warmup, p.waker_comm, p.waker_tid,\n"
	" x.name AS waker_context, p.wakee_comm, p.wakee_tid,\n"
	" (SELECT sum(wakes) FROM pair_class WHERE pair = p.id) AS wakes, p.handoffs,\n"
	" p.sum_ns * 1.0 / p.count AS mean_ns, NULL AS waker_process, NULL AS wakee_process,\n"
	" NULL AS p50_ns, NULL AS p99_ns, NULL AS blocked_ns\n" MEANS(
		"pair_stage", "pair = p.id AND stage",
		"p.count") " FROM pair p JOIN round r ON r.id = p.round JOIN context x ON x.id = p.waker_context\n"
			   "UNION ALL SELECT 0, 1, 0, CASE WHEN e.context THEN '[' || x.name || ']'\n"
			   " ELSE coalesce(a.comm, '[unknown]') END, coalesce(a.tid, 0), x.name, b.comm, b.tid,\n"
			   " (SELECT sum(wakes) FROM edge_class WHERE edge = e.id), NULL,\n"
			   " w.sum_ns * 1.0 / w.count, a.process, b.process, w.p50_ns, w.p99_ns,\n"
			   " e.blocked_ns * 1.0 / nullif(e.blocked_count, 0)\n" MEANS(
				   "edge_stage", "edge = e.id AND metric",
				   "w.count") " FROM edge e JOIN context x ON x.id = e.context JOIN task b ON b.id = e.wakee\n"
					      " LEFT JOIN task a ON a.id = e.waker\n"
					      " LEFT JOIN edge_stage w ON w.edge = e.id AND w.metric = 8;\n"
					      "CREATE VIEW tasks AS SELECT t.tid, t.tgid, t.comm, t.process, t.kernel_thread, t.exited,\n"
					      " t.switched_in, coalesce(w.wakes, 0) AS woken, coalesce(k.wakes, 0) AS woke, w.mean_ns,\n"
					      " w.blocked_ns, CASE o.woken WHEN 0 THEN 'asleep' WHEN 1 THEN 'woken' END AS open,\n"
					      " o.since_ns AS open_ns FROM task t\n"
					      " LEFT JOIN (SELECT e.wakee, sum(c.wakes) AS wakes, sum(s.sum_ns) * 1.0 / sum(s.count)\n"
					      "  AS mean_ns, sum(e.blocked_ns) * 1.0 / nullif(sum(e.blocked_count), 0) AS blocked_ns\n"
					      "  FROM edge e JOIN (SELECT edge, sum(wakes) AS wakes FROM edge_class GROUP BY edge) c\n"
					      "  ON c.edge = e.id LEFT JOIN edge_stage s ON s.edge = e.id AND s.metric = 8\n"
					      "  GROUP BY e.wakee) w ON w.wakee = t.id\n"
					      " LEFT JOIN (SELECT e.waker, sum(c.wakes) AS wakes FROM edge e JOIN edge_class c\n"
					      "  ON c.edge = e.id WHERE e.context = 0 GROUP BY e.waker) k ON k.waker = t.id\n"
					      " LEFT JOIN open_end o ON o.task = t.id;\n"
					      "CREATE VIEW stacks AS SELECT s.id AS stack, s.user, s.truncated,\n"
					      " json_array_length(s.frames) AS depth,\n"
					      " (SELECT group_concat(name, ';') FROM (SELECT replace(f.name, ';', ':') AS name\n"
					      "  FROM json_each(s.frames) j JOIN frame f ON f.id = j.value ORDER BY j.key DESC)) AS text\n"
					      " FROM stack s;\n"
					      "CREATE VIEW paths AS SELECT c.id AS path, CASE WHEN e.context THEN '[' || x.name || ']'\n"
					      " ELSE coalesce(a.comm, '[unknown]') END AS waker_comm, b.comm AS wakee_comm,\n"
					      " c.weight AS wakes, c.total_ns, c.total_ns * 1.0 / c.weight AS mean_ns, c.blocked_ns,\n"
					      " CASE WHEN c.waker_user IS NULL THEN wk.text WHEN wk.text IS NULL THEN wu.text\n"
					      "  ELSE wu.text || ';' || wk.text END AS waker_stack,\n"
					      " CASE WHEN c.wakee_user IS NULL THEN sk.text WHEN sk.text IS NULL THEN su.text\n"
					      "  ELSE su.text || ';' || sk.text END AS wakee_stack\n"
					      " FROM chain c LEFT JOIN edge e ON e.id = c.edge LEFT JOIN context x ON x.id = e.context\n"
					      " LEFT JOIN task a ON a.id = e.waker LEFT JOIN task b ON b.id = e.wakee\n"
					      " LEFT JOIN stacks wu ON wu.stack = c.waker_user\n"
					      " LEFT JOIN stacks wk ON wk.stack = c.waker_kernel\n"
					      " LEFT JOIN stacks su ON su.stack = c.wakee_user\n"
					      " LEFT JOIN stacks sk ON sk.stack = c.wakee_kernel;\n";
