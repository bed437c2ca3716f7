/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page a workload stamps and the probes read.
 *
 * One slot a thread. The waker writes the time just before the call that wakes and the id of
 * that call; the wakee writes the time just after the call that slept and the id of the wake
 * it received. Times are CLOCK_MONOTONIC in ns, the clock of bpf_ktime_get_ns(). The probes
 * read a slot only while its own thread is current, so no ordering beyond the compiler's is
 * needed between the fields.
 *
 * The memory is whatever file descriptor the workload is handed (a BPF array that allows mmap,
 * or a memfd); the layout is this file and nothing else.
 */
#ifndef WAKECOST_STAMP_H
#define WAKECOST_STAMP_H

#define WC_STAMP_SLOT_CNT  65536u /* a power of two: 4 MiB of slots */
#define WC_STAMP_PROBE_CNT 32u	  /* linear probes before a thread goes without a slot */

struct wc_stamp_slot {
	unsigned int tid;	    /* in the workload's own pid namespace; 0: free */
	unsigned int reserved;	    /* 0 */
	unsigned long long call_id; /* measured wake call in progress; 0: none */
	unsigned long long call_ns; /* when that call began */
	unsigned long long ret_id;  /* last wake received; ids are never reused in a process */
	unsigned long long ret_ns;  /* when the call that slept had returned */
	unsigned long long pad[3];  /* one slot, one cache line */
};

/* First slot to try for a thread; then the following ones, modulo WC_STAMP_SLOT_CNT. */
static inline unsigned int wc_stamp_home(unsigned int tid)
{
	return (tid * 2654435761u) >> 16 & (WC_STAMP_SLOT_CNT - 1);
}

#endif
