/* SPDX-License-Identifier: MIT
 *
 * `judge cases` decides what standard input says:
 *
 *	case BASE NEW ALPHA RUNS RULES
 *	rule RATIO ABSOLUTE SUBJECTS        so many rules; each is followed by a line for each subject
 *	V V V ...                           with its BASE + NEW values
 *
 * and prints for each case
 *
 *	case EXIT WAYS                      0, 1 or 5; sets of runs that were tried, 1 of single runs
 *	rule WORD P                         of what its subjects have in common; - without a factor
 *	WORD WHY P HIGH                     of each subject; so many new runs are high
 */
#include "tests/simulate/simulate.h"

#include "lib/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int judge_end(const struct judge_rule *rules, size_t n)
{
	bool fail = false, unsure = false;

	for (size_t i = 0; i < n; i++) {
		fail |= rules[i].common.change == CHANGE_REGRESSED;
		unsure |= rules[i].common.change == CHANGE_INCONCLUSIVE;
		for (size_t k = 0; k < rules[i].n; k++) {
			fail |= rules[i].subjects[k].change == CHANGE_REGRESSED;
			unsure |= rules[i].subjects[k].change == CHANGE_INCONCLUSIVE;
		}
	}
	return fail ? 1 : unsure ? 5 : 0;
}

static const char *const changes[] = {"pass", "improved", "fail", "inconclusive"};
static const char *const whys[JUDGE_WHYS] = {"-",       "single", "few",   "large", "some",
					     "appears", "many",   "above", "either"};

static void read_number(double *to)
{
	if (scanf("%lf", to) == 1)
		return;
	fprintf(stderr, "a number is missing\n");
	exit(2);
}

static size_t read_count(size_t most)
{
	double v;

	read_number(&v);
	if (v >= 0 && v <= (double)most)
		return (size_t)v;
	fprintf(stderr, "%g is no count\n", v);
	exit(2);
}

static void read_word(const char *word)
{
	char text[16];

	if (scanf("%15s", text) == 1 && !strcmp(text, word))
		return;
	fprintf(stderr, "'%s' is missing\n", word);
	exit(2);
}

static void read_rule(struct judge_rule *r, size_t n_base, size_t n_new)
{
	double ratio, absolute;

	read_word("rule");
	read_number(&ratio);
	read_number(&absolute);
	r->n = read_count(1000000);
	r->subjects = mem_zarray(r->n + 1, sizeof *r->subjects);
	for (size_t i = 0; i < r->n; i++) {
		double *v = mem_array(n_base + n_new, sizeof *v);

		for (size_t k = 0; k < n_base + n_new; k++)
			read_number(&v[k]);
		r->subjects[i] = (struct judge_subject){.base = {v, n_base},
							.new = {v + n_base, n_new},
							.ratio = ratio,
							.absolute = absolute};
	}
}

static void print_case(const struct judge_rule *rules, size_t n, size_t ways)
{
	printf("case %d %zu\n", judge_end(rules, n), ways ? ways : 1);
	for (size_t i = 0; i < n; i++) {
		if (rules[i].factors)
			printf("rule %s %.9g\n", changes[rules[i].common.change],
			       rules[i].common.p);
		else
			printf("rule -\n");
		for (size_t k = 0; k < rules[i].n; k++) {
			const struct judge_subject *s = &rules[i].subjects[k];

			printf("%s %s %.9g %zu\n", changes[s->change], whys[s->why], s->p, s->high);
		}
	}
}

void simulate_cases(void)
{
	char word[16];

	while (scanf("%15s", word) == 1) {
		struct judge_options o = {.decrease = true};
		size_t n_base = read_count(1000), n_new = read_count(1000), n;
		struct judge_result result;
		struct judge_rule *rules;

		read_number(&o.alpha);
		o.runs_min = read_count(1000);
		n = read_count(1000);
		rules = mem_zarray(n + 1, sizeof *rules);
		for (size_t i = 0; i < n; i++)
			read_rule(&rules[i], n_base, n_new);
		result = judge_rules(rules, n, &o);
		print_case(rules, n, result.orders);
		judge_release(rules, n);
		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < rules[i].n; k++)
				free((void *)(uintptr_t)rules[i].subjects[k].base.v);
			free(rules[i].subjects);
		}
		free(rules);
	}
}
