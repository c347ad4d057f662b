/* SPDX-License-Identifier: MIT */
#include "lib/report/matching.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static size_t digits(const char *s, size_t n)
{
	size_t k = 0;

	while (k < n && is_digit(s[k]))
		k++;
	return k;
}

static bool starts(const char *s, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(s, with, strlen(with));
}

/* ".cold", ".part.0", ".constprop.1.isra.2": where the first of them begins. */
static size_t without_clones(const char *s, size_t n)
{
	static const char *const words[] = {".cold",     ".hot",   ".warm",  ".part",
					    ".isra",     ".llvm",  ".clone", ".constprop",
					    ".lto_priv", ".__uniq"};

	for (bool again = true; again;) {
		size_t end = n;

		again = false;
		for (size_t k; end; end = k - 1) { /* numbers at the end */
			for (k = end; k && is_digit(s[k - 1]);)
				k--;
			if (k == end || !k || s[k - 1] != '.')
				break;
		}
		for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
			size_t len = strlen(words[i]);

			if (end > len && !memcmp(s + end - len, words[i], len)) {
				n = end - len;
				again = true;
			}
		}
	}
	return n;
}

/* What stands before " [clone .x]", as often as that comes. */
static size_t without_clone_notes(const char *s, size_t n)
{
	while (n && s[n - 1] == ']') {
		const char *p = memrchr(s, '[', n);

		if (!p || p == s || p[-1] != ' ' || !starts(p, (size_t)(s + n - p), "[clone "))
			break;
		n = (size_t)(p - s) - 1;
	}
	return n;
}

static size_t without_rust_hash(const char *s, size_t n)
{
	enum { HASH = 16 };

	if (n <= HASH + 3 || memcmp(s + n - HASH - 3, "::h", 3) != 0)
		return n;
	for (size_t i = n - HASH; i < n; i++)
		if (!is_hex(s[i]))
			return n;
	return n - HASH - 3;
}

/* The length of IL2CPP's hash behind "_m" or "_t" at s; 0: it is none. */
static size_t il2cpp_hash(const char *s, size_t n)
{
	enum { HASH = 40, OLD_MIN = 6, OLD_MAX = 10 };
	size_t k = 0;

	while (k < n && is_hex(s[k]) && !(s[k] >= 'a' && s[k] <= 'f'))
		k++;
	if (k >= HASH && (k == HASH || !is_word(s[k])))
		return HASH;
	k = digits(s, n);
	return k >= OLD_MIN && k <= OLD_MAX && (k == n || !is_word(s[k]) || s[k] == '_') ? k : 0;
}

/* The length of a number at s that counts unnamed things, by what stands before it (p bytes). */
static size_t counter(const char *s, size_t n, const char *before, size_t p)
{
	static const char *const marks[] = {"#", "$_", "'lambda", "'unnamed"};
	size_t k = digits(s, n);

	if (!k || (p && is_digit(before[p - 1])))
		return 0;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		size_t len = strlen(marks[i]);

		if (p < len || memcmp(before + p - len, marks[i], len) != 0)
			continue;
		if (i == 0)
			return k < n && s[k] == '}' ? k : 0;
		return i == 1 || (k < n && s[k] == '\'') ? k : 0;
	}
	return 0;
}

void canonical_name(struct buf *out, const char *s, size_t n)
{
	static const char anonymous[] = "{anonymous}";

	n = without_clone_notes(s, n);
	n = without_clones(s, n);
	n = without_rust_hash(s, n);
	for (size_t i = 0; i < n; i++) {
		size_t skip = counter(s + i, n - i, s, i);

		if (!skip && i >= 2 && s[i - 2] == '_' && (s[i - 1] == 'm' || s[i - 1] == 't'))
			skip = il2cpp_hash(s + i, n - i);
		if (skip) {
			i += skip - 1;
			continue;
		}
		if (starts(s + i, n - i, anonymous)) {
			buf_adds(out, "(anonymous namespace)");
			i += sizeof anonymous - 2;
			continue;
		}
		/* Of a run of spaces the last decides. */
		if (s[i] == ' ' && !(i && i + 1 < n && is_word(s[i - 1]) && is_word(s[i + 1])))
			continue;
		buf_addc(out, s[i]);
	}
}

bool name_is_address(const char *s, size_t n)
{
	size_t k = n;

	if (n == 9 && !memcmp(s, "[unknown]", 9))
		return true;
	while (k && is_hex(s[k - 1]))
		k--;
	if (k == n || k < 2 || s[k - 1] != 'x' || s[k - 2] != '0')
		return false;
	return k == 2 || s[k - 3] == '!' || s[k - 3] == '+';
}

struct keyed {
	uint64_t key;
	uint32_t thing;
};

static int order(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->thing < y->thing ? -1 : x->thing > y->thing;
}

void matching_join(const uint64_t *canonical, const uint64_t *in, size_t n, uint32_t *row)
{
	struct keyed *k = mem_array(n + 1, sizeof *k);
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		row[i] = (uint32_t)i;
		if (canonical[i] && in[i])
			k[m++] = (struct keyed){canonical[i], (uint32_t)i};
	}
	sort_array(k, m, sizeof *k, order);
	for (size_t i = 0, end; i < m; i = end) {
		uint64_t seen = 0;
		bool unique = true;

		for (end = i; end < m && k[end].key == k[i].key; end++) {
			unique &= !(seen & in[k[end].thing]);
			seen |= in[k[end].thing];
		}
		for (size_t x = i; unique && x < end; x++)
			row[k[x].thing] = k[i].thing;
	}
	free(k);
}
