/* SPDX-License-Identifier: MIT
 *
 * The messages of a Unity player, over a socket, to lib/record/unity.c. The first byte says in how
 * large pieces, and by its highest bit that sound messages are made of the rest: a kind, a size, a
 * body. What is handed on is what was sent, from its first byte, and whole headers only. The
 * receiver refuses once, where the last byte says: then nothing more is handed on.
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
	size_t n, at, refuse; /* refuse: the first byte that is refused */
	bool refused;
};

static bool take(void *arg, const void *p, uint32_t n, struct err *e)
{
	struct target *t = arg;

	if (t->refused || !n || n > t->n - t->at || memcmp(t->sent + t->at, p, n))
		abort();
	if (t->at + n > t->refuse) {
		t->refused = true;
		err_set(e, ST_SYS, "refused");
		return false;
	}
	t->at += n;
	return true;
}

/* Magic, one of some GUIDs (the first is data's, as in unity.c), a size that may lie. */
static size_t messages(const uint8_t *from, size_t n, uint8_t *to)
{
	static const uint8_t magic[4] = {0x8f, 0x4e, 0xa5, 0x67};
	static const uint8_t guids[2][16] = {{0x5c, 0xd8, 0x77, 0x81, 0xf4, 0xb4, 0xb4, 0x95, 0x3b,
					      0xff, 0xcf, 0xf6, 0x08, 0xa0, 0x1e, 0xe0},
					     {0x22, 0x75, 0x64, 0xd6, 0xe0, 0xe0, 0x74, 0xad, 0x98,
					      0x28, 0xc6, 0x0f, 0xe4, 0x86, 0x31, 0xc5}};
	size_t k = 0;

	while (n > 2 && k < MOST - 24 - 255) {
		size_t size = from[1] < n - 2 ? from[1] : n - 2;

		memcpy(to + k, magic, 4);
		memcpy(to + k + 4, guids[from[0] & 1], 16);
		memset(to + k + 20, 0, 4);
		to[k + 20] = (uint8_t)size;
		to[k + 23] = from[0] > 0xf0 ? from[0] : 0;
		memcpy(to + k + 24, from + 2, size);
		k += 24 + size;
		from += 2 + size;
		n -= 2 + size;
	}
	return k;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static uint8_t made[MOST];
	struct unity_player u = {.fd = -1};
	struct target t = {.refuse = SIZE_MAX};
	struct err e = ERR_INIT;
	int stop = 0, ends[2];
	enum status st;

	if (!n || n > MOST)
		return 0;
	t.sent = data + 1;
	t.n = n - 1;
	if (data[n - 1] > 0xc0)
		t.refuse = (data[n - 1] & 0x3fu) * 16;
	if (data[0] & 0x80) {
		t.n = messages(data + 1, n - 1, made);
		t.sent = made;
	}
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
	if (u.bytes > t.at + 24 || (st == ST_OK && t.at != t.n) ||
	    (st != ST_OK && st != ST_BAD && !(st == ST_SYS && t.refused)))
		abort();
	unity_close(&u);
	close(ends[1]);
	return 0;
}
