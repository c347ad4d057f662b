/* SPDX-License-Identifier: MIT */
#include "formats/pet/text.h"

#include "lib/base/num.h"

#include <stdio.h>
#include <string.h>

const char pet_head[] = "PET: Function took too long:";
const char pet_short[] = "PET: Thread (";
const char pet_short_end[] = ") Function took too long:";
const char pet_listing[] = "Function Name Trace";
const char pet_fence[] = "!!!!!";

bool pet_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool pet_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct pet_piece piece_trim(struct pet_piece p)
{
	while (p.n && pet_is_blank(*p.s)) {
		p.s++;
		p.n--;
	}
	while (p.n && pet_is_blank(p.s[p.n - 1]))
		p.n--;
	return p;
}

struct pet_piece piece_from(struct pet_piece p, size_t skip)
{
	return (struct pet_piece){p.s + skip, p.n - skip};
}

/* Words are short: memmem would take longer to begin than to look. */
const char *piece_find(struct pet_piece p, const char *word)
{
	const char *at = p.s, *end = p.s + p.n;

	while (at < end && (at = memchr(at, *word, (size_t)(end - at)))) {
		if (piece_begins((struct pet_piece){at, (size_t)(end - at)}, word))
			return at;
		at++;
	}
	return NULL;
}

bool pet_no_name(struct pet_piece name)
{
	return !name.n || piece_begins(name, "?") || piece_begins(name, "(null)") ||
	       piece_begins(name, "0x");
}

size_t pet_dash(struct pet_piece s)
{
	if (piece_begins(s, "\xe2\x80\x93") || piece_begins(s, "\xe2\x80\x94"))
		return 3;
	return piece_begins(s, "-") ? 1 : 0;
}

/* Both names and files may have pairs of them. */
const char *pet_opening(struct pet_piece s, const char *at)
{
	size_t depth = 0;

	while (at-- > s.s) {
		if (*at == '(' && !depth)
			return at;
		depth += *at == ')';
		depth -= *at == '(';
	}
	return NULL;
}

size_t pet_index(struct pet_piece s, uint64_t *index)
{
	size_t n = 0;

	while (n < s.n && pet_is_digit(s.s[n]))
		n++;
	if (!n || n == s.n || s.s[n] != ')' || !num_dec(s.s, n, index))
		return 0;
	return n + 1;
}

size_t pet_next_index(struct pet_piece s, uint64_t index)
{
	char word[32];
	const char *at;

	if (!s.n || !memchr(s.s, ')', s.n))
		return s.n;
	snprintf(word, sizeof word, " %llu) ", (unsigned long long)index + 1);
	at = piece_find(s, word);
	return at ? (size_t)(at - s.s) : s.n;
}

/* One pass up to what is found: a line may hold nothing but fences. */
size_t pet_next_cut(struct pet_piece s)
{
	static const char *const words[] = {pet_head, pet_short, pet_fence};
	size_t i = 1;

	for (int k = 0; k < 3; k++)
		if (piece_begins(s, words[k]))
			i = strlen(words[k]);
	for (; i < s.n; i++) {
		if (s.s[i] != *pet_head && s.s[i] != *pet_fence)
			continue;
		for (int k = 0; k < 3; k++)
			if (piece_begins(piece_from(s, i), words[k]))
				return i;
	}
	return s.n;
}
