/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/stack_text.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/input/stack_line.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
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
};

/* Where a log says that a module of Windows is, from one of its lines on. */
struct stack_text_base {
	uint64_t base, size, from;
	uint32_t before; /* the one that was said before, + 1 */
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
	uint64_t n_seen; /* lines, also earlier ones */
	uint8_t
	    in_stack; /* behind the first call of a stack of Java or Windows: enum stack_line_kind */
	bool only_inlined; /* WinDbg: behind inlined calls alone */
	bool in_xml;
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
	struct intern paths;  /* that were seen */
	struct map64 path_of; /* hash of a base name -> path */
	struct map64 base_of; /* hash of a stem -> number in bases + 1 */
	struct stack_text_base *bases;
	size_t n_bases, cap_bases;
	uint64_t shift; /* inlined calls so far, of the stack being printed */
};

static struct stack_text_gathered *stack_text_begin(struct stack_text *x)
{
	if (!x->gathered)
		x->gathered = mem_zalloc(sizeof *x->gathered);
	return x->gathered;
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
	       l->kind == STACK_LINE_WINDBG || l->kind == STACK_LINE_FAULT;
}

static bool parse_line(const char *s, size_t n, struct stack_line *l)
{
	return stack_line_parse(s, n, l) || stack_line_parse_windows(s, n, l);
}

/* A name without its extension, in small letters; WinDbg has "_" for what is no letter and no digit, and Unreal's XML
 * has "&amp;" for "&". */
static void add_stem(struct buf *to, const char *s, size_t n)
{
	if (n > 4 && s[n - 4] == '.')
		n -= 4;
	for (size_t i = 0; i < n; i++) {
		buf_addc(to,
			 isalnum((unsigned char)s[i]) ? (char)tolower((unsigned char)s[i]) : '_');
		if (n - i > 4 && !memcmp(s + i, "&amp;", 5))
			i += 4;
	}
}

static uint64_t stem_hash(struct stack_text_part m)
{
	struct buf stem = BUF_INIT;
	uint64_t h;

	add_stem(&stem, m.s, m.n);
	h = hash_bytes(buf_at(&stem, 0), stem.len);
	buf_release(&stem);
	return h;
}

static void learn_base(struct stack_text *x, const struct stack_line_module *m)
{
	struct stack_text_gathered *g = x->gathered;
	uint32_t *last = map64_put(&g->base_of, stem_hash(m->name));

	if (g->n_bases > PATHS || (*last && g->bases[*last - 1].base == m->base))
		return;
	VEC_PUSH(g->bases, g->n_bases, g->cap_bases) =
	    (struct stack_text_base){m->base, m->size, g->n_seen, *last};
	*last = (uint32_t)g->n_bases;
}

/* An address of a line becomes an offset in its module. The log may name the modules behind the first calls, and have
 * several reports. */
static bool take_off_base(const struct stack_text *x, struct stack_line *l, uint64_t number)
{
	const struct stack_text_gathered *g = x->gathered;
	const struct stack_text_base *found = NULL;

	for (uint32_t id = map64_get(&g->base_of, stem_hash(l->module)); id;) {
		const struct stack_text_base *b = &g->bases[id - 1];

		if (l->address - b->base < b->size)
			found = b;
		if (found && b->from <= number)
			break;
		id = b->before;
	}
	if (!found)
		return false;
	l->offset = l->address - found->base;
	l->has_offset = true;
	return true;
}

/* The file that was given for a module, of which a log has the stem alone. */
static const char *file_of_stem(const struct stack_text *x, struct stack_text_part m)
{
	const struct find_files *f = &x->symbolizer->files;
	const char *found = NULL;
	struct buf want = BUF_INIT, stem = BUF_INIT;

	add_stem(&want, m.s, m.n);
	for (size_t i = 0; i < f->n && !found; i++) {
		const char *base = path_base(f->items[i]->path);

		stem.len = 0;
		add_stem(&stem, base, strlen(base));
		if (f->items[i]->given && !f->items[i]->foreign && stem.len == want.len &&
		    !memcmp(buf_at(&stem, 0), buf_at(&want, 0), want.len))
			found = f->items[i]->path;
	}
	buf_release(&want);
	buf_release(&stem);
	return found;
}

/* "base.apk!libgame.so" is the library, "base.apk" from an offset on the one that is there. */
static void stack_text_add_library(struct stack_text *x, const struct stack_line *l, struct buf *to)
{
	struct stack_text_part m = l->module;
	const char *inner = m.n ? memrchr(m.s, '!', m.n) : NULL;
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
	if (is_windows(l) && file_of_stem(x, m))
		buf_adds(to, file_of_stem(x, m));
	else if (l->kind == STACK_LINE_WASM || is_windows(l))
		buf_add(to, m.s, m.n);
	else
		add_module_name(x, m, l->build_id.n, to);
}

static uint32_t stack_text_module_of(struct stack_text *x, const struct stack_line *l)
{
	struct stack_text_gathered *g = x->gathered;
	struct module m = {.name = 0};
	struct buf name = BUF_INIT;
	uint64_t key = hash_bytes_seeded(l->module.s, l->module.n,
					 hash_bytes(l->build_id.s, l->build_id.n) + l->archive);
	uint32_t *known = map64_put(&g->module_of, key);
	uint8_t id[OBJECT_BUILD_ID_MAX];
	size_t n;

	if (*known)
		return *known;
	stack_text_add_library(x, l, &name);
	m.name = trace_string(g->t, buf_at(&name, 0), name.len);
	n = stack_line_build_id(l, id, sizeof id);
	m.build_id = n ? trace_string(g->t, (const char *)id, n) : 0;
	buf_release(&name);
	known = map64_put(&g->module_of, key);
	*known = trace_module(g->t, &m);
	return *known;
}

/* --- requests --- */

/* The first call of HotSpot and of Windows' tools is where it stopped. WinDbg numbers calls, and inlined ones, too. */
static bool is_first(const struct stack_text_gathered *g, const struct stack_line *l)
{
	if (l->kind == STACK_LINE_WINDBG && l->has_number)
		return !l->number || g->only_inlined;
	return !g->in_stack;
}

/* Android and the sanitizers print the address of the call, one less than the return address. At "name+0x0" a signal
 * stopped the program: the call of a return address there would be in another function. */
static uint8_t kind_of(const struct stack_text_gathered *g, const struct stack_line *l)
{
	bool at_start = l->has_plus && !l->plus;

	if (l->kind == STACK_LINE_GLIBC ||
	    ((l->kind == STACK_LINE_JAVA || is_windows(l)) && !is_first(g, l)))
		return at_start ? LOCATION_EXACT : LOCATION_RETURN;
	return LOCATION_EXACT;
}

static uint64_t key_of(const struct stack_line *l, uint8_t kind)
{
	uint64_t h = hash_bytes_seeded(l->module.s, l->module.n, kind);

	h = hash_bytes_seeded(l->build_id.s, l->build_id.n, h);
	if (!l->has_offset)
		h = hash_bytes_seeded(l->name.s, l->name.n, h + 1);
	h = hash_u64(h ^ (l->has_offset ? l->offset : l->plus)) + l->archive;
	return h ? h : 1;
}

/* glibc names the symbol before an address, and not the address. */
static bool symbol_value(struct stack_text *x, const struct stack_line *l, uint32_t module,
			 uint64_t *vaddr)
{
	struct stack_text_gathered *g = x->gathered;
	const struct files_module m = {.name = trace_text(g->t, g->t->modules[module].name)};
	enum reason reason;
	struct find_file *f = files_find(&x->symbolizer->files, &m, &reason);
	char *symbol = mem_strndup(l->name.s, l->name.n);
	bool found = f && object_symbol_value(f->object, symbol, l->name.n, vaddr);

	free(symbol);
	*vaddr += l->plus;
	return found;
}

/* Requests the line's address, unless it was requested before. */
static void stack_text_ask(struct stack_text *x, const struct stack_line *l, uint8_t kind,
			   uint64_t key)
{
	struct stack_text_gathered *g = x->gathered;
	struct location at = {.raw = l->offset,
			      .space = l->kind == STACK_LINE_WASM ? SPACE_FILE_OFFSET : SPACE_VADDR,
			      .kind = kind};
	uint32_t *location;

	if (map64_get(&g->answer_of, key))
		return;
	location = map64_put(&g->asked, key);
	if (*location)
		return;
	*location = 1; /* the table may move below */
	if (!g->t)
		g->t = trace_new();
	at.module = stack_text_module_of(x, l);
	if (!l->has_offset && !symbol_value(x, l, at.module, &at.raw))
		at.space = SPACE_UNKNOWN;
	location = map64_put(&g->asked, key);
	*location = trace_location(g->t, &at);
}

/* Unreal's calls say where their modules are, too. */
static void learn_module(struct stack_text *x, const char *s, size_t n, const struct stack_line *l)
{
	struct stack_line_module m;

	if (!l && stack_line_parse_module(s, n, &m))
		learn_base(x, &m);
	if (l && l->kind == STACK_LINE_UNREAL && l->has_offset)
		learn_base(
		    x, &(struct stack_line_module){l->module, l->address - l->offset, UINT64_MAX});
}

/* A stack of Windows' tools ends with a line that is none; the symbol handler of Unity's log may say something in the
 * middle of one. */
static bool ends_stack(const struct stack_text_gathered *g, const char *s, size_t n)
{
	return !n || g->in_stack == STACK_LINE_UNREAL || (n == 1 && *s == '\r') || *s == '=' ||
	       memchr(s, '<', n);
}

/* "00 (Inline Function) --------`--------     game!name+0x5 [file @ line]": the next call has the address. */
static bool is_inlined(const char *s, size_t n)
{
	static const char mark[] = " (Inline";

	return n > 2 && memmem(s, n < 16 ? n : 16, mark, sizeof mark - 1);
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
	line->faulted = g->faulted;
	line->offset = f->offset;
}

/* The call of a line that waits; false: it is none. */
static bool call_of(const struct stack_text *x, const struct stack_text_line *line,
		    struct stack_line *l)
{
	const struct stack_text_gathered *g = x->gathered;
	const char *s = buf_at(&g->text, line->at);

	if (!line->faulted)
		return parse_line(s, line->n, l);
	*l = (struct stack_line){
	    .kind = STACK_LINE_FAULT, .has_offset = true, .offset = line->offset, .tail = line->n};
	l->module.s = intern_text(&g->paths, line->faulted, &l->module.n);
	while (l->tail && (s[l->tail - 1] == '\r' || s[l->tail - 1] == ' '))
		l->tail--;
	return true;
}

void stack_text_line(struct stack_text *x, const char *s, size_t n)
{
	struct stack_text_gathered *g = stack_text_begin(x);
	struct stack_text_line line = {.at = g->text.len, .n = n, .number = g->n_seen++};
	struct stack_line l;

	if (parse_line(s, n, &l)) {
		line.kind = kind_of(g, &l);
		if ((l.module.n || l.kind == STACK_LINE_WASM) && (l.has_offset || l.has_plus)) {
			learn_path(x, l.module);
			line.key = key_of(&l, line.kind);
		}
		learn_module(x, s, n, &l);
		if (is_windows(&l) || (l.kind == STACK_LINE_JAVA && *s != '#'))
			g->in_stack = l.kind;
		g->only_inlined = false;
	} else {
		learn_path(x, stack_line_mapped(s, n));
		learn_module(x, s, n, NULL);
		take_fault(x, s, n, &line);
		if (ends_stack(g, s, n))
			g->in_stack = STACK_LINE_NONE;
		g->only_inlined = is_inlined(s, n) && (g->only_inlined || !g->in_stack);
		g->in_xml |= begins_xml(s, n);
	}
	buf_add(&g->text, s, n);
	if (line.faulted && call_of(x, &line, &l)) {
		line.kind = LOCATION_EXACT;
		line.key = key_of(&l, line.kind);
	}
	VEC_PUSH(g->lines, g->n_lines, g->cap_lines) = line;
}

/* Only now: later lines say where modules of earlier ones are. */
static void ask_all(struct stack_text *x)
{
	struct stack_text_gathered *g = x->gathered;
	struct stack_line l;

	for (size_t i = 0; i < g->n_lines; i++) {
		struct stack_text_line *line = &g->lines[i];

		if (!call_of(x, line, &l))
			continue;
		if (is_windows(&l) && !line->key && take_off_base(x, &l, line->number))
			line->key = key_of(&l, line->kind);
		if (line->key)
			stack_text_ask(x, &l, line->kind, line->key);
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

	for (uint32_t i = 0; i < a->n_calls; i++) {
		const struct stack_text_call *c = &x->gathered->answer_calls[a->call + i];

		buf_add(b, s, l->call);
		buf_adds(b, v8 ? "at " : "");
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

static void stack_text_print_line(struct stack_text *x, const struct stack_text_line *line,
				  struct buf *out)
{
	struct stack_text_gathered *g = x->gathered;
	const char *s = buf_at(&g->text, line->at);
	const struct stack_text_answer *a = NULL;
	struct stack_line l;
	uint32_t id;

	if (!call_of(x, line, &l)) {
		buf_add(out, s, line->n);
		buf_addc(out, '\n');
		return;
	}
	if (is_sanitizer(&l) && !l.number)
		g->shift = 0;
	id = line->key ? map64_get(&g->answer_of, line->key) : 0;
	if (id)
		a = &g->answers[id - 1];
	x->calls++;
	if (a && is_better(x, &l, a)) {
		x->named++;
		print_named(out, x, s, line->n, &l, a);
		g->shift += is_sanitizer(&l) ? a->n_calls - 1 : 0;
		return;
	}
	if (l.name.n)
		x->kept++;
	else
		x->reasons[a && a->reason != REASON_RESOLVED ? a->reason : REASON_NO_MODULE]++;
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
		st = symbolizer_run(x->symbolizer, g->t, g->t, e);
		if (!st)
			keep_answers(x);
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
		map64_release(&g->base_of);
		free(g->bases);
	}
	free(g);
	*x = (struct stack_text){.calls = 0};
}
