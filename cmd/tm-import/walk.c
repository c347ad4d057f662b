/* SPDX-License-Identifier: MIT */
#include "cmd/tm-import/walk.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/cli/cli.h"
#include "lib/object/walk.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Of a captured id that has the first bytes of a build-id, with zeroes behind one that is shorter. */
static bool begins_id(const struct object_build_id *id, const struct frame_module *m)
{
	size_t n = id->len < m->n_id ? id->len : m->n_id;

	for (size_t i = n; i < m->n_id; i++)
		if (m->id[i])
			return false;
	return !memcmp(id->bytes, m->id, n);
}

/* With ids that of both must agree, else their names, in which letters may be of either case; a symbol file's may end in
 * .sym. */
static bool is_file_of(const struct object *o, const char *path, const struct frame_module *m)
{
	const struct object_build_id *id = object_build_id(o);
	const char *base = path_base(path), *name = path_base_captured(m->name);
	const size_t n = strlen(name);
	struct object_build_id captured = {.len = (uint8_t)m->n_id};
	const char *differs;
	bool known;

	if (id->len && m->n_id && m->is_partial)
		return begins_id(id, m);
	memcpy(captured.bytes, m->id, m->n_id);
	differs = object_id_differs(o, &captured, &known);
	if (known)
		return !differs;
	return !strncasecmp(base, name, n) &&
	       (!base[n] || (object_is_source(o) && !strcmp(base + n, ".sym")));
}

static bool walk_step(void *arg, const struct frame_module *m, const struct frame_memory *memory,
		      struct frame_state *s)
{
	const struct walk_files *w = arg;

	for (size_t i = 0; i < w->n; i++)
		if (is_file_of(w->objects[i], w->paths[i], m))
			return object_walk(w->objects[i], m->base, memory, s);
	return false;
}

void walk_files_open(struct walk_files *w, const struct opt_list *paths)
{
	*w = (struct walk_files){.n = 0};
	w->walker = (struct frame_walker){walk_step, w};
	w->objects = mem_zarray(paths->n, sizeof *w->objects);
	w->paths = mem_zarray(paths->n, sizeof *w->paths);
	for (size_t i = 0; i < paths->n; i++) {
		struct err e = ERR_INIT;

		if (object_open(&w->objects[w->n], paths->items[i], &e)) {
			cli_error(paths->items[i], "%s", e.msg);
			continue;
		}
		w->paths[w->n++] = paths->items[i];
	}
}

void walk_files_release(struct walk_files *w)
{
	for (size_t i = 0; i < w->n; i++)
		object_free(w->objects[i]);
	free(w->objects);
	free(w->paths);
}
