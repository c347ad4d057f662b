/* SPDX-License-Identifier: MIT */
#include "lib/recorder/lua/excludes.h"

#include "lib/recorder/lua/out.h"
#include "lib/recorder/script.h"

#include <regex.h>
#include <stdio.h>

enum { PLACE = 1024 }; /* longer ones are cut */

struct lua_excludes {
	size_t n;
	regex_t *patterns;
};

static bool has_pattern(const regex_t *pattern, const char *text)
{
	bool found;

	tracemill_own(1);
	found = !regexec(pattern, text, 0, NULL, 0);
	tracemill_own(0);
	return found;
}

bool excludes_add(struct lua_excludes **e, const char *pattern, char *why, size_t size)
{
	struct lua_excludes *x = *e ? *e : own_zeroed(1, sizeof *x);
	regex_t *more = x ? own_grow(x->patterns, (x->n + 1) * sizeof *more) : NULL;
	int error;

	*e = x;
	snprintf(why, size, "no memory");
	if (!more)
		return false;
	x->patterns = more;
	tracemill_own(1);
	error = regcomp(&more[x->n], pattern, REG_EXTENDED | REG_NOSUB);
	if (error)
		regerror(error, &more[x->n], why, size);
	tracemill_own(0);
	x->n += !error;
	return !error;
}

bool excludes_have(const struct lua_excludes *e, const char *name, const char *file, int line)
{
	char place[PLACE];

	snprintf(place, sizeof place, "%s:%d", file ? file : "", line);
	for (size_t i = 0; i < e->n; i++)
		if (has_pattern(&e->patterns[i], name) ||
		    (file && has_pattern(&e->patterns[i], place)))
			return true;
	return false;
}

void excludes_free(struct lua_excludes *e)
{
	if (!e)
		return;
	tracemill_own(1);
	for (size_t i = 0; i < e->n; i++)
		regfree(&e->patterns[i]);
	tracemill_own(0);
	own_free(e->patterns);
	own_free(e);
}
