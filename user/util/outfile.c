// SPDX-License-Identifier: BSD-2-Clause
#include "user/util/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/util/units.h"

struct wc_outfile {
	struct wc_outfile_opts opts;
	int dir_fd, fd;
	char *name, *old_name, *temp_name; /* inside the directory */
	char *temp_path;		   /* as the caller may open it */
	bool replaces;
	struct stat replaced;
};

/* 0 when name may be replaced, 1 when nothing is there, or -errno. */
static int target__check(const struct wc_outfile *o, const char *name, struct stat *st)
{
	int fd, err = 0;

	/* O_NONBLOCK: a fifo must not hang the check that refuses it. */
	fd = openat(o->dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 1 : -errno;
	if (fstat(fd, st))
		err = -errno;
	else if (!S_ISREG(st->st_mode) || !o->opts.is_ours || !o->opts.is_ours(fd, o->opts.ctx))
		err = -EEXIST;
	close(fd);
	return err;
}

static int outfile__check(struct wc_outfile *o)
{
	struct stat old;
	int err = target__check(o, o->name, &o->replaced);

	if (err < 0)
		return err;
	o->replaces = err == 0;
	if (o->replaces && o->opts.keep_old) {
		err = target__check(o, o->old_name, &old);
		if (err < 0)
			return err;
	}
	return 0;
}

static int outfile__create(struct wc_outfile *o, const char *dir)
{
	unsigned int tries, rnd;

	for (tries = 0; tries < 16; tries++) {
		if (getrandom(&rnd, sizeof(rnd), 0) != sizeof(rnd))
			return -EIO;
		free(o->temp_path);
		o->temp_path = NULL;
		if (asprintf(&o->temp_path, "%s/.%s.%08x.tmp", dir, o->name, rnd) < 0) {
			o->temp_path = NULL;
			return -ENOMEM;
		}
		o->temp_name = strrchr(o->temp_path, '/') + 1;
		o->fd = openat(o->dir_fd, o->temp_name,
			       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (o->fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return -errno;
}

/* Splits path; *dir is allocated. */
static int path__split(const char *path, char **dir, char **name)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
		return -EISDIR;
	*name = strdup(base);
	if (!slash)
		*dir = strdup(".");
	else if (slash == path)
		*dir = strdup("/");
	else
		*dir = strndup(path, (size_t)(slash - path));
	return *name && *dir ? 0 : -ENOMEM;
}

int wc_outfile__open(const char *path, const struct wc_outfile_opts *opts, struct wc_outfile **out)
{
	struct wc_outfile *o = calloc(1, sizeof(*o));
	char *dir = NULL;
	int err;

	*out = NULL;
	if (!o)
		return -ENOMEM;
	o->dir_fd = o->fd = -1;
	if (opts)
		o->opts = *opts;
	err = path__split(path, &dir, &o->name);
	if (err)
		goto out;
	if (asprintf(&o->old_name, "%s.old", o->name) < 0) {
		o->old_name = NULL;
		err = -ENOMEM;
		goto out;
	}
	o->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (o->dir_fd < 0) {
		err = -errno;
		goto out;
	}
	err = outfile__check(o);
	if (!err)
		err = outfile__create(o, dir);
out:
	free(dir);
	if (err) {
		wc_outfile__discard(o);
		return err;
	}
	*out = o;
	return 0;
}

int wc_outfile__fd(const struct wc_outfile *o)
{
	return o->fd;
}

const char *wc_outfile__temp_path(const struct wc_outfile *o)
{
	return o->temp_path;
}

/* A number of the environment that sudo sets; false when there is none or it makes no sense. */
static bool sudo__id(const char *variable, unsigned int *id)
{
	const char *s = getenv(variable);
	uint64_t v;

	if (!s || wc_units__parse_unsigned(s, &v) || v >= UINT32_MAX)
		return false;
	*id = (unsigned int)v;
	return true;
}

static int outfile__give(const struct wc_outfile *o)
{
	mode_t mask = umask(0), mode = 0666 & ~mask;
	unsigned int uid, gid;

	umask(mask);
	if (o->replaces) {
		mode = o->replaced.st_mode & 0777;
		/* Not root: what cannot be given stays with the caller, as with any editor. */
		if (fchown(o->fd, o->replaced.st_uid, o->replaced.st_gid) && geteuid() == 0)
			return -errno;
	} else if (geteuid() == 0 && sudo__id("SUDO_UID", &uid) && sudo__id("SUDO_GID", &gid)) {
		if (fchown(o->fd, uid, gid))
			return -errno;
	}
	return fchmod(o->fd, mode) ? -errno : 0;
}

/* Whether the temporary name still is the file that was created. */
static bool outfile__intact(const struct wc_outfile *o)
{
	struct stat by_fd, by_name;

	return fstat(o->fd, &by_fd) == 0 &&
	       fstatat(o->dir_fd, o->temp_name, &by_name, AT_SYMLINK_NOFOLLOW) == 0 &&
	       by_fd.st_dev == by_name.st_dev && by_fd.st_ino == by_name.st_ino;
}

/* The previous target becomes NAME.old without a moment in which NAME is missing. */
static int outfile__swap(struct wc_outfile *o)
{
	if (renameat2(o->dir_fd, o->temp_name, o->dir_fd, o->name, RENAME_EXCHANGE) == 0)
		return renameat(o->dir_fd, o->temp_name, o->dir_fd, o->old_name) ? -errno : 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* This file system cannot exchange: a second name for the old one, then replace. */
	if (unlinkat(o->dir_fd, o->old_name, 0) && errno != ENOENT)
		return -errno;
	if (linkat(o->dir_fd, o->name, o->dir_fd, o->old_name, 0) && errno != EPERM &&
	    errno != EOPNOTSUPP)
		return -errno;
	return renameat(o->dir_fd, o->temp_name, o->dir_fd, o->name) ? -errno : 0;
}

int wc_outfile__commit(struct wc_outfile *o)
{
	int err;

	if (!outfile__intact(o))
		return -ESTALE;
	/* Something else may have come to stand there meanwhile. */
	err = outfile__check(o);
	if (!err)
		err = outfile__give(o);
	if (err)
		return err;
	if (fsync(o->fd))
		return -errno;
	if (o->replaces && o->opts.keep_old)
		err = outfile__swap(o);
	else if (o->replaces)
		err = renameat(o->dir_fd, o->temp_name, o->dir_fd, o->name) ? -errno : 0;
	else
		err = renameat2(o->dir_fd, o->temp_name, o->dir_fd, o->name, RENAME_NOREPLACE)
			      ? -errno
			      : 0;
	if (err == -EINVAL) /* no such flag on this file system; the check above has to do */
		err = renameat(o->dir_fd, o->temp_name, o->dir_fd, o->name) ? -errno : 0;
	if (err)
		return err;
	o->temp_name = NULL;
	/* Some file systems cannot sync a directory; the file itself is safe. */
	if (fsync(o->dir_fd) && errno != EINVAL)
		return -errno;
	return 0;
}

void wc_outfile__discard(struct wc_outfile *o)
{
	if (!o)
		return;
	if (o->fd >= 0 && o->temp_name && outfile__intact(o))
		unlinkat(o->dir_fd, o->temp_name, 0);
	if (o->fd >= 0)
		close(o->fd);
	if (o->dir_fd >= 0)
		close(o->dir_fd);
	free(o->name);
	free(o->old_name);
	free(o->temp_path);
	free(o);
}
