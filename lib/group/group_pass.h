/* SPDX-License-Identifier: MIT
 *
 * Internal to grouped_profile.h: the state while one capture is added to the groups, and what is kept for the
 * next one. Everything about a stack is found when it is first asked for, together with its callers where they
 * count, so a pass can go on while the capture grows.
 */
#ifndef TM_GROUP_GROUP_PASS_H
#define TM_GROUP_GROUP_PASS_H

#include "lib/base/mem.h"
#include "lib/group/grouped_profile.h"

/* What rules and filters say of a name; 0 if none. */
struct pass_named {
	uint32_t matched; /* bits of filters */
	uint32_t owner;   /* the first rule */
	uint8_t takes;    /* enum take */
	bool asked;
};

enum take {
	TAKE_HIDE = 1 << 0,
	TAKE_SHOW = 1 << 1,
	TAKE_PRUNE = 1 << 2,
	TAKE_RECURSION = 1 << 3, /* of functions, as those above */
	TAKE_INSIDE = 1 << 4     /* of modules */
};

struct location_info { /* a location, over its calls */
	uint32_t matched, owner;
	uint32_t shown;  /* the location without what is hidden; 0: nothing is left of it */
	uint32_t pruned; /* of shown, from its innermost match on; 0: no match */
	bool asked;
};

/* A location without what FILTER_RECURSION and FILTER_INSIDE take out: [1] where its outermost call is taken out, too. */
struct location_collapsed {
	uint32_t left[2];  /* 0: nothing */
	bool innermost[2]; /* the innermost call is taken out */
	bool asked;
};

struct grouped_profile_owner {
	uint32_t text; /* in grouped_profile.texts */
	bool asked, kept;
};

struct pass_type { /* by type id of the capture */
	uint32_t matched, owner, text;
	bool asked, kept;
};

struct pass_stack {     /* by stack id of the capture; of those that are known */
	uint32_t whole; /* with a filter that prunes: as the stacks have it that it calls */
	uint32_t matched, owner;
	bool pruned;    /* it or a caller has a match */
	bool collapsed; /* its innermost call is taken out, since its caller is the same */
};

/* What was found for one capture and holds for the next: grouped_profile.memo, from grouped_profile_init to
 * grouped_profile_release. grouped_profile_close empties all but owners. */
struct pass_memo {
	struct tally_listener listener;
	struct id_set site_set; /* of project.sites */
	/* By function and string of names.h: what the rules say of them (enum site_verdict, and a
	 * bit when they were applied); what filters and owners say, where there are some. */
	uint8_t *function_sites, *module_sites, *file_sites;
	size_t cap_function_sites, cap_module_sites, cap_file_sites;
	struct pass_named *named_functions, *named_modules, *named_files;
	size_t cap_named_functions, cap_named_modules, cap_named_files;
	struct location_info *location_info; /* by names.h location */
	size_t cap_location_info;
	struct location_collapsed *collapsed; /* by names.h location */
	size_t cap_collapsed;
	uint32_t *location_sites; /* by names.h location: pass_site + 2; 0: not asked yet */
	size_t cap_location_sites;
	uint32_t *site_ids; /* by call: its id in sites, when not inside; 0: not asked yet */
	size_t cap_site_ids;
	struct grouped_profile_owner *owners; /* by rule + 1 */
	size_t cap_owners;
};

#define PASS_UNKNOWN UINT32_MAX /* a node that was not asked for yet */

/* A capture while it is added to the groups. A node is a stack as the filters leave it: a row of p->stacks
 * where stacks are merged, else a stack id of the capture. */
struct group_pass {
	struct grouped_profile *p;
	const struct trace *t;
	const struct tally *a;
	int domain;
	bool is_early;       /* for a slice, before all was read */
	unsigned at_cells;   /* SUM_BITs that are known of cells */
	unsigned has;        /* SUM_BITs of the cells that count */
	bool own_times;      /* some cell has a pass_own_time */
	bool uncounted;      /* and does not know how many calls it is of */
	uint32_t periods[2]; /* as run.period; strings of t */
	uint32_t *nodes; /* p->merges: by stack id of the capture, as the stack's cells have it */
	uint32_t *sites; /* else: as grouped_profile.stack_sites; 0: not asked for yet */
	struct pass_stack *stacks; /* where nodes alone do not decide: filters, owners */
	size_t n_stacks, cap_nodes, cap_sites, cap_stacks, cap_cells;
	struct pass_type *types, *markers;
	size_t cap_types, cap_markers;
	uint32_t *path; /* callees before callers, while a stack is looked at */
	size_t cap_path;
	uint32_t *cells; /* key_has_total: by node, the first cell + 1 */
	uint32_t *cell_next;
	struct pass_calls *calls; /* of CELL_CALLED; NULL: none yet */
};

/* The pass of the present capture, begun if there is none yet. */
struct group_pass *pass_begin(struct grouped_profile *p, const struct trace *t);
void pass_end(struct grouped_profile *p);

static inline bool pass_in_domain(const struct group_pass *f, unsigned domain)
{
	return f->domain == DOMAIN_ALL || f->domain == (int)domain || domain >= CELL_TIMED;
}
/* Of a node that was looked at: its callers' node, its location (names.h), its site. */
static inline uint32_t pass_parent(const struct group_pass *f, uint32_t node)
{
	return f->p->merges ? f->p->stacks.rows[node].parent : f->t->stacks[node].parent;
}
static inline uint32_t pass_location(const struct group_pass *f, uint32_t node)
{
	if (f->p->merges || !node)
		return f->p->stacks.rows[node].location;
	return names_location(&f->p->names, f->t, f->t->stacks[node].location);
}
static inline __attribute__((always_inline)) void pass_prefetch_location(const struct group_pass *f,
									 uint32_t node)
{
	if (f->p->merges)
		__builtin_prefetch(&f->p->stacks.rows[node]);
	else
		__builtin_prefetch(&f->t->stacks[node]);
}
static inline void grouped_profile_set_site(struct grouped_profile *p, uint32_t stack,
					    uint32_t site)
{
	p->stack_sites = mem_grow(p->stack_sites, &p->cap_stack_sites, (size_t)stack + 1,
				  sizeof *p->stack_sites);
	p->stack_sites[stack] = site;
}
static inline uint32_t pass_node_site(const struct group_pass *f, uint32_t node)
{
	return f->p->merges ? f->p->stack_sites[node] : f->sites[node];
}
static inline size_t pass_nodes(const struct group_pass *f)
{
	return f->p->merges ? f->p->stacks.n : f->n_stacks;
}
/* The node of a stack of the capture, as filters leave it; 0: nothing of it. */
uint32_t pass_stack(struct group_pass *f, uint32_t stack);
/* Looks at every stack of the capture: faster than one by one for each cell, where most are
 * needed. */
void pass_all_stacks(struct group_pass *f);
/* Its site, asked for if need be. */
uint32_t pass_ask_site(struct group_pass *f, uint32_t node);
/* The node of a cell; false: a filter drops it. */
bool pass_place(struct group_pass *f, const struct tally_cell *c, uint32_t *node);
/* Asks the memory for what pass_place of this cell will read. GCC takes calls of a function that
 * only prefetches for calls without effect, unless they are inlined first. */
static inline __attribute__((always_inline)) void pass_prefetch(const struct group_pass *f,
								const struct tally_cell *c)
{
	if (c->stack >= f->n_stacks)
		return;
	__builtin_prefetch(&f->t->stacks[c->stack]);
	if (f->stacks)
		__builtin_prefetch(&f->stacks[c->stack]);
	if (f->nodes)
		__builtin_prefetch(&f->nodes[c->stack]);
	else
		__builtin_prefetch(&f->sites[c->stack], 1);
}
/* The same of what is found there: a few cells later. */
static inline __attribute__((always_inline)) void pass_prefetch_node(const struct group_pass *f,
								     const struct tally_cell *c)
{
	if (c->stack >= f->n_stacks || !f->nodes || f->nodes[c->stack] == PASS_UNKNOWN)
		return;
	__builtin_prefetch(&f->p->stacks.rows[f->nodes[c->stack]]);
	__builtin_prefetch(&f->p->stack_sites[f->nodes[c->stack]]);
}
uint32_t pass_group(struct group_pass *f, const struct tally_cell *c, uint32_t node,
		    size_t grouping);
uint32_t pass_type_group(struct group_pass *f, uint32_t type, size_t grouping);
const struct pass_type *pass_type(struct group_pass *f, uint32_t type);
/* The id of a call as a site, perhaps with SITE_INSIDE. */
uint32_t pass_site_id(struct grouped_profile *p, uint32_t site);
/* The id of a frame: its number and name; before: the events before the first. */
uint32_t pass_frame_id(struct grouped_profile *p, int64_t number, const char *name, size_t n,
		       bool before);
/* What a call is to a key: FUNCTION, LOCATION, FILE or MODULE. */
uint32_t pass_call_id(const struct grouped_profile *p, enum key by, const struct names_call *c);

/* Rules and filters, of a location (names.h). */
const struct location_info *pass_location_info(struct grouped_profile *p, uint32_t location);
/* What is left of a location below a caller (a location; 0: none) without the calls that FILTER_RECURSION and
 * FILTER_INSIDE take out; 0: nothing. *innermost: the innermost call is taken out. */
uint32_t pass_collapsed(struct grouped_profile *p, uint32_t caller, uint32_t location,
			bool *innermost);
/* The first call of it that is no allocator or runtime code; UINT32_MAX: none. */
uint32_t pass_site(struct grouped_profile *p, uint32_t location);
/* As grouped_profile.stack_sites: of a stack whose innermost location is this and whose callers have the site above;
 * 0: it has no callers. */
uint32_t pass_site_of(struct grouped_profile *p, uint32_t location, uint32_t above);
/* What rules say of a call, and functions that are passed over without one: SITE_ bits. */
unsigned pass_verdict(struct grouped_profile *p, const struct names_call *c);
const struct grouped_profile_owner *pass_owner(struct grouped_profile *p, uint32_t rule);

/* DOMAIN_DEFAULT becomes the domain that has most by now of what the filters keep, if any has. */
void pass_settle_domain(struct group_pass *f);
/* Which one that is; DOMAIN_DEFAULT: none. */
int pass_domain_of_most(struct group_pass *f);
/* Frames, and the profile's own user of slices. */
enum status pass_slice(void *arg, struct trace *t, struct tally *a, const struct tally_slice *s,
		       struct err *e);
/* At the capture's end, where cells are by thread. */
void pass_count_threads(struct group_pass *f);
/* Filters leave out the stack's innermost call: its time is its caller's, but it is no call of that. */
bool pass_call_taken_out(struct group_pass *f, uint32_t stack);
/* The call of a node is of allocator or runtime code, and another function is its site: its time is that
 * one's, but it is no call of that. */
bool pass_call_handed_on(struct group_pass *f, uint32_t node);
/* The same of a stack of this location and site. */
bool pass_handed_on(const struct grouped_profile *p, uint32_t location, uint32_t site);
/* What a cell adds, as far as it is known. */
struct tally_sums pass_cell(struct group_pass *f, size_t index);
/* Of a cell with s, of samples that have a time of their own and no total: what they add to the total of it and of
 * its callers. */
struct tally_sums pass_own_time(const struct group_pass *f, size_t index,
				const struct tally_sums *s);
/* Learns which sums the capture has, once its cells are added; counts frames. */
void pass_learn(struct group_pass *f);
/* Adds notes to t, and counts all of them; when all names have been looked at. */
void pass_notes(struct group_pass *f, struct trace *t);
/* Whether pass_totals is asked for: where a key has a total, or by site own times. */
static inline bool pass_has_totals(const struct group_pass *f, const struct grouping_key *k)
{
	return grouping_has_total(k) ||
	       (f->own_times && k->by == KEY_SITE && !k->within && !k->by_script);
}
/* Totals of functions or locations: what lies in or below them, recursion counted once. Of sites their
 * SUM_TIME_TOTAL by pass_own_time. */
void pass_totals(struct group_pass *f, size_t grouping);
/* SUM_TIME_TOTAL of all groups and of everything: outermost calls only. */
void pass_times(struct group_pass *f);

/* pass_calls.c: whether no path of a call is wanted, and what listens to calls then (arg: the
 * project); what was heard goes to where pass_times and pass_totals put theirs. */
bool pass_calls_suffice(const struct grouped_profile *p);
bool pass_calls_need_caller(void *arg, const struct trace *t, uint32_t location);
void pass_calls_entered(void *arg, const struct trace *t, uint32_t thread, uint32_t cell);
void pass_calls_ended(void *arg, uint32_t thread, uint32_t cell, const struct open_call *call,
		      bool outermost);
void pass_calls_times(struct group_pass *f);
void pass_calls_totals(struct group_pass *f, size_t grouping);
void pass_calls_free(struct pass_calls *c); /* accepts NULL */

#endif
