/* SPDX-License-Identifier: MIT
 *
 * WebAssembly modules. Facts: the specification of WebAssembly, "Binary Format" and its appendix
 * "Name Section"; the custom sections with DWARF, external_debug_info and build_id from the tool
 * conventions of WebAssembly ("DWARF for WebAssembly", "Build ID"); emscripten's symbol maps from
 * files that its --emit-symbol-map writes, and the escapes in them from Binaryen.
 *
 * An address is an offset in the section of code, from its count of functions on, as DWARF has it.
 * Browsers print offsets in the file: the section is one segment, so that these are file offsets
 * like those of any other kind. A function begins behind its size. Its name is that of the name
 * section, else that of a symbol map beside the file, else an exported one. Without DWARF there may be a source map.
 */
#include "lib/base/buf.h"
#include "lib/base/bytes.h"
#include "lib/base/cursor.h"
#include "lib/base/mem_budget.h"
#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/object/format.h"
#include "lib/object/source_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	HEADER = 8,
	VERSION = 1,
	SECTION_HEAD = 11, /* the most that a number and a size take */
	NAME_MAX_BYTES = 4096,
	SECTIONS_MAX = 1 << 16,
	URL_MAX = 4096,
	/* of bounds; the last one is of the proposal "custom page sizes" */
	LIMITS_MAX = 1,
	LIMITS_64 = 4, /* a memory with addresses of 64 bits */
	LIMITS_PAGE = 8,
	FUNCTION_NAMES = 1,
	SYMBOL_MAP_MAX = 256 << 20,
};

enum wasm_section {
	WASM_CUSTOM = 0,
	WASM_IMPORT = 2,
	WASM_MEMORY = 5,
	WASM_EXPORT = 7,
	WASM_CODE = 10,
	WASM_SECTIONS = 14,
};

/* As LLVM's tools call them. */
static const char *const section_texts[WASM_SECTIONS] = {
    "",       "TYPE",  "IMPORT", "FUNCTION", "TABLE", "MEMORY",    "GLOBAL",
    "EXPORT", "START", "ELEM",   "CODE",     "DATA",  "DATACOUNT", "TAG",
};

static bool wasm_is(const uint8_t head[8])
{
	return !memcmp(head, "\0asm", 4);
}

/* A section's bytes, and a cursor over them. The caller frees bytes. */
struct wasm_bytes {
	uint8_t *bytes;
	struct cursor c;
};

static enum status load_section(const struct object_image *f, const char *name,
				struct wasm_bytes *b, struct err *e)
{
	const struct section_header *s = image_section(f, name);
	uint64_t size;

	b->bytes = NULL;
	if (!s)
		return ST_NONE;
	if (section_read(f, s, &b->bytes, &size, e))
		return err_failure(e);
	cursor_init(&b->c, b->bytes, (size_t)size, s->offset, e);
	return ST_OK;
}

/* A vector of bytes. NULL: it is broken. */
static const char *wasm_text(struct cursor *c, size_t *n)
{
	uint64_t size = cursor_uleb(c);

	*n = 0;
	if (cursor_failed(c))
		return NULL;
	if (size > cursor_window(c)) {
		(void)cursor_fail(c, ST_BAD, "a name of %" PRIu64 " bytes is cut short", size);
		return NULL;
	}
	*n = (size_t)size;
	return (const char *)cursor_bytes(c, *n, "name");
}

/* The flags of its bounds. */
static uint64_t skip_limits(struct cursor *c)
{
	uint64_t flags = cursor_uleb(c);

	/* what follows unknown ones is not known either, and the numbers of all functions depend on it */
	if (flags >= 2 * LIMITS_PAGE)
		(void)cursor_fail(c, ST_UNSUPPORTED, "bounds with unknown flags 0x%" PRIx64, flags);
	cursor_uleb(c);
	if (flags & LIMITS_MAX)
		cursor_uleb(c);
	if (flags & LIMITS_PAGE)
		cursor_uleb(c);
	return flags;
}

static void skip_value_type(struct cursor *c)
{
	uint8_t type = cursor_u8(c);

	if (type == 0x63 || type == 0x64) /* a reference, with what to */
		cursor_sleb(c);
}

/* What is imported comes before what the file has itself, in the numbers of functions and in those
 * of memories. */
static enum status read_imports(struct object_image *f, uint64_t *functions, struct err *e)
{
	struct wasm_bytes b;
	enum status st = load_section(f, "IMPORT", &b, e);
	uint64_t count;
	size_t n;

	*functions = 0;
	if (st)
		return st == ST_NONE ? ST_OK : st;
	count = cursor_uleb(&b.c);
	for (uint64_t i = 0; i < count && !cursor_failed(&b.c); i++) {
		wasm_text(&b.c, &n);
		wasm_text(&b.c, &n);
		switch (cursor_u8(&b.c)) {
		case 0: /* function */
			cursor_uleb(&b.c);
			++*functions;
			break;
		case 1: /* table */
			skip_value_type(&b.c);
			skip_limits(&b.c);
			break;
		case 2: f->is_64 |= (skip_limits(&b.c) & LIMITS_64) != 0; break;
		case 3: /* global */
			skip_value_type(&b.c);
			cursor_u8(&b.c);
			break;
		case 4: /* tag */
			cursor_u8(&b.c);
			cursor_uleb(&b.c);
			break;
		default:
			(void)cursor_fail(&b.c, ST_BAD, "import %" PRIu64 " is of no known kind",
					  i);
			break;
		}
	}
	st = cursor_failed(&b.c) ? err_prefix(e, "imports") : ST_OK;
	mem_budget_free(b.bytes);
	return st;
}

static void read_memories(struct object_image *f)
{
	struct err ignored = ERR_INIT;
	struct wasm_bytes b;

	if (!load_section(f, "MEMORY", &b, &ignored) && cursor_uleb(&b.c))
		f->is_64 |= (skip_limits(&b.c) & LIMITS_64) != 0 && !cursor_failed(&b.c);
	mem_budget_free(b.bytes);
}

static void wasm_read_build_id(struct object_image *f)
{
	struct err ignored = ERR_INIT;
	struct wasm_bytes b;
	const char *id;
	size_t n;

	if (!load_section(f, "build_id", &b, &ignored) && (id = wasm_text(&b.c, &n)) &&
	    n <= OBJECT_BUILD_ID_MAX) {
		memcpy(f->build_id.bytes, id, n);
		f->build_id.len = (uint8_t)n;
	}
	mem_budget_free(b.bytes);
}

/* The name of a custom section, at the cursor of its first bytes; what follows is the section. */
static enum status read_custom_name(const struct object_image *f, struct section_header *s,
				    struct buf *names, struct err *e)
{
	uint8_t bytes[NAME_MAX_BYTES + 10];
	size_t n = s->size < sizeof bytes ? (size_t)s->size : sizeof bytes, n_name;
	const char *name;
	struct cursor c;

	if (image_read(f, s->offset, bytes, n, e))
		return err_failure(e);
	cursor_init(&c, bytes, n, s->offset, e);
	name = wasm_text(&c, &n_name);
	if (!name)
		return err_prefix(e, "custom section");
	buf_add(names, name, strnlen(name, n_name));
	s->size -= cursor_offset(&c) - s->offset;
	s->offset = cursor_offset(&c);
	return ST_OK;
}

/* The one at offset at of the file; *next: behind it. */
static enum status wasm_read_section(struct object_image *f, uint64_t at, struct section_header *s,
				     struct buf *names, uint64_t *next, struct err *e)
{
	uint8_t head[SECTION_HEAD];
	size_t n = f->size - at < sizeof head ? (size_t)(f->size - at) : sizeof head;
	struct cursor c;
	uint64_t size;
	uint8_t id;

	if (image_read(f, at, head, n, e))
		return err_failure(e);
	cursor_init(&c, head, n, at, e);
	id = cursor_u8(&c);
	size = cursor_uleb(&c);
	if (cursor_failed(&c))
		return err_prefix(e, "section");
	if (size > f->size - cursor_offset(&c))
		return err_at(e, ST_BAD, at, "section %u of %" PRIu64 " bytes is cut short", id,
			      size);
	*next = cursor_offset(&c) + size;
	*s = (struct section_header){
	    .kind = SECTION_BYTES, .offset = cursor_offset(&c), .size = size};
	if (id == WASM_CUSTOM)
		return read_custom_name(f, s, names, e);
	if (id == WASM_CODE)
		s->flags = SECTION_LOADED | SECTION_CODE;
	buf_adds(names, id < WASM_SECTIONS ? section_texts[id] : "");
	return ST_OK;
}

static enum status wasm_read_sections(struct object_image *f, struct err *e)
{
	struct buf names = BUF_INIT;
	enum status st = ST_OK;
	size_t cap = 0;

	VEC_PUSH(f->sections, f->n_sections, cap) = (struct section_header){.name = NULL};
	buf_addc(&names, 0);
	for (uint64_t at = HEADER; !st && at < f->size;) {
		struct section_header s;
		size_t name = names.len;

		if (f->n_sections >= SECTIONS_MAX)
			st = err_at(e, ST_LIMIT, at, "more than %d sections", SECTIONS_MAX);
		else
			st = wasm_read_section(f, at, &s, &names, &at, e);
		if (st)
			break;
		buf_addc(&names, 0);
		s.name = (const char *)(uintptr_t)name; /* until all of them are there */
		VEC_PUSH(f->sections, f->n_sections, cap) = s;
	}
	f->names = names.data;
	for (size_t i = 0; i < f->n_sections; i++)
		f->sections[i].name = f->names + (uintptr_t)f->sections[i].name;
	return st;
}

static enum status wasm_open(struct object_image *f, const struct object_want *want, struct err *e)
{
	uint8_t head[HEADER];
	const struct section_header *code;
	enum status st;

	if (f->size < HEADER)
		return err_at(e, ST_BAD, f->size, "WebAssembly header: cut short");
	if (image_read(f, 0, head, sizeof head, e))
		return err_prefix(e, "WebAssembly header");
	if (le32(head + 4) != VERSION)
		return err_at(e, ST_UNSUPPORTED, 4, "%s of WebAssembly, version 0x%" PRIx32,
			      le16(head + 6) ? "a component" : "a module", le32(head + 4));
	f->arch = ARCH_WASM;
	st = wasm_read_sections(f, e);
	if (st)
		return st;
	code = image_section(f, "CODE");
	if (code) {
		f->segments = mem_zarray(1, sizeof *f->segments);
		f->segments[f->n_segments++] = (struct object_segment){.offset = code->offset,
								       .filesz = code->size,
								       .memsz = code->size,
								       .align = 1,
								       .executable = true};
	}
	st = read_imports(f, &f->wasm_imports, e);
	if (st)
		return st;
	read_memories(f);
	wasm_read_build_id(f);
	return format_check_arch(f, want, e);
}

/* The section of code from its count of functions on. Offsets in it are addresses. */
static enum status load_code(const struct object_image *f, struct wasm_bytes *b, uint64_t *count,
			     struct err *e)
{
	enum status st = load_section(f, "CODE", b, e);

	*count = 0;
	if (st)
		return st;
	cursor_init(&b->c, b->c.pos, cursor_window(&b->c), 0, e);
	*count = cursor_uleb(&b->c);
	return ST_OK;
}

/* The next function of the section of code; the cursor goes behind it. */
static bool next_function(struct cursor *c, uint64_t *lo, uint64_t *hi)
{
	uint64_t size = cursor_uleb(c);

	if (cursor_failed(c) || size > cursor_window(c))
		return false;
	*lo = cursor_offset(c);
	*hi = *lo + size;
	cursor_skip(c, size, "function");
	return true;
}

static void wasm_functions(const struct object_image *f,
			   void (*see)(void *arg, uint64_t lo, uint64_t hi), void *arg)
{
	struct err ignored = ERR_INIT;
	struct wasm_bytes b;
	uint64_t count, lo, hi;

	if (load_code(f, &b, &count, &ignored))
		return;
	for (uint64_t i = 0; i < count && next_function(&b.c, &lo, &hi); i++)
		if (hi > lo)
			see(arg, lo, hi);
	mem_budget_free(b.bytes);
}

/* Names. */

struct wasm_names {
	const char **of; /* by function, without the imported ones; NULL: it has none */
	size_t n;
	uint64_t imports;
};

/* The NUL takes the place of the byte before the text, which is that of its size. */
static const char *terminate(const char *text, size_t n)
{
	char *to = (char *)(uintptr_t)text - 1;

	memmove(to, text, n);
	to[n] = 0;
	return to;
}

static void put_function_name(struct wasm_names *names, uint64_t index, const char *text, size_t n)
{
	if (index >= names->imports && index - names->imports < names->n && n &&
	    !names->of[index - names->imports])
		names->of[index - names->imports] = terminate(text, n);
}

/* Of the name section; what is broken ends it. */
static void read_names(struct cursor *c, struct wasm_names *names)
{
	while (!cursor_done(c) && !cursor_failed(c)) {
		uint8_t kind = cursor_u8(c);
		uint64_t size = cursor_uleb(c), count;

		if (cursor_failed(c) || size > cursor_window(c))
			return;
		if (kind != FUNCTION_NAMES) {
			cursor_skip(c, size, "names");
			continue;
		}
		count = cursor_uleb(c);
		for (uint64_t i = 0; i < count; i++) {
			uint64_t index = cursor_uleb(c);
			size_t n;
			const char *text = wasm_text(c, &n);

			if (!text)
				return;
			put_function_name(names, index, text, n);
		}
		return;
	}
}

static void read_exports(struct cursor *c, struct wasm_names *names)
{
	uint64_t count = cursor_uleb(c);

	for (uint64_t i = 0; i < count; i++) {
		size_t n;
		const char *text = wasm_text(c, &n);
		uint8_t kind = cursor_u8(c);
		uint64_t index = cursor_uleb(c);

		if (!text || cursor_failed(c))
			return;
		if (!kind)
			put_function_name(names, index, text, n);
	}
}

/* "\28" is "(". */
static void unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		int high = p[0] == '\\' ? num_hex_digit(p[1]) : -1;
		int low = high >= 0 ? num_hex_digit(p[2]) : -1;

		if (low >= 0) {
			*to++ = (char)(high * 16 + low);
			p += 2;
		} else {
			*to++ = *p;
		}
	}
	*to = 0;
}

/* Lines of NUMBER:NAME. */
static void read_symbol_map(char *text, struct wasm_names *names)
{
	char *next;

	for (char *line = text; *line; line = next) {
		size_t n = strcspn(line, "\r\n");
		char *end;
		uint64_t index = strtoull(line, &end, 10);

		next = line + n + (line[n] ? 1 : 0);
		line[n] = 0;
		if (end == line || *end != ':' || !end[1] || index < names->imports ||
		    index - names->imports >= names->n || names->of[index - names->imports])
			continue;
		unescape(end + 1);
		names->of[index - names->imports] = end + 1;
	}
}

/* The text of a symbol map beside the file, "app.wasm.symbols" or emscripten's "app.js.symbols"; NULL:
 * there is none that can be read. */
static char *load_symbol_map(const struct object_image *f)
{
	static const char *const ends[] = {".symbols", ".js.symbols", ".html.symbols", ".symbols"};
	const char *path = f->path;
	char *text = NULL;

	for (size_t i = 0; path && f->fd >= 0 && i < sizeof ends / sizeof *ends && !text; i++) {
		size_t stem = strlen(path);
		char name[4096];
		long size;
		FILE *in;

		if (i && stem > 5 && !strcmp(path + stem - 5, ".wasm"))
			stem -= 5;
		if (snprintf(name, sizeof name, "%.*s%s", (int)stem, path, ends[i]) >=
		    (int)sizeof name)
			continue;
		in = fopen(name, "re");
		if (!in)
			continue;
		if (!fseek(in, 0, SEEK_END) && (size = ftell(in)) > 0 && size <= SYMBOL_MAP_MAX &&
		    !fseek(in, 0, SEEK_SET) && (text = mem_budget_grow(NULL, (uint64_t)size + 1)))
			text[fread(text, 1, (size_t)size, in)] = 0;
		fclose(in);
	}
	return text;
}

static void add_functions(struct symtab *s, const struct wasm_names *names, struct cursor *c)
{
	struct symtab_loading l = {.cap = 0};
	uint64_t lo, hi;

	for (size_t i = 0; i < names->n && s->n < SYMBOL_NONE - 1; i++) {
		const char *name = names->of[i];

		if (!next_function(c, &lo, &hi))
			break;
		if (name && *name)
			symtab_add(s, &l,
				   (struct object_symbol){lo, hi, name, true, false, false,
							  (uint32_t)s->n, NULL},
				   0, hi);
	}
	symtab_finish(s, &l);
}

/* From the debug file, if the file itself has no name section. */
static void add_names(struct symtab *s, const struct object *o, struct wasm_names *names,
		      struct wasm_bytes *named)
{
	const struct object_image *from =
	    image_section(&o->file, "name") || !o->debug.path ? &o->file : &o->debug;
	struct err e = ERR_INIT;
	enum status st = load_section(from, "name", named, &e);

	if (!st)
		read_names(&named->c, names);
	else if (st == ST_NONE)
		named->bytes = (uint8_t *)load_symbol_map(&o->file);
	else
		symtab_leave_out(s, from, &e);
	if (st == ST_NONE && named->bytes)
		read_symbol_map((char *)named->bytes, names);
	s->own = from == &o->file;
}

static void wasm_symbols(struct symtab *s, struct object *o)
{
	struct wasm_names names = {.imports = o->file.wasm_imports};
	struct wasm_bytes code, named, exports;
	struct err e = ERR_INIT;
	uint64_t count;
	enum status st = load_code(&o->file, &code, &count, &e);

	if (st) {
		if (st != ST_NONE)
			symtab_leave_out(s, &o->file, &e);
		return;
	}
	/* a function takes at least one byte */
	names.n = count < cursor_window(&code.c) ? (size_t)count : cursor_window(&code.c);
	names.of = mem_zarray(names.n, sizeof *names.of);
	add_names(s, o, &names, &named);
	if (!load_section(&o->file, "EXPORT", &exports, &e))
		read_exports(&exports.c, &names);
	add_functions(s, &names, &code.c);
	s->names[0] = (char *)named.bytes;
	s->names[1] = (char *)exports.bytes;
	free(names.of);
	mem_budget_free(code.bytes);
}

static bool is_embedded(const char *url)
{
	return url && !strncasecmp(url, "data:", 5);
}

/* The address that a section like external_debug_info has; NULL: none. */
static char *linked_url(const struct object_image *f, const char *section)
{
	struct err ignored = ERR_INIT;
	struct wasm_bytes b;
	char *url = NULL;
	const char *text;
	size_t n;

	if (!load_section(f, section, &b, &ignored) && (text = wasm_text(&b.c, &n)) &&
	    (n < URL_MAX || is_embedded(text)))
		url = mem_strndup(text, n);
	mem_budget_free(b.bytes);
	return url;
}

/* It is that of a page or a file: its last part is looked for. */
static char *linked_name(const struct object_image *f, const char *section)
{
	char *url = linked_url(f, section), *link = NULL;

	if (url && !is_embedded(url)) {
		url[strcspn(url, "?#")] = 0;
		source_map_percent(url);
		link = *path_base_captured(url) ? mem_strdup(path_base_captured(url)) : NULL;
	}
	free(url);
	return link;
}

/* A source map in the module itself. */
static bool find_embedded(struct object *o, struct buf *refused)
{
	char *url = linked_url(&o->file, "sourceMappingURL");
	struct buf why = BUF_INIT;
	bool embedded = is_embedded(url), found = embedded && source_map_embedded(o, url, &why);

	if (embedded && !found)
		buf_addf(refused, "%sthe source map in it (a data: URL) is no source map%s",
			 refused->len ? "; " : "", buf_str(&why));
	buf_release(&why);
	free(url);
	return found;
}

static char *wasm_debug_link(const struct object_image *f)
{
	return linked_name(f, "external_debug_info");
}

static void say_missing(struct buf *refused, const char *what, const char *name)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "its %s %s, which was not found%s", what, name, refused->len ? ": " : "");
	buf_add(&text, buf_at(refused, 0), refused->len);
	refused->len = 0;
	buf_add(refused, buf_at(&text, 0), text.len);
	buf_release(&text);
}

/* DWARF elsewhere, else a source map. */
static bool wasm_find_debug(struct object *o, const struct object_search *s, struct buf *refused)
{
	char *debug = linked_name(&o->file, "external_debug_info"), *map = NULL;
	bool found = debuglink_find(o, s, refused);

	if (!found) {
		map = linked_name(&o->file, "sourceMappingURL");
		found = find_embedded(o, refused) || source_map_find(o, s, map, refused);
	}
	if (!found && debug)
		say_missing(refused, "functions and lines are in", debug);
	else if (!found && map)
		say_missing(refused, "lines are in the source map", map);
	free(debug);
	free(map);
	return found;
}

const struct object_format format_wasm = {
    .about = {.name = "WebAssembly"},
    .is = wasm_is,
    .open = wasm_open,
    .symbols = wasm_symbols,
    .functions = wasm_functions,
    .find_debug = wasm_find_debug,
    .debug_link = wasm_debug_link,
};
