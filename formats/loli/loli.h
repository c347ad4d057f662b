/* SPDX-License-Identifier: MIT
 *
 * The common parts of the LoliProfiler readers: the recording rule (loli3.conf) and what follows
 * from it, stacks recognized by their bytes, libraries as modules, Qt's strings.
 *
 * A record is one allocation event: seq, time (ms), size (u32), address, stack. Captures never
 * hold the allocator's real size, a thread or the kind of allocation function.
 */
#ifndef TM_FORMATS_LOLI_LOLI_H
#define TM_FORMATS_LOLI_LOLI_H

#include "formats/loli/config.h"
#include "formats/loli/keys.h"
#include "formats/loli/seqs.h"
#include "formats/reader.h"
#include "lib/base/bytes.h"

/* What a format knows about frees. */
enum loli_frees {
	LOLI_FREES,         /* all of them */
	LOLI_FREES_UNKNOWN, /* some records are freed, the format does not say which */
	LOLI_FREES_NONE,    /* whatever is there counts as live */
	LOLI_FREES_SUMMED, /* sums of what was live: the reader says what of its metrics is otherwise */
};

struct loli {
	struct import *im;
	struct loli_config config;
	const char *format;
	enum loli_frees frees;
	uint8_t kind;  /* enum location_kind of every address */
	uint8_t space; /* enum space of an address in a known library */
	/* of the capture in progress */
	struct loli_seqs seqs;
	struct map64 stacks;      /* bytes of a stack -> its id */
	struct intern libraries;  /* names -> place in library_* */
	uint32_t *library_module; /* by id in libraries; [0] unused */
	size_t n_modules, cap_modules;
	uint32_t *ids; /* scratch for a stack */
	size_t n_ids, cap_ids;
	uint64_t bad_times, repeated;
};

/* Reads the configuration when one is given. */
enum status loli_init(struct loli *l, struct import *im, const char *format, enum loli_frees frees,
		      struct err *e);
void loli_release(struct loli *l);
/* Sets metrics, attributes and notes of im->t. */
void loli_describe(struct loli *l);
/* And begins the capture. */
enum status loli_begin(struct loli *l, struct err *e);
/* Notes that the format has no map of the modules, when none was given. */
void loli_needs_maps(struct loli *l);
/* Adds the notes that only the end knows, and forgets the capture's ids. */
void loli_end(struct loli *l);

/* Makes name the module with these ranges. */
void loli_module_mapped(struct loli *l, const char *name, size_t n, struct map_range *ranges,
			uint32_t n_ranges);
/* The module of a library: among those of --maps by path or, if only one has it, base name; else
 * a row of its own. */
uint32_t loli_module(struct loli *l, const char *name, size_t n);
/* False for "", "unknown" and the like: an address in it is one of the process. */
bool loli_library_known(const char *name, size_t n);
/* An address in a library, or of the process when the library is not known. */
uint32_t loli_location(struct loli *l, const char *library, size_t n, uint64_t addr, uint32_t name);
/* n frames of 8 bytes, innermost first, that are addresses of the process; 0 for n = 0. key: of
 * these bytes. */
uint32_t loli_runtime_stack(struct loli *l, struct loli_key key, const uint8_t *frames, size_t n,
			    bool big_endian);
/* A stack of one location of which only the library is known; 0 when not even that. */
uint32_t loli_library_stack(struct loli *l, const char *name, size_t n);

/* Pushes a record. ms outside of i64 ns is left out and counted. */
enum status loli_alloc(struct loli *l, uint64_t seq, int64_t ms, uint32_t size, uint64_t addr,
		       uint32_t stack, struct err *e);
enum status loli_free(struct loli *l, bool freed, uint64_t addr, uint64_t seq, struct err *e);

/* A comparison saved as a capture (Qt builds could): no time, no address, nothing but records,
 * numbered from 0, and sizes that may be negative. */
struct loli_diff {
	uint64_t records, negative;
	bool timed, placed, unnumbered;
};

static inline void loli_diff_see(struct loli_diff *d, uint32_t seq, int64_t ms, uint32_t size,
				 uint64_t addr)
{
	d->timed |= ms != 0;
	d->placed |= addr != 0;
	d->unnumbered |= seq != d->records;
	d->negative += size >> 31;
	d->records++;
}

bool loli_diff_is(const struct loli_diff *d);

/* A QString, UTF-16BE with its length in bytes before it, as UTF-8 in *out (emptied before); a
 * null string is empty. */
void loli_string(struct cursor *c, struct buf *out, const char *what);
void loli_string_skip(struct cursor *c, const char *what);
/* A QString that holds a UUID. False: it is empty or null, or the cursor failed. */
bool loli_uuid(struct cursor *c, struct loli_key *key);

#endif
