/* SPDX-License-Identifier: MIT
 *
 * Questions to a policy: rules that match a name, and waivers.
 */
#include "lib/report/compare/policy.h"

#include "lib/names/disambiguate.h"

#include <string.h>

bool policy_about(const struct policy_rule *r, const struct name_suffix_name *s)
{
	for (size_t i = 0; i < r->n_match; i++)
		if (name_suffix_match(r->match[i], s))
			return true;
	return !r->n_match;
}

void policy_add_literal(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)s[i] < ' ' || (unsigned char)s[i] >= 0x7f ||
		    strchr("\\^;#", s[i]))
			buf_addc(b, '.');
		else if (strchr(".$|()[]{}*+?", s[i]))
			buf_addf(b, "[%c]", s[i]);
		else
			buf_addc(b, s[i]);
	}
}

uint64_t policy_gave_up(const struct compare_policy *p, size_t rule)
{
	const struct policy_rule *r = &p->rules[rule];
	uint64_t times = 0;

	for (size_t i = 0; i < r->n_match; i++)
		times += match_timed_out(r->match[i]);
	for (size_t i = 0; i < p->n_waivers; i++)
		if (p->waivers[i].rule == rule && p->waivers[i].match)
			times += match_timed_out(p->waivers[i].match);
	return times;
}

const struct policy_waiver *policy_waived(const struct compare_policy *p, size_t rule,
					  const struct name_suffix_name *s, double value,
					  const char *today, const struct policy_waiver **other)
{
	if (other)
		*other = NULL;
	for (size_t i = 0; i < p->n_waivers; i++) {
		const struct policy_waiver *w = &p->waivers[i];

		if (w->rule != rule || (w->match && !name_suffix_match(w->match, s)))
			continue;
		if (strcmp(today, w->until) <= 0 &&
		    (!w->has_max || value <= decimal_to_double(w->max)))
			return w;
		if (other)
			*other = w;
	}
	return NULL;
}
