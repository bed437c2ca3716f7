/* SPDX-License-Identifier: BSD-2-Clause */
/* What `wakecost-workload ceiling` said, for people and for programs. */
#ifndef WC_OUTPUT_CEILING_H
#define WC_OUTPUT_CEILING_H

#include <stdbool.h>
#include <stdio.h>

/* document: its wakecost.ceiling/1. 0, -EBADMSG when it is none, or -errno. */
int wc_out_ceiling_text(FILE *f, const char *document, bool colour);
/* The same document, with the tool that measured. */
int wc_out_ceiling_json(FILE *f, const char *document, const char *tool_version);

#endif
