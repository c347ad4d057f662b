/* SPDX-License-Identifier: MIT
 *
 * What came of streams that were named: captures, coverage, files, modules, times, and why.
 */
#include "lib/library/trace_symbolizer.h"

#include "lib/base/mem.h"
#include "lib/index/debug_source.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof((struct tracemill_coverage){0}.reasons) >= REASONS * sizeof(uint64_t) &&
		   sizeof((struct tracemill_text_sums){0}.reasons) >= REASONS * sizeof(uint64_t),
	       "reasons have room");

const char *tracemill_reason_text(unsigned reason)
{
	return reason_text(reason);
}

/* NULL: none. */
static const struct rewrite_capture *capture_at(const struct trace_symbolizer_opened *x, size_t i)
{
	return x->scanned && i < x->rewrite.n ? &x->rewrite.captures[i] : NULL;
}

static enum tracemill_status trace_symbolizer_get_capture(struct trace_symbolizer_call *c,
							  struct trace_symbolizer_opened *x)
{
	const struct rewrite_capture *w = capture_at(x, c->i);
	struct tracemill_capture to;

	if (!w)
		return TRACEMILL_NOTHING;
	to = (struct tracemill_capture){.trace = (const struct tracemill_trace *)w->t,
					.first_note = w->first_note,
					.n_locations = (uint32_t)(w->t->n_locations - 1),
					.n_modules = (uint32_t)(w->t->n_modules - 1)};
	trace_symbolizer_give(c->to, &to, sizeof to);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_trace_symbolizer_capture(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t i,
    struct tracemill_capture *capture)
{
	if (!trace_symbolizer_has_size(trace_symbolizer, capture))
		return TRACEMILL_MISUSE;
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_get_capture, .to = capture, .i = i});
}

/* Coverage. */

struct trace_symbolizer_part { /* of a capture */
	size_t binary;
	struct tracemill_coverage *to;
};

static void trace_symbolizer_count(struct trace_symbolizer_opened *x, const struct trace *t,
				   size_t capture)
{
	struct symbolize_coverage all;

	if (x->covered == capture + 1)
		return;
	free(x->coverage);
	x->coverage = NULL;
	x->coverage = mem_zarray(t->symbols.n_objects + 1, sizeof *x->coverage);
	coverage_count(t, &all, x->coverage);
	x->coverage[0] = all;
	x->covered = capture + 1;
}

static enum tracemill_status trace_symbolizer_get_coverage(struct trace_symbolizer_call *c,
							   struct trace_symbolizer_opened *x)
{
	const struct rewrite_capture *w = capture_at(x, c->i);
	const struct trace_symbolizer_part *part = c->in;
	const struct trace_symbols *y = w ? &w->t->symbols : NULL;
	const struct symbolize_coverage *from;
	struct tracemill_coverage to;

	if (!w || (part->binary && part->binary >= y->n_objects))
		return TRACEMILL_NOTHING;
	trace_symbolizer_count(x, w->t, c->i);
	from = &x->coverage[part->binary];
	to = (struct tracemill_coverage){
	    .name =
		part->binary ? intern_text(&y->strings, y->objects[part->binary].name, NULL) : "",
	    .n = from->n,
	    .lines = from->tiers[TIER_LINE],
	    .names = from->tiers[TIER_NAME],
	    .modules = from->tiers[TIER_MODULE],
	    .nothing = from->tiers[TIER_NOTHING],
	    .guesses = from->guesses};
	memcpy(to.reasons, from->reasons, sizeof from->reasons);
	trace_symbolizer_give(part->to, &to, sizeof to);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_trace_symbolizer_coverage(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t capture, size_t binary,
    struct tracemill_coverage *coverage)
{
	const struct trace_symbolizer_part part = {binary, coverage};

	if (!trace_symbolizer_has_size(trace_symbolizer, coverage))
		return TRACEMILL_MISUSE;
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_get_coverage, .in = &part, .i = capture});
}

/* Files and modules. */

static enum tracemill_status trace_symbolizer_get_file(struct trace_symbolizer_call *c,
						       struct trace_symbolizer_opened *x)
{
	const struct find_files *files = &x->symbolizer.files;
	struct object_build_id captured;
	struct tracemill_file to;
	const struct find_file *f;
	struct err e;

	if (c->i >= files->n)
		return TRACEMILL_NOTHING;
	f = files->items[c->i];
	e = f->e;
	if (!f->object) /* else the place is in another file */
		handle_place(&e);
	x->out.len = 0;
	buf_adds(&x->out, e.msg);
	to = (struct tracemill_file){.path = f->path,
				     .module = f->module,
				     .debug_path = "",
				     .why = buf_str(&x->out),
				     .usable = f->object,
				     .given = f->given,
				     .used = f->wanted,
				     .member = f->member,
				     .unopened = f->zip};
	if (f->object) {
		const struct object_build_id *id = object_build_id(f->object);
		const char *debug_path = object_debug_path(f->object);

		to.build_id = id->bytes;
		to.n_build_id = id->len;
		to.debug_path = debug_path ? debug_path : "";
		to.has_lines = debug_source_of(f->object)->lines;
		captured = object_captured_id(f->object);
		memcpy(to.captured_id, captured.bytes, sizeof to.captured_id);
		to.n_captured_id = captured.len;
	}
	trace_symbolizer_give(c->to, &to, sizeof to);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_trace_symbolizer_file(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t i, struct tracemill_file *file)
{
	if (!trace_symbolizer_has_size(trace_symbolizer, file))
		return TRACEMILL_MISUSE;
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_get_file, .to = file, .i = i});
}

static bool explains(struct tracemill_trace_symbolizer *n)
{
	if (n->s->options.flags & TRACEMILL_EXPLAIN)
		return true;
	handle_misuse(&n->s->handle, "without TRACEMILL_EXPLAIN");
	return false;
}

static enum tracemill_status trace_symbolizer_get_module(struct trace_symbolizer_call *c,
							 struct trace_symbolizer_opened *x)
{
	const struct find_files *files = &x->symbolizer.files;
	const struct file_found *f;
	struct tracemill_module to;

	if (c->i >= files->n_found)
		return TRACEMILL_NOTHING;
	f = &files->found[c->i];
	to = (struct tracemill_module){.name = f->name,
				       .build_id = f->id.bytes,
				       .n_build_id = f->id.len,
				       .reason = (uint8_t)f->reason,
				       .has_lines = f->file && f->file->object &&
						    debug_source_of(f->file->object)->lines};
	trace_symbolizer_give(c->to, &to, sizeof to);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_trace_symbolizer_module(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t i, struct tracemill_module *module)
{
	if (!trace_symbolizer_has_size(trace_symbolizer, module) || !explains(trace_symbolizer))
		return TRACEMILL_MISUSE;
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_get_module, .to = module, .i = i});
}

/* Why. */

struct trace_symbolizer_words {
	const char **text;
	size_t *n;
};

static enum tracemill_status give_words(struct trace_symbolizer_opened *x,
					const struct trace_symbolizer_words *to)
{
	*to->text = buf_str(&x->out);
	*to->n = x->out.len;
	return TRACEMILL_OK;
}

static enum tracemill_status trace_symbolizer_explain_modules(struct trace_symbolizer_call *c,
							      struct trace_symbolizer_opened *x)
{
	struct find_files *files = &x->symbolizer.files;

	x->out.len = 0;
	for (; files->n_told < files->n_found; files->n_told++)
		explain_found(&x->out, &files->found[files->n_told]);
	return give_words(x, c->in);
}

enum tracemill_status tracemill_trace_symbolizer_explain_modules(
    struct tracemill_trace_symbolizer *trace_symbolizer, const char **text, size_t *n)
{
	const struct trace_symbolizer_words to = {text, n};

	if (!explains(trace_symbolizer))
		return TRACEMILL_MISUSE;
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_explain_modules, .in = &to});
}

static enum tracemill_status trace_symbolizer_explain_location(struct trace_symbolizer_call *c,
							       struct trace_symbolizer_opened *x)
{
	const struct rewrite_capture *w = capture_at(x, c->i);

	if (!w || !c->id || c->id >= w->t->n_locations)
		return handle_misuse(&c->n->s->handle, "there is no such location");
	x->out.len = 0;
	explain_location(&x->explain, &x->out, &x->symbolizer.files, w->t, c->id);
	return give_words(x, c->in);
}

enum tracemill_status tracemill_trace_symbolizer_explain(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t capture, uint32_t location,
    const char **text, size_t *n)
{
	const struct trace_symbolizer_words to = {text, n};

	if (!explains(trace_symbolizer))
		return TRACEMILL_MISUSE;
	return trace_symbolizer_run(
	    &(struct trace_symbolizer_call){.n = trace_symbolizer,
					    .fn = trace_symbolizer_explain_location,
					    .in = &to,
					    .i = capture,
					    .id = location});
}

/* Times. */

static enum tracemill_status trace_symbolizer_get_times(struct trace_symbolizer_call *c,
							struct trace_symbolizer_opened *x)
{
	const struct symbolize_stats *s = &x->stats;
	struct tracemill_times to = {.bind = s->bind,
				     .decode = s->engine,
				     .copy = s->copy,
				     .names = s->names,
				     .locations = s->locations,
				     .functions = s->functions,
				     .calls = s->calls};

	trace_symbolizer_give(c->to, &to, sizeof to);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_trace_symbolizer_times(
    struct tracemill_trace_symbolizer *trace_symbolizer, struct tracemill_times *times)
{
	if (!trace_symbolizer_has_size(trace_symbolizer, times))
		return TRACEMILL_MISUSE;
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_get_times, .to = times});
}

static enum tracemill_status trace_symbolizer_get_binary_times(struct trace_symbolizer_call *c,
							       struct trace_symbolizer_opened *x)
{
	const struct stats_module *m;
	struct tracemill_binary_times to;

	if (c->i >= x->stats.n)
		return TRACEMILL_NOTHING;
	m = &x->stats.modules[c->i];
	to = (struct tracemill_binary_times){.path = m->path,
					     .locations = m->locations,
					     .addresses = m->addresses,
					     .units = m->dwarf.n_units,
					     .asked = m->dwarf.n_asked,
					     .lost = m->dwarf.n_lost,
					     .sections = m->dwarf.sections,
					     .unit_heads = m->dwarf.units,
					     .decode = m->dwarf.decode,
					     .merge = m->dwarf.merge,
					     .scopes = m->dwarf.scopes,
					     .lines = m->dwarf.lines,
					     .names = m->dwarf.names};
	trace_symbolizer_give(c->to, &to, sizeof to);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_trace_symbolizer_binary_times(
    struct tracemill_trace_symbolizer *trace_symbolizer, size_t i,
    struct tracemill_binary_times *times)
{
	if (!trace_symbolizer_has_size(trace_symbolizer, times))
		return TRACEMILL_MISUSE;
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_get_binary_times, .to = times, .i = i});
}
