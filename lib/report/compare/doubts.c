/* SPDX-License-Identifier: MIT */
#include "lib/report/compare/doubts.h"

#include "lib/base/hash.h"
#include "lib/base/text.h"

#include "lib/table/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct doubts_pair { /* two runs, and their names */
	const struct profile *a, *b;
	const char *a_name, *b_name;
};

__attribute__((format(printf, 3, 4))) static void doubts_describe(struct compare_doubts *d,
								  enum compare_doubt of,
								  const char *fmt, ...)
{
	char text[600];
	va_list args;

	if (d->of[of])
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	d->of[of] = arena_strndup(&d->arena, text, strlen(text));
}

/* "MemTracer", "none", "several". */
static const char *doubts_word(const struct compare *c, uint32_t string)
{
	return string == PROFILE_MIXED ? "several"
	       : string                ? entities_text(c->entities, string, NULL)
				       : "none";
}

static const char *doubts_recorded(const struct compare *c, const struct profile *s)
{
	return s->sampling ? doubts_word(c, s->sampling) : "whole";
}

static bool doubts_no_sums(const struct tally_sums *v)
{
	for (unsigned i = 0; i < SUMS; i++)
		if (v->has >> i & 1 && v->v[i])
			return false;
	return true;
}

/* What filters and the domain keep of it is nothing, though it has something. */
static bool doubts_left_out(const struct profile *s)
{
	return doubts_no_sums(&s->all) &&
	       (!doubts_no_sums(&s->unfiltered) || profile_has_other_domains(s) ||
		(s->options && !s->n_counters));
}

static bool doubts_empty(const struct profile *s)
{
	return doubts_no_sums(&s->unfiltered) && !s->n_counters && !doubts_left_out(s);
}

/* --- programs --- */

/* The build-id of the program's own module; false: no module is called so. */
static bool doubts_module(const struct profile *s, uint32_t *build_id)
{
	for (size_t i = 0; i < s->n_modules; i++)
		if (s->modules[i].name == s->program) {
			*build_id = s->modules[i].build_id;
			return true;
		}
	return false;
}

/* Different functions that a run's sites are in, of its program's module, and how many of them others has, too. */
static size_t doubts_functions(const struct compare *c, const struct profile *s,
			       const struct map64 *others, struct map64 *to, size_t *shared)
{
	const struct entities_key *k = &c->entities->keys[KEY_SITE];
	size_t n = 0;

	for (uint32_t i = 0; i < k->n; i++) {
		if (k->items[i].module != s->program || !k->items[i].raw ||
		    !columns_has(&s->keys[KEY_SITE].self, i) || map64_get(to, k->items[i].raw))
			continue;
		*map64_put(to, k->items[i].raw) = 1;
		n++;
		*shared += others && map64_get(others, k->items[i].raw);
	}
	return n;
}

static bool doubts_shared_functions(const struct compare *c, const struct profile *was,
				    const struct profile *now)
{
	struct map64 a = MAP64_INIT, b = MAP64_INIT;
	size_t shared = 0, n_a, n_b, least;

	n_a = doubts_functions(c, was, NULL, &a, &shared);
	n_b = doubts_functions(c, now, &a, &b, &shared);
	least = n_a < n_b ? n_a : n_b;
	map64_release(&a);
	map64_release(&b);
	return least && 2 * shared >= least;
}

static bool doubts_mapped(const struct compare *c, const char *was, const char *now)
{
	for (size_t i = 0; i < c->identity.n_modules; i++)
		if (!strcmp(c->identity.modules[i].was, was) &&
		    !strcmp(c->identity.modules[i].now, now))
			return true;
	return false;
}

bool doubts_same_program(const struct compare *c, const struct profile *was,
			 const struct profile *now)
{
	uint32_t a, b;

	if (!was->program || !now->program || was->program == now->program)
		return true;
	if (was->program == PROFILE_MIXED || now->program == PROFILE_MIXED)
		return false;
	if (doubts_mapped(c, doubts_word(c, was->program), doubts_word(c, now->program)))
		return true;
	if (!doubts_module(was, &a) || !doubts_module(now, &b))
		return false;
	return (a && a == b) || doubts_shared_functions(c, was, now);
}

/* --- how they were recorded --- */

/* The next word; "'" as the shell has it. */
static const char *doubts_next_word(const char **s, size_t *n)
{
	const char *begin = *s + strspn(*s, " ");
	const char *p = begin;
	bool quoted = false;

	for (; *p && (quoted || *p != ' '); p++)
		quoted ^= *p == '\'';
	*n = (size_t)(p - begin);
	*s = p;
	return *n ? begin : NULL;
}

/* The next word of what chooses. */
static const char *doubts_next_choice(const char **s, size_t *n)
{
	static const char map[] = "--map-path";
	const char *word = doubts_next_word(s, n);

	while (word && *n == sizeof map - 1 && !memcmp(word, map, *n)) {
		doubts_next_word(s, n);
		word = doubts_next_word(s, n);
	}
	return word;
}

bool doubts_same_filters(const char *a, const char *b)
{
	size_t n_a, n_b;

	for (;;) {
		const char *x = doubts_next_choice(&a, &n_a), *y = doubts_next_choice(&b, &n_b);

		if (!x || !y)
			return x == y;
		if (n_a != n_b || memcmp(x, y, n_a) != 0)
			return false;
	}
}

static const char *doubts_options(const struct compare *c, const struct profile *s)
{
	return s->options ? entities_text(c->entities, s->options, NULL) : "";
}

/* Of what both know: only one's numbers are estimates. */
static bool doubts_state(const struct profile *a, const struct profile *b, enum sum *sum)
{
	static const enum sum sums[] = {SUM_REQUESTED, SUM_REAL, SUM_COUNT};

	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
		*sum = sums[i];
		if (profile_knows(&a->known, *sum) && profile_knows(&b->known, *sum) &&
		    (a->known.state[*sum] == METRIC_ESTIMATED) !=
			(b->known.state[*sum] == METRIC_ESTIMATED))
			return true;
	}
	return false;
}

/* So many files are its sums of; a program that becomes another one is two captures in one. */
static uint64_t doubts_files(const struct profile *s)
{
	return s->n_inputs ? s->n_inputs : s->captures;
}

static void doubts_recording(struct compare_doubts *d, const struct compare *c,
			     const struct doubts_pair *p)
{
	const char *filters[] = {doubts_options(c, p->a), doubts_options(c, p->b)};
	const uint64_t runs[] = {doubts_files(p->a), doubts_files(p->b)};
	enum sum sum;

	if (p->a->format != p->b->format)
		doubts_describe(d, DOUBT_FORMAT, "formats differ: %s is of %s, %s of %s", p->a_name,
				doubts_word(c, p->a->format), p->b_name,
				doubts_word(c, p->b->format));
	if (p->a->sampling != p->b->sampling)
		doubts_describe(d, DOUBT_SAMPLING, "sampling differs: %s was recorded %s, %s %s",
				p->a_name, doubts_recorded(c, p->a), p->b_name,
				doubts_recorded(c, p->b));
	else if (doubts_state(p->a, p->b, &sum))
		doubts_describe(d, DOUBT_SAMPLING, "sampling differs: '%s' is %s in %s, %s in %s",
				metric_table[sum].title, metric_state_name(p->a->known.state[sum]),
				p->a_name, metric_state_name(p->b->known.state[sum]), p->b_name);
	if (!doubts_same_filters(filters[0], filters[1]))
		doubts_describe(d, DOUBT_FILTERS,
				"filters or ranges differ: %s was read with '%s', %s with '%s'",
				p->a_name, *filters[0] ? filters[0] : "none", p->b_name,
				*filters[1] ? filters[1] : "none");
	if (runs[0] != runs[1])
		doubts_describe(d, DOUBT_CAPTURES,
				"captures differ: %s is of %" PRIu64 ", %s of %" PRIu64 ", and an "
				"aggregate does not separate its runs: give each run as a file, or "
				"compare per frame or second",
				p->a_name, runs[0], p->b_name, runs[1]);
}

/* --- what they did --- */

/* Two runs that are known to have been started alike. */
static bool doubts_alike(const struct compare_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < i; k++)
			if (g->runs[i]->arguments && g->runs[i]->arguments == g->runs[k]->arguments)
				return true;
	return false;
}

/* Where each run of a side has arguments of its own, such as a seed, they do not tell what it did. */
static void doubts_of_arguments(struct compare_doubts *d, const struct compare *c, size_t first)
{
	const struct profile *of = NULL;
	const char *name = NULL;

	for (size_t g = first; g < c->n_groups; g++)
		if (c->groups[g].n > 1 && !doubts_alike(&c->groups[g]))
			return;
	for (size_t g = first; g < c->n_groups; g++)
		for (size_t i = 0; i < c->groups[g].n; i++) {
			const struct profile *s = c->groups[g].runs[i];

			if (!s->arguments)
				continue;
			if (of && s->arguments != of->arguments)
				doubts_describe(d, DOUBT_ARGUMENTS,
						"arguments differ: %s and %s were started with "
						"different arguments",
						c->groups[g].names[i], name);
			if (!of)
				name = c->groups[g].names[i];
			of = of ? of : s;
		}
}

/* --- one run twice --- */

/* bytes: files with the same bytes are of one run. */
static bool doubts_same_run(const struct profile *a, const struct profile *b, bool bytes)
{
	for (size_t i = 0; i < a->n_inputs; i++)
		for (size_t k = 0; k < b->n_inputs; k++)
			if ((a->inputs[i].run && a->inputs[i].run == b->inputs[k].run) ||
			    (bytes && a->inputs[i].bytes &&
			     a->inputs[i].hash == b->inputs[k].hash &&
			     a->inputs[i].bytes == b->inputs[k].bytes))
				return true;
	return false;
}

static void doubts_of_pair(struct compare_doubts *d, const struct compare *c,
			   const struct doubts_pair *p)
{
	/* Of a format without times two runs that do the same are the same bytes. */
	bool bytes = p->a->duration || !strcmp(p->a_name, p->b_name);

	if (!c->parts && doubts_same_run(p->a, p->b, bytes))
		doubts_describe(d, DOUBT_COPY,
				strcmp(p->a_name, p->b_name) ? "%s and %s are the same run"
							     : "%s is given twice: the same run",
				p->a_name, p->b_name);
}

/* A rule would pass all that a mistyped filter leaves. Of several runs one may have none of a rare entity. */
static void doubts_of_nothing(struct compare_doubts *d, const struct compare *c, size_t group)
{
	const struct compare_group *g = &c->groups[group];
	const struct profile *s = g->n ? g->runs[0] : NULL;

	for (size_t i = 0; i < g->n; i++)
		if (!doubts_left_out(g->runs[i]))
			return;
	if (s && s->options)
		doubts_describe(d, DOUBT_NOTHING, "'%s' leaves nothing of %s", doubts_options(c, s),
				g->names[0]);
	else if (s)
		doubts_describe(
		    d, DOUBT_NOTHING,
		    "%s has no blocks of the judged domain, only of other domains (--domain)",
		    g->names[0]);
}

void doubts_add_other_domains(const struct profile *s, struct buf *to)
{
	bool any = false;

	for (unsigned d = 0; d < DOMAINS; d++) {
		const struct tally_sums *v = &s->other_domains[d];
		enum sum bytes = v->has >> SUM_REAL & 1 ? SUM_REAL : SUM_REQUESTED;

		if (!v->v[SUM_ENTRIES])
			continue;
		buf_addf(to, "%s%" PRIu64 " record%s of domain %s", any ? " and " : "",
			 v->v[SUM_ENTRIES], plural_s(v->v[SUM_ENTRIES]), domain_name(d));
		if (v->has >> bytes & 1) {
			buf_adds(to, " with ");
			size_text(to, v->v[bytes]);
		}
		any = true;
	}
}

/* The largest domain counts where --domain names none: what a program asks of malloc is then not judged. */
static void doubts_of_domain(struct compare_doubts *d, const struct compare *c,
			     const struct profile *s, const char *name)
{
	struct buf b = BUF_INIT;

	if (c->domain_given || !s->other_domains[DOMAIN_MALLOC].v[SUM_ENTRIES] ||
	    d->of[DOUBT_DOMAIN])
		return;
	doubts_add_other_domains(s, &b);
	doubts_describe(d, DOUBT_DOMAIN,
			"%s has %s, which are not judged: --domain selects the judged blocks "
			"(malloc, %s, all)",
			name, buf_str(&b), s->domain ? domain_name(s->domain - 1) : "another");
	buf_release(&b);
}

/* Each run beside the first one. */
static void doubts_of_run(struct compare_doubts *d, const struct compare *c, size_t first,
			  size_t group, size_t run)
{
	const struct compare_group *g = &c->groups[group];
	struct doubts_pair p = {c->groups[first].runs[0], g->runs[run], c->groups[first].names[0],
				g->names[run]};

	if (doubts_empty(p.b))
		doubts_describe(d, DOUBT_EMPTY, "%s is empty: it has no records", p.b_name);
	if (!doubts_same_program(c, p.a, p.b))
		doubts_describe(d, DOUBT_PROGRAM, "programs differ: %s is of %s, %s of %s",
				p.a_name, doubts_word(c, p.a->program), p.b_name,
				doubts_word(c, p.b->program));
	if (p.b->status)
		doubts_describe(d, DOUBT_ENDED, "%s ended with exit status %u", p.b_name,
				p.b->status);
	doubts_of_domain(d, c, p.b, p.b_name);
	doubts_recording(d, c, &p);
	for (size_t h = first; h <= group; h++)
		for (size_t k = 0; k < (h < group ? c->groups[h].n : run); k++) {
			p.a = c->groups[h].runs[k];
			p.a_name = c->groups[h].names[k];
			doubts_of_pair(d, c, &p);
		}
}

void doubts_find(struct compare_doubts *d, const struct compare *c, size_t first)
{
	*d = (struct compare_doubts){.of = {c->unread}};
	for (size_t g = first; g < c->n_groups && c->groups[first].n; g++)
		for (size_t i = 0; i < c->groups[g].n; i++)
			doubts_of_run(d, c, first, g, i);
	doubts_of_arguments(d, c, first);
	for (size_t g = first; g < c->n_groups; g++)
		doubts_of_nothing(d, c, g);
}

uint32_t doubts_other_build(const struct profile *a, const struct profile *b)
{
	uint32_t own_a, own_b;

	for (size_t i = 0; i < b->n_modules; i++)
		for (size_t k = 0; k < a->n_modules; k++)
			if (a->modules[k].name == b->modules[i].name && a->modules[k].build_id &&
			    b->modules[i].build_id &&
			    a->modules[k].build_id != b->modules[i].build_id)
				return b->modules[i].name;
	/* Of one program under two names, and not of one build. */
	return a->program != b->program && doubts_module(a, &own_a) && doubts_module(b, &own_b) &&
		       own_a && own_b && own_a != own_b
		   ? b->program
		   : 0;
}

void doubts_find_builds(struct compare_doubts *d, const struct compare *c)
{
	const struct compare_group *g = &c->groups[c->n_groups - 1];

	for (size_t i = 1; i < g->n; i++) {
		uint32_t module = doubts_other_build(g->runs[0], g->runs[i]);

		if (module)
			doubts_describe(d, DOUBT_BUILD,
					"builds differ: %s is one build in %s and "
					"another in %s",
					doubts_word(c, module), g->names[i], g->names[0]);
	}
}

void doubts_release(struct compare_doubts *d)
{
	arena_release(&d->arena);
	*d = (struct compare_doubts){.of = {NULL}};
}

bool doubts_allowed(enum compare_doubt of, const struct compare_allowed *a)
{
	switch (of) {
	case DOUBT_ENDED:
	case DOUBT_PROGRAM:
	case DOUBT_ARGUMENTS:
	case DOUBT_BUILD:
	case DOUBT_FORMAT:
	case DOUBT_SAMPLING:
	case DOUBT_FILTERS:
	case DOUBT_CAPTURES: return a->unlike;
	case DOUBT_COPY: return a->copies;
	case DOUBT_NOTHING: return a->unmatched;
	default: return false;
	}
}

const char *doubts_first(const struct compare_doubts *d, const struct compare_allowed *a)
{
	for (enum compare_doubt i = 0; i < DOUBTS; i++)
		if (d->of[i] && !doubts_allowed(i, a))
			return d->of[i];
	return NULL;
}
