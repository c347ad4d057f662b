/* SPDX-License-Identifier: MIT
 *
 * V8's profiles, in files of their own (cpuprofile.c) and in trace events (chrome.c). A profile is a tree of
 * nodes, each a stack, and samples that refer to nodes. Facts: the protocol of Chrome's developer tools, domains
 * Profiler and HeapProfiler, and files of Chrome 65 to 141 and node 10.
 */
#ifndef TM_FORMATS_CHROME_V8_H
#define TM_FORMATS_CHROME_V8_H

#include "formats/reader.h"

#include "lib/input/json_path.h"

struct v8_node {
	uint64_t id, parent_id; /* 0: none */
	uint32_t parent;        /* index + 1, where nodes are nested; 0: none, or not known yet */
	uint32_t name, file, line;
	uint32_t stack; /* of the trace, + 1; 0: not made yet */
	int64_t size;   /* bytes of it alone */
	bool open;      /* its stack is being made */
};

struct v8_child { /* the node of this id is a child of that one */
	uint64_t id;
	uint32_t parent; /* index */
};

struct v8_profile {
	struct v8_node *nodes;
	size_t n_nodes, cap_nodes;
	struct v8_child *children;
	size_t n_children, cap_children;
	uint64_t *samples; /* ids of nodes */
	size_t n_samples, cap_samples;
	int64_t *times; /* us: since the sample before, or as they are */
	size_t n_times, cap_times;
	bool absolute;      /* times are */
	bool sized;         /* nodes have sizes */
	int64_t start, end; /* us; 0: not known */
	struct map64 by_id; /* -> index + 1 */
	uint64_t odd, missing, loops, backwards;
};

enum { V8_DEPTH = 4096 };

/* Places of a profile in JSON, and their rows; what has a profile has a row that leads to V8_DATA. */
enum v8_place {
	V8_DATA = JSON_PLACES,
	V8_NODES,
	V8_NODE,
	V8_CALL_FRAME,
	V8_CHILDREN,
	V8_SAMPLES,
	V8_DELTAS,
	V8_TIMES,
	V8_START,
	V8_END,
	V8_SAMPLE,
	V8_TIME,
	V8_CHILD,
	V8_ID,
	V8_PARENT,
	V8_LINE,
	V8_SIZE,
	V8_NAME,
	V8_URL,
	V8_PLACES
};

extern const struct json_row v8_rows[];

/* What is read of a profile in JSON. */
struct v8_json {
	struct import *im;
	struct v8_profile *to;
	uint32_t *open; /* nodes, the innermost is the last: index + 1 */
	size_t n_open, cap_open;
};

/* Of a struct json_walker, whose argument is a struct v8_json, for the places above. */
enum status v8_begin(void *json, unsigned place, struct err *e);
enum status v8_end(void *json, unsigned place, struct err *e);
enum status v8_value(void *json, unsigned place, struct json_value v, struct err *e);

/* What from has goes to p. */
void v8_append(struct v8_profile *p, struct v8_profile *from);
/* All of it has been read: nodes find their parents, and times become those of the clock. */
void v8_join(struct v8_profile *p);
/* Samples with their times, counted from zero (us) on; bytes of nodes as allocations. Adds
 * notes. */
enum status v8_push(struct v8_profile *p, struct import *im, uint32_t thread, int64_t zero,
		    struct err *e);
void v8_clear(struct v8_profile *p);
void v8_release(struct v8_profile *p);

#endif
