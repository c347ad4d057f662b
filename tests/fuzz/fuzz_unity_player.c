/* SPDX-License-Identifier: MIT
 *
 * What a player may say: over a socket, to lib/record/unity.c. The first byte says in how large
 * pieces. What is handed on is what was sent, from its first byte, and whole headers only.
 */
#include "lib/record/unity.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 60000 }; /* fits into the socket */

struct target {
	const uint8_t *sent;
	size_t n, at;
};

static bool take(void *arg, const void *p, uint32_t n, struct err *e)
{
	struct target *t = arg;

	(void)e;
	if (!n || n > t->n - t->at || memcmp(t->sent + t->at, p, n))
		abort();
	t->at += n;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct unity_player u = {.fd = -1};
	struct target t = {0};
	struct err e = ERR_INIT;
	int stop = 0, ends[2];
	enum status st;

	if (!n || n > MOST)
		return 0;
	t.sent = data + 1;
	t.n = n - 1;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 0;
	u.fd = ends[0];
	for (size_t i = 0, piece = data[0] + 1u; i < t.n; i += piece) {
		size_t k = t.n - i < piece ? t.n - i : piece;

		if (send(ends[1], t.sent + i, k, MSG_DONTWAIT) != (ssize_t)k) {
			t.n = i; /* full of small pieces */
			break;
		}
	}
	shutdown(ends[1], SHUT_WR);
	st = unity_read(&u, 0, 1000, &stop, take, &t, &e);
	if (u.bytes > t.at || (st == ST_OK && t.at != t.n) || (st != ST_OK && st != ST_BAD))
		abort();
	unity_close(&u);
	close(ends[1]);
	return 0;
}
