/* SPDX-License-Identifier: MIT */
#include "lib/render/width.h"

#include "lib/base/utf.h"

#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <wchar.h>

static locale_t utf8;

static void make_locale(void)
{
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

/* libc knows Unicode's tables. Its wcwidth answers for the calling thread's locale, which is
 * changed for the length of the question only. */
/* 0: combining and invisible; 2: East Asian wide and emoji; else 1. */
static unsigned codepoint_width(uint32_t cp)
{
	static pthread_once_t made = PTHREAD_ONCE_INIT;
	locale_t before;
	int width;

	if (cp < 0x300)
		return 1;
	pthread_once(&made, make_locale);
	if (!utf8)
		return 1;
	before = uselocale(utf8);
	width = wcwidth((wchar_t)cp);
	uselocale(before);
	return width < 0 ? 1 : (unsigned)width; /* not assigned yet: most are letters */
}

static size_t step(const char *s, size_t n, size_t *width)
{
	uint32_t cp = 0;
	size_t k;

	if ((unsigned char)*s < 0x80) {
		*width = 1;
		return 1;
	}
	k = utf8_next(s, n, &cp);
	*width = k ? codepoint_width(cp) : 1;
	return k ? k : 1;
}

size_t text_width(const char *s, size_t n)
{
	size_t total = 0, w;

	for (size_t i = 0; i < n; total += w)
		i += step(s + i, n - i, &w);
	return total;
}

static size_t head_of(const char *s, size_t n, size_t width)
{
	size_t i, used, w, k;

	for (i = used = 0; i < n; i += k, used += w) {
		k = step(s + i, n - i, &w);
		if (used + w > width)
			break;
	}
	return i;
}

size_t text_fits(const char *s, size_t n, size_t width)
{
	size_t fits = head_of(s, n, width), w;

	return fits || !n ? fits : step(s, n, &w);
}

/* Where the last `tail` columns of s begin, or less. */
static size_t tail_at(const char *s, size_t n, size_t total, size_t tail)
{
	size_t i, used, w, k;

	for (i = 0, used = total; i < n && used > tail; i += k, used -= w)
		k = step(s + i, n - i, &w);
	while (i < n) { /* marks whose base is gone */
		k = step(s + i, n - i, &w);
		if (w)
			break;
		i += k;
	}
	return i;
}

void text_shorten(struct buf *out, const char *s, size_t n, size_t width)
{
	size_t total = text_width(s, n), head, tail, i;

	if (total <= width) {
		buf_add(out, s, n);
		return;
	}
	if (!width)
		return;
	/* The end of a name (the method, the line) says more than its beginning. */
	head = (width - 1) / 2;
	tail = width - 1 - head;
	buf_add(out, s, head_of(s, n, head));
	buf_adds(out, "…");
	i = tail_at(s, n, total, tail);
	buf_add(out, s + i, n - i);
}

void text_shorten_path(struct buf *out, const char *s, size_t n, size_t width)
{
	size_t total = text_width(s, n), i;
	const char *slash;

	if (total <= width) {
		buf_add(out, s, n);
		return;
	}
	if (!width)
		return;
	i = tail_at(s, n, total, width - 1);
	slash = memchr(s + i, '/', n - i);
	if (slash)
		i = (size_t)(slash - s);
	buf_adds(out, "…");
	buf_add(out, s + i, n - i);
}
