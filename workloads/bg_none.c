/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry.h"

const struct wl_bg bg_none = {
	.name = "none",
	.help = "nothing beside the threads that hand off (parked is ignored)",
	.state = 'S',
	.syscalls = { -1 },
};
