/* SPDX-License-Identifier: MIT
 *
 * Internal to spikes.h: the functions of the captures, each matched once against rules, filters
 * and owners. A function is what an innermost location is called, without inlined ones (an
 * instrumented call enters the outermost), or a marker where there is no location with a name.
 */
#ifndef TM_REPORT_SPIKES_FUNCTIONS_H
#define TM_REPORT_SPIKES_FUNCTIONS_H

#include "lib/group/filter.h"
#include "lib/names/names.h"
#include "lib/report/spikes/rules.h"
#include "lib/rules/owners.h"

enum { RULE_OF = 1, RULE_BELOW = 2 };

struct spike_function {
	uint32_t name, raw, file, module; /* string ids of names.strings; file, module 0: none */
	uint32_t line;
	uint32_t function; /* of names; 0: a marker */
	uint64_t address;  /* as captured */
	bool has_address;
	bool conditional;        /* some rule of it asks for callers */
	uint32_t first, n_rules; /* in rule_lists: RULE_OF ones, ascending */
	uint32_t first_below, n_below;
	uint32_t owner;     /* rank; OWNER_NONE */
	uint32_t kept;      /* filters' bits */
	bool gives_parents; /* some rule of it gives limits to its callers */

	/* what the engine counts */
	uint64_t calls, spikes;
};

struct spike_functions {
	struct group_names names;
	struct spike_function *items; /* [0]: nothing is known of the call */
	size_t n, cap;
	uint32_t *rule_lists;
	size_t n_lists, cap_lists;

	const struct spike_rules *rules; /* borrowed, as the next */
	struct filters *filters;
	struct owners *owners;

	struct spike_functions_index *index; /* functions.c */
};

void spike_functions_init(struct spike_functions *f, const struct spike_rules *rules,
			  struct filters *filters, struct owners *owners);
void spike_functions_release(struct spike_functions *f);
void spike_functions_capture(struct spike_functions *f, const struct trace *t);

/* Ids, 0: not known. location or marker may be 0. */
uint32_t spike_function_at(struct spike_functions *f, const struct trace *t, uint32_t location);
uint32_t spike_function_of(struct spike_functions *f, const struct trace *t, uint32_t location,
			   uint32_t marker);
/* When nothing is added any more, and no rule is applied: as names_disambiguate. */
void spike_functions_disambiguate(struct spike_functions *f);
const char *spike_function_name(const struct spike_functions *f, uint32_t id, size_t *len);

#endif
