/* SPDX-License-Identifier: MIT
 *
 * Draft of <tracemill/symbolize.h>, which the issue "For others to build on" freezes. Nothing
 * implements it yet; each name has the one beside it that is there inside.
 *
 * Answers are views: texts lie in the mapped file, the mapped index or the engine's store until
 * tm_batch_free, are not NUL-terminated, and nothing is copied for who prints them. Every function
 * but tm_batch_run may be called on any thread once that has returned, so that workers print, each
 * a part of the questions.
 */
#ifndef TM_SYMBOLIZE_PUBLIC_DRAFT_H
#define TM_SYMBOLIZE_PUBLIC_DRAFT_H

#include <stddef.h>
#include <stdint.h>

struct tm_symbolizer; /* struct lookup: open files, the cache; one thread at a time */
struct tm_file;       /* struct lookup_file */
struct tm_batch;      /* struct lookup_query[] and what lookup_run has made of them */

struct tm_question {
	struct tm_file *file;
	uint64_t address; /* link-time */
};

/* struct lookup_call */
struct tm_call {
	const char *name, *file; /* lengths 0: not known */
	uint32_t name_length, file_length;
	uint32_t line, column, discriminator; /* 0: not known */
	uint32_t inlined;                     /* 1: into the call behind it */
};

/* struct lookup_views: a worker's own; zeroed is empty. The answer to the i-th question is
 * calls[first[i]] up to calls[first[i + 1]], innermost first. */
struct tm_views {
	const struct tm_call *calls;
	const uint32_t *first;
	void *own;
};
enum { TM_VIEWS_AT_ONCE = 48 }; /* as many fit into the nearest cache; more are an error */

/* lookup_run. *out is the caller's to free; 0, or a status of tracemill(7). */
int tm_batch_run(struct tm_symbolizer *s, const struct tm_question *questions, size_t n,
		 struct tm_batch **out);
/* lookup_view, of questions [from, to). */
int tm_batch_view(struct tm_batch *b, size_t from, size_t to, struct tm_views *v);
void tm_views_release(struct tm_views *v);
/* lookup_intact, once all is printed: 0, or a file has lost bytes meanwhile and what was read of it
 * may be nonsense. */
int tm_batch_intact(const struct tm_batch *b);
void tm_batch_free(struct tm_batch *b);

#endif
