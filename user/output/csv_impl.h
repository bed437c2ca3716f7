/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the CSV outputs and nobody else. */
#ifndef WC_OUTPUT_CSV_IMPL_H
#define WC_OUTPUT_CSV_IMPL_H

#include <stdbool.h>
#include <stdio.h>

void csv__text(FILE *f, const char *text);	  /* quoted where it must be */
void csv__ns(FILE *f, bool any, double ns);	  /* with the comma before it */
void csv__share(FILE *f, bool any, double share); /* and the end of the row behind it */

#endif
