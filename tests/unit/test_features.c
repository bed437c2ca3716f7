/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <bpf/btf.h>
#include <errno.h>
#include <jansson.h>

#include "tests/unit/mock.h"
#include "user/output/doctor.h"
#include "user/probe/features.h"
#include "user/probe/futex_hash.h"
#include "user/probe/kbtf.h"

static int setup(void **state)
{
	(void)state;
	return mock__open();
}

static int teardown(void **state)
{
	(void)state;
	unsetenv("WAKECOST_BTF");
	return mock__close();
}

/* Types of a kernel whose sched_switch takes args arguments. */
static void write_types(const char *name, int args)
{
	struct btf *btf = btf__new_empty();
	int integer, pointer, proto, i;
	char full[256];
	const void *raw;
	__u32 size;
	FILE *f;

	integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	pointer = btf__add_ptr(btf, 0);
	proto = btf__add_func_proto(btf, 0);
	assert_int_equal(btf__add_func_param(btf, "", pointer), 0);
	for (i = 0; i < args; i++)
		assert_int_equal(btf__add_func_param(btf, "a", integer), 0);
	assert_true(btf__add_typedef(btf, "btf_trace_sched_switch", btf__add_ptr(btf, proto)) > 0);
	assert_true(btf__add_func(btf, "wake_up_process", BTF_FUNC_STATIC, proto) > 0);
	i = btf__add_union(btf, NULL, 8);
	assert_int_equal(btf__add_field(btf, "hidden", integer, 0, 0), 0);
	assert_true(btf__add_struct(btf, "outer", 8) > 0);
	assert_int_equal(btf__add_field(btf, "plain", integer, 0, 0), 0);
	assert_int_equal(btf__add_field(btf, NULL, i, 0, 0), 0);
	raw = btf__raw_data(btf, &size);
	snprintf(full, sizeof(full), "%s/%s", mock_root, name);
	f = fopen(full, "w");
	assert_int_equal(fwrite(raw, size, 1, f), 1);
	fclose(f);
	btf__free(btf);
	assert_int_equal(setenv("WAKECOST_BTF", full, 1), 0);
}

static void types_answer(void **state)
{
	struct wc_kbtf *kbtf;
	int args;

	(void)state;
	for (args = 3; args <= 4; args++) {
		write_types("btf", args);
		assert_int_equal(wc_kbtf__open(&kbtf), 0);
		assert_int_equal(wc_kbtf__tp_arg_cnt(kbtf, "sched_switch"), args);
		assert_int_equal(wc_kbtf__tp_arg_cnt(kbtf, "sched_entry_tp"), -ENOENT);
		assert_true(wc_kbtf__func_id(kbtf, "wake_up_process") > 0);
		assert_int_equal(wc_kbtf__func_id(kbtf, "outer"), -ENOENT);
		assert_true(wc_kbtf__has_member(kbtf, "outer", "plain"));
		assert_true(wc_kbtf__has_member(kbtf, "outer", "hidden"));
		assert_false(wc_kbtf__has_member(kbtf, "outer", "absent"));
		wc_kbtf__free(kbtf);
	}
}

static void without_types(void **state)
{
	struct wc_kbtf *kbtf = (void *)1;
	struct wc_trial t;

	(void)state;
	assert_int_equal(wc_kbtf__open(&kbtf), -ENOENT);
	assert_null(kbtf);
	assert_false(wc_kbtf__has_member(NULL, "task_struct", "pid"));
	t = wc_trial__run(WC_TRIAL_TP_BTF, NULL);
	assert_int_equal(t.err, -ENOENT);
	assert_int_equal(t.step, WC_STEP_TYPES);
}

static const char *words(enum wc_trial_kind kind, int err, enum wc_trial_step step, bool may_trace)
{
	static char buf[256];

	return wc_features__explain(buf, sizeof(buf), kind,
				    (struct wc_trial){ .err = err, .step = step }, may_trace);
}

static void refusals_have_reasons(void **state)
{
	struct wc_trial eperm = { .err = -EPERM, .step = WC_STEP_LOAD };

	(void)state;
	assert_non_null(strstr(words(WC_TRIAL_FENTRY, -EPERM, WC_STEP_LOAD, true), "policy"));
	assert_non_null(strstr(words(WC_TRIAL_FENTRY, -EPERM, WC_STEP_LOAD, false),
			       "needs CAP_BPF and CAP_PERFMON"));
	assert_non_null(strstr(words(WC_TRIAL_TP_BTF, -EINVAL, WC_STEP_LOAD, true), "not know"));
	assert_non_null(strstr(words(WC_TRIAL_FENTRY, -524, WC_STEP_ATTACH, true), "architecture"));
	assert_non_null(strstr(words(WC_TRIAL_FENTRY, -EBUSY, WC_STEP_ATTACH, true), "tracer"));
	assert_non_null(strstr(words(WC_TRIAL_TP_BTF, -ENOENT, WC_STEP_TYPES, true), "BTF"));
	assert_non_null(strstr(words(WC_TRIAL_RAW_TP, -EIO, WC_STEP_LOAD, true), strerror(EIO)));
	assert_non_null(strstr(wc_features__todo(WC_TRIAL_FENTRY, eperm, false), "root"));
	assert_null(strstr(wc_features__todo(WC_TRIAL_FENTRY, eperm, true), "root"));
}

static void futex_tables(void **state)
{
	struct wc_futex_table t;

	(void)state;
	assert_int_equal(wc_futex_hash__global_by_rule(2), 512);
	assert_int_equal(wc_futex_hash__global_by_rule(3), 1024);
	assert_int_equal(wc_futex_hash__global_by_rule(0), 0);
	assert_int_equal(wc_futex_hash__parse_log("<6>futex hash table entries: 2048 (order: 5\n"),
			 2048);
	assert_int_equal(wc_futex_hash__parse_log("futex: nothing"), 0);
	/* The kernel under the test, whichever it is. */
	assert_int_equal(wc_futex_hash__measure(&t), 0);
	assert_int_not_equal(t.kind, WC_FUTEX_UNKNOWN);
	if (t.kind == WC_FUTEX_PRIVATE) {
		assert_int_not_equal(t.slots_two, 0);
		assert_true(t.slots_most >= t.slots_two);
		assert_int_equal(t.slots_most & (t.slots_most - 1), 0);
	}
}

static void stage(struct wc_checkup *c, size_t i, enum wc_status status)
{
	c->stages[i].status = status;
}

static void verdict_is_the_stages(void **state)
{
	struct wc_checkup *c = wc_checkup__new();

	(void)state;
	wc_checkup__judge(c);
	assert_int_equal(c->verdict, WC_VERDICT_UNABLE);
	c->have_stages = true;
	wc_checkup__judge(c);
	assert_int_equal(c->verdict, WC_VERDICT_FULL);
	stage(c, WC_STAGE_ENQUEUE, WC_STATUS_MERGED);
	wc_checkup__judge(c);
	assert_int_equal(c->verdict, WC_VERDICT_DEGRADED);
	stage(c, WC_STAGE_ENQUEUE, WC_STATUS_EXACT);
	stage(c, WC_STAGE_CNT - 1, WC_STATUS_MISSING);
	wc_checkup__judge(c);
	assert_int_equal(c->verdict, WC_VERDICT_DEGRADED);
	wc_checkup__free(c);
}

static struct wc_checkup *sample(void)
{
	const struct wc_limit limit = { .name = (char *)"kernel.pid_max",
					.value = 32768,
					.used = 68,
					.per_thread = 1,
					.room = 32700,
					.todo = (char *)"sysctl" };
	const struct wc_limit none = {
		.name = (char *)"open", .value = UINT64_MAX, .room = UINT64_MAX, .per_thread = 1
	};
	struct wc_checkup *c = wc_checkup__new();

	assert_int_equal(wc_checkup__add(c, WC_SEC_PROBES, WC_MARK_DEGRADED, "fentry", "no",
					 "refused \033[31m", "ask"),
			 0);
	assert_int_equal(wc_checkup__add_limit(c, &limit), 0);
	assert_int_equal(wc_checkup__add_limit(c, &none), 0);
	c->have_stages = true;
	stage(c, WC_STAGE_SELECT, WC_STATUS_MERGED);
	c->stages[WC_STAGE_SELECT].shown_as = strdup("select+enqueue");
	c->stages[WC_STAGE_SELECT].why = strdup("nothing gives the boundary");
	wc_checkup__judge(c);
	return c;
}

static void printed_as_text(void **state)
{
	struct wc_checkup *c = sample();
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	wc_doctor__print_text(f, c);
	fclose(f);
	assert_int_equal(strncmp(text, "degraded: of 8 stages 7 exact, 1 merged", 39), 0);
	assert_non_null(strstr(text, "select+enqueue"));
	assert_non_null(strstr(text, "do:  ask"));
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "32,700 <"));
	free(text);
	wc_checkup__free(c);
}

static void printed_as_json(void **state)
{
	struct wc_checkup *c = sample();
	json_t *doc, *limits, *first;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(wc_doctor__print_json(f, c), 0);
	fclose(f);
	doc = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(doc);
	assert_string_equal(json_string_value(json_object_get(doc, "schema")), "wakecost.doctor/1");
	assert_string_equal(json_string_value(json_object_get(doc, "verdict")), "degraded");
	assert_int_equal(json_integer_value(json_object_get(doc, "exit")), 1);
	assert_true(json_is_null(json_object_get(doc, "error")));
	assert_int_equal(json_array_size(json_object_get(doc, "stages")), WC_STAGE_CNT);
	first = json_array_get(json_object_get(doc, "findings"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "section")), "probes");
	assert_string_equal(json_string_value(json_object_get(first, "mark")), "degraded");
	limits = json_object_get(json_object_get(doc, "threads"), "limits");
	assert_int_equal(json_array_size(limits), 2);
	assert_true(json_is_null(json_object_get(json_array_get(limits, 1), "value")));
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(doc, "threads"), "room")),
		32700);
	json_decref(doc);
	free(text);
	wc_checkup__free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(types_answer, setup, teardown),
		cmocka_unit_test_setup_teardown(without_types, setup, teardown),
		cmocka_unit_test_setup_teardown(refusals_have_reasons, setup, teardown),
		cmocka_unit_test(futex_tables),
		cmocka_unit_test(verdict_is_the_stages),
		cmocka_unit_test(printed_as_text),
		cmocka_unit_test(printed_as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
