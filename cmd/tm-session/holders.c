/* SPDX-License-Identifier: MIT */
#include "cmd/tm-session/session.h"

#include "lib/base/mem.h"
#include "lib/report/heap/view.h"
#include "lib/report/heap/with.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOLDERS = 10, LEAST_SHARE = 50 }; /* rows, and hundredths of a percent of the heap */

struct session_holders {
	struct heap_set set;
	struct heap_part part;
	bool begun; /* the part is initialized */
	struct heap_view *view;
	const char *file;
	char what[256];
};

static void read_into(struct sink *to, const struct session_file *f,
		      const struct import_options *import, struct cli_symbols *symbols)
{
	const struct import_options o = session_options_of(f, import);
	struct cli_loop loop = {.import = &o, .symbols = symbols, .sink = to};
	char *path = f->path;

	cli_inputs(&loop, 1, &path);
}

const struct session_file *session_snapshot(const struct session *s)
{
	const struct session_file *last = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct session_file *f = &s->files[i];

		if (f->survey.events[EV_OBJECT] &&
		    (!last || !last->survey.dated ||
		     (f->survey.dated && f->survey.date >= last->survey.date)))
			last = f;
	}
	return last;
}

/* A site of the report, "load  a.lua:3, called by main  b.lua:7", as heaps have it: "load (a.lua:3)". */
static uint32_t site_text(struct heap_set *set, const char *site)
{
	const char *end = strstr(site, ", called by "), *place;
	size_t n = end ? (size_t)(end - site) : strlen(site);
	struct buf b = BUF_INIT;
	uint32_t found;

	place = memmem(site, n, "  ", 2);
	buf_add(&b, site, place ? (size_t)(place - site) : n);
	if (place)
		buf_addf(&b, " (%.*s)", (int)(site + n - place - 2), place + 2);
	found = intern_add(&set->texts, b.data, b.len);
	buf_release(&b);
	return found;
}

/* Only what leaks counts. False: the heap has none of it. */
static bool choose(struct session_holders *h, const struct session_report *r)
{
	struct heap_part *p = &h->part;
	const char *site;
	bool any = false;

	p->counted = mem_zarray((size_t)p->h->n + 1, sizeof *p->counted);
	for (size_t i = 0; (site = session_report_leak(r, i)) != NULL; i++) {
		uint32_t wanted = site_text(&h->set, site);

		for (uint32_t k = 1; k <= p->h->n; k++)
			p->counted[k] |= heap_site(p->h, k) == wanted;
	}
	for (uint32_t k = 1; k <= p->h->n && !any; k++)
		any = heap_counts(p, k);
	return any;
}

struct session_holders *session_holders_new(const struct session *s, const struct session_report *r,
					    const struct import_options *import,
					    struct cli_symbols *symbols)
{
	const struct session_file *snapshot = session_snapshot(s), *leaks = session_report_leaks(r);
	struct session_holders *h;
	struct heap_with with;

	if (!leaks || !snapshot)
		return NULL;
	h = mem_zalloc(sizeof *h);
	h->file = snapshot->name;
	heap_set_init(&h->set);
	h->set.file = &h->file;
	h->set.keep = true;
	read_into(&h->set.sink, snapshot, import, symbols);
	heap_with_init(&with, &h->set);
	read_into(&with.sink, leaks, import, symbols);
	if (with.undated)
		cli_note(leaks->name, "without a date: what holds leaks is taken at its end");
	heap_with_release(&with);
	heap_set_finish(&h->set);
	if (h->set.n) {
		const struct heap *last = &h->set.heaps[h->set.n - 1];
		const struct heap_view_options o = {
		    .n = HOLDERS, .what = h->what, .min_share = LEAST_SHARE};

		snprintf(h->what, sizeof h->what, "leaks in %.200s", last->label);
		heap_part_init(&h->part, &h->set, last, last->n_references > 0);
		h->begun = true;
		if (choose(h, r))
			h->view = heap_view_dominators(&h->set, &h->part, &o);
	}
	return h;
}

void session_holders_add(const struct session_holders *h, struct table_document *d)
{
	if (h && h->view)
		document_table(d, heap_view_table(h->view));
}

void session_holders_free(struct session_holders *h)
{
	if (!h)
		return;
	heap_view_free(h->view);
	if (h->begun)
		heap_part_release(&h->part);
	heap_set_release(&h->set);
	free(h);
}
