/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WC_SYMBOL_FUNCTIONS_H
#define WC_SYMBOL_FUNCTIONS_H

#include <libelf.h>

#include "user/symbol/image.h"

/*
 * Fills the image's functions from the best tables there are: .symtab, its own or that of its
 * debug file, else the mini one, with .dynsym. 0 or -ENOMEM.
 */
int wc_functions__read(struct wc_image *image, Elf *elf);

#endif
