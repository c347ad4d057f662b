/* SPDX-License-Identifier: MIT
 *
 * Facts: shared descriptions of the protocol (a Chinese article on such a client: magic, header,
 * ports 55000 to 55495, connecting with short time-outs; Unity's C# reference source: the ports to
 * 55511, GUIDs and their order of digits), and from clients of the protocol in public: that mode 1
 * turns the profiler on, 3 is wanted by streams before 2017.3, and 0x1ffd by those from 2018.3 on.
 */
#include "lib/record/unity.h"

#include "lib/base/bytes.h"
#include "lib/base/clock.h"
#include "lib/base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADER = 24, WINDOW = 16, SESSION_VERSION = 8, HOST_MAX = 256, BLOCK = 64 << 10 };
static const uint32_t magic = 0x67A54E8F, session = 0x55334450;
static const uint32_t old_version = 0x20170929, new_version = 0x20180306;
enum { MODE_OFF = 0, MODE_ON = 1, MODE_OLD = 3, MODE_NEW = 0x1ffd };

/* As on the wire: the digits of each byte swapped. */
static const uint8_t guid_mode[16] = {0x22, 0x75, 0x64, 0xd6, 0xe0, 0xe0, 0x74, 0xad,
				      0x98, 0x28, 0xc6, 0x0f, 0xe4, 0x86, 0x31, 0xc5};
static const uint8_t guid_data[16] = {0x5c, 0xd8, 0x77, 0x81, 0xf4, 0xb4, 0xb4, 0x95,
				      0x3b, 0xff, 0xcf, 0xf6, 0x08, 0xa0, 0x1e, 0xe0};

static void put_le32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static bool set_mode(int fd, uint32_t mode)
{
	uint8_t m[HEADER + 4];

	put_le32(m, magic);
	memcpy(m + 4, guid_mode, sizeof guid_mode);
	put_le32(m + 20, 4);
	put_le32(m + 24, mode);
	return send(fd, m, sizeof m, MSG_NOSIGNAL) == (ssize_t)sizeof m;
}

static void hang_up(struct unity_player *u)
{
	if (u->fd >= 0)
		close(u->fd);
	*u = (struct unity_player){.fd = -1};
}

void unity_close(struct unity_player *u)
{
	if (u->fd >= 0)
		set_mode(u->fd, MODE_OFF);
	if (u->fd >= 0)
		close(u->fd);
	u->fd = -1;
}

/* HOST[:PORT]; port 0 if none. A bare IPv6 address has no port. */
static bool record_unity_split(const char *place, char host[HOST_MAX], uint16_t *port)
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
	if (end == place || end - place >= HOST_MAX)
		return false;
	memcpy(host, place, (size_t)(end - place));
	host[end - place] = 0;
	return true;
}

static int record_unity_begin_connect(const struct addrinfo *a, uint16_t port)
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

/* Up to WINDOW connections at once; those that are made by wait_ms stay in fd[], the rest are -1.
 */
static void record_unity_connect_some(const struct addrinfo *a, uint16_t first, unsigned n,
				      unsigned wait_ms, int *fd)
{
	int64_t end = clock_ms() + wait_ms, left;
	bool made[WINDOW] = {false};

	for (unsigned i = 0; i < n; i++)
		fd[i] = record_unity_begin_connect(a, (uint16_t)(first + i));
	while ((left = end - clock_ms()) >= 0) {
		struct pollfd p[WINDOW];
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

/* The session header is at the beginning of the first body with data. */
static void see_version(struct unity_player *u, const uint8_t *p, uint32_t n)
{
	uint32_t most = (uint32_t)sizeof u->first - u->n_first;

	if (!u->data || u->version || !most)
		return;
	n = n < most ? n : most;
	memcpy(u->first + u->n_first, p, n);
	u->n_first += n;
	if (u->n_first < sizeof u->first || le32(u->first) != session)
		return;
	u->version = le32(u->first + SESSION_VERSION);
	if (u->version <= old_version)
		set_mode(u->fd, MODE_OLD);
	else if (u->version >= new_version)
		set_mode(u->fd, MODE_NEW);
}

/* The header as far as it has come; what is wrong with it stays so. */
static enum status check_header(const struct unity_player *u, struct err *e)
{
	if (u->n_header >= 4 && le32(u->header) != magic)
		return err_set(e, ST_BAD, "no message begins at byte %llu of its data",
			       (unsigned long long)u->bytes);
	if (u->n_header == HEADER && le32(u->header + 20) > UNITY_BODY_MAX)
		return err_set(e, ST_BAD, "byte %llu of its data: a message of %u bytes",
			       (unsigned long long)u->bytes, le32(u->header + 20));
	return ST_OK;
}

/* A header is handed on when it is whole and sound, so that what is no message never is. */
static enum status record_unity_parse(struct unity_player *u, const uint8_t *p, size_t n,
				      unity_on_bytes take, void *arg, struct err *e)
{
	while (n) {
		uint32_t k;

		if (u->left) {
			k = n < u->left ? (uint32_t)n : u->left;
			see_version(u, p, k);
			if (!take(arg, p, k, e))
				return err_failure(e);
			u->left -= k;
		} else {
			k = HEADER - u->n_header;
			k = n < k ? (uint32_t)n : k;
			memcpy(u->header + u->n_header, p, k);
			u->n_header += k;
			if (check_header(u, e))
				return err_failure(e);
			if (u->n_header == HEADER) {
				u->left = le32(u->header + 20);
				u->n_header = 0;
				u->data = !memcmp(u->header + 4, guid_data, sizeof guid_data);
				u->messages++;
				u->with_data += u->data;
				u->answered = true;
				u->bytes += HEADER;
				if (!take(arg, u->header, HEADER, e))
					return err_failure(e);
			}
			p += k;
			n -= k;
			continue;
		}
		u->bytes += k;
		p += k;
		n -= k;
	}
	return ST_OK;
}

/* ST_NONE: it has ended, soundly. */
static enum status record_unity_receive(struct unity_player *u, unity_on_bytes take, void *arg,
					struct err *e)
{
	static uint8_t block[BLOCK];
	ssize_t n = recv(u->fd, block, sizeof block, MSG_DONTWAIT);

	if (n > 0)
		return record_unity_parse(u, block, (size_t)n, take, arg, e);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return ST_OK;
	if (n < 0)
		return err_sys(e, "the connection broke");
	if (check_header(u, e))
		return err_failure(e);
	if (u->left || u->n_header)
		return err_set(e, ST_BAD,
			       "the connection ended within a message: %u bytes are missing",
			       u->left ? u->left : HEADER - u->n_header);
	return ST_NONE;
}

enum status unity_read(struct unity_player *u, int64_t until_ms, unsigned idle_ms,
		       const volatile int *stop, unity_on_bytes take, void *arg, struct err *e)
{
	int64_t heard = clock_ms();

	while (!*stop) {
		struct pollfd p = {u->fd, POLLIN, 0};
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
		st = record_unity_receive(u, take, arg, e);
		if (st)
			return st == ST_NONE ? ST_OK : st;
	}
	return ST_OK;
}

/* Is it a player? Its first messages are handed on. */
static bool record_unity_answers(struct unity_player *u, unity_on_bytes take, void *arg,
				 struct err *e)
{
	int64_t end = clock_ms() + UNITY_ANSWER_MS, left;

	if (!set_mode(u->fd, MODE_ON)) {
		err_set(e, ST_BAD, "port %u hangs up", u->port);
		return false;
	}
	while (!u->answered && (left = end - clock_ms()) > 0) {
		struct pollfd p = {u->fd, POLLIN, 0};
		enum status st = ST_OK;

		if (poll(&p, 1, (int)left) > 0)
			st = record_unity_receive(u, take, arg, e);
		if (st == ST_NONE)
			err_set(e, ST_BAD, "it hangs up");
		if (st && u->answered) /* unity_read will meet it again, or the end */
			return true;
		if (st) {
			err_prefix(e, "port %u is not a player", u->port);
			return false;
		}
	}
	if (!u->answered)
		err_set(e, ST_BAD, "port %u is not a player: it accepts and sends nothing",
			u->port);
	return u->answered;
}

static enum status record_unity_try_ports(struct unity_player *u, const struct addrinfo *a,
					  uint16_t first, unsigned end, unsigned wait_ms,
					  unity_on_bytes take, void *arg, struct err *e)
{
	enum status st = ST_NONE;

	for (unsigned port = first; port < end && u->fd < 0; port += WINDOW) {
		unsigned n = end - port < WINDOW ? end - port : WINDOW;
		int fd[WINDOW];

		record_unity_connect_some(a, (uint16_t)port, n, wait_ms, fd);
		for (unsigned i = 0; i < n; i++) {
			if (fd[i] < 0)
				continue;
			if (u->fd >= 0) {
				close(fd[i]);
				continue;
			}
			*u = (struct unity_player){.fd = fd[i], .port = (uint16_t)(port + i)};
			if (record_unity_answers(u, take, arg, e))
				continue;
			st = ST_BAD;
			hang_up(u);
		}
	}
	return u->fd >= 0 ? ST_OK : st;
}

/* A connection to each port takes at most wait_ms. The first player's first messages go to take. */
static enum status unity_connect(struct unity_player *u, const char *place, unsigned wait_ms,
				 unity_on_bytes take, void *arg, struct err *e)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
	char host[HOST_MAX];
	uint16_t port;
	enum status st = ST_NONE;
	int error;

	*u = (struct unity_player){.fd = -1};
	if (!record_unity_split(place, host, &port))
		return err_set(e, ST_BAD, "'%s' is not HOST or HOST:PORT", place);
	error = getaddrinfo(host, NULL, &hints, &list);
	if (error)
		return err_set(e, ST_BAD, "%s", gai_strerror(error));
	for (const struct addrinfo *a = list; a && u->fd < 0; a = a->ai_next) {
		enum status last = ST_NONE;

		if (a->ai_family == AF_INET || a->ai_family == AF_INET6)
			last = record_unity_try_ports(u, a, port ? port : UNITY_PORTS,
						      port ? port + 1u : UNITY_PORTS_END, wait_ms,
						      take, arg, e);
		st = last == ST_NONE ? st : last;
	}
	freeaddrinfo(list);
	if (st == ST_NONE && port)
		return err_set(e, ST_BAD, "nothing listens at port %u", port);
	if (st == ST_NONE)
		return err_set(e, ST_BAD, "nothing listens at ports %d to %d", UNITY_PORTS,
			       UNITY_PORTS_END - 1);
	return st;
}

struct writing {
	const struct unity_options *o;
	FILE *out;
};

static bool record_unity_write_out(void *arg, const void *p, uint32_t n, struct err *e)
{
	struct writing *w = arg;

	if (fwrite(p, 1, n, w->out) == n && (!w->o->follow || !fflush(w->out)))
		return true;
	err_sys(e, "write");
	return false;
}

enum status unity_record(struct unity_player *u, const struct unity_options *o, FILE *out,
			 struct err *e)
{
	struct writing w = {o, out};
	enum status st =
	    unity_connect(u, o->place, UNITY_CONNECT_MS, record_unity_write_out, &w, e);
	int64_t until = o->duration_ms ? clock_ms() + (int64_t)o->duration_ms : 0;

	if (st)
		return st;
	st = unity_read(u, until, o->idle_ms, o->stop, record_unity_write_out, &w, e);
	if (fflush(out) && !st)
		st = err_sys(e, "write");
	unity_close(u);
	return st;
}
