/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

enum { LONGEST = 64 << 10 };

static char *demangle_with(const char *raw, int options)
{
	size_t underscores = strspn(raw, "_");

	/* Without the prefix test a plain C name such as "_Decode" is taken for a D symbol. */
	if (!underscores || !strchr("ZRD", raw[underscores]) || strnlen(raw, LONGEST) == LONGEST)
		return NULL;
	if (raw[underscores] == 'D' && (raw[underscores + 1] < '0' || raw[underscores + 1] > '9'))
		return NULL;
	/* Mach-O puts one more underscore in front of every name. */
	if (underscores > 1 && raw[underscores] == 'Z')
		raw += underscores - 1;
	return cplus_demangle(raw, options);
}

char *demangle(const char *raw)
{
	return demangle_with(raw, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
}

/* Where the last component of a scoped name begins: past "::" outside of any brackets. An
 * operator's own characters are no brackets. */
static size_t last_component(const char *s)
{
	size_t start = 0, i = 0;
	int depth = 0;

	while (s[i]) {
		if (i == start && !strncmp(s + i, "operator", 8) && !strpbrk(s + i + 8, ":"))
			return start;
		if (strchr("<({[", s[i]))
			depth++;
		else if (strchr(">)}]", s[i]))
			depth--;
		if (!depth && s[i] == ':' && s[i + 1] == ':') {
			i += 2;
			start = i;
			continue;
		}
		i++;
	}
	return start;
}

char *demangle_short(const char *raw)
{
	char *full = demangle_with(raw, DMGL_ANSI | DMGL_AUTO);
	size_t start;

	if (!full)
		return NULL;
	start = last_component(full);
	memmove(full, full + start, strlen(full + start) + 1);
	return full;
}
