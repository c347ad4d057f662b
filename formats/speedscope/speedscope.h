/* SPDX-License-Identifier: MIT
 *
 * Internal to the reader of speedscope's JSON: profiles, and the events that their samples and
 * calls become.
 */
#ifndef TM_FORMATS_SPEEDSCOPE_SPEEDSCOPE_H
#define TM_FORMATS_SPEEDSCOPE_SPEEDSCOPE_H

#include "formats/emit.h"
#include "formats/reader.h"

/* What the values of a profile are. The first ones are amounts of blocks (formats/emit.h). */
enum speedscope_role {
	ROLE_ALLOC,
	ROLE_LIVE = ROLE_ALLOC + BLOCKS_AMOUNTS,
	ROLE_SAMPLES = ROLE_LIVE + BLOCKS_AMOUNTS,
	ROLE_CALLS,
	ROLE_TIME,
	ROLES,
	ROLE_NONE = ROLES /* follows from others */
};

struct speedscope_frame {
	uint32_t name, file, line;
	uint32_t location, stack, marker; /* of the trace; 0: not made yet */
};

struct speedscope_profile {
	uint32_t name, unit; /* strings */
	uint32_t thread;     /* of the trace; 0: none */
	uint8_t role;
	bool evented;
	bool calls;     /* evented, in a unit of time */
	bool decimals;  /* a weight or a place of an event is no whole number */
	char start[32]; /* startValue, as it is written; "": none */
};

struct speedscope_row {
	uint32_t stack, thread;
	int64_t sums[ROLES];
};

struct speedscope {
	struct import *im;
	struct speedscope_frame *frames;
	size_t n_frames, cap_frames;
	struct speedscope_profile *profiles;
	size_t n_profiles, cap_profiles;
	struct speedscope_profile *profile; /* the one that is read, in the second pass */
	bool own;                           /* tm-export wrote it */
	bool has_role[ROLES], has_calls;
	bool millionths; /* samples are counted in them */

	struct emit_places places;

	struct map64 row_of; /* stack and thread -> index + 1 */
	struct speedscope_row *rows;
	size_t n_rows, cap_rows;
	struct emit_blocks blocks;

	uint32_t *open; /* frames of open calls */
	uint32_t *path; /* by open call, where these are no calls in time: the stack */
	size_t n_open, cap_open, cap_path;
	int64_t last;
	bool any_event;
	bool continued; /* what is entered began before */
	int64_t start;  /* ns of all calls' clock: the least start of a profile of them */

	uint64_t called; /* ns in calls */
	uint64_t calls, missing, odd, unpaired, unended, backwards, negative, deep, rounded, huge,
	    beside, beside_ns;
	struct { /* of the last value: what its unit is */
		bool known;
		uint32_t id;
		const char *suffix;
		double factor;
	} unit;
};

/* Once all profiles are known: what they are, and the metrics of the trace. */
void speedscope_decide(struct speedscope *x);
bool speedscope_has_decimals(const char *s, size_t n);
/* A value of the present profile: ns, bytes or a number. False: no such value. */
bool speedscope_value(struct speedscope *x, const char *s, size_t n, int64_t *v);

uint32_t speedscope_location(struct speedscope *x, size_t frame);
void speedscope_add(struct speedscope *x, uint32_t stack, unsigned role, int64_t weight);
enum status speedscope_event(struct speedscope *x, bool enter, size_t frame, int64_t at,
			     struct err *e);
/* The present profile's open calls end. */
enum status speedscope_end_calls(struct speedscope *x, struct err *e);
enum status speedscope_push_rows(struct speedscope *x, struct err *e);

#endif
