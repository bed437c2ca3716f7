/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sock.h"
#include "workloads/fail.h"
#include "workloads/limit.h"

/* Network order; 0: the loopback. */
static struct sockaddr_in address__of(u32 address, u16 port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	a.sin_addr.s_addr = address ? address : htonl(INADDR_LOOPBACK);
	return a;
}

static void sock__no_delay(int fd)
{
	int on = 1;

	/* An answer is one write; it shall not wait for the next. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int sock__listen(u32 backlog, u16 *port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;
	struct sockaddr_in a = address__of(0, 0);
	socklen_t len = sizeof(a);

	if (fd < 0)
		return limit__refused(LIMIT_FD, errno, 0, 0, "listening socket");
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, (int)backlog) ||
	    getsockname(fd, (struct sockaddr *)&a, &len)) {
		err = errno;
		close(fd);
		return fail__set(err, err == EADDRINUSE ? "ip_local_port_range" : NULL,
				 "cannot listen on 127.0.0.1: %s; is the loopback up (ip link set "
				 "lo up), is a port free (net.ipv4.ip_local_port_range)?",
				 strerror(err));
	}
	*port = ntohs(a.sin_port);
	return fd;
}

int sock__connect(u16 port)
{
	return sock__connect_to(0, port);
}

int sock__connect_to(u32 address, u16 port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;
	struct sockaddr_in a = address__of(address, port);

	if (fd < 0)
		return -errno;
	sock__no_delay(fd);
	if (!connect(fd, (struct sockaddr *)&a, sizeof(a)) || errno == EINPROGRESS)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int sock__error(int fd)
{
	socklen_t len = sizeof(int);
	int err = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return -errno;
	return -err;
}

int sock__accept(int listen_fd)
{
	int fd;

	/* One that is gone before it is accepted is not the next. */
	do {
		fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	} while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd < 0)
		return -errno;
	sock__no_delay(fd);
	return fd;
}

void sock__drop(int fd)
{
	struct linger now = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

int sock__check_limits(u64 fd_cnt, u64 connection_cnt)
{
	FILE *f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
	unsigned long long low = 32768, high = 60999;
	struct rlimit nofile;

	if (f && fscanf(f, "%llu %llu", &low, &high) != 2)
		low = 32768;
	if (f)
		fclose(f);
	if (connection_cnt > high - low + 1)
		return fail__set(EADDRNOTAVAIL, "ip_local_port_range",
				 "%llu connections want as many local ports, and net.ipv4."
				 "ip_local_port_range has %llu (%llu to %llu); widen it: sysctl "
				 "net.ipv4.ip_local_port_range='1024 65535', or use fewer clients",
				 (unsigned long long)connection_cnt, high - low + 1, low, high);
	limit__raise(fd_cnt);
	if (!getrlimit(RLIMIT_NOFILE, &nofile) && nofile.rlim_cur < fd_cnt)
		return fail__set(
			EMFILE, "RLIMIT_NOFILE",
			"%llu connections want %llu descriptors a process, and RLIMIT_NOFILE allows "
			"%llu; raise it: ulimit -Hn %llu, or nofile in /etc/security/limits.conf, or "
			"use fewer clients",
			(unsigned long long)connection_cnt, (unsigned long long)fd_cnt,
			(unsigned long long)nofile.rlim_cur, (unsigned long long)fd_cnt);
	return 0;
}

int sock__fill(int fd, char *buf, size_t sz, size_t *len)
{
	ssize_t got;

	while (*len < sz) {
		got = recv(fd, buf + *len, sz - *len, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (!got)
			return 1;
		*len += (size_t)got;
		/* A short read has emptied the socket: its end comes with the next event. */
		if (*len < sz)
			return 0;
	}
	return 0;
}

int sock__flush(int fd, const char *bytes, size_t len, size_t *at)
{
	ssize_t put;

	while (*at < len) {
		put = send(fd, bytes + *at, len - *at, MSG_NOSIGNAL);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		*at += (size_t)put;
	}
	return 0;
}
