/* SPDX-License-Identifier: MIT
 *
 * What people read of a breach, before its statistics: what happened in a sentence, who calls it, where to
 * look, and how to accept it.
 */
#include "lib/report/compare/gate_rule.h"

#include "lib/base/buf.h"
#include "lib/report/compare/view.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { SAY_CALLERS = 4, SAY_DAYS = 30, SAY_NAME = 60, SAY_PATTERN = 120 };

/* "allocates 1.5 MiB in all a run" */
static const struct say_verb {
	const char *verb, *rest;
	bool a_run; /* a sum over the run, so that "a run" can stand behind */
} say_verbs[SUMS] = {
    [SUM_COUNT] = {"allocates", " times", true},
    [SUM_ENTRIES] = {"has", " entries", true},
    [SUM_REQUESTED] = {"allocates", "", true},
    [SUM_REAL] = {"allocates", " (real)", true},
    [SUM_SLACK] = {"wastes", "", true},
    [SUM_LIVE_COUNT] = {"keeps", " blocks to the end", false},
    [SUM_LIVE_REQUESTED] = {"keeps", " to the end", false},
    [SUM_LIVE_REAL] = {"keeps", " (real) to the end", false},
    [SUM_FREED_COUNT] = {"frees", " blocks", true},
    [SUM_FREED_REQUESTED] = {"frees", "", true},
    [SUM_FREED_REAL] = {"frees", " (real)", true},
    [SUM_PEAK_COUNT] = {"holds", " blocks at the peak", false},
    [SUM_PEAK_REQUESTED] = {"holds", " at the peak", false},
    [SUM_PEAK_REAL] = {"holds", " (real) at the peak", false},
    [SUM_TEMPORARY] = {"makes", " temporary blocks", true},
    [SUM_LIFETIME] = {"keeps its blocks for", "", false},
    [SUM_TIMED] = {"has", " blocks with a lifetime", true},
    [SUM_TIME_SELF] = {"takes", " itself", true},
    [SUM_TIME_TOTAL] = {"takes", " with what it calls", true},
    [SUM_CALLS] = {"is called", " times", true},
    [SUM_TIME_MEAN] = {"takes", " a call", false},
    [SUM_LUA_NET] = {"adds", " to Lua's heap", true},
    [SUM_MONO_NET] = {"adds", " to Mono's heap", true},
    [SUM_SAMPLES] = {"has", " samples", true},
};

static const char *say_kept(const struct gate_context *x, struct buf *b)
{
	const char *s = arena_strndup(x->arena, b->data ? b->data : "", b->len);

	buf_release(b);
	return s;
}

static void say_amounts(struct buf *new, struct buf *base, const struct policy_rule *r, double n,
			double b)
{
	gate_rule_add_amount(new, r, n);
	gate_rule_add_amount(base, r, b);
	/* Two that are not the same do not read the same. */
	if (n != b && new->len == base->len && !memcmp(new->data, base->data, new->len) &&
	    !r->counter && sum_names[r->metric].unit == SUM_BYTES) {
		new->len = base->len = 0;
		buf_addf(new, "%.0f B", n);
		buf_addf(base, "%.0f B", b);
	}
}

static void say_subject(struct buf *b, const struct gate_rule *r, size_t i, const char *subject)
{
	const struct gate_subject *s = &r->subjects[i];

	if (r->rule->counter)
		buf_adds(b, r->rule->counter);
	else if (s->row != SIZE_MAX)
		buf_adds(b, subject);
	else if (r->rule->key == POLICY_TOTAL)
		buf_adds(b, "The program");
	else if (s->things == 1)
		buf_addf(b, "The %s that matches", key_words[r->rule->key]);
	else
		buf_addf(b, "The sum of %zu %s", s->things, key_plurals[r->rule->key]);
}

static void say_coverage(struct buf *b, const struct gate_rule *r, const struct breach *of)
{
	const struct gate_subject *s = &r->subjects[0];

	buf_adds(b, "Only ");
	gate_rule_add_amount(b, r->rule, gate_new_value(r, s));
	buf_addf(b, " of %s is at named sites", sum_names[r->rule->metric].word);
	if (!isnan(r->rule->drop)) {
		buf_adds(b, ", was ");
		gate_rule_add_amount(b, r->rule, gate_base(r, s));
	}
	buf_addf(b, " (limit %s).", of->limit);
}

static void say_fact(const struct gate_context *x, const struct gate_rule *r, size_t i,
		     const struct breach *of, struct buf *b)
{
	const struct policy_rule *rule = r->rule;
	const struct gate_subject *s = &r->subjects[i];
	const struct say_verb *v = &say_verbs[rule->metric];
	struct buf new = BUF_INIT, base = BUF_INIT;
	bool absent = s->row != SIZE_MAX && !(x->rows->rows[s->row].in & 1);

	say_subject(b, r, i, of->subject);
	if (rule->kind == POLICY_NEW)
		buf_adds(b, " is new:");
	say_amounts(&new, &base, rule, gate_new_value(r, s),
		    rule->kind == POLICY_GROWTH ? gate_base(r, s) : 0);
	buf_addf(b, " %s %s%s%s", rule->counter ? "is" : v->verb, buf_str(&new),
		 rule->counter ? "" : v->rest,
		 v->a_run && !rule->counter && rule->per == POLICY_PER_RUN ? " a run" : "");
	if (rule->kind == POLICY_GROWTH && absent)
		buf_adds(b, ", and is not in the base");
	else if (rule->kind == POLICY_GROWTH)
		buf_addf(b, ", was %s", buf_str(&base));
	buf_addf(b, " (limit %s)", of->limit);
	if (of->verdict == VERDICT_INCONCLUSIVE)
		buf_adds(b, ", but this is not certain");
	buf_addc(b, '.');
	buf_release(&new);
	buf_release(&base);
}

/* Whether a call is what the subject is about. */
static bool say_same(const struct aggregate_thing *subject, const struct aggregate_thing *call)
{
	return call->raw == subject->raw && call->name == subject->name &&
	       call->module == subject->module;
}

/* The call of the subject in a stack, nearest to its allocation; 0: there is no such call. */
static uint32_t say_node(const struct aggregate_things *t, const struct aggregate_thing *subject,
			 const struct aggregate_thing *stack)
{
	uint32_t node = stack->node;

	while (node && !say_same(subject, &t->keys[KEY_FUNCTION].items[t->nodes[node].function]))
		node = t->nodes[node].parent;
	return node;
}

/* By how much a row's value grew in the rule's metric, or in the bytes or counts that are always known. */
static bool say_growth(const struct gate_context *x, const struct compare_rows *rows, size_t row,
		       const struct gate_rule *r, double *by)
{
	enum sum sum =
	    compare_knows(x->c, rows->key, r->rule->metric) ? r->rule->metric : SUM_COUNT;
	struct compare_number base = compare_value(rows, row, 0, sum, false);
	struct compare_number new = compare_value(rows, row, x->c->n_groups - 1, sum, false);

	*by = (double)(new.present ? new.v : 0) - (double)(base.present ? base.v : 0);
	return new.present &&new.v > 0;
}

/* The call of the subject in the stack that grew most of those that have one, and what that stack is; 0:
 * in none. */
static uint32_t say_worst_node(const struct gate_context *x, const struct gate_rule *r,
			       const struct aggregate_thing *subject,
			       const struct aggregate_thing **stack)
{
	const struct aggregate_things *t = x->c->things;
	double most = -INFINITY, by;
	uint32_t found = 0, node;

	for (size_t i = 0; x->stacks && i < x->stacks->n; i++) {
		if (!say_growth(x, x->stacks, i, r, &by) || by <= most)
			continue;
		node = say_node(t, subject, &t->keys[KEY_STACK].items[x->stacks->rows[i].thing]);
		if (!node)
			continue;
		most = by;
		found = node;
		*stack = &t->keys[KEY_STACK].items[x->stacks->rows[i].thing];
	}
	return found;
}

/* Of the C or C++ library, by the linkage name: no code of the program's own. */
static bool say_library(const struct aggregate_things *t, const struct aggregate_thing *call)
{
	static const char *const prefixes[] = {"_ZNSt",         "_ZNKSt",         "_ZSt",
					       "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "__libc_start_"};
	static const char *const names[] = {"_start", "start_thread", "clone", "clone3",
					    "__clone3"};
	const char *raw = things_text(t, call->raw, NULL);

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (!strncmp(raw, prefixes[i], strlen(prefixes[i])))
			return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(raw, names[i]))
			return true;
	return false;
}

static uint32_t say_caller(const struct aggregate_things *t, uint32_t node)
{
	do
		node = node ? t->nodes[node].parent : 0;
	while (node && say_library(t, &t->keys[KEY_FUNCTION].items[t->nodes[node].function]));
	return node;
}

static void say_name(struct buf *b, const struct aggregate_things *t,
		     const struct aggregate_thing *call)
{
	size_t n;
	const char *name = things_text(t, call->name, &n);

	if (n > SAY_PATTERN)
		buf_addf(b, "%.*s...", SAY_PATTERN, name);
	else
		buf_adds(b, n ? name : "[unknown]");
}

static void say_callers(const struct gate_context *x, const struct gate_rule *r,
			const struct aggregate_thing *subject, struct breach *to)
{
	const struct aggregate_things *t = x->c->things;
	const struct aggregate_thing *stack = NULL;
	uint32_t node = say_worst_node(x, r, subject, &stack);
	struct buf b = BUF_INIT;

	for (unsigned n = 0; (node = say_caller(t, node)) && n <= SAY_CALLERS; n++) {
		if (n)
			buf_adds(&b, " < ");
		if (n < SAY_CALLERS)
			say_name(&b, t, &t->keys[KEY_FUNCTION].items[t->nodes[node].function]);
		else
			buf_adds(&b, "[more]");
	}
	if (b.len)
		to->callers = say_kept(x, &b);
	/* Of a function of the library, the code that led there. */
	if (stack && stack->file && !to->file) {
		to->file = things_text(t, stack->file, NULL);
		to->line = stack->line;
	}
}

/* A function has no line of its own: that of its site that grew most. */
static void say_place(const struct gate_context *x, const struct gate_rule *r,
		      const struct aggregate_thing *subject, struct breach *to)
{
	const struct aggregate_things *t = x->c->things;
	double most = -INFINITY, by;

	for (size_t i = 0; x->sites && !subject->file && i < x->sites->n; i++) {
		const struct aggregate_thing *site =
		    &t->keys[KEY_SITE].items[x->sites->rows[i].thing];

		if (!site->file || !say_same(subject, site) ||
		    !say_growth(x, x->sites, i, r, &by) || by <= most)
			continue;
		most = by;
		to->file = things_text(t, site->file, NULL);
		to->line = site->line;
	}
}

/* An argument for a shell. */
static void say_argument(struct buf *b, const char *s)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "-._/+:,@%=";

	if (*s && s[strspn(s, plain)] == '\0') {
		buf_adds(b, s);
		return;
	}
	buf_addc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *s);
	buf_addc(b, '\'');
}

/* The run that has most; an aggregate cannot be looked into. */
static const char *say_look(const struct gate_context *x, const struct gate_rule *r, size_t i)
{
	const struct compare_group *g = &x->c->groups[x->c->n_groups - 1];
	const double *v = r->subjects[i].new;
	struct buf b = BUF_INIT;
	size_t most = 0, n;

	for (size_t k = 1; k < g->n; k++)
		if (v[k] > v[most])
			most = k;
	n = strlen(g->names[most]);
	if (!strcmp(g->names[most], "-") || (n > 4 && !strcmp(g->names[most] + n - 4, ".tma")))
		return NULL;
	buf_adds(&b, "tracemill view ");
	say_argument(&b, g->names[most]);
	return say_kept(x, &b);
}

/* Without a backslash, which is printed as two. */
static void say_pattern(struct buf *b, const char *name)
{
	size_t begin = b->len;

	buf_addc(b, '^');
	for (; *name && b->len - begin < SAY_PATTERN; name++) {
		if ((unsigned char)*name < ' ' || (unsigned char)*name >= 0x7f ||
		    strchr("\\^;#", *name))
			buf_addc(b, '.');
		else if (strchr(".$|()[]{}*+?", *name))
			buf_addf(b, "[%c]", *name);
		else
			buf_addc(b, *name);
	}
	if (!*name)
		buf_adds(b, "( [(].*)?$");
}

/* A day some time after YYYY-MM-DD; the text itself where it is no day. */
static void say_later(struct buf *b, const char *today)
{
	struct tm tm = {.tm_isdst = 0};
	char text[16];
	time_t at;

	if (!strptime(today, "%Y-%m-%d", &tm)) {
		buf_adds(b, today);
		return;
	}
	tm.tm_mday += SAY_DAYS;
	at = timegm(&tm);
	gmtime_r(&at, &tm);
	strftime(text, sizeof text, "%Y-%m-%d", &tm);
	buf_adds(b, text);
}

static const char *say_accept(const struct gate_context *x, const struct gate_rule *r,
			      const struct aggregate_thing *subject)
{
	const char *name = subject ? things_text(x->c->things, subject->name, NULL) : "";
	size_t n = strnlen(name, SAY_NAME);
	struct buf b = BUF_INIT;

	buf_adds(&b, "[waiver ");
	for (size_t k = 0; k < n; k++)
		buf_addc(&b, (unsigned char)name[k] > ' ' && name[k] < 0x7f && name[k] != ']' &&
				     name[k] != ';' && name[k] != '#'
				 ? name[k]
				 : '-');
	buf_addf(&b, "%s]\nrule = %s\n", *name ? "" : r->rule->name, r->rule->name);
	if (*name) {
		buf_adds(&b, "match = ");
		say_pattern(&b, name);
		buf_addc(&b, '\n');
	}
	buf_adds(&b, "until = ");
	say_later(&b, x->today);
	buf_adds(&b, "\nreason = say here why\n");
	return say_kept(x, &b);
}

/* "All sites alike have 3.10 % more than the base (limit +2 %)." */
static void say_all_alike(const struct gate_context *x, const struct gate_rule *r,
			  struct breach *to)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "All %s alike have %.2f %% more %s than the base (limit %s)%s.",
		 key_plurals[r->rule->key], 100 * expm1(r->judged->common.growth),
		 sum_names[r->rule->metric].word, to->limit,
		 to->verdict == VERDICT_INCONCLUSIVE ? ", but this is not certain" : "");
	to->fact = say_kept(x, &b);
	if (to->verdict == VERDICT_FAIL)
		to->accept = say_accept(x, r, NULL);
}

void gate_say(const struct gate_context *x, const struct gate_rule *r, size_t i, struct breach *to)
{
	const struct gate_subject *s = i == GATE_ALL_ALIKE ? NULL : &r->subjects[i];
	const struct aggregate_thing *subject = NULL;
	struct buf b = BUF_INIT;

	if (!s) {
		say_all_alike(x, r, to);
		return;
	}
	if (s->row != SIZE_MAX)
		subject = &x->c->things->keys[r->rule->key].items[x->rows->rows[s->row].thing];
	if (r->rule->kind == POLICY_COVERAGE)
		say_coverage(&b, r, to);
	else
		say_fact(x, r, i, to, &b);
	to->fact = say_kept(x, &b);
	if (to->verdict == VERDICT_WAIVED)
		return;
	if (subject && (r->rule->key == KEY_FUNCTION || r->rule->key == KEY_SITE ||
			r->rule->key == KEY_LOCATION)) {
		say_place(x, r, subject, to);
		say_callers(x, r, subject, to);
	}
	to->look = say_look(x, r, i);
	if (to->verdict == VERDICT_FAIL)
		to->accept = say_accept(x, r, subject);
}
