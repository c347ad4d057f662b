/* SPDX-License-Identifier: MIT
 *
 * The declarations that the files of the reference engine share. Data flows one way:
 *
 *	sections.c  what hides a broken unit from libdwarf
 *	libdwarf.c  libdwarf behind a few functions
 *	split.c     the part of a unit that is in a .dwo or .dwp file
 *	read.c      one unit through it -> struct reference_unit, plain data
 *	scope.c     struct reference_unit + addresses -> the innermost scope of each
 *	line.c      struct reference_unit + addresses -> the line table's row of each
 *	worker.c    the child process: unit after unit, answers into a pipe
 *	reference.c the parent: slices, children, what they sent -> dwarf_answers
 */
#ifndef TM_DWARF_REFERENCE_REFERENCE_H
#define TM_DWARF_REFERENCE_REFERENCE_H

#include "lib/base/buf.h"
#include "lib/dwarf/engine.h"
#include "lib/dwarf/sections.h"

#include <sys/types.h>

enum {
	MAX_RESTARTS = 16,  /* of one slice */
	LIMIT_DEPTH = 4096, /* of nested DIEs */
	LIMIT_MESSAGE = 1 << 20,
	WORKER_NO_MEMORY = 71, /* exit status of a worker */
};

struct unit_range {
	uint64_t lo, hi;
};

/* A subprogram or an inlined subroutine, in the order of the DIEs. */
struct unit_scope {
	uint64_t die;                   /* offset in .debug_info */
	uint32_t parent;                /* enclosing scope, index + 1; 0: none */
	uint32_t first_range, n_ranges; /* in unit.scope_ranges; dead ones are left out */
	uint32_t file, line, column;    /* of the call site; file as the line table counts */
	uint32_t discriminator;
	bool inlined, has_file;
};

struct unit_row {
	uint64_t addr;
	uint32_t file, line, column, discriminator;
	bool end; /* end_sequence: addr is past the last byte */
};

#define UNIT_NO_ROW UINT32_MAX

/* One compilation unit; the arrays are reused from unit to unit. */
struct reference_unit {
	uint32_t number; /* counts the units of .debug_info from 0, type units too */
	uint64_t offset; /* of its header */
	uint16_t version;
	bool is_type; /* a type unit: has no code */
	bool ranged;  /* ranges is all that the unit owns; else its functions say more */
	bool silent;  /* says nothing of addresses: without functions, it owns what its rows hold */
	bool split;   /* a skeleton: its functions are in a .dwo file */
	bool wide;    /* 64-bit DWARF */
	uint64_t dwo_id;
	struct unit_range *ranges, *scope_ranges;
	size_t n_ranges, cap_ranges, n_scope_ranges, cap_scope_ranges;
	struct unit_scope *scopes;
	size_t n_scopes, cap_scopes;
	struct unit_row *rows;
	size_t n_rows, cap_rows;
	/* Joined paths, ids in the strings given to reader_new; files[i] is the line table's file
	 * number i. */
	uint32_t *files;
	size_t n_files, cap_files;
};

void unit_release(struct reference_unit *u);

/* libdwarf cannot step over a unit whose first DIE it cannot read, and everything behind it would
 * be lost. This writes an empty unit over the one at offset. False: its length is invalid. For a
 * worker only: the bytes are the object's. */
bool sections_bury(struct sections *s, uint64_t offset);

/* A number of 4 or 8 bytes at an offset. */
bool sections_number(const struct sections *s, enum section section, uint64_t at, unsigned size,
		     uint64_t *v);
/* libdwarf wants DW_AT_rnglists_base for a list's number, but a split unit has none: the table is
 * the first of .debug_rnglists.dwo, or its skeleton's. The list's offset; UINT64_MAX: there is no
 * such list. */
uint64_t sections_list_offset(const struct sections *s, uint64_t list);

/* libdwarf over the sections of an object, without the units at the offsets in buried. Every
 * failure of libdwarf is ST_BAD (ST_LIMIT for memory) with its text; libdwarf may as well crash or
 * hang: call it only in a worker. */
struct reader;
enum status reader_new(struct reader **out, struct object *o, struct intern *strings,
		       const uint64_t *buried, size_t n_buried, bool relative, struct err *e);
/* Not for a worker, whose end gives back all of it. Accepts NULL. */
void reader_free(struct reader *r);
/* Number and offset of the unit that reader_next will read. */
uint32_t reader_peek(const struct reader *r, uint64_t *offset);
/* The next unit's header; ST_NONE after the last. After a failure reader_bury can put the unit
 * away, and reader_next be called again; if it gives false, there are no more units. */
enum status reader_next(struct reader *r, struct reference_unit *u, struct err *e);
bool reader_bury(struct reader *r);
enum status reader_ranges(struct reader *r, struct reference_unit *u, struct err *e);
/* Finds the part of a unit that is split: reader_scopes and what comes after it are of that part
 * then. *why if it is not there, else NULL. */
enum status reader_part(struct reader *r, struct reference_unit *u, const char **why,
			struct err *e);
enum status reader_scopes(struct reader *r, struct reference_unit *u, struct err *e);
enum status reader_rows(struct reader *r, struct reference_unit *u, struct err *e);
/* False for what linkers have discarded, which they mark by 0, by 1 (in .debug_ranges), or by the
 * two highest addresses. */
bool reader_is_living(const struct reader *r, uint64_t lo);
/* The raw name of the function whose DIE is at that offset: its linkage name, else its name, along
 * abstract origins and specifications. 0: it has none. */
uint32_t reader_function(struct reader *r, uint64_t start);
/* What struct dwarf_extra has of the function whose DIE is at that offset in the present unit. */
void reader_extra(struct reader *r, const struct reference_unit *u, uint64_t die_at,
		  struct dwarf_extra *x);
/* Sections that could not be read, one line; "" when all could. */
const char *reader_complaint(struct reader *r);

/* The first i with addrs[query[i]] >= addr; query is in the order of the addresses. */
size_t unit_first_at_least(const uint64_t *addrs, const uint32_t *query, size_t n, uint64_t addr);
/* For every address addrs[query[i]], ascending: the innermost scope (index + 1, 0: none).
 * A later scope wins over an earlier one, so a nested one over what is around it. */
void unit_match_scopes(const struct reference_unit *u, const uint64_t *addrs, const uint32_t *query,
		       size_t n, uint32_t *scope);
/* The row in force, or UNIT_NO_ROW: of the rows whose stretch holds the address, the one that
 * begins last; of several rows at one address the last one has the stretch. */
void unit_match_rows(const struct reference_unit *u, const uint64_t *addrs, const uint32_t *query,
		     size_t n, uint32_t *row);
/* A line program's file register begins as 1 in every sequence; libdwarf 20210528 begins it as 0
 * in DWARF 5. Goes through the program at p (of at most n bytes) and puts 1 into the rows of
 * file 0 that come before their sequence's first DW_LNS_set_file. */
void unit_fix_default_file(struct reference_unit *u, const uint8_t *p, size_t n, bool big_endian);

/* A slice of a job's addresses, the piece of work that one worker does. */
struct reference_slice {
	struct dwarf_job *job;
	bool discriminators, extras, relative; /* as in dwarf_options */
	size_t first, n;                       /* of job->addrs */
	uint32_t first_unit; /* units before it are done, or have killed a worker */
	unsigned restarts, timeouts;
	uint64_t buried[MAX_RESTARTS + 1]; /* offsets of units that have killed a worker */
	size_t n_buried;
	struct dwarf_answers
	    got; /* of[i] is for addrs[first + i]; equal calls may be there twice */
	struct intern complaints;
	bool more_complaints;
	bool lost_unit; /* a unit whose addresses are not known could not be read */
	/* of the worker at work: */
	uint32_t base_strings, base_calls; /* what earlier workers have added to got */
	uint32_t unit;                     /* announced last; UINT32_MAX: none yet */
	uint64_t unit_offset;
	struct reference_run {
		uint32_t first, n;
	} * runs; /* addresses of that unit */
	size_t n_runs, cap_runs;
	bool knows_addresses, unit_done, finished;
};

/* What a worker writes: u32 length (little-endian), then a kind and its fields (ULEB128). */
enum message {
	MESSAGE_UNIT = 'U',    /* number, offset: its header is about to be read */
	MESSAGE_RUNS = 'R',    /* (first, n)...: its addresses */
	MESSAGE_DONE = 'D',    /* the unit is */
	MESSAGE_STRING = 'S',  /* bytes; ids count from 1 */
	MESSAGE_CALL = 'C',    /* outer, function, file, line, column, then 0 or 1 and of
				* its extra: start + 1, name, file, line, discriminator; ids
				* count from 1 */
	MESSAGE_ANSWERS = 'A', /* (index, call, found)... */
	MESSAGE_LOST = 'L',    /* the unit's addresses are not known */
	MESSAGE_TEXT = 'T',    /* a complaint */
	MESSAGE_END = 'E',     /* all units were looked at */
};

struct worker_limits {
	unsigned seconds;
	uint64_t memory;
};

/* In the child process; does not return. */
_Noreturn void worker_main(const struct reference_slice *s, const struct worker_limits *limits,
			   int fd, pid_t parent);

#endif
