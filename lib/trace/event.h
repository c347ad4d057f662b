/* SPDX-License-Identifier: MIT
 *
 * An event of a capture: a kind and a set of fields. Which fields a kind uses is the table
 * below (and tracemill-trace(5)); `has` says which are there, and an absent field reads as 0
 * (count: 1 from a trace), never as a measured 0.
 *
 * kind         fields
 * FRAME        value = the frame's number, time, name = its label, target = how long it lasted in ns, where the
 *              capture says so: else it lasts until the next. It starts the frame; what follows
 *              belongs to it until the next.
 * ALLOC        count, requested and real bytes, address, type, stack, thread, time, seq, domain
 * FREE         address, thread, time, seq, domain
 * FREED        address, seq, domain: freed by the event with this number, at an unknown time;
 *              thread = any of the process that has the block, as its allocation's: not who freed it
 * PROFILE      count, requested and real bytes, type, stack, thread, time, domain, value: allocations of one stack
 *              that a heap profile added up and that share a fate, enum profile_fate; without value it is not known.
 *              Its two events of a row are what is live, and what is not any more
 * TYPE_TOTAL   type, count, requested, real: of a whole frame, known per type only
 * ENTER, EXIT  type = marker, stack, thread, time, name = a description; EXIT: a message. ENTER's
 *              value: enum enter_value, of what is not in the time of its callers; EXIT's: the limit that
 *              the program itself gave the call, ns; its largest: none
 * SAMPLE       type = marker, stack, thread, time, count = calls, value = duration in ns with
 *              all that it called, target = the duration without (self), where the reader knows it;
 *              name = a message. Without value it belongs to this stack alone, and the time of its
 *              callers is what lies below them. A sampling profiler counts samples and no calls:
 *              real beside a target, else count (event_samples); requested = their period, where that is no
 *              time: how many events of the marker's name they stand for; a period alone counts no sample
 * LOG          a line of the program's log: name = its text, type = a marker that says how severe it is,
 *              value = that as a number of the log's own, thread, time, stack = where it was written
 * COUNTER      type = counter, value, time, target: its decimals (trace/reading_digits.h)
 * OBJECT       address = its id (not 0), type, requested = size, name (its own, or where it is
 *              defined), stack = where it was made, target = a hash of its contents, value = enum
 *              object_state
 * REFERENCE    address = from (0: a root), target = to, name = the field or the root
 * DELTA        value = bytes by which the domain's heap grew in the stack's own code, signed: of
 *              tools that read the heap's size and see no allocations; stack, thread, time, count
 *              = calls
 */
#ifndef TM_TRACE_EVENT_H
#define TM_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
	EV_FRAME = 1,
	EV_ALLOC,
	EV_FREE,
	EV_FREED,
	EV_TYPE_TOTAL,
	EV_ENTER,
	EV_EXIT,
	EV_SAMPLE,
	EV_COUNTER,
	EV_OBJECT,
	EV_REFERENCE,
	EV_DELTA,
	EV_LOG,
	EV_PROFILE,
	EV_KINDS
};

/* Of EV_ENTER. A pause, and away (its thread is a fiber, or a coroutine, that does not run) until the exit: no call, and no time of
 * anything; what begins in it is no call either. A wait is a call whose time its thread is off the processor. */
enum enter_value { ENTER_CALL, ENTER_PAUSE, ENTER_AWAY, ENTER_WAIT };

/* Of EV_PROFILE; any other value is PROFILE_LIVE. Freed: at an unknown time. */
enum profile_fate { PROFILE_FREED, PROFILE_LIVE };

/* Whether its count and bytes were allocated. */
static inline bool event_allocates(unsigned kind)
{
	return kind == EV_ALLOC || kind == EV_PROFILE;
}

/* Whether its type is a marker. */
static inline bool event_has_marker(unsigned kind)
{
	return kind == EV_ENTER || kind == EV_EXIT || kind == EV_SAMPLE || kind == EV_LOG;
}

/* Bits of event.has, in the order of the fields in the stream. */
enum event_field {
	EV_HAS_SEQ = 1 << 0,
	EV_HAS_ADDRESS = 1 << 1,
	EV_HAS_REQUESTED = 1 << 2,
	EV_HAS_REAL = 1 << 3,
	EV_HAS_TYPE = 1 << 4,
	EV_HAS_STACK = 1 << 5,
	EV_HAS_TIME = 1 << 6,
	EV_HAS_COUNT = 1 << 7,
	EV_HAS_THREAD = 1 << 8,
	EV_HAS_VALUE = 1 << 9,
	EV_HAS_NAME = 1 << 10,
	EV_HAS_DOMAIN = 1 << 11,
	EV_HAS_TARGET = 1 << 12,
	EV_FIELD_BITS = 13,
	EV_FIELDS = (1 << EV_FIELD_BITS) - 1
};

/* The allocator that handed the block out. A block is (process, domain, address): a pool and the
 * malloc below it are not added up. */
enum domain { DOMAIN_MALLOC, DOMAIN_POOL, DOMAIN_MMAP, DOMAIN_MONO, DOMAIN_LUA, DOMAINS };

/* Bits of an OBJECT's value. */
enum object_state {
	OBJECT_DESTROYED = 1 << 0 /* a shell: what it stands for (a native object) is gone */
};

struct event {
	uint8_t kind;    /* enum event_kind */
	uint8_t domain;  /* enum domain */
	uint16_t has;    /* enum event_field */
	uint32_t type;   /* type, marker or counter id */
	uint32_t stack;  /* stack id */
	uint32_t thread; /* thread id */
	uint32_t name;   /* string id */
	int64_t time;    /* ns since the capture's start */
	uint64_t seq;    /* the capture's own sequence number */
	uint64_t address;
	uint64_t target;
	uint64_t count;           /* allocations in this record; 1 when absent */
	uint64_t requested, real; /* bytes */
	int64_t value;
};

/* The samples that a SAMPLE counts; false: it counts calls, or nothing. */
static inline bool event_samples(const struct event *ev, uint64_t *n)
{
	bool timed = ev->has & (EV_HAS_VALUE | EV_HAS_TARGET);
	bool period_only = (ev->has & (EV_HAS_REQUESTED | EV_HAS_COUNT)) == EV_HAS_REQUESTED;

	*n = ev->has & EV_HAS_REAL ? ev->real : ev->has & EV_HAS_COUNT ? ev->count : 1;
	return ev->has & EV_HAS_REAL || (!timed && !period_only);
}

/* Of a SAMPLE that has its times already. */
static inline void event_set_samples(struct event *ev, uint64_t n)
{
	bool timed = ev->has & (EV_HAS_VALUE | EV_HAS_TARGET);

	ev->has |= timed ? EV_HAS_REAL : EV_HAS_COUNT;
	*(timed ? &ev->real : &ev->count) = n;
}

const char *event_kind_name(unsigned kind); /* "alloc"; "?" when unknown */
const char *domain_name(unsigned domain);   /* "malloc" */
/* The domain that is shown where none is asked for: of those with entries the one with most bytes, then with
 * most entries, then the first; -1: none has any. */
int domain_most(const uint64_t bytes[DOMAINS], const uint64_t entries[DOMAINS]);

#endif
