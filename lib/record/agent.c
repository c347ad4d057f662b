/* SPDX-License-Identifier: MIT
 *
 * Facts: the shared description of the protocol (a u32 with the bytes behind it, a u32 that is 0 for records and 1 for the
 * answer to a command), and the code of Tencent's loli_profiler for its ports.
 */
#include "lib/record/agent.h"

#include "lib/base/bytes.h"
#include "lib/base/clock.h"
#include "lib/base/num.h"
#include "lib/record/peer.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIZE = 4, TYPE = 4, BLOCK = 64 << 10 };

struct agent {
	const struct agent_options *o;
	struct agent_received *r;
	FILE *out;
	int fd;
	uint8_t head[SIZE + TYPE];
	uint32_t n_head; /* bytes of it that have come */
	uint32_t left;   /* of the packet */
};

static enum status check_head(const struct agent *a, struct err *e)
{
	uint32_t size = le32(a->head), type = le32(a->head + SIZE);

	if (size < TYPE || size > AGENT_PACKET_MAX || type > 1)
		return err_set(e, ST_BAD, "no packet begins at byte %llu of its data",
			       (unsigned long long)a->r->bytes);
	return ST_OK;
}

static enum status put(struct agent *a, const uint8_t *p, uint32_t n, struct err *e)
{
	a->r->bytes += n;
	return fwrite(p, 1, n, a->out) == n ? ST_OK : err_sys(e, "write");
}

/* The head of a packet is written when it is whole and sound, so that what is no packet never is. */
static enum status parse(struct agent *a, const uint8_t *p, size_t n, struct err *e)
{
	enum status st = ST_OK;

	while (!st && n) {
		uint32_t most = a->left ? a->left : (uint32_t)sizeof a->head - a->n_head;
		uint32_t k = n < most ? (uint32_t)n : most;

		if (a->left) {
			st = put(a, p, k, e);
			a->left -= k;
		} else {
			memcpy(a->head + a->n_head, p, k);
			a->n_head += k;
			st = a->n_head < sizeof a->head ? ST_OK : check_head(a, e);
			if (!st && a->n_head == sizeof a->head) {
				st = put(a, a->head, sizeof a->head, e);
				a->left = le32(a->head) - TYPE;
				a->n_head = 0;
				a->r->packets++;
			}
		}
		p += k;
		n -= k;
	}
	return st;
}

static enum status on_data(void *arg, struct err *e)
{
	static uint8_t block[BLOCK];
	struct agent *a = arg;
	ssize_t n = recv(a->fd, block, sizeof block, MSG_DONTWAIT);
	enum status st;

	if (n > 0) {
		st = parse(a, block, (size_t)n, e);
		return !st && a->o->follow && fflush(a->out) ? err_sys(e, "write") : st;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return ST_OK;
	if (n < 0)
		return err_sys(e, "the connection broke");
	if (a->left || a->n_head)
		return err_set(e, ST_BAD, "the connection ended within a packet");
	return ST_NONE;
}

static int connect_to(const char *place, struct err *e)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
	char host[PEER_HOST_MAX] = "127.0.0.1";
	uint16_t port = AGENT_PORT;
	uint64_t number;
	int fd = -1, error;

	if (num_dec(place, strlen(place), &number) && number && number <= UINT16_MAX)
		port = (uint16_t)number;
	else if (!peer_split(place, host, &port) || !port) {
		err_set(e, ST_BAD, "'%s' is not PORT or HOST:PORT", place);
		return -1;
	}
	error = getaddrinfo(host, NULL, &hints, &list);
	if (error) {
		err_set(e, ST_BAD, "%s", gai_strerror(error));
		return -1;
	}
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		if (a->ai_family == AF_INET || a->ai_family == AF_INET6)
			peer_connect_some(a, port, 1, AGENT_CONNECT_MS, &fd);
	freeaddrinfo(list);
	if (fd < 0)
		err_set(e, ST_BAD, "nothing listens at port %u", port);
	return fd;
}

enum status agent_record(const struct agent_options *o, struct agent_received *r, FILE *out,
			 struct err *e)
{
	struct agent a = {.o = o, .r = r, .out = out, .fd = connect_to(o->place, e)};
	int64_t until = o->duration_ms ? clock_ms() + (int64_t)o->duration_ms : 0;
	enum status st;

	if (a.fd < 0)
		return err_failure(e);
	st = peer_wait(a.fd, until, o->idle_ms, o->stop, on_data, &a, e);
	if (fflush(out) && !st)
		st = err_sys(e, "write");
	close(a.fd);
	return st;
}
