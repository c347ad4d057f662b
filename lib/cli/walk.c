/* SPDX-License-Identifier: MIT */
#include "lib/cli/walk.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/cli/cli.h"
#include "lib/object/walk.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Of a captured id that has the first bytes of a build-id, with zeroes behind one that is shorter. */
static bool begins_id(const struct object_build_id *id, const struct frame_module *m)
{
	size_t n = id->len < m->n_id ? id->len : m->n_id;

	for (size_t i = n; i < m->n_id; i++)
		if (m->id[i])
			return false;
	return !memcmp(id->bytes, m->id, n);
}

/* With its name, in which letters may be of either case; a symbol file's may end in .sym. */
static bool has_name_of(const struct walk_file *f, const struct frame_module *m)
{
	const char *base = path_base(f->path), *name = path_base_captured(m->name);
	const size_t n = strlen(name);

	if (f->module)
		return !strcasecmp(path_base_captured(f->module), name);
	return !strncasecmp(base, name, n) &&
	       (!base[n] || (object_is_source(f->object) && !strcmp(base + n, ".sym")));
}

/* With ids that of both must agree, else their names. */
static bool is_file_of(struct walk_file *f, const struct frame_module *m)
{
	const struct object_build_id *id = object_build_id(f->object);
	struct object_build_id captured = {.len = (uint8_t)m->n_id};
	const char *differs;
	bool known;

	memcpy(captured.bytes, m->id, m->n_id);
	if (id->len && m->n_id && m->is_partial) {
		known = true;
		differs = begins_id(id, m) ? NULL : "build-id";
	} else {
		differs = object_id_differs(f->object, &captured, &known);
	}
	if (known && differs && !f->differs && has_name_of(f, m)) {
		struct buf b = BUF_INIT;

		buf_addf(&b, "%s of %s differs", differs, m->name);
		object_add_captured_ids(&b, f->object, &captured);
		f->differs = mem_strdup(buf_str(&b));
		buf_release(&b);
	}
	return known ? !differs : has_name_of(f, m);
}

/* "MODULE=FILE", unless a file has this name. */
static void open_given(struct walk_file *f)
{
	const char *equals = strchr(f->path, '=');
	struct err ignored = ERR_INIT;

	if (equals && access(f->path, F_OK)) {
		f->module = mem_strndup(f->path, (size_t)(equals - f->path));
		f->path = equals + 1;
	}
	object_open(&f->object, f->path, &ignored);
}

static bool walk_step(void *arg, const struct frame_module *m, const struct frame_memory *memory,
		      struct frame_state *s)
{
	struct walk_files *w = arg;
	struct walk_file *first = NULL;

	w->asked++;
	for (size_t i = 0; !w->opened && i < w->n; i++)
		open_given(&w->files[i]);
	w->opened = true;
	for (size_t i = 0; i < w->n; i++) {
		struct walk_file *f = &w->files[i];

		if (!f->object || !is_file_of(f, m))
			continue;
		if (!first)
			first = f;
		else
			f->other = first->path;
	}
	if (!first)
		return false;
	first->asked = true;
	if (!object_walk(first->object, m->base, memory, s))
		return false;
	first->walked = true;
	return true;
}

void walk_files_open(struct walk_files *w, const struct opt_list *paths)
{
	*w = (struct walk_files){.opened = true};
	w->walker = (struct frame_walker){walk_step, w};
	w->files = mem_zarray(paths->n, sizeof *w->files);
	for (size_t i = 0; i < paths->n; i++) {
		struct err e = ERR_INIT;

		if (object_open(&w->files[w->n].object, paths->items[i], &e))
			cli_fail(paths->items[i], &e);
		else
			w->files[w->n++].path = paths->items[i];
	}
}

void walk_files_given(struct walk_files *w, size_t n, const char *const *given)
{
	*w = (struct walk_files){.n = n};
	w->walker = (struct frame_walker){walk_step, w};
	w->files = mem_zarray(n, sizeof *w->files);
	for (size_t i = 0; i < n; i++)
		w->files[i].path = given[i];
}

static bool has_tables(const struct object *o)
{
	return object_is_source(o) || object_kind(o)->pdata;
}

void walk_files_report(const struct walk_files *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct walk_file *f = &w->files[i];

		if (f->walked)
			continue;
		if (object_pdb_age(f->object))
			cli_note(f->path, "--unwind: not used: a PDB; the unwind tables are in its "
					  ".exe or .dll");
		else if (!has_tables(f->object))
			cli_note(f->path,
				 "--unwind: not used: %s; unwind tables are read from PE "
				 "files and Breakpad's .sym files",
				 object_kind(f->object)->name);
		else if (!w->asked)
			cli_note(f->path,
				 "--unwind: not used: no minidump has a stack in a module");
		else if (f->asked)
			cli_note(f->path,
				 "--unwind: not used: its unwind tables lead from no frame "
				 "of its module to a caller");
		else if (f->other)
			cli_note(f->path,
				 "--unwind: not used: %s, given before, is of the same "
				 "module",
				 f->other);
		else if (f->differs)
			cli_note(f->path, "--unwind: not used: of another build: %s", f->differs);
		else
			cli_note(f->path,
				 "--unwind: not used: no stack has a frame in a module with "
				 "its name or id");
	}
}

void walk_files_release(struct walk_files *w)
{
	for (size_t i = 0; i < w->n; i++) {
		object_free(w->files[i].object);
		free(w->files[i].module);
		free(w->files[i].differs);
	}
	free(w->files);
}
