/* SPDX-License-Identifier: BSD-2-Clause */
/* A checkup, printed. */
#ifndef WC_OUTPUT_DOCTOR_H
#define WC_OUTPUT_DOCTOR_H

#include <stdio.h>

#include "user/model/checkup.h"

void wc_doctor__print_text(FILE *f, const struct wc_checkup *c);
/* One document, "wakecost.doctor/1" (docs/json-doctor.md). 0 or -errno. */
int wc_doctor__print_json(FILE *f, const struct wc_checkup *c);

#endif
