/* SPDX-License-Identifier: MIT
 *
 * Snapshots as graphs: dominators against the definition (take d away and look what is lost),
 * their tree and groups likewise, shortest paths against a second search, and what is odd in captures.
 */
#include "lib/base/num.h"
#include "lib/report/heap/dominators.h"
#include "lib/report/heap/parts.h"
#include "lib/report/heap/view.h"
#include "tests/unit/heap.h"

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

/* Marks what `from` (0: the roots) reaches without going through objects of the type `without`, or
 * through the object `object`; where not is given, what it has is left alone. */
static void reach(const struct heap *h, uint32_t from, uint32_t object, uint32_t without,
		  const bool * not, bool *seen)
{
	bool again = true;

	seen[from] = true;
	while (again) {
		again = false;
		for (uint32_t i = 0; i <= h->n; i++)
			for (uint32_t r = h->out_start[i]; seen[i] && r < h->out_start[i + 1];
			     r++) {
				uint32_t to = h->out[r];

				if (to != object && !seen[to] &&
				    (!without || heap_type(h, to) != without) &&
				    (!not || !not [to]))
					again = seen[to] = true;
			}
	}
}

/* What the roots reach without going through `without` (0: all). */
static void flood(const struct heap *h, uint32_t without, bool *seen)
{
	memset(seen, 0, h->n + 1);
	reach(h, 0, without, 0, NULL, seen);
}

/* All that is there without the objects of a type: of what roots reach, what they reach then; of
 * the rest the same from those that nothing refers to, then from what is left in the order of the
 * numbers. */
static void keep(const struct heap *h, uint32_t without, bool *kept)
{
	bool rooted[64] = {false}, loose[64] = {false}, referred[64] = {false}, found[64];

	memset(kept, 0, h->n + 1);
	reach(h, 0, 0, 0, NULL, rooted);
	reach(h, 0, 0, without, NULL, kept);
	for (uint32_t r = 0; r < h->n_references; r++)
		referred[h->out[r]] = true;
	memcpy(found, rooted, sizeof found);
	for (int left = 0; left < 2; left++)
		for (uint32_t i = 1; i <= h->n; i++) {
			if (found[i] || (!left && referred[i]))
				continue;
			reach(h, i, 0, 0, rooted, found);
			if (heap_type(h, i) != without) {
				memset(loose, 0, sizeof loose);
				reach(h, i, 0, without, rooted, loose);
				for (uint32_t k = 1; k <= h->n; k++)
					kept[k] |= loose[k];
			}
		}
}

static void check_dominators(const struct heap *h)
{
	struct heap_dominators d;
	struct heap_held held;
	bool all[64], without[64];

	heap_dominators_init(&d, h);
	heap_held_init(&held, &d, h);
	flood(h, 0, all);
	for (uint32_t i = 1; i <= h->n; i++) {
		uint64_t bytes = 0;
		uint32_t count = 0;

		if (!all[i])
			continue;
		flood(h, i, without);
		for (uint32_t k = 1; k <= h->n; k++) {
			bool lost = all[k] && !without[k], below = false;

			for (uint32_t up = k; up; up = d.idom[up])
				below |= up == i;
			if (all[k])
				CHECK_EQ(below, lost);
			bytes += lost ? heap_size(h, k) : 0;
			count += lost;
		}
		CHECK_EQ(held.bytes[i], bytes);
		CHECK_EQ(held.count[i], count);
	}
	for (uint32_t k = 0; k < h->n; k++) /* dominators come first */
		for (uint32_t j = 0; j < k; j++)
			CHECK(d.idom[d.order[j]] != d.order[k]);
	heap_held_release(&held);
	heap_dominators_release(&d);
}

/* Against the definition: take a type away, and look what is lost. */
static void check_groups(const struct heap_set *s, const struct heap *h)
{
	struct heap_part p;
	struct heap_groups g;

	heap_part_init(&p, s, h, true);
	heap_groups_init(&g, s, HEAP_BY_TYPE, NULL);
	heap_groups_add(&g, &p);
	CHECK(!g.unknown_retained);
	for (size_t i = 0; i < g.n; i++) {
		uint64_t bytes = 0, count = 0;
		bool kept[64];

		keep(h, (uint32_t)g.items[i].key, kept);
		for (uint32_t k = 1; k <= h->n; k++) {
			bytes += kept[k] ? 0 : heap_size(h, k);
			count += !kept[k];
		}
		CHECK_EQ(g.items[i].retained, bytes);
		CHECK_EQ(g.items[i].retained_count, count);
	}
	heap_groups_release(&g);
	heap_part_release(&p);
}

static uint64_t cell_of(const struct table *t, const struct table_row *r, const char *key,
			const struct table_cell **cell)
{
	for (size_t k = 0; k < t->n_columns; k++)
		if (!strcmp(t->columns[k].key, key)) {
			if (cell)
				*cell = &r->cells[k];
			return r->cells[k].number;
		}
	return 0;
}

/* All rows: what one retains is its own size, and what the rows beneath it retain; each object is in
 * one row. Without the object of a row, its bytes are lost. */
static void check_tree(const struct heap_set *s, const struct heap *h)
{
	const struct heap_view_options o = {.what = "all"};
	uint64_t retained[64], beneath[64] = {0}, own[64], sizes = 0, count = 0;
	uint32_t depth[64];
	struct table_cell cells[16];
	const struct table *t;
	struct heap_view *v;
	struct heap_part p;
	bool all[64], without[64];

	heap_part_init(&p, s, h, true);
	v = heap_view_dominators(s, &p, &o);
	t = heap_view_table(v);
	flood(h, 0, all);
	for (size_t i = 0; i < t->n_rows && CHECK(i < 64); i++) {
		struct table_row r = {.cells = cells};
		const struct table_cell *id = cells;
		uint64_t lost = 0, number;
		uint32_t object;

		memset(cells, 0, sizeof cells);
		t->fill(t->arg, i, &r);
		retained[i] = cell_of(t, &r, "retained", NULL);
		own[i] = cell_of(t, &r, "size", NULL);
		depth[i] = r.depth;
		sizes += own[i];
		count += cell_of(t, &r, "count", NULL);
		for (size_t up = i; up-- > 0;)
			if (depth[up] < depth[i]) {
				CHECK_EQ(depth[up] + 1, depth[i]);
				CHECK(retained[up] >= retained[i]);
				beneath[up] += retained[i];
				break;
			}
		cell_of(t, &r, "object", &id);
		if (!id->present)
			continue;
		CHECK(num_auto(id->text, id->len, &number));
		object = heap_find(h, number);
		if (!all[object])
			continue;
		flood(h, object, without);
		for (uint32_t k = 1; k <= h->n; k++)
			lost += all[k] && !without[k] ? heap_size(h, k) : 0;
		CHECK_EQ(retained[i], lost);
	}
	for (size_t i = 0; i < t->n_rows; i++)
		CHECK_EQ(own[i] + beneath[i], retained[i]);
	if (t->n_rows) {
		CHECK_EQ(count, h->n_listed);
		CHECK_EQ(sizes, retained[0]);
	}
	heap_view_free(v);
	heap_part_release(&p);
}

static void check_paths(const struct heap_set *s, const struct heap *h)
{
	struct heap_paths p;
	bool all[64];

	heap_paths_init(&p, s, h);
	flood(h, 0, all);
	for (uint32_t i = 1; i <= h->n; i++) {
		CHECK_EQ(p.distance[i] != 0, all[i]);
		if (!all[i])
			continue;
		CHECK_EQ(h->out[p.via[i]], i);
		CHECK_EQ(p.distance[heap_source(h, p.via[i])] + 1, p.distance[i]);
		for (uint32_t r = 0; r < h->n_references; r++) /* no shorter one */
			if (h->out[r] == i && all[heap_source(h, r)])
				CHECK(p.distance[i] <= p.distance[heap_source(h, r)] + 1 ||
				      !heap_source(h, r));
	}
	heap_paths_release(&p);
}

TEST(dominators_groups_and_paths_of_random_graphs)
{
	for (uint32_t round = 0; round < 400; round++) {
		struct heap_set s;
		struct heap *h;
		uint32_t n, m;
		const char *const types[] = {"A", "B", "C", "D", "E"};

		seed = round;
		n = 1 + random_below(40);
		m = random_below(n * 3);
		heap_set_init(&s);
		heap_begin(&s);
		for (uint32_t i = 1; i <= n; i++)
			heap_object(&s, i, types[random_below(5)], random_below(1000), NULL);
		heap_reference(&s, 0, 1 + random_below(n), "root");
		for (uint32_t i = 0; i < m; i++)
			heap_reference(&s, random_below(n + 1), 1 + random_below(n),
				       random_below(2) ? "a" : "b");
		h = heap_end(&s);
		if (CHECK(h != NULL)) {
			check_dominators(h);
			check_paths(&s, h);
			check_groups(&s, h);
			check_tree(&s, h);
		}
		heap_set_release(&s);
	}
}

/* A chain is as deep as there are objects: no recursion may be. */
TEST(a_chain_of_a_million)
{
	enum { N = 1000000 };
	struct heap_dominators d;
	struct heap_held held;
	struct heap_paths p;
	struct buf b = BUF_INIT;
	struct heap_set s;
	struct heap *h;

	heap_set_init(&s);
	heap_begin(&s);
	heap_reference(&s, 0, 1, "root");
	for (uint32_t i = 1; i <= N; i++) {
		heap_object(&s, i, "Node", 8, NULL);
		if (i < N)
			heap_reference(&s, i, i + 1, "next");
	}
	h = heap_end(&s);
	heap_dominators_init(&d, h);
	heap_held_init(&held, &d, h);
	CHECK_EQ(held.bytes[1], 8 * N);
	CHECK_EQ(held.count[N / 2 + 1], N / 2);
	heap_held_release(&held);
	heap_dominators_release(&d);
	heap_paths_init(&p, &s, h);
	CHECK_EQ(p.distance[N], N);
	heap_path_text(&b, &s, h, &p, N, false);
	CHECK(b.len < 1000 && strstr(buf_str(&b), " ... (999935 more) ... "));
	CHECK(!strncmp(b.data, "root.next.next", 14));
	buf_release(&b);
	heap_paths_release(&p);
	heap_set_release(&s);
}

TEST(paths_are_told_from_the_root)
{
	struct buf b = BUF_INIT;
	struct heap_paths p;
	struct heap_set s;
	struct heap *h;

	heap_set_init(&s);
	heap_begin(&s);
	heap_reference(&s, 0, 70, "a.long.way.round");
	heap_reference(&s, 0, 70, "_G.b");
	heap_reference(&s, 0, 70, "_G.a");
	heap_object(&s, 70, "table", -1, "main.lua:1");
	heap_object(&s, 71, "table", -1, NULL);
	heap_object(&s, 72, "table", -1, NULL);
	heap_reference(&s, 70, 71, "[3]");
	heap_reference(&s, 71, 72, NULL);
	h = heap_end(&s);
	CHECK(!h->has_sizes);
	heap_paths_init(&p, &s, h);
	heap_path_text(&b, &s, h, &p, heap_find(h, 72), false);
	CHECK_STR(buf_str(&b), "_G.a[3][]");
	buf_release(&b);
	heap_paths_release(&p);
	heap_set_release(&s);
}

TEST(what_is_odd)
{
	struct heap_dominators d;
	struct heap_held held;
	struct heap_set s;
	struct heap *h;

	heap_set_init(&s);
	heap_begin(&s);
	heap_reference(&s, 1, 0xffffffffffffffff, "x"); /* both not there yet */
	heap_object(&s, 1, "A", 5, NULL);
	heap_object(&s, 1, "B", 7, NULL); /* again */
	heap_object(&s, 0, "C", 7, NULL); /* not an id */
	heap_reference(&s, 1, 0, "null");
	heap_reference(&s, 1, 1, "self");
	heap_object(&s, 0xffffffffffffffff, "D", 0, NULL);
	heap_reference(&s, 0x7000, 1, "from nowhere");
	h = heap_end(&s);
	CHECK_EQ(h->n, 3);
	CHECK_EQ(h->n_listed, 2);
	CHECK_EQ(h->repeated, 1);
	CHECK_EQ(h->not_listed, 1);
	CHECK(h->guessed_roots);
	CHECK_EQ(h->n_references, 4); /* the guessed root too */
	heap_dominators_init(&d, h);
	heap_held_init(&held, &d, h);
	CHECK_EQ(held.count[heap_find(h, 0x7000)], 2);
	CHECK_EQ(held.bytes[heap_find(h, 0x7000)], 5);
	heap_held_release(&held);
	heap_dominators_release(&d);
	heap_begin(&s);
	heap_end(&s);
	CHECK_EQ(s.n, 1); /* nothing in it: no snapshot */
	heap_set_release(&s);
}

/* Ids first out of reach of the array, then in it. */
TEST(ids_of_all_sizes)
{
	struct heap_set s;
	struct heap *h;

	heap_set_init(&s);
	heap_begin(&s);
	heap_object(&s, 200000, "A", 1, NULL);
	for (uint32_t i = 1; i <= 100000; i++)
		heap_object(&s, i * 2, "A", 1, NULL);
	heap_reference(&s, 0, 200000, "r");
	h = heap_end(&s);
	CHECK_EQ(h->n, 100000);
	CHECK_EQ(h->repeated, 1);
	CHECK_EQ(h->out[0], 1);
	heap_set_release(&s);
}

TEST_MAIN()
