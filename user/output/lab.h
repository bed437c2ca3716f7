/* SPDX-License-Identifier: BSD-2-Clause */
/* What `wakecost lab` counted, for people and for programs. */
#ifndef WC_OUTPUT_LAB_H
#define WC_OUTPUT_LAB_H

#include <stdbool.h>
#include <stdio.h>

#include "user/model/lab.h"

int wc_out_lab_table(FILE *f, const struct wc_lab *lab, bool colour);
int wc_out_lab_json(FILE *f, const struct wc_lab *lab); /* wakecost.lab/1 */

#endif
