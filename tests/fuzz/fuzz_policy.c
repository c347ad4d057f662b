/* SPDX-License-Identifier: MIT
 *
 * Policy files: rules and waivers of any text; behind a NUL byte, names to match.
 * What is read has rules of one name each, in range, and waivers of rules that there are; it is the
 * same when it is read twice; what is refused says the line. A rule is about a name or not, every
 * time; a waiver is in force on its last day and not on the day after.
 */
#include "lib/base/hash.h"
#include "lib/report/compare/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static uint64_t mix(uint64_t h, const void *p, size_t n)
{
	return hash_bytes_seeded(p, n, h);
}

static uint64_t check_rule(const struct compare_policy *p, size_t i, uint64_t h)
{
	const struct policy_rule *r = &p->rules[i];

	must(*r->name && r->line && r->kind <= POLICY_COVERAGE && r->metric < SUMS);
	must(r->key >= 0 && r->key <= POLICY_TOTAL && r->per <= PER_SECOND);
	must(isnan(r->percent) || r->percent >= 0);
	must(r->kind != POLICY_COVERAGE || !isnan(r->percent) || !isnan(r->drop));
	for (size_t k = 0; k < i; k++)
		must(strcmp(p->rules[k].name, r->name) != 0);
	h = mix(h, r->name, strlen(r->name));
	h = mix(h, &r->absolute, sizeof r->absolute);
	h = mix(h, &r->percent, sizeof r->percent);
	return mix(h, &r->max, sizeof r->max);
}

static uint64_t check_waiver(const struct compare_policy *p, const struct policy_waiver *w,
			     uint64_t h)
{
	must(*w->name && w->line && w->rule < p->n_rules && w->reason && *w->reason);
	must(!strcmp(p->rules[w->rule].name, w->rule_name));
	must(!w->until || policy_date(w->until));
	return mix(h, w->name, strlen(w->name));
}

static void ask(const struct compare_policy *p, const char *name, size_t n)
{
	const struct name_suffix_name subject = {name, n, name, n};
	const struct policy_waiver *expired, *w;

	for (size_t i = 0; i < p->n_rules && i < 16; i++) {
		uint64_t gave_up = policy_gave_up(p, i);
		bool about = policy_about(&p->rules[i], &subject);

		must(about || p->rules[i].n_match);
		must(policy_about(&p->rules[i], &subject) == about ||
		     policy_gave_up(p, i) > gave_up);
		w = policy_waived(p, i, &subject, -INFINITY, "9999-12-31", &expired);
		must(!w || (w->rule == i && (!w->until || !strcmp(w->until, "9999-12-31"))));
		must(!expired || (expired->rule == i && expired->until));
		if (expired) {
			w = policy_waived(p, i, &subject, -INFINITY, expired->until, NULL);
			must(w || policy_gave_up(p, i) > gave_up);
		}
	}
}

static enum status read(const char *text, size_t n, const char *names, size_t n_names, uint64_t *h)
{
	struct err e = ERR_INIT;
	struct compare_policy p;
	enum status st = policy_parse(&p, "fuzz.ini", text, n, &e);

	*h = 0;
	if (st) {
		must(e.msg[0]);
		*h = mix(0, e.msg, strlen(e.msg));
		return st;
	}
	must(p.alpha > 0 && p.alpha <= 0.5);
	for (size_t i = 0; i < p.n_rules; i++)
		*h = check_rule(&p, i, *h);
	for (size_t i = 0; i < p.n_waivers; i++)
		*h = check_waiver(&p, &p.waivers[i], *h);
	for (size_t asked = 0; asked < 8 && n_names; asked++) {
		const char *end = memchr(names, '\n', n_names);
		size_t size = end ? (size_t)(end - names) : n_names;

		ask(&p, names, size);
		size += end != NULL;
		names += size;
		n_names -= size;
	}
	policy_release(&p);
	return ST_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const char *text = (const char *)data, *nul = n ? memchr(text, 0, n) : NULL;
	size_t size = nul ? (size_t)(nul - text) : n;
	const char *names = nul ? nul + 1 : "a";
	size_t n_names = nul ? n - size - 1 : 1;
	uint64_t once, twice;

	must(read(text, size, names, n_names, &once) == read(text, size, names, n_names, &twice));
	must(once == twice);
	/* A NUL is refused wherever it is. */
	must(size == n || read(text, n, names, n_names, &once) != ST_OK);
	return 0;
}
