/* SPDX-License-Identifier: MIT
 *
 * Binding: the translation of a captured location to (file, link-time address), by the rules of
 * addresses in lib/README.md; each has its own test in tests/unit/bind.c.
 */
#ifndef TM_FIND_BIND_H
#define TM_FIND_BIND_H

#include "lib/find/files.h"
#include "lib/trace/model.h"

struct bind_options {
	bool has_slide; /* for runtime addresses that no module maps */
	uint64_t slide;
	bool find_slides; /* of the given files, where no module maps an address; not with slide */
	bool proven;      /* files at captured paths count only with the captured build-id */
	bool is_text;     /* the log's lines say which build a given file is of: no note on that */
	uint8_t
	    locations; /* enum location_kind forced, or LOCATION_SAMPLE; 0: as captured, else by evidence */
	uint8_t offsets; /* enum space forced for offset-or-vaddr; 0: by evidence */
};

struct find_resolved {
	uint64_t vaddr; /* link-time address as captured, tag and Thumb bits cleared */
	struct find_file *file;
	uint32_t module; /* id, 0: none; in the capture's own table if own_module, else in maps */
	bool own_module;
	uint8_t reason; /* enum reason: REASON_RESOLVED means bound */
	uint8_t kind;   /* enum location_kind in force: never LOCATION_UNSTATED when bound */
	uint8_t flags;  /* enum binding_flags */
};

/* Binds every location of t, with the modules of maps (t itself, or a trace that only has
 * modules; what a capture has placed in a module stays in its own). out: t->n_locations items, by
 * location id. Adds a note to t for every guess and every correction it counted. */
void bind_locations(struct trace *t, const struct trace *maps, struct find_files *files,
		    const struct bind_options *o, struct find_resolved *out);

/* The address to look up: one less for a return address. */
uint64_t bound_lookup(const struct find_resolved *b);

#endif
