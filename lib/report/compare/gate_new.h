/* SPDX-License-Identifier: MIT
 *
 * The decision whether an entity is new or only seems so, for rules on new entities: by the runs that have it, and
 * by how likely chance gives it to the new runs alone (tracemill-gate(7), "What is new").
 */
#ifndef TM_REPORT_COMPARE_GATE_NEW_H
#define TM_REPORT_COMPARE_GATE_NEW_H

#include "lib/report/compare/gate_rule.h"

struct gate_entity {             /* of all runs, those of the base first */
	const unsigned char *in; /* by run: 1 if it has it */
	size_t all, n;           /* runs, and those that do */
	double points;           /* of the run that has most; INFINITY: it is exact */
};

struct gate_newness {
	size_t n_base, n_new;
	bool in_order; /* base runs are of builds one behind the other */
	double alpha;
	struct arena *arena;

	struct gate_entity *entities; /* with values as large as their rule asks */
	size_t n, cap;

	/* what came out */
	size_t orders; /* 0: nothing was exchanged, no entity is in new runs alone */
	bool sampled;
	bool same; /* all base runs have the same entities */
	size_t *
	    most; /* by order: the largest number of runs that have an entity, and all are new ones */
};

/* An entity of a rule with its values in s. points: of each run, how many times its bytes are those from sample to sample;
 * NULL: it is exact. */
void gate_new_add(struct gate_newness *c, const struct gate_rule *r, const struct gate_subject *s,
		  const double *points);
/* After the last one. */
void gate_new_find(struct gate_newness *c);
void gate_new_release(struct gate_newness *c);
/* Fills p, exact and certain of an entity that no base run has. */
void gate_new_judge(const struct gate_newness *c, const struct gate_rule *r,
		    struct gate_subject *s);
/* So many runs a side tell an entity that as large a share of them has; 0: more than are worth a try. */
size_t gate_new_runs(const struct gate_newness *c, size_t runs);
/* Points of an entity, in all new runs together, that the base cannot have missed. */
double gate_new_points(const struct gate_newness *c);

#endif
