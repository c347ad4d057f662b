/* SPDX-License-Identifier: MIT
 *
 * The check of a random choice of a run's answers against libdwarf: whether the two readers of DWARF agree. What
 * is compared is what DWARF says of a link-time address: functions as linked, files, lines, columns and inlined
 * calls. Bindings, symbol tables and managed names are not.
 *
 * The choice is by a hash of seed, path and address: the same questions with the same seed have the
 * same choice, in any order and in batches of any size, and an address counts once.
 */
#ifndef TM_SYMBOLIZE_VERIFY_H
#define TM_SYMBOLIZE_VERIFY_H

#include "lib/dwarf/engine.h"

enum verify_outcome {
	VERIFY_EQUAL,
	VERIFY_DIFFERENT,
	VERIFY_UNKNOWN, /* libdwarf cannot say, or there was no answer to check */
};

struct verify_case {
	const char *path; /* borrowed of who offered it */
	uint64_t addr;    /* link-time */
	enum verify_outcome outcome;
	/* One line each: the answer that was given; libdwarf's, or why it has none. */
	const char *ours, *theirs;
};

struct verify;
/* Chooses n answers at most. */
struct verify *verify_new(uint64_t n, uint64_t seed);
void verify_free(struct verify *v); /* accepts NULL */
/* An object goes: its answers are not asked again. Accepts NULL. */
void verify_forget(struct verify *v, const struct object *o);
/* A job has been answered. v NULL: nothing happens. The object and path are borrowed until
 * verify_free. */
void verify_offer(struct verify *v, const struct dwarf_job *job, const char *path,
		  const struct dwarf_options *options);
/* Asks libdwarf, in child processes. ST_SYS: none can be started. Answers that are offered later
 * count for the next call. */
enum status verify_run(struct verify *v, unsigned jobs, struct err *e);
/* Of the last verify_run, by path and address; until the next call. */
const struct verify_case *verify_cases(const struct verify *v, size_t *n);
/* The i-th of those that are not equal; NULL: there are no more. */
const struct verify_case *verify_unequal(const struct verify *v, size_t i);
/* What libdwarf's reader said went wrong, each once: "FILE: libdwarf: TEXT"; NULL: no more. */
const char *verify_complaint(const struct verify *v, size_t i);

#endif
