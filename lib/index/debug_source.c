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

static bool is_absolute(const char *source)
{
	const char *colon = strchr(source, ':'), *slash = strchr(source, '/');

	return *source == '/' || (colon && slash == colon + 1 && slash[1] == '/');
}

/* As webpack, Chrome and Mozilla's source-map join the two. -1: too long. */
static int source_path(char *path, size_t size, const struct source_place *p)
{
	size_t n = strlen(p->root);
	int length =
	    snprintf(path, size, "%s%s%s", is_absolute(p->file) ? "" : p->root,
		     n && p->root[n - 1] != '/' && !is_absolute(p->file) ? "/" : "", p->file);

	return length < (int)size ? length : -1;
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
			length = source_path(path, sizeof path, &p);
			if (length < 0)
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

/* From the i-th on; SOURCES: there is none. */
static size_t source_from(const struct object *o, size_t i)
{
	while (i < SOURCES && !sources[i].has(o))
		i++;
	return i;
}

const struct debug_source *debug_source_of(const struct object *o)
{
	return &sources[source_from(o, 0)];
}

static bool knows_nothing(enum dwarf_found found)
{
	return found == DWARF_NOT_FOUND || found == DWARF_ABSENT;
}

bool debug_source_leaves(const struct object *o, enum dwarf_found found)
{
	return knows_nothing(found) && source_from(o, source_from(o, 0) + 1) < SOURCES - 1;
}

static enum status run_source(struct index_cache *c, const struct debug_source *source,
			      struct dwarf_job *jobs, size_t n, const struct dwarf_options *options,
			      struct err *e)
{
	return source->engine ? cache_run_engine(c, source, jobs, n, options, e)
			      : source->answer(c, jobs, n, options, e);
}

/* What another source knows of the addresses ask of a job. */
static void adopt_answers(struct dwarf_answers *to, const struct dwarf_answers *from,
			  const uint32_t *ask)
{
	uint32_t *ids = mem_zarray(dwarf_call_slots(from), sizeof *ids);
	uint32_t *path = mem_array(dwarf_call_slots(from), sizeof *path);

	for (size_t i = 0; i < from->n; i++) {
		if (knows_nothing((enum dwarf_found)from->of[i].found))
			continue;
		to->of[ask[i]] = from->of[i];
		to->of[ask[i]].call = dwarf_answers_adopt(to, from, ids, path, from->of[i].call);
	}
	for (size_t i = 0; i < from->n_complaints; i++) {
		size_t len;
		const char *t = intern_text(&from->strings, from->complaints[i], &len);

		dwarf_answers_complain(to, t, len);
	}
	free(ids);
	free(path);
}

/* The s-th source, for the addresses that an earlier one has left. */
static enum status run_left(struct index_cache *c, size_t s, const struct dwarf_job *job,
			    const struct dwarf_options *options, struct err *e)
{
	uint32_t *ask = mem_array(job->n, sizeof *ask);
	uint64_t *addrs = mem_array(job->n, sizeof *addrs);
	struct dwarf_answers got;
	struct dwarf_job left = {.object = job->object, .addrs = addrs, .out = &got};
	enum status st = ST_OK;

	for (size_t i = 0; i < job->n; i++) {
		if (!knows_nothing((enum dwarf_found)job->out->of[i].found))
			continue;
		ask[left.n] = (uint32_t)i;
		addrs[left.n++] = job->addrs[i];
	}
	if (left.n) {
		dwarf_answers_init(&got, left.n);
		st = run_source(c, &sources[s], &left, 1, options, e);
		if (!st)
			adopt_answers(job->out, &got, ask);
		dwarf_answers_release(&got);
	}
	free(ask);
	free(addrs);
	return st;
}

enum status cache_run(struct index_cache *c, struct dwarf_job *jobs, size_t n,
		      const struct dwarf_options *options, struct err *e)
{
	size_t *from = mem_array(n, sizeof *from);
	struct dwarf_job *of = mem_array(n, sizeof *of);
	enum status st = ST_OK;

	for (size_t i = 0; i < n; i++)
		from[i] = source_from(jobs[i].object, 0);
	for (size_t s = 0; !st && s < SOURCES; s++) {
		size_t n_of = 0;

		for (size_t i = 0; i < n; i++)
			if (from[i] == s)
				of[n_of++] = jobs[i];
		if (n_of)
			st = run_source(c, &sources[s], of, n_of, options, e);
	}
	for (size_t i = 0; !st && i < n; i++)
		for (size_t s = source_from(jobs[i].object, from[i] + 1); !st && s < SOURCES - 1;
		     s = source_from(jobs[i].object, s + 1))
			st = run_left(c, s, &jobs[i], options, e);
	free(of);
	free(from);
	return st;
}
