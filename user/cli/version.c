// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/version.h"

#include <stdio.h>

#include "user/model/store.h"
#include "user/probe/version.h"
#include "user/util/version.h"

void wc_cmd__print_version(void)
{
	const char *git = wc_version__git();
	struct wc_result *empty = wc_result__new();

	printf("wakecost %s%s%s%s\n", wc_version(), *git ? " (" : "", git, *git ? ")" : "");
	printf("libbpf %s\n", wc_probe__libbpf_version());
	if (empty)
		printf("formats: recording %d, %s\n", WC_STORE_VERSION, empty->schema);
	wc_result__free(empty);
}
