/* SPDX-License-Identifier: MIT */
#include "formats/valgrind/place.h"

#include "formats/emit.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <string.h>

size_t valgrind_name(const char *s, size_t n)
{
	size_t digits = n;

	while (digits && s[digits - 1] >= '0' && s[digits - 1] <= '9')
		digits--;
	return digits < n && digits > 1 && s[digits - 1] == '+' ? digits - 1 : n;
}

/* Functions of C++ have brackets, too: the last pair is the place. */
uint32_t valgrind_place(struct trace *t, const char *s, size_t n)
{
	const char *colon = memmem(s, n, ": ", 2), *open = NULL, *p;
	uint64_t line = 0;
	uint32_t name, file = 0;

	if (n > 2 && s[0] == '0' && s[1] == 'x' && colon) {
		n -= (size_t)(colon + 2 - s);
		s = colon + 2;
	}
	for (size_t i = n; i-- > 1;)
		if (s[i] == '(' && s[i - 1] == ' ') {
			open = s + i;
			break;
		}
	if (!open || s[n - 1] != ')')
		return emit_named(t, trace_string(t, s, n), 0, 0);
	if (n - (size_t)(open - s) > 5 && !memcmp(open, "(in ", 4)) {
		bool unknown = text_is(s, (size_t)(open - 1 - s), "???");

		size_t length = unknown ? n : valgrind_name(s, (size_t)(open - 1 - s));

		return emit_named(t, trace_string(t, s, length), 0, 0);
	}
	name = trace_string(t, s, valgrind_name(s, (size_t)(open - 1 - s)));
	p = memrchr(open, ':', (size_t)(s + n - open));
	if (p && !num_dec(p + 1, (size_t)(s + n - 1 - (p + 1)), &line)) /* Rust: file:line:column */
		p = NULL;
	if (p) {
		const char *q = memrchr(open, ':', (size_t)(p - open));
		uint64_t column = line;

		if (q && num_dec(q + 1, (size_t)(p - (q + 1)), &line))
			p = q;
		else
			line = column;
		file = trace_string(t, open + 1, (size_t)(p - (open + 1)));
	}
	return emit_named(t, name, file, line < UINT32_MAX ? (uint32_t)line : 0);
}
