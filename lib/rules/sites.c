/* SPDX-License-Identifier: MIT */
#include "lib/rules/sites.h"

#include "lib/base/hash.h"
#include "lib/base/ini.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/utf.h"
#include "lib/match/match.h"
#include "lib/rules/clones.h"
#include "lib/rules/linkage.h"

#include <stdlib.h>
#include <string.h>

enum { SITES_FILE_MAX = 1 << 20, PREFIXES = 1 << 16 };

#define SHIPPED "the shipped site rules"

/* An expression all of which begins with "^" is tried at one place of a name and not at each, and one with a result in
 * front where the result may end. */
enum part { PART_RESULT, PART_START, PART_ANYWHERE, PARTS };

/* Bytes of a name's beginning, of four at most, that leave out rules. */
enum { LEVELS = 2 };
static const uint8_t level_bytes[LEVELS] = {2, 4};

static const char *const words[] = {
    [SITE_FUNCTION] = "function", [SITE_MODULE] = "module", [SITE_FILE] = "file"};

struct sites {
	struct rule {
		struct match *match;
		enum site_rule_kind kind;
		unsigned verdict;
	} * rules;
	size_t n, cap;
	/* The shipped rules of a kind, compiled when it is first asked for. Those that may match what begins like a
	 * name are one, made when it is first needed: each of dozens would look through the name anew. */
	struct shipped {
		struct match **rules[PARTS];
		size_t n[PARTS], cap[PARTS];
		struct chosen {
			struct intern sets;      /* numbers of rules, two bytes each */
			struct match **together; /* by set; NULL: not made yet */
			size_t cap_together;
			uint32_t by_byte[256];          /* set + 1; 0: not asked yet */
			struct map64 by_prefix[LEVELS]; /* the same */
		} chosen[PARTS];
	} * shipped[SITE_FILE + 1];
};

struct sites *sites_new(void)
{
	return mem_zalloc(sizeof(struct sites));
}

static void free_chosen(struct chosen *x)
{
	for (size_t i = 0; i < x->cap_together; i++)
		match_free(x->together[i]);
	free(x->together);
	intern_release(&x->sets);
	for (size_t k = 0; k < LEVELS; k++)
		map64_release(&x->by_prefix[k]);
}

static void shipped_free(struct shipped *x)
{
	for (size_t part = 0; x && part < PARTS; part++) {
		for (size_t i = 0; i < x->n[part]; i++)
			match_free(x->rules[part][i]);
		free_chosen(&x->chosen[part]);
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

/* The number of a rule in a set. */
static uint16_t rule_in(const char *set, size_t i)
{
	uint16_t rule;

	memcpy(&rule, set + i * sizeof rule, sizeof rule);
	return rule;
}

/* The rules that may match what begins with a byte. */
static uint32_t choose_by_byte(struct shipped *x, enum part part, char c)
{
	struct buf b = BUF_INIT;
	uint32_t set;

	for (size_t i = 0; i < x->n[part]; i++) {
		uint16_t rule = (uint16_t)i;

		if (match_may_begin(x->rules[part][i], c))
			buf_add(&b, &rule, sizeof rule);
	}
	set = b.len ? intern_add(&x->chosen[part].sets, b.data, b.len) : 0;
	buf_release(&b);
	return set;
}

/* Those of a set that may match what begins with some bytes. */
static uint32_t choose_by_prefix(struct shipped *x, enum part part, uint32_t from,
				 const char *prefix, size_t n)
{
	size_t len;
	const char *all = intern_text(&x->chosen[part].sets, from, &len);
	struct buf b = BUF_INIT;
	uint32_t set;

	for (size_t i = 0; i < len / sizeof(uint16_t); i++) {
		uint16_t rule = rule_in(all, i);

		if (match_may_go_on(x->rules[part][rule], prefix, n))
			buf_add(&b, &rule, sizeof rule);
	}
	set = b.len ? intern_add(&x->chosen[part].sets, b.data, b.len) : 0;
	buf_release(&b);
	return set;
}

static bool is_ascii(uint32_t bytes)
{
	return !(bytes & UINT32_C(0x80808080));
}

/* The set of the rules that may match at a place of the name; 0: none. */
static uint32_t choose_rules(struct shipped *x, enum part part, const char *name, size_t n,
			     size_t at)
{
	unsigned char c = at < n ? (unsigned char)name[at] : 0;
	struct chosen *chosen = &x->chosen[part];
	uint32_t set;

	if (!chosen->by_byte[c])
		chosen->by_byte[c] = choose_by_byte(x, part, (char)c) + 1;
	set = chosen->by_byte[c] - 1;
	for (size_t k = 0; set && k < LEVELS && n - at >= level_bytes[k]; k++) {
		uint32_t bytes = 0, *known;

		memcpy(&bytes, name + at, level_bytes[k]);
		if (!is_ascii(bytes) || chosen->by_prefix[k].n >= PREFIXES)
			break; /* a character may be cut in two */
		known = map64_put(&chosen->by_prefix[k], bytes);
		if (!*known)
			*known = choose_by_prefix(x, part, set, name + at, level_bytes[k]) + 1;
		set = *known - 1;
	}
	return set;
}

/* The rules of a set as one. */
static struct match *match_of_set(struct shipped *x, enum part part, uint32_t set)
{
	struct chosen *chosen = &x->chosen[part];
	size_t len;
	const char *all = intern_text(&chosen->sets, set, &len);
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;

	chosen->together = mem_grow_zero(chosen->together, &chosen->cap_together, (size_t)set + 1,
					 sizeof *chosen->together);
	if (chosen->together[set])
		return chosen->together[set];
	for (size_t i = 0; i < len / sizeof(uint16_t); i++)
		buf_addf(&b, "%s(?:%s)", b.len ? "|" : "",
			 match_pattern(x->rules[part][rule_in(all, i)]));
	chosen->together[set] = match_new((struct match_place){SHIPPED, 0}, b.data, b.len, 0, &e);
	buf_release(&b);
	return chosen->together[set];
}

/* A rule of this part matches at a place of the name. */
static bool match_there(struct shipped *x, enum part part, const char *name, size_t n, size_t at)
{
	uint32_t set = choose_rules(x, part, name, n, at);

	return set && match_test_at(match_of_set(x, part, set), name, n, at);
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
