/* SPDX-License-Identifier: MIT */
#include "formats/reader.h"

#include "formats/import.h"
#include "formats/known_types.h"
#include "lib/base/buf.h"
#include "lib/input/members.h"
#include "lib/trace/tap.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* READER(reader_x) for each reader that a file of formats/ defines: the Makefile finds them. */
#define READER(name) extern const struct reader name;
#include "formats/readers.h"
#undef READER

#define READER(name) &name,
const struct reader *const readers[] = {
#include "formats/readers.h"
    NULL,
};

const char *const capabilities_words[] = {
    "allocations", "what is live", "types",     "stacks",    "samples",
    "calls",       "time",         "threads",   "frames",    "counters",
    "objects",     "references",   "addresses", "build-ids", NULL,
};

const struct reader *reader_by_name(const char *name, const struct reader_part **part)
{
	const struct reader_part *p;

	for (size_t i = 0; readers[i]; i++) {
		for (p = readers[i]->parts; p && p->name && strcmp(p->name, name) != 0; p++)
			;
		p = p && p->name ? p : NULL;
		if (part)
			*part = p;
		if (p || !strcmp(readers[i]->name, name))
			return readers[i];
	}
	return NULL;
}

const char *reader_what(const char *name)
{
	const struct reader_part *part;
	const struct reader *r = reader_by_name(name, &part);

	return part ? part->what : r ? r->what : NULL;
}

const struct reader *reader_by_bid(const uint8_t *head, size_t n, bool whole, int *bid)
{
	const struct reader *best = NULL;
	int most = 0;

	for (size_t i = 0; readers[i]; i++) {
		int b = readers[i]->by_name ? 0 : readers[i]->bid(head, n, whole);

		if (b > most || (b && b == most && strcmp(readers[i]->name, best->name) < 0)) {
			most = b;
			best = readers[i];
		}
	}
	if (best && best->guesses && known_type_of(head, n, MEMBERS_GUESS_BITS)) {
		best = NULL;
		most = 0;
	}
	if (bid)
		*bid = most;
	return best;
}

static enum status reader_choose(struct input *in, const struct import_options *o,
				 const struct reader **r, const struct reader_part **part,
				 struct err *e)
{
	const struct known_type *f;
	const uint8_t *head = NULL;
	size_t n;
	enum status st = ST_OK;

	/* A pipe that is being written gives its first bytes long before 64 KiB. */
	n = o->format ? cursor_available(&in->cur, 1) : 0;
	if (!n)
		st = input_head(in, &head, &n);
	if (st)
		return st;
	if (!n)
		return err_set(e, ST_BAD, "empty file");
	if (o->format) {
		*r = reader_by_name(o->format, part);
		return *r ? ST_OK
			  : err_set(e, ST_UNSUPPORTED,
				    "unknown format '%s' (tm-import "
				    "--list-formats)",
				    o->format);
	}
	/* What goes on in a volume looks like what it is. */
	*r = members_tar_goes_on(head, n) ? NULL : reader_by_bid(head, n, n < INPUT_HEAD, NULL);
	if (*r)
		return ST_OK;
	f = known_type_of_folder(in->name);
	if (!f)
		f = known_type_of(head, n, 0);
	if (!f)
		f = known_type_by_name(in->name);
	if (f)
		return err_set(e, ST_UNSUPPORTED,
			       "not a capture that tracemill reads, but "
			       "%s%s%s",
			       f->what, f->advice ? ": " : "", f->advice ? f->advice : "");
	return err_set(e, ST_UNSUPPORTED, "unknown capture format (tm-import --list-formats)");
}

enum status capture_recognize(struct input *in, struct err *e)
{
	const struct import_options o = {0};
	const struct reader_part *part = NULL;
	const struct reader *r = NULL;

	return reader_choose(in, &o, &r, &part, e);
}

static uint64_t events(const struct trace *t)
{
	uint64_t n = 0;

	for (int k = 0; k < EV_KINDS; k++)
		n += t->events[k];
	return n;
}

enum { MEMBERS_NAMED = 16 };

/* What is to be said of members that gave no capture: in the one before them, or the first behind. */
struct left_out {
	struct {
		enum severity severity;
		char text[500];
	} items[MEMBERS_NAMED];
	size_t n;
	uint64_t more, more_lost; /* that are not named */
};

/* Between reader and sink: remembers whether an error was the output's or the input's, and
 * begins a capture only with its first event, so that one that fails before leaves no trace. The
 * last capture of a member ends when the next one begins: until then it takes notes on what is
 * between the two. */
struct guard {
	struct sink_tap tap; /* first */
	bool begun;
	struct trace *waits; /* for its end */
	bool waits_begun;
	struct left_out *left_out;
	bool *lossy;
};

static void note_left_out(struct left_out *l, struct trace *t)
{
	for (size_t i = 0; i < l->n; i++)
		trace_note(t, l->items[i].severity, 0, "%s", l->items[i].text);
	if (l->more)
		trace_note(t, NOTE_INFO, l->more, "more members of the archive are not captures");
	if (l->more_lost)
		trace_note(t, NOTE_LOSS, l->more_lost, "more members of the archive were not read");
	l->n = 0;
	l->more = l->more_lost = 0;
}

static enum status end_waiting(struct guard *g, struct err *e)
{
	struct trace *t = g->waits;
	enum status st = ST_OK;

	if (!t)
		return ST_OK;
	note_left_out(g->left_out, t);
	for (size_t i = 0; i < t->n_notes; i++)
		*g->lossy |= t->notes[i].severity == NOTE_LOSS;
	if (!g->waits_begun)
		st = g->tap.to->begin(g->tap.to, t, e);
	if (!st)
		st = g->tap.to->end(g->tap.to, t, e);
	g->tap.failed |= st != ST_OK;
	trace_free(t);
	g->waits = NULL;
	return st;
}

static enum status reader_guard_begin(struct sink *s, struct trace *t, struct err *e)
{
	struct guard *g = (struct guard *)s;

	(void)t;
	(void)e;
	g->begun = false;
	return ST_OK;
}

static enum status begin(struct guard *g, struct trace *t, struct err *e)
{
	enum status st = end_waiting(g, e);

	if (!st)
		st = g->tap.to->begin(g->tap.to, t, e);
	g->begun = true;
	g->tap.failed |= st != ST_OK;
	return st;
}

static enum status reader_guard_batch(struct sink_tap *tap, struct trace *t,
				      const struct sink_batch *b, struct err *e)
{
	struct guard *g = (struct guard *)tap;

	(void)b;
	return g->begun ? ST_OK : begin(g, t, e);
}

static enum status reader_guard_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	return reader_guard_batch(tap, t, NULL, e);
}

/* What comes first begins the capture, and is no columns: the sink behind is asked for them once it has begun. */
static unsigned reader_guard_wants(struct sink *s, const struct trace *t)
{
	struct guard *g = (struct guard *)s;

	return sink_wants(g->tap.to, t) & (g->begun ? UINT_MAX : SINK_WANTS_MOVES);
}

static const struct tap_hooks reader_guard_hooks = {.batch = reader_guard_batch,
						    .end = reader_guard_end};

/* Whether more bytes are behind the failure than before it; of what was cut, those are not there. No more
 * are read than it takes to know. */
static bool is_mostly_lost(struct input *in, const struct err *why)
{
	struct cursor *c = &in->cur;
	uint64_t at = why->offset == ERR_NO_OFFSET ? cursor_offset(c) : why->offset;
	size_t n;

	if (c->ran_out)
		return false;
	c->failed = false;
	while (cursor_offset(c) / 2 <= at && (n = cursor_available(c, 1)))
		c->pos += n;
	return cursor_offset(c) / 2 > at;
}

/* Reads im->in, whose last capture stays open; without one the failure is the whole of it. */
static enum status read_one(struct import *im, const struct guard *g, struct err *e)
{
	const struct reader *r = NULL;
	const struct reader_part *part = NULL;
	enum status st = reader_choose(im->in, im->options, &r, &part, e);

	if (!st && r->rewinds)
		st = input_keep(im->in);
	if (st)
		return st;
	im->reader = r;
	im->part = part;
	im->captures = im->broken = 0;
	st = import_capture_new(im, e);
	if (st)
		return st;
	if (im->in->member && !r->own_tables)
		trace_set(im->t, "member", im->in->name);
	st = r->read(im, e);
	if (!st && im->t)
		import_capture_whole(im);
	if (!st || g->tap.failed || !im->t || (im->captures == 1 && !events(im->t)))
		return st;
	if (e->offset == ERR_NO_OFFSET)
		trace_note(im->t, NOTE_LOSS, 0, "%s; the rest was not read", e->msg);
	else
		trace_note(im->t, NOTE_LOSS, 0, "%s (at byte %llu); the rest was not read", e->msg,
			   (unsigned long long)e->offset);
	if (!im->options->format && is_mostly_lost(im->in, e)) {
		im->mostly_lost = *e;
		err_prefix(&im->mostly_lost,
			   "most of the file cannot be read as %s (-f %s reads the part "
			   "before the error)",
			   r->name, r->name);
		im->t->notes_told = true;
	}
	return ST_OK;
}

/* Readers take what they know better: what begins an archive could be within a file of theirs. */
const char *capture_archive(const uint8_t *head, size_t n)
{
	int bits = 0, bid = 0;
	enum archive what = members_head(head, n, &bits);

	if (what)
		reader_by_bid(head, n, n < INPUT_HEAD, &bid);
	return bid < bits ? known_type_archive(what) : NULL;
}

static const char *archive_of(struct input *in, const struct import_options *o)
{
	const uint8_t *head = NULL;
	size_t n = 0;

	/* As reader_choose does, of a pipe that is being written. */
	if (!o->format && input_head(in, &head, &n))
		return NULL;
	if (o->format && cursor_available(&in->cur, 1)) {
		int bits = 0;
		enum archive what = members_head(in->cur.pos, cursor_window(&in->cur), &bits);

		return bits > MEMBERS_GUESS_BITS ? known_type_archive(what) : NULL;
	}
	return capture_archive(head, n);
}

/* known: a reader took it, or the archive itself is what fails. */
static void leave_out(struct left_out *l, const char *name, bool known, const struct err *why)
{
	bool lost = known || why->code != ST_UNSUPPORTED;
	struct buf text = BUF_INIT;

	if (l->n == MEMBERS_NAMED) {
		l->more += !lost;
		l->more_lost += lost;
		return;
	}
	if (name)
		buf_addf(&text, "member '%s': ", name);
	buf_adds(&text, why->msg);
	if (why->offset != ERR_NO_OFFSET)
		buf_addf(&text, " (at byte %" PRIu64 ")", why->offset);
	if (!name)
		buf_adds(&text, "; the rest was not read");
	l->items[l->n].severity = lost ? NOTE_LOSS : NOTE_INFO;
	snprintf(l->items[l->n].text, sizeof l->items[l->n].text, "%s", buf_str(&text));
	buf_release(&text);
	l->n++;
}

/* A member that is damaged before its first event, or that no reader takes, leaves the others as they
 * are. */
static enum status read_member(struct import *im, struct guard *g, struct input *in,
			       struct err *of_member, struct err *e)
{
	enum status st;

	im->in = in;
	im->reader = NULL;
	st = read_one(im, g, of_member);
	if (!st)
		st = import_capture_finish(im, of_member);
	if (st && (g->tap.failed || st == ST_SYS || st == ST_PIPE)) {
		*e = *of_member;
		return st;
	}
	if (st) {
		leave_out(g->left_out, in->name, im->reader, of_member);
		trace_free(im->t);
		im->t = NULL;
		smaps_release(&im->smaps);
		return ST_OK;
	}
	/* One that had no event waits for nothing: it begins and ends there. */
	st = g->begun ? ST_OK : end_waiting(g, e);
	g->waits = im->t;
	g->waits_begun = g->begun;
	im->t = NULL;
	return st;
}

static enum status no_capture(const struct left_out *l, const char *what, struct err *e)
{
	if (!l->n)
		return err_set(e, ST_BAD, "%s without a file in it", what);
	return err_set(e, l->items[0].severity == NOTE_LOSS ? ST_BAD : ST_UNSUPPORTED,
		       "%s without a capture: %s", what, l->items[0].text);
}

static enum status read_members(struct import *im, struct guard *g, const char *what, struct err *e)
{
	struct input *archive = im->in;
	struct err why = ERR_INIT;
	struct members *m = members_new(archive);
	enum status st = ST_OK, next = ST_OK;

	while (!st && !next) {
		struct err of_member = ERR_INIT;
		struct input in = {0};

		next = members_next(m, &in, &of_member, &why);
		if (!next)
			st = read_member(im, g, &in, &of_member, e);
		input_close(&in);
	}
	members_free(m);
	im->in = archive;
	if (!st && next == ST_SYS) {
		*e = why;
		return ST_SYS;
	}
	if (!st && next != ST_NONE)
		leave_out(g->left_out, NULL, true, &why);
	if (!st)
		st = g->waits ? end_waiting(g, e) : no_capture(g->left_out, what, e);
	trace_free(g->waits);
	return st;
}

enum status capture_read(struct input *in, const struct import_options *o, struct sink *sink,
			 bool *lossy, struct err *e)
{
	struct left_out left_out = {.n = 0};
	struct guard guard = {.left_out = &left_out, .lossy = lossy};
	struct import im = {.in = in, .sink = &guard.tap.sink, .options = o, .lossy = lossy};
	const char *archive;
	enum status st;

	sink_tap_init(&guard.tap, sink, &reader_guard_hooks, false);
	guard.tap.sink.begin = reader_guard_begin;
	guard.tap.sink.wants = reader_guard_wants;
	*lossy = false;
	in->cur.e = e; /* one place for every reason */
	archive = archive_of(in, o);
	if (archive) {
		st = read_members(&im, &guard, archive, e);
	} else {
		st = read_one(&im, &guard, e);
		if (!st)
			st = import_capture_end(&im, lossy, e);
		if (!st && im.mostly_lost.code) {
			*e = im.mostly_lost;
			st = err_failure(e);
		}
	}
	smaps_release(&im.smaps);
	trace_free(im.t);
	return st;
}
