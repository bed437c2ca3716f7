/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of text in columns as wide as they must be, and paragraphs that end before column 80. */
#ifndef WC_OUTPUT_GRID_H
#define WC_OUTPUT_GRID_H

#include <stdbool.h>
#include <stdio.h>

#define WC_GRID_WIDTH 79

struct wc_grid; /* every failure is no memory, and shows when it is printed */

/* One letter a column: l left, r right, w left and wrapped at the edge (the last one only). */
struct wc_grid *wc_grid__new(const char *columns);
/* The next field of the current row; made safe for a terminal. A row is full by itself. */
void wc_grid__put(struct wc_grid *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Heads the columns: before any field. A newline inside makes it two lines. */
void wc_grid__head(struct wc_grid *g, const char *text);
/* 0 or -ENOMEM; frees g. */
int wc_grid__print(struct wc_grid *g, FILE *f, const char *indent, bool colour);

/* Words of text, wrapped; the first line after first, the others after as many blanks. */
void wc_grid__paragraph(FILE *f, const char *first, const char *text);

#define WC_BOLD(colour)	  ((colour) ? "\033[1m" : "")
#define WC_YELLOW(colour) ((colour) ? "\033[33m" : "")
#define WC_PLAIN(colour)  ((colour) ? "\033[0m" : "")

#endif
