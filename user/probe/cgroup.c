/* SPDX-License-Identifier: BSD-2-Clause */
#include "user/probe/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "user/probe/sys.h"

struct mount {
	char root[1024];  /* which part of the hierarchy is mounted */
	char point[1024]; /* where */
};

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (!strncmp(list, word, len) && strchr(", \n", list[len]))
			return true;
	}
	return false;
}

/* Line of mountinfo: "id parent major:minor root point options.. - type source super-options". */
static bool find_mount(const char *controller, bool want_v2, struct mount *m)
{
	char full[4096], *line = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f;

	f = fopen(wc_sys__path(full, sizeof(full), "/proc/self/mountinfo"), "re");
	if (!f)
		return false;
	while (!found && getline(&line, &cap, f) > 0) {
		char type[32], super[1024];
		const char *tail = strstr(line, " - ");

		if (!tail || sscanf(tail, " - %31s %*s %1023s", type, super) != 2)
			continue;
		if (want_v2 ? strcmp(type, "cgroup2") != 0
			    : strcmp(type, "cgroup") != 0 || !has_word(super, controller))
			continue;
		found = sscanf(line, "%*s %*s %*s %1023s %1023s", m->root, m->point) == 2;
	}
	free(line);
	fclose(f);
	return found;
}

/* Line of /proc/self/cgroup: "0::/path" (v2), "8:pids:/path" (v1). */
static bool find_own(const char *controller, bool want_v2, char *path, size_t sz)
{
	char full[4096], *line = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f;

	f = fopen(wc_sys__path(full, sizeof(full), "/proc/self/cgroup"), "re");
	if (!f)
		return false;
	while (!found && getline(&line, &cap, f) > 0) {
		char *names = strchr(line, ':'), *own = names ? strchr(names + 1, ':') : NULL;

		if (!own)
			continue;
		*own++ = '\0';
		names++;
		own[strcspn(own, "\n")] = '\0';
		if (want_v2 ? !strncmp(line, "0:", 2) && !*names : has_word(names, controller)) {
			snprintf(path, sz, "%s", own);
			found = true;
		}
	}
	free(line);
	fclose(f);
	return found;
}

static int walk(const char *controller, bool is_v2, wc_cgroup_fn fn, void *ctx)
{
	char own[1024], dir[2304], full[4096];
	const char *below = own;
	struct mount m;
	size_t top, root_len;
	int err;

	if (!find_mount(controller, is_v2, &m) || !find_own(controller, is_v2, own, sizeof(own)))
		return 0;
	/* In a container the mount may start below the real root. */
	root_len = strlen(m.root);
	if (root_len > 1 && !strncmp(own, m.root, root_len) && strchr("/", own[root_len]))
		below += root_len;
	snprintf(dir, sizeof(dir), "%s%s", m.point, strcmp(below, "/") ? below : "");
	if (!strncmp(below, "/..", 3) || access(wc_sys__path(full, sizeof(full), dir), F_OK))
		snprintf(dir, sizeof(dir), "%s", m.point);
	top = strlen(m.point);
	for (;;) {
		err = fn(ctx, dir, is_v2);
		if (err || strlen(dir) <= top)
			return err;
		*strrchr(dir, '/') = '\0';
	}
}

int wc_cgroup__each(const char *controller, wc_cgroup_fn fn, void *ctx)
{
	int err = walk(controller, false, fn, ctx);

	return err ? err : walk(controller, true, fn, ctx);
}

#define CGROUP2_MAGIC	   0x63677270
#define CGROUP_NS_INIT_INO 0xEFFFFFFBu /* include/linux/proc_ns.h */

/* Depth below the mount is depth below the root only in the initial cgroup namespace. */
static int depth_below(const char *dir, const char *point)
{
	struct stat ns;
	int depth = 0;
	const char *p = dir + strlen(point);

	if (stat("/proc/self/ns/cgroup", &ns) || ns.st_ino != CGROUP_NS_INIT_INO ||
	    strncmp(dir, point, strlen(point)) != 0)
		return -1;
	while (*p) {
		p += strspn(p, "/");
		depth += *p != '\0';
		p += strcspn(p, "/");
	}
	return depth;
}

int wc_cgroup__resolve(const char *path, uint64_t *id, int *level)
{
	struct mount m = { "", "" };
	char joined[4096], *dir;
	struct statfs fs;
	struct stat st;
	bool have = find_mount("", true, &m);

	dir = realpath(path, NULL);
	if (dir && (statfs(dir, &fs) || fs.f_type != CGROUP2_MAGIC)) {
		free(dir);
		dir = NULL;
		if (path[0] == '/' && strncmp(path, "/sys/fs/cgroup", 14) == 0)
			return -ENOTSUP;
	}
	if (!dir && have) {
		snprintf(joined, sizeof(joined), "%s/%s", m.point, path);
		dir = realpath(joined, NULL);
	}
	if (!dir)
		return have ? -ENOENT : -ENOTSUP;
	if (stat(dir, &st) || !S_ISDIR(st.st_mode)) {
		free(dir);
		return -ENOTDIR;
	}
	/* the id of a control group is its inode number (kernfs, 64 bit, since 5.5) */
	*id = st.st_ino;
	*level = depth_below(dir, m.point);
	free(dir);
	return 0;
}
