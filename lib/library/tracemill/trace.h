/* SPDX-License-Identifier: MIT
 *
 * Traces, tracemill's own captures, read and written: the stream of tracemill-trace(5) without its
 * bytes. A reader is called for each batch of events and asks the trace what their numbers mean; a
 * writer is given rows and returns a number for each.
 *
 * Numbers (of strings, locations, stacks, types, threads ...) count from 1; 0 means absent. Rows
 * that a reader has seen never change, so what was made of one can be kept by its number.
 *
 * Errors, memory and threads are those of tracemill/symbolize.h: statuses, nothing printed, handles
 * that share nothing. After an error that gives all back (TRACEMILL_MEMORY, TRACEMILL_CANCELLED) a
 * writer takes no more; what it has written remains.
 */
#ifndef TRACEMILL_TRACE_H
#define TRACEMILL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolize.h"
#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Which fields each kind has, and what they mean, is the table of tracemill-trace(5). */
enum tracemill_event_kind {
	TRACEMILL_FRAME = 1,
	TRACEMILL_ALLOC,
	TRACEMILL_FREE,
	TRACEMILL_FREED,
	TRACEMILL_TYPE_TOTAL,
	TRACEMILL_ENTER,
	TRACEMILL_EXIT,
	TRACEMILL_SAMPLE,
	TRACEMILL_COUNTER,
	TRACEMILL_OBJECT,
	TRACEMILL_REFERENCE,
	TRACEMILL_DELTA,
	TRACEMILL_LOG,
	TRACEMILL_PROFILE,
};

/* Bits of has: a field without its bit is not known, and 0 (count: 1). */
enum tracemill_event_field {
	TRACEMILL_HAS_SEQ = 1 << 0,
	TRACEMILL_HAS_ADDRESS = 1 << 1,
	TRACEMILL_HAS_REQUESTED = 1 << 2,
	TRACEMILL_HAS_REAL = 1 << 3,
	TRACEMILL_HAS_TYPE = 1 << 4,
	TRACEMILL_HAS_STACK = 1 << 5,
	TRACEMILL_HAS_TIME = 1 << 6,
	TRACEMILL_HAS_COUNT = 1 << 7,
	TRACEMILL_HAS_THREAD = 1 << 8,
	TRACEMILL_HAS_VALUE = 1 << 9,
	TRACEMILL_HAS_NAME = 1 << 10,
	TRACEMILL_HAS_DOMAIN = 1 << 11,
	TRACEMILL_HAS_TARGET = 1 << 12,
};

enum tracemill_domain {
	TRACEMILL_MALLOC,
	TRACEMILL_POOL,
	TRACEMILL_MMAP,
	TRACEMILL_MONO,
	TRACEMILL_LUA,
};

struct tracemill_event {
	uint8_t kind;   /* enum tracemill_event_kind */
	uint8_t domain; /* enum tracemill_domain: who handed the block out */
	uint16_t has;   /* enum tracemill_event_field */
	uint32_t
	    type; /* number of a type; of ENTER, EXIT, SAMPLE a marker's, of COUNTER a counter's */
	uint32_t stack, thread;
	uint32_t name;    /* number of a string */
	int64_t time;     /* ns since the capture began */
	uint64_t seq;     /* the capture's own number of the event */
	uint64_t address; /* of the block */
	uint64_t target; /* an object; of COUNTER the decimals of value, the last one first: 33.4 is
			   * value 33, target 4 (tracemill-trace(5)) */
	uint64_t count;  /* how many this record stands for */
	uint64_t requested, real; /* bytes that were asked for; that it takes */
	int64_t value;
};

/* What a location's address is. */
enum tracemill_space {
	TRACEMILL_RUNTIME,         /* an address in the process */
	TRACEMILL_FILE_OFFSET,     /* in the module's file */
	TRACEMILL_LINK_TIME,       /* in the module, as it was linked */
	TRACEMILL_OFFSET_OR_LINK,  /* one of the two: the capture does not say */
	TRACEMILL_NAME,            /* no address: a name */
	TRACEMILL_UNKNOWN_ADDRESS, /* there was one */
};

struct tracemill_location {
	uint64_t address;
	uint32_t module;           /* number, or 0 */
	uint32_t name, file, line; /* as captured: numbers of strings, and the line; 0: not known */
	uint8_t space;             /* enum tracemill_space */
	uint8_t kind; /* 0: not known; 1: a return address; 2: exact; 3: a function's entry */
	uint8_t reserved[6];
};

struct tracemill_thread {
	uint32_t process, name; /* 0: the only one; number of a string */
	uint64_t id;
};

struct tracemill_note {
	const char *text;
	uint64_t count;   /* of what it is about; 0: it is no count */
	uint8_t severity; /* 0: for information; 1: something was guessed; 2: something was lost */
};

/* ---- Reading ---- */

struct tracemill_trace; /* what the events of one capture refer to, while it is read */

struct tracemill_receiver {
	size_t size; /* sizeof(struct tracemill_receiver) */
	/* Each may be NULL. What they are given is valid during the call; false ends the reading with
	 * TRACEMILL_CANCELLED. A file may hold several captures, one after the other. */
	bool (*begin)(void *arg, const struct tracemill_trace *t);
	bool (*events)(void *arg, const struct tracemill_trace *t,
		       const struct tracemill_event *events, size_t n);
	bool (*end)(void *arg, const struct tracemill_trace *t);
};

/* Reads the trace at path ("-": standard input), packed (zstd, gzip, ...) or not.
 * TRACEMILL_UNSUPPORTED: no trace (tm-import makes one of other captures). TRACEMILL_BAD: cut short
 * or damaged: what was sound has been handed on, end of the last capture included. error (may be
 * NULL) gets why, in size bytes. */
enum tracemill_status tracemill_trace_read(const char *path,
					   const struct tracemill_receiver *receiver, void *arg,
					   char *error, size_t size);

/* Of a trace, by number; "" and zeroes for numbers that it does not have. Texts end in NUL, have n
 * bytes (n may be NULL) and live until end returns. */
const char *tracemill_trace_string(const struct tracemill_trace *t, uint32_t string, size_t *n);
const char *tracemill_trace_type(const struct tracemill_trace *t, uint32_t type);
const char *tracemill_trace_marker(const struct tracemill_trace *t, uint32_t marker);
/* unit may be NULL. */
const char *tracemill_trace_counter(const struct tracemill_trace *t, uint32_t counter,
				    const char **unit);
struct tracemill_thread tracemill_trace_thread(const struct tracemill_trace *t, uint32_t thread);
/* The innermost location of a stack, and the stack of its callers (0: none). */
uint32_t tracemill_trace_stack(const struct tracemill_trace *t, uint32_t stack, uint32_t *callers);
struct tracemill_location tracemill_trace_location(const struct tracemill_trace *t,
						   uint32_t location);
/* Path or base name of a module. */
const char *tracemill_trace_module(const struct tracemill_trace *t, uint32_t module);
/* The calls at a location, innermost first, as tm-symbolize has put them into the trace, up to max of
 * them into calls. Returns how many there are; 0: none. Texts end in NUL. shown: names for people
 * instead of linkage names. */
size_t tracemill_trace_calls(const struct tracemill_trace *t, uint32_t location, bool shown,
			     struct tracemill_call *calls, size_t max);
/* The value of an attribute ("format", "clock", ...); NULL: it has none. */
const char *tracemill_trace_attribute(const struct tracemill_trace *t, const char *key);
/* The i-th note, from 0; false: there are no more. All are there in end. */
bool tracemill_trace_note(const struct tracemill_trace *t, size_t i, struct tracemill_note *note);
/* Events so far, of a kind. */
uint64_t tracemill_trace_count(const struct tracemill_trace *t, enum tracemill_event_kind kind);

/* ---- Writing ---- */

struct tracemill_writer;

/* A trace of one capture to a file descriptor, which stays the caller's. */
#define tracemill_writer_new(w, fd) tracemill_writer_new_of(w, fd, TRACEMILL_LIBRARY_VERSION)
enum tracemill_status tracemill_writer_new_of(struct tracemill_writer **to, int fd,
					      uint32_t version);
/* Without tracemill_writer_finish the trace is cut short, and readers see that. */
void tracemill_writer_free(struct tracemill_writer *w); /* accepts NULL */
const char *tracemill_writer_error(const struct tracemill_writer *w);

/* Each returns the number of the equal row, or of a new one; 0: an error, which all that follows
 * returns too. Texts of n bytes; longer than 64 KiB they are cut. */
uint32_t tracemill_writer_string(struct tracemill_writer *w, const char *s, size_t n);
uint32_t tracemill_writer_type(struct tracemill_writer *w, const char *name, size_t n);
uint32_t tracemill_writer_marker(struct tracemill_writer *w, const char *name, size_t n);
uint32_t tracemill_writer_counter(struct tracemill_writer *w, const char *name, const char *unit);
uint32_t tracemill_writer_thread(struct tracemill_writer *w, const struct tracemill_thread *thread);
uint32_t tracemill_writer_location(struct tracemill_writer *w,
				   const struct tracemill_location *location);
/* callers: the stack around this location; 0: it is the outermost. */
uint32_t tracemill_writer_stack(struct tracemill_writer *w, uint32_t callers, uint32_t location);
/* A module with one mapping: runtime [lo, hi) is its file from offset on; again for more is another
 * module. build_id of n bytes, or NULL. */
uint32_t tracemill_writer_module(struct tracemill_writer *w, const char *path, const void *build_id,
				 size_t n, uint64_t lo, uint64_t hi, uint64_t offset);
/* What the events will say exactly, of all that happened; before the first event. What is not named
 * here is not known, and no report shows it. */
enum tracemill_sums {
	TRACEMILL_SUM_COUNT = 1 << 0,
	TRACEMILL_SUM_REQUESTED = 1 << 1,
	TRACEMILL_SUM_REAL = 1 << 2,
	TRACEMILL_SUM_LIVE = 1 << 3, /* all frees are there */
	TRACEMILL_SUM_TIME = 1 << 4,
	TRACEMILL_SUM_NET = 1 << 5, /* of TRACEMILL_DELTA */
};
enum tracemill_status tracemill_writer_sums(struct tracemill_writer *w, unsigned sums);
/* An attribute; before the first event. */
enum tracemill_status tracemill_writer_attribute(struct tracemill_writer *w, const char *key,
						 const char *value);
enum tracemill_status tracemill_writer_note(struct tracemill_writer *w,
					    const struct tracemill_note *note);
/* TRACEMILL_MISUSE: a kind or a number that there is not; nothing was written. */
enum tracemill_status tracemill_writer_event(struct tracemill_writer *w,
					     const struct tracemill_event *event);
/* The end of the trace; the writer takes nothing more. */
enum tracemill_status tracemill_writer_finish(struct tracemill_writer *w);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
