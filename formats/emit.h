/* SPDX-License-Identifier: MIT
 *
 * The functions by which readers push events. There is one for each kind of event; its arguments are the fields
 * that this kind has. Readers fill no struct event: the sink behind the import may take events in another form.
 *
 *	emit_alloc(im, &(struct emit_alloc){.stack = stack, .requested = KNOWN(size)}, e);
 *	emit_counter(im, emit_counter_id(im, "process.rss", "B"), KNOWN(time), bytes, e);
 *
 * What a capture does not have is left zeroed: then the event does not have the field (lib/trace/event.h).
 * Ids are those of im->t; 0 stands for no row. Times are ns since the capture's start; they, seconds of a call
 * and bytes of growth may be negative. Sizes are bytes. Structs are borrowed for the call. The status is the
 * sink's: if it is not ST_OK, the reader stops and returns it. import_begin comes before the first event.
 */
#ifndef TM_FORMATS_EMIT_H
#define TM_FORMATS_EMIT_H

#include "formats/reader.h"
#include "lib/base/decimal.h"
#include "lib/base/hash.h"
#include "lib/trace/losses.h"

/* A number that a capture may not have. */
struct known_number {
	uint64_t v;
	bool is;
};
#define KNOWN(x) ((struct known_number){(uint64_t)(x), true})
#define ABSENT   ((struct known_number){0, false})
/* Known if a condition holds. */
#define KNOWN_IF(is, x) ((struct known_number){(is) ? (uint64_t)(x) : 0, (is)})

/* For the functions here. */
static inline void emit_put(struct event *ev, unsigned field, uint64_t *to, struct known_number n)
{
	if (n.is) {
		ev->has = (uint16_t)(ev->has | field);
		*to = n.v;
	}
}

static inline void emit_put_id(struct event *ev, unsigned field, uint32_t *to, uint32_t id)
{
	if (id) {
		ev->has = (uint16_t)(ev->has | field);
		*to = id;
	}
}

static inline struct event emit_event(enum event_kind kind, uint32_t type, uint32_t stack,
				      uint32_t thread, struct known_number time)
{
	struct event ev = {.kind = (uint8_t)kind, .count = 1};

	emit_put_id(&ev, EV_HAS_TYPE, &ev.type, type);
	emit_put_id(&ev, EV_HAS_STACK, &ev.stack, stack);
	emit_put_id(&ev, EV_HAS_THREAD, &ev.thread, thread);
	if (time.is) {
		ev.has |= EV_HAS_TIME;
		ev.time = (int64_t)time.v;
	}
	return ev;
}

static inline void emit_put_domain(struct event *ev, struct known_number domain)
{
	if (domain.is) {
		ev->has |= EV_HAS_DOMAIN;
		ev->domain = (uint8_t)domain.v;
	}
}

static inline void emit_put_value(struct event *ev, struct known_number value)
{
	if (value.is) {
		ev->has |= EV_HAS_VALUE;
		ev->value = (int64_t)value.v;
	}
}

/* Of a block, or of `count` blocks, with the sums of their sizes. */
struct emit_alloc {
	uint32_t stack, thread, type;
	struct known_number time, seq, address, count, requested, real;
	struct known_number domain; /* enum domain */
};

/* event_of_*: events for a reader that hands on many at once. */
static inline struct event event_of_alloc(enum event_kind kind, const struct emit_alloc *a)
{
	struct event ev = emit_event(kind, a->type, a->stack, a->thread, a->time);

	emit_put(&ev, EV_HAS_SEQ, &ev.seq, a->seq);
	emit_put(&ev, EV_HAS_ADDRESS, &ev.address, a->address);
	emit_put(&ev, EV_HAS_COUNT, &ev.count, a->count);
	emit_put(&ev, EV_HAS_REQUESTED, &ev.requested, a->requested);
	emit_put(&ev, EV_HAS_REAL, &ev.real, a->real);
	emit_put_domain(&ev, a->domain);
	return ev;
}

static inline enum status emit_alloc_as(struct import *im, enum event_kind kind,
					const struct emit_alloc *a, struct err *e)
{
	struct event ev = event_of_alloc(kind, a);

	return import_event(im, &ev, e);
}

static inline enum status emit_alloc(struct import *im, const struct emit_alloc *a, struct err *e)
{
	return emit_alloc_as(im, EV_ALLOC, a, e);
}

/* The same of a whole frame, known by type only. */
static inline enum status emit_type_total(struct import *im, const struct emit_alloc *a,
					  struct err *e)
{
	return emit_alloc_as(im, EV_TYPE_TOTAL, a, e);
}

struct emit_free {
	uint64_t address;
	uint32_t thread, stack; /* stack: where it was freed */
	struct known_number time, seq, domain, requested;
};

static inline enum status emit_free_as(struct import *im, enum event_kind kind,
				       const struct emit_free *f, struct err *e)
{
	struct event ev = emit_event(kind, 0, f->stack, f->thread, f->time);

	emit_put(&ev, EV_HAS_ADDRESS, &ev.address, KNOWN(f->address));
	emit_put(&ev, EV_HAS_SEQ, &ev.seq, f->seq);
	emit_put(&ev, EV_HAS_REQUESTED, &ev.requested, f->requested);
	emit_put_domain(&ev, f->domain);
	return import_event(im, &ev, e);
}

static inline enum status emit_free(struct import *im, const struct emit_free *f, struct err *e)
{
	return emit_free_as(im, EV_FREE, f, e);
}

/* It was freed by the event with this number, at a time that is not known. */
static inline enum status emit_freed(struct import *im, const struct emit_free *f, struct err *e)
{
	return emit_free_as(im, EV_FREED, f, e);
}

/* Calls that are summed up, or samples of a stack. */
struct emit_sample {
	uint32_t stack, thread, marker, message; /* message: a string */
	struct known_number time;
	struct known_number calls;
	struct known_number samples; /* of a sampling profiler, in place of calls or beside times */
	struct known_number total;   /* ns, with the time of callees */
	struct known_number self;    /* ns, without */
	struct known_number period; /* how many events of the marker's name the samples stand for */
};

static inline struct event event_of_sample(const struct emit_sample *s)
{
	struct event ev = emit_event(EV_SAMPLE, s->marker, s->stack, s->thread, s->time);

	emit_put_id(&ev, EV_HAS_NAME, &ev.name, s->message);
	emit_put_value(&ev, s->total);
	emit_put(&ev, EV_HAS_TARGET, &ev.target, s->self);
	emit_put(&ev, EV_HAS_REQUESTED, &ev.requested, s->period);
	emit_put(&ev, EV_HAS_COUNT, &ev.count, s->calls);
	if (s->samples.is)
		event_set_samples(&ev, s->samples.v);
	return ev;
}

static inline enum status emit_sample(struct import *im, const struct emit_sample *s, struct err *e)
{
	struct event ev = event_of_sample(s);

	return import_event(im, &ev, e);
}

/* n samples of a stack (0: of none), with a marker (0: none). */
static inline enum status emit_samples(struct import *im, uint32_t stack, uint32_t marker,
				       uint64_t n, struct err *e)
{
	const struct emit_sample s = {.stack = stack, .marker = marker, .samples = KNOWN(n)};

	return emit_sample(im, &s, e);
}

struct emit_call {
	uint32_t marker, stack, thread,
	    text; /* text: a string that describes the call or its end */
	struct known_number time;
	struct known_number
	    value;      /* of an enter: enum enter_value; of an exit: the call's own limit, ns */
	bool continued; /* an enter that goes on with a call that is counted elsewhere */
};

static inline enum status emit_edge(struct import *im, enum event_kind kind,
				    const struct emit_call *c, struct err *e)
{
	struct event ev = emit_event(kind, c->marker, c->stack, c->thread, c->time);

	emit_put_id(&ev, EV_HAS_NAME, &ev.name, c->text);
	emit_put_value(&ev, c->value);
	emit_put(&ev, EV_HAS_COUNT, &ev.count, KNOWN_IF(c->continued, 0));
	return import_event(im, &ev, e);
}

static inline enum status emit_enter(struct import *im, const struct emit_call *c, struct err *e)
{
	return emit_edge(im, EV_ENTER, c, e);
}

static inline enum status emit_exit(struct import *im, const struct emit_call *c, struct err *e)
{
	return emit_edge(im, EV_EXIT, c, e);
}

struct event event_of_frame(struct known_number number, struct known_number time);
/* The next frame begins: its number and time. */
enum status emit_frame(struct import *im, struct known_number number, struct known_number time,
		       struct err *e);
/* The same with a label, a string. */
enum status emit_frame_labeled(struct import *im, struct known_number number, uint32_t label,
			       struct known_number time, struct err *e);

/* The same where the capture knows how long it lasted, ns. */
enum status emit_frame_lasting(struct import *im, struct known_number number, uint32_t label,
			       struct known_number time, struct known_number duration,
			       struct err *e);

/* A line of a log, or an event that the program told; text: a string. */
struct emit_log {
	uint32_t text, severity;         /* severity: a marker */
	struct known_number level, time; /* level: the severity as a number of the log's own */
};
struct event event_of_log(const struct emit_log *l);
enum status emit_log(struct import *im, const struct emit_log *l, struct err *e);

/* A counter of im->t; its name is in the manual page of the format. */
uint32_t emit_counter_id(struct import *im, const char *name, const char *unit);
enum status emit_counter(struct import *im, uint32_t counter, struct known_number time,
			 int64_t value, struct err *e);
/* The same with decimals. */
struct event event_of_decimal(uint32_t counter, struct known_number time, decimal value);
enum status emit_decimal(struct import *im, uint32_t counter, struct known_number time,
			 decimal value, struct err *e);

/* An object of a heap; its id is not 0. */
struct emit_object {
	uint64_t id;
	uint32_t type, stack, name;
	struct known_number size, hash, count, value; /* value: enum object_state */
};

static inline enum status emit_object(struct import *im, const struct emit_object *o, struct err *e)
{
	struct event ev = emit_event(EV_OBJECT, o->type, o->stack, 0, ABSENT);

	emit_put(&ev, EV_HAS_ADDRESS, &ev.address, KNOWN(o->id));
	emit_put_id(&ev, EV_HAS_NAME, &ev.name, o->name);
	emit_put(&ev, EV_HAS_REQUESTED, &ev.requested, o->size);
	emit_put(&ev, EV_HAS_TARGET, &ev.target, o->hash);
	emit_put(&ev, EV_HAS_COUNT, &ev.count, o->count);
	emit_put_value(&ev, o->value);
	return import_event(im, &ev, e);
}

/* From an object, or from a root (0), to an object; name: the field or the root. */
static inline enum status emit_reference(struct import *im, uint64_t from, uint64_t to,
					 uint32_t name, struct known_number count, struct err *e)
{
	struct event ev = emit_event(EV_REFERENCE, 0, 0, 0, ABSENT);

	emit_put(&ev, EV_HAS_ADDRESS, &ev.address, KNOWN(from));
	emit_put(&ev, EV_HAS_TARGET, &ev.target, KNOWN(to));
	emit_put_id(&ev, EV_HAS_NAME, &ev.name, name);
	emit_put(&ev, EV_HAS_COUNT, &ev.count, count);
	return import_event(im, &ev, e);
}

/* Growth of a heap in the stack's own code. */
struct emit_delta {
	uint32_t stack, thread;
	enum domain domain;
	int64_t bytes;
	struct known_number time, calls;
};

static inline enum status emit_delta(struct import *im, const struct emit_delta *d, struct err *e)
{
	struct event ev = emit_event(EV_DELTA, 0, d->stack, d->thread, d->time);

	emit_put_domain(&ev, KNOWN(d->domain));
	emit_put_value(&ev, KNOWN(d->bytes));
	emit_put(&ev, EV_HAS_COUNT, &ev.count, d->calls);
	return import_event(im, &ev, e);
}

/* Blocks as heap profiles list them: a number per stack, of which some are in use. */
enum block_amount { BLOCKS_COUNT, BLOCKS_REQUESTED, BLOCKS_REAL, BLOCKS_AMOUNTS };
enum { BLOCKS_SIZED = 1 << BLOCKS_COUNT | 1 << BLOCKS_REQUESTED };

/* A row of a heap profile, without its amounts. */
struct emit_profile {
	uint32_t stack, thread, type;
	struct known_number time, domain;
	unsigned known; /* which amounts the profile has: bits of enum block_amount */
};

struct emit_blocks {
	struct import *im;
	uint64_t above; /* rows of which more is in use than was allocated */
	bool live;      /* it is known what is in use */
};
/* It is known what is in use, as well as state says. Nothing says when the rest was freed: no peak is known. Before
 * import_begin. */
static inline void emit_blocks_live(struct emit_blocks *b, enum metric_state state)
{
	trace_metric(b->im->t, METRIC_LIVE, state, METRIC_AT_ALL);
	b->live = b->im->t->unordered = true;
}

/* So many blocks of one row are damage, where it is known what is in use. */
#define BLOCKS_MOST ((INT64_C(1) << 36) - 128)
static inline bool emit_blocks_huge(const struct emit_blocks *b, const int64_t v[BLOCKS_AMOUNTS])
{
	return b->live && v[BLOCKS_COUNT] > BLOCKS_MOST;
}

/* What is no longer in use of a row, not less than nothing; known: bits of what was counted of both. */
void emit_blocks_gone(struct emit_blocks *b, const int64_t all[BLOCKS_AMOUNTS],
		      const int64_t live[BLOCKS_AMOUNTS], unsigned known,
		      int64_t gone[BLOCKS_AMOUNTS]);
/* Notes what that found. */
void emit_blocks_note(const struct emit_blocks *b);
/* Pushes blocks of a row that share a fate. */
enum status emit_blocks(struct emit_blocks *b, const struct emit_profile *row,
			const int64_t v[BLOCKS_AMOUNTS], enum profile_fate fate, struct err *e);

/* Texts of calls that have no name, as our reports and exports write them (lib/names/names.h). Zeroed is valid. */
struct emit_places {
	struct map64 modules; /* string -> module */
	uint64_t guessed;     /* texts that may be a function and an offset behind its start */
};
/* "game.exe+0x10c5", "game.exe!0x1400010c5", "game.exe!fn_0x140001000": a place in a module; "[unknown]". 0: another text. */
uint32_t emit_place(struct emit_places *p, struct trace *t, const char *s, size_t n);
/* Whether a text is such a place, with this address. */
bool emit_is_place(const char *s, size_t n, uint64_t address);
void emit_places_note(const struct emit_places *p, struct trace *t);
void emit_places_release(struct emit_places *p);

/* "DE46DD52-4994-...", with other signs around its 32 digits: the string of its bytes, a build-id; 0: none. */
uint32_t emit_uuid(struct trace *t, const char *s, size_t n);

/* A location that is known by name alone; file and line may be 0. Without a name: SPACE_UNKNOWN. */
uint32_t emit_named(struct trace *t, uint32_t name, uint32_t file, uint32_t line);

#endif
