/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes_suggest.h"

#include "lib/base/mem.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_NAME_MAX = 100, OWN_PERCENT = 50, RARE_PERCENT = 10 };

struct suggestion {
	uint32_t function;
	uint64_t worst;
};

static bool is_steady(const struct spike_groups *g, uint32_t function)
{
	const struct spike_stat *stat = &g->stats[function];
	uint64_t calls = g->functions->items[function].calls;

	return stat->totals.n >= SPIKES_STEADY && stat->totals.n >= calls - calls / 2 &&
	       stat->totals.max / 2 <= quantiles_at(&stat->totals, 50);
}

static int compare(const void *a, const void *b)
{
	const struct suggestion *x = a, *y = b;

	if (x->worst != y->worst)
		return x->worst > y->worst ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static struct suggestion *pick(const struct spike_groups *g, bool steady, size_t *n)
{
	struct suggestion *items = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t i = 0; i < g->n_stats && i < g->functions->n; i++)
		if (g->stats[i].totals.n && is_steady(g, i) == steady)
			VEC_PUSH(items, *n, cap) = (struct suggestion){i, g->stats[i].totals.max};
	if (*n)
		qsort(items, *n, sizeof *items, compare);
	return items;
}

static void add_expression(struct buf *out, const char *s, size_t n)
{
	buf_addc(out, '^');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < ' ' || c == 0x7f)
			buf_addf(out, "\\x%02x", c);
		else if (c >= 0x80 || isalnum(c) || strchr("_: ,<>&@~'\"%=;!`", c))
			buf_addc(out, (char)c);
		else
			buf_addf(out, "\\%c", c);
	}
	buf_addc(out, '$');
}

static void add_section(struct buf *out, const char *mark, const char *s, size_t n)
{
	buf_addf(out, "%s[function ", mark);
	for (size_t i = 0; i < n && i < SECTION_NAME_MAX; i++)
		buf_addc(out, (unsigned char)s[i] < ' ' || s[i] == 0x7f ? '?' : s[i]);
	buf_addf(out, "]\n%smatch = ", mark);
	add_expression(out, s, n);
	buf_addc(out, '\n');
}

/* "1.5ms", exact. */
static void add_limit(struct buf *out, uint64_t ns)
{
	char digits[8];
	size_t n = 6;

	snprintf(digits, sizeof digits, "%06u", (unsigned)(ns % 1000000));
	while (n && digits[n - 1] == '0')
		n--;
	buf_addf(out, "%" PRIu64 "%s%.*sms", ns / 1000000, n ? "." : "", (int)n, digits);
}

/* A tenth more, up to the next number of three digits. */
static uint64_t roomy(uint64_t ns)
{
	uint64_t v = ns > UINT64_MAX / 2 ? ns : ns + ns / 10, unit = 1;

	while (v / unit >= 1000)
		unit *= 10;
	return v % unit && v / unit < UINT64_MAX / unit ? (v / unit + 1) * unit : v;
}

static void add_facts(const struct spikes *s, const struct spike_groups *g, uint32_t function,
		      struct buf *out)
{
	const struct spike_stat *stat = &g->stats[function];
	const struct spike_function *f = &g->functions->items[function];
	size_t n;
	const char *name = spike_function_name(g->functions, function, &n);

	buf_adds(out, "# ");
	buf_add_escaped(out, name, n);
	buf_addf(out, ": %" PRIu64 " of %" PRIu64 " calls", stat->totals.n, f->calls);
	if (stat->frames)
		buf_addf(out, ", in %" PRIu64 " frames", stat->frames);
	buf_adds(out, "; median ");
	spike_add_ms(out, quantiles_at(&stat->totals, 50));
	buf_adds(out, " ms, p95 ");
	spike_add_ms(out, quantiles_at(&stat->totals, 95));
	buf_adds(out, " ms, worst ");
	spike_add_ms(out, stat->totals.max);
	buf_adds(out, " ms");
	if (s->options.owners) {
		name = owners_name(s->options.owners, stat->owner);
		buf_adds(out, "; ");
		buf_add_escaped(out, name, strlen(name));
	}
	buf_addc(out, '\n');
}

/* Which markers would tell more. */
static void add_markers(const struct spike_groups *g, uint32_t function, struct buf *out)
{
	const struct spike_stat *stat = &g->stats[function];
	const struct spike_function *f = &g->functions->items[function];
	size_t n;
	const char *name = spike_function_name(g->functions, function, &n);
	uint64_t own =
	    stat->sum_self ? (uint64_t)((double)stat->self / (double)stat->sum_self * 100) : 0;

	if (f->has_address && n > 2 && memmem(name, n, "0x", 2))
		buf_adds(out, "#   it has no name: tm-symbolize, or PET_FUNCTION() in it\n");
	if (own >= OWN_PERCENT)
		buf_addf(out,
			 "#   %" PRIu64 " %% of the time is its own: PET_FUNCTION() or "
			 "PET_SECTION_MANUAL() in what it does\n",
			 own);
	if (stat->totals.n <= f->calls / (100 / RARE_PERCENT))
		buf_adds(out, "#   few of its calls are slow: PET_OTMessagef() would tell which\n");
}

static void add_more(struct buf *out, size_t all, size_t shown)
{
	if (all > shown)
		buf_addf(out, "# ... and %zu more (-n)\n\n", all - shown);
}

void spikes_suggest(const struct spikes *s, const struct spike_groups *g, uint64_t n,
		    struct buf *out)
{
	size_t n_steady, n_others, shown;
	struct suggestion *steady = pick(g, true, &n_steady), *others = pick(g, false, &n_others);

	buf_addf(out,
		 "# Rules for tm-spikes, suggested from %" PRIu64 " spikes in %" PRIu64
		 " calls.\n# They are guesses: a rule silences what it is about, so look at each "
		 "first.\n\n[spikes]\nthreshold = ",
		 s->found, s->calls);
	if (s->options.threshold == SPIKE_NEVER)
		buf_adds(out, "never");
	else
		add_limit(out, s->options.threshold);
	buf_adds(out, "\n\n");
	shown = n && n < n_steady ? (size_t)n : n_steady;
	if (n_steady)
		buf_adds(out, "# As slow nearly every time, so perhaps legitimately:\n\n");
	for (size_t i = 0; i < shown; i++) {
		size_t len;
		const char *name = spike_function_name(g->functions, steady[i].function, &len);

		add_facts(s, g, steady[i].function, out);
		add_section(out, "", name, len);
		buf_adds(out, "threshold = ");
		add_limit(out, roomy(steady[i].worst));
		buf_adds(out, "\n\n");
	}
	add_more(out, n_steady, shown);
	shown = n && n < n_others ? (size_t)n : n_others;
	if (n_others)
		buf_adds(out, "# To be looked at, the worst first. To silence one, take the '#' "
			      "away:\n\n");
	for (size_t i = 0; i < shown; i++) {
		size_t len;
		const char *name = spike_function_name(g->functions, others[i].function, &len);

		add_facts(s, g, others[i].function, out);
		add_markers(g, others[i].function, out);
		add_section(out, "#", name, len);
		buf_adds(out, "#ignore = yes\n\n");
	}
	add_more(out, n_others, shown);
	free(steady);
	free(others);
}
