/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/engine.h"

#include <string.h>

static const struct dwarf_engine *const engines[] = {&dwarf_fast, &dwarf_reference};

const struct dwarf_engine *dwarf_engine_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	}
	return NULL;
}

const struct dwarf_engine *dwarf_engine_default(void)
{
	return engines[0];
}
