// SPDX-License-Identifier: BSD-2-Clause
/*
 * How many instructions the verifier of this kernel walks for each program, as run and as record
 * configure it: "MODE PROGRAM COUNT" a line. Instead of a count "absent": the kernel has nothing to
 * attach it to, or lacks a function it calls; "refused": it has, and does not take the program. All
 * are loaded at once, without those that the load before was refused for: an object for each would
 * parse the kernel's BTF each time.
 *
 *	verifier [-v] [PROGRAM...]	-v: the kernel's words; PROGRAM: of these only
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wakecost.skel.h"

#define NAME_BYTES  64
#define PROGRAM_MAX 256

static bool verbose; /* -v: the kernel's own words about what it refuses */
static char failed[NAME_BYTES];
static struct {
	char name[NAME_BYTES];
	bool absent, refused;
} programs[PROGRAM_MAX];
static int program_cnt;

static void configure(struct wakecost_bpf *k, bool record)
{
	k->rodata->cfg_select_exact = true;
	k->rodata->cfg_have_entry = true;
	k->rodata->cfg_have_exit = true;
	k->rodata->cfg_handoffs = !record;
	k->rodata->cfg_stamps = !record;
	k->rodata->cfg_record = record;
	k->rodata->cfg_syscalls = record;
	k->rodata->cfg_stack_every = record;
	k->rodata->cfg_slow_ns = record;
	k->rodata->cfg_unwind = record;
}

/* What libbpf says of the program that made a load fail. */
static void note_failure(const char *line)
{
	const char *name = strstr(line, "prog '"), *end;

	if (!name || !strstr(line, "load"))
		return;
	name += strlen("prog '");
	end = strchr(name, '\'');
	if (end && end - name < NAME_BYTES)
		snprintf(failed, sizeof(failed), "%.*s", (int)(end - name), name);
}

static int on_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	static char line[1 << 20]; /* the verifier's log comes as one */

	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(line, sizeof(line), fmt, ap);
	if (!failed[0])
		note_failure(line);
	return verbose ? fputs(line, stderr) : 0;
}

/* All but those refused so far; with the one that is refused now, if any, in failed. */
static struct wakecost_bpf *load(bool record)
{
	struct wakecost_bpf *k = wakecost_bpf__open();
	int i;

	if (!k)
		return NULL;
	configure(k, record);
	for (i = 0; i < program_cnt; i++)
		bpf_program__set_autoload(
			bpf_object__find_program_by_name(k->obj, programs[i].name),
			!programs[i].absent && !programs[i].refused);
	failed[0] = '\0';
	if (!wakecost_bpf__load(k))
		return k;
	wakecost_bpf__destroy(k);
	return NULL;
}

static int refuse(const char *name)
{
	int i;

	for (i = 0; i < program_cnt; i++) {
		if (!strcmp(programs[i].name, name) && !programs[i].refused) {
			programs[i].refused = true;
			return 0;
		}
	}
	fprintf(stderr, "verifier: the object does not load, and libbpf names no program\n");
	return -ENOENT;
}

static int count(const char *mode, bool record)
{
	struct wakecost_bpf *k;
	int i;

	while (!(k = load(record))) {
		if (refuse(failed))
			return 1;
	}
	for (i = 0; i < program_cnt; i++) {
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info);

		if (programs[i].absent || programs[i].refused) {
			printf("%s %s %s\n", mode, programs[i].name,
			       programs[i].absent ? "absent" : "refused");
			continue;
		}
		if (bpf_obj_get_info_by_fd(bpf_program__fd(bpf_object__find_program_by_name(
						   k->obj, programs[i].name)),
					   &info, &len)) {
			perror("verifier: bpf_obj_get_info_by_fd");
			return 1;
		}
		printf("%s %s %u\n", mode, programs[i].name, info.verified_insns);
	}
	wakecost_bpf__destroy(k);
	return 0;
}

/* Nothing of this name to attach to, or no function it calls: that is no refusal. */
static bool is_absent(const struct btf *btf, const struct bpf_program *prog)
{
	const char *section = bpf_program__section_name(prog), *target = strchr(section, '/');
	const char *name = bpf_program__name(prog);
	size_t len = strlen(name), cast = strlen("_cast");
	char type[NAME_BYTES];

	if (len > cast && !strcmp(name + len - cast, "_cast") &&
	    btf__find_by_name_kind(btf, "bpf_rdonly_cast", BTF_KIND_FUNC) < 0)
		return true;
	if (!target)
		return false;
	snprintf(type, sizeof(type), "btf_trace_%s", target + 1);
	if (!strncmp(section, "tp_btf/", 7))
		return btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) < 0;
	if (!strncmp(section, "fentry/", 7) || !strncmp(section, "fexit/", 6))
		return btf__find_by_name_kind(btf, target + 1, BTF_KIND_FUNC) < 0;
	return false;
}

static int list_programs(void)
{
	struct wakecost_bpf *k = wakecost_bpf__open();
	struct btf *btf = btf__load_vmlinux_btf();
	struct bpf_program *prog = NULL;

	while (btf && k && program_cnt < PROGRAM_MAX &&
	       (prog = bpf_object__next_program(k->obj, prog))) {
		snprintf(programs[program_cnt].name, NAME_BYTES, "%s", bpf_program__name(prog));
		programs[program_cnt++].absent = is_absent(btf, prog);
	}
	btf__free(btf);
	wakecost_bpf__destroy(k);
	return program_cnt && program_cnt < PROGRAM_MAX ? 0 : -E2BIG;
}

static void select_programs(char **names)
{
	int i, n;

	for (i = 0; i < program_cnt; i++)
		programs[i].refused = true;
	for (n = 0; names[n]; n++) {
		for (i = 0; i < program_cnt; i++) {
			if (!strcmp(programs[i].name, names[n]))
				programs[i].refused = false;
		}
	}
}

int main(int argc, char **argv)
{
	verbose = argc > 1 && !strcmp(argv[1], "-v");
	libbpf_set_print(on_libbpf);
	if (list_programs()) {
		fprintf(stderr, "verifier: %d programs in the object\n", program_cnt);
		return 1;
	}
	if (argc > 1 + verbose)
		select_programs(argv + 1 + verbose);
	return count("run", false) || count("record", true);
}
