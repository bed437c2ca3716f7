/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients that a server has to live with. Each does its next thing every tick, and never waits. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "clients_impl.h"
#include "sock.h"

enum hostile_kind {
	HOSTILE_SLOW,	   /* a byte at a time, of a head without end */
	HOSTILE_HALF,	   /* half a request, and then nothing, or nothing but its end */
	HOSTILE_RESETTING, /* a request, and a reset instead of reading the answer */
	HOSTILE_GARBAGE,   /* bytes */
	HOSTILE_CNT,
};

struct hostile {
	enum hostile_kind kind;
	int fd;
	u64 age; /* ticks since it connected */
};

static const char slow[] = "GET / HTTP/1.1\r\nX-Never-Ending: ";
static const char whole[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

static void say(struct hostile *h, const char *bytes, size_t len)
{
	if (send(h->fd, bytes, len, MSG_NOSIGNAL) < 0)
		h->age = 0; /* refused or closed: the next tick sees it */
}

static void say_garbage(struct hostile *h, u64 seed)
{
	char bytes[512];
	size_t i;

	for (i = 0; i < sizeof(bytes); i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		bytes[i] = (char)(seed >> 56);
	}
	say(h, bytes, sizeof(bytes));
}

static void hostile__begin(struct clients *all, struct hostile *h)
{
	h->age = 0;
	h->fd = sock__connect_to(all->plan->address, all->plan->port);
}

/* Has the server closed it? */
static bool hostile__closed(const struct hostile *h)
{
	char bytes[256];
	ssize_t got = recv(h->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	return !got || (got < 0 && errno != EAGAIN && errno != EINTR);
}

static void hostile__act(struct clients *all, struct hostile *h, u64 idx)
{
	switch (h->kind) {
	case HOSTILE_SLOW:
		say(h, h->age <= sizeof(slow) - 1 ? &slow[h->age - 1] : "x", 1);
		break;
	case HOSTILE_HALF:
		if (h->age == 1)
			say(h, whole, sizeof(whole) / 2);
		if (h->age == 2 && idx / HOSTILE_CNT % 2)
			shutdown(h->fd, SHUT_WR);
		break;
	case HOSTILE_RESETTING:
		if (h->age == 1) {
			say(h, whole, sizeof(whole) - 1);
		} else {
			sock__drop(h->fd);
			h->fd = -1;
			all->result->hostile_done++;
		}
		break;
	default:
		if (h->age == 1)
			say_garbage(h, idx + all->result->hostile_done);
	}
}

void hostile__tick(struct clients *all)
{
	struct hostile *h;
	u64 i;

	for (i = 0; i < all->hostile_cnt; i++) {
		h = &all->hostile[i];
		if (h->fd < 0) {
			hostile__begin(all, h);
			continue;
		}
		if (hostile__closed(h)) {
			sock__drop(h->fd);
			h->fd = -1;
			all->result->hostile_done++;
			continue;
		}
		h->age++;
		hostile__act(all, h, i);
	}
}

int hostile__start(struct clients *all)
{
	u64 i;

	all->hostile_cnt = all->plan->hostile_cnt * HOSTILE_CNT;
	all->hostile = calloc(all->hostile_cnt, sizeof(*all->hostile));
	if (!all->hostile)
		return -ENOMEM;
	for (i = 0; i < all->hostile_cnt; i++) {
		all->hostile[i].kind = i % HOSTILE_CNT;
		hostile__begin(all, &all->hostile[i]);
	}
	return 0;
}

void hostile__close(struct clients *all)
{
	u64 i;

	for (i = 0; all->hostile && i < all->hostile_cnt; i++) {
		if (all->hostile[i].fd >= 0)
			sock__drop(all->hostile[i].fd);
	}
	free(all->hostile);
}
