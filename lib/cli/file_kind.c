/* SPDX-License-Identifier: MIT */
#include "lib/cli/file_kind.h"

#include "formats/known_types.h"
#include "lib/cli/cli.h"
#include "lib/cli/front.h"
#include "lib/sandbox/sandbox.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WITHIN = 4096, ENOUGH = 100000 };

__attribute__((format(printf, 2, 3))) static void kind_describe(struct file_kind *k,
								const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(k->what, sizeof k->what, fmt, ap);
	va_end(ap);
}

/* Looks at events until they say what the capture is about. */
struct kind_sink {
	struct sink sink;
	uint64_t objects, calls, counters, seen;
	char format[64];
};

static enum status kind_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct kind_sink *k = (struct kind_sink *)s;
	const char *format = trace_get(t, "format");

	(void)e;
	if (format && !*k->format)
		snprintf(k->format, sizeof k->format, "%s", format);
	return ST_OK;
}

static enum status kind_event(struct sink *s, struct trace *t, const struct event *ev,
			      struct err *e)
{
	struct kind_sink *k = (struct kind_sink *)s;

	(void)t;
	switch (ev->kind) {
	case EV_OBJECT: k->objects++; break;
	case EV_COUNTER: k->counters++; break;
	case EV_ALLOC:
	case EV_PROFILE:
	case EV_TYPE_TOTAL:
	case EV_DELTA:
	case EV_SAMPLE:
	case EV_ENTER: k->calls++; break;
	default: break;
	}
	if (k->objects || k->calls || ++k->seen > ENOUGH)
		return err_set(e, ST_PIPE, "enough");
	return ST_OK;
}

static enum status kind_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
			      struct err *e)
{
	return sink_each(s, t, b, e, kind_event);
}

static enum status kind_end(struct sink *s, struct trace *t, struct err *e)
{
	(void)s;
	(void)t;
	(void)e;
	return ST_OK;
}

static const char *kind_program(const struct kind_sink *s, const char *format)
{
	return !strcmp(format, "pet")     ? "spikes"
	       : s->objects               ? "heap"
	       : s->calls || !s->counters ? "top"
					  : "frames";
}

static void kind_of_capture(struct input *in, const struct reader *r, struct file_kind *k)
{
	struct kind_sink sink = {
	    .sink = {.begin = kind_begin, .batch = kind_batch, .end = kind_end}};
	struct import_options o = {.format = r->name};
	const char *from = NULL;
	bool lossy;

	/* What is wrong with it is for the report to say. */
	(void)capture_read(in, &o, &sink.sink, &lossy, in->cur.e);
	if (!strcmp(r->name, "trace") && *sink.format)
		from = reader_what(sink.format);
	kind_describe(k, "%s%s%s%s", strcmp(r->name, "trace") ? r->what : "a trace of tracemill",
		      from ? ", from " : "", from ? from : "", "");
	k->program = kind_program(&sink, r->name);
	k->advice = r->advice;
}

/* By the first capture in it. */
static void kind_of_archive(struct input *in, const char *what, struct file_kind *k)
{
	struct kind_sink sink = {
	    .sink = {.begin = kind_begin, .batch = kind_batch, .end = kind_end}};
	struct import_options o = {.format = NULL};
	const char *first;
	bool lossy;

	(void)capture_read(in, &o, &sink.sink, &lossy, in->cur.e);
	first = *sink.format ? reader_what(sink.format) : NULL;
	kind_describe(k, "%s%s%s", what, first ? " of captures, the first: " : "",
		      first ? first : "");
	k->program = kind_program(&sink, sink.format);
}

static void kind_of_rest(struct file_kind *k, const uint8_t *p, size_t n)
{
	size_t texts = 0;

	for (size_t i = 0; readers[i]; i++)
		if (readers[i]->by_name && readers[i]->bid(p, n, n < INPUT_HEAD)) {
			kind_describe(k, "%s", readers[i]->what);
			k->format = readers[i]->name;
			k->advice =
			    "a part of a run: tm-session FOLDER takes it with the run's captures";
			return;
		}
	for (size_t i = 0; i < n && i < WITHIN; i++)
		texts += p[i] >= ' ' || p[i] == '\n' || p[i] == '\t' || p[i] == '\r';
	kind_describe(k, "%s, in no known format",
		      texts == (n < WITHIN ? n : (size_t)WITHIN) ? "text" : "binary data");
	k->advice = "known formats: tm-import --list-formats";
}

static void kind_of_head(struct input *in, const char *path, struct file_kind *k, const uint8_t *p,
			 size_t n)
{
	int bid = 0;
	const struct reader *r = reader_by_bid(p, n, n < INPUT_HEAD, &bid);
	const struct known_type *f = known_type_of(p, n, bid);
	const char *archive = capture_archive(p, n);

	if (!r && known_type_of_folder(path))
		f = known_type_of_folder(path);
	else if (!f && !r)
		f = known_type_by_name(path);
	if (archive) {
		kind_of_archive(in, archive, k);
	} else if (f) {
		kind_describe(k, "%s", f->what);
		k->program = f->program;
		k->advice = f->program ? NULL : f->advice; /* its report says more */
	} else if (r) {
		kind_of_capture(in, r, k);
	} else {
		kind_of_rest(k, p, n);
	}
}

enum status file_kind_of(struct input *in, const char *path, struct file_kind *k)
{
	const uint8_t *p = NULL;
	size_t n = 0;
	enum status st = input_head(in, &p, &n);

	*k = (struct file_kind){.program = NULL};
	if (!st && !n) {
		kind_describe(k, "an empty file");
		k->advice = "the program that opened it has written nothing";
	} else if (!st) {
		kind_of_head(in, path, k, p, n);
	}
	return st;
}

/* --- a process of its own, which is held --- */

/* Texts instead of pointers, and nothing that a process gone wrong could use: its program is one of this list. */
struct look {
	const char *path; /* is looked at */
	enum status st;
	struct err e;
	char what[sizeof((struct file_kind *)0)->what], advice[400];
	unsigned program, has_advice;
};

static const char *const programs[] = {"top", "frames", "spikes", "heap", "inspect", NULL};
enum { PROGRAMS = sizeof programs / sizeof *programs - 1 };

static void look_at(struct look *look)
{
	struct input in = {0};
	struct file_kind k = {.program = NULL};

	look->st = input_open(&in, look->path, &look->e);
	if (!look->st)
		look->st = file_kind_of(&in, look->path, &k);
	if (look->st)
		return;
	memcpy(look->what, k.what, sizeof look->what);
	look->has_advice = k.advice != NULL;
	snprintf(look->advice, sizeof look->advice, "%s", k.advice ? k.advice : "");
	for (unsigned i = 0; k.program && i < PROGRAMS; i++)
		if (!strcmp(programs[i], k.program))
			look->program = i;
}

static struct look look; /* of the last file: advice points into it */
/* An answer is written and read at once. */
_Static_assert(sizeof look <= PIPE_BUF, "an answer is longer than what a pipe takes at once");

static void look_and_tell(void *to)
{
	cli_sandbox("tracemill", "show, looking");
	look_at(&look);
	_exit(write(*(int *)to, &look, sizeof look) == sizeof look ? 0 : 1);
}

enum status file_look(const char *path, struct file_kind *k, struct err *e)
{
	int ends[2];
	bool heard;

	*k = (struct file_kind){.program = NULL};
	look = (struct look){.path = path, .e = ERR_INIT, .program = PROGRAMS};
	sandbox_allow(SANDBOX_READ, path);
	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "a pipe");
	heard = !front_child(look_and_tell, &ends[1]) &&
		read(ends[0], &look, sizeof look) == sizeof look;
	close(ends[0]);
	close(ends[1]);
	look.what[sizeof look.what - 1] = look.advice[sizeof look.advice - 1] = 0;
	look.e.msg[sizeof look.e.msg - 1] = 0;
	if (!heard)
		return err_set(e, ST_BAD,
			       "the process that looked at it has ended without an answer");
	*e = look.e;
	if (look.st)
		return err_failure(e);
	memcpy(k->what, look.what, sizeof k->what);
	k->program = look.program < PROGRAMS ? programs[look.program] : NULL;
	k->advice = look.has_advice ? look.advice : NULL;
	return ST_OK;
}

const char *file_not_a_log(const char *path, bool *is_capture, const char **advice)
{
	struct err ignored = ERR_INIT;
	const struct known_type *known = NULL;
	const struct reader *r = NULL;
	struct input in = {0};
	const uint8_t *head;
	size_t n;

	if (!input_open(&in, path, &ignored) && !input_head(&in, &head, &n) && n) {
		r = reader_by_bid(head, n, n < INPUT_HEAD, NULL);
		known = r ? NULL : known_type_of(head, n, 0);
	}
	input_close(&in);
	*is_capture = r;
	*advice = known ? known->advice : NULL;
	return r && !r->guesses ? r->what : known ? known->what : NULL;
}
