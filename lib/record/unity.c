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
#include "lib/record/peer.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADER = 24, SESSION_VERSION = 8, BLOCK = 64 << 10 };
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

struct reading {
	struct unity_player *u;
	unity_on_bytes take;
	void *arg;
};

static enum status record_unity_on_data(void *arg, struct err *e)
{
	const struct reading *r = arg;

	return record_unity_receive(r->u, r->take, r->arg, e);
}

enum status unity_read(struct unity_player *u, int64_t until_ms, unsigned idle_ms,
		       const volatile int *stop, unity_on_bytes take, void *arg, struct err *e)
{
	struct reading r = {u, take, arg};

	return peer_wait(u->fd, until_ms, idle_ms, stop, record_unity_on_data, &r, e);
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

	for (unsigned port = first; port < end && u->fd < 0; port += PEER_WINDOW) {
		unsigned n = end - port < PEER_WINDOW ? end - port : PEER_WINDOW;
		int fd[PEER_WINDOW];

		peer_connect_some(a, (uint16_t)port, n, wait_ms, fd);
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
	char host[PEER_HOST_MAX];
	uint16_t port;
	enum status st = ST_NONE;
	int error;

	*u = (struct unity_player){.fd = -1};
	if (!peer_split(place, host, &port))
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
