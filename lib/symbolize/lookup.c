/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/lookup.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>
#include <string.h>

/* The queries of one file. */
struct part {
	struct sort_item *items; /* key: address, index: query */
	size_t n, cap;
	uint64_t *addrs; /* unique, ascending */
	size_t n_addrs;
	struct dwarf_answers answers;
};

void lookup_init(struct lookup *l, const struct lookup_options *o)
{
	*l = (struct lookup){.options = *o, .tell_from = 1};
	if (!l->options.engine)
		l->options.engine = dwarf_engine_default();
	cache_init(&l->cache, &o->cache);
	managed_init(&l->managed, &o->managed);
}

void lookup_release(struct lookup *l)
{
	cache_release(&l->cache);
	managed_release(&l->managed);
	for (size_t i = 0; i < l->n_files; i++) {
		object_free(l->files[i]->object);
		free(l->files[i]->path);
		free(l->files[i]);
	}
	free(l->files);
	map64_release(&l->file_of);
	symbols_release(&l->symbols);
	free(l->order);
	free(l->extras);
	intern_release(&l->told);
}

static void open_file(struct lookup_file *f, const struct object_search *search)
{
	struct err ignored = ERR_INIT;

	f->e = (struct err)ERR_INIT;
	if (object_open(&f->object, f->path, &f->e)) {
		f->object = NULL;
		return;
	}
	/* Not found is no failure: the symbol table may do. */
	if (object_find_debug(f->object, search, &ignored))
		f->e = ignored;
}

struct lookup_file *lookup_file(struct lookup *l, const char *path, size_t n)
{
	for (uint64_t key = hash_bytes(path, n);; key++) {
		uint32_t *id = map64_put(&l->file_of, key);
		struct lookup_file *f;

		if (*id) {
			f = l->files[*id - 1];
			if (strlen(f->path) == n && !memcmp(f->path, path, n))
				return f;
			continue;
		}
		f = mem_zalloc(sizeof *f);
		f->path = mem_strndup(path, n);
		f->index = (uint32_t)l->n_files;
		open_file(f, &l->options.search);
		VEC_PUSH(l->files, l->n_files, l->cap_files) = f;
		*id = (uint32_t)l->n_files;
		return f;
	}
}

static void collect(struct lookup *l, struct part *parts, const struct lookup_query *queries,
		    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct lookup_query *q = &queries[i];
		struct part *p;

		if (!q->file || !q->file->object)
			continue;
		p = &parts[q->file->index];
		VEC_PUSH(p->items, p->n, p->cap) =
		    (struct sort_item){.key = q->addr, .index = (uint32_t)i};
	}
	for (size_t f = 0; f < l->n_files; f++) {
		struct part *p = &parts[f];

		if (!p->n)
			continue;
		sort_radix(p->items, p->n);
		p->addrs = mem_array(p->n, sizeof *p->addrs);
		for (size_t i = 0; i < p->n; i++)
			if (!p->n_addrs || p->addrs[p->n_addrs - 1] != p->items[i].key)
				p->addrs[p->n_addrs++] = p->items[i].key;
		dwarf_answers_init(&p->answers, p->n_addrs);
	}
}

static enum status answer(struct lookup *l, struct part *parts, struct err *e)
{
	struct dwarf_job *jobs = mem_zarray(l->n_files, sizeof *jobs);
	struct dwarf_options options = l->options.dwarf;
	enum status st = ST_OK;
	size_t n = 0;

	for (size_t f = 0; f < l->n_files; f++) {
		struct part *p = &parts[f];
		const struct managed_of *of;

		if (!p->n)
			continue;
		of = managed_of(&l->managed, l->files[f]->object, l->files[f]->path);
		options.extras |= of && of->n_maps; /* functions' first lines */
		jobs[n] = (struct dwarf_job){.object = l->files[f]->object,
					     .addrs = p->addrs,
					     .n = p->n_addrs,
					     .out = &p->answers};
		n++;
	}
	if (n)
		st = cache_run(&l->cache, l->options.engine, jobs, n, &options, e);
	free(jobs);
	return st;
}

static void complain(struct lookup *l, const struct lookup_file *f, const struct part *p)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < p->answers.n_complaints; i++) {
		text.len = 0;
		buf_addf(&text, "%s: %s", f->path,
			 intern_text(&p->answers.strings, p->answers.complaints[i], NULL));
		intern_add(&l->told, text.data, text.len);
	}
	buf_release(&text);
}

static void fill(struct lookup *l, struct part *parts, struct lookup_query *queries)
{
	uint64_t cut = 0;
	struct calls calls;

	calls_init(&calls, &l->symbols, &cut);
	calls.managed = &l->managed;
	for (size_t f = 0; f < l->n_files; f++) {
		struct part *p = &parts[f];
		struct calls_of of;
		size_t item = 0;

		if (!p->n)
			continue;
		calls_of_init(&of, &calls, l->files[f]->object, p->addrs, &p->answers);
		for (size_t i = 0; i < p->n_addrs; i++) {
			struct named named = calls_at(&of, i);

			for (; item < p->n && p->items[item].key == p->addrs[i]; item++) {
				queries[p->items[item].index].named = named;
				l->order[l->n_order++] = p->items[item].index;
			}
		}
		calls_of_release(&of);
		complain(l, l->files[f], p);
	}
	if (l->options.demangle)
		calls_demangle(&calls, l->options.dwarf.jobs);
	l->extras = calls.extras;
	l->n_extras = calls.n_extras;
	calls.extras = NULL;
	calls_release(&calls);
}

enum status lookup_run(struct lookup *l, struct lookup_query *queries, size_t n, struct err *e)
{
	struct part *parts = mem_zarray(l->n_files, sizeof *parts);
	enum status st;

	symbols_release(&l->symbols);
	free(l->order);
	l->order = mem_array(n, sizeof *l->order);
	l->n_order = 0;
	free(l->extras);
	l->extras = NULL;
	l->n_extras = 0;
	for (size_t i = 0; i < n; i++)
		queries[i].named = (struct named){.reason = REASON_NO_FILE};
	collect(l, parts, queries, n);
	st = answer(l, parts, e);
	if (!st)
		fill(l, parts, queries);
	for (size_t f = 0; f < l->n_files; f++) {
		free(parts[f].items);
		free(parts[f].addrs);
		if (parts[f].n)
			dwarf_answers_release(&parts[f].answers);
	}
	free(parts);
	return st;
}

const struct dwarf_extra *lookup_extra(const struct lookup *l, uint32_t call)
{
	static const struct dwarf_extra nothing = {.start = DWARF_NO_START};

	return call < l->n_extras ? &l->extras[call] : &nothing;
}

const char *lookup_complaint(struct lookup *l)
{
	if (l->tell_from > intern_count(&l->told))
		return NULL;
	return intern_text(&l->told, l->tell_from++, NULL);
}

uint64_t lookup_base(const struct lookup_file *f)
{
	size_t n = 0;
	const struct object_segment *s = f->object ? object_segments(f->object, &n) : NULL;
	uint64_t base = n ? s[0].vaddr : 0;

	for (size_t i = 1; i < n; i++)
		if (s[i].vaddr < base)
			base = s[i].vaddr;
	return base;
}

const char *lookup_machine(const struct lookup_file *f)
{
	static const struct {
		uint16_t machine; /* ELF's e_machine, gABI and processor supplements */
		const char *name;
	} machines[] = {{3, "i386"}, {40, "arm"}, {62, "x86_64"}, {183, "arm64"}, {243, "riscv"}};

	for (size_t i = 0; f->object && i < sizeof machines / sizeof *machines; i++)
		if (machines[i].machine == object_machine(f->object))
			return machines[i].name;
	return "";
}
