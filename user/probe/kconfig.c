/* SPDX-License-Identifier: BSD-2-Clause */
/* The options this kernel was built with, where it or its package shows them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "user/probe/sys.h"
#include "user/util/gz.h"

#define CONFIG_BYTES_MAX (4u << 20)

static struct {
	bool tried;
	char *text;
} config;

static void release(void)
{
	free(config.text);
	config.text = NULL;
}

static void load(void)
{
	static const char *const places[] = { "/proc/config.gz", "/boot/config-%s",
					      "/lib/modules/%s/config",
					      "/usr/lib/modules/%s/config" };
	char path[512], full[4096], rel[sizeof(((struct utsname *)0)->release)];
	struct utsname uts;
	size_t i;

	config.tried = true;
	if (wc_sys__read("/proc/sys/kernel/osrelease", rel, sizeof(rel)) < 0) {
		if (uname(&uts))
			return;
		snprintf(rel, sizeof(rel), "%s", uts.release);
	}
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const char *at = strstr(places[i], "%s");
		int prefix = at ? (int)(at - places[i]) : (int)strlen(places[i]);

		snprintf(path, sizeof(path), "%.*s%s%s", prefix, places[i], at ? rel : "",
			 at ? at + 2 : "");
		wc_sys__path(full, sizeof(full), path);
		if (wc_gz__read_file(full, CONFIG_BYTES_MAX, &config.text) >= 0) {
			atexit(release);
			return;
		}
	}
}

int wc_kconfig__get(const char *key, char *buf, size_t sz)
{
	size_t len = strlen(key);
	const char *line;

	if (!config.tried)
		load();
	for (line = config.text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) != 0 || line[len] != '=')
			continue;
		line += len + 1;
		snprintf(buf, sz, "%.*s", (int)strcspn(line, "\n"), line);
		return 0;
	}
	return -ENOENT;
}

bool wc_kconfig__is_set(const char *key)
{
	char val[8];

	return !wc_kconfig__get(key, val, sizeof(val)) && (*val == 'y' || *val == 'm');
}

bool wc_kconfig__is_known(void)
{
	if (!config.tried)
		load();
	return config.text;
}
