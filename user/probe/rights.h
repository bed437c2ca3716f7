/* SPDX-License-Identifier: BSD-2-Clause */
/* What this process may do. */
#ifndef WC_PROBE_RIGHTS_H
#define WC_PROBE_RIGHTS_H

#include <stdbool.h>

#include "user/model/checkup.h"

/* In force for this process; cap is one of linux/capability.h. */
bool wc_rights__has_cap(int cap);
/* May load and attach tracing programs, as far as capabilities go. */
bool wc_rights__may_trace(void);
/* Adds the findings. 0 or -ENOMEM. */
int wc_rights__check(struct wc_checkup *c);

#endif
