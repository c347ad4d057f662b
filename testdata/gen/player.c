/* SPDX-License-Identifier: MIT
 *
 * A substitute for a Unity player: listens on loopback, and once its profiler is turned on sends a
 * recorded stream (testdata/gen/unity --tcp).
 *
 *	player PORT FILE [cut N | junk N | stall N | reset N | silent | deaf]
 *
 * PORT 0 is any; "port N" is printed when it listens. cut: hangs up behind N bytes; junk: goes on
 * with something else; stall: says no more, but stays; reset: breaks the connection; silent:
 * accepts and says nothing; deaf: hangs up at once. "mode N" is printed for each message that sets
 * one, "strange" for any other; it ends when the other side hangs up.
 */
#include "lib/base/num.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char mode_guid[] = "2257466d0e0e47da89826cf04e68135c";
static const char junk[] = "GET / HTTP/1.1\r\nHost: nobody\r\n\r\n";
static bool on;
static unsigned char heard[4096];
static size_t n_heard;

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(2);
}

static unsigned number(const unsigned char *p)
{
	return p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16 | (unsigned)p[3] << 24;
}

/* Each byte has its two digits swapped. */
static bool is_mode(const unsigned char *p)
{
	for (int i = 0; i < 16; i++)
		if (p[i] !=
		    (num_hex_digit(mode_guid[2 * i]) | num_hex_digit(mode_guid[2 * i + 1]) << 4))
			return false;
	return true;
}

/* False: the other side has hung up. */
static bool listen_to(int fd, int ms)
{
	struct pollfd p = {fd, POLLIN, 0};
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return true;
	n = recv(fd, heard + n_heard, sizeof heard - n_heard, 0);
	if (n <= 0)
		return false;
	n_heard += (size_t)n;
	while (n_heard >= 28) {
		if (number(heard) != 0x67A54E8F || !is_mode(heard + 4) || number(heard + 20) != 4) {
			puts("strange");
			return false;
		}
		printf("mode %u\n", number(heard + 24));
		fflush(stdout);
		on = number(heard + 24) != 0;
		n_heard -= 28;
		memmove(heard, heard + 28, n_heard);
	}
	return true;
}

/* In pieces of many sizes, so that no boundary is a message's. */
static bool play(int fd, const char *path, size_t limit)
{
	FILE *f = fopen(path, "r");
	unsigned piece = 1, seed = 1;
	char bytes[20000];
	size_t n, sent = 0;

	if (!f)
		die(path);
	for (; sent < limit; sent += n) {
		size_t want = piece < limit - sent ? piece : limit - sent;

		n = fread(bytes, 1, want, f);
		if (!n || send(fd, bytes, n, MSG_NOSIGNAL) != (ssize_t)n || !listen_to(fd, 0))
			break;
		seed = seed * 1103515245 + 12345;
		piece = sent < 200 ? 7 : seed >> 16 & 16383 ? seed >> 16 & 16383 : 1;
	}
	fclose(f);
	return true;
}

static int listener(const char *port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons((uint16_t)atoi(port))};
	int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
	socklen_t n = sizeof at;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 4) ||
	    getsockname(fd, (struct sockaddr *)&at, &n))
		die("listen");
	printf("port %u\n", ntohs(at.sin_port));
	fflush(stdout);
	return fd;
}

int main(int argc, char **argv)
{
	const char *how = argc > 3 ? argv[3] : "";
	size_t limit = argc > 4 ? (size_t)atol(argv[4]) : SIZE_MAX;
	struct linger hard = {1, 0};
	int fd;

	if (argc < 3)
		return 2;
	alarm(60);
	fd = accept(listener(argv[1]), NULL, NULL);
	if (fd < 0)
		die("accept");
	if (!strcmp(how, "deaf"))
		return 0;
	if (!strcmp(how, "silent"))
		limit = 0;
	while (!on && listen_to(fd, 1000))
		;
	if (on)
		play(fd, argv[2], limit);
	if (!strcmp(how, "junk") && send(fd, junk, sizeof junk - 1, MSG_NOSIGNAL) < 0)
		return 0;
	if (!strcmp(how, "reset"))
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
	if (!strcmp(how, "stall") || !strcmp(how, "silent") || !strcmp(how, "stay"))
		while (listen_to(fd, 1000))
			;
	/* What the other side still says is read, so that closing is no reset. */
	if (strcmp(how, "reset")) {
		shutdown(fd, SHUT_WR);
		while (listen_to(fd, 2000) && recv(fd, heard, 1, MSG_PEEK | MSG_DONTWAIT) != 0)
			;
	}
	close(fd);
	return 0;
}
