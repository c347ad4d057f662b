/* SPDX-License-Identifier: MIT
 *
 * The records of an aggregate (tracemill-aggregate(5)): the sums of one or more captures,
 * mergeable. A record is a key, which says what it is about and orders the records, and what is
 * known of it, which joins: texts (the least that is not empty stays), counts (added up), marks
 * (the largest stays) and values (profile/value.h). So two aggregates merge record by record.
 *
 *	kind      key               texts                  counts
 *
 *	HEAD                        options, sampling,     captures, frames, duration (ns)
 *	                            metrics, periods of,
 *	                            clock
 *
 *	INPUT     hash, bytes       name, version, format, times, captures, frames, records
 *	                            program, arguments,
 *	                            run
 *
 *	FORMAT    name                                     captures
 *
 *	MODULE    name, build-id                           captures
 *
 *	NOTE      severity, text                           count, captures
 *
 *	WHOLE     which                                    values: of a capture
 *
 *	FRAMES                                             values: of any frame
 *
 *	FRAME     which, number     name                   values: of this frame
 *
 *	COUNTER   name, unit                               values: AGG_READING, AGG_LAST
 *
 *	ROW       by, entity         display, place         values: of a capture that has it
 *
 *	KEY       by                                       captures, entities pruned, their parts
 *
 * Of HEAD the texts must be equal in all that are merged. WHOLE (of AGG_ALL) and KEY have marks:
 * per sum the state (enum metric_state), then per sum the lack (enum unknown_reason). The values of KEY are
 * what the pruned entities had together. Entities have the identities of entities.h; of a stack it is the
 * path of its calls, the outermost first, and its place is the site: raw name, module, file, line
 * in decimal, and "1" when it is inside the rules, with NULs between. Its display name is the
 * site's. The place of a function is the first line that was seen of it, without the other parts.
 */
#ifndef TM_PROFILE_RECORD_H
#define TM_PROFILE_RECORD_H

#include "lib/profile/key.h"
#include "lib/profile/value.h"
#include "lib/tally/sums.h"

enum aggregate_kind {
	AGG_HEAD = 1,
	AGG_INPUT,
	AGG_FORMAT,
	AGG_MODULE,
	AGG_NOTE,
	AGG_WHOLE,
	AGG_FRAMES,
	AGG_FRAME,
	AGG_COUNTER,
	AGG_ROW,
	AGG_KEY,
	AGG_KINDS
};

/* AGG_WHOLE: of everything that the filters kept; of everything; and by what is known of sites:
 * AGG_COVERAGE + enum tier, the last for what has no stack. */
enum aggregate_which { AGG_ALL, AGG_UNFILTERED, AGG_COVERAGE };

/* Metrics of values: an enum sum; of what lies in or below an entity AGG_TOTAL + enum sum. */
enum { AGG_TOTAL = SUMS, AGG_DURATION = 2 * SUMS, AGG_READING, AGG_LAST, AGG_METRICS };

/* Bounds of a record: what is larger is refused. */
enum { AGG_TEXTS = 6, AGG_COUNTS = 4, AGG_MARKS = 2 * SUMS, AGG_RECORD_MAX = 64 << 20 };

struct aggregate_text { /* may hold NULs; borrowed */
	const char *s;
	size_t n;
};

struct aggregate_call { /* of a stack: raw name and module of the function */
	struct aggregate_text raw, module;
};

struct aggregate_key {
	enum aggregate_kind kind;
	uint64_t hash, bytes; /* INPUT */
	unsigned which; /* WHOLE: enum aggregate_which; NOTE: enum severity; FRAME: 1, or 0 for
				 * what comes before the first, which is no frame */
	int64_t frame;  /* FRAME */
	enum key by;    /* KEY, ROW */
	struct aggregate_text name; /* FORMAT, MODULE, NOTE, COUNTER; ROW: of all keys not below */
	struct aggregate_text second;            /* MODULE: build-id as bytes; COUNTER: unit */
	struct aggregate_text raw, module, file; /* ROW: function: the first two; site: all, and */
	uint32_t line;
	bool inside; /* allocator or runtime code only */
	const struct aggregate_call
	    *calls; /* ROW of stacks: the outermost first; 0: there is no stack */
	size_t n_calls;
	size_t
	    n_same; /* so many first calls are those of the key that was read into this record before */
};

struct aggregate_record { /* zeroed is empty and valid */
	struct aggregate_key key;
	struct aggregate_text texts[AGG_TEXTS];
	uint64_t counts[AGG_COUNTS];
	uint64_t parts; /* records that were joined in it; 0 counts as 1 */
	uint64_t has;   /* bit 1 << metric: there is such a value */
	struct aggregate_value values[AGG_METRICS];

	/* What is borrowed above, as far as it is not in the bytes that were read; the places that
	 * the values' extremes have. aggregate_record_clear keeps the memory. */
	struct aggregate_call *calls;
	size_t cap_calls;
	size_t *ends, n_ends,
	    cap_ends; /* by call: where it ends in the bytes of the key, if all of it is there */
	struct buf text;
	struct aggregate_places places;
	uint8_t marks[AGG_MARKS];
};

/* The text that stands for what differs between the captures of a run. */
bool aggregate_is_several(const char *s, size_t n);
void aggregate_record_release(struct aggregate_record *r);
/* Empty again, with the memory kept. */
void aggregate_record_clear(struct aggregate_record *r);
/* NULL: the record has none of it. */
const struct aggregate_value *aggregate_record_value(const struct aggregate_record *r,
						     unsigned metric);
/* Empty if there was no such text. */
struct aggregate_value *aggregate_record_make(struct aggregate_record *r, unsigned metric);

/* The key as bytes: their order is that of the records. */
void aggregate_key_write(const struct aggregate_key *k, struct buf *out);
/* Borrows from the bytes and from r, whose key it becomes. */
enum status aggregate_key_read(struct aggregate_record *r, const char *p, size_t n, struct err *e);
/* The same of a key whose first bytes, so many of them, are those of the last key that was read into r: what was
 * made of them is used again. */
enum status aggregate_key_read_same(struct aggregate_record *r, size_t same, const char *p,
				    size_t n, struct err *e);
/* Behind the key of a stack: one call more. */
void aggregate_key_add_call(struct buf *out, const struct aggregate_call *call);

/* What is known, without the key. Reading replaces it and borrows texts from the bytes. */
void aggregate_record_write(struct aggregate_record *r, struct buf *out);
enum status aggregate_record_read(struct aggregate_record *r, const char *p, size_t n,
				  uint64_t offset, struct err *e);
/* Two records of one key. ST_UNSUPPORTED: heads that differ; the message says in what, as
 * "options: '--focus x' there, none here", here being *from. The texts of *to may then be borrowed
 * from *from. */
/* Whether nothing is missing and nothing is there twice: all parts of an aggregate, with those that
 * were pruned, are as many as the records that its inputs had. Zeroed is empty. */
struct aggregate_account {
	uint64_t parts, records;
};
void aggregate_account_add(struct aggregate_account *a, const struct aggregate_record *r);
enum status aggregate_account_check(const struct aggregate_account *a, struct err *e);

enum status aggregate_record_join(struct aggregate_record *to, const struct aggregate_record *from,
				  struct err *e);

/* The sums that a frame has. */
enum { AGG_FRAME_SUMS = SUMS_ALL & ~(SUMS_PEAK | SUMS_LIFETIME | 1 << SUM_TIME_MEAN) };

#endif
