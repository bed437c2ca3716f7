// SPDX-License-Identifier: BSD-2-Clause
#include "user/experiment/away.h"

#include <sched.h>
#include <stdbool.h>

/* Large enough for any kernel's mask; cpu_set_t holds 1,024. */
static cpu_set_t before;
static bool away;

void wc_away__go(void)
{
	cpu_set_t first;
	int cpu;

	if (away || sched_getaffinity(0, sizeof(before), &before) || CPU_COUNT(&before) < 2)
		return;
	for (cpu = 0; !CPU_ISSET(cpu, &before); cpu++)
		;
	CPU_ZERO(&first);
	CPU_SET(cpu, &first);
	away = !sched_setaffinity(0, sizeof(first), &first);
}

void wc_away__undo(void)
{
	if (away)
		sched_setaffinity(0, sizeof(before), &before);
	away = false;
}
