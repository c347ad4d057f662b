/* SPDX-License-Identifier: MIT
 *
 * Every metric by every key, through filters, on random captures with threads, frames, times and
 * addresses that come again, against sums over the list of events; and filter_sink.h, where displaced
 * and unordered blocks need frees. A stack is a string of one-letter functions, innermost first.
 */
#include "lib/group/filter_sink.h"
#include "lib/group/rank.h"
#include "testdata/gen/gen.h"
#include "tests/unit/report.h"

enum { LETTERS = 6, DEPTH = 4, STACKS = 10, EVENTS = 70, THREADS = 4, ADDRESSES = 8, ROUNDS = 150 };

struct happening { /* thread: 0 is absent */
	uint8_t kind;
	char stack[DEPTH + 1];
	char type;
	uint32_t thread;
	uint64_t address, requested, real, seq;
	int64_t time, frame;
	bool has_real, has_time, in_frame;
};

struct game {
	struct happening ev[EVENTS];
	size_t end_of[EVENTS]; /* what ends an allocation; EVENTS: nothing */
	bool unordered;
};

struct choice { /* "" is no filter */
	char focus[2], ignore[2], type[2], owner[8];
	bool selects;
	struct tally_selection selection;
};

static const char *const thread_names[THREADS] = {"[no thread]", "main", "job", "job"};
/* By letter; functions of one file are in two modules. */
static const char *const files[LETTERS] = {"p.c", "p.c", "q.c", "q.c", "r.c", "r.c"};
static const char *const modules[LETTERS] = {"m0", "m1", "m2", "m0", "m1", "m2"};

static const char rules[] = "[one]\nfunction ^A$\n[two]\nmodule ^m1$\n[three]\ntype ^T$\n"
			    "[one]\nfile ^q\\.c$\n";

static uint64_t seed = 17;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)lcg_below(&seed, n);
}

static void draw_stack(char *to)
{
	size_t n = pick(DEPTH + 1);

	for (size_t i = 0; i < n; i++)
		to[i] = (char)('A' + pick(LETTERS));
	to[n] = '\0';
}

static void draw_game(struct game *g, bool unordered)
{
	char stacks[STACKS][DEPTH + 1];
	int64_t time = 0, frame = 0;
	bool framed = false;

	memset(g, 0, sizeof *g);
	g->unordered = unordered;
	for (size_t i = 0; i < STACKS; i++)
		draw_stack(stacks[i]);
	for (size_t i = 0; i < EVENTS; i++) {
		struct happening *h = &g->ev[i];
		uint32_t what = pick(12);

		time += pick(4);
		h->kind = what == 0 && !unordered ? EV_FRAME : what < 5 ? EV_FREE : EV_ALLOC;
		if (h->kind == EV_FRAME) {
			frame += 1 - (pick(5) == 0);
			framed = true;
		}
		h->frame = frame;
		h->in_frame = framed;
		h->time = time;
		h->has_time = pick(4) != 0;
		h->seq = i + 1;
		h->thread = pick(THREADS);
		h->address = 16 * (1 + pick(ADDRESSES));
		if (h->kind != EV_ALLOC)
			continue;
		memcpy(h->stack, stacks[pick(STACKS)], sizeof h->stack);
		h->type = (char)('T' + pick(3));
		h->requested = pick(100);
		h->has_real = pick(6) != 0;
		h->real = h->has_real ? h->requested + 8 - pick(12) % (h->requested + 1) : 0;
	}
	for (size_t i = 0; i < EVENTS; i++) {
		size_t k = i + 1;

		while (k < EVENTS &&
		       (g->ev[k].kind == EV_FRAME || g->ev[k].address != g->ev[i].address))
			k++;
		g->end_of[i] = k;
	}
	for (size_t i = EVENTS - 1; unordered && i > 0; i--) {
		size_t k = pick((uint32_t)i + 1);
		struct happening h = g->ev[i];

		g->ev[i] = g->ev[k];
		g->ev[k] = h;
	}
}

static void play(struct sink *to, const struct game *g)
{
	struct trace *t = trace_new();
	struct err e = ERR_INIT;
	uint32_t letters[LETTERS], module_of[LETTERS], threads[THREADS] = {0};

	for (uint32_t i = 0; i < LETTERS; i++) {
		char name[] = {(char)('A' + i), '\0'};
		struct module m = {.name = trace_strz(t, modules[i])};
		struct location l = {.space = SPACE_NAME,
				     .name = trace_strz(t, name),
				     .file = trace_strz(t, files[i]),
				     .line = i + 1};

		module_of[i] = i < 3 ? trace_module(t, &m) : module_of[i - 3];
		l.module = module_of[i];
		letters[i] = trace_location(t, &l);
	}
	for (uint32_t i = 1; i < THREADS; i++) {
		struct thread th = {.name = trace_strz(t, thread_names[i]), .tid = 100 + i};

		threads[i] = trace_thread(t, &th);
	}
	for (unsigned m = 0; m < METRICS; m++)
		trace_metric(t, m, METRIC_EXACT, METRIC_AT_ALL);
	t->unordered = g->unordered;
	CHECK_EQ(to->begin(to, t, &e), ST_OK);
	for (size_t i = 0; i < EVENTS; i++) {
		const struct happening *h = &g->ev[i];
		struct event ev = {.kind = h->kind, .count = 1};
		uint32_t ids[DEPTH];
		size_t depth = strlen(h->stack);

		if (h->has_time) {
			ev.has |= EV_HAS_TIME;
			ev.time = h->time;
		}
		if (h->kind == EV_FRAME) {
			ev.has |= EV_HAS_VALUE;
			ev.value = h->frame;
			CHECK_EQ(sink_event(to, t, &ev, &e), ST_OK);
			continue;
		}
		ev.has |= EV_HAS_ADDRESS;
		ev.address = h->address;
		if (h->thread) {
			ev.has |= EV_HAS_THREAD;
			ev.thread = threads[h->thread];
		}
		if (g->unordered) {
			ev.has |= EV_HAS_SEQ;
			ev.seq = h->seq;
		}
		if (h->kind == EV_ALLOC) {
			ev.has |= EV_HAS_STACK | EV_HAS_TYPE | EV_HAS_REQUESTED;
			for (size_t k = 0; k < depth; k++)
				ids[k] = letters[h->stack[k] - 'A'];
			ev.stack = trace_stack_of(t, ids, depth);
			ev.type = trace_type(t, &h->type, 1);
			ev.requested = h->requested;
			ev.real = h->real;
			if (h->has_real)
				ev.has |= EV_HAS_REAL;
		}
		CHECK_EQ(sink_event(to, t, &ev, &e), ST_OK);
	}
	CHECK_EQ(to->end(to, t, &e), ST_OK);
	trace_free(t);
}

static const char *owner_of(const struct happening *h)
{
	if (strchr(h->stack, 'A'))
		return "one";
	if (strpbrk(h->stack, "BE"))
		return "two";
	if (h->type == 'T')
		return "three";
	return strpbrk(h->stack, "CD") ? "one" : "[no owner]";
}

/* A record without a stack has its type's name looked at: never a letter of a function. */
static bool kept(const struct choice *c, const struct happening *h)
{
	if (*c->focus && !strchr(h->stack, *c->focus))
		return false;
	if (*c->ignore && strchr(h->stack, *c->ignore))
		return false;
	if (*c->type && *c->type != h->type)
		return false;
	return !*c->owner || !strcmp(c->owner, owner_of(h));
}

/* Whether the allocation counts for the key's thing of this name. */
static bool about(enum key key, bool total, const struct happening *h, const char *name)
{
	const char *s = h->stack;

	switch (key) {
	case KEY_OWNER: return !strcmp(name, owner_of(h));
	case KEY_THREAD: return !strcmp(name, thread_names[h->thread]);
	case KEY_TYPE: return *name == h->type && !name[1];
	default: break;
	}
	if (!*s)
		return *name == '[';
	for (; *s; s++) {
		const char *is = key == KEY_MODULE ? modules[*s - 'A']
				 : key == KEY_FILE ? files[*s - 'A']
						   : (const char[]){*s, '\0'};

		if (!strcmp(is, name))
			return true;
		if (!total)
			return false;
	}
	return false;
}

static bool live_after(const struct game *g, size_t i, size_t at)
{
	return i <= at && g->end_of[i] > at && g->ev[i].kind == EV_ALLOC;
}

/* The first moment of the most live bytes of everything: real ones, or requested ones if a block has no real ones. */
static size_t peak_of(const struct game *g)
{
	bool all_real = true;
	uint64_t best = 0;
	size_t at = EVENTS;

	for (size_t i = 0; i < EVENTS; i++)
		all_real &= g->ev[i].kind != EV_ALLOC || g->ev[i].has_real;
	for (size_t k = 0; k < EVENTS; k++) {
		uint64_t sum = 0;

		for (size_t i = 0; i <= k; i++)
			if (live_after(g, i, k))
				sum += all_real ? g->ev[i].real : g->ev[i].requested;
		if (sum > best) {
			best = sum;
			at = k;
		}
	}
	return at;
}

static bool temporary(const struct game *g, size_t i)
{
	for (size_t k = i + 1; k < g->end_of[i]; k++)
		if (g->ev[k].kind == EV_ALLOC && g->ev[k].thread == g->ev[i].thread)
			return false;
	return true;
}

static bool in_frame(const struct happening *h, const char *name)
{
	char number[24];

	snprintf(number, sizeof number, "%lld", (long long)h->frame);
	return !strcmp(name, h->in_frame ? number : "[before the first frame]");
}

/* name NULL: everything. */
static struct tally_sums naive(const struct game *g, const struct choice *c, enum key key,
			       bool total, const char *name)
{
	struct tally_sums s = {.has = 0};
	size_t peak = peak_of(g);

	for (size_t i = 0; i < EVENTS; i++) {
		const struct happening *h = &g->ev[i], *last = h;
		size_t k = g->end_of[i];
		bool now = true, then = true;

		if (h->kind != EV_ALLOC || !kept(c, h))
			continue;
		if (k < EVENTS)
			last = &g->ev[k];
		if (name && key == KEY_FRAME) {
			now = in_frame(h, name);
			then = in_frame(last, name);
		} else if (name && !about(key, total, h, name))
			continue;
		if (now) {
			s.v[SUM_COUNT]++;
			s.v[SUM_ENTRIES]++;
			s.v[SUM_REQUESTED] += h->requested;
			s.v[SUM_REAL] += h->real;
			s.v[SUM_SLACK] += h->has_real ? h->real - h->requested : 0;
		}
		if (k == EVENTS) {
			s.v[SUM_LIVE_COUNT]++;
			s.v[SUM_LIVE_REQUESTED] += h->requested;
			s.v[SUM_LIVE_REAL] += h->real;
		}
		if (peak < EVENTS && live_after(g, i, peak)) {
			s.v[SUM_PEAK_COUNT]++;
			s.v[SUM_PEAK_REQUESTED] += h->requested;
			s.v[SUM_PEAK_REAL] += h->real;
		}
		if (k == EVENTS || !then)
			continue;
		s.v[SUM_FREED_COUNT]++;
		s.v[SUM_FREED_REQUESTED] += h->requested;
		s.v[SUM_FREED_REAL] += h->real;
		if (last->kind != EV_FREE)
			continue;
		s.v[SUM_TEMPORARY] += temporary(g, i);
		if (h->has_time && last->has_time) {
			s.v[SUM_LIFETIME] += (uint64_t)(last->time - h->time);
			s.v[SUM_TIMED]++;
		}
	}
	return s;
}

static bool same(const struct tally_sums *got, const struct tally_sums *want, unsigned leave,
		 const char *what)
{
	bool fine = true;

	for (unsigned k = 0; k < SUMS; k++)
		if (!(leave >> k & 1) && !CHECK_EQ(got->v[k], want->v[k])) {
			printf("# %s: %s\n", what, metric_table[k].title);
			fine = false;
		}
	return fine;
}

static void check_key(const struct grouped_profile *p, size_t k, const struct game *g,
		      const struct choice *c)
{
	enum key key = p->groupings[k].key.by;
	unsigned leave = key == KEY_FRAME ? SUMS_LIVE | SUMS_PEAK : 0;
	struct tally_sums sum = {.has = 0}, all = naive(g, c, key, false, NULL);

	for (uint32_t i = 0; i < p->groupings[k].n; i++) {
		struct tally_sums got = columns_get(&p->now.keys[k].self, i), want;
		struct group_name name;
		char text[64];

		group_name(p, k, i, &name);
		snprintf(text, sizeof text, "%.*s", (int)name.name_len, name.name);
		want = naive(g, c, key, false, text);
		same(&got, &want, leave, text);
		for (unsigned s = 0; s < SUMS; s++)
			sum.v[s] += got.v[s];
		if (!key_has_total(key))
			continue;
		got = columns_get(&p->now.keys[k].total, i);
		want = naive(g, c, key, true, text);
		same(&got, &want, leave, text);
	}
	same(&sum, &all, leave, key_words[key]);
}

static void draw_choice(struct choice *c, bool selects)
{
	static const char *const names[] = {"one", "two", "three", "[no owner]"};
	struct err e = ERR_INIT;
	char text[32];

	memset(c, 0, sizeof *c);
	if (!pick(3))
		c->focus[0] = (char)('A' + pick(LETTERS));
	if (!pick(3))
		c->ignore[0] = (char)('A' + pick(LETTERS));
	if (!pick(3))
		c->type[0] = (char)('T' + pick(3));
	if (!pick(4))
		snprintf(c->owner, sizeof c->owner, "%.7s", names[pick(3)]);
	selection_init(&c->selection);
	c->selects = selects;
	if (selects && !pick(2)) {
		snprintf(text, sizeof text, "%u..%u", pick(3), 1 + pick(4));
		if (selection_frames(&c->selection, text, &e))
			selection_init(&c->selection);
	}
	if (selects && !pick(3))
		CHECK_EQ(selection_sizes(&c->selection, "20..60", &e), ST_OK);
	if (selects && !pick(3))
		CHECK_EQ(selection_thread(&c->selection, "job", 0, &e), ST_OK);
}

static void add(struct filters *f, enum filter_kind kind, const char *text)
{
	struct err e = ERR_INIT;

	if (*text)
		CHECK_EQ(filters_add(f, kind, "--test", text, MATCH_LITERAL, &e), ST_OK);
}

static void options_of(struct grouped_profile_options *o, const struct choice *c)
{
	struct err e = ERR_INIT;

	o->domain = DOMAIN_DEFAULT;
	o->want = SUMS_ALL;
	o->filters = filters_new();
	add(o->filters, FILTER_FOCUS, c->focus);
	add(o->filters, FILTER_IGNORE, c->ignore);
	add(o->filters, FILTER_TYPE, c->type);
	add(o->filters, FILTER_OWNER, c->owner);
	o->owners = owners_new();
	CHECK_EQ(owners_add(o->owners, "test", rules, strlen(rules), &e), ST_OK);
	if (c->selects && !selection_all(&c->selection))
		o->selection = &c->selection;
}

TEST(keys_and_metrics_agree_with_lists)
{
	for (int round = 0; round < ROUNDS; round++) {
		struct grouped_profile_options o = {.by = {{KEY_OWNER, 0},
							   {KEY_THREAD, 0},
							   {KEY_FRAME, 0},
							   {KEY_MODULE, 0},
							   {KEY_LOCATION, 0},
							   {KEY_FILE, 0},
							   {KEY_TYPE, 0},
							   {KEY_FUNCTION, 0},
							   {KEY_SITE, 0}},
						    .n_by = 9};
		struct grouped_profile p;
		struct choice c;
		struct game g;
		struct tally_sums want;

		draw_game(&g, false);
		draw_choice(&c, false);
		options_of(&o, &c);
		grouped_profile_init(&p, &o);
		play(grouped_profile_sink(&p), &g);
		want = naive(&g, &c, KEY_TYPE, false, NULL);
		same(&p.now.all, &want, 0, "all");
		for (size_t k = 0; k < o.n_by; k++)
			check_key(&p, k, &g, &c);
		grouped_profile_release(&p);
		filters_free(o.filters);
		owners_free(o.owners);
		selection_release(&c.selection);
	}
}

/* What goes through a filter sink and is added up then is what is added up with the filters, but for what depends on
 * the neighbours: displaced blocks, lost frees and unordered ones included. */
static void check_filter_sink(bool unordered)
{
	for (int round = 0; round < 4 * ROUNDS; round++) {
		struct grouped_profile_options o = {.by = {{KEY_TYPE, 0}, {KEY_THREAD, 0}},
						    .n_by = 2};
		struct grouped_profile_options plain = {.by = {{KEY_TYPE, 0}, {KEY_THREAD, 0}},
							.n_by = 2,
							.domain = DOMAIN_DEFAULT,
							.want = SUMS_ALL};
		unsigned leave = SUMS_PEAK | 1 << SUM_TEMPORARY;
		struct grouped_profile with, after;
		struct filter_sink *filtered;
		struct choice c;
		struct game g;

		draw_game(&g, unordered);
		draw_choice(&c, !unordered);
		options_of(&o, &c);
		grouped_profile_init(&with, &o);
		play(grouped_profile_sink(&with), &g);
		grouped_profile_init(&after, &plain);
		filtered = filter_sink_new(grouped_profile_sink(&after), &o);
		play(filter_sink_in(filtered), &g);
		same(&after.now.all, &with.now.all, leave, unordered ? "unordered" : "ordered");
		filter_sink_free(filtered);
		grouped_profile_release(&with);
		grouped_profile_release(&after);
		filters_free(o.filters);
		owners_free(o.owners);
		selection_release(&c.selection);
	}
}

TEST(a_filter_sink_keeps_displaced_blocks)
{
	check_filter_sink(false);
}

TEST(a_filter_sink_keeps_unordered_blocks)
{
	check_filter_sink(true);
}

TEST_MAIN()
