/* SPDX-License-Identifier: MIT
 *
 * Source maps of WebAssembly modules: lines without functions, as emscripten writes them (-gsource-map). Facts: ECMA-426,
 * "Source map format", and emscripten's tools/wasm-sourcemap.py: JSON whose "mappings" have one line, in which a column
 * is an offset in the module's file.
 */
#ifndef TM_OBJECT_SOURCE_MAP_H
#define TM_OBJECT_SOURCE_MAP_H

#include "lib/object/object.h"

struct source_map;

struct source_place {
	const char *root, *file; /* "" or what is before the file's name */
	uint32_t line, column;
};

bool object_has_source_map(const struct object *o);
/* What an address comes from; false: the map does not say. */
bool source_map_at(const struct object *o, uint64_t vaddr, struct source_place *p);

/* For lib/object: finds the map of o->file by the name that it has for it (NULL: none), else as FILE.map, beside it or in
 * the folders of the search. */
bool source_map_find(struct object *o, const struct object_search *s, const char *name);
/* The object has none yet: takes a text of the allowance (mem_budget.h), NULL for none. False: it is no map, and gone. */
bool source_map_take(struct object *o, char *text);
void source_map_free(struct source_map *m); /* accepts NULL */

#endif
