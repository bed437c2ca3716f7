// SPDX-License-Identifier: BSD-2-Clause
#include "user/output/explain_html.h"

/* As flame_assets.c takes its own in. */
#define ASSET(symbol, path)                          \
	__asm__(".pushsection .rodata\n"             \
		".globl " #symbol "\n" #symbol ":\n" \
		".incbin \"" path "\"\n"             \
		".byte 0\n"                          \
		".popsection\n")

ASSET(wc_explain_css, "user/output/explain/explain.css");
ASSET(wc_explain_js, "user/output/explain/explain.js");
