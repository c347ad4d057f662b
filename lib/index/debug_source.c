/* SPDX-License-Identifier: MIT */
#include "lib/index/debug_source.h"

#include "lib/base/mem.h"
#include "lib/dwarf/fast/whole.h"
#include "lib/dwarf/source.h"
#include "lib/index/mapped.h"
#include "lib/object/debug_map.h"
#include "lib/object/source_map.h"
#include "lib/pdb/pdb.h"

#include <stdio.h>
#include <stdlib.h>

static enum status answer_from_file(struct index_cache *c, struct dwarf_job *jobs, size_t n,
				    const struct dwarf_options *options, struct err *e)
{
	(void)c;
	(void)e;
	for (size_t i = 0; i < n; i++)
		dwarf_source(&jobs[i], options);
	return ST_OK;
}

static bool has_symbols(const struct object *o)
{
	(void)o;
	return true;
}

/* The caller names the function by its symbol, as it does where a better source knows none. */
static enum status answer_nothing(struct index_cache *c, struct dwarf_job *jobs, size_t n,
				  const struct dwarf_options *options, struct err *e)
{
	(void)c;
	(void)e;
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].stats)
			*jobs[i].stats = (struct dwarf_stats){0};
		jobs[i].out->bare = !options->extras;
		for (size_t k = 0; k < jobs[i].n; k++)
			jobs[i].out->of[k] = (struct dwarf_answer){.found = DWARF_ABSENT};
	}
	return ST_OK;
}

/* The caller names the function by its symbol. */
static enum status answer_from_source_map(struct index_cache *c, struct dwarf_job *jobs, size_t n,
					  const struct dwarf_options *options, struct err *e)
{
	enum status st = answer_nothing(c, jobs, n, options, e);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < jobs[i].n; k++) {
			struct dwarf_answers *out = jobs[i].out;
			struct source_place p;
			char path[4096];
			int length;

			if (!source_map_at(jobs[i].object, jobs[i].addrs[k], &p))
				continue;
			length = snprintf(path, sizeof path, "%s%s", p.root, p.file);
			if (length < 0 || length >= (int)sizeof path)
				continue;
			out->of[k].found = DWARF_LINE_ONLY;
			out->of[k].call = dwarf_answers_call(
			    out, &(struct dwarf_call){
				     .file = intern_add(&out->strings, path, (size_t)length),
				     .line = p.line,
				     .column = p.column});
		}
	return st;
}

/* GSYM and Breakpad files: lib/object/source.h has a row for each. */
static const struct debug_source sources[] = {
    {"symbol file", object_is_source, NULL, NULL, answer_from_file, true,
     "the symbol file is not DWARF"},
    {"DWARF", object_has_dwarf, dwarf_fast, dwarf_whole, NULL, true, NULL},
    {"PDB", object_has_pdb, pdb_answer, pdb_whole, NULL, true, "the debug information is a PDB"},
    {"debug map", object_has_debug_map, NULL, NULL, cache_run_mapped, true,
     "the debug information is in object files"},
    {"source map", object_has_source_map, NULL, NULL, answer_from_source_map, true,
     "the lines are in a source map"},
    {"symbol table", has_symbols, NULL, NULL, answer_nothing, false, "the file has no DWARF"},
};

enum { SOURCES = sizeof sources / sizeof *sources };

const struct debug_source *debug_source_of(const struct object *o)
{
	size_t i = 0;

	while (!sources[i].has(o))
		i++;
	return &sources[i];
}

enum status cache_run(struct index_cache *c, struct dwarf_job *jobs, size_t n,
		      const struct dwarf_options *options, struct err *e)
{
	const struct debug_source **from = mem_array(n, sizeof *from);
	struct dwarf_job *of = mem_array(n, sizeof *of);
	enum status st = ST_OK;

	for (size_t i = 0; i < n; i++)
		from[i] = debug_source_of(jobs[i].object);
	for (size_t s = 0; !st && s < SOURCES; s++) {
		size_t n_of = 0;

		for (size_t i = 0; i < n; i++)
			if (from[i] == &sources[s])
				of[n_of++] = jobs[i];
		if (n_of)
			st = sources[s].engine
				 ? cache_run_engine(c, &sources[s], of, n_of, options, e)
				 : sources[s].answer(c, of, n_of, options, e);
	}
	free(of);
	free(from);
	return st;
}
