/* SPDX-License-Identifier: MIT
 *
 * Internal to memtracer.c: the stack strings of MemTracer files, innermost location first: addresses with a
 * separator after each ("0x12fd434fc;0x12fd4ad70;"), or, after a run of atos over the file, its text ("Func (in
 * Module) (File.cpp:123);"). A string that was seen before costs one look-up; memory is a row per distinct string.
 */
#ifndef TM_FORMATS_MEMTRACER_STACK_H
#define TM_FORMATS_MEMTRACER_STACK_H

#include "lib/trace/model.h"

struct memtracer_stacks {
	struct trace *t;
	uint8_t kind; /* enum location_kind of the addresses */
	uint64_t bad; /* entries that are no address; counted once per distinct string */
	bool has_addresses;

	struct map64 modules;  /* string of a name -> module */
	struct id_set seen;    /* of rows: index + 1 */
	struct memtracer_row { /* a string that came */
		uint64_t hash, check;
		size_t size;
		uint32_t stack;
	} * rows;
	size_t n_rows, cap_rows;
	struct location *entries; /* of the string being read */
	size_t n_entries, cap_entries;
	uint32_t *locations; /* their ids */
	size_t cap_locations;
};

/* Zeroed and with t and kind set is ready. Returns the stack's id, 0 when it has no entries. */
uint32_t memtracer_stack(struct memtracer_stacks *m, const char *s, size_t n);
void memtracer_stacks_release(struct memtracer_stacks *m);

#endif
