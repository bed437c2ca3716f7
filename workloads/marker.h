/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that do nothing and that an emulator can find (user/lab/plugin): an eight-byte NOP
 * whose displacement says which. Elsewhere they cost one instruction each.
 */
#ifndef WORKLOADS_MARKER_H
#define WORKLOADS_MARKER_H

#ifdef __x86_64__
#define MARKER(id) asm volatile(".byte 0x0f, 0x1f, 0x84, 0x00, " #id ", 0x00, 0xb0, 0x5a")
#else
#define MARKER(id) asm volatile("")
#endif

#define MARKER_ARM   MARKER(1) /* warm-up begins: watch from here on */
#define MARKER_BEGIN MARKER(2)
#define MARKER_END   MARKER(3)

#endif
