/* SPDX-License-Identifier: MIT
 *
 * Captures in memory: read once, walked any number of times. An event store is a sink for its reader;
 * event_store_replay is a reader for any sink, which then sees what it would see of the file itself. The
 * tables of a capture (strings, stacks, names) are the reader's own, taken over; its events are in
 * columns: of each block of them a field has as many bytes as its values there differ by, none
 * where they are equal. So an event takes some 12 to 30 bytes where struct event has 96.
 *
 * Walking changes nothing: what a sink appends (paths of calls, notes) is in a trace of the walk's own
 * (trace_share). So any number of threads may walk, while nothing is added.
 *
 * A sink that has a use for it is asked first whether it takes a block, or the whole capture, by its
 * digest.
 */
#ifndef TM_EVENT_STORE_EVENT_STORE_H
#define TM_EVENT_STORE_EVENT_STORE_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/trace/sink.h"

enum { EVENT_STORE_BLOCK = 4096, EVENT_STORE_FIELDS = 15 };

struct event_store_block {
	uint32_t n;
	uint8_t width[EVENT_STORE_FIELDS]; /* bytes a value */
	uint64_t least[EVENT_STORE_FIELDS];
	uint8_t *bytes; /* the columns behind one another; in the capture's arena */
	struct sink_digest digest;
};

struct event_store_capture {
	struct trace *t;
	bool open; /* it goes on: t is the reader's, with its notes, and is not freed here */
	struct event_store_block *blocks;
	size_t n_blocks, cap_blocks;
	struct arena columns;
	bool seqs, no_seqs, measured; /* an allocation or a free with a number, without; calls */
};

struct event_store {
	struct sink sink; /* first: what fills it */
	const char *name; /* the caller's */
	struct event_store_capture *captures;
	size_t n, cap;
	uint64_t events;
	uint64_t bytes;       /* of the columns */
	bool lossy;           /* the file was salvaged */
	struct err why;       /* code not ST_OK: it could not be read, and this is why */
	struct buf raw;       /* of what is no capture (an aggregate): all of its bytes */
	struct event *staged; /* events of the next block */
	size_t n_staged;
	uint64_t *column;
	uint8_t *packed; /* the columns of the next block */
	/* Who has what a sink made of each capture (sink.h); NULL: nothing has. */
	const void *(*made)(void *arg, size_t capture);
	void *arg;
	/* The same of one selection (sink.h); made_selected NULL: none. */
	const void *(*made_selected)(void *arg, size_t capture);
	void *arg_selected;
	const void *selection;
};

void event_store_init(struct event_store *k, const char *name);
void event_store_release(struct event_store *k);
/* The last capture goes on in t: it can be walked as far as it has come. */
void event_store_open(struct event_store *k, struct trace *t);
/* What is stored goes to the sink: the same calls as of the file. Its status, when it fails. */
enum status event_store_replay(const struct event_store *k, struct sink *to, struct err *e);

#endif
