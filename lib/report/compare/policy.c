/* SPDX-License-Identifier: MIT
 *
 * inih splits lines; sections, lengths, lines and columns are seen to before it sees a line, since
 * it cuts long names and lines silently and takes an indented line for the value above.
 */
#include "lib/report/compare/policy.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/base/text_file.h"

#include <ini.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POLICY_FILE_MAX = 1 << 20, NAME_MAX_LEN = 200, POLICY_BUILDS_MAX = 1000 };

const char *const policy_kinds[] = {"growth", "max", "new", "coverage"};

enum section { SECTION_NONE, SECTION_POLICY, SECTION_RULE, SECTION_WAIVER };

/* A value that is looked at when its section ends, and whether it was given. */
struct later {
	const char *text;
	uint32_t line;
	size_t column;
};

struct parse {
	struct compare_policy *p;
	const char *name; /* of the file */
	struct text_lines lines;
	const char *raw; /* the present line, up to raw_end */
	const char *raw_end;
	const char *long_match; /* the value of that line where it is too long for inih; NULL */
	uint32_t line;
	enum section section;
	uint32_t section_line;
	struct later metric, key, percent, drop, absolute, count, max, new, coverage, each, total,
	    per, until, reason, rule;
	struct later against;
	struct match **match;
	size_t n_match, cap_match;
	struct waiver_limit { /* in the unit of its rule, which may come later */
		size_t waiver;
		struct later max;
	} * limits;
	size_t n_limits, cap_limits;
	bool failed;
	struct err *e;
};

__attribute__((format(printf, 4, 5))) static bool fail(struct parse *s, uint32_t line,
						       size_t column, const char *fmt, ...)
{
	char text[300];
	va_list args;

	if (s->failed)
		return false;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	err_set(s->e, ST_BAD, "line %u, column %zu: %s", line, column, text);
	s->failed = true;
	return false;
}

/* "16 KiB" is a size without its blank. */
static void policy_add_joined(struct buf *b, const char *text)
{
	char joined[64];
	size_t n = 0;
	decimal v;

	for (const char *p = text; *p && n < sizeof joined - 1; p++)
		if (*p != ' ')
			joined[n++] = *p;
	joined[n] = '\0';
	if (n != strlen(text) &&
	    (num_size_decimal(joined, n, &v) || num_time_decimal(joined, n, &v)))
		buf_addf(b, ": write %s", joined);
}

static bool fail_at(struct parse *s, const struct later *v, const char *what)
{
	struct buf hint = BUF_INIT;
	bool ok;

	if (strchr(v->text, '#'))
		buf_adds(&hint, ": a comment behind a value begins with ' ;'");
	else
		policy_add_joined(&hint, v->text);
	ok = fail(s, v->line, v->column, "'%s' is %s%s", v->text, what, buf_str(&hint));
	buf_release(&hint);
	return ok;
}

/* Millionths: sizes have a decimal parser that knows no exponents and no locales. */
static bool parse_percent(struct parse *s, const struct later *v, double *out)
{
	char text[64];
	uint64_t millionths;
	int n = (int)strlen(v->text);

	n -= n && v->text[n - 1] == '%';
	n -= n && text_is_blank(v->text[n - 1]);
	snprintf(text, sizeof text, "%.*sM", n, v->text);
	if (n > 40 || !n || v->text[n - 1] < '0' || v->text[n - 1] > '9' ||
	    !num_size(text, strlen(text), &millionths))
		return fail_at(s, v, "not a percentage");
	*out = (double)millionths / 1e6;
	return true;
}

static bool parse_number(struct parse *s, const struct later *v, uint64_t *out)
{
	return num_dec(v->text, strlen(v->text), out) || fail_at(s, v, "not a whole number");
}

/* A counter's unit is not known yet: what has no unit is in it, a time is one in any case. */
static bool parse_reading(struct parse *s, const struct later *v, struct policy_rule *r,
			  decimal *out)
{
	const char *text = v->text;
	bool negative = *text == '-';

	if (num_size_decimal(text + negative, strlen(text) - negative, out)) {
		*out = negative ? -*out : *out;
		return true;
	}
	r->time = true;
	return num_time_decimal(text, strlen(text), out) ||
	       fail_at(s, v, "neither a number nor a time");
}

static bool parse_amount(struct parse *s, const struct later *v, struct policy_rule *r,
			 decimal *out)
{
	size_t n = strlen(v->text);
	uint64_t whole = 0;

	if (r->counter)
		return parse_reading(s, v, r, out) &&
		       (*out >= 0 || v != &s->absolute || fail_at(s, v, "below 0"));
	switch (metric_table[r->metric].unit) {
	case SUM_BYTES: return num_size_decimal(v->text, n, out) || fail_at(s, v, "not a size");
	case SUM_NS:
		return (num_time_decimal(v->text, n, out) && *out >= 0) ||
		       fail_at(s, v, "not a time");
	default:
		if (!parse_number(s, v, &whole))
			return false;
		*out = decimal_of_unsigned(whole);
		return true;
	}
}

static bool parse_flag(struct parse *s, const struct later *v, bool *out)
{
	*out = !strcmp(v->text, "yes");
	return *out || !strcmp(v->text, "no") || fail_at(s, v, "neither yes nor no");
}

static bool parse_key(struct parse *s, struct policy_rule *r)
{
	r->key = POLICY_TOTAL;
	if (!s->key.text || !strcmp(s->key.text, "total"))
		return true;
	for (r->key = 0; key_words[r->key]; r->key++)
		if (!strcmp(key_words[r->key], s->key.text) && r->key != KEY_FRAME)
			return true;
	return fail_at(s, &s->key,
		       "not a key: total, type, function, site, stack, location, file, module, "
		       "thread or owner");
}

/* "counter:NAME", its mean, or with :last, :min or :max behind. */
static bool parse_counter(struct parse *s, struct policy_rule *r)
{
	const char *name = s->metric.text + 8, *colon = strrchr(name, ':');
	size_t n = strlen(name);

	r->metric = SUM_ENTRIES;
	r->stat = COUNTER_MEAN;
	for (unsigned k = 0; colon && k < COUNTER_STATS; k++)
		if (!strcmp(counter_stat_words[k], colon + 1)) {
			r->stat = (enum counter_stat)k;
			n = (size_t)(colon - name);
		}
	if (!n)
		return fail_at(s, &s->metric, "not a counter: it has no name");
	r->counter = arena_strndup(&s->p->arena, name, n);
	return true;
}

/* With those that there are: the list is longer than a message's text. */
static bool fail_metric(struct parse *s)
{
	struct buf b = BUF_INIT;

	for (unsigned m = 0; m < SUMS; m++) {
		if (metric_table[m].lists)
			buf_addf(&b, "%s%s", b.len ? ", " : "", metric_table[m].word);
	}
	err_set(s->e, ST_BAD, "line %u, column %zu: '%s' is not a metric: counter:NAME, %s",
		s->metric.line, s->metric.column, s->metric.text, buf_str(&b));
	s->failed = true;
	buf_release(&b);
	return false;
}

static bool policy_parse_metric(struct parse *s, struct policy_rule *r)
{
	if (!s->metric.text)
		return fail(s, s->section_line, 1, "the rule has no metric");
	if (!strncmp(s->metric.text, "counter:", 8))
		return parse_counter(s, r);
	for (r->metric = 0; r->metric < SUMS; r->metric++) {
		const struct metric_row *m = &metric_table[r->metric];

		if (m->lists &&
		    (!strcmp(m->word, s->metric.text) || !strcmp(m->title, s->metric.text)))
			return true;
	}
	return fail_metric(s);
}

static bool parse_per(struct parse *s, struct policy_rule *r)
{
	for (unsigned i = PER_RUN; s->per.text && i < PER_CAPTURE; i++)
		if (!strcmp(per_words[i], s->per.text)) {
			r->per = (enum run_per)i;
			return true;
		}
	return !s->per.text || fail_at(s, &s->per, "not run, frame or second");
}

/* What makes a rule one kind does not go with what makes it another. */
static bool policy_parse_kind(struct parse *s, struct policy_rule *r)
{
	const struct {
		const struct later *v;
		unsigned kinds;
		const char *word;
	} given[] = {
	    {&s->max, 1u << POLICY_MAX, "max"},
	    {&s->new, 1u << POLICY_NEW, "new"},
	    {&s->coverage, 1u << POLICY_COVERAGE, "coverage"},
	    {&s->drop, 1u << POLICY_COVERAGE, "drop"},
	    {&s->percent, 1u << POLICY_GROWTH, "percent"},
	    {&s->absolute, 1u << POLICY_GROWTH | 1u << POLICY_NEW, "absolute"},
	    {&s->count, 1u << POLICY_GROWTH | 1u << POLICY_NEW, "count"},
	    {&s->each, 1u << POLICY_GROWTH | 1u << POLICY_MAX, "each"},
	    {&s->per, 1u << POLICY_GROWTH | 1u << POLICY_MAX, "per"},
	};
	unsigned kind = s->max.text                        ? POLICY_MAX
			: s->new.text                      ? POLICY_NEW
			: s->coverage.text || s->drop.text ? POLICY_COVERAGE
							   : POLICY_GROWTH;

	r->kind = (enum policy_kind)kind;
	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		if (given[i].v->text && !(given[i].kinds >> kind & 1))
			return fail(s, given[i].v->line, 1, "'%s' does not go with '%s'",
				    given[i].word, policy_kinds[kind]);
	if (kind == POLICY_GROWTH && !s->percent.text && !s->absolute.text)
		return fail(s, s->section_line, 1,
			    "the rule needs percent, absolute, max, new or coverage");
	if (s->total.text && !s->each.text && kind != POLICY_NEW)
		return fail(s, s->total.line, 1, "'cumulative' needs 'each': totals overlap");
	if (kind == POLICY_COVERAGE && (r->key != POLICY_TOTAL || r->n_match))
		return fail(s, s->section_line, 1,
			    "coverage has no key: it covers the whole "
			    "run");
	if (r->counter && (r->key != POLICY_TOTAL || kind == POLICY_NEW || kind == POLICY_COVERAGE))
		return fail(s, s->section_line, 1,
			    "a counter has no key: use percent, absolute or max");
	if (r->counter && r->per != PER_RUN)
		return fail(s, s->per.line, 1, "a counter cannot be divided");
	if (kind == POLICY_NEW && r->key == POLICY_TOTAL)
		return fail(s, s->section_line, 1, "'new' needs a key, such as stack");
	if (r->key == POLICY_TOTAL && r->n_match)
		return fail(s, s->section_line, 1, "'match' needs a key, such as function");
	return true;
}

static bool policy_end_rule(struct parse *s)
{
	struct policy_rule *r = &s->p->rules[s->p->n_rules - 1];

	r->percent = r->drop = NAN;
	r->match = s->match;
	r->n_match = s->n_match;
	s->match = NULL;
	s->cap_match = s->n_match = 0;
	return parse_key(s, r) && policy_parse_metric(s, r) && parse_per(s, r) &&
	       policy_parse_kind(s, r) &&
	       (!s->percent.text || parse_percent(s, &s->percent, &r->percent)) &&
	       (!s->coverage.text || parse_percent(s, &s->coverage, &r->percent)) &&
	       (!s->drop.text || parse_percent(s, &s->drop, &r->drop)) &&
	       (!s->absolute.text || parse_amount(s, &s->absolute, r, &r->absolute)) &&
	       (!s->max.text || parse_amount(s, &s->max, r, &r->max)) &&
	       (!s->new.text || parse_number(s, &s->new, &r->most_new)) &&
	       (!s->count.text || parse_number(s, &s->count, &r->count)) &&
	       (!s->each.text || parse_flag(s, &s->each, &r->each)) &&
	       (!s->total.text || parse_flag(s, &s->total, &r->cumulative));
}

bool policy_date(const char *s)
{
	static const unsigned lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	uint64_t y, m, d;
	bool leap;

	if (strlen(s) != 10 || s[4] != '-' || s[7] != '-' || !num_dec(s, 4, &y) ||
	    !num_dec(s + 5, 2, &m) || !num_dec(s + 8, 2, &d) || m < 1 || m > 12 || d < 1)
		return false;
	leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
	return d <= lengths[m - 1] + (m == 2 && leap);
}

static bool policy_end_waiver(struct parse *s)
{
	struct policy_waiver *w = &s->p->waivers[s->p->n_waivers - 1];
	const char *missing = !s->rule.text     ? "rule"
			      : !s->until.text  ? "until"
			      : !s->reason.text ? "reason"
						: NULL;

	if (s->n_match > 1)
		return fail(s, s->section_line, 1, "the waiver has two expressions");
	w->match = s->n_match ? s->match[0] : NULL;
	free(s->match);
	s->match = NULL;
	s->cap_match = s->n_match = 0;
	if (s->max.text)
		VEC_PUSH(s->limits, s->n_limits, s->cap_limits) =
		    (struct waiver_limit){s->p->n_waivers - 1, s->max};
	if (missing)
		return fail(s, s->section_line, 1, "the waiver has no '%s'", missing);
	if (!policy_date(s->until.text))
		return fail_at(s, &s->until, "not a date (YYYY-MM-DD)");
	if (!*s->reason.text)
		return fail(s, s->reason.line, s->reason.column, "the reason is empty");
	w->until = s->until.text;
	w->reason = s->reason.text;
	w->rule_name = s->rule.text;
	return true;
}

static bool end_section(struct parse *s)
{
	bool ok = true;

	if (s->section == SECTION_RULE)
		ok = policy_end_rule(s);
	else if (s->section == SECTION_WAIVER)
		ok = policy_end_waiver(s);
	s->section = SECTION_NONE;
	return ok;
}

static bool take_name(struct parse *s, const char *p, const char *end, const char **name)
{
	size_t n = (size_t)(end - p);

	if (!n || n > NAME_MAX_LEN)
		return fail(s, s->line, (size_t)(p - s->raw) + 1,
			    n ? "the name is longer than %d bytes"
			      : "a rule or waiver needs a name",
			    NAME_MAX_LEN);
	*name = arena_strndup(&s->p->arena, p, n);
	return true;
}

static bool policy_begin_section(struct parse *s, const char *p, const char *end)
{
	const char *close = memchr(p, ']', (size_t)(end - p)), *word = ++p;
	struct compare_policy *to = s->p;
	const char *name;
	size_t n;

	if (s->section && !end_section(s))
		return false;
	if (!close)
		return fail(s, s->line, (size_t)(end - s->raw) + 1, "a section ends with ']'");
	while (close > p && text_is_blank(close[-1]))
		close--;
	while (p < close && !text_is_blank(*p))
		p++;
	n = (size_t)(p - word);
	while (p < close && text_is_blank(*p))
		p++;
	s->metric = s->key = s->percent = s->drop = s->absolute = s->count = s->max = s->new =
	    s->coverage = s->each = s->total = s->per = s->until = s->reason = s->rule =
		(struct later){NULL, 0, 0};
	s->section_line = s->line;
	if (n == 6 && !memcmp(word, "policy", 6) && p == close) {
		s->section = SECTION_POLICY;
	} else if (n == 4 && !memcmp(word, "rule", 4)) {
		if (!take_name(s, p, close, &name))
			return false;
		for (size_t i = 0; i < to->n_rules; i++)
			if (!strcmp(to->rules[i].name, name))
				return fail(s, s->line, (size_t)(p - s->raw) + 1,
					    "rule '%s' is a repetition of line %u", name,
					    to->rules[i].line);
		VEC_PUSH(to->rules, to->n_rules, to->cap_rules) =
		    (struct policy_rule){.name = name, .line = s->line};
		s->section = SECTION_RULE;
	} else if (n == 6 && !memcmp(word, "waiver", 6)) {
		if (!take_name(s, p, close, &name))
			return false;
		VEC_PUSH(to->waivers, to->n_waivers, to->cap_waivers) =
		    (struct policy_waiver){.name = name, .line = s->line};
		s->section = SECTION_WAIVER;
	} else {
		return fail(s, s->line, (size_t)(word - s->raw) + 1,
			    "a section is [policy], [rule NAME] or [waiver NAME]");
	}
	return true;
}

/* An expression may be longer than a line of inih: names of templates are. False: it is another line, or too long. */
static bool policy_take_long(struct parse *s, const char *p, const char *end)
{
	static const char word[] = "match";
	const char *comment;

	if (end - p > POLICY_MATCH_MAX || !text_begins(p, (size_t)(end - p), word))
		return false;
	p += sizeof word - 1;
	while (p < end && text_is_blank(*p))
		p++;
	if (p == end || (*p != '=' && *p != ':'))
		return false;
	for (comment = ++p; comment < end; comment++)
		if (*comment == ';' && text_is_blank(comment[-1]))
			end = comment;
	text_trim(&p, &end);
	s->long_match = arena_strndup(&s->p->arena, p, (size_t)(end - p));
	return true;
}

/* inih asks for lines as of fgets. */
static char *policy_next_line(char *to, int size, void *arg)
{
	struct parse *s = arg;
	const char *p, *end;

	if (s->failed || !text_lines_next(&s->lines, &p, &end))
		return NULL;
	s->raw = p;
	s->raw_end = end;
	s->line = (uint32_t)s->lines.line;
	s->long_match = NULL;
	text_trim(&p, &end);
	if (memchr(p, '\0', (size_t)(end - p))) {
		fail(s, s->line, strnlen(s->raw, (size_t)(end - s->raw)) + 1, "a NUL byte");
		return NULL;
	}
	if (p < end && *p == '[') {
		if (!policy_begin_section(s, p, end))
			return NULL;
		p = "[s]";
		end = p + 3;
	}
	if (p < end && (*p == '#' || *p == ';'))
		end = p; /* a comment may be of any length */
	if (end - p > size - 3) {
		if (!policy_take_long(s, p, end)) {
			fail(s, s->line, (size_t)size - 3, "the line is longer than %d bytes",
			     size - 3);
			return NULL;
		}
		p = "match = long";
		end = p + strlen(p);
	}
	memcpy(to, p, (size_t)(end - p));
	memcpy(to + (end - p), "\n", 2);
	return to;
}

static bool add_match(struct parse *s, const char *value, size_t column)
{
	struct err e = ERR_INIT;
	struct match *m;

	if (!*value)
		return fail(s, s->line, column, "the expression is empty");
	m = match_new((struct match_place){s->name, s->line}, value, strlen(value), 0, &e);

	if (!m)
		return fail(s, s->line, column, "the expression: %s", e.msg);
	VEC_PUSH(s->match, s->n_match, s->cap_match) = m;
	return true;
}

/* "best of N", or a build's name. */
static bool parse_against(struct parse *s, const struct later *v)
{
	static const char best[] = "best of ";
	uint64_t n = 0;

	if (s->against.text)
		return fail(s, v->line, 1, "'against' is a repetition of line %u", s->against.line);
	s->against = *v;
	if (!*v->text)
		return fail_at(s, v, "no build");
	if (strncmp(v->text, best, sizeof best - 1) != 0) {
		s->p->against = v->text;
		return true;
	}
	if (!num_dec(v->text + sizeof best - 1, strlen(v->text) - (sizeof best - 1), &n) || !n ||
	    n > POLICY_BUILDS_MAX)
		return fail_at(s, v, "not 'best of N' with a number of builds");
	s->p->best_of = n;
	return true;
}

static bool policy_map(struct parse *s, bool function, const struct later *v)
{
	struct compare_policy *p = s->p;
	struct identity_map map;

	if (!identity_map_parse(v->text, function, &p->arena, &map))
		return fail_at(s, v, "not a map of names, OLD=NEW");
	if (function)
		VEC_PUSH(p->functions, p->n_functions, p->cap_functions) = map;
	else
		VEC_PUSH(p->modules, p->n_modules, p->cap_modules) = map;
	return true;
}

static bool policy_value(struct parse *s, const char *name, const struct later *v)
{
	if (!strcmp(name, "alpha")) {
		double rate = 0;

		if (!parse_percent(s, v, &rate) || strchr(v->text, '%') || rate <= 0 || rate > 0.5)
			return fail_at(s, v, "not a rate above 0 and up to 0.5");
		s->p->alpha = rate;
		return true;
	}
	if (!strcmp(name, "runs"))
		return parse_number(s, v, &s->p->runs) &&
		       (s->p->runs > 0 || fail_at(s, v, "not a number of runs from 1 on"));
	if (!strcmp(name, "against"))
		return parse_against(s, v);
	if (!strcmp(name, "seed")) { /* of policies from when judging drew lots */
		uint64_t unused;

		return parse_number(s, v, &unused);
	}
	if (!strcmp(name, "map-path")) {
		struct err e = ERR_INIT;

		if (!s->p->paths)
			s->p->paths = paths_new();
		return !paths_add(s->p->paths, v->text, &e) ||
		       fail_at(s, v, "not a map of paths, OLD=NEW");
	}
	if (!strcmp(name, "map-module") || !strcmp(name, "map-function"))
		return policy_map(s, !strcmp(name, "map-function"), v);
	return fail(
	    s, s->line, 1,
	    "'%s' is not a setting of [policy]: alpha, against, runs, map-path, map-module or "
	    "map-function",
	    name);
}

static int policy_take_value(void *arg, const char *section, const char *name, const char *value)
{
	struct parse *s = arg;
	const struct {
		const char *word;
		struct later *to;
		enum section in;
	} names[] = {
	    {"metric", &s->metric, SECTION_RULE},     {"key", &s->key, SECTION_RULE},
	    {"percent", &s->percent, SECTION_RULE},   {"drop", &s->drop, SECTION_RULE},
	    {"absolute", &s->absolute, SECTION_RULE}, {"count", &s->count, SECTION_RULE},
	    {"max", &s->max, SECTION_RULE},           {"new", &s->new, SECTION_RULE},
	    {"coverage", &s->coverage, SECTION_RULE}, {"each", &s->each, SECTION_RULE},
	    {"cumulative", &s->total, SECTION_RULE},  {"per", &s->per, SECTION_RULE},
	    {"rule", &s->rule, SECTION_WAIVER},       {"until", &s->until, SECTION_WAIVER},
	    {"max", &s->max, SECTION_WAIVER},         {"reason", &s->reason, SECTION_WAIVER},
	};
	const char *p = s->raw;
	struct later v = {arena_strndup(&s->p->arena, value, strlen(value)), s->line, 0};
	size_t column;

	(void)section;
	while (p < s->raw_end && text_is_blank(*p))
		p++;
	column = (size_t)(p - s->raw) + 1;
	while (p < s->raw_end && *p != '=' && *p != ':')
		p++;
	if (p < s->raw_end && *p == ':')
		fail(s, s->line, (size_t)(p - s->raw) + 1, "'%s' is followed by ':': write '%s ='",
		     name, name);
	for (p += p < s->raw_end; p < s->raw_end && text_is_blank(*p);)
		p++;
	v.column = (size_t)(p - s->raw) + 1;
	if (s->failed)
		return 1;
	if (s->section == SECTION_NONE)
		fail(s, s->line, column, "'%s' comes before the first section", name);
	else if (s->section == SECTION_POLICY)
		policy_value(s, name, &v);
	else if (!strcmp(name, "match"))
		add_match(s, s->long_match ? s->long_match : value, v.column);
	else {
		size_t i = 0, n = sizeof names / sizeof *names;

		char near[64] = "";

		while (i < n && (names[i].in != s->section || strcmp(names[i].word, name) != 0))
			i++;
		for (size_t k = 0; i == n && k < n; k++)
			if (names[k].in == s->section &&
			    text_is_slip(name, strlen(name), names[k].word))
				snprintf(near, sizeof near, "; did you mean '%s'?", names[k].word);
		if (i == n)
			fail(s, s->line, column, "a %s has no setting '%s'%s",
			     s->section == SECTION_RULE ? "rule" : "waiver", name, near);
		else if (names[i].to->text)
			fail(s, s->line, column, "'%s' is a repetition of line %u", name,
			     names[i].to->line);
		else
			*names[i].to = v;
	}
	return 1;
}

/* A rule may come after its waiver. */
static bool link_waivers(struct parse *s)
{
	struct compare_policy *p = s->p;

	for (size_t i = 0; i < p->n_waivers; i++) {
		struct policy_waiver *w = &p->waivers[i];

		w->rule = SIZE_MAX;

		for (size_t k = 0; k < p->n_rules; k++)
			if (!strcmp(p->rules[k].name, w->rule_name))
				w->rule = k;
		if (w->rule == SIZE_MAX)
			return fail(s, w->line, 1, "waiver '%s': no rule '%s' exists", w->name,
				    w->rule_name);
	}
	for (size_t i = 0; i < s->n_limits; i++) {
		struct policy_waiver *w = &p->waivers[s->limits[i].waiver];
		struct policy_rule r = p->rules[w->rule];

		w->has_max = true;
		if (!parse_amount(s, &s->limits[i].max, &r, &w->max))
			return false;
	}
	return true;
}

enum status policy_parse(struct compare_policy *p, const char *name, const char *text, size_t n,
			 struct err *e)
{
	struct parse s = {.p = p, .name = name, .lines = text_lines_of(text, n), .e = e};
	int line;

	*p = (struct compare_policy){.alpha = 0.05, .runs = 1};
	line = ini_parse_stream(policy_next_line, &s, policy_take_value, &s);
	if (line > 0) { /* the first failure of ours ends the reading, so inih's came before */
		s.failed = false;
		fail(&s, (uint32_t)line, 1, "neither a [section] nor 'name = value'");
	}
	if (!s.failed && s.section)
		end_section(&s);
	if (!s.failed)
		link_waivers(&s);
	if (!s.failed && !p->n_rules)
		fail(&s, s.line ? s.line : 1, 1,
		     "the policy has no [rule NAME]: it would check nothing");
	for (size_t i = 0; i < s.n_match; i++)
		match_free(s.match[i]);
	free(s.match);
	free(s.limits);
	if (!s.failed)
		return ST_OK;
	policy_release(p);
	return err_failure(e);
}

enum status policy_read(struct compare_policy *p, const char *path, struct err *e)
{
	struct buf text = BUF_INIT;
	enum status st;

	*p = (struct compare_policy){.alpha = 0};
	st = text_file_read(path, POLICY_FILE_MAX, "a policy", &text, e);
	if (!st)
		st = policy_parse(p, path, buf_str(&text), text.len, e);
	buf_release(&text);
	return st;
}

void policy_release(struct compare_policy *p)
{
	for (size_t i = 0; i < p->n_rules; i++) {
		for (size_t k = 0; k < p->rules[i].n_match; k++)
			match_free(p->rules[i].match[k]);
		free(p->rules[i].match);
	}
	for (size_t i = 0; i < p->n_waivers; i++)
		match_free(p->waivers[i].match);
	free(p->rules);
	free(p->waivers);
	paths_free(p->paths);
	free(p->modules);
	free(p->functions);
	arena_release(&p->arena);
	*p = (struct compare_policy){.alpha = 0};
}
