/* SPDX-License-Identifier: MIT */
#include "lib/report/baseline.h"

#include "lib/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct writer {
	const struct things *t;
	const struct summary *s;
	struct buf *out;
	struct buf part;  /* the section in progress */
	uint32_t *string; /* ours -> the file's; while collecting 1 for what is used */
	uint32_t *node;   /* the same of nodes */
	uint32_t *nodes;  /* the file's -> ours */
	size_t n_nodes;
	struct buf checksums;
};

static void add_u32(struct buf *b, uint32_t v)
{
	uint8_t bytes[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};

	buf_add(b, bytes, sizeof bytes);
}

static void add_u64(struct buf *b, uint64_t v)
{
	add_u32(b, (uint32_t)v);
	add_u32(b, (uint32_t)(v >> 32));
}

static void end_section(struct writer *w, const char kind[4])
{
	const uint8_t *k = (const uint8_t *)kind;
	uint64_t seed = k[0] | k[1] << 8 | k[2] << 16 | (uint64_t)k[3] << 24;
	uint64_t sum = hash_bytes_seeded(w->part.data ? w->part.data : "", w->part.len, seed);

	buf_add(w->out, kind, 4);
	add_u32(w->out, 0);
	add_u64(w->out, w->part.len);
	add_u64(w->out, sum);
	if (w->part.len)
		buf_add(w->out, w->part.data, w->part.len);
	add_u64(&w->checksums, sum);
	w->part.len = 0;
}

static void number(struct writer *w, uint64_t v)
{
	buf_add_uleb(&w->part, v);
}

static void string(struct writer *w, uint32_t id)
{
	number(w, id ? w->string[id] : 0);
}

static void add_sums(struct writer *w, const struct sums *s)
{
	unsigned values = 0;

	for (unsigned i = 0; i < SUMS; i++)
		values |= (unsigned)(s->v[i] != 0 && s->has >> i & 1) << i;
	number(w, s->has);
	number(w, values);
	for (unsigned i = 0; i < SUMS; i++)
		if (values >> i & 1)
			number(w, s->v[i]);
}

static void add_known(struct writer *w, const struct run_known *k)
{
	for (unsigned i = 0; i < SUMS; i++) {
		number(w, k->state[i]);
		number(w, k->lack[i]);
	}
}

static bool has_row(const struct summary_key *k, uint32_t thing)
{
	return columns_has(&k->self, thing) || columns_has(&k->total, thing);
}

static size_t n_rows(const struct summary_key *k)
{
	return k->self.n > k->total.n ? k->self.n : k->total.n;
}

/* The largest first, by the first metric that tells two apart; then by identity. */
struct order {
	const struct writer *w;
	enum key key;
};

static int weight_order(const void *a, const void *b, void *arg)
{
	static const enum sum by[] = {SUM_REAL, SUM_REQUESTED, SUM_COUNT, SUM_TIME_SELF,
				      SUM_ENTRIES};
	const struct order *o = arg;
	const struct columns *c = &o->w->s->keys[o->key].self;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
		uint64_t vx = columns_value(c, x, by[i]), vy = columns_value(c, y, by[i]);

		if (vx != vy)
			return vx > vy ? -1 : 1;
	}
	return things_order(o->w->t, o->key, &o->w->t->keys[o->key].items[x],
			    &o->w->t->keys[o->key].items[y]);
}

static int identity_order(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;

	return things_order(o->w->t, o->key, &o->w->t->keys[o->key].items[*(const uint32_t *)a],
			    &o->w->t->keys[o->key].items[*(const uint32_t *)b]);
}

static uint32_t *rows_of(const struct writer *w, enum key key, size_t *n)
{
	const struct summary_key *k = &w->s->keys[key];
	size_t all = n_rows(k);
	uint32_t *rows = mem_array(all + 1, sizeof *rows);

	*n = 0;
	for (uint32_t i = 0; i < all; i++)
		if (has_row(k, i))
			rows[(*n)++] = i;
	return rows;
}

static void use_thing(struct writer *w, const struct thing *t)
{
	w->string[t->name] = w->string[t->raw] = w->string[t->module] = w->string[t->file] = 1;
}

struct rows {
	uint32_t *items;
	size_t n, named; /* the first named of them are written with their calls */
};

/* What is written of a key, and marks what it needs. */
static struct rows choose(struct writer *w, enum key key, struct summary_key *cut)
{
	const struct summary_key *k = &w->s->keys[key];
	struct order o = {w, key};
	struct rows r = {.items = rows_of(w, key, &r.n)};

	cut->cut = k->cut;
	cut->rest = k->rest;
	if (key == KEY_STACK) {
		qsort_r(r.items, r.n, sizeof *r.items, weight_order, &o);
		for (; r.n > BASELINE_STACKS; r.n--) {
			struct sums s = columns_get(&k->self, r.items[r.n - 1]);

			cut->cut++;
			sums_add(&cut->rest, &s);
		}
		r.named = r.n < BASELINE_NAMED ? r.n : BASELINE_NAMED;
		for (size_t i = 0; i < r.named; i++)
			for (uint32_t n = w->t->keys[key].items[r.items[i]].node; n && !w->node[n];
			     n = w->t->nodes[n].parent) {
				w->node[n] = 1;
				use_thing(w,
					  &w->t->keys[KEY_FUNCTION].items[w->t->nodes[n].function]);
			}
	}
	for (size_t i = 0; i < r.n; i++)
		use_thing(w, &w->t->keys[key].items[r.items[i]]);
	qsort_r(r.items, r.n, sizeof *r.items, identity_order, &o);
	return r;
}

static int string_order(const void *a, const void *b, void *arg)
{
	const struct things *t = arg;
	size_t na, nb;
	const char *x = things_text(t, *(const uint32_t *)a, &na);
	const char *y = things_text(t, *(const uint32_t *)b, &nb);
	int r = memcmp(x, y, na < nb ? na : nb);

	return r ? r : (na > nb) - (na < nb);
}

static uint32_t word(const struct things *t, const char *s)
{
	return intern_find(&t->strings, s, strlen(s));
}

static void write_strings(struct writer *w)
{
	size_t all = intern_count(&w->t->strings), n = 0;
	uint32_t *used = mem_array(all + 1, sizeof *used);
	struct things t = *w->t; /* qsort_r takes no const */

	for (uint32_t i = 1; i <= all; i++)
		if (w->string[i])
			used[n++] = i;
	qsort_r(used, n, sizeof *used, string_order, &t);
	number(w, n);
	for (size_t i = 0; i < n; i++) {
		size_t len;
		const char *s = things_text(w->t, used[i], &len);

		w->string[used[i]] = (uint32_t)i + 1;
		number(w, len);
		buf_add(&w->part, s, len);
	}
	free(used);
	end_section(w, "strs");
}

static void write_meta(struct writer *w)
{
	const struct summary *s = w->s;

	number(w, SUMS);
	for (unsigned i = 0; i < SUMS; i++)
		string(w, word(w->t, sum_names[i].key));
	number(w, s->captures);
	number(w, s->frames);
	number(w, s->duration);
	for (unsigned i = 0; i <= NOTE_LOSS; i++)
		number(w, s->notes[i]);
	number(w, s->format == RUN_MIXED ? 0 : (s->format ? w->string[s->format] : 0) + 1);
	number(w, s->sampling == RUN_MIXED ? 0 : (s->sampling ? w->string[s->sampling] : 0) + 1);
	string(w, s->options);
	number(w, s->n_modules);
	for (size_t i = 0; i < s->n_modules; i++) {
		string(w, s->modules[i].name);
		string(w, s->modules[i].build_id);
	}
	add_known(w, &s->known);
	add_sums(w, &s->all);
	add_sums(w, &s->unfiltered);
	number(w, TIERS + 1);
	for (unsigned i = 0; i <= TIERS; i++)
		add_sums(w, &s->coverage[i]);
	number(w, SUM_REAL + 1);
	for (unsigned i = 0; i <= SUM_REAL; i++) {
		int64_t n = s->worst[i].number;

		number(w, (uint64_t)n << 1 ^ (uint64_t)(n >> 63));
		for (unsigned k = 0; k <= SUM_REAL; k++)
			number(w, s->worst[i].v[k]);
	}
	end_section(w, "meta");
}

static void write_signed(struct writer *w, int64_t v)
{
	number(w, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static void write_counters(struct writer *w)
{
	const struct summary *s = w->s;

	if (!s->n_counters)
		return;
	number(w, s->n_counters);
	for (size_t i = 0; i < s->n_counters; i++) {
		const struct counter_stats *c = &s->counters[i].stats;
		uint64_t bits;

		string(w, s->counters[i].name);
		string(w, s->counters[i].unit);
		number(w, c->n);
		write_signed(w, c->last);
		write_signed(w, c->min);
		write_signed(w, c->max);
		memcpy(&bits, &c->sum, sizeof bits);
		add_u64(&w->part, bits);
	}
	end_section(w, "ctrs");
}

static int node_order(const void *a, const void *b, void *arg)
{
	const struct writer *w = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct things_node *m = &w->t->nodes[x], *n = &w->t->nodes[y];

	/* By parent, as the file numbers it, then by what the call is. */
	if (m->parent != n->parent)
		return w->node[m->parent] < w->node[n->parent] ? -1 : 1;
	return things_order(w->t, KEY_FUNCTION, &w->t->keys[KEY_FUNCTION].items[m->function],
			    &w->t->keys[KEY_FUNCTION].items[n->function]);
}

/* Level by level, so that a node's number follows from what it is and not from when it was made. */
static void number_nodes(struct writer *w)
{
	size_t all = w->t->n_nodes, level = 0, n = 0;
	uint32_t *depth = mem_zarray(all + 1, sizeof *depth), deepest = 0;
	size_t *at;

	w->nodes = mem_array(all + 1, sizeof *w->nodes);
	for (uint32_t i = 1; i < all; i++) { /* parents have smaller ids */
		depth[i] = depth[w->t->nodes[i].parent] + 1;
		if (w->node[i] && depth[i] > deepest)
			deepest = depth[i];
	}
	at = mem_zarray((size_t)deepest + 2, sizeof *at);
	for (uint32_t i = 1; i < all; i++)
		if (w->node[i])
			at[depth[i]]++, n++;
	for (size_t d = 0, sum = 0; d <= deepest; d++) {
		size_t here = at[d];

		at[d] = sum;
		sum += here;
	}
	at[deepest + 1] = n;
	for (uint32_t i = 1; i < all; i++)
		if (w->node[i])
			w->nodes[at[depth[i]]++] = i;
	for (size_t d = 1; d <= deepest; level = at[d], d++) {
		qsort_r(w->nodes + level, at[d] - level, sizeof *w->nodes, node_order, w);
		for (size_t i = level; i < at[d]; i++)
			w->node[w->nodes[i]] = (uint32_t)i + 1;
	}
	w->n_nodes = n;
	free(depth);
	free(at);
}

static void write_nodes(struct writer *w)
{
	number_nodes(w);
	number(w, w->n_nodes);
	for (size_t i = 0; i < w->n_nodes; i++) {
		const struct things_node *n = &w->t->nodes[w->nodes[i]];
		const struct thing *f = &w->t->keys[KEY_FUNCTION].items[n->function];

		number(w, n->parent ? w->node[n->parent] : 0);
		string(w, f->name);
		string(w, f->raw);
		string(w, f->module);
	}
	end_section(w, "node");
}

static void write_row(struct writer *w, enum key key, uint32_t row)
{
	enum { INSIDE = 1, ADDRESS = 2, TOTALS = 4 };
	const struct summary_key *k = &w->s->keys[key];
	const struct thing *t = &w->t->keys[key].items[row];
	struct sums self = columns_get(&k->self, row), total = columns_get(&k->total, row);

	string(w, t->name);
	string(w, t->raw);
	string(w, t->module);
	string(w, t->file);
	number(w, t->line);
	number(w, (t->inside ? INSIDE : 0u) | (t->has_address ? ADDRESS : 0u) |
		      (total.has ? TOTALS : 0u));
	if (t->has_address)
		number(w, t->address);
	if (key == KEY_STACK) {
		add_u64(&w->part, t->hash);
		add_u64(&w->part, t->canonical);
		number(w, t->node ? w->node[t->node] : 0);
	}
	add_sums(w, &self);
	if (total.has)
		add_sums(w, &total);
}

void baseline_write(const struct things *t, const struct summary *s, struct buf *out)
{
	struct writer w = {.t = t, .s = s, .out = out};
	struct rows rows[KEYS] = {{.n = 0}};
	struct summary_key cut[KEYS] = {{.cut = 0}};

	w.string = mem_zarray((size_t)intern_count(&t->strings) + 1, sizeof *w.string);
	w.node = mem_zarray(t->n_nodes + 1, sizeof *w.node);
	for (enum key k = 0; k < KEYS; k++)
		if (s->keys[k].held && k != KEY_LOCATION && k != KEY_FRAME) {
			rows[k] = choose(&w, k, &cut[k]);
			w.string[word(t, key_words[k])] = 1;
		}
	for (unsigned i = 0; i < SUMS; i++)
		w.string[word(t, sum_names[i].key)] = 1;
	for (size_t i = 0; i < s->n_modules; i++)
		w.string[s->modules[i].name] = w.string[s->modules[i].build_id] = 1;
	for (size_t i = 0; i < s->n_counters; i++)
		w.string[s->counters[i].name] = w.string[s->counters[i].unit] = 1;
	if (s->format != RUN_MIXED)
		w.string[s->format] = 1;
	if (s->sampling != RUN_MIXED)
		w.string[s->sampling] = 1;
	w.string[s->options] = 1;

	buf_add(out, BASELINE_MAGIC, 8);
	add_u32(out, 1); /* major 1, minor 0 */
	add_u32(out, 0);
	write_strings(&w);
	write_meta(&w);
	write_counters(&w);
	write_nodes(&w);
	for (enum key k = 0; k < KEYS; k++) {
		if (!rows[k].items)
			continue;
		string(&w, word(t, key_words[k]));
		add_known(&w, &s->keys[k].known);
		number(&w, cut[k].cut);
		add_sums(&w, &cut[k].rest);
		number(&w, key_has_total(k));
		number(&w, rows[k].n);
		for (size_t i = 0; i < rows[k].n; i++)
			write_row(&w, k, rows[k].items[i]);
		free(rows[k].items);
		end_section(&w, "rows");
	}
	add_u64(&w.part, hash_bytes(w.checksums.data, w.checksums.len));
	end_section(&w, "end ");
	buf_release(&w.part);
	buf_release(&w.checksums);
	free(w.string);
	free(w.node);
	free(w.nodes);
}

enum status baseline_save(const struct things *t, const struct summary *s, const char *path,
			  struct err *e)
{
	struct buf b = BUF_INIT, aside = BUF_INIT;
	enum status st = ST_OK;
	mode_t mask = umask(0);
	FILE *f;
	int fd;

	umask(mask);
	baseline_write(t, s, &b);
	buf_addf(&aside, "%s.XXXXXX", path);
	buf_str(&aside);
	fd = mkstemp(aside.data);
	f = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!f) {
		st = err_sys(e, "it cannot be made");
		if (fd >= 0)
			close(fd);
	} else {
		bool bad = fwrite(b.data, 1, b.len, f) != b.len;

		fchmod(fd, 0666 & ~mask); /* mkstemp's 0600 is not what the user asked for */
		bad |= fclose(f) != 0;
		if (bad || rename(aside.data, path)) {
			st = err_sys(e, "it cannot be written");
			unlink(aside.data);
		}
	}
	buf_release(&aside);
	buf_release(&b);
	return st;
}
