/* SPDX-License-Identifier: MIT */
#include "lib/demangle/demangle_llvm.h"

#include "lib/demangle/demangle.h"

#ifdef HAVE_LIBCXXABI

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	LONGEST = 2048, /* a level of its recursion, some hundred bytes of stack, for each byte */
	/* of references back: a text is at most three times as long with every three of them */
	MOST_REFERENCES = 27,
};

/* Itanium C++ ABI, section 5.1.3.5 and following; in libc++abi as everywhere. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *n, int *status);

/* S_, S0_, T_, T0_ and so on: what may expand to a long text. */
static size_t references(const char *s)
{
	size_t n = 0;

	for (; *s; s++) {
		size_t digits;

		if (*s != 'S' && *s != 'T')
			continue;
		digits = strspn(s + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		n += s[1 + digits] == '_';
	}
	return n;
}

char *demangle_llvm(const char *raw)
{
	char *gnu = demangle(raw), *llvm = NULL;
	size_t underscores = strspn(raw, "_"), n = strnlen(raw, LONGEST + 1);

	if (raw[underscores] != 'Z' || !underscores || demangle_is_rust(raw))
		return gnu;
	if (n <= LONGEST && (gnu || references(raw) <= MOST_REFERENCES))
		llvm = __cxa_demangle(raw + underscores - 1, NULL, NULL, NULL);
	if (!llvm)
		return gnu;
	free(gnu);
	return llvm;
}

#else

char *demangle_llvm(const char *raw)
{
	return demangle(raw);
}

#endif
