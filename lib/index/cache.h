/* SPDX-License-Identifier: MIT
 *
 * The cache of indexes (index.h) in front of an engine (debug_source.h). A batch is answered from the binary's index where
 * there is one, else by the engine; answers are the same.
 *
 * A file is called BUILDID-FINGERPRINT.N.tmx, where N is the format's version: the fingerprint
 * covers what answers are made from, so that a stripped file and its debug file, which have one
 * build-id, do not take each other's index. Without a build-id it is called file-PLACE.N.tmx, by
 * device, inode, size and time of modification of the files as well.
 *
 * A new index is written to NAME.part, locked (flock) while its writer lives, and renamed when it
 * is complete: so builders do not meet, and what a killed one leaves is used up by the next. Files
 * are never changed but for their time of modification, which is when they were used last (to an
 * hour); the ones used longest ago go when the folder holds more than its limit. Nothing that goes
 * wrong here is an error for the caller: there is a word for -v, and the engine answers.
 */
#ifndef TM_INDEX_CACHE_H
#define TM_INDEX_CACHE_H

#include "lib/dwarf/engine.h"
#include "lib/index/index.h"

enum {
	CACHE_BUILD_AT = 20000, /* addresses of one binary, asked so far, that are worth an index */
	CACHE_LIMIT_MIB = 4096, /* unless $TRACEMILL_CACHE_LIMIT says another number */
};

struct cache_options {
	const char *dir; /* NULL: $XDG_CACHE_HOME/tracemill, or $HOME/.cache/tracemill */
	bool off;        /* touch nothing */
	uint64_t keep;   /* bytes that the engine may keep from batch to batch; 0: nothing */
};

struct index_cache {
	struct dwarf_kept *kept; /* NULL: nothing is */
	char *dir;               /* NULL: off, or there is no place for it */
	uint64_t limit;
	struct cached **all; /* by object */
	size_t n, cap;
	struct intern messages; /* words for -v, each once */
	uint32_t next_message;
};

void cache_init(struct index_cache *c, const struct cache_options *o);
void cache_release(struct index_cache *c); /* before the objects it has seen */

/* Another number of bytes to keep, from the next batch on. */
void cache_keep(struct index_cache *c, uint64_t keep);
void cache_forget(struct index_cache *c, const struct object *o); /* before it goes */

uint64_t cache_limit(void); /* bytes the folder may hold */

/* Answers every job by the debug source of its object (debug_source.h). */
enum status cache_run(struct index_cache *c, struct dwarf_job *jobs, size_t n,
		      const struct dwarf_options *options, struct err *e);

struct debug_source;
/* The same of objects of one such source that has an engine: by their indexes, and by the engine. */
enum status cache_run_engine(struct index_cache *c, const struct debug_source *source,
			     struct dwarf_job *jobs, size_t n, const struct dwarf_options *options,
			     struct err *e);

/* Before a batch whose every address is first asked with cache_ask. */
void cache_begin(struct index_cache *c);
/* The answer for an address that the engine has kept. False: cache_run must be asked. */
bool cache_ask(struct index_cache *c, struct object *o, uint64_t addr,
	       const struct dwarf_options *options, struct dwarf_kept_answer *a);

/* Makes sure that there is a sound index of this object, on request: waits for another
 * builder, checks all of one that is there. ST_NONE: it has nothing that is kept so. ST_UNSUPPORTED: it was looked
 * at, and *e says why it cannot be indexed. *size: of the index. */
enum status cache_prewarm(struct index_cache *c, struct object *o,
			  const struct dwarf_options *options, uint64_t *size, struct err *e);

/* ST_BAD: the file of an index has lost bytes since, so that answers in it may be nonsense. */
enum status cache_intact(const struct index_cache *c, struct err *e);

/* The next word for -v that was not yet given; NULL: no more. */
const char *cache_next_message(struct index_cache *c);

#endif
