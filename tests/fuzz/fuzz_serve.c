/* SPDX-License-Identifier: MIT
 *
 * LoliProfiler's desktop application, whatever it says, at the other end of --serve: lib/record/
 * serve.c over a real connection. The first byte says how many of the rest the client sends, in
 * what pieces the agent writes its packets, and whether the client hangs up in the middle; the
 * others are the client's bytes, then the packets' contents. What arrives is whole packets of what
 * was written, in their order: all of them, or some and the answer to the client's 0.
 */
#include "lib/record/serve.h"

#include "lib/base/buf.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MOST = 30000 }; /* fits into the sockets: no waiting */

static const char answer[] = {8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};

static void must(bool ok)
{
	if (!ok)
		abort();
}

static int attach(uint16_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct linger at_once = {1, 0}; /* no port is left waiting */
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(fd >= 0 && !connect(fd, (struct sockaddr *)&at, sizeof at));
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	return fd;
}

/* The bytes as packets, of up to 64 bytes each. */
static void packets(struct buf *to, const uint8_t *p, size_t n)
{
	while (n) {
		size_t size = p[0] % 64 < n ? p[0] % 64 : n;
		const char head[4] = {(char)size, 0, 0, 0};

		buf_add(to, head, sizeof head);
		buf_add(to, p, size);
		p += size ? size : 1;
		n -= size ? size : 1;
	}
}

static void check(const struct buf *sent, const struct buf *got, bool dumped, bool left)
{
	size_t at = 0, behind = 0;

	if (left)
		return; /* what was on its way is gone */
	/* Without it all was sent before the client was heard. */
	if (dumped && got->len >= sizeof answer &&
	    !memcmp(got->data + got->len - sizeof answer, answer, sizeof answer))
		behind = sizeof answer;
	must(got->len - behind <= sent->len);
	must(got->len == behind || !memcmp(got->data, sent->data, got->len - behind));
	while (at < got->len - behind)
		at += 4 + (uint8_t)got->data[at];
	must(at == got->len - behind);
	must(behind || got->len == sent->len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf sent = BUF_INIT, got = BUF_INIT;
	size_t said, piece;
	char text[400] = "", block[4096];
	bool left, dumped;
	struct err e = ERR_INIT;
	struct serve *s;
	ssize_t k;
	FILE *f;
	int fd;

	if (!n || n > MOST)
		return 0;
	left = data[0] & 0x80;
	piece = (data[0] & 15) * 7u + 1;
	said = (data[0] >> 4 & 7) < n - 1 ? data[0] >> 4 & 7 : n - 1;
	dumped = said && memchr(data + 1, 0, said);
	packets(&sent, data + 1 + said, n - 1 - said);
	s = serve_new(0, &e);
	must(s != NULL);
	fd = attach(serve_port(s));
	must(send(fd, data + 1, said, MSG_NOSIGNAL) == (ssize_t)said);
	f = serve_begin(s, getpid(), "/dev/null", "/dev/null", NULL);
	must(f != NULL);
	for (size_t at = 0; at < sent.len; at += piece)
		fwrite(sent.data + at, 1, sent.len - at < piece ? sent.len - at : piece, f);
	fclose(f);
	if (left)
		close(fd);
	serve_end(s, 5000, text, sizeof text);
	serve_free(s);
	while (!left && (k = recv(fd, block, sizeof block, 0)) > 0)
		buf_add(&got, block, (size_t)k);
	if (!left)
		close(fd);
	must(strlen(text) > 0);
	check(&sent, &got, dumped, left);
	buf_release(&sent);
	buf_release(&got);
	return 0;
}
