/* SPDX-License-Identifier: BSD-2-Clause */
/* wakecost doctor: what this kernel and these rights allow. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/cli/cmd.h"
#include "user/output/doctor.h"
#include "user/probe/features.h"
#include "user/probe/futex_hash.h"
#include "user/probe/host.h"
#include "user/probe/limits.h"
#include "user/probe/rights.h"
#include "user/probe/session.h"
#include "user/util/log.h"

/* As many threads as the largest of the built-in experiments parks. */
#define THREADS_WANTED 16000

static bool json;
static const char *disable;
static const char *btf;

static const struct wc_opt opts[] = {
	WC_FLAG('j', "json", &json, "print one JSON document"),
	WC_STRING(0, "disable", "LIST", &disable,
		  "do without tp_btf, raw_tp, fentry, kprobe (none)"),
	WC_STRING(0, "btf", "FILE", &btf, "types of the kernel from FILE", .hidden = true),
	WC_OPT_END,
};

static const char *const examples[] = {
	"sudo wakecost doctor",
	"sudo wakecost doctor -j | jq '.findings[] | select(.mark != \"ok\")'",
	"sudo wakecost doctor --disable fentry,kprobe",
	NULL,
};

static int add_boundaries(struct wc_checkup *c, const struct wc_session *s)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < wc_session__boundary_cnt(s); i++) {
		const struct wc_boundary_info *b = wc_session__boundary(s, i);

		/* Had by the best kind of probe, there is nothing to explain. */
		const char *why = b->have && b->source == WC_SRC_TP_BTF ? "" : b->why;

		err = wc_checkup__add(c, WC_SEC_BOUNDARIES, b->have ? WC_MARK_OK : WC_MARK_DEGRADED,
				      b->name, b->have ? b->program : "no probe gives it", why, "");
	}
	return err;
}

/* The stage table comes from loading the real probes: nothing else is as sure. */
static int check_session(struct wc_checkup *c, unsigned int disabled)
{
	const struct wc_session_opts sopts = { .disable_sources = disabled,
					       .handoffs = true,
					       .all_boundaries = true };
	struct wc_session *s = NULL;
	int err;

	err = wc_session__open(&sopts, &s);
	if (err) {
		const char *said = s ? wc_session__error(s) : NULL;

		c->session_error = strdup(said && *said ? said : strerror(-err));
		err = c->session_error ? 0 : -ENOMEM;
	} else {
		err = wc_session__stages(s, c->stages);
		c->have_stages = !err;
		err = err ? err : add_boundaries(c, s);
	}
	wc_session__free(s);
	return err;
}

static int check_all(struct wc_checkup *c, unsigned int disabled)
{
	int err = check_session(c, disabled);

	err = err ? err : wc_features__check(c);
	err = err ? err : wc_rights__check(c);
	err = err ? err : wc_futex_hash__check(c);
	err = err ? err : wc_limits__check(c, THREADS_WANTED);
	err = err ? err : wc_host__describe(&c->host->host, c->host);
	wc_checkup__judge(c);
	return err;
}

static int doctor(int argc, char **argv)
{
	/* doctor's own statuses, promised apart from the common ones */
	static const int statuses[] = {
		[WC_VERDICT_FULL] = 0, [WC_VERDICT_DEGRADED] = 1, [WC_VERDICT_UNABLE] = 2
	};
	unsigned int disabled = 0;
	struct wc_checkup *c;
	int err, status;

	(void)argc;
	(void)argv;
	if (disable && wc_source__parse_list(disable, &disabled)) {
		wc_err("--disable wants a list of tp_btf, raw_tp, fentry, kprobe, and got '%s'",
		       disable);
		return WC_EXIT_USAGE;
	}
	if (btf && setenv("WAKECOST_BTF", btf, 1)) {
		wc_err("--btf: %s", strerror(errno));
		return WC_EXIT_USAGE;
	}
	c = wc_checkup__new();
	err = c ? check_all(c, disabled) : -ENOMEM;
	if (err) {
		wc_err("doctor could not finish: %s", strerror(-err));
		wc_checkup__free(c);
		return statuses[WC_VERDICT_UNABLE];
	}
	if (json)
		err = wc_doctor__print_json(stdout, c);
	else
		wc_doctor__print_text(stdout, c);
	status = statuses[c->verdict];
	wc_checkup__free(c);
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = -EIO;
	if (err)
		wc_err("cannot write the answer: %s", strerror(-err));
	return err ? statuses[WC_VERDICT_UNABLE] : status;
}

const struct wc_cmd wc_cmd_doctor = {
	.name = "doctor",
	.help = "what this kernel and these rights allow",
	.opts = opts,
	.examples = examples,
	.fn = doctor,
};
