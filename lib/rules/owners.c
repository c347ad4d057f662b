/* SPDX-License-Identifier: MIT */
#include "lib/rules/owners.h"

#include "lib/base/buf.h"
#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/text_file.h"
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

/* "[Name]" */
static enum status add_owner(struct owners *o, const char *p, const char *end, struct err *e)
{
	if (end[-1] != ']')
		return err_set(e, ST_BAD, "an owner ends with ']'");
	p++;
	end--;
	text_trim(&p, &end);
	if (p == end)
		return err_set(e, ST_BAD, "an owner has a name");
	o->owner = intern_add(&o->names, p, (size_t)(end - p));
	return ST_OK;
}

/* *at: where the error is. */
static enum status owners_add_rule(struct owners *o, struct match_place from, const char *p,
				   const char *end, const char **at, struct err *e)
{
	struct rule r = {.owner = o->owner};
	const char *word = p;

	while (p < end && !text_is_blank(*p))
		p++;
	for (r.kind = OF_FUNCTION; r.kind < KINDS; r.kind++)
		if (text_is(word, (size_t)(p - word), words[r.kind]))
			break;
	if (r.kind == KINDS)
		return err_set(e, ST_BAD,
			       "a rule is function, module, file or type, and an expression; an "
			       "owner stands in [ ]");
	if (!o->owner)
		return err_set(e, ST_BAD, "no [owner] stands above the first rule");
	while (p < end && text_is_blank(*p))
		p++;
	*at = p;
	if (p == end)
		return err_set(e, ST_BAD, "no expression after '%s'", words[r.kind]);
	r.match = match_new(from, p, (size_t)(end - p), 0, e);
	if (!r.match)
		return err_failure(e);
	VEC_PUSH(o->rules, o->n, o->cap) = r;
	return ST_OK;
}

static enum status add_line(struct owners *o, struct match_place from, const char *p,
			    const char *end, struct err *e)
{
	const char *start = p, *at;
	enum status st;

	text_trim(&p, &end);
	if (p == end || *p == '#')
		return ST_OK;
	at = p;
	st = *p == '[' ? add_owner(o, p, end, e) : owners_add_rule(o, from, p, end, &at, e);
	if (st)
		err_prefix(e, "line %zu, column %zu", from.line, (size_t)(at - start) + 1);
	return st;
}

enum status owners_add(struct owners *o, const char *name, const char *text, size_t n,
		       struct err *e)
{
	struct text_lines lines = text_lines_of(text, n);
	const char *from, *end;
	enum status st = ST_OK;

	while (!st && text_lines_next(&lines, &from, &end))
		st = add_line(o, (struct match_place){name, lines.line}, from, end, e);
	return st;
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
