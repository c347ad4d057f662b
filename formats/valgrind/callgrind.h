/* SPDX-License-Identifier: MIT
 *
 * Internal to callgrind's reader: costs by function and line, and calls between functions, summed
 * over the file's parts; and their conversion to stacks. Facts: "Callgrind Format Specification" of
 * Valgrind's manual, and files that callgrind wrote.
 */
#ifndef TM_FORMATS_VALGRIND_CALLGRIND_H
#define TM_FORMATS_VALGRIND_CALLGRIND_H

#include "formats/reader.h"

/* Bounds of ours; what is beyond them is counted. */
enum { CALLGRIND_EVENTS_MOST = 32, CALLGRIND_ROWS_MOST = 1 << 24 };

struct callgrind_function {
	uint32_t object, file, name; /* strings; 0: not given */
	uint32_t lines;              /* its last line + 1, which names the one before */
	uint32_t out;                /* the same of calls that it makes */
};

/* Costs are in an array of their own, at index times the number of events. */
struct callgrind_line {
	uint32_t function, file, line, next;
};

struct callgrind_call {
	uint32_t caller, callee, file, line, next;
};

struct callgrind_graph {
	size_t n_events;
	struct intern keys; /* of functions, lines and calls, each with its own first byte */
	uint32_t *index;    /* by a key's id: index + 1; 0: none */
	size_t cap_index;
	struct callgrind_function *functions;
	size_t n_functions, cap_functions;
	struct callgrind_line *lines;
	size_t n_lines, cap_lines;
	uint64_t *line_costs;
	size_t n_line_costs, cap_line_costs;
	struct callgrind_call *calls;
	size_t n_calls, cap_calls;
	uint64_t *call_costs; /* with all that was called */
	size_t n_call_costs, cap_call_costs;
	uint64_t n_called; /* how often, of all calls */
	uint64_t more;     /* rows beyond CALLGRIND_ROWS_MOST */
	uint64_t huge;     /* costs that do not fit into 64 bits */
};

/* Index of the function. */
uint32_t callgrind_function(struct callgrind_graph *g, uint32_t object, uint32_t file,
			    uint32_t name);
/* costs: as many as there are events. */
void callgrind_add_line(struct callgrind_graph *g, uint32_t function, uint32_t file, uint32_t line,
			const uint64_t *costs);
void callgrind_add_call(struct callgrind_graph *g, uint32_t caller, uint32_t callee, uint32_t file,
			uint32_t line, const uint64_t *costs);
/* A call names its function with the file of the place that it goes to, which is not that of the
 * function's costs where its beginning was inlined: calls of a function without costs go to the only
 * one of its object and name. After the last line. */
void callgrind_join_files(struct callgrind_graph *g);
void callgrind_graph_release(struct callgrind_graph *g);

/* --- callgrind_push.c --- */

struct callgrind_push {
	struct import *im;
	struct callgrind_graph *g;
	const uint32_t *markers; /* by event */
	uint32_t thread;         /* of the trace; 0: not given */
	uint64_t alone;          /* cost of the first event of which no callers are known, */
	uint64_t missing;        /* and of calls whose functions do not have it */
	uint64_t circular;       /* functions in circles of calls */
	uint64_t divided;        /* functions whose cost was divided between callers */
	uint64_t total;          /* of the first event */
};

/* All costs as samples. */
enum status callgrind_push(struct callgrind_push *p, struct err *e);

#endif
