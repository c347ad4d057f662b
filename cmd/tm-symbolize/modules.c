/* SPDX-License-Identifier: MIT */
#include "cmd/tm-symbolize/modules.h"

#include "lib/base/mem.h"
#include "lib/cli/cli.h"
#include "lib/find/container.h"
#include "lib/symbolize/explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct files_options cli_modules_done(const struct cli_modules *m, const struct cli_binaries *b,
				      const struct cli_search *s)
{
	cli_check_modules(&m->modules);
	return (struct files_options){.files = m->files.items,
				      .n_files = m->files.n,
				      .modules = m->modules.items,
				      .n_modules = m->modules.n,
				      .search = s->search.object,
				      .cache = s->cache,
				      .sysroot = m->no_local  ? NULL
						 : b->sysroot ? b->sysroot
							      : "/",
				      .jobs = (unsigned)b->jobs};
}

void cli_modules_release(struct cli_modules *m)
{
	opt_list_release(&m->files);
	opt_list_release(&m->modules);
}

void cli_modules_given(const struct find_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i]->zip) /* a member that was not asked for yet */
			continue;
		if (!f->items[i]->object)
			cli_fail(f->items[i]->path, &f->items[i]->e);
		else if (f->items[i]->e.msg[0])
			cli_note(f->items[i]->path, "%s", f->items[i]->e.msg);
	}
}

/* Of the files that were used: members that turned out bad; and Unity's .sym.so, which has less
 * than the .dbg.so that a build can make as well. */
static void used(const struct find_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct find_file *x = f->items[i];
		const char *from;

		if (x->member && !x->zip && !x->object)
			cli_fail(x->path, &x->e);
		if (!x->wanted || !x->object || object_has_dwarf(x->object) ||
		    object_is_source(x->object))
			continue;
		from = object_debug_path(x->object);
		if (strstr(from, ".sym.so"))
			cli_note(from, "only a symbol table: functions without files and lines");
		else
			cli_info(from, "no DWARF: functions without files and lines");
	}
}

/* A name that is no module's is a slip when it was written out, or when a module has no file. */
void cli_modules_used(const struct find_files *f, bool any)
{
	used(f);
	for (size_t i = 0; i < f->n; i++) {
		const struct find_file *x = f->items[i];

		if (!x->given || x->wanted || x->member)
			continue;
		if (x->module)
			cli_note(x->path, "not used: no module is called '%s'", x->module);
		else if (any)
			cli_note(x->path, "not used: no module has its name or build-id");
	}
}

static void tell_lines(const char *file, const char *name, const struct symbolize_coverage *c,
		       void (*tell)(const char *, const char *, ...))
{
	char line[256];

	for (unsigned i = 0; coverage_line(c, i, line, sizeof line); i++)
		if (*line)
			tell(file, "%s: %s", name, line);
}

void cli_coverage_tell(const char *file, const struct trace *t, struct symbolize_coverage *all)
{
	struct symbolize_coverage *of = mem_zarray(t->symbols.n_objects, sizeof *of), c;

	coverage_count(t, &c, of);
	for (uint32_t o = 1; o < t->symbols.n_objects; o++)
		tell_lines(file, intern_text(&t->symbols.strings, t->symbols.objects[o].name, NULL),
			   &of[o], cli_info);
	free(of);
	tell_lines(file, "coverage", &c, cli_note);
	if (c.reasons[REASON_NO_FILE] && t->n_modules == 2 && !*trace_text(t, t->modules[1].name))
		cli_note(file, "the capture does not name its module: give the module map with "
			       "--maps, or the one binary with -e");
	coverage_add(all, &c);
}

void cli_explain(struct find_files *f, const struct trace *t)
{
	struct explain x = {.n = 0};
	struct buf b = BUF_INIT;

	for (; f->n_told < f->n_found; f->n_told++)
		explain_found(&b, &f->found[f->n_told]);
	for (uint32_t i = 1; i < t->n_locations; i++) {
		explain_location(&x, &b, f, t, i);
		cli_pour(&b);
	}
	cli_print(b.data, b.len);
	buf_release(&b);
	explain_release(&x);
}

static void tell_cache(struct index_cache *c)
{
	const char *word;

	while ((word = cache_told(c)))
		cli_info(NULL, "%s", word);
}

void cli_prewarm(const char *path, const struct symbolize_options *o)
{
	struct object *object = NULL;
	struct err e = ERR_INIT, ignored = ERR_INIT;
	struct container_options container = {.cache = o->cache};
	enum status st = container_open(&object, path, &container, &e);
	uint64_t size = 0;
	struct index_cache cache;

	cache_init(&cache, &o->cache);
	if (!st) {
		object_find_debug(object, &o->files.search, &ignored);
		st = cache_prewarm(&cache, object, &o->dwarf, &size, &e);
		cli_progress_clear();
	}
	if (object && (st == ST_NONE || st == ST_UNSUPPORTED)) {
		cli_note(path, "no index: %s", st == ST_NONE ? "it has no DWARF" : e.msg);
		cli_status(EXIT_INCOMPLETE);
	} else if (st) {
		cli_fail(path, &e);
	} else {
		cli_info(path, "its index has %" PRIu64 " bytes", size);
	}
	tell_cache(&cache);
	cache_release(&cache);
	object_free(object);
}
