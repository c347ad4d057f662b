/* SPDX-License-Identifier: MIT */
#include "lib/compat/print_llvm.h"

#include "lib/base/mem.h"
#include "lib/base/utf.h"
#include "lib/demangle/demangle.h"
#include "lib/demangle/demangle_llvm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The binary's own symbol table names the function at an address that was not inlined, DWARF or
 * not; its debug file's only what has neither. */
static const struct object_symbol *naming_symbol(const struct lookup_query *q,
						 const struct symbol_call *c,
						 const struct print_options *o)
{
	const struct object_symbol *sym;

	if (o->names != NAMES_LINKAGE || !q->file || !q->file->object)
		return NULL;
	if (c->outer && !o->mixed)
		return NULL;
	sym = object_own_symbol_at(q->file->object, q->addr);
	return sym || !(q->named.flags & BINDING_FROM_SYMTAB)
		   ? sym
		   : object_symbol_at(q->file->object, q->addr);
}

struct llvm_frame llvm_frame(const struct lookup *l, const struct lookup_query *q, uint32_t call,
			     const struct print_options *o)
{
	static const struct symbol_call unknown;
	const struct symbol_call *c = call ? &l->symbols.calls[call] : &unknown;
	const struct object_symbol *sym = naming_symbol(q, c, o);
	const struct print_options raw = {.demangle = false};
	const struct dwarf_extra *x = lookup_extra(l, call);
	struct llvm_frame f = {.file = print_file(l, c, o),
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
		f.owned = o->demangle ? demangle_llvm(sym->name) : NULL;
	} else if (o->demangle) {
		f.name = print_name(l, c->function, o);
	}
	if (f.owned)
		f.name = f.owned;
	return f;
}

/* left_pad(line), " >: " or "  : ", text; as many lines around as asked for. */
static void llvm_add_context(struct buf *b, const struct llvm_frame *f, uint64_t lines)
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

static void llvm_add_frame(struct buf *b, const struct llvm_frame *f, bool inlined,
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
	llvm_add_context(b, f, o->context);
}

static void add_frames(struct buf *b, const struct lookup *l, const struct lookup_query *q,
		       const struct print_options *o)
{
	uint32_t call = q->named.call;
	bool inlined = false;

	do {
		struct llvm_frame f = llvm_frame(l, q, call, o);

		llvm_add_frame(b, &f, inlined, o);
		free(f.owned);
		call = call && o->inlines ? l->symbols.calls[call].outer : 0;
		inlined = true;
	} while (call);
}

/* llvm takes an unknown file as the mark of an unknown place. */
static bool has_file(const struct llvm_frame *f)
{
	return *f->file;
}

static void add_places(struct buf *b, const struct lookup *l, const struct lookup_query *queries,
		       size_t n, const struct print_options *o)
{
	static const struct llvm_frame unknown = {
	    .name = "", .file = "", .start = DWARF_NO_START, .start_file = ""};
	bool some = false;

	for (size_t i = 0; i < n; i++) {
		struct llvm_frame f = llvm_frame(l, &queries[i], queries[i].named.call, o);

		if (has_file(&f))
			llvm_add_frame(b, &f, false, o);
		some |= has_file(&f);
		free(f.owned);
	}
	if (!some)
		llvm_add_frame(b, &unknown, false, o);
}

static void add_global(struct buf *b, const struct lookup_query *q, const struct print_options *o)
{
	struct lookup_global g = lookup_global(q);
	char *name = g.symbol && o->demangle ? demangle_llvm(g.symbol->name) : NULL;
	const char *file = g.declared.file;

	if (!file && g.symbol)
		file = g.symbol->file;
	buf_addf(b, "%s\n", name ? name : g.symbol ? g.symbol->name : "??");
	buf_addf(b, "%" PRIu64 " %" PRIu64 "\n", g.symbol ? g.symbol->lo : 0,
		 g.symbol && g.symbol->sized ? g.symbol->hi - g.symbol->lo : 0);
	if (file)
		buf_addf(b, "%s:%" PRIu32 "\n", file, g.declared.line);
	else
		buf_adds(b, "??:?\n");
	free(name);
}

static const char *known(const char *s)
{
	return s ? s : "??";
}

static void llvm_add_locals(struct buf *b, const struct lookup_query *q)
{
	size_t n;
	const struct dwarf_local *all = lookup_locals(q, &n);

	for (size_t i = 0; i < n; i++) {
		const struct dwarf_local *x = &all[i];

		buf_addf(b, "%s\n%s\n%s:%" PRIu32 "\n", known(x->function), known(x->name),
			 known(x->declared.file), x->declared.line);
		if (x->has_offset)
			buf_addf(b, "%" PRId64 " ", x->offset);
		else
			buf_adds(b, "?? ");
		if (x->has_size)
			buf_addf(b, "%" PRIu64 " ", x->size);
		else
			buf_adds(b, "?? ");
		if (x->has_tag)
			buf_addf(b, "%" PRIu64 "\n", x->tag);
		else
			buf_adds(b, "??\n");
	}
	if (!n)
		buf_adds(b, "??\n");
}

static void llvm_add_json(struct buf *b, const char *s, size_t n)
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

static void llvm_add_json_frame(struct buf *b, const struct llvm_frame *f,
				const struct print_options *o)
{
	struct buf source = BUF_INIT;

	buf_addf(b,
		 "{\"Column\":%" PRIu32 ",\"Discriminator\":%" PRIu32 ",\"FileName\":", f->column,
		 f->discriminator);
	llvm_add_json(b, f->file, strlen(f->file));
	buf_adds(b, ",\"FunctionName\":");
	llvm_add_json(b, f->name, strlen(f->name));
	buf_addf(b, ",\"Line\":%" PRIu32, f->line);
	llvm_add_context(&source, f, o->context);
	if (source.len) {
		buf_adds(b, ",\"Source\":");
		llvm_add_json(b, source.data, source.len);
	}
	buf_adds(b, ",\"StartAddress\":\"");
	if (f->start != DWARF_NO_START)
		buf_addf(b, "0x%" PRIx64, f->start);
	buf_adds(b, "\",\"StartFileName\":");
	llvm_add_json(b, f->start_file, strlen(f->start_file));
	buf_addf(b, ",\"StartLine\":%" PRIu32 "}", f->start_line);
	buf_release(&source);
}

static void add_json_frames(struct buf *b, const struct lookup *l, const struct lookup_query *q,
			    const struct print_options *o)
{
	uint32_t call = q->named.call;
	bool more;

	do {
		struct llvm_frame f = llvm_frame(l, q, call, o);

		llvm_add_json_frame(b, &f, o);
		free(f.owned);
		call = call && o->inlines ? l->symbols.calls[call].outer : 0;
		more = call != 0;
		if (more)
			buf_addc(b, ',');
	} while (more);
}

static void add_json_text(struct buf *b, const char *s)
{
	llvm_add_json(b, s, strlen(s));
}

static void add_json_places(struct buf *b, const struct lookup *l,
			    const struct lookup_query *queries, size_t n,
			    const struct print_options *o)
{
	bool some = false;

	for (size_t i = 0; i < n; i++) {
		struct llvm_frame f = llvm_frame(l, &queries[i], queries[i].named.call, o);

		if (has_file(&f)) {
			if (some)
				buf_addc(b, ',');
			llvm_add_json_frame(b, &f, o);
			some = true;
		}
		free(f.owned);
	}
}

static void add_json_global(struct buf *b, const struct lookup_query *q,
			    const struct print_options *o)
{
	struct lookup_global g = lookup_global(q);
	char *name = g.symbol && o->demangle ? demangle_llvm(g.symbol->name) : NULL;

	buf_adds(b, "{\"Name\":");
	add_json_text(b, name ? name : g.symbol ? g.symbol->name : "");
	buf_addf(b, ",\"Size\":\"0x%" PRIx64 "\",\"Start\":\"0x%" PRIx64 "\"}",
		 g.symbol && g.symbol->sized ? g.symbol->hi - g.symbol->lo : 0,
		 g.symbol ? g.symbol->lo : 0);
	free(name);
}

static void llvm_add_json_locals(struct buf *b, const struct lookup_query *q)
{
	size_t n;
	const struct dwarf_local *all = lookup_locals(q, &n);

	buf_addc(b, '[');
	for (size_t i = 0; i < n; i++) {
		const struct dwarf_local *x = &all[i];

		buf_adds(b, i ? ",{\"DeclFile\":" : "{\"DeclFile\":");
		add_json_text(b, x->declared.file ? x->declared.file : "");
		buf_addf(b, ",\"DeclLine\":%" PRIu32, x->declared.line);
		if (x->has_offset)
			buf_addf(b, ",\"FrameOffset\":%" PRId64, x->offset);
		buf_adds(b, ",\"FunctionName\":");
		add_json_text(b, x->function ? x->function : "");
		buf_adds(b, ",\"Name\":");
		add_json_text(b, x->name ? x->name : "");
		buf_adds(b, ",\"Size\":\"");
		if (x->has_size)
			buf_addf(b, "0x%" PRIx64, x->size);
		buf_adds(b, "\",\"TagOffset\":\"");
		if (x->has_tag)
			buf_addf(b, "0x%" PRIx64, x->tag);
		buf_adds(b, "\"}");
	}
	buf_addc(b, ']');
}

/* Of a file that is not there llvm gives the system's words alone. */
static const char *reason(const struct lookup_file *f)
{
	return f->e.msg + (strncmp(f->e.msg, "open: ", 6) ? 0 : 6);
}

/* Members are in the order of their names. */
static void llvm_print_json(struct buf *b, const struct lookup *l,
			    const struct lookup_query *queries, size_t n,
			    const struct compat_request *r, const struct print_options *o)
{
	const struct lookup_query *q = &queries[0];
	const struct lookup_file *f = q->file;
	bool refused = r->kind != REQUEST_BAD && (!f || !f->object);
	bool data = r->kind == REQUEST_DATA && !refused;
	const char *member = "";

	buf_addc(b, '{');
	if (r->kind != REQUEST_BAD && !r->symbol) {
		buf_addf(b, "\"Address\":\"0x%" PRIx64 "\"", r->addr);
		member = ",";
	}
	if (data) {
		buf_addf(b, "%s\"Data\":", member);
		add_json_global(b, q, o);
		member = ",";
	}
	if (refused) {
		buf_addf(b, "%s\"Error\":{\"Message\":", member);
		add_json_text(b, f ? reason(f) : "could not find build ID");
		buf_addc(b, '}');
		member = ",";
	} else if (r->kind == REQUEST_FRAME) {
		buf_addf(b, "%s\"Frame\":", member);
		llvm_add_json_locals(b, q);
		member = ",";
	} else if (r->kind == REQUEST_CODE && r->symbol) {
		buf_addf(b, "%s\"Loc\":[", member);
		add_json_places(b, l, queries, n, o);
		buf_addc(b, ']');
		member = ",";
	}
	buf_addf(b, "%s\"ModuleName\":", member);
	if (r->file)
		llvm_add_json(b, r->file, r->n_file);
	else
		add_json_text(b, f ? f->path : "");
	if (r->symbol && r->kind != REQUEST_BAD) {
		buf_adds(b, ",\"SymName\":");
		llvm_add_json(b, r->symbol, r->n_symbol);
	} else if (!refused && (r->kind == REQUEST_CODE || r->kind == REQUEST_BAD)) {
		buf_adds(b, ",\"Symbol\":[");
		add_json_frames(b, l, q, o);
		buf_addc(b, ']');
	}
	buf_addc(b, '}');
}

void print_llvm(struct buf *b, const struct lookup *l, const struct lookup_query *queries, size_t n,
		const struct compat_request *r, const struct print_options *o)
{
	struct print_options by_name = *o;

	by_name.inlines = false;
	by_name.mixed = true;
	if (r->kind == REQUEST_CODE && r->symbol)
		o = &by_name;
	if (o->json) {
		llvm_print_json(b, l, queries, n, r, o);
		return;
	}
	if (o->addresses && r->kind != REQUEST_BAD && (!r->symbol || r->kind != REQUEST_CODE))
		buf_addf(b, "0x%" PRIx64 "%s", r->addr, o->pretty ? ": " : "\n");
	if (r->kind == REQUEST_DATA)
		add_global(b, &queries[0], o);
	else if (r->kind == REQUEST_FRAME)
		llvm_add_locals(b, &queries[0]);
	else if (r->symbol && r->kind == REQUEST_CODE)
		add_places(b, l, queries, n, o);
	else
		add_frames(b, l, &queries[0], o);
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

		if (!quoted && c == '[' && i + 1 < n && json[i + 1] == ']') {
			buf_adds(b, "[]");
			i++;
			continue;
		}
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
