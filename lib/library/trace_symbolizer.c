/* SPDX-License-Identifier: MIT
 *
 * tracemill/symbolize_trace.h on lib/symbolize/rewrite.h: streams that are scanned and copied.
 */
#include "lib/library/trace_symbolizer.h"

#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/demangle/demangle_llvm.h"

#include "formats/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(TRACEMILL_REASON_REPLACED == (int)REASON_REPLACED &&
		   TRACEMILL_REASON_REPLACED + 1 == (int)REASONS &&
		   TRACEMILL_REASON_NO_FILE == (int)REASON_NO_FILE,
	       "reasons agree");

/* Options. */

static bool trace_symbolizer_options_hold(const struct tracemill_trace_symbolizer_options *o)
{
	if (o->locations > LOCATION_SAMPLE || o->offsets > TRACEMILL_LINK_TIME)
		return false;
	for (size_t i = 0; i < o->n_modules; i++)
		if (!strchr(o->modules[i], '='))
			return false;
	return true;
}

static bool trace_symbolizer_copy_options(struct tracemill_trace_symbolizer *n)
{
	struct tracemill_trace_symbolizer_options *o = &n->options;
	const struct option_texts t = {
	    .lists = {{&o->files, o->n_files}, {&o->modules, o->n_modules}}};

	return option_texts_keep(&t, &n->texts);
}

static void trace_symbolizer_free(struct tracemill_trace_symbolizer *n)
{
	option_texts_release(&n->texts);
	free(n->maps);
	free(n);
}

enum tracemill_status tracemill_trace_symbolizer_new(
    struct tracemill_symbolizer *s, const struct tracemill_trace_symbolizer_options *options,
    struct tracemill_trace_symbolizer **trace_symbolizer)
{
	struct tracemill_trace_symbolizer_options o = {.size = sizeof o};
	struct tracemill_trace_symbolizer *n;

	if (options && options->size < sizeof options->size)
		return handle_misuse(&s->handle, "options: size is not filled in");
	if (options)
		memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
	if (!trace_symbolizer_options_hold(&o))
		return handle_misuse(&s->handle, "options: a kind that there is not, or a module "
						 "without a file");
	n = calloc(1, sizeof *n);
	if (!n)
		return handle_no_memory(&s->handle);
	n->s = s;
	n->options = o;
	if (!trace_symbolizer_copy_options(n)) {
		trace_symbolizer_free(n);
		return handle_no_memory(&s->handle);
	}
	n->next = s->namings;
	s->namings = n;
	*trace_symbolizer = n;
	return TRACEMILL_OK;
}

void trace_symbolizer_free_all(struct tracemill_trace_symbolizer *n)
{
	struct tracemill_trace_symbolizer *next;

	for (; n; n = next) {
		next = n->next;
		trace_symbolizer_free(n);
	}
}

/* What is opened, in the scope. */

static struct trace_symbolizer_opened *trace_symbolizer_open(struct tracemill_trace_symbolizer *n)
{
	struct tracemill_symbolizer *s = n->s;
	const struct tracemill_trace_symbolizer_options *o = &n->options;
	struct lookup *l = &s->opened->lookup;
	struct trace_symbolizer_opened *x = mem_zalloc(sizeof *x);
	struct symbolize_options to = {
	    .files = {.files = o->files,
		      .n_files = o->n_files,
		      .modules = o->modules,
		      .n_modules = o->n_modules,
		      .search = s->opened->search.object,
		      .sysroot = o->flags & TRACEMILL_NO_CAPTURED_PATHS ? NULL
				 : s->options.sysroot                   ? s->options.sysroot
									: "/",
		      .jobs = l->options.dwarf.jobs,
		      .cache = l->options.cache},
	    .bind = {.has_slide = o->flags & TRACEMILL_SLIDE,
		     .proven = o->flags & TRACEMILL_ONLY_NAMELESS,
		     .slide = o->slide,
		     .find_slides = o->flags & TRACEMILL_FIND_SLIDES,
		     .locations = o->locations,
		     .offsets = o->offsets},
	    .dwarf = {.jobs = l->options.dwarf.jobs,
		      .progress = l->options.dwarf.progress,
		      .progress_arg = l->options.dwarf.progress_arg,
		      .once = true},
	    .cache = &l->cache,
	    .managed = &l->managed,
	    .demangler = l->options.demangler,
	    .verify = s->opened->verify,
	    .stats = o->flags & TRACEMILL_TIMES ? &x->stats : NULL};

	x->e = (struct err)ERR_INIT;
	symbolizer_init(&x->symbolizer, &to);
	x->text.symbolizer = &x->symbolizer;
	return x;
}

/* The stream that was scanned. */
static void trace_symbolizer_forget(struct trace_symbolizer_opened *x)
{
	x->scanned = false;
	rewrite_release(&x->rewrite);
	input_close(&x->in);
	free(x->ends);
	x->ends = NULL;
	free(x->coverage);
	x->coverage = NULL;
	x->covered = 0;
	x->e = (struct err)ERR_INIT;
}

void trace_symbolizer_close(struct tracemill_trace_symbolizer *n)
{
	struct trace_symbolizer_opened *x = n->opened;

	if (!x)
		return;
	trace_symbolizer_forget(x);
	trace_free(x->maps);
	stack_text_release(&x->text);
	explain_release(&x->explain);
	stats_release(&x->stats);
	buf_release(&x->out);
	symbolizer_release(&x->symbolizer);
	free(x);
	n->opened = NULL;
}

/* Calls. */

static enum tracemill_status trace_symbolizer_run_call(struct library_call *c)
{
	struct trace_symbolizer_call *call = c->a;
	struct tracemill_trace_symbolizer *n = call->n;

	if (!n->opened)
		n->opened = trace_symbolizer_open(n);
	return call->fn(call, n->opened);
}

enum tracemill_status trace_symbolizer_run(const struct trace_symbolizer_call *c)
{
	struct trace_symbolizer_call call = *c;

	return symbolizer_call(
	    &(struct library_call){.s = c->n->s, .fn = trace_symbolizer_run_call, .a = &call});
}

bool trace_symbolizer_has_size(struct tracemill_trace_symbolizer *n, const void *to)
{
	if (*(const size_t *)to >= sizeof(size_t))
		return true;
	handle_misuse(&n->s->handle, "size is not filled in");
	return false;
}

void trace_symbolizer_give(void *to, void *from, size_t size)
{
	size_t room = *(size_t *)to;

	*(size_t *)from = room;
	memcpy(to, from, room < size ? room : size);
}

/* Modules from elsewhere. */

static enum status trace_symbolizer_read_maps(struct trace *t, const char *text, size_t n,
					      struct err *e)
{
	struct cursor c;

	cursor_init(&c, text, n, 0, e);
	return maps_read(&c, t, NULL, e);
}

static enum tracemill_status trace_symbolizer_add_maps(struct trace_symbolizer_call *c,
						       struct trace_symbolizer_opened *x)
{
	struct tracemill_trace_symbolizer *n = c->n;
	struct err e = ERR_INIT;
	struct trace *t = NULL;
	char *copy = NULL;

	if (c->in) {
		t = trace_new();
		if (trace_symbolizer_read_maps(t, c->in, c->i, &e)) {
			trace_free(t);
			return handle_fail(&n->s->handle, &e);
		}
		copy = resource_scope_outside(c->i + 1);
		memcpy(copy, c->in, c->i);
	}
	trace_free(x->maps);
	x->maps = t;
	free(n->maps);
	n->maps = copy;
	n->n_maps = c->i;
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_trace_symbolizer_maps(
    struct tracemill_trace_symbolizer *trace_symbolizer, const char *text, size_t n)
{
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_add_maps, .in = text, .i = n});
}

const struct trace *trace_symbolizer_maps(const struct tracemill_trace_symbolizer *n,
					  struct trace_symbolizer_opened *x)
{
	struct err e = ERR_INIT;

	if (!x->maps && n->maps) {
		x->maps = trace_new();
		trace_symbolizer_read_maps(x->maps, n->maps, n->n_maps,
					   &e); /* sound when it came */
	}
	return x->maps;
}

/* The two passes. */

static void trace_symbolizer_watch(const struct input *in)
{
	(void)in;
	if (resource_scope_cancelled())
		resource_scope_leave(RESOURCE_SCOPE_CANCELLED);
}

bool trace_symbolizer_has_proof(const struct trace *t)
{
	const struct trace_symbols *y = &t->symbols;

	for (size_t k = 1; k < y->n_bindings; k++)
		if (y->bindings[k].call && y->objects[y->bindings[k].object].path &&
		    y->objects[y->bindings[k].object].build_id)
			return true;
	return false;
}

static bool trace_symbolizer_is_proven(const struct rewrite *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (trace_symbolizer_has_proof(w->captures[i].t))
			return true;
	return false;
}

static enum status trace_symbolizer_read_stream(struct tracemill_trace_symbolizer *n,
						struct trace_symbolizer_opened *x,
						const struct tracemill_stream *from)
{
	enum status st;

	x->ends = from->ends ? mem_strdup(from->ends) : NULL;
	st = input_from(&x->in, from->fd, "", x->ends, &x->e);
	if (st)
		return st;
	input_watch(&x->in, trace_symbolizer_watch);
	st = input_keep(&x->in);
	x->rewrite.nameless = n->options.flags & TRACEMILL_ONLY_NAMELESS;
	return st ? st
		  : rewrite_scan(&x->rewrite, &x->in.cur, &x->symbolizer,
				 trace_symbolizer_maps(n, x), &x->e);
}

static enum tracemill_status trace_symbolizer_scan_from(struct trace_symbolizer_call *c,
							struct trace_symbolizer_opened *x)
{
	struct cursor *in = (struct cursor *)(uintptr_t)c->in;
	struct rewrite *to = c->to;

	to->nameless = c->n->options.flags & TRACEMILL_ONLY_NAMELESS;
	return rewrite_scan(to, in, &x->symbolizer, trace_symbolizer_maps(c->n, x), in->e)
		   ? handle_fail(&c->n->s->handle, in->e)
		   : TRACEMILL_OK;
}

enum tracemill_status trace_symbolizer_scan_tables(struct tracemill_trace_symbolizer *n,
						   struct cursor *in, struct rewrite *to)
{
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = n, .fn = trace_symbolizer_scan_from, .in = in, .to = to});
}

static enum tracemill_status trace_symbolizer_run_symbolizer(struct trace_symbolizer_call *c,
							     struct trace_symbolizer_opened *x)
{
	struct trace *t = c->to;
	const struct trace *maps = trace_symbolizer_maps(c->n, x);
	struct err e = ERR_INIT;

	return symbolizer_run(&x->symbolizer, t, maps ? maps : t, &e)
		   ? handle_fail(&c->n->s->handle, &e)
		   : TRACEMILL_OK;
}

enum tracemill_status trace_symbolizer_symbolize(struct tracemill_trace_symbolizer *n,
						 struct trace *t)
{
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = n, .fn = trace_symbolizer_run_symbolizer, .to = t});
}

static enum tracemill_status trace_symbolizer_scan(struct trace_symbolizer_call *c,
						   struct trace_symbolizer_opened *x)
{
	struct tracemill_stream from = {.fd = -1};
	size_t size = *(const size_t *)c->in;
	struct tracemill_scanned to;

	memcpy(&from, c->in, size < sizeof from ? size : sizeof from);
	trace_symbolizer_forget(x);
	if (trace_symbolizer_read_stream(c->n, x, &from)) {
		struct err e = x->e;

		trace_symbolizer_forget(x);
		return handle_fail(&c->n->s->handle, &e);
	}
	x->scanned = !x->rewrite.named;
	to = (struct tracemill_scanned){.n = x->scanned ? x->rewrite.n : 0,
					.cut = x->rewrite.cut,
					.already_symbolized = x->rewrite.named,
					.build_id_matched =
					    x->scanned && trace_symbolizer_is_proven(&x->rewrite)};
	if (c->to)
		trace_symbolizer_give(c->to, &to, sizeof to);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_trace_symbolizer_scan(
    struct tracemill_trace_symbolizer *trace_symbolizer, const struct tracemill_stream *from,
    struct tracemill_scanned *scanned)
{
	if (!trace_symbolizer_has_size(trace_symbolizer, from) ||
	    (scanned && !trace_symbolizer_has_size(trace_symbolizer, scanned)))
		return TRACEMILL_MISUSE;
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_scan, .in = from, .to = scanned});
}

static void trace_symbolizer_end_output(void *out)
{
	fclose(out);
}

static enum tracemill_status trace_symbolizer_copy(struct trace_symbolizer_call *c,
						   struct trace_symbolizer_opened *x)
{
	struct library_handle *h = &c->n->s->handle;
	int own = fcntl((int)c->i, F_DUPFD_CLOEXEC, 0);
	FILE *to = own < 0 ? NULL : fdopen(own, "w");
	enum status st;
	bool wrote;

	x->e = (struct err)ERR_INIT;
	if (!to) {
		if (errno == EINVAL) /* as write(2) says it of one that is open for reading */
			errno = EBADF;
		err_sys(&x->e, "write");
		if (own >= 0)
			close(own);
		return handle_fail(h, &x->e);
	}
	resource_scope_hold(to, trace_symbolizer_end_output);
	st = input_rewind(&x->in);
	if (!st)
		st = rewrite_copy(&x->rewrite, &x->in.cur, to, &x->e);
	if (!st && fflush(to))
		st = err_sys(&x->e, "write");
	wrote = !ferror(to);
	resource_scope_forget(to);
	if (fclose(to) && !st) /* of network file systems */
		st = err_sys(&x->e, "write");
	if (!st)
		return TRACEMILL_OK;
	if (wrote && x->e.code == ST_SYS)
		x->e.code = ST_BAD;
	return handle_fail(h, &x->e);
}

enum tracemill_status tracemill_trace_symbolizer_copy(
    struct tracemill_trace_symbolizer *trace_symbolizer, int fd)
{
	if (!trace_symbolizer->opened || !trace_symbolizer->opened->scanned)
		return handle_misuse(&trace_symbolizer->s->handle, "no stream is scanned");
	return trace_symbolizer_run(&(struct trace_symbolizer_call){
	    .n = trace_symbolizer, .fn = trace_symbolizer_copy, .i = (size_t)fd});
}
