/* SPDX-License-Identifier: MIT */
#include "lib/trace/anonymize.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/siphash.h"
#include "lib/base/text.h"
#include "lib/trace/merge_tables.h"

#include <stdlib.h>
#include <string.h>

enum { EXTENSION = 8, WORD_LEAST = 2 };

struct anonymize {
	struct sink sink, *to;
	bool functions;
	struct siphash_key key;
	struct trace *t; /* what is handed on */
	struct merge_tables tables;
	size_t objects, symbol_functions, calls, bindings; /* handed on, [0] included */
	struct map64 secrets; /* hash of a word that was replaced -> 1 */
	struct map64 users;   /* of these, what names a person or a machine */
};

/* --- stand-ins --- */

static void add_stand_in(struct anonymize *a, struct buf *b, const char *kind, const char *s,
			 size_t n)
{
	buf_adds(b, kind);
	buf_add_hex(b, siphash(&a->key, s, n) >> 16, 12);
}

static void keep_secret(struct anonymize *a, const char *s, size_t n)
{
	if (n >= WORD_LEAST)
		*map64_put(&a->secrets, hash_bytes(s, n)) = 1;
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("_-.+~@%$", c) != NULL || (unsigned char)c >= 0x80;
}

/* Every system has them, and rules for sites look for them. */
static bool is_system(const char *s, size_t n)
{
	static const char *const names[] = {
	    "libc.so",     "libc-2.",      "libm.so",          "libm-2.",      "libdl.so",
	    "libdl-2.",    "librt.so",     "libpthread",       "libstdc++.so", "libgcc_s.so",
	    "libc++.so",   "libc++abi.so", "libc++_shared.so", "ld-linux",     "ld-2.",
	    "ld-musl",     "linux-vdso",   "linux-gate",       "linker",       "libart.so",
	    "libtracemill"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (*s && text_begins(s, n, names[i]))
			return true;
	return false;
}

/* The last dot of a base name and what follows, if it is short: ".cc", ".so". */
static size_t extension_of(const char *s, size_t n)
{
	const char *dot = memrchr(s, '.', n);
	size_t length = dot ? (size_t)(s + n - dot) : 0;

	if (!dot || dot == s || length < 2 || length > EXTENSION)
		return 0;
	for (const char *p = dot + 1; p < s + n; p++)
		if ((*p | 0x20) < 'a' || (*p | 0x20) > 'z')
			return 0;
	return length;
}

/* A folder whose next part is the name of a user. */
static bool holds_users(const char *s, size_t n)
{
	return (n == 4 && !memcmp(s, "home", 4)) || (n == 5 && !memcmp(s, "Users", 5)) ||
	       (n == 5 && !memcmp(s, "users", 5));
}

/* A path part by part, so that what is in one folder stays in one. */
static void anonymize_add_path(struct anonymize *a, struct buf *b, const char *s, size_t n)
{
	const char *end = s + n;
	bool user = false;

	while (s < end) {
		const char *from = s;
		bool last;

		while (s < end && !is_separator(*s))
			s++;
		last = s == end;
		if (s - from == 2 && from[1] == ':' && !last) { /* C: */
			buf_add(b, from, 2);
		} else if (s > from && (s - from > 2 || *from != '.')) {
			size_t length = (size_t)(s - from);

			if (last && is_system(from, length)) {
				buf_add(b, from, length);
			} else {
				add_stand_in(a, b, last ? "file-" : "dir-", from, length);
				keep_secret(a, from, length);
				if (user)
					*map64_put(&a->users, hash_bytes(from, length)) = 1;
			}
			if (last && !is_system(from, length)) {
				size_t ext = extension_of(from, length);

				keep_secret(a, from, length - ext);
				buf_add(b, s - ext, ext);
			}
			user = holds_users(from, length);
		} else {
			buf_add(b, from, (size_t)(s - from));
		}
		if (s < end)
			buf_addc(b, *s++);
	}
}

/* "hidden.lua", as scripts are called in names of their functions. */
static bool is_source(const char *s, size_t n)
{
	static const char *const ends[] = {".lua", ".c",  ".cc",  ".cpp", ".cxx",  ".h",   ".hh",
					   ".hpp", ".cs", ".py",  ".js",  ".ts",   ".rs",  ".go",
					   ".mm",  ".so", ".exe", ".dll", ".java", ".luau"};

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t m = strlen(ends[i]);

		if (n > m && !memcmp(s + n - m, ends[i], m))
			return true;
	}
	return false;
}

/* A run of characters that paths are made of; its length. *path: it is one. "function@file" is two. */
static size_t run_of(const char *s, size_t n, bool *path)
{
	size_t i = 0, separators = 0, words = 0;

	for (; i < n && (is_word(s[i]) || is_separator(s[i])); i++) {
		if (i && s[i] == '@' && !separators)
			break;
		separators += is_separator(s[i]);
		words += is_word(s[i]);
	}
	/* "operator/" is no path, nor is a "/" alone */
	*path = (separators && words && !text_begins(s, i, "operator/")) || is_source(s, i);
	return i;
}

/* Text that stays, but for paths and words of the set. */
static void anonymize_add_scrubbed(struct anonymize *a, struct buf *b, const char *s, size_t n,
				   const struct map64 *words)
{
	for (size_t i = 0; i < n;) {
		bool path;
		size_t length = run_of(s + i, n - i, &path), bare = length;

		if (!length) {
			buf_addc(b, s[i++]);
			continue;
		}
		while (bare && strchr(".+-", s[i + bare - 1])) /* a sentence's end */
			bare--;
		if (path)
			anonymize_add_path(a, b, s + i, length);
		else if (bare && map64_get(words, hash_bytes(s + i, bare)))
			add_stand_in(a, b, "name-", s + i, bare);
		else
			buf_add(b, s + i, bare);
		if (!path)
			buf_add(b, s + i + bare, length - bare);
		i += length;
	}
}

static void anonymize_add_renamed(struct anonymize *a, struct buf *b, enum merge_role role,
				  const char *s, size_t n)
{
	switch (role) {
	case ROLE_PATH: anonymize_add_path(a, b, s, n); break;
	case ROLE_WORDS:
		add_stand_in(a, b, "text-", s, n);
		keep_secret(a, s, n);
		break;
	case ROLE_NAME:
		if (!a->functions) {
			anonymize_add_scrubbed(a, b, s, n, &a->users);
			break;
		}
		add_stand_in(a, b, "name-", s, n);
		keep_secret(a, s, n);
		break;
	default: buf_add(b, s, n); break;
	}
}

static uint32_t anonymize_rename_string(void *arg, struct intern *to, enum merge_role role,
					const char *s, size_t n)
{
	struct buf b = BUF_INIT;
	uint32_t id;

	if (n)
		anonymize_add_renamed(arg, &b, role, s, n);
	id = intern_add(to, buf_at(&b, 0), b.len);
	buf_release(&b);
	return id;
}

static uint32_t rename_symbol(struct anonymize *a, const struct trace *from, uint32_t id,
			      enum merge_role role)
{
	size_t n;
	const char *s = intern_text(&from->symbols.strings, id, &n);

	return id ? anonymize_rename_string(a, &a->t->symbols.strings, role, s, n) : 0;
}

/* Rows keep their ids: all are handed on in their order. */
static void anonymize_copy_symbols(struct anonymize *a, const struct trace *from)
{
	const struct trace_symbols *y = &from->symbols;
	struct trace_symbols *to = &a->t->symbols;

	while (a->objects < y->n_objects) {
		struct symbol_object row = y->objects[a->objects++];

		row.name = rename_symbol(a, from, row.name, ROLE_PATH);
		row.path = rename_symbol(a, from, row.path, ROLE_PATH);
		row.debug_path = rename_symbol(a, from, row.debug_path, ROLE_PATH);
		row.build_id = rename_symbol(a, from, row.build_id, ROLE_CONSTANT);
		symbols_object(to, &row);
	}
	while (a->symbol_functions < y->n_functions) {
		struct symbol_function row = y->functions[a->symbol_functions++];

		row.raw = rename_symbol(a, from, row.raw, ROLE_NAME);
		row.display = rename_symbol(a, from, row.display, ROLE_NAME);
		symbols_function(to, &row);
	}
	while (a->calls < y->n_calls) {
		struct symbol_call row = y->calls[a->calls++];

		row.file = rename_symbol(a, from, row.file, ROLE_PATH);
		symbols_call(to, &row);
	}
	while (a->bindings < y->n_bindings && a->bindings < a->tables.locations.n) {
		size_t i = a->bindings++;

		symbols_bind(to, a->tables.locations.to[i], &y->bindings[i]);
	}
}

static void copy_rows(struct anonymize *a, const struct trace *from)
{
	merge_rows(&a->tables, from, a->t);
	anonymize_copy_symbols(a, from);
}

/* --- what is no table --- */

/* Words of formats, which say how to read what is there. */
static bool anonymize_is_plain(const char *key, const char *value)
{
	static const char *const keys[] = {"format",        "clock",    "slide",   "lua",
					   "perf.start_ns", "sampling", "times.of"};
	static const char *const ends[] = {
	    ".mode",      ".version",   ".layout",  ".unit",   ".paths", ".form",     ".resolution",
	    "_ns",        ".lua_bytes", ".wire",    ".list",   ".bytes", ".profiler", ".attached",
	    ".addresses", ".time_type", ".release", ".report", ".are"};

	if (!value[strspn(value, "0123456789.-")])
		return true;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(key, keys[i]))
			return true;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t n = strlen(key), m = strlen(ends[i]);

		if (n > m && !strcmp(key + n - m, ends[i]))
			return true;
	}
	return false;
}

/* A command's words are secrets one by one: notes may repeat them. */
static void keep_words_secret(struct anonymize *a, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, " \t\n\"'=:,");

		keep_secret(a, s, n);
		s += n + (s[n] != 0);
	}
}

static void anonymize_copy_attributes(struct anonymize *a, const struct trace *from)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < from->n_attributes; i++) {
		const struct trace_attribute *x = &from->attributes[i];

		b.len = 0;
		if (anonymize_is_plain(x->key, x->value)) {
			anonymize_add_scrubbed(a, &b, x->value, strlen(x->value), &a->users);
		} else {
			add_stand_in(a, &b, "text-", x->value, strlen(x->value));
			keep_words_secret(a, x->value);
			if (strstr(x->key, "host") || strstr(x->key, "user"))
				*map64_put(&a->users, hash_bytes(x->value, strlen(x->value))) = 1;
		}
		trace_set(a->t, x->key, buf_str(&b));
	}
	buf_release(&b);
}

static void copy_notes(struct anonymize *a, const struct trace *from)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < from->n_notes; i++) {
		const struct trace_note *x = &from->notes[i];
		size_t before = a->t->n_notes;

		b.len = 0;
		anonymize_add_scrubbed(a, &b, x->text, strlen(x->text), &a->secrets);
		trace_note(a->t, (enum severity)x->severity, x->count, "%s", buf_str(&b));
		if (a->t->n_notes > before)
			a->t->notes[before].symbolizing = x->symbolizing;
	}
	buf_release(&b);
}

/* --- the sink --- */

static enum status anonymize_begin(struct sink *s, struct trace *from, struct err *e)
{
	struct anonymize *a = (struct anonymize *)s;

	a->t = trace_new();
	a->tables = (struct merge_tables){.rename = anonymize_rename_string, .arg = a};
	memcpy(a->t->metrics, from->metrics, sizeof a->t->metrics);
	a->t->unordered = from->unordered;
	anonymize_copy_attributes(a, from);
	a->objects = a->symbol_functions = a->calls = a->bindings = 1;
	copy_rows(a, from);
	return a->to->begin(a->to, a->t, e);
}

static enum status anonymize_event(struct sink *s, struct trace *from, const struct event *ev,
				   struct err *e)
{
	struct anonymize *a = (struct anonymize *)s;
	struct event x = *ev;

	copy_rows(a, from);
	merge_event(&a->tables, from, a->t, &x);
	return sink_event(a->to, a->t, &x, e);
}

static enum status anonymize_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				   struct err *e)
{
	return sink_each(s, t, b, e, anonymize_event);
}

static enum status anonymize_end(struct sink *s, struct trace *from, struct err *e)
{
	struct anonymize *a = (struct anonymize *)s;
	enum status st;

	copy_rows(a, from);
	anonymize_copy_attributes(a, from);
	memcpy(a->t->metrics, from->metrics, sizeof a->t->metrics);
	copy_notes(a, from);
	trace_note(a->t, NOTE_INFO, 0, "names of files, threads and commands are stand-ins%s",
		   a->functions ? ", those of functions and types too" : "");
	a->t->cut_strings = from->cut_strings;
	st = a->to->end(a->to, a->t, e);
	trace_free(a->t);
	a->t = NULL;
	merge_tables_release(&a->tables);
	return st;
}

struct anonymize *anonymize_new(struct sink *to, bool functions, const void *key, size_t n)
{
	struct anonymize *a = mem_zalloc(sizeof *a);
	const struct siphash_key first = {0, 0}, second = {1, 0};

	a->sink =
	    (struct sink){.begin = anonymize_begin, .batch = anonymize_batch, .end = anonymize_end};
	a->to = to;
	a->functions = functions;
	a->key = (struct siphash_key){siphash(&first, key, n), siphash(&second, key, n)};
	return a;
}

void anonymize_free(struct anonymize *a)
{
	if (!a)
		return;
	trace_free(a->t);
	merge_tables_release(&a->tables);
	map64_release(&a->secrets);
	map64_release(&a->users);
	free(a);
}

struct sink *anonymize_sink(struct anonymize *a)
{
	return &a->sink;
}
