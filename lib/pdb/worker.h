/* SPDX-License-Identifier: MIT
 *
 * Internal to lib/pdb: what a worker keeps from one module to the next, and what it knows of the present one.
 * Addresses are RVAs.
 */
#ifndef TM_PDB_WORKER_H
#define TM_PDB_WORKER_H

#include "lib/base/buf.h"
#include "lib/base/sort.h"
#include "lib/dwarf/budget.h"
#include "lib/dwarf/engine.h"
#include "lib/object/pdb.h"

enum { PDB_NESTING = 4096 }; /* of inlined calls */

/* Checked bytes of a stream. */
struct pdb_bytes {
	const uint8_t *p;
	uint32_t n;
};

/* A procedure, a thunk, or code of one that lies apart, that holds an address. */
struct pdb_proc {
	uint32_t rva, size, section, offset;
	const char *name; /* n bytes in the module's stream */
	uint32_t n;
	uint32_t id, extra; /* of its name in the store, and of its extra; 0: none yet */
	bool named;
};

/* An inlined call that holds an address. */
struct pdb_site {
	uint32_t inlinee; /* its number in the stream of ids */
	uint32_t id;      /* of its name in the store; 0: none */
	uint32_t file, line;
	bool known; /* the last three are */
};

/* A site at an address. */
struct pdb_hit {
	uint32_t
	    outer; /* index + 1 of the hit of the call that it is inlined into; 0: the procedure itself */
	uint32_t site;
	uint32_t file; /* as in lines; PDB_NO_FILE: the site's */
	int32_t line;  /* after the site's */
	uint32_t depth;
};
#define PDB_NO_FILE UINT32_MAX

struct pdb_row {
	uint32_t line, column, file; /* file: of a checksum in the module's table */
	uint32_t part;               /* number of the part of the module that it is in; 0: none */
	uint32_t offset;             /* in that part */
};

struct pdb_queried {
	uint32_t rva;
	uint32_t proc; /* index + 1 */
	uint32_t hit;  /* index + 1, the innermost */
	struct pdb_row row;
};

/* A stream of types or ids. */
struct pdb_types {
	uint32_t stream, begin, end; /* numbers */
	uint32_t at, to;             /* of the records, in the stream */
	uint32_t index_stream, index_at, n_index;
};

/* RVAs at which an answer may begin or end. */
struct pdb_places {
	uint32_t *all; /* of modules that are done; ascending within each, and each once there */
	size_t n, cap;
	struct sort_item *items; /* of the present one: keys */
	size_t n_items, cap_items;
};

struct pdb_worker {
	const struct pdb_file *pdb;
	const struct pdb_types *types, *ids;
	struct budget budget;
	struct store_writer writer;
	struct dwarf_answers *out; /* for extras; NULL: they are not wanted */
	struct msf_room room, scratch;
	struct map64 files,
	    functions; /* ids of texts, by offset in /names and by number of the function's id */
	struct pdb_exporter {
		uint32_t name;          /* offset in /names */
		uint32_t stream, at, n; /* bytes of its exports; 0: it has none */
	} * exporters;
	size_t n_exporters, cap_exporters;
	struct buf text;
	uint32_t looked;           /* at records and texts, since the mapping was last dropped */
	bool fresh;                /* its time has not begun */
	struct pdb_places *places; /* where answers may change, are wanted; NULL: answers are */
	/* Of the present module: */
	uint32_t module;
	struct pdb_bytes symbols, parts, checksums;
	const char *why; /* what is wrong with it; NULL: nothing */
	bool managed;    /* code of .NET is in it: only what its procedures hold is at an address */
	struct pdb_queried *q;
	size_t n, cap;
	struct pdb_proc *procs;
	size_t n_procs, cap_procs;
	struct pdb_site *sites;
	size_t n_sites, cap_sites;
	struct pdb_hit *hits;
	size_t n_hits, cap_hits;
	struct pdb_inlinee {
		uint32_t id, file, line;
	} * inlinees; /* sorted by id, once they have been asked for */
	size_t n_inlinees, cap_inlinees;
	bool inlinees_read;
};

/* The first address of the module's that is not below rva. */
static inline size_t pdb_first(const struct pdb_worker *w, uint64_t rva)
{
	size_t lo = 0, hi = w->n;

	while (lo < hi) {
		size_t i = lo + (hi - lo) / 2;

		if (w->q[i].rva < rva)
			lo = i + 1;
		else
			hi = i;
	}
	return lo;
}

/* Adds one: RVAs end before UINT32_MAX. */
static inline void pdb_add_place(struct pdb_places *p, uint64_t rva)
{
	VEC_PUSH(p->items, p->n_items, p->cap_items) =
	    (struct sort_item){.key = rva < UINT32_MAX ? rva : UINT32_MAX};
}

/* Adds both ends of a range. */
static inline void pdb_add_places(struct pdb_places *p, uint64_t lo, uint64_t hi)
{
	pdb_add_place(p, lo);
	pdb_add_place(p, hi);
}

/* module.c: fills proc and hit of the module's addresses, and procs, sites and hits. Or adds places. */
void pdb_find_procs(struct pdb_worker *w);

/* lines.c: fills row of the module's addresses, and finds checksums. Or adds places. */
void pdb_find_lines(struct pdb_worker *w);
/* The offset in /names of a file; false: there is no such file. */
bool pdb_file_name(const struct pdb_worker *w, uint32_t file, uint32_t *offset);
/* Where the function of an inlined call is; NULL: the module does not say. */
const struct pdb_inlinee *pdb_inlinee_of(struct pdb_worker *w, uint32_t id);

/* Parts of a module's lines: steps over one. False: there are no more. */
bool pdb_next_part(const struct pdb_bytes *b, uint32_t *at, uint32_t *kind, struct pdb_bytes *part);

/* cross.c: the number of a function's id that another module has; 0: it cannot be found. */
uint32_t pdb_cross_id(struct pdb_worker *w, uint32_t id);
#define PDB_CROSS (UINT32_C(1) << 31) /* an id is such a one */

/* names.c */
/* The text at an offset in /names, in w->scratch or the file; NULL: there is none. */
const char *pdb_text_at(struct pdb_worker *w, uint32_t offset, size_t *n, bool *stays);
void pdb_types_open(struct pdb_types *t, const struct pdb_file *p, uint32_t stream);
/* Ids of texts in the store; 0: there is none. */
uint32_t pdb_proc_name(struct pdb_worker *w, const struct pdb_proc *p);
uint32_t pdb_inlinee_name(struct pdb_worker *w, uint32_t id);
uint32_t pdb_path(struct pdb_worker *w, uint32_t file);

/* answer.c */
struct pdb_task {
	uint32_t module; /* number */
	struct pdb_module m;
	const uint32_t *query; /* n indexes of the job's addresses, ascending */
	size_t n;
	const char *why; /* static text; NULL: nothing is wrong with it */
};
void pdb_answer_task(struct pdb_worker *w, struct pdb_task *t, const uint64_t *addrs, uint64_t base,
		     struct dwarf_answer *to);
/* Adds the places of a module to w->places, in no order; what is wrong with it is said when it is asked. */
void pdb_places_of(struct pdb_worker *w, const struct pdb_module *m);
void pdb_worker_release(struct pdb_worker *w);

/* pdb.c */
/* The contributions in the DBI stream, each of *step bytes, in the room or the file. NULL: there are none, or *why. */
const uint8_t *pdb_contributions(const struct pdb_file *p, struct msf_room *room, uint32_t *size,
				 uint32_t *step, const char **why);
/* The RVAs that one has. False: it has none. */
bool pdb_contribution(const struct pdb_file *p, const uint8_t *c, uint32_t *rva, uint64_t *end);
/* Answers a job. whole: every address that may get another answer with others is DWARF_ASK (lib/dwarf/whole.h). */
void pdb_run_job(struct dwarf_job *job, const struct dwarf_options *options, bool whole);

#endif
