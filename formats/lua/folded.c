/* SPDX-License-Identifier: MIT
 *
 * Folded stacks, the text that flame graph tools read: "a;b;c 12", outermost first. LuaJIT's
 * profiler writes it with -jp=G, with what is particular to it (its jit/p.lua, and files it wrote):
 *
 *  - C functions are "@0x..." addresses of their first byte, and no module map is saved;
 *  - with v or z the file has two levels: a line, then the lines that share its samples, once more.
 *    One level is stacks, the other the VM's states or the zones: each pair is one sample here;
 *  - the sampling interval (10 ms unless i changed it) is not in the file.
 *
 * Other tools' files give no unit either: the numbers are counts of samples as far as this reader
 * knows. Some have decimals (flamegraph.pl adds them up): then all are counted in millionths,
 * whatever decimals the file has, so that such files can be added up; the trace states it. Lines that begin with "#" or
 * "//" are comments, unless they are a stack whose first function is called so. Calls without a name, as tm-export
 * writes them, are places in modules (emit_place). Lines are kept until the end, for the two levels show only there; from
 * the first that rules them out on, equal stacks are one.
 */
#include "formats/emit.h"
#include "formats/lua/text.h"
#include "lib/base/bytes.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 6, SEEN = 4096 };

struct folded_row {
	uint64_t count; /* decimals: in millionths */
	uint32_t stack,
	    label;  /* label: the line, when it is one name; then there is no stack yet */
	bool state; /* the label is a VM state */
	bool decimals, rounded;
};

struct folded {
	struct import *im;
	struct folded_row *rows;
	size_t n, cap;
	uint32_t *places_of; /* by string: the location of an entry with this text; 0: not yet */
	size_t cap_places_of;
	struct folded_seen { /* entries of at most 16 bytes, which are all of them */
		uint64_t first, last;
		uint32_t n, location;
		bool address;
	} * seen;
	/* The last rows, whose stacks are looked up together: their entries, outermost first. */
	uint32_t *path;
	size_t n_path, cap_path;
	struct trace_path paths[TRACE_PATHS];
	size_t n_paths;
	/* Whether the lines so far may be two levels, and what is left of the group that they end in. */
	bool may_pair;
	uint64_t group_left;
	uint32_t *row_of; /* by stack: a row of it, + 1, since they may not; 0: none */
	size_t cap_row_of;
	struct emit_places modules; /* of entries that are places in one */
	uint64_t addresses, places, empty_entries, comments;
	bool decimals; /* a row has */
	uint64_t rounded,
	    too_large; /* rows that have more decimals than fit; that are at the limit */
	struct lua_refused refused;
	struct lua_line line;
};

/* The first semicolon in n bytes, or n. */
static size_t entry_length(const char *s, size_t n)
{
	const uint64_t ones = UINT64_MAX / 255;
	size_t at = 0;

	for (; at + 8 <= n; at += 8) {
		uint64_t x = le64(s + at) ^ ones * ';', zeros = (x - ones) & ~x & ones << 7;

		if (zeros)
			return at + (size_t)__builtin_ctzll(zeros) / 8;
	}
	while (at < n && s[at] != ';')
		at++;
	return at;
}

/* "main;update 12" and "main;update 1.25": the number at its end, behind a blank. False: none.
 * *head: how many bytes are before the blank. */
static bool folded_number(const char *s, size_t n, size_t *head, struct folded_row *r)
{
	size_t at = n, decimals;
	uint64_t up = 0;
	int64_t v;

	if (lua_last_number(s, n, head, &r->count))
		return true;
	while (at && s[at - 1] >= '0' && s[at - 1] <= '9')
		at--;
	decimals = n - at;
	if (!decimals || !at || s[at - 1] != '.')
		return false;
	for (at--; at && s[at - 1] >= '0' && s[at - 1] <= '9';)
		at--;
	if (at < 2 || s[at - 1] != ' ' || s[at] == '.')
		return false;
	r->decimals = true;
	r->rounded = decimals > DECIMALS;
	if (r->rounded && s[n - decimals + DECIMALS] >= '5')
		up = 1;
	if (!lua_decimal(s + at, n - at, DECIMALS, &v))
		return false;
	r->count = (uint64_t)v + up;
	*head = at - 1;
	return true;
}

/* "# 40 Hz; 3" is one, "#main;update 3" is not. */
static bool is_comment(const char *s, size_t n)
{
	struct folded_row r = {0};
	size_t head;

	if (n >= 2 && s[0] == '/' && s[1] == '/')
		return n == 2 || s[2] == ' ' || !folded_number(s, n, &head, &r);
	return n && s[0] == '#' &&
	       (n == 1 || s[1] == ' ' || s[1] == '#' || !folded_number(s, n, &head, &r));
}

/* An entry that is no address. */
static uint32_t folded_location(struct folded *f, const char *s, size_t n)
{
	struct trace *t = f->im->t;
	uint32_t string = trace_string(t, s, n), line;

	f->places_of =
	    mem_grow_zero(f->places_of, &f->cap_places_of, string + 1u, sizeof *f->places_of);
	if (!f->places_of[string]) {
		uint32_t location = emit_place(&f->modules, t, s, n);

		f->places += lua_place(s, n, &line) != 0;
		f->places_of[string] = location ? location : lua_entry(t, s, n);
	}
	return f->places_of[string];
}

static uint32_t folded_location_of(struct folded *f, const char *s, size_t n, bool *address)
{
	uint64_t v;

	*address = lua_is_address(s, n, &v);
	return *address ? lua_entry(f->im->t, s, n) : folded_location(f, s, n);
}

/* The same few names come again and again, and most are short: nothing else need be compared. */
static uint32_t folded_entry(struct folded *f, const char *s, size_t n)
{
	uint64_t first = 0, last = 0;
	struct folded_seen *seen;
	uint32_t location;
	bool address;

	if (n > 16) {
		location = folded_location_of(f, s, n, &address);
		f->addresses += address;
		return location;
	}
	if (n >= 8) {
		first = le64(s);
		last = le64(s + n - 8);
	} else if (n >= 4) {
		first = le32(s);
		last = le32(s + n - 4);
	} else {
		first = (uint8_t)s[0] | (uint64_t)(uint8_t)s[n / 2] << 8;
		last = (uint8_t)s[n - 1];
	}
	seen = &f->seen[hash_u64(first ^ (last << 24 | last >> 40) ^ n) % SEEN];
	if (!seen->location || seen->first != first || seen->last != last || seen->n != n) {
		*seen = (struct folded_seen){.first = first, .last = last, .n = (uint32_t)n};
		seen->location = folded_location_of(f, s, n, &seen->address);
	}
	f->addresses += seen->address;
	return seen->location;
}

/* As two_levels judges at the end, of whole numbers. */
static void folded_follow_pairs(struct folded *f, const struct folded_row *r)
{
	bool starts = !f->group_left, as_first = !r->label == !f->rows[0].label;

	if (r->decimals) /* what a group sums up to is seen when all are scaled */
		return;
	if (starts ? !as_first : as_first || r->count > f->group_left)
		f->may_pair = false;
	f->group_left = starts ? r->count : f->group_left - r->count;
}

/* Of the rows from i on, which have their stacks, those are left that no row had before. */
static void folded_join(struct folded *f, size_t i)
{
	size_t to = i;

	for (; i < f->n; i++) {
		struct folded_row r = f->rows[i], *same;
		uint32_t *row;

		f->rows[to++] = r;
		if (r.label)
			continue;
		f->row_of =
		    mem_grow_zero(f->row_of, &f->cap_row_of, r.stack + 1u, sizeof *f->row_of);
		row = &f->row_of[r.stack];
		same = *row ? &f->rows[*row - 1] : NULL;
		if (same && same->decimals == r.decimals && same->count <= INT64_MAX &&
		    r.count <= INT64_MAX - same->count) {
			same->count += r.count;
			to--;
		} else {
			*row = (uint32_t)to;
		}
	}
	f->n = to;
}

/* The stacks of the rows that wait for theirs. */
static void folded_settle(struct folded *f)
{
	size_t first = f->n - f->n_paths;
	struct folded_row *rows = VEC_AT(f->rows, first);
	bool might_pair = f->may_pair;
	const uint32_t *at = f->path;

	for (size_t i = 0; i < f->n_paths; i++) {
		f->paths[i].locations = at;
		at = VEC_AT(at, f->paths[i].n);
	}
	trace_paths_seek(f->im->t, f->paths, f->n_paths);
	for (size_t i = 0; i < f->n_paths; i++)
		rows[i].stack = trace_path_stack(f->im->t, &f->paths[i]);
	for (size_t i = first; i < f->n && f->may_pair; i++)
		folded_follow_pairs(f, &f->rows[i]);
	if (!f->may_pair)
		folded_join(f, might_pair ? 0 : first);
	f->n_paths = f->n_path = 0;
}

static void folded_add_row(struct folded *f, const char *s, size_t n, struct folded_row r)
{
	struct trace *t = f->im->t;
	size_t len = entry_length(s, n), before = f->n_path;
	uint64_t address;
	uint32_t line;

	if (len == n && !lua_is_address(s, n, &address) && !lua_place(s, n, &line)) {
		r.label = trace_string(t, s, n);
		r.state = lua_is_vm_state(s, n);
	} else {
		for (size_t at = 0;; len = entry_length(s + at, n - at)) {
			if (len) {
				uint32_t location = folded_entry(f, s + at, len);

				VEC_PUSH(f->path, f->n_path, f->cap_path) = location;
			}
			f->empty_entries += !len;
			at += len + 1;
			if (at > n)
				break;
		}
	}
	f->decimals |= r.decimals;
	f->rounded += r.rounded;
	VEC_PUSH(f->rows, f->n, f->cap) = r;
	f->paths[f->n_paths++].n = (uint32_t)(f->n_path - before);
	if (f->n_paths == TRACE_PATHS)
		folded_settle(f);
}

static enum status read_rows(struct folded *f, struct cursor *c)
{
	while (lua_next_line(c, &f->line)) {
		struct folded_row r = {0};
		size_t head;

		if (!f->line.n)
			continue;
		if (is_comment(f->line.s, f->line.n))
			f->comments++;
		else if (folded_number(f->line.s, f->line.n, &head, &r))
			folded_add_row(f, f->line.s, head, r);
		else
			lua_refuse(&f->refused, &f->line);
	}
	folded_settle(f);
	return cursor_failed(c) ? err_failure(c->e) : ST_OK;
}

/* Where one number has decimals, all are in millionths. */
static void folded_scale_rows(struct folded *f)
{
	for (size_t i = 0; f->decimals && i < f->n; i++) {
		struct folded_row *r = &f->rows[i];

		if (!r->decimals && __builtin_mul_overflow(r->count, TRACE_MILLION, &r->count)) {
			r->count = UINT64_MAX;
			f->too_large++;
		}
	}
}

static void note_unit(struct folded *f)
{
	struct trace *t = f->im->t;

	if (!f->decimals) {
		trace_set(t, "folded.unit", "samples, interval not captured");
		return;
	}
	trace_samples_are_millionths(t);

	const struct trace_loss losses[] = {
	    LOSS_WITH(NOTE_LOSS, f->rounded, "numbers have more than {} decimals: rounded",
		      DECIMALS),
	    LOSS(NOTE_LOSS, f->too_large,
		 "numbers are too large for 64 bits in millionths: the largest possible number "
		 "stands for them"),
	};

	TRACE_LOSSES(t, losses);
}

/* The index behind the lines whose counts sum to row i's; 0: none. All of them are of the
 * other kind than row i. */
static size_t group_end(const struct folded *f, size_t i)
{
	uint64_t left = f->rows[i].count;
	size_t k = i + 1;

	for (; k < f->n && left; k++) {
		if (!f->rows[k].label == !f->rows[i].label || f->rows[k].count > left)
			return 0;
		left -= f->rows[k].count;
	}
	return left ? 0 : k;
}

/* Every sample twice: lines of one kind, each followed by what its samples are in the other. */
static bool two_levels(const struct folded *f, bool *states)
{
	size_t i = 0;

	*states = f->n > 0;
	for (size_t k = 0; k < f->n; k++)
		*states &= !f->rows[k].label || f->rows[k].state;
	while (i < f->n) {
		size_t next = group_end(f, i);

		if (!next || !f->rows[i].label != !f->rows[0].label)
			return false;
		i = next;
	}
	return f->n && (*states || f->addresses || f->places);
}

static uint32_t marker(struct trace *t, const struct folded_row *r)
{
	struct marker m = {.name = r->label};
	size_t n;
	const char *s = intern_text(&t->strings, r->label, &n);

	if (!r->state && n == 6 && !memcmp(s, "(none)", n))
		return 0;
	m.category = trace_strz(t, r->state ? "vm state" : "zone");
	return trace_marker(t, &m);
}

static enum status folded_push_pairs(struct folded *f, struct err *e)
{
	enum status st = ST_OK;
	size_t i = 0;

	while (!st && i < f->n) {
		const struct folded_row *first = &f->rows[i];
		size_t end = group_end(f, i);

		for (i++; !st && i < end; i++) {
			const struct folded_row *r = &f->rows[i];

			st = emit_samples(f->im, first->label ? r->stack : first->stack,
					  marker(f->im->t, first->label ? first : r), r->count, e);
		}
	}
	return st;
}

static enum status folded_push_rows(struct folded *f, struct err *e)
{
	uint64_t dropped = 0, labels = 0;
	enum status st = ST_OK;

	for (size_t i = 0; i < f->n; i++)
		labels += f->rows[i].state;
	if (labels == f->n)
		labels = 0;
	for (size_t i = 0; !st && i < f->n; i++) {
		const struct folded_row *r = &f->rows[i];
		uint32_t stack = r->stack;

		if (r->state && labels) {
			dropped++;
			continue;
		}
		if (r->label) {
			size_t n;
			const char *s = intern_text(&f->im->t->strings, r->label, &n);

			stack = trace_stack(f->im->t, 0, folded_location(f, s, n));
		}
		st = emit_samples(f->im, stack, 0, r->count, e);
	}
	if (dropped)
		trace_note(f->im->t, NOTE_GUESS, dropped,
			   "lines of VM states were left out: the stacks have the same samples");
	return st;
}

static enum status folded_push(struct folded *f, struct err *e)
{
	struct trace *t = f->im->t;
	bool states, pairs;
	enum status st;

	folded_scale_rows(f);
	note_unit(f);
	pairs = two_levels(f, &states);
	st = import_begin(f->im, e);
	if (!st)
		st = pairs ? folded_push_pairs(f, e) : folded_push_rows(f, e);
	if (pairs)
		trace_note(t, states ? NOTE_INFO : NOTE_GUESS, 0,
			   "the report has two levels: each sample is in a stack and in a %s, "
			   "and counts once",
			   states ? "VM state" : "zone");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_INFO, f->comments, "lines are comments"),
	    LOSS(NOTE_INFO, f->empty_entries, "empty stack entries were left out"),
	};

	TRACE_LOSSES(t, losses);
	lua_refused_note(t, &f->refused, "lines are not a stack and a number");
	lua_cut_note(t, &f->line, &f->refused);
	emit_places_note(&f->modules, t);
	return st;
}

static enum status folded_read(struct import *im, struct err *e)
{
	struct folded f = {.im = im, .seen = mem_zarray(SEEN, sizeof *f.seen), .may_pair = true};
	enum status st = read_rows(&f, &im->in->cur);

	if (!st && !f.n)
		st = err_at(e, ST_BAD, 0, "no line is a stack and a number");
	else if (f.n) {
		struct err later = ERR_INIT;
		enum status out = folded_push(&f, &later);

		if (out) {
			*e = later;
			st = out;
		}
	}
	emit_places_release(&f.modules);
	free(f.rows);
	free(f.path);
	free(f.places_of);
	free(f.row_of);
	free(f.seen);
	return st;
}

/* "A B;C;C # 12", "passed: 5; failed: 12": a text says of its number what it is. */
static bool is_remark(const char *s, size_t n)
{
	return n > 1 && (s[n - 1] == ':' || (s[n - 1] == '#' && s[n - 2] == ' '));
}

/* The lines of the head, and at least one that has several entries. */
static int folded_bid(const uint8_t *head, size_t n, bool whole)
{
	struct lua_head h = {head, n, whole, 0};
	size_t len, at, good = 0, bad = 0;
	bool stacks = false, addresses = false;
	const char *s, *semicolon;
	struct folded_row r = {0};
	uint64_t address;

	while (lua_head_line(&h, &s, &len)) {
		if (!len || is_comment(s, len))
			continue;
		if (*s == ' ' || !folded_number(s, len, &at, &r) || memchr(s, '\t', at) ||
		    memchr(s, '\0', at) || is_remark(s, at)) {
			bad++;
			continue;
		}
		good++;
		semicolon = memchr(s, ';', at);
		stacks |= semicolon != NULL;
		addresses |=
		    semicolon && *s == '@' && lua_is_address(s, (size_t)(semicolon - s), &address);
	}
	if (!good || bad > good / 4)
		return 0;
	return addresses ? 24 : stacks ? 10 : 0;
}

const struct reader reader_folded = {
    .name = "folded",
    .family = "Lua",
    .page = "lua",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_ADDRESSES,
    .what = "folded stacks of flame graph tools, and LuaJIT's -jp=G",
    .suffixes = "folded,collapsed,txt",
    .guesses = true,
    .cut = CUT_NEVER, /* one level or two: all lines say */
    .bid = folded_bid,
    .read = folded_read,
};
