/* SPDX-License-Identifier: MIT
 *
 * The reader of the rule file.
 */
#include "lib/base/ini.h"
#include "lib/base/mem.h"
#include "lib/report/spikes/rules.h"

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
	uint32_t section_line;
	unsigned given;     /* names that the section has; bits by index */
	uint32_t lines[32]; /* of each */
	struct ini in;
};

static bool fail(struct parse *p, const char *what)
{
	return ini_fail(&p->in, p->in.line, p->in.value_column, "'%s' is %s", p->in.value, what);
}

static bool parse_matches(struct parse *p, struct spike_matches *to)
{
	struct err e = ERR_INIT;
	struct match *m = match_new((struct match_place){p->name, p->in.line}, p->in.value,
				    strlen(p->in.value), 0, &e);

	if (!m)
		return ini_fail(&p->in, p->in.line, p->in.value_column, "the expression: %s",
				e.msg);
	VEC_PUSH(to->items, to->n, to->cap) = m;
	return true;
}

static bool parse_limit(struct parse *p, bool *has, uint64_t *to)
{
	if (!spike_parse_limit(p->in.value, strlen(p->in.value), to))
		return fail(p, "neither a time (such as 1.5ms) nor never");
	*has = true;
	if (*to < p->r->least)
		p->r->least = *to;
	return true;
}

static bool parse_flag(struct parse *p, uint8_t *to)
{
	bool yes = !strcmp(p->in.value, "yes");

	if (!yes && strcmp(p->in.value, "no") != 0)
		return fail(p, "neither yes nor no");
	*to = yes ? SPIKE_YES : SPIKE_NO;
	return true;
}

static bool parse_range(struct parse *p, enum status (*add)(struct tally_selection *s,
							    const char *text, struct err *e))
{
	struct err e = ERR_INIT;

	if (add(&p->rule->in, p->in.value, &e))
		return ini_fail(&p->in, p->in.line, p->in.value_column, "%s", e.msg);
	return true;
}

static bool parse_spikes(struct parse *p, const char *name)
{
	if (!strcmp(name, "threshold"))
		return parse_limit(p, &p->r->has_threshold, &p->r->threshold);
	if (strcmp(name, "frame-time") != 0)
		return ini_fail(&p->in, p->in.line, 1,
				"[spikes] has no '%s': threshold or frame-time", name);
	if (!spike_parse_limit(p->in.value, strlen(p->in.value), &p->r->frame) || !p->r->frame ||
	    p->r->frame == SPIKE_NEVER)
		return fail(p, "not a time above 0, such as 16.667ms");
	return true;
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

static bool spike_rules_parse_name(struct parse *p, unsigned name)
{
	struct spike_rule *r = p->rule;

	switch (name) {
	case NAME_MATCH: return parse_matches(p, &r->match);
	case NAME_FILE: return parse_matches(p, &r->files);
	case NAME_MODULE: return parse_matches(p, &r->modules);
	case NAME_IN_THREAD: return parse_matches(p, &r->threads);
	case NAME_BELOW: return parse_matches(p, &r->below);
	case NAME_FRAME: return parse_range(p, selection_frames);
	case NAME_TIME: return parse_range(p, selection_times);
	case NAME_ACTIVE: return parse_flag(p, &r->active);
	case NAME_THRESHOLD: return parse_limit(p, &r->has_threshold, &r->threshold);
	case NAME_CHILDREN: return parse_limit(p, &r->has_children, &r->children);
	case NAME_PARENTS: return parse_limit(p, &r->has_parents, &r->parents);
	case NAME_IGNORE: return parse_flag(p, &r->ignore);
	case NAME_IGNORE_CHILDREN: return parse_flag(p, &r->ignore_children);
	case NAME_PAUSE: return parse_flag(p, &r->pause);
	case NAME_DESCRIPTION: r->describe = p->in.value; return true;
	case NAME_MESSAGE: r->message = p->in.value; return true;
	default: r->channel = p->in.value; return true;
	}
}

static bool parse_rule(struct parse *p, const char *name)
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
		return ini_fail_unknown(&p->in, kinds[kind], near);
	}
	if (!names[i].many && p->given >> i & 1)
		return ini_fail_repeated(&p->in, p->lines[i]);
	p->given |= 1u << i;
	p->lines[i] = p->in.line;
	return spike_rules_parse_name(p, i);
}

static bool end_section(struct parse *p)
{
	const unsigned settings = 1u << NAME_ACTIVE | 1u << NAME_THRESHOLD | 1u << NAME_CHILDREN |
				  1u << NAME_PARENTS | 1u << NAME_IGNORE |
				  1u << NAME_IGNORE_CHILDREN | 1u << NAME_PAUSE |
				  1u << NAME_DESCRIPTION | 1u << NAME_MESSAGE;
	const unsigned subjects = 1u << NAME_MATCH | 1u << NAME_FILE | 1u << NAME_MODULE;

	if (!p->rule)
		return true;
	if (!(p->given & subjects))
		return ini_fail(&p->in, p->section_line, 1,
				p->rule->kind == SPIKE_THREAD
				    ? "the thread has no 'match'"
				    : "there is no match, file or module");
	if (!(p->given & settings))
		return ini_fail(&p->in, p->section_line, 1, "it sets nothing, such as threshold");
	return true;
}

static bool spike_rules_begin_section(struct parse *p)
{
	const char *name = NULL;
	unsigned kind = 0;

	p->rule = NULL;
	p->in_spikes = !strcmp(p->in.section, "spikes");
	p->given = 0;
	p->section_line = p->in.line;
	if (p->in_spikes)
		return true;
	while (kind < 3 && !(name = ini_name(&p->in, kinds[kind])))
		kind++;
	if (!name)
		return ini_fail(&p->in, p->in.line, p->in.column,
				"a section is [spikes], [thread NAME], [subsystem NAME] or "
				"[function NAME]");
	if (!*name || strlen(name) > NAME_LENGTH_MAX)
		return ini_fail(&p->in, p->in.line,
				p->in.value_column + (size_t)(name - p->in.section),
				!*name ? "it has no name" : "its name is longer than %d bytes",
				NAME_LENGTH_MAX);
	if (p->r->n == SPIKE_RULES_MAX)
		return ini_fail(&p->in, p->in.line, p->in.column, "there are more than %d rules",
				SPIKE_RULES_MAX);
	VEC_PUSH(p->r->items, p->r->n, p->r->cap) = (struct spike_rule){
	    .name = name,
	    .line = p->in.line,
	    .kind = (enum spike_rule_kind)kind,
	};
	p->rule = &p->r->items[p->r->n - 1];
	selection_init(&p->rule->in);
	return true;
}

static bool spike_rules_parse_line(struct parse *p)
{
	if (!p->in.key)
		return end_section(p) && spike_rules_begin_section(p);
	if (p->in_spikes)
		return parse_spikes(p, p->in.key);
	if (!p->rule)
		return ini_fail(&p->in, p->in.line, p->in.column,
				"'%s' stands before the first section", p->in.key);
	return parse_rule(p, p->in.key);
}

enum status spike_rules_add(struct spike_rules *r, const char *name, const char *text, size_t n,
			    struct err *e)
{
	struct parse p = {.r = r, .name = name};

	p.in = ini_of(text, n, 0, &r->arena, e);
	while (ini_next(&p.in))
		spike_rules_parse_line(&p);
	if (!p.in.st)
		end_section(&p);
	return p.in.st;
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
