/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "fail.h"
#include "place.h"

#define CPU_CNT_MAX 65536

static int place__one(struct wl_run *run, const cpu_set_t *set, size_t sz, u64 want, int below)
{
	int cpu;

	if (want != CPU_AUTO) {
		if (CPU_ISSET_S((int)want, sz, set))
			return (int)want;
		return fail__set(
			EINVAL, "cpu affinity",
			"CPU %llu is not in the mask of allowed CPUs; see taskset -p $$ and "
			"Cpus_allowed_list in /proc/self/status",
			(unsigned long long)want);
	}
	for (cpu = below - 1; cpu >= 0; cpu--) {
		if (CPU_ISSET_S(cpu, sz, set) && (!run->cpu_cnt || cpu != run->cpus[0]))
			return cpu;
	}
	return fail__set(
		EINVAL, "cpu affinity",
		"placement=cross needs two CPUs and this process may use one; widen the mask "
		"(taskset, cpuset) or use placement=same");
}

int place__choose(struct wl_run *run)
{
	size_t sz = CPU_ALLOC_SIZE(CPU_CNT_MAX);
	cpu_set_t *set = CPU_ALLOC(CPU_CNT_MAX);
	int err = 0, cpu;

	run->cpu_cnt = 0;
	if (!set)
		return fail__set(ENOMEM, "memory", "out of memory; free some and try again");
	CPU_ZERO_S(sz, set);
	if (sched_getaffinity(0, sz, set)) {
		err = fail__set(errno, NULL,
				"cannot read the mask of allowed CPUs: %s; report this",
				strerror(errno));
		goto out;
	}
	if (run->p.placement == PLACE_FREE)
		goto out;
	cpu = place__one(run, set, sz, run->p.cpu, CPU_CNT_MAX);
	if (cpu < 0) {
		err = cpu;
		goto out;
	}
	run->cpus[run->cpu_cnt++] = cpu;
	if (run->p.placement != PLACE_CROSS)
		goto out;
	cpu = place__one(run, set, sz, run->p.cpu2, CPU_CNT_MAX);
	if (cpu < 0)
		err = cpu;
	else if (cpu == run->cpus[0])
		err = fail__usage("placement=cross with cpu and cpu2 both %d; name two CPUs", cpu);
	else
		run->cpus[run->cpu_cnt++] = cpu;
out:
	CPU_FREE(set);
	return err;
}

int place__pin(int cpu)
{
	size_t sz = CPU_ALLOC_SIZE(CPU_CNT_MAX);
	cpu_set_t *set = CPU_ALLOC(CPU_CNT_MAX);
	int err;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(sz, set);
	CPU_SET_S((size_t)cpu, sz, set);
	err = sched_setaffinity(0, sz, set) ? -errno : 0;
	CPU_FREE(set);
	return err;
}

int place__set_policy(u64 policy)
{
	static const int policies[] = {
		[POLICY_BATCH] = SCHED_BATCH,
		[POLICY_OTHER] = SCHED_OTHER,
		[POLICY_FIFO] = SCHED_FIFO,
	};
	struct sched_param param = { .sched_priority = policy == POLICY_FIFO ? 1 : 0 };

	return sched_setscheduler(0, policies[policy], &param) ? -errno : 0;
}

int place__policy_refused(int err)
{
	struct rlimit limit = { 0, 0 };

	getrlimit(RLIMIT_RTPRIO, &limit);
	return fail__set(
		-err, "RLIMIT_RTPRIO",
		"the kernel refuses this scheduling policy: %s; policy=fifo needs CAP_SYS_NICE "
		"or RLIMIT_RTPRIO of at least 1 (now %llu: ulimit -r 1, or rtprio in "
		"/etc/security/limits.conf)",
		strerror(-err), (unsigned long long)limit.rlim_cur);
}

int place__cpu(const struct wl_run *run, u32 idx)
{
	if (!run->cpu_cnt)
		return -1;
	/* A herd: the waker alone on the first CPU. Else in turn, so that each handoff crosses. */
	if (run->shape->waker_0)
		return run->cpus[idx && run->cpu_cnt > 1];
	return run->cpus[idx % (u32)run->cpu_cnt];
}
