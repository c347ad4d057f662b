/* SPDX-License-Identifier: MIT */
#include "cmd/tm-llvm-symbolizer/markup.h"

#include "cmd/tm-llvm-symbolizer/markup_text.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void markup_init(struct markup *m, bool colors)
{
	*m = (struct markup){.ink = {.on = colors, .color = -1}};
}

void markup_release(struct markup *m)
{
	buf_release(&m->text);
	buf_release(&m->complaints);
	arena_release(&m->names);
	map64_release(&m->module_of);
	free(m->parts);
	free(m->queries);
	free(m->modules);
	free(m->mmaps);
	free(m->added);
	free(m->deferred);
	*m = (struct markup){.line = NULL};
}

/* With the line, and a mark below the place in it. */
__attribute__((format(printf, 4, 5))) static void complain(struct markup *m, bool warning,
							   const char *at, const char *fmt, ...)
{
	struct buf *b = &m->complaints;
	va_list ap, again;
	int n;

	m->malformed |= !warning;
	if (++m->told > MARKUP_COMPLAINTS) {
		if (m->told == MARKUP_COMPLAINTS + 1)
			buf_adds(b, "error: more of the same line\n");
		return;
	}
	buf_adds(b, warning ? "warning: " : "error: ");
	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n >= 0) {
		vsnprintf(buf_reserve(b, (size_t)n + 1), (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
	buf_addc(b, '\n');
	buf_add(b, m->line, m->n_line);
	buf_addc(b, '\n');
	memset(buf_reserve(b, (size_t)(at - m->line)), ' ', (size_t)(at - m->line));
	b->len += (size_t)(at - m->line);
	buf_adds(b, "^\n");
}

static bool complain_type(struct markup *m, struct markup_span s, const char *type)
{
	complain(m, false, s.s, "expected %s; found '%.*s'", type, (int)s.n, s.s);
	return false;
}

/* More than that is a warning only. */
static bool has_fields(struct markup *m, const struct markup_node *n, size_t number)
{
	if (n->n_fields != number)
		complain(m, n->n_fields > number, n->tag.s + n->tag.n,
			 "expected %zu field(s); found %zu", number, n->n_fields);
	return n->n_fields >= number;
}

static bool has_at_least(struct markup *m, const struct markup_node *n, size_t number)
{
	if (n->n_fields < number)
		complain(m, false, n->tag.s + n->tag.n, "expected at least %zu field(s); found %zu",
			 number, n->n_fields);
	return n->n_fields >= number;
}

static void has_at_most(struct markup *m, const struct markup_node *n, size_t number)
{
	if (n->n_fields > number)
		complain(m, true, n->tag.s + n->tag.n, "expected at most %zu field(s); found %zu",
			 number, n->n_fields);
}

static bool read_address(struct markup *m, struct markup_span s, uint64_t *v)
{
	size_t zeros = 0;

	while (zeros < s.n && s.s[zeros] == '0')
		zeros++;
	*v = 0;
	if (s.n && zeros == s.n)
		return true;
	if (s.n > 2 && !memcmp(s.s, "0x", 2) && num_hex(s.s + 2, s.n - 2, v))
		return true;
	return complain_type(m, s, "address");
}

static bool read_number(struct markup *m, struct markup_span s, const char *type, uint64_t *v)
{
	return request_number(s.s, s.n, v) || complain_type(m, s, type);
}

/* r, w, x, each once, in this order, and some of them. */
static bool read_mode(struct markup *m, struct markup_span s, char mode[4])
{
	const char *order = "rwx";
	size_t n = 0;

	for (; n < s.n && n < 3; n++) {
		char c = (char)(s.s[n] | 0x20);

		while (*order && *order != c)
			order++;
		if (!*order || (s.s[n] != c && s.s[n] != c - 0x20))
			break;
		mode[n] = *order++;
	}
	mode[n] = '\0';
	return (n && n == s.n) || complain_type(m, s, "mode");
}

static const char *line_end(const struct markup *m)
{
	return m->n_line && m->line[m->n_line - 1] == '\r' ? "\r\n" : "\n";
}

static void markup_end_module_line(struct markup *m)
{
	struct buf *b = &m->text;

	if (!m->is_open)
		return;
	for (size_t i = 0; i < m->n_added; i++) {
		const struct markup_mmap *x = &m->added[i];

		/* as LLVM: no comma at the first one's address, which has no bytes then */
		buf_adds(b, i && x->addr != m->added[0].addr ? ",[" : " [");
		markup_valuef(b, m->ink, "0x%" PRIx64, x->addr);
		buf_addc(b, '-');
		markup_valuef(b, m->ink, "0x%" PRIx64, x->addr + x->size - 1);
		buf_adds(b, "](");
		markup_value(b, m->ink, x->mode, strlen(x->mode));
		buf_addc(b, ')');
	}
	buf_addf(b, "]]]%s", line_end(m));
	markup_restore(b, m->ink);
	m->is_open = false;
	m->n_added = 0;
}

static void begin_module_line(struct markup *m, uint32_t module)
{
	const struct markup_module *x = &m->modules[module];
	struct buf *b = &m->text;

	markup_highlight(b, m->ink);
	buf_adds(b, "[[[ELF module");
	markup_valuef(b, m->ink, " #0x%" PRIx64 " ", x->id);
	buf_addc(b, '"');
	markup_value(b, m->ink, x->name, x->n_name);
	buf_addc(b, '"');
	m->is_open = true;
	m->open = module;
}

static bool covers(const struct markup_mmap *x, uint64_t addr)
{
	return x->addr <= addr && addr < x->addr + x->size;
}

/* The first mapping that begins behind an address. */
static size_t mmap_behind(const struct markup *m, uint64_t addr)
{
	return BISECT(i, 0, m->n_mmaps, m->mmaps[i].addr <= addr);
}

static const struct markup_mmap *mmap_at(struct markup *m, struct markup_span element,
					 struct markup_span where, uint64_t addr)
{
	size_t i = mmap_behind(m, addr);

	if (i && covers(&m->mmaps[i - 1], addr))
		return &m->mmaps[i - 1];
	complain(m, false, where.s, "no mmap covers address");
	markup_raw(&m->text, m->ink, element.s, element.n);
	return NULL;
}

/* What follows ESC: the log's own colours. */
static bool markup_parse_color(struct markup *m, struct markup_span s)
{
	struct markup_ink *k = &m->ink;

	if (s.n != markup_color_code(s))
		return false;
	if (s.n == 4 && s.s[2] == '0') {
		if (k->on && (k->bold || k->color >= 0))
			buf_adds(&m->text, "\033[0m");
		k->bold = false;
		k->color = -1;
	} else if (s.n == 4) {
		k->bold = true;
		buf_adds(&m->text, k->on ? "\033[1m" : "");
	} else {
		k->color = (int8_t)(s.s[3] - '0');
		if (k->on)
			buf_addf(&m->text, "\033[0;3%dm", k->color);
	}
	return true;
}

static struct markup_part *add_part(struct markup *m, uint8_t kind, const struct markup_node *n)
{
	struct markup_part *p = &VEC_PUSH(m->parts, m->n_parts, m->cap_parts);

	*p = (struct markup_part){.kind = kind,
				  .ink = m->ink,
				  .crlf = line_end(m)[0] == '\r',
				  .behind = m->text.len,
				  .text = n->inside.s,
				  .n_text = n->inside.n};
	return p;
}

/* False: the module's file is not there, which is reported. */
static bool markup_add_query(struct markup *m, uint8_t kind, const struct markup_node *n,
			     const struct markup_mmap *x, uint64_t frame, uint64_t addr)
{
	struct markup_module *in = &m->modules[x->module];
	struct markup_part *p;

	if (!in->sought && m->find)
		in->file = m->find(m->arg, in->build_id, in->n_build_id);
	in->sought = true;
	if (!in->file) {
		buf_adds(&m->complaints, "error: could not find build ID\n");
		markup_raw(&m->text, m->ink, n->inside.s, n->inside.n);
		m->unanswered = true;
		return false;
	}
	p = add_part(m, kind, n);
	p->query = m->n_queries;
	p->frame = frame;
	p->addr = addr;
	p->relative = addr - x->addr + x->at;
	p->module = in->name;
	p->n_module = in->n_name;
	VEC_PUSH(m->queries, m->n_queries, m->cap_queries) =
	    (struct tracemill_query){.binary = in->file, .address = p->relative};
	return true;
}

/* Of a return address the byte before, which belongs to the call. */
static bool adjust(struct markup *m, const struct markup_node *n, size_t number, bool returns,
		   uint64_t *addr)
{
	if (n->n_fields == number + 1) {
		struct markup_span type = markup_field(n, number);

		if (!span_is(type, "ra") && !span_is(type, "pc"))
			return complain_type(m, type, "PC type");
		returns = span_is(type, "ra");
	}
	*addr -= returns;
	return true;
}

static void filter_pc(struct markup *m, const struct markup_node *n)
{
	const struct markup_mmap *x;
	uint64_t addr;

	if (!has_at_least(m, n, 1))
		return;
	has_at_most(m, n, 2);
	if (!read_address(m, markup_field(n, 0), &addr) || !adjust(m, n, 1, false, &addr))
		return;
	x = mmap_at(m, n->inside, markup_field(n, 0), addr);
	if (x)
		markup_add_query(m, MARKUP_PC, n, x, 0, addr);
}

static void markup_filter_bt(struct markup *m, const struct markup_node *n)
{
	const struct markup_mmap *x;
	uint64_t frame, addr;
	struct markup_span number;

	if (!has_at_least(m, n, 2))
		return;
	has_at_most(m, n, 3);
	number = markup_field(n, 0);
	if (!num_dec(number.s, number.n, &frame)) {
		complain_type(m, number, "frame number");
		return;
	}
	if (!read_address(m, markup_field(n, 1), &addr) || !adjust(m, n, 2, true, &addr))
		return;
	x = mmap_at(m, n->inside, number, addr);
	if (x)
		markup_add_query(m, MARKUP_BT, n, x, frame, addr);
}

static void filter_data(struct markup *m, const struct markup_node *n)
{
	const struct markup_mmap *x;
	uint64_t addr;

	if (!has_fields(m, n, 1) || !read_address(m, markup_field(n, 0), &addr))
		return;
	x = mmap_at(m, n->inside, markup_field(n, 0), addr);
	if (x)
		markup_add_query(m, MARKUP_DATA, n, x, 0, addr);
}

/* A node that says nothing of modules. */
static void markup_filter_node(struct markup *m, const struct markup_node *n)
{
	for (size_t i = 0; i < n->tag.n; i++)
		if (n->tag.s[i] < 'a' || n->tag.s[i] > 'z') {
			complain(m, false, n->tag.s, "tags must be all lowercase characters");
			return;
		}
	if (span_is(n->tag, "symbol")) {
		if (has_fields(m, n, 1)) {
			struct markup_span name = markup_field(n, 0);
			struct markup_part *p = add_part(m, MARKUP_SYMBOL, n);

			p->text = name.s;
			p->n_text = name.n;
		}
	} else if (span_is(n->tag, "pc")) {
		filter_pc(m, n);
	} else if (span_is(n->tag, "bt")) {
		markup_filter_bt(m, n);
	} else if (span_is(n->tag, "data")) {
		filter_data(m, n);
	} else if (!markup_parse_color(m, n->all)) {
		buf_add(&m->text, n->all.s, n->all.n);
	}
}

static void filter_deferred(struct markup *m)
{
	markup_end_module_line(m);
	for (size_t i = 0; i < m->n_deferred; i++)
		markup_filter_node(m, &m->deferred[i]);
}

static bool markup_read_mmap(struct markup *m, const struct markup_node *n, struct markup_mmap *x)
{
	uint64_t id;

	if (!has_at_least(m, n, 3) || !read_address(m, markup_field(n, 0), &x->addr) ||
	    !read_number(m, markup_field(n, 1), "size", &x->size))
		return false;
	if (!span_is(markup_field(n, 2), "load")) {
		complain(m, false, markup_field(n, 2).s, "unknown mmap type");
		return false;
	}
	if (!has_fields(m, n, 6) || !read_number(m, markup_field(n, 3), "module ID", &id) ||
	    !read_mode(m, markup_field(n, 4), x->mode))
		return false;
	x->module = map64_get(&m->module_of, id);
	if (!x->module--) {
		complain(m, false, markup_field(n, 3).s, "unknown module ID");
		return false;
	}
	return read_address(m, markup_field(n, 5), &x->at);
}

static void markup_filter_mmap(struct markup *m, const struct markup_node *n)
{
	struct markup_mmap x = {.size = 0};
	const struct markup_mmap *other = NULL;
	size_t i, at;

	if (!markup_read_mmap(m, n, &x))
		return;
	i = mmap_behind(m, x.addr);
	if (i < m->n_mmaps && covers(&x, m->mmaps[i].addr))
		other = &m->mmaps[i];
	else if (i && covers(&m->mmaps[i - 1], x.addr))
		other = &m->mmaps[i - 1];
	if (other) {
		complain(m, false, markup_field(n, 0).s,
			 "overlapping mmap: #0x%" PRIx64 " [0x%" PRIx64 "-0x%" PRIx64 "]",
			 m->modules[other->module].id, other->addr, other->addr + other->size - 1);
		return;
	}
	if (m->n_added == MARKUP_MOST) { /* those without bytes may come again and again */
		complain(m, false, n->tag.s, "more than %d mappings", MARKUP_MOST);
		return;
	}
	if (i && m->mmaps[i - 1].addr == x.addr) { /* one without bytes stays what it is */
		x = m->mmaps[i - 1];
	} else if (m->n_mmaps == MARKUP_MOST) {
		complain(m, false, n->tag.s, "more than %d mappings", MARKUP_MOST);
		return;
	} else {
		VEC_PUSH(m->mmaps, m->n_mmaps, m->cap_mmaps) = x;
		memmove(&m->mmaps[i + 1], &m->mmaps[i], (m->n_mmaps - 1 - i) * sizeof x);
		m->mmaps[i] = x;
	}
	if (!m->is_open || m->open != x.module) {
		filter_deferred(m);
		begin_module_line(m, x.module);
		buf_adds(&m->text, "; adds");
	}
	VEC_PUSH(m->added, m->n_added, m->cap_added) = x;
	for (at = m->n_added - 1; at && m->added[at - 1].addr > x.addr; at--)
		m->added[at] = m->added[at - 1];
	m->added[at] = x;
}

static void filter_reset(struct markup *m, const struct markup_node *n)
{
	if (!has_fields(m, n, 0) || (!m->n_modules && !m->n_mmaps))
		return;
	filter_deferred(m);
	markup_raw(&m->text, m->ink, n->inside.s, n->inside.n);
	buf_adds(&m->text, line_end(m));
	map64_release(&m->module_of);
	m->n_modules = m->n_mmaps = 0;
	m->stale = true;
}

/* A first odd digit is a byte of its own; NULL: there is another character in it, or none. */
static const char *read_build_id(struct markup *m, struct markup_span s, size_t *n)
{
	char *id;

	*n = s.n + s.n % 2;
	for (size_t i = 0; i < s.n; i++)
		if (num_hex_digit(s.s[i]) < 0)
			return NULL;
	if (!s.n)
		return NULL;
	id = arena_alloc(&m->names, *n);
	id[0] = '0';
	for (size_t i = 0; i < s.n; i++)
		id[i + s.n % 2] = "0123456789abcdef"[num_hex_digit(s.s[i])];
	return id;
}

static void markup_filter_module(struct markup *m, const struct markup_node *n)
{
	struct markup_module x = {.file = NULL};
	struct markup_span name;

	if (!has_at_least(m, n, 3) || !read_number(m, markup_field(n, 0), "module ID", &x.id))
		return;
	name = markup_field(n, 1);
	if (!span_is(markup_field(n, 2), "elf")) {
		complain(m, false, markup_field(n, 2).s, "unknown module type");
		return;
	}
	if (!has_fields(m, n, 4))
		return;
	x.build_id = read_build_id(m, markup_field(n, 3), &x.n_build_id);
	if (!x.build_id) {
		complain_type(m, markup_field(n, 3), "build ID");
		return;
	}
	if (map64_get(&m->module_of, x.id)) {
		m->stale = true;
		complain(m, false, markup_field(n, 0).s, "duplicate module ID");
		return;
	}
	if (m->n_modules == MARKUP_MOST) {
		m->stale = true;
		complain(m, false, n->tag.s, "more than %d modules", MARKUP_MOST);
		return;
	}
	x.name = arena_strndup(&m->names, name.s, name.n);
	x.n_name = name.n;
	VEC_PUSH(m->modules, m->n_modules, m->cap_modules) = x;
	*map64_put(&m->module_of, x.id) = (uint32_t)m->n_modules;
	filter_deferred(m);
	begin_module_line(m, (uint32_t)m->n_modules - 1);
	buf_adds(&m->text, "; BuildID=");
	markup_value(&m->text, m->ink, x.build_id, x.n_build_id);
}

/* An element about modules swallows what is behind it in its line; and one that adds nothing to
 * what is known what is before it, too. */
static bool filter_context(struct markup *m, const struct markup_node *n)
{
	if (span_is(n->tag, "mmap"))
		markup_filter_mmap(m, n);
	else if (span_is(n->tag, "reset"))
		filter_reset(m, n);
	else if (span_is(n->tag, "module"))
		markup_filter_module(m, n);
	else
		return false;
	return true;
}

void markup_line(struct markup *m, const char *s, size_t n)
{
	struct markup_cutting c = {.rest = {s, n}};
	struct markup_node node;

	m->line = s;
	m->n_line = n;
	m->told = 0;
	m->n_deferred = 0;
	markup_parse_color(m, (struct markup_span){"\033[0m", 4});
	while (markup_next(&c, &node)) {
		if (filter_context(m, &node))
			return;
		VEC_PUSH(m->deferred, m->n_deferred, m->cap_deferred) = node;
	}
	filter_deferred(m);
	buf_addc(&m->text, '\n');
}

void markup_end(struct markup *m)
{
	markup_end_module_line(m);
	markup_parse_color(m, (struct markup_span){"\033[0m", 4});
}

/* Names of modules that a reset has made forget take no memory. */
static void keep_names(struct markup *m)
{
	struct arena kept = ARENA_INIT;

	for (size_t i = 0; i < m->n_modules; i++) {
		struct markup_module *x = &m->modules[i];

		x->name = arena_strndup(&kept, x->name, x->n_name);
		x->build_id = arena_strndup(&kept, x->build_id, x->n_build_id);
	}
	arena_release(&m->names);
	m->names = kept;
	m->stale = false;
}

void markup_clear(struct markup *m)
{
	m->text.len = m->complaints.len = 0;
	m->n_parts = m->n_queries = 0;
	if (m->stale)
		keep_names(m);
}
