/* SPDX-License-Identifier: MIT */
#include "lib/cli/file_kind.h"

#include "formats/foreign.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WITHIN = 4096, ENOUGH = 100000 };

__attribute__((format(printf, 2, 3))) static void kind_say(struct file_kind *k, const char *fmt,
							   ...)
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
	    .sink = {.begin = kind_begin, .event = kind_event, .end = kind_end}};
	struct import_options o = {.format = r->name};
	struct err e = ERR_INIT;
	const struct reader *from = NULL;
	bool lossy;

	/* What is wrong with it is for the report to say. */
	(void)capture_read(in, &o, &sink.sink, &lossy, &e);
	if (!strcmp(r->name, "trace") && *sink.format)
		from = reader_by_name(sink.format);
	kind_say(k, "%s%s%s%s", strcmp(r->name, "trace") ? r->what : "a trace of tracemill",
		 from ? ", from " : "", from ? from->what : "", "");
	k->program = kind_program(&sink, r->name);
}

/* By the first capture in it. */
static void kind_of_archive(struct input *in, const char *what, struct file_kind *k)
{
	struct kind_sink sink = {
	    .sink = {.begin = kind_begin, .event = kind_event, .end = kind_end}};
	struct import_options o = {.format = NULL};
	struct err e = ERR_INIT;
	const struct reader *first;
	bool lossy;

	(void)capture_read(in, &o, &sink.sink, &lossy, &e);
	first = *sink.format ? reader_by_name(sink.format) : NULL;
	kind_say(k, "%s%s%s", what, first ? " of captures, the first: " : "",
		 first ? first->what : "");
	k->program = kind_program(&sink, sink.format);
}

static void kind_of_rest(struct file_kind *k, const uint8_t *p, size_t n)
{
	size_t texts = 0;

	for (size_t i = 0; i < n && i < WITHIN; i++)
		texts += p[i] >= ' ' || p[i] == '\n' || p[i] == '\t' || p[i] == '\r';
	kind_say(k, "%s, in no form that is known",
		 texts == (n < WITHIN ? n : (size_t)WITHIN) ? "text" : "binary data");
	k->advice = "the forms that are read: tm-import --list-formats";
}

static void kind_of_head(struct input *in, const char *path, struct file_kind *k, const uint8_t *p,
			 size_t n)
{
	int bid = 0;
	const struct reader *r = reader_by_bid(p, n, n < INPUT_HEAD, &bid);
	const struct foreign *f = foreign_of(p, n, bid);
	const char *archive = capture_archive(p, n);

	if (!f && !r)
		f = foreign_by_name(path);
	if (archive) {
		kind_of_archive(in, archive, k);
	} else if (f) {
		kind_say(k, "%s", f->what);
		k->program = f->program;
		k->advice = f->advice;
	} else if (r) {
		kind_of_capture(in, r, k);
	} else {
		kind_of_rest(k, p, n);
	}
}

enum status file_look(const char *path, struct file_kind *k, struct err *e)
{
	struct input in = {0};
	const uint8_t *p = NULL;
	size_t n = 0;
	enum status status;

	*k = (struct file_kind){.program = NULL};
	status = input_open(&in, path, e);
	if (!status)
		status = input_head(&in, &p, &n);
	if (!status && !n) {
		kind_say(k, "an empty file");
		k->advice = "whatever should have written it has not";
	} else if (!status) {
		kind_of_head(&in, path, k, p, n);
	}
	input_close(&in);
	return status;
}
