/* SPDX-License-Identifier: MIT */
#include "cmd/tm-heap/heap.h"

#include "lib/base/num.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWS_MAX = 3 };

static void cli_heap_captured(void *arg, struct trace *t)
{
	struct cli_heap *c = arg;

	if (t->events[EV_ALLOC] && t->events[EV_OBJECT])
		cli_note(c->loop.file,
			 "allocations beside the objects, which tm-top ranks by site: %" PRIu64,
			 t->events[EV_ALLOC]);
	cli_notes(c->loop.file, t, 0, NOTE_GUESS);
}

static void add_filter(struct cli_heap *c, enum filter_kind kind, const char *option,
		       const struct opt_list *from)
{
	unsigned flags = (c->literal ? MATCH_LITERAL : 0) | (c->caseless ? MATCH_CASELESS : 0);
	struct err e = ERR_INIT;

	for (size_t i = 0; i < from->n; i++)
		if (filters_add(c->filters, kind, option, from->items[i], flags, &e))
			cli_usage("%s: '%s': %s", option, from->items[i], e.msg);
}

void cli_heap_check(struct cli_heap *c)
{
	struct err e = ERR_INIT;

	c->filters = filters_new();
	add_filter(c, FILTER_TYPE, "--type", &c->types);
	add_filter(c, FILTER_FILE, "--site", &c->sites);
	add_filter(c, FILTER_MODULE, "--root", &c->roots);
	add_filter(c, FILTER_OWNER, "--owner", &c->owner_patterns);
	if (c->owner_files.n)
		c->owners = owners_new();
	for (size_t i = 0; i < c->owner_files.n; i++)
		if (owners_add_file(c->owners, c->owner_files.items[i], &e)) {
			cli_error(c->owner_files.items[i], "--owners: %s", e.msg);
			cli_status(EXIT_INPUT);
			exit(cli_exit());
		}
	if ((c->owner_patterns.n || c->by == HEAP_BY_OWNER) && !c->owners)
		cli_usage("owners are in a file: --owners FILE");
	if ((c->who != NULL) + c->duplicates + c->destroyed + c->has_set > 1)
		cli_usage("--who, --duplicates, --destroyed and --set are different reports");
	if (c->has_set && c->has_snapshot)
		cli_usage("--set looks at all snapshots, --snapshot at one");
	if (c->has_snapshot && !c->snapshot)
		cli_usage("--snapshot: they count from 1");
}

/* --who: an id in hex or decimal, or a type's expression. */
static void cli_heap_choose_who(struct cli_heap *c)
{
	struct heap_part *p = &c->parts[0];
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
		heap_filter(p, &c->set, f, NULL);
	}
	filters_free(f);
}

/* Which snapshots the report is about, and which of their objects. */
static bool cli_heap_choose(struct cli_heap *c)
{
	size_t need = c->has_set ? heap_op_needs((enum heap_op)c->op) : 1, first;
	struct heap_set *s = &c->set;

	if (!s->n) {
		if (c->loop.read)
			cli_error(c->loop.read == 1 ? c->loop.file : NULL,
				  "no snapshot in the input: it has no objects");
		cli_status(EXIT_INPUT);
		return false;
	}
	if (c->has_snapshot && c->snapshot > s->n)
		cli_usage("--snapshot: there are %zu", s->n);
	if (c->has_set && s->n != need)
		cli_usage("--set %s needs %zu snapshots, there are %zu", heap_op_words[c->op], need,
			  s->n);
	if (!c->has_set && !c->has_snapshot && s->n == 2 && !c->who && !c->duplicates &&
	    !c->destroyed)
		need = 2;
	else if (!c->has_set && !c->has_snapshot && s->n > 1)
		cli_note(NULL, "the last of %zu snapshots is shown: --snapshot N", s->n);
	first = c->has_snapshot ? (size_t)c->snapshot - 1 : s->n - need;
	for (; c->n_parts < need; c->n_parts++) {
		const struct heap *h = &s->heaps[first + c->n_parts];

		heap_part_init(&c->parts[c->n_parts], s, h, h->n_references > 0);
		heap_filter(&c->parts[c->n_parts], s, c->filters, c->owners);
	}
	for (size_t k = 0; c->has_set && c->same == HEAP_SAME_ADDRESS && k < c->n_parts; k++)
		if (!c->parts[k].h->has_addresses) {
			cli_error(NULL, "%s: its objects have no addresses: --same path",
				  c->parts[k].h->label);
			cli_status(EXIT_INPUT);
			return false;
		}
	if (c->has_set)
		heap_sets(c->parts, (enum heap_op)c->op, (enum heap_same)c->same);
	if (c->destroyed)
		heap_only_destroyed(&c->parts[0]);
	if (c->who)
		cli_heap_choose_who(c);
	return true;
}

/* Of sets only the parts that have something of the result. */
static const struct heap_part *shown(const struct cli_heap *c, size_t *n)
{
	*n = c->n_parts;
	if (!c->has_set || c->op == HEAP_OR || c->op == HEAP_XOR)
		return c->parts;
	*n = 1;
	return &c->parts[c->n_parts - 1];
}

static void cli_heap_print(struct cli_heap *c)
{
	struct table_document d = {.program = "tm-heap"};
	struct heap_view *views[VIEWS_MAX] = {0};
	struct heap_view_options o = {(enum heap_key)c->by, (enum heap_sort)c->sort, c->n,
				      c->owners, NULL};
	size_t n, k = 0;
	const struct heap_part *parts = shown(c, &n);
	char what[512];

	snprintf(what, sizeof what, "%.200s%.200s", c->has_set ? heap_op_words[c->op] : "",
		 c->has_set     ? ""
		 : c->who       ? c->who
		 : c->destroyed ? "destroyed"
				: parts[0].h->label);
	o.what = what;
	if (c->duplicates) {
		views[k++] = heap_view_same(&c->set, parts, &o);
	} else if (!c->has_set && n == 2) {
		views[k++] = heap_view_compare(&c->set, parts, &o);
	} else {
		views[k++] = c->who ? heap_view_referrers(&c->set, parts, &o)
				    : heap_view_groups(&c->set, parts, n, &o);
		o.n = c->objects;
		if (c->who || c->destroyed || (c->has_set && n == 1))
			views[k++] = heap_view_paths(&c->set, parts, &o, c->paths);
		if (!c->destroyed)
			views[k++] = heap_view_objects(&c->set, parts, n, &o);
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

void cli_heap_run(struct cli_heap *c)
{
	heap_set_init(&c->set);
	c->set.captured = cli_heap_captured;
	c->set.arg = c;
	c->set.file = &c->loop.file;
	c->loop.import = &c->import.options;
	c->loop.sink = &c->set.sink;
	cli_inputs(&c->loop, c->n_operands, c->operands);
	if (cli_heap_choose(c))
		cli_heap_print(c);
	for (size_t i = 0; i < c->n_parts; i++)
		heap_part_release(&c->parts[i]);
	heap_set_release(&c->set);
	filters_free(c->filters);
	owners_free(c->owners);
	opt_list_release(&c->types);
	opt_list_release(&c->sites);
	opt_list_release(&c->roots);
	opt_list_release(&c->owner_patterns);
	opt_list_release(&c->owner_files);
}
