/* SPDX-License-Identifier: MIT
 *
 * Logs of the PET spike detector ("prolog epilog timing", tracemill-pet(5)). A log is whatever a
 * game prints, with entries among it:
 *
 *	PET: Function took too long: 16.58 MSec Thread: MainThread PEAK frame 2323
 *	Function Name Trace
 *	0) 0x82449eb4 - main
 *	1) Tick (MK9Game.cpp - LINE: 499)
 *	PET: Thread (MainThread) Function took too long: 16.90 MSec
 *	0) 0x82449eb4 - main
 *	!!!!! text of the function whose entry follows
 *
 * A listing is outermost first; the short entries behind it are callers in it that were too slow
 * as well. Every number, name, address and the dash (also U+2013) may be missing; line ends may
 * be lost. An entry becomes EV_SAMPLE with its stack.
 *
 * Source: the slides and notes of Adisak Pochanayon's talk on runtime CPU spike detection (Game
 * Developers Conference 2012), which show two listings; what they leave open is marked in the
 * page. "Description:" lines are tm-spikes' own.
 */
#include "formats/emit.h"
#include "formats/pet/text.h"
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE_LIMIT = 1 << 20, LISTING_MAX = 4096, TEXT_MAX = 32 << 10 };

enum state { OUTSIDE, IN_HEAD, IN_LISTING, IN_SHORT };

struct listing { /* the last one of a thread, outermost first */
	uint32_t *ids;
	size_t n, cap;
};

struct pet {
	struct import *im;
	enum state state;
	struct listing now;       /* what is being read; of a short entry: at most one */
	struct map64 threads;     /* name -> thread id */
	struct listing *listings; /* by thread id */
	size_t n_listings;
	uint64_t index; /* of a short entry */
	bool has_index;
	bool has_time, has_frame, peak;
	int64_t time, frame;
	int64_t last_frame;
	bool in_frame;
	uint32_t thread;
	struct buf text;  /* messages and descriptions of the entry, a line each */
	struct buf later; /* messages of the entry that follows */
	struct buf number;
	uint64_t entries, untimed, unlisted, unplaced, peaks, unframed, other_lines, odd_numbers,
	    odd_indexes, too_deep, lost_texts, cut_texts;
};

static void add_text(struct pet *p, struct buf *to, const char *prefix, struct pet_piece text)
{
	if (to->len + text.n > TEXT_MAX) {
		p->cut_texts++;
		return;
	}
	if (to->len)
		buf_addc(to, '\n');
	buf_adds(to, prefix);
	buf_add(to, text.s, text.n);
}

/* "16.58", of milliseconds; false: none that makes sense. */
static bool milliseconds(struct pet *p, struct pet_piece s, int64_t *ns)
{
	int64_t v;

	p->number.len = 0;
	buf_add(&p->number, s.s, s.n);
	buf_adds(&p->number, "ms");
	if (!num_time(p->number.data, p->number.len, &v) || v < 0)
		return false;
	*ns = v;
	return true;
}

/* [number] MSec, and what follows; without MSec all of it is what follows. */
static struct pet_piece parse_time(struct pet *p, struct pet_piece s)
{
	const char *unit = piece_find(s, "MSec");
	struct pet_piece number = {s.s, unit ? (size_t)(unit - s.s) : 0};

	number = piece_trim(number);
	if (unit)
		s = piece_trim(piece_from(s, (size_t)(unit - s.s) + 4));
	p->has_time = number.n && milliseconds(p, number, &p->time);
	if (number.n && !p->has_time)
		p->odd_numbers++;
	p->untimed += !p->has_time;
	return s;
}

static uint32_t pet_thread_of(struct pet *p, struct pet_piece name)
{
	struct trace *t = p->im->t;
	uint32_t string, id;

	if (!name.n)
		return 0;
	string = trace_string(t, name.s, name.n);
	id = map64_get(&p->threads, string);
	if (!id) { /* the log has no thread ids: they are numbered */
		id = trace_thread(t, &(struct thread){.name = string, .tid = t->n_threads});
		*map64_put(&p->threads, string) = id;
	}
	if (id >= p->n_listings) {
		p->listings = mem_realloc(p->listings, id + 1, sizeof *p->listings);
		while (p->n_listings <= id)
			p->listings[p->n_listings++] = (struct listing){NULL, 0, 0};
	}
	return id;
}

/* PEAK and "frame 12" at the end of it, each maybe not there; the rest is given back. */
static struct pet_piece pet_parse_frame(struct pet *p, struct pet_piece s)
{
	size_t n = s.n;
	uint64_t number;

	while (n && pet_is_digit(s.s[n - 1]))
		n--;
	if (n < s.n && piece_trim((struct pet_piece){s.s, n}).n >= 5) {
		struct pet_piece before = piece_trim((struct pet_piece){s.s, n}),
				 digits = piece_from(s, n);

		if (!memcmp(before.s + before.n - 5, "frame", 5) &&
		    (before.n == 5 || pet_is_blank(before.s[before.n - 6]))) {
			p->has_frame = num_dec(digits.s, digits.n, &number) && number <= INT64_MAX;
			p->frame = p->has_frame ? (int64_t)number : 0;
			p->odd_numbers += !p->has_frame;
			s = piece_trim((struct pet_piece){before.s, before.n - 5});
		}
	} else if (s.n >= 5 && !memcmp(s.s + s.n - 5, "frame", 5)) { /* its number is blank */
		s = piece_trim((struct pet_piece){s.s, s.n - 5});
	}
	if (s.n >= 4 && !memcmp(s.s + s.n - 4, "PEAK", 4) &&
	    (s.n == 4 || pet_is_blank(s.s[s.n - 5]))) {
		p->peak = true;
		s = piece_trim((struct pet_piece){s.s, s.n - 4});
	}
	return s;
}

static uint32_t add_location(struct pet *p, const struct location *l)
{
	return trace_location(p->im->t, l);
}

/* "Name (File.cpp - LINE: 12) text": the name stays in *s, the text is given back. */
static struct pet_piece pet_parse_place(struct pet *p, struct pet_piece *s, struct location *l)
{
	static const struct pet_piece none = {"", 0};
	const char *word = piece_find(*s, "LINE:"), *open;
	struct pet_piece file, rest;
	size_t d = 0;
	uint64_t line;

	if (!word)
		return none;
	open = pet_opening(*s, word);
	if (!open)
		return none;
	file = piece_trim((struct pet_piece){open + 1, (size_t)(word - open - 1)});
	if (file.n >= 3 && (pet_dash(piece_from(file, file.n - 3)) == 3))
		d = 3;
	else if (file.n && file.s[file.n - 1] == '-')
		d = 1;
	file = piece_trim((struct pet_piece){file.s, file.n - d});
	rest = piece_trim(piece_from(*s, (size_t)(word + 5 - s->s)));
	d = 0;
	while (d < rest.n && pet_is_digit(rest.s[d]))
		d++;
	if (d && num_dec(rest.s, d, &line) && line <= UINT32_MAX)
		l->line = (uint32_t)line;
	else
		p->odd_numbers += d > 0;
	rest = piece_trim(piece_from(rest, d));
	if (piece_begins(rest, ")"))
		rest = piece_trim(piece_from(rest, 1));
	if (file.n)
		l->file = trace_string(p->im->t, file.s, file.n);
	*s = piece_trim((struct pet_piece){s->s, (size_t)(open - s->s)});
	return rest;
}

/* What follows "7) ": an address, a name, or both. */
static void pet_parse_call(struct pet *p, struct pet_piece s)
{
	struct location l = {.space = SPACE_NAME, .kind = LOCATION_UNSTATED};
	struct pet_piece text;
	char index[32];
	size_t n = 2;

	s = piece_trim(s);
	if (piece_begins(s, "0x") || piece_begins(s, "0X")) {
		while (n < s.n && num_hex_digit(s.s[n]) >= 0)
			n++;
		if (num_hex(s.s + 2, n - 2, &l.raw)) {
			l.space = SPACE_RUNTIME;
			s = piece_trim(piece_from(s, n));
		}
	}
	s = piece_trim(piece_from(s, pet_dash(s)));
	text = pet_parse_place(p, &s, &l);
	if (pet_no_name(s) && l.space == SPACE_NAME)
		l.space = SPACE_UNKNOWN;
	if (!pet_no_name(s))
		l.name = trace_string(p->im->t, s.s, s.n);
	if (p->now.n >= LISTING_MAX) {
		p->too_deep++;
		return;
	}
	if (text.n) {
		snprintf(index, sizeof index, "%zu) ",
			 p->state == IN_SHORT && p->has_index ? (size_t)p->index : p->now.n);
		add_text(p, &p->text, index, text);
	}
	VEC_PUSH(p->now.ids, p->now.n, p->now.cap) = add_location(p, &l);
}

/* Lines of a listing; false: none. */
static bool pet_parse_calls(struct pet *p, struct pet_piece s)
{
	uint64_t index;
	size_t n;

	s = piece_trim(s);
	n = pet_index(s, &index);
	if (!n || index > UINT32_MAX || (p->state == IN_SHORT && p->now.n))
		return false;
	if (p->state == IN_SHORT) {
		p->index = index;
		p->has_index = true;
		pet_parse_call(p, piece_from(s, n));
		return true;
	}
	p->state = IN_LISTING;
	for (;;) {
		size_t length;

		p->odd_indexes += index != p->now.n;
		s = piece_from(s, n);
		length = pet_next_index(s, index);
		pet_parse_call(p, (struct pet_piece){s.s, length});
		if (length == s.n)
			return true;
		s = piece_trim(piece_from(s, length));
		n = pet_index(s, &index);
	}
}

/* Thread: NAME PEAK frame 12 Function Name Trace 0) ..., from any of these on. */
static void parse_fields(struct pet *p, struct pet_piece s)
{
	const char *listing = piece_find(s, pet_listing);
	struct pet_piece rest = {"", 0};

	if (listing) {
		rest = piece_trim(piece_from(s, (size_t)(listing - s.s) + strlen(pet_listing)));
		s.n = (size_t)(listing - s.s);
	}
	s = pet_parse_frame(p, piece_trim(s));
	if (piece_begins(s, "Thread:"))
		p->thread = pet_thread_of(p, piece_trim(piece_from(s, 7)));
	if (listing)
		p->state = IN_LISTING;
	if (rest.n)
		pet_parse_calls(p, rest);
}

static uint32_t marker_of(struct pet *p, uint32_t location)
{
	struct trace *t = p->im->t;
	struct marker m = {.name = t->locations[location].name};

	if (!m.name)
		return 0;
	if (p->peak)
		m.category = trace_strz(t, "PEAK");
	return trace_marker(t, &m);
}

/* The callers of a short entry are in the thread's last listing: how many of them. */
static size_t callers(struct pet *p, const struct listing *l)
{
	size_t at = p->has_index ? (size_t)p->index : 0;

	if (p->has_index && p->now.n && at < l->n && l->ids[at] == p->now.ids[0])
		return at;
	for (size_t i = l->n; p->now.n && i-- > 0;)
		if (l->ids[i] == p->now.ids[0])
			return i;
	p->unplaced++;
	return at < l->n ? at : l->n;
}

static uint32_t pet_stack_of(struct pet *p)
{
	struct trace *t = p->im->t;
	struct listing *l = p->thread ? &p->listings[p->thread] : NULL;
	uint32_t stack = 0;

	if (p->state == IN_SHORT && p->now.n && l) {
		size_t n = callers(p, l);

		for (size_t i = 0; i < n; i++)
			stack = trace_stack(t, stack, l->ids[i]);
	} else if (p->state != IN_SHORT && l) {
		l->n = 0;
		for (size_t i = 0; i < p->now.n; i++)
			VEC_PUSH(l->ids, l->n, l->cap) = p->now.ids[i];
	}
	for (size_t i = 0; i < p->now.n; i++)
		stack = trace_stack(t, stack, p->now.ids[i]);
	return stack;
}

static enum status push_frame(struct pet *p, struct err *e)
{
	if (!p->has_frame || (p->in_frame && p->frame == p->last_frame))
		return ST_OK;
	p->in_frame = true;
	p->last_frame = p->frame;
	return emit_frame(p->im, KNOWN(p->frame), ABSENT, e);
}

/* Ends the entry that is being read. */
static enum status pet_flush(struct pet *p, struct err *e)
{
	struct emit_sample sample = {.thread = p->thread, .total = KNOWN_IF(p->has_time, p->time)};
	enum status st;

	if (p->state == OUTSIDE)
		return ST_OK;
	p->entries++;
	p->unlisted += !p->now.n;
	p->peaks += p->peak;
	p->unframed += p->state != IN_SHORT && !p->has_frame;
	sample.stack = pet_stack_of(p);
	if (p->now.n)
		sample.marker = marker_of(p, p->now.ids[p->now.n - 1]);
	if (p->text.len)
		sample.message = trace_string(p->im->t, p->text.data, p->text.len);
	st = push_frame(p, e);
	p->state = OUTSIDE;
	return st ? st : emit_sample(p->im, &sample, e);
}

static void begin(struct pet *p, enum state state)
{
	p->state = state;
	p->now.n = 0;
	p->thread = 0;
	p->has_index = p->has_time = p->has_frame = p->peak = false;
	p->time = 0;
	p->text.len = 0;
	buf_add(&p->text, p->later.data, p->later.len);
	p->later.len = 0;
}

static enum status on_message(struct pet *p, struct pet_piece s, struct err *e)
{
	enum status st = pet_flush(p, e);

	while (piece_begins(s, "!"))
		s = piece_from(s, 1);
	s = piece_trim(s);
	while (s.n && s.s[s.n - 1] == '!') /* a closing pet_fence; a text that ends so loses it */
		s.n--;
	s = piece_trim(s);
	if (s.n)
		add_text(p, &p->later, "", s);
	return st;
}

/* What begins an entry, or goes on with the present one. *known: false for other text. */
static enum status pet_parse_piece(struct pet *p, struct pet_piece s, bool *known, struct err *e)
{
	char index[32];
	enum status st = ST_OK;
	const char *end;

	s = piece_trim(s);
	*known = true;
	if (piece_begins(s, pet_head)) {
		st = pet_flush(p, e);
		begin(p, IN_HEAD);
		parse_fields(p, parse_time(p, piece_trim(piece_from(s, strlen(pet_head)))));
	} else if (piece_begins(s, pet_short) && (end = piece_find(s, pet_short_end))) {
		struct pet_piece name = piece_from(s, strlen(pet_short));

		st = pet_flush(p, e);
		begin(p, IN_SHORT);
		name.n = (size_t)(end - name.s);
		p->thread = pet_thread_of(p, piece_trim(name));
		s = piece_from(s, (size_t)(end - s.s) + strlen(pet_short_end));
		s = parse_time(p, piece_trim(s));
		*known = !s.n || pet_parse_calls(p, s);
	} else if (piece_begins(s, pet_fence)) {
		st = on_message(p, s, e);
	} else if (p->state == IN_HEAD &&
		   (piece_begins(s, "Thread:") || piece_begins(s, "PEAK") ||
		    piece_begins(s, "frame ") || piece_begins(s, pet_listing))) {
		parse_fields(p, s);
	} else if (p->state != OUTSIDE && piece_begins(s, "Description:") && p->now.n) {
		snprintf(index, sizeof index, "%zu) ",
			 p->state == IN_SHORT && p->has_index ? (size_t)p->index : p->now.n - 1);
		add_text(p, &p->text, index, piece_trim(piece_from(s, 12)));
	} else {
		*known = p->state != OUTSIDE && pet_parse_calls(p, s);
		if (!*known && s.n && p->state != OUTSIDE && p->now.n)
			st = pet_flush(p, e);
	}
	return st;
}

/* A message has its closing pet_fence on its own line; the pet_fence begins no other. */
static enum status parse_line(struct pet *p, struct pet_piece s, struct err *e)
{
	bool any = false, known = true, blank = !piece_trim(s).n;
	enum status st = ST_OK;

	while (!st && s.n) {
		size_t n = pet_next_cut(s);

		st = pet_parse_piece(p, (struct pet_piece){s.s, n}, &known, e);
		any |= known;
		s = piece_from(s, n);
	}
	p->other_lines += !any && !blank;
	return st;
}

static void pet_add_notes(struct pet *p)
{
	struct trace *t = p->im->t;
	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, p->peaks, "entries are marked PEAK"),
	    LOSS(NOTE_INFO, p->untimed, "entries have no time"),
	    LOSS(NOTE_GUESS, p->unframed,
		 "listings have no frame number: the frame before is used"),
	    LOSS(NOTE_INFO, p->unlisted, "entries have no function"),
	    LOSS(NOTE_GUESS, p->unplaced,
		 "short entries are not in the listing before them: their callers are taken from "
		 "that listing"),
	    LOSS(NOTE_GUESS, p->odd_indexes,
		 "calls are numbered out of order: the order of the lines counts"),
	    LOSS(NOTE_INFO, p->other_lines, "lines are not from PET"),
	    LOSS(NOTE_LOSS, p->odd_numbers, "impossible numbers"),
	    LOSS(NOTE_LOSS, p->too_deep,
		 "calls above the limit of 4096 in a listing were left out"),
	    LOSS(NOTE_LOSS, p->lost_texts, "messages belong to no entry"),
	    LOSS(NOTE_LOSS, p->cut_texts, "messages were left out: more than 32 KiB for one entry"),
	};

	TRACE_LOSSES(t, losses);
}

static enum status pet_read(struct import *im, struct err *e)
{
	struct pet p = {.im = im};
	struct cursor *c = &im->in->cur;
	enum status st;
	struct pet_piece s;

	trace_metric(im->t, METRIC_TIME, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	trace_metric(im->t, METRIC_COUNT, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	trace_set(im->t, "spikes", "logged"); /* those without a time, too */
	st = import_begin(im, e);
	while (!st && (s.s = cursor_line(c, &s.n, LINE_LIMIT)))
		st = parse_line(&p, s, e);
	if (!st)
		st = pet_flush(&p, e);
	p.lost_texts += p.later.len > 0;
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !p.entries)
		st = err_set(e, ST_BAD, "the file has no PET entry");
	pet_add_notes(&p);
	for (size_t i = 0; i < p.n_listings; i++)
		free(p.listings[i].ids);
	free(p.listings);
	free(p.now.ids);
	map64_release(&p.threads);
	buf_release(&p.text);
	buf_release(&p.later);
	buf_release(&p.number);
	return st;
}

/* The words are 200 bits of evidence; but any other file may quote them further on. */
static int pet_bid(const uint8_t *head, size_t n, bool whole)
{
	struct pet_piece s = {(const char *)head, n};

	(void)whole;
	if (n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3))
		s = piece_from(s, 3);
	while (s.n && (pet_is_blank(*s.s) || *s.s == '\n' || *s.s == '\r'))
		s = piece_from(s, 1);
	if (piece_begins(s, pet_head) ||
	    (piece_begins(s, pet_short) && piece_find(s, pet_short_end)))
		return 64;
	if (memchr(s.s, '\0', s.n))
		return 0;
	return piece_find(s, pet_head) || (piece_find(s, pet_short) && piece_find(s, pet_short_end))
		   ? 10
		   : 0;
}

const struct reader reader_pet = {
    .name = "pet",
    .family = "PET",
    .page = "pet",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_CALLS | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_ADDRESSES,
    .what = "PET spike log (Class::Function, or function, file and line)",
    .suffixes = "log,txt",
    .guesses = true,
    .cut = CUT_NEVER, /* a function that is cut off ends earlier */
    .bid = pet_bid,
    .read = pet_read,
};
