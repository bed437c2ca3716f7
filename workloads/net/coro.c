/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "coro.h"
#include "loop.h"
#include "switch.h"
#include "timers.h"
#include "workloads/fail.h"
#include "workloads/limit.h"

#define GUARD_SZ 4096u

/* poll and epoll call these alike. */
_Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT && POLLERR == EPOLLERR &&
		       POLLHUP == EPOLLHUP && POLLRDHUP == EPOLLRDHUP,
	       "poll's events are epoll's");
/* Told once, and true ever after. */
#define LASTING_ALWAYS (EPOLLERR | EPOLLHUP)
#define LASTING_IN     EPOLLRDHUP

struct coro {
	struct timer timer; /* first: what timers__due() gives back */
	struct carrier *carrier;
	struct context ctx;
	char *stack; /* with its guard page */
	void (*fn)(void *arg);
	void *arg;
	struct wait_fd *awaits;
	u32 events;
	bool timed_out, queued;
	bool parked, unparked;
	struct coro *next; /* to go on, or unused */
	struct coro *next_sent;
	struct coro *all_next, *all_prev;
};

struct carrier {
	int epoll_fd;
	/* Unparked by other threads; they write to event_fd when there was none before. */
	int event_fd;
	pthread_mutex_t lock;
	struct coro *sent;
	size_t stack_sz;
	struct context home;
	struct coro *first, *last; /* to go on */
	struct coro *unused;	   /* ended: their stacks are warm */
	struct coro *all;
	struct coro *ended; /* the one that has just ended: not on its stack any more */
	struct timers timers;
	u64 cnt;
	u64 most_ns; /* 0: a turn waits as long as it takes */
};

static __thread struct coro *self;
static __thread struct carrier *self_carrier; /* whose turn this thread does */

struct coro *coro__self(void)
{
	return self;
}

static void carrier__go_on(struct carrier *carrier, struct coro *coro)
{
	if (coro->queued)
		return;
	coro->queued = true;
	coro->next = NULL;
	if (carrier->last)
		carrier->last->next = coro;
	else
		carrier->first = coro;
	carrier->last = coro;
}

/* Until somebody lets it go on. */
static void coro__yield(struct coro *me)
{
	self = NULL;
	context__switch(&me->ctx, &me->carrier->home);
	self = me;
}

static u32 wait_fd__matching(const struct wait_fd *w, u32 events)
{
	return w->ready & (events | LASTING_ALWAYS | (events & EPOLLIN ? LASTING_IN : 0));
}

static int wait_fd__add(struct carrier *carrier, struct wait_fd *w)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET };

	/* Odd: a coroutine's. */
	e.data.ptr = (char *)w + 1;
	if (epoll_ctl(carrier->epoll_fd, EPOLL_CTL_ADD, w->fd, &e))
		return -errno;
	w->added = true;
	return 0;
}

int coro__wait_fd(struct wait_fd *w, short events, u64 timeout_ns)
{
	struct coro *me = self;
	int err = 0;

	if (!w->added)
		err = wait_fd__add(me->carrier, w);
	if (err)
		return err;
	if (!wait_fd__matching(w, (u32)events)) {
		err = timers__set(&me->carrier->timers, &me->timer, clock__now_ns() + timeout_ns);
		if (err)
			return err;
		me->timed_out = false;
		me->awaits = w;
		me->events = (u32)events;
		w->waiter = me;
		coro__yield(me);
		w->waiter = NULL;
		me->awaits = NULL;
		timers__cancel(&me->carrier->timers, &me->timer);
		if (me->timed_out)
			return -ETIMEDOUT;
	}
	w->ready &= ~(u32)events;
	return 0;
}

void coro__sleep(u64 ns)
{
	struct coro *me = self;

	if (timers__set(&me->carrier->timers, &me->timer, clock__now_ns() + ns)) {
		fail__set(ENOMEM, "memory", "out of memory for timers; use fewer clients");
		fail__die();
	}
	coro__yield(me);
}

void coro__forget_fd(struct wait_fd *w)
{
	/* Events that were read have been noted before any coroutine went on: none is left. */
	if (w->added)
		epoll_ctl(self->carrier->epoll_fd, EPOLL_CTL_DEL, w->fd, NULL);
	w->added = false;
	w->ready = 0;
}

/* ---- parked until another says so ---- */

void coro__park(void)
{
	struct coro *me = self;

	if (!me->unparked) {
		me->parked = true;
		coro__yield(me);
		me->parked = false;
	}
	me->unparked = false;
}

static void carrier__unpark(struct carrier *carrier, struct coro *coro)
{
	coro->unparked = true;
	if (coro->parked)
		carrier__go_on(carrier, coro);
}

void coro__unpark(struct coro *coro)
{
	struct carrier *carrier = coro->carrier;
	u64 one = 1;
	bool first;

	if (carrier == self_carrier) {
		carrier__unpark(carrier, coro);
		return;
	}
	pthread_mutex_lock(&carrier->lock);
	first = !carrier->sent;
	coro->next_sent = carrier->sent;
	carrier->sent = coro;
	pthread_mutex_unlock(&carrier->lock);
	if (first && write(carrier->event_fd, &one, sizeof(one)) < 0) {
		fail__set(errno, NULL, "eventfd: %s; report this", strerror(errno));
		fail__die();
	}
}

static void carrier__take_sent(struct carrier *carrier)
{
	struct coro *coro, *next;
	u64 cnt;

	if (read(carrier->event_fd, &cnt, sizeof(cnt)) < 0)
		return;
	pthread_mutex_lock(&carrier->lock);
	coro = carrier->sent;
	carrier->sent = NULL;
	pthread_mutex_unlock(&carrier->lock);
	for (; coro; coro = next) {
		next = coro->next_sent;
		carrier__unpark(carrier, coro);
	}
}

/* ---- carriers ---- */

int carrier__new(struct carrier **out, size_t stack_sz)
{
	struct carrier *carrier = calloc(1, sizeof(*carrier));
	struct epoll_event e = { .events = EPOLLIN };

	*out = carrier;
	if (!carrier)
		return fail__set(ENOMEM, "memory", "out of memory; free some and try again");
	carrier->stack_sz = (stack_sz + GUARD_SZ - 1) & ~(size_t)(GUARD_SZ - 1);
	pthread_mutex_init(&carrier->lock, NULL);
	carrier->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	carrier->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	e.data.ptr = carrier;
	if (carrier->epoll_fd < 0 || carrier->event_fd < 0 ||
	    epoll_ctl(carrier->epoll_fd, EPOLL_CTL_ADD, carrier->event_fd, &e))
		return limit__refused(LIMIT_FD, errno, 0, 0, "epoll");
	return 0;
}

int carrier__epoll_fd(const struct carrier *carrier)
{
	return carrier->epoll_fd;
}

void carrier__wait_at_most(struct carrier *carrier, u64 ns)
{
	carrier->most_ns = ns;
}

u64 carrier__cnt(const struct carrier *carrier)
{
	return carrier->cnt;
}

static void coro__main(void *arg)
{
	struct coro *me = arg;

	self = me;
	me->fn(me->arg);
	self = NULL;
	me->carrier->ended = me;
	context__leave(&me->ctx, &me->carrier->home);
}

static struct coro *coro__new(struct carrier *carrier)
{
	struct coro *coro = calloc(1, sizeof(*coro));

	if (!coro)
		return NULL;
	coro->carrier = carrier;
	coro->stack = mmap(NULL, carrier->stack_sz + GUARD_SZ, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (coro->stack == MAP_FAILED) {
		free(coro);
		return NULL;
	}
	/* Without a guard, if that is one mapping too many. */
	mprotect(coro->stack, GUARD_SZ, PROT_NONE);
	coro->all_next = carrier->all;
	if (carrier->all)
		carrier->all->all_prev = coro;
	carrier->all = coro;
	return coro;
}

int carrier__begin(struct carrier *carrier, void (*fn)(void *arg), void *arg)
{
	struct coro *coro = carrier->unused;

	if (coro)
		carrier->unused = coro->next;
	else
		coro = coro__new(carrier);
	if (!coro)
		return limit__refused(LIMIT_MMAP, errno ? errno : ENOMEM, carrier->stack_sz,
				      carrier->cnt, "stacks of coroutines");
	coro->fn = fn;
	coro->arg = arg;
	coro->parked = coro->unparked = false;
	context__make(&coro->ctx, coro->stack + GUARD_SZ, carrier->stack_sz, coro__main, coro);
	carrier->cnt++;
	carrier__go_on(carrier, coro);
	return 0;
}

static void carrier__run_ready(struct carrier *carrier)
{
	struct coro *coro, *until = carrier->last;

	/* Those that were ready at the beginning: then the others get their events. */
	while ((coro = carrier->first)) {
		carrier->first = coro->next;
		if (!carrier->first)
			carrier->last = NULL;
		coro->queued = false;
		context__switch(&carrier->home, &coro->ctx);
		if (carrier->ended) {
			carrier->cnt--;
			carrier->ended->next = carrier->unused;
			carrier->unused = carrier->ended;
			carrier->ended = NULL;
		}
		if (coro == until)
			break;
	}
}

static void carrier__note(struct carrier *carrier, struct wait_fd *w, u32 events)
{
	w->ready |= events;
	if (w->waiter && wait_fd__matching(w, w->waiter->events))
		carrier__go_on(carrier, w->waiter);
}

int carrier__turn(struct carrier *carrier, int (*other)(void *ctx, void *ptr), void *ctx)
{
	struct epoll_event events[128];
	struct timer *timer;
	struct timespec left;
	int cnt, i, err = 0;
	u64 next_ns;

	self_carrier = carrier;
	next_ns = carrier->first ? 0 : timers__next_ns(&carrier->timers);
	if (carrier->most_ns && next_ns > clock__now_ns() + carrier->most_ns)
		next_ns = clock__now_ns() + carrier->most_ns;
	left = loop__wait_until(next_ns);
	cnt = epoll_pwait2(carrier->epoll_fd, events, ARRAY_CNT(events),
			   next_ns == UINT64_MAX ? NULL : &left, NULL);
	if (cnt < 0 && errno != EINTR)
		return -errno;
	/* All are noted before any goes on, and may end what an event is of. */
	for (i = 0; i < cnt; i++) {
		char *ptr = events[i].data.ptr;

		if ((uintptr_t)ptr & 1)
			carrier__note(carrier, (void *)(ptr - 1), events[i].events);
		else if (ptr == (char *)carrier)
			carrier__take_sent(carrier);
		else if (!err)
			err = other(ctx, ptr);
	}
	while ((timer = timers__due(&carrier->timers, clock__now_ns()))) {
		struct coro *coro = (struct coro *)timer;

		coro->timed_out = !coro->queued;
		carrier__go_on(carrier, coro);
	}
	if (!err)
		carrier__run_ready(carrier);
	return err;
}

void carrier__free(struct carrier *carrier)
{
	struct coro *coro;

	if (!carrier)
		return;
	while ((coro = carrier->all)) {
		carrier->all = coro->all_next;
		munmap(coro->stack, carrier->stack_sz + GUARD_SZ);
		free(coro);
	}
	timers__free(&carrier->timers);
	pthread_mutex_destroy(&carrier->lock);
	if (carrier->epoll_fd >= 0)
		close(carrier->epoll_fd);
	if (carrier->event_fd >= 0)
		close(carrier->event_fd);
	free(carrier);
}
