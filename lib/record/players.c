/* SPDX-License-Identifier: MIT
 *
 * Facts: Unity's plug-in for MonoDevelop in public (PlayerConnection.cs: the group, its four ports, and the words of the
 * text), and the shared description of the protocol:
 *
 *	[IP] 192.168.0.7 [Port] 55000 [Flags] 3 [Guid] 1204 [EditorId] 42 [Version] 1048832 [Id] AndroidPlayer(Pixel_7) [Debug] 1
 *
 * Later versions add words at the end. The address in the text may be one of another network of the device: its sender is
 * who can be reached.
 */
#include "lib/record/players.h"

#include "lib/base/clock.h"
#include "lib/base/num.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GROUP "225.0.0.222"
static const uint16_t ports[] = {54997, 34997, 57997, 58997};
enum { PORTS = sizeof ports / sizeof *ports, TEXT_MOST = 1024 };

/* What stands behind a word, up to the next one. False: the word is not there. */
static bool value_of(const char *s, size_t n, const char *word, char *to, size_t size)
{
	const char *at = memmem(s, n, word, strlen(word)), *end = s + n, *next;

	if (!at)
		return false;
	at += strlen(word);
	next = memmem(at, (size_t)(end - at), " [", 2);
	end = next ? next : end;
	snprintf(to, size, "%.*s", (int)(end - at), at);
	return *to;
}

bool player_parse(const char *s, size_t n, struct player *p)
{
	char port[16];
	uint64_t number;

	n = strnlen(s, n);
	if (!value_of(s, n, "[IP] ", p->host, sizeof p->host) ||
	    !value_of(s, n, "[Port] ", port, sizeof port) ||
	    !value_of(s, n, "[Id] ", p->id, sizeof p->id))
		return false;
	if (!num_dec(port, strlen(port), &number) || !number || number > UINT16_MAX)
		return false;
	p->port = (uint16_t)number;
	return true;
}

/* On each interface, since a device may be on any. */
static void join(int fd)
{
	struct ip_mreqn m = {.imr_multiaddr.s_addr = inet_addr(GROUP)};
	struct ifaddrs *list = NULL;

	if (getifaddrs(&list))
		return;
	for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET)
			continue;
		m.imr_address = ((struct sockaddr_in *)i->ifa_addr)->sin_addr;
		/* Of two addresses of an interface the second is refused. */
		setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &m, sizeof m);
	}
	freeifaddrs(list);
}

static int listen_at(uint16_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	/* An editor on this machine listens, too. */
	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
	    !bind(fd, (struct sockaddr *)&at, sizeof at)) {
		join(fd);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static void hear(int fd, struct players *all)
{
	char text[TEXT_MOST];
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	struct player p;
	ssize_t n = recvfrom(fd, text, sizeof text, 0, (struct sockaddr *)&from, &size);

	if (n <= 0 || !player_parse(text, (size_t)n, &p) || all->n == PLAYERS_MOST ||
	    !inet_ntop(AF_INET, &from.sin_addr, p.host, sizeof p.host))
		return;
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].port == p.port && !strcmp(all->items[i].host, p.host))
			return;
	all->items[all->n++] = p;
}

enum status players_listen(struct players *all, unsigned wait_ms, const volatile int *stop,
			   struct err *e)
{
	struct pollfd p[PORTS];
	int64_t end = clock_ms() + wait_ms, left;
	bool some = false;

	all->n = 0;
	for (size_t i = 0; i < PORTS; i++) {
		p[i] = (struct pollfd){listen_at(ports[i]), POLLIN, 0};
		some |= p[i].fd >= 0;
	}
	if (!some)
		err_sys(e, "cannot listen for players");
	while (some && !*stop && (left = end - clock_ms()) > 0) {
		size_t before = all->n;

		if (poll(p, PORTS, (int)left) < 0 && errno != EINTR)
			break;
		for (size_t i = 0; i < PORTS; i++)
			if (p[i].fd >= 0 && p[i].revents)
				hear(p[i].fd, all);
		if (!before && all->n)
			end = clock_ms() + PLAYERS_GATHER_MS;
	}
	for (size_t i = 0; i < PORTS; i++)
		if (p[i].fd >= 0)
			close(p[i].fd);
	if (!some)
		return err_failure(e);
	return all->n ? ST_OK
		      : err_set(e, ST_LIMIT, "no player has announced itself within %u s",
				(wait_ms + 999) / 1000);
}
