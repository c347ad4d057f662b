/* SPDX-License-Identifier: MIT
 *
 * Filters, keys, trees and filter_sink.h on random captures, against sums over strings: a stack is a
 * string of one-letter functions, innermost first.
 */
#include "lib/group/filter_sink.h"
#include "lib/group/rank.h"
#include "lib/report/top/tree.h"
#include "testdata/gen/gen.h"
#include "tests/unit/report.h"

enum { LETTERS = 6, DEPTH = 8, STACKS = 24, RECORDS = 60, ROUNDS = 150 };

struct record {
	char stack[DEPTH + 1]; /* "" is no stack */
	char type;
	uint64_t bytes;
	bool freed;
};

struct game {
	struct record records[RECORDS];
	size_t n;
};

struct choice { /* sets of letters; "" is no filter */
	char focus[3], ignore[2], type[2], hide[3], show[5], prune[2], file[3];
};

static uint64_t seed = 11;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)lcg_below(&seed, n);
}

static void draw_letters(char *to, size_t most)
{
	size_t n = pick((uint32_t)most + 1);

	for (size_t i = 0; i < n; i++)
		to[i] = (char)('A' + pick(LETTERS));
	to[n] = '\0';
}

static void draw_game(struct game *g)
{
	char stacks[STACKS][DEPTH + 1];

	for (size_t i = 0; i < STACKS; i++)
		draw_letters(stacks[i], DEPTH);
	g->n = RECORDS;
	for (size_t i = 0; i < g->n; i++) {
		memcpy(g->records[i].stack, stacks[pick(STACKS)], DEPTH + 1);
		g->records[i].type = (char)('T' + pick(3));
		g->records[i].bytes = 1 + pick(1000);
		g->records[i].freed = pick(3) == 0;
	}
}

static void draw_choice(struct choice *c, bool views)
{
	memset(c, 0, sizeof *c);
	if (!pick(2))
		draw_letters(c->focus, 2);
	if (!pick(3))
		draw_letters(c->ignore, 1);
	if (!pick(3))
		c->type[0] = (char)('T' + pick(3));
	if (!pick(4))
		draw_letters(c->file, 2);
	if (views && !pick(3))
		draw_letters(c->hide, 2);
	if (views && !pick(4))
		draw_letters(c->show, 4);
	if (views && !pick(3))
		draw_letters(c->prune, 1);
}

/* The stack as the filters leave it in *to; false: the record is dropped. */
static bool naive(const struct choice *c, const struct record *r, char *to)
{
	size_t n = 0, from = 0;

	for (const char *f = c->focus; *f; f++)
		if (!strchr(r->stack, *f))
			return false;
	if (*c->ignore && strchr(r->stack, *c->ignore))
		return false;
	if (*c->type && *c->type != r->type)
		return false;
	if (*c->file && !strpbrk(r->stack, c->file))
		return false;
	for (const char *s = r->stack; *s; s++)
		if (!(*c->hide && strchr(c->hide, *s)) && (!*c->show || strchr(c->show, *s)))
			to[n++] = *s;
	to[n] = '\0';
	if (*r->stack && !n)
		return false;
	if (*c->prune && strchr(to, *c->prune))
		from = (size_t)(strchr(to, *c->prune) - to);
	memmove(to, to + from, n - from + 1);
	return true;
}

static void add_each(struct filters *f, enum filter_kind kind, const char *letters)
{
	struct err e = ERR_INIT;
	char pattern[8];

	for (; *letters; letters++) {
		snprintf(pattern, sizeof pattern, kind == FILTER_FILE ? "^%c\\.c$" : "^%c$",
			 *letters);
		CHECK_EQ(filters_add(f, kind, "--test", pattern, 0, &e), ST_OK);
	}
}

static struct filters *filters_of(const struct choice *c)
{
	struct filters *f = filters_new();

	add_each(f, FILTER_FOCUS, c->focus);
	add_each(f, FILTER_IGNORE, c->ignore);
	add_each(f, FILTER_TYPE, c->type);
	add_each(f, FILTER_HIDE, c->hide);
	add_each(f, FILTER_SHOW, c->show);
	add_each(f, FILTER_PRUNE, c->prune);
	add_each(f, FILTER_FILE, c->file);
	return f;
}

static void play(struct sink *to, const struct game *g)
{
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	uint32_t letters[LETTERS];

	for (uint32_t i = 0; i < LETTERS; i++) {
		char name[] = {(char)('A' + i), '\0'}, file[] = {(char)('A' + i), '.', 'c', '\0'};
		struct location l = {.space = SPACE_NAME,
				     .name = trace_strz(t, name),
				     .file = trace_strz(t, file),
				     .line = i + 1};

		letters[i] = trace_location(t, &l);
	}
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, METRIC_EXACT, METRIC_AT_ALL);
	CHECK_EQ(to->begin(to, t, &e), ST_OK);
	for (size_t i = 0; i < g->n; i++) {
		const struct record *r = &g->records[i];
		uint32_t ids[DEPTH];
		size_t depth = strlen(r->stack);
		struct event ev = {.kind = EV_ALLOC,
				   .has = EV_HAS_TYPE | EV_HAS_STACK | EV_HAS_REQUESTED |
					  EV_HAS_ADDRESS,
				   .type = trace_type(t, &r->type, 1),
				   .count = 1,
				   .address = 0x1000 + 16 * i,
				   .requested = r->bytes};

		for (size_t k = 0; k < depth; k++)
			ids[k] = letters[r->stack[k] - 'A'];
		ev.stack = trace_stack_of(t, ids, depth);
		CHECK_EQ(sink_event(to, t, &ev, &e), ST_OK);
		if (!r->freed)
			continue;
		ev = (struct event){
		    .kind = EV_FREE, .has = EV_HAS_ADDRESS, .address = 0x1000 + 16 * i};
		CHECK_EQ(sink_event(to, t, &ev, &e), ST_OK);
	}
	CHECK_EQ(to->end(to, t, &e), ST_OK);
	trace_free(t);
}

/* What the kept records for which the letter says so have. */
enum about { SELF, TOTAL, WHOLE, UP, DOWN };

static uint64_t naive_sum(const struct game *g, const struct choice *c, enum about about,
			  const char *what)
{
	uint64_t v = 0;

	for (size_t i = 0; i < g->n; i++) {
		char s[DEPTH + 1];
		size_t n, m = strlen(what);
		bool is = false;

		if (!naive(c, &g->records[i], s))
			continue;
		n = strlen(s);
		switch (about) {
		case SELF: is = *s == *what; break;
		case TOTAL: is = strchr(s, *what) != NULL; break;
		case WHOLE: is = !strcmp(s, what); break;
		case UP: is = n >= m && !memcmp(s, what, m); break;
		case DOWN: is = n >= m && !strcmp(s + n - m, what); break;
		}
		v += is ? g->records[i].bytes : 0;
	}
	return v;
}

static uint64_t naive_all(const struct game *g, const struct choice *c)
{
	return naive_sum(g, c, UP, "");
}

/* The stack's letters, innermost first. */
static void letters_of(const struct grouped_profile *p, uint32_t stack, char *to)
{
	for (; stack; stack = p->stacks.rows[stack].parent) {
		const struct names_location *l =
		    &p->names.locations[p->stacks.rows[stack].location];

		*to++ = *names_text(
		    &p->names, p->names.functions[p->names.calls[l->first].function].display, NULL);
	}
	*to = '\0';
}

static void check_groups(const struct grouped_profile *p, const struct game *g,
			 const struct choice *c)
{
	uint64_t all = naive_all(g, c), sum[3] = {0};

	CHECK_EQ(p->now.all.v[SUM_REQUESTED], all);
	for (size_t k = 0; k < 3; k++)
		for (uint32_t i = 0; i < p->groupings[k].n; i++)
			sum[k] += columns_value(&p->now.keys[k].self, i, SUM_REQUESTED);
	CHECK_EQ(sum[0], all);
	CHECK_EQ(sum[1], all);
	CHECK_EQ(sum[2], all);
	for (uint32_t i = 0; i < p->groupings[0].n; i++) {
		struct group_name name;

		group_name(p, 0, i, &name);
		if (name.name_len != 1)
			continue; /* without a stack */
		CHECK_EQ(columns_value(&p->now.keys[0].self, i, SUM_REQUESTED),
			 naive_sum(g, c, SELF, name.name));
		CHECK_EQ(columns_value(&p->now.keys[0].total, i, SUM_REQUESTED),
			 naive_sum(g, c, TOTAL, name.name));
	}
	for (uint32_t i = 0; i < p->groupings[1].n; i++) {
		char s[DEPTH + 1];

		letters_of(p, p->groupings[1].groups[i].id, s);
		CHECK_EQ(columns_value(&p->now.keys[1].self, i, SUM_REQUESTED),
			 naive_sum(g, c, WHOLE, s));
	}
	/* The site is the innermost call here, and so is its file: no letter is an allocator. */
	for (uint32_t i = 0; i < p->groupings[2].n; i++) {
		struct group_name name;

		group_name(p, 2, i, &name);
		if (name.name_len == 3)
			CHECK_EQ(columns_value(&p->now.keys[2].total, i, SUM_REQUESTED),
				 naive_sum(g, c, TOTAL, name.name));
	}
}

static void check_tree(const struct grouped_profile *p, const struct game *g,
		       const struct choice *c, bool bottom_up)
{
	struct tree_options o = {
	    .grouping = 1, .sort = SUM_REQUESTED, .bottom_up = bottom_up, .min_share = 0};
	struct err e = ERR_INIT;
	struct tree *t = tree_new(p, &o, &e);
	char path[DEPTH + 2] = "", shown[DEPTH + 2];
	uint64_t self = 0;

	if (!CHECK(t != NULL))
		return;
	for (size_t i = 0; i < tree_table(t)->n_rows; i++) {
		struct table_cell cells[8] = {{.present = false}};
		struct table_row r = {.cells = cells};
		size_t n;

		tree_table(t)->fill(tree_table(t)->arg, i, &r);
		if (!i) {
			CHECK_EQ(r.depth, 0);
			CHECK_EQ(cells[0].number, naive_all(g, c));
			continue;
		}
		n = r.depth;
		self += bottom_up ? 0 : cells[2].number;
		if (cells[bottom_up ? 2 : 4].len != 1)
			continue;
		path[n - 1] = *cells[bottom_up ? 2 : 4].text;
		for (size_t k = 0; k < n; k++)
			shown[k] = bottom_up ? path[k] : path[n - 1 - k];
		shown[n] = '\0';
		CHECK_EQ(cells[0].number, naive_sum(g, c, bottom_up ? UP : DOWN, shown));
		if (!bottom_up)
			CHECK_EQ(cells[2].number, naive_sum(g, c, WHOLE, shown));
	}
	CHECK(bottom_up || self == naive_all(g, c));
	tree_free(t);
}

/* Both sides add up to the function's total, and each edge is what strings say. */
static void check_peek(const struct grouped_profile *p, const struct game *g,
		       const struct choice *c)
{
	struct err e = ERR_INIT;
	struct peek_options o = {.grouping = 1, .sort = SUM_REQUESTED};
	uint64_t sides[2] = {0}, total = 0;
	struct peek *k;

	o.match = match_new((struct match_place){"test", 0}, "^[A-C]$", 7, 0, &e);
	k = peek_new(p, &o, &e);
	for (size_t i = 0; i <= peek_table(k)->n_rows; i++) {
		struct table_cell cells[5] = {{.present = false}};
		struct table_row r = {.cells = cells};
		bool caller;
		uint64_t want = 0;

		if (i < peek_table(k)->n_rows)
			peek_table(k)->fill(peek_table(k)->arg, i, &r);
		if (i == peek_table(k)->n_rows || !r.depth) {
			CHECK_EQ(sides[0], total);
			CHECK_EQ(sides[1], total);
			sides[0] = sides[1] = 0;
			total = cells[0].number;
			if (i < peek_table(k)->n_rows)
				CHECK_EQ(total, naive_sum(g, c, TOTAL, cells[3].text));
			continue;
		}
		caller = cells[2].len == strlen("called by");
		sides[caller] += cells[0].number;
		for (size_t m = 0; m < g->n; m++) {
			char s[DEPTH + 2] = "", of = *cells[4].text;
			const char *at;
			char other;

			if (!naive(c, &g->records[m], s + 1) || !strchr(s + 1, of))
				continue;
			at = caller ? strrchr(s + 1, of) + 1 : strchr(s + 1, of) - 1;
			other = *at ? *at : '(';
			want += other == *cells[3].text ? g->records[m].bytes : 0;
		}
		CHECK_EQ(cells[0].number, want);
	}
	peek_free(k);
	match_free(o.match);
}

TEST(views_agree_with_strings)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct grouped_profile_options o = {
		    .by = {{.by = KEY_FUNCTION}, {.by = KEY_STACK}, {.by = KEY_FILE}},
		    .n_by = 3,
		    .domain = DOMAIN_DEFAULT};
		struct grouped_profile p;
		struct choice c;
		struct game g;

		draw_game(&g);
		draw_choice(&c, true);
		o.filters = filters_of(&c);
		grouped_profile_init(&p, &o);
		play(grouped_profile_sink(&p), &g);
		check_groups(&p, &g, &c);
		check_tree(&p, &g, &c, false);
		check_tree(&p, &g, &c, true);
		check_peek(&p, &g, &c);
		grouped_profile_release(&p);
		filters_free(o.filters);
	}
}

/* What goes through a filter sink and is added up then is what is added up with the filters. */
TEST(a_filter_sink_keeps_what_filters_keep)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct grouped_profile_options o = {.by = {{.by = KEY_TYPE}},
						    .domain = DOMAIN_DEFAULT};
		struct grouped_profile_options all = o;
		struct grouped_profile with, after;
		struct filter_sink *filtered;
		struct choice c;
		struct game g;

		draw_game(&g);
		draw_choice(&c, false);
		o.filters = filters_of(&c);
		grouped_profile_init(&with, &o);
		play(grouped_profile_sink(&with), &g);
		grouped_profile_init(&after, &all);
		filtered = filter_sink_new(grouped_profile_sink(&after), &o);
		play(filter_sink_in(filtered), &g);
		CHECK_EQ(with.now.all.v[SUM_REQUESTED], naive_all(&g, &c));
		for (unsigned s = 0; s < SUMS; s++)
			CHECK_EQ(after.now.all.v[s], with.now.all.v[s]);
		filter_sink_free(filtered);
		grouped_profile_release(&with);
		grouped_profile_release(&after);
		filters_free(o.filters);
	}
}

TEST_MAIN()
