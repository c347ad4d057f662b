/* SPDX-License-Identifier: MIT
 *
 * Snapshots of a heap as traces, with a leak, duplicates and destroyed shells that are known:
 *
 *	heap S | R | N       the game before, while and after a window was open; ids differ in each
 *	heap all             the three as one file
 *	heap big OBJECTS REFERENCES   a random graph, 3 in 4 references to objects made
 *	                     shortly after
 *	heap hostile         references before objects, to nothing, ids again, cycles without a root
 *	heap one NAME        an object whose type, name and root are this
 *
 * The game (all sizes in bytes; "->" is a field):
 *   _G -> config 100, config -> a, b: strings "hero" of 20 with equal contents (S, R, N)
 *   _G -> players 64, players -> [1] to [4]: player 80 at player.lua:3 (S, R, N)
 *   _G -> events 48, events -> onClick 32 (S, R, N), which has from R on [1] to [10]: closures 40
 *     at ui.lua:9, each -> self: widget 50 at ui.lua:5
 *   R only: _G -> ui 200, ui -> root 60, root -> children 60, children -> list 60, list -> [1] to
 *     [10]: the same widgets, farther away than through the closures
 *   N only: _G -> log 30; four userdata 16 at native.cs:1 in _G -> cache 24, [1] to [3] destroyed
 * So the window is gone in N, but its 10 closures and 10 widgets are not: the leak, 900 bytes.
 * What N adds to R is log, cache and the userdata: 6 objects, 118 bytes.
 */
#include "lib/base/num.h"
#include "lib/trace/event.h"
#include "lib/trace/writer.h"
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct err failure = ERR_INIT;
static struct sink *sink;
static struct trace *t;
static uint64_t first_id; /* ids of a snapshot begin somewhere else */
static uint64_t used;

static void push(struct event ev)
{
	if (sink_event(sink, t, &ev, &failure))
		exit(3);
}

static uint64_t object_of(uint64_t id, const char *type, uint64_t size, const char *name)
{
	push((struct event){.kind = EV_OBJECT,
			    .has = EV_HAS_ADDRESS | EV_HAS_TYPE | EV_HAS_REQUESTED | EV_HAS_NAME,
			    .address = id,
			    .type = trace_type(t, type, strlen(type)),
			    .requested = size,
			    .name = trace_strz(t, name)});
	return id;
}

static uint64_t object(const char *type, uint64_t size, const char *name)
{
	return object_of(first_id + ++used, type, size, name);
}

static void reference(uint64_t from, uint64_t to, const char *name)
{
	push((struct event){.kind = EV_REFERENCE,
			    .has = EV_HAS_ADDRESS | EV_HAS_TARGET | EV_HAS_NAME,
			    .address = from,
			    .target = to,
			    .name = trace_strz(t, name)});
}

static uint64_t member(uint64_t from, const char *field, const char *type, uint64_t size,
		       const char *name)
{
	uint64_t id = object(type, size, name);

	reference(from, id, field);
	return id;
}

static void string(uint64_t from, const char *field)
{
	uint64_t id = first_id + ++used;

	push((struct event){.kind = EV_OBJECT,
			    .has = EV_HAS_ADDRESS | EV_HAS_TYPE | EV_HAS_REQUESTED | EV_HAS_TARGET,
			    .address = id,
			    .type = trace_type(t, "string", 6),
			    .requested = 20,
			    .target = 0x6865726f});
	reference(from, id, field);
}

static void userdata(uint64_t from, int i)
{
	uint64_t id = first_id + ++used;
	char field[16];

	snprintf(field, sizeof field, "[%d]", i);
	push((struct event){.kind = EV_OBJECT,
			    .has = EV_HAS_ADDRESS | EV_HAS_TYPE | EV_HAS_REQUESTED | EV_HAS_NAME |
				   EV_HAS_VALUE,
			    .address = id,
			    .type = trace_type(t, "userdata", 8),
			    .requested = 16,
			    .name = trace_strz(t, "native.cs:1"),
			    .value = i < 4 ? OBJECT_DESTROYED : 0});
	reference(from, id, field);
}

static void game(char phase)
{
	uint64_t global, up, ui = 0;
	char field[16];

	first_id = (uint64_t)phase * 1000;
	used = 0;
	global = object("table", 500, "_G");
	reference(0, global, "_G");
	if (phase == 'N') /* what is made first has other ids than before */
		member(global, "log", "table", 30, "log.lua:1");
	up = member(global, "config", "table", 100, "config.lua:1");
	string(up, "a");
	string(up, "b");
	up = member(global, "players", "table", 64, "player.lua:1");
	for (int i = 1; i <= 4; i++) {
		snprintf(field, sizeof field, "[%d]", i);
		member(up, field, "table", 80, "player.lua:3");
	}
	if (phase == 'R') {
		ui = member(global, "ui", "table", 200, "ui.lua:1");
		ui = member(ui, "root", "table", 60, "ui.lua:2");
		ui = member(ui, "children", "table", 60, "ui.lua:3");
		ui = member(ui, "list", "table", 60, "ui.lua:4");
	}
	up = member(global, "events", "table", 48, "events.lua:1");
	up = member(up, "onClick", "table", 32, "events.lua:2");
	for (int i = 1; i <= 10 && phase != 'S'; i++) {
		uint64_t widget;

		snprintf(field, sizeof field, "[%d]", i);
		widget = member(member(up, field, "function", 40, "ui.lua:9"), "self", "table", 50,
				"ui.lua:5");
		if (phase == 'R')
			reference(ui, widget, field);
	}
	if (phase != 'N')
		return;
	up = member(global, "cache", "table", 24, "native.lua:1");
	for (int i = 1; i <= 4; i++)
		userdata(up, i);
}

static void big(uint64_t objects, uint64_t references)
{
	char type[32];

	for (uint64_t i = 1; i <= objects; i++) {
		snprintf(type, sizeof type, "Type%u", (unsigned)lcg_below(&random_state, 2000));
		object_of(i, type, 16 + lcg_below(&random_state, 200), "");
	}
	reference(0, 1, "static Game.world");
	for (uint64_t i = 0; i < references; i++) {
		uint64_t from = 1 + lcg_below(&random_state, objects),
			 to = 1 + lcg_below(&random_state, objects);

		if (i < objects - 1) /* a tree, so that all is reached */
			to = i + 2, from = 1 + (to - 1) / 8;
		else if (i % 4)
			to = from + 1 + lcg_below(&random_state, 100);
		snprintf(type, sizeof type, "field%u", (unsigned)lcg_below(&random_state, 500));
		reference(from, to > objects ? objects : to, type);
	}
}

static void hostile(void)
{
	reference(7, 8, "before");
	object_of(8, "A", 10, "a");
	object_of(8, "B", 20, "again");
	reference(0, 0, "nothing");
	reference(8, 0, "null");
	reference(0, 8, "root");
	object_of(0xffffffffffffffff, "\x1b[31m<b>=1+1,\"x\"\n", UINT64_MAX, "|");
	object_of(21, "C", UINT64_MAX, "");
	object_of(22, "C", 1, "");
	reference(21, 22, "next");
	reference(22, 21, "next"); /* a cycle that no root reaches */
	reference(21, 21, "self");
	object_of(0, "D", 1, "no id");
}

static void capture(const char *what, char **argv)
{
	uint64_t objects = 0, references = 0;

	t = trace_new();
	trace_set(t, "format", "lua-snapshot");
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	if (sink->begin(sink, t, &failure))
		exit(3);
	if (!strcmp(what, "big") && argv[2] && argv[3] &&
	    num_dec(argv[2], strlen(argv[2]), &objects) &&
	    num_dec(argv[3], strlen(argv[3]), &references) && objects > 1)
		big(objects, references);
	else if (!strcmp(what, "hostile"))
		hostile();
	else if (!strcmp(what, "one") && argv[2])
		reference(0, object(argv[2], 10, argv[2]), argv[2]);
	else
		game(*what);
	if (sink->end(sink, t, &failure))
		exit(3);
	trace_free(t);
}

int main(int argc, char **argv)
{
	struct writer *w = writer_new(stdout);
	const char *what = argc > 1 ? argv[1] : "N";

	sink = writer_sink(w);
	if (!strcmp(what, "all")) {
		capture("S", argv);
		capture("R", argv);
		capture("N", argv);
	} else {
		capture(what, argv);
	}
	writer_free(w);
	return fflush(stdout) ? 3 : 0;
}
