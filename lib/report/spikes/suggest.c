/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes/suggest.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/base/utf.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SECTION_NAME_MAX = 100,
	EXPRESSED_MAX = 1000, /* bytes of a name; pcre2 takes some 30,000 */
	LAST_WORDS = 1000,    /* bytes for what is said behind the rules */
	OWN_PERCENT = 50,
	RARE_PERCENT = 10
};

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

static int suggest_compare(const void *a, const void *b)
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
		sort_array(items, *n, sizeof *items, suggest_compare);
	return items;
}

/* How much of a name an expression can hold: what is well-formed UTF-8, and not without end. */
static size_t expressible(const char *s, size_t n)
{
	size_t at = 0;

	while (at < n && at < EXPRESSED_MAX) {
		size_t k = utf8_next(s + at, n - at, NULL);

		if (!k)
			break;
		at += k;
	}
	while (at < n && at && s[at - 1] == ' ') /* that would be trimmed behind a beginning */
		at--;
	return at;
}

static void add_expression(struct buf *out, const char *s, size_t n, bool whole)
{
	buf_addc(out, '^');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < ' ' || c == 0x7f)
			buf_addf(out, "\\x%02x", c);
		else if (c >= 0x80 || isalnum(c) || strchr("_: ,<>&@~'\"%=!`", c))
			buf_addc(out, (char)c);
		else
			buf_addf(out, "\\%c", c);
	}
	if (whole)
		buf_addc(out, '$');
}

static void add_section_name(struct buf *out, const char *s, size_t n)
{
	size_t end = out->len + SECTION_NAME_MAX;

	while (n && *s == ' ')
		s++, n--;
	if (!n)
		buf_adds(out, "without a name");
	while (n && out->len < end) {
		size_t k = utf8_next(s, n, NULL);

		k = k ? k : 1;
		if ((*s == ';' || *s == '#') && out->data[out->len - 1] == ' ')
			buf_addc(out, '\\');
		buf_add_escaped(out, s, k);
		s += k;
		n -= k;
	}
}

/* False: no expression can match this name. */
static bool add_section(struct buf *out, const char *mark, const char *s, size_t n)
{
	size_t fits = expressible(s, n);

	if (n && !fits) {
		buf_adds(out, "#   no rule can: its name begins with bytes that are no UTF-8\n");
		return false;
	}
	if (fits < n)
		buf_adds(out,
			 "#   the expression is the beginning of its name: others may begin so\n");
	buf_addf(out, "%s[function ", mark);
	add_section_name(out, s, n);
	buf_addf(out, "]\n%smatch = ", mark);
	add_expression(out, s, fits, fits == n);
	buf_addc(out, '\n');
	return true;
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

static void suggest_add_facts(const struct spikes *s, const struct spike_groups *g,
			      uint32_t function, struct buf *out)
{
	const struct spike_stat *stat = &g->stats[function];
	const struct spike_function *f = &g->functions->items[function];
	size_t n;
	const char *name = spike_function_name(g->functions, function, &n);

	buf_adds(out, "# ");
	buf_add_escaped(out, name, n);
	buf_addf(out, ": %" PRIu64 " of %" PRIu64 " calls", stat->totals.n, f->calls);
	if (stat->frames)
		buf_addf(out, ", in %" PRIu64 " frame%s", stat->frames, plural_s(stat->frames));
	buf_addf(out, "; median %s", quantiles_is_exact(&stat->totals, 50) ? "" : "~");
	spike_add_ms(out, quantiles_at(&stat->totals, 50));
	buf_addf(out, " ms, p95 %s", quantiles_is_exact(&stat->totals, 95) ? "" : "~");
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

/* Markers that would show more. */
static void suggest_add_markers(const struct spike_groups *g, uint32_t function, struct buf *out)
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

static void suggest(const struct spikes *s, const struct spike_groups *g, bool steady,
		    const struct suggestion *x, struct buf *out)
{
	size_t n;
	const char *name = spike_function_name(g->functions, x->function, &n);

	suggest_add_facts(s, g, x->function, out);
	if (!steady)
		suggest_add_markers(g, x->function, out);
	if (add_section(out, steady ? "" : "#", name, n)) {
		buf_adds(out, steady ? "threshold = " : "#ignore = yes\n");
		if (steady) {
			add_limit(out, roomy(x->worst));
			buf_addc(out, '\n');
		}
	}
	buf_addc(out, '\n');
}

/* What is suggested is a file of rules, with the '#' taken away, too. */
static void suggest_add_list(const struct spikes *s, const struct spike_groups *g, bool steady,
			     uint64_t n, size_t *rules, struct buf *out)
{
	size_t all, shown;
	struct suggestion *items = pick(g, steady, &all);
	const char *why = "-n";

	if (all)
		buf_adds(out, steady
				  ? "# As slow nearly every time, so perhaps legitimately:\n\n"
				  : "# To be looked at, the worst first. To silence one, take the "
				    "'#' away:\n\n");
	for (shown = 0; shown < all && (!n || shown < n); shown++) {
		size_t before = out->len;

		if (*rules < SPIKE_RULES_MAX)
			suggest(s, g, steady, &items[shown], out);
		if (++*rules > SPIKE_RULES_MAX || out->len > SPIKE_RULES_BYTES - LAST_WORDS) {
			why = "a file of rules has no room for them";
			out->len = before;
			break;
		}
	}
	if (all > shown)
		buf_addf(out, "# ... and %zu more (%s)\n\n", all - shown, why);
	free(items);
}

void spikes_suggest(const struct spikes *s, const struct spike_groups *g, uint64_t n,
		    struct buf *out)
{
	size_t rules = 0;

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
	suggest_add_list(s, g, true, n, &rules, out);
	suggest_add_list(s, g, false, n, &rules, out);
}
