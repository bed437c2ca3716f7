// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/dest.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "user/util/file.h"
#include "user/util/log.h"

int wc_dest__print(const char *path, bool (*is_ours)(int fd, void *ctx),
		   int (*print)(FILE *f, void *ctx), void *ctx)
{
	const struct wc_outfile_opts how = { .is_ours = is_ours };
	struct wc_outfile *out;
	int fd, err;
	FILE *f;

	if (!strcmp(path, "-"))
		return print(stdout, ctx);
	err = wc_outfile__open(path, &how, &out);
	if (err)
		return err;
	/* a descriptor of its own: closing the stream must leave the other for commit */
	fd = dup(wc_outfile__fd(out));
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!f) {
		err = -errno;
		if (fd >= 0)
			close(fd);
	} else {
		err = print(f, ctx);
		if (fclose(f) && !err)
			err = -errno;
	}
	if (!err)
		err = wc_outfile__commit(out);
	wc_outfile__discard(out);
	return err;
}

void wc_dest__complain(const char *path, int err, const char *hint)
{
	if (err == -EEXIST)
		wc_err("%s is already there: %s", path, hint);
	else if (err == -ELOOP)
		wc_err("%s is a symbolic link: not followed; give the file itself", path);
	else
		wc_err("cannot write %s: %s", strcmp(path, "-") ? path : "to standard output",
		       strerror(-err));
}
