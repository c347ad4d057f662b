/* SPDX-License-Identifier: MIT */
#include "lib/input/xml.h"

#include "lib/base/text.h"

enum { PIECE_MOST = 16 << 20 };

void xml_unescape(struct buf *to, const char *s, size_t n)
{
	static const struct {
		const char *word;
		char c;
	} named[] = {
	    {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};

	to->len = 0;
	for (size_t i = 0, k; i < n; i++) {
		for (k = 0; k < sizeof named / sizeof *named; k++)
			if (s[i] == '&' && text_begins(s + i, n - i, named[k].word))
				break;
		if (k < sizeof named / sizeof *named) {
			buf_addc(to, named[k].c);
			i += strlen(named[k].word) - 1;
		} else {
			buf_addc(to, s[i]);
		}
	}
}

/* How many bytes there are up to an end, outside of quotes; 0: it never comes. */
static size_t find_end(struct cursor *c, const char *end, bool quotes)
{
	size_t n = strlen(end), have = 0;
	char quote = 0;

	for (size_t i = 0;; i++) {
		if (i + n > have) {
			have = cursor_available(c, i + n < 4096 ? 4096 : 2 * i);
			if (i + n > have || i > PIECE_MOST)
				return 0;
		}
		if (quotes && quote)
			quote = (char)c->pos[i] == quote ? 0 : quote;
		else if (quotes && (c->pos[i] == '"' || c->pos[i] == '\''))
			quote = (char)c->pos[i];
		else if (!memcmp(c->pos + i, end, n))
			return i + n;
	}
}

static bool next_is(struct cursor *c, const char *word)
{
	size_t n = strlen(word);

	return cursor_available(c, n) >= n && !memcmp(c->pos, word, n);
}

/* What begins with '<', up to its '>'. */
static enum xml_piece read_tag(struct xml *x)
{
	size_t n = find_end(x->in, ">", true);
	bool close;
	const char *s, *end;

	if (!n) {
		cursor_fail(x->in, ST_BAD, "a tag has no end");
		return XML_END;
	}
	s = (const char *)cursor_bytes(x->in, n, "a tag") + 1;
	end = s + n - 2;
	close = s < end && *s == '/';
	s += close;
	x->empty = !close && end > s && end[-1] == '/';
	end -= x->empty;
	x->name = s;
	while (s < end && !text_is_space(*s))
		s++;
	x->name_n = (size_t)(s - x->name);
	x->attributes = s;
	x->attributes_n = (size_t)(end - s);
	if (x->empty) { /* of the name behind it, the bytes may have gone */
		x->closing = true;
		x->last.len = 0;
		buf_add(&x->last, x->name, x->name_n);
	}
	return close ? XML_CLOSE : XML_OPEN;
}

static bool read_text(struct xml *x)
{
	struct cursor *c = x->in;
	size_t n = 0;
	const char *s, *end;

	while (cursor_available(c, n + 1) > n && c->pos[n] != '<' && n < PIECE_MOST) {
		size_t have = cursor_window(c);
		const uint8_t *at = memchr(c->pos + n, '<', have - n);

		n = at ? (size_t)(at - c->pos) : have;
	}
	s = n ? (const char *)cursor_bytes(c, n, "a text") : "";
	if (!s)
		return false;
	end = s + n;
	while (s < end && text_is_space(*s))
		s++;
	while (s < end && text_is_space(end[-1]))
		end--;
	xml_unescape(&x->text, s, (size_t)(end - s));
	return x->text.len > 0;
}

enum xml_piece xml_next(struct xml *x)
{
	struct cursor *c = x->in;

	if (x->closing) {
		x->closing = x->empty = false;
		x->name = buf_str(&x->last);
		x->name_n = x->last.len;
		x->attributes_n = 0;
		return XML_CLOSE;
	}
	while (!cursor_done(c)) {
		const char *end = ">";
		size_t n;

		if (!next_is(c, "<")) {
			if (read_text(x))
				return XML_TEXT;
			continue;
		}
		if (!next_is(c, "<?") && !next_is(c, "<!"))
			return read_tag(x);
		end = next_is(c, "<!--") ? "-->" : next_is(c, "<?") ? "?>" : ">";
		n = find_end(c, end, false);
		if (!n) {
			cursor_fail(c, ST_BAD, "a comment has no end");
			break;
		}
		cursor_skip(c, n, "a comment");
	}
	return XML_END;
}

bool xml_is(const struct xml *x, const char *name)
{
	return text_is(x->name, x->name_n, name);
}

bool xml_attribute(const struct xml *x, const char *name, const char **s, size_t *n)
{
	const char *at = x->attributes, *end = at + x->attributes_n;
	size_t len = strlen(name);

	while (at < end) {
		const char *equals, *close, *from;

		while (at < end && text_is_space(*at))
			at++;
		equals = memchr(at, '=', (size_t)(end - at));
		if (!equals || end - equals < 3 || (equals[1] != '"' && equals[1] != '\''))
			return false;
		from = at;
		close = memchr(equals + 2, equals[1], (size_t)(end - equals - 2));
		if (!close)
			return false;
		if ((size_t)(equals - from) == len && !memcmp(from, name, len)) {
			*s = equals + 2;
			*n = (size_t)(close - *s);
			return true;
		}
		at = close + 1;
	}
	return false;
}

void xml_release(struct xml *x)
{
	buf_release(&x->text);
	buf_release(&x->last);
}
