/* SPDX-License-Identifier: MIT
 *
 * Internal to the reader of Chrome's trace events: the events as read, before they are sorted.
 */
#ifndef TM_FORMATS_CHROME_CHROME_H
#define TM_FORMATS_CHROME_CHROME_H

#include "formats/chrome/v8.h"
#include "formats/reader.h"
#include "lib/base/decimal.h"

struct chrome_call {     /* B, E or X */
	int64_t ts, end; /* ns; end: of X, and of B when it is known */
	uint32_t thread; /* index */
	uint32_t marker;
	char ph;
	uint8_t pause; /* enum enter_value */
};

struct chrome_point { /* a reading of a counter, a sample, or what runs parallel to the calls */
	int64_t ts;
	int64_t value;     /* of a reading decimal_whole */
	uint64_t fraction; /* and decimal_fraction */
	uint32_t thread;
	uint32_t what;  /* counter or marker; of samples the frame + 1 */
	uint8_t kind;   /* EV_COUNTER, or EV_SAMPLE */
	bool of_frames; /* a sample */
	int64_t dur;    /* ns of such a sample; below 0: not known */
};

struct chrome_thread {
	uint64_t pid, tid;
	uint32_t name;
	bool async;
};

struct chrome_frame {          /* of the table of stack frames */
	uint32_t name, module; /* strings */
	uint32_t parent;       /* index + 1; 0: none */
	uint32_t stack;        /* + 1; 0: not made yet */
	bool known, open;      /* open: its stack is being made */
};

struct chrome_place { /* of a marker, where it is known */
	uint32_t file, line;
};

struct chrome_profile { /* of V8 */
	struct v8_profile v8;
	uint32_t thread;
};

struct chrome {
	struct import *im;
	struct chrome_call *calls;
	size_t n_calls, cap_calls;
	struct chrome_point *points;
	size_t n_points, cap_points;
	struct chrome_thread *threads;
	size_t n_threads, cap_threads;
	struct chrome_frame *frames;
	size_t n_frames, cap_frames;
	struct chrome_place *places; /* by marker, so many; of tables */
	size_t n_places;
	struct chrome_profile **profiles;
	size_t n_profiles, cap_profiles;
	struct map64 profile_of;               /* hash of process and id -> index + 1 */
	struct v8_profile piece;               /* of the event that is read */
	struct intern thread_keys, frame_keys; /* -> index + 1 */
	bool any;                              /* an event with a time */
	bool sampled_time;                     /* a sample with a length */
	int64_t start;                         /* ns, of the first */
	uint64_t game_frames, unended_asyncs, unmatched, unended, clipped, no_number, rounded,
	    other, asyncs, no_time, loops;
};

/* Microseconds with decimals as ns, cut off; an exponent only where JSON has a number. */
bool chrome_time(const char *s, size_t n, bool is_number, int64_t *ns);
/* A number of JSON. */
bool chrome_number(const char *s, size_t n, decimal *v, bool *rounded);

/* For tables: the marker of a call, whose place is known where file is not 0; and the index of a thread, by bytes that
 * are its own. */
uint32_t chrome_marker(struct chrome *x, uint32_t name, uint32_t file, uint64_t line);
uint32_t chrome_thread(struct chrome *x, const void *key, size_t n,
		       const struct chrome_thread *row);

/* Pushes it all, threads one after the other, and adds notes. */
enum status chrome_push(struct chrome *x, struct err *e);
void chrome_release(struct chrome *x);

#endif
