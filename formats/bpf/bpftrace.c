/* SPDX-License-Identifier: MIT
 *
 * What bpftrace prints of maps whose keys have stacks, @[ustack, comm] = count():
 *
 *	Attaching 1 probe...
 *	@[
 *	    update+24
 *	    main+115
 *	    0x7fc40b96524a
 *	, game]: 125
 *	@[comm, kstack, ustack]: a text, and two stacks, of which the second is empty
 *	@waits[game,
 *	    schedule+70
 *	, ]: count 3, average 2, total 6
 *
 * Stacks are innermost first. Numbers, texts and further stacks of a key stand between ", " in the order of the key; the
 * stack mode perf puts an address before the name, and the file behind it. Of a histogram, its rows follow "]:". Facts:
 * outputs of bpftrace 0.17, and of its documentation.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 1 << 16 };

struct bpftrace {
	struct import *im;
	uint32_t *locations; /* of the key that is open, innermost first */
	size_t n_locations, cap_locations;
	struct buf texts; /* of the key */
	uint64_t key;     /* a hash of its lines */
	unsigned stacks;
	bool open, in_stack, cut;
	uint32_t map;      /* marker; 0: the map without a name */
	struct map64 seen; /* keys of maps */
	uint64_t rows, plain, histograms, odd, doubles, repeats;
	bool begun, totals;
};

/* "@name[": what stands behind the bracket; NULL: no key begins here. */
static const char *key_of(const char *s, const char *end, size_t *name_n)
{
	const char *at = s + 1;

	if (s == end || *s != '@')
		return NULL;
	while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	*name_n = (size_t)(at - s - 1);
	return at < end && *at == '[' ? at + 1 : NULL;
}

/* The last "]:" that ends a key, before a blank or the end of the line. */
static const char *key_end(const char *s, const char *end)
{
	const char *at = memmem(s, (size_t)(end - s), "]: ", 3);

	if (at)
		return at;
	return end - s >= 2 && end[-2] == ']' && end[-1] == ':' ? end - 2 : NULL;
}

/* "main+115", "0x7fc40b96524a", "5649feec4090 readline+0 (/usr/bin/bash)" */
static uint32_t read_frame(struct bpftrace *p, const char *s, const char *end)
{
	struct trace *t = p->im->t;
	struct location l = {.space = SPACE_RUNTIME,
			     .kind = p->in_stack ? LOCATION_RETURN : LOCATION_EXACT};
	const char *at = s, *open, *plus;
	uint64_t address = 0, offset;

	while (at < end && num_hex_digit(*at) >= 0)
		at++;
	if (at - s >= 8 && at < end && *at == ' ' && end[-1] == ')' &&
	    num_hex(s, (size_t)(at - s), &address)) {
		open = memrchr(at, '(', (size_t)(end - at));
		s = at + 1;
		end = open ? open : end;
		text_trim(&s, &end);
	}
	if (text_begins(s, (size_t)(end - s), "0x") &&
	    num_hex(s + 2, (size_t)(end - s - 2), &l.raw))
		return trace_location(t, &l);
	if (text_is(s, (size_t)(end - s), "[unknown]") && address) {
		l.raw = address;
		return trace_location(t, &l);
	}
	plus = memrchr(s, '+', (size_t)(end - s));
	if (plus > s && num_dec(plus + 1, (size_t)(end - plus - 1), &offset))
		end = plus;
	return emit_named(t, trace_string(t, s, (size_t)(end - s)), 0, 0);
}

static void add_frame(struct bpftrace *p, const char *s, const char *end)
{
	uint32_t location = read_frame(p, s, end);

	p->stacks += !p->in_stack;
	p->in_stack = true;
	VEC_PUSH(p->locations, p->n_locations, p->cap_locations) = location;
}

/* ", game, 42": the parts of a key that stand in a line. */
static void add_texts(struct bpftrace *p, const char *s, const char *end)
{
	while (s < end) {
		const char *to = memmem(s, (size_t)(end - s), ", ", 2), *from = s;
		const char *stop = to ? to : end;

		text_trim(&from, &stop);
		if (from < stop && stop[-1] == ',')
			stop--;
		if (from < stop) {
			if (p->texts.len)
				buf_adds(&p->texts, ", ");
			buf_add(&p->texts, from, (size_t)(stop - from));
		}
		s = to ? to + 2 : end;
	}
}

static void add_to_key(struct bpftrace *p, const char *s, const char *end)
{
	p->key = hash_u64(p->key ^ hash_bytes(s, (size_t)(end - s)));
}

static void close_key(struct bpftrace *p)
{
	p->open = p->in_stack = false;
	p->n_locations = p->stacks = 0;
	p->texts.len = 0;
}

/* "125", "count 3, average 2, total 6", "{ .count = 3, .average = 2, .total = 6 }": how often. */
static bool parse_value(struct bpftrace *p, const char *s, const char *end, uint64_t *n)
{
	static const char *const words[] = {"count ", "{ .count = "};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (text_begins(s, (size_t)(end - s), words[i])) {
			const char *comma;

			s += strlen(words[i]);
			comma = memchr(s, ',', (size_t)(end - s));
			p->totals = true;
			return comma && num_dec(s, (size_t)(comma - s), n) && *n <= INT64_MAX;
		}
	return num_dec(s, (size_t)(end - s), n) && *n <= INT64_MAX;
}

static enum status push_key(struct bpftrace *p, const char *s, const char *end, struct err *e)
{
	struct trace *t = p->im->t;
	struct emit_sample sample = {.marker = p->map};
	uint32_t *seen;
	uint64_t n;

	text_trim(&s, &end);
	if (s == end) {
		p->histograms++;
		return ST_OK;
	}
	if (!p->n_locations) {
		p->plain++;
		return ST_OK;
	}
	if (!parse_value(p, s, end, &n)) {
		p->odd++;
		return ST_OK;
	}
	sample.stack = trace_stack_of(t, p->locations, p->n_locations);
	if (p->texts.len)
		sample.thread = trace_thread_named(
		    t, (struct thread){.name = trace_string(t, p->texts.data, p->texts.len)});
	sample.samples = KNOWN(n);
	seen = map64_put(&p->seen, p->key);
	p->repeats += *seen;
	*seen = 1;
	p->doubles += p->stacks > 1;
	p->rows++;
	if (!p->begun && import_begin(p->im, e))
		return err_failure(e);
	p->begun = true;
	return emit_sample(p->im, &sample, e);
}

static enum status read_key_part(struct bpftrace *p, const char *s, const char *end, struct err *e)
{
	const char *close = key_end(s, end);
	enum status st = ST_OK;

	add_to_key(p, s, close ? close : end);
	p->in_stack = false;
	add_texts(p, s, close ? close : end);
	if (close) {
		st = push_key(p, close + 2, end, e);
		close_key(p);
	}
	return st;
}

static enum status read_line(struct bpftrace *p, const char *s, size_t n, struct err *e)
{
	const char *end = s + n, *key;
	size_t name_n;

	text_trim(&s, &end);
	key = key_of(s, end, &name_n);
	if (key) {
		p->cut |= p->open;
		close_key(p);
		p->key = 0;
		add_to_key(p, s, key);
		p->open = true;
		p->map =
		    name_n
			? trace_marker(p->im->t,
				       &(struct marker){trace_string(p->im->t, s + 1, name_n), 0})
			: 0;
		return read_key_part(p, key, end, e);
	}
	if (!p->open)
		return ST_OK; /* of the program, of printf(), of a histogram */
	if (s < end && (*s == ',' || *s == ']'))
		return read_key_part(p, s, end, e);
	if (s < end) {
		add_to_key(p, s, end);
		add_frame(p, s, end);
	}
	return ST_OK;
}

static enum status bpftrace_read(struct import *im, struct err *e)
{
	struct bpftrace p = {.im = im};
	struct cursor *c = &im->in->cur;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	while (!st && (s = cursor_line(c, &n, LINE_MOST)))
		st = read_line(&p, s, n, e);
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st && !p.rows)
		st = err_set(e, ST_BAD,
			     "no map of bpftrace has stacks and counts: @[ustack] = count() has, "
			     "histograms and plain maps are no profile");

	/* Processes that run the same program have some keys alike in one list. */
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, p.odd, "values of maps are no counts: left out"),
	    LOSS_IF(NOTE_LOSS, p.cut || p.open, "a key of a map has no end: left out"),
	    LOSS(NOTE_GUESS, p.doubles,
		 "keys have two stacks: the first is taken for the inner one"),
	    LOSS(NOTE_GUESS, p.repeats >= p.rows / 2 ? p.repeats : 0,
		 "keys were printed more than once: their counts are added"),
	    LOSS(NOTE_INFO, p.histograms, "histograms are no profile: left out"),
	    LOSS(NOTE_INFO, p.plain, "values of maps have no stack: left out"),
	    LOSS_IF(NOTE_INFO, p.totals, "of stats() the counts are read, not the totals"),
	};

	if (im->begun)
		TRACE_LOSSES(im->t, losses);
	map64_release(&p.seen);
	free(p.locations);
	buf_release(&p.texts);
	return st;
}

/* A key that goes on in the next line, and ends; or a program's first line, with any map behind it. */
static int bpftrace_bid(const uint8_t *head, size_t n, bool whole)
{
	const char *s = (const char *)head, *end = s + n, *to, *key;
	bool open = false, attached = false, map = false;
	size_t name_n;

	(void)whole;
	for (; s < end; s = to + 1) {
		const char *last;

		to = memchr(s, '\n', (size_t)(end - s));
		if (!to)
			break;
		attached |= text_begins(s, (size_t)(to - s), "Attaching ") &&
			    memmem(s, (size_t)(to - s), " probe", 6);
		map |= attached && *s == '@';
		key = key_of(s, to, &name_n);
		last = to;
		while (last > s && text_is_blank(last[-1]))
			last--;
		if (key) {
			open = last == key || (last > key && last[-1] == ',');
		} else if (open && (*s == ']' || *s == ',') && key_end(s, to)) {
			return 120;
		} else if (last == s) {
			open = false;
		}
	}
	return map ? 64 : 0;
}

const struct reader reader_bpftrace = {
    .name = "bpftrace",
    .family = "perf",
    .page = "bpf",
    .capabilities =
	CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_THREADS | CAPABILITY_ADDRESSES,
    .what = "maps of bpftrace whose keys have stacks, with their counts",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* a key that is open is left out */
    .bid = bpftrace_bid,
    .read = bpftrace_read,
};
