/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "fail.h"
#include "run.h"

#define STAMPS_SZ ((size_t)WC_STAMP_SLOT_CNT * sizeof(struct wc_stamp_slot))

_Static_assert(sizeof(struct wc_stamp_slot) == 64, "one slot, one cache line");

int stamps__open(struct wl_run *run)
{
	int flags = run->stamp_fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
	struct stat st;
	void *map;

	if (run->stamp_fd >= 0) {
		if (fstat(run->stamp_fd, &st))
			return fail__set(
				errno, NULL,
				"--stamp-fd %d: %s; hand over an open descriptor by that number",
				run->stamp_fd, strerror(errno));
		/* A short file would be a SIGBUS at the first stamp. */
		if (S_ISREG(st.st_mode) && (u64)st.st_size < STAMPS_SZ)
			return fail__set(EINVAL, NULL,
					 "--stamp-fd %d: %lld bytes; make it %zu (ftruncate)",
					 run->stamp_fd, (long long)st.st_size, STAMPS_SZ);
	}
	map = mmap(NULL, STAMPS_SZ, PROT_READ | PROT_WRITE, flags, run->stamp_fd, 0);
	if (map == MAP_FAILED)
		return fail__set(
			errno, NULL,
			"cannot map the stamps (%zu bytes, --stamp-fd %d): %s; it must be a "
			"memfd or a BPF array made with BPF_F_MMAPABLE",
			STAMPS_SZ, run->stamp_fd, strerror(errno));
	run->stamps = map;
	return 0;
}

struct wc_stamp_slot *stamps__claim(struct wl_run *run, pid_t tid)
{
	unsigned int home = wc_stamp_home((unsigned int)tid), i, none;
	struct wc_stamp_slot *slot;

	for (i = 0; i < WC_STAMP_PROBE_CNT; i++) {
		slot = &run->stamps[(home + i) & (WC_STAMP_SLOT_CNT - 1)];
		none = 0;
		/* A slot with our tid is left over from a task that is gone. */
		if (!__atomic_compare_exchange_n(&slot->tid, &none, (unsigned int)tid, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
		    none != (unsigned int)tid)
			continue;
		slot->call_id = slot->call_ns = 0;
		slot->ret_id = slot->ret_ns = 0;
		return slot;
	}
	__atomic_fetch_add(&run->unstamped_cnt, 1, __ATOMIC_RELAXED);
	return NULL;
}

void stamps__release(struct wl_run *run)
{
	struct wc_stamp_slot *slot;
	u32 i;

	if (run->stamp_fd < 0)
		return;
	for (i = 0; i < run->actor_cnt; i++) {
		slot = run->actors[i].slot;
		if (slot >= run->stamps && slot < run->stamps + WC_STAMP_SLOT_CNT)
			__atomic_store_n(&slot->tid, 0, __ATOMIC_RELEASE);
	}
}
