/* SPDX-License-Identifier: MIT
 *
 * Groups of like spikes, the worst of all spikes, and the sums of each function. Alike are spikes
 * of the same calls (by name, across captures) on threads of the same name.
 *
 * Memory does not grow with the number of spikes: at most SPIKE_GROUPS_MAX groups, paths of
 * SPIKE_NODES_MAX calls together, and the worst that were asked for. What does not fit is one
 * group, [others], whose path is not known. Percentiles: quantiles.h, with its error.
 */
#ifndef TM_REPORT_SPIKES_GROUPS_H
#define TM_REPORT_SPIKES_GROUPS_H

#include "lib/report/spikes/spikes.h"
#include "lib/stats/quantiles.h"

enum { SPIKE_GROUPS_MAX = 1 << 16, SPIKE_NODES_MAX = 1 << 20, SPIKES_WORST_MAX = 100000 };

struct spike_one { /* a spike that is kept */
	uint32_t group, capture;
	uint64_t order; /* which spike of all it is, from 0 */
	uint64_t total, self, limit, calls, waited;
	int64_t time, frame;
	bool has_self, has_time, has_frame, peak;
	bool unmeasured; /* total and limit are not known */
	char *text;      /* messages and descriptions, a line each; NULL: none; owned */
};

struct spike_group {
	uint32_t node;   /* 0: [others] */
	uint32_t thread; /* string id of functions.names.strings */
	uint32_t owner;  /* rank */
	bool cut;        /* outer calls are not in the path */
	uint64_t sum;
	uint64_t n;              /* spikes */
	struct quantiles totals; /* of those whose time is known */
	struct spike_one worst;  /* the first of the longest; its text too */
};

struct spike_node {
	uint32_t parent, function;
	uint32_t depth; /* its callers' and itself */
};

struct spike_stat { /* of the function with the same id */
	struct quantiles totals;
	uint64_t sum, self, with_self; /* self: of with_self spikes, which took sum_self */
	uint64_t sum_self, frames;     /* frames: different ones, as they came */
	int64_t last_frame;
	uint32_t owner;
	bool has_frame;
};

struct spike_groups {
	struct spike_functions *functions; /* borrowed */
	struct spike_group *items;         /* [0] is [others] */
	size_t n, cap;
	struct spike_node *nodes; /* [0] is not used */
	size_t n_nodes, cap_nodes;
	struct spike_stat *stats; /* by function */
	size_t n_stats;
	struct spike_one *worst; /* sorted by spike_groups_sort; a heap before */
	size_t n_worst, keep;
	uint64_t spikes;

	struct spike_groups_index *index; /* groups.c */
};

void spike_groups_init(struct spike_groups *g, struct spike_functions *f, size_t worst);
void spike_groups_release(struct spike_groups *g);
/* True when it is longer than all before it that are alike (PEAK). */
bool spike_groups_add(struct spike_groups *g, const struct spike_seen *s, uint64_t capture);
/* The worst first; of equal ones the first. */
void spike_groups_sort(struct spike_groups *g);
/* The function itself, 0 for [others]. */
uint32_t spike_group_function(const struct spike_groups *g, const struct spike_group *group);

#endif
