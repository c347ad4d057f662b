/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/kept.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>

enum {
	FEW = 64,         /* queries of a unit in a batch: more are cheaper without */
	OFTEN = 3,        /* earlier batches that asked a unit */
	SMALL = 64 << 10, /* bytes of a unit */
	SPARSE = 32,      /* claims for each address: a search tree is faster than all of them */
	SCRATCH = 65536,  /* addresses that a worker keeps memory for */
	MOST_CALLS = 1 << 29,
};

struct fast_kept_unit {
	struct fast_kept_unit *newer, *older;
	struct fast_kept_of *of; /* what points to it */
	size_t bytes;
	uint64_t batch; /* the last that used it */
	uint64_t base;
	uint64_t number; /* its own, of all that were ever kept */
	size_t n;
	struct fast_kept_piece {
		uint32_t lo;                   /* from base; up to the next one's */
		uint32_t call : 29, found : 3; /* call: in calls; 0: none */
	} * pieces;
	/* Its calls, and in the store their texts, to be read as answers of a batch are. */
	struct dwarf_answers as;
	const char *copied, *end; /* texts that are not the file's */
};

/* Files. */

struct dwarf_kept *dwarf_kept_new(uint64_t limit)
{
	struct dwarf_kept *k = mem_zalloc(sizeof *k);

	k->limit = limit;
	pthread_mutex_init(&k->lock, NULL);
	return k;
}

static void free_workers(struct dwarf_kept *k, unsigned from)
{
	for (unsigned i = from; i < k->n_workers; i++) {
		fast_worker_release(&k->workers[i]);
		fast_scratch_release(&k->scratch[i]);
	}
}

void dwarf_kept_free(struct dwarf_kept *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n_files; i++)
		if (k->files[i])
			fast_kept_drop(k, k->files[i]);
	free(k->files);
	map64_release(&k->by_object);
	free_workers(k, 0);
	free(k->workers);
	free(k->scratch);
	free(k->found.all);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

void dwarf_kept_limit(struct dwarf_kept *k, uint64_t limit)
{
	k->limit = limit;
}

uint64_t dwarf_kept_bytes(const struct dwarf_kept *k)
{
	return k->bytes;
}

static struct fast_kept_file *of_object(const struct dwarf_kept *k, const struct object *o)
{
	uint32_t i = map64_get(&k->by_object, (uint64_t)(uintptr_t)o);

	return i ? k->files[i - 1] : NULL;
}

void dwarf_kept_forget(struct dwarf_kept *k, const struct object *o)
{
	struct fast_kept_file *f = k ? of_object(k, o) : NULL;

	if (f)
		fast_kept_drop(k, f);
}

static bool read_with(const struct fast_kept_file *f, const struct dwarf_options *options)
{
	return f->extras == options->extras && f->discriminators == options->discriminators &&
	       f->relative == options->relative;
}

struct fast_kept_file *fast_kept_find(struct dwarf_kept *k, const struct object *o,
				      const struct dwarf_options *options)
{
	struct fast_kept_file *f = of_object(k, o);

	if (f && !read_with(f, options)) {
		fast_kept_drop(k, f);
		f = NULL;
	}
	if (f)
		f->batch = k->batch;
	return f;
}

struct fast_kept_file *fast_kept_add(struct dwarf_kept *k, const struct object *o,
				     const struct dwarf_options *options)
{
	struct fast_kept_file *f = mem_zalloc(sizeof *f);
	size_t i = 0;

	*f = (struct fast_kept_file){.object = o,
				     .extras = options->extras,
				     .discriminators = options->discriminators,
				     .relative = options->relative,
				     .batch = k->batch};
	while (i < k->n_files && k->files[i])
		i++;
	if (i == k->n_files)
		VEC_PUSH(k->files, k->n_files, k->cap_files) = f;
	k->files[i] = f;
	*map64_put(&k->by_object, (uint64_t)(uintptr_t)o) = (uint32_t)i + 1;
	return f;
}

static uint64_t bytes_of(const struct fast_file *f)
{
	return f->cap_units * sizeof *f->units + fast_tables_bytes(&f->tables);
}

void fast_kept_count(struct dwarf_kept *k, struct fast_kept_file *f)
{
	uint64_t bytes = sizeof *f + bytes_of(&f->file);

	if (f->file.alt)
		bytes += bytes_of(f->file.alt);
	bytes += f->n_claims * sizeof *f->claims + f->file.n_units * sizeof *f->units;
	if (f->by_lo)
		bytes += f->n_claims * (sizeof *f->by_lo + sizeof *f->highest);
	k->bytes += bytes - f->bytes;
	f->bytes = bytes;
	f->sound = true;
}

static void fast_kept_unlink(struct dwarf_kept *k, struct fast_kept_unit *u)
{
	*(u->newer ? &u->newer->older : &k->newest) = u->older;
	*(u->older ? &u->older->newer : &k->oldest) = u->newer;
}

static void fast_kept_put_first(struct dwarf_kept *k, struct fast_kept_unit *u)
{
	u->newer = NULL;
	u->older = k->newest;
	*(k->newest ? &k->newest->newer : &k->oldest) = u;
	k->newest = u;
}

static void drop_unit(struct dwarf_kept *k, struct fast_kept_unit *u)
{
	fast_kept_unlink(k, u);
	u->of->unit = NULL;
	u->of->asked = 0; /* where there is too little room, it is not decoded again and again */
	k->bytes -= u->bytes;
	free(u);
}

void fast_kept_drop(struct dwarf_kept *k, struct fast_kept_file *f)
{
	size_t i = map64_get(&k->by_object, (uint64_t)(uintptr_t)f->object) - 1;

	for (size_t u = 0; f->units && u < f->file.n_units; u++)
		if (f->units[u].unit)
			drop_unit(k, f->units[u].unit);
	/* another file may come to lie where this one was */
	for (unsigned w = 0; w < k->n_workers; w++)
		fast_worker_forget(&k->workers[w]);
	k->bytes -= f->bytes;
	map64_remove(&k->by_object, (uint64_t)(uintptr_t)f->object);
	k->files[i] = NULL;
	fast_file_release(&f->file);
	free(f->claims);
	free(f->by_lo);
	free(f->highest);
	free(f->units);
	free(f);
}

/* NULL: there is none. */
static struct fast_kept_file *oldest_file(const struct dwarf_kept *k)
{
	struct fast_kept_file *oldest = NULL;

	for (size_t i = 0; i < k->n_files; i++)
		if (k->files[i] && (!oldest || k->files[i]->batch < oldest->batch))
			oldest = k->files[i];
	return oldest;
}

void dwarf_kept_begin(struct dwarf_kept *k)
{
	k->batch++;
	for (struct fast_kept_unit *u = k->oldest, *newer; k->bytes > k->limit && u; u = newer) {
		newer = u->newer;
		drop_unit(k, u);
	}
	for (struct fast_kept_file *f; k->bytes > k->limit && (f = oldest_file(k));)
		fast_kept_drop(k, f);
}

void fast_kept_workers(struct dwarf_kept *k, unsigned n)
{
	if (n <= k->n_workers)
		return;
	k->workers = mem_realloc(k->workers, n, sizeof *k->workers);
	k->scratch = mem_realloc(k->scratch, n, sizeof *k->scratch);
	for (; k->n_workers < n; k->n_workers++) {
		k->workers[k->n_workers] = (struct fast_worker){.cap = 0};
		k->scratch[k->n_workers] = (struct fast_scratch){.n_addrs = 0};
	}
}

void fast_kept_rest(struct dwarf_kept *k)
{
	bool much = k->workers[0].cap > SCRATCH || k->scratch[0].cap_addrs > SCRATCH;

	free_workers(k, much ? 0 : 1);
}

/* Claims. */

static void fast_kept_set_highest(struct fast_kept_file *f, size_t from, size_t to)
{
	size_t middle = from + (to - from) / 2;
	uint64_t highest = f->claims[f->by_lo[middle]].hi;
	size_t parts[2][2] = {{from, middle}, {middle + 1, to}};

	for (size_t i = 0; i < 2; i++) {
		size_t lo = parts[i][0], hi = parts[i][1];

		if (lo == hi)
			continue;
		fast_kept_set_highest(f, lo, hi);
		if (f->highest[lo + (hi - lo) / 2] > highest)
			highest = f->highest[lo + (hi - lo) / 2];
	}
	f->highest[middle] = highest;
}

static void fast_kept_plant(struct fast_kept_file *f)
{
	struct sort_item *items;

	if (f->by_lo)
		return;
	items = mem_array(f->n_claims, sizeof *items);
	for (size_t i = 0; i < f->n_claims; i++)
		items[i] = (struct sort_item){f->claims[i].lo, (uint32_t)i};
	sort_radix(items, f->n_claims);
	f->by_lo = mem_array(f->n_claims, sizeof *f->by_lo);
	f->highest = mem_array(f->n_claims, sizeof *f->highest);
	for (size_t i = 0; i < f->n_claims; i++)
		f->by_lo[i] = items[i].index;
	free(items);
	fast_kept_set_highest(f, 0, f->n_claims);
}

static void fast_kept_stab(const struct fast_kept_file *f, size_t from, size_t to, uint64_t addr,
			   struct fast_kept_found *found)
{
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		const struct fast_claim *c = &f->claims[f->by_lo[middle]];

		if (f->highest[middle] <= addr)
			return;
		fast_kept_stab(f, from, middle, addr, found);
		if (c->lo > addr)
			return;
		if (addr < c->hi)
			VEC_PUSH(found->all, found->n, found->cap) = f->by_lo[middle];
		from = middle + 1;
	}
}

static int fast_kept_by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

uint32_t *fast_kept_claims(struct fast_kept_file *f, const uint64_t *addrs, size_t n_addrs,
			   size_t *n)
{
	struct fast_kept_found found = {.n = 0};
	size_t kept = 0;

	*n = f->n_claims;
	if (f->n_claims / SPARSE < n_addrs || f->n_claims > UINT32_MAX)
		return NULL;
	fast_kept_plant(f);
	found.cap = n_addrs;
	found.all = mem_array(n_addrs, sizeof *found.all);
	for (size_t i = 0; i < n_addrs; i++)
		fast_kept_stab(f, 0, f->n_claims, addrs[i], &found);
	sort_array(found.all, found.n, sizeof *found.all, fast_kept_by_number);
	for (size_t i = 0; i < found.n; i++)
		if (!kept || found.all[kept - 1] != found.all[i])
			found.all[kept++] = found.all[i];
	*n = kept;
	return found.all;
}

/* Units. */

void fast_kept_use(struct dwarf_kept *k, struct fast_kept_file *f, uint32_t unit)
{
	struct fast_kept_unit *u = f->units[unit].unit;

	if (!u)
		return;
	u->batch = k->batch;
	fast_kept_unlink(k, u);
	fast_kept_put_first(k, u);
}

enum { RECENT = 1 << 10 };

/* From what the unit has made to what is kept of it. */
struct fast_packing {
	const struct dwarf_answers *from;
	struct dwarf_call *calls;
	size_t n_calls, cap_calls;
	uint32_t recent[RECENT]; /* numbers of some of them, where an equal one would be; 0: none */
	uint32_t *call_of, *text_of; /* by number in the store; 0: not yet */
	struct store_text *texts;    /* s is NULL of those that are copied, one behind the other */
	size_t n_texts, cap_texts;
	struct buf copied;
};

static uint32_t pack_text(struct fast_packing *p, uint32_t id, bool stays)
{
	uint32_t number = id & ~STORE_BIT;
	const char *s;
	size_t n;

	if (!id || p->text_of[number])
		return id ? p->text_of[number] : 0;
	s = dwarf_text(p->from, id, &n);
	if (!stays) {
		buf_add(&p->copied, s, n);
		buf_addc(&p->copied, '\0');
	}
	VEC_PUSH(p->texts, p->n_texts, p->cap_texts) =
	    (struct store_text){stays ? s : NULL, (uint32_t)n};
	return p->text_of[number] = (uint32_t)(p->n_texts - 1) | STORE_BIT;
}

/* What was packed, in one piece of memory behind the unit. */
static struct fast_kept_unit *fast_kept_lay(const struct fast_packing *p,
					    const struct fast_kept_piece *pieces, size_t n)
{
	size_t n_blocks = (p->n_texts + STORE_BLOCK - 1) / STORE_BLOCK;
	size_t bytes = sizeof(struct fast_kept_unit) + n_blocks * sizeof(struct store_text *) +
		       p->n_texts * sizeof *p->texts + p->n_calls * sizeof *p->calls +
		       n * sizeof *pieces + p->copied.len;
	struct fast_kept_unit *u = mem_alloc(bytes);
	const struct store_text **blocks = (void *)(u + 1);
	struct store_text *texts = (void *)(blocks + n_blocks);
	char *copied;

	*u = (struct fast_kept_unit){.bytes = bytes, .n = n, .as = {.bare = true}};
	u->as.calls = (void *)(texts + p->n_texts);
	u->as.n_calls = p->n_calls;
	u->as.store.texts = blocks;
	u->as.store.n_texts = p->n_texts;
	u->pieces = (void *)(u->as.calls + p->n_calls);
	u->copied = copied = (char *)(u->pieces + n);
	u->end = u->copied + p->copied.len;
	memcpy(u->as.calls, p->calls, p->n_calls * sizeof *p->calls);
	memcpy(u->pieces, pieces, n * sizeof *pieces);
	if (p->copied.len)
		memcpy(copied, p->copied.data, p->copied.len);
	for (size_t i = 0; i < n_blocks; i++)
		blocks[i] = texts + i * STORE_BLOCK;
	for (size_t i = 0; i < p->n_texts; i++) {
		texts[i] = p->texts[i];
		if (texts[i].s)
			continue;
		texts[i].s = copied;
		copied += texts[i].n + 1;
	}
	return u;
}

/* Most calls that are equal are of rows near each other: those are one. */
static uint32_t fast_kept_add_call(struct fast_packing *p, const struct dwarf_call *c)
{
	uint64_t mixed = ((uint64_t)c->outer << 32 | c->line) * UINT64_C(0x9e3779b97f4a7c15) +
			 (((uint64_t)c->function << 32 | c->file) ^ (uint64_t)c->column << 16) *
			     UINT64_C(0xff51afd7ed558ccd);
	uint32_t *at = &p->recent[mixed >> 54];

	if (*at && !memcmp(&p->calls[*at], c, sizeof *c))
		return *at;
	VEC_PUSH(p->calls, p->n_calls, p->cap_calls) = *c;
	*at = (uint32_t)(p->n_calls - 1);
	return *at;
}

static uint32_t fast_kept_pack_call(struct fast_packing *p, uint32_t call, bool names_stay)
{
	uint32_t path[LIMIT_NESTING + 2], n = 0, outer;
	struct dwarf_call made;

	for (; call && !p->call_of[call & ~STORE_BIT]; call = made.outer) {
		dwarf_call_at(p->from, call, &made);
		path[n++] = call;
	}
	outer = call ? p->call_of[call & ~STORE_BIT] : 0;
	while (n) {
		dwarf_call_at(p->from, path[--n], &made);
		made.outer = outer;
		made.function = pack_text(p, made.function, names_stay);
		made.file = pack_text(p, made.file, false);
		outer = p->call_of[path[n] & ~STORE_BIT] = fast_kept_add_call(p, &made);
	}
	return outer;
}

static struct fast_kept_unit *fast_kept_pack(const struct dwarf_answers *made,
					     const struct fast_pieces *pieces, bool names_stay)
{
	const uint64_t base = pieces->all[0].lo;
	struct fast_packing p = {.from = made};
	struct fast_kept_piece *all = mem_array(2 * pieces->n, sizeof *all);
	struct fast_kept_unit *u;
	size_t n = 0;

	VEC_PUSH(p.calls, p.n_calls, p.cap_calls) = (struct dwarf_call){0};
	p.call_of = mem_zarray(made->store.n_calls, sizeof *p.call_of);
	p.text_of = mem_zarray(made->store.n_texts, sizeof *p.text_of);
	for (size_t i = 0; i < pieces->n; i++) {
		const struct fast_piece *x = &pieces->all[i];

		if (i && pieces->all[i - 1].hi < x->lo)
			all[n++] = (struct fast_kept_piece){
			    .lo = (uint32_t)(pieces->all[i - 1].hi - base)};
		all[n++] = (struct fast_kept_piece){
		    .lo = (uint32_t)(x->lo - base),
		    .call = x->call ? fast_kept_pack_call(&p, x->call, names_stay) : 0,
		    .found = x->found};
	}
	u = fast_kept_lay(&p, all, n);
	u->base = base;
	free(p.calls);
	free(p.call_of);
	free(p.text_of);
	free(p.texts);
	buf_release(&p.copied);
	free(all);
	return u;
}

/* False: there is no room for it beside what this batch uses. */
static bool fast_kept_insert(struct dwarf_kept *k, struct fast_kept_of *of,
			     struct fast_kept_unit *u)
{
	bool fits;

	pthread_mutex_lock(&k->lock);
	for (struct fast_kept_unit *old = k->oldest, *newer;
	     k->bytes + u->bytes > k->limit && old && old->batch != k->batch; old = newer) {
		newer = old->newer;
		drop_unit(k, old);
	}
	fits = k->bytes + u->bytes <= k->limit;
	if (fits) {
		k->bytes += u->bytes;
		u->batch = k->batch;
		u->number = ++k->numbers;
		u->of = of;
		of->unit = u;
		fast_kept_put_first(k, u);
	}
	pthread_mutex_unlock(&k->lock);
	return fits;
}

/* NULL: its answers are not to be had in advance. */
static struct fast_kept_unit *fast_kept_decode(struct fast_kept_file *f, struct fast_worker *w,
					       struct fast_scratch *s, uint32_t unit)
{
	struct fast_kept_unit *u = NULL;
	struct fast_pieces pieces = {.n = 0};
	struct dwarf_answers *made = mem_zalloc(sizeof *made), *out = w->out;
	struct store_writer writer = w->writer;

	s->n_owned = s->places.n = 0;
	for (size_t i = f->units[unit].first_claim; i < f->units[unit + 1].first_claim; i++)
		fast_pieces_own(s, f->claims[i].lo, f->claims[i].hi);
	dwarf_answers_init(made, 0);
	made->bare = true;
	w->out = made;
	w->writer = (struct store_writer){.store = &made->store};
	if (fast_pieces_make(&f->file, w, s, unit, &pieces) &&
	    pieces.all[pieces.n - 1].hi - pieces.all[0].lo <= UINT32_MAX &&
	    made->store.n_calls < MOST_CALLS)
		u = fast_kept_pack(made, &pieces, !w->names.closed);
	store_writer_done(&w->writer);
	w->writer = writer;
	w->out = out;
	dwarf_answers_release(made);
	free(made);
	free(pieces.all);
	return u;
}

/* Copies of a kept unit's calls for a batch. */
struct fast_copying {
	struct fast_worker *w;
	const struct fast_kept_unit *u;
	uint32_t *calls,
	    *texts; /* by number: in the store; 0: not yet. NULL: for so few it is not worth it */
	uint32_t file, file_id; /* the last one */
};

static uint32_t copy_text(struct fast_copying *c, uint32_t text)
{
	uint32_t *known = c->texts ? &c->texts[text & ~STORE_BIT] : NULL, id;
	const char *s;
	size_t n;

	if (!text || (known && *known))
		return text ? *known : 0;
	s = dwarf_text(&c->u->as, text, &n);
	id = s >= c->u->copied && s < c->u->end ? store_copy(&c->w->writer, s, n)
						: store_text(&c->w->writer, s, n);
	if (known)
		*known = id;
	return id;
}

static uint32_t fast_kept_copy(struct fast_copying *c, uint32_t call)
{
	const struct dwarf_call *all = c->u->as.calls;
	uint32_t path[LIMIT_NESTING + 2], n = 0, outer;

	for (; call && !(c->calls && c->calls[call]); call = all[call].outer)
		path[n++] = call;
	outer = call ? c->calls[call] : 0;
	while (n) {
		struct dwarf_call made = all[path[--n]];

		if (made.file != c->file || !c->file_id) {
			c->file = made.file;
			c->file_id = copy_text(c, made.file);
		}
		made.outer = outer;
		made.function = copy_text(c, made.function);
		made.file = c->file_id;
		outer = store_call(&c->w->writer, &made);
		if (c->calls)
			c->calls[path[n]] = outer;
	}
	return outer;
}

/* The piece that holds an address of the unit, of those from a number on. */
static const struct fast_kept_piece *piece_at(const struct fast_kept_unit *u, size_t from,
					      uint64_t addr)
{
	uint64_t offset = addr - u->base;

	return &u->pieces[BISECT(i, from, u->n, u->pieces[i].lo <= offset) - 1];
}

static void fast_kept_give(const struct fast_kept_unit *u, struct fast_worker *w,
			   const uint64_t *addrs, struct fast_answers *a)
{
	struct fast_copying c = {.w = w, .u = u};
	struct dwarf_answer answer = {.call = 0};
	size_t at = 0, last = SIZE_MAX;

	if (a->n > FEW) {
		c.calls = mem_zarray(u->as.n_calls, sizeof *c.calls);
		c.texts = mem_zarray(u->as.store.n_texts, sizeof *c.texts);
	}
	for (size_t q = 0; q < a->n; q++) {
		at = (size_t)(piece_at(u, at, addrs[a->query[q]]) - u->pieces);
		if (at != last) {
			answer.call =
			    u->pieces[at].call ? fast_kept_copy(&c, u->pieces[at].call) : 0;
			answer.found = u->pieces[at].found;
			last = at;
		}
		a->to[a->direct ? q : a->query[q]] = answer;
	}
	a->made = true;
	free(c.calls);
	free(c.texts);
}

/* All of the unit is worth decoding: that takes as long as some answers do; where it is small, as one. */
static bool fast_kept_pays(const struct dwarf_kept *k, const struct fast_kept_file *f,
			   const struct fast_answers *a)
{
	const struct fast_unit *u = &f->file.units[a->unit];

	/* nothing is kept of a file that turns out not to be sound */
	if (f->extras || u->split || f->units[a->unit].never || !f->sound || !k->limit)
		return false;
	return f->units[a->unit].asked >= OFTEN ? a->n <= FEW
						: k->one && u->end - u->offset <= SMALL;
}

bool fast_kept_answer(struct dwarf_kept *k, struct fast_kept_file *f, struct fast_worker *w,
		      struct fast_scratch *s, const uint64_t *addrs, struct fast_answers *a)
{
	struct fast_kept_of *of = &f->units[a->unit];
	struct fast_kept_unit *u = of->unit;

	if (u) {
		fast_kept_give(u, w, addrs, a);
		return true;
	}
	if (!fast_kept_pays(k, f, a))
		return false;
	u = fast_kept_decode(f, w, s, a->unit);
	of->never = !u;
	if (!u)
		return false;
	fast_kept_give(u, w, addrs, a);
	if (!fast_kept_insert(k, of, u)) {
		of->asked = 0;
		free(u);
	}
	return true;
}

/* The unit whose ranges hold the address, the first one's of all; others: there are more. NULL: none has them. */
static struct fast_kept_of *fast_kept_owner(struct dwarf_kept *k, struct fast_kept_file *f,
					    uint64_t addr, bool *others)
{
	uint32_t first = UINT32_MAX;

	*others = false;
	k->found.n = 0;
	if (f->n_claims && !f->by_lo) {
		fast_kept_plant(f);
		fast_kept_count(k, f);
	}
	fast_kept_stab(f, 0, f->n_claims, addr, &k->found);
	for (size_t i = 0; i < k->found.n; i++)
		first = k->found.all[i] < first ? k->found.all[i] : first;
	if (!k->found.n)
		return NULL;
	for (size_t i = 0; i < k->found.n; i++)
		*others |= f->claims[k->found.all[i]].unit != f->claims[first].unit;
	return &f->units[f->claims[first].unit];
}

bool dwarf_kept_ask(struct dwarf_kept *k, const struct object *o,
		    const struct dwarf_options *options, uint64_t addr, struct dwarf_kept_answer *a)
{
	struct fast_kept_file *f = of_object(k, o);
	struct err ignored = ERR_INIT;
	const struct fast_kept_piece *piece;
	struct fast_kept_of *of;
	bool others;

	if (!f || !f->sound || !read_with(f, options) || f->n_claims > UINT32_MAX ||
	    object_intact(o, &ignored))
		return false;
	f->batch = k->batch;
	of = fast_kept_owner(k, f, addr, &others);
	*a = (struct dwarf_kept_answer){.answer.found = DWARF_NOT_FOUND};
	if (!of)
		return true;
	if (!of->unit)
		return false;
	piece = piece_at(of->unit, 0, addr);
	a->answers = &of->unit->as;
	a->unit = of->unit->number;
	a->answer = (struct dwarf_answer){piece->call, piece->found};
	fast_kept_use(k, f, (uint32_t)(of - f->units));
	/* what has no function is asked of the other owners, too */
	return piece->found == DWARF_FUNCTION || !others;
}
