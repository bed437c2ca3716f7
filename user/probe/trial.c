/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/probe/trial.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/probe/sys.h"

/* Never sleeps, so a trampoline put there can go at once; exported by every kernel. */
#define TRIAL_FUNC "wake_up_process"
#define TRIAL_TP   "sched_waking"

struct request {
	enum bpf_prog_type type;
	enum bpf_attach_type attach_type;
	int btf_id;
};

static struct wc_trial failed(enum wc_trial_step step, int err)
{
	return (struct wc_trial){ .err = err, .step = step };
}

/* "return 0". fd or -errno. */
static int load(const struct request *r)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts),
		.expected_attach_type = r->attach_type,
		.attach_btf_id = (__u32)r->btf_id,
	};
	int fd;

	fd = bpf_prog_load(r->type, "wc_trial", "Dual BSD/GPL", insns,
			   sizeof(insns) / sizeof(*insns), &opts);
	return fd < 0 ? -errno : fd;
}

static int attach_kprobe(int prog)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .config1 = (__u64)(unsigned long)TRIAL_FUNC, /* kprobe_func */
	};
	uint64_t type;
	int fd, err = 0;

	if (wc_sys__read_u64("/sys/bus/event_source/devices/kprobe/type", &type))
		return -ENOENT;
	attr.type = (__u32)type;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog))
		err = -errno;
	close(fd);
	return err;
}

/* Closing the link takes it off again. */
static int attach_link(int prog, enum bpf_attach_type type)
{
	const char *func = TRIAL_FUNC;
	struct bpf_link_create_opts opts = { .sz = sizeof(opts) };
	int fd;

	if (type == BPF_TRACE_KPROBE_MULTI) {
		opts.kprobe_multi.syms = &func;
		opts.kprobe_multi.cnt = 1;
	}
	fd = bpf_link_create(prog, 0, type, &opts);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int attach_raw(int prog, const char *tp)
{
	int fd = bpf_raw_tracepoint_open(tp, prog);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static struct wc_trial run_program(enum wc_trial_kind kind, struct request r)
{
	int prog, err;

	if (r.btf_id < 0)
		return failed(WC_STEP_TYPES, r.btf_id);
	prog = load(&r);
	if (prog < 0)
		return failed(WC_STEP_LOAD, prog);
	if (kind == WC_TRIAL_KPROBE)
		err = attach_kprobe(prog);
	else if (kind == WC_TRIAL_KPROBE_MULTI || kind == WC_TRIAL_ITER_TASK)
		err = attach_link(prog, r.attach_type);
	else
		err = attach_raw(prog, kind == WC_TRIAL_RAW_TP ? TRIAL_TP : NULL);
	close(prog);
	return failed(WC_STEP_ATTACH, err);
}

/* Task storage wants the types of its key and value. */
static int make_task_storage(void)
{
	struct bpf_map_create_opts opts = {
		.sz = sizeof(opts),
		.map_flags = BPF_F_NO_PREALLOC,
	};
	struct btf *btf = btf__new_empty();
	int id, fd, err;

	if (!btf)
		return -errno;
	id = btf__add_int(btf, "int", sizeof(int), BTF_INT_SIGNED);
	err = id < 0 ? id : btf__load_into_kernel(btf);
	if (!err) {
		opts.btf_fd = (__u32)btf__fd(btf);
		opts.btf_key_type_id = opts.btf_value_type_id = (__u32)id;
		fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "wc_trial", sizeof(int), sizeof(int),
				    0, &opts);
		err = fd < 0 ? -errno : 0;
		if (fd >= 0)
			close(fd);
	}
	btf__free(btf);
	return err;
}

static int make_ringbuf(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "wc_trial", 0, 0,
				(__u32)sysconf(_SC_PAGESIZE), NULL);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int make_mmap_array(void)
{
	const struct bpf_map_create_opts opts = {
		.sz = sizeof(opts),
		.map_flags = BPF_F_MMAPABLE,
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd, err = 0;
	void *at;

	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "wc_trial", sizeof(int), (__u32)page, 1, &opts);
	if (fd < 0)
		return -errno;
	at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		err = -errno;
	else
		munmap(at, page);
	close(fd);
	return err;
}

struct wc_trial wc_trial__run(enum wc_trial_kind kind, const struct wc_kbtf *kbtf)
{
	switch (kind) {
	case WC_TRIAL_TP_BTF:
		return run_program(kind, (struct request){ BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP,
							   wc_kbtf__tp_id(kbtf, TRIAL_TP) });
	case WC_TRIAL_RAW_TP:
		return run_program(kind, (struct request){ .type = BPF_PROG_TYPE_RAW_TRACEPOINT });
	case WC_TRIAL_FENTRY:
	case WC_TRIAL_FEXIT:
		return run_program(kind,
				   (struct request){ BPF_PROG_TYPE_TRACING,
						     kind == WC_TRIAL_FENTRY ? BPF_TRACE_FENTRY
									     : BPF_TRACE_FEXIT,
						     wc_kbtf__func_id(kbtf, TRIAL_FUNC) });
	case WC_TRIAL_KPROBE:
		return run_program(kind, (struct request){ .type = BPF_PROG_TYPE_KPROBE });
	case WC_TRIAL_KPROBE_MULTI:
		return run_program(kind, (struct request){ .type = BPF_PROG_TYPE_KPROBE,
							   .attach_type = BPF_TRACE_KPROBE_MULTI });
	case WC_TRIAL_ITER_TASK:
		return run_program(kind,
				   (struct request){ BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER,
						     wc_kbtf__func_id(kbtf, "bpf_iter_task") });
	case WC_TRIAL_TASK_STORAGE:
		return failed(WC_STEP_LOAD, make_task_storage());
	case WC_TRIAL_RINGBUF:
		return failed(WC_STEP_LOAD, make_ringbuf());
	case WC_TRIAL_MMAP_ARRAY:
		return failed(WC_STEP_LOAD, make_mmap_array());
	case WC_TRIAL_CNT:
		break;
	}
	return failed(WC_STEP_LOAD, -EINVAL);
}
