/* SPDX-License-Identifier: MIT
 *
 * The decoder of events of Mono's log profiler (.mlpd), data versions 13 to 17. It makes one event after the
 * other of one buffer's bytes. Facts: mono/profiler/log.h, and bytes that Mono 6.8 wrote. What a field is
 * relative to (the buffer's bases, the method before) is undone here.
 *
 * Nothing says how long an event is: an unknown one, or a field that makes no sense, is the end of
 * its buffer.
 */
#ifndef TM_FORMATS_MONO_EVENT_H
#define TM_FORMATS_MONO_EVENT_H

#include "lib/base/cursor.h"

enum { MONO_BUFFER_HEADER = 48, MONO_VERSION_MIN = 13, MONO_VERSION_MAX = 17 };

#define MONO_BUFFER_MAGIC UINT32_C(0x4D504C01)

struct mono_buffer {
	struct cursor c;                            /* over its events */
	struct err e;                               /* of c */
	uint64_t time;                              /* of the last event, ns */
	uint64_t pointers, objects, thread, method; /* bases; method: the last one */
	uint32_t version;
};

enum mono_kind {
	MONO_OTHER,    /* known, of no use here */
	MONO_ALLOC,    /* vtable (version < 15: class), object, size, list: methods */
	MONO_GC,       /* code: what, generation */
	MONO_GC_SIZE,  /* size */
	MONO_GC_MOVES, /* list: addresses from, to, from, to ... */
	MONO_HANDLE,   /* code: 0 created, 1 destroyed; object; list: methods */
	MONO_CLASS,    /* pointer, text */
	MONO_VTABLE,   /* pointer, other: class */
	MONO_THREAD,   /* pointer: id, text: name */
	MONO_ENTER,    /* method */
	MONO_LEAVE,    /* method; code 1: by an exception */
	MONO_JIT,      /* method, pointer: code, size, text */
	MONO_THROW,    /* object, list: methods */
	MONO_MONITOR,  /* code: 1 contended, 2 done, 3 failed; object, list: methods */
	MONO_SHOT,     /* code: 0 begins, 1 ends */
	MONO_OBJECT,   /* object, vtable, size (0: more of one before), list: offset, target, ... */
	MONO_ROOTS,    /* list: address (version < 15: 0), target, ... */
	MONO_ROOT,     /* pointer, size, code: kind, other: key, text */
	MONO_HIT,      /* other: thread, list: n_native addresses, then methods */
	MONO_SYMBOL,   /* pointer, size, text */
	MONO_BINARY,   /* pointer, offset, size, text */
	MONO_HELPER,   /* pointer, size, text */
	MONO_COUNTER_NAMES, /* b->c is at the first of size counters: mono_counter_name */
	MONO_COUNTERS,      /* b->c is at the first: mono_counter */
	MONO_KINDS
};

struct mono_event {
	enum mono_kind kind;
	uint64_t at; /* offset in the file */
	uint64_t time;
	uint8_t code, generation;
	uint64_t pointer, other, object, vtable, method, size, offset;
	const char *text; /* NUL-terminated, until the next event */
	size_t n_text;
	uint64_t *list; /* until the next event */
	size_t n_list, n_native, cap_list;
};

/* Zeroed before the first call; its list is freed by mono_event_release. False: the buffer has
 * ended, or b->c has failed. */
bool mono_next(struct mono_buffer *b, struct mono_event *ev);
void mono_event_release(struct mono_event *ev);

struct mono_counter {
	uint64_t index;
	const char *section, *name; /* NULL: it has no name of its own */
	uint32_t type, unit;
	bool numeric, floating;
	int64_t value; /* difference from the value before */
	double real;   /* of a floating one, also a difference */
};

bool mono_counter_name(struct mono_buffer *b, struct mono_counter *c);
/* False: that was the last one. */
bool mono_counter(struct mono_buffer *b, struct mono_counter *c);

#endif
