/* SPDX-License-Identifier: MIT
 *
 * The server of sessions: its options, and the requests that it answers.
 */
#include "cmd/tm-view/sessions.h"

#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/cli/cli.h"
#include "lib/cli/opt.h"
#include "lib/input/input.h"
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOTE_MOST = 4000 };

/* Of one request. */
struct sessions_call {
	struct store_request request;
	struct store_upload *upload;
	struct sessions_question question;
	struct opened *opened;
	struct buf note;
	bool note_too_long, ended;
};

static const struct {
	unsigned status;
	const char *why; /* beside what *e says */
} answers[] = {
    [STORE_DONE] = {201, "stored"},          [STORE_KNOWN] = {200, "was there"},
    [STORE_PART] = {202, "more is to come"}, [STORE_BAD] = {400, "bad"},
    [STORE_OFFSET] = {409, "conflict"},      [STORE_BUSY] = {423, "busy"},
    [STORE_LARGE] = {413, "too large"},      [STORE_FULL] = {507, "no room"},
    [STORE_FAILED] = {500, "failed"},
};

/* --- answers --- */

static void sessions_say(struct guest_call *c, unsigned status, const char *text)
{
	c->reply.status = status;
	c->reply.body.len = 0;
	buf_addf(&c->reply.body, "%s\n", text);
}

static void sessions_header(struct guest_call *c, const char *name, const char *value)
{
	size_t i = 0;

	while (i < GUEST_HEADERS - 1 && c->reply.headers[i].name)
		i++;
	c->reply.headers[i].name = name;
	snprintf(c->reply.headers[i].value, GUEST_HEADER_VALUE, "%s", value);
}

static void sessions_offset(struct guest_call *c, uint64_t have)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, have);
	sessions_header(c, "Upload-Offset", text);
	sessions_header(c, "Upload-Complete", "?0");
}

static void sessions_answer(struct guest_call *c, enum store_answer a, const struct err *e)
{
	sessions_say(c, answers[a].status, e->code ? e->msg : answers[a].why);
}

static unsigned sessions_status_of(enum status st)
{
	return st == ST_ABSENT || st == ST_NONE ? 404 : st == ST_SYS || st == ST_PIPE ? 503 : 400;
}

static void sessions_fail(struct guest_call *c, const struct err *e)
{
	sessions_say(c, sessions_status_of(e->code), e->msg);
}

/* --- requests --- */

struct sessions_arguments {
	struct store_meta *meta;
	struct err *e;
};

static bool sessions_take_label(void *arg, const char *name, const char *value)
{
	const struct sessions_arguments *a = arg;

	return !store_meta_label(a->meta, name, value ? value : "", a->e);
}

static bool has_bad_value(const struct store_meta *m, struct err *e)
{
	const char *status = store_meta_get(m, "status"), *date = store_meta_get(m, "date");
	char to[HISTORY_DATE];
	bool known = !status;

	for (size_t i = 0; status && history_statuses[i]; i++)
		known |= !strcmp(history_statuses[i], status);
	if (!known)
		err_set(e, ST_BAD, "status: green, red or unknown, not '%s'", status);
	else if (date && !history_date(date, to))
		err_set(e, ST_BAD, "date: '%s' is not YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ", date);
	return e->code != ST_OK;
}

static enum guest_next sessions_begin_upload(struct view_sessions *s, struct guest_call *c,
					     struct sessions_call *q)
{
	struct err e = ERR_INIT;
	struct sessions_arguments a = {&q->request.meta, &e};
	uint64_t have = 0;
	enum store_answer answer;
	bool whole = false;

	if (!guest_arguments(c, sessions_take_label, &a) || has_bad_value(&q->request.meta, &e)) {
		sessions_answer(c, STORE_BAD, &e);
		return GUEST_ANSWER;
	}
	if (q->request.wish == STORE_WISH_OFFSET) {
		if (!store_offset(s->store, &q->request.meta, &q->request.file, &have, &whole)) {
			sessions_say(c, 404, "nothing is there of this upload");
			return GUEST_ANSWER;
		}
		sessions_say(c, 200, "");
		if (whole) /* nothing goes on: another file of this length begins */
			sessions_header(c, "Upload-Complete", "?1");
		else
			sessions_offset(c, have);
		return GUEST_ANSWER;
	}
	answer = store_begin(s->store, &q->request.meta, q->request.from, q->request.n,
			     &q->request.file, &q->upload, &have, &e);
	if (answer == STORE_DONE)
		return GUEST_TAKE;
	sessions_answer(c, answer, &e);
	if (answer == STORE_OFFSET)
		sessions_offset(c, have);
	return GUEST_ANSWER;
}

static void take_word(const struct guest_call *c, const char *name, char *to, size_t n)
{
	const char *value = guest_argument(c, name);

	snprintf(to, n, "%s", value ? value : "");
}

static void sessions_take_question(const struct guest_call *c, struct sessions_question *q)
{
	take_word(c, "by", q->by, sizeof q->by);
	take_word(c, "sort", q->sort, sizeof q->sort);
	take_word(c, "name", q->name, sizeof q->name);
	take_word(c, "branch", q->branch, sizeof q->branch);
	take_word(c, "machine", q->machine, sizeof q->machine);
	take_word(c, "from", q->from, sizeof q->from);
	take_word(c, "to", q->to, sizeof q->to);
	take_word(c, "step", q->step, sizeof q->step);
}

static enum guest_next sessions_send_capture(struct view_sessions *s, struct guest_call *c,
					     uint64_t id)
{
	struct store_session one;
	struct stat st;
	char *path, name[STORE_NAME + 32];
	int fd;

	if (!store_session(s->store, id, &one)) {
		sessions_say(c, 404, "no such session");
		return GUEST_ANSWER;
	}
	path = store_capture_path(s->store, one.digest);
	fd = one.gone ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	free(path);
	if (fd < 0 || fstat(fd, &st)) {
		sessions_say(c, 410, "the capture is no longer kept");
		return GUEST_ANSWER;
	}
	c->reply.status = 200;
	c->reply.type = "application/octet-stream";
	c->reply.file = fd;
	c->reply.size = (uint64_t)st.st_size;
	snprintf(name, sizeof name, "attachment; filename=\"%s\"", one.meta.name);
	sessions_header(c, "Content-Disposition", name);
	return GUEST_ANSWER;
}

static enum guest_next sessions_open(struct view_sessions *s, struct guest_call *c,
				     struct sessions_call *q)
{
	const uint64_t ids[OPENED_SIDES] = {q->request.id, q->request.second};
	unsigned status;
	const char *why;

	q->opened = opened_take(&s->opened, ids, q->request.second ? 2 : 1, &status, &why);
	if (!q->opened) {
		sessions_say(c, status, why);
		return GUEST_ANSWER;
	}
	c->view = opened_view(q->opened);
	c->rest = q->request.rest;
	return GUEST_VIEW;
}

static bool sessions_ready(void *arg, struct guest_call *c)
{
	struct view_sessions *s = arg;
	const struct sessions_call *q = c->state;

	return opened_ready(&s->opened, q->opened);
}

static void sessions_look(struct view *v)
{
	struct view_sessions *s = v->arg;

	opened_look(&s->opened);
}

/* Of the body, or of the file that HEAD asks for. */
static uint64_t sessions_length(const struct guest_call *c)
{
	const char *told = guest_header(c, "Upload-Length");
	uint64_t length;

	if (strcmp(c->method, "HEAD") != 0)
		return c->length;
	return told && num_dec(told, strlen(told), &length) ? length : STORE_UNKNOWN;
}

static enum guest_next sessions_begin(void *arg, struct guest_call *c)
{
	struct sessions_call *q = mem_zalloc(sizeof *q);
	struct view_sessions *s = arg;
	struct err e = ERR_INIT;

	c->state = q;
	if (store_request(&q->request, c->method, c->path, guest_header(c, "Content-Range"),
			  guest_header(c, "Repr-Digest"), sessions_length(c), &e)) {
		sessions_say(c, 400, e.msg);
		return GUEST_ANSWER;
	}
	if (q->request.wish == STORE_WISH_METHOD) {
		sessions_say(c, 405, "this path has not this method");
		return GUEST_ANSWER;
	}
	if (!(c->role & (q->request.wish == STORE_WISH_NONE ? STORE_READ : q->request.role))) {
		sessions_say(c, 403, "this token may not do this");
		return GUEST_ANSWER;
	}
	switch (q->request.wish) {
	case STORE_WISH_UPLOAD:
	case STORE_WISH_OFFSET: return sessions_begin_upload(s, c, q);
	case STORE_WISH_CAPTURE: return sessions_send_capture(s, c, q->request.id);
	case STORE_WISH_OPEN: return sessions_open(s, c, q);
	case STORE_WISH_NOTE: return GUEST_TAKE;
	case STORE_WISH_LIST: return GUEST_WORK;
	case STORE_WISH_TREND:
	case STORE_WISH_COMPARE: sessions_take_question(c, &q->question); return GUEST_WORK;
	default: return GUEST_ASSET;
	}
}

static bool sessions_take(void *arg, struct guest_call *c, const char *p, size_t n)
{
	struct sessions_call *q = c->state;

	(void)arg;
	if (q->upload)
		return store_append(q->upload, p, n) == STORE_DONE;
	q->note_too_long |= q->note.len + n > NOTE_MOST;
	if (!q->note_too_long)
		buf_add(&q->note, p, n);
	return !q->note_too_long;
}

static enum guest_next sessions_end(void *arg, struct guest_call *c)
{
	struct sessions_call *q = c->state;
	struct err e = ERR_INIT;
	enum store_answer a;
	uint64_t have = 0;

	(void)arg;
	if (!q->upload) {
		if (!q->note_too_long)
			return GUEST_WORK;
		sessions_say(c, 413, "a note may have 4000 bytes");
		return GUEST_ANSWER;
	}
	a = store_end(q->upload, &have, &e);
	if (a == STORE_DONE)
		return GUEST_WORK;
	sessions_answer(c, a, &e);
	sessions_offset(c, have);
	return GUEST_ANSWER;
}

/* What was stored is kept, whatever it is; who sent it learns at once that it will not be read. */
static bool is_no_capture(struct view_sessions *s, uint64_t id, struct err *e)
{
	struct store_session one;
	struct input in = {0};
	enum status st;
	char *path;

	if (!store_session(s->store, id, &one) || one.gone)
		return false;
	path = store_capture_path(s->store, one.digest);
	st = input_open(&in, path, e);
	if (!st)
		st = capture_recognize(&in, e);
	input_close(&in);
	free(path);
	return st == ST_BAD || st == ST_UNSUPPORTED;
}

static void sessions_finish(struct view_sessions *s, struct guest_call *c, struct sessions_call *q)
{
	struct store_upload *u = q->upload;
	struct err e = ERR_INIT;
	enum store_answer a;
	uint64_t id = 0;
	char text[24];

	q->upload = NULL;
	a = store_finish(u, &id, &e);
	sessions_answer(c, a, &e);
	if (a != STORE_DONE && a != STORE_KNOWN)
		return;
	snprintf(text, sizeof text, "%" PRIu64, id);
	sessions_header(c, "Session", text);
	c->reply.body.len = 0;
	buf_addf(&c->reply.body, "session %s: %s", text, answers[a].why);
	if (is_no_capture(s, id, &e))
		buf_addf(&c->reply.body, ", but it is no capture that can be read: %s", e.msg);
	buf_addc(&c->reply.body, '\n');
}

static void sessions_work(void *arg, struct guest_call *c)
{
	struct view_sessions *s = arg;
	struct sessions_call *q = c->state;
	struct err e = ERR_INIT;
	enum status st = ST_OK;

	c->reply.status = 200;
	c->reply.type = "application/json";
	switch (q->request.wish) {
	case STORE_WISH_UPLOAD:
		c->reply.type = NULL;
		sessions_finish(s, c, q);
		return;
	case STORE_WISH_LIST: st = sessions_list(s, &c->reply.body, &e); break;
	case STORE_WISH_TREND: st = sessions_trend(s, &q->question, &c->reply.body, &e); break;
	case STORE_WISH_COMPARE: st = sessions_compare(s, &q->question, &c->reply.body, &e); break;
	default:
		c->reply.type = NULL;
		st = sessions_note(s, (int64_t)q->request.id, buf_str(&q->note), &e);
		break;
	}
	if (st) {
		c->reply.type = NULL;
		sessions_fail(c, &e);
	}
}

static void sessions_done(void *arg, struct guest_call *c)
{
	struct sessions_call *q = c->state;

	(void)arg;
	if (!q)
		return;
	opened_give_back(q->opened);
	store_drop(q->upload);
	buf_release(&q->note);
	free(q);
	c->state = NULL;
}

static unsigned sessions_role(void *arg, const char *token, size_t n)
{
	const struct view_sessions *s = arg;

	return store_role_of(s->store, token, n);
}

/* --- the server --- */

void sessions_check(struct view_sessions *s)
{
	bool url = db_is_url(s->place);

	if (url && !s->folder)
		cli_usage("--store %s: --captures DIR is needed, where captures are kept",
			  db_shown(s->place));
	if (!url && s->folder)
		cli_usage("--captures: a store in a folder keeps its captures there");
	if (!s->most)
		cli_usage("--capture-bytes must be above 0");
	if (s->public_at &&
	    (!*s->public_at || strlen(s->public_at) >= 80 || strpbrk(s->public_at, "/@ ")))
		cli_usage("--public: '%s' is not HOST or HOST:PORT", s->public_at);
	if (!url)
		s->folder = s->place;
}

const char *sessions_when(const struct view_sessions *s)
{
	return db_is_url(s->place) ? "--store on PostgreSQL" : "--store";
}

/* A descriptor for each connection, and one for each upload. */
static void raise_descriptors(void)
{
	struct rlimit r;

	if (!getrlimit(RLIMIT_NOFILE, &r)) {
		r.rlim_cur = r.rlim_max < 8192 ? r.rlim_max : 8192;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

bool sessions_start(struct view_sessions *s)
{
	const struct store_options o = {s->most, s->keep_last, s->keep_days};
	struct buf said = BUF_INIT, where = BUF_INIT;
	struct err e = ERR_INIT;

	raise_descriptors();
	signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is a full disk */
	s->store = store_open(s->folder, &o, &said, &e);
	buf_str(&said);
	for (char *line = said.data, *end; line && (end = strchr(line, '\n')); line = end + 1)
		cli_note(s->folder, "%.*s", (int)(end - line), line);
	buf_release(&said);
	if (!s->store) {
		cli_fail(s->folder, &e);
		return false;
	}
	if (db_is_url(s->place))
		buf_adds(&where, s->place);
	else
		buf_addf(&where, "%s/history.db", s->folder);
	buf_str(&where);
	s->where = where.data;
	cli_store_file(s->where);
	sandbox_allow(SANDBOX_STORE, s->folder);
	sandbox_allow(SANDBOX_CACHE, s->folder);
	return true;
}

static void sessions_print(const struct view_sessions *s, const struct http *door)
{
	const char *root = http_root(door);
	const char *read = store_token(s->store, STORE_EDIT),
		   *upload = store_token(s->store, STORE_UPLOAD);

	read = read ? read : store_token(s->store, STORE_READ);
	if (read)
		printf("%s/%s/\n", root, read);
	if (upload)
		printf("%s/%s/upload/\n", root, upload);
}

void sessions_run(struct view_sessions *s, struct http *door)
{
	struct err e = ERR_INIT;

	if (history_open(&s->history, s->where, DB_CREATE, 60, &e)) {
		cli_fail(s->history.shown ? s->history.shown : s->folder, &e);
		return;
	}
	s->guest = (struct guest){.arg = s,
				  .index = "sessions.html",
				  .public_at = s->public_at,
				  .role = sessions_role,
				  .begin = sessions_begin,
				  .take = sessions_take,
				  .end = sessions_end,
				  .work = sessions_work,
				  .ready = sessions_ready,
				  .done = sessions_done};
	s->opened = (struct opened_sessions){.store = s->store, .like = s->view};
	s->view->refresh = sessions_look;
	s->view->arg = s;
	http_set_guest(door, &s->guest);
	if (!sessions_reader_start(s)) {
		cli_error(NULL, "a thread cannot be started");
		cli_status(EXIT_INPUT);
		return;
	}
	sessions_print(s, door);
	if (http_run(door, &e))
		cli_fail(NULL, &e);
}

bool sessions_release(struct view_sessions *s)
{
	bool all = opened_release(&s->opened);

	sessions_reader_stop(s);
	history_close(&s->history);
	store_close(s->store);
	free(s->where);
	return all;
}
