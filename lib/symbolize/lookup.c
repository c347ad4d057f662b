/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/lookup.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/base/path.h"
#include "lib/base/pool.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/find/container.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct lookup_apk {
	struct lookup_span {
		uint64_t lo, size; /* in the file */
		char *name;
		struct lookup_file *file; /* NULL: not asked for yet */
	} * spans;
	size_t n;
};

static void apk_free(struct lookup_apk *a)
{
	for (size_t i = 0; a && i < a->n; i++)
		free(a->spans[i].name);
	if (a)
		free(a->spans);
	free(a);
}

bool lookup_usable(const struct lookup_file *f)
{
	return f->object || f->apk;
}

bool lookup_is_64(const struct lookup_file *f)
{
	return !f->object || object_is_64(f->object);
}

enum { MADE_SHARE = 8, SYMBOLS_SHARE = 6 }; /* of what may be kept one part in so many */

/* Symbols begin anew. */
static void lookup_forget_made(struct lookup *l)
{
	for (size_t i = 0; i < l->n_memos; i++)
		calls_of_release(&l->memos[i]);
	l->n_memos = 0;
	l->memo_bytes = 0;
	map64_release(&l->memo_of);
	calls_release(&l->calls);
	symbols_release(&l->symbols);
	calls_init(&l->calls, &l->symbols, &l->cut);
	l->calls.managed = &l->managed;
	l->calls.dwarf_names = l->options.dwarf_names;
	l->calls.plt_names = l->options.plt_names;
	l->calls.demangle = l->options.demangler;
}

/* About as many as they take. */
static uint64_t made_bytes(const struct lookup *l)
{
	const struct trace_symbols *y = &l->symbols;

	return y->strings.text.total + y->strings.cap * 2 * sizeof *y->strings.rows +
	       y->cap_functions * sizeof *y->functions + y->cap_calls * sizeof *y->calls +
	       l->calls.cap_extras * sizeof *l->calls.extras + l->memo_bytes;
}

void lookup_init(struct lookup *l, const struct lookup_options *o)
{
	*l = (struct lookup){.options = *o, .next_message = 1};
	l->options.cache.keep = o->keep;
	cache_init(&l->cache, &l->options.cache);
	managed_init(&l->managed, &o->managed);
	lookup_forget_made(l);
}

static void count_symbols(struct lookup *l, struct lookup_file *f, uint64_t bytes)
{
	l->symbol_bytes += bytes - f->symbol_bytes;
	f->symbol_bytes = bytes;
}

/* What the last run has left. */
static void drop_parts(struct lookup *l)
{
	for (size_t i = 0; i < l->n_parts; i++) {
		struct lookup_part *p = &l->parts[i];

		if (p->file->object)
			count_symbols(l, p->file, object_symbols_bytes(p->file->object));
		p->file->part = 0;
		free(p->addrs);
		free(p->at);
		free(p->queries);
		if (p->answers.of)
			dwarf_answers_release(&p->answers);
	}
	free(l->parts);
	l->parts = NULL;
	l->n_parts = 0;
	l->viewing = false;
}

void lookup_release(struct lookup *l)
{
	drop_parts(l);
	cache_release(&l->cache);
	managed_release(&l->managed);
	for (size_t i = 0; i < l->n_files; i++) {
		dwarf_variables_free(l->files[i]->variables);
		object_free(l->files[i]->object);
		apk_free(l->files[i]->apk);
		free(l->files[i]->path);
		free(l->files[i]->watched);
		free(l->files[i]);
	}
	free(l->files);
	id_set_release(&l->file_of);
	lookup_forget_made(l);
	free(l->memos);
	intern_release(&l->messages);
}

/* The libraries that are stored in it as they are, which is how the Android loader maps them. */
static struct lookup_apk *lookup_apk_open(const char *path, struct err *e)
{
	struct lookup_apk *a = mem_zalloc(sizeof *a);
	size_t cap = 0, n = 0;
	struct zip z;

	if (zip_open(&z, path, e)) {
		free(a);
		return NULL;
	}
	for (size_t i = 0; i < z.n; i++) {
		const struct zip_member *m = &z.members[i];
		struct err ignored = ERR_INIT;
		struct lookup_span s = {.size = m->size};

		if (!container_is_library(m->name))
			continue;
		n++;
		if (m->method != ZIP_STORED || zip_data(&z, m, &s.lo, &ignored))
			continue;
		s.name = mem_strdup(m->name);
		VEC_PUSH(a->spans, a->n, cap) = s;
	}
	zip_release(&z);
	if (a->n)
		return a;
	err_set(e, ST_UNSUPPORTED,
		n ? "a zip file of libraries: name one, as in FILE!/MEMBER"
		  : "the zip file has no library");
	apk_free(a);
	return NULL;
}

/* 0: there is nothing. */
static uint64_t seen_at(const char *path, size_t n)
{
	char *whole = mem_strndup(path, n);
	struct stat sb;
	uint64_t seen = 0;

	if (!stat(whole, &sb)) {
		const uint64_t facts[] = {sb.st_dev, sb.st_ino, (uint64_t)sb.st_size,
					  (uint64_t)sb.st_mtim.tv_sec,
					  (uint64_t)sb.st_mtim.tv_nsec};

		seen = hash_bytes(facts, sizeof facts) | 1;
	}
	free(whole);
	return seen;
}

static const char *debug_path(const struct lookup_file *f)
{
	const char *path = f->object ? object_debug_path(f->object) : "";

	return strcmp(path, f->path) != 0 ? path : "";
}

/* Before it is opened: what comes in between is noticed then. */
static void look_at(struct lookup_file *f)
{
	const char *member;

	f->n_path = strlen(f->path);
	f->seen = seen_at(f->path, f->n_path);
	if (!f->seen) {
		f->n_path = container_split_zip(f->path, &member);
		f->seen = f->n_path ? seen_at(f->path, f->n_path) : 0;
	}
}

bool lookup_replaced(const struct lookup_file *f)
{
	uint64_t now = f->seen ? seen_at(f->path, f->n_path) : 0,
		 debug_now = f->watched ? seen_at(f->watched, strlen(f->watched)) : 0;

	return (now && now != f->seen) || (debug_now && debug_now != f->debug_seen);
}

/* The debug file; else where it was, or where the PDB is that the file names: beside it. */
static void watch_debug_file(struct lookup_file *f)
{
	const char *debug = debug_path(f), *named = object_debug_named(f->object);
	size_t folder = (size_t)(path_base(f->path) - f->path);
	struct buf place = BUF_INIT;

	if (*debug)
		buf_adds(&place, debug);
	else if (!f->watched && named && !object_has_pdb(f->object))
		buf_addf(&place, "%.*s%s", (int)folder, f->path, path_base_windows(named));
	if (place.len) {
		free(f->watched);
		f->watched = mem_strdup(buf_str(&place));
	}
	f->debug_seen = f->watched ? seen_at(f->watched, strlen(f->watched)) : 0;
	buf_release(&place);
}

/* A waiting program has said once what there is to say; of a file that was replaced there may be more. */
static void say_refused(struct lookup *l, struct lookup_file *f)
{
	struct buf text = BUF_INIT;

	if (f->opened && !f->refused && f->e.msg[0]) {
		buf_addf(&text, "%s: read again: %s", f->path, f->e.msg);
		intern_append(&l->messages, text.data, text.len);
	}
	f->refused = f->e.msg[0];
	f->opened = true;
	buf_release(&text);
}

static void lookup_open_file(struct lookup_file *f, const struct lookup_options *options)
{
	struct container_options container = {.cache = options->cache,
					      .want = {.arch = options->arch, .lenient = true}};
	struct err ignored = ERR_INIT;
	struct stat sb;

	f->e = (struct err)ERR_INIT;
	f->open = true;
	f->debug_seen = 0;
	look_at(f);
	if (!stat(f->path, &sb) && S_ISREG(sb.st_mode) && zip_looks_like(f->path)) {
		f->apk = lookup_apk_open(f->path, &f->e);
		return;
	}
	if (container_open(&f->object, f->path, &container, &f->e)) {
		f->object = NULL;
		return;
	}
	/* Not found is no failure: the symbol table may do. */
	if (object_find_debug(f->object, &options->search, &ignored))
		f->e = ignored;
	else if (object_debug_unproven(f->object))
		err_set(&f->e, ST_NONE, "%s", object_debug_unproven(f->object));
	watch_debug_file(f);
}

/* Of the symbol tables those that were used longest ago go, when all take more than their share of what may be
 * kept, but for the last run's; what is left of that is the engine's. */
static void lookup_keep_within(struct lookup *l)
{
	const uint64_t most = l->options.keep / SYMBOLS_SHARE;

	while (l->options.keep && l->symbol_bytes > most) {
		struct lookup_file *oldest = NULL;

		for (size_t i = 0; i < l->n_files; i++) {
			struct lookup_file *f = l->files[i];

			if (f->symbol_bytes && !f->symbols_shown && f->run < l->runs &&
			    (!oldest || f->run < oldest->run))
				oldest = f;
		}
		if (!oldest)
			break;
		object_drop_symbols(oldest->object);
		count_symbols(l, oldest, 0);
	}
	cache_keep(&l->cache, l->options.keep - l->options.keep / MADE_SHARE -
				  (l->symbol_bytes < most ? l->symbol_bytes : most));
}

static void close_file(struct lookup *l, struct lookup_file *f)
{
	if (f->object) {
		cache_forget(&l->cache, f->object);
		managed_forget(&l->managed, f->object);
		verify_forget(l->options.verify, f->object);
	}
	count_symbols(l, f, 0);
	f->symbols_shown = false;
	dwarf_variables_free(f->variables);
	object_free(f->object);
	f->variables = NULL;
	f->object = NULL;
	f->variables_sought = f->open = false;
}

void lookup_close(struct lookup *l, struct lookup_file *f)
{
	drop_parts(l);
	lookup_forget_made(l);
	for (size_t i = 0; f->apk && i < f->apk->n; i++)
		if (f->apk->spans[i].file)
			close_file(l, f->apk->spans[i].file);
	apk_free(f->apk);
	f->apk = NULL;
	close_file(l, f);
}

struct path {
	const char *s;
	size_t n;
};

static uint64_t lookup_path_hash(const void *table, uint32_t id)
{
	const struct lookup *l = table;

	return hash_bytes(l->files[id - 1]->path, strlen(l->files[id - 1]->path));
}

static bool lookup_path_equal(const void *table, uint32_t id, const void *key)
{
	const struct path *path = key;

	return text_is(path->s, path->n, ((const struct lookup *)table)->files[id - 1]->path);
}

static const struct id_rows path_rows = {lookup_path_hash, lookup_path_equal};

struct lookup_file *lookup_file(struct lookup *l, const char *path, size_t n)
{
	uint64_t hash = hash_bytes(path, n);
	uint32_t id = id_set_find(&l->file_of, &path_rows, l, hash, &(struct path){path, n});
	struct lookup_file *f;

	if (id) {
		f = l->files[id - 1];
		if (!f->open)
			lookup_open_file(f, &l->options);
		say_refused(l, f);
		return f;
	}
	f = mem_zalloc(sizeof *f);
	f->path = mem_strndup(path, n);
	f->index = (uint32_t)l->n_files;
	lookup_open_file(f, &l->options);
	say_refused(l, f);
	VEC_PUSH(l->files, l->n_files, l->cap_files) = f;
	id_set_add(&l->file_of, &path_rows, l, hash, f->index + 1);
	return f;
}

/* In a build-id tree; NULL: it is not there. */
static struct lookup_file *lookup_in_tree(struct lookup *l, const char *dir,
					  const struct object_build_id *id)
{
	static const char *const suffixes[] = {"", ".debug"};
	char path[8192];

	for (size_t i = 0; i < 2; i++)
		if (object_build_id_path(dir, id, suffixes[i], path, sizeof path) &&
		    !access(path, R_OK))
			return lookup_file(l, path, strlen(path));
	return NULL;
}

struct lookup_file *lookup_file_by_id(struct lookup *l, const struct object_build_id *id)
{
	const struct object_search *s = &l->options.search;
	struct lookup_file *f = NULL;
	struct buf dir = BUF_INIT;

	for (size_t d = 0; !f && d < s->n_dirs; d++)
		f = lookup_in_tree(l, s->dirs[d], id);
	if (!f && path_in_sysroot(&dir, s->sysroot, SYSTEM_DEBUG_DIR))
		f = lookup_in_tree(l, buf_str(&dir), id);
	buf_release(&dir);
	if (!f && s->system)
		f = lookup_in_tree(l, SYSTEM_DEBUG_DIR, id);
	if (f)
		return f;
	for (unsigned part = 2; part-- > 0;) /* OBJECT_BINARY has more than OBJECT_DEBUG */
		for (size_t i = 0; i < s->n_finders; i++) {
			const char *at = s->finders[i].find(s->finders[i].arg, id,
							    (enum object_part)part, 0, NULL);

			if (at)
				return lookup_file(l, at, strlen(at));
		}
	return NULL;
}

static void lookup_place_in_apk(struct lookup *l, struct lookup_query *q)
{
	const struct lookup_file *apk = q->file;
	uint64_t vaddr;

	for (size_t i = 0; i < apk->apk->n; i++) {
		struct lookup_span *s = &apk->apk->spans[i];

		if (q->addr < s->lo || q->addr - s->lo >= s->size)
			continue;
		if (!s->file || !s->file->open) {
			struct buf path = BUF_INIT;

			buf_addf(&path, "%s!/%s", apk->path, s->name);
			s->file = lookup_file(l, path.data, path.len);
			s->file->met = true;
			buf_release(&path);
		}
		if (s->file->object &&
		    !object_offset_to_vaddr(s->file->object, q->addr - s->lo, &vaddr)) {
			q->file = s->file;
			q->addr = vaddr;
		}
		return;
	}
}

/* What people mean by an address. */
static void place(struct lookup *l, struct lookup_query *queries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct lookup_query *q = &queries[i];

		if (q->file && q->file->apk)
			lookup_place_in_apk(l, q);
		else if (q->file && q->file->object)
			q->addr = object_from_flat(q->file->object, q->addr);
	}
}

/* The part of each file that is asked, with the number of its queries. */
static void lookup_part_queries(struct lookup *l, const struct lookup_query *queries, size_t n)
{
	size_t cap = 0;

	for (size_t i = 0; i < n; i++) {
		struct lookup_file *f = queries[i].file;

		if (!f || !f->object)
			continue;
		if (!f->part) {
			VEC_PUSH(l->parts, l->n_parts, cap) = (struct lookup_part){.file = f};
			f->part = (uint32_t)l->n_parts;
			f->run = l->runs;
		}
		l->parts[f->part - 1].n++;
	}
}

static void lookup_collect(struct lookup *l, const struct lookup_query *queries, size_t n)
{
	for (size_t i = 0; i < l->n_parts; i++) {
		struct lookup_part *p = &l->parts[i];

		p->addrs = pages_array(p->n, sizeof *p->addrs);
		p->at = pages_array(p->n, sizeof *p->at);
		if (p->n < n)
			p->queries = pages_array(p->n, sizeof *p->queries);
	}
	for (size_t i = 0; i < n; i++) {
		const struct lookup_file *f = queries[i].file;
		struct lookup_part *p = f && f->part ? &l->parts[f->part - 1] : NULL;

		if (!p)
			continue;
		if (p->queries)
			p->queries[p->n_addrs] = (uint32_t)i;
		p->addrs[p->n_addrs++] = queries[i].addr;
	}
	for (size_t i = 0; i < l->n_parts; i++) {
		struct lookup_part *p = &l->parts[i];

		p->n_addrs = sort_unique(p->addrs, p->n, p->at);
		dwarf_answers_init(&p->answers, p->n_addrs);
	}
}

/* Its functions' first lines are asked for, by maps of managed code. */
static bool needs_extras(struct lookup *l, const struct lookup_file *f)
{
	const struct managed_of *of = managed_of(&l->managed, f->object, f->path);

	return of && of->n_maps;
}

static enum status lookup_answer(struct lookup *l, struct err *e)
{
	struct dwarf_job *jobs = mem_zarray(l->n_parts, sizeof *jobs);
	struct dwarf_options options = l->options.dwarf;
	enum status st = ST_OK;

	for (size_t i = 0; i < l->n_parts; i++) {
		struct lookup_part *p = &l->parts[i];

		options.extras |= needs_extras(l, p->file);
		jobs[i] = (struct dwarf_job){.object = p->file->object,
					     .addrs = p->addrs,
					     .n = p->n_addrs,
					     .out = &p->answers};
	}
	if (l->n_parts)
		st = cache_run(&l->cache, jobs, l->n_parts, &options, e);
	for (size_t i = 0; !st && i < l->n_parts; i++)
		verify_offer(l->options.verify, &jobs[i], l->parts[i].file->path, &options);
	free(jobs);
	return st;
}

static void lookup_complain(struct lookup *l, const struct lookup_part *p)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < p->answers.n_complaints; i++) {
		text.len = 0;
		buf_addf(&text, "%s: %s", p->file->path,
			 intern_text(&p->answers.strings, p->answers.complaints[i], NULL));
		intern_add(&l->messages, text.data, text.len);
	}
	buf_release(&text);
}

/* Printing asks for symbols, too. */
static void lookup_complain_of_symbols(struct lookup *l)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < l->n_files; i++) {
		const struct lookup_file *f = l->files[i];
		unsigned n;
		const char *why = f->object ? object_symbols_left_out(f->object, &n) : NULL;

		if (!why)
			continue;
		text.len = 0;
		buf_addf(&text, "%s: symbol tables left out: %u: %s", f->path, n, why);
		intern_add(&l->messages, text.data, text.len);
	}
	buf_release(&text);
}

static void lookup_fill(struct lookup *l, struct lookup_query *queries)
{
	for (size_t f = 0; f < l->n_parts; f++) {
		const struct lookup_part *p = &l->parts[f];
		struct symbolize_named *named;
		struct calls_of of;

		named = mem_array(p->n_addrs, sizeof *named);
		calls_of_init(&of, &l->calls, p->file->object, p->addrs, &p->answers);
		for (size_t i = 0; i < p->n_addrs; i++)
			named[i] = calls_at(&of, i);
		for (size_t i = 0; i < p->n; i++)
			queries[p->queries ? p->queries[i] : i].named = named[p->at[i]];
		calls_of_release(&of);
		free(named);
		lookup_complain(l, p);
	}
	drop_parts(l);
	if (l->options.demangle)
		calls_demangle(&l->calls, l->options.dwarf.jobs);
}

static struct calls_of *lookup_memo(struct lookup *l, const struct lookup_file *f,
				    const struct dwarf_kept_answer *a)
{
	static const struct dwarf_answers none;
	uint32_t *at = map64_put(&l->memo_of, a->unit ? a->unit : UINT64_MAX - f->index);

	if (!*at) {
		struct calls_of *memo = &VEC_PUSH(l->memos, l->n_memos, l->cap_memos);

		*at = (uint32_t)l->n_memos;
		calls_of_init(memo, &l->calls, f->object, NULL, a->answers ? a->answers : &none);
		l->memo_bytes += calls_of_bytes(memo);
	}
	return &l->memos[*at - 1];
}

enum { FEW = 64 }; /* queries that may be answered by what is kept */

/* Where the engine has kept all answers, nothing but what they are made into is left to do. False: it has not. */
static bool lookup_from_kept(struct lookup *l, struct lookup_query *queries, size_t n)
{
	struct dwarf_kept_answer a;

	if (n > FEW || !l->options.keep || l->options.verify || l->options.dwarf.extras)
		return false;
	cache_begin(&l->cache);
	for (size_t i = 0; i < n; i++) {
		struct lookup_query *q = &queries[i];
		struct lookup_file *f = q->file;

		if (!f || !f->object)
			continue;
		if (needs_extras(l, f) ||
		    !cache_ask(&l->cache, f->object, q->addr, &l->options.dwarf, &a))
			return false;
		f->run = l->runs;
		q->named = calls_by(lookup_memo(l, f, &a), q->addr, &a.answer);
		count_symbols(l, f, object_symbols_bytes(f->object));
	}
	if (l->options.demangle)
		calls_demangle(&l->calls, l->options.dwarf.jobs);
	return true;
}

/* Nothing has to be made of the answers: no display names, no lines of C#. */
static bool may_view(struct lookup *l)
{
	if (!l->options.views || l->options.demangle || l->options.dwarf.extras)
		return false;
	for (size_t f = 0; f < l->n_parts; f++) {
		const struct managed_of *of =
		    managed_of(&l->managed, l->parts[f].file->object, NULL);

		if (of && (of->n_maps || of->usym))
			return false;
	}
	return true;
}

enum { VIEW_CHUNK = 16384 };

struct viewing {
	const struct lookup_part *part;
	struct lookup_query *queries;
};

static void lookup_view_chunk(size_t item, unsigned worker, void *arg)
{
	struct viewing *v = arg;
	const struct lookup_part *p = v->part;
	size_t from = item * VIEW_CHUNK;
	size_t end = from + VIEW_CHUNK < p->n ? from + VIEW_CHUNK : p->n;

	(void)worker;
	for (size_t i = from; i < end; i++) {
		const struct dwarf_answer *a = &p->answers.of[p->at[i]];

		v->queries[p->queries ? p->queries[i] : i].named =
		    (struct symbolize_named){.call = a->call, .found = a->found};
	}
}

static void view(struct lookup *l, struct lookup_query *queries)
{
	l->viewing = true;
	for (size_t f = 0; f < l->n_parts; f++) {
		struct lookup_part *p = &l->parts[f];
		struct viewing v = {p, queries};

		pool_run(l->options.dwarf.jobs, (p->n + VIEW_CHUNK - 1) / VIEW_CHUNK,
			 lookup_view_chunk, &v);
		lookup_complain(l, p);
		free(p->addrs);
		free(p->at);
		free(p->queries);
		p->addrs = NULL;
		p->at = p->queries = NULL;
	}
}

enum { MANY = 50000 }; /* queries: some of them will ask the symbol table */

struct beginning {
	struct lookup *l;
	const struct lookup_query *queries;
	size_t n;
};

/* The batches are sorted while the symbols are read. */
static void lookup_begin(size_t item, unsigned worker, void *arg)
{
	struct beginning *b = arg;
	size_t n;

	(void)worker;
	if (!item)
		lookup_collect(b->l, b->queries, b->n);
	else if (b->l->files[0]->object)
		object_symbols(b->l->files[0]->object, &n);
}

enum status lookup_run(struct lookup *l, struct lookup_query *queries, size_t n, struct err *e)
{
	struct beginning b = {.l = l, .queries = queries, .n = n};
	enum status st;

	drop_parts(l);
	lookup_keep_within(l);
	l->runs++;
	if (made_bytes(l) > l->options.keep / MADE_SHARE)
		lookup_forget_made(l);
	for (size_t i = 0; i < n; i++)
		queries[i].named = (struct symbolize_named){.reason = REASON_NO_FILE};
	place(l, queries, n);
	if (lookup_from_kept(l, queries, n))
		return ST_OK;
	lookup_part_queries(l, queries, n);
	pool_run(l->options.dwarf.jobs, n >= MANY && l->n_files == 1 ? 2 : 1, lookup_begin, &b);
	st = lookup_answer(l, e);
	if (st)
		drop_parts(l);
	else if (may_view(l))
		view(l, queries);
	else
		lookup_fill(l, queries);
	return st;
}

const struct dwarf_extra *lookup_extra(const struct lookup *l, uint32_t call)
{
	static const struct dwarf_extra nothing = {.start = DWARF_NO_START};

	return call < l->calls.n_extras ? &l->calls.extras[call] : &nothing;
}

const char *lookup_complaint(struct lookup *l)
{
	if (l->next_message > intern_count(&l->messages))
		lookup_complain_of_symbols(l);
	if (l->next_message > intern_count(&l->messages))
		return NULL;
	return intern_text(&l->messages, l->next_message++, NULL);
}

static struct dwarf_variables *variables_of(const struct lookup_query *q)
{
	struct lookup_file *f = q->file;

	if (!f || !f->object)
		return NULL;
	if (!f->variables_sought)
		f->variables = dwarf_variables_new(f->object);
	f->variables_sought = true;
	return f->variables;
}

struct lookup_global lookup_global(const struct lookup_query *q)
{
	struct dwarf_variables *v = variables_of(q);
	struct lookup_global g = {.symbol = NULL};

	if (!q->file || !q->file->object)
		return g;
	g.symbol = object_any_symbol_at(q->file->object, q->addr);
	/* Where DWARF does not say how large it is, its symbol does. */
	if (v && !dwarf_global_at(v, q->addr, &g.declared) && g.symbol &&
	    !dwarf_global_at(v, g.symbol->lo, &g.declared))
		g.declared = (struct dwarf_declaration){.file = NULL};
	return g;
}

const struct dwarf_local *lookup_locals(const struct lookup_query *q, size_t *n)
{
	struct dwarf_variables *v = variables_of(q);

	*n = 0;
	return v ? dwarf_locals_at(v, q->addr, n) : NULL;
}

uint64_t lookup_base(const struct lookup_file *f)
{
	size_t n = 0;
	const struct object_segment *s = f->object ? object_segments(f->object, &n) : NULL;
	uint64_t base = n ? s[0].vaddr : 0;

	if (f->object && object_kind(f->object)->image)
		return object_image_base(f->object); /* its headers are in no section */
	for (size_t i = 1; i < n; i++)
		if (s[i].vaddr < base)
			base = s[i].vaddr;
	return base;
}

const char *lookup_machine(const struct lookup_file *f)
{
	const char *name = f->object ? object_arch_triple(object_arch(f->object)) : NULL;

	return name ? name : "";
}
