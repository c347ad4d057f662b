/* SPDX-License-Identifier: MIT
 *
 * What people read of a breach, before its statistics: what happened in a sentence, who calls it, where to
 * look, and how to accept it.
 */
#include "lib/report/compare/gate_rule.h"

#include "lib/base/buf.h"
#include "lib/base/text.h"
#include "lib/report/compare/callers.h"
#include "lib/report/compare/maps.h"
#include "lib/report/compare/view.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

enum {
	DESCRIBE_CALLERS = 4,
	DESCRIBE_DAYS = 30,
	DESCRIBE_NAME = 60,
	DESCRIBE_FILE = 40,
	DESCRIBE_CALL = 120
};
enum { DESCRIBE_LARGEST = 3 };
enum { DESCRIBE_STACK = 16 }; /* calls of a waiver, if these tell its stack from all others */

static const char *keep_text(const struct gate_context *x, struct buf *b)
{
	const char *s = arena_strndup(x->arena, b->data ? b->data : "", b->len);

	buf_release(b);
	return s;
}

static void describe_amounts(struct buf *new, struct buf *base, const struct policy_rule *r,
			     double n, double b)
{
	gate_rule_add_amount(new, r, n);
	gate_rule_add_amount(base, r, b);
	/* Two that are not the same do not read the same. */
	if (n != b && new->len == base->len && !memcmp(new->data, base->data, new->len) &&
	    !r->counter && metric_table[r->metric].unit == SUM_BYTES) {
		new->len = base->len = 0;
		buf_addf(new, "%.0f B", n);
		buf_addf(base, "%.0f B", b);
	}
}

static void describe_subject(const struct gate_context *x, struct buf *b, const struct gate_rule *r,
			     size_t i)
{
	const struct gate_subject *s = &r->subjects[i];

	if (r->rule->counter)
		buf_adds(b, r->rule->counter);
	else if (s->row != SIZE_MAX)
		compare_entity_text(
		    x->c->entities,
		    &x->c->entities->keys[r->rule->key].items[x->rows->rows[s->row].entity], b);
	else if (r->rule->key == POLICY_TOTAL)
		buf_adds(b, "The program");
	else if (s->entities == 1)
		buf_addf(b, "The %s that matches", key_words[r->rule->key]);
	else
		buf_addf(b, "The sum of %zu %s", s->entities, key_plurals[r->rule->key]);
}

static void describe_coverage(struct buf *b, const struct gate_rule *r, const struct breach *of)
{
	const struct gate_subject *s = &r->subjects[0];

	buf_adds(b, "Only ");
	gate_rule_add_amount(b, r->rule, gate_new_value(r, s));
	buf_addf(b, " of %s is at named sites", metric_table[r->rule->metric].title);
	if (!isnan(r->rule->drop)) {
		buf_adds(b, ", was ");
		gate_rule_add_amount(b, r->rule, gate_base(r, s));
		gate_rule_add_least(r, 0, " in ", b);
	}
	buf_addf(b, " (limit %s).", of->limit);
}

/* How to say that a function was renamed. */
static void describe_renamed(const struct gate_context *x, int key, uint32_t was, uint32_t now,
			     struct buf *b)
{
	const struct profile_entity *entities = x->c->entities->keys[key].items;
	struct buf map = BUF_INIT;

	if ((key == KEY_FUNCTION || key == KEY_SITE || key == KEY_LOCATION || key == KEY_STACK) &&
	    compare_map_proposal(x->c->entities, &entities[was], &entities[now], &map))
		buf_addf(b, " If renamed, add %s to [policy].", buf_str(&map));
	buf_release(&map);
}

/* Medians below the limit of what is above it by the estimate that is judged. */
static void describe_estimate(const struct gate_rule *r, size_t i, struct buf *b)
{
	const struct judge_subject *j;

	if (r->rule->kind != POLICY_GROWTH)
		return;
	j = &r->judged->subjects[i];
	if (isnan(j->by) || j->by <= j->limit || j->middle_new - j->middle_base > j->limit ||
	    j->why == JUDGE_SOME)
		return;
	buf_adds(b, " These are medians; by the estimate that is judged, it has ");
	gate_rule_add_amount(b, r->rule, j->by);
	buf_adds(b, " more.");
}

/* Why it grew, or may have, by more than its own values say. */
static void describe_beside(const struct gate_rule *r, size_t i, struct buf *b)
{
	const struct judge_rule *j = r->judged;
	double by = j ? expm1(j->difference) : 0;
	bool either = r->rule->kind == POLICY_GROWTH && j->subjects[i].why == JUDGE_EITHER;

	if (!either && !gate_rule_is_beside(r, i)) {
		describe_estimate(r, i, b);
		return;
	}
	buf_addf(b, " All new runs together have %.1f %% %s", 100 * fabs(by),
		 by < 0 ? "less" : "more");
	buf_adds(b, either ? ": the machine or the build is the reason; more runs would "
			     "decide."
			   : ", which counts as the machine's difference.");
}

static void describe_fact(const struct gate_context *x, const struct gate_rule *r, size_t i,
			  const struct breach *of, struct buf *b)
{
	const struct policy_rule *rule = r->rule;
	const struct gate_subject *s = &r->subjects[i];
	const struct metric_row *m = &metric_table[rule->metric];
	struct buf new = BUF_INIT, base = BUF_INIT;
	bool absent = s->row != SIZE_MAX && !(x->rows->rows[s->row].in & 1);
	double value = gate_new_value(r, s), there;
	size_t some = gate_new_some(r, i, &there);

	describe_subject(x, b, r, i);
	if (rule->kind == POLICY_NEW)
		buf_adds(b, x->rows->rows[s->row].in & 1 ? " has none in the base:" : " is new:");
	describe_amounts(&new, &base, rule, some ? there : value,
			 rule->kind == POLICY_GROWTH ? gate_base(r, s) : 0);
	/* "allocates 1.5 MiB in all a run" */
	buf_addf(b, " %s %s%s%s", rule->counter ? "is" : m->verb, buf_str(&new),
		 rule->counter ? "" : m->rest,
		 !((SUMS_LIVE | SUMS_PEAK | SUMS_MEANS) >> rule->metric & 1) && !rule->counter &&
			 rule->per == PER_RUN && !some
		     ? " a run"
		     : "");
	if (some)
		buf_addf(b, " in %zu of %zu new runs", some, r->n_new);
	if (some && absent && rule->kind == POLICY_GROWTH)
		buf_addf(b, ", and is in none of %zu base run%s", r->n_base, plural_s(r->n_base));
	else if (rule->kind == POLICY_GROWTH && absent)
		buf_adds(b, ", and is not in the base");
	else if (rule->kind == POLICY_GROWTH)
		buf_addf(b, ", was %s", buf_str(&base));
	if (rule->kind == POLICY_GROWTH && !absent)
		gate_rule_add_least(r, i, " in ", b);
	buf_addf(b, " (limit %s)", of->limit);
	if (of->verdict == VERDICT_INCONCLUSIVE)
		buf_adds(b, ", but this is not certain");
	buf_addc(b, '.');
	describe_beside(r, i, b);
	if (absent && x->rows->rows[s->row].hint != COMPARE_NONE) {
		const struct compare_row *hint = &x->rows->rows[x->rows->rows[s->row].hint];

		buf_adds(b, " Perhaps renamed from ");
		compare_entity_text(x->c->entities,
				    &x->c->entities->keys[rule->key].items[hint->entity], b);
		buf_addc(b, '.');
		describe_renamed(x, rule->key, hint->entity, x->rows->rows[s->row].entity, b);
	}
	buf_release(&new);
	buf_release(&base);
}

/* Whether a call is what the subject is about. */
static bool is_same_call(const struct profile_entity *subject, const struct profile_entity *call)
{
	return callers_is_same(call, subject);
}

/* The call of the subject in a stack, nearest to its allocation; 0: there is no such call. */
static uint32_t subject_node(const struct profile_entities *t, const struct profile_entity *subject,
			     const struct profile_entity *stack)
{
	uint32_t node = stack->node;

	while (node &&
	       !is_same_call(subject, &t->keys[KEY_FUNCTION].items[t->stacks.rows[node].location]))
		node = t->stacks.rows[node].parent;
	return node;
}

/* By how much a row's value grew in the rule's metric, or in the bytes or counts that are always known. */
static bool find_growth(const struct gate_context *x, const struct compare_rows *rows, size_t row,
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
static uint32_t worst_node(const struct gate_context *x, const struct gate_rule *r,
			   const struct profile_entity *subject,
			   const struct profile_entity **stack)
{
	const struct profile_entities *t = x->c->entities;
	double most = -INFINITY, by;
	uint32_t found = 0, node;

	for (size_t i = 0; x->stacks && i < x->stacks->n; i++) {
		if (!find_growth(x, x->stacks, i, r, &by) || by <= most)
			continue;
		node =
		    subject_node(t, subject, &t->keys[KEY_STACK].items[x->stacks->rows[i].entity]);
		if (!node)
			continue;
		most = by;
		found = node;
		*stack = &t->keys[KEY_STACK].items[x->stacks->rows[i].entity];
	}
	return found;
}

/* Of the C or C++ library, by the linkage name: no code of the program's own. */
static bool is_library_call(const struct profile_entities *t, const struct profile_entity *call)
{
	static const char *const prefixes[] = {"_ZNSt",         "_ZNKSt",         "_ZSt",
					       "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "__libc_start_"};
	static const char *const names[] = {"_start", "start_thread", "clone", "clone3",
					    "__clone3"};
	const char *raw = entities_text(t, call->raw, NULL);

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (!strncmp(raw, prefixes[i], strlen(prefixes[i])))
			return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(raw, names[i]))
			return true;
	return false;
}

static uint32_t caller_node(const struct profile_entities *t, uint32_t node)
{
	do
		node = node ? t->stacks.rows[node].parent : 0;
	while (node &&
	       is_library_call(t, &t->keys[KEY_FUNCTION].items[t->stacks.rows[node].location]));
	return node;
}

static void add_call_name(struct buf *b, const struct profile_entities *t,
			  const struct profile_entity *call)
{
	size_t n;
	const char *name = entities_text(t, call->name, &n);

	if (n > DESCRIBE_CALL)
		buf_addf(b, "%.*s...", DESCRIBE_CALL, name);
	else
		buf_adds(b, n ? name : "[unknown]");
}

void gate_entity_text(const struct profile_entities *t, enum key key,
		      const struct profile_entity *entity, struct buf *b)
{
	uint32_t node;

	compare_entity_text(t, entity, b);
	if (key != KEY_STACK)
		return;
	node = subject_node(t, entity, entity);
	for (unsigned n = 0; (node = caller_node(t, node)) && n <= GATE_CALLS_MAX; n++) {
		const struct profile_entity *call =
		    &t->keys[KEY_FUNCTION].items[t->stacks.rows[node].location];
		size_t len;
		const char *name = entities_text(t, call->name, &len);

		buf_adds(b, GATE_CALLED_BY);
		buf_adds(b, n == GATE_CALLS_MAX ? "[more]" : len ? name : "[unknown]");
	}
}

static void describe_callers(const struct gate_context *x, const struct gate_rule *r,
			     const struct profile_entity *subject, struct breach *to)
{
	const struct profile_entities *t = x->c->entities;
	const struct profile_entity *stack = NULL;
	uint32_t node = r->rule->key == KEY_STACK ? subject_node(t, subject, subject)
						  : worst_node(x, r, subject, &stack);
	struct buf b = BUF_INIT;

	for (unsigned n = 0; (node = caller_node(t, node)) && n <= DESCRIBE_CALLERS; n++) {
		if (n)
			buf_adds(&b, " < ");
		if (n < DESCRIBE_CALLERS)
			add_call_name(&b, t,
				      &t->keys[KEY_FUNCTION].items[t->stacks.rows[node].location]);
		else
			buf_adds(&b, "[more]");
	}
	if (b.len)
		to->callers = keep_text(x, &b);
	/* Of a function of the library, the code that led there. */
	if (stack && stack->file && !to->file) {
		to->file = entities_text(t, stack->file, NULL);
		to->line = stack->line;
	}
}

/* A function has no line of its own: that of its site that grew most. */
static void describe_place(const struct gate_context *x, const struct gate_rule *r,
			   const struct profile_entity *subject, struct breach *to)
{
	const struct profile_entities *t = x->c->entities;
	double most = -INFINITY, by;

	for (size_t i = 0; x->sites && !subject->file && i < x->sites->n; i++) {
		const struct profile_entity *site =
		    &t->keys[KEY_SITE].items[x->sites->rows[i].entity];

		if (!site->file || !is_same_call(subject, site) ||
		    !find_growth(x, x->sites, i, r, &by) || by <= most)
			continue;
		most = by;
		to->file = entities_text(t, site->file, NULL);
		to->line = site->line;
	}
}

/* The run that has most; an aggregate cannot be looked into. */
static const char *look_command(const struct gate_context *x, const struct gate_rule *r, size_t i)
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
	buf_add_shell(&b, g->names[most]);
	return keep_text(x, &b);
}

/* Whether another site of the same name and file is there: only lines tell them apart. */
static bool needs_line(const struct gate_context *x, const struct profile_entity *of)
{
	const struct entities_key *k = &x->c->entities->keys[x->rows->key];

	for (size_t i = 0; i < x->rows->n; i++) {
		const struct profile_entity *t = &k->items[x->rows->rows[i].entity];

		if (t != of && t->name == of->name && t->file == of->file && t->line != of->line)
			return true;
	}
	return false;
}

/* Another stack of the key reads the same as this one, as far as these bytes. */
static bool is_shared_text(const struct gate_context *x, const struct profile_entity *of,
			   const char *text, size_t n)
{
	const struct entities_key *k = &x->c->entities->keys[KEY_STACK];
	bool shared = false;

	for (size_t i = 0; i < x->rows->n && !shared; i++) {
		const struct profile_entity *t = &k->items[x->rows->rows[i].entity];
		struct buf other = BUF_INIT;

		if (t == of || t->name != of->name || t->file != of->file)
			continue;
		gate_entity_text(x->c->entities, KEY_STACK, t, &other);
		shared = other.len >= n && !memcmp(other.data, text, n);
		buf_release(&other);
	}
	return shared;
}

/* The innermost calls of a stack, so many as tell it from all others. */
static void describe_stack_pattern(const struct gate_context *x,
				   const struct profile_entity *subject, struct buf *b)
{
	struct buf text = BUF_INIT, site = BUF_INIT;
	const char *p, *calls;
	unsigned n = 0;

	gate_entity_text(x->c->entities, KEY_STACK, subject, &text);
	compare_entity_text(x->c->entities, subject, &site);
	calls = p = buf_str(&text) + site.len;
	while ((p = strstr(p, GATE_CALLED_BY))) {
		if (n++ > DESCRIBE_STACK &&
		    !is_shared_text(x, subject, buf_str(&text),
				    (size_t)(p - buf_str(&text)) + strlen(GATE_CALLED_BY)))
			break;
		p += strlen(GATE_CALLED_BY);
	}
	if (p)
		policy_add_literal(b, calls, (size_t)(p - calls) + strlen(GATE_CALLED_BY));
	else
		policy_add_literal(b, calls, strlen(calls));
	buf_adds(b, p ? "" : "$");
	buf_release(&text);
	buf_release(&site);
}

/* What is printed of the subject, and nothing else; a line only where it is needed, since lines move. False: it is an
 * address, which the next build has for something else, or too long for a policy. */
static bool describe_pattern(const struct gate_context *x, const struct gate_rule *r,
			     const struct profile_entity *subject, struct buf *b)
{
	size_t n_name;
	const char *name = entities_text(x->c->entities, subject->name, &n_name);
	const char *file = entities_text(x->c->entities, subject->file, NULL);
	size_t n_file = strlen(file), tail = n_file < DESCRIBE_FILE ? n_file : DESCRIBE_FILE,
	       begin = b->len;
	bool stack = r->rule->key == KEY_STACK;

	if (!subject->name || name_is_address(name, n_name))
		return false;
	buf_addc(b, '^');
	policy_add_literal(b, name, n_name);
	if (subject->inside)
		buf_adds(b, " [[]runtime only[]]");
	if (subject->file && subject->line) {
		buf_adds(b, tail < n_file ? " [(].*" : " [(]");
		policy_add_literal(b, file + n_file - tail, tail);
		if (needs_line(x, subject))
			buf_addf(b, ":%" PRIu32 "[)]", subject->line);
		else
			buf_adds(b, ":[0-9]+[)]");
	} else if (subject->file) {
		buf_adds(b, tail < n_file ? " [(].*" : " [(]");
		policy_add_literal(b, file + n_file - tail, tail);
		buf_adds(b, "[)]");
	}
	if (stack)
		describe_stack_pattern(x, subject, b);
	else
		buf_addc(b, '$');
	return b->len - begin + strlen("match = ") <= POLICY_MATCH_MAX;
}

/* The largest value of a run, in the words of a policy; nothing where these have none for it. */
static void describe_most(const struct gate_rule *r, size_t i, struct buf *b)
{
	double most = 0;

	if (r->rule->counter || r->rule->per != PER_RUN || r->rule->kind == POLICY_COVERAGE)
		return;
	for (size_t k = 0; k < r->n_new; k++)
		most = fmax(most, r->subjects[i].new[k]);
	if (most >= 1e15)
		return;
	buf_addf(b, "max = %.0f%s\n", ceil(most),
		 metric_table[r->rule->metric].unit == SUM_NS ? "ns" : "");
}

/* A day some time after YYYY-MM-DD; the text itself where it is no day. */
static void add_later_day(struct buf *b, const char *today)
{
	struct tm tm = {.tm_isdst = 0};
	time_t at;

	if (!strptime(today, "%Y-%m-%d", &tm)) {
		buf_adds(b, today);
		return;
	}
	tm.tm_mday += DESCRIBE_DAYS;
	at = timegm(&tm);
	gmtime_r(&at, &tm);
	buf_addf(b, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
}

static void describe_waiver_name(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addc(b, (unsigned char)s[i] > ' ' && s[i] < 0x7f && s[i] != ']' &&
				    s[i] != ';' && s[i] != '#'
				? s[i]
				: '-');
}

/* A waiver for what was seen, and no more of it; NULL: no name tells that from the rest. i: GATE_ALL_ALIKE of what all have
 * in common. */
static const char *describe_accept(const struct gate_context *x, const struct gate_rule *r,
				   size_t i, const struct profile_entity *subject, const char *text)
{
	size_t n = strlen(text), half = DESCRIBE_NAME / 2;
	struct buf b = BUF_INIT;

	buf_adds(&b, "[waiver ");
	if (subject && (n <= DESCRIBE_NAME || r->rule->key == KEY_STACK)) {
		describe_waiver_name(&b, text, n < DESCRIBE_NAME ? n : DESCRIBE_NAME);
	} else if (subject) { /* what tells functions apart is often at the end */
		describe_waiver_name(&b, text, half);
		buf_adds(&b, "...");
		describe_waiver_name(&b, text + n - half, half);
	}
	buf_addf(&b, "%s]\nrule = %s\n", subject ? "" : r->rule->name, r->rule->name);
	if (subject) {
		buf_adds(&b, "match = ");
		if (!describe_pattern(x, r, subject, &b)) {
			buf_release(&b);
			return NULL;
		}
		buf_addc(&b, '\n');
	}
	if (i == GATE_ALL_ALIKE) {
		buf_adds(&b, "match = ^");
		policy_add_literal(&b, text, n);
		buf_adds(&b, "$\n");
	} else {
		describe_most(r, i, &b);
	}
	buf_adds(&b, "until = ");
	add_later_day(&b, x->today);
	buf_adds(&b, "\nreason = say here why\n");
	return keep_text(x, &b);
}

/* The subjects that grew most, by amount. */
static size_t find_largest(const struct gate_rule *r, size_t *to, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct judge_subject *j = r->judged->subjects;
		double by = j[i].middle_new - j[i].middle_base;
		size_t at = found < n ? found++ : n;

		for (; at && by > j[to[at - 1]].middle_new - j[to[at - 1]].middle_base; at--)
			if (at < n)
				to[at] = to[at - 1];
		if (at < n)
			to[at] = i;
	}
	return found;
}

static void describe_named(const struct gate_context *x, const struct gate_rule *r, struct buf *b)
{
	size_t most[DESCRIBE_LARGEST], n = find_largest(r, most, DESCRIBE_LARGEST);

	for (size_t i = 0; i < n; i++) {
		const struct judge_subject *j = &r->judged->subjects[most[i]];

		buf_adds(b, i ? ", " : " The largest: ");
		describe_subject(x, b, r, most[i]);
		buf_addc(b, ' ');
		gate_rule_add_amount(b, r->rule, j->middle_base);
		buf_adds(b, " -> ");
		gate_rule_add_amount(b, r->rule, j->middle_new);
	}
	buf_addc(b, n ? '.' : ' ');
}

/* "Taken together, the 20 sites have 3.10 % more than the base (limit +2 %)." */
static void describe_all_alike(const struct gate_context *x, const struct gate_rule *r,
			       struct breach *to)
{
	struct buf b = BUF_INIT;
	size_t most;

	buf_addf(&b, "Taken together, the %zu %s have %.2f %% more %s than the base (limit %s)%s.",
		 r->n, key_plurals[r->rule->key], 100 * expm1(r->judged->common.growth),
		 metric_table[r->rule->metric].title, to->limit,
		 to->verdict == VERDICT_INCONCLUSIVE ? ", but this is not certain" : "");
	describe_named(x, r, &b);
	to->fact = keep_text(x, &b);
	if (find_largest(r, &most, 1))
		to->look = look_command(x, r, most);
	if (to->verdict == VERDICT_FAIL)
		to->accept = describe_accept(x, r, GATE_ALL_ALIKE, NULL, to->subject);
}

void gate_describe(const struct gate_context *x, const struct gate_rule *r, size_t i,
		   struct breach *to)
{
	const struct profile_entity *subject = NULL;
	const struct gate_subject *s;
	struct buf b = BUF_INIT;

	if (i == GATE_ALL_ALIKE) {
		describe_all_alike(x, r, to);
		return;
	}
	s = &r->subjects[i];
	if (s->row != SIZE_MAX)
		subject = &x->c->entities->keys[r->rule->key].items[x->rows->rows[s->row].entity];
	if (r->rule->kind == POLICY_COVERAGE)
		describe_coverage(&b, r, to);
	else
		describe_fact(x, r, i, to, &b);
	to->fact = keep_text(x, &b);
	if (subject && (r->rule->key == KEY_FUNCTION || r->rule->key == KEY_SITE ||
			r->rule->key == KEY_LOCATION || r->rule->key == KEY_STACK)) {
		describe_place(x, r, subject, to);
		describe_callers(x, r, subject, to);
	}
	if (to->verdict == VERDICT_WAIVED)
		return;
	to->look = look_command(x, r, i);
	if (to->verdict == VERDICT_FAIL || r->rule->kind == POLICY_NEW)
		to->accept = describe_accept(x, r, i, subject, to->subject);
}
