/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the Prometheus outputs and nobody else. */
#ifndef WC_OUTPUT_PROM_IMPL_H
#define WC_OUTPUT_PROM_IMPL_H

#include <stdio.h>

#include "user/model/result.h"

void prom__help(FILE *f, const char *name, const char *type, const char *help);
void prom__value(FILE *f, const char *value); /* of a label, escaped */
/* labels: not empty, without braces */
void prom__hist(FILE *f, const char *name, const char *labels, const struct wc_hist *h);
/* Losses, and when it was. */
void prom__end(FILE *f, const struct wc_result *r, const uint64_t counters[WC_CNT_CNT]);

#endif
