/* SPDX-License-Identifier: MIT
 *
 * The structs behind the handles of tracemill/symbolize.h. Whatever the caller was handed (the
 * handle, binaries, processes, trace symbolizers) lies outside of the scope and outlives an error that gives the scope
 * back; what was opened and answered lies in the scope, and is made again when it is asked for.
 */
#ifndef TM_LIBRARY_SYMBOLIZER_H
#define TM_LIBRARY_SYMBOLIZER_H

#include "lib/find/files.h"
#include "lib/find/search.h"
#include "lib/library/handle.h"
#include "lib/library/option_texts.h"
#include "lib/library/tracemill/symbolize.h"
#include "lib/symbolize/explain.h"
#include "lib/symbolize/lookup.h"

#include <pthread.h>

/* Opened at most once in a scope's life. */
struct tracemill_binary {
	struct tracemill_binary *next;
	struct lookup_file *file; /* NULL: not in this scope */
	int64_t
	    looked_at; /* when a call has looked whether the file was replaced, ns; 0: none has */
	char path[];
};

/* In the scope. */
struct library_opened {
	struct find_search search;
	struct lookup lookup;
	struct lookup_query *queries; /* of the last batch; its answers are read through them */
	size_t n, cap;
	struct explain explain;
	struct buf text; /* what tracemill_told and tracemill_explain returned last */
	/* What tracemill_source returned last, of which file, and where it was asked for. */
	struct buf source, source_path;
	struct lookup_file *source_of;
	bool has_source;
	char line[1000];
	size_t n_failures;     /* of files of managed code, that were returned */
	size_t n_archives;     /* files up to this one have been reported */
	struct verify *verify; /* NULL: not asked for */
	size_t n_verified;     /* its complaints up to this one have been reported */
};

struct tracemill_symbolizer {
	struct library_handle handle;
	struct tracemill_options options;
	struct kept_texts texts; /* all that options points to */
	struct tracemill_binary *binaries;
	struct tracemill_process *processes;
	struct tracemill_trace_symbolizer *namings;
	struct library_opened *opened; /* NULL: not in this scope */
	/* tracemill_expect */
	bool expects;
	pthread_t expecting;
	struct object *expected;
	enum resource_scope_end expected_end;
};

struct tracemill_process {
	struct tracemill_process *next;
	struct tracemill_symbolizer *s;
	struct process_part *parts; /* what it was given, the newest first */
	struct find_files *files;   /* NULL: not in this scope */
};

/* A call of the interface: fn runs in the scope, with everything opened. */
struct library_call {
	struct tracemill_symbolizer *s;
	enum tracemill_status (*fn)(struct library_call *c);
	void *a; /* what fn knows */
	const void *in;
	size_t n;
	enum tracemill_status status;
};
enum tracemill_status symbolizer_call(struct library_call *c);

/* In a call: the binary at a path; NULL: it cannot be opened. */
struct tracemill_binary *symbolizer_binary(struct tracemill_symbolizer *s, const char *path);
/* In a call: that of a file. */
struct tracemill_binary *symbolizer_binary_of(struct tracemill_symbolizer *s,
					      struct lookup_file *f);
/* In a call. */
struct lookup_file *symbolizer_file(struct tracemill_symbolizer *s, struct tracemill_binary *b);
/* The same; opened again if the file was replaced since, unless a call has looked since the given time. Answers of
 * the last batch are gone then. */
struct lookup_file *symbolizer_fresh_file(struct tracemill_symbolizer *s,
					  struct tracemill_binary *b, int64_t since);
/* In a call: gives back what the file holds. Answers of the last batch are gone. */
void symbolizer_close_file(struct tracemill_symbolizer *s, struct lookup_file *f);
/* A query of the last batch; NULL: it is not one. */
struct lookup_query *symbolizer_query(const struct tracemill_symbolizer *s,
				      const struct tracemill_query *query);

void process_free_all(struct tracemill_process *p);
void process_close(struct tracemill_process *p); /* its files, where no scope does it */

#endif
