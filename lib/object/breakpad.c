/* SPDX-License-Identifier: MIT
 *
 * Breakpad's .sym files (source.h), text:
 *
 *	MODULE os arch id name
 *	INFO CODE_ID hex ...
 *	FILE number name
 *	INLINE_ORIGIN number name
 *	FUNC [m] address size parameters name       and of it, behind it:
 *	    INLINE depth line file origin [address size]...
 *	    address size line file
 *	PUBLIC [m] address parameters name
 *
 * Addresses and sizes are hexadecimal, all else is decimal. The id is a GUID with an age behind it:
 * of an ELF file the first 16 bytes of the build-id with the first three fields in the other byte
 * order, of a Mach-O file the UUID as it is. Of Windows (os "windows") both are the PDB's. Other lines are counted.
 */
#include "lib/base/arena.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/object/breakpad_stack.h"
#include "lib/object/impl.h"
#include "lib/object/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 1 << 16, DEEPEST = 256 };

struct bp_function {
	uint64_t lo, size;
	const char *name;
	size_t first_line, n_lines, first_inlined, n_inlined;
	bool public;
};

struct bp_line {
	uint64_t lo, size;
	uint32_t line, file;
};

struct bp_inlined { /* a range of one */
	uint64_t lo, size;
	uint32_t depth, line, file, origin;
};

struct names {           /* by number */
	struct map64 at; /* number -> index in all + 1 */
	const char **all;
	size_t n, cap;
};

struct breakpad {
	struct bp_function *functions; /* by lo; of one address FUNC before PUBLIC */
	size_t n, cap;
	struct bp_line *lines;
	size_t n_lines, cap_lines;
	struct bp_inlined *inlined;
	size_t n_inlined, cap_inlined;
	struct names files, origins;
	struct arena text;
	uint64_t end;
	uint64_t odd, first_odd, line; /* lines that are not of the format; of the file */
	bool open;                     /* the last function takes lines */
	bool plain_id, windows;        /* the id is Mach-O's, or a GUID with an age that counts */
};

/* What is left of a line. */
struct words {
	const char *s, *end;
};

static bool word(struct words *w, const char **s, size_t *n)
{
	while (w->s < w->end && *w->s == ' ')
		w->s++;
	*s = w->s;
	while (w->s < w->end && *w->s != ' ')
		w->s++;
	*n = (size_t)(w->s - *s);
	return *n;
}

static bool hex(struct words *w, uint64_t *v)
{
	const char *s;
	size_t n;

	return word(w, &s, &n) && num_hex(s, n, v);
}

static bool dec32(struct words *w, uint32_t *v)
{
	const char *s;
	uint64_t wide = 0;
	size_t n;
	bool good = word(w, &s, &n) && num_dec(s, n, &wide) && wide <= UINT32_MAX;

	*v = (uint32_t)wide;
	return good;
}

/* The rest of the line. */
static const char *rest(struct breakpad *b, struct words *w)
{
	size_t n;

	while (w->s < w->end && *w->s == ' ')
		w->s++;
	n = (size_t)(w->end - w->s);
	return arena_strndup(&b->text, w->s, n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES);
}

static bool begins(struct words *w, const char *what)
{
	if (!text_begins(w->s, (size_t)(w->end - w->s), what))
		return false;
	w->s += strlen(what);
	return true;
}

static bool read_name(struct breakpad *b, struct names *names, struct words *w)
{
	uint32_t number, *at;

	if (!dec32(w, &number))
		return false;
	at = map64_put(&names->at, number);
	VEC_PUSH(names->all, names->n, names->cap) = rest(b, w);
	*at = (uint32_t)names->n;
	return true;
}

static const char *name_of(const struct names *names, uint32_t number)
{
	uint32_t at = map64_get(&names->at, number);

	return at ? names->all[at - 1] : "";
}

static bool breakpad_read_function(struct breakpad *b, struct words *w, bool public)
{
	struct bp_function f = {
	    .public = public, .first_line = b->n_lines, .first_inlined = b->n_inlined};
	struct words before = *w;
	const char *s;
	uint64_t parameters;
	size_t n;

	b->open = false;
	if (word(w, &s, &n) && n == 1 && *s == 'm') /* of several functions that were folded */
		before = *w;
	*w = before;
	if (!hex(w, &f.lo) || (!public && !hex(w, &f.size)) || !hex(w, &parameters) ||
	    f.size > UINT64_MAX - f.lo)
		return false;
	f.name = rest(b, w);
	VEC_PUSH(b->functions, b->n, b->cap) = f;
	b->open = !public;
	return true;
}

static bool read_inlined(struct breakpad *b, struct words *w)
{
	struct bp_inlined x = {0};
	bool any = false;

	if (!b->open || !dec32(w, &x.depth) || !dec32(w, &x.line) || !dec32(w, &x.file) ||
	    !dec32(w, &x.origin))
		return false;
	while (hex(w, &x.lo)) {
		if (!hex(w, &x.size))
			return false;
		VEC_PUSH(b->inlined, b->n_inlined, b->cap_inlined) = x;
		b->functions[b->n - 1].n_inlined++;
		any = true;
	}
	return any && w->s == w->end;
}

static bool read_line(struct breakpad *b, struct words *w)
{
	struct bp_line l;

	if (!b->open || !hex(w, &l.lo) || !hex(w, &l.size) || !dec32(w, &l.line) ||
	    !dec32(w, &l.file))
		return false;
	VEC_PUSH(b->lines, b->n_lines, b->cap_lines) = l;
	b->functions[b->n - 1].n_lines++;
	return true;
}

/* *more: the number behind max bytes; 0: there is none. */
static bool read_id(struct words *w, struct object_build_id *id, size_t max, uint64_t *more)
{
	const char *s;
	size_t n, digits;

	if (!word(w, &s, &n) || n < 2)
		return false;
	digits = n;
	n = n / 2 < max ? n / 2 : max;
	for (size_t i = 0; i < n; i++) {
		int high = num_hex_digit(s[2 * i]), low = num_hex_digit(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		id->bytes[i] = (uint8_t)(high << 4 | low);
	}
	id->len = (uint8_t)n;
	if (digits <= 2 * max || !num_hex(s + 2 * max, digits - 2 * max, more))
		*more = 0;
	return true;
}

static void swap(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t t = p[i];

		p[i] = p[n - 1 - i];
		p[n - 1 - i] = t;
	}
}

static enum object_arch arch_of(const char *s, size_t n)
{
	static const struct {
		const char *name;
		enum object_arch arch;
	} archs[] = {{"x86", ARCH_X86},      {"x86_64", ARCH_X86_64}, {"x86_64h", ARCH_X86_64},
		     {"arm64", ARCH_ARM64},  {"arm64e", ARCH_ARM64},  {"arm", ARCH_ARM},
		     {"riscv64", ARCH_RISCV}};

	for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
		if (strlen(archs[i].name) == n && !memcmp(archs[i].name, s, n))
			return archs[i].arch;
	return ARCH_UNKNOWN;
}

static bool breakpad_read_module(struct breakpad *b, struct words *w, struct object_image *f)
{
	const char *os, *arch;
	size_t n_os, n_arch;
	uint64_t age;

	if (!word(w, &os, &n_os) || !word(w, &arch, &n_arch))
		return false;
	f->arch = arch_of(arch, n_arch);
	f->is_64 = f->arch != ARCH_X86 && f->arch != ARCH_ARM;
	b->plain_id = n_os == 3 && (!memcmp(os, "mac", 3) || !memcmp(os, "ios", 3));
	if (!read_id(w, &f->build_id, 16, &age) || f->build_id.len != 16) {
		f->build_id.len = 0;
		return false;
	}
	b->windows = n_os == 7 && !memcmp(os, "windows", 7);
	f->build_id.partial = !b->plain_id && !b->windows;
	if (b->windows)
		f->build_id.age = age && age <= UINT32_MAX ? (uint32_t)age : OBJECT_ANY_AGE;
	if (!b->plain_id) {
		swap(f->build_id.bytes, 4);
		swap(f->build_id.bytes + 4, 2);
		swap(f->build_id.bytes + 6, 2);
	}
	return true;
}

static bool read_code_id(struct breakpad *b, struct words *w, struct object_image *f)
{
	struct object_build_id id = {.len = 0};
	uint64_t ignored;

	if (b->plain_id || b->windows) /* of Windows the time and size of the PE file */
		return true;
	if (!read_id(w, &id, OBJECT_BUILD_ID_MAX, &ignored))
		return false;
	f->build_id = id;
	return true;
}

static bool breakpad_read_record(struct breakpad *b, struct words w, struct object_image *f)
{
	if (begins(&w, "FUNC "))
		return breakpad_read_function(b, &w, false);
	if (begins(&w, "PUBLIC "))
		return breakpad_read_function(b, &w, true);
	if (begins(&w, "INLINE "))
		return read_inlined(b, &w);
	if (begins(&w, "FILE "))
		return read_name(b, &b->files, &w);
	if (begins(&w, "INLINE_ORIGIN "))
		return read_name(b, &b->origins, &w);
	if (begins(&w, "MODULE "))
		return b->line == 1 && breakpad_read_module(b, &w, f);
	if (begins(&w, "INFO CODE_ID "))
		return read_code_id(b, &w, f);
	if (begins(&w, "STACK ") || begins(&w, "INFO ")) {
		b->open = false;
		return true;
	}
	return w.s == w.end || read_line(b, &w);
}

static int breakpad_by_address(const void *a, const void *b)
{
	const struct bp_function *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->public != y->public
		   ? x->public - y->public
		   : (x->first_line > y->first_line) - (x->first_line < y->first_line);
}

static int breakpad_by_line_address(const void *a, const void *b)
{
	const struct bp_line *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

static void breakpad_finish(struct object_source *s)
{
	struct breakpad *b = s->breakpad;

	for (size_t i = 0; i < b->n; i++) {
		struct bp_function *f = &b->functions[i];
		uint64_t end = f->lo + f->size + (f->public && f->lo < UINT64_MAX);

		if (f->n_lines)
			sort_array(b->lines + f->first_line, f->n_lines, sizeof *b->lines,
				   breakpad_by_line_address);
		b->end = end > b->end ? end : b->end;
	}
	if (b->n)
		sort_array(b->functions, b->n, sizeof *b->functions, breakpad_by_address);
	if (b->odd)
		buf_addf(&s->complaint,
			 "%" PRIu64 " lines are not lines of a Breakpad symbol file, the "
			 "first is line %" PRIu64,
			 b->odd, b->first_odd);
	if (b->odd)
		buf_str(&s->complaint);
}

static enum status breakpad_open(struct object_source *s, struct object_image *f, struct err *e)
{
	struct breakpad *b = mem_zalloc(sizeof *b);
	const char *p = (const char *)s->bytes, *end = p + s->size;

	s->breakpad = b;
	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		struct words w = {p, eol ? eol : end};

		b->line++;
		p = eol ? eol + 1 : end;
		if (w.end > w.s && w.end[-1] == '\r')
			w.end--;
		if (memchr(w.s, 0, (size_t)(w.end - w.s)) || !breakpad_read_record(b, w, f)) {
			if (!b->odd++)
				b->first_odd = b->line;
			if (b->line == 1)
				return err_at(e, ST_BAD, 0,
					      "not a MODULE record of a Breakpad symbol file");
		}
	}
	breakpad_finish(s);
	return ST_OK;
}

static void breakpad_free(struct object_source *s)
{
	struct breakpad *b = s->breakpad;

	breakpad_stack_free(s->stack);
	if (!b)
		return;
	free(b->functions);
	free(b->lines);
	free(b->inlined);
	free(b->files.all);
	free(b->origins.all);
	map64_release(&b->files.at);
	map64_release(&b->origins.at);
	arena_release(&b->text);
	free(b);
}

static size_t breakpad_count(const struct object_source *s)
{
	return s->breakpad->n;
}

static bool breakpad_function(const struct object_source *s, size_t i, struct source_function *f)
{
	const struct bp_function *x = &s->breakpad->functions[i];

	*f = (struct source_function){x->lo, x->size, x->name, x->public};
	return true;
}

static uint64_t breakpad_end(const struct object_source *s)
{
	return s->breakpad->end;
}

static const struct bp_line *line_at(const struct breakpad *b, const struct bp_function *f,
				     uint64_t addr)
{
	size_t lo = BISECT(i, 0, f->n_lines, b->lines[f->first_line + i].lo <= addr);
	const struct bp_line *l = lo ? &b->lines[f->first_line + lo - 1] : NULL;

	return l && addr - l->lo < l->size ? l : NULL;
}

static enum status breakpad_calls_of(const struct breakpad *b, const struct bp_function *f,
				     uint64_t addr, struct object_call *calls, size_t max,
				     size_t *n)
{
	const struct bp_inlined *chain[DEEPEST] = {NULL};
	const struct bp_line *l = line_at(b, f, addr);
	struct object_call at = {.function = f->name, .folder = "", .file = ""};
	size_t depth = 0;

	for (size_t i = 0; i < f->n_inlined; i++) {
		const struct bp_inlined *x = &b->inlined[f->first_inlined + i];

		if (addr >= x->lo && addr - x->lo < x->size && x->depth < DEEPEST)
			chain[x->depth] = x;
	}
	while (depth < DEEPEST && chain[depth])
		depth++;
	if (l) {
		at.line = l->line;
		at.file = name_of(&b->files, l->file);
	}
	while (depth && *n + 1 < max) {
		const struct bp_inlined *x = chain[--depth];

		at.function = name_of(&b->origins, x->origin);
		calls[(*n)++] = at;
		at = (struct object_call){.function = f->name, .folder = "", .line = x->line};
		at.file = name_of(&b->files, x->file);
	}
	calls[(*n)++] = at;
	return ST_OK;
}

static enum status breakpad_at(const struct object_source *s, uint64_t addr,
			       struct object_call *calls, size_t max, size_t *n)
{
	const struct breakpad *b = s->breakpad;
	size_t lo = BISECT(i, 0, b->n, b->functions[i].lo <= addr);

	/* back over what has no lines to the function that begins last */
	while (lo && b->functions[lo - 1].public)
		lo--;
	if (!lo)
		return ST_NONE;
	/* of one address the first */
	while (lo > 1 && b->functions[lo - 2].lo == b->functions[lo - 1].lo)
		lo--;
	if (addr - b->functions[lo - 1].lo >= b->functions[lo - 1].size)
		return ST_NONE;
	return breakpad_calls_of(b, &b->functions[lo - 1], addr, calls, max, n);
}

const struct source_kind source_breakpad = {breakpad_open,     breakpad_free, breakpad_count,
					    breakpad_function, breakpad_end,  breakpad_at};
