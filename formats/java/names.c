/* SPDX-License-Identifier: MIT */
#include "formats/java/names.h"

void java_class_name(struct buf *to, const char *s, size_t n)
{
	static const char *const words[] = {
	    ['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float",
	    ['I'] = "int",  ['J'] = "long", ['S'] = "short",  ['Z'] = "boolean"};
	size_t rank = 0;
	unsigned char c;

	while (rank < n && s[rank] == '[')
		rank++;
	s += rank;
	n -= rank;
	c = n ? (unsigned char)*s : 0;
	if (rank && n == 1 && c < sizeof words / sizeof *words && words[c]) {
		buf_adds(to, words[c]);
	} else {
		if (rank && n > 1 && c == 'L' && s[n - 1] == ';') {
			s++;
			n -= 2;
		}
		for (size_t i = 0; i < n; i++)
			buf_addc(to, s[i] == '/' ? '.' : s[i]);
	}
	while (rank--)
		buf_adds(to, "[]");
}
