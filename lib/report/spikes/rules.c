/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes/rules.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const placeholders[] = {"function", "thread", "ms", "frames", "frame"};
enum { PLACEHOLDERS = sizeof placeholders / sizeof *placeholders };

void spike_rules_init(struct spike_rules *r)
{
	*r = (struct spike_rules){.least = SPIKE_NEVER};
}

static void release_matches(struct spike_matches *m)
{
	for (size_t i = 0; i < m->n; i++)
		match_free(m->items[i]);
	free(m->items);
}

static struct spike_matches *matches_of(struct spike_rule *r, unsigned i)
{
	struct spike_matches *const all[] = {&r->match, &r->files, &r->modules, &r->threads,
					     &r->below};

	return i < 5 ? all[i] : NULL;
}

void spike_rules_release(struct spike_rules *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct spike_matches *m;

		for (unsigned k = 0; (m = matches_of(&r->items[i], k)); k++)
			release_matches(m);
		selection_release(&r->items[i].in);
	}
	free(r->items);
	arena_release(&r->arena);
	*r = (struct spike_rules){.least = SPIKE_NEVER};
}

bool spike_matches_any(const struct spike_matches *m, const char *s, size_t n)
{
	for (size_t i = 0; i < m->n; i++)
		if (match_test(m->items[i], s, n))
			return true;
	return false;
}

enum status spike_rules_channels(struct spike_rules *r, const char *const *on, size_t n,
				 struct err *e)
{
	for (size_t k = 0; k < n; k++) {
		bool known = false;

		for (size_t i = 0; i < r->n; i++)
			known |= r->items[i].channel && !strcmp(r->items[i].channel, on[k]);
		if (!known)
			return err_set(e, ST_BAD, "no rule has the channel '%s'", on[k]);
	}
	for (size_t i = 0; i < r->n; i++) {
		struct spike_rule *rule = &r->items[i];

		rule->off = rule->channel != NULL;
		for (size_t k = 0; rule->off && k < n; k++)
			rule->off = strcmp(rule->channel, on[k]) != 0;
	}
	return ST_OK;
}

bool spike_parse_limit(const char *s, size_t n, uint64_t *ns)
{
	int64_t v;

	if (n == 5 && !memcmp(s, "never", 5)) {
		*ns = SPIKE_NEVER;
		return true;
	}
	if (!num_time(s, n, &v) || v < 0)
		return false;
	*ns = (uint64_t)v;
	return true;
}

void spike_add_ms(struct buf *to, uint64_t ns)
{
	uint64_t us = ns / 1000, part = us % 1000;

	buf_addf(to, "%" PRIu64 ".%02" PRIu64, us / 1000, part / 10);
	if (part % 10)
		buf_addc(to, (char)('0' + part % 10));
}

static void add_frames(struct buf *to, const struct spike_rules *r, uint64_t total)
{
	uint64_t thousandths = (uint64_t)((double)total / (double)r->frame * 1000 + 0.5);

	buf_addf(to, "%" PRIu64 ".%03" PRIu64, thousandths / 1000, thousandths % 1000);
}

static void add_word(struct buf *to, const struct spike_rules *r, unsigned word,
		     const struct spike_words *w)
{
	switch (word) {
	case 0: buf_add(to, w->function, w->n_function); break;
	case 1: buf_add(to, w->thread, w->n_thread); break;
	case 2:
		if (w->has_total)
			spike_add_ms(to, w->total);
		break;
	case 3:
		if (w->has_total && r->frame)
			add_frames(to, r, w->total);
		break;
	default:
		if (w->has_frame)
			buf_addf(to, "%" PRId64, w->frame);
	}
}

void spike_fill(struct buf *to, const struct spike_rules *r, const char *pattern,
		const struct spike_words *w)
{
	for (const char *p = pattern; *p;) {
		const char *end = *p == '{' ? strchr(p, '}') : NULL;
		unsigned word = 0;

		while (end && word < PLACEHOLDERS &&
		       (strlen(placeholders[word]) != (size_t)(end - p - 1) ||
			memcmp(placeholders[word], p + 1, (size_t)(end - p - 1)) != 0))
			word++;
		if (end && word < PLACEHOLDERS) {
			add_word(to, r, word, w);
			p = end + 1;
		} else {
			buf_addc(to, *p++);
		}
	}
}
