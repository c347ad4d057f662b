/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/merge.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

void fast_complain(struct fast_engine *g, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	dwarf_answers_complain_of(g->job->out, &g->n_complaints, fmt, args);
	va_end(args);
}

void fast_complain_of_units(struct fast_engine *g)
{
	if (g->over)
		fast_complain(g, "its units claim too many addresses: the time limit is reached");
	for (size_t i = 0; !(g->of && g->of->sound) && i < g->file->n_units; i++) {
		const struct fast_unit *u = &g->file->units[i];

		if (u->state == UNIT_LOST)
			fast_complain(g, "unit at .debug_info+0x%" PRIx64 ": %s", u->offset,
				      u->why);
		g->file->lost |= u->state == UNIT_LOST;
	}
	if (g->file->chain_broken)
		fast_complain(g, "unit at .debug_info+0x%" PRIx64 ": %s", g->file->chain_offset,
			      g->file->chain_broken);
	for (size_t i = 0; i < g->n_tasks; i++) {
		const struct fast_answers *a = &g->tasks[i];
		const struct fast_unit *u = &g->file->units[a->unit];

		if (a->why)
			fast_complain(g, "unit at .debug_info+0x%" PRIx64 ": %s", u->offset,
				      a->why);
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
	for (size_t i = 0; g->over && i < g->job->n; i++) {
		struct dwarf_answer *a = &g->job->out->of[i];

		if (a->found == DWARF_NOT_FOUND)
			a->found = DWARF_GAVE_UP;
	}
	for (size_t i = 0; g->file->lost && i < g->job->n; i++) {
		struct dwarf_answer *a = &g->job->out->of[i];

		if (a->found == DWARF_NOT_FOUND)
			a->found = DWARF_MALFORMED;
	}
}

/* The file has changed under us: what was found in it may be nonsense. */
void fast_give_back(struct fast_engine *g, const char *why)
{
	fast_complain(g, "%s", why);
	for (size_t i = 0; i < g->job->n; i++)
		g->job->out->of[i] = (struct dwarf_answer){.found = DWARF_MALFORMED};
}
