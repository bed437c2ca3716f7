/* SPDX-License-Identifier: BSD-2-Clause */
/* What a function under test writes to a standard stream. */
#ifndef WC_TESTS_CAPTURE_H
#define WC_TESTS_CAPTURE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct capture {
	FILE *stream;
	int saved_fd, mem_fd;
	char text[8192];
};

static inline void capture__start(struct capture *c, FILE *stream)
{
	c->stream = stream;
	fflush(stream);
	c->saved_fd = dup(fileno(stream));
	c->mem_fd = memfd_create("capture", MFD_CLOEXEC);
	dup2(c->mem_fd, fileno(stream));
}

static inline const char *capture__end(struct capture *c)
{
	ssize_t len;

	fflush(c->stream);
	dup2(c->saved_fd, fileno(c->stream));
	close(c->saved_fd);
	len = pread(c->mem_fd, c->text, sizeof(c->text) - 1, 0);
	c->text[len < 0 ? 0 : len] = '\0';
	close(c->mem_fd);
	return c->text;
}

#endif
