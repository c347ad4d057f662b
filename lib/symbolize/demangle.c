/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

enum { LONGEST = 64 << 10 };

char *demangle(const char *raw)
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
	return cplus_demangle(raw, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
}
