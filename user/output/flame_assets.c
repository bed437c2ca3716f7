// SPDX-License-Identifier: BSD-2-Clause
#include "user/output/flame_impl.h"

/* The assembler takes the files in; paths are from the top of the tree, where make runs. */
#define ASSET(symbol, path)                          \
	__asm__(".pushsection .rodata\n"             \
		".globl " #symbol "\n" #symbol ":\n" \
		".incbin \"" path "\"\n"             \
		".byte 0\n"                          \
		".popsection\n")

ASSET(wc_flame_css, "user/output/flame/flame.css");
ASSET(wc_flame_js, "user/output/flame/flame.js");
