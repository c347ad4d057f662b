/* SPDX-License-Identifier: MIT
 *
 * A trace written by the Lua module: rows that are made once, over lib/recorder/base/output.h. One
 * thread. Memory grows with different strings and stacks.
 */
#ifndef TM_RECORDER_LUA_OUT_H
#define TM_RECORDER_LUA_OUT_H

#include "lib/recorder/base/output.h"

/* Memory of the module: where tm-record records the process it is not the program's. As realloc, calloc and
 * free. */
void *own_grow(void *p, size_t n);
void *own_zeroed(size_t n, size_t size);
void own_free(void *p);

/* u64 -> u32 in open addressing; 0 is not there. */
struct lua_slots {
	struct lua_slot {
		uint64_t key;
		uint32_t value, used;
	} * slots;
	size_t n, mask;
	bool failed; /* no memory: what is new is not kept */
};
/* The value's place, 0 when the key is new; NULL: no memory. Valid until the next call. */
uint32_t *slots_put(struct lua_slots *t, uint64_t key);
uint32_t slots_get(const struct lua_slots *t, uint64_t key);
void slots_remove(struct lua_slots *t, uint64_t key);
void slots_release(struct lua_slots *t);

enum out_metrics { OUT_ALLOCATIONS = 1, OUT_CALLS = 2 };

struct lua_out {
	struct cap_output o;
	uint8_t *columns;       /* its events */
	int64_t start, flushed; /* ns of the monotonic clock */
	uint64_t date;          /* of the start, ns since 1970 */
	int64_t seen;           /* what out_time said last */
	struct lua_slots strings, types, locations, stacks, markers, counters;
	uint64_t lost;  /* rows that there was no memory for */
	unsigned kinds; /* enum out_metrics */
	bool
	    joined; /* the recorder of the process has the trace: rows are numbered here, and not written */
	char version[101]; /* of Lua */
};

/* NULL and errno: the file cannot be made. kinds: enum out_metrics. */
struct lua_out *out_new(const char *path, const char *version, unsigned kinds);
/* The same without a trace of its own, in a process that is recorded; NULL: no memory. */
struct lua_out *out_new_joined(unsigned kinds);
/* Ends the trace and closes it; false and errno: it could not be written. Accepts NULL. */
bool out_free(struct lua_out *out);

/* ns: since the start; of one that is joined in the recorder's time. */
int64_t out_time(struct lua_out *out);
/* Ids of rows; 0: no memory. */
uint32_t out_string(struct lua_out *out, const char *s, size_t n);
uint32_t out_type(struct lua_out *out, const char *s);
uint32_t out_location(struct lua_out *out, uint32_t name, uint32_t file, int line);
uint32_t out_stack(struct lua_out *out, uint32_t parent, uint32_t location);
/* Of a line of the log: 0 info, 1 warning, 2 error. */
uint32_t out_severity(struct lua_out *out, unsigned severity);
uint32_t out_marker(struct lua_out *out, const char *name);
uint32_t out_counter(struct lua_out *out, const char *name, const char *unit);
uint32_t out_thread(struct lua_out *out, uint64_t id, const char *name);
void out_event(struct lua_out *out, const struct event *ev);

#endif
