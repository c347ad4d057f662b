/* SPDX-License-Identifier: MIT
 *
 * The tables of a report on spikes: "spikes" (those that are alike), "worst" (one by one) and
 * "owners".
 */
#ifndef TM_REPORT_SPIKES_REPORT_H
#define TM_REPORT_SPIKES_REPORT_H

#include "lib/group/stack_cut.h"
#include "lib/report/spikes/groups.h"
#include "lib/table/document.h"

enum spikes_sort { SPIKES_BY_WORST, SPIKES_BY_COUNT, SPIKES_BY_SUM, SPIKES_BY_P95 };
extern const char *const spikes_sort_words[]; /* "worst", ..., NULL */

enum { SPIKES_LINES = 64, SPIKES_COLUMNS = 20, SPIKES_NOTES = 9 };

struct spikes_owner {
	uint32_t rank; /* the least of its rules' */
	const char *name;
	uint64_t spikes, groups, sum, worst;
	uint32_t worst_group;
	bool measured; /* the time of some of them is known */
};

struct spikes_report {
	const struct spikes *s; /* borrowed, as the next */
	struct spike_groups *g;
	struct arena arena;
	uint32_t *order; /* of groups */
	struct table spikes, worst, owners;
	struct table_column spikes_columns[SPIKES_COLUMNS], worst_columns[SPIKES_COLUMNS],
	    owners_columns[SPIKES_COLUMNS];
	struct table_cell totals[SPIKES_COLUMNS];
	struct spikes_owner *owner_rows;
	size_t n_owners, cap_owners;
	const char *notes[SPIKES_NOTES];
	size_t n_notes;
	struct buf text, chain;
	struct stack_cut cut;
	const char *lines[SPIKES_LINES];
	char more[64];
};

/* n: rows of "spikes"; 0: all. Sorts the worst of g. */
struct spikes_report *spikes_report_new(const struct spikes *s, struct spike_groups *g,
					enum spikes_sort sort, uint64_t n);
void spikes_report_free(struct spikes_report *r);
void spikes_report_add(const struct spikes_report *r, struct table_document *d);

#endif
