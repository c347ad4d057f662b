/* SPDX-License-Identifier: MIT
 *
 * Names written into a MemTracer capture (formats/memtracer/memtracer.c has the format): the strings of
 * "st", addresses innermost first with ';' behind each, become what atos prints of them, as in
 * the files that MemTracer's own viewer shows: "name (in Module) (File.cpp:123);", inlined calls
 * before what they are inlined into. Every other byte stays: so do addresses without a name, and
 * strings that are no addresses.
 */
#include "lib/export/captured.h"
#include "lib/export/text.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 5, KEY_MAX = 2 };

enum key { KEY_OTHER, KEY_RECORDS, KEY_STACKS };

struct level {
	bool object, at_key;
	enum key key; /* the last one */
};

struct mem {
	struct export export; /* first */
	struct captured captured;
	struct cursor *in;
	FILE *out;
	struct level levels[LEVELS]; /* deeper ones are only counted */
	size_t depth;
	bool framed, cut; /* it has a frame; it ends in a string */
	struct buf text, decoded;
	uint64_t addresses, found, named;
};

static bool is_separator(char c)
{
	return c == ';' || c == ',' || c == ' ' || c == '|' || c == '\t';
}

/* "d" of a frame, "st" of a record in it; the frames may be in an array. */
static bool in_stacks(const struct mem *m)
{
	size_t top = !m->levels[0].object;
	const struct level *l = m->levels + top;

	return m->depth == top + 4 && l[0].object && l[0].key == KEY_RECORDS && !l[1].object &&
	       l[2].object && l[2].key == KEY_STACKS && !l[3].object;
}

static void export_mem_add_calls(struct mem *m, const struct names_location *l)
{
	const struct group_names *names = &m->captured.names;
	struct buf *b = &m->decoded;

	for (uint32_t k = l->first; k < l->first + l->n_calls; k++) {
		const struct names_call *c = &names->calls[k];
		const struct names_function *f = &names->functions[c->function];
		const char *s;
		size_t n;

		if (k > l->first)
			buf_addc(b, ';');
		s = names_text(names, f->display, &n);
		text_add_separated(b, s, n);
		s = names_text(names, l->module, &n);
		buf_adds(b, " (in ");
		text_add_separated(b, n ? s : "?", n ? n : 1);
		buf_addc(b, ')');
		s = names_text(names, c->file, &n);
		if (!c->file || !c->line)
			continue;
		s = path_base_n(s, &n);
		buf_adds(b, " (");
		text_add_separated(b, s, n);
		buf_addf(b, ":%" PRIu32 ")", c->line);
	}
}

/* False: it is no list of addresses, or none of them has a name. */
static bool export_mem_decode(struct mem *m, const char *s, size_t n)
{
	uint64_t named = m->named;

	m->decoded.len = 0;
	for (size_t i = 0, len; i < n; i += len) {
		const struct names_location *l;
		bool prefix;
		uint64_t address;

		len = 1;
		if (is_separator(s[i]))
			continue;
		while (i + len < n && !is_separator(s[i + len]))
			len++;
		prefix = len > 2 && s[i] == '0' && (s[i + 1] | 0x20) == 'x';
		if (!num_hex(s + i + (prefix ? 2 : 0), len - (prefix ? 2 : 0), &address)) {
			m->named = named;
			return false;
		}
		m->addresses++;
		m->found += captured_find(&m->captured, "", 0, address, &l);
		if (l) {
			m->named++;
			export_mem_add_calls(m, l);
		} else {
			buf_add(&m->decoded, s + i, len);
		}
		if (i + len < n)
			buf_addc(&m->decoded, ';');
	}
	return m->named > named;
}

static void put_json(struct mem *m)
{
	struct buf json = BUF_INIT;

	text_add_json(&json, m->decoded.data, m->decoded.len);
	fwrite(json.data, 1, json.len, m->out);
	buf_release(&json);
}

static void see_key(struct mem *m)
{
	struct level *l = &m->levels[m->depth - 1];

	l->key = KEY_OTHER;
	if (m->text.len == 1 && m->text.data[0] == 'd') {
		l->key = KEY_RECORDS;
		m->framed = true;
	} else if (m->text.len == 2 && !memcmp(m->text.data, "st", 2)) {
		l->key = KEY_STACKS;
	}
}

/* A string, from behind its first quote up to its last. What is looked at is kept until then;
 * nothing else is. */
static void export_mem_string(struct mem *m, enum status *st)
{
	struct level *l = m->depth && m->depth <= LEVELS ? &m->levels[m->depth - 1] : NULL;
	bool key = l && l->object && l->at_key, stack = !key && in_stacks(m);
	bool escaped = false, plain = true;
	size_t have;

	m->text.len = 0;
	while ((have = cursor_available(m->in, 1))) {
		const char *s = (const char *)m->in->pos;
		size_t n = 0;

		for (; n < have && (escaped || s[n] != '"'); n++) {
			escaped = !escaped && s[n] == '\\';
			plain &= s[n] != '\\';
		}
		if (stack || (key && m->text.len <= KEY_MAX))
			buf_add(&m->text, s, key && n > KEY_MAX ? KEY_MAX + 1 : n);
		if (!stack)
			fwrite(s, 1, n, m->out);
		cursor_skip(m->in, n, "string");
		if (n < have)
			break;
	}
	if (!have) { /* cut in the string */
		if (stack) {
			fputc('"', m->out);
			fwrite(m->text.data, 1, m->text.len, m->out);
		}
		m->cut = true;
		*st = ST_NONE;
		return;
	}
	cursor_skip(m->in, 1, "string");
	if (key) {
		see_key(m);
		l->at_key = false;
	}
	if (stack && plain && export_mem_decode(m, m->text.data, m->text.len)) {
		put_json(m);
		return;
	}
	if (stack) {
		fputc('"', m->out);
		fwrite(m->text.data, 1, m->text.len, m->out);
	}
	fputc('"', m->out);
}

static void bracket(struct mem *m, char c)
{
	if (c == '{' || c == '[') {
		if (m->depth < LEVELS)
			m->levels[m->depth] =
			    (struct level){.object = c == '{', .at_key = c == '{'};
		m->depth++;
	} else if (m->depth) {
		m->depth--;
	}
}

static enum status export_mem_copy(struct mem *m, struct err *e)
{
	enum status st = ST_OK;
	size_t have;

	while (!st && (have = cursor_available(m->in, 1))) {
		const char *s = (const char *)m->in->pos;
		size_t n = 0;

		for (; n < have && s[n] != '"'; n++) {
			if (strchr("{}[]", s[n]) && s[n])
				bracket(m, s[n]);
			else if (s[n] == ',' && m->depth && m->depth <= LEVELS)
				m->levels[m->depth - 1].at_key = true;
		}
		fwrite(s, 1, n, m->out);
		cursor_skip(m->in, n, "text");
		if (n == have)
			continue;
		cursor_skip(m->in, 1, "text");
		if (!in_stacks(m))
			fputc('"', m->out);
		export_mem_string(m, &st);
	}
	return cursor_failed(m->in) ? err_failure(e) : ST_OK;
}

static enum status export_mem_finish(struct export *x, struct err *e)
{
	struct mem *m = (struct mem *)x;
	enum status st;

	m->in->e = e;
	st = export_mem_copy(m, e);
	if (!st && !m->cut && !m->depth && !m->framed)
		st = err_set(e, ST_BAD, "--original: not a .mem: it has no frame");
	if (!st && (m->cut || m->depth))
		st = err_at(e, ST_BAD, cursor_offset(m->in),
			    "--original: cut short: %s is still open at its end",
			    m->cut ? "a string" : "an object or array");
	if (!st && m->addresses && !m->found)
		st = err_set(e, ST_BAD,
			     "--original: none of its addresses is in the trace: it is another "
			     "capture's");
	snprintf(x->summary, sizeof x->summary,
		 "%" PRIu64 " of %" PRIu64 " addresses have a name now", m->named, m->addresses);
	return st ? st : export_written(m->out, e);
}

static void export_mem_release(struct export *x)
{
	struct mem *m = (struct mem *)x;

	captured_release(&m->captured);
	buf_release(&m->text);
	buf_release(&m->decoded);
	free(m);
}

static struct export *export_mem_open(const struct export_options *o, FILE *out, struct err *e)
{
	struct mem *m = mem_zalloc(sizeof *m);

	(void)e;
	captured_init(&m->captured, "memtracer");
	m->export = (struct export){
	    .sink = &m->captured.sink, .finish = export_mem_finish, .free = export_mem_release};
	m->in = o->original;
	m->out = out;
	return &m->export;
}

const struct exporter exporter_mem = {
    .name = "mem",
    .what = "names written into a MemTracer capture (--original)",
    .endings = {".mem"},
    .flags = EXPORT_ORIGINAL,
    .open = export_mem_open,
};
