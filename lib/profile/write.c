/* SPDX-License-Identifier: MIT */
#include "lib/profile/write.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	size_t key, known; /* in text */
	size_t n_key, n_known;
};

/* Records on their way: they are sorted before they are written, the rows of a key apart from those
 * of others. But for stacks, whose keys have all their calls: those follow one by one in the order
 * of the tree. */
struct maker {
	const struct aggregate_source *s;
	struct aggregate_writer *w;
	struct aggregate_record rec;
	struct aggregate_place at;
	struct buf text, scratch;
	struct entry *entries;
	size_t n_entries, cap_entries;
};

static struct aggregate_text text_of(const struct maker *m, uint32_t string)
{
	struct aggregate_text t = {"", 0};

	if (string)
		t.s = entities_text(m->s->entities, string, &t.n);
	return t;
}

static struct aggregate_record *begin(struct maker *m, enum aggregate_kind kind)
{
	aggregate_record_clear(&m->rec);
	m->rec.key.kind = kind;
	return &m->rec;
}

static void finish(struct maker *m)
{
	struct entry e = {.key = m->text.len};

	aggregate_key_write(&m->rec.key, &m->text);
	e.n_key = m->text.len - e.key;
	e.known = m->text.len;
	aggregate_record_write(&m->rec, &m->text);
	e.n_known = m->text.len - e.known;
	VEC_PUSH(m->entries, m->n_entries, m->cap_entries) = e;
}

static __int128 number_of(unsigned sum, uint64_t v)
{
	return sum_is_signed(sum) ? (__int128)(int64_t)v : (__int128)v;
}

/* Means are worked out by those who read. */
static void add_sums(struct maker *m, const struct tally_sums *s, unsigned first)
{
	for (unsigned has = s->has & ~SUM_BIT(SUM_TIME_MEAN); has; has &= has - 1) {
		unsigned i = (unsigned)__builtin_ctz(has);

		aggregate_value_add(aggregate_record_make(&m->rec, first + i),
				    number_of(i, s->v[i]), m->at, true);
	}
}

static void add_known(struct maker *m, const struct profile_known *k)
{
	memcpy(m->rec.marks, k->state, SUMS);
	/* Programs before it refuse a reason that they do not know. */
	for (unsigned s = 0; s < SUMS; s++)
		m->rec.marks[SUMS + s] = k->unknown_reason[s] >= UNKNOWN_UNIDENTIFIED
					     ? UNKNOWN_ABSENT
					     : k->unknown_reason[s];
}

static struct aggregate_text mixed(const struct maker *m, uint32_t string)
{
	return string == PROFILE_MIXED ? (struct aggregate_text){"(several)", 9}
				       : text_of(m, string);
}

static void add_metrics(struct buf *b)
{
	static const char *const units[] = {
	    [SUM_NUMBER] = "", [SUM_BYTES] = " B", [SUM_NS] = " ns"};

	for (unsigned i = 0; i < SUMS; i++)
		buf_addf(b, "%s%s%s", i ? ", " : "", metric_table[i].key,
			 units[metric_table[i].unit]);
}

static void aggregate_write_add_head(struct maker *m)
{
	const struct profile *s = m->s->profile;
	struct aggregate_record *r = begin(m, AGG_HEAD);

	m->scratch.len = 0;
	add_metrics(&m->scratch);
	r->texts[0] = text_of(m, s->options);
	r->texts[1] = mixed(m, s->sampling);
	r->texts[2] = (struct aggregate_text){m->scratch.data, m->scratch.len};
	r->texts[3] = mixed(m, s->period[0]);
	r->texts[4] = text_of(m, s->clock);
	r->counts[0] = s->captures;
	r->counts[1] = s->frames;
	r->counts[2] = s->duration;
	finish(m);
	r = begin(m, AGG_FORMAT);
	r->key.name = mixed(m, s->format);
	r->counts[0] = s->captures;
	finish(m);
}

static void aggregate_write_add_provenance(struct maker *m)
{
	const struct profile *s = m->s->profile;
	struct aggregate_record *r;

	for (size_t i = 0; i < s->n_modules; i++) {
		r = begin(m, AGG_MODULE);
		r->key.name = text_of(m, s->modules[i].name);
		r->key.second = text_of(m, s->modules[i].build_id);
		r->counts[0] = 1;
		finish(m);
	}
	for (size_t i = 0; i < m->s->n_notes; i++) {
		r = begin(m, AGG_NOTE);
		r->key.which = m->s->notes[i].severity;
		r->key.name = m->s->notes[i].text;
		r->counts[0] = m->s->notes[i].count;
		r->counts[1] = 1;
		finish(m);
	}
}

static void add_whole(struct maker *m, unsigned which, const struct tally_sums *sums)
{
	struct aggregate_record *r = begin(m, AGG_WHOLE);

	r->key.which = which;
	if (which == AGG_ALL)
		add_known(m, &m->s->profile->known);
	add_sums(m, sums, 0);
	finish(m);
}

static void add_counters(struct maker *m)
{
	const struct profile *s = m->s->profile;

	for (size_t i = 0; i < s->n_counters; i++) {
		const struct counter_stats *c = &s->counters[i].stats;
		struct aggregate_record *r = begin(m, AGG_COUNTER);
		const decimal all[] = {c->last, c->min, c->max, (decimal)c->sum.fraction};
		unsigned decimals = 0;
		struct aggregate_value *v;
		__int128 unit = DECIMAL_ONE;

		for (size_t k = 0; k < sizeof all / sizeof *all; k++)
			if (decimal_places(all[k]) > decimals)
				decimals = decimal_places(all[k]);
		for (unsigned k = 0; k < decimals; k++)
			unit /= 10; /* of a decimal: 10^-18 that make one of 10^-decimals */

		r->key.name = text_of(m, s->counters[i].name);
		r->key.second = text_of(m, s->counters[i].unit);
		v = aggregate_record_make(r, AGG_READING);
		aggregate_value_set(
		    v, c->n, c->sum.whole * (DECIMAL_ONE / unit) + (__int128)c->sum.fraction / unit,
		    c->min / unit, c->max / unit, m->at);
		v->decimals = decimals;
		v = aggregate_record_make(r, AGG_LAST);
		aggregate_value_add(v, c->last / unit, m->at, !decimals);
		v->decimals = decimals;
		finish(m);
	}
}

struct numbered { /* before: the events before the first frame, which are in no frame */
	bool before;
	int64_t number;
	size_t row;
};

static int aggregate_write_number_order(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->before != y->before)
		return x->before ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static void add_frame(struct maker *m, const struct numbered *n)
{
	const struct aggregate_frame *f = &m->s->frames[n->row];
	struct tally_sums s = columns_get(m->s->frame_sums, n->row);

	m->at = (struct aggregate_place){m->at.input, n->number, !n->before};
	s.has &= AGG_FRAME_SUMS & m->s->frames_known;
	add_sums(m, &s, 0);
	if (f->has_duration)
		aggregate_value_add(aggregate_record_make(&m->rec, AGG_DURATION), f->duration,
				    m->at, true);
}

static void aggregate_write_add_frames(struct maker *m)
{
	const struct aggregate_frame *frames = m->s->frames;
	struct aggregate_place of_file = m->at;
	struct numbered *order = mem_array(m->s->n_frames + 1, sizeof *order);
	size_t n = m->s->n_frames, first = 0;

	for (size_t i = 0; i < n; i++) {
		bool before = frames[i].before;

		order[i] = (struct numbered){before, before ? 0 : frames[i].number, i};
		first += before;
	}
	sort_array(order, n, sizeof *order, aggregate_write_number_order);
	for (size_t i = 0; i < n;) {
		struct aggregate_record *r = begin(m, AGG_FRAME);
		struct numbered at = order[i];

		r->key.which = !at.before;
		r->key.frame = at.number;
		for (; i < n && order[i].before == at.before && order[i].number == at.number; i++) {
			const struct aggregate_frame *f = &frames[order[i].row];

			add_frame(m, &order[i]);
			if (f->name && !r->texts[0].n)
				r->texts[0] = (struct aggregate_text){f->name, f->n_name};
		}
		finish(m);
	}
	if (n > first) {
		begin(m, AGG_FRAMES);
		for (size_t i = first; i < n; i++)
			add_frame(m, &order[i]);
		finish(m);
	}
	m->at = of_file;
	free(order);
}

static void add_place_text(struct maker *m, const struct profile_entity *t)
{
	const uint32_t parts[] = {t->raw, t->module, t->file};

	m->scratch.len = 0;
	for (size_t i = 0; i < 3; i++) {
		struct aggregate_text s = text_of(m, parts[i]);

		buf_add(&m->scratch, s.s, strnlen(s.s, s.n)); /* a raw name without its file */
		buf_addc(&m->scratch, '\0');
	}
	buf_add_u64(&m->scratch, t->line);
	buf_addc(&m->scratch, '\0');
	if (t->inside)
		buf_addc(&m->scratch, '1');
	m->rec.texts[1] = (struct aggregate_text){m->scratch.data, m->scratch.len};
}

static bool aggregate_write_fill_row(struct maker *m, enum key by, uint32_t entity)
{
	const struct profile_key *k = &m->s->profile->keys[by];
	const struct profile_entity *t = &m->s->entities->keys[by].items[entity];
	struct tally_sums self = columns_get(&k->self, entity),
			  total = columns_get(&k->total, entity);
	struct profile_place at = profile_place_of(m->s->profile, entity);
	struct aggregate_record *r;

	if (!self.has && !total.has)
		return false;
	r = begin(m, AGG_ROW);
	r->key.by = by;
	r->key.name = text_of(m, t->name);
	r->key.raw = text_of(m, t->raw);
	r->key.module = text_of(m, t->module);
	r->key.file = text_of(m, t->file);
	r->key.line = t->line;
	r->key.inside = t->inside;
	if (by == KEY_FUNCTION || by == KEY_SITE || by == KEY_STACK)
		r->texts[0] = r->key.name;
	if (by == KEY_STACK && t->node)
		add_place_text(m, t);
	if (by == KEY_FUNCTION && (at.line || t->folded))
		add_place_text(m, &(struct profile_entity){
				      .file = at.file, .line = at.line, .inside = t->folded});
	add_sums(m, &self, 0);
	add_sums(m, &total, AGG_TOTAL);
	return true;
}

static bool key_written(const struct maker *m, enum key by)
{
	return m->s->profile->keys[by].held && by != KEY_LOCATION && by != KEY_FRAME;
}

static uint64_t count_rows(const struct maker *m, enum key by)
{
	const struct profile_key *k = &m->s->profile->keys[by];
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->s->entities->keys[by].n; i++)
		n += profile_has_row(k, i);
	return n;
}

/* When all others are there but the rows. */
static void aggregate_write_add_input(struct maker *m)
{
	const struct profile *s = m->s->profile;
	struct aggregate_record *r = begin(m, AGG_INPUT);
	uint64_t rows = 0;
	char run[17];

	for (enum key k = 0; k < KEYS; k++)
		rows += key_written(m, k) ? count_rows(m, k) : 0;
	r->key.hash = m->s->origin.hash;
	r->key.bytes = m->s->origin.bytes;
	r->texts[0] = (struct aggregate_text){m->s->origin.name, strlen(m->s->origin.name)};
	r->texts[1] = (struct aggregate_text){TM_VERSION, strlen(TM_VERSION)};
	r->texts[2] = mixed(m, s->format);
	r->texts[3] = mixed(m, s->program);
	r->texts[4] = text_of(m, s->arguments);
	if (s->run) {
		snprintf(run, sizeof run, "%016" PRIx64, s->run);
		r->texts[5] = (struct aggregate_text){run, sizeof run - 1};
	}
	r->counts[0] = 1;
	r->counts[1] = s->captures;
	r->counts[2] = s->frames;
	r->counts[3] = m->n_entries + 1 + rows;
	finish(m);
}

static void add_key(struct maker *m, enum key by)
{
	struct aggregate_record *r = begin(m, AGG_KEY);

	r->key.by = by;
	r->counts[0] = m->s->profile->captures;
	add_known(m, &m->s->profile->keys[by].known);
	finish(m);
}

static int aggregate_write_entry_order(const void *a, const void *b, void *arg)
{
	const struct entry *x = a, *y = b;
	const char *text = arg;
	int r = memcmp(text + x->key, text + y->key, x->n_key < y->n_key ? x->n_key : y->n_key);

	return r ? r : (x->n_key > y->n_key) - (x->n_key < y->n_key);
}

static void emit(struct maker *m, const struct entry *e)
{
	aggregate_writer_add(m->w, m->text.data + e->key, e->n_key, m->text.data + e->known,
			     e->n_known);
}

/* --- stacks: a tree of calls, walked from the outermost, callees in the order of their names ---
 */

struct tree {
	struct maker *m;
	uint32_t *rank;           /* by function: in the order of keys */
	uint32_t *order;          /* nodes, those of one parent side by side */
	uint32_t *first, *entity; /* by node: in order; the stack + 1 that it is */
	size_t n_nodes;
	struct buf key; /* of the stack that the walk is at, as bytes */
	size_t same;    /* so many of them are those of the last record */
};

static int aggregate_write_function_order(const void *a, const void *b, void *arg)
{
	struct profile_entities *t = arg;
	const struct profile_entity *items = t->keys[KEY_FUNCTION].items;

	return entities_order(t, KEY_FUNCTION, &items[*(const uint32_t *)a],
			      &items[*(const uint32_t *)b]);
}

static int aggregate_write_node_order(const void *a, const void *b, void *arg)
{
	const struct tree *t = arg;
	const struct profile_stack *nodes = t->m->s->entities->stacks.rows;
	const struct profile_stack *x = &nodes[*(const uint32_t *)a];
	const struct profile_stack *y = &nodes[*(const uint32_t *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return (t->rank[x->location] > t->rank[y->location]) -
	       (t->rank[x->location] < t->rank[y->location]);
}

static void aggregate_write_tree_init(struct tree *t, struct maker *m)
{
	struct profile_entities entities = *m->s->entities; /* qsort_r takes no const */
	const struct entities_key *stacks = &entities.keys[KEY_STACK];
	size_t functions = entities.keys[KEY_FUNCTION].n;
	uint32_t *by_rank = mem_array(functions + 1, sizeof *by_rank);

	*t = (struct tree){.m = m, .n_nodes = entities.stacks.n};
	t->rank = mem_array(functions + 1, sizeof *t->rank);
	t->order = mem_array(t->n_nodes + 1, sizeof *t->order);
	t->first = mem_zarray(t->n_nodes + 2, sizeof *t->first);
	t->entity = mem_zarray(t->n_nodes + 1, sizeof *t->entity);
	for (uint32_t i = 0; i < functions; i++)
		by_rank[i] = i;
	sort_array_by(by_rank, functions, sizeof *by_rank, aggregate_write_function_order,
		      &entities);
	for (uint32_t i = 0; i < functions; i++)
		t->rank[by_rank[i]] = i;
	free(by_rank);
	for (uint32_t i = 1; i < t->n_nodes; i++) {
		t->order[i - 1] = i;
		t->first[entities.stacks.rows[i].parent + 1]++;
	}
	for (size_t i = 0; i < t->n_nodes; i++)
		t->first[i + 1] += t->first[i];
	sort_array_by(t->order, t->n_nodes - 1, sizeof *t->order, aggregate_write_node_order, t);
	for (uint32_t i = 0; i < stacks->n; i++)
		t->entity[stacks->items[i].node] = i + 1;
}

static void tree_release(struct tree *t)
{
	free(t->rank);
	free(t->order);
	free(t->first);
	free(t->entity);
	buf_release(&t->key);
}

static void add_stack(struct tree *t, uint32_t node)
{
	struct maker *m = t->m;
	size_t text = m->text.len;

	if (!t->entity[node] || !aggregate_write_fill_row(m, KEY_STACK, t->entity[node] - 1))
		return;
	aggregate_record_write(&m->rec, &m->text);
	aggregate_writer_add_same(m->w, t->same, t->key.data, t->key.len, m->text.data + text,
				  m->text.len - text);
	m->text.len = text;
	t->same = t->key.len;
}

static void aggregate_write_add_stacks(struct maker *m)
{
	const struct profile_entities *entities = m->s->entities;
	size_t depth = 0, cap_at = 0, cap_ends = 0;
	size_t *ends = NULL; /* by depth: of the key of the calls above */
	uint32_t *at = NULL; /* by depth: the next of order */
	struct tree t;

	aggregate_write_tree_init(&t, m);
	begin(m, AGG_ROW)->key.by = KEY_STACK;
	aggregate_key_write(&m->rec.key, &t.key);
	add_stack(&t, 0);
	at = mem_grow(at, &cap_at, 1, sizeof *at);
	at[0] = t.first[0];
	/* at[depth] goes through the callees of the call at depth - 1. */
	for (uint32_t parent = 0;;) {
		const struct profile_stack *n;
		struct aggregate_call call;
		uint32_t node;

		if (at[depth] == t.first[parent + 1]) {
			if (!depth)
				break;
			parent = entities->stacks.rows[parent].parent;
			t.key.len = ends[--depth];
			t.same = t.same < t.key.len ? t.same : t.key.len;
			continue;
		}
		node = t.order[at[depth]++];
		n = &entities->stacks.rows[node];
		call.raw = text_of(m, entities->keys[KEY_FUNCTION].items[n->location].raw);
		call.module = text_of(m, entities->keys[KEY_FUNCTION].items[n->location].module);
		ends = mem_grow(ends, &cap_ends, depth + 1, sizeof *ends);
		ends[depth++] = t.key.len;
		aggregate_key_add_call(&t.key, &call);
		add_stack(&t, node);
		at = mem_grow(at, &cap_at, depth + 1, sizeof *at);
		at[depth] = t.first[node];
		parent = node;
	}
	free(at);
	free(ends);
	tree_release(&t);
}

static void sort_entries(struct maker *m, size_t first)
{
	if (m->n_entries > first)
		sort_array_by(m->entries + first, m->n_entries - first, sizeof *m->entries,
			      aggregate_write_entry_order, m->text.data);
}

/* Text and entries are used again for each key: rows are by far the most. */
static void emit_rows(struct maker *m, enum key by)
{
	size_t first = m->n_entries, text = m->text.len;

	for (uint32_t i = 0; i < m->s->entities->keys[by].n; i++)
		if (aggregate_write_fill_row(m, by, i))
			finish(m);
	sort_entries(m, first);
	for (size_t i = first; i < m->n_entries; i++)
		emit(m, &m->entries[i]);
	m->n_entries = first;
	m->text.len = text;
}

static int aggregate_write_word_order(const void *a, const void *b)
{
	return strcmp(key_words[*(const enum key *)a], key_words[*(const enum key *)b]);
}

/* As aggregate_key_write has it: kinds by number, rows by the word of their key. */
static void aggregate_write_emit_all(struct maker *m)
{
	enum key keys[KEYS];
	size_t i = 0, before = m->n_entries;

	sort_entries(m, 0);
	for (; i < before && (uint8_t)m->text.data[m->entries[i].key] < AGG_ROW; i++)
		emit(m, &m->entries[i]);
	for (enum key k = 0; k < KEYS; k++)
		keys[k] = k;
	sort_array(keys, KEYS, sizeof *keys, aggregate_write_word_order);
	for (size_t k = 0; k < KEYS; k++) {
		if (!key_written(m, keys[k]))
			continue;
		if (keys[k] == KEY_STACK)
			aggregate_write_add_stacks(m);
		else
			emit_rows(m, keys[k]);
	}
	for (; i < before; i++)
		emit(m, &m->entries[i]);
}

void aggregate_write(const struct aggregate_source *s, struct aggregate_writer *w)
{
	struct maker m = {.s = s, .w = w, .at = {.input = s->origin.hash}};

	aggregate_write_add_head(&m);
	aggregate_write_add_provenance(&m);
	add_whole(&m, AGG_ALL, &s->profile->all);
	add_whole(&m, AGG_UNFILTERED, &s->profile->unfiltered);
	for (unsigned i = 0; i <= TIERS; i++)
		if (s->profile->coverage[i].has)
			add_whole(&m, AGG_COVERAGE + i, &s->profile->coverage[i]);
	aggregate_write_add_frames(&m);
	add_counters(&m);
	for (enum key k = 0; k < KEYS; k++)
		if (key_written(&m, k))
			add_key(&m, k);
	aggregate_write_add_input(&m);
	aggregate_write_emit_all(&m);
	aggregate_record_release(&m.rec);
	buf_release(&m.text);
	buf_release(&m.scratch);
	free(m.entries);
}
