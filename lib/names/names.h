/* SPDX-License-Identifier: MIT
 *
 * The names of locations, across captures. Every location has at least one call (innermost
 * first, inlined ones expanded). Identity is what stays the same from run to run: a function is
 * its raw name and module, a location its module, build, link-time address (or its name) and calls,
 * never a runtime address where a module is known. Modules go by their base names.
 *
 * Mangled names, of captures as of symbols, are shown demangled; identity is what they are mangled.
 *
 * Without symbols the function is "module!fn_0xVADDR" (bound, of a start that unwind tables have),
 * "module!0xVADDR" (bound), "module+0xOFFSET" (offset in the file, or from the slide), "0xADDRESS", or "[unknown]".
 */
#ifndef TM_NAMES_NAMES_H
#define TM_NAMES_NAMES_H

#include "lib/names/paths.h"
#include "lib/trace/model.h"

/* String ids. Raw is what makes it one function of its module: the linkage name, or where a
 * language has none that is unique ("Update" of Lua, C's functions, C++'s of internal linkage), the name, a NUL,
 * and the file; of a lambda that only "operator()" is said of, with ":LINE" behind. As a C string it is the name.
 */
struct names_function {
	uint32_t display, raw, module;
	uint32_t plain : 31; /* of one with its file behind its name: the name alone; 0: display */
	bool folded : 1; /* others of the symbol table are at its address, of which this is one */
};

struct names_call {
	uint32_t function, file, line; /* file: string id, 0: not known */
	uint32_t location;             /* that it is a call of */
};

struct names_location {
	uint32_t first, n_calls; /* in calls */
	uint32_t module;         /* string id, 0: none */
	uint32_t build_id;       /* string id of raw bytes, 0: not known */
	uint64_t address;        /* in the module, or in the process without a module */
	bool has_address;
	bool linked;  /* it is the link-time one, as captured: of a return, behind the call */
	uint8_t kind; /* enum location_kind, where it is linked */
	bool behind;  /* the address is a return address: behind the call */
	bool named;   /* the capture or symbols name the first call */
	uint8_t tier; /* enum tier */
	uint8_t how;  /* what the address is, as names.c tells locations apart */
};

struct group_names {
	struct intern strings;
	struct names_function *functions; /* [0] is "[no stack]" */
	size_t n_functions, cap_functions;
	struct names_location *locations; /* [0] the same */
	size_t n_locations, cap_locations;
	struct names_call *calls; /* [0] the same */
	size_t n_calls, cap_calls;
	bool mangled; /* the caller's: functions are shown by their linkage names */
	const struct paths
	    *paths; /* the caller's: files are what these make of them; NULL: as they are */
	/* By function: its first line and its last, of the locations asked for since the caller took it. */
	struct names_seen_at {
		uint32_t file, line, last; /* string id; 0: not known */
	} * seen_at;
	size_t n_seen;
	uint64_t paths_joined; /* files of the present capture that a map made another's */

	struct names_memo *memo; /* what finding the ids again needs; names_memo.h */
};

void names_init(struct group_names *n);
void names_release(struct group_names *n);
/* No capture follows: gives back what only finding the ids of locations needs. */
void names_close(struct group_names *n);
/* Another capture follows: its ids mean something else. */
void names_capture(struct group_names *n, const struct trace *t);
/* Our id of the capture's location. */
uint32_t names_location(struct group_names *n, const struct trace *t, uint32_t location);

/* How a name that is not demangled yet is shown; strings, as the name itself when it is not
 * mangled. */
uint32_t names_shown(struct group_names *n, uint32_t name);

/* Base name and build-id of one of the capture's modules, as string ids; 0: none. */
void names_module(struct group_names *n, const struct trace *t, uint32_t module, uint32_t *name,
		  uint32_t *build_id);
/* The location that has only the calls to keep (keep[i], innermost first): itself when these are
 * all, 0 if none, else a new one each time. */
uint32_t names_part(struct group_names *n, uint32_t location, const bool *keep);

/* Of functions of one name in several files, the shortest end of the file that distinguishes them
 * goes behind the name: "Update (ui/panel.lua)", and " [folded]" behind what is. When nothing is added any more. */
void names_disambiguate(struct group_names *n);

/* A place that is identified by its name alone, as in aggregates: texts, not NUL-terminated. */
struct names_place {
	struct names_string {
		const char *s;
		size_t n;
	} display, raw, module, file;
	uint32_t line;
};
uint32_t names_place(struct group_names *n,
		     const struct names_place *p); /* a location of one call */

struct match;
/* By its name as it is shown, or without what tells it apart from others of that name. */
bool names_match(const struct group_names *n, uint32_t function, struct match *m);

static inline const char *names_text(const struct group_names *n, uint32_t string, size_t *len)
{
	return intern_text(&n->strings, string, len);
}

#endif
