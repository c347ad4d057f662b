/* SPDX-License-Identifier: MIT */
#include "lib/base/mem.h"
#include "lib/base/utf.h"
#include "lib/symbolize/demangle.h"
#include "lib/symbolize/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes n bytes out of s at p. */
static void drop(char *p, size_t n)
{
	memmove(p, p + n, strlen(p + n) + 1);
}

/* "{lambda(int)#2}" -> "'lambda0'(int)"; p is at its brace. The number is what follows "#", the
 * first having none in llvm's spelling. */
static void respell_lambda(char *p, const char *kind, const char *quoted)
{
	size_t n = strlen(kind), depth = 0, i;
	unsigned long number;
	struct buf b = BUF_INIT;
	char *end;

	for (i = n; p[i] && (depth || p[i] != '#'); i++) {
		if (strchr("{(", p[i]))
			depth++;
		else if (depth && strchr("})", p[i]))
			depth--;
	}
	if (p[i] != '#')
		return;
	number = strtoul(p + i + 1, &end, 10);
	if (*end != '}' || !number)
		return;
	buf_addf(&b, "'%s", quoted);
	if (number > 1)
		buf_addf(&b, "%lu", number - 2);
	buf_addc(&b, '\'');
	buf_add(&b, p + n, i - n);
	/* never longer: "{lambda#1}" and "'lambda'" */
	if (b.len <= (size_t)(end + 1 - p)) {
		memcpy(p, b.data, b.len);
		drop(p + b.len, (size_t)(end + 1 - p) - b.len);
	}
	buf_release(&b);
}

/* libiberty's spelling of a demangled name in llvm's. */
static void respell(char *s)
{
	char *p;

	for (p = s; (p = strstr(p, "{lambda(")); p++)
		respell_lambda(p, "{lambda", "lambda");
	for (p = s; (p = strstr(p, "{unnamed type#")); p++)
		respell_lambda(p, "{unnamed type", "unnamed");
	while ((p = strstr(s, "operator< <")))
		drop(p + strlen("operator<"), 1);
	while ((p = strstr(s, "] [clone ")))
		drop(p, strlen("] [clone "));
	p = strstr(s, " [clone ");
	if (p && p[strlen(p) - 1] == ']') {
		p[strlen(p) - 1] = ')';
		p[1] = '(';
		drop(p + 2, strlen("clone "));
	}
}

/* One call as llvm-symbolizer sees it. */
struct frame {
	const char *name, *file; /* "": not known */
	char *owned;             /* name, when it was made for this */
	uint32_t line, column;
	uint64_t start;         /* of the function; DWARF_NO_START */
	const char *start_file; /* where it is declared; "": not known */
	uint32_t start_line;
	uint32_t discriminator;
};

/* The binary's own symbol table names the function at an address that was not inlined, DWARF or
 * not; its debug file's only what has neither. */
static const struct object_symbol *naming_symbol(const struct lookup_query *q,
						 const struct symbol_call *c,
						 const struct print_options *o)
{
	const struct object_symbol *sym;

	if (o->names != NAMES_LINKAGE || !q->file || !q->file->object)
		return NULL;
	/* Without inlined calls llvm mixes the innermost place with the outermost name, but in GNU
	 * style. */
	if (c->outer && (o->inlines || (!o->columns && !o->json)))
		return NULL;
	sym = object_own_symbol_at(q->file->object, q->addr);
	return sym || !(q->named.flags & BINDING_FROM_SYMTAB)
		   ? sym
		   : object_symbol_at(q->file->object, q->addr);
}

static struct frame frame_of(const struct lookup *l, const struct lookup_query *q, uint32_t call,
			     const struct print_options *o)
{
	static const struct symbol_call unknown;
	const struct symbol_call *c = call ? &l->symbols.calls[call] : &unknown;
	const struct object_symbol *sym = naming_symbol(q, c, o);
	const struct print_options raw = {.demangle = false};
	const struct dwarf_extra *x = lookup_extra(l, call);
	struct frame f = {.file = print_file(l, c, o),
			  .line = c->line,
			  .column = c->column,
			  .start = x->start,
			  .start_file = print_path(l, x->file, o),
			  .start_line = x->line,
			  .discriminator = x->discriminator};

	f.name = print_name(l, c->function, &raw);
	if (sym) {
		f.start = sym->lo;
		f.file = !*f.file && sym->file ? sym->file : f.file;
	}
	/* Short names are DWARF's, where thunks have none. */
	if (o->names == NAMES_NONE ||
	    (o->names == NAMES_SHORT &&
	     (q->named.flags & BINDING_FROM_SYMTAB || !strncmp(f.name, "_ZT", 3)))) {
		f.name = "";
	} else if (o->names == NAMES_SHORT && x->name) {
		f.name = intern_text(&l->symbols.strings, x->name, NULL);
	} else if (o->names == NAMES_SHORT) {
		f.owned = demangle_short(f.name);
	} else if (sym && strcmp(sym->name, f.name) != 0) {
		f.name = sym->name;
		f.owned = o->demangle ? demangle(sym->name) : NULL;
	} else if (o->demangle) {
		f.name = print_name(l, c->function, o);
		if (strstr(f.name, " [clone ") || strchr(f.name, '{') ||
		    strstr(f.name, "operator< <"))
			f.owned = mem_strdup(f.name);
	}
	if (f.owned && o->names == NAMES_LINKAGE)
		respell(f.owned);
	if (f.owned)
		f.name = f.owned;
	return f;
}

/* left_pad(line), " >: " or "  : ", text; as many lines around as asked for. */
static void add_context(struct buf *b, const struct frame *f, uint64_t lines)
{
	FILE *in = lines && f->line && *f->file ? fopen(f->file, "re") : NULL;
	uint64_t first = f->line > lines / 2 ? f->line - lines / 2 : 1, n = 1;
	char *text = NULL;
	size_t cap = 0;
	/* llvm's width is ceil(log10(last line)): 2 for line 100 */
	int width = snprintf(NULL, 0, "%" PRIu64, first + lines - 2);
	ssize_t got;

	if (!in)
		return;
	for (; n < first + lines && (got = getline(&text, &cap, in)) >= 0; n++) {
		if (n < first)
			continue;
		if (got && text[got - 1] == '\n')
			got--;
		buf_addf(b, "%*" PRIu64 "%s", width, n, n == f->line ? " >: " : "  : ");
		buf_add(b, text, (size_t)got);
		buf_addc(b, '\n');
	}
	free(text);
	fclose(in);
}

static void add_frame(struct buf *b, const struct frame *f, bool inlined,
		      const struct print_options *o)
{
	const char *file = *f->file ? f->file : "??";

	if (o->names != NAMES_NONE) {
		buf_adds(b, o->pretty && inlined ? " (inlined by) " : "");
		buf_adds(b, *f->name ? f->name : "??");
		buf_adds(b, o->pretty ? " at " : "\n");
	}
	if (o->verbose) {
		buf_addf(b, "  Filename: %s\n", file);
		if (f->start_line)
			buf_addf(b,
				 "  Function start filename: %s\n"
				 "  Function start line: %" PRIu32 "\n",
				 f->start_file, f->start_line);
		if (f->start != DWARF_NO_START && o->columns) /* not in GNU style */
			buf_addf(b, "  Function start address: 0x%" PRIx64 "\n", f->start);
		buf_addf(b, "  Line: %" PRIu32 "\n  Column: %" PRIu32 "\n", f->line, f->column);
		if (f->discriminator)
			buf_addf(b, "  Discriminator: %" PRIu32 "\n", f->discriminator);
		return;
	}
	buf_adds(b, file);
	buf_addc(b, ':');
	buf_add_u64(b, f->line);
	if (o->columns) {
		buf_addc(b, ':');
		buf_add_u64(b, f->column);
	} else if (f->discriminator) {
		buf_addf(b, " (discriminator %" PRIu32 ")", f->discriminator);
	}
	buf_addc(b, '\n');
	add_context(b, f, o->context);
}

static void add_frames(struct buf *b, const struct lookup *l, const struct lookup_query *q,
		       const struct print_options *o)
{
	uint32_t call = q->named.call;
	bool inlined = false;

	do {
		struct frame f = frame_of(l, q, call, o);

		add_frame(b, &f, inlined, o);
		free(f.owned);
		call = call && o->inlines ? l->symbols.calls[call].outer : 0;
		inlined = true;
	} while (call);
}

static void add_json(struct buf *b, const char *s, size_t n)
{
	struct buf text = BUF_INIT;

	utf8_add_repaired(&text, s, n);
	buf_addc(b, '"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.data[i];

		switch (c) {
		case '"':
		case '\\': buf_addf(b, "\\%c", c); break;
		case '\t': buf_adds(b, "\\t"); break;
		case '\n': buf_adds(b, "\\n"); break;
		case '\r': buf_adds(b, "\\r"); break;
		default:
			if (c < 0x20)
				buf_addf(b, "\\u%04x", c);
			else
				buf_addc(b, (char)c);
		}
	}
	buf_addc(b, '"');
	buf_release(&text);
}

static void add_json_frame(struct buf *b, const struct frame *f, const struct print_options *o)
{
	struct buf source = BUF_INIT;

	buf_addf(b,
		 "{\"Column\":%" PRIu32 ",\"Discriminator\":%" PRIu32 ",\"FileName\":", f->column,
		 f->discriminator);
	add_json(b, f->file, strlen(f->file));
	buf_adds(b, ",\"FunctionName\":");
	add_json(b, f->name, strlen(f->name));
	buf_addf(b, ",\"Line\":%" PRIu32, f->line);
	add_context(&source, f, o->context);
	if (source.len) {
		buf_adds(b, ",\"Source\":");
		add_json(b, source.data, source.len);
	}
	buf_adds(b, ",\"StartAddress\":\"");
	if (f->start != DWARF_NO_START)
		buf_addf(b, "0x%" PRIx64, f->start);
	buf_adds(b, "\",\"StartFileName\":");
	add_json(b, f->start_file, strlen(f->start_file));
	buf_addf(b, ",\"StartLine\":%" PRIu32 "}", f->start_line);
	buf_release(&source);
}

static void add_json_frames(struct buf *b, const struct lookup *l, const struct lookup_query *q,
			    const struct print_options *o)
{
	uint32_t call = q->named.call;
	bool more;

	do {
		struct frame f = frame_of(l, q, call, o);

		add_json_frame(b, &f, o);
		free(f.owned);
		call = call && o->inlines ? l->symbols.calls[call].outer : 0;
		more = call != 0;
		if (more)
			buf_addc(b, ',');
	} while (more);
}

/* Why there is no answer; "" when there is one. */
static const char *refusal(const struct lookup_query *q, const struct request *r)
{
	switch (r->kind) {
	case REQUEST_BAD: return "unable to parse arguments: ";
	case REQUEST_DATA: return "DATA is not supported";
	case REQUEST_FRAME: return "FRAME is not supported";
	default: return q->file->object ? "" : q->file->e.msg;
	}
}

/* Members are in the order of their names. */
static void print_json(struct buf *b, const struct lookup *l, const struct lookup_query *q,
		       const struct request *r, const struct print_options *o)
{
	struct buf why = BUF_INIT;

	buf_adds(&why, refusal(q, r));
	buf_addc(b, '{');
	if (r->kind == REQUEST_BAD)
		buf_add(&why, r->text, r->n_text);
	else
		buf_addf(b, "\"Address\":\"0x%" PRIx64 "\",", r->addr);
	if (why.len) {
		buf_adds(b, "\"Error\":{\"Message\":");
		add_json(b, why.data, why.len);
		buf_adds(b, "},");
	}
	buf_adds(b, "\"ModuleName\":");
	if (r->file)
		add_json(b, r->file, r->n_file);
	else
		add_json(b, q->file ? q->file->path : "", q->file ? strlen(q->file->path) : 0);
	if (!why.len) {
		buf_adds(b, ",\"Symbol\":[");
		add_json_frames(b, l, q, o);
		buf_addc(b, ']');
	}
	buf_addc(b, '}');
	buf_release(&why);
}

void print_llvm(struct buf *b, const struct lookup *l, const struct lookup_query *q,
		const struct request *r, const struct print_options *o)
{
	if (o->json) {
		print_json(b, l, q, r, o);
		return;
	}
	if (r->kind == REQUEST_BAD) {
		buf_add(b, r->text, r->n_text);
		buf_addc(b, '\n');
		return;
	}
	if (r->kind == REQUEST_CODE && o->addresses)
		buf_addf(b, "0x%" PRIx64 "%s", r->addr, o->pretty ? ": " : "\n");
	if (r->kind == REQUEST_CODE)
		add_frames(b, l, q, o);
	else
		buf_adds(b, r->kind == REQUEST_DATA ? "??\n0 0\n" : "??\n");
	if (o->columns)
		buf_addc(b, '\n');
}

static void new_line(struct buf *b, size_t depth)
{
	buf_addc(b, '\n');
	while (depth--)
		buf_adds(b, "  ");
}

void print_indented(struct buf *b, const char *json, size_t n)
{
	size_t depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < n; i++) {
		char c = json[i];

		if (!quoted && (c == '}' || c == ']'))
			new_line(b, --depth);
		buf_addc(b, c);
		if (quoted && c == '\\' && i + 1 < n)
			buf_addc(b, json[++i]);
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			new_line(b, ++depth);
		else if (!quoted && c == ',')
			new_line(b, depth);
		else if (!quoted && c == ':')
			buf_addc(b, ' ');
	}
}
