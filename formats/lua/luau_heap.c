/* SPDX-License-Identifier: MIT
 *
 * Luau's heap dump, the JSON of luaC_dump (its VM/src/lgcdebug.cpp):
 *
 *	{"objects":{ADDRESS:{"type":T,"cat":N,"size":N,...},...},
 *	 "roots":{"mainthread":ADDRESS,"registry":ADDRESS},
 *	 "stats":{"size":N,"categories":{"0":{"name":S,"size":N},...,"none":{}}}}
 *
 * An address is %p as a string. By type: table pairs[] (key, value, key, ...; null for what is no
 * object), array[], metatable; function env, name, proto, upvalues[]; userdata metatable; thread
 * env, source, line, stack[]; proto source, line, constants[], protos[]; upvalue object; string
 * data. The last object, "0", only ends the list. Bytes that JSON would escape are '?' in texts.
 *
 * It is read twice: a table's values are named after their keys, which may come after it.
 */
#include "formats/emit.h"
#include "formats/lua/luau_repair.h"
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_TEXT = UINT32_MAX };

enum heap_place {
	WHOLE = JSON_PLACES,
	OBJECTS,
	OBJECT,
	TYPE,
	SIZE,
	NAME,
	SOURCE,
	LINE,
	DATA,
	REFERENCE, /* of an object, to another one */
	LIST,      /* of them */
	ENTRY,
	NO_ENTRY,
	ROOTS,
	ROOT,
	STATS,
	TOTAL,
	CATEGORIES,
	CATEGORY,
	CATEGORY_NAME,
	CATEGORY_SIZE
};

static const struct json_row luau_heap_rows[] = {
    {JSON_TOP, "{", WHOLE},
    {WHOLE, "objects{", OBJECTS},
    {OBJECTS, "*{", OBJECT}, /* by address */
    {OBJECT, "type", TYPE},
    {OBJECT, "size", SIZE},
    {OBJECT, "name", NAME},
    {OBJECT, "source", SOURCE},
    {OBJECT, "line", LINE},
    {OBJECT, "data", DATA},
    {OBJECT, "*", REFERENCE}, /* if the key is one of references[] */
    {OBJECT, "*[", LIST},
    {LIST, "", ENTRY},
    {LIST, "{", NO_ENTRY},
    {LIST, "[", NO_ENTRY},
    {WHOLE, "roots{", ROOTS},
    {ROOTS, "*", ROOT},
    {WHOLE, "stats{", STATS},
    {STATS, "size", TOTAL},
    {STATS, "categories{", CATEGORIES},
    {CATEGORIES, "*{", CATEGORY},
    {CATEGORY, "name", CATEGORY_NAME},
    {CATEGORY, "size", CATEGORY_SIZE},
    {0},
};

/* Keys of an object whose value is a reference, or a list of references, with its name. */
static const char *const references[][2] = {
    {"pairs", ""},
    {"array", "[]"},
    {"metatable", "(metatable)"},
    {"env", "(env)"},
    {"proto", "(proto)"},
    {"upvalues", "(upvalue)"},
    {"stack", "(stack)"},
    {"constants", "(constant)"},
    {"protos", "(proto)"},
    {"object", "(value)"},
    {"class", "(class)"},
    {"members", "(member)"},
};

struct heap {
	struct import *im;
	struct json_result at;
	const char *reference; /* of the key: its name, "": of pairs, NULL: none */
	unsigned category;
	uint32_t root_names;
	uint32_t type; /* of the object, as what follows */
	uint64_t address, size, line;
	struct buf name, source, data;
	struct heap_reference {
		uint64_t target;
		uint32_t name;
	} * references;
	size_t n, cap;
	uint64_t place; /* in the list */
	uint64_t pair_key;
	struct map64 objects; /* address -> string id of its text, NOT_TEXT; of the first reading */
	int64_t total;
	uint64_t n_objects, repeated, dangling, bad, no_address, classes;
	bool second; /* the reading that pushes */
	bool output_failed, has_size, has_line, has_data, has_pair_key, has_total;
};

/* "0x1f", or hex digits alone (Windows). */
static bool parse_address(const char *s, size_t n, uint64_t *v)
{
	if (n > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return num_hex(s + 2, n - 2, v);
	return num_hex(s, n, v);
}

static void set_text(struct buf *b, const char *s, size_t n)
{
	b->len = 0;
	buf_add(b, s, n);
}

static void begin_object(struct heap *h)
{
	h->has_size = h->has_line = h->has_data = false;
	h->type = 0;
	h->name.len = h->source.len = h->data.len = 0;
	h->n = 0;
}

static void learn_object(struct heap *h)
{
	uint32_t *at = map64_put(&h->objects, h->address);

	h->repeated += *at != 0;
	*at = h->has_data ? trace_string(h->im->t, buf_str(&h->data), h->data.len)
			  : (uint32_t)NOT_TEXT;
	h->n_objects++;
}

/* A string's text, a function's name or place; 0: the object has none. */
static uint32_t object_name(struct heap *h)
{
	struct trace *t = h->im->t;

	if (h->has_data)
		return trace_string(t, buf_str(&h->data), h->data.len);
	if (h->source.len) {
		if (h->name.len)
			buf_addc(&h->name, ' ');
		buf_add(&h->name, h->source.data, h->source.len);
		if (h->has_line) {
			buf_addc(&h->name, ':');
			buf_add_u64(&h->name, h->line);
		}
	}
	return h->name.len ? trace_string(t, h->name.data, h->name.len) : 0;
}

/* Of an event. */
static enum status pushed(struct heap *h, enum status st)
{
	h->output_failed |= st != ST_OK;
	return st;
}

static enum status push_reference(struct heap *h, uint64_t from, const struct heap_reference *r,
				  struct err *e)
{
	h->dangling += !map64_get(&h->objects, r->target);
	return pushed(h, emit_reference(h->im, from, r->target, r->name, ABSENT, e));
}

static enum status luau_heap_end_object(struct heap *h, struct err *e)
{
	struct emit_object object = {.id = h->address};
	enum status st;

	if (!h->address) /* the sentinel */
		return ST_OK;
	if (!h->second) {
		learn_object(h);
		return ST_OK;
	}
	object.name = object_name(h);
	object.type = h->type;
	object.size = KNOWN_IF(h->has_size, h->size);
	st = pushed(h, emit_object(h->im, &object, e));
	for (size_t i = 0; !st && i < h->n; i++)
		st = push_reference(h, h->address, &h->references[i], e);
	return st;
}

/* What a table's value is called: its key's text, where the key is a string. */
static uint32_t pair_name(struct heap *h)
{
	uint32_t id = h->has_pair_key ? map64_get(&h->objects, h->pair_key) : 0;

	if (!id)
		return trace_strz(h->im->t, "[?]");
	return id == NOT_TEXT ? trace_strz(h->im->t, "[object]") : id;
}

/* An entry of a list, or a single reference; null: has is false. */
static void add_reference(struct heap *h, bool has, uint64_t target)
{
	struct heap_reference r = {.target = target};
	bool is_pairs = !*h->reference, is_key = is_pairs && h->place % 2 == 0;

	h->place++;
	if (is_key) {
		h->has_pair_key = has;
		h->pair_key = target;
	}
	if (!has || !h->second || !target)
		return;
	if (is_pairs)
		r.name = is_key ? trace_strz(h->im->t, "(key)") : pair_name(h);
	else
		r.name = trace_strz(h->im->t, h->reference);
	VEC_PUSH(h->references, h->n, h->cap) = r;
}

static void set_category(struct heap *h, const char *what, const char *s, size_t n)
{
	char key[64];
	struct buf value = BUF_INIT;

	if (h->second || h->category >= 256)
		return;
	snprintf(key, sizeof key, "luau-heap.category.%u.%s", h->category, what);
	buf_add(&value, s, n);
	trace_set(h->im->t, key, buf_str(&value));
	buf_release(&value);
}

static enum status push_root(struct heap *h, struct json_value v, struct err *e)
{
	struct heap_reference r = {.name = h->root_names};

	if (!h->second)
		return ST_OK;
	if (parse_address(v.s, v.n, &r.target))
		return push_reference(h, 0, &r, e);
	h->bad++;
	return ST_OK;
}

static void parse_reference(struct heap *h, struct json_value v)
{
	uint64_t address = 0;
	bool has = parse_address(v.s, v.n, &address);

	h->bad += !has;
	add_reference(h, has, address);
}

/* What is no text. */
static void parse_other(struct heap *h, unsigned place, struct json_value v)
{
	bool is_number = v.kind == JSON_NUMBER;
	uint64_t n;

	if (place == ENTRY && v.kind == JSON_NULL) {
		add_reference(h, false, 0);
	} else if (place == ENTRY && is_number) {
		h->bad++;
		h->place++;
	} else if (place == SIZE && is_number) {
		h->has_size = num_dec(v.s, v.n, &h->size);
		h->bad += !h->has_size;
	} else if (place == LINE && is_number) {
		h->has_line = num_dec(v.s, v.n, &h->line);
	} else if (place == TOTAL && is_number) {
		h->has_total = num_i64(v.s, v.n, &h->total);
		h->bad += !h->has_total;
	} else if (place == CATEGORY_SIZE && is_number && num_dec(v.s, v.n, &n)) {
		set_category(h, "size", v.s, v.n);
	}
}

static enum status luau_heap_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct heap *h = arg;

	if ((place == REFERENCE || place == ENTRY) && !h->reference)
		return ST_OK;
	if (v.kind != JSON_STRING) {
		parse_other(h, place, v);
		return ST_OK;
	}
	switch (place) {
	case TYPE: h->type = trace_type(h->im->t, v.s, v.n); break;
	case NAME: set_text(&h->name, v.s, v.n); break;
	case SOURCE: set_text(&h->source, v.s, v.n); break;
	case DATA:
		set_text(&h->data, v.s, v.n);
		h->has_data = true;
		break;
	case REFERENCE:
	case ENTRY: parse_reference(h, v); break;
	case ROOT: return push_root(h, v, e);
	case CATEGORY_NAME: set_category(h, "name", v.s, v.n); break;
	default: break;
	}
	return ST_OK;
}

static enum status luau_heap_key(void *arg, unsigned in, const char *s, size_t n, struct err *e)
{
	struct heap *h = arg;
	uint64_t v;

	(void)e;
	if (in == OBJECTS && !parse_address(s, n, &h->address)) {
		h->address = 0;
		h->no_address++;
	} else if (in == ROOTS) {
		h->root_names = trace_string(h->im->t, s, n);
	} else if (in == CATEGORIES) {
		h->category = num_dec(s, n, &v) && v < 256 ? (unsigned)v : 256;
	} else if (in == OBJECT) {
		h->reference = NULL;
		for (size_t i = 0; i < sizeof references / sizeof *references; i++)
			if (text_is(s, n, references[i][0]))
				h->reference = references[i][1];
	}
	return ST_OK;
}

static enum status luau_heap_begin(void *arg, unsigned place, struct err *e)
{
	struct heap *h = arg;

	(void)e;
	if (place == OBJECT)
		begin_object(h);
	else if (place == NO_ENTRY)
		h->bad += h->reference != NULL;
	if (place == LIST) {
		h->place = 0;
		h->has_pair_key = false;
	}
	return ST_OK;
}

static enum status luau_heap_end(void *arg, unsigned place, struct err *e)
{
	return place == OBJECT ? luau_heap_end_object(arg, e) : ST_OK;
}

static enum status luau_heap_parse(struct heap *h, struct err *e)
{
	static const struct json_walker walker = {.rows = luau_heap_rows,
						  .begin = luau_heap_begin,
						  .end = luau_heap_end,
						  .value = luau_heap_value,
						  .key = luau_heap_key};
	static const struct json_options options = {.repair_utf8 = true};
	struct luau_repair repaired;
	enum status st;

	h->bad = h->no_address = h->dangling = 0;
	luau_repair_init(&repaired, &h->im->in->cur);
	st = json_walk(&repaired.cur, &walker, h, &options, &h->at, NULL, e);
	h->classes = repaired.classes;
	luau_repair_release(&repaired);
	return st;
}

static enum status push_total(struct heap *h, struct err *e)
{
	uint32_t counter = emit_counter_id(h->im, "lua.heap", "B");

	return h->has_total ? pushed(h, emit_counter(h->im, counter, ABSENT, h->total, e)) : ST_OK;
}

static enum status luau_heap_push_all(struct heap *h, struct err *e)
{
	enum status st = input_rewind(h->im->in);

	h->second = true;
	trace_set(h->im->t, TRACE_OBJECT_IDS, TRACE_OBJECT_ADDRESSES);
	if (!st)
		st = import_begin(h->im, e);
	if (!st)
		st = push_total(h, e);
	if (!st)
		st = luau_heap_parse(h, e);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, h->bad, "sizes or references are impossible"),
	    LOSS(NOTE_LOSS, h->no_address, "objects were left out: their key is not an address"),
	    LOSS(NOTE_LOSS, h->classes,
		 "classes have no name and no references: Luau does not write them as JSON"),
	    LOSS(NOTE_GUESS, h->repeated, "objects are in the file more than once"),
	    LOSS(NOTE_INFO, h->dangling, "references go to objects that are not in the file"),
	    LOSS(NOTE_INFO, h->at.repaired, "bytes of invalid UTF-8 became U+FFFD"),
	};

	TRACE_LOSSES(h->im->t, losses);
	return st;
}

static enum status luau_heap_read(struct import *im, struct err *e)
{
	struct heap h = {.im = im};
	struct err first = ERR_INIT;
	enum status st;

	st = luau_heap_parse(&h, &first);
	if (st != ST_OK && st != ST_BAD && st != ST_LIMIT)
		*e = first;
	else if (!h.n_objects)
		st = st ? (*e = first, st) : err_at(e, ST_BAD, 0, "the file has no objects");
	else
		st = luau_heap_push_all(&h, e);
	map64_release(&h.objects);
	buf_release(&h.name);
	buf_release(&h.source);
	buf_release(&h.data);
	free(h.references);
	return st;
}

static size_t skip_blanks(const uint8_t *p, size_t n, size_t i)
{
	while (i < n && (p[i] == ' ' || p[i] == '\n' || p[i] == '\r' || p[i] == '\t'))
		i++;
	return i;
}

/* {"objects":{" and then what may be an address */
static int luau_heap_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const words[] = {"{", "\"objects\"", ":", "{", "\"0"};
	size_t i = 0;

	(void)whole;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		size_t len = strlen(words[k]);

		i = skip_blanks(head, n, i);
		if (n - i < len || memcmp(head + i, words[k], len) != 0)
			return 0;
		i += len;
	}
	return 40;
}

const struct reader reader_luau_heap = {
    .name = "luau-heap",
    .family = "Lua",
    .page = "lua",
    .capabilities = CAPABILITY_TYPES | CAPABILITY_OBJECTS | CAPABILITY_REFERENCES,
    .what = "Luau's heap dump (JSON): objects, sizes and references",
    .suffixes = "json",
    .rewinds = true,
    .bid = luau_heap_bid,
    .read = luau_heap_read,
};
