// SPDX-License-Identifier: BSD-2-Clause
/*
 * One line a path: "root;...;leaf N". What would break a line or a frame is written \xNN, so that
 * a name can be had back. Suffixes as other tools know them: _[k] kernel, _[j] JIT, _[i] inlined,
 * and in a chain _[w] for everything of the waker's stack.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/output/output.h"
#include "user/output/paths.h"
#include "user/util/grow.h"
#include "user/util/text.h"

struct line {
	char *text;
	uint64_t value;
};

struct fold {
	const struct wc_result *r;
	bool chain;
	struct line *lines;
	size_t cnt;
};

static const char *suffix(const struct wc_path_frame *f, bool chain)
{
	bool waker = f->path_class == WC_PATH_WAKER_USER || f->path_class == WC_PATH_WAKER_KERNEL;

	if (!f->frame || f->kind == WC_FRAME_NOTE)
		return "";
	if (chain && waker)
		return "_[w]";
	switch (f->kind) {
	case WC_FRAME_KERNEL:
		return "_[k]";
	case WC_FRAME_JIT:
		return "_[j]";
	case WC_FRAME_INLINED:
		return "_[i]";
	default:
		return "";
	}
}

static int put_name(FILE *out, const char *name)
{
	size_t len = wc_text__safe(NULL, 0, name);
	char *safe = malloc(len + 1);

	if (!safe)
		return -ENOMEM;
	wc_text__safe(safe, len + 1, name);
	for (size_t i = 0; i < len; i++) {
		if (safe[i] == ';' || (safe[i] == ' ' && i == 0))
			fprintf(out, "\\x%02x", safe[i]);
		else
			fputc(safe[i], out);
	}
	free(safe);
	return 0;
}

static int add_path(void *ctx, const struct wc_path *path)
{
	struct fold *fold = ctx;
	struct line *lines = wc_grow(fold->lines, fold->cnt, sizeof(*lines));
	char *text = NULL;
	size_t len;
	FILE *out;
	int err = 0;

	if (!lines)
		return -ENOMEM;
	fold->lines = lines;
	out = open_memstream(&text, &len);
	if (!out)
		return -errno;
	for (size_t i = 0; i < path->frame_cnt && !err; i++) {
		const struct wc_path_frame *f = &path->frames[i];

		if (i)
			fputc(';', out);
		err = put_name(out, wc_paths__name(fold->r, f));
		fputs(suffix(f, fold->chain), out);
	}
	if (fclose(out) && !err)
		err = -ENOMEM;
	if (err) {
		free(text);
		return err;
	}
	fold->lines[fold->cnt++] = (struct line){ text, path->value };
	return 0;
}

static int by_bytes(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static void print_lines(FILE *f, const struct line *lines, size_t cnt)
{
	size_t next;

	for (size_t i = 0; i < cnt; i = next) {
		uint64_t value = 0;

		for (next = i; next < cnt && !by_bytes(&lines[i], &lines[next]); next++)
			value += lines[next].value;
		fprintf(f, "%s %" PRIu64 "\n", lines[i].text, value);
	}
}

int wc_out_folded(FILE *f, const struct wc_result *r, const struct wc_folded_opts *opts)
{
	struct fold fold = { .r = r, .chain = opts->view == WC_VIEW_CHAIN };
	int err;

	if (!r->profile)
		return -ENODATA;
	err = wc_profile__paths(r->profile, opts->view, opts->weigh, opts->threads, add_path,
				&fold);
	if (!err && fold.cnt) {
		qsort(fold.lines, fold.cnt, sizeof(*fold.lines), by_bytes);
		print_lines(f, fold.lines, fold.cnt);
	}
	for (size_t i = 0; i < fold.cnt; i++)
		free(fold.lines[i].text);
	free(fold.lines);
	if (err)
		return err;
	return fflush(f) || ferror(f) ? -(errno ? errno : EIO) : 0;
}
