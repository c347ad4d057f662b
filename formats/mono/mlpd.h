/* SPDX-License-Identifier: MIT
 *
 * The common parts of the .mlpd reader: formats/mono/mlpd.c looks at the file, formats/mono/log.c
 * makes events of its log.
 */
#ifndef TM_FORMATS_MONO_MLPD_H
#define TM_FORMATS_MONO_MLPD_H

#include "formats/mono/tables.h"
#include "formats/reader.h"

struct counter_state {
	uint32_t counter; /* of the trace */
	bool is_time;     /* in 100 ns */
	int64_t value;
	double real;
};

enum { MLPD_RECENT = 1024 };

struct mlpd_recent { /* a place in a table of what was asked for lately */
	uint64_t key;
	uint32_t id; /* 0: nothing yet */
};

struct mlpd {
	struct import *im;
	uint8_t major, minor;
	uint32_t version;
	uint64_t started; /* ns, on the buffers' clock: the earliest event or the program's start */
	struct mono_tables tables;
	struct mono_event ev;
	enum metric_state sums; /* of bytes and allocations, known after the first look */
	uint64_t cut_buffers, lost_bytes, buffers, unknown;
	uint64_t begin, end; /* offsets of its header, and of what follows it */
	bool followed;       /* by another log */
	/* of the capture in progress */
	struct map64 locations; /* method -> location */
	struct map64 types, counters;
	struct mlpd_recent recent_locations[MLPD_RECENT],
	    recent_types[MLPD_RECENT]; /* of a vtable */
	struct thread_now {            /* asked last */
		struct mono_thread is;
		uint64_t tid;
		uint32_t id; /* of the trace; 0: not looked up */
	} thread_now;
	struct counter_state *counter_states;
	size_t n_counters, cap_counters;
	uint32_t *stack;
	size_t cap_stack;
	uint64_t nameless_methods, typeless, moves, handles, throws, monitors, no_number;
	uint64_t nearest; /* native addresses that got the name of the symbol below */
	bool in_shot;
	uint64_t shot, objects; /* number of the snapshot; objects in it */
};

/* The type of an object by its vtable, 0: the log does not name it. */
uint32_t mlpd_type(struct mlpd *m, uint64_t vtable);
/* Pushes what m->ev says, but for the objects of snapshots. */
enum status mlpd_on_event(struct mlpd *m, struct mono_buffer *b, struct err *e);

#endif
