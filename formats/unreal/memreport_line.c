/* SPDX-License-Identifier: MIT */
#include "formats/unreal/memreport_line.h"

#include "lib/base/num.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool mr_begins(struct mr_text t, const char *word)
{
	size_t n = strlen(word);

	return mr_length(t) >= n && !memcmp(t.s, word, n);
}

bool mr_skip_word(struct mr_text *t, const char *word)
{
	if (!mr_begins(*t, word))
		return false;
	t->s += strlen(word);
	return true;
}

bool mr_is(struct mr_text t, const char *word)
{
	return mr_length(t) == strlen(word) && mr_begins(t, word);
}

struct mr_text mr_trim(struct mr_text t)
{
	while (t.s < t.end && is_blank(*t.s))
		t.s++;
	while (t.end > t.s && is_blank(t.end[-1]))
		t.end--;
	return t;
}

bool mr_split(struct mr_text *t, const char *at, struct mr_text *before)
{
	const char *p = memmem(t->s, mr_length(*t), at, strlen(at));

	if (!p)
		return false;
	*before = (struct mr_text){t->s, p};
	t->s = p + strlen(at);
	return true;
}

struct mr_text mr_last_word(struct mr_text *t)
{
	struct mr_text word = mr_trim(*t);

	t->end = word.end;
	while (t->end > t->s && !is_blank(t->end[-1]))
		t->end--;
	word.s = t->end;
	return word;
}

bool mr_number(struct mr_text t, double scale, int64_t *v)
{
	bool minus = mr_skip_word(&t, "-"), point = false;
	double x = 0, unit = 1;
	uint64_t whole;

	/* Unsigned numbers of 64 bits stand for what went below 0. */
	if (scale == 1 && !minus && num_dec(t.s, mr_length(t), &whole)) {
		*v = (int64_t)whole;
		return true;
	}
	if (t.s == t.end || mr_length(t) > 40)
		return false;
	for (; t.s < t.end; t.s++) {
		if (*t.s == '.' && !point) {
			point = true;
			continue;
		}
		if (*t.s < '0' || *t.s > '9')
			return false;
		x = x * 10 + (*t.s - '0');
		unit *= point ? 10 : 1;
	}
	x = x / unit * scale;
	if (!(x < 9e18))
		return false;
	*v = minus ? -llround(x) : llround(x);
	return true;
}

static double memreport_line_unit_of(struct mr_text *t)
{
	static const struct {
		const char *word;
		double bytes;
	} units[] = {
	    {"GB", 1 << 30}, {"MB", 1 << 20}, {"KB", 1 << 10}, {"K", 1 << 10}, {"M", 1 << 20}};
	struct mr_text at = *t;

	while (at.s < at.end && is_blank(*at.s))
		at.s++;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		size_t n = strlen(units[i].word);

		if (mr_length(at) < n || strncasecmp(at.s, units[i].word, n) != 0 ||
		    (mr_length(at) > n && isalnum((unsigned char)at.s[n])))
			continue;
		t->s = at.s + n;
		return units[i].bytes;
	}
	return 0;
}

bool mr_next_size(struct mr_text *t, struct mr_text *before, int64_t *bytes)
{
	const char *from = t->s;

	for (const char *s = from; s < t->end; s++) {
		struct mr_text number = {s, s}, rest;
		double unit;

		if (*s < '0' || *s > '9' ||
		    (s > from && (isalnum((unsigned char)s[-1]) || s[-1] == '.')))
			continue;
		while (number.end < t->end &&
		       (isdigit((unsigned char)*number.end) || *number.end == '.'))
			number.end++;
		rest = (struct mr_text){number.end, t->end};
		unit = memreport_line_unit_of(&rest);
		if (!unit || !mr_number(number, unit, bytes))
			continue;
		*before = mr_trim((struct mr_text){from, s});
		t->s = rest.s;
		return true;
	}
	return false;
}

static uint8_t column_of(struct mr_text word)
{
	static const char *const words[] = {[MR_COUNT] = "Count",
					    [MR_NUM] = "NumKB",
					    [MR_MAX] = "MaxKB",
					    [MR_RESOURCES] = "ResExcKB"};

	for (int i = MR_COUNT; i < MR_COLUMNS; i++)
		if (mr_is(word, words[i]))
			return (uint8_t)i;
	return MR_OTHER;
}

static bool next_word(struct mr_text *t, struct mr_text *word)
{
	*t = mr_trim(*t);
	word->s = t->s;
	while (t->s < t->end && !is_blank(*t->s))
		t->s++;
	word->end = t->s;
	return word->s < word->end;
}

bool mr_head(struct mr_text line, const char *first, struct mr_columns *c)
{
	struct mr_text word;

	c->n = 0;
	if (!next_word(&line, &word) || !mr_is(word, first))
		return false;
	while (next_word(&line, &word)) {
		if (c->n == sizeof c->what)
			return false;
		c->what[c->n++] = column_of(word);
	}
	return c->n > 0;
}

bool mr_row(struct mr_text line, const struct mr_columns *c, struct mr_row *r)
{
	memset(r->v, 0, sizeof r->v);
	for (unsigned i = c->n; i-- > 0;) {
		uint8_t what = c->what[i];
		int64_t v;

		if (!mr_number(mr_last_word(&line), what == MR_COUNT ? 1 : 1024, &v) || v < 0)
			return false;
		r->v[what] = v;
	}
	r->name = mr_trim(line);
	return r->name.s < r->name.end;
}
