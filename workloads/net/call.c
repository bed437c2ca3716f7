/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "http.h"
#include "sock.h"
#include "workloads/fail.h"

static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

static void call__die(int err)
{
	fail__set(-err, NULL,
		  "the stub server cannot be called: %s; raise ulimit -n, or use "
		  "fewer clients or a smaller pool",
		  strerror(-err));
	fail__die();
}

struct call *call__open(u16 port)
{
	struct call *call = calloc(1, sizeof(*call));
	int err;

	if (!call)
		call__die(-ENOMEM);
	call->w.fd = sock__connect(port);
	if (call->w.fd < 0)
		call__die(call->w.fd);
	err = wait__fd(&call->w, POLLOUT, CALL_TIMEOUT_NS);
	err = err ? err : sock__error(call->w.fd);
	if (err)
		call__die(err);
	return call;
}

void call__drop(struct call *call)
{
	sock__drop(call->w.fd);
	free(call);
}

void call__begin(struct call *call)
{
	size_t at = 0;
	int err;

	call->in_len = 0;
	err = sock__flush(call->w.fd, request, sizeof(request) - 1, &at);
	if (err)
		call__die(err);
}

/* Whole when the head and as many bytes as it says are there. */
static bool call__answered(const struct call *call)
{
	struct http_reply reply;
	ssize_t len = http__reply_head(call->in, call->in_len, &reply);

	if (len < 0)
		call__die((int)len);
	return len && call->in_len >= (size_t)len + reply.body_sz;
}

void call__finish(struct call *call)
{
	size_t before;
	int got;

	while (!call__answered(call)) {
		before = call->in_len;
		got = sock__fill(call->w.fd, call->in, sizeof(call->in), &call->in_len);
		if (got)
			call__die(got < 0 ? got : -ECONNRESET);
		if (call->in_len != before)
			continue;
		got = wait__fd(&call->w, POLLIN, CALL_TIMEOUT_NS);
		if (got)
			call__die(got);
	}
}
