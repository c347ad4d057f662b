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
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE_LIMIT = 1 << 20, LISTING_MAX = 4096, TEXT_MAX = 32 << 10 };

static const char head_word[] = "PET: Function took too long:";
static const char short_word[] = "PET: Thread (";
static const char short_end[] = ") Function took too long:";
static const char trace_word[] = "Function Name Trace";
static const char fence[] = "!!!!!";

enum state { OUTSIDE, IN_HEAD, IN_LISTING, IN_SHORT };

struct piece { /* of a line */
	const char *s;
	size_t n;
};

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

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct piece trim(struct piece p)
{
	while (p.n && is_blank(*p.s)) {
		p.s++;
		p.n--;
	}
	while (p.n && is_blank(p.s[p.n - 1]))
		p.n--;
	return p;
}

static struct piece from(struct piece p, size_t skip)
{
	return (struct piece){p.s + skip, p.n - skip};
}

static bool begins(struct piece p, const char *word)
{
	size_t n = strlen(word);

	return p.n >= n && !memcmp(p.s, word, n);
}

static const char *find(struct piece p, const char *word)
{
	return p.n ? memmem(p.s, p.n, word, strlen(word)) : NULL;
}

static void add_text(struct pet *p, struct buf *to, const char *prefix, struct piece text)
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
static bool milliseconds(struct pet *p, struct piece s, int64_t *ns)
{
	p->number.len = 0;
	buf_add(&p->number, s.s, s.n);
	buf_adds(&p->number, "ms");
	return num_time(p->number.data, p->number.len, ns) && *ns >= 0;
}

/* [number] MSec, and what follows; without MSec all of it is what follows. */
static struct piece take_time(struct pet *p, struct piece s)
{
	const char *unit = find(s, "MSec");
	struct piece number = {s.s, unit ? (size_t)(unit - s.s) : 0};

	number = trim(number);
	if (unit)
		s = trim(from(s, (size_t)(unit - s.s) + 4));
	p->has_time = number.n && milliseconds(p, number, &p->time);
	if (number.n && !p->has_time)
		p->odd_numbers++;
	p->untimed += !p->has_time;
	return s;
}

static uint32_t thread_of(struct pet *p, struct piece name)
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
static struct piece take_frame(struct pet *p, struct piece s)
{
	size_t n = s.n;
	uint64_t number;

	while (n && is_digit(s.s[n - 1]))
		n--;
	if (n < s.n && trim((struct piece){s.s, n}).n >= 5) {
		struct piece before = trim((struct piece){s.s, n}), digits = from(s, n);

		if (!memcmp(before.s + before.n - 5, "frame", 5) &&
		    (before.n == 5 || is_blank(before.s[before.n - 6]))) {
			p->has_frame = num_dec(digits.s, digits.n, &number) && number <= INT64_MAX;
			p->frame = p->has_frame ? (int64_t)number : 0;
			p->odd_numbers += !p->has_frame;
			s = trim((struct piece){before.s, before.n - 5});
		}
	} else if (s.n >= 5 && !memcmp(s.s + s.n - 5, "frame", 5)) { /* its number is blank */
		s = trim((struct piece){s.s, s.n - 5});
	}
	if (s.n >= 4 && !memcmp(s.s + s.n - 4, "PEAK", 4) && (s.n == 4 || is_blank(s.s[s.n - 5]))) {
		p->peak = true;
		s = trim((struct piece){s.s, s.n - 4});
	}
	return s;
}

static uint32_t add_location(struct pet *p, const struct location *l)
{
	return trace_location(p->im->t, l);
}

/* What a program prints that has no name for an address. */
static bool no_name(struct piece name)
{
	return !name.n || begins(name, "?") || begins(name, "(null)") || begins(name, "0x");
}

static size_t dash(struct piece s)
{
	if (begins(s, "\xe2\x80\x93") || begins(s, "\xe2\x80\x94"))
		return 3;
	return begins(s, "-") ? 1 : 0;
}

/* The parenthesis that holds at: both names and files may have pairs of them. */
static const char *opening(struct piece s, const char *at)
{
	size_t depth = 0;

	while (at-- > s.s) {
		if (*at == '(' && !depth)
			return at;
		depth += *at == ')';
		depth -= *at == '(';
	}
	return NULL;
}

/* "Name (File.cpp - LINE: 12) text": the name stays in *s, the text is given back. */
static struct piece take_place(struct pet *p, struct piece *s, struct location *l)
{
	static const struct piece none = {"", 0};
	const char *word = find(*s, "LINE:"), *open;
	struct piece file, rest;
	size_t d = 0;
	uint64_t line;

	if (!word)
		return none;
	open = opening(*s, word);
	if (!open)
		return none;
	file = trim((struct piece){open + 1, (size_t)(word - open - 1)});
	if (file.n >= 3 && (dash(from(file, file.n - 3)) == 3))
		d = 3;
	else if (file.n && file.s[file.n - 1] == '-')
		d = 1;
	file = trim((struct piece){file.s, file.n - d});
	rest = trim(from(*s, (size_t)(word + 5 - s->s)));
	d = 0;
	while (d < rest.n && is_digit(rest.s[d]))
		d++;
	if (d && num_dec(rest.s, d, &line) && line <= UINT32_MAX)
		l->line = (uint32_t)line;
	else
		p->odd_numbers += d > 0;
	rest = trim(from(rest, d));
	if (begins(rest, ")"))
		rest = trim(from(rest, 1));
	if (file.n)
		l->file = trace_string(p->im->t, file.s, file.n);
	*s = trim((struct piece){s->s, (size_t)(open - s->s)});
	return rest;
}

/* What stands behind "7) ": an address, a name, or both. */
static void take_call(struct pet *p, struct piece s)
{
	struct location l = {.space = SPACE_NAME, .kind = LOCATION_UNSTATED};
	struct piece text;
	char index[32];
	size_t n = 2;

	s = trim(s);
	if (begins(s, "0x") || begins(s, "0X")) {
		while (n < s.n && num_hex_digit(s.s[n]) >= 0)
			n++;
		if (num_hex(s.s + 2, n - 2, &l.raw)) {
			l.space = SPACE_RUNTIME;
			s = trim(from(s, n));
		}
	}
	s = trim(from(s, dash(s)));
	text = take_place(p, &s, &l);
	if (no_name(s) && l.space == SPACE_NAME)
		l.space = SPACE_UNKNOWN;
	if (!no_name(s))
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

/* "12) " -> its length; 0: there is none. */
static size_t index_of(struct piece s, uint64_t *index)
{
	size_t n = 0;

	while (n < s.n && is_digit(s.s[n]))
		n++;
	if (!n || n == s.n || s.s[n] != ')' || !num_dec(s.s, n, index))
		return 0;
	return n + 1;
}

/* Line ends may be lost: a listing goes on at " 8) " behind its seventh call. */
static size_t next_index(struct piece s, uint64_t index)
{
	char word[32];
	const char *at;

	snprintf(word, sizeof word, " %llu) ", (unsigned long long)index + 1);
	at = find(s, word);
	return at ? (size_t)(at - s.s) : s.n;
}

/* Lines of a listing; false: it is none. */
static bool take_calls(struct pet *p, struct piece s)
{
	uint64_t index;
	size_t n;

	s = trim(s);
	n = index_of(s, &index);
	if (!n || index > UINT32_MAX || (p->state == IN_SHORT && p->now.n))
		return false;
	if (p->state == IN_SHORT) {
		p->index = index;
		p->has_index = true;
		take_call(p, from(s, n));
		return true;
	}
	p->state = IN_LISTING;
	for (;;) {
		size_t length;

		p->odd_indexes += index != p->now.n;
		s = from(s, n);
		length = next_index(s, index);
		take_call(p, (struct piece){s.s, length});
		if (length == s.n)
			return true;
		s = trim(from(s, length));
		n = index_of(s, &index);
	}
}

/* Thread: NAME PEAK frame 12 Function Name Trace 0) ..., from any of these on. */
static void take_fields(struct pet *p, struct piece s)
{
	const char *listing = find(s, trace_word);
	struct piece rest = {"", 0};

	if (listing) {
		rest = trim(from(s, (size_t)(listing - s.s) + sizeof trace_word - 1));
		s.n = (size_t)(listing - s.s);
	}
	s = take_frame(p, trim(s));
	if (begins(s, "Thread:"))
		p->thread = thread_of(p, trim(from(s, 7)));
	if (listing)
		p->state = IN_LISTING;
	if (rest.n)
		take_calls(p, rest);
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

static uint32_t stack_of(struct pet *p)
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
	struct event ev = {.kind = EV_FRAME, .has = EV_HAS_VALUE, .value = p->frame};

	if (!p->has_frame || (p->in_frame && p->frame == p->last_frame))
		return ST_OK;
	p->in_frame = true;
	p->last_frame = p->frame;
	return import_event(p->im, &ev, e);
}

/* Ends the entry that is being read. */
static enum status flush(struct pet *p, struct err *e)
{
	struct event ev = {.kind = EV_SAMPLE, .count = 1};
	enum status st;

	if (p->state == OUTSIDE)
		return ST_OK;
	p->entries++;
	p->unlisted += !p->now.n;
	p->peaks += p->peak;
	p->unframed += p->state != IN_SHORT && !p->has_frame;
	ev.stack = stack_of(p);
	if (p->now.n)
		ev.type = marker_of(p, p->now.ids[p->now.n - 1]);
	ev.thread = p->thread;
	ev.value = p->time;
	if (p->text.len)
		ev.name = trace_string(p->im->t, p->text.data, p->text.len);
	ev.has = (uint16_t)((ev.type ? EV_HAS_TYPE : 0) | (ev.stack ? EV_HAS_STACK : 0) |
			    (ev.thread ? EV_HAS_THREAD : 0) | (p->has_time ? EV_HAS_VALUE : 0) |
			    (ev.name ? EV_HAS_NAME : 0));
	st = push_frame(p, e);
	p->state = OUTSIDE;
	return st ? st : import_event(p->im, &ev, e);
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

static enum status take_message(struct pet *p, struct piece s, struct err *e)
{
	enum status st = flush(p, e);

	while (begins(s, "!"))
		s = from(s, 1);
	s = trim(s);
	while (s.n && s.s[s.n - 1] == '!') /* a closing fence; a text that ends so loses it */
		s.n--;
	s = trim(s);
	if (s.n)
		add_text(p, &p->later, "", s);
	return st;
}

/* What begins an entry, or goes on with the present one. *known: false for other text. */
static enum status take_piece(struct pet *p, struct piece s, bool *known, struct err *e)
{
	char index[32];
	enum status st = ST_OK;
	const char *end;

	s = trim(s);
	*known = true;
	if (begins(s, head_word)) {
		st = flush(p, e);
		begin(p, IN_HEAD);
		take_fields(p, take_time(p, trim(from(s, sizeof head_word - 1))));
	} else if (begins(s, short_word) && (end = find(s, short_end))) {
		struct piece name = from(s, sizeof short_word - 1);

		st = flush(p, e);
		begin(p, IN_SHORT);
		name.n = (size_t)(end - name.s);
		p->thread = thread_of(p, trim(name));
		s = from(s, (size_t)(end - s.s) + sizeof short_end - 1);
		s = take_time(p, trim(s));
		*known = !s.n || take_calls(p, s);
	} else if (begins(s, fence)) {
		st = take_message(p, s, e);
	} else if (p->state == IN_HEAD && (begins(s, "Thread:") || begins(s, "PEAK") ||
					   begins(s, "frame ") || begins(s, trace_word))) {
		take_fields(p, s);
	} else if (p->state != OUTSIDE && begins(s, "Description:") && p->now.n) {
		snprintf(index, sizeof index, "%zu) ",
			 p->state == IN_SHORT && p->has_index ? (size_t)p->index : p->now.n - 1);
		add_text(p, &p->text, index, trim(from(s, 12)));
	} else {
		*known = p->state != OUTSIDE && take_calls(p, s);
		if (!*known && s.n && p->state != OUTSIDE && p->now.n)
			st = flush(p, e);
	}
	return st;
}

/* Where the next entry or message begins behind the first byte. */
static size_t next_cut(struct piece s)
{
	static const char *const words[] = {head_word, short_word, fence};
	size_t best = s.n;

	for (int i = 0; i < 3 && s.n; i++) {
		size_t skip = begins(s, words[i]) ? strlen(words[i]) : 1;
		const char *at = find(from(s, skip < s.n ? skip : s.n), words[i]);

		if (at && (size_t)(at - s.s) < best)
			best = (size_t)(at - s.s);
	}
	return best;
}

/* A message has its closing fence on its own line; the fence begins no other. */
static enum status take_line(struct pet *p, struct piece s, struct err *e)
{
	bool any = false, known = true, blank = !trim(s).n;
	enum status st = ST_OK;

	while (!st && s.n) {
		size_t n = next_cut(s);

		st = take_piece(p, (struct piece){s.s, n}, &known, e);
		any |= known;
		s = from(s, n);
	}
	p->other_lines += !any && !blank;
	return st;
}

static void add_notes(struct pet *p)
{
	struct trace *t = p->im->t;
	const struct {
		uint64_t n;
		enum severity severity;
		const char *text;
	} notes[] = {
	    {p->peaks, NOTE_INFO, "entries are marked PEAK"},
	    {p->untimed, NOTE_INFO, "entries have no time"},
	    {p->unframed, NOTE_GUESS,
	     "listings without a frame number are taken as of the frame before"},
	    {p->unlisted, NOTE_INFO, "entries do not say which function it was"},
	    {p->unplaced, NOTE_GUESS,
	     "short entries are not in the listing before them; their callers are taken from it"},
	    {p->odd_indexes, NOTE_GUESS, "calls are not numbered as they stand; the order counts"},
	    {p->other_lines, NOTE_INFO, "lines are not of PET"},
	    {p->odd_numbers, NOTE_LOSS, "numbers make no sense"},
	    {p->too_deep, NOTE_LOSS, "calls of listings with more than 4096 were left out"},
	    {p->lost_texts, NOTE_LOSS, "messages belong to no entry"},
	    {p->cut_texts, NOTE_LOSS, "messages were left out: more than 32 KiB for one entry"},
	};

	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
		if (notes[i].n)
			trace_note(t, notes[i].severity, notes[i].n, "%s", notes[i].text);
}

static enum status read_pet(struct import *im, struct err *e)
{
	struct pet p = {.im = im};
	struct cursor *c = &im->in->cur;
	enum status st;
	struct piece s;

	trace_metric(im->t, METRIC_TIME, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	trace_metric(im->t, METRIC_COUNT, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	st = import_begin(im, e);
	while (!st && (s.s = cursor_line(c, &s.n, LINE_LIMIT)))
		st = take_line(&p, s, e);
	if (!st)
		st = flush(&p, e);
	p.lost_texts += p.later.len > 0;
	if (!st && cursor_failed(c))
		st = e->code;
	if (!st && !p.entries)
		st = err_set(e, ST_BAD, "no entry of PET in it");
	add_notes(&p);
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
static int bid_pet(const uint8_t *head, size_t n, bool whole)
{
	struct piece s = {(const char *)head, n};

	(void)whole;
	if (n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3))
		s = from(s, 3);
	while (s.n && (is_blank(*s.s) || *s.s == '\n' || *s.s == '\r'))
		s = from(s, 1);
	if (begins(s, head_word) || (begins(s, short_word) && find(s, short_end)))
		return 64;
	if (memchr(s.s, '\0', s.n))
		return 0;
	return find(s, head_word) || (find(s, short_word) && find(s, short_end)) ? 10 : 0;
}

const struct reader reader_pet = {
    .name = "pet",
    .what = "PET spike log (Class::Function, or function, file and line)",
    .suffixes = "log,txt",
    .bid = bid_pet,
    .read = read_pet,
};
