/* SPDX-License-Identifier: MIT
 *
 * Names written into LoliProfiler's saved captures (`.loli` 105, 106, 107; formats/loli/file.c
 * has the format). The table of symbols is made anew: the file's own entries in their order,
 * with our name where there is one, then those of the file's locations that had no entry, by
 * library in the order in which the stacks have them. Every other byte stays.
 *
 * LoliProfiler has one name for a location. It is that of the function that the location is in,
 * not of one inlined there: that is what its own tools write.
 */
#include "lib/export/captured.h"

#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/utf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0xA4B3C2D1, NULL_STRING = UINT32_MAX, RECORD_TAIL = 32 };

struct place { /* a distinct location of the stacks */
	uint64_t address;
	uint32_t library;
	uint32_t next; /* with a new entry in its library, + 1 */
	bool in_file;  /* it has an entry already */
};

struct entry { /* of the file's table */
	uint64_t address;
	uint32_t name; /* in strings */
};

struct block { /* a library in it */
	uint32_t library;
	size_t first, n; /* entries */
};

struct library {              /* by id in strings */
	uint32_t first, last; /* places with new entries, + 1 */
	uint32_t n;
	bool written;
};

struct loli {
	struct export export; /* first */
	struct captured captured;
	struct cursor *in;
	FILE *out;
	bool texts;             /* version 105 */
	bool copying;           /* what is read is written as well */
	struct buf text, utf16; /* scratch */
	struct intern strings;  /* QStrings with their lengths, as in the file */
	struct map64 ids;       /* of libraries in the file -> id in strings */
	struct intern index;    /* (library, address) -> place + 1 */
	struct place *places;
	size_t n_places, cap_places;
	struct entry *entries;
	size_t n_entries, cap_entries;
	struct block *blocks;
	size_t n_blocks, cap_blocks;
	struct library *libraries;
	size_t n_libraries, cap_libraries;
	uint64_t found, named;
};

static const uint8_t *read_bytes(struct loli *l, size_t n, const char *what)
{
	const uint8_t *p = cursor_bytes(l->in, n, what);

	if (p && l->copying)
		fwrite(p, 1, n, l->out);
	return p;
}

static void copy(struct loli *l, uint64_t n, const char *what)
{
	while (n && !cursor_failed(l->in)) {
		size_t have = cursor_available(l->in, 1);

		if (!have) {
			cursor_fail(l->in, ST_BAD, "%s: %" PRIu64 " bytes are missing", what, n);
			return;
		}
		if (have > n)
			have = (size_t)n;
		read_bytes(l, have, what);
		n -= have;
	}
}

static uint32_t number(struct loli *l)
{
	const uint8_t *p = read_bytes(l, 4, "number");

	return p ? be32(p) : 0;
}

static uint32_t count(struct loli *l)
{
	uint32_t n = number(l);

	if (n <= INT32_MAX)
		return n;
	cursor_fail(l->in, ST_BAD, "a count of %d", (int32_t)n);
	return 0;
}

static void skip_string(struct loli *l, const char *what)
{
	uint32_t n = number(l);

	copy(l, n == NULL_STRING ? 0 : n, what);
}

/* A QString with its length, as an id of strings. */
static uint32_t string(struct loli *l, const char *what)
{
	const uint8_t *p = read_bytes(l, 4, what);
	uint32_t n = p ? be32(p) : 0;

	if (!p)
		return 0;
	l->utf16.len = 0;
	buf_add(&l->utf16, p, 4);
	if (n != NULL_STRING) {
		p = read_bytes(l, n, what);
		if (!p)
			return 0;
		buf_add(&l->utf16, p, n);
	}
	return intern_add(&l->strings, l->utf16.data, l->utf16.len);
}

/* Its text as UTF-8, in l->text. */
static void decode(struct loli *l, uint32_t id)
{
	size_t n;
	const char *s = intern_text(&l->strings, id, &n);

	l->text.len = 0;
	if (n > 4)
		utf16_to_utf8(&l->text, (const uint8_t *)s + 4, (n - 4) & ~(size_t)1, true);
}

static uint64_t address(struct loli *l)
{
	const uint8_t *p;
	uint64_t v = 0;

	if (!l->texts) {
		p = read_bytes(l, 8, "address");
		return p ? be64(p) : 0;
	}
	decode(l, string(l, "address"));
	if (l->text.len > 2 && l->text.data[0] == '0' && l->text.data[1] == 'x')
		num_hex(l->text.data + 2, l->text.len - 2, &v);
	return v;
}

struct place_key { /* without holes: hashed as bytes */
	uint64_t address, library;
};

static void add_place(struct loli *l, uint32_t library, uint64_t at)
{
	struct place_key key = {at, library};
	uint32_t id = intern_add(&l->index, (const char *)&key, sizeof key);

	if (id > l->n_places)
		VEC_PUSH(l->places, l->n_places, l->cap_places) =
		    (struct place){.address = at, .library = library};
}

static void copy_chart(struct loli *l)
{
	uint32_t series;

	number(l);
	series = count(l);
	for (uint32_t i = 0; i < series && !cursor_failed(l->in); i++)
		copy(l, (uint64_t)count(l) * 16, "chart");
}

static void copy_libraries(struct loli *l)
{
	uint32_t n = l->texts ? 0 : number(l);

	for (uint32_t i = 0; i < n && !cursor_failed(l->in); i++) {
		uint32_t id = number(l), name = string(l, "library name");
		uint32_t *place = cursor_failed(l->in) ? NULL : map64_put(&l->ids, id);

		if (place && !*place)
			*place = name;
	}
}

static void copy_records(struct loli *l)
{
	uint32_t n = count(l);

	for (uint32_t i = 0; i < n && !cursor_failed(l->in); i++) {
		skip_string(l, "stack id");
		if (!l->texts) {
			copy(l, RECORD_TAIL, "record");
			continue;
		}
		copy(l, 12, "record");
		for (int k = 0; k < 3; k++)
			skip_string(l, "record");
	}
}

static void copy_places(struct loli *l, uint32_t n)
{
	for (uint32_t i = 0; i < n && !cursor_failed(l->in); i++) {
		uint32_t library =
		    l->texts ? string(l, "library name") : map64_get(&l->ids, number(l));
		uint64_t at = address(l);

		if (library && !cursor_failed(l->in))
			add_place(l, library, at);
	}
}

static void copy_stacks(struct loli *l)
{
	uint32_t n = count(l);

	for (uint32_t i = 0; i < n && !cursor_failed(l->in); i++) {
		uint32_t entries;

		skip_string(l, "stack id");
		entries = count(l);
		if (l->texts && entries % 2)
			cursor_fail(l->in, ST_BAD, "a stack of %u texts", entries);
		copy_places(l, l->texts ? entries / 2 : entries);
	}
}

/* The file's own table, which is not copied. */
static void export_loli_read_symbols(struct loli *l)
{
	uint32_t n = count(l);

	for (uint32_t i = 0; i < n && !cursor_failed(l->in); i++) {
		struct block b = {.library = string(l, "library name"), .first = l->n_entries};
		uint32_t entries = count(l);

		for (uint32_t k = 0; k < entries && !cursor_failed(l->in); k++) {
			struct entry x = {.address = address(l), .name = string(l, "symbol")};
			struct place_key key = {x.address, b.library};
			uint32_t place;

			if (cursor_failed(l->in))
				return;
			VEC_PUSH(l->entries, l->n_entries, l->cap_entries) = x;
			place = intern_find(&l->index, (const char *)&key, sizeof key);
			if (place)
				l->places[place - 1].in_file = true;
		}
		b.n = l->n_entries - b.first;
		VEC_PUSH(l->blocks, l->n_blocks, l->cap_blocks) = b;
	}
}

/* What names a location, or NULL. */
static const struct names_location *find(struct loli *l, uint32_t library, uint64_t at, bool *known)
{
	const struct names_location *found;

	decode(l, library);
	if (l->text.len == 7 && !memcmp(l->text.data, "unknown", 7))
		l->text.len = 0;
	*known = captured_find(&l->captured, l->text.data, l->text.len, at, &found);
	return found;
}

/* Frames that get an entry, in a chain for each library. */
static uint32_t export_loli_choose_places(struct loli *l)
{
	uint32_t new_libraries = 0;

	l->n_libraries = intern_count(&l->strings) + 1u;
	l->libraries = mem_zarray(l->n_libraries, sizeof *l->libraries);
	for (size_t i = 0; i < l->n_blocks; i++)
		l->libraries[l->blocks[i].library].written = true;
	for (uint32_t i = 0; i < l->n_places; i++) {
		struct place *f = &l->places[i];
		struct library *lib = &l->libraries[f->library];
		bool known;
		bool named = find(l, f->library, f->address, &known);

		l->found += known;
		l->named += named;
		if (!named || f->in_file)
			continue;
		if (!lib->n++)
			lib->first = i + 1;
		else
			l->places[lib->last - 1].next = i + 1;
		lib->last = i + 1;
		new_libraries += lib->n == 1 && !lib->written;
	}
	for (size_t i = 0; i < l->n_blocks; i++)
		l->libraries[l->blocks[i].library].written = false;
	return new_libraries;
}

static void put32(struct loli *l, uint32_t v)
{
	const uint8_t bytes[] = {(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8),
				 (uint8_t)v};

	fwrite(bytes, 1, sizeof bytes, l->out);
}

static void put_bytes(struct loli *l, uint32_t id)
{
	size_t n;
	const char *s = intern_text(&l->strings, id, &n);

	fwrite(s, 1, n, l->out);
}

static void export_loli_put_utf16(struct loli *l, const char *s, size_t n)
{
	struct buf valid = BUF_INIT, out = BUF_INIT;
	uint32_t cp;

	utf8_add_repaired(&valid, s, n);
	for (size_t i = 0; i < valid.len; i += utf8_next(valid.data + i, valid.len - i, NULL)) {
		utf8_next(valid.data + i, valid.len - i, &cp);
		if (cp >= 0x10000) {
			uint32_t high = 0xd800 + ((cp - 0x10000) >> 10);

			buf_addc(&out, (char)(high >> 8));
			buf_addc(&out, (char)high);
			cp = 0xdc00 + ((cp - 0x10000) & 0x3ff);
		}
		buf_addc(&out, (char)(cp >> 8));
		buf_addc(&out, (char)cp);
	}
	put32(l, (uint32_t)out.len);
	if (out.len)
		fwrite(out.data, 1, out.len, l->out);
	buf_release(&valid);
	buf_release(&out);
}

static void put_address(struct loli *l, uint64_t at)
{
	char text[24];
	int n;

	if (l->texts) {
		n = snprintf(text, sizeof text, "0x%" PRIx64, at);
		export_loli_put_utf16(l, text, (size_t)n);
		return;
	}
	put32(l, (uint32_t)(at >> 32));
	put32(l, (uint32_t)at);
}

static void put_name(struct loli *l, const struct names_location *at)
{
	const struct group_names *names = &l->captured.names;
	const struct names_call *c = &names->calls[at->first + at->n_calls - 1];
	size_t n;
	const char *s = names_text(names, names->functions[c->function].display, &n);

	export_loli_put_utf16(l, s, n);
}

static void put_new_entries(struct loli *l, uint32_t library)
{
	struct library *lib = &l->libraries[library];
	bool known;

	for (uint32_t i = lib->n ? lib->first : 0; i; i = l->places[i - 1].next) {
		put_address(l, l->places[i - 1].address);
		put_name(l, find(l, library, l->places[i - 1].address, &known));
	}
	lib->written = true;
}

static void export_loli_put_symbols(struct loli *l)
{
	put32(l, (uint32_t)l->n_blocks + export_loli_choose_places(l));
	for (size_t i = 0; i < l->n_blocks; i++) {
		const struct block *b = &l->blocks[i];
		bool first = !l->libraries[b->library].written, known;

		put_bytes(l, b->library);
		put32(l, (uint32_t)b->n + (first ? l->libraries[b->library].n : 0));
		for (size_t k = b->first; k < b->first + b->n; k++) {
			const struct entry *x = &l->entries[k];
			const struct names_location *at = find(l, b->library, x->address, &known);

			put_address(l, x->address);
			if (at)
				put_name(l, at);
			else
				put_bytes(l, x->name);
		}
		if (first)
			put_new_entries(l, b->library);
	}
	for (size_t i = 0; i < l->n_places; i++) {
		uint32_t library = l->places[i].library;

		if (!l->libraries[library].n || l->libraries[library].written)
			continue;
		put_bytes(l, library);
		put32(l, l->libraries[library].n);
		put_new_entries(l, library);
	}
}

static void copy_head(struct loli *l)
{
	const uint8_t *p = read_bytes(l, 8, "header");
	uint32_t version = p ? be32(p + 4) : 0;

	if (!p)
		return;
	l->texts = version == 105;
	if (be32(p) != MAGIC)
		cursor_fail(l->in, ST_BAD, "not a .loli file");
	else if (version < 105 || version > 107)
		cursor_fail(l->in, ST_UNSUPPORTED, "a .loli file of version %d", (int)version);
}

static enum status export_loli_finish(struct export *x, struct err *e)
{
	struct loli *l = (struct loli *)x;
	size_t have;

	l->in->e = e;
	l->copying = true;
	copy_head(l);
	copy_chart(l);
	copy_libraries(l);
	copy_records(l);
	copy_stacks(l);
	l->copying = false;
	export_loli_read_symbols(l);
	if (cursor_failed(l->in))
		return err_prefix(e, "--original");
	export_loli_put_symbols(l);
	if (l->n_places && !l->found)
		return err_set(e, ST_BAD,
			       "--original: none of its locations is in the trace: it "
			       "is another capture's");
	l->copying = true;
	while ((have = cursor_available(l->in, 1)))
		read_bytes(l, have, "tail");
	snprintf(x->summary, sizeof x->summary,
		 "%" PRIu64 " of %zu locations have a name from the trace", l->named, l->n_places);
	return cursor_failed(l->in) ? err_failure(e) : export_written(l->out, e);
}

static void export_loli_release(struct export *x)
{
	struct loli *l = (struct loli *)x;

	captured_release(&l->captured);
	buf_release(&l->text);
	buf_release(&l->utf16);
	intern_release(&l->strings);
	intern_release(&l->index);
	map64_release(&l->ids);
	free(l->places);
	free(l->entries);
	free(l->blocks);
	free(l->libraries);
	free(l);
}

static struct export *export_loli_open(const struct export_options *o, FILE *out, struct err *e)
{
	struct loli *l = mem_zalloc(sizeof *l);

	(void)e;
	captured_init(&l->captured, "loli");
	l->export = (struct export){
	    .sink = &l->captured.sink, .finish = export_loli_finish, .free = export_loli_release};
	l->in = o->original;
	l->out = out;
	return &l->export;
}

const struct exporter exporter_loli = {
    .name = "loli",
    .what = "names written into a LoliProfiler capture (--original)",
    .endings = {".loli"},
    .flags = EXPORT_BINARY | EXPORT_ORIGINAL,
    .open = export_loli_open,
};
