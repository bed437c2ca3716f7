/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WC_PROBE_FEATURES_INTERNAL_H
#define WC_PROBE_FEATURES_INTERNAL_H

#include "user/model/checkup.h"
#include "user/probe/kbtf.h"

/* kbtf may be NULL, then btf_err says why. Each 0 or -ENOMEM. */
int wc_features__check_kernel(struct wc_checkup *c, const struct wc_kbtf *kbtf, int btf_err);
int wc_features__check_pmu(struct wc_checkup *c);

#endif
