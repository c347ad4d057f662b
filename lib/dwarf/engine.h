/* SPDX-License-Identifier: MIT
 *
 * The interface between symbolizing and the engines that read DWARF. An engine answers sorted batches: for each
 * link-time address the chain of calls there, innermost first, as nodes (store.h). It knows nothing of captures,
 * biases or return addresses: the caller has subtracted.
 *
 * fast: own decoders over checked bytes, in threads (lib/dwarf/fast); it answers.
 * reference: libdwarf, in child processes with limits (lib/dwarf/reference); it checks the other's
 * answers (symbolize/verify.h). Neither includes the other.
 */
#ifndef TM_DWARF_ENGINE_H
#define TM_DWARF_ENGINE_H

#include "lib/base/err.h"
#include "lib/base/hash.h"
#include "lib/base/intern.h"
#include "lib/dwarf/store.h"
#include "lib/object/object.h"

#include <stdarg.h>

enum dwarf_found {
	DWARF_NOT_FOUND = 0, /* no unit's ranges and no function hold the address */
	DWARF_FUNCTION,      /* function known; line may be 0 when its unit has no row for it */
	DWARF_LINE_ONLY,     /* a line but no function DIE: the caller may add a symbol's name */
	DWARF_MALFORMED,     /* the unit that owns it is broken (or crashed the engine) */
	DWARF_GAVE_UP,       /* a limit: time, memory, restarts */
	DWARF_ABSENT,        /* the file has no DWARF */
};

/* What only drop-ins print, and only when asked for (dwarf_options.extras). */
struct dwarf_extra {
	uint64_t start; /* DW_AT_low_pc of the function's own DIE; DWARF_NO_START */
	uint32_t name;  /* DW_AT_name, along origins and specifications; 0: none */
	/* DW_AT_decl_file and DW_AT_decl_line, in the same way; file is 0 as well when the DIE that
	 * says it is another unit's */
	uint32_t file, line;
	uint32_t discriminator; /* of the call's place; 0: none */
};

#define DWARF_NO_START UINT64_MAX

struct dwarf_answer {
	uint32_t call; /* innermost call; 0: none */
	uint8_t found; /* enum dwarf_found */
};

/* Calls and texts are in store, or in tables of their own (ids without STORE_BIT): one by one from
 * callers that do not make them by the hundred thousand. Read through dwarf_call_at and dwarf_text.
 * What is in store lives as long as these answers, and the object and the cache that they come
 * from. */
struct dwarf_answers {
	struct dwarf_store store;
	struct intern strings;
	struct dwarf_call *calls; /* calls[0] is unused */
	size_t n_calls, cap_calls;
	struct id_set call_ids; /* of dwarf_answers_call */
	/* A call's extra is its discriminator: there are no extras. Set before calls are added. */
	bool bare;
	bool mute;                  /* it was not asked for, though it is there */
	struct dwarf_extra *extras; /* extras[0] is unused; all may be NULL */
	size_t n_extras, cap_extras;
	struct dwarf_answer *of; /* one per query, in the queries' order */
	size_t n;
	/* What went wrong, for people; one line each, NUL-terminated, in strings. */
	uint32_t *complaints;
	size_t n_complaints, cap_complaints;
};

void dwarf_answers_init(struct dwarf_answers *a, size_t n);
void dwarf_answers_release(struct dwarf_answers *a);
/* Adds a call or finds the equal one. */
uint32_t dwarf_answers_call(struct dwarf_answers *a, const struct dwarf_call *c);
/* Room for n different ones. */
void dwarf_answers_reserve_calls(struct dwarf_answers *a, size_t n);
/* Adds an extra, or finds an equal one among the last. 0 when it says nothing. */
uint32_t dwarf_extras_add(struct dwarf_extra **all, size_t *n, size_t *cap,
			  const struct dwarf_extra *x);
/* The call of other answers in these, with those that it is inlined into: ids and path have room
 * for dwarf_call_slots(from), ids are zeroes before the first one. */
uint32_t dwarf_answers_adopt(struct dwarf_answers *a, const struct dwarf_answers *from,
			     uint32_t *ids, uint32_t *path, uint32_t call);
/* Adds a line unless an equal one is there; control bytes are escaped. */
void dwarf_answers_complain(struct dwarf_answers *a, const char *text, size_t n);
/* The same of a format, for an engine that has complained *n times: behind 64 it says once that there are more. */
void dwarf_answers_complain_of(struct dwarf_answers *a, size_t *n, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));

/* False: there is no such call, and *c is zeroes. Chains end: an outer call's id is lower, or absent. */
static inline bool dwarf_call_at(const struct dwarf_answers *a, uint32_t id, struct dwarf_call *c)
{
	if (id & STORE_BIT)
		return store_call_at(&a->store, id, c);
	*c = id < a->n_calls ? a->calls[id] : (struct dwarf_call){.outer = 0};
	return id && id < a->n_calls;
}

/* The id of the call that c, whose id is given, was inlined into; 0: none. */
static inline uint32_t dwarf_outer(const struct dwarf_call *c, uint32_t id)
{
	return c->outer < id ? c->outer : 0;
}

/* "" for 0; ends in NUL, but for a section that another process rewrites meanwhile. n may be
 * NULL. */
static inline const char *dwarf_text(const struct dwarf_answers *a, uint32_t id, size_t *n)
{
	size_t ignored;

	n = n ? n : &ignored;
	return id & STORE_BIT ? store_text_at(&a->store, id, n) : intern_text(&a->strings, id, n);
}

/* Numbers from 0 for ids of calls and of texts, for who keeps something for each. */
static inline size_t dwarf_call_slot(const struct dwarf_answers *a, uint32_t id)
{
	return id & STORE_BIT ? a->n_calls + (id & ~STORE_BIT) : id;
}

static inline size_t dwarf_call_slots(const struct dwarf_answers *a)
{
	return a->n_calls + a->store.n_calls;
}

static inline size_t dwarf_text_slots(const struct dwarf_answers *a)
{
	return intern_count(&a->strings) + 1 + a->store.n_texts;
}

/* 0 for an id that there is no text of: the file may have changed under its mapping. */
static inline size_t dwarf_text_slot(const struct dwarf_answers *a, uint32_t id)
{
	size_t slot =
	    id & STORE_BIT ? intern_count(&a->strings) + 1 + (size_t)(id & ~STORE_BIT) : id;

	return slot < dwarf_text_slots(a) ? slot : 0;
}

static inline struct dwarf_extra dwarf_extra_of(const struct dwarf_answers *a,
						const struct dwarf_call *c)
{
	struct dwarf_extra x = {.start = DWARF_NO_START};

	if (a->bare)
		x.discriminator = a->mute ? 0 : c->extra;
	else if (c->extra < a->n_extras)
		x = a->extras[c->extra];
	return x;
}

/* Where the time went, for people. Not filled in: 0. */
struct dwarf_stats {
	/* seconds on the clock, one after the other; the reference engine has none */
	double sections, units, decode, merge;
	/* of decode, processor seconds of all workers */
	double scopes, lines, names;
	uint64_t n_units, n_asked, n_lost;
};

struct dwarf_job {
	struct object *object; /* object_find_debug has been called */
	const uint64_t *addrs; /* vaddrs, ascending, unique */
	size_t n;
	struct dwarf_answers *out; /* initialized by the caller with n answers */
	struct dwarf_stats *stats; /* NULL: not wanted */
};

struct dwarf_kept;

struct dwarf_options {
	unsigned jobs; /* how many workers at once, at least 1 */
	/* Processor time a worker may take for one batch, 0: the default; the reference engine's, which
	 * are started anew, four times that together. */
	unsigned seconds;
	/* Bytes a worker of the reference engine may map; 0: its share of the allowance (mem_budget.h), 256 MiB to
	 * 4 GiB. */
	uint64_t memory;
	/* Fill in dwarf_call.extra: discriminators of the line table's rows only, which costs next
	 * to nothing, or everything, which does, and which no index has. */
	bool discriminators, extras;
	bool relative;           /* paths without the compilation directory: no index has them */
	bool once;               /* decompressed sections are given back behind each job */
	struct dwarf_kept *kept; /* the caller's; NULL, or with once: nothing is kept */
	/* Called now and then with the addresses answered so far; may be NULL. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *progress_arg;
};

/* What the fast engine keeps from batch to batch: of files and of units that were asked for, in at most
 * so many bytes (but for what a batch itself takes). Answers do not depend on it. */
struct dwarf_kept *dwarf_kept_new(uint64_t limit);
void dwarf_kept_free(struct dwarf_kept *k); /* before the objects it has seen; accepts NULL */
/* Before an object goes, or its sections do; accepts NULL. */
void dwarf_kept_forget(struct dwarf_kept *k, const struct object *o);
/* Another limit, from the next batch on. */
void dwarf_kept_limit(struct dwarf_kept *k, uint64_t limit);
uint64_t dwarf_kept_bytes(const struct dwarf_kept *k);
/* Before a batch: what is above the limit goes. dwarf_fast does it itself. */
void dwarf_kept_begin(struct dwarf_kept *k);
/* An answer as it is kept, of a batch that dwarf_fast is not called for: until the next dwarf_kept_begin. */
struct dwarf_kept_answer {
	struct dwarf_answer answer;
	const struct dwarf_answers *answers; /* its unit's, for its call; NULL: there is none */
	uint64_t unit;                       /* the number of these, which no others will have */
};
/* False: dwarf_fast must be asked, which gives the same answer. */
bool dwarf_kept_ask(struct dwarf_kept *k, const struct object *o,
		    const struct dwarf_options *options, uint64_t addr,
		    struct dwarf_kept_answer *a);

/* Answers every job. A broken file is an answer (DWARF_MALFORMED) and a complaint, not a failure:
 * ST_SYS only when no worker can be started at all. The same answers at any options->jobs. */
typedef enum status dwarf_answer_fn(struct dwarf_job *jobs, size_t n_jobs,
				    const struct dwarf_options *options, struct err *e);
dwarf_answer_fn dwarf_fast, dwarf_reference;

#endif
