/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "plan.h"
#include "workloads/fail.h"
#include "workloads/place.h"

#define WARM_CLIENT_CNT 4u
#define WARM_SERVICE_NS 1000000ull

static u64 scaled(u64 ns, u64 milli)
{
	return (u64)((unsigned __int128)ns * milli / 1000);
}

struct wl_net_params plan__scaled(const struct wl_net_params *p)
{
	struct wl_net_params out = *p;

	out.service_ns = scaled(p->service_ns, p->scale_milli);
	out.work_ns = scaled(p->work_ns, p->scale_milli);
	out.duration_ns = scaled(p->duration_ns, p->scale_milli);
	out.timeout_ns = scaled(p->timeout_ns, p->scale_milli);
	out.ramp_ns = scaled(p->ramp_ns, p->scale_milli);
	return out;
}

static u64 least(u64 a, u64 b)
{
	return a < b ? a : b;
}

struct wl_net_params plan__warm(const struct wl_net_params *p)
{
	struct wl_net_params out = plan__scaled(p);

	out.mode = MODE_BURST;
	out.clients = least(p->clients, WARM_CLIENT_CNT);
	out.connect = CONNECT_WITH;
	out.idle = out.hostile = out.ramp_ns = 0;
	out.service_ns = least(out.service_ns, WARM_SERVICE_NS);
	out.work_ns = least(out.work_ns, WARM_SERVICE_NS);
	out.timeout_ns = p->timeout_ns;
	return out;
}

void plan__load(const struct wl_net_params *p, u16 port, struct load_plan *out)
{
	bool with = p->connect == CONNECT_AUTO ? p->mode == MODE_BURST : p->connect == CONNECT_WITH;

	*out = (struct load_plan){
		.mode = p->mode,
		.port = port,
		.client_cnt = p->clients,
		.idle_cnt = p->idle,
		.hostile_cnt = p->hostile,
		.rate = p->rate,
		.duration_ns = p->duration_ns,
		.timeout_ns = p->timeout_ns,
		.connect_with = with,
		.close_after = with && p->mode == MODE_BURST,
	};
}

int plan__place(const struct wl_run *run, pid_t load, const struct stub *stub)
{
	cpu_set_t all, rest;
	int last = -1, cpu;

	if (!run->p.net.apart)
		return 0;
	if (sched_getaffinity(0, sizeof(all), &all))
		return fail__set(errno, NULL,
				 "cannot read the mask of allowed CPUs: %s; use "
				 "apart=0",
				 strerror(errno));
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		last = CPU_ISSET(cpu, &all) ? cpu : last;
	rest = all;
	CPU_CLR(last, &rest);
	if (!CPU_COUNT(&rest))
		return fail__set(EINVAL, "cpu affinity",
				 "apart=1 needs two CPUs and this process may use one; widen the "
				 "mask (taskset, cpuset) or use apart=0");
	if (sched_setaffinity(load, sizeof(rest), &rest) ||
	    (stub && sched_setaffinity(stub__pid(stub), sizeof(rest), &rest)) || place__pin(last))
		return fail__set(errno, NULL, "apart: %s; use apart=0", strerror(errno));
	return 0;
}
