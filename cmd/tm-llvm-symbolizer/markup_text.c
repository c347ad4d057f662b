/* SPDX-License-Identifier: MIT */
#include "cmd/tm-llvm-symbolizer/markup_text.h"

#include <string.h>

bool span_is(struct markup_span s, const char *word)
{
	return s.n == strlen(word) && !memcmp(s.s, word, s.n);
}

static struct markup_span until(struct markup_span s, const char *end)
{
	return (struct markup_span){s.s, (size_t)(end - s.s)};
}

static struct markup_span behind(struct markup_span s, const char *begin)
{
	return (struct markup_span){begin, s.n - (size_t)(begin - s.s)};
}

static const char *find(struct markup_span s, const char *three)
{
	return s.n ? memmem(s.s, s.n, three, 3) : NULL;
}

/* The next element with a tag. */
static bool markup_find_element(struct markup_span s, struct markup_node *out)
{
	const char *begin, *end, *colon;

	while ((begin = find(s, "{{{"))) {
		struct markup_node n;

		end = find(behind(s, begin + 3), "}}}");
		if (!end)
			return false;
		s = behind(s, end + 3);
		n = (struct markup_node){.all = {begin, (size_t)(end + 3 - begin)},
					 .inside = {begin + 3, (size_t)(end - begin - 3)}};
		colon = memchr(begin + 3, ':', n.inside.n);
		n.tag = until(n.inside, colon ? colon : end);
		for (; colon; colon = memchr(colon + 1, ':', (size_t)(end - colon - 1)))
			n.n_fields++;
		if (n.tag.n) {
			*out = n;
			return true;
		}
	}
	return false;
}

size_t markup_color_code(struct markup_span s)
{
	if (s.n >= 4 && !memcmp(s.s, "\033[", 2) && (s.s[2] == '0' || s.s[2] == '1') &&
	    s.s[3] == 'm')
		return 4;
	if (s.n >= 5 && !memcmp(s.s, "\033[3", 3) && s.s[3] >= '0' && s.s[3] <= '7' &&
	    s.s[4] == 'm')
		return 5;
	return 0;
}

bool markup_next(struct markup_cutting *c, struct markup_node *out)
{
	size_t n;

	if (!c->text.n && !c->element.all.n && c->rest.n) {
		c->text = c->rest;
		c->rest.n = 0;
		if (markup_find_element(c->text, &c->element)) {
			c->rest = behind(c->text, c->element.all.s + c->element.all.n);
			c->text = until(c->text, c->element.all.s);
		}
	}
	if (c->text.n) {
		n = markup_color_code(c->text);
		for (size_t i = 0; !n && i <= c->text.n; i++)
			if (i == c->text.n || markup_color_code(behind(c->text, c->text.s + i)))
				n = i;
		*out = (struct markup_node){.all = {c->text.s, n}};
		c->text = behind(c->text, c->text.s + n);
		return true;
	}
	*out = c->element;
	c->element.all.n = 0;
	return out->all.n;
}

struct markup_span markup_field(const struct markup_node *n, size_t number)
{
	const char *end = n->inside.s + n->inside.n, *colon = n->tag.s + n->tag.n;
	struct markup_span rest = {colon + 1, (size_t)(end - colon - 1)};

	while (number-- && (colon = memchr(rest.s, ':', rest.n)))
		rest = behind(rest, colon + 1);
	colon = memchr(rest.s, ':', rest.n);
	return colon ? until(rest, colon) : rest;
}
