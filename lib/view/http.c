/* SPDX-License-Identifier: MIT */
#include "lib/view/http.h"

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/shared_library.h"

#ifdef HAVE_LIBMICROHTTPD

#include "lib/view/asset.h"
#include "lib/view/route.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* At once, and waiting; a connection's memory holds headers. */
enum {
	ASKED_AT_ONCE = 4,
	WAITING = 64,
	MEMORY = 128 << 10,
	MESSAGES = 32 << 10,
	TICK_MS = 1000,
	READING_MS = 2,
	LOADING_MS = 20
};
/* Any process of the machine can connect: a body is not read on, and one more connection than these ends the oldest
 * that has asked nothing, so that silent ones keep no user out. */
enum { UPLOAD = 1 << 20, CONNECTIONS = 2 * WAITING, IDLE_SECONDS = 60 };

/* A guest's: bodies that are refused are read on, so that the client hears why; threads that wait for the disk. */
enum { GUEST_CONNECTIONS = 640, GUEST_DISCARD = 64 << 20, GUEST_THREADS = 4 };

struct client { /* a request that is being answered */
	struct MHD_Connection *connection;
	struct view *view; /* that it is about */
	struct query_args question;
	struct query_result answer;
	size_t uploaded;
	bool asks, started, done, gone;
	bool told;      /* asks for the state of a view that is not ready yet */
	bool page;      /* our own page asks, which says how much was read of what is being read, */
	unsigned taken; /* percent of it */
	struct err why; /* it did not start */
	struct client *next;
	/* of a guest's request */
	struct guest_call call;
	char *path;
	bool is_call, takes, refuses,
	    over; /* takes: its body is the guest's; over: reply is ready */
	enum guest_next then;
	struct client *next_call, *next_work;
};

struct peer { /* a connection */
	struct MHD_Connection *connection;
	struct peer *newer;
};

struct http {
	struct view *view; /* the caller's */
	struct MHD_Daemon *daemon;
	struct route_door door;
	char address[160], root[96];
	int listener;
	struct peer *oldest;
	size_t n_peers;
	struct client *waiting; /* suspended */
	size_t n_waiting;
	const struct guest *guest; /* NULL: none */
	struct client *calls;      /* all of the guest's requests */
	struct http_workers {
		pthread_mutex_t mutex;
		pthread_cond_t more;
		pthread_t threads[GUEST_THREADS];
		size_t n;
		struct client *first, *last, *done; /* to do, and done */
		int wake[2];                        /* a byte: something is done */
		bool end;
	} workers;
};

#define MHD_FUNCTIONS(X)                                  \
	X(add_response_header)                            \
	X(create_response_from_buffer_with_free_callback) \
	X(create_response_from_fd64)                      \
	X(destroy_response)                               \
	X(get_connection_info)                            \
	X(get_connection_values)                          \
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

static void add_own_headers(struct MHD_Response *r, const char *type)
{
	mhd.add_response_header(r, "Content-Type", type);
	mhd.add_response_header(r, "Content-Security-Policy", policy);
	mhd.add_response_header(r, "X-Content-Type-Options", "nosniff");
	mhd.add_response_header(r, "Referrer-Policy", "no-referrer");
	mhd.add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	mhd.add_response_header(r, "Cross-Origin-Opener-Policy", "same-origin");
	mhd.add_response_header(r, "Cache-Control", "no-store");
}

struct answer_headers {
	char exit[16], taken[16];
	const char *messages;
};

/* Takes what the buffer has. headers: of an answer; NULL: none. */
static enum MHD_Result http_respond(struct MHD_Connection *c, unsigned status, const char *type,
				    struct buf *body, const struct answer_headers *headers)
{
	struct MHD_Response *r = mhd.create_response_from_buffer_with_free_callback(
	    body->len, body->data, http_free_body);
	enum MHD_Result done;

	*body = (struct buf)BUF_INIT;
	if (!r)
		return MHD_NO;
	add_own_headers(r, type);
	if (headers) {
		mhd.add_response_header(r, "X-Exit", headers->exit);
		mhd.add_response_header(r, "X-Messages", headers->messages);
		mhd.add_response_header(r, "X-Taken", headers->taken);
	}
	done = mhd.queue_response(c, status, r);
	mhd.destroy_response(r);
	return done;
}

static enum MHD_Result respond_text(struct MHD_Connection *c, unsigned status, const char *text)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s\n", text);
	return http_respond(c, status, "text/plain; charset=utf-8", &b, NULL);
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
			return http_respond(c, MHD_HTTP_OK, type_of(name), &b, NULL);
		}
	return respond_text(c, MHD_HTTP_NOT_FOUND, "nothing is here");
}

static enum MHD_Result give_state(const struct client *q)
{
	struct buf b = BUF_INIT;

	view_state(q->view, &b);
	return http_respond(q->connection, MHD_HTTP_OK, "application/json", &b, NULL);
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

	return !a->status || a->text.len || q->page ? 0
	       : a->status == USAGE                 ? MHD_HTTP_BAD_REQUEST
	       : a->status >= SIGNAL                ? MHD_HTTP_INTERNAL_SERVER_ERROR
						    : UNPROCESSABLE;
}

static enum MHD_Result http_give_answer(struct client *q)
{
	struct buf messages = BUF_INIT, *text = &q->answer.text;
	unsigned failure = http_failure(q);
	struct answer_headers headers;
	enum MHD_Result done;

	if (q->told)
		return give_state(q);
	if (q->why.code)
		return respond_text(q->connection, MHD_HTTP_BAD_REQUEST, q->why.msg);
	if (q->answer.ended)
		return respond_text(q->connection, MHD_HTTP_SERVICE_UNAVAILABLE, q->answer.ended);
	snprintf(headers.exit, sizeof headers.exit, "%d", q->answer.status);
	snprintf(headers.taken, sizeof headers.taken, "%u", q->taken);
	add_encoded(&messages, &q->answer.messages);
	if (failure && q->answer.messages.len)
		buf_add(text, q->answer.messages.data, q->answer.messages.len);
	else if (failure)
		buf_addf(text, "the program ended with %d\n", q->answer.status);
	headers.messages = messages.len ? buf_str(&messages) : "";
	done =
	    http_respond(q->connection, failure ? failure : MHD_HTTP_OK,
			 !failure && text->len && *text->data == '{' ? "application/json"
								     : "text/plain; charset=utf-8",
			 text, &headers);
	buf_release(&messages);
	return done;
}

/* --- questions --- */

static bool is_ready(const struct http *h, struct client *q)
{
	return !q->is_call || h->guest->ready(h->guest->arg, &q->call);
}

static void begin_question(struct client *q)
{
	const struct view *v = q->view;

	q->started = true;
	q->taken = 100;
	for (size_t i = 0; i < v->n_files; i++)
		if (v->files[i].taken < q->taken)
			q->taken = v->files[i].taken;
	if (!query_result_start(&q->answer, &v->runner, &q->question, &q->why))
		q->done = true;
}

static enum MHD_Result http_wait_with(struct http *h, struct client *q)
{
	q->asks = true;
	q->next = h->waiting;
	h->waiting = q;
	h->n_waiting++;
	mhd.suspend_connection(q->connection);
	return MHD_YES;
}

static enum MHD_Result ask_state(struct http *h, struct client *q)
{
	if (is_ready(h, q))
		return give_state(q);
	if (h->n_waiting >= WAITING)
		return respond_text(q->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				    "too many questions at once");
	q->told = true;
	return http_wait_with(h, q);
}

static enum MHD_Result parse_query(struct http *h, struct client *q)
{
	const char *text = mhd.lookup_connection_value(q->connection, MHD_GET_ARGUMENT_KIND, "q");

	q->page = mhd.lookup_connection_value(q->connection, MHD_GET_ARGUMENT_KIND, "page");
	if (!text)
		return respond_text(q->connection, MHD_HTTP_BAD_REQUEST, "no question: ask?q=...");
	if (h->n_waiting >= WAITING)
		return respond_text(q->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				    "too many questions at once");
	if (query_args_make(&q->question, &q->view->runner, text, strlen(text), &q->why))
		return http_give_answer(q);
	return http_wait_with(h, q);
}

/* name: of ROUTE_ASSET. */
static enum MHD_Result answer_in_view(struct http *h, struct client *q, enum route route,
				      const char *name)
{
	switch (route) {
	case ROUTE_ASSET:
		if (!*name)
			q->view->opened = clock_ms();
		return give_asset(q->connection, name);
	case ROUTE_STATE: return ask_state(h, q);
	case ROUTE_ASK: return parse_query(h, q);
	case ROUTE_NO_METHOD:
		return respond_text(q->connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET");
	case ROUTE_NOTHING:
		return respond_text(q->connection, MHD_HTTP_NOT_FOUND, "nothing is here");
	case ROUTE_FORBIDDEN: break;
	}
	return respond_text(
	    q->connection, MHD_HTTP_FORBIDDEN,
	    "this is not the address that tm-view printed, or another page has asked");
}

/* --- a guest's requests --- */

const char *guest_header(const struct guest_call *c, const char *name)
{
	return mhd.lookup_connection_value(c->connection, MHD_HEADER_KIND, name);
}

const char *guest_argument(const struct guest_call *c, const char *name)
{
	return mhd.lookup_connection_value(c->connection, MHD_GET_ARGUMENT_KIND, name);
}

struct arguments {
	bool (*each)(void *arg, const char *name, const char *value);
	void *arg;
	bool ok;
};

static enum MHD_Result http_on_argument(void *arg, enum MHD_ValueKind kind, const char *name,
					const char *value)
{
	struct arguments *a = arg;

	(void)kind;
	a->ok = a->each(a->arg, name, value);
	return a->ok ? MHD_YES : MHD_NO;
}

bool guest_arguments(const struct guest_call *c,
		     bool (*each)(void *arg, const char *name, const char *value), void *arg)
{
	struct arguments a = {each, arg, true};

	mhd.get_connection_values(c->connection, MHD_GET_ARGUMENT_KIND, http_on_argument, &a);
	return a.ok;
}

static enum MHD_Result guest_send(struct client *q)
{
	struct guest_reply *a = &q->call.reply;
	struct MHD_Response *r;
	enum MHD_Result done;

	r = a->file >= 0 ? mhd.create_response_from_fd64(a->size, a->file)
			 : mhd.create_response_from_buffer_with_free_callback(
			       a->body.len, a->body.data, http_free_body);
	if (!r)
		return MHD_NO;
	a->body = (struct buf)BUF_INIT;
	a->file = -1;
	add_own_headers(r, a->type ? a->type : "text/plain; charset=utf-8");
	for (size_t i = 0; i < GUEST_HEADERS && a->headers[i].name; i++)
		mhd.add_response_header(r, a->headers[i].name, a->headers[i].value);
	done = mhd.queue_response(q->connection, a->status, r);
	mhd.destroy_response(r);
	return done;
}

static void guest_refuse(struct client *q, unsigned status, const char *why)
{
	q->call.reply.status = status;
	buf_addf(&q->call.reply.body, "%s\n", why);
	q->then = GUEST_ANSWER;
}

/* The path behind the token, and the token's role. */
static const char *guest_path(const struct http *h, struct client *q, const char *url)
{
	static const char bearer[] = "Bearer ";
	const char *given = guest_header(&q->call, "Authorization"), *slash;

	if (given && !strncmp(given, bearer, sizeof bearer - 1)) {
		given += sizeof bearer - 1;
		q->call.role = h->guest->role(h->guest->arg, given, strlen(given));
		return *url == '/' ? url + 1 : url;
	}
	slash = *url == '/' ? strchr(url + 1, '/') : NULL;
	if (!slash)
		return "";
	q->call.role = h->guest->role(h->guest->arg, url + 1, (size_t)(slash - url - 1));
	return slash + 1;
}

static uint64_t guest_length(const struct guest_call *c)
{
	const char *length = guest_header(c, "Content-Length");
	char *end;
	uint64_t n;

	if (!length)
		return guest_header(c, "Transfer-Encoding") ? GUEST_UNKNOWN : 0;
	errno = 0;
	n = strtoull(length, &end, 10); /* checked by libmicrohttpd */
	return errno || *end ? GUEST_UNKNOWN : n;
}

/* Its address may be opened from a terminal or a chat. */
static bool is_page(const char *method, const char *path)
{
	return !strcmp(method, "GET") && (!*path || path[strlen(path) - 1] == '/');
}

/* Before the body. What is refused is answered at once where much of it would come. */
static enum MHD_Result guest_begin(struct http *h, struct client *q, struct route_request *r)
{
	struct guest_call *c = &q->call;

	q->is_call = true;
	q->next_call = h->calls;
	h->calls = q;
	c->connection = q->connection;
	c->method = r->method;
	c->reply.file = -1;
	c->length = guest_length(c);
	q->path = mem_strdup(guest_path(h, q, r->path));
	c->path = q->path;
	if (!route_is_ours(&h->door, r, is_page(r->method, q->path)))
		guest_refuse(q, MHD_HTTP_FORBIDDEN,
			     "this is not the address of tm-view, or another page has asked");
	else if (!c->role)
		guest_refuse(q, MHD_HTTP_FORBIDDEN, "no such token");
	else
		q->then = h->guest->begin(h->guest->arg, c);
	q->takes = q->then == GUEST_TAKE;
	if (q->then != GUEST_ANSWER || (c->length != GUEST_UNKNOWN && c->length <= UPLOAD))
		return MHD_YES;
	q->over = true;
	return guest_send(q);
}

static enum MHD_Result guest_take(const struct http *h, struct client *q, const char *p, size_t *n)
{
	if (q->takes && !q->refuses) {
		q->refuses = !h->guest->take(h->guest->arg, &q->call, p, *n);
	} else {
		q->uploaded += *n;
		if (q->uploaded > GUEST_DISCARD)
			return MHD_NO;
	}
	*n = 0;
	return MHD_YES;
}

static void guest_hand_out(struct http *h, struct client *q)
{
	struct http_workers *w = &h->workers;

	pthread_mutex_lock(&w->mutex);
	*(w->last ? &w->last->next_work : &w->first) = q;
	w->last = q;
	q->next_work = NULL;
	pthread_cond_signal(&w->more);
	pthread_mutex_unlock(&w->mutex);
}

/* Behind the body. */
static enum MHD_Result guest_answer(struct http *h, struct client *q)
{
	if (q->over)
		return guest_send(q);
	if (q->takes) {
		q->takes = false;
		q->then = h->guest->end(h->guest->arg, &q->call);
	}
	q->over = true;
	if (q->then == GUEST_VIEW) {
		char name[ROUTE_NAME];
		enum route route = route_in_view(q->call.method, q->call.rest, name);

		q->view = q->call.view;
		return answer_in_view(h, q, route, name);
	}
	if (q->then == GUEST_ASSET)
		return !strcmp(q->call.method, "GET")
			   ? route_is_name(q->path)
				 ? give_asset(q->connection, *q->path ? q->path : h->guest->index)
				 : respond_text(q->connection, MHD_HTTP_NOT_FOUND,
						"nothing is here")
			   : respond_text(q->connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET");
	if (q->then != GUEST_WORK)
		return guest_send(q);
	mhd.suspend_connection(q->connection);
	guest_hand_out(h, q);
	return MHD_YES;
}

static void *guest_worker(void *arg)
{
	struct http *h = arg;
	struct http_workers *w = &h->workers;

	pthread_mutex_lock(&w->mutex);
	while (!w->end || w->first) {
		struct client *q = w->first;

		if (!q) {
			pthread_cond_wait(&w->more, &w->mutex);
			continue;
		}
		w->first = q->next_work;
		if (!w->first)
			w->last = NULL;
		pthread_mutex_unlock(&w->mutex);
		h->guest->work(h->guest->arg, &q->call);
		pthread_mutex_lock(&w->mutex);
		q->next_work = w->done;
		w->done = q;
		if (write(w->wake[1], "", 1) < 0)
			continue; /* it is full: the loop wakes up anyway */
	}
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

static void guest_resume(struct http *h)
{
	struct http_workers *w = &h->workers;
	struct client *q;
	char bytes[256];

	while (read(w->wake[0], bytes, sizeof bytes) > 0)
		;
	pthread_mutex_lock(&w->mutex);
	q = w->done;
	w->done = NULL;
	pthread_mutex_unlock(&w->mutex);
	while (q) {
		struct client *next = q->next_work;

		mhd.resume_connection(q->connection);
		q = next;
	}
}

static enum status guest_start(struct http *h, struct err *e)
{
	struct http_workers *w = &h->workers;
	sigset_t before;
	bool ok = true;

	if (!h->guest)
		return ST_OK;
	if (pipe2(w->wake, O_CLOEXEC | O_NONBLOCK))
		return err_sys(e, "a pipe");
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->more, NULL);
	query_block_signals(&before);
	while (ok && w->n < GUEST_THREADS) {
		ok = !pthread_create(&w->threads[w->n], NULL, guest_worker, h);
		w->n += ok;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return w->n ? ST_OK : err_sys(e, "a thread");
}

static void guest_stop(struct http *h)
{
	struct http_workers *w = &h->workers;

	if (!w->n)
		return;
	pthread_mutex_lock(&w->mutex);
	w->end = true;
	pthread_cond_broadcast(&w->more);
	pthread_mutex_unlock(&w->mutex);
	for (size_t i = 0; i < w->n; i++)
		pthread_join(w->threads[i], NULL);
	guest_resume(h);
	close(w->wake[0]);
	close(w->wake[1]);
	w->n = 0;
}

static void guest_done(struct http *h, struct client *q)
{
	struct client **at = &h->calls;

	while (*at && *at != q)
		at = &(*at)->next_call;
	if (*at)
		*at = q->next_call;
	h->guest->done(h->guest->arg, &q->call);
	buf_release(&q->call.reply.body);
	if (q->call.reply.file >= 0)
		close(q->call.reply.file);
	free(q->path);
}

static enum MHD_Result http_on_request(void *arg, struct MHD_Connection *c, const char *url,
				       const char *method, const char *version, const char *upload,
				       size_t *n_upload, void **state)
{
	struct http *h = arg;
	struct client *q = *state;
	char name[ROUTE_NAME];
	enum route route;
	struct route_request r = {
	    .method = method,
	    .path = url,
	    .host = mhd.lookup_connection_value(c, MHD_HEADER_KIND, "Host"),
	    .origin = mhd.lookup_connection_value(c, MHD_HEADER_KIND, "Origin"),
	    .site = mhd.lookup_connection_value(c, MHD_HEADER_KIND, "Sec-Fetch-Site"),
	};

	(void)version;
	if (!q) {
		*state = q = mem_zalloc(sizeof *q);
		q->connection = c;
		q->view = h->view;
		q->why = (struct err)ERR_INIT;
		return h->guest ? guest_begin(h, q, &r) : MHD_YES;
	}
	if (q->done)
		return q->gone ? MHD_NO : http_give_answer(q);
	if (q->is_call)
		return *n_upload ? guest_take(h, q, upload, n_upload) : guest_answer(h, q);
	if (*n_upload) { /* not read; the answer is due behind it */
		q->uploaded += *n_upload;
		*n_upload = 0;
		return q->uploaded > UPLOAD ? MHD_NO : MHD_YES;
	}
	route = route_of(&h->door, &r, name);
	return answer_in_view(h, q, route, name);
}

static void http_on_end(void *arg, struct MHD_Connection *c, void **state,
			enum MHD_RequestTerminationCode how)
{
	struct client *q = *state;

	(void)c;
	(void)how;
	if (!q)
		return;
	query_result_release(&q->answer);
	query_args_release(&q->question);
	if (q->is_call) /* behind the answer, which is of its view */
		guest_done(arg, q);
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
	for (const struct client *q = h->calls; q; q = q->next_call)
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
	if (++h->n_peers <= (h->guest ? GUEST_CONNECTIONS : CONNECTIONS))
		return;
	p = h->oldest;
	while (p && is_waiting(h, p->connection))
		p = p->newer;
	if (p)
		shutdown(socket_of(p->connection), SHUT_RDWR);
}

/* --- the loop --- */

static bool can_start(const struct http *h, struct client *q)
{
	return !q->started && !q->told && is_ready(h, q) && (!q->view->reads || q->page);
}

/* Those that are done go on; others take a place that is free. */
static void http_go_on(struct http *h)
{
	size_t running = 0;

	for (struct client **at = &h->waiting; *at;) {
		struct client *q = *at;

		if (q->started && !q->done && query_result_go_on(&q->answer))
			q->done = true;
		if (q->told && is_ready(h, q))
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
			oldest = can_start(h, q) ? q : oldest;
		if (!oldest)
			return;
		begin_question(oldest);
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

	if (h->view->reads)
		left = READING_MS;
	if (mhd.get_timeout(h->daemon, &ms) == MHD_YES && ms < (unsigned)left)
		left = (int)ms;
	for (struct client *q = h->waiting; q; q = q->next) {
		if (q->started && query_result_left(&q->answer) < left)
			left = query_result_left(&q->answer);
		if (!q->started && left > LOADING_MS && !is_ready(h, q))
			left = LOADING_MS;
	}
	return left;
}

/* Waits for anything: a request, an answer's next piece, a client that hangs up. */
static void http_wait_for(struct http *h, int epoll)
{
	struct pollfd fds[2 + 3 * WAITING];
	struct client *hung[2 + 3 * WAITING] = {NULL};
	size_t n = 0;

	add_fd(fds, &n, epoll, POLLIN);
	if (h->workers.n)
		add_fd(fds, &n, h->workers.wake[0], POLLIN);
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
	if (!h->guest)
		printf("%s\n", h->address);
	if (fflush(stdout))
		return err_sys(e, "standard output");
	if (guest_start(h, e))
		return err_failure(e);
	while (!stopped) {
		http_wait_for(h, i->epoll_fd);
		if (h->guest)
			guest_resume(h);
		if (mhd.run(h->daemon) != MHD_YES)
			return err_set(e, ST_SYS, "libmicrohttpd gave up");
		http_go_on(h);
		mhd.run(h->daemon);
		if (h->view->refresh && (h->view->reads || time(NULL) != looked)) {
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
	snprintf(h->root, sizeof h->root, "http://%s", h->door.hosts[0]);
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
		    h, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY,
		    MHD_OPTION_CONNECTION_LIMIT, 2U * GUEST_CONNECTIONS,
		    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		    MHD_OPTION_NOTIFY_CONNECTION, http_on_connection, h, MHD_OPTION_END);
		if (!h->daemon)
			err_set(e, ST_SYS, "libmicrohttpd does not start");
	}
	if (h->daemon)
		return h;
	http_free(h);
	return NULL;
}

void http_set_guest(struct http *h, const struct guest *g)
{
	h->guest = g;
	if (g->public_at)
		snprintf(h->door.hosts[ROUTE_PROXY], sizeof h->door.hosts[ROUTE_PROXY], "%s",
			 g->public_at);
}

const char *http_root(const struct http *h)
{
	return h->root;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	guest_stop(h);
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

void http_set_guest(struct http *h, const struct guest *g)
{
	(void)h;
	(void)g;
}

const char *http_root(const struct http *h)
{
	(void)h;
	return "";
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
