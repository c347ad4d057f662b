/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/merge.h"

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

void fast_merge(struct fast_engine *g)
{
	for (size_t i = 0; g->file.lost && i < g->job->n; i++) {
		struct dwarf_answer *a = &g->job->out->of[i];

		if (a->found == DWARF_NOT_FOUND)
			a->found = DWARF_MALFORMED;
	}
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
		if (out->of[i].found != FAST_DECLINED &&
		    (!g->decline_rest || fast_settled(&out->of[i])))
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
		ids = mem_zarray(dwarf_call_slots(&got), sizeof *ids);
		path = mem_array(dwarf_call_slots(&got), sizeof *path);
		for (size_t i = 0; !st && i < job.n; i++) {
			out->of[index[i]] = got.of[i];
			out->of[index[i]].call =
			    dwarf_answers_adopt(out, &got, ids, path, got.of[i].call);
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
