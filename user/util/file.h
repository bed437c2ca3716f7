/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files read whole, and output files that appear complete or not at all. */
#ifndef WC_UTIL_FILE_H
#define WC_UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Reading (/proc, /sys, configuration). Length without the terminating NUL, or -errno; -EFBIG
 * when it does not fit, with buf terminated and holding the beginning.
 */
ssize_t wc_file__read(const char *path, char *buf, size_t sz);
/* The first line, without its newline and trailing blanks. */
ssize_t wc_file__read_line(const char *path, char *buf, size_t sz);
/* A file that holds one decimal number: 0 or -errno; -EINVAL for anything else ("max"). */
int wc_file__read_u64(const char *path, uint64_t *out);
/* All of it, at most max bytes, NUL-terminated; free() it. NULL with errno (EFBIG: more). */
char *wc_file__slurp(const char *path, size_t max, size_t *len);
/* All of buf to fd, through EINTR and short writes. 0 or -errno. */
int wc_file__write_all(int fd, const void *buf, size_t len);

/*
 * Writing. An output is a temporary file beside its target until commit:
 *
 *	open     refuses at once what could not be committed: -EEXIST when something is there
 *		 that is not a regular file or that is_ours refuses, -ELOOP for a symbolic link;
 *		 then creates .NAME.XXXXXXXX.tmp in the same directory (O_EXCL | O_NOFOLLOW, 0600)
 *	write	 through wc_outfile__fd(), or by opening wc_outfile__temp_path() (SQLite); whoever
 *		 opens it must write into that same inode and have closed it before commit
 *	commit	 fsync, owner and mode, keep the previous target as NAME.old, rename, fsync of the
 *		 directory; a reader sees the old file or the new one, never neither
 *	discard	 removes the temporary file
 *
 * The owner is that of the file replaced; a new one goes to SUDO_UID:SUDO_GID when root works on
 * behalf of somebody, with mode 0666 less the umask. After a failed commit only discard is
 * allowed. Functions return 0 or -errno.
 */
struct wc_outfile;

struct wc_outfile_opts {
	/* Whether an existing target may be replaced (fd: read-only, at offset 0). NULL: never. */
	bool (*is_ours)(int fd, void *ctx);
	void *ctx;
	bool keep_old; /* keep the previous one as NAME.old (itself checked with is_ours) */
};

int wc_outfile__open(const char *path, const struct wc_outfile_opts *opts, struct wc_outfile **out);
int wc_outfile__fd(const struct wc_outfile *o);
const char *wc_outfile__temp_path(const struct wc_outfile *o);
int wc_outfile__commit(struct wc_outfile *o);	/* keeps o: free it with discard */
void wc_outfile__discard(struct wc_outfile *o); /* NULL allowed; after commit only frees */

#endif
