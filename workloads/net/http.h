/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As much of HTTP/1.1 as a server and a load generator of our own need, so that other servers can
 * be put under the same load: requests without a body, answers with a length, connections kept.
 */
#ifndef WORKLOADS_NET_HTTP_H
#define WORKLOADS_NET_HTTP_H

#include <sys/types.h>

#include "workloads/types.h"

#define HTTP_HEAD_MAX_SZ 2048u
#define HTTP_BODY_MAX_SZ (1u << 20)

struct http_request {
	bool close; /* the client wants the connection closed after the answer */
};

struct http_reply {
	u32 status;
	bool close;
	u64 body_sz;
};

/*
 * Of the bytes received so far: the length of the first request, 0 when it is not whole yet, or
 * -EBADMSG (no request, or one with a body), -EMSGSIZE (its head is too long).
 */
ssize_t http__request(const char *bytes, size_t len, struct http_request *out);
/* Likewise the length of the head of an answer; its body follows. */
ssize_t http__reply_head(const char *bytes, size_t len, struct http_reply *out);

#endif
