/* SPDX-License-Identifier: MIT
 *
 * The common parts of the generators of Lua captures: options, random numbers, and the truth, one
 * line for each event as tests/sh/lua_others.sh prints them from tm-dump:
 *
 *	sample MARKER COUNT VALUE SELF STACK
 *	alloc|free ADDRESS BYTES STACK
 *	object ADDRESS TYPE BYTES NAME, reference FROM TARGET NAME
 *
 * STACK is outermost first, entries name or name@file or name@file:line; absent fields are "-".
 */
#ifndef TM_TESTDATA_LUA_GEN_H
#define TM_TESTDATA_LUA_GEN_H

#include "lib/base/num.h"
#include "testdata/gen/gen.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lua_gen {
	uint64_t state, events;
	const char *format;
	FILE *truth;
};

static inline uint32_t lua_draw(struct lua_gen *g, uint32_t below)
{
	return (uint32_t)lcg_below(&g->state, below);
}

/* [--seed N] [--events N] [--truth FILE] FORMAT */
static inline int lua_gen_options(struct lua_gen *g, int argc, char **argv)
{
	int i = 1;

	*g = (struct lua_gen){.state = 1, .events = 100};
	for (; i + 1 < argc; i += 2) {
		size_t n = strlen(argv[i + 1]);

		if (!strcmp(argv[i], "--seed") && num_dec(argv[i + 1], n, &g->state))
			continue;
		if (!strcmp(argv[i], "--events") && num_dec(argv[i + 1], n, &g->events))
			continue;
		if (strcmp(argv[i], "--truth") != 0 || !(g->truth = fopen(argv[i + 1], "w")))
			return 0;
	}
	g->format = i < argc ? argv[i] : "";
	if (!g->truth)
		g->truth = fopen("/dev/null", "w");
	return g->truth != NULL;
}

#endif
