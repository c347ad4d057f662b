/* SPDX-License-Identifier: MIT
 *
 * Source maps of WebAssembly modules: lines without functions, as emscripten writes them (-gsource-map). Facts: ECMA-426,
 * "Source map format", and emscripten's tools/wasm-sourcemap.py: JSON whose "mappings" have one line, in which a column
 * is an offset in the module's file. A map may have sections, each a map that begins at an offset, and a guard before it.
 */
#ifndef TM_OBJECT_SOURCE_MAP_H
#define TM_OBJECT_SOURCE_MAP_H

#include "lib/object/object.h"

struct buf;
struct source_map;

struct source_place {
	const char *root, *file; /* "" or what is before the file's name */
	uint32_t line, column;
};

bool object_has_source_map(const struct object *o);
/* What an address comes from; false: the map does not say. */
bool source_map_at(const struct object *o, uint64_t vaddr, struct source_place *p);

/* For lib/object: finds the map of o->file by the name that it has for it (NULL: none), else as FILE.map, beside it or in
 * the folders of the search. What is there and is no map goes to refused, as text. */
bool source_map_find(struct object *o, const struct object_search *s, const char *name,
		     struct buf *refused);
/* The object has none yet: takes a text of the allowance (mem_budget.h), NULL for none. False: it is no map, and gone;
 * why gets ": " and a reason, or nothing for none. */
bool source_map_take(struct object *o, char *text, struct buf *why);
/* The same of the address "data:...", which has the map in it and is changed. */
bool source_map_embedded(struct object *o, char *url, struct buf *why);
/* "%20" becomes " ", in place. */
void source_map_percent(char *text);
void source_map_free(struct source_map *m); /* accepts NULL */

#endif
