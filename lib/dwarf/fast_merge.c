/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast_merge.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_COMPLAINTS = 64 };

void fast_complain(struct fast_engine *g, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	int n;

	if (g->n_complaints++ > MAX_COMPLAINTS)
		return;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (g->n_complaints > MAX_COMPLAINTS)
		n = snprintf(text, sizeof text, "more complaints like these");
	dwarf_answers_complain(g->job->out, text,
			       n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

void fast_complain_of_units(struct fast_engine *g)
{
	for (size_t i = 0; i < g->file.n_units; i++) {
		const struct fast_unit *u = &g->file.units[i];

		if (u->state == UNIT_LOST || (u->state == UNIT_DECLINED && !u->n_runs))
			fast_complain(g, "unit at .debug_info+0x%" PRIx64 ": %s%s", u->offset,
				      u->why,
				      u->state == UNIT_DECLINED ? ": left to libdwarf" : "");
		g->decline_rest |= u->state == UNIT_DECLINED;
		g->file.lost |= u->state == UNIT_LOST;
	}
	if (g->file.chain_broken)
		fast_complain(g, "unit at .debug_info+0x%" PRIx64 ": %s", g->file.chain_offset,
			      g->file.chain_broken);
	for (size_t i = 0; i < g->n_tasks; i++) {
		const struct fast_answers *a = &g->tasks[i];
		const struct fast_unit *u = &g->file.units[a->unit];

		if (a->why)
			fast_complain(g, "unit at .debug_info+0x%" PRIx64 ": %s%s", u->offset,
				      a->why,
				      a->found_all == FAST_DECLINED ? ": left to libdwarf" : "");
		if (a->why_no_lines)
			fast_complain(g, "unit at .debug_info+0x%" PRIx64 ": %s", u->offset,
				      a->why_no_lines);
		if (a->why_no_names && !a->why)
			fast_complain(g, "unit at .debug_info+0x%" PRIx64 ": %s", u->offset,
				      a->why_no_names);
	}
}

uint32_t fast_string(struct intern *strings, struct map64 *by_place, uint32_t *id,
		     const struct fast_text *t)
{
	uint32_t *known;

	if (*id)
		return *id;
	if (!by_place)
		return *id = intern_add(strings, t->s, t->n);
	known = map64_put(by_place, (uint64_t)(uintptr_t)t->s);
	if (!*known)
		*known = intern_add(strings, t->s, t->n);
	return *id = *known;
}

static uint32_t carry_extra(struct dwarf_answers *out, struct map64 *by_place,
			    struct fast_answers *a, uint32_t extra)
{
	struct dwarf_extra x;

	if (!extra || a->extra_ids[extra])
		return extra ? a->extra_ids[extra] : 0;
	x = a->extras[extra];
	if (x.name)
		x.name = fast_string(&out->strings, by_place, &a->name_ids[x.name - 1],
				     &a->names[x.name - 1]);
	if (x.file)
		x.file = fast_string(&out->strings, NULL, &a->path_ids[x.file - 1],
				     &a->paths[x.file - 1]);
	return a->extra_ids[extra] =
		   dwarf_extras_add(&out->extras, &out->n_extras, &out->cap_extras, &x);
}

/* A task's call as one of the job's answers; outer ones come first. */
static uint32_t carry(struct dwarf_answers *out, struct map64 *by_place, struct fast_answers *a,
		      uint32_t call)
{
	uint32_t path[LIMIT_NESTING + 2], n = 0, outer;

	for (; call && !a->call_ids[call]; call = a->calls[call].outer)
		path[n++] = call;
	outer = call ? a->call_ids[call] : 0;
	while (n) {
		struct dwarf_call c = a->calls[path[--n]];

		c.outer = outer;
		if (c.function)
			c.function =
			    fast_string(&out->strings, by_place, &a->name_ids[c.function - 1],
					&a->names[c.function - 1]);
		if (c.file)
			c.file = fast_string(&out->strings, NULL, &a->path_ids[c.file - 1],
					     &a->paths[c.file - 1]);
		c.extra = carry_extra(out, by_place, a, c.extra);
		/* one unit's calls are all different: no need to look for an equal one */
		outer = a->call_ids[path[n]] = (uint32_t)out->n_calls;
		VEC_PUSH(out->calls, out->n_calls, out->cap_calls) = c;
	}
	return outer;
}

void fast_merge(struct fast_engine *g)
{
	struct arena *arena = &g->workers[0].arena;
	struct map64 by_place = MAP64_INIT;

	for (size_t i = 0; i < g->job->n; i++) {
		const struct fast_best *b = &g->best[i];
		struct dwarf_answer *to = &g->job->out->of[i];
		struct fast_answers *a = b->task ? &g->tasks[b->task - 1] : NULL;

		*to = (struct dwarf_answer){.found = b->found};
		if (b->found == DWARF_NOT_FOUND && g->file.lost)
			to->found = DWARF_MALFORMED;
		if (!a || !b->call)
			continue;
		if (!a->call_ids) {
			a->call_ids = arena_zalloc(arena, a->n_calls * sizeof *a->call_ids);
			a->name_ids = arena_zalloc(arena, a->n_names * sizeof *a->name_ids);
			a->extra_ids = arena_zalloc(arena, a->n_extras * sizeof *a->extra_ids);
			a->path_ids = arena_zalloc(arena, a->n_paths * sizeof *a->path_ids);
		}
		to->call = carry(g->job->out, &by_place, a, b->call);
	}
	map64_release(&by_place);
}

/* One call of the reference engine's answers in ours. */
static uint32_t adopt(struct dwarf_answers *out, const struct dwarf_answers *from, uint32_t *ids,
		      uint32_t *path, uint32_t call)
{
	uint32_t outer;
	size_t n = 0;

	for (; call && !ids[call]; call = from->calls[call].outer)
		path[n++] = call;
	outer = call ? ids[call] : 0;
	while (n) {
		struct dwarf_call c = from->calls[path[--n]];
		uint32_t *text[2] = {&c.function, &c.file};

		c.outer = outer;
		for (size_t i = 0; i < 2; i++) {
			size_t len;
			const char *t = intern_text(&from->strings, *text[i], &len);

			*text[i] = *text[i] ? intern_add(&out->strings, t, len) : 0;
		}
		c.extra = dwarf_answers_adopt(out, from, c.extra);
		outer = ids[path[n]] = dwarf_answers_call(out, &c);
	}
	return outer;
}

/* The reference engine answers what was declined. */
enum status fast_fall_back(struct fast_engine *g, struct err *e)
{
	struct dwarf_answers *out = g->job->out, got;
	struct dwarf_job job = {.object = g->job->object, .out = &got};
	uint32_t *index = mem_array(g->job->n, sizeof *index), *ids, *path;
	uint64_t *addrs = mem_array(g->job->n, sizeof *addrs);
	enum status st = ST_OK;

	for (uint32_t i = 0; i < g->job->n; i++) {
		const struct fast_best *b = &g->best[i];

		if (b->found != FAST_DECLINED && (!g->decline_rest || fast_settled(b)))
			continue;
		index[job.n] = i;
		out->of[i] = (struct dwarf_answer){.found = DWARF_GAVE_UP};
		addrs[job.n++] = g->job->addrs[i];
	}
	if (job.n && !g->options->alone) {
		fast_complain(g, "%zu addresses were left to libdwarf", job.n);
		job.addrs = addrs;
		dwarf_answers_init(&got, job.n);
		st = dwarf_reference.run(&job, 1, g->options, e);
		ids = mem_zarray(got.n_calls, sizeof *ids);
		path = mem_array(got.n_calls, sizeof *path);
		for (size_t i = 0; !st && i < job.n; i++) {
			out->of[index[i]] = got.of[i];
			out->of[index[i]].call = adopt(out, &got, ids, path, got.of[i].call);
		}
		for (size_t i = 0; i < got.n_complaints; i++)
			fast_complain(g, "%s", intern_text(&got.strings, got.complaints[i], NULL));
		free(ids);
		free(path);
		dwarf_answers_release(&got);
	}
	free(index);
	free(addrs);
	return st;
}

/* The file has changed under us: what was found in it may be nonsense. */
void fast_give_back(struct fast_engine *g, const char *why)
{
	fast_complain(g, "%s", why);
	for (size_t i = 0; i < g->job->n; i++)
		g->job->out->of[i] = (struct dwarf_answer){.found = DWARF_MALFORMED};
}
