/* SPDX-License-Identifier: MIT */
#include "lib/view/http.h"

#include "lib/base/mem.h"
#include "lib/base/shared_library.h"

#ifdef HAVE_LIBMICROHTTPD

#include "lib/view/asset.h"
#include "lib/view/route.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* At once, and waiting; a connection's memory holds headers. */
enum { ASKED_AT_ONCE = 4, WAITING = 64, MEMORY = 128 << 10, MESSAGES = 32 << 10, TICK_MS = 1000 };
/* Any process of the machine can connect: a body is not read on, and one more connection than these ends the oldest
 * that has asked nothing, so that silent ones keep no user out. */
enum { UPLOAD = 1 << 20, CONNECTIONS = 2 * WAITING, IDLE_SECONDS = 60 };

struct client { /* a request that is being answered */
	struct MHD_Connection *connection;
	struct query_args question;
	struct query_result answer;
	size_t uploaded;
	bool asks, started, done, gone;
	struct err why; /* it did not start */
	struct client *next;
};

struct peer { /* a connection */
	struct MHD_Connection *connection;
	struct peer *newer;
};

struct http {
	struct view *view; /* the caller's */
	struct MHD_Daemon *daemon;
	struct route_door door;
	char address[160];
	int listener;
	struct peer *oldest;
	size_t n_peers;
	struct client *waiting; /* suspended */
	size_t n_waiting;
};

#define MHD_FUNCTIONS(X)                                  \
	X(add_response_header)                            \
	X(create_response_from_buffer_with_free_callback) \
	X(destroy_response)                               \
	X(get_connection_info)                            \
	X(get_daemon_info)                                \
	X(get_timeout)                                    \
	X(lookup_connection_value)                        \
	X(queue_response)                                 \
	X(resume_connection)                              \
	X(run)                                            \
	X(start_daemon)                                   \
	X(stop_daemon)                                    \
	X(suspend_connection)

static struct {
#define X(name) __typeof__(&MHD_##name) name;
	MHD_FUNCTIONS(X)
#undef X
} mhd;

/* It brings 14 libraries, of which TLS's alone cost a start some milliseconds. The soname is that of 0.9.75; if another
 * version has another one, sh/view fails. */
static enum status http_load(struct err *e)
{
	static const struct shared_function functions[] = {
#define X(name) {"MHD_" #name, &mhd.name},
	    MHD_FUNCTIONS(X)
#undef X
	};

	return shared_library_load("libmicrohttpd.so.12", functions,
				   sizeof functions / sizeof *functions, e);
}

static volatile sig_atomic_t stopped;

static void http_on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

/* --- responses --- */

static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

/* libmicrohttpd has another free (lib/base/resource_names.h). */
static void http_free_body(void *body)
{
	free(body);
}

/* Takes what the buffer has. */
static enum MHD_Result http_respond(struct MHD_Connection *c, unsigned status, const char *type,
				    struct buf *body, const char *exit, const char *messages)
{
	struct MHD_Response *r = mhd.create_response_from_buffer_with_free_callback(
	    body->len, body->data, http_free_body);
	enum MHD_Result done;

	*body = (struct buf)BUF_INIT;
	if (!r)
		return MHD_NO;
	mhd.add_response_header(r, "Content-Type", type);
	mhd.add_response_header(r, "Content-Security-Policy", policy);
	mhd.add_response_header(r, "X-Content-Type-Options", "nosniff");
	mhd.add_response_header(r, "Referrer-Policy", "no-referrer");
	mhd.add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	mhd.add_response_header(r, "Cross-Origin-Opener-Policy", "same-origin");
	mhd.add_response_header(r, "Cache-Control", "no-store");
	if (exit)
		mhd.add_response_header(r, "X-Exit", exit);
	if (messages)
		mhd.add_response_header(r, "X-Messages", messages);
	done = mhd.queue_response(c, status, r);
	mhd.destroy_response(r);
	return done;
}

static enum MHD_Result respond_text(struct MHD_Connection *c, unsigned status, const char *text)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s\n", text);
	return http_respond(c, status, "text/plain; charset=utf-8", &b, NULL, NULL);
}

static const char *type_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return !dot                   ? "text/html; charset=utf-8"
	       : !strcmp(dot, ".js")  ? "text/javascript; charset=utf-8"
	       : !strcmp(dot, ".css") ? "text/css; charset=utf-8"
	       : !strcmp(dot, ".svg") ? "image/svg+xml"
				      : "text/html; charset=utf-8";
}

static enum MHD_Result give_asset(struct MHD_Connection *c, const char *name)
{
	struct buf b = BUF_INIT;

	if (!*name)
		name = "index.html";
	for (const struct view_asset *a = view_assets; a->name; a++)
		if (!strcmp(a->name, name)) {
			buf_adds(&b, a->text);
			return http_respond(c, MHD_HTTP_OK, type_of(name), &b, NULL, NULL);
		}
	return respond_text(c, MHD_HTTP_NOT_FOUND, "nothing is here");
}

static enum MHD_Result give_state(const struct http *h, struct MHD_Connection *c)
{
	struct buf b = BUF_INIT;

	view_state(h->view, &b);
	return http_respond(c, MHD_HTTP_OK, "application/json", &b, NULL, NULL);
}

/* What a header may hold. */
static void add_encoded(struct buf *to, const struct buf *from)
{
	for (size_t i = 0; i < from->len && to->len < MESSAGES; i++) {
		unsigned char ch = (unsigned char)from->data[i];

		if (ch > ' ' && ch < 127 && ch != '%')
			buf_addc(to, (char)ch);
		else
			buf_addf(to, "%%%02X", ch);
	}
}

/* Where the program printed no report: what it said is the body then, and the status is no 200. Our own page asks
 * what may not fit the capture (page=1), and looks at X-Exit. */
static unsigned http_failure(const struct client *q)
{
	enum { USAGE = 2, SIGNAL = 128, UNPROCESSABLE = 422 };
	const struct query_result *a = &q->answer;

	return !a->status || a->text.len ||
		       mhd.lookup_connection_value(q->connection, MHD_GET_ARGUMENT_KIND, "page")
		   ? 0
	       : a->status == USAGE  ? MHD_HTTP_BAD_REQUEST
	       : a->status >= SIGNAL ? MHD_HTTP_INTERNAL_SERVER_ERROR
				     : UNPROCESSABLE;
}

static enum MHD_Result http_give_answer(struct client *q)
{
	struct buf messages = BUF_INIT, *text = &q->answer.text;
	unsigned failure = http_failure(q);
	char status[16];
	enum MHD_Result done;

	if (q->why.code)
		return respond_text(q->connection, MHD_HTTP_BAD_REQUEST, q->why.msg);
	if (q->answer.ended)
		return respond_text(q->connection, MHD_HTTP_SERVICE_UNAVAILABLE, q->answer.ended);
	snprintf(status, sizeof status, "%d", q->answer.status);
	add_encoded(&messages, &q->answer.messages);
	if (failure && q->answer.messages.len)
		buf_add(text, q->answer.messages.data, q->answer.messages.len);
	else if (failure)
		buf_addf(text, "the program ended with %d\n", q->answer.status);
	done =
	    http_respond(q->connection, failure ? failure : MHD_HTTP_OK,
			 !failure && text->len && *text->data == '{' ? "application/json"
								     : "text/plain; charset=utf-8",
			 text, status, messages.len ? buf_str(&messages) : "");
	buf_release(&messages);
	return done;
}

/* --- questions --- */

static void begin_question(struct client *q, const struct http *h)
{
	q->started = true;
	if (!query_result_start(&q->answer, &h->view->runner, &q->question, &q->why))
		q->done = true;
}

static enum MHD_Result parse_query(struct http *h, struct client *q)
{
	const char *text = mhd.lookup_connection_value(q->connection, MHD_GET_ARGUMENT_KIND, "q");

	q->asks = true;
	if (!text)
		return respond_text(q->connection, MHD_HTTP_BAD_REQUEST, "no question: ask?q=...");
	if (h->n_waiting >= WAITING)
		return respond_text(q->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				    "too many questions at once");
	if (query_args_make(&q->question, &h->view->runner, text, strlen(text), &q->why))
		return http_give_answer(q);
	q->next = h->waiting;
	h->waiting = q;
	h->n_waiting++;
	mhd.suspend_connection(q->connection);
	return MHD_YES;
}

static enum MHD_Result http_on_request(void *arg, struct MHD_Connection *c, const char *url,
				       const char *method, const char *version, const char *upload,
				       size_t *n_upload, void **state)
{
	struct http *h = arg;
	struct client *q = *state;
	char name[ROUTE_NAME];
	struct route_request r = {
	    .method = method,
	    .path = url,
	    .host = mhd.lookup_connection_value(c, MHD_HEADER_KIND, "Host"),
	    .origin = mhd.lookup_connection_value(c, MHD_HEADER_KIND, "Origin"),
	    .site = mhd.lookup_connection_value(c, MHD_HEADER_KIND, "Sec-Fetch-Site"),
	};

	(void)version;
	(void)upload;
	if (!q) {
		*state = q = mem_zalloc(sizeof *q);
		q->connection = c;
		q->why = (struct err)ERR_INIT;
		return MHD_YES;
	}
	if (*n_upload) { /* not read; the answer is due behind it */
		q->uploaded += *n_upload;
		*n_upload = 0;
		return q->uploaded > UPLOAD ? MHD_NO : MHD_YES;
	}
	if (q->done)
		return q->gone ? MHD_NO : http_give_answer(q);
	switch (route_of(&h->door, &r, name)) {
	case ROUTE_ASSET: return give_asset(c, name);
	case ROUTE_STATE: return give_state(h, c);
	case ROUTE_ASK: return parse_query(h, q);
	case ROUTE_NO_METHOD: return respond_text(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET");
	case ROUTE_NOTHING: return respond_text(c, MHD_HTTP_NOT_FOUND, "nothing is here");
	case ROUTE_FORBIDDEN: break;
	}
	return respond_text(
	    c, MHD_HTTP_FORBIDDEN,
	    "this is not the address that tm-view printed, or another page has asked");
}

static void http_on_end(void *arg, struct MHD_Connection *c, void **state,
			enum MHD_RequestTerminationCode how)
{
	struct client *q = *state;

	(void)arg;
	(void)c;
	(void)how;
	if (!q)
		return;
	query_result_release(&q->answer);
	query_args_release(&q->question);
	free(q);
	*state = NULL;
}

static int socket_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *i =
	    mhd.get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	return i ? i->connect_fd : -1;
}

static bool is_waiting(const struct http *h, const struct MHD_Connection *c)
{
	for (const struct client *q = h->waiting; q; q = q->next)
		if (q->connection == c)
			return true;
	return false;
}

static void http_on_connection(void *arg, struct MHD_Connection *c, void **state,
			       enum MHD_ConnectionNotificationCode what)
{
	struct http *h = arg;
	struct peer **at = &h->oldest, *p;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		while (*at && *at != *state)
			at = &(*at)->newer;
		p = *at;
		if (!p)
			return;
		*at = p->newer;
		h->n_peers--;
		free(p);
		*state = NULL;
		return;
	}
	while (*at)
		at = &(*at)->newer;
	*state = *at = p = mem_zalloc(sizeof *p);
	p->connection = c;
	if (++h->n_peers <= CONNECTIONS)
		return;
	p = h->oldest;
	while (p && is_waiting(h, p->connection))
		p = p->newer;
	if (p)
		shutdown(socket_of(p->connection), SHUT_RDWR);
}

/* --- the loop --- */

/* Those that are done go on; others take a place that is free. */
static void http_go_on(struct http *h)
{
	size_t running = 0;

	for (struct client **at = &h->waiting; *at;) {
		struct client *q = *at;

		if (q->started && !q->done && query_result_go_on(&q->answer))
			q->done = true;
		running += q->started && !q->done;
		if (q->done || q->gone) {
			q->done = true;
			*at = q->next;
			h->n_waiting--;
			mhd.resume_connection(q->connection);
		} else {
			at = &q->next;
		}
	}
	/* The oldest is last. */
	while (running < ASKED_AT_ONCE) {
		struct client *oldest = NULL;

		for (struct client *q = h->waiting; q; q = q->next)
			oldest = q->started ? oldest : q;
		if (!oldest)
			return;
		begin_question(oldest, h);
		running++;
	}
}

static void add_fd(struct pollfd *fds, size_t *n, int fd, short events)
{
	if (fd >= 0)
		fds[(*n)++] = (struct pollfd){fd, events, 0};
}

static int time_left(const struct http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;
	int left = TICK_MS;

	if (mhd.get_timeout(h->daemon, &ms) == MHD_YES && ms < (unsigned)left)
		left = (int)ms;
	for (const struct client *q = h->waiting; q; q = q->next)
		if (q->started && query_result_left(&q->answer) < left)
			left = query_result_left(&q->answer);
	return left;
}

/* Waits for anything: a request, an answer's next piece, a client that hangs up. */
static void http_wait_for(struct http *h, int epoll)
{
	struct pollfd fds[1 + 3 * WAITING];
	struct client *hung[1 + 3 * WAITING] = {NULL};
	size_t n = 0;

	add_fd(fds, &n, epoll, POLLIN);
	for (struct client *q = h->waiting; q; q = q->next) {
		hung[n] = q;
		add_fd(fds, &n, socket_of(q->connection), POLLRDHUP);
		if (!q->started)
			continue;
		add_fd(fds, &n, q->answer.out, POLLIN);
		add_fd(fds, &n, q->answer.err, POLLIN);
	}
	if (poll(fds, n, time_left(h)) <= 0)
		return;
	for (size_t i = 1; i < n; i++)
		if (hung[i] && fds[i].fd == socket_of(hung[i]->connection) &&
		    fds[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) {
			hung[i]->gone = true;
			query_result_release(&hung[i]->answer);
		}
}

enum status http_run(struct http *h, struct err *e)
{
	const union MHD_DaemonInfo *i = mhd.get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	const struct sigaction stop = {.sa_handler = http_on_signal};
	time_t looked = time(NULL);

	if (!i)
		return err_set(e, ST_SYS, "libmicrohttpd has no epoll");
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	signal(SIGPIPE, SIG_IGN);
	printf("%s\n", h->address);
	if (fflush(stdout))
		return err_sys(e, "standard output");
	while (!stopped) {
		http_wait_for(h, i->epoll_fd);
		if (mhd.run(h->daemon) != MHD_YES)
			return err_set(e, ST_SYS, "libmicrohttpd gave up");
		http_go_on(h);
		mhd.run(h->daemon);
		if (h->view->refresh && time(NULL) != looked) {
			h->view->refresh(h->view);
			looked = time(NULL);
		}
	}
	return ST_OK;
}

/* --- the address --- */

static bool make_token(char token[ROUTE_TOKEN + 1])
{
	unsigned char bytes[ROUTE_TOKEN / 2];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return false;
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

static bool is_loopback(const struct sockaddr *a)
{
	const struct sockaddr_in *v4 = (const void *)a;
	const struct sockaddr_in6 *v6 = (const void *)a;

	return a->sa_family == AF_INET ? ntohl(v4->sin_addr.s_addr) >> 24 == 127
				       : IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

static bool split(const char *where, char host[64], char port[8])
{
	const char *colon = where ? strrchr(where, ':') : NULL;
	const char *number = colon ? colon + 1 : where ? where : "0";
	size_t n = colon ? (size_t)(colon - where) : 0;
	bool bracket = n > 1 && where[0] == '[' && where[n - 1] == ']';

	if (bracket) {
		where++;
		n -= 2;
	}
	if (n >= 64 || strlen(number) >= 8)
		return false;
	snprintf(host, 64, "%.*s", (int)n, n ? where : "");
	strcpy(port, number);
	return true;
}

static enum status http_listen_at(struct http *h, const char *where, struct err *e)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				       .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	char host[64], port[8];
	struct sockaddr_storage at = {0};
	socklen_t n = sizeof at;
	unsigned number;
	int on = 1;
	bool v6, open;

	if (!split(where, host, port) ||
	    getaddrinfo(*host ? host : "127.0.0.1", port, &hints, &found))
		return err_set(e, ST_BAD, "--listen: '%s' is not [HOST:]PORT with numbers", where);
	h->listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	open = h->listener >= 0 &&
	       !setsockopt(h->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
	       !bind(h->listener, found->ai_addr, found->ai_addrlen) && !listen(h->listener, 64) &&
	       !getsockname(h->listener, (struct sockaddr *)&at, &n);
	freeaddrinfo(found);
	if (!open)
		return err_sys(e, "--listen: cannot listen at %s", where ? where : "127.0.0.1");
	v6 = at.ss_family == AF_INET6;
	number = ntohs(v6 ? ((struct sockaddr_in6 *)&at)->sin6_port
			  : ((struct sockaddr_in *)&at)->sin_port);
	snprintf(h->door.hosts[0], sizeof h->door.hosts[0], v6 ? "[%s]:%u" : "%s:%u",
		 *host ? host : "127.0.0.1", number);
	if (is_loopback((struct sockaddr *)&at))
		snprintf(h->door.hosts[1], sizeof h->door.hosts[1], "localhost:%u", number);
	snprintf(h->address, sizeof h->address, "http://%s/%s/", h->door.hosts[0], h->door.token);
	return ST_OK;
}

struct http *http_new(struct view *v, const char *where, struct err *e)
{
	struct http *h = mem_zalloc(sizeof *h);

	h->view = v;
	h->listener = -1;
	if (!make_token(h->door.token)) {
		err_sys(e, "no random numbers");
	} else if (!http_load(e) && !http_listen_at(h, where, e)) {
		h->daemon = mhd.start_daemon(
		    MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, http_on_request, h,
		    MHD_OPTION_LISTEN_SOCKET, h->listener, MHD_OPTION_NOTIFY_COMPLETED, http_on_end,
		    NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
		    MHD_OPTION_CONNECTION_LIMIT, 2U * CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		    (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_CONNECTION, http_on_connection, h,
		    MHD_OPTION_END);
		if (!h->daemon)
			err_set(e, ST_SYS, "libmicrohttpd does not start");
	}
	if (h->daemon)
		return h;
	http_free(h);
	return NULL;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	for (struct client *q = h->waiting; q; q = q->next) {
		q->done = q->gone = true;
		mhd.resume_connection(q->connection);
	}
	if (h->daemon)
		mhd.stop_daemon(h->daemon); /* closes the listener */
	else if (h->listener >= 0)
		close(h->listener);
	free(h);
}

#else

struct http *http_new(struct view *v, const char *where, struct err *e)
{
	(void)v;
	(void)where;
	err_set(e, ST_UNSUPPORTED,
		"this was built without libmicrohttpd: --query, --lines and "
		"--mcp answer");
	return NULL;
}

enum status http_run(struct http *h, struct err *e)
{
	(void)h;
	return err_set(e, ST_UNSUPPORTED, "no libmicrohttpd");
}

void http_free(struct http *h)
{
	(void)h;
}

#endif
