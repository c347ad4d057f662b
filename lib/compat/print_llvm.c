/* SPDX-License-Identifier: MIT */
#include "lib/compat/print_llvm.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/base/utf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *demangled(enum tracemill_spelling spelling, const char *name)
{
	char text[1000], *longer;
	size_t length = strlen(name),
	       n = tracemill_demangle_as(spelling, name, length, text, sizeof text);

	if (!n || n < sizeof text)
		return n ? mem_strndup(text, n) : NULL;
	longer = mem_alloc(n + 1);
	tracemill_demangle_as(spelling, name, length, longer, n + 1);
	return longer;
}

char *llvm_demangle(const char *name)
{
	return demangled(TRACEMILL_SPELL_LLVM, name);
}

struct llvm_answer llvm_answer(const struct print_from *from, const struct tracemill_query *query)
{
	struct llvm_answer a = {.binary = NULL};

	tracemill_resolved(from->symbolizer, query, &a.binary, &a.address);
	if (!tracemill_view(from->symbolizer, query, 1, from->views))
		a.calls = print_viewed(from->views, 0);
	return a;
}

/* The binary's own symbol table names the function at an address that was not inlined, DWARF or
 * not; its debug file's only what has neither. False: it does not. */
static bool naming_symbol(const struct print_from *from, const struct llvm_answer *a, size_t i,
			  const struct print_options *o, struct tracemill_symbol *symbol)
{
	if (o->names != NAMES_LINKAGE || !a->binary)
		return false;
	if (i + 1 < a->calls.n && !o->mixed)
		return false;
	if (!tracemill_symbol_at(from->symbolizer, a->binary, TRACEMILL_OWN_CODE, a->address,
				 symbol))
		return true;
	return a->calls.n && a->calls.calls[0].by & TRACEMILL_FUNCTION_BY_SYMBOL &&
	       !tracemill_symbol_at(from->symbolizer, a->binary, TRACEMILL_CODE, a->address,
				    symbol);
}

static const char *shown_path(const char *path, const struct print_options *o)
{
	return o->base_names ? path_base_captured(path) : path;
}

static bool from_pdb(const struct print_from *from, const struct llvm_answer *a)
{
	struct tracemill_binary_facts facts = {.size = sizeof facts};

	return a->binary && !tracemill_binary_facts(from->symbolizer, a->binary, &facts) &&
	       facts.has_pdb && !facts.has_dwarf;
}

struct llvm_frame llvm_frame(const struct print_from *from, const struct llvm_answer *a, size_t i,
			     const struct print_options *o)
{
	static const struct tracemill_call unknown;
	const struct tracemill_call *c = i < a->calls.n ? &a->calls.calls[i] : &unknown;
	struct tracemill_details x = {.size = sizeof x};
	struct tracemill_symbol sym = {.size = sizeof sym};
	bool named = naming_symbol(from, a, i, o, &sym);
	struct llvm_frame f;

	/* Without inlined calls LLVM has what the table of lines has: in DWARF the line of the innermost call, in a PDB the
	 * line of the function that it was inlined into. */
	if (o->mixed && a->calls.n > 1 && from_pdb(from, a))
		c = &a->calls.calls[a->calls.n - 1];
	if (c == &unknown || tracemill_call_details(from->symbolizer, c, &x))
		x = (struct tracemill_details){
		    .function = "", .linkage = "", .file = "", .name = "", .declared_file = ""};
	f = (struct llvm_frame){
	    .name = x.linkage,
	    .file = shown_path(x.file, o),
	    .path = shown_path(x.file, o), /* as llvm opens it: what is cut is not found */
	    .embeds = i ? NULL : a->binary,
	    .address = a->address,
	    .line = c->line,
	    .column = c->column,
	    .has_start = x.has_start,
	    .start = x.start,
	    .start_file = shown_path(x.declared_file, o),
	    .start_line = x.declared_line,
	    .discriminator = c->discriminator};
	if (named) {
		f.has_start =
		    (o->json || o->verbose) && !from_pdb(from, a); /* it has none of a PDB's */
		f.start = sym.address;
		f.file = *f.file ? f.file : sym.file;
	}
	/* Short names are DWARF's, where thunks have none. */
	if (o->names == NAMES_NONE ||
	    (o->names == NAMES_SHORT &&
	     ((a->calls.n && a->calls.calls[0].by & TRACEMILL_FUNCTION_BY_SYMBOL) ||
	      !strncmp(f.name, "_ZT", 3)))) {
		f.name = "";
	} else if (o->names == NAMES_SHORT && *x.name) {
		f.name = x.name;
	} else if (o->names == NAMES_SHORT) {
		f.owned = demangled(TRACEMILL_SPELL_SHORT, f.name);
	} else if (named && strcmp(sym.name, f.name) != 0) {
		f.name = sym.name;
		f.owned = o->demangle ? llvm_demangle(sym.name) : NULL;
	} else if (o->demangle) {
		f.name = x.function;
	}
	if (f.owned)
		f.name = f.owned;
	return f;
}

/* left_pad(line), " >: " or "  : ", text; as many lines around as asked for. */
static void llvm_add_context(struct buf *b, const struct print_from *from,
			     const struct llvm_frame *f, uint64_t lines)
{
	uint64_t first = f->line > lines / 2 ? f->line - lines / 2 : 1, n = 1;
	const char *text, *end;
	size_t size;
	int width;

	if (!lines || !*f->path ||
	    tracemill_source(from->symbolizer, f->embeds, f->address, f->path, &text, &size))
		return;
	/* llvm's width is ceil(log10(last line)): 2 for line 100 */
	width = snprintf(NULL, 0, "%" PRIu64, first + lines - 2);
	for (end = text + size; text < end && n < first + lines; n++) {
		const char *nl = memchr(text, '\n', (size_t)(end - text)), *stop = nl ? nl : end;

		if (n >= first) {
			buf_addf(b, "%*" PRIu64 "%s", width, n, n == f->line ? " >: " : "  : ");
			buf_add(b, text, (size_t)(stop - text));
			buf_addc(b, '\n');
		}
		text = nl ? nl + 1 : end;
	}
}

static void llvm_add_frame(struct buf *b, const struct print_from *from, const struct llvm_frame *f,
			   bool inlined, const struct print_options *o)
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
		if (f->has_start && o->columns) /* not in GNU style */
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
	llvm_add_context(b, from, f, o->context);
}

static void add_frames(struct buf *b, const struct print_from *from, const struct llvm_answer *a,
		       const struct print_options *o)
{
	size_t i = 0;

	do {
		struct llvm_frame f = llvm_frame(from, a, i, o);

		llvm_add_frame(b, from, &f, i != 0, o);
		free(f.owned);
	} while (o->inlines && ++i < a->calls.n);
}

/* llvm takes an unknown file as the mark of an unknown place. */
static bool has_file(const struct llvm_frame *f)
{
	return *f->file;
}

static void add_places(struct buf *b, const struct print_from *from,
		       const struct tracemill_query *queries, size_t n,
		       const struct print_options *o)
{
	static const struct llvm_frame unknown = {
	    .name = "", .file = "", .path = "", .start_file = ""};
	bool some = false;

	for (size_t i = 0; i < n; i++) {
		struct llvm_answer a = llvm_answer(from, &queries[i]);
		struct llvm_frame f = llvm_frame(from, &a, 0, o);

		if (has_file(&f))
			llvm_add_frame(b, from, &f, false, o);
		some |= has_file(&f);
		free(f.owned);
	}
	if (!some)
		llvm_add_frame(b, from, &unknown, false, o);
}

/* Data at an address; name "": no symbol has it. */
static struct tracemill_symbol global_of(const struct print_from *from, const struct llvm_answer *a)
{
	struct tracemill_symbol g = {.size = sizeof g};

	if (!a->binary ||
	    tracemill_symbol_at(from->symbolizer, a->binary, TRACEMILL_DATA, a->address, &g))
		g = (struct tracemill_symbol){.name = "", .file = "", .declared_file = ""};
	return g;
}

static void add_global(struct buf *b, const struct print_from *from, const struct llvm_answer *a,
		       const struct print_options *o)
{
	struct tracemill_symbol g = global_of(from, a);
	char *name = o->demangle ? llvm_demangle(g.name) : NULL;
	const char *file = *g.declared_file ? g.declared_file : g.file;

	buf_addf(b, "%s\n", name ? name : *g.name ? g.name : "??");
	buf_addf(b, "%" PRIu64 " %" PRIu64 "\n", g.address, g.sized ? g.bytes : 0);
	if (*file)
		buf_addf(b, "%s:%" PRIu32 "\n", file, g.declared_line);
	else
		buf_adds(b, "??:?\n");
	free(name);
}

static const struct tracemill_local *locals_of(const struct print_from *from,
					       const struct llvm_answer *a, size_t *n)
{
	const struct tracemill_local *all = NULL;

	*n = 0;
	if (a->binary && tracemill_locals(from->symbolizer, a->binary, a->address, &all, n))
		*n = 0;
	return all;
}

static const char *known(const char *s)
{
	return s ? s : "??";
}

static void llvm_add_locals(struct buf *b, const struct print_from *from,
			    const struct llvm_answer *a)
{
	size_t n;
	const struct tracemill_local *all = locals_of(from, a, &n);

	for (size_t i = 0; i < n; i++) {
		const struct tracemill_local *x = &all[i];

		buf_addf(b, "%s\n%s\n%s:%" PRIu32 "\n", known(x->function), known(x->name),
			 known(x->file), x->line);
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

static void llvm_add_json_frame(struct buf *b, const struct print_from *from,
				const struct llvm_frame *f, const struct print_options *o)
{
	struct buf source = BUF_INIT;

	buf_addf(b,
		 "{\"Column\":%" PRIu32 ",\"Discriminator\":%" PRIu32 ",\"FileName\":", f->column,
		 f->discriminator);
	llvm_add_json(b, f->file, strlen(f->file));
	buf_adds(b, ",\"FunctionName\":");
	llvm_add_json(b, f->name, strlen(f->name));
	buf_addf(b, ",\"Line\":%" PRIu32, f->line);
	llvm_add_context(&source, from, f, o->context);
	if (source.len) {
		buf_adds(b, ",\"Source\":");
		llvm_add_json(b, source.data, source.len);
	}
	buf_adds(b, ",\"StartAddress\":\"");
	if (f->has_start)
		buf_addf(b, "0x%" PRIx64, f->start);
	buf_adds(b, "\",\"StartFileName\":");
	llvm_add_json(b, f->start_file, strlen(f->start_file));
	buf_addf(b, ",\"StartLine\":%" PRIu32 "}", f->start_line);
	buf_release(&source);
}

static void add_json_frames(struct buf *b, const struct print_from *from,
			    const struct llvm_answer *a, const struct print_options *o)
{
	size_t i = 0;

	do {
		struct llvm_frame f = llvm_frame(from, a, i, o);

		if (i)
			buf_addc(b, ',');
		llvm_add_json_frame(b, from, &f, o);
		free(f.owned);
	} while (o->inlines && ++i < a->calls.n);
}

static void add_json_text(struct buf *b, const char *s)
{
	llvm_add_json(b, s, strlen(s));
}

static void add_json_places(struct buf *b, const struct print_from *from,
			    const struct tracemill_query *queries, size_t n,
			    const struct print_options *o)
{
	bool some = false;

	for (size_t i = 0; i < n; i++) {
		struct llvm_answer a = llvm_answer(from, &queries[i]);
		struct llvm_frame f = llvm_frame(from, &a, 0, o);

		if (has_file(&f)) {
			if (some)
				buf_addc(b, ',');
			llvm_add_json_frame(b, from, &f, o);
			some = true;
		}
		free(f.owned);
	}
}

static void add_json_global(struct buf *b, const struct print_from *from,
			    const struct llvm_answer *a, const struct print_options *o)
{
	struct tracemill_symbol g = global_of(from, a);
	char *name = o->demangle ? llvm_demangle(g.name) : NULL;

	buf_adds(b, "{\"Name\":");
	add_json_text(b, name ? name : g.name);
	buf_addf(b, ",\"Size\":\"0x%" PRIx64 "\",\"Start\":\"0x%" PRIx64 "\"}",
		 g.sized ? g.bytes : 0, g.address);
	free(name);
}

static void llvm_add_json_locals(struct buf *b, const struct print_from *from,
				 const struct llvm_answer *a)
{
	size_t n;
	const struct tracemill_local *all = locals_of(from, a, &n);

	buf_addc(b, '[');
	for (size_t i = 0; i < n; i++) {
		const struct tracemill_local *x = &all[i];

		buf_adds(b, i ? ",{\"DeclFile\":" : "{\"DeclFile\":");
		add_json_text(b, x->file ? x->file : "");
		buf_addf(b, ",\"DeclLine\":%" PRIu32, x->line);
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
static const char *reason(const struct print_binary *f)
{
	return f->why + (strncmp(f->why, "cannot open: ", 13) ? 0 : 13);
}

/* A binary, and not what holds some. */
static bool is_binary(const struct print_from *from, struct tracemill_binary *binary)
{
	struct tracemill_binary_facts facts = {.size = sizeof facts};

	return binary && !tracemill_binary_facts(from->symbolizer, binary, &facts) && !facts.is_zip;
}

static const char *path_of(const struct print_from *from, const struct llvm_answer *a,
			   const struct print_binary *f)
{
	struct tracemill_binary_facts facts = {.size = sizeof facts};

	if (a->binary && !tracemill_binary_facts(from->symbolizer, a->binary, &facts))
		return facts.path;
	return f ? f->path : "";
}

/* Members are in the order of their names. */
static void llvm_print_json(struct buf *b, const struct print_from *from,
			    const struct print_binary *f, const struct tracemill_query *queries,
			    size_t n, const struct compat_request *r, const struct print_options *o)
{
	const struct llvm_answer a = llvm_answer(from, &queries[0]);
	bool refused = r->kind != REQUEST_BAD && !is_binary(from, a.binary);
	bool data = r->kind == REQUEST_DATA && !refused;
	const char *member = "";

	buf_addc(b, '{');
	if (r->kind != REQUEST_BAD && !r->symbol) {
		buf_addf(b, "\"Address\":\"0x%" PRIx64 "\"", r->addr);
		member = ",";
	}
	if (data) {
		buf_addf(b, "%s\"Data\":", member);
		add_json_global(b, from, &a, o);
		member = ",";
	}
	if (refused) {
		buf_addf(b, "%s\"Error\":{\"Message\":", member);
		add_json_text(b, f ? reason(f) : "could not find build ID");
		buf_addc(b, '}');
		member = ",";
	} else if (r->kind == REQUEST_FRAME) {
		buf_addf(b, "%s\"Frame\":", member);
		llvm_add_json_locals(b, from, &a);
		member = ",";
	} else if (r->kind == REQUEST_CODE && r->symbol) {
		buf_addf(b, "%s\"Loc\":[", member);
		add_json_places(b, from, queries, n, o);
		buf_addc(b, ']');
		member = ",";
	}
	buf_addf(b, "%s\"ModuleName\":", member);
	if (r->file)
		llvm_add_json(b, r->file, r->n_file);
	else
		add_json_text(b, path_of(from, &a, f));
	if (r->symbol && r->kind != REQUEST_BAD) {
		buf_adds(b, ",\"SymName\":");
		llvm_add_json(b, r->symbol, r->n_symbol);
	} else if (!refused && (r->kind == REQUEST_CODE || r->kind == REQUEST_BAD)) {
		buf_adds(b, ",\"Symbol\":[");
		add_json_frames(b, from, &a, o);
		buf_addc(b, ']');
	}
	buf_addc(b, '}');
}

static void llvm_print_text(struct buf *b, const struct print_from *from,
			    const struct tracemill_query *queries, size_t n,
			    const struct compat_request *r, const struct print_options *o)
{
	const struct llvm_answer a = llvm_answer(from, &queries[0]);

	if (o->addresses && r->kind != REQUEST_BAD && (!r->symbol || r->kind != REQUEST_CODE))
		buf_addf(b, "0x%" PRIx64 "%s", r->addr, o->pretty ? ": " : "\n");
	if (r->kind == REQUEST_DATA)
		add_global(b, from, &a, o);
	else if (r->kind == REQUEST_FRAME)
		llvm_add_locals(b, from, &a);
	else if (r->symbol && r->kind == REQUEST_CODE)
		add_places(b, from, queries, n, o);
	else
		add_frames(b, from, &a, o);
	if (o->columns)
		buf_addc(b, '\n');
}

void print_llvm(struct buf *b, const struct print_from *from, const struct print_binary *binary,
		const struct tracemill_query *queries, size_t n, const struct compat_request *r)
{
	struct print_options o = *from->options;

	if (r->kind == REQUEST_CODE && r->symbol) {
		o.inlines = false;
		o.mixed = true;
	}
	if (o.json)
		llvm_print_json(b, from, binary, queries, n, r, &o);
	else
		llvm_print_text(b, from, queries, n, r, &o);
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
