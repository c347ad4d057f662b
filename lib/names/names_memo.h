/* SPDX-License-Identifier: MIT
 *
 * Internal to names.h: what was looked up already, from names_init to names_release. names_close
 * empties it.
 */
#ifndef TM_NAMES_NAMES_MEMO_H
#define TM_NAMES_NAMES_MEMO_H

#include "lib/base/hash.h"
#include "lib/names/names.h"

struct names_memo {
	struct map64 shown; /* string of a mangled name -> how it is shown */
	struct id_set function_set, location_set;
	struct names_seen { /* the present capture's symbol function, as asked for last */
		uint32_t object, function; /* ours, UINT32_MAX: nameless; 0: not asked yet */
	} * functions_seen;
	size_t cap_functions_seen;
	uint32_t *strings_seen; /* the present capture's symbol string -> ours + 1 */
	size_t cap_strings_seen;
	struct names_call_seen {           /* its call, as asked for last */
		uint32_t object, function; /* as in names_seen */
		uint32_t file;
	} * calls_seen;
	size_t cap_calls_seen;
	struct names_object_seen { /* its binary: strings */
		uint32_t module, build_id;
		bool asked;
	} * objects_seen;
	size_t cap_objects_seen;
	uint32_t *mapped; /* string of a file -> what paths make of it; 0: not asked yet */
	size_t cap_mapped;
	struct map64 unmapped;        /* the other way, of the present capture: the first file */
	struct module_index *modules; /* of it too; made when first asked */
	size_t n_modules;             /* that are in it */
	struct names_build {          /* of the present capture's modules */
		uint32_t before;      /* the last module of the same name; 0: none */
		uint32_t number;      /* of its build among those of its name, from 1 */
	} * builds;
	size_t n_builds, cap_builds;
	struct map64 last_build; /* string of a module's name -> the last module of that name */
	uint32_t *seen;          /* the present capture's location id -> ours, 0: not asked yet */
	size_t cap_seen;
};

#endif
