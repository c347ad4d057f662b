/* SPDX-License-Identifier: MIT */
#include "formats/pprof/heap_line.h"

#include "lib/base/num.h"

#include <string.h>

static void skip_blanks(struct heap_text *t)
{
	while (t->s < t->end && (*t->s == ' ' || *t->s == '\t'))
		t->s++;
}

/* Digits, and what follows them. */
static bool number_and(struct heap_text *t, char stop, int64_t *v)
{
	const char *s;
	uint64_t x;

	skip_blanks(t);
	for (s = t->s; s < t->end && *s >= '0' && *s <= '9';)
		s++;
	if (s == t->s || s == t->end || *s != stop || !num_dec(t->s, (size_t)(s - t->s), &x) ||
	    x > INT64_MAX)
		return false;
	*v = (int64_t)x;
	t->s = s + 1;
	return true;
}

static bool skip_word(struct heap_text *t, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(t->end - t->s) < n || memcmp(t->s, word, n) != 0)
		return false;
	t->s += n;
	return true;
}

bool heap_line_numbers(struct heap_text *t, struct heap_numbers *v)
{
	skip_blanks(t);
	if (!number_and(t, ':', &v->live) || !number_and(t, ' ', &v->live_bytes))
		return false;
	skip_blanks(t);
	return skip_word(t, "[") && number_and(t, ':', &v->all) &&
	       number_and(t, ']', &v->all_bytes);
}

/* "heap_v2/524288" */
static bool kind_and_period(struct heap_text t, struct heap_head *h)
{
	const char *slash;

	skip_blanks(&t);
	while (t.end > t.s && (t.end[-1] == ' ' || t.end[-1] == '\t'))
		t.end--;
	slash = memchr(t.s, '/', (size_t)(t.end - t.s));
	h->kind = (struct heap_text){t.s, slash ? slash : t.end};
	return !slash || num_dec(slash + 1, (size_t)(t.end - slash) - 1, &h->period);
}

bool heap_line_head(const char *s, size_t n, struct heap_head *h)
{
	struct heap_text t = {s, s + n};

	*h = (struct heap_head){.period = 0};
	if (skip_word(&t, "heap_v2/")) {
		h->jemalloc = true;
		return kind_and_period((struct heap_text){s, s + n}, h);
	}
	if (!skip_word(&t, "heap profile:") || !heap_line_numbers(&t, &h->sum))
		return false;
	skip_blanks(&t);
	return skip_word(&t, "@") ? kind_and_period(t, h) : t.s == t.end;
}

bool heap_line_thread(const char *s, size_t n, struct heap_thread *th)
{
	struct heap_text t = {s, s + n};
	int64_t tid = 0;

	*th = (struct heap_thread){.tid = 0};
	skip_blanks(&t);
	if (t.s == s || !skip_word(&t, "t"))
		return false;
	th->total = skip_word(&t, "*:");
	if ((!th->total && !number_and(&t, ':', &tid)) || !heap_line_numbers(&t, &th->v))
		return false;
	th->tid = (uint64_t)tid;
	skip_blanks(&t);
	th->name = t;
	return true;
}

bool heap_line_address(struct heap_text *t, uint64_t *address)
{
	const char *s;

	skip_blanks(t);
	for (s = t->s; s < t->end && *s != ' ' && *s != '\t';)
		s++;
	if (s - t->s < 3 || t->s[0] != '0' || t->s[1] != 'x' ||
	    !num_hex(t->s + 2, (size_t)(s - t->s) - 2, address))
		return false;
	t->s = s;
	return true;
}

/* "main.f+0x21" without the offset. */
static struct heap_text without_offset(struct heap_text t)
{
	const char *plus = t.end > t.s ? memrchr(t.s, '+', (size_t)(t.end - t.s)) : NULL;
	uint64_t v;

	if (plus && plus > t.s && t.end - plus > 3 && plus[1] == '0' && plus[2] == 'x' &&
	    num_hex(plus + 3, (size_t)(t.end - plus) - 3, &v))
		t.end = plus;
	return t;
}

bool heap_line_symbol(const char *s, size_t n, struct heap_symbol *x)
{
	struct heap_text t = {s, s + n};
	const char *tab, *colon;
	uint64_t line;

	*x = (struct heap_symbol){.address = 0};
	if (!skip_word(&t, "#\t") || !heap_line_address(&t, &x->address) || !skip_word(&t, "\t"))
		return false;
	tab = memchr(t.s, '\t', (size_t)(t.end - t.s));
	x->name = without_offset((struct heap_text){t.s, tab ? tab : t.end});
	t.s = tab ? tab : t.end;
	skip_blanks(&t);
	colon = t.s < t.end ? memrchr(t.s, ':', (size_t)(t.end - t.s)) : NULL;
	if (colon && num_dec(colon + 1, (size_t)(t.end - colon) - 1, &line) && line <= INT32_MAX) {
		x->file = (struct heap_text){t.s, colon};
		x->line = (uint32_t)line;
	}
	return x->name.s < x->name.end;
}

bool heap_line_maps(const char *s, size_t n)
{
	static const char *const marks[] = {"MAPPED_LIBRARIES:", "--- Memory map: ---"};

	for (int i = 0; i < 2; i++)
		if (n >= strlen(marks[i]) && !memcmp(s, marks[i], strlen(marks[i])))
			return true;
	return false;
}
