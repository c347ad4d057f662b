/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/policy.h"

#include "lib/base/ini.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/tally/pacing.h"

#include <math.h>
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
	struct ini in;
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
};

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

	policy_add_joined(&hint, v->text);
	ok = ini_fail(&s->in, v->line, v->column, "'%s' is %s%s", v->text, what, buf_str(&hint));
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

/* A counter's NAME: its mean, or with :last, :min or :max behind. */
static bool parse_counter(struct parse *s, struct policy_rule *r, const char *name)
{
	const char *colon = strrchr(name, ':');
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
	ini_fail(&s->in, s->metric.line, s->metric.column, "'%s' is not a metric: counter:NAME, %s",
		 s->metric.text, buf_str(&b));
	buf_release(&b);
	return false;
}

static bool policy_parse_metric(struct parse *s, struct policy_rule *r)
{
	if (!s->metric.text)
		return ini_fail(&s->in, s->section_line, 1, "the rule has no metric");
	if (!strncmp(s->metric.text, "counter:", 8))
		return parse_counter(s, r, s->metric.text + 8);
	for (unsigned m = 0; m < PACING_METRICS; m++)
		if (!strcmp(pacing_words[m].name, s->metric.text))
			return parse_counter(s, r, s->metric.text);
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
			return ini_fail(&s->in, given[i].v->line, 1, "'%s' does not go with '%s'",
					given[i].word, policy_kinds[kind]);
	if (kind == POLICY_GROWTH && !s->percent.text && !s->absolute.text)
		return ini_fail(&s->in, s->section_line, 1,
				"the rule needs percent, absolute, max, new or coverage");
	if (s->total.text && !s->each.text && kind != POLICY_NEW)
		return ini_fail(&s->in, s->total.line, 1,
				"'cumulative' needs 'each': totals overlap");
	if (kind == POLICY_COVERAGE && (r->key != POLICY_TOTAL || r->n_match))
		return ini_fail(&s->in, s->section_line, 1,
				"coverage has no key: it covers the whole "
				"run");
	if (r->counter && (r->key != POLICY_TOTAL || kind == POLICY_NEW || kind == POLICY_COVERAGE))
		return ini_fail(&s->in, s->section_line, 1,
				"a counter has no key: use percent, absolute or max");
	if (r->counter && r->per != PER_RUN)
		return ini_fail(&s->in, s->per.line, 1, "a counter cannot be divided");
	if (kind == POLICY_NEW && r->key == POLICY_TOTAL)
		return ini_fail(&s->in, s->section_line, 1, "'new' needs a key, such as stack");
	if (r->key == POLICY_TOTAL && r->n_match)
		return ini_fail(&s->in, s->section_line, 1,
				"'match' needs a key, such as function");
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
		return ini_fail(&s->in, s->section_line, 1, "the waiver has two expressions");
	w->match = s->n_match ? s->match[0] : NULL;
	free(s->match);
	s->match = NULL;
	s->cap_match = s->n_match = 0;
	if (s->max.text)
		VEC_PUSH(s->limits, s->n_limits, s->cap_limits) =
		    (struct waiver_limit){s->p->n_waivers - 1, s->max};
	if (missing)
		return ini_fail(&s->in, s->section_line, 1, "the waiver has no '%s'", missing);
	if (!policy_date(s->until.text))
		return fail_at(s, &s->until, "not a date (YYYY-MM-DD)");
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

static bool policy_check_name(struct parse *s, const char *name)
{
	size_t n = strlen(name), column = s->in.value_column + (size_t)(name - s->in.section);
	const char *junk = strchr(name, ']');

	if (junk)
		return ini_fail(&s->in, s->in.line, column + (size_t)(junk - name) + 1,
				"a section ends with ']': ' ;' begins a comment, unless a "
				"backslash is before the ';'");
	return (n && n <= NAME_MAX_LEN) ||
	       ini_fail(&s->in, s->in.line, column,
			n ? "the name is longer than %d bytes" : "a rule or waiver needs a name",
			NAME_MAX_LEN);
}

static bool policy_begin_section(struct parse *s)
{
	const char *rule = ini_name(&s->in, "rule"), *waiver = ini_name(&s->in, "waiver");
	const uint32_t line = s->in.line;
	struct compare_policy *to = s->p;

	s->metric = s->key = s->percent = s->drop = s->absolute = s->count = s->max = s->new =
	    s->coverage = s->each = s->total = s->per = s->until = s->reason = s->rule =
		(struct later){NULL, 0, 0};
	s->section_line = line;
	if (!strcmp(s->in.section, "policy")) {
		s->section = SECTION_POLICY;
	} else if (rule) {
		if (!policy_check_name(s, rule))
			return false;
		for (size_t i = 0; i < to->n_rules; i++)
			if (!strcmp(to->rules[i].name, rule))
				return ini_fail(&s->in, line,
						s->in.value_column + (size_t)(rule - s->in.section),
						"rule '%s' is a repetition of line %u", rule,
						to->rules[i].line);
		VEC_PUSH(to->rules, to->n_rules, to->cap_rules) =
		    (struct policy_rule){.name = rule, .line = line};
		s->section = SECTION_RULE;
	} else if (waiver) {
		if (!policy_check_name(s, waiver))
			return false;
		VEC_PUSH(to->waivers, to->n_waivers, to->cap_waivers) =
		    (struct policy_waiver){.name = waiver, .line = line};
		s->section = SECTION_WAIVER;
	} else {
		return ini_fail(&s->in, line, s->in.value_column,
				"a section is [policy], [rule NAME] or [waiver NAME]");
	}
	return true;
}

static bool add_match(struct parse *s, const struct later *v)
{
	struct err e = ERR_INIT;
	struct match *m =
	    match_new((struct match_place){s->name, v->line}, v->text, strlen(v->text), 0, &e);

	if (!m)
		return ini_fail(&s->in, v->line, v->column, "the expression: %s", e.msg);
	VEC_PUSH(s->match, s->n_match, s->cap_match) = m;
	return true;
}

/* "best of N", or a build's name. */
static bool parse_against(struct parse *s, const struct later *v)
{
	static const char best[] = "best of ";
	uint64_t n = 0;

	if (s->against.text)
		return ini_fail_repeated(&s->in, s->against.line);
	s->against = *v;
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
	return ini_fail(
	    &s->in, v->line, 1,
	    "'%s' is not a setting of [policy]: alpha, against, runs, map-path, map-module or "
	    "map-function",
	    name);
}

static bool policy_parse_value(struct parse *s)
{
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
	const struct later v = {s->in.value, s->in.line, s->in.value_column};
	const char *name = s->in.key, *near = NULL;
	size_t i = 0, n = sizeof names / sizeof *names;

	if (s->section == SECTION_NONE)
		return ini_fail(&s->in, v.line, s->in.column,
				"'%s' stands before the first section", name);
	if (s->section == SECTION_POLICY)
		return policy_value(s, name, &v);
	if (!strcmp(name, "match"))
		return add_match(s, &v);
	while (i < n && (names[i].in != s->section || strcmp(names[i].word, name) != 0))
		i++;
	for (size_t k = 0; i == n && k < n; k++)
		if (names[k].in == s->section && text_is_slip(name, strlen(name), names[k].word))
			near = names[k].word;
	if (i == n)
		return ini_fail_unknown(&s->in, s->section == SECTION_RULE ? "rule" : "waiver",
					near);
	if (names[i].to->text)
		return ini_fail_repeated(&s->in, names[i].to->line);
	*names[i].to = v;
	return true;
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
			return ini_fail(&s->in, w->line, 1, "waiver '%s': no rule '%s' exists",
					w->name, w->rule_name);
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
	struct parse s = {.p = p, .name = name};

	*p = (struct compare_policy){.alpha = 0.05, .runs = 1};
	s.in = ini_of(text, n, 0, &p->arena, e);
	while (ini_next(&s.in))
		if (s.in.key)
			policy_parse_value(&s);
		else if (end_section(&s))
			policy_begin_section(&s);
	if (!s.in.st && end_section(&s) && link_waivers(&s) && !p->n_rules)
		ini_fail(&s.in, s.in.line ? s.in.line : 1, 1,
			 "the policy has no [rule NAME]: it would check nothing");
	for (size_t i = 0; i < s.n_match; i++)
		match_free(s.match[i]);
	free(s.match);
	free(s.limits);
	if (s.in.st)
		policy_release(p);
	return s.in.st;
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
