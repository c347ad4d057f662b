/* SPDX-License-Identifier: MIT */
#include "lib/record/peer.h"

#include "lib/base/clock.h"
#include "lib/base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool peer_split(const char *place, char host[PEER_HOST_MAX], uint16_t *port)
{
	const char *colon = strrchr(place, ':'), *end = place + strlen(place);
	uint64_t v;

	if (*place == '[') {
		const char *close = strchr(++place, ']');

		if (!close)
			return false;
		end = close;
		colon = close[1] == ':' ? close + 1 : NULL;
		if (!colon && close[1])
			return false;
	} else if (colon && strchr(place, ':') != colon) {
		colon = NULL;
	} else if (colon) {
		end = colon;
	}
	*port = 0;
	if (colon) {
		if (!num_dec(colon + 1, strlen(colon + 1), &v) || !v || v > UINT16_MAX)
			return false;
		*port = (uint16_t)v;
	}
	if (end == place || end - place >= PEER_HOST_MAX)
		return false;
	memcpy(host, place, (size_t)(end - place));
	host[end - place] = 0;
	return true;
}

static int begin_connect(const struct addrinfo *a, uint16_t port)
{
	struct sockaddr_storage at;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	if (fd < 0)
		return -1;
	memcpy(&at, a->ai_addr, a->ai_addrlen);
	if (a->ai_family == AF_INET)
		((struct sockaddr_in *)&at)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)&at)->sin6_port = htons(port);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	if (!connect(fd, (struct sockaddr *)&at, a->ai_addrlen) || errno == EINPROGRESS)
		return fd;
	close(fd);
	return -1;
}

/* Ports of a player are among those that the system gives to whoever connects: then a connection to
 * a port without a listener may meet itself. */
static bool is_own(int fd)
{
	struct sockaddr_storage here = {0}, there = {0};
	socklen_t n = sizeof here, m = sizeof there;

	return getsockname(fd, (struct sockaddr *)&here, &n) ||
	       getpeername(fd, (struct sockaddr *)&there, &m) ||
	       (n == m && !memcmp(&here, &there, n));
}

static bool has_connected(int fd)
{
	int error = 0;
	socklen_t n = sizeof error;

	return !getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) && !error && !is_own(fd);
}

void peer_connect_some(const struct addrinfo *a, uint16_t first, unsigned n, unsigned wait_ms,
		       int *fd)
{
	int64_t end = clock_ms() + wait_ms, left;
	bool made[PEER_WINDOW] = {false};

	for (unsigned i = 0; i < n; i++)
		fd[i] = begin_connect(a, (uint16_t)(first + i));
	while ((left = end - clock_ms()) >= 0) {
		struct pollfd p[PEER_WINDOW];
		bool waits = false;

		for (unsigned i = 0; i < n; i++) {
			p[i] = (struct pollfd){made[i] ? -1 : fd[i], POLLOUT, 0};
			waits |= p[i].fd >= 0;
		}
		if (!waits || poll(p, n, (int)left) <= 0)
			break;
		for (unsigned i = 0; i < n; i++) {
			if (p[i].fd < 0 || !p[i].revents)
				continue;
			made[i] = has_connected(fd[i]);
			if (!made[i]) {
				close(fd[i]);
				fd[i] = -1;
			}
		}
	}
	for (unsigned i = 0; i < n; i++)
		if (fd[i] >= 0 && !made[i]) {
			close(fd[i]);
			fd[i] = -1;
		}
}

enum status peer_wait(int fd, int64_t until_ms, unsigned idle_ms, const volatile int *stop,
		      enum status (*on_data)(void *arg, struct err *e), void *arg, struct err *e)
{
	int64_t heard = clock_ms();

	while (!*stop) {
		struct pollfd p = {fd, POLLIN, 0};
		int64_t now = clock_ms(), end = heard + idle_ms;
		enum status st;
		int n;

		if (until_ms && now >= until_ms)
			return ST_OK;
		if (now >= end)
			return err_set(e, ST_LIMIT, "nothing came for %u ms", idle_ms);
		end = until_ms && until_ms < end ? until_ms : end;
		n = poll(&p, 1, (int)(end - now));
		if (n < 0 && errno != EINTR)
			return err_sys(e, "cannot wait");
		if (n <= 0)
			continue;
		heard = clock_ms();
		st = on_data(arg, e);
		if (st)
			return st == ST_NONE ? ST_OK : st;
	}
	return ST_OK;
}
