/* SPDX-License-Identifier: MIT */
#include "lib/rules/owners.h"

#include "lib/base/buf.h"
#include "lib/base/ini.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/match/match.h"
#include "lib/rules/linkage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWNERS_FILE_MAX = 16 << 20 };

enum kind { OF_FUNCTION, OF_MODULE, OF_FILE, OF_TYPE, KINDS };

static const char *const words[KINDS] = {"function", "module", "file", "type"};

struct owners {
	struct rule {
		struct match *match;
		uint32_t owner; /* in names */
		enum kind kind;
	} * rules;
	size_t n, cap;
	struct intern names;
	uint32_t owner; /* of the rules that follow; 0: none yet */
};

struct owners *owners_new(void)
{
	return mem_zalloc(sizeof(struct owners));
}

void owners_free(struct owners *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++)
		match_free(o->rules[i].match);
	free(o->rules);
	intern_release(&o->names);
	free(o);
}

static bool owners_add_rule(struct owners *o, const char *name, struct ini *in)
{
	struct rule r = {.owner = o->owner};
	struct err e = ERR_INIT;

	for (r.kind = OF_FUNCTION; r.kind < KINDS; r.kind++)
		if (!strcmp(in->key, words[r.kind]))
			break;
	if (r.kind == KINDS || in->negated)
		return ini_fail(in, in->line, in->column,
				"a rule is function, module, file or type, and an expression; an "
				"owner stands in [ ]");
	if (!o->owner)
		return ini_fail(in, in->line, in->column, "no [owner] stands above the first rule");
	r.match =
	    match_new((struct match_place){name, in->line}, in->value, strlen(in->value), 0, &e);
	if (!r.match)
		return ini_fail(in, in->line, in->value_column, "the expression: %s", e.msg);
	VEC_PUSH(o->rules, o->n, o->cap) = r;
	return true;
}

enum status owners_add(struct owners *o, const char *name, const char *text, size_t n,
		       struct err *e)
{
	struct arena arena = ARENA_INIT;
	struct ini in = ini_of(text, n, INI_WORDS, &arena, e);

	while (ini_next(&in))
		if (in.key)
			owners_add_rule(o, name, &in);
		else if (!*in.section)
			ini_fail(&in, in.line, in.column, "an owner has a name");
		else
			o->owner = intern_add(&o->names, in.section, strlen(in.section));
	arena_release(&arena);
	return in.st;
}

enum status owners_add_file(struct owners *o, const char *path, struct err *e)
{
	struct buf text = BUF_INIT;
	enum status st = text_file_read(path, OWNERS_FILE_MAX, "a list of rules", &text, e);

	if (!st)
		st = owners_add(o, path, buf_str(&text), text.len, e);
	buf_release(&text);
	return st;
}

static uint32_t ask(struct owners *o, enum kind kind, const char *a, size_t na, const char *b)
{
	size_t nb = b && strcmp(a, b) != 0 ? strlen(b) : 0;

	for (size_t i = 0; i < o->n; i++) {
		struct rule *r = &o->rules[i];

		if (r->kind == kind &&
		    (match_test(r->match, a, na) || (nb && match_test(r->match, b, nb))))
			return (uint32_t)i;
	}
	return OWNER_NONE;
}

uint32_t owners_function(struct owners *o, const char *display, const char *raw)
{
	const size_t n = strlen(display);

	return linkage_is_start(display, n) ? OWNER_NONE : ask(o, OF_FUNCTION, display, n, raw);
}

uint32_t owners_module(struct owners *o, const char *module)
{
	return ask(o, OF_MODULE, module, strlen(module), NULL);
}

uint32_t owners_file(struct owners *o, const char *file)
{
	return ask(o, OF_FILE, file, strlen(file), NULL);
}

uint32_t owners_type(struct owners *o, const char *type, size_t n)
{
	return ask(o, OF_TYPE, type, n, NULL);
}

const char *owners_name(const struct owners *o, uint32_t rule)
{
	return !o || rule >= o->n ? "[no owner]"
				  : intern_text(&o->names, o->rules[rule].owner, NULL);
}

uint32_t owners_id(const struct owners *o, uint32_t rule)
{
	return !o || rule >= o->n ? 0 : o->rules[rule].owner;
}

const char *owners_name_of(const struct owners *o, uint32_t id)
{
	return !o || !id ? "[no owner]" : intern_text(&o->names, id, NULL);
}
