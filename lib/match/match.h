/* SPDX-License-Identifier: MIT
 *
 * Regular expressions over bytes: pcre2 behind one header, without its JIT: that needs memory
 * to execute, which the sandbox would have to leave to programs that read untrusted files. Subjects may hold any
 * bytes: a match never crosses a place that is not UTF-8 (PCRE2_MATCH_INVALID_UTF). The work of
 * one match is limited, so that a pattern such as (a+)+$ cannot hang a program; a subject on
 * which the limit is reached counts as not matching. Each time is counted: of one pattern, and of
 * all that the program ever made, which it reports when it ends (lib/cli). So no user of patterns
 * can forget to. Nothing here is for two threads at once.
 */
#ifndef TM_MATCH_MATCH_H
#define TM_MATCH_MATCH_H

#include "lib/base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct match;

enum match_flags {
	MATCH_LITERAL = 1 << 0,  /* the pattern is a plain string */
	MATCH_CASELESS = 1 << 1, /* by Unicode's simple case folding */
};

/* Where a pattern comes from, for messages. */
struct match_place {
	const char *name; /* an option ("--focus") or a file; copied */
	size_t line;      /* of the file; 0: an option */
};

/* NULL: not a pattern; *e has pcre2's reason and the column (1 = the first byte) it is about. */
struct match *match_new(struct match_place from, const char *pattern, size_t n, unsigned flags,
			struct err *e);
void match_free(struct match *m); /* accepts NULL */

/* True when the pattern matches anywhere in the n bytes. */
bool match_test(struct match *m, const char *s, size_t n);
/* The same of a match that begins at a place; what is in front of it can be looked behind at. */
bool match_test_at(struct match *m, const char *s, size_t n, size_t at);
/* False: no match begins with this byte. */
bool match_may_begin(const struct match *m, char c);
/* False: no text that goes on behind these bytes, which end no character early, has a match at its begin. */
bool match_may_go_on(struct match *m, const char *s, size_t n);
/* The same of a match that has all bytes from one place up to another in it. */
bool match_covers(struct match *m, const char *s, size_t n, size_t from, size_t to);
uint64_t match_timed_out(const struct match *m);
const char *match_pattern(const struct match *m); /* NUL-terminated */

/* Of an option's pattern ("--focus"): no name that it was asked about matches, so far. Who asks several, of which
 * one is enough, asks those too, so that each is known to match something or nothing. */
bool match_unmatched(const struct match *m);
struct match_nothing {
	const char *option, *pattern, *near; /* near: the name that comes nearest, or "" */
	bool matched, asked;
};
/* The program's, in their order, also those that did match; NULL: there are no more. */
const struct match_nothing *match_option_at(size_t i);

/* A pattern that was given up, kept when it is freed. Equal patterns of one place are one. */
struct match_timeout {
	struct match_place from;
	const char *pattern; /* NUL-terminated */
	uint64_t times;
};
/* All of the program, in the order of their first time. */
size_t match_all_timeouts(const struct match_timeout **items);
uint64_t match_all_timed_out(void); /* their times together */

#endif
