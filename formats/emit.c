/* SPDX-License-Identifier: MIT */
#include "formats/emit.h"

#include "lib/base/num.h"
#include "lib/trace/reading.h"
#include "lib/trace/symbols.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct event event_of_frame(struct known_number number, struct known_number time)
{
	struct event ev = emit_event(EV_FRAME, 0, 0, 0, time);

	emit_put_value(&ev, number);
	return ev;
}

enum status emit_frame(struct import *im, struct known_number number, struct known_number time,
		       struct err *e)
{
	return emit_frame_lasting(im, number, 0, time, ABSENT, e);
}

enum status emit_frame_labeled(struct import *im, struct known_number number, uint32_t label,
			       struct known_number time, struct err *e)
{
	return emit_frame_lasting(im, number, label, time, ABSENT, e);
}

enum status emit_frame_lasting(struct import *im, struct known_number number, uint32_t label,
			       struct known_number time, struct known_number duration,
			       struct err *e)
{
	struct event ev = event_of_frame(number, time);

	emit_put_id(&ev, EV_HAS_NAME, &ev.name, label);
	emit_put(&ev, EV_HAS_TARGET, &ev.target, duration);
	return import_event(im, &ev, e);
}

struct event event_of_log(const struct emit_log *l)
{
	struct event ev = emit_event(EV_LOG, l->severity, 0, 0, l->time);

	emit_put_id(&ev, EV_HAS_NAME, &ev.name, l->text);
	emit_put_value(&ev, l->level);
	return ev;
}

enum status emit_log(struct import *im, const struct emit_log *l, struct err *e)
{
	struct event ev = event_of_log(l);

	return import_event(im, &ev, e);
}

uint32_t emit_counter_id(struct import *im, const char *name, const char *unit)
{
	struct counter c = {trace_strz(im->t, name), trace_strz(im->t, unit)};

	return trace_counter(im->t, &c);
}

enum status emit_counter(struct import *im, uint32_t counter, struct known_number time,
			 int64_t value, struct err *e)
{
	struct event ev = emit_event(EV_COUNTER, counter, 0, 0, time);

	emit_put_value(&ev, KNOWN(value));
	return import_event(im, &ev, e);
}

struct event event_of_decimal(uint32_t counter, struct known_number time, decimal value)
{
	struct event ev = emit_event(EV_COUNTER, counter, 0, 0, time);

	reading_set(&ev, value);
	return ev;
}

enum status emit_decimal(struct import *im, uint32_t counter, struct known_number time,
			 decimal value, struct err *e)
{
	struct event ev = event_of_decimal(counter, time, value);

	return import_event(im, &ev, e);
}

void emit_blocks_gone(struct emit_blocks *b, const int64_t all[BLOCKS_AMOUNTS],
		      const int64_t live[BLOCKS_AMOUNTS], unsigned known,
		      int64_t gone[BLOCKS_AMOUNTS])
{
	bool above = false;

	for (unsigned a = 0; a < BLOCKS_AMOUNTS; a++) {
		gone[a] = all[a] > live[a] ? all[a] - live[a] : 0;
		above |= known >> a & 1 && all[a] < live[a];
	}
	b->above += above;
}

void emit_blocks_note(const struct emit_blocks *b)
{
	if (b->above)
		trace_note(b->im->t, NOTE_GUESS, b->above,
			   "rows have more bytes in use than allocated: the bytes in use "
			   "count as allocated");
}

static struct known_number amount_of(const struct emit_profile *row,
				     const int64_t v[BLOCKS_AMOUNTS], enum block_amount a)
{
	return KNOWN_IF(row->known >> a & 1, v[a]);
}

enum status emit_blocks(struct emit_blocks *b, const struct emit_profile *row,
			const int64_t v[BLOCKS_AMOUNTS], enum profile_fate fate, struct err *e)
{
	struct event ev = emit_event(EV_PROFILE, row->type, row->stack, row->thread, row->time);

	emit_put(&ev, EV_HAS_COUNT, &ev.count, amount_of(row, v, BLOCKS_COUNT));
	emit_put(&ev, EV_HAS_REQUESTED, &ev.requested, amount_of(row, v, BLOCKS_REQUESTED));
	emit_put(&ev, EV_HAS_REAL, &ev.real, amount_of(row, v, BLOCKS_REAL));
	emit_put_domain(&ev, row->domain);
	emit_put_value(&ev, KNOWN_IF(b->live, fate));
	return import_event(b->im, &ev, e);
}

uint32_t emit_named(struct trace *t, uint32_t name, uint32_t file, uint32_t line)
{
	struct location l = {
	    .space = name ? SPACE_NAME : SPACE_UNKNOWN, .name = name, .file = file, .line = line};

	return trace_location(t, &l);
}

/* --- calls without a name --- */

/* The name of a binary, beyond doubt. */
static bool is_binary_name(const char *s, size_t n)
{
	static const char *const endings[] = {".exe", ".dll",   ".sys",  ".ocx",
					      ".so",  ".dylib", ".wasm", ".pdb"};

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t k = strlen(endings[i]);

		if (n > k && !strncasecmp(s + n - k, endings[i], k))
			return true;
	}
	return *s == '/' || memmem(s, n, ".so.", 4);
}

/* A program of Linux, or a function of C. */
static bool is_word(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("_-.", s[i]))
			return false;
	return n;
}

/* The place that a text ends with; module: what is before it. */
static bool parse_place(const char *s, size_t n, size_t *module, struct location *l)
{
	static const char start[] = "!" SYMBOL_START;
	const size_t mark = sizeof start - 1;
	size_t at = n;

	while (at && num_hex_digit(s[at - 1]) >= 0)
		at--;
	if (at < 4 || memcmp(s + at - 2, "0x", 2) != 0 || !num_hex(s + at, n - at, &l->raw))
		return false;
	*module = at - 3;
	if (at > mark && !memcmp(s + at - mark, start, mark)) {
		*module = at - mark;
		l->space = SPACE_VADDR;
		l->kind = LOCATION_ENTRY;
	} else if (s[at - 3] == '!') {
		l->space = SPACE_VADDR;
	} else if (s[at - 3] == '+') {
		l->space = SPACE_OFFSET_OR_VADDR;
	} else {
		return false;
	}
	return true;
}

uint32_t emit_place(struct emit_places *p, struct trace *t, const char *s, size_t n)
{
	static const char unknown[] = "[unknown]";
	struct location l = {.space = SPACE_UNKNOWN};
	uint32_t name, *known;
	size_t module;

	if (n == sizeof unknown - 1 && !memcmp(s, unknown, n))
		return trace_location(t, &l);
	if (!parse_place(s, n, &module, &l))
		return 0;
	if (l.space == SPACE_OFFSET_OR_VADDR && !is_binary_name(s, module)) {
		if (!is_word(s, module))
			return 0;
		p->guessed++;
	}
	name = trace_string(t, s, module);
	known = map64_put(&p->modules, name);
	if (!*known)
		*known = trace_module(t, &(struct module){.name = name});
	l.module = *known;
	return trace_location(t, &l);
}

bool emit_is_place(const char *s, size_t n, uint64_t address)
{
	struct location l = {.raw = 0};
	size_t module;

	return parse_place(s, n, &module, &l) && l.raw == address;
}

void emit_places_note(const struct emit_places *p, struct trace *t)
{
	if (p->guessed)
		trace_note(t, NOTE_GUESS, p->guessed,
			   "names as \"game+0x12\" are taken for offsets in a module");
}

void emit_places_release(struct emit_places *p)
{
	map64_release(&p->modules);
}

uint32_t emit_uuid(struct trace *t, const char *s, size_t n)
{
	char id[16];
	unsigned byte = 0;
	size_t digits = 0;

	for (size_t i = 0; i < n && digits < 32; i++)
		if (num_hex_digit(s[i]) >= 0) {
			byte = byte << 4 | (unsigned)num_hex_digit(s[i]);
			id[digits++ / 2] = (char)byte;
		}
	return digits == 32 ? trace_string(t, id, sizeof id) : 0;
}
