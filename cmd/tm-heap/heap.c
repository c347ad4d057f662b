/* SPDX-License-Identifier: MIT */
#include "cmd/tm-heap/heap.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/report/heap/with.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CLI_HEAP_PARTS = 3, VIEWS_MAX = 3 };

struct cli_heap_reading {
	struct cli_loop loop;
	struct filters *filters;
	struct owners *owners;
	struct heap_set set;
	unsigned min_share;
	struct heap_part parts[CLI_HEAP_PARTS];
	size_t n_parts;
};

static void cli_heap_captured(void *arg, struct trace *t)
{
	struct cli_heap *c = arg;
	struct cli_heap_reading *r = c->reading;

	uint64_t allocations = t->events[EV_ALLOC] + t->events[EV_PROFILE];

	if (allocations && t->events[EV_OBJECT])
		cli_note(r->loop.file,
			 "allocations in the input, which tm-top ranks by site: %" PRIu64,
			 allocations);
	cli_notes(r->loop.file, t, 0, NOTE_GUESS);
}

static void add_filter(struct cli_heap *c, enum filter_kind kind, const char *option,
		       const struct opt_list *from)
{
	unsigned flags = (c->literal ? MATCH_LITERAL : 0) | (c->caseless ? MATCH_CASELESS : 0);
	struct err e = ERR_INIT;

	for (size_t i = 0; i < from->n; i++)
		if (filters_add(c->reading->filters, kind, option, from->items[i], flags, &e))
			cli_usage("%s: '%s': %s", option, from->items[i], e.msg);
}

void cli_heap_check(struct cli_heap *c)
{
	struct cli_heap_reading *r = mem_zalloc(sizeof *r);
	struct err e = ERR_INIT;

	c->reading = r;
	r->filters = filters_new();
	add_filter(c, FILTER_TYPE, "--type", &c->types);
	add_filter(c, FILTER_FILE, "--site", &c->sites);
	add_filter(c, FILTER_MODULE, "--root", &c->roots);
	add_filter(c, FILTER_OWNER, "--owner", &c->owner_patterns);
	if (c->owner_files.n)
		r->owners = owners_new();
	for (size_t i = 0; i < c->owner_files.n; i++)
		if (owners_add_file(r->owners, c->owner_files.items[i], &e))
			cli_bad_rules(c->owner_files.items[i], "--owners", &e);
	if ((c->owner_patterns.n || c->by == HEAP_BY_OWNER) && !r->owners)
		cli_usage("--by owner needs --owners FILE");
	if ((c->who != NULL) + c->dominators + c->duplicates + c->destroyed + c->has_set > 1)
		cli_usage(
		    "give only one of --who, --dominators, --duplicates, --destroyed and --set");
	if (c->min_percent && !c->dominators)
		cli_usage("--min needs --dominators");
	if (c->dominators && c->sort == HEAP_SORT_SIZE)
		cli_usage("--dominators ranks by retained or count: no --sort size");
	r->min_share = cli_parse_percent("--min", c->min_percent, 50);
	if (c->has_set && c->has_snapshot)
		cli_usage("--set cannot be combined with --snapshot");
	if (c->has_snapshot && !c->snapshot)
		cli_usage("--snapshot: the first is 1");
}

/* --who: an id in hex or decimal, or a type's expression. */
static void cli_heap_choose_who(struct cli_heap *c)
{
	struct cli_heap_reading *r = c->reading;
	struct heap_part *p = &r->parts[0];
	struct filters *f = filters_new();
	struct err e = ERR_INIT;
	unsigned flags = (c->literal ? MATCH_LITERAL : 0) | (c->caseless ? MATCH_CASELESS : 0);
	uint64_t id;
	uint32_t found = 0;

	if (num_auto(c->who, strlen(c->who), &id))
		found = heap_find(p->h, id);
	if (found) {
		heap_only_object(p, found);
	} else {
		if (filters_add(f, FILTER_TYPE, "--who", c->who, flags, &e))
			cli_usage("--who: '%s': %s", c->who, e.msg);
		heap_filter(p, &r->set, f, NULL);
	}
	filters_free(f);
}

/* Which snapshots the report is about, and which of their objects. */
static bool cli_heap_choose(struct cli_heap *c)
{
	struct cli_heap_reading *r = c->reading;
	size_t need = c->has_set ? heap_op_needs((enum heap_op)c->op) : 1, first;
	struct heap_set *s = &r->set;

	if (!s->n) {
		if (r->loop.read)
			cli_error(r->loop.read == 1 ? r->loop.file : NULL,
				  "no snapshot in the input: it has no objects");
		cli_status(r->loop.read ? EXIT_USAGE : EXIT_INPUT);
		return false;
	}
	if (c->has_snapshot && c->snapshot > s->n)
		cli_usage("--snapshot: the input has %zu", s->n);
	if (c->has_set && s->n != need)
		cli_usage("--set %s needs %zu snapshots, the input has %zu", heap_op_words[c->op],
			  need, s->n);
	if (!c->has_set && !c->has_snapshot && s->n == 2 && !c->who && !c->dominators &&
	    !c->duplicates && !c->destroyed)
		need = 2;
	else if (!c->has_set && !c->has_snapshot && s->n > 1)
		cli_note(NULL, "shown: the last of %zu snapshots (--snapshot N shows another)",
			 s->n);
	first = c->has_snapshot ? (size_t)c->snapshot - 1 : s->n - need;
	for (; r->n_parts < need; r->n_parts++) {
		const struct heap *h = &s->heaps[first + r->n_parts];

		heap_part_init(&r->parts[r->n_parts], s, h, h->n_references > 0);
		heap_paths_forget(&r->parts[r->n_parts].paths, !c->has_set,
				  c->by != HEAP_BY_ROOT && !c->roots.n);
		heap_filter(&r->parts[r->n_parts], s, r->filters, r->owners);
	}
	for (size_t k = 0; c->has_set && c->same == HEAP_SAME_ADDRESS && k < r->n_parts; k++)
		if (!r->parts[k].h->has_addresses) {
			cli_error(NULL, "%s: its objects have no addresses: --same path",
				  r->parts[k].h->label);
			cli_status(EXIT_INPUT);
			return false;
		}
	if (c->has_set)
		heap_sets(r->parts, (enum heap_op)c->op, (enum heap_same)c->same);
	if (c->destroyed)
		heap_only_destroyed(&r->parts[0]);
	if (c->who)
		cli_heap_choose_who(c);
	return true;
}

/* Of sets only the parts that have something of the result. */
static const struct heap_part *shown(const struct cli_heap *c, size_t *n)
{
	const struct cli_heap_reading *r = c->reading;

	*n = r->n_parts;
	if (!c->has_set || c->op == HEAP_OR || c->op == HEAP_XOR)
		return r->parts;
	*n = 1;
	return &r->parts[r->n_parts - 1];
}

static void cli_heap_print(struct cli_heap *c)
{
	struct cli_heap_reading *r = c->reading;
	struct table_document d = {.program = "tm-heap"};
	struct heap_view *views[VIEWS_MAX] = {0};
	struct heap_view_options o = {
	    (enum heap_key)c->by, (enum heap_sort)c->sort, c->n, r->owners, NULL, r->min_share};
	size_t n, k = 0;
	const struct heap_part *parts = shown(c, &n);
	char what[512];

	snprintf(what, sizeof what, "%.200s%.200s", c->has_set ? heap_op_words[c->op] : "",
		 c->has_set     ? ""
		 : c->who       ? c->who
		 : c->destroyed ? "destroyed"
				: parts[0].h->label);
	o.what = what;
	if (c->dominators) {
		views[k++] = heap_view_dominators(&r->set, parts, &o);
	} else if (c->duplicates) {
		views[k++] = heap_view_same(&r->set, parts, &o);
	} else if (!c->has_set && n == 2) {
		views[k++] = heap_view_compare(&r->set, parts, &o);
	} else {
		views[k++] = c->who ? heap_view_referrers(&r->set, parts, &o)
				    : heap_view_groups(&r->set, parts, n, &o);
		o.n = c->objects;
		if (c->who || c->destroyed || (c->has_set && n == 1))
			views[k++] = heap_view_paths(&r->set, parts, &o, c->paths);
		if (!c->destroyed)
			views[k++] = heap_view_objects(&r->set, parts, n, &o);
	}
	for (int i = 0; i < c->n_operands; i++)
		document_input(&d, c->operands[i], NULL);
	for (size_t i = 0; i < k; i++)
		document_table(&d, heap_view_table(views[i]));
	cli_report_print(&c->report, &d);
	document_release(&d);
	for (size_t i = 0; i < k; i++)
		heap_view_free(views[i]);
}

/* Captures of the snapshots' processes. */
static void cli_heap_with(struct cli_heap *c)
{
	struct cli_heap_reading *r = c->reading;
	struct cli_loop loop = {.import = &c->import.options, .symbols = &c->symbols};
	struct heap_with with;

	heap_with_init(&with, &r->set);
	loop.sink = &with.sink;
	for (size_t i = 0; i < c->with.n; i++)
		cli_inputs(&loop, 1, (char *[]){(char *)(uintptr_t)c->with.items[i]});
	if (loop.read && !with.joined && r->set.n_builds)
		cli_note(NULL, "--with: no capture was running when a snapshot was made");
	if (with.undated)
		cli_note(NULL, "--with: a capture without a date is taken as it is at its end");
	if (with.pools)
		cli_note(NULL, "--with: several pools of C# objects: it is not known which of them "
			       "a userdata's number is of");
	heap_with_release(&with);
	heap_set_finish(&r->set);
}

void cli_heap_run(struct cli_heap *c)
{
	struct cli_heap_reading *r = c->reading;

	heap_set_init(&r->set);
	r->set.captured = cli_heap_captured;
	r->set.arg = c;
	r->set.file = &r->loop.file;
	r->set.keep = c->with.n > 0;
	r->loop.import = &c->import.options;
	r->loop.symbols = &c->symbols;
	r->loop.sink = &r->set.sink;
	cli_inputs(&r->loop, c->n_operands, c->operands);
	cli_heap_with(c);
	cli_progress_working("finding who holds what");
	if (cli_heap_choose(c))
		cli_heap_print(c);
	for (size_t i = 0; i < r->n_parts; i++)
		heap_part_release(&r->parts[i]);
	heap_set_release(&r->set);
	filters_free(r->filters);
	owners_free(r->owners);
	free(r);
	c->reading = NULL;
	opt_list_release(&c->with);
	opt_list_release(&c->types);
	opt_list_release(&c->sites);
	opt_list_release(&c->roots);
	opt_list_release(&c->owner_patterns);
	opt_list_release(&c->owner_files);
}
