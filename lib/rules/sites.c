/* SPDX-License-Identifier: MIT */
#include "lib/rules/sites.h"

#include "lib/base/ini.h"
#include "lib/base/mem.h"
#include "lib/match/match.h"
#include "lib/rules/clones.h"
#include "lib/rules/linkage.h"

#include <stdlib.h>
#include <string.h>

enum { SITES_FILE_MAX = 1 << 20 };

/* An expression all of which begins with "^" is tried at one place of a name and not at each, and a
 * result in front is looked for once. */
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
	/* The shipped rules of a kind, some together: a few passes over a name instead of fifty.
	 * Compiled when first asked for. */
	struct match *shipped[SITE_FILE + 1][PARTS];
	bool compiled[SITE_FILE + 1];
};

struct sites *sites_new(void)
{
	return mem_zalloc(sizeof(struct sites));
}

void sites_free(struct sites *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		match_free(s->rules[i].match);
	for (size_t i = 0; i <= SITE_FILE; i++)
		for (size_t k = 0; k < PARTS; k++)
			match_free(s->shipped[i][k]);
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

static void compile_shipped(struct sites *s, enum site_rule_kind kind)
{
	struct buf b[PARTS] = {BUF_INIT};
	struct err e = ERR_INIT;

	for (const struct site_rule *r = site_rules; r->text; r++) {
		const char *text = r->text;
		enum part part = part_of(&text);

		if (r->kind != kind)
			continue;
		if (!b[part].len)
			buf_adds(&b[part], part == PART_RESULT ? SITE_RESULT "(?:" : "(?:");
		else
			buf_addc(&b[part], '|');
		buf_addf(&b[part], "(?:%s)", text);
	}
	for (size_t k = 0; k < PARTS; k++) {
		if (b[k].len) {
			buf_addc(&b[k], ')');
			s->shipped[kind][k] =
			    match_new((struct match_place){"the shipped site rules", 0}, b[k].data,
				      b[k].len, 0, &e);
		}
		buf_release(&b[k]);
	}
	s->compiled[kind] = true;
}

static bool is_shipped(struct sites *s, enum site_rule_kind kind, const char *name, size_t n)
{
	if (!s->compiled[kind])
		compile_shipped(s, kind);
	for (size_t k = 0; k < PARTS; k++)
		if (s->shipped[kind][k] && match_test(s->shipped[kind][k], name, n))
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
