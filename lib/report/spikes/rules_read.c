/* SPDX-License-Identifier: MIT
 *
 * The reader of rule files (rules.h). Comments are lines of their own, so that an expression may
 * hold any byte.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text_file.h"
#include "lib/report/spikes/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LENGTH_MAX = 200 };

static const char *const kinds[] = {"thread", "subsystem", "function"};
enum { ANY_THREAD = 1 << SPIKE_THREAD, ANY_SUBSYSTEM = 1 << SPIKE_SUBSYSTEM };
enum { ANY_FUNCTION = 1 << SPIKE_FUNCTION, OF_CALLS = ANY_SUBSYSTEM | ANY_FUNCTION };

struct parse {
	struct spike_rules *r;
	const char *name;        /* of the file */
	struct spike_rule *rule; /* NULL: [spikes], or no section yet */
	bool in_spikes;
	uint32_t line, section_line;
	const char *start; /* of the line */
	unsigned given;    /* names that the section has; bits by index */
	struct err *e;
};

struct value {
	const char *s; /* NUL-terminated, in the arena */
	size_t n, column;
};

__attribute__((format(printf, 4, 5))) static enum status fail(struct parse *p, uint32_t line,
							      size_t column, const char *fmt, ...)
{
	char text[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return err_set(p->e, ST_BAD, "line %u, column %zu: %s", line, column, text);
}

static enum status bad_value(struct parse *p, const struct value *v, const char *what)
{
	return fail(p, p->line, v->column, "'%s' is %s", v->s, what);
}

static enum status take_matches(struct parse *p, struct spike_matches *to, const struct value *v)
{
	struct err e = ERR_INIT;
	struct match *m = match_new((struct match_place){p->name, p->line}, v->s, v->n, 0, &e);

	if (!m)
		return fail(p, p->line, v->column, "the expression: %s", e.msg);
	VEC_PUSH(to->items, to->n, to->cap) = m;
	return ST_OK;
}

static enum status take_limit(struct parse *p, const struct value *v, bool *has, uint64_t *to)
{
	if (!spike_parse_limit(v->s, v->n, to))
		return bad_value(p, v, "neither a time (such as 1.5ms) nor never");
	*has = true;
	if (*to < p->r->least)
		p->r->least = *to;
	return ST_OK;
}

static enum status take_flag(struct parse *p, const struct value *v, uint8_t *to)
{
	bool yes = !strcmp(v->s, "yes");

	if (!yes && strcmp(v->s, "no") != 0)
		return bad_value(p, v, "neither yes nor no");
	*to = yes ? SPIKE_YES : SPIKE_NO;
	return ST_OK;
}

static enum status take_range(struct parse *p, const struct value *v,
			      enum status (*add)(struct tally_selection *s, const char *text,
						 struct err *e))
{
	struct err e = ERR_INIT;

	if (add(&p->rule->in, v->s, &e))
		return fail(p, p->line, v->column, "%s", e.msg);
	return ST_OK;
}

static enum status take_spikes(struct parse *p, const char *name, const struct value *v)
{
	if (!strcmp(name, "threshold"))
		return take_limit(p, v, &p->r->has_threshold, &p->r->threshold);
	if (strcmp(name, "frame-time") != 0)
		return fail(p, p->line, 1, "[spikes] has no '%s': threshold or frame-time", name);
	if (!spike_parse_limit(v->s, v->n, &p->r->frame) || !p->r->frame ||
	    p->r->frame == SPIKE_NEVER)
		return bad_value(p, v, "not a time above 0, such as 16.667ms");
	return ST_OK;
}

enum name {
	NAME_MATCH,
	NAME_FILE,
	NAME_MODULE,
	NAME_IN_THREAD,
	NAME_BELOW,
	NAME_FRAME,
	NAME_TIME,
	NAME_ACTIVE,
	NAME_THRESHOLD,
	NAME_CHILDREN,
	NAME_PARENTS,
	NAME_IGNORE,
	NAME_IGNORE_CHILDREN,
	NAME_PAUSE,
	NAME_DESCRIPTION,
	NAME_MESSAGE,
	NAME_CHANNEL,
	NAMES
};

static const struct {
	const char *word;
	unsigned kinds;
	bool many;
} names[NAMES] = {
    [NAME_MATCH] = {"match", ANY_THREAD | OF_CALLS, true},
    [NAME_FILE] = {"file", OF_CALLS, true},
    [NAME_MODULE] = {"module", OF_CALLS, true},
    [NAME_IN_THREAD] = {"thread", OF_CALLS, true},
    [NAME_BELOW] = {"below", OF_CALLS, true},
    [NAME_FRAME] = {"frame", OF_CALLS, true},
    [NAME_TIME] = {"time", OF_CALLS, true},
    [NAME_ACTIVE] = {"active", ANY_THREAD, false},
    [NAME_THRESHOLD] = {"threshold", ANY_THREAD | OF_CALLS, false},
    [NAME_CHILDREN] = {"children", ANY_FUNCTION, false},
    [NAME_PARENTS] = {"parents", ANY_FUNCTION, false},
    [NAME_IGNORE] = {"ignore", OF_CALLS, false},
    [NAME_IGNORE_CHILDREN] = {"ignore-children", ANY_FUNCTION, false},
    [NAME_PAUSE] = {"pause", OF_CALLS, false},
    [NAME_DESCRIPTION] = {"description", ANY_FUNCTION, false},
    [NAME_MESSAGE] = {"message", ANY_FUNCTION, false},
    [NAME_CHANNEL] = {"channel", OF_CALLS, false},
};

static enum status spike_rules_take_name(struct parse *p, unsigned name, const struct value *v)
{
	struct spike_rule *r = p->rule;

	switch (name) {
	case NAME_MATCH: return take_matches(p, &r->match, v);
	case NAME_FILE: return take_matches(p, &r->files, v);
	case NAME_MODULE: return take_matches(p, &r->modules, v);
	case NAME_IN_THREAD: return take_matches(p, &r->threads, v);
	case NAME_BELOW: return take_matches(p, &r->below, v);
	case NAME_FRAME: return take_range(p, v, selection_frames);
	case NAME_TIME: return take_range(p, v, selection_times);
	case NAME_ACTIVE: return take_flag(p, v, &r->active);
	case NAME_THRESHOLD: return take_limit(p, v, &r->has_threshold, &r->threshold);
	case NAME_CHILDREN: return take_limit(p, v, &r->has_children, &r->children);
	case NAME_PARENTS: return take_limit(p, v, &r->has_parents, &r->parents);
	case NAME_IGNORE: return take_flag(p, v, &r->ignore);
	case NAME_IGNORE_CHILDREN: return take_flag(p, v, &r->ignore_children);
	case NAME_PAUSE: return take_flag(p, v, &r->pause);
	case NAME_DESCRIPTION: r->describe = v->s; return ST_OK;
	case NAME_MESSAGE: r->message = v->s; return ST_OK;
	default: r->channel = v->s; return ST_OK;
	}
}

static enum status take_rule(struct parse *p, const char *name, size_t column,
			     const struct value *v)
{
	unsigned i = 0, kind = p->rule->kind;

	while (i < NAMES && (!(names[i].kinds >> kind & 1) || strcmp(names[i].word, name) != 0))
		i++;
	if (i == NAMES) {
		const char *near = NULL;

		for (unsigned k = 0; k < NAMES; k++)
			if (names[k].kinds >> kind & 1 &&
			    text_is_slip(name, strlen(name), names[k].word))
				near = names[k].word;
		return fail(p, p->line, column, "a %s has no '%s'%s%s%s", kinds[kind], name,
			    near ? "; is it '" : "", near ? near : "", near ? "'?" : "");
	}
	if (!names[i].many && p->given >> i & 1)
		return fail(p, p->line, column, "'%s' is there already", name);
	p->given |= 1u << i;
	return spike_rules_take_name(p, i, v);
}

static enum status end_section(struct parse *p)
{
	const unsigned settings = 1u << NAME_ACTIVE | 1u << NAME_THRESHOLD | 1u << NAME_CHILDREN |
				  1u << NAME_PARENTS | 1u << NAME_IGNORE |
				  1u << NAME_IGNORE_CHILDREN | 1u << NAME_PAUSE |
				  1u << NAME_DESCRIPTION | 1u << NAME_MESSAGE;
	const unsigned subjects = 1u << NAME_MATCH | 1u << NAME_FILE | 1u << NAME_MODULE;

	if (!p->rule)
		return ST_OK;
	if (!(p->given & subjects))
		return fail(p, p->section_line, 1,
			    p->rule->kind == SPIKE_THREAD ? "the thread has no 'match'"
							  : "there is no match, file or module");
	if (!(p->given & settings))
		return fail(p, p->section_line, 1, "it sets nothing, such as threshold");
	return ST_OK;
}

static enum status spike_rules_begin_section(struct parse *p, const char *s, const char *end)
{
	size_t column = (size_t)(s - p->start) + 1, n;
	enum status st = end_section(p);
	const char *word = ++s;
	unsigned kind = 0;

	if (st)
		return st;
	p->rule = NULL;
	p->in_spikes = false;
	p->given = 0;
	p->section_line = p->line;
	if (end[-1] != ']')
		return fail(p, p->line, (size_t)(end - p->start) + 1, "a section ends with ']'");
	for (end--; s < end && !text_is_blank(*s);)
		s++;
	n = (size_t)(s - word);
	text_trim(&s, &end);
	if (text_is(word, n, "spikes") && s == end) {
		p->in_spikes = true;
		return ST_OK;
	}
	while (kind < 3 && !text_is(word, n, kinds[kind]))
		kind++;
	if (kind == 3)
		return fail(p, p->line, column,
			    "a section is [spikes], [thread NAME], [subsystem NAME] or "
			    "[function NAME]");
	if (s == end || end - s > NAME_LENGTH_MAX)
		return fail(p, p->line, (size_t)(s - p->start) + 1,
			    s == end ? "it has no name" : "its name is longer than %d bytes",
			    NAME_LENGTH_MAX);
	if (p->r->n == SPIKE_RULES_MAX)
		return fail(p, p->line, column, "there are more than %d rules", SPIKE_RULES_MAX);
	VEC_PUSH(p->r->items, p->r->n, p->r->cap) = (struct spike_rule){
	    .name = arena_strndup(&p->r->arena, s, (size_t)(end - s)),
	    .line = p->line,
	    .kind = (enum spike_rule_kind)kind,
	};
	p->rule = &p->r->items[p->r->n - 1];
	selection_init(&p->rule->in);
	return ST_OK;
}

static enum status spike_rules_take_line(struct parse *p, const char *s, const char *end)
{
	const char *name, *equals, *name_end;
	struct value v;
	size_t column;

	p->start = s;
	text_trim(&s, &end);
	column = (size_t)(s - p->start) + 1;
	if (s == end || *s == '#' || *s == ';')
		return ST_OK;
	if (memchr(s, '\0', (size_t)(end - s)))
		return fail(p, p->line, column, "the line holds a NUL byte");
	if (*s == '[')
		return spike_rules_begin_section(p, s, end);
	equals = memchr(s, '=', (size_t)(end - s));
	if (!equals || equals == s)
		return fail(p, p->line, column, "neither a [section] nor 'name = value'");
	for (name_end = equals; name_end > s && text_is_blank(name_end[-1]);)
		name_end--;
	name = arena_strndup(&p->r->arena, s, (size_t)(name_end - s));
	for (s = equals + 1; s < end && text_is_blank(*s);)
		s++;
	v.n = (size_t)(end - s);
	v.s = arena_strndup(&p->r->arena, s, v.n);
	v.column = (size_t)(s - p->start) + 1;
	if (!v.n)
		return fail(p, p->line, v.column, "'%s' has no value", name);
	if (p->in_spikes)
		return take_spikes(p, name, &v);
	if (!p->rule)
		return fail(p, p->line, column, "'%s' stands before the first section", name);
	return take_rule(p, name, column, &v);
}

enum status spike_rules_add(struct spike_rules *r, const char *name, const char *text, size_t n,
			    struct err *e)
{
	struct parse p = {.r = r, .name = name, .e = e};
	struct text_lines lines = text_lines_of(text, n);
	const char *from, *end;
	enum status st = ST_OK;

	while (!st && text_lines_next(&lines, &from, &end)) {
		p.line++;
		st = spike_rules_take_line(&p, from, end);
	}
	return st ? st : end_section(&p);
}

enum status spike_rules_add_file(struct spike_rules *r, const char *path, struct err *e)
{
	struct buf text = BUF_INIT;
	enum status st = text_file_read(path, SPIKE_RULES_BYTES, "a file of rules", &text, e);

	if (!st)
		st = spike_rules_add(r, path, buf_str(&text), text.len, e);
	buf_release(&text);
	return st;
}
