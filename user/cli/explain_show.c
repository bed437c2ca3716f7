// SPDX-License-Identifier: BSD-2-Clause
#include "user/cli/explain_show.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "user/cli/dest.h"
#include "user/output/explain.h"
#include "user/util/log.h"

struct page_job {
	const struct wc_result *r;
	const struct wc_explain *e;
};

static int print_page(FILE *f, void *ctx)
{
	const struct page_job *job = ctx;

	return wc_out_explain_html(f, job->r, job->e);
}

static bool is_page(int fd, void *ctx)
{
	char head[256];
	ssize_t len = pread(fd, head, sizeof(head) - 1, 0);

	(void)ctx;
	if (len < 0)
		return false;
	head[len] = '\0';
	return strstr(head, WC_EXPLAIN_HTML_MAGIC) != NULL;
}

static int draw(const struct wc_result *r, const struct wc_explain *e, const char *path)
{
	struct page_job job = { r, e };
	int err = wc_dest__print(path, is_page, print_page, &job);

	if (err)
		wc_dest__complain(path, err,
				  "no page of wakecost's, so it is left alone; give another name");
	else if (strcmp(path, "-"))
		wc_log(WC_LOG_INFO, "%s: open it in a web browser", path);
	return err;
}

static int print(const struct wc_result *r, const struct wc_explain *e,
		 const struct wc_explain_show *show)
{
	const struct wc_explain_opts how = { .wide = show->wide, .colour = show->colour };
	int err = show->json ? wc_out_explain_json(stdout, r, e)
			     : wc_out_explain_text(stdout, r, e, &how);

	if (err)
		wc_err("printing the result failed: %s", strerror(-err));
	return err;
}

int wc_explain__show(const struct wc_result *r, const struct wc_explain_show *show)
{
	struct wc_explain *e = wc_explain__of(r);
	int err = 0;

	if (!e) {
		err = -errno;
		wc_err("%s",
		       err == -ENODATA
			       ? "no round is complete: nothing can be concluded; run wakecost "
				 "explain for longer"
			       : strerror(-err));
		return err;
	}
	if (!show->html || strcmp(show->html, "-"))
		err = print(r, e, show);
	if (!err && show->html)
		err = draw(r, e, show->html);
	wc_explain__free(e);
	return err;
}
