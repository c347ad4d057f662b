/* SPDX-License-Identifier: MIT
 *
 * The two passes over a `.loli` file. Records come before the stacks that they name, so the first pass indexes
 * everything else, and the second one pushes the records, then the frees. What is kept: a slot per stack id (the
 * format has one per record in the worst case), the distinct stacks, the distinct locations with the names that
 * the producer knew.
 */
#ifndef TM_FORMATS_LOLI_FILE_H
#define TM_FORMATS_LOLI_FILE_H

#include "formats/loli/loli.h"

struct loli_frame { /* a distinct location, before it is one of the trace */
	uint64_t addr;
	uint32_t library, name;
};

struct loli_node { /* a distinct stack, likewise */
	uint32_t parent, frame;
};

struct loli_record {
	struct loli_key stack;
	uint64_t addr;
	uint32_t seq, size, library; /* library: as in the table of libraries; 0 in version 105 */
	int32_t ms;
	bool has_stack;
};

enum { LOLI_CHART_GAPS = 1024, LOLI_CHART_SERIES = 64 };

/* The memory chart, of which only what says the unit of its times is kept. */
struct loli_chart {
	uint32_t series;
	double last;                  /* the largest time */
	double gaps[LOLI_CHART_GAPS]; /* between times of the first series */
	size_t n_gaps;
	uint64_t points, refused, unnamed;
};

struct loli_file {
	struct loli l;
	struct cursor *c;
	int version;
	bool texts;             /* version 105: addresses and libraries are strings */
	struct buf text, other; /* scratch */
	/* libraries by name; 0 is the unknown one, addresses in which are the process's */
	struct intern names;
	struct map64 ids;      /* id in the file -> id in names, or LOLI_UNKNOWN */
	struct map64 *library; /* by id in names: address -> frame */
	size_t n_library, cap_library;
	struct loli_frame *frames;
	size_t n_frames, cap_frames;
	struct loli_node *nodes;
	size_t n_nodes, cap_nodes;
	struct map64 node_index;
	struct map64 uuids; /* stack id -> node, or NODE_EMPTY */
	uint32_t *stacks;   /* node -> stack of the trace, once they are there */
	/* sample of the frees, to see whether they free any record */
	struct map64 freed;
	uint64_t n_frees, n_sampled;
	bool frees_a_record;
	struct loli_diff diff;
	struct loli_chart chart;
	struct smaps smaps; /* of the map's sections */
	int32_t last_ms;    /* of the records */
	uint64_t shots, duplicate_stacks, unnamed_ids, bad_ranges, trailing;
	uint64_t lost_stacks; /* records whose stack is not in the file */
	struct loli_map_section {
		uint32_t name, n;
		struct map_range *ranges; /* owned */
	} * map;
	size_t n_map, cap_map;
};

enum { LOLI_UNKNOWN = UINT32_MAX, LOLI_NODE_EMPTY = UINT32_MAX, LOLI_FREES_SAMPLE = 1 << 20 };

/* The first pass. */
enum status loli_file_index(struct loli_file *f, struct err *e);
void loli_file_stacks(struct loli_file *f);
void loli_file_symbols(struct loli_file *f);
void loli_chart_index(struct loli_file *f);

/* The second one: each reads a section, or passes over it. */
enum status loli_file_head(struct loli_file *f, struct err *e); /* magic and version */
enum status loli_chart_push(struct loli_file *f, struct err *e);
void loli_chart_notes(const struct loli_file *f);
void loli_file_libraries(struct loli_file *f, bool keep);
/* key: its stack's key is wanted, too. */
bool loli_file_record(struct loli_file *f, struct loli_record *r, bool key);
void loli_file_skip_stacks(struct loli_file *f);
void loli_file_skip_symbols(struct loli_file *f);
/* One entry of the table of frees. */
bool loli_file_free(struct loli_file *f, uint64_t *addr, uint32_t *seq);

/* A count of things; 0 and failure when it is negative. */
uint32_t loli_file_count(struct loli_file *f);
uint32_t loli_file_u32(struct loli_file *f);
/* In version 105 "0x" and hexadecimal digits. */
uint64_t loli_file_address(struct loli_file *f);
uint64_t loli_file_address_text(struct loli_file *f);
/* Id in names of an id in the file, 0: unknown. */
uint32_t loli_file_library(struct loli_file *f, uint32_t id);
/* The same of the name in f->text. */
uint32_t loli_file_library_named(struct loli_file *f);

#endif
