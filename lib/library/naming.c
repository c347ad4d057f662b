/* SPDX-License-Identifier: MIT
 *
 * tracemill/symbolize_trace.h on lib/symbolize/rewrite.h: streams that are scanned and copied.
 */
#include "lib/library/naming.h"

#include "lib/base/mem.h"
#include "lib/base/zone.h"
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

static bool naming_options_hold(const struct tracemill_naming_options *o)
{
	if (o->locations >= LOCATION_KINDS || o->offsets > TRACEMILL_LINK_TIME)
		return false;
	for (size_t i = 0; i < o->n_modules; i++)
		if (!strchr(o->modules[i], '='))
			return false;
	return true;
}

static bool naming_copy_options(struct tracemill_naming *n)
{
	struct tracemill_naming_options *o = &n->options;
	const struct option_texts t = {
	    .lists = {{&o->files, o->n_files}, {&o->modules, o->n_modules}}};

	return option_texts_keep(&t, &n->texts);
}

static void naming_free(struct tracemill_naming *n)
{
	option_texts_release(&n->texts);
	free(n->maps);
	free(n);
}

enum tracemill_status tracemill_naming_new(struct tracemill_symbolizer *s,
					   const struct tracemill_naming_options *options,
					   struct tracemill_naming **naming)
{
	struct tracemill_naming_options o = {.size = sizeof o};
	struct tracemill_naming *n;

	if (options && options->size < sizeof options->size)
		return handle_misuse(&s->handle, "options: size is not filled in");
	if (options)
		memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
	if (!naming_options_hold(&o))
		return handle_misuse(&s->handle, "options: a kind that there is not, or a module "
						 "without a file");
	n = calloc(1, sizeof *n);
	if (!n)
		return handle_no_memory(&s->handle);
	n->s = s;
	n->options = o;
	if (!naming_copy_options(n)) {
		naming_free(n);
		return handle_no_memory(&s->handle);
	}
	n->next = s->namings;
	s->namings = n;
	*naming = n;
	return TRACEMILL_OK;
}

void naming_free_all(struct tracemill_naming *n)
{
	struct tracemill_naming *next;

	for (; n; n = next) {
		next = n->next;
		naming_free(n);
	}
}

/* What is opened, in the zone. */

static struct naming_opened *naming_open(struct tracemill_naming *n)
{
	struct tracemill_symbolizer *s = n->s;
	const struct tracemill_naming_options *o = &n->options;
	struct lookup *l = &s->opened->lookup;
	struct naming_opened *x = mem_zalloc(sizeof *x);
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
static void naming_forget(struct naming_opened *x)
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

void naming_close(struct tracemill_naming *n)
{
	struct naming_opened *x = n->opened;

	if (!x)
		return;
	naming_forget(x);
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

static enum tracemill_status naming_run_call(struct library_call *c)
{
	struct naming_call *call = c->a;
	struct tracemill_naming *n = call->n;

	if (!n->opened)
		n->opened = naming_open(n);
	return call->fn(call, n->opened);
}

enum tracemill_status naming_run(const struct naming_call *c)
{
	struct naming_call call = *c;

	return symbolizer_call(
	    &(struct library_call){.s = c->n->s, .fn = naming_run_call, .a = &call});
}

bool naming_has_size(struct tracemill_naming *n, const void *to)
{
	if (*(const size_t *)to >= sizeof(size_t))
		return true;
	handle_misuse(&n->s->handle, "size is not filled in");
	return false;
}

void naming_give(void *to, void *from, size_t size)
{
	size_t room = *(size_t *)to;

	*(size_t *)from = room;
	memcpy(to, from, room < size ? room : size);
}

/* Modules from elsewhere. */

static enum status naming_read_maps(struct trace *t, const char *text, size_t n, struct err *e)
{
	struct cursor c;

	cursor_init(&c, text, n, 0, e);
	return maps_read(&c, t, NULL, e);
}

static enum tracemill_status naming_take_maps(struct naming_call *c, struct naming_opened *x)
{
	struct tracemill_naming *n = c->n;
	struct err e = ERR_INIT;
	struct trace *t = NULL;
	char *copy = NULL;

	if (c->in) {
		t = trace_new();
		if (naming_read_maps(t, c->in, c->i, &e)) {
			trace_free(t);
			return handle_fail(&n->s->handle, &e);
		}
		copy = zone_outside(c->i + 1);
		memcpy(copy, c->in, c->i);
	}
	trace_free(x->maps);
	x->maps = t;
	free(n->maps);
	n->maps = copy;
	n->n_maps = c->i;
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_naming_maps(struct tracemill_naming *naming, const char *text,
					    size_t n)
{
	return naming_run(
	    &(struct naming_call){.n = naming, .fn = naming_take_maps, .in = text, .i = n});
}

/* The text was sound when it came. */
static const struct trace *naming_maps(const struct tracemill_naming *n, struct naming_opened *x)
{
	struct err e = ERR_INIT;

	if (!x->maps && n->maps) {
		x->maps = trace_new();
		naming_read_maps(x->maps, n->maps, n->n_maps, &e);
	}
	return x->maps;
}

/* The two passes. */

static void naming_watch(const struct input *in)
{
	(void)in;
	if (zone_cancelled())
		zone_leave(ZONE_CANCELLED);
}

bool naming_has_proof(const struct trace *t)
{
	const struct trace_symbols *y = &t->symbols;

	for (size_t k = 1; k < y->n_bindings; k++)
		if (y->bindings[k].call && y->objects[y->bindings[k].object].path &&
		    y->objects[y->bindings[k].object].build_id)
			return true;
	return false;
}

static bool naming_is_proven(const struct rewrite *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (naming_has_proof(w->captures[i].t))
			return true;
	return false;
}

static enum status naming_read_stream(struct tracemill_naming *n, struct naming_opened *x,
				      const struct tracemill_stream *from)
{
	enum status st;

	x->ends = from->ends ? mem_strdup(from->ends) : NULL;
	st = input_from(&x->in, from->fd, "", x->ends, &x->e);
	if (st)
		return st;
	input_watch(&x->in, naming_watch);
	st = input_keep(&x->in);
	x->rewrite.nameless = n->options.flags & TRACEMILL_ONLY_NAMELESS;
	return st ? st
		  : rewrite_scan(&x->rewrite, &x->in.cur, &x->symbolizer, naming_maps(n, x), &x->e);
}

static enum tracemill_status naming_scan_from(struct naming_call *c, struct naming_opened *x)
{
	struct cursor *in = (struct cursor *)(uintptr_t)c->in;
	struct rewrite *to = c->to;

	to->nameless = c->n->options.flags & TRACEMILL_ONLY_NAMELESS;
	return rewrite_scan(to, in, &x->symbolizer, naming_maps(c->n, x), in->e)
		   ? handle_fail(&c->n->s->handle, in->e)
		   : TRACEMILL_OK;
}

enum tracemill_status naming_scan_tables(struct tracemill_naming *n, struct cursor *in,
					 struct rewrite *to)
{
	return naming_run(
	    &(struct naming_call){.n = n, .fn = naming_scan_from, .in = in, .to = to});
}

static enum tracemill_status naming_run_symbolizer(struct naming_call *c, struct naming_opened *x)
{
	struct trace *t = c->to;
	const struct trace *maps = naming_maps(c->n, x);
	struct err e = ERR_INIT;

	return symbolizer_run(&x->symbolizer, t, maps ? maps : t, &e)
		   ? handle_fail(&c->n->s->handle, &e)
		   : TRACEMILL_OK;
}

enum tracemill_status naming_symbolize(struct tracemill_naming *n, struct trace *t)
{
	return naming_run(&(struct naming_call){.n = n, .fn = naming_run_symbolizer, .to = t});
}

static enum tracemill_status naming_scan(struct naming_call *c, struct naming_opened *x)
{
	struct tracemill_stream from = {.fd = -1};
	size_t size = *(const size_t *)c->in;
	struct tracemill_scanned to;

	memcpy(&from, c->in, size < sizeof from ? size : sizeof from);
	naming_forget(x);
	if (naming_read_stream(c->n, x, &from)) {
		struct err e = x->e;

		naming_forget(x);
		return handle_fail(&c->n->s->handle, &e);
	}
	x->scanned = !x->rewrite.named;
	to = (struct tracemill_scanned){.n = x->scanned ? x->rewrite.n : 0,
					.cut = x->rewrite.cut,
					.has_name = x->rewrite.named,
					.proven = x->scanned && naming_is_proven(&x->rewrite)};
	if (c->to)
		naming_give(c->to, &to, sizeof to);
	return TRACEMILL_OK;
}

enum tracemill_status tracemill_naming_scan(struct tracemill_naming *naming,
					    const struct tracemill_stream *from,
					    struct tracemill_scanned *scanned)
{
	if (!naming_has_size(naming, from) || (scanned && !naming_has_size(naming, scanned)))
		return TRACEMILL_MISUSE;
	return naming_run(
	    &(struct naming_call){.n = naming, .fn = naming_scan, .in = from, .to = scanned});
}

static void naming_end_output(void *out)
{
	fclose(out);
}

static enum tracemill_status naming_copy(struct naming_call *c, struct naming_opened *x)
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
	zone_hold(to, naming_end_output);
	st = input_rewind(&x->in);
	if (!st)
		st = rewrite_copy(&x->rewrite, &x->in.cur, to, &x->e);
	if (!st && fflush(to))
		st = err_sys(&x->e, "write");
	wrote = !ferror(to);
	zone_forget(to);
	if (fclose(to) && !st) /* of network file systems */
		st = err_sys(&x->e, "write");
	if (!st)
		return TRACEMILL_OK;
	if (wrote && x->e.code == ST_SYS)
		x->e.code = ST_BAD;
	return handle_fail(h, &x->e);
}

enum tracemill_status tracemill_naming_copy(struct tracemill_naming *naming, int fd)
{
	if (!naming->opened || !naming->opened->scanned)
		return handle_misuse(&naming->s->handle, "no stream is scanned");
	return naming_run(&(struct naming_call){.n = naming, .fn = naming_copy, .i = (size_t)fd});
}
