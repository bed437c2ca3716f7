// SPDX-License-Identifier: BSD-2-Clause
/*
 * TCG plugin: instructions and modelled cache and TLB misses, per stage of a handoff and per
 * function of the guest's kernel, between two marker instructions of the workload.
 *
 *	-plugin FILE,sym=KALLSYMS,out=REPORT[,l1d=32K:8][,l1i=32K:8][,l2=1M:8][,dtlb=64:4][,stlb=1536:12]
 *
 * Until the first marker (arm) nothing is instrumented, so that booting is fast; what runs between
 * arm and begin only warms the model. One virtual CPU, kernel without KASLR, four-level pages.
 * The report has a line "STAGE FUNCTION INSNS MEM L1D L1I L2 DTLB STLB" for each pair seen, then "end".
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_api.h"

#define KERNEL_FROM   0xffff800000000000ull
#define IMAGE_FROM    0xffffffff80000000ull /* the kernel's own image lies at this much less */
#define DIRECT_FROM   0xffff888000000000ull
#define DIRECT_TO     0xffffc88000000000ull
#define VMEMMAP_FROM  0xffffea0000000000ull
#define VMEMMAP_TO    0xffffeb0000000000ull
#define LINE_BITS     6
#define WAYS_MAX      32
#define MARKER_SIZE   8
#define MARKER_ID_OFF 4

enum stage { OUTSIDE, FIND, SELECT, ENQUEUE, WAIT, PICK, SWITCH, RETURN, STAGE_CNT };
enum count { INSNS, MEM, L1D, L1I, L2, DTLB, STLB, COUNT_CNT };
enum marker { ARM = 1, BEGIN = 2, END = 3 };

static const char *const stage_names[STAGE_CNT] = { "outside", "find", "select", "enqueue",
						    "wait",    "pick", "switch", "return" };

/* Entering this function in one of these stages begins another. */
static const struct boundary {
	const char *function;
	unsigned int from; /* bits */
	enum stage to;
} boundaries[] = {
	/* the call that wakes; the one that sleeps comes in a later stage */
	{ "entry_SYSCALL_64", 1u << OUTSIDE | 1u << RETURN, FIND },
	{ "try_to_wake_up", 1u << FIND, SELECT },
	{ "ttwu_queue_wakelist", 1u << SELECT, ENQUEUE },
	/* delayed dequeue: nothing is chosen */
	{ "enqueue_task_fair", 1u << SELECT, ENQUEUE },
	{ "syscall_exit_to_user_mode", 1u << SELECT | 1u << ENQUEUE, WAIT },
	{ "schedule", 1u << SELECT | 1u << ENQUEUE | 1u << WAIT, PICK },
	{ "__switch_to_asm", 1u << PICK, SWITCH },
	{ "syscall_exit_to_user_mode", 1u << SWITCH, RETURN },
};

#define BOUNDARY_CNT (sizeof(boundaries) / sizeof(*boundaries))

struct cache {
	uint64_t *tags; /* sets * ways, most recently used first; 0: empty */
	unsigned int sets, ways;
};

struct function {
	uint64_t addr;
	const char *name;
	unsigned int boundaries; /* bits */
	uint64_t (*counts)[COUNT_CNT];
};

/* What a translated block needs to know when it runs. */
struct block {
	struct function *fn;
	uint64_t first_line, last_line, insns;
	unsigned int boundaries;
	bool user;
};

static qemu_plugin_id_t self;
static struct function *functions, user = { .name = "[user]" }, unknown = { .name = "[unknown]" };
static size_t function_cnt;
static struct cache l1d = { NULL, 32768, 8 }, l1i = { NULL, 32768, 8 }, l2 = { NULL, 1 << 20, 8 };
static struct cache dtlb = { NULL, 64, 4 }, stlb = { NULL, 1536, 12 };
static const char *out_path;
static bool armed, counting;
static enum stage stage;

static void die(const char *what, const char *detail)
{
	fprintf(stderr, "wakecost plugin: %s %s\n", what, detail);
	exit(1);
}

/* ---- model */

static void cache__make(struct cache *c, unsigned int entries)
{
	c->sets = entries / c->ways;
	c->tags = calloc((size_t)c->sets * c->ways, sizeof(*c->tags));
	if (!c->tags)
		die("no memory for", "the model");
}

/* True: it was there. */
static bool cache__touch(struct cache *c, uint64_t key)
{
	uint64_t *set = c->tags + key % c->sets * c->ways, tag = key + 1, before = tag, here;
	unsigned int i;

	for (i = 0; i < c->ways; i++) {
		here = set[i];
		set[i] = before;
		if (here == tag)
			return true;
		before = here;
	}
	return false;
}

static uint64_t *counts_of(struct function *fn)
{
	if (!fn->counts) {
		fn->counts = calloc(STAGE_CNT, sizeof(*fn->counts));
		if (!fn->counts)
			die("no memory for", fn->name);
	}
	return fn->counts[stage];
}

/* Translations by 2 MB where the kernel maps so: its image, direct map and struct pages. */
static uint64_t page_of(uint64_t vaddr)
{
	bool large = vaddr >= IMAGE_FROM || (vaddr >= DIRECT_FROM && vaddr < DIRECT_TO) ||
		     (vaddr >= VMEMMAP_FROM && vaddr < VMEMMAP_TO);

	return large ? vaddr >> 21 << 1 | 1 : vaddr >> 12 << 1;
}

static void on_memory(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(info, vaddr);
	uint64_t none[COUNT_CNT] = { 0 }, *n = counting ? counts_of(data) : none;
	uint64_t paddr, page = page_of(vaddr), line, last;

	(void)cpu;
	if (!hw || qemu_plugin_hwaddr_is_io(hw))
		return;
	paddr = qemu_plugin_hwaddr_phys_addr(hw);
	last = (paddr + (1u << qemu_plugin_mem_size_shift(info)) - 1) >> LINE_BITS;
	n[MEM]++;
	if (!cache__touch(&dtlb, page)) {
		n[DTLB]++;
		n[STLB] += !cache__touch(&stlb, page);
	}
	for (line = paddr >> LINE_BITS; line <= last; line++) {
		if (cache__touch(&l1d, line))
			continue;
		n[L1D]++;
		n[L2] += !cache__touch(&l2, line);
	}
}

static void enter(unsigned int bits)
{
	size_t i;

	for (i = 0; i < BOUNDARY_CNT; i++) {
		if (bits & 1u << i && boundaries[i].from & 1u << stage) {
			stage = boundaries[i].to;
			return;
		}
	}
}

static void on_block(unsigned int cpu, void *data)
{
	const struct block *b = data;
	uint64_t none[COUNT_CNT] = { 0 }, *n, line;

	(void)cpu;
	if (b->boundaries)
		enter(b->boundaries);
	else if (b->user &&
		 (stage == RETURN || stage == SWITCH)) /* exit from calls may be inlined */
		stage = OUTSIDE;
	n = counting ? counts_of(b->fn) : none;
	n[INSNS] += b->insns;
	for (line = b->first_line; line <= b->last_line; line++) {
		if (cache__touch(&l1i, line))
			continue;
		n[L1I]++;
		n[L2] += !cache__touch(&l2, line);
	}
}

/* ---- report */

static void report__function(FILE *f, const struct function *fn)
{
	unsigned int s, c;

	for (s = 0; fn->counts && s < STAGE_CNT; s++) {
		if (!fn->counts[s][INSNS] && !fn->counts[s][MEM])
			continue;
		fprintf(f, "%s %s", stage_names[s], fn->name);
		for (c = 0; c < COUNT_CNT; c++)
			fprintf(f, " %" PRIu64, fn->counts[s][c]);
		fputc('\n', f);
	}
}

static void report(void)
{
	FILE *f = fopen(out_path, "w");
	size_t i;

	if (!f)
		die("cannot write", out_path);
	report__function(f, &user);
	report__function(f, &unknown);
	for (i = 0; i < function_cnt; i++)
		report__function(f, &functions[i]);
	fputs("end\n", f);
	if (fclose(f))
		die("cannot write", out_path);
}

/* ---- translation */

static struct function *function_at(uint64_t vaddr)
{
	size_t lo = 0, hi = function_cnt, mid;

	if (vaddr < KERNEL_FROM)
		return &user;
	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (functions[mid].addr <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &functions[lo - 1] : &unknown;
}

/* Code is looked up in L2 by where it lies in memory, which for the image is a subtraction. */
static uint64_t code_line(uint64_t vaddr)
{
	return (vaddr >= IMAGE_FROM ? vaddr - IMAGE_FROM : vaddr | 1ull << 60) >> LINE_BITS;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

static void on_reset(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
}

static void on_marker(unsigned int cpu, void *data)
{
	(void)cpu;
	switch ((enum marker)(uintptr_t)data) {
	case ARM:
		if (!armed)
			qemu_plugin_reset(self, on_reset); /* translates all anew, in full */
		armed = true;
		break;
	case BEGIN:
		stage = OUTSIDE;
		counting = true;
		break;
	case END:
		if (counting)
			report();
		counting = false;
		break;
	}
}

/* nopl 0x5ab000ID(%rax,%rax,1): see workloads/marker.h. */
static unsigned int marker_id(const struct qemu_plugin_insn *insn)
{
	static const unsigned char head[] = { 0x0f, 0x1f, 0x84, 0x00 }, tail[] = { 0, 0xb0, 0x5a };
	unsigned char bytes[MARKER_SIZE];

	if (qemu_plugin_insn_size(insn) != MARKER_SIZE)
		return 0;
#if WC_QEMU_API < 3
	memcpy(bytes, qemu_plugin_insn_data(insn), sizeof(bytes));
#else
	qemu_plugin_insn_data(insn, bytes, sizeof(bytes));
#endif
	if (memcmp(bytes, head, sizeof(head)) ||
	    memcmp(bytes + MARKER_ID_OFF + 1, tail, sizeof(tail)))
		return 0;
	return bytes[MARKER_ID_OFF];
}

static void instrument(struct qemu_plugin_tb *tb, size_t n)
{
	uint64_t first = qemu_plugin_tb_vaddr(tb), last;
	struct qemu_plugin_insn *end = qemu_plugin_tb_get_insn(tb, n - 1);
	struct block *b = malloc(sizeof(*b));
	size_t i;

	if (!b)
		die("no memory for", "a block");
	last = qemu_plugin_insn_vaddr(end) + qemu_plugin_insn_size(end) - 1;
	b->fn = function_at(first);
	b->insns = n;
	b->first_line = code_line(first);
	b->last_line = code_line(last);
	b->user = first < KERNEL_FROM;
	b->boundaries = b->fn->addr == first ? b->fn->boundaries : 0;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, b);
	for (i = 0; i < n; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_memory,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, b->fn);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;
	unsigned int marker;

	(void)id;
	if (armed && n)
		instrument(tb, n);
	if (qemu_plugin_tb_vaddr(tb) >= KERNEL_FROM)
		return;
	for (i = 0; i < n; i++) {
		marker = marker_id(qemu_plugin_tb_get_insn(tb, i));
		if (marker)
			qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i),
							       on_marker, QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)marker);
	}
}

/* ---- arguments */

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct function *)a)->addr, y = ((const struct function *)b)->addr;

	return x < y ? -1 : x > y;
}

static unsigned int boundaries_of(const char *name)
{
	unsigned int bits = 0;
	size_t i;

	for (i = 0; i < BOUNDARY_CNT; i++) {
		if (!strcmp(boundaries[i].function, name))
			bits |= 1u << i;
	}
	return bits;
}

/* "ADDRESS TYPE NAME" of the guest's /proc/kallsyms; of names for one address the first. */
static void read_symbols(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[512], type, name[256];
	size_t cap = 0, from, to = 0;
	uint64_t addr;

	if (!f)
		die("cannot read", path);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 " %c %255s", &addr, &type, name) != 3)
			continue;
		if (!strchr("tTwW", type) || addr < KERNEL_FROM)
			continue;
		if (function_cnt == cap) {
			cap = cap ? cap * 2 : 65536;
			functions = realloc(functions, cap * sizeof(*functions));
			if (!functions)
				die("no memory for", path);
		}
		functions[function_cnt++] =
			(struct function){ addr, strdup(name), boundaries_of(name), NULL };
	}
	fclose(f);
	if (!function_cnt)
		die("no symbols in", path);
	qsort(functions, function_cnt, sizeof(*functions), by_address);
	for (from = 1; from < function_cnt; from++) {
		if (functions[from].addr != functions[to].addr)
			functions[++to] = functions[from];
		else if (functions[from].boundaries)
			functions[to] = functions[from];
	}
	function_cnt = to + 1;
}

/* "SIZE:WAYS", SIZE in bytes (or K, M), for TLBs in entries. */
static void parse_cache(struct cache *c, const char *value, const char *arg)
{
	char *end;

	c->sets = strtoul(value, &end, 10);
	if (*end == 'K' || *end == 'M')
		c->sets <<= *end++ == 'K' ? 10 : 20;
	if (*end++ != ':')
		die("wrong size", arg);
	c->ways = strtoul(end, &end, 10);
	if (*end || !c->ways || c->ways > WAYS_MAX || c->sets < c->ways)
		die("wrong size", arg);
}

static void parse(const char *arg)
{
	static const struct {
		const char *key;
		struct cache *cache;
	} caches[] = {
		{ "l1d=", &l1d },   { "l1i=", &l1i },	{ "l2=", &l2 },
		{ "dtlb=", &dtlb }, { "stlb=", &stlb },
	};
	size_t i;

	if (!strncmp(arg, "sym=", 4))
		return read_symbols(arg + 4);
	if (!strncmp(arg, "out=", 4)) {
		out_path = strdup(arg + 4);
		return;
	}
	for (i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
		size_t len = strlen(caches[i].key);

		if (!strncmp(arg, caches[i].key, len))
			return parse_cache(caches[i].cache, arg + len, arg);
	}
	die("unknown argument", arg);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_version = WC_QEMU_API;

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
					   char **argv)
{
	int i;

	(void)info;
	self = id;
	for (i = 0; i < argc; i++)
		parse(argv[i]);
	if (!function_cnt || !out_path)
		die("wanted are", "sym= and out=");
	cache__make(&l1d, l1d.sets >> LINE_BITS);
	cache__make(&l1i, l1i.sets >> LINE_BITS);
	cache__make(&l2, l2.sets >> LINE_BITS);
	cache__make(&dtlb, dtlb.sets);
	cache__make(&stlb, stlb.sets);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	return 0;
}
