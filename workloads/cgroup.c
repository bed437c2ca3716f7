/* SPDX-License-Identifier: BSD-2-Clause */
/* The groups this process is in, in cgroup v1 and v2. */
#include <stdio.h>
#include <string.h>

#include "cgroup.h"
#include "proc.h"

/* One word of a comma-separated list. */
static bool list__has(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (list && *list) {
		if (!strncmp(list, word, len) && (list[len] == ',' || list[len] == '\0'))
			return true;
		list = strchr(list, ',');
		list += list != NULL;
	}
	return false;
}

/* The path of this process in the hierarchy with the controller. */
static bool cgroup__own_path(const char *controller, bool v2, char *path, size_t sz)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX + 128], *controllers, *dir;
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		controllers = strchr(line, ':');
		dir = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!dir)
			continue;
		*dir++ = '\0';
		controllers++;
		found = v2 ? !*controllers : list__has(controllers, controller);
		if (found)
			snprintf(path, sz, "%s", dir);
	}
	if (f)
		fclose(f);
	return found;
}

/* Where that hierarchy is mounted, and which of its directories is the root of the mount. */
static bool cgroup__mount(const char *controller, bool v2, char *root, char *point)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[2 * PATH_MAX + 512], type[64], options[512], *tail;
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		tail = strstr(line, " - ");
		if (!tail || sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) != 2 ||
		    sscanf(tail, " - %63s %*s %511s", type, options) != 2)
			continue;
		found = v2 ? !strcmp(type, "cgroup2")
			   : !strcmp(type, "cgroup") && list__has(options, controller);
	}
	if (f)
		fclose(f);
	return found;
}

static bool cgroup__walk(const char *controller, bool v2, cgroup_fn *fn, void *ctx)
{
	char own[PATH_MAX], root[PATH_MAX], point[PATH_MAX], dir[PATH_MAX], *slash;
	size_t root_len, point_len;
	const char *below = own;

	if (!cgroup__own_path(controller, v2, own, sizeof(own)) ||
	    !cgroup__mount(controller, v2, root, point))
		return false;
	root_len = strcmp(root, "/") ? strlen(root) : 0;
	if (root_len && !strncmp(own, root, root_len))
		below += root_len;
	point_len = strlen(point);
	if (point_len + strlen(below) >= sizeof(dir))
		return false;
	memcpy(dir, point, point_len);
	strcpy(dir + point_len, strcmp(below, "/") ? below : "");
	for (;;) {
		if (fn(ctx, dir, v2))
			return true;
		slash = strrchr(dir + point_len, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
}

bool cgroup__each(const char *controller, cgroup_fn *fn, void *ctx)
{
	return cgroup__walk(controller, false, fn, ctx) || cgroup__walk(controller, true, fn, ctx);
}

static bool cgroup__check(void *ctx, const char *dir, bool v2)
{
	struct cgroup_limit *out = ctx;
	char path[PATH_MAX + 32];

	(void)v2;
	snprintf(path, sizeof(path), "%s/pids.max", dir);
	if (proc__read_u64(path, &out->max) || out->max == UINT64_MAX)
		return false;
	snprintf(path, sizeof(path), "%s/pids.current", dir);
	if (proc__read_u64(path, &out->current) || out->current < out->max)
		return false;
	snprintf(out->path, sizeof(out->path), "%s", dir);
	return true;
}

bool cgroup__pids_full(struct cgroup_limit *out)
{
	return cgroup__each("pids", cgroup__check, out);
}
