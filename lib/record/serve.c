/* SPDX-License-Identifier: MIT
 *
 * Facts: LoliProfiler's plugins/Android/jni/loli_server.cpp and src/stacktraceprocess.cpp.
 */
#include "lib/record/serve.h"

#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TICK_MS = 200, COMMAND_DUMP = 0, SIZE = 4 };

struct result {
	unsigned clients;           /* that came */
	unsigned refused;           /* while another was there, or behind its dump */
	uint64_t sent;              /* bytes */
	uint64_t dropped, unwanted; /* packets: no room; after the dump */
	bool dumped;
};

struct serve {
	int listener, client, wake_fd; /* client -1: none */
	uint16_t port;
	pthread_t thread;
	bool begun;
	pid_t program;
	const char *smaps, *maps;
	FILE *copy;
	struct buf partial; /* of a packet being written; the caller's */

	pthread_mutex_t lock;  /* of what follows */
	struct buf waiting;    /* whole packets, from at on */
	size_t at, packet_end; /* packet_end: where the one being sent ends; at or before it */
	bool ended;            /* no more comes */
	unsigned wait_ms;
	struct result result;
};

static volatile sig_atomic_t stopped;

static void serve_on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

struct serve *serve_new(uint16_t port, struct err *e)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct serve *s = mem_zalloc(sizeof *s);
	socklen_t n = sizeof at;
	int on = 1;

	s->client = -1;
	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	pthread_mutex_init(&s->lock, NULL);
	if (s->wake_fd < 0 || s->listener < 0 ||
	    setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
	    bind(s->listener, (struct sockaddr *)&at, sizeof at) || listen(s->listener, 4) ||
	    getsockname(s->listener, (struct sockaddr *)&at, &n)) {
		err_sys(e, "cannot listen at 127.0.0.1:%u", port);
		serve_free(s);
		return NULL;
	}
	s->port = ntohs(at.sin_port);
	return s;
}

uint16_t serve_port(const struct serve *s)
{
	return s->port;
}

static void ring(struct serve *s)
{
	uint64_t one = 1;

	/* It fails only when it rings already. */
	if (write(s->wake_fd, &one, sizeof one) < 0)
		return;
}

static void queue(struct serve *s, const char *p, size_t n)
{
	pthread_mutex_lock(&s->lock);
	if (s->result.dumped) {
		s->result.unwanted++;
	} else if (s->waiting.len - s->at + n > SERVE_WAITING) {
		s->result.dropped++;
	} else {
		if (s->at > SERVE_WAITING / 4 && s->at > s->waiting.len / 2) {
			s->waiting.len -= s->at;
			memmove(s->waiting.data, s->waiting.data + s->at, s->waiting.len);
			s->packet_end -= s->at;
			s->at = 0;
		}
		buf_add(&s->waiting, p, n);
	}
	pthread_mutex_unlock(&s->lock);
}

static ssize_t serve_on_bytes(void *arg, const char *p, size_t n)
{
	struct serve *s = arg;
	struct buf *b = &s->partial;
	size_t from = 0;

	/* At once, for who follows the file. */
	if (s->copy && (fwrite(p, 1, n, s->copy) != n || fflush(s->copy)))
		return 0;
	buf_add(b, p, n);
	while (b->len - from >= SIZE && b->len - from - SIZE >= le32(b->data + from)) {
		size_t size = SIZE + (size_t)le32(b->data + from);

		queue(s, b->data + from, size);
		from += size;
	}
	b->len -= from;
	memmove(b->data, b->data + from, b->len);
	ring(s);
	return (ssize_t)n;
}

static void drop_client(struct serve *s)
{
	close(s->client);
	s->client = -1;
	/* The next one begins with a whole packet. */
	s->result.dropped += s->at < s->packet_end;
	s->at = s->packet_end;
}

static void accept_client(struct serve *s)
{
	struct sockaddr_in from;
	socklen_t n = sizeof from;
	int fd = accept4(s->listener, (struct sockaddr *)&from, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (s->client >= 0 || s->result.dumped) {
		close(fd);
		s->result.refused++;
		return;
	}
	s->client = fd;
	s->result.clients++;
}

static bool copy_file(const char *from, const char *to)
{
	FILE *in = fopen(from, "re"), *out = in ? fopen(to, "we") : NULL;
	bool some = false;
	char block[4096];
	size_t n;

	while (out && (n = fread(block, 1, sizeof block, in)))
		some = fwrite(block, 1, n, out) == n;
	if (in)
		fclose(in);
	return out && !fclose(out) && some;
}

/* What still waits is not sent, as the agent does it; the answer is. */
static void serve_dump(struct serve *s)
{
	static const char answer[] = {8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
	char path[64];
	size_t tail = s->packet_end - s->at;

	snprintf(path, sizeof path, "/proc/%d/smaps", (int)s->program);
	if (!copy_file(path, s->smaps))
		copy_file(s->maps, s->smaps);
	s->result.dumped = true;
	for (size_t i = s->packet_end; i < s->waiting.len;) {
		i += SIZE + (size_t)le32(s->waiting.data + i);
		s->result.unwanted++;
	}
	if (tail) /* before any packet there is no memory */
		memmove(s->waiting.data, s->waiting.data + s->at, tail);
	s->waiting.len = tail;
	s->at = 0;
	buf_add(&s->waiting, answer, sizeof answer);
	s->packet_end = s->waiting.len;
}

static void hear_client(struct serve *s)
{
	char bytes[64];
	ssize_t n = recv(s->client, bytes, sizeof bytes, 0);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		drop_client(s);
		return;
	}
	for (ssize_t i = 0; i < n && !s->result.dumped; i++)
		if (bytes[i] == COMMAND_DUMP)
			serve_dump(s);
}

static bool send_client(struct serve *s)
{
	ssize_t n = send(s->client, s->waiting.data + s->at, s->waiting.len - s->at, MSG_NOSIGNAL);

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			drop_client(s);
		return false;
	}
	s->at += (size_t)n;
	s->result.sent += (uint64_t)n;
	while (s->packet_end < s->at)
		s->packet_end += SIZE + (size_t)le32(s->waiting.data + s->packet_end);
	return true;
}

/* Done: all is sent, or no client comes, or the client takes nothing. */
static bool is_done(const struct serve *s, int64_t idle)
{
	if (!s->ended)
		return false;
	if (stopped || (s->at == s->waiting.len && s->result.clients))
		return true;
	if (s->client < 0)
		return idle >= (int64_t)s->wait_ms || s->result.clients;
	return idle >= SERVE_STALL_MS;
}

static void *serve_work(void *arg)
{
	struct serve *s = arg;
	int64_t since = clock_ms(); /* the end, or what the client took last */
	bool ended = false, done = false;

	while (!done) {
		struct pollfd p[3] = {
		    {s->wake_fd, POLLIN, 0}, {s->listener, POLLIN, 0}, {s->client, POLLIN, 0}};
		uint64_t count;

		pthread_mutex_lock(&s->lock);
		if (s->at < s->waiting.len)
			p[2].events |= POLLOUT;
		if (s->ended != ended)
			since = clock_ms();
		ended = s->ended;
		done = is_done(s, clock_ms() - since);
		pthread_mutex_unlock(&s->lock);
		if (done || poll(p, s->client < 0 ? 2 : 3, TICK_MS) <= 0)
			continue;
		if (p[0].revents && read(s->wake_fd, &count, sizeof count) < 0 && errno != EAGAIN)
			break;
		pthread_mutex_lock(&s->lock);
		if (s->client >= 0 && p[2].revents & (POLLIN | POLLHUP | POLLERR))
			hear_client(s);
		if (s->client >= 0 && p[2].revents & POLLOUT && send_client(s))
			since = clock_ms();
		if (p[1].revents)
			accept_client(s);
		pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

FILE *serve_begin(struct serve *s, pid_t program, const char *smaps, const char *maps, FILE *copy)
{
	cookie_io_functions_t io = {.write = serve_on_bytes};
	FILE *f = fopencookie(s, "w", io);

	s->program = program;
	s->smaps = smaps;
	s->maps = maps;
	s->copy = copy;
	s->begun = f && !pthread_create(&s->thread, NULL, serve_work, s);
	if (!s->begun && f) {
		fclose(f);
		f = NULL;
	}
	return f;
}

static void describe_clients(const struct serve *s, char *text, size_t size)
{
	const struct result *r = &s->result;
	struct buf b = BUF_INIT;

	buf_addf(&b, "; clients: %u, took %" PRIu64 " bytes", r->clients, r->sent);
	if (r->clients > 1)
		buf_adds(&b, ", each from where the one before had left");
	if (r->refused)
		buf_addf(&b, "; clients turned away, since one is served at a time: %u",
			 r->refused);
	if (s->at < s->waiting.len)
		buf_addf(&b, "; bytes that no client read: %zu", s->waiting.len - s->at);
	if (r->dropped)
		buf_addf(&b, "; packets that no client read, dropped: %" PRIu64, r->dropped);
	if (r->unwanted)
		buf_addf(&b, "; packets not sent, behind the client's dump: %" PRIu64, r->unwanted);
	snprintf(text + strlen(text), size - strlen(text), "%s", buf_str(&b));
	buf_release(&b);
}

void serve_end(struct serve *s, unsigned wait_ms, char *text, size_t size)
{
	signal(SIGINT, serve_on_signal);
	signal(SIGTERM, serve_on_signal);
	pthread_mutex_lock(&s->lock);
	s->ended = true;
	s->wait_ms = wait_ms;
	pthread_mutex_unlock(&s->lock);
	ring(s);
	if (s->begun)
		pthread_join(s->thread, NULL);
	s->begun = false;
	describe_clients(s, text, size);
}

void serve_free(struct serve *s)
{
	if (!s)
		return;
	if (s->client >= 0)
		close(s->client);
	if (s->listener >= 0)
		close(s->listener);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	buf_release(&s->partial);
	buf_release(&s->waiting);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
