/* SPDX-License-Identifier: MIT
 *
 * Internal to pprof's reader: the tables of a profile, where samples may precede all others.
 * Numbers of fields: lib/export/profile.proto says where they are from.
 */
#ifndef TM_FORMATS_PPROF_PPROF_H
#define TM_FORMATS_PPROF_PPROF_H

#include "formats/emit.h"
#include "lib/input/protobuf.h"

/* What a sample type is to us. */
enum pprof_role {
	PPROF_OTHER,    /* none: its values are periods, as those of perf's events */
	PPROF_NOTHING,  /* what follows from the others */
	PPROF_ALLOC,    /* + enum block_amount: of allocations */
	PPROF_LIVE = 5, /* the same, of what is in use */
	PPROF_SAMPLES = 8,
	PPROF_CALLS, /* beside samples */
	PPROF_TIME,
	PPROF_ROLES
};

struct pprof_type {
	uint64_t type, unit;    /* strings */
	uint8_t role;           /* enum pprof_role */
	uint32_t marker;        /* of the trace: of PPROF_OTHER */
	bool is_time, is_bytes; /* by its unit */
	int64_t scale;          /* ns or bytes of one of its unit; else 1 */
};

/* Bounds of ours; what is beyond them is counted. */
enum { PPROF_TYPES_MOST = 64, PPROF_PLACES_MOST = 1024, PPROF_STACK_MOST = 65536 };

struct pprof_place { /* one line of a location */
	uint64_t function, line;
};

struct pprof_tables {
	struct intern strings; /* string i has the id i + 1 */
	struct pprof_type *types;
	size_t n_types, cap_types; /* at most PPROF_TYPES_MOST */
	uint64_t more_types;       /* left out */
	struct pprof_mapping {
		uint64_t lo, hi, offset, file, build_id;
		uint32_t module; /* of the trace */
	} * mappings;
	size_t n_mappings, cap_mappings;
	struct pprof_function {
		uint64_t name, file;
	} * functions;
	size_t n_functions, cap_functions;
	struct pprof_location {
		uint64_t id, mapping, address;
		size_t first;  /* of places */
		uint32_t n;    /* of places */
		uint32_t made; /* the trace's first, + 1 of made; 0: not yet */
		uint32_t n_made;
	} * locations;
	size_t n_locations, cap_locations;
	struct pprof_place *places;
	size_t n_places, cap_places;
	struct map64 mapping_ids, function_ids, location_ids; /* of the file -> index + 1 */
	struct pprof_small {
		uint32_t at;       /* in location_ids */
		uint32_t first, n; /* of made, once they are; n: 0 before */
	} * by_id;                 /* locations whose ids are small, as nearly all are */
	size_t n_by_id;
	uint64_t default_type, period, period_type, period_unit, time, duration;
	uint64_t samples, broken; /* messages; invalid ones */
	uint64_t missing;         /* references to what is not there */
	uint64_t more_calls;      /* of a location, or of a stack */
	uint64_t comments[64];
	size_t n_comments;

	uint32_t *made; /* locations of the trace, innermost first */
	size_t n_made, cap_made;
};

/* All but the samples. An error leaves what was read. */
enum status pprof_tables_read(struct pprof_tables *p, struct cursor *c);
void pprof_tables_release(struct pprof_tables *p);
/* The text of a string of the file; "" if missing, which is counted. */
const char *pprof_text(struct pprof_tables *p, uint64_t string, size_t *n);

/* Sets the roles of the types; false: a file of nothing that is read. */
bool pprof_roles(struct pprof_tables *p);
/* The one type in force; NULL: none has this role. */
const struct pprof_type *pprof_type_of(const struct pprof_tables *p, unsigned role);
/* The counts say of themselves that they are samples. */
bool pprof_are_samples(struct pprof_tables *p);

/* Puts the mappings into t as modules. */
void pprof_modules(struct pprof_tables *p, struct trace *t);
/* The trace's locations of one of the file; *n: how many, 0 if none. */
const uint32_t *pprof_location_of(struct pprof_tables *p, struct trace *t, uint64_t id, size_t *n);

#endif
