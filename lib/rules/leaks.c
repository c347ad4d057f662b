/* SPDX-License-Identifier: MIT */
#include "lib/rules/leaks.h"

#include "lib/base/hash.h"
#include "lib/base/ini.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAKS_FILE_MAX = 1 << 20, LEAKS_RULES = 4096, NONE_YET = 0, NO_RULE = 1, FIRST_RULE = 2 };

/* From glibc 2.36 (locale/, intl/, libio/, elf/, nptl/, time/, nss/, stdlib/cxa_atexit.c) and GCC 12's
 * libstdc++: each keeps what it allocates until the process ends. */
/* What keeps the blocks, and its rules. */
static const struct {
	const char *name, *patterns[7];
} shipped_rules[] = {
    {"locales",
     {"^setlocale$", "^newlocale$", "^_nl_*", "^new_composite_name$", "std::locale::_S_initialize*",
      "std::locale::classic*"}},
    {"translations", {"^__bindtextdomain", "^set_binding_values$", "^textdomain$"}},
    {"character conversion", {"^__gconv_*"}},
    {"buffers of standard I/O", {"^_IO_file_doallocate$", "^_IO_wfile_doallocate$"}},
    {"thread-local storage", {"^_dl_allocate_tls", "^allocate_dtv"}},
    {"loaded libraries", {"^_dl_new_object$", "^_dl_map_object*"}},
    {"errors of dlopen", {"^_dlerror_run$", "^_dl_signal_error$"}},
    {"time zones", {"^tzset_internal$", "^__tzfile_read$", "^__tzset_parse_tz$"}},
    {"name services", {"^__nss_*"}},
    {"exit handlers", {"^__new_exitfn$"}},
    {"libstdc++'s exception pool", {"__gnu_cxx::__freeres", "(anonymous namespace)::pool::pool"}},
};
/* The pool for exceptions when there is no memory has no name where libstdc++ has no symbols: what libstdc++'s own
 * initialiser keeps is that. */
static const char own_initialiser[] = "libstdc++'s exception pool";

struct leak_rule {
	char *pattern;
	const char *name; /* what is counted; of a file's rule its pattern */
	size_t counts;    /* the first rule of that name, which has the sums of all */
	uint64_t blocks, bytes;
};

struct leaks {
	struct leak_rule *rules; /* [0] is own_initialiser, where there are the shipped ones */
	size_t n, cap;
	bool shipped;
	struct map64 stacks, locations; /* of the capture: NO_RULE, or rule + FIRST_RULE */
	bool sorted;
};

bool leaks_match(const char *pattern, const char *s)
{
	bool start = *pattern == '^', free_start;

	if (!*s)
		return false;
	pattern += start;
	free_start = !start;
	while (*pattern) {
		size_t n = strcspn(pattern, "*$");
		const char *at;

		if (*pattern == '*') {
			pattern++;
			free_start = true;
			continue;
		}
		if (*pattern == '$')
			return free_start || !*s;
		at = memmem(s, strlen(s), pattern, n);
		if (!at || (!free_start && at != s))
			return false;
		/* Before '$' the last place counts. */
		if (free_start && pattern[n] == '$')
			at = strlen(s) >= n && !strncmp(s + strlen(s) - n, pattern, n)
				 ? s + strlen(s) - n
				 : s;
		s = at + n;
		pattern += n;
		free_start = false;
	}
	return true;
}

/* name: NULL: the pattern. */
static void add_rule(struct leaks *l, const char *s, size_t n, const char *name)
{
	struct leak_rule r = {.pattern = mem_strndup(s, n), .name = name};

	r.name = name ? name : r.pattern;
	while (r.counts < l->n && strcmp(l->rules[r.counts].name, r.name) != 0)
		r.counts++;
	VEC_PUSH(l->rules, l->n, l->cap) = r;
}

struct leaks *leaks_new(bool shipped)
{
	struct leaks *l = mem_zalloc(sizeof *l);

	l->shipped = shipped;
	if (shipped)
		add_rule(l, own_initialiser, strlen(own_initialiser), NULL);
	for (size_t i = 0; shipped && i < sizeof shipped_rules / sizeof *shipped_rules; i++)
		for (const char *const *at = shipped_rules[i].patterns; *at; at++)
			add_rule(l, *at, strlen(*at), shipped_rules[i].name);
	return l;
}

void leaks_free(struct leaks *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		free(l->rules[i].pattern);
	free(l->rules);
	map64_release(&l->stacks);
	map64_release(&l->locations);
	free(l);
}

enum status leaks_add_file(struct leaks *l, const char *path, struct err *e)
{
	struct arena arena = ARENA_INIT;
	struct buf text = BUF_INIT;
	enum status st = text_file_read(path, LEAKS_FILE_MAX, "a list of suppressions", &text, e);
	struct ini in = ini_of(text.data, text.len, INI_COLONS, &arena, e);

	while (!st && ini_next(&in))
		if (!in.key || strcmp(in.key, "leak") != 0)
			ini_fail(&in, in.line, in.column, "a suppression is leak:PATTERN");
		else if (l->n == LEAKS_RULES)
			ini_fail(&in, in.line, in.column, "more than %d suppressions", LEAKS_RULES);
		else
			add_rule(l, in.value, strlen(in.value), NULL);
	arena_release(&arena);
	buf_release(&text);
	return st ? st : in.st;
}

void leaks_list(struct buf *out)
{
	for (size_t i = 0; i < sizeof shipped_rules / sizeof *shipped_rules; i++) {
		buf_addf(out, "# %s\n", shipped_rules[i].name);
		for (const char *const *at = shipped_rules[i].patterns; *at; at++)
			buf_addf(out, "leak:%s\n", *at);
	}
	buf_adds(out, "# and what libstdc++'s own initialiser keeps, where it has no symbols\n");
}

/* --- stacks --- */

static bool base_begins(const char *path, const char *with)
{
	return !strncmp(path_base(path), with, strlen(with));
}

static const char *module_of(const struct trace *t, uint32_t location)
{
	const struct binding *b = symbols_binding(&t->symbols, location);
	const struct location *l = &t->locations[location];
	const struct module *m;

	if (b->object)
		return intern_text(&t->symbols.strings, t->symbols.objects[b->object].name, NULL);
	if (l->module && l->module < t->n_modules)
		return trace_text(t, t->modules[l->module].name);
	m = l->space == SPACE_RUNTIME ? trace_module_at(t, l->process, l->epoch, l->raw) : NULL;
	return m ? trace_text(t, m->name) : "";
}

/* glibc's functions have this before their names where it calls them itself. */
static const char *without_mark(const char *function)
{
	const char *rest = function;

	for (const char *mark = "__GI_"; *mark; mark++)
		if (*rest++ != *mark)
			return function;
	return rest;
}

static size_t rule_of_call(const struct leaks *l, const char *function, const char *raw,
			   const char *file, const char *module)
{
	function = without_mark(function);
	raw = without_mark(raw);
	for (size_t i = l->shipped ? 1 : 0; i < l->n; i++) {
		const char *p = l->rules[i].pattern;

		if (leaks_match(p, function) || leaks_match(p, raw) || leaks_match(p, file) ||
		    leaks_match(p, module))
			return i;
	}
	return l->n;
}

static size_t leaks_rule_of_location(const struct leaks *l, const struct trace *t,
				     uint32_t location)
{
	const struct trace_symbols *y = &t->symbols;
	const struct location *at = &t->locations[location];
	const char *module = module_of(t, location);
	const struct binding *b = symbols_binding(y, location);
	uint32_t call = b->call;
	size_t rule = l->n;

	if (!call || b->tier <= TIER_MODULE)
		return rule_of_call(l, trace_text(t, at->name), "", trace_text(t, at->file),
				    module);
	for (; call && rule == l->n; call = y->calls[call].outer) {
		const struct symbol_function *f = &y->functions[y->calls[call].function];

		rule = rule_of_call(l, intern_text(&y->strings, f->display, NULL),
				    intern_text(&y->strings, f->raw, NULL),
				    intern_text(&y->strings, y->calls[call].file, NULL), module);
	}
	return rule;
}

/* A rule by its number, or l->n, as *known has it. */
static size_t kept_rule(const struct leaks *l, uint32_t known)
{
	return known == NO_RULE ? l->n : known - FIRST_RULE;
}

static uint32_t rule_to_keep(const struct leaks *l, size_t rule)
{
	return rule == l->n ? NO_RULE : (uint32_t)rule + FIRST_RULE;
}

/* Few locations are in many stacks. */
static size_t rule_of_location(struct leaks *l, const struct trace *t, uint32_t location)
{
	uint32_t *known = map64_put(&l->locations, location);

	if (*known == NONE_YET)
		*known = rule_to_keep(l, leaks_rule_of_location(l, t, location));
	return kept_rule(l, *known);
}

static size_t rule_of_stack(struct leaks *l, const struct trace *t, uint32_t stack)
{
	size_t rule = l->n;
	bool inside = false;

	for (; stack && rule == l->n; stack = t->stacks[stack].parent) {
		const char *module = module_of(t, t->stacks[stack].location);

		if (l->shipped && inside && base_begins(module, "ld-"))
			return 0;
		inside = base_begins(module, "libstdc++.so");
		rule = rule_of_location(l, t, t->stacks[stack].location);
	}
	return rule;
}

bool leaks_none(struct leaks *l, const struct trace *t, uint32_t stack, uint64_t blocks,
		uint64_t bytes)
{
	uint32_t *known;
	size_t rule;

	if (!stack)
		return false;
	known = map64_put(&l->stacks, stack);
	if (*known == NONE_YET)
		*known = rule_to_keep(l, rule_of_stack(l, t, stack));
	rule = kept_rule(l, *known);
	if (rule == l->n)
		return false;
	rule = l->rules[rule].counts;
	l->rules[rule].blocks += blocks;
	l->rules[rule].bytes += bytes;
	return true;
}

void leaks_next(struct leaks *l)
{
	map64_release(&l->stacks);
	map64_release(&l->locations);
}

static int leaks_by_bytes(const void *a, const void *b)
{
	const struct leak_rule *x = a, *y = b;

	return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

bool leaks_counted(struct leaks *l, size_t i, struct leaks_counted *c)
{
	if (!l->sorted && l->n)
		qsort(l->rules, l->n, sizeof *l->rules, leaks_by_bytes);
	l->sorted = true;
	if (i >= l->n || !l->rules[i].blocks)
		return false;
	*c = (struct leaks_counted){l->rules[i].name, l->rules[i].blocks, l->rules[i].bytes};
	return true;
}
