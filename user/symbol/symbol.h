/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses to frames: of the kernel, of programs and libraries, of code made at run time.
 *
 * A process is to be seen (snapshot) while it lives: what is needed later is held open from then
 * on, so that addresses resolve after it has died and after its files were deleted or replaced.
 * Everything read belongs to somebody else and is taken for hostile.
 */
#ifndef WC_SYMBOL_SYMBOL_H
#define WC_SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wc_symbols;

/* Same values as enum wc_frame_kind. */
enum wc_symbol_kind {
	WC_SYMBOL_KERNEL = 0,
	WC_SYMBOL_USER = 1,
	WC_SYMBOL_JIT = 2,
	WC_SYMBOL_INLINED = 3,
};

/* Strings are never NULL, may hold any bytes, and live until wc_symbols__free(). */
struct wc_symbol {
	enum wc_symbol_kind kind;
	const char *name;   /* demangled; "[unknown]" */
	const char *module; /* "libc.so.6", "[kernel]", "[ext4]", "[vdso]", "[jit]"; "" for none */
	const char *build_id; /* hex; "" */
	const char *file;     /* source, with inlines only; "" */
	uint32_t line;	      /* 0: unknown */
	/*
	 * Where the function begins, as addr2line takes it; of an unknown one the instruction
	 * itself (offset in the file if it is no ELF file, the address if there is no file).
	 * Kernel: from the beginning of its text (or of the module's), so that a recording does
	 * not give the place of the kernel away.
	 */
	uint64_t addr;
	uint64_t offset; /* of the instruction in the function */
};

struct wc_symbols *wc_symbols__new(void); /* NULL: no memory */
void wc_symbols__free(struct wc_symbols *s);

/* Source lines and inlined functions from debug information: slower, off by default. */
void wc_symbols__set_inlines(struct wc_symbols *s, bool on);

/* Always fills *out. 0, -ENOENT when unknown, -ENOMEM. Kernel symbols are read once, by the first
 * call that needs them. */
int wc_symbols__kernel(struct wc_symbols *s, uint64_t ip, struct wc_symbol *out);
/* Why kernel addresses have no names and what to do about it; NULL: they have. */
const char *wc_symbols__kernel_trouble(struct wc_symbols *s);

/*
 * What is mapped executable in a process now (tgid as in our own /proc). To be called again when
 * more may have been mapped; what was mapped before stays known. A pid that was given to another
 * process is noticed. 0 or -errno (-ESRCH: gone).
 */
int wc_symbols__snapshot(struct wc_symbols *s, pid_t tgid);
/* When the process last seen under this number started, as in /proc/PID/stat; 0: not seen. */
uint64_t wc_symbols__started(const struct wc_symbols *s, pid_t tgid);

/*
 * Frames of one address, innermost first, at most max: one, or with inlines the inlined functions
 * and then the one they are in. leaf: ip is where the thread was, else a return address. Number
 * of frames (> 0: always fills one) or -ENOMEM; -EINVAL for max 0.
 */
int wc_symbols__user(struct wc_symbols *s, pid_t tgid, uint64_t ip, bool leaf,
		     struct wc_symbol *out, size_t max);
/* The same for an earlier process of this number. */
int wc_symbols__user_of(struct wc_symbols *s, pid_t tgid, uint64_t started, uint64_t ip, bool leaf,
			struct wc_symbol *out, size_t max);

/*
 * Reads the map of code made at run time (perf-PID.map in the process's own /tmp) anew, also
 * when the process is dead. 0, -ENOENT (no such map), -EPERM (not its owner's: refused, with a
 * warning), -errno.
 */
int wc_symbols__look_again(struct wc_symbols *s, pid_t tgid);

/* What went wrong and is worth saying, each once; valid until the next call. */
const char *const *wc_symbols__warnings(const struct wc_symbols *s, size_t *cnt);

#endif
