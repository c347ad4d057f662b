/* SPDX-License-Identifier: MIT
 *
 * Profiles of programs that GHC built with -prof, as JSON (+RTS -pj):
 *
 *	{"program":S,"rts_arguments":[..],"total_ticks":N,"tick_interval":US,"total_alloc":BYTES,
 *	 "cost_centres":[{"id":N,"label":S,"module":S,"src_loc":S,"is_caf":B}..],
 *	 "profile":{"id":N,"entries":N,"alloc":BYTES,"ticks":N,"children":[{..}..]}}
 *
 * A node of the tree has what its cost centre did itself below these callers. alloc is bytes, of which the number of
 * objects is not known. From GHC's User's Guide (profiling, JSON profile format) and rts/ProfilerReportJson.c.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <stdlib.h>
#include <string.h>

enum ghc_place {
	FILE_ = JSON_PLACES,
	TICKS,
	INTERVAL,
	ALLOC,
	CENTRES,
	CENTRE,
	ID,
	LABEL,
	MODULE,
	SOURCE,
	NODE,
	NODE_ID,
	NODE_ENTRIES,
	NODE_ALLOC,
	NODE_TICKS,
	CHILDREN
};

static const struct json_row ghc_rows[] = {
    {JSON_TOP, "{", FILE_},
    {FILE_, "total_ticks", TICKS},
    {FILE_, "tick_interval", INTERVAL},
    {FILE_, "total_alloc", ALLOC},
    {FILE_, "cost_centres[", CENTRES},
    {CENTRES, "{", CENTRE},
    {CENTRE, "id", ID},
    {CENTRE, "label", LABEL},
    {CENTRE, "module", MODULE},
    {CENTRE, "src_loc", SOURCE},
    {FILE_, "profile{", NODE},
    {NODE, "id", NODE_ID},
    {NODE, "entries", NODE_ENTRIES},
    {NODE, "alloc", NODE_ALLOC},
    {NODE, "ticks", NODE_TICKS},
    {NODE, "children[", CHILDREN},
    {CHILDREN, "{", NODE},
    {0},
};

struct ghc_node {
	uint64_t id, entries, alloc, ticks;
	uint32_t stack; /* of the node; 0 until it is known */
	bool pushed;
};

struct ghc {
	struct import *im;
	uint64_t total_ticks, interval, total_alloc; /* interval: us */
	bool has_ticks, has_alloc, begun;
	uint64_t id;
	struct buf name;
	uint32_t label, module, file, line;
	struct map64 centres; /* id -> location */
	struct ghc_node *open;
	size_t n_open, cap_open;
	uint64_t ticks, alloc;
	uint64_t odd, missing;
};

/* "Main.hs:(12,1)-(14,20)", "Main.hs:17:1-30", "<entire-module>": file and line. */
static void parse_source(struct ghc *g, const char *s, size_t n)
{
	const char *end = s + n, *colon = memchr(s, ':', n), *to;
	uint64_t line = 0;

	g->file = g->line = 0;
	if (!n || *s == '<' || !colon)
		return;
	for (const char *p = colon; p; p = memchr(p + 1, ':', (size_t)(end - p - 1)))
		if (p + 1 < end && (p[1] == '(' || (p[1] >= '0' && p[1] <= '9'))) {
			colon = p; /* a drive of Windows has a colon, too */
			break;
		}
	g->file = trace_string(g->im->t, s, (size_t)(colon - s));
	s = colon + 1;
	s += s < end && *s == '(';
	to = s;
	while (to < end && *to >= '0' && *to <= '9')
		to++;
	if (num_dec(s, (size_t)(to - s), &line) && line < UINT32_MAX)
		g->line = (uint32_t)line;
}

static void read_number(struct ghc *g, struct json_value v, uint64_t *to)
{
	if (!num_dec(v.s, v.n, to)) {
		*to = 0;
		g->odd++;
	}
}

static enum status ghc_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct ghc *g = arg;
	struct trace *t = g->im->t;
	struct ghc_node none, *node = g->n_open ? &g->open[g->n_open - 1] : &none;

	(void)e;
	switch (place) {
	case TICKS: g->has_ticks = num_dec(v.s, v.n, &g->total_ticks); break;
	case INTERVAL: read_number(g, v, &g->interval); break;
	case ALLOC: g->has_alloc = num_dec(v.s, v.n, &g->total_alloc); break;
	case ID: read_number(g, v, &g->id); break;
	case LABEL: g->label = trace_string(t, v.s, v.n); break;
	case MODULE: g->module = trace_string(t, v.s, v.n); break;
	case SOURCE: parse_source(g, v.s, v.n); break;
	case NODE_ID: read_number(g, v, &node->id); break;
	case NODE_ENTRIES: read_number(g, v, &node->entries); break;
	case NODE_ALLOC: read_number(g, v, &node->alloc); break;
	case NODE_TICKS: read_number(g, v, &node->ticks); break;
	default: break;
	}
	return ST_OK;
}

/* The members of a node before its children come before them, in every file of GHC. */
static void find_stack(struct ghc *g, size_t i)
{
	struct ghc_node *node = &g->open[i];
	uint32_t location = map64_get(&g->centres, node->id);

	g->missing += !location;
	if (!location)
		location = emit_named(g->im->t, 0, 0, 0);
	node->stack = trace_stack(g->im->t, i ? g->open[i - 1].stack : 0, location);
}

static enum status push_node(struct ghc *g, struct ghc_node node, struct err *e)
{
	bool timed = g->interval && node.ticks < UINT64_MAX / 1000 / g->interval;
	const struct emit_sample sample = {.stack = node.stack,
					   .calls = KNOWN(node.entries),
					   .samples = KNOWN(node.ticks),
					   .self =
					       KNOWN_IF(timed, node.ticks * g->interval * 1000)};
	const struct emit_alloc alloc = {
	    .stack = node.stack, .requested = KNOWN(node.alloc), .domain = KNOWN(DOMAIN_MALLOC)};
	enum status st = ST_OK;

	g->ticks += node.ticks;
	g->alloc += node.alloc;
	if (node.ticks || node.entries)
		st = emit_sample(g->im, &sample, e);
	if (!st && node.alloc)
		st = emit_alloc(g->im, &alloc, e);
	return st;
}

static enum status ghc_begin(void *arg, unsigned place, struct err *e)
{
	struct ghc *g = arg;

	if (place == CENTRE)
		g->id = g->label = g->module = g->file = g->line = 0;
	if (place == CHILDREN && g->n_open && !g->open[g->n_open - 1].stack)
		find_stack(g, g->n_open - 1);
	if (place != NODE)
		return ST_OK;
	VEC_PUSH(g->open, g->n_open, g->cap_open) = (struct ghc_node){0};
	if (g->begun)
		return ST_OK;
	g->begun = true;
	trace_metric(g->im->t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	trace_metric(g->im->t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	return import_begin(g->im, e);
}

static enum status ghc_end(void *arg, unsigned place, struct err *e)
{
	struct ghc *g = arg;
	struct trace *t = g->im->t;

	if (place == CENTRE) {
		g->name.len = 0;
		buf_addf(&g->name, "%s.%s", g->module ? trace_text(t, g->module) : "",
			 g->label ? trace_text(t, g->label) : "");
		*map64_put(&g->centres, g->id) =
		    emit_named(t, trace_string(t, g->name.data, g->name.len), g->file, g->line);
	}
	if (place != NODE)
		return ST_OK;
	if (!g->open[g->n_open - 1].stack)
		find_stack(g, g->n_open - 1);
	g->n_open--;
	return push_node(g, g->open[g->n_open], e);
}

static enum status ghc_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {
	    .rows = ghc_rows, .begin = ghc_begin, .end = ghc_end, .value = ghc_value};
	static const struct json_options options = {.repair_utf8 = true};
	struct ghc g = {.im = im};
	struct json_result at;
	enum status st = json_walk(&im->in->cur, &walker, &g, &options, &at, NULL, e);

	if (!st && !g.begun)
		st = err_set(e, ST_BAD, "a profile of GHC without a tree");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, g.odd, "impossible numbers"),
	    LOSS(NOTE_LOSS, g.missing, "nodes have a cost centre that is not in the file"),
	    LOSS_IF(NOTE_LOSS, !st && g.has_ticks && g.total_ticks != g.ticks,
		    "the file states another number of ticks than its tree has"),
	    LOSS_IF(NOTE_INFO, !st && g.has_alloc && g.total_alloc != g.alloc,
		    "the file states another number of bytes than its tree has"),
	};

	TRACE_LOSSES(im->t, losses);
	buf_release(&g.name);
	map64_release(&g.centres);
	free(g.open);
	return st;
}

static int ghc_bid(const uint8_t *head, size_t n, bool whole)
{
	size_t i = 0;

	(void)whole;
	while (i < n && text_is_space((char)head[i]))
		i++;
	return i < n && head[i] == '{' && memmem(head, n, "\"rts_arguments\"", 15) &&
		       memmem(head, n, "\"cost_centres\"", 14) &&
		       memmem(head, n, "\"tick_interval\"", 15)
		   ? 200
		   : 0;
}

const struct reader reader_ghc = {
    .name = "ghc",
    .family = "Chrome, node and speedscope",
    .page = "speedscope",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_CALLS | CAPABILITY_TIME |
		    CAPABILITY_ALLOCATIONS,
    .what = "profiles of Haskell programs, as JSON (+RTS -pj): time and bytes by cost centre",
    .suffixes = "prof,json",
    .cut = CUT_NEVER, /* a node comes after what is below it */
    .bid = ghc_bid,
    .read = ghc_read,
};
