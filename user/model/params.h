/* SPDX-License-Identifier: BSD-2-Clause */
/* What tells the cells of a result apart. */
#ifndef WC_MODEL_PARAMS_H
#define WC_MODEL_PARAMS_H

#include "user/model/result.h"

/* Whether the parameter differs between cells (or is absent from some). */
bool wc_params__varies(const struct wc_result *r, const char *key);
/*
 * The axis cells are compared along: "parked" where it varies, else the first varying parameter
 * that is a number everywhere. NULL: none.
 */
const char *wc_params__axis(const struct wc_result *r);
/* A parameter as a number; false: absent, or not a number. */
bool wc_params__number(const struct wc_cell *cell, const char *key, uint64_t *value);
/*
 * "background=pause parked=4000": the varying parameters of a cell; with other, only those in
 * which they differ (or, with same, only those in which they do not). Returns buf, cut to fit.
 */
const char *wc_params__label(const struct wc_result *r, const struct wc_cell *cell,
			     const struct wc_cell *other, bool same, char *buf, size_t sz);

#endif
