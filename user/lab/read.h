/* SPDX-License-Identifier: BSD-2-Clause */
/* What `wakecost lab -o FILE` left, read again. The file may be anybody's. */
#ifndef WC_LAB_READ_H
#define WC_LAB_READ_H

#include <stdbool.h>

#include "user/model/lab.h"

/* Whether it begins as such a file does; says nothing of the rest. */
bool wc_lab__is_file(const char *path);
/* 0, or -errno with the sentence in error. *lab is set on success. */
int wc_lab__read(const char *path, struct wc_lab **lab, char *error, size_t error_sz);

#endif
