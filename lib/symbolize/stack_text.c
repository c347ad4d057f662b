/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/stack_text.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/base/text.h"
#include "lib/input/stack_line.h"
#include "lib/symbolize/stack_images.h"
#include "lib/symbolize/stack_modules.h"
#include "lib/symbolize/stack_names.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
	MEMORY = 128 << 20, /* of texts of answers that are kept */
	ANSWERS = 4 << 20,
	PATHS = 65536,
};

struct stack_text_line {
	size_t at, n;
	uint64_t key;    /* of the answer; 0: it asks nothing */
	uint64_t number; /* of all lines */
	uint8_t kind;    /* enum location_kind */
	/* Of Windows Error Reporting: a call in two lines. */
	uint32_t faulted; /* the module, in paths; 0: no such line */
	uint64_t offset;
	uint32_t stamp; /* of the faulted module; 0: not said */
	uint32_t
	    module; /* its name with an extension, which other lines have, in paths; 0: as the line has it */
	uint32_t id;     /* of its module in a module map, in said.names; 0: none */
	uint32_t file;   /* the given one that its module is: index + 1; 0: not known */
	uint8_t refused; /* enum reason: why it is not asked for; 0: it may be */
	bool symbol;     /* stack_line_parse_symbol reads it */
	bool caller;     /* of wasm: the line before is the call that it waits for */
};

struct stack_text_answer {
	uint32_t call, n_calls; /* in calls */
	uint8_t reason;
};

struct stack_text_call {
	uint32_t function, file; /* in strings */
	uint32_t line, column;
};

/* From the first line, or flush, to stack_text_release. */
struct stack_text_gathered {
	struct buf text; /* lines that wait */
	struct stack_text_line *lines;
	size_t n_lines, cap_lines;
	uint64_t n_seen;        /* lines, also earlier ones */
	bool after_wasm;        /* the line before is a call of wasm */
	bool scanning, scanned; /* by stack_text_scan: lines; all that are to come */
	uint8_t
	    in_stack; /* behind the first call of a stack of Java or Windows: enum stack_line_kind */
	bool only_inlined; /* WinDbg: behind inlined calls alone */
	bool in_xml;
	bool symbol_next;     /* a line of WinDbg announced the next one */
	struct map64 callers; /* of WinDbg's stacks: key -> 1 */
	struct stack_line_fault fault;
	uint32_t faulted; /* the module that it named last, in paths; 0: none */
	struct trace *t;  /* of the requests */
	struct map64 module_of;
	struct map64 asked;     /* key -> location */
	struct map64 answer_of; /* key -> answer + 1 */
	struct stack_text_answer *answers;
	size_t n_answers, cap_answers;
	struct stack_text_call *answer_calls;
	size_t n_answer_calls, cap_answer_calls;
	struct intern strings;
	struct intern paths;        /* that were seen */
	struct map64 path_of;       /* hash of a base name -> path */
	struct stack_modules said;  /* of modules of Windows */
	struct stack_images images; /* of crash reports of macOS and iOS */
	struct map64
	    other_builds; /* hash_of_build -> 1: the file has other functions than a line said */
	struct map64 named_of; /* hash_of_build -> calls that were named */
	struct map64
	    judged; /* hash of a module and what is said of it -> its file and verdict; of wasm's calls -> 1 */
	struct map64 wasm_file; /* hash of a module -> the first file of its name, index + 1 */
	struct map64 bits;      /* hash of a module -> bits of addresses: 1 for 32, 2 for 64 */
	uint64_t shift;         /* inlined calls so far, of the stack being printed */
	struct map64 unproven; /* hash of a module -> 1: a note says that nothing shows its build */
	struct intern notes, modules; /* modules: as the log names them */
	uint32_t n_told;
	uint64_t bare; /* calls with an address alone that got no name */
	bool listed;
};

/* What speaks against names, each text once. */
static void add_note(struct stack_text *x, const struct buf *text)
{
	if (x->gathered->notes.n < PATHS)
		intern_add(&x->gathered->notes, text->data, text->len);
}

/* --- which file a module is --- */

static const char *base_of(struct stack_text_part p, size_t *n)
{
	*n = p.n;
	return path_base_captured_n(p.s, n);
}

static void learn_path(struct stack_text *x, struct stack_text_part path)
{
	struct stack_text_gathered *g = x->gathered;
	size_t n;
	const char *base;
	uint32_t *known;

	if (!path.n || *path.s != '/' || path.n > PATH_MAX || g->paths.n > PATHS)
		return;
	base = base_of(path, &n);
	known = map64_put(&g->path_of, hash_bytes(base, n));
	if (!*known)
		*known = intern_add(&g->paths, path.s, path.n);
}

/* What a module map says, as lines of the log would. */
static void learn_map(struct stack_text *x, const struct trace *map)
{
	stack_modules_add_map(&x->gathered->said, map);
	for (size_t i = 1; i < map->n_modules; i++) {
		struct stack_text_part path;

		path.s = intern_text(&map->strings, map->modules[i].name, &path.n);
		learn_path(x, path);
	}
}

static struct stack_text_gathered *stack_text_begin(struct stack_text *x)
{
	if (x->gathered)
		return x->gathered;
	x->gathered = mem_zalloc(sizeof *x->gathered);
	if (x->maps)
		learn_map(x, x->maps);
	return x->gathered;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* A base name: where the log says, in our folder, where libraries are. */
static const char *stack_text_place_of(const struct stack_text *x, const char *name, bool has_id,
				       struct buf *path)
{
	const struct stack_text_gathered *g = x->gathered;
	static const char *const folders[] = {"/lib/x86_64-linux-gnu",
					      "/lib/aarch64-linux-gnu",
					      "/lib64",
					      "/usr/lib64",
					      "/usr/lib",
					      "/lib",
					      "/usr/local/lib"};
	const char *sysroot = x->symbolizer->options.files.sysroot;
	uint32_t id = map64_get(&g->path_of, hash_bytes(name, strlen(name)));
	struct buf below = BUF_INIT;

	if (id)
		return intern_text(&g->paths, id, NULL);
	if (!sysroot || !*sysroot)
		return NULL;
	for (size_t i = 0; has_id && i < sizeof folders / sizeof *folders; i++) {
		bool there;

		path->len = 0;
		buf_addf(path, "%s/%s", folders[i], name);
		there = is_file(path_in_sysroot(&below, sysroot, buf_str(path)) ? buf_str(&below)
										: buf_str(path));
		buf_release(&below);
		if (there)
			return buf_str(path);
	}
	return NULL;
}

/* "./game" is where we are, which a capture's names are not. */
static void add_module_name(const struct stack_text *x, struct stack_text_part m, bool has_id,
			    struct buf *to)
{
	const char *sysroot = x->symbolizer->options.files.sysroot;
	struct buf place = BUF_INIT;
	char *name = mem_strndup(m.s, m.n), *real = NULL;
	const char *at = NULL;

	if (m.n && *name != '/' && !strchr(name, '/'))
		at = stack_text_place_of(x, name, has_id, &place);
	if (!at && m.n && *name != '/' && sysroot && !strcmp(sysroot, "/") && is_file(name))
		at = real = realpath(name, NULL);
	buf_adds(to, at ? at : name);
	buf_release(&place);
	free(name);
	free(real);
}

/* --- modules of Windows --- */

static bool is_windows(const struct stack_line *l)
{
	return l->kind == STACK_LINE_UNREAL || l->kind == STACK_LINE_UNITY ||
	       l->kind == STACK_LINE_WINDBG || l->kind == STACK_LINE_WINDBG_SYMBOL ||
	       l->kind == STACK_LINE_FAULT;
}

/* The name of a module that a URL has is a file's. */
static void decode_module(const struct stack_text *x, struct stack_line *l)
{
	char name[PATH_MAX];
	uint32_t id;

	if (l->kind != STACK_LINE_WASM || !memchr(l->module.s, '%', l->module.n) ||
	    l->module.n > sizeof name || x->gathered->paths.n > PATHS)
		return;
	id = intern_add(&x->gathered->paths, name, stack_line_wasm_module(l, name));
	l->module.s = intern_text(&x->gathered->paths, id, &l->module.n);
}

static bool parse_line(const struct stack_text *x, const char *s, size_t n, struct stack_line *l)
{
	if (!stack_line_parse(s, n, l) && !stack_line_parse_windows(s, n, l) &&
	    !stack_line_parse_apple(s, n, l))
		return false;
	decode_module(x, l);
	return true;
}

/* The module of a line, whose extension other lines may have; an address becomes an offset in it. */
static void place_line(struct stack_text *x, struct stack_text_line *line, struct stack_line *l)
{
	struct stack_text_gathered *g = x->gathered;
	const struct stack_module *m =
	    l->has_address ? stack_modules_at(&g->said, l->module, l->address, line->number) : NULL;
	struct stack_text_part name;

	if (m && !l->has_offset && !l->has_plus) {
		l->offset = l->address - m->base;
		l->has_offset = true;
	}
	if (g->paths.n > PATHS || stack_module_has_extension(l->module))
		return;
	if (!m || !stack_module_has_extension(stack_module_name(&g->said, m)))
		m = stack_modules_whole(&g->said, l->module, line->number);
	if (!m)
		return;
	name = stack_module_name(&g->said, m);
	line->module = intern_add(&g->paths, name.s, name.n);
	l->module.s = intern_text(&g->paths, line->module, &l->module.n);
}

/* A call of macOS or iOS: its module is the image that holds its address. Without a list it is where the line says. */
static void place_in_image(struct stack_text *x, uint64_t line, struct stack_line *l)
{
	struct stack_images *images = &x->gathered->images;
	const struct stack_image *m =
	    l->kind == STACK_LINE_APPLE ? stack_images_at(images, l->address, line) : NULL;

	if (!m)
		return;
	l->offset = l->address - m->lo;
	l->has_offset = true;
	l->module.s = intern_text(&images->texts, m->path, &l->module.n);
	l->build_id.s = intern_text(&images->texts, m->uuid, &l->build_id.n);
}

/* A module without a name is the only one that was given. */
static const char *name_of_only_wasm(const struct stack_text *x)
{
	const struct find_files *f = &x->symbolizer->files;
	const char *name = NULL;

	for (size_t i = 0; i < f->n; i++) {
		const struct find_file *item = f->items[i];

		if (!item->given || !item->object || object_arch(item->object) != ARCH_WASM)
			continue;
		if (name)
			return NULL;
		name = item->module ? item->module : item->path;
	}
	return name;
}

static const struct find_file *file_at(const struct stack_text *x, uint32_t file)
{
	return file ? x->symbolizer->files.items[file - 1] : NULL;
}

/* "base.apk!libgame.so" is the library, "base.apk" from an offset on the one that is there. file: that of the line. */
static void stack_text_add_library(struct stack_text *x, const struct stack_line *l, uint32_t file,
				   struct buf *to)
{
	struct stack_text_part m = l->module;
	const char *inner = m.n ? memrchr(m.s, '!', m.n) : NULL;
	const struct find_file *given = file_at(x, file);
	struct find_file *f = NULL;
	uint64_t offset = l->archive;

	if (l->has_archive) {
		char *apk = mem_strndup(m.s, inner ? (size_t)(inner - m.s) : m.n);

		if (files_has_archive(&x->symbolizer->files, apk))
			f = files_in_archive(&x->symbolizer->files, apk, &offset);
		free(apk);
	}
	if (f) {
		buf_adds(to, f->path);
		return;
	}
	if (inner)
		m = (struct stack_text_part){inner + 1, (size_t)(m.s + m.n - inner) - 1};
	if (given)
		buf_adds(to, given->module ? given->module : given->path);
	else if (l->kind == STACK_LINE_WASM && !m.n && name_of_only_wasm(x))
		buf_adds(to, name_of_only_wasm(x));
	else if (l->kind == STACK_LINE_WASM || is_windows(l))
		buf_add(to, m.s, m.n);
	else
		add_module_name(x, m, l->build_id.n, to);
}

/* As the line has it, or a module map. */
static struct object_build_id id_of(const struct stack_text *x, const struct stack_text_line *line,
				    const struct stack_line *l)
{
	struct object_build_id id = {.len = 0};
	const char *bytes;
	size_t n;

	if (!is_windows(l)) {
		id.len = (uint8_t)stack_line_build_id(l, id.bytes, sizeof id.bytes);
	} else if (line->id) {
		bytes = intern_text(&x->gathered->said.names, line->id, &n);
		id.len = (uint8_t)n;
		memcpy(id.bytes, bytes, n);
	}
	return id;
}

static uint32_t stack_text_module_of(struct stack_text *x, const struct stack_text_line *line,
				     const struct stack_line *l)
{
	struct stack_text_gathered *g = x->gathered;
	struct module m = {.name = 0};
	struct buf name = BUF_INIT;
	uint64_t key = hash_bytes_seeded(l->module.s, l->module.n,
					 hash_bytes(l->build_id.s, l->build_id.n) + l->archive +
					     line->file + hash_u64(line->id));
	uint32_t *known;
	struct object_build_id id = id_of(x, line, l);

	key = hash_bytes_seeded(l->arch.s, l->arch.n, key);
	known = map64_put(&g->module_of, key);

	if (*known)
		return *known;
	stack_text_add_library(x, l, line->file, &name);
	m.name = trace_string(g->t, buf_at(&name, 0), name.len);
	m.build_id = id.len ? trace_string(g->t, (const char *)id.bytes, id.len) : 0;
	m.arch = l->arch.n ? trace_string(g->t, l->arch.s, l->arch.n) : 0;
	buf_release(&name);
	known = map64_put(&g->module_of, key);
	*known = trace_module(g->t, &m);
	return *known;
}

/* --- requests --- */

/* The first call of HotSpot and of Windows' tools is where it stopped. WinDbg numbers calls, and inlined ones, too. */
static bool is_first(const struct stack_text_gathered *g, const struct stack_line *l)
{
	if (l->returns)
		return false;
	if (l->kind == STACK_LINE_WINDBG && l->has_number)
		return !l->number || g->only_inlined;
	return !g->in_stack;
}

static uint64_t key_of(const struct stack_line *l, uint8_t kind)
{
	uint64_t h = hash_bytes_seeded(l->module.s, l->module.n, kind);

	h = hash_bytes_seeded(l->build_id.s, l->build_id.n, h);
	h = hash_bytes_seeded(l->arch.s, l->arch.n, h);
	if (!l->has_offset)
		h = hash_bytes_seeded(l->name.s, l->name.n, h + 1);
	if (l->kind == STACK_LINE_WASM)
		h = hash_u64(h ^ l->number);
	h = hash_u64(h ^ (stack_line_is_bare(l) ? l->address
			  : l->has_offset       ? l->offset
						: l->plus)) +
	    l->archive;
	return h ? h : 1;
}

/* Android and the sanitizers print the address of the call, one less than the return address. At "name+0x0" a signal
 * stopped the program: the call of a return address there would be in another function. */
static uint8_t kind_of(const struct stack_text_gathered *g, const struct stack_line *l)
{
	bool at_start = l->has_plus && !l->plus;

	if (l->kind ==
	    STACK_LINE_WINDBG_SYMBOL) /* the call that WinDbg blames, which may be a caller */
		return map64_get(&g->callers, key_of(l, LOCATION_RETURN)) ? LOCATION_RETURN
									  : LOCATION_EXACT;
	if (l->alone)
		return LOCATION_UNSTATED;
	if (stack_line_is_bare(
		l)) /* of a handler, whose first call may be where a signal stopped it */
		return l->number ? LOCATION_RETURN : LOCATION_UNSTATED;
	if (l->kind == STACK_LINE_APPLE)
		return l->number && !at_start ? LOCATION_RETURN : LOCATION_EXACT;
	if (l->kind == STACK_LINE_GLIBC ||
	    ((l->kind == STACK_LINE_JAVA || is_windows(l)) && !is_first(g, l)))
		return at_start ? LOCATION_EXACT : LOCATION_RETURN;
	return LOCATION_EXACT;
}

/* glibc and WinDbg name the symbol before an address, and not the address. */
static bool symbol_value(struct stack_text *x, const struct stack_text_line *line,
			 const struct stack_line *l, uint32_t module, uint64_t *vaddr)
{
	struct stack_text_gathered *g = x->gathered;
	const struct files_module m = {.name = trace_text(g->t, g->t->modules[module].name),
				       .id = id_of(x, line, l)};
	enum reason reason;
	struct find_file *f = files_find(&x->symbolizer->files, &m, &reason);
	char *symbol = mem_strndup(l->name.s, l->name.n);
	bool found =
	    f && !is_windows(l) && object_symbol_value(f->object, symbol, l->name.n, vaddr);
	struct buf note = BUF_INIT;
	size_t n = 0;

	free(symbol);
	if (f && is_windows(l)) /* whose names have no parameters: several functions may have one */
		stack_name_find(f->object, l->name, l->plus, vaddr, &n);
	if (n > 1) {
		buf_addf(&note, "%.*s: %zu functions of %s are called %.*s",
			 (int)(l->module.n < PATH_MAX ? l->module.n : PATH_MAX), l->module.s, n,
			 f->path, (int)(l->name.n < PATH_MAX ? l->name.n : PATH_MAX), l->name.s);
		add_note(x, &note);
		buf_release(&note);
	}
	*vaddr += l->plus;
	return found || n == 1;
}

/* The link-time address of the first byte of a module's file; 0: there is no file, or it does not say it. */
static uint64_t base_of_module(const struct stack_text *x, const struct stack_text_line *line,
			       const struct stack_line *l, uint32_t module)
{
	const struct trace *t = x->gathered->t;
	const struct files_module m = {.name = trace_text(t, t->modules[module].name),
				       .id = id_of(x, line, l)};
	const struct object_segment *segments;
	const struct find_file *f;
	uint64_t base = UINT64_MAX;
	enum reason reason;
	size_t n = 0;

	f = files_find(&x->symbolizer->files, &m, &reason);
	segments = f && f->object ? object_segments(f->object, &n) : NULL;
	for (size_t i = 0; i < n; i++)
		base = segments[i].vaddr < base ? segments[i].vaddr : base;
	return n ? base : 0;
}

/* Requests the line's address, unless it was requested before. */
static void stack_text_ask(struct stack_text *x, const struct stack_line *l,
			   const struct stack_text_line *line)
{
	const uint64_t key = line->key;
	struct stack_text_gathered *g = x->gathered;
	struct location at = {.raw = l->offset,
			      .space = l->kind == STACK_LINE_WASM ? SPACE_FILE_OFFSET : SPACE_VADDR,
			      .kind = line->kind};
	uint32_t *location;

	if (map64_get(&g->answer_of, key))
		return;
	location = map64_put(&g->asked, key);
	if (*location)
		return;
	*location = 1; /* the table may move below */
	if (!g->t)
		g->t = trace_new();
	if (stack_line_is_bare(l)) {
		at.raw = l->address;
		at.space = SPACE_RUNTIME;
	} else {
		at.module = stack_text_module_of(x, line, l);
		if (!l->has_offset && !symbol_value(x, line, l, at.module, &at.raw))
			at.space = SPACE_UNKNOWN;
	}
	if (l->kind == STACK_LINE_APPLE)
		at.raw += base_of_module(x, line, l, at.module);
	location = map64_put(&g->asked, key);
	*location = trace_location(g->t, &at);
	if (at.kind == LOCATION_UNSTATED) /* evidence decides for a stack's innermost call */
		trace_stack(g->t, 0, *location);
}

/* Unreal's calls say where their modules are, too. */
static void learn_module(struct stack_text *x, const char *s, size_t n, const struct stack_line *l)
{
	struct stack_line_module m;
	struct stack_line_image image;

	if (!l && stack_line_parse_image(s, n, &image))
		stack_images_add(&x->gathered->images, &image, x->gathered->n_seen);
	if (l && l->kind == STACK_LINE_APPLE)
		stack_images_call(&x->gathered->images);
	if (!l && stack_line_parse_module(s, n, &m))
		stack_modules_add(&x->gathered->said, &m, x->gathered->n_seen);
	if (l && l->kind == STACK_LINE_UNREAL && l->has_offset) {
		m = (struct stack_line_module){
		    .name = l->module, .base = l->address - l->offset, .has_base = true};
		stack_modules_add(&x->gathered->said, &m, x->gathered->n_seen);
	}
	if (l && is_windows(l))
		stack_modules_call(&x->gathered->said, l, x->gathered->n_seen);
	else if (!l && (stack_line_begins_windbg(s, n) || stack_line_announces_symbol(s, n)))
		stack_modules_begin_stack(&x->gathered->said, x->gathered->n_seen);
}

/* A stack of Windows' tools ends with a line that is none; the symbol handler of Unity's log may say something in the
 * middle of one. */
static bool ends_stack(const struct stack_text_gathered *g, const char *s, size_t n)
{
	return !n || g->in_stack == STACK_LINE_UNREAL || stack_line_begins_windbg(s, n) ||
	       (n == 1 && *s == '\r') || *s == '=' || memchr(s, '<', n);
}

/* "00 (Inline Function) --------`--------     game!name+0x5 [file @ line]": the next call has the address. */
static bool is_inlined(const char *s, size_t n)
{
	static const char mark[] = " (Inline";

	return n > 2 && memmem(s, n < 32 ? n : 32, mark, sizeof mark - 1);
}

static bool begins_xml(const char *s, size_t n)
{
	static const char root[] = "<FGenericCrashContext";

	return n >= sizeof root - 1 && !memcmp(s, root, sizeof root - 1);
}

/* A line that says where in the module a program stopped, of which a line before has the name. */
static void take_fault(struct stack_text *x, const char *s, size_t n, struct stack_text_line *line)
{
	struct stack_text_gathered *g = x->gathered;
	struct stack_line_fault *f = &g->fault;

	if (!stack_line_parse_fault(s, n, f))
		return;
	if (f->module.n) {
		g->faulted = f->module.n <= PATH_MAX && g->paths.n <= PATHS
				 ? intern_add(&g->paths, f->module.s, f->module.n)
				 : 0;
		return;
	}
	line->faulted = f->has_offset ? g->faulted : 0;
	line->offset = f->offset;
	line->stamp = f->stamp;
}

/* The module as other lines call it. */
static void name_module(const struct stack_text *x, const struct stack_text_line *line,
			struct stack_line *l)
{
	if (line->module)
		l->module.s = intern_text(&x->gathered->paths, line->module, &l->module.n);
}

/* The call of a line that waits; false: it is none. */
static bool call_of(struct stack_text *x, const struct stack_text_line *line, struct stack_line *l)
{
	const struct stack_text_gathered *g = x->gathered;
	const char *s = buf_at(&g->text, line->at);

	if (line->symbol)
		return stack_line_parse_symbol(s, line->n, l);
	if (!line->faulted) {
		if (!parse_line(x, s, line->n, l))
			return false;
		place_in_image(x, line->number, l);
		return true;
	}
	*l = (struct stack_line){
	    .kind = STACK_LINE_FAULT, .has_offset = true, .offset = line->offset, .tail = line->n};
	l->module.s = intern_text(&g->paths, line->faulted, &l->module.n);
	while (l->tail && (s[l->tail - 1] == '\r' || s[l->tail - 1] == ' '))
		l->tail--;
	return true;
}

static uint64_t hash_of_module(const struct stack_line *l)
{
	return l->kind == STACK_LINE_WASM ? hash_bytes(l->module.s, l->module.n)
					  : stack_module_stem(l->module);
}

/* Of a module and its file, index + 1; 0: not known. */
static uint64_t hash_of_build(const struct stack_line *l, uint32_t file)
{
	return hash_u64(hash_of_module(l) + file);
}

/* A line says that a file is of another build. Of a log that is followed, calls have been printed before. */
static void note_other_build(struct stack_text *x, const struct stack_line *l, uint32_t file,
			     const char *why)
{
	uint32_t named = map64_get(&x->gathered->named_of, hash_of_build(l, file));
	const struct find_file *f = file_at(x, file);
	struct buf note = BUF_INIT;

	if (l->module.n)
		buf_addf(&note, "%.*s: ", (int)(l->module.n < PATH_MAX ? l->module.n : PATH_MAX),
			 l->module.s);
	buf_addf(&note, "%s is of another build: %s", f ? f->path : "its file", why);
	if (named)
		buf_addf(&note,
			 "; this line came when %" PRIu32
			 " call%s had been named, which may be wrong",
			 named, plural_s(named));
	add_note(x, &note);
	buf_release(&note);
}

/* Engines have of a caller the place of its call instruction: call, call_indirect, call_ref. */
static bool is_wasm_call(const struct object_code_part *code, size_t n, uint64_t vaddr)
{
	for (size_t i = 0; i < n; i++)
		if (vaddr >= code[i].lo && vaddr - code[i].lo < code[i].size) {
			uint8_t op = code[i].data[vaddr - code[i].lo];

			return op == 0x10 || op == 0x11 || op == 0x14;
		}
	return false;
}

/* Lines of wasm have the number of the function, too. In a file of another build the address is in another function, or in
 * none, or a caller calls nothing there. */
static bool differs_in_number(struct object *o, const struct stack_line *l, bool caller,
			      struct buf *why)
{
	const struct object_code_part *code;
	uint64_t vaddr, number;
	size_t n;

	code = object_code(o, &n);
	if (object_arch(o) != ARCH_WASM || !n)
		return false;
	if (object_offset_to_vaddr(o, l->offset, &vaddr) ||
	    !object_function_number(o, vaddr, &number))
		buf_addf(why,
			 "the log has function %" PRIu64 " at 0x%" PRIx64
			 ", the file has no function there",
			 l->number, l->offset);
	else if (number != l->number)
		buf_addf(why,
			 "the log has function %" PRIu64 " at 0x%" PRIx64
			 ", the file function %" PRIu64,
			 l->number, l->offset, number);
	else if (caller && !is_wasm_call(code, n, vaddr))
		buf_addf(why,
			 "the log has a call at 0x%" PRIx64
			 ", the file has another instruction there",
			 l->offset);
	return why->len;
}

/* The file that the module's name leads to, index + 1; 0: none. */
static uint32_t first_wasm(struct stack_text *x, const struct stack_line *l)
{
	uint32_t *known = map64_put(&x->gathered->wasm_file, hash_of_module(l));
	struct files_module m = {.name = ""};
	struct buf name = BUF_INIT;
	const struct find_file *f;
	enum reason reason;

	if (*known)
		return *known;
	stack_text_add_library(x, l, 0, &name);
	m.name = buf_str(&name);
	f = files_find(&x->symbolizer->files, &m, &reason);
	if (f)
		*known = f->index + 1;
	buf_release(&name);
	return f ? f->index + 1 : 0;
}

/* The file, and given ones of its name, which may be of other builds: of those from this one on the next. 0: no more. */
static uint32_t next_wasm(const struct stack_text *x, uint32_t first, uint32_t file)
{
	const struct find_files *files = &x->symbolizer->files;
	const struct find_file *f = file_at(x, first);

	for (uint32_t i = file == first ? 0 : file; f && f->given && !f->module && i < files->n;
	     i++) {
		const struct find_file *y = files->items[i];

		if (y != f && y->given && !y->module && y->object &&
		    object_arch(y->object) == ARCH_WASM &&
		    !strcmp(path_base(y->path), path_base(f->path)))
			return i + 1;
	}
	return 0;
}

static bool is_other_build(const struct stack_text *x, const struct stack_line *l, uint32_t file)
{
	return map64_get(&x->gathered->other_builds, hash_of_build(l, file));
}

static void judge_by_number(struct stack_text *x, const struct stack_line *l, bool caller)
{
	struct stack_text_gathered *g = x->gathered;
	uint32_t *known =
	    l->kind == STACK_LINE_WASM && l->has_offset && g->judged.n < ANSWERS
		? map64_put(&g->judged, key_of(l, caller ? LOCATION_RETURN : LOCATION_EXACT))
		: NULL;
	uint32_t first;

	if (!known || *known)
		return;
	*known = 1;
	first = first_wasm(x, l);
	for (uint32_t file = first; file; file = next_wasm(x, first, file)) {
		struct buf why = BUF_INIT;

		if (!is_other_build(x, l, file) &&
		    differs_in_number(file_at(x, file)->object, l, caller, &why)) {
			note_other_build(x, l, file, buf_str(&why));
			*map64_put(&g->other_builds, hash_of_build(l, file)) = 1;
		}
		buf_release(&why);
	}
}

/* The first file that no line contradicts. */
static void choose_wasm(struct stack_text *x, struct stack_text_line *line,
			const struct stack_line *l)
{
	uint32_t first = first_wasm(x, l), file = first;

	while (file && is_other_build(x, l, file))
		file = next_wasm(x, first, file);
	line->file = file;
	if (first && !file)
		line->refused = REASON_REPLACED;
}

/* What a line says of modules; l: the call that it is, or NULL. */
static void learn_line(struct stack_text *x, const char *s, size_t n, const struct stack_line *l)
{
	if (!l)
		learn_path(x, stack_line_mapped(s, n));
	else if ((l->module.n || l->kind == STACK_LINE_WASM) && (l->has_offset || l->has_plus))
		learn_path(x, l->module);
	if (l && l->bits)
		*map64_put(&x->gathered->bits, stack_module_stem(l->module)) |=
		    l->bits == 64 ? 2 : 1;
	learn_module(x, s, n, l);
}

void stack_text_scan(struct stack_text *x, const char *s, size_t n)
{
	struct stack_text_gathered *g = stack_text_begin(x);
	struct stack_line l;
	bool is_call = parse_line(x, s, n, &l);

	g->scanning = true;
	learn_line(x, s, n, is_call ? &l : NULL);
	if (is_call)
		judge_by_number(x, &l, g->after_wasm);
	g->after_wasm = is_call && l.kind == STACK_LINE_WASM;
	g->n_seen++;
}

void stack_text_line(struct stack_text *x, const char *s, size_t n)
{
	struct stack_text_gathered *g = stack_text_begin(x);
	struct stack_text_line line = {.at = g->text.len, .n = n};
	struct stack_line l;
	bool is_call;

	if (g->scanning) {
		g->n_seen = 0;
		g->after_wasm = false;
		g->scanning = false;
		g->scanned = true;
	}
	line.number = g->n_seen;
	line.symbol = g->symbol_next && stack_line_parse_symbol(s, n, &l);
	is_call = line.symbol || parse_line(x, s, n, &l);
	if (!g->scanned)
		learn_line(x, s, n, is_call ? &l : NULL);
	g->n_seen++;
	if (is_call) {
		line.kind = kind_of(g, &l);
		if (((l.module.n || l.kind == STACK_LINE_WASM) && (l.has_offset || l.has_plus)) ||
		    stack_line_is_bare(&l))
			line.key = key_of(&l, line.kind);
		if (l.kind == STACK_LINE_WINDBG && line.kind == LOCATION_RETURN &&
		    g->callers.n < ANSWERS)
			*map64_put(&g->callers, line.key) = 1;
		if ((is_windows(&l) && l.kind != STACK_LINE_WINDBG_SYMBOL && !l.alone) ||
		    (l.kind == STACK_LINE_JAVA && *s != '#'))
			g->in_stack = l.kind;
		g->only_inlined = false;
	} else {
		take_fault(x, s, n, &line);
		if (ends_stack(g, s, n))
			g->in_stack = STACK_LINE_NONE;
		g->only_inlined = is_inlined(s, n) && (g->only_inlined || !g->in_stack);
		g->in_xml |= begins_xml(s, n);
	}
	g->symbol_next = stack_line_announces_symbol(s, n);
	buf_add(&g->text, s, n);
	if (line.faulted && call_of(x, &line, &l)) {
		line.kind = LOCATION_EXACT;
		line.key = key_of(&l, line.kind);
	}
	line.caller = g->after_wasm;
	g->after_wasm = is_call && l.kind == STACK_LINE_WASM;
	VEC_PUSH(g->lines, g->n_lines, g->cap_lines) = line;
}

static void find_other_builds(struct stack_text *x)
{
	struct stack_text_gathered *g = x->gathered;
	struct stack_line l;

	for (size_t i = 0; i < g->n_lines; i++)
		if (g->lines[i].key && call_of(x, &g->lines[i], &l))
			judge_by_number(x, &l, g->lines[i].caller);
}

/* What is known of the module of a line. */
static struct stack_module_facts facts_of(const struct stack_text *x,
					  const struct stack_text_line *line,
					  const struct stack_line *l)
{
	const struct stack_text_gathered *g = x->gathered;
	const struct stack_module *m =
	    l->has_address ? stack_modules_at(&g->said, l->module, l->address, line->number) : NULL;
	uint32_t widths = map64_get(&g->bits, stack_module_stem(l->module));
	struct stack_module_facts facts = {.windows = l->kind != STACK_LINE_UNREAL,
					   .id = id_of(x, line, l)};

	if (!m || (!m->stamp && !m->size))
		m = stack_modules_said(&g->said, l->module, line->number);
	facts.stamp = line->stamp || !m ? line->stamp : m->stamp;
	facts.size = m ? m->size : 0;
	facts.bits = l->bits ? l->bits : widths == 1 ? 32 : widths == 2 ? 64 : 0;
	return facts;
}

/* Given files that fit a module of the log, and that no call gets a name of: a note says why. */
static void mark_wanted(struct stack_text *x, const struct find_file *fits)
{
	struct find_files *f = &x->symbolizer->files;

	for (size_t i = 0; i < f->n; i++)
		f->items[i]->wanted |=
		    f->items[i] == fits ||
		    (f->items[i]->given && !fits->module && !f->items[i]->module &&
		     !strcasecmp(path_base(f->items[i]->path), path_base(fits->path)));
}

/* Why a line of Windows is not asked for: two files fit, or what the log says of the module is not so of its file. */
static enum reason judge_module(struct stack_text *x, const struct stack_line *l,
				const struct stack_module_facts *facts, uint32_t *file)
{
	const struct find_file *chosen, *other, *found;
	struct files_module m = {.name = "", .id = facts->id};
	struct buf name = BUF_INIT, why = BUF_INIT, note = BUF_INIT;
	enum reason reason = REASON_RESOLVED, missing;
	const int n = (int)(l->module.n < PATH_MAX ? l->module.n : PATH_MAX);
	bool proven = false;

	chosen = stack_module_file(&x->symbolizer->files, l->module, facts, &other);
	*file = chosen ? chosen->index + 1 : 0;
	if (chosen && other) {
		buf_addf(
		    &note,
		    "%.*s: nothing says whether it is %s or %s: none is used; -e %.*s=FILE says it",
		    n, l->module.s, chosen->path, other->path, n, l->module.s);
		add_note(x, &note);
		mark_wanted(x, chosen);
		mark_wanted(x, other);
		reason = REASON_NO_FILE;
	} else {
		stack_text_add_library(x, l, *file, &name);
		m.name = buf_str(&name);
		found = files_find(&x->symbolizer->files, &m, &missing);
		if (chosen)
			reason = stack_module_judge(chosen, facts, &proven, &why);
		if (!reason && found && found != chosen) {
			chosen = found;
			reason = stack_module_judge(found, facts, &proven, &why);
		}
		proven |= found && files_proven(found, &m);
	}
	if (chosen && why.len)
		note_other_build(x, l, chosen->index + 1, buf_str(&why));
	if (proven) /* then something does show the build */
		*map64_put(&x->gathered->unproven, stack_module_stem(l->module)) = 1;
	buf_release(&name);
	buf_release(&why);
	buf_release(&note);
	return reason;
}

/* The same, once for all lines of which the log says the same. */
static void judge_line(struct stack_text *x, struct stack_text_line *line,
		       const struct stack_line *l)
{
	struct stack_text_gathered *g = x->gathered;
	const struct stack_module_facts facts = facts_of(x, line, l);
	uint64_t key = hash_bytes_seeded(
	    l->module.s, l->module.n,
	    hash_u64(facts.stamp ^ (facts.size << 32) ^ ((uint64_t)facts.bits << 56)) +
		facts.windows + hash_u64(line->id));
	uint32_t known = map64_get(&g->judged, key);

	if (!known) {
		uint32_t file;
		enum reason reason = judge_module(x, l, &facts, &file);

		known = file << 8 | ((uint32_t)reason + 1);
		*map64_put(&g->judged, key) = known;
	}
	line->file = known >> 8;
	line->refused = (uint8_t)((known & 0xff) - 1);
}

/* Only now: later lines say where modules of earlier ones are. */
static void ask_all(struct stack_text *x)
{
	struct stack_text_gathered *g = x->gathered;
	struct stack_line l;

	find_other_builds(x);
	for (size_t i = 0; i < g->n_lines; i++) {
		struct stack_text_line *line = &g->lines[i];

		if (!call_of(x, line, &l))
			continue;
		if (is_windows(&l)) {
			place_line(x, line, &l);
			line->id = stack_modules_id(&g->said, &l);
			line->key = l.has_offset || l.has_plus ? key_of(&l, line->kind) : 0;
			if (line->key)
				judge_line(x, line, &l);
		} else if (l.kind == STACK_LINE_WASM) {
			choose_wasm(x, line, &l);
		} else if (l.kind == STACK_LINE_APPLE) {
			line->key = l.has_offset ? key_of(&l, line->kind) : 0;
		}
		if (line->key && (line->file || line->id))
			line->key = hash_u64(line->key + line->file + hash_u64(line->id)) | 1;
		if (line->key && !line->refused)
			stack_text_ask(x, &l, line);
	}
}

/* --- answers --- */

static uint32_t kept_string(struct stack_text *x, uint32_t string)
{
	struct stack_text_gathered *g = x->gathered;
	size_t n;
	const char *s = intern_text(&g->t->symbols.strings, string, &n);

	return n ? intern_add(&g->strings, s, n) : 0;
}

static void stack_text_keep_answer(struct stack_text *x, uint64_t key, uint32_t location)
{
	struct stack_text_gathered *g = x->gathered;
	const struct trace_symbols *y = &g->t->symbols;
	const struct binding *b = symbols_binding(y, location);
	struct stack_text_answer a = {.call = (uint32_t)g->n_answer_calls, .reason = b->reason};

	/* A start without a name says less than the line. */
	for (uint32_t id = b->tier > TIER_MODULE ? b->call : 0; id && y->calls[id].function;
	     id = y->calls[id].outer) {
		const struct symbol_call *c = &y->calls[id];

		VEC_PUSH(g->answer_calls, g->n_answer_calls, g->cap_answer_calls) =
		    (struct stack_text_call){.function =
						 kept_string(x, y->functions[c->function].display),
					     .file = kept_string(x, c->file),
					     .line = c->line,
					     .column = c->column};
		a.n_calls++;
	}
	VEC_PUSH(g->answers, g->n_answers, g->cap_answers) = a;
	*map64_put(&g->answer_of, key) = (uint32_t)g->n_answers;
}

static void keep_answers(struct stack_text *x)
{
	struct stack_text_gathered *g = x->gathered;

	for (size_t i = 0; g->asked.slots && i <= g->asked.mask; i++)
		if (g->asked.slots[i].value)
			stack_text_keep_answer(x, g->asked.slots[i].key, g->asked.slots[i].value);
}

static void forget_asked(struct stack_text_gathered *g)
{
	map64_release(&g->asked);
	map64_release(&g->module_of);
	trace_free(g->t);
	g->t = NULL;
}

static void forget_answers(struct stack_text_gathered *g)
{
	map64_release(&g->answer_of);
	intern_release(&g->strings);
	g->strings = (struct intern){.n = 0};
	g->n_answers = g->n_answer_calls = 0;
}

/* --- the text again --- */

static const char *text_of(const struct stack_text *x, uint32_t string)
{
	return intern_text(&x->gathered->strings, string, NULL);
}

/* As the sanitizers' runtime prints the functions that it stands in for. */
static const char *function_of(const struct stack_text *x, const struct stack_text_call *c)
{
	static const char *const prefixes[] = {"___interceptor_", "__interceptor_"};
	const char *s = text_of(x, c->function);

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (!strncmp(s, prefixes[i], strlen(prefixes[i])))
			return s + strlen(prefixes[i]);
	return s;
}

static void add_source(struct buf *b, const struct stack_text *x, const struct stack_text_call *c)
{
	buf_adds(b, text_of(x, c->file));
	if (c->line)
		buf_addf(b, ":%u", c->line);
	if (c->line && c->column)
		buf_addf(b, ":%u", c->column);
}

/* The runtime of the sanitizers prints no "./". */
static void add_plain_source(struct buf *b, const struct stack_text *x,
			     const struct stack_text_call *c)
{
	const char *s = text_of(x, c->file);
	size_t from = b->len;

	add_source(b, x, c);
	if (!strncmp(s, "./", 2)) {
		memmove(b->data + from, b->data + from + 2, b->len - from - 2);
		b->len -= 2;
	}
}

static void add_number(struct buf *b, uint64_t number)
{
	buf_addc(b, '#');
	buf_add_u64(b, number);
	buf_addc(b, ' ');
}

/* "(module+0x12)" of a line, with or without the build-id behind it. */
static void add_place(struct buf *b, const char *s, size_t n, const struct stack_line *l, bool id)
{
	const char *close =
	    memchr(l->module.s + l->module.n, ')', (size_t)(s + n - l->module.s) - l->module.n);

	buf_add(b, s + l->tail, (id ? n : (size_t)(close - s) + 1) - l->tail);
}

static void add_address(struct buf *b, uint64_t address)
{
	buf_adds(b, "0x");
	buf_add_hex(b, address, 1);
	buf_adds(b, " in ");
}

static void stack_text_print_sanitizer(struct buf *b, const struct stack_text *x, const char *s,
				       size_t n, const struct stack_line *l,
				       const struct stack_text_answer *a)
{
	const struct stack_text_gathered *g = x->gathered;

	for (uint32_t i = 0; i < a->n_calls; i++) {
		const struct stack_text_call *c = &g->answer_calls[a->call + i];

		buf_add(b, s, l->call);
		add_number(b, l->number + g->shift + i);
		if (l->kind == STACK_LINE_SANITIZER)
			add_address(b, l->address);
		buf_adds(b, function_of(x, c));
		buf_addc(b, ' ');
		if (c->file)
			add_plain_source(b, x, c);
		else if (l->kind == STACK_LINE_THREAD_SANITIZER)
			buf_adds(b, "<null>");
		if (l->kind == STACK_LINE_THREAD_SANITIZER) {
			buf_addc(b, ' ');
			add_place(b, s, n, l, !i);
		} else if (!c->file) {
			add_place(b, s, n, l, true);
		} else if (n && s[n - 1] == '\r') {
			buf_addc(b, '\r');
		}
		buf_addc(b, '\n');
	}
}

static void print_summary(struct buf *b, const struct stack_text *x, const char *s, size_t n,
			  const struct stack_line *l, const struct stack_text_answer *a)
{
	const struct stack_text_call *c = &x->gathered->answer_calls[a->call];

	buf_add(b, s, l->tail);
	if (c->file)
		add_plain_source(b, x, c);
	else
		add_place(b, s, n, l, false);
	buf_addf(b, " in %s\n", function_of(x, c));
}

/* Where ndk-stack sets the names: behind the first parenthesis of what it prints. */
static size_t android_indent(const char *s, size_t n, const struct stack_line *l)
{
	const char *open = memchr(s + l->call, '(', n - l->call);

	return open ? (size_t)(open - s) + 1 : l->module.n ? (size_t)(l->module.s - s) : l->call;
}

static void print_android(struct buf *b, const struct stack_text *x, const char *s, size_t n,
			  const struct stack_line *l, const struct stack_text_answer *a)
{
	int indent = (int)android_indent(s, n, l);

	buf_add(b, s, n);
	buf_addc(b, '\n');
	for (uint32_t i = 0; i < a->n_calls; i++) {
		const struct stack_text_call *c = &x->gathered->answer_calls[a->call + i];

		buf_addf(b, "%*s%s\n", indent, "", text_of(x, c->function));
		if (c->file) {
			buf_addf(b, "%*s", indent, "");
			add_source(b, x, c);
			buf_addc(b, '\n');
		}
	}
}

/* As the line ends. */
static void end_line(struct buf *b, const char *s, size_t n)
{
	if (n && s[n - 1] == '\r')
		buf_addc(b, '\r');
	buf_addc(b, '\n');
}

/* What has been added from a place on becomes text of XML. */
static void escape_from(struct buf *b, size_t from)
{
	char *plain = mem_strndup(buf_at(b, from), b->len - from);

	b->len = from;
	for (const char *p = plain; *p; p++)
		if (*p == '<')
			buf_adds(b, "&lt;");
		else if (*p == '>')
			buf_adds(b, "&gt;");
		else if (*p == '&')
			buf_adds(b, "&amp;");
		else
			buf_addc(b, *p);
	free(plain);
}

static void print_behind(struct buf *b, const struct stack_text *x, const char *s, size_t n,
			 const struct stack_line *l, const struct stack_text_answer *a)
{
	for (uint32_t i = 0; i < a->n_calls; i++) {
		const struct stack_text_call *c = &x->gathered->answer_calls[a->call + i];
		bool java = l->kind == STACK_LINE_JAVA;
		size_t from, begin = 0;

		/* Tags stay before the first of inlined calls, and behind the last. */
		if (i && memchr(s, '<', l->call))
			begin = l->call;
		buf_add(b, s + begin, l->tail - begin);
		from = b->len;
		buf_adds(b, java ? "  " : " in ");
		buf_adds(b, text_of(x, c->function));
		if (c->file) {
			buf_adds(b, java ? "  (" : " ");
			add_source(b, x, c);
			buf_adds(b, java ? ")" : "");
		}
		if (l->kind == STACK_LINE_UNREAL && l->has_offset) {
			if (x->gathered->in_xml)
				escape_from(b, from);
			if (i + 1 == a->n_calls && memchr(s + l->tail, '<', n - l->tail)) {
				buf_add(b, s + l->tail, n - l->tail);
				buf_addc(b, '\n');
				continue;
			}
		}
		end_line(b, s, n);
	}
}

/* As the engine prints calls of its own language. */
static void print_wasm(struct buf *b, const struct stack_text *x, const char *s, size_t n,
		       const struct stack_line *l, const struct stack_text_answer *a)
{
	bool v8 = s[l->call] == 'a' && l->tail > l->call && s[l->tail - 1] != '@';
	bool async = v8 && l->name.n > 6 && !memcmp(l->name.s, "async ", 6);

	for (uint32_t i = 0; i < a->n_calls; i++) {
		const struct stack_text_call *c = &x->gathered->answer_calls[a->call + i];

		buf_add(b, s, l->call);
		buf_adds(b, v8 ? "at " : "");
		if (async && i + 1 == a->n_calls)
			buf_adds(b, "async ");
		buf_adds(b, text_of(x, c->function));
		buf_adds(b, v8 ? " (" : "@");
		if (c->file) {
			add_source(b, x, c);
			buf_adds(b, v8 ? ")" : "");
		} else {
			buf_add(b, s + l->tail, n - l->tail);
			buf_adds(b, v8 && s[n - 1] != ')' ? ")" : "");
		}
		buf_addc(b, '\n');
	}
}

/* As reports that have names; of inlined calls each has the line's beginning. */
static void print_apple(struct buf *b, const struct stack_text *x, const char *s, size_t n,
			const struct stack_line *l, const struct stack_text_answer *a)
{
	for (uint32_t i = 0; i < a->n_calls; i++) {
		const struct stack_text_call *c = &x->gathered->answer_calls[a->call + i];

		buf_add(b, s, l->tail);
		buf_adds(b, text_of(x, c->function));
		if (c->file) {
			buf_adds(b, " (");
			add_source(b, x, c);
			buf_addc(b, ')');
		}
		end_line(b, s, n);
	}
}

/* As Unity prints calls that it has a file of. */
static void print_unity(struct buf *b, const struct stack_text *x, const char *s, size_t n,
			const struct stack_line *l, const struct stack_text_answer *a)
{
	for (uint32_t i = 0; i < a->n_calls; i++) {
		const struct stack_text_call *c = &x->gathered->answer_calls[a->call + i];

		buf_add(b, s, l->tail);
		buf_addc(b, ' ');
		if (c->file) {
			buf_addc(b, '[');
			add_source(b, x, c);
			buf_adds(b, "] ");
		}
		buf_adds(b, text_of(x, c->function));
		end_line(b, s, n);
	}
}

static void print_named(struct buf *b, const struct stack_text *x, const char *s, size_t n,
			const struct stack_line *l, const struct stack_text_answer *a)
{
	switch (l->kind) {
	case STACK_LINE_SANITIZER:
	case STACK_LINE_THREAD_SANITIZER: stack_text_print_sanitizer(b, x, s, n, l, a); break;
	case STACK_LINE_SUMMARY: print_summary(b, x, s, n, l, a); break;
	case STACK_LINE_ANDROID: print_android(b, x, s, n, l, a); break;
	case STACK_LINE_WASM: print_wasm(b, x, s, n, l, a); break;
	case STACK_LINE_UNITY: print_unity(b, x, s, n, l, a); break;
	case STACK_LINE_APPLE: print_apple(b, x, s, n, l, a); break;
	default: print_behind(b, x, s, n, l, a); break;
	}
}

static bool is_sanitizer(const struct stack_line *l)
{
	return l->kind == STACK_LINE_SANITIZER || l->kind == STACK_LINE_THREAD_SANITIZER;
}

/* A call without a new name; behind inlined ones its number is another. */
static void print_kept(struct buf *b, const struct stack_text *x, const char *s, size_t n,
		       const struct stack_line *l)
{
	const struct stack_text_gathered *g = x->gathered;

	if (is_sanitizer(l) && g->shift) {
		const char *behind = s + l->call + 1;

		while (behind < s + n && num_hex_digit(*behind) >= 0 && *behind <= '9')
			behind++;
		buf_add(b, s, l->call);
		buf_addc(b, '#');
		buf_add_u64(b, l->number + g->shift);
		buf_add(b, behind, (size_t)(s + n - behind));
	} else {
		buf_add(b, s, n);
	}
	buf_addc(b, '\n');
}

/* A name that is there is better than one without a file. */
static bool is_better(const struct stack_text *x, const struct stack_line *l,
		      const struct stack_text_answer *a)
{
	return a->n_calls && (!l->name.n || x->gathered->answer_calls[a->call].file);
}

/* Both are known, and their names without folders differ. */
static bool is_other_source(struct stack_text_part logged, const char *file)
{
	size_t n = logged.n, n_file = strlen(file);
	const char *base = path_base_captured_n(logged.s, &n);
	const char *base_file = path_base_captured_n(file, &n_file);

	return n_file && (n != n_file || strncasecmp(base, base_file, n) != 0);
}

/* The log has a function's name and its line, so that its tool knew the file's symbols: at this address the file has
 * another function, or has it from another source file. Names without a line may be those of the nearest export. */
static bool is_other_function(struct stack_text *x, const struct stack_text_line *line,
			      const struct stack_line *l, const struct stack_text_answer *a)
{
	const struct stack_text_call *calls = &x->gathered->answer_calls[a->call];
	struct stack_text_part said = l->name;
	struct buf why = BUF_INIT;
	const char *has;

	if (!is_windows(l) || !l->name.n || !l->file.n || !a->n_calls)
		return false;
	has = text_of(x, calls[a->n_calls - 1].function);
	for (uint32_t i = 0; i < a->n_calls; i++)
		if (!stack_name_differs(l->name, text_of(x, calls[i].function))) {
			said = l->file;
			has = text_of(x, calls[i].file);
			if (!is_other_source(said, has))
				return false;
		}
	buf_addf(&why, "where the log has %.*s, the file has %s",
		 (int)(said.n < PATH_MAX ? said.n : PATH_MAX), said.s, has);
	if (!is_other_build(x, l, line->file))
		note_other_build(x, l, line->file, buf_str(&why));
	*map64_put(&x->gathered->other_builds, hash_of_build(l, line->file)) = 1;
	buf_release(&why);
	return true;
}

/* The module of the module map that holds a bare address; NULL: there is none. */
static const struct module *mapped_at(const struct stack_text *x, const struct stack_line *l)
{
	const struct trace *maps = x->maps;

	for (size_t i = 1; maps && stack_line_is_bare(l) && i < maps->n_modules; i++) {
		const struct module *m = &maps->modules[i];

		for (size_t k = 0; k < m->n_ranges; k++)
			if (l->address >= m->ranges[k].lo && l->address < m->ranges[k].hi)
				return m;
	}
	return NULL;
}

/* Logs of Windows and of wasm have no build-ids, and those of others not always: a name may be of any build. */
static void note_unproven(struct stack_text *x, const struct stack_text_line *line,
			  const struct stack_line *l)
{
	struct stack_text_gathered *g = x->gathered;
	const struct module *mapped = mapped_at(x, l);
	struct stack_text_part called = l->module;
	struct files_module m = {.name = ""};
	struct buf name = BUF_INIT, text = BUF_INIT;
	struct find_file *f;
	enum reason reason;
	uint32_t *noted;

	if (mapped) {
		called.s = intern_text(&x->maps->strings, mapped->name, &called.n);
		called.s = path_base_captured_n(called.s, &called.n);
	}
	noted = g->unproven.n < PATHS ? map64_put(&g->unproven, stack_module_stem(called)) : NULL;
	if (!noted || *noted)
		return;
	*noted = 1;
	if (mapped) {
		size_t n_id;
		const char *id = intern_text(&x->maps->strings, mapped->build_id, &n_id);

		buf_adds(&name, trace_text(x->maps, mapped->name));
		if (n_id <= OBJECT_BUILD_ID_MAX) {
			m.id.len = (uint8_t)n_id;
			memcpy(m.id.bytes, id, n_id);
		}
	} else {
		stack_text_add_library(x, l, line->file, &name);
		m.id = id_of(x, line, l);
	}
	m.name = buf_str(&name);
	f = files_find(&x->symbolizer->files, &m, &reason);
	if (called.n)
		buf_addf(&text, "%.*s: ", (int)(called.n < PATH_MAX ? called.n : PATH_MAX),
			 called.s);
	buf_adds(&text, mapped ? "the module map has " : "the log has ");
	if (is_windows(l) && f && !f->module && !stack_module_has_extension(l->module))
		buf_addf(&text,
			 "neither its extension nor a GUID or time stamp: nothing shows whether %s "
			 "is this "
			 "module, and of this build",
			 f->path);
	else if (m.id.len)
		buf_addf(&text,
			 "a build-id, and %s has none: nothing shows whether it is of this build",
			 f ? f->path : "its file");
	else
		buf_addf(&text, "no %s: nothing shows whether %s is of this build",
			 is_windows(l) ? "GUID or time stamp" : "build-id",
			 f ? f->path : "its file");
	if (is_windows(l) || (f && f->given && !files_proven(f, &m)))
		add_note(x, &text);
	buf_release(&name);
	buf_release(&text);
}

/* The log has an address, and not where the module was that holds it. */
static void note_no_base(struct stack_text *x, const struct stack_text_line *line,
			 const struct stack_line *l)
{
	const struct stack_module_facts facts = facts_of(x, line, l);
	const int n = (int)(l->module.n < PATH_MAX ? l->module.n : PATH_MAX);
	const struct find_file *file, *other;
	struct buf text = BUF_INIT;

	if (!is_windows(l) || !l->has_address)
		return;
	file = stack_module_file(&x->symbolizer->files, l->module, &facts, &other);
	if (!file)
		return;
	mark_wanted(x, file);
	if (other)
		mark_wanted(x, other);
	buf_addf(&text, "%.*s: the log does not say where it was in memory", n, l->module.s);
	if (x->maps && stack_modules_mapped(&x->gathered->said, l->module))
		buf_adds(&text, ", and the module map has it at another place: --maps takes the "
				"module map of the process that crashed");
	else if (x->maps)
		buf_addf(&text,
			 ", and the module map has no %.*s: --maps takes the module map of the "
			 "process that crashed",
			 n, l->module.s);
	else
		buf_adds(
		    &text,
		    l->kind == STACK_LINE_UNREAL
			? ": give log and CrashContext.runtime-xml in one input (cat LOG XML | "
			  "tm-symbolize --text), or the minidump with --maps"
			: ": the lines that list its modules are missing; --maps takes the "
			  "minidump of the crash");
	add_note(x, &text);
	buf_release(&text);
}

/* Return addresses that follow no calls in a file: it is of another build. */
static void keep_notes(struct stack_text_gathered *g)
{
	for (size_t i = 0; i < g->t->n_notes; i++) {
		const struct trace_note *n = &g->t->notes[i];

		if (n->severity == NOTE_LOSS || n->severity == NOTE_GUESS)
			intern_add(&g->notes, n->text, strlen(n->text));
	}
}

/* A name that -e gives and no line has is a slip: what the names are. */
static void note_modules(struct stack_text *x)
{
	enum { SHOWN = 20 };
	struct stack_text_gathered *g = x->gathered;
	const struct find_files *f = &x->symbolizer->files;
	uint32_t n = intern_count(&g->modules);
	struct buf text = BUF_INIT;
	bool slip = false;

	g->listed = true;
	for (size_t i = 0; i < f->n; i++)
		slip |= f->items[i]->module && !f->items[i]->wanted;
	buf_adds(&text, "the modules of the log:");
	for (uint32_t i = 1; i <= n && i <= SHOWN; i++)
		buf_addf(&text, "%s %s", i > 1 ? "," : "", intern_text(&g->modules, i, NULL));
	if (n > SHOWN)
		buf_addf(&text, ", and %u more", n - SHOWN);
	if (slip && n)
		intern_add(&g->notes, text.data, text.len);
	text.len = 0;
	buf_addf(&text,
		 "%" PRIu64
		 " call%s an address and no module: --maps takes the module map of the process "
		 "(a copy of /proc/PID/maps, or a minidump), which says what was there",
		 g->bare, g->bare == 1 ? " has" : "s have");
	if (g->bare && !x->maps)
		intern_add(&g->notes, text.data, text.len);
	buf_release(&text);
}

const char *stack_text_next_note(struct stack_text *x)
{
	struct stack_text_gathered *g = x->gathered;

	if (g && !g->listed)
		note_modules(x);
	return g && g->n_told < intern_count(&g->notes) ? intern_text(&g->notes, ++g->n_told, NULL)
							: NULL;
}

bool stack_text_has_modules(const struct stack_text *x)
{
	return x->gathered && intern_count(&x->gathered->modules);
}

static void stack_text_print_line(struct stack_text *x, const struct stack_text_line *line,
				  struct buf *out)
{
	struct stack_text_gathered *g = x->gathered;
	const char *s = buf_at(&g->text, line->at);
	const struct stack_text_answer *a = NULL;
	enum reason refused = (enum reason)line->refused;
	struct stack_line l;
	uint32_t id;

	if (!call_of(x, line, &l)) {
		buf_add(out, s, line->n);
		buf_addc(out, '\n');
		return;
	}
	if (is_sanitizer(&l) && !l.number)
		g->shift = 0;
	id = line->key && !line->refused ? map64_get(&g->answer_of, line->key) : 0;
	if (id)
		a = &g->answers[id - 1];
	x->calls++;
	if (l.module.n && l.module.n <= PATH_MAX && g->modules.n < PATHS)
		intern_add(&g->modules, l.module.s, l.module.n);
	if (a && is_other_function(x, line, &l, a))
		refused = REASON_REPLACED;
	if (a && !refused && is_better(x, &l, a)) {
		x->named++;
		if (is_windows(&l) || l.kind == STACK_LINE_WASM)
			++*map64_put(&g->named_of, hash_of_build(&l, line->file));
		name_module(x, line, &l);
		note_unproven(x, line, &l);
		print_named(out, x, s, line->n, &l, a);
		g->shift += is_sanitizer(&l) ? a->n_calls - 1 : 0;
		return;
	}
	if (!line->key)
		note_no_base(x, line, &l);
	if (refused)
		x->reasons[refused]++;
	else if (l.name.n)
		x->kept++;
	else
		x->reasons[a && a->reason != REASON_RESOLVED ? a->reason : REASON_NO_MODULE]++;
	g->bare += stack_line_is_bare(&l);
	print_kept(out, x, s, line->n, &l);
}

enum status stack_text_flush(struct stack_text *x, struct buf *out, struct err *e)
{
	struct stack_text_gathered *g = stack_text_begin(x);
	enum status st = ST_OK;

	if (g->strings.text.total > MEMORY || g->n_answers > ANSWERS)
		forget_answers(g);
	ask_all(x);
	if (g->t) {
		x->symbolizer->options.bind.is_text = true;
		st = symbolizer_run(x->symbolizer, g->t, x->maps ? x->maps : g->t, e);
		x->symbolizer->options.bind.is_text = false;
		if (!st)
			keep_answers(x);
		keep_notes(g);
		forget_asked(g);
	}
	for (size_t i = 0; i < g->n_lines; i++)
		stack_text_print_line(x, &g->lines[i], out);
	g->n_lines = 0;
	g->text.len = 0;
	return st;
}

void stack_text_release(struct stack_text *x)
{
	struct stack_text_gathered *g = x->gathered;

	if (g) {
		forget_asked(g);
		forget_answers(g);
		buf_release(&g->text);
		free(g->lines);
		free(g->answers);
		free(g->answer_calls);
		intern_release(&g->paths);
		map64_release(&g->path_of);
		stack_modules_release(&g->said);
		stack_images_release(&g->images);
		map64_release(&g->judged);
		map64_release(&g->named_of);
		map64_release(&g->wasm_file);
		map64_release(&g->bits);
		map64_release(&g->callers);
		map64_release(&g->unproven);
		intern_release(&g->notes);
		intern_release(&g->modules);
		map64_release(&g->other_builds);
	}
	free(g);
	*x = (struct stack_text){.calls = 0};
}
