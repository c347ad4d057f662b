/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/scope.h"

#include "lib/base/mem.h"
#include "lib/base/pages.h"
#include "lib/base/sort.h"

#include <limits.h>
#include <stdlib.h>

enum {
	SCOPE_BYTES = 64
}; /* of a unit for each of its scopes, or more: room for most is there before */

struct fast_level {
	uint32_t from, to; /* the addresses that may lie in what is inside */
	uint32_t scope;    /* index + 1 */
	uint32_t stamp;    /* of what narrows it, in walk.clock's time */
	bool dead;         /* inside a discarded function */
	bool has_end;
	const uint8_t *end; /* where DW_AT_sibling leads to, when it is there to be checked */
};

struct walk {
	const struct fast_file *f;
	const struct fast_unit *u;
	const struct abbrevs *t;
	const uint64_t *addrs;
	uint32_t n_addrs;
	uint32_t *node;
	bool everything, blocks;
	uint32_t *stamps, clock; /* NULL, or when each address was claimed last */
	bool inside;             /* what is claimed now should lie in what narrows it */
	/* What is inside lies within what is around it, unless that is empty. Not so in DWARF 2,
	 * which cannot say where a call is that was inlined in pieces. */
	bool narrow;
	/* Nor within its function, whose cold part is another DIE in a unit that has no lists of ranges
	 * (-gstrict-dwarf): what is inlined says more of an address than that. */
	bool pieces;
	fast_scopes_found_fn *found; /* instead of node */
	void *arg;
	struct budget *budget;
	struct fast_scopes *s;
	const uint8_t *unit, *end; /* the unit's bytes */
	enum status st;
};

static const char cut_short[] = "DIE: cut short";

/* why is without the DIE's place, which walk adds. */
static void fail(struct walk *w, enum status st, const char *why)
{
	w->st = st;
	w->s->why = why;
}

/* Where p is, in .debug_info. */
static inline uint64_t offset_of(const struct walk *w, const uint8_t *p)
{
	return w->u->offset + (uint64_t)(p - w->unit);
}

static void fail_at(struct walk *w, const uint8_t *die, enum status st, const char *why)
{
	fail(w, st, fast_fault(w->f, IN_INFO, offset_of(w, die), "%s", why));
}

/* Behind the op, or NULL. */
static const uint8_t *fast_scope_step(const struct walk *w, const struct abbrev_op *op,
				      const uint8_t *p)
{
	struct rd r = {.p = p, .end = w->end, .big_endian = w->f->big_endian};
	uint32_t kind = op->kind;
	size_t n;

	if (op->fixed > rd_left(&r))
		return NULL;
	r.p += op->fixed;
	if (kind == OP_INDIRECT) {
		int size = form_size(rd_uleb(&r), w->u->version, w->u->address_size, w->u->wide);

		if (size >= 0)
			rd_skip(&r, (uint64_t)size);
		if (size >= 0 || size == INT_MIN || -1 - size == OP_INDIRECT)
			return r.failed || size < 0 ? NULL : r.p;
		kind = (uint32_t)(-1 - size);
	}
	switch (kind) {
	case OP_LEB: rd_skip_leb(&r); break;
	case OP_STRING: rd_cstr(&r, &n); break;
	case OP_BLOCK1: rd_skip(&r, rd_u8(&r)); break;
	case OP_BLOCK2: rd_skip(&r, rd_u16(&r)); break;
	case OP_BLOCK4: rd_skip(&r, rd_u32(&r)); break;
	default: rd_skip(&r, rd_uleb(&r)); break;
	}
	return r.failed ? NULL : r.p;
}

static inline const uint8_t *behind_attrs(const struct walk *w, const struct abbrev *a,
					  const uint8_t *p)
{
	for (uint32_t i = 0; i < a->n_ops; i++) {
		p = fast_scope_step(w, &w->t->ops[a->first_op + i], p);
		if (!p)
			return NULL;
	}
	return a->tail <= (size_t)(w->end - p) ? p + a->tail : NULL;
}

/* Where DW_AT_sibling leads to; at: the first attribute. NULL: nowhere sensible. */
static inline const uint8_t *sibling(const struct walk *w, const struct abbrev *a,
				     const uint8_t *at)
{
	struct rd r = {.p = at, .end = w->end, .big_endian = w->f->big_endian};
	uint64_t to;

	for (uint32_t i = 0; i < a->sibling_ops; i++) {
		r.p = fast_scope_step(w, &w->t->ops[a->first_op + i], r.p);
		if (!r.p)
			return NULL;
	}
	rd_skip(&r, a->sibling_bytes);
	to = rd_uint(&r, a->sibling);
	if (r.failed || to > w->u->end - w->u->offset || to <= (uint64_t)(at - w->unit))
		return NULL;
	return w->unit + to;
}

static inline const struct abbrev *next_abbrev(const struct walk *w, const uint8_t **p,
					       uint64_t *code)
{
	struct rd r = {.p = *p, .end = w->end};

	*code = *r.p < 0x80 ? *r.p++ : rd_uleb(&r);
	*p = r.p;
	return *code && !r.failed ? abbrev_find(w->t, *code) : NULL;
}

/* Behind the children of a DIE that are not to be looked at. */
static const uint8_t *fast_scope_skip_children(struct walk *w, const uint8_t *p)
{
	uint64_t depth = 1, code;

	while (depth && p < w->end) {
		const struct abbrev *a = next_abbrev(w, &p, &code);

		if (!code) {
			depth--;
			continue;
		}
		if (!a || budget_spend(w->budget, 1))
			return NULL;
		if (a->children && a->sibling) {
			p = sibling(w, a, p);
		} else {
			p = behind_attrs(w, a, p);
			depth += a->children;
		}
		if (!p)
			return NULL;
	}
	return p;
}

/* Behind the DIEs at p that hold nothing to look for, in as few steps as can be: most are such.
 * What is not as it should be, and all others, are left to who looks at each. */
static inline const uint8_t *fast_scope_hop(struct walk *w, const uint8_t *p)
{
	enum { AT_ONCE = 4096 };
	const struct abbrev_hop *hops = w->t->hops;
	const uint8_t *unit = w->unit, *end = w->end;
	unsigned most = w->everything ? HOP_LEAF : w->f->big_endian ? HOP_DECLARATION : HOP_SIBLING;
	unsigned n = 0;

	for (; n < AT_ONCE && p < end; n++) {
		struct abbrev_hop hop = hops[*p];

		/* HOP_NONE is more than the most */
		if (hop.kind > most || hop.size > (size_t)(end - p))
			break;
		if (hop.kind == HOP_SIBLING) {
			uint32_t to;

			memcpy(&to, p + hop.size - sizeof to, sizeof to);
			if (to > (size_t)(end - unit) || to <= (size_t)(p + 1 - unit))
				break;
			p = unit + to;
		} else {
			p += hop.size;
		}
	}
	budget_spend(w->budget, n + 1); /* and the one behind them */
	return p;
}

static uint32_t first_at_least(const uint64_t *addrs, uint32_t from, uint32_t to, uint64_t addr)
{
	return BISECT(i, from, to, addrs[i] < addr);
}

static bool is_inlined(const struct walk *w, uint32_t node)
{
	return node && w->s->all[node - 1].abbrev->kind == KIND_INLINED;
}

/* The addresses [i, end) are claimed: widens *in by them; their node becomes id, unless that is 0.
 */
static void claim_range(struct walk *w, const struct fast_level *cur, uint32_t i, uint32_t end,
			uint32_t id, struct fast_level *in)
{
	for (uint32_t k = i; id && k < end; k++)
		if (!w->pieces || w->inside || !is_inlined(w, w->node[k]))
			w->node[k] = id;
	for (uint32_t k = i; w->stamps && k < end; k++) {
		w->s->loose |= w->inside && w->stamps[k] < cur->stamp;
		w->stamps[k] = w->clock;
	}
	budget_spend(w->budget, end - i);
	if (i < in->from)
		in->from = i;
	if (end > in->to)
		in->to = end;
}

/* Takes the addresses from cur that lie in the range. */
static void claim(struct walk *w, const struct fast_level *cur, struct fast_range range,
		  uint32_t id, struct fast_level *in)
{
	uint32_t i, end;

	if (w->found) {
		w->found(w->arg, range.lo, range.hi);
		return;
	}
	if (cur->from == cur->to || w->addrs[cur->from] >= range.hi ||
	    w->addrs[cur->to - 1] < range.lo)
		return;
	i = first_at_least(w->addrs, cur->from, cur->to, range.lo);
	if (i == cur->to || w->addrs[i] >= range.hi)
		return;
	for (end = i; end < cur->to && w->addrs[end] < range.hi; end++)
		;
	claim_range(w, cur, i, end, id, in);
}

/* One list is known by one number in a unit: an index of a list, or an offset. */
static uint64_t place_of(const struct fast_value *list)
{
	return list->v << 1 | (list->class == CLASS_LIST_INDEX);
}

static const struct fast_list *known_list(const struct walk *w, const struct fast_value *list)
{
	const struct fast_lists *l = &w->s->lists;
	uint32_t i = l->n ? map64_get(&l->by_place, place_of(list)) : 0;

	return i ? &l->all[i - 1] : NULL;
}

static int fast_scope_by_first(const void *a, const void *b)
{
	const struct fast_run *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Keeps what s->ranges, the list's, are for the addresses. NULL: so much is there already that
 * lists overlap. */
static const struct fast_list *fast_scope_remember(struct walk *w, const struct fast_value *list)
{
	const struct fast_ranges *ranges = &w->s->ranges;
	struct fast_lists *l = &w->s->lists;
	size_t first = l->n_runs, kept = first;

	if (first > (w->f->in[IN_RANGES].n + w->f->in[IN_RNGLISTS].n) / 2)
		return NULL;
	for (size_t i = 0; i < ranges->n; i++) {
		struct fast_range r = ranges->all[i];
		uint32_t from = first_at_least(w->addrs, 0, w->n_addrs, r.lo), to;

		to = first_at_least(w->addrs, from, w->n_addrs, r.hi);
		if (from < to)
			VEC_PUSH(l->runs, l->n_runs, l->cap_runs) =
			    (struct fast_run){from, to - from};
	}
	if (l->n_runs > first)
		sort_array(l->runs + first, l->n_runs - first, sizeof *l->runs,
			   fast_scope_by_first);
	for (size_t i = first; i < l->n_runs; i++) {
		struct fast_run r = l->runs[i], *last = kept > first ? &l->runs[kept - 1] : NULL;

		if (!last || r.first > last->first + last->n)
			l->runs[kept++] = r;
		else if (r.first + r.n > last->first + last->n)
			last->n = r.first + r.n - last->first;
	}
	l->n_runs = kept;
	VEC_PUSH(l->all, l->n, l->cap) =
	    (struct fast_list){.first = first, .n = (uint32_t)(kept - first), .living = ranges->n};
	*map64_put(&l->by_place, place_of(list)) = (uint32_t)l->n;
	return &l->all[l->n - 1];
}

/* As claim for each of its ranges. A caller that gets all ranges has got these already. */
static void fast_scope_claim_known(struct walk *w, const struct fast_list *list,
				   const struct fast_level *cur, uint32_t id, struct fast_level *in)
{
	const struct fast_run *runs = VEC_AT(w->s->lists.runs, list->first);
	/* the first that ends behind cur->from */
	uint32_t lo = BISECT(i, 0, list->n, runs[i].first + runs[i].n <= cur->from);

	for (; lo < list->n && runs[lo].first < cur->to; lo++) {
		uint32_t i = runs[lo].first, end = i + runs[lo].n;

		claim_range(w, cur, i > cur->from ? i : cur->from, end < cur->to ? end : cur->to,
			    id, in);
	}
}

static void forget_lists(struct fast_lists *l)
{
	if (l->n)
		map64_release(&l->by_place);
	l->n = l->n_runs = 0;
}

/* The list's ranges, or what is known of it. False: fail has been called. */
static bool fast_scope_claim_list(struct walk *w, const struct fast_value *list,
				  const struct fast_level *cur, uint32_t id, struct fast_level *in,
				  size_t *living)
{
	const struct fast_list *known = known_list(w, list);
	struct fast_ranges *ranges = &w->s->ranges;
	const char *why;

	if (known) {
		*living = known->living;
		fast_scope_claim_known(w, known, cur, id, in);
		return true;
	}
	why = fast_ranges_read_list(w->f, w->u, list, w->budget, ranges);
	if (why) {
		fail(w, ranges->limited ? ST_LIMIT : ST_BAD, why);
		return false;
	}
	*living = ranges->n;
	if (ranges->entries >= LONG_LIST)
		known = fast_scope_remember(w, list);
	if (known && !w->found) {
		fast_scope_claim_known(w, known, cur, id, in);
		return true;
	}
	for (size_t i = 0; i < ranges->n; i++)
		claim(w, cur, ranges->all[i], id, in);
	return true;
}

/* The DIE's ranges when they are not where an abbreviation's compiled form says. */
static bool fast_scope_far_ranges(struct walk *w, const struct abbrev *a, const uint8_t *at,
				  const struct fast_level *cur, uint32_t id, struct fast_level *in,
				  size_t *living)
{
	struct rd r = {.p = at, .end = w->end, .big_endian = w->f->big_endian};
	struct fast_value v, ranges = {.class = CLASS_NONE}, low = ranges, high = ranges;
	const char *why;
	bool there;

	budget_spend(w->budget, a->n_attrs / 8);
	for (uint32_t i = 0; i < a->n_attrs; i++) {
		const struct abbrev_attr *x = &w->t->attrs[a->first_attr + i];

		if (!fast_value_read(w->u, &r, x->form, x->implicit, &v)) {
			fail(w, ST_BAD, cut_short);
			return false;
		}
		if (x->name == DW_AT_ranges && !ranges.form)
			ranges = v;
		else if (x->name == DW_AT_low_pc && !low.form)
			low = v;
		else if (x->name == DW_AT_high_pc && !high.form)
			high = v;
	}
	if (ranges.form)
		return fast_scope_claim_list(w, &ranges, cur, id, in, living);
	why = fast_ranges_read(w->f, w->u, &ranges, &low, &high, w->budget, &w->s->ranges, &there);
	if (why)
		fail(w, ST_BAD, why);
	if (why || !there)
		return false;
	*living = w->s->ranges.n;
	for (size_t i = 0; i < w->s->ranges.n; i++)
		claim(w, cur, w->s->ranges.all[i], id, in);
	return true;
}

/* Calls claim for each living range. False: the DIE does not say where it is. */
static inline bool fast_scope_claim_ranges(struct walk *w, const struct abbrev *a,
					   const uint8_t *at, const struct fast_level *cur,
					   uint32_t id, struct fast_level *in, size_t *living)
{
	struct rd r = {.p = at, .end = w->end, .big_endian = w->f->big_endian};
	struct fast_range one;

	*living = 0;
	if (!a->has_pc)
		return false;
	if (!a->near)
		return fast_scope_far_ranges(w, a, at, cur, id, in, living);
	if (a->ranges != ABBREV_FAR) {
		struct fast_value v = {.class = CLASS_OFFSET};

		rd_skip(&r, a->ranges);
		v.v = rd_offset(&r, w->u->wide);
		if (!r.failed)
			return fast_scope_claim_list(w, &v, cur, id, in, living);
	} else {
		if (a->high == ABBREV_FAR)
			return false;
		rd_skip(&r, a->low);
		one.lo = rd_uint(&r, w->u->address_size);
		r.p = r.failed ? r.end : at;
		rd_skip(&r, a->high);
		one.hi = rd_uint(&r, a->high_size ? a->high_size : w->u->address_size);
	}
	if (r.failed) {
		fail(w, ST_BAD, cut_short);
		return false;
	}
	if (a->high_size)
		one.hi = one.hi > UINT64_MAX - one.lo ? UINT64_MAX : one.lo + one.hi;
	*living = one.lo < one.hi && range_lives(w->f, one.lo);
	if (*living)
		claim(w, cur, one, id, in);
	return true;
}

/* A function or an inlined call: *next is what its children are in. False: they do not matter. */
static bool fast_scope_enter(struct walk *w, const struct abbrev *a, const uint8_t *die,
			     const uint8_t *at, const struct fast_level *cur,
			     struct fast_level *next)
{
	struct fast_scopes *s = w->s;
	bool inlined = a->kind == KIND_INLINED, there, matched, known;
	struct fast_level in = {.from = UINT32_MAX};
	uint32_t id = (uint32_t)s->n + 1;
	size_t living;

	if (inlined && cur->dead)
		return w->everything; /* what is inlined into a discarded function is dead, too */
	w->clock++;
	w->inside = inlined;
	there = fast_scope_claim_ranges(w, a, at, cur, id, &in, &living);
	matched = in.to > 0;
	known = inlined ? living && w->narrow : !w->pieces;
	if (!matched && !w->everything && (known || !a->children))
		return false;
	if (s->n >= LIMIT_SCOPES) {
		fail(w, ST_LIMIT, "too many functions");
		return false;
	}
	if (!w->found && (matched || a->children)) {
		VEC_PUSH(s->all, s->n, s->cap) = (struct fast_scope){
		    .die = offset_of(w, die),
		    .abbrev = a,
		    .parent = inlined ? cur->scope : 0,
		};
		next->scope = id;
	}
	if (!inlined)
		next->dead = there && !living;
	if (!w->everything && known) {
		next->from = in.from;
		next->to = in.to;
		next->stamp = w->clock;
	}
	return true;
}

/* A block narrows what its children are in. Its ranges are no more than a hint. */
static bool enter_block(struct walk *w, const struct abbrev *a, const uint8_t *at,
			const struct fast_level *cur, struct fast_level *next)
{
	struct fast_level in = {.from = UINT32_MAX};
	size_t living;

	w->clock++;
	w->inside = true;
	if (w->blocks)
		fast_scope_claim_ranges(w, a, at, cur, 0, &in, &living);
	if (w->everything || !w->narrow ||
	    !fast_scope_claim_ranges(w, a, at, cur, 0, &in, &living) || !living)
		return true;
	next->from = in.from;
	next->to = in.to;
	next->stamp = w->clock;
	return in.to > 0;
}

static void fast_scope_walk(struct walk *w, struct fast_level top)
{
	struct fast_scopes *s = w->s;
	const uint8_t *start = w->unit + (w->u->die - w->u->offset), *p = start;
	uint64_t code;
	const struct abbrev *a = next_abbrev(w, &p, &code);
	const uint8_t pass = w->everything ? ABBREV_PASS_ALWAYS : ABBREV_PASS;
	struct fast_level *cur = s->stack;

	p = a ? behind_attrs(w, a, p) : NULL;
	if (!p) {
		fail_at(w, start, ST_BAD,
			a ? "unit DIE: cut short" : "unit DIE: the abbreviation is missing");
		return;
	}
	if (!a->children)
		return;
	*cur = top;
	while ((p = fast_scope_hop(w, p)) < w->end) {
		const uint8_t *die = p, *at;
		bool descend;

		a = next_abbrev(w, &p, &code);
		if (!code) {
			s->loose |= cur->has_end && cur->end != p;
			if (cur == s->stack)
				return;
			cur--;
			continue;
		}
		if (!a) {
			fail_at(w, die, ST_BAD, "DIE: the abbreviation is missing");
			return;
		}
		at = p;
		descend = !(a->passes & pass);
		if (descend) {
			cur[1] = *cur;
			if (a->kind == KIND_BLOCK)
				descend = enter_block(w, a, at, cur, cur + 1);
			else if (a->kind == KIND_FUNCTION || a->kind == KIND_INLINED)
				descend = fast_scope_enter(w, a, die, at, cur, cur + 1);
		}
		if (!w->st && w->budget->over)
			fail(w, ST_LIMIT, "takes longer than its time limit");
		if (w->st) {
			fail_at(w, die, w->st, w->s->why);
			return;
		}
		if (!a->children || descend) {
			p = behind_attrs(w, a, at);
		} else if (a->sibling) {
			p = sibling(w, a, at);
		} else {
			p = behind_attrs(w, a, at);
			p = p ? fast_scope_skip_children(w, p) : NULL;
		}
		if (!p) {
			fail_at(w, die, w->budget->over ? ST_LIMIT : ST_BAD, cut_short);
			return;
		}
		if (a->children && descend) {
			if (cur - s->stack == LIMIT_NESTING - 1) {
				fail_at(w, die, ST_LIMIT, "DIEs are nested too deeply");
				return;
			}
			cur++;
			cur->has_end = w->blocks && a->sibling;
			if (cur->has_end)
				cur->end = sibling(w, a, at);
		}
	}
}

/* One more than is entered: what a DIE would be is made where it would be. */
static void make_stack(struct fast_scopes *s)
{
	if (!s->stack)
		s->stack = mem_array(LIMIT_NESTING + 1, sizeof *s->stack);
}

static void make_room(struct fast_scopes *s, size_t n)
{
	if (s->n || n <= s->cap)
		return;
	free(s->all);
	s->cap = n + n / 2;
	s->all = pages_array(s->cap, sizeof *s->all);
}

static const uint8_t *unit_start(const struct fast_file *f, const struct fast_unit *u)
{
	return u->near ? u->near : f->in[IN_INFO].p + u->offset;
}

enum status fast_scopes_walk(const struct fast_file *f, const struct fast_unit *u,
			     const struct abbrevs *t, const uint64_t *addrs, size_t n,
			     bool everything, struct budget *b, struct fast_scopes *s,
			     uint32_t *node)
{
	struct walk w = {.f = f,
			 .u = u,
			 .t = t,
			 .addrs = addrs,
			 .n_addrs = (uint32_t)n,
			 .node = node,
			 .everything = everything,
			 .stamps = everything ? NULL : s->stamps,
			 .narrow = u->version > 2,
			 .pieces = u->version < 3 && !u->ranged,
			 .budget = b,
			 .s = s,
			 .unit = unit_start(f, u),
			 .end = unit_start(f, u) + (u->end - u->offset)};

	memset(node, 0, n * sizeof *node);
	make_stack(s);
	make_room(s, (size_t)(u->end - u->offset) / SCOPE_BYTES + 1);
	forget_lists(&s->lists);
	fast_scope_walk(&w, (struct fast_level){.to = (uint32_t)n});
	return w.st;
}

enum status fast_scopes_ranges(const struct fast_file *f, const struct fast_unit *u,
			       const struct abbrevs *t, bool blocks, struct budget *b,
			       struct fast_scopes *s, fast_scopes_found_fn *found, void *arg)
{
	static const uint64_t none;
	uint32_t nowhere;
	struct walk w = {.f = f,
			 .u = u,
			 .t = t,
			 .addrs = &none,
			 .node = &nowhere,
			 .everything = true,
			 .blocks = blocks,
			 .found = found,
			 .arg = arg,
			 .budget = b,
			 .s = s,
			 .unit = unit_start(f, u),
			 .end = unit_start(f, u) + (u->end - u->offset)};

	make_stack(s);
	forget_lists(&s->lists);
	fast_scope_walk(&w, (struct fast_level){.scope = 0});
	return w.st;
}

void fast_scopes_release(struct fast_scopes *s)
{
	free(s->all);
	free(s->stack);
	free(s->ranges.all);
	forget_lists(&s->lists);
	free(s->lists.all);
	free(s->lists.runs);
	*s = (struct fast_scopes){.n = 0};
}
