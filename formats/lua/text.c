/* SPDX-License-Identifier: MIT */
#include "formats/lua/text.h"

#include "lib/base/num.h"

#include <inttypes.h>
#include <string.h>

bool lua_next_line(struct cursor *c, struct lua_line *l)
{
	size_t n;
	const char *s;

	if (cursor_done(c))
		return false;
	l->offset = cursor_offset(c);
	s = cursor_line(c, &n, LUA_LINE_MAX);
	if (!s)
		return false;
	l->s = s;
	l->n = n;
	l->number++;
	l->cut = (const uint8_t *)s + n == c->pos;
	return true;
}

bool lua_head_line(struct lua_head *h, const char **s, size_t *n)
{
	const uint8_t *at = h->head + h->used, *end = h->head + h->n, *newline;

	if (at == end)
		return false;
	newline = memchr(at, '\n', (size_t)(end - at));
	if (!newline && (h->used || !h->whole))
		return false;
	*s = (const char *)at;
	*n = (size_t)((newline ? newline : end) - at);
	h->used = newline ? h->used + *n + 1 : h->n;
	if (*n && (*s)[*n - 1] == '\r')
		--*n;
	return true;
}

bool lua_head_is(size_t good, size_t bad)
{
	return good && bad <= good / 8;
}

void lua_refuse(struct lua_refused *r, const struct lua_line *l)
{
	if (!r->count++)
		r->first = l->number;
	r->last = l->number;
}

void lua_refused_note(struct trace *t, const struct lua_refused *r, const char *what)
{
	if (r->count)
		trace_note(t, NOTE_LOSS, r->count, "%s, the first is line %" PRIu64, what,
			   r->first);
}

void lua_cut_note(struct trace *t, const struct lua_line *last, const struct lua_refused *r)
{
	if (last->cut && !(r->count && r->last == last->number))
		trace_note(t, NOTE_GUESS, 0,
			   "the last line, %" PRIu64 ", has no newline: it is read as it is",
			   last->number);
}

/* The digits of an exponent behind e or E; true when all of s is one. */
static bool exponent(const char *s, size_t n, int *v)
{
	bool minus = n && *s == '-';
	uint64_t x;

	if (n && (*s == '-' || *s == '+')) {
		s++;
		n--;
	}
	if (!num_dec(s, n, &x) || x > 400)
		return false;
	*v = minus ? -(int)x : (int)x;
	return true;
}

bool lua_decimal(const char *s, size_t n, int scale, int64_t *v)
{
	uint64_t x = 0;
	size_t i = 0, digits = 0;
	bool point = false;
	int e = 0;

	for (; i < n; i++) {
		if (s[i] >= '0' && s[i] <= '9') {
			digits++;
			if (x > (INT64_MAX - 9) / 10) { /* digits that 63 bits cannot hold */
				scale += !point;
				continue;
			}
			x = x * 10 + (uint64_t)(s[i] - '0');
			scale -= point;
		} else if ((s[i] == '.' || s[i] == ',') && !point) {
			point = true;
		} else {
			break;
		}
	}
	if (!digits)
		return false;
	if (i < n && ((s[i] != 'e' && s[i] != 'E') || !exponent(s + i + 1, n - i - 1, &e)))
		return false;
	for (scale += e; scale < 0 && x; scale++)
		x /= 10;
	for (; scale > 0 && x; scale--) {
		if (x > INT64_MAX / 10)
			return false;
		x *= 10;
	}
	*v = (int64_t)x;
	return true;
}

bool lua_last_number(const char *s, size_t n, size_t *head, uint64_t *v)
{
	size_t at = n;

	while (at && s[at - 1] >= '0' && s[at - 1] <= '9')
		at--;
	if (at < 2 || s[at - 1] != ' ' || !num_dec(s + at, n - at, v))
		return false;
	*head = at - 1;
	return true;
}

bool lua_is_address(const char *s, size_t n, uint64_t *v)
{
	if (n && *s == '@') {
		s++;
		n--;
	}
	return n > 2 && s[0] == '0' && s[1] == 'x' && num_hex(s + 2, n - 2, v);
}

size_t lua_place(const char *s, size_t n, uint32_t *line)
{
	size_t at = n;
	uint64_t v;

	while (at && s[at - 1] >= '0' && s[at - 1] <= '9')
		at--;
	if (at < 2 || s[at - 1] != ':' || s[at - 2] == ':' || !num_dec(s + at, n - at, &v) ||
	    v > INT32_MAX)
		return 0;
	*line = (uint32_t)v;
	return at - 1;
}

uint32_t lua_entry(struct trace *t, const char *s, size_t n)
{
	struct location l = {.space = SPACE_NAME};
	size_t file;

	if (lua_is_address(s, n, &l.raw)) {
		uint8_t kind = *s == '@' ? LOCATION_ENTRY : LOCATION_UNSTATED;

		l.space = SPACE_RUNTIME;
		l.kind = kind;
		return trace_location(t, &l);
	}
	l.name = trace_string(t, s, n);
	file = lua_place(s, n, &l.line);
	if (file)
		l.file = trace_string(t, s, file);
	return trace_location(t, &l);
}

bool lua_is_vm_state(const char *s, size_t n)
{
	static const char *const words[] = {"Compiled", "Interpreted", "C code",
					    "Garbage Collector", "JIT Compiler"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == n && !memcmp(words[i], s, n))
			return true;
	return false;
}
