/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "acceptq.h"
#include "workloads/proc.h"

int acceptq__open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	return fd < 0 ? -errno : fd;
}

static int ask(int fd, u32 address, u16 port)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 req;
	} q = {
		.head = { .nlmsg_len = sizeof(q),
			  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST },
		.req = { .sdiag_family = AF_INET,
			 .sdiag_protocol = IPPROTO_TCP,
			 .idiag_states = 1u << TCP_LISTEN,
			 .id = { .idiag_sport = htons(port),
				 .idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } } },
	};
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	ssize_t put;

	q.req.id.idiag_src[0] = address;
	do {
		put = sendto(fd, &q, sizeof(q), 0, (struct sockaddr *)&to, sizeof(to));
	} while (put < 0 && errno == EINTR);
	return put < 0 ? -errno : 0;
}

static int answer(int fd, struct acceptq *out)
{
	union {
		struct nlmsghdr head;
		char bytes[1024];
	} a;
	const struct inet_diag_msg *msg = NLMSG_DATA(&a.head);
	const struct nlmsgerr *error = NLMSG_DATA(&a.head);
	ssize_t got;

	/* The kernel answers before the question's system call returns. */
	do {
		got = recv(fd, &a, sizeof(a), MSG_DONTWAIT);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	if (!NLMSG_OK(&a.head, (size_t)got))
		return -EBADMSG;
	if (a.head.nlmsg_type == NLMSG_ERROR)
		return error->error ? error->error : -EBADMSG;
	if (a.head.nlmsg_len < NLMSG_LENGTH(sizeof(*msg)))
		return -EBADMSG;
	/* Where none listens, an open connection of that address may be what is found. */
	if (msg->idiag_state != TCP_LISTEN)
		return -ENOENT;
	out->len = msg->idiag_rqueue;
	out->backlog = msg->idiag_wqueue;
	return 0;
}

int acceptq__read(int diag_fd, u32 address, u16 port, struct acceptq *out)
{
	int err = ask(diag_fd, address, port);

	return err ? err : answer(diag_fd, out);
}

void acceptq__sysctls(struct acceptq_sysctls *out)
{
	const struct {
		const char *path;
		u64 *out;
	} all[] = {
		{ "/proc/sys/net/core/somaxconn", &out->somaxconn },
		{ "/proc/sys/net/ipv4/tcp_abort_on_overflow", &out->abort_on_overflow },
		{ "/proc/sys/net/ipv4/tcp_syn_retries", &out->syn_retries },
	};
	size_t i;

	for (i = 0; i < ARRAY_CNT(all); i++) {
		if (proc__read_u64(all[i].path, all[i].out))
			*all[i].out = UINT64_MAX;
	}
}

/* Two lines a group, the first naming the columns of the second. */
static int column(char *names, char *values, const char *name, u64 *out)
{
	char *n_rest, *v_rest, *n = strtok_r(names, " \n", &n_rest);
	char *v = strtok_r(values, " \n", &v_rest);

	for (; n && v; n = strtok_r(NULL, " \n", &n_rest), v = strtok_r(NULL, " \n", &v_rest)) {
		if (strcmp(n, name))
			continue;
		*out = strtoull(v, NULL, 10);
		return 0;
	}
	return -ENOENT;
}

int acceptq__overflows(u64 *out)
{
	FILE *f = fopen("/proc/self/net/netstat", "re");
	char *names = NULL, *values = NULL;
	size_t names_sz = 0, values_sz = 0;
	int err = -ENOENT;

	if (!f)
		return -errno;
	while (err && getline(&names, &names_sz, f) > 0 && getline(&values, &values_sz, f) > 0) {
		if (!strncmp(names, "TcpExt:", 7))
			err = column(names, values, "ListenOverflows", out);
	}
	free(names);
	free(values);
	fclose(f);
	return err;
}
