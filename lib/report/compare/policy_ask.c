/* SPDX-License-Identifier: MIT
 *
 * Questions to a policy: rules that match a name, and waivers.
 */
#include "lib/report/compare/policy.h"

#include <string.h>

const struct policy_rule *policy_measure(const struct compare_policy *p)
{
	for (size_t i = 0; i < p->n_rules; i++)
		if (p->rules[i].kind == POLICY_GROWTH && p->rules[i].key == POLICY_TOTAL)
			return &p->rules[i];
	return NULL;
}

bool policy_about(const struct policy_rule *r, const char *name, size_t n)
{
	for (size_t i = 0; i < r->n_match; i++)
		if (match_test(r->match[i], name, n))
			return true;
	return !r->n_match;
}

uint64_t policy_gave_up(const struct compare_policy *p, size_t rule)
{
	const struct policy_rule *r = &p->rules[rule];
	uint64_t times = 0;

	for (size_t i = 0; i < r->n_match; i++)
		times += match_gave_up(r->match[i]);
	for (size_t i = 0; i < p->n_waivers; i++)
		if (p->waivers[i].rule == rule && p->waivers[i].match)
			times += match_gave_up(p->waivers[i].match);
	return times;
}

const struct policy_waiver *policy_waived(const struct compare_policy *p, size_t rule,
					  const char *subject, size_t n, const char *today,
					  const struct policy_waiver **expired)
{
	if (expired)
		*expired = NULL;
	for (size_t i = 0; i < p->n_waivers; i++) {
		const struct policy_waiver *w = &p->waivers[i];

		if (w->rule != rule || (w->match && !match_test(w->match, subject, n)))
			continue;
		if (strcmp(today, w->until) <= 0)
			return w;
		if (expired)
			*expired = w;
	}
	return NULL;
}
