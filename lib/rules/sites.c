/* SPDX-License-Identifier: MIT */
#include "lib/rules/sites.h"

#include "lib/base/ini.h"
#include "lib/base/mem.h"
#include "lib/base/utf.h"
#include "lib/match/match.h"
#include "lib/rules/clones.h"
#include "lib/rules/linkage.h"

#include <stdlib.h>
#include <string.h>

enum { SITES_FILE_MAX = 1 << 20 };

#define SHIPPED "the shipped site rules"

/* An expression all of which begins with "^" is tried at one place of a name and not at each, and one with a result in
 * front where the result may end. */
enum part { PART_RESULT, PART_START, PART_ANYWHERE, PARTS };

static const char *const words[] = {
    [SITE_FUNCTION] = "function", [SITE_MODULE] = "module", [SITE_FILE] = "file"};

struct sites {
	struct rule {
		struct match *match;
		enum site_rule_kind kind;
		unsigned verdict;
	} * rules;
	size_t n, cap;
	/* The shipped rules of a kind, compiled when it is first asked for. Those that may begin with a byte are one, made
	 * when it is first seen: each of dozens would look through a name anew. */
	struct shipped {
		struct match **rules[PARTS];
		size_t n[PARTS], cap[PARTS];
		struct {
			struct match *rules; /* NULL: none begins so */
			bool known;
		} by_byte[PARTS][256];
	} * shipped[SITE_FILE + 1];
};

struct sites *sites_new(void)
{
	return mem_zalloc(sizeof(struct sites));
}

static void shipped_free(struct shipped *x)
{
	for (size_t part = 0; x && part < PARTS; part++) {
		for (size_t i = 0; i < x->n[part]; i++)
			match_free(x->rules[part][i]);
		for (size_t c = 0; c < 256; c++)
			match_free(x->by_byte[part][c].rules);
		free(x->rules[part]);
	}
	free(x);
}

void sites_free(struct sites *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		match_free(s->rules[i].match);
	for (size_t i = 0; i <= SITE_FILE; i++)
		shipped_free(s->shipped[i]);
	free(s->rules);
	free(s);
}

static bool sites_add_rule(struct sites *s, const char *name, struct ini *in)
{
	struct rule r = {.verdict = in->negated ? SITE_STAY : SITE_PASS};
	struct err e = ERR_INIT;

	for (r.kind = SITE_FUNCTION; in->key && r.kind <= SITE_FILE; r.kind++)
		if (!strcmp(in->key, words[r.kind]))
			break;
	if (!in->key || r.kind > SITE_FILE)
		return ini_fail(in, in->line, in->column,
				"a rule is function, module or file, and an expression; '!' before "
				"it keeps what it matches");
	r.match =
	    match_new((struct match_place){name, in->line}, in->value, strlen(in->value), 0, &e);
	if (!r.match)
		return ini_fail(in, in->line, in->value_column, "the expression: %s", e.msg);
	VEC_PUSH(s->rules, s->n, s->cap) = r;
	return true;
}

enum status sites_add(struct sites *s, const char *name, const char *text, size_t n, struct err *e)
{
	struct arena arena = ARENA_INIT;
	struct ini in = ini_of(text, n, INI_WORDS, &arena, e);

	while (ini_next(&in))
		sites_add_rule(s, name, &in);
	arena_release(&arena);
	return in.st;
}

enum status sites_add_file(struct sites *s, const char *path, struct err *e)
{
	struct buf text = BUF_INIT;
	enum status st = text_file_read(path, SITES_FILE_MAX, "a list of rules", &text, e);

	if (!st)
		st = sites_add(s, path, buf_str(&text), text.len, e);
	buf_release(&text);
	return st;
}

void sites_list(struct buf *out)
{
	for (const struct site_rule *r = site_rules; r->text; r++) {
		if (r->kind == SITE_GROUP)
			buf_addf(out, "%s# %s\n", r == site_rules ? "" : "\n", r->text);
		else
			buf_addf(out, "%s %s\n", words[r->kind], r->text);
	}
}

/* *text: without the result in front. */
static enum part part_of(const char **text)
{
	static const char result[] = SITE_RESULT;

	if (strncmp(*text, result, sizeof result - 1) != 0)
		return **text == '^' ? PART_START : PART_ANYWHERE;
	*text += sizeof result - 1;
	return PART_RESULT;
}

static struct shipped *compile_shipped(enum site_rule_kind kind)
{
	struct shipped *x = mem_zalloc(sizeof *x);
	struct err e = ERR_INIT;

	for (const struct site_rule *r = site_rules; r->text; r++) {
		const char *text = r->text;
		enum part part = part_of(&text);

		if (r->kind == kind)
			VEC_PUSH(x->rules[part], x->n[part], x->cap[part]) =
			    match_new((struct match_place){SHIPPED, 0}, text, strlen(text), 0, &e);
	}
	return x;
}

static struct match *compile_together(const struct shipped *x, enum part part, char c)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct match *m;

	for (size_t i = 0; i < x->n[part]; i++)
		if (match_may_begin(x->rules[part][i], c))
			buf_addf(&b, "%s(?:%s)", b.len ? "|" : "",
				 match_pattern(x->rules[part][i]));
	m = b.len ? match_new((struct match_place){SHIPPED, 0}, b.data, b.len, 0, &e) : NULL;
	buf_release(&b);
	return m;
}

/* A rule of this part matches at a place of the name. */
static bool match_there(struct shipped *x, enum part part, const char *name, size_t n, size_t at)
{
	unsigned char c = at < n ? (unsigned char)name[at] : 0;

	if (!x->by_byte[part][c].known)
		x->by_byte[part][c].rules = compile_together(x, part, (char)c);
	x->by_byte[part][c].known = true;
	return x->by_byte[part][c].rules && match_test_at(x->by_byte[part][c].rules, name, n, at);
}

/* Behind the arguments of a template that begin there, as "<(?:[^<>]++|(?-1))*+>" has them; 0: they do not end. */
static size_t behind_arguments(const char *name, size_t n, size_t at)
{
	size_t depth = 0, length;

	for (; at < n && (length = utf8_next(name + at, n - at, NULL)); at += length) {
		depth += name[at] == '<';
		depth -= name[at] == '>';
		if (!depth)
			return at + 1;
	}
	return 0;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_';
}

/* One matches at the begin of the name, or where SITE_RESULT ends. */
static bool match_behind_result(struct shipped *x, const char *name, size_t n)
{
	if (match_there(x, PART_RESULT, name, n, 0))
		return true;
	for (size_t at = 0, next; at < n; at = next) {
		bool ends = name[at] == ' ' || name[at] == '*' || name[at] == '&';

		if (ends && at && match_there(x, PART_RESULT, name, n, at + 1))
			return true;
		next = name[at] == '<' ? behind_arguments(name, n, at)
		       : ends || name[at] == ':' || is_word(name[at]) ? at + 1
								      : 0;
		if (!next)
			break;
	}
	return false;
}

static bool is_shipped(struct sites *s, enum site_rule_kind kind, const char *name, size_t n)
{
	struct shipped *x = s->shipped[kind];

	if (!x)
		x = s->shipped[kind] = compile_shipped(kind);
	if (match_behind_result(x, name, n) || match_there(x, PART_START, name, n, 0))
		return true;
	for (size_t i = 0; i < x->n[PART_ANYWHERE]; i++)
		if (match_test(x->rules[PART_ANYWHERE][i], name, n))
			return true;
	return false;
}

static unsigned sites_ask(struct sites *s, enum site_rule_kind kind, const char *a, const char *b)
{
	size_t na = strlen(a), nb = b && strcmp(a, b) != 0 ? strlen(b) : 0;
	size_t ka = kind == SITE_FUNCTION ? clones_cut(a, na) : na;
	size_t kb = kind == SITE_FUNCTION ? clones_cut(b ? b : "", nb) : nb;
	unsigned verdict = 0;

	if (!na && !nb)
		return 0;
	if (is_shipped(s, kind, a, ka) || (kb && is_shipped(s, kind, b, kb)))
		verdict |= SITE_PASS;
	for (size_t i = 0; i < s->n; i++) {
		struct rule *r = &s->rules[i];

		if (r->kind != kind || (verdict & r->verdict))
			continue;
		if (match_test(r->match, a, na) || (nb && match_test(r->match, b, nb)))
			verdict |= r->verdict;
	}
	return verdict;
}

unsigned sites_function(struct sites *s, const char *display, const char *raw)
{
	return linkage_is_start(display, strlen(display))
		   ? 0
		   : sites_ask(s, SITE_FUNCTION, display, raw);
}

unsigned sites_module(struct sites *s, const char *module)
{
	return sites_ask(s, SITE_MODULE, module, NULL);
}

unsigned sites_file(struct sites *s, const char *file)
{
	return sites_ask(s, SITE_FILE, file, NULL);
}
