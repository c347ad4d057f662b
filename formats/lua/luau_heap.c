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
#include "lib/input/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_TEXT = UINT32_MAX };

enum heap_level {
	LEVEL_NONE,
	LEVEL_TOP,
	LEVEL_OBJECTS,
	LEVEL_OBJECT,
	LEVEL_LIST, /* of an object's references */
	LEVEL_ROOTS,
	LEVEL_STATS,
	LEVEL_CATEGORIES,
	LEVEL_CATEGORY
};

enum heap_key {
	KEY_OTHER,
	KEY_OBJECTS,
	KEY_ROOTS,
	KEY_STATS,
	KEY_CATEGORIES,
	KEY_TYPE,
	KEY_SIZE,
	KEY_NAME,
	KEY_SOURCE,
	KEY_LINE,
	KEY_DATA,
	KEY_PAIRS,
	KEY_ARRAY,
	KEY_METATABLE,
	KEY_ENV,
	KEY_PROTO,
	KEY_UPVALUES,
	KEY_STACK,
	KEY_CONSTANTS,
	KEY_PROTOS,
	KEY_OBJECT
};

static const struct {
	const char *word;
	const char *reference; /* its name, where the key's value is one or a list of them */
	enum heap_level level;
	enum heap_key key;
} keys[] = {
    {"objects", NULL, LEVEL_TOP, KEY_OBJECTS},
    {"roots", NULL, LEVEL_TOP, KEY_ROOTS},
    {"stats", NULL, LEVEL_TOP, KEY_STATS},
    {"categories", NULL, LEVEL_STATS, KEY_CATEGORIES},
    {"size", NULL, LEVEL_STATS, KEY_SIZE},
    {"name", NULL, LEVEL_CATEGORY, KEY_NAME},
    {"size", NULL, LEVEL_CATEGORY, KEY_SIZE},
    {"type", NULL, LEVEL_OBJECT, KEY_TYPE},
    {"size", NULL, LEVEL_OBJECT, KEY_SIZE},
    {"name", NULL, LEVEL_OBJECT, KEY_NAME},
    {"source", NULL, LEVEL_OBJECT, KEY_SOURCE},
    {"line", NULL, LEVEL_OBJECT, KEY_LINE},
    {"data", NULL, LEVEL_OBJECT, KEY_DATA},
    {"pairs", "", LEVEL_OBJECT, KEY_PAIRS},
    {"array", "[]", LEVEL_OBJECT, KEY_ARRAY},
    {"metatable", "(metatable)", LEVEL_OBJECT, KEY_METATABLE},
    {"env", "(env)", LEVEL_OBJECT, KEY_ENV},
    {"proto", "(proto)", LEVEL_OBJECT, KEY_PROTO},
    {"upvalues", "(upvalue)", LEVEL_OBJECT, KEY_UPVALUES},
    {"stack", "(stack)", LEVEL_OBJECT, KEY_STACK},
    {"constants", "(constant)", LEVEL_OBJECT, KEY_CONSTANTS},
    {"protos", "(proto)", LEVEL_OBJECT, KEY_PROTOS},
    {"object", "(value)", LEVEL_OBJECT, KEY_OBJECT},
    {"class", "(class)", LEVEL_OBJECT, KEY_OBJECT},
    {"members", "(member)", LEVEL_OBJECT, KEY_OBJECT},
};

struct heap {
	struct import *im;
	struct json_result at;
	const char *reference; /* of the key: its name, NULL: none */
	enum heap_level level;
	enum heap_key key;
	unsigned skip;
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
	h->level = LEVEL_OBJECT;
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

	h->level = LEVEL_OBJECTS;
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
	bool is_key = h->key == KEY_PAIRS && h->place % 2 == 0;

	h->place++;
	if (h->key == KEY_PAIRS && is_key) {
		h->has_pair_key = has;
		h->pair_key = target;
	}
	if (!has || !h->second || !target)
		return;
	if (h->key == KEY_PAIRS)
		r.name = is_key ? trace_strz(h->im->t, "(key)") : pair_name(h);
	else
		r.name = trace_strz(h->im->t, h->reference);
	VEC_PUSH(h->references, h->n, h->cap) = r;
}

static void set_category(struct heap *h, const char *what, const char *s, size_t n)
{
	char key[64];
	struct buf value = BUF_INIT;

	if (h->second)
		return;
	snprintf(key, sizeof key, "luau-heap.category.%u.%s", h->category, what);
	buf_add(&value, s, n);
	trace_set(h->im->t, key, buf_str(&value));
	buf_release(&value);
}

static enum status luau_heap_on_null(void *arg, struct err *e)
{
	struct heap *h = arg;

	(void)e;
	if (!h->skip && h->level == LEVEL_LIST)
		add_reference(h, false, 0);
	return ST_OK;
}

static enum status luau_heap_on_number(void *arg, const char *s, size_t n, struct err *e)
{
	struct heap *h = arg;
	uint64_t v;

	(void)e;
	if (h->skip)
		return ST_OK;
	if (h->level == LEVEL_LIST) {
		h->bad++;
		h->place++;
	} else if (h->level == LEVEL_OBJECT && h->key == KEY_SIZE) {
		h->has_size = num_dec(s, n, &h->size);
		h->bad += !h->has_size;
	} else if (h->level == LEVEL_OBJECT && h->key == KEY_LINE) {
		h->has_line = num_dec(s, n, &h->line);
	} else if (h->level == LEVEL_STATS && h->key == KEY_SIZE) {
		h->has_total = num_i64(s, n, &h->total);
		h->bad += !h->has_total;
	} else if (h->level == LEVEL_CATEGORY && h->key == KEY_SIZE && num_dec(s, n, &v)) {
		set_category(h, "size", s, n);
	}
	return ST_OK;
}

static enum status luau_heap_on_string(void *arg, const char *s, size_t n, struct err *e)
{
	struct heap *h = arg;
	uint64_t address = 0;

	if (h->skip)
		return ST_OK;
	if (h->level == LEVEL_OBJECT) {
		switch (h->key) {
		case KEY_TYPE: h->type = trace_type(h->im->t, s, n); return ST_OK;
		case KEY_NAME: set_text(&h->name, s, n); return ST_OK;
		case KEY_SOURCE: set_text(&h->source, s, n); return ST_OK;
		case KEY_DATA:
			set_text(&h->data, s, n);
			h->has_data = true;
			return ST_OK;
		default: break;
		}
	}
	if (h->level == LEVEL_LIST || (h->level == LEVEL_OBJECT && h->reference)) {
		bool has = parse_address(s, n, &address);

		h->bad += !has;
		add_reference(h, has, address);
	} else if (h->level == LEVEL_ROOTS && h->second) {
		struct heap_reference r = {.name = h->root_names};

		if (parse_address(s, n, &r.target))
			return push_reference(h, 0, &r, e);
		h->bad++;
	} else if (h->level == LEVEL_CATEGORY && h->key == KEY_NAME) {
		set_category(h, "name", s, n);
	}
	return ST_OK;
}

static enum status luau_heap_on_key(void *arg, const char *s, size_t n, struct err *e)
{
	struct heap *h = arg;
	uint64_t v;

	(void)e;
	if (h->skip)
		return ST_OK;
	h->key = KEY_OTHER;
	h->reference = NULL;
	switch (h->level) {
	case LEVEL_OBJECTS:
		if (!parse_address(s, n, &h->address)) {
			h->address = 0;
			h->no_address++;
		}
		break;
	case LEVEL_ROOTS: h->root_names = trace_string(h->im->t, s, n); break;
	case LEVEL_CATEGORIES:
		h->category = num_dec(s, n, &v) && v < 256 ? (unsigned)v : 256;
		break;
	default:
		for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
			if (keys[i].level == h->level && strlen(keys[i].word) == n &&
			    !memcmp(keys[i].word, s, n)) {
				h->key = keys[i].key;
				h->reference = keys[i].reference;
			}
	}
	return ST_OK;
}

static enum status luau_heap_on_begin(void *arg, char bracket, struct err *e)
{
	struct heap *h = arg;
	bool object = bracket == '{';

	(void)e;
	if (h->skip) {
		h->skip++;
	} else if (h->level == LEVEL_NONE && object) {
		h->level = LEVEL_TOP;
	} else if (h->level == LEVEL_TOP && object && h->key == KEY_OBJECTS) {
		h->level = LEVEL_OBJECTS;
	} else if (h->level == LEVEL_TOP && object && h->key == KEY_ROOTS) {
		h->level = LEVEL_ROOTS;
	} else if (h->level == LEVEL_TOP && object && h->key == KEY_STATS) {
		h->level = LEVEL_STATS;
	} else if (h->level == LEVEL_STATS && object && h->key == KEY_CATEGORIES) {
		h->level = LEVEL_CATEGORIES;
	} else if (h->level == LEVEL_CATEGORIES && object && h->category < 256) {
		h->level = LEVEL_CATEGORY;
	} else if (h->level == LEVEL_OBJECTS && object) {
		begin_object(h);
	} else if (h->level == LEVEL_OBJECT && !object && h->reference) {
		h->level = LEVEL_LIST;
		h->place = 0;
		h->has_pair_key = false;
	} else {
		h->bad += h->level == LEVEL_LIST;
		h->skip = 1;
	}
	return ST_OK;
}

static enum status luau_heap_on_end(void *arg, char bracket, struct err *e)
{
	struct heap *h = arg;

	(void)bracket;
	if (h->skip) {
		h->skip--;
		return ST_OK;
	}
	switch (h->level) {
	case LEVEL_OBJECT: return luau_heap_end_object(h, e);
	case LEVEL_LIST: h->level = LEVEL_OBJECT; break;
	case LEVEL_OBJECTS:
	case LEVEL_ROOTS:
	case LEVEL_STATS: h->level = LEVEL_TOP; break;
	case LEVEL_CATEGORIES: h->level = LEVEL_STATS; break;
	case LEVEL_CATEGORY: h->level = LEVEL_CATEGORIES; break;
	default: h->level = LEVEL_NONE; break;
	}
	return ST_OK;
}

static enum status luau_heap_parse(struct heap *h, struct err *e)
{
	static const struct json_handler handler = {.null = luau_heap_on_null,
						    .number = luau_heap_on_number,
						    .string = luau_heap_on_string,
						    .key = luau_heap_on_key,
						    .begin = luau_heap_on_begin,
						    .end = luau_heap_on_end};
	static const struct json_options options = {.repair_utf8 = true};
	struct luau_repair repaired;
	enum status st;

	h->level = LEVEL_NONE;
	h->key = KEY_OTHER;
	h->skip = 0;
	h->bad = h->no_address = h->dangling = 0;
	luau_repair_init(&repaired, &h->im->in->cur);
	st = json_parse(&repaired.cur, &handler, h, &options, &h->at, e);
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
    .carries = CARRIES_TYPES | CARRIES_OBJECTS | CARRIES_REFERENCES,
    .what = "Luau's heap dump (JSON): objects, sizes and references",
    .suffixes = "json",
    .rewinds = true,
    .bid = luau_heap_bid,
    .read = luau_heap_read,
};
