/* SPDX-License-Identifier: MIT
 *
 * Internal to heaptrack's reader: the tables that its lines refer to by number, and the fields of
 * a line.
 */
#ifndef TM_FORMATS_HEAPTRACK_HEAPTRACK_H
#define TM_FORMATS_HEAPTRACK_HEAPTRACK_H

#include "formats/reader.h"
#include "lib/trace/blocks.h"

/* What is left of a line: fields of hexadecimal digits with a blank before each. */
struct heaptrack_line {
	const char *s, *end;
};

/* False: none; a field that is no number stays where it is. */
bool heaptrack_number(struct heaptrack_line *l, uint64_t *v);

/* Bounds of ours; what is beyond them is counted. */
enum { HEAPTRACK_CALLS_MOST = 1024, HEAPTRACK_STACK_MOST = 65536 };

struct heaptrack_tables {
	struct trace *t;
	bool sized;        /* texts have their length before them: file version 3 */
	uint32_t *strings; /* of the trace; a number of the file is an index + 1, as below */
	size_t n_strings, cap_strings;
	struct heaptrack_ip {
		uint32_t first, n; /* in locations, callees first */
		bool own;          /* one location, which no other address has */
	} * ips;
	size_t n_ips, cap_ips;
	uint32_t *ip_of; /* by location of the trace: the first address that has it, from 1 */
	size_t cap_ip_of;
	uint32_t *locations;
	size_t n_locations, cap_locations;
	uint32_t *stacks;
	size_t n_stacks, cap_stacks;
	uint32_t *depths; /* of stacks */
	size_t n_depths, cap_depths;
	uint64_t more_calls;  /* of an address, or of a stack */
	struct map64 modules; /* string of the file -> module of the trace */
	uint32_t epoch;       /* lists of modules that were cleared */
	bool listed;          /* a module is in the present list */
	const char *exe;      /* in the trace's strings; NULL: not given */
	size_t n_exe;
};

enum { HEAPTRACK_MOVES = 2048 };

/* Allocations and frees of interpreted files, which are yet to be handed on. */
struct heaptrack_moves {
	struct block_kind *kinds; /* by number, from 0 */
	size_t n_kinds, cap_kinds;
	uint32_t items[HEAPTRACK_MOVES]; /* as in sink_blocks */
	size_t n, n_freed;
	uint64_t lines; /* that heaptrack_moves_parse took */
};

/* Takes whole lines from the beginning of these bytes while they are short and sound, and there is room;
 * returns their bytes. */
size_t heaptrack_moves_parse(struct heaptrack_moves *m, const uint8_t *p, const uint8_t *end);
/* One, where there is room. False: there is no such kind, or none of its blocks, or too many. */
bool heaptrack_move(struct heaptrack_moves *m, uint64_t kind, bool freed);

/* Each takes the rest of a line; false: it makes no sense. */
bool heaptrack_string(struct heaptrack_tables *x, struct heaptrack_line *l);
bool heaptrack_ip(struct heaptrack_tables *x, struct heaptrack_line *l);
bool heaptrack_trace(struct heaptrack_tables *x, struct heaptrack_line *l, bool raw);
/* Takes whole lines of traces from the beginning of these bytes while they are short and sound;
 * returns their bytes, and adds up their number. */
size_t heaptrack_traces_parse(struct heaptrack_tables *x, const uint8_t *p, const uint8_t *end,
			      uint64_t *lines);
bool heaptrack_exe(struct heaptrack_tables *x, struct heaptrack_line *l);
bool heaptrack_module(struct heaptrack_tables *x, struct heaptrack_line *l);
/* The stack with a number; number 0 gives stack 0, no stack. False: there is no such. */
bool heaptrack_stack(const struct heaptrack_tables *x, uint64_t number, uint32_t *stack);
void heaptrack_tables_release(struct heaptrack_tables *x);

#endif
