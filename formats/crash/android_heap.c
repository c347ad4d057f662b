/* SPDX-License-Identifier: MIT
 *
 * Android's native heap dumps (am dumpheap -n, malloc_debug's signal): what is live by size and
 * stack, and the module map.
 *
 *	Android Native Heap Dump v1.2
 *	Total memory: 400
 *	z 0  sz      400  num    1  bt a2a0 b510
 *	  bt_info {"/system/libc.so" 2a0 "abort" 24} {"/system/libutils.so" 510 "" 0}
 *	MAPS
 *	a000-b000 r-xp 00000000 00:00 0   /system/libc.so
 *	END
 *
 * From bionic's libc/malloc_debug/README.md: num is not to be trusted before version 1.1. As AOSP's
 * native_heapdump_viewer does, it is believed there where size times num add up to Total memory; else each
 * record is one block. Allocation records are blocks in some files (that viewer's tests) and records in others
 * (android_os_Debug.cpp). Addresses are those of the calls themselves (backtrace.cpp there takes the step back).
 */
#include "formats/emit.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 1 << 20 };

struct heap_dump {
	struct import *im;
	struct emit_blocks blocks;
	bool v10;    /* numbers of blocks are not to be trusted, */
	bool single; /* and each record is one */
	bool summed; /* the records add up to what the head says */
	bool begun, pending, cut;
	uint64_t size, num, zygote;
	struct location *calls; /* of the record that waits for its names */
	size_t n_calls, cap_calls;
	uint32_t *line;
	size_t n_line, cap_line;
	uint64_t number, refused, first_refused; /* lines */
	uint64_t bytes, records, said_bytes, said_records;
	uint64_t nums; /* of blocks, as the records say */
	bool has_bytes, has_records;
};

struct heap_text {
	const char *s, *end;
};

static void heap_skip_blanks(struct heap_text *t)
{
	while (t->s < t->end && *t->s == ' ')
		t->s++;
}

/* Behind blanks and this word. */
static bool heap_word(struct heap_text *t, const char *word)
{
	size_t n = strlen(word);

	heap_skip_blanks(t);
	if ((size_t)(t->end - t->s) < n || memcmp(t->s, word, n) != 0)
		return false;
	t->s += n;
	return true;
}

static bool heap_number(struct heap_text *t, bool hex, uint64_t *v)
{
	const char *from;

	heap_skip_blanks(t);
	from = t->s;
	while (t->s < t->end && num_hex_digit(*t->s) >= 0)
		t->s++;
	return hex ? num_hex(from, (size_t)(t->s - from), v)
		   : num_dec(from, (size_t)(t->s - from), v);
}

static bool heap_quoted(struct heap_text *t, struct heap_text *inside)
{
	const char *close;

	if (!heap_word(t, "\""))
		return false;
	close = memchr(t->s, '"', (size_t)(t->end - t->s));
	if (!close)
		return false;
	*inside = (struct heap_text){t->s, close};
	t->s = close + 1;
	return true;
}

static enum status android_heap_push(struct heap_dump *x, struct err *e)
{
	struct emit_profile row = {.known = BLOCKS_SIZED};
	uint64_t num = x->single ? 1 : x->num;
	const int64_t amounts[BLOCKS_AMOUNTS] = {(int64_t)num, (int64_t)(x->size * num), 0};
	enum metric_state state = x->v10 && !x->summed ? METRIC_LOWER_BOUND : METRIC_EXACT;
	struct trace *t = x->im->t;
	enum status st = ST_OK;

	if (!x->pending)
		return ST_OK;
	x->pending = false;
	if (!x->begun) {
		x->begun = true;
		trace_metric(t, METRIC_COUNT, state, METRIC_AT_ALL);
		trace_metric(t, METRIC_REQUESTED, state, METRIC_AT_ALL);
		emit_blocks_live(&x->blocks, state);
		trace_set_blocks(t, TRACE_BLOCKS_NUMBERED);
		st = import_begin(x->im, e);
	}
	x->n_line = 0;
	for (size_t i = 0; i < x->n_calls; i++) {
		uint32_t location = trace_location(t, &x->calls[i]);

		VEC_PUSH(x->line, x->n_line, x->cap_line) = location;
	}
	row.stack = trace_stack_of(t, x->line, x->n_line);
	if (x->zygote)
		row.type = trace_type(t, "after the fork of the zygote", 28);
	x->bytes += x->size * num;
	x->records++;
	x->nums = x->nums + x->num < x->nums ? UINT64_MAX : x->nums + x->num;
	return st || !num ? st : emit_blocks(&x->blocks, &row, amounts, PROFILE_LIVE, e);
}

/* z 0  sz 400  num 1  bt a2a0 b510 */
static bool android_heap_record(struct heap_dump *x, struct heap_text t)
{
	uint64_t zygote, size, num, address;

	if (!heap_word(&t, "z ") || !heap_number(&t, false, &zygote) || zygote > 1 ||
	    !heap_word(&t, "sz ") || !heap_number(&t, false, &size) || !heap_word(&t, "num ") ||
	    !heap_number(&t, false, &num) || !heap_word(&t, "bt"))
		return false;
	if (num > (uint64_t)BLOCKS_MOST || size > INT64_MAX || (num && size > INT64_MAX / num))
		return false;
	x->n_calls = 0;
	while (heap_number(&t, true, &address))
		VEC_PUSH(x->calls, x->n_calls, x->cap_calls) = (struct location){
		    .raw = address, .space = SPACE_RUNTIME, .kind = LOCATION_EXACT};
	heap_skip_blanks(&t);
	x->zygote = zygote;
	x->size = size;
	x->num = num;
	return t.s == t.end;
}

/* bt_info {"/system/libc.so" 2a0 "abort" 24} ...: names of the record above. */
static bool heap_names(struct heap_dump *x, struct heap_text t)
{
	struct heap_text map, name;
	uint64_t at, behind;

	for (size_t i = 0; heap_word(&t, "{"); i++) {
		if (!heap_quoted(&t, &map) || !heap_number(&t, true, &at) ||
		    !heap_quoted(&t, &name) || !heap_number(&t, true, &behind) ||
		    !heap_word(&t, "}") || i >= x->n_calls)
			return false;
		if (name.s < name.end)
			x->calls[i].name =
			    trace_string(x->im->t, name.s, (size_t)(name.end - name.s));
	}
	heap_skip_blanks(&t);
	return t.s == t.end;
}

static bool android_heap_header(struct heap_dump *x, struct heap_text t)
{
	struct heap_text r = t;
	uint64_t v;

	if (heap_word(&r, "Build fingerprint: '")) {
		const char *close = memchr(r.s, '\'', (size_t)(r.end - r.s));
		char *text = mem_strndup(r.s, (size_t)((close ? close : r.end) - r.s));

		trace_set(x->im->t, "android.fingerprint", text);
		free(text);
		return true;
	}
	if (heap_word(&r, "Total memory: "))
		return x->has_bytes = heap_number(&r, false, &x->said_bytes);
	r = t;
	if (heap_word(&r, "Allocation records: "))
		return x->has_records = heap_number(&r, false, &x->said_records);
	r = t;
	return heap_word(&r, "Backtrace size: ") && heap_number(&r, false, &v);
}

static enum status android_heap_line(struct heap_dump *x, const char *s, size_t n, bool *maps,
				     struct err *e)
{
	struct heap_text t = {s, s + n}, names = t;
	enum status st;

	while (t.end > t.s && (t.end[-1] == ' ' || t.end[-1] == '\r'))
		t.end--;
	if (t.s == t.end)
		return ST_OK;
	if (heap_word(&names, "bt_info ") && x->pending && heap_names(x, names))
		return android_heap_push(x, e);
	st = android_heap_push(x, e);
	if (st)
		return st;
	*maps = t.end - t.s == 4 && !memcmp(t.s, "MAPS", 4);
	x->pending = android_heap_record(x, t);
	if (!*maps && !x->pending && !android_heap_header(x, t) && !x->refused++)
		x->first_refused = x->number;
	return ST_OK;
}

static void android_heap_notes(const struct heap_dump *x, bool maps)
{
	struct trace *t = x->im->t;

	if (x->refused)
		trace_note(t, NOTE_LOSS, x->refused,
			   "lines are not records and were left out; the first is line %" PRIu64,
			   x->first_refused);
	if (x->has_bytes && x->bytes != x->said_bytes)
		trace_note(t, NOTE_LOSS, 0,
			   "the dump states %" PRIu64 " bytes, but its records have %" PRIu64,
			   x->said_bytes, x->bytes);
	if (x->has_records && x->records != x->said_records && x->nums != x->said_records)
		trace_note(t, NOTE_LOSS, 0,
			   "the head of the dump states %" PRIu64 " records or blocks, but "
			   "the dump has %" PRIu64 " records of %" PRIu64 " blocks",
			   x->said_records, x->records, x->nums);

	const struct trace_loss losses[] = {
	    LOSS_IF(NOTE_GUESS, x->v10 && !x->summed,
		    "version 1.0 does not always state how many blocks a record has: each record "
		    "counts once"),
	    LOSS_IF(
		NOTE_LOSS, !maps,
		"the dump has no module map: it was cut short, and its addresses have no module"),
	    LOSS_IF(NOTE_LOSS, x->cut, "the last line has no newline: the file may be cut short"),
	};

	TRACE_LOSSES(t, losses);
}

static uint64_t heap_add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* The title, behind blank lines; NULL: none. */
static const char *heap_title(const uint8_t *head, size_t n, size_t *len)
{
	static const char first[] = "Android Native Heap Dump v1.";
	const char *s = (const char *)head, *end = s + n;

	while (s < end && (*s == '\n' || *s == '\r'))
		s++;
	*len = sizeof first - 1;
	return (size_t)(end - s) > *len && !memcmp(s, first, *len) ? s : NULL;
}

/* Of version 1.0: whether the numbers of blocks are sound, before the first record is taken. */
static enum status android_heap_believe(struct heap_dump *x, struct err *e)
{
	struct cursor *c = &x->im->in->cur;
	uint64_t bytes = 0, single = 0;
	const char *s;
	size_t n;

	if (input_keep(x->im->in))
		return err_failure(e);
	while ((s = cursor_line(c, &n, LINE_LIMIT))) {
		struct heap_text t = {s, s + n};

		while (t.end > t.s && (t.end[-1] == ' ' || t.end[-1] == '\r'))
			t.end--;
		if (t.end - t.s == 4 && !memcmp(t.s, "MAPS", 4))
			break;
		if ((const char *)c->pos == s + n) /* a line that is cut */
			break;
		if (android_heap_record(x, t)) {
			bytes = heap_add(bytes, x->size * x->num);
			single = heap_add(single, x->size);
		} else {
			android_heap_header(x, t);
		}
	}
	if (cursor_failed(c))
		return err_failure(e);
	x->single = !x->has_bytes || bytes != x->said_bytes;
	x->summed = x->has_bytes && (!x->single || single == x->said_bytes);
	return input_rewind(x->im->in);
}

static enum status android_heap_read(struct import *im, struct err *e)
{
	struct heap_dump x = {.im = im, .blocks.im = im};
	struct cursor *c = &im->in->cur;
	enum status st = ST_OK;
	const uint8_t *head;
	bool maps = false, titled = false;
	const char *s;
	size_t n, title;

	st = input_head(im->in, &head, &n);
	s = st ? NULL : heap_title(head, n, &title);
	x.v10 = s && s[title] == '0';
	if (x.v10)
		st = android_heap_believe(&x, e);
	while (!st && !maps && (s = cursor_line(c, &n, LINE_LIMIT))) {
		bool cut = n && (const char *)c->pos == s + n;

		x.number++;
		if (!titled) {
			titled = n > 1;
			continue;
		}
		x.cut |= cut;
		if (!cut) /* an address that is cut is another one */
			st = android_heap_line(&x, s, n, &maps, e);
	}
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st)
		st = android_heap_push(&x, e);
	if (!st && maps) {
		struct err none = ERR_INIT;

		maps = !maps_read(c, im->t, &im->smaps, &none);
	}
	if (!st && !x.records)
		st = err_at(e, ST_BAD, 0, "no line is a record of the heap");
	if (x.begun)
		android_heap_notes(&x, maps);
	free(x.calls);
	free(x.line);
	return st;
}

static int android_heap_bid(const uint8_t *head, size_t n, bool whole)
{
	size_t title;

	(void)whole;
	return heap_title(head, n, &title) ? 8 * (int)(title + 1) : 0;
}

const struct reader reader_android_heap = {
    .name = "android-heap",
    .family = "Logs",
    .page = "crash",
    .capabilities =
	CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS | CAPABILITY_ADDRESSES,
    .what = "Android's native heap dumps: am dumpheap -n, malloc_debug",
    .suffixes = "txt",
    .cut = CUT_NEVER, /* names come below their record */
    .bid = android_heap_bid,
    .read = android_heap_read,
};
