/* SPDX-License-Identifier: MIT
 *
 * Sources of names and lines of managed (C#) code, in addition to the DWARF of the C++ that il2cpp
 * generated: line maps, method maps and usym files, given or found next to a binary. A call in
 * generated C++ gets a call of the same function inside it, at the line of C#; the C++ one stays.
 *
 * Next to a binary means: in its folder and the one above, in those' Symbols, il2cppOutput/Symbols
 * and il2cppOutput/cpp/Symbols, and the same in a *_BackUpThisFolder_ButDontShipItWithYourGame.
 * Files are read when the first binary needs them. Errors of files are among the words for -v;
 * those of given ones are in failures too, for the caller to report.
 */
#ifndef TM_MANAGED_MANAGED_H
#define TM_MANAGED_MANAGED_H

#include "lib/managed/jit_map.h"
#include "lib/managed/line_map.h"
#include "lib/managed/method_map.h"
#include "lib/managed/usym.h"
#include "lib/object/object.h"

enum { LINE_MAP_WINDOW = 50 }; /* where a function's first line is not known; Sentry's number */

struct managed_options { /* all borrowed */
	const char *const *line_maps, *const *method_maps;
	const char *const *usyms; /* "FILE" or "MODULE=FILE" */
	size_t n_line_maps, n_method_maps, n_usyms;
	const char *jit_map; /* perf-PID.map of the process; NULL: none */
	uint64_t window; /* lines from an entry of a line map to a line it is taken for; 0: any */
	bool has_window; /* false: LINE_MAP_WINDOW where the function's first line is not known */
	bool names;      /* generated names are shown as the managed ones */
	bool beside;     /* look next to binaries */
};

struct managed_file {
	char *path;
	char *module; /* of a usym; NULL: by its id or name */
	struct line_map *lines;
	struct usym *usym;
	bool given;
};

/* The maps of one binary. */
struct managed_of {
	const struct object *object;
	const struct line_map **maps;
	size_t n_maps, cap_maps;
	const struct usym *usym;
	uint64_t base; /* its lowest address */
};

struct managed {
	struct managed_options options;
	bool loaded; /* the given files are read */
	struct managed_file **files;
	size_t n_files, cap_files;
	struct method_map methods;
	struct jit_map jit;
	struct managed_of **of; /* by object: NULL entries never */
	size_t n_of, cap_of;
	struct intern seen;     /* folders that were looked at */
	struct intern messages; /* words for -v, each once */
	uint32_t next_message;
	struct managed_failure { /* of given files */
		const char *path;
		struct err e;
	} * failures;
	size_t n_failures, cap_failures;
	/* Calls in generated code with a line of C++, by what a line map says of them. */
	uint64_t mapped, no_file, no_entry, no_source;
};

void managed_init(struct managed *m, const struct managed_options *o); /* o is copied */
void managed_release(struct managed *m);
/* Reads the given files; what cannot be read is in m->failures. */
void managed_load(struct managed *m);

/* The maps of this binary, found at the first call; path may be NULL. NULL: nothing. */
struct managed_of *managed_of(struct managed *m, const struct object *o, const char *path);

void managed_forget(struct managed *m, const struct object *o); /* before it goes */

struct managed_at {           /* a call of C++ */
	const char *function; /* raw name */
	const char *path;     /* of its file */
	uint32_t string;      /* stands for the path in memo */
	uint32_t line, first; /* its line; the function's first one, 0: not known */
	struct map64 *memo;   /* zeroed at first; the caller's, of one of */
};

/* The line of C# that it was made of. False: none; counted either way. */
bool managed_line(struct managed *m, struct managed_of *of, const struct managed_at *at,
		  const char **file, uint32_t *cs);

/* A malloc'ed name for people of a generated function, NULL: none. raw and its demangled form. */
char *managed_name(const struct managed *m, const char *raw, const char *demangled);

/* For a module without a file: its usym, by what --usym or the file itself says. */
const struct usym *managed_usym(struct managed *m, const char *module, const uint8_t *build_id,
				size_t n_build_id);

/* The next word for -v that was not yet given; NULL: no more. */
const char *managed_next_message(struct managed *m);

#endif
