/* SPDX-License-Identifier: MIT */
#include "lib/inspect/inspect.h"

#include "lib/find/call_check.h"
#include "lib/find/container.h"

#include <stdlib.h>
#include <string.h>

static void look(struct inspect *x)
{
	x->disasm = disasm_new(file_code(&x->file), false);
	inspect_symbols(x);
	inspect_functions(x);
	inspect_debug(x);
	inspect_code(x);
}

static enum status open_file(struct inspect *x, const char *path,
			     const struct object_search *search, struct err *e)
{
	const struct container_options container = {.want.arch = NULL};
	struct err refused = ERR_INIT;
	enum status st;

	*x = (struct inspect){.file = {.path = path, .e = ERR_INIT}};
	st = container_open(&x->file.object, path, &container, e);
	if (!st && object_is_source(x->file.object))
		st = err_set(e, ST_UNSUPPORTED,
			     "a symbol file (%s): it has no code to inspect, but tm-symbolize "
			     "can use it",
			     object_kind(x->file.object)->name);
	if (!st && object_is_core(x->file.object))
		st = err_set(e, ST_UNSUPPORTED, "a core file: inspect its program");
	if (st)
		return st;
	object_find_debug(x->file.object, search, &refused);
	object_list_functions(x->file.object);
	x->file.e = refused;
	return ST_OK;
}

enum status inspect_open(struct inspect *x, const char *path, const struct object_search *search,
			 struct err *e)
{
	enum status st = open_file(x, path, search, e);

	if (!st)
		look(x);
	return st;
}

enum status inspect_open_code(struct inspect *x, const char *path,
			      const struct object_search *search, struct err *e)
{
	enum status st = open_file(x, path, search, e);

	if (st)
		return st;
	file_code(&x->file);
	inspect_functions(x);
	return ST_OK;
}

enum status inspect_open_memory(struct inspect *x, const void *p, size_t n, struct err *e)
{
	enum status st;

	*x = (struct inspect){.file = {.path = "(memory)", .e = ERR_INIT}};
	st = object_open_memory(&x->file.object, p, n, e);
	if (!st && object_is_source(x->file.object))
		st = ST_UNSUPPORTED;
	if (!st) {
		object_list_functions(x->file.object);
		look(x);
	}
	return st;
}

void inspect_release(struct inspect *x)
{
	disasm_free(x->disasm);
	file_code_release(&x->file);
	object_free(x->file.object);
	map64_release(&x->role_at);
	free(x->wraps);
	free(x->functions);
	free(x->entries);
	arena_release(&x->names);
	*x = (struct inspect){.disasm = NULL};
}

const char *inspect_no_code(const struct inspect *x)
{
	const struct object *o = x->file.object;

	if (object_arch(o) == ARCH_WASM)
		return "the code of WebAssembly files is not checked";
	if (object_has_pdb(o) && !object_kind(o)->linkage)
		return "a PDB has no code: inspect its .exe or .dll";
	return NULL;
}

size_t inspect_section(const struct inspect *x, const char *name)
{
	for (size_t i = 1; i < object_section_count(x->file.object); i++)
		if (!strcmp(object_section_info(x->file.object, i).name, name))
			return i;
	return 0;
}
