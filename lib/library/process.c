/* SPDX-License-Identifier: MIT
 *
 * The processes of tracemill/symbolize.h: the modules mapped in each. The input is kept as it came;
 * a batch makes a trace of it with a location for each address, which lib/find binds as it binds
 * those of captures.
 */
#include "lib/base/mem.h"
#include "lib/find/bind.h"
#include "lib/library/symbolizer.h"

#include "formats/reader.h"

#include <stdlib.h>
#include <string.h>

/* A text of maps, or a mapping; outside of the scope. */
struct process_part {
	struct process_part *next;
	bool is_text;
	struct map_range range;
	size_t n_text; /* or of the name */
	size_t n_id;
	char bytes[]; /* the text; or the name and behind it the build-id */
};

static enum tracemill_status process_new(struct library_call *c)
{
	struct tracemill_process *p = resource_scope_outside(sizeof *p);

	p->s = c->s;
	p->next = c->s->processes;
	c->s->processes = p;
	*(struct tracemill_process **)c->a = p;
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_process_new(struct tracemill_symbolizer *s,
					    struct tracemill_process **process)
{
	return symbolizer_call(&(struct library_call){.s = s, .fn = process_new, .a = process});
}

void process_free_all(struct tracemill_process *p)
{
	struct tracemill_process *next;
	struct process_part *part, *after;

	for (; p; p = next) {
		next = p->next;
		for (part = p->parts; part; part = after) {
			after = part->next;
			free(part);
		}
		free(p);
	}
}

static enum status read_text(struct trace *t, const char *text, size_t n, struct err *e)
{
	struct cursor c;

	cursor_init(&c, text, n, 0, e);
	return maps_read(&c, t, NULL, e);
}

struct part_request {
	struct tracemill_process *p;
	struct process_part part;
	const void *id;
};

static enum tracemill_status process_add_part(struct library_call *c)
{
	const struct part_request *request = c->a;
	struct process_part *part;
	struct err e = ERR_INIT;

	if (request->part.is_text) {
		struct trace *t = trace_new();
		enum status st = read_text(t, c->in, c->n, &e);

		trace_free(t);
		if (st)
			return handle_fail(&c->s->handle, &e);
	}
	part = resource_scope_outside(sizeof *part + c->n + request->part.n_id);
	*part = request->part;
	part->n_text = c->n;
	memcpy(part->bytes, c->in, c->n);
	if (part->n_id)
		memcpy(part->bytes + c->n, request->id, part->n_id);
	part->next = request->p->parts;
	request->p->parts = part;
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_process_maps(struct tracemill_process *p, const char *text,
					     size_t n)
{
	struct part_request request = {.p = p, .part = {.is_text = true}};

	return symbolizer_call(&(struct library_call){
	    .s = p->s, .fn = process_add_part, .a = &request, .in = text, .n = n});
}

enum tracemill_status tracemill_process_mapping(struct tracemill_process *p, const char *name,
						const void *build_id, size_t n_build_id,
						uint64_t lo, uint64_t hi, uint64_t offset)
{
	struct part_request request = {
	    .p = p,
	    .part = {.range = {.lo = lo, .hi = hi, .offset = offset, .executable = true},
		     .n_id = n_build_id},
	    .id = build_id};

	if (lo >= hi)
		return handle_misuse(&p->s->handle, "a mapping without bytes");
	if (n_build_id > OBJECT_BUILD_ID_MAX)
		return handle_misuse(&p->s->handle, "a build-id has 1 to 64 bytes");
	return symbolizer_call(&(struct library_call){
	    .s = p->s, .fn = process_add_part, .a = &request, .in = name, .n = strlen(name)});
}

static bool same_module(const struct process_part *a, const struct process_part *b)
{
	return !b->is_text && a->n_text == b->n_text && a->n_id == b->n_id &&
	       !memcmp(a->bytes, b->bytes, a->n_text + a->n_id);
}

static int process_by_lo(const void *a, const void *b)
{
	const struct map_range *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* The module of a mapping, with all that share its name: once, at the first of them. */
static void process_add_module(struct trace *t, const struct tracemill_process *p,
			       const struct process_part *first)
{
	struct map_range *ranges = NULL;
	size_t n = 0, cap = 0;

	for (const struct process_part *o = p->parts; o != first; o = o->next)
		if (same_module(first, o))
			return;
	for (const struct process_part *o = first; o; o = o->next)
		if (same_module(first, o))
			VEC_PUSH(ranges, n, cap) = o->range;
	qsort(ranges, n, sizeof *ranges, process_by_lo);
	trace_module(
	    t, &(struct module){
		   .name = trace_string(t, first->bytes, first->n_text),
		   .build_id =
		       first->n_id ? trace_string(t, first->bytes + first->n_text, first->n_id) : 0,
		   .ranges = ranges,
		   .n_ranges = (uint32_t)n});
	free(ranges);
}

void process_close(struct tracemill_process *p)
{
	if (p->files)
		files_release(p->files);
	free(p->files);
	p->files = NULL;
}

static struct find_files *files_of(struct tracemill_process *p)
{
	struct tracemill_symbolizer *s = p->s;

	if (p->files)
		return p->files;
	p->files = mem_zalloc(sizeof *p->files);
	files_init(p->files, &(struct files_options){
				 .search = s->opened->search.object,
				 .sysroot = s->options.sysroot ? s->options.sysroot : "/",
				 .jobs = s->opened->lookup.options.dwarf.jobs,
				 .cache = {.dir = s->options.cache_dir,
					   .off = !(s->options.flags & TRACEMILL_CACHE)},
			     });
	return p->files;
}

struct binding_job {
	struct tracemill_process *p;
	const uint64_t *addresses;
	struct tracemill_query *queries;
	enum tracemill_address_kind kind;
};

static void bind_one(struct tracemill_symbolizer *s, const struct find_resolved *b,
		     struct tracemill_query *q)
{
	*q = (struct tracemill_query){.why = TRACEMILL_NO_BINARY};
	switch (b->reason) {
	case REASON_RESOLVED: q->binary = symbolizer_binary(s, b->file->path); break;
	case REASON_NO_MODULE: q->why = TRACEMILL_NO_MODULE; break;
	case REASON_REPLACED:
	case REASON_BUILD_ID_DIFFERS: q->why = TRACEMILL_OTHER_BUILD; break;
	default: break;
	}
	if (!q->binary)
		return;
	q->why = TRACEMILL_FUNCTION;
	q->address = bound_lookup(b);
}

static enum tracemill_status process_bind(struct library_call *c)
{
	const struct binding_job *j = c->a;
	const struct bind_options options = {.has_slide = false};
	struct find_files *files = files_of(j->p);
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	struct find_resolved *bound;
	uint32_t *ids = mem_array(c->n, sizeof *ids);

	for (const struct process_part *part = j->p->parts; part; part = part->next)
		if (!part->is_text)
			process_add_module(t, j->p, part);
		else
			read_text(t, part->bytes, part->n_text, &e);
	for (size_t i = 0; i < c->n; i++)
		ids[i] = trace_location(t, &(struct location){.raw = j->addresses[i],
							      .space = SPACE_RUNTIME,
							      .kind = j->kind == TRACEMILL_RETURN
									  ? LOCATION_RETURN
									  : LOCATION_EXACT});
	bound = mem_zarray(t->n_locations, sizeof *bound);
	bind_locations(t, t, files, &options, bound);
	for (size_t i = 0; i < c->n; i++)
		bind_one(c->s, &bound[ids[i]], &j->queries[i]);
	free(bound);
	free(ids);
	trace_free(t);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_bind(struct tracemill_process *p, const uint64_t *addresses,
				     size_t n, enum tracemill_address_kind kind,
				     struct tracemill_query *queries)
{
	struct binding_job j = {p, addresses, queries, kind};

	return symbolizer_call(
	    &(struct library_call){.s = p->s, .fn = process_bind, .a = &j, .n = n});
}
