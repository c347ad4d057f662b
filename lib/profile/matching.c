/* SPDX-License-Identifier: MIT */
#include "lib/profile/matching.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/names/disambiguate.h"
#include "lib/rules/clones.h"
#include "lib/rules/linkage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static size_t digits(const char *s, size_t n)
{
	size_t k = 0;

	while (k < n && is_digit(s[k]))
		k++;
	return k;
}

/* The part before " [clone .x]", as often as that comes. */
static size_t without_clone_notes(const char *s, size_t n)
{
	while (n && s[n - 1] == ']') {
		const char *p = memrchr(s, '[', n);

		if (!p || p == s || p[-1] != ' ' || !text_begins(p, (size_t)(s + n - p), "[clone "))
			break;
		n = (size_t)(p - s) - 1;
	}
	return n;
}

static size_t without_rust_hash(const char *s, size_t n)
{
	enum { HASH = 16 };

	if (n <= HASH + 3 || memcmp(s + n - HASH - 3, "::h", 3) != 0)
		return n;
	for (size_t i = n - HASH; i < n; i++)
		if (!is_hex(s[i]))
			return n;
	return n - HASH - 3;
}

/* The length of IL2CPP's hash behind "_m" or "_t" at s; 0: no hash. */
static size_t il2cpp_hash(const char *s, size_t n)
{
	enum { HASH = 40, OLD_MIN = 6, OLD_MAX = 10 };
	size_t k = 0;

	while (k < n && is_hex(s[k]) && !(s[k] >= 'a' && s[k] <= 'f'))
		k++;
	if (k >= HASH && (k == HASH || !is_word(s[k])))
		return HASH;
	k = digits(s, n);
	return k >= OLD_MIN && k <= OLD_MAX && (k == n || !is_word(s[k]) || s[k] == '_') ? k : 0;
}

/* The length of a number at s that counts unnamed entities, by the p bytes before it. */
static size_t counter(const char *s, size_t n, const char *before, size_t p)
{
	static const char *const marks[] = {"#", "'unnamed"};
	size_t k = digits(s, n);

	if (!k || (p && is_digit(before[p - 1])))
		return 0;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		size_t len = strlen(marks[i]);

		if (p < len || memcmp(before + p - len, marks[i], len) != 0)
			continue;
		if (i == 0)
			return k < n && s[k] == '}' ? k : 0;
		return k < n && s[k] == '\'' ? k : 0;
	}
	return 0;
}

/* Behind the bracket that closes the one at s; 0: none does. */
static size_t closed(const char *s, size_t n)
{
	size_t depth = 0;

	for (size_t i = 0; i < n; i++) {
		depth += s[i] == '(' || s[i] == '{' || s[i] == '<' || s[i] == '[';
		depth -= (s[i] == ')' || s[i] == '}' || s[i] == '>' || s[i] == ']') && depth;
		if (!depth)
			return i + 1;
	}
	return 0;
}

/* The length of a lambda's name at s, as compilers and demanglers write it; 0: no lambda. */
static size_t matching_lambda(const char *s, size_t n)
{
	static const char llvm[] = "'lambda";
	size_t k, args;

	if (text_begins(s, n, "{lambda(") || text_begins(s, n, "<lambda("))
		return closed(s, n);
	if (text_begins(s, n, "$_")) {
		k = 2 + digits(s + 2, n - 2);
		return k > 2 && (k == n || !is_word(s[k])) ? k : 0;
	}
	if (!text_begins(s, n, llvm))
		return 0;
	k = sizeof llvm - 1;
	k += digits(s + k, n - k);
	if (k == n || s[k++] != '\'')
		return 0;
	args = k < n && s[k] == '(' ? closed(s + k, n - k) : 0;
	return k + args;
}

void canonical_name(struct buf *out, const char *s, size_t n)
{
	static const char anonymous[] = "{anonymous}";

	n = name_without_clones(s, n);
	n = without_rust_hash(s, n);
	for (size_t i = 0; i < n; i++) {
		size_t skip = counter(s + i, n - i, s, i);

		if (!skip && i >= 2 && s[i - 2] == '_' && (s[i - 1] == 'm' || s[i - 1] == 't'))
			skip = il2cpp_hash(s + i, n - i);
		if (skip) {
			i += skip - 1;
			continue;
		}
		skip = matching_lambda(s + i, n - i);
		if (skip) {
			buf_adds(out, "{lambda}");
			i += skip - 1;
			continue;
		}
		if (text_begins(s + i, n - i, anonymous)) {
			buf_adds(out, "(anonymous namespace)");
			i += sizeof anonymous - 2;
			continue;
		}
		/* Of a run of spaces the last decides. */
		if (s[i] == ' ' && !(i && i + 1 < n && is_word(s[i - 1]) && is_word(s[i + 1])))
			continue;
		buf_addc(out, s[i]);
	}
}

/* What follows parameters is a name in the function that has them: "run(int)::{lambda}", "run() const::L::go". */
static bool matching_goes_on(const char *s, size_t n)
{
	while (n && (is_word(*s) || *s == ' ' || *s == '&')) {
		s++;
		n--;
	}
	return text_begins(s, n, "::");
}

/* The start of the parameters, or of what is written for them; n: no parameters. "operator()" and
 * "(anonymous namespace)" are no parameters. */
static size_t matching_parameters(const char *s, size_t n)
{
	static const char call[] = "operator()", unnamed[] = "(anonymous namespace)";

	for (size_t i = 0, skip; i < n; i += skip) {
		skip = 1;
		if (text_begins(s + i, n - i, call))
			skip = sizeof call - 1;
		else if (text_begins(s + i, n - i, "operator"))
			for (skip = 8; i + skip < n && strchr("<>-=", s[i + skip]);)
				skip++;
		else if (text_begins(s + i, n - i, unnamed))
			skip = sizeof unnamed - 1;
		else if (s[i] == '<' || s[i] == '{' || s[i] == '[')
			skip = closed(s + i, n - i);
		else if (s[i] == '(' && i) {
			skip = closed(s + i, n - i);
			if (!skip || !matching_goes_on(s + i + skip, n - i - skip))
				return i;
		}
		if (!skip)
			return n;
	}
	return n;
}

bool bare_name(struct buf *out, const char *s, size_t n)
{
	size_t end = matching_parameters(s, n), from = 0;

	/* The last "::", or the space behind a template's return type, outside of brackets. */
	for (size_t i = 0, skip; i < end; i += skip) {
		skip = 1;
		if (s[i] == '<' || s[i] == '{' || s[i] == '(' || s[i] == '[')
			skip = closed(s + i, end - i);
		else if (text_begins(s + i, end - i, "operator"))
			break;
		else if (s[i] == ' ' || s[i] == ':')
			from = i + 1;
		if (!skip)
			break;
	}
	buf_add(out, s + from, end - from);
	return !from && end == n;
}

bool name_is_address(const char *s, size_t n)
{
	size_t k = n;

	if ((n == 9 && !memcmp(s, "[unknown]", 9)) || linkage_is_start(s, n))
		return true;
	while (k && is_hex(s[k - 1]))
		k--;
	if (k == n || k < 2 || s[k - 1] != 'x' || s[k - 2] != '0')
		return false;
	return k == 2 || s[k - 3] == '!' || s[k - 3] == '+';
}

bool name_is_numbered(const char *s, size_t n)
{
	static const char *const marks[] = {"$_",        "{lambda(", "<lambda(", "'lambda",
					    "{closure#", "'unnamed", "{unnamed"};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (memmem(s, n, marks[i], strlen(marks[i])))
			return true;
	return false;
}

size_t name_without_clones(const char *s, size_t n)
{
	return clones_cut(s, without_clone_notes(s, n));
}

void matching_lines_add(struct matching_lines *l, struct matching_anchor a)
{
	VEC_PUSH(l->items, l->n, l->cap) = a;
}

static int matching_anchor_order(const void *x, const void *y)
{
	const struct matching_anchor *a = x, *b = y;
	const uint32_t p[] = {a->file_a, a->file_b, a->line_a, a->line_b},
		       q[] = {b->file_a, b->file_b, b->line_a, b->line_b};

	for (size_t i = 0; i < 4; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

void matching_lines_sort(struct matching_lines *l)
{
	sort_array(l->items, l->n, sizeof *l->items, matching_anchor_order);
}

void matching_lines_release(struct matching_lines *l)
{
	free(l->items);
	free(l->moves);
	*l = (struct matching_lines){.n = 0};
}

/* What the anchors around a line say of it: by how much those before and behind it have moved. */
struct around {
	size_t at; /* of the anchor behind it: the same for lines without an anchor between them */
	bool has_before, has_after;
	int64_t before, after;
};

static struct around matching_around(const struct matching_lines *l,
				     const struct matching_entity *a,
				     const struct matching_entity *b)
{
	struct matching_anchor key = {a->file_id, b->file_id, a->line, 0};
	size_t at = BISECT(i, 0, l->n, matching_anchor_order(&l->items[i], &key) < 0);
	const struct matching_anchor *after = at < l->n ? &l->items[at] : NULL,
				     *before = at ? &l->items[at - 1] : NULL;
	struct around s = {.at = at};

	if (after && (after->file_a != key.file_a || after->file_b != key.file_b))
		after = NULL;
	if (after && after->line_a == key.line_a)
		before = after;
	if (before && (before->file_a != key.file_a || before->file_b != key.file_b))
		before = NULL;
	if (before) {
		s.has_before = true;
		s.before = (int64_t)before->line_b - before->line_a;
	}
	if (after) {
		s.has_after = true;
		s.after = (int64_t)after->line_b - after->line_a;
	}
	return s;
}

enum { FOLDERS_MAX = 16, RENAMED = 17, WHATEVER = 18 /* the file counts for nothing */ };
enum by { BY_CANONICAL, BY_BARE_AND_LINE, BY_PLACE, BY_BARE, BY_CORE, BY_ADDRESS, BYS };

struct joining {
	const struct matching_entity *entities[2];
	size_t n[2];
	const struct matching_lines *lines;
	uint32_t *to; /* by entities[1] */
	bool *guess;  /* likewise */
	bool *on_cells_done[2];
	struct map64 renamed[2]; /* file of one side -> of the other */
	struct map64 names[2];   /* canonical names of a side, with their modules */
};

struct keyed {
	uint64_t key;
	uint32_t entity, side;
	const struct matching_entity *of;
};

static int float_order(float a, float b)
{
	return a < b ? -1 : a > b;
}

static int place_order(const struct matching_entity *x, const struct matching_entity *y)
{
	int r;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	r = strverscmp(x->name, y->name);
	r = r ? r : strcmp(x->file, y->file);
	r = r ? r : float_order(x->bytes, y->bytes);
	return r ? r : float_order(x->count, y->count);
}

static int matching_order(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int r;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	r = place_order(x->of, y->of);
	return r ? r : x->entity < y->entity ? -1 : x->entity > y->entity;
}

static void join(struct joining *j, const struct keyed *a, const struct keyed *b)
{
	j->to[b->entity] = a->entity;
	j->on_cells_done[0][a->entity] = j->on_cells_done[1][b->entity] = true;
}

/* In a file that now has another's name, so that its name is no reason. */
static bool matching_is_elsewhere(const struct joining *j, uint32_t side,
				  const struct matching_entity *t)
{
	return !t->is_unique && t->file_id && map64_get(&j->renamed[side], t->file_id);
}

/* What says the same. */
static void matching_settle(struct joining *j)
{
	struct map64 at = MAP64_INIT;

	for (uint32_t i = 0; i < j->n[0]; i++)
		if (j->entities[0][i].same)
			*map64_put(&at, j->entities[0][i].same) = i + 1;
	for (uint32_t i = 0; i < j->n[1]; i++) {
		const struct matching_entity *b = &j->entities[1][i], *a;
		uint32_t found = b->same ? map64_get(&at, b->same) : 0;

		if (!found || j->on_cells_done[0][found - 1])
			continue;
		a = &j->entities[0][found - 1];
		if (matching_is_elsewhere(j, 0, a) || matching_is_elsewhere(j, 1, b))
			continue;
		if ((a->is_open || b->is_open) && (!a->build || a->build != b->build))
			continue;
		j->to[i] = found - 1;
		j->on_cells_done[0][found - 1] = j->on_cells_done[1][i] = true;
	}
	map64_release(&at);
}

/* How good it is to join some of a family: first the most points, then the least distance. */
struct score {
	int64_t points, far; /* far: lines */
};

static bool better(const struct score *x, const struct score *y)
{
	return x->points != y->points ? x->points > y->points : x->far < y->far;
}

static float ratio(float a, float b)
{
	return a == b ? 0 : fabsf(log2f((a + 1) / (b + 1)));
}

/* What says that two of a family are one, in points. Any two may be, so even the worst pair has more than 0.
 * Lines that move together cost nothing, as in a diff: each change of their distance is an edit. A line that is surely
 * the same outweighs sizes, and sizes outweigh some lines more or less. */
enum points {
	POINTS_JOIN = 2000,
	POINTS_SURE = 3000,     /* it lies where the anchors before and behind it went */
	POINTS_ELSEWHERE = 250, /* it does not */
	POINTS_MOVED_EACH = 200,
	POINTS_MOVED_MOST = 500,
	POINTS_SIZE = 1000, /* count and sizes are the same */
	POINTS_GROWN_EACH = 250,
	POINTS_GROWN_MOST = 1600,
};

static int64_t matching_size_points(const struct matching_entity *a,
				    const struct matching_entity *b)
{
	float grown;

	if (!(a->count > 0) || !(b->count > 0))
		return 0;
	grown = 4 * ratio(a->bytes / a->count, b->bytes / b->count) + ratio(a->count, b->count);
	grown = fminf(grown * POINTS_GROWN_EACH, POINTS_GROWN_MOST);
	return POINTS_SIZE - llrintf(grown);
}

/* Two that are joined, and the best way to join those before them. */
struct pair {
	struct score score; /* of all this far; points 0: these two must not be joined */
	struct around around;
	int64_t moved;
	bool lined, sure;
	size_t before; /* the pair before it + 1 */
};

static int64_t points_away(int64_t from, int64_t to)
{
	int64_t lines = from < to ? to - from : from - to;

	return lines <= POINTS_MOVED_MOST / POINTS_MOVED_EACH ? lines * POINTS_MOVED_EACH
							      : POINTS_MOVED_MOST;
}

static int64_t points_begin(const struct pair *p)
{
	return p->lined && p->around.has_before ? points_away(p->around.before, p->moved) : 0;
}

static int64_t points_end(const struct pair *p)
{
	return p->lined && p->around.has_after ? points_away(p->moved, p->around.after) : 0;
}

static int64_t points_between(const struct pair *p, const struct pair *next)
{
	int64_t points;

	if (!p->lined || !next->lined)
		return 0;
	if (p->around.at == next->around.at)
		return points_away(p->moved, next->moved);
	points = points_end(p) + points_begin(next);
	return points < POINTS_MOVED_MOST ? points : POINTS_MOVED_MOST;
}

static struct pair matching_pair(const struct joining *j, const struct matching_entity *a,
				 const struct matching_entity *b, enum by by)
{
	struct pair p = {.lined = a->line && b->line, .around = {.at = 0}};
	bool known, there;

	if (by != BY_CANONICAL && !a->is_bare && !b->is_bare)
		return p;
	if (p.lined) {
		p.moved = (int64_t)b->line - a->line;
		p.around = matching_around(j->lines, a, b);
	}
	known = p.around.has_before && p.around.has_after && p.around.before == p.around.after;
	there = known && p.moved == p.around.before;
	p.sure = there;
	if (by == BY_BARE_AND_LINE && (!p.lined || (p.around.has_before || p.around.has_after
							? points_begin(&p) && points_end(&p)
							: p.moved != 0)))
		return p;
	p.score.points = POINTS_JOIN + matching_size_points(a, b);
	if (known)
		p.score.points += there ? POINTS_SURE : -POINTS_ELSEWHERE;
	p.score.far = p.moved < 0 ? -p.moved : p.moved;
	return p;
}

/* A family, in the order of its lines: pairs[i * n_b + k] is of a's i and b's k. reach: the best of those that are
 * not behind them, + 1. */
struct alignment {
	struct pair *pairs;
	size_t *reach;
	size_t n_b;
};

/* own: of these two alone; follows p at some points. */
static void matching_follow(struct alignment *x, struct pair *to, const struct score *own, size_t p,
			    int64_t points)
{
	const struct score *before = &x->pairs[p].score;
	struct score s = {before->points + own->points - points, before->far + own->far};

	if (!to->before || better(&s, &to->score)) {
		to->score = s;
		to->before = p + 1;
	}
}

static void matching_find_before(struct alignment *x, size_t i, size_t k)
{
	enum { WINDOW = 8 }; /* further away no line counts */
	struct pair *to = &x->pairs[i * x->n_b + k];
	struct score own = to->score, alone = {own.points - points_begin(to), own.far};

	if (!own.points)
		return;
	for (size_t d = 1; d <= WINDOW && d <= i; d++)
		for (size_t e = 1; e <= WINDOW && e <= k; e++) {
			size_t p = (i - d) * x->n_b + k - e;

			if (x->pairs[p].score.points)
				matching_follow(x, to, &own, p, points_between(&x->pairs[p], to));
		}
	if (i && k && x->reach[(i - 1) * x->n_b + k - 1])
		matching_follow(x, to, &own, x->reach[(i - 1) * x->n_b + k - 1] - 1,
				POINTS_MOVED_MOST);
	if (!to->before || better(&alone, &to->score)) {
		to->score = alone;
		to->before = 0;
	}
}

static void matching_reach(struct alignment *x, size_t i, size_t k)
{
	size_t at = i * x->n_b + k, *to = &x->reach[at];
	const size_t others[] = {i ? x->reach[at - x->n_b] : 0, k ? x->reach[at - 1] : 0};

	*to = x->pairs[at].score.points ? at + 1 : 0;
	for (size_t o = 0; o < 2; o++)
		if (others[o] &&
		    (!*to || better(&x->pairs[others[o] - 1].score, &x->pairs[*to - 1].score)))
			*to = others[o];
}

/* The best way to join a family. */
static void matching_align(struct joining *j, const struct keyed *a, size_t n_a,
			   const struct keyed *b, size_t n_b, enum by by)
{
	struct alignment x = {mem_zarray(n_a * n_b, sizeof *x.pairs),
			      mem_zarray(n_a * n_b, sizeof *x.reach), n_b};
	struct score best = {.points = 0};
	size_t last = 0, joined = 0;

	for (size_t i = 0; i < n_a; i++)
		for (size_t k = 0; k < n_b; k++) {
			struct pair *p = &x.pairs[i * n_b + k];
			struct score all;

			*p = matching_pair(j, a[i].of, b[k].of, by);
			matching_find_before(&x, i, k);
			matching_reach(&x, i, k);
			all = (struct score){p->score.points - points_end(p), p->score.far};
			if (p->score.points && (!last || better(&all, &best))) {
				best = all;
				last = i * n_b + k + 1;
			}
		}
	for (size_t p = last; p; p = x.pairs[p - 1].before)
		joined++;
	for (; last; last = x.pairs[last - 1].before) {
		const struct keyed *to = &b[(last - 1) % n_b];

		/* One of several, which are not as many in both. */
		j->guess[to->entity] = (joined < n_a || joined < n_b) && !x.pairs[last - 1].sure;
		join(j, &a[(last - 1) / n_b], to);
	}
	free(x.pairs);
	free(x.reach);
}

/* So that their lines say which is which. */
static bool in_one_file(const struct keyed *k, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!k[i].of->line || k[i].of->file_id != k[0].of->file_id)
			return false;
	return true;
}

/* Those of one key. */
static void matching_join_family(struct joining *j, const struct keyed *k, size_t n, enum by by,
				 size_t folders)
{
	enum { CELLS_MAX = 1 << 18 };
	bool bare = by == BY_CANONICAL || by == BY_CORE, unknown = folders != WHATEVER,
	     unique = true;
	size_t n_a = 0, n_b;

	for (size_t i = 0; i < n; i++) {
		n_a += !k[i].side;
		bare |= k[i].of->is_bare;
		unknown |= !*k[i].of->file;
		unique &= k[i].of->is_unique;
	}
	n_b = n - n_a;
	if (!n_a || !n_b || !bare || (!unknown && !unique))
		return;
	if (n_a != n_b && (by == BY_BARE || !in_one_file(k, n_a) || !in_one_file(k + n_a, n_b)))
		return;
	if (n_a == n_b && by != BY_BARE_AND_LINE && (n_a == 1 || n_a * n_b > CELLS_MAX))
		for (size_t i = 0; i < n_a; i++)
			join(j, &k[i], &k[n_a + i]);
	else if (n_a * n_b <= CELLS_MAX)
		matching_align(j, k, n_a, k + n_a, n_b, by);
}

/* The digits that a name by address ends with. */
static const char *address_digits(const char *name, size_t *n)
{
	size_t all = strlen(name), k = all;

	while (k && is_hex(name[k - 1]))
		k--;
	*n = all - k;
	return name + k;
}

static int address_order(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	size_t n, m;
	const char *p = address_digits(x->of->name, &n), *q = address_digits(y->of->name, &m);
	int r;

	if (x->side != y->side || n != m)
		return x->side != y->side ? (x->side < y->side ? -1 : 1) : n < m ? -1 : 1;
	r = strcmp(p, q);
	return r ? r : strcmp(x->of->name, y->of->name);
}

/* What has no names in two builds of a module: in the order of its addresses, by counts and sizes. Of one build an address
 * is itself, and no other's. */
static void matching_join_addresses(struct joining *j, struct keyed *k, size_t n)
{
	enum { CELLS_MAX = 1 << 18 };
	size_t n_a = 0, n_b;

	while (n_a < n && !k[n_a].side)
		n_a++;
	n_b = n - n_a;
	if (!n_a || !n_b || n_a * n_b > CELLS_MAX || k[0].of->build == k[n_a].of->build)
		return;
	sort_array(k, n, sizeof *k, address_order);
	matching_align(j, k, n_a, k + n_a, n_b, BY_CANONICAL);
	for (size_t i = n_a; i < n; i++) /* also where it has the same address */
		j->guess[k[i].entity] = j->to[k[i].entity] != MATCHING_NONE;
}

static uint64_t name_in_module(const struct matching_entity *t)
{
	return hash_u64(t->canonical ^ hash_u64(t->module)) | 1;
}

/* The line of a is where that of b is, by the anchors around it. */
static bool matching_is_place(const struct joining *j, const struct matching_entity *a,
			      const struct matching_entity *b)
{
	struct around s = matching_around(j->lines, a, b);
	int64_t moved = (int64_t)b->line - a->line;

	if (!s.has_before && !s.has_after)
		return moved == 0;
	return (s.has_before && moved == s.before) || (s.has_after && moved == s.after);
}

/* What allocated about as often and as much: within a fifth, which is more than runs of one build differ. What has no sums
 * says nothing of it. */
static bool matching_is_as_much(const struct matching_entity *a, const struct matching_entity *b)
{
	const float near = log2f(1.2F);

	return (a->count > 0 || a->bytes > 0) && ratio(a->count, b->count) <= near &&
	       ratio(a->bytes, b->bytes) <= near;
}

/* Names that one build alone has, at one place and about as much: renamed, where no other may be it. */
static void matching_join_renamed(struct joining *j, const struct keyed *k, size_t n)
{
	enum { CELLS_MAX = 1 << 18 };
	size_t n_a = 0, n_b;
	uint32_t *
	    other; /* by entity of the family: the only one it may be + 1; MATCHING_NONE: several */

	while (n_a < n && !k[n_a].side)
		n_a++;
	n_b = n - n_a;
	if (!n_a || !n_b || n_a * n_b > CELLS_MAX)
		return;
	other = mem_zarray(n, sizeof *other);
	for (size_t i = 0; i < n_a; i++)
		for (size_t m = n_a; m < n; m++) {
			if (!matching_is_as_much(k[i].of, k[m].of) ||
			    !matching_is_place(j, k[i].of, k[m].of))
				continue;
			other[i] = other[i] ? MATCHING_NONE : (uint32_t)m + 1;
			other[m] = other[m] ? MATCHING_NONE : (uint32_t)i + 1;
		}
	for (size_t i = 0; i < n_a; i++)
		if (other[i] && other[i] != MATCHING_NONE && other[other[i] - 1] == i + 1)
			join(j, &k[i], &k[other[i] - 1]);
	free(other);
}

static uint64_t key_of(const struct joining *j, uint32_t side, const struct matching_entity *t,
		       enum by by, size_t folders)
{
	const char *end = folders >= RENAMED ? "" : path_end(t->file, folders);
	uint64_t name = by == BY_CANONICAL ? t->canonical : by == BY_CORE ? t->core : t->bare, key;
	uint32_t file = t->file_id, renamed;

	if (by == BY_ADDRESS)
		return folders == WHATEVER && !t->canonical && t->build ? hash_u64(t->module) | 1
									: 0;
	if (!name || !end || ((by == BY_BARE_AND_LINE || by == BY_PLACE) && !t->line))
		return 0;
	if (by == BY_PLACE) {
		if (!file || folders == WHATEVER || map64_get(&j->names[!side], name_in_module(t)))
			return 0;
		name = 1;
	}
	if (folders < RENAMED && matching_is_elsewhere(j, side, t))
		return 0;
	if (folders == RENAMED) {
		renamed = map64_get(&j->renamed[side], file);
		if (!renamed)
			return 0;
		name = hash_u64(name ^ (side ? renamed : file));
	}
	key = hash_bytes_seeded(end, strlen(end), name ^ hash_u64(t->module));
	return key ? key : 1;
}

static size_t matching_gather(const struct joining *j, struct keyed *k, enum by by, size_t folders)
{
	size_t m = 0;

	for (uint32_t side = 0; side < 2; side++)
		for (size_t i = 0; i < j->n[side]; i++) {
			const struct matching_entity *t = &j->entities[side][i];
			uint64_t key =
			    j->on_cells_done[side][i] ? 0 : key_of(j, side, t, by, folders);

			if (key)
				k[m++] = (struct keyed){key, (uint32_t)i, side, t};
		}
	sort_array(k, m, sizeof *k, matching_order);
	return m;
}

static void matching_pass(struct joining *j, struct keyed *k, enum by by, size_t folders)
{
	size_t m = matching_gather(j, k, by, folders);

	for (size_t i = 0, end; i < m; i = end) {
		for (end = i + 1; end < m && k[end].key == k[i].key; end++)
			;
		if (by == BY_ADDRESS)
			matching_join_addresses(j, k + i, end - i);
		else if (by == BY_PLACE)
			matching_join_renamed(j, k + i, end - i);
		else
			matching_join_family(j, k + i, end - i, by, folders);
	}
}

struct vote {
	uint32_t file_a, file_b, n;
};

static void vote(struct map64 *at, struct vote **votes, size_t *n, size_t *cap,
		 const struct matching_entity *a, const struct matching_entity *b)
{
	uint32_t *found;

	if (!*a->file || !*b->file || !strcmp(path_end(a->file, 0), path_end(b->file, 0)))
		return;
	found = map64_put(at, (uint64_t)a->file_id << 32 | b->file_id);
	if (!*found) {
		VEC_PUSH(*votes, *n, *cap) = (struct vote){a->file_id, b->file_id, 0};
		*found = (uint32_t)*n;
	}
	(*votes)[*found - 1].n++;
}

/* Of the base names of a side's files. */
static void matching_learn_files(const struct joining *j, uint32_t side, struct map64 *names)
{
	for (size_t i = 0; i < j->n[side]; i++) {
		const char *name = path_end(j->entities[side][i].file, 0);

		if (*name)
			*map64_put(names, hash_bytes(name, strlen(name))) = 1;
	}
}

static int vote_order(const void *x, const void *y)
{
	const struct vote *a = x, *b = y;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	if (a->file_a != b->file_a)
		return a->file_a < b->file_a ? -1 : 1;
	return a->file_b < b->file_b ? -1 : a->file_b > b->file_b;
}

static bool has_file(const struct map64 *names, const struct joining *j, uint32_t side,
		     uint32_t file)
{
	for (size_t i = 0; i < j->n[side]; i++) {
		const struct matching_entity *t = &j->entities[side][i];
		const char *name = path_end(t->file, 0);

		if (t->file_id == file)
			return map64_get(names, hash_bytes(name, strlen(name))) != 0;
	}
	return false;
}

/* A file that the other build does not have was renamed to one that this one does not have, when most of what is
 * known by its name alone went there. */
static void matching_find_renamed(struct joining *j, struct keyed *k)
{
	struct map64 at = MAP64_INIT, names[2] = {MAP64_INIT, MAP64_INIT};
	size_t n = 0, cap = 16, m = matching_gather(j, k, BY_CANONICAL, WHATEVER);
	struct vote *votes = mem_array(cap, sizeof *votes);

	for (uint32_t i = 0; i < j->n[1]; i++)
		if (j->to[i] != MATCHING_NONE)
			vote(&at, &votes, &n, &cap, &j->entities[0][j->to[i]], &j->entities[1][i]);
	for (size_t i = 0, end; i < m; i = end) {
		for (end = i + 1; end < m && k[end].key == k[i].key; end++)
			;
		if (end == i + 2 && k[i].side != k[i + 1].side)
			vote(&at, &votes, &n, &cap, k[i].of, k[i + 1].of);
	}
	matching_learn_files(j, 0, &names[0]);
	matching_learn_files(j, 1, &names[1]);
	sort_array(votes, n, sizeof *votes, vote_order);
	for (size_t i = 0; i < n; i++) {
		const struct vote *v = &votes[i];

		if (map64_get(&j->renamed[0], v->file_a) || map64_get(&j->renamed[1], v->file_b) ||
		    has_file(&names[1], j, 0, v->file_a) || has_file(&names[0], j, 1, v->file_b))
			continue;
		*map64_put(&j->renamed[0], v->file_a) = v->file_b;
		*map64_put(&j->renamed[1], v->file_b) = v->file_a;
	}
	map64_release(&at);
	map64_release(&names[0]);
	map64_release(&names[1]);
	free(votes);
}

/* The files of the entities, by id and by the hash of their base names: index + 1. */
struct files_seen {
	struct map64 ids, names;
};

static uint64_t base_name(const struct matching_entity *t)
{
	const char *name = path_end(t->file, 0);

	return hash_bytes(name, strlen(name)) | 1;
}

static void matching_see_files(const struct joining *j, uint32_t side, struct files_seen *to)
{
	for (uint32_t i = 0; i < j->n[side]; i++) {
		const struct matching_entity *t = &j->entities[side][i];

		if (!*t->file)
			continue;
		*map64_put(&to->ids, t->file_id) = i + 1;
		*map64_put(&to->names, base_name(t)) = i + 1;
	}
}

/* The base name of a file; 0: no entity is in it. */
static uint64_t name_of_file(const struct joining *j, uint32_t side, const struct files_seen *seen,
			     uint32_t file)
{
	uint32_t i = map64_get(&seen->ids, file);

	return i ? base_name(&j->entities[side][i - 1]) : 0;
}

/* Moves to another name: names is by side of what still moves. The name of one may be in the other build only where another
 * moved there, or from there. */
static void matching_use_moves(struct joining *j)
{
	const struct matching_lines *l = j->lines;
	struct files_seen seen[2] = {{MAP64_INIT, MAP64_INIT}, {MAP64_INIT, MAP64_INIT}};
	struct map64 names[2] = {MAP64_INIT, MAP64_INIT};
	bool *moves = mem_zarray(l->n_moves + 1, sizeof *moves), changed = true;

	for (uint32_t side = 0; side < 2 && l->n_moves; side++)
		matching_see_files(j, side, &seen[side]);
	for (size_t i = 0; i < l->n_moves; i++) {
		uint64_t a = name_of_file(j, 0, &seen[0], l->moves[i].file_a),
			 b = name_of_file(j, 1, &seen[1], l->moves[i].file_b);

		moves[i] = a && b && a != b;
		if (moves[i]) {
			*map64_put(&names[0], a) = 1;
			*map64_put(&names[1], b) = 1;
		}
	}
	while (changed) {
		changed = false;
		for (size_t i = 0; i < l->n_moves; i++) {
			uint64_t a, b;

			if (!moves[i])
				continue;
			a = name_of_file(j, 0, &seen[0], l->moves[i].file_a);
			b = name_of_file(j, 1, &seen[1], l->moves[i].file_b);
			if ((!map64_get(&seen[1].names, a) || map64_get(&names[1], a)) &&
			    (!map64_get(&seen[0].names, b) || map64_get(&names[0], b)))
				continue;
			moves[i] = false;
			*map64_put(&names[0], a) = 0;
			*map64_put(&names[1], b) = 0;
			changed = true;
		}
	}
	for (size_t i = 0; i < l->n_moves; i++)
		if (moves[i]) {
			*map64_put(&j->renamed[0], l->moves[i].file_a) = l->moves[i].file_b;
			*map64_put(&j->renamed[1], l->moves[i].file_b) = l->moves[i].file_a;
		}
	for (uint32_t side = 0; side < 2; side++) {
		map64_release(&seen[side].ids);
		map64_release(&seen[side].names);
		map64_release(&names[side]);
	}
	free(moves);
}

static size_t folders_of(const struct joining *j)
{
	size_t folders = 0;

	for (uint32_t side = 0; side < 2; side++)
		for (size_t i = 0; i < j->n[side]; i++) {
			size_t slashes = 0;

			for (const char *s = j->entities[side][i].file;
			     *s && !j->on_cells_done[side][i]; s++)
				slashes += *s == '/' || *s == '\\';
			folders = slashes > folders ? slashes : folders;
		}
	return folders < FOLDERS_MAX ? folders : FOLDERS_MAX;
}

void matching_assign(const struct matching_entity *a, size_t n_a, const struct matching_entity *b,
		     size_t n_b, const struct matching_lines *lines, uint32_t *to, bool *guess)
{
	struct joining j = {{a, b},
			    {n_a, n_b},
			    lines,
			    to,
			    guess,
			    {mem_zarray(n_a + 1, 1), mem_zarray(n_b + 1, 1)},
			    {MAP64_INIT, MAP64_INIT},
			    {MAP64_INIT, MAP64_INIT}};
	struct keyed *k;
	size_t folders, on_cells_done = 0;

	for (size_t i = 0; i < n_b; i++) {
		to[i] = MATCHING_NONE;
		guess[i] = false;
	}
	for (uint32_t side = 0; side < 2; side++)
		for (size_t i = 0; i < j.n[side]; i++)
			*map64_put(&j.names[side], name_in_module(&j.entities[side][i])) = 1;
	matching_use_moves(&j);
	matching_settle(&j);
	for (size_t i = 0; i < n_b; i++)
		on_cells_done += to[i] != MATCHING_NONE;
	k = mem_array(n_a + n_b - 2 * on_cells_done + 1, sizeof *k);
	folders = folders_of(&j);
	for (enum by by = 0; by < BYS; by++)
		for (size_t f = folders + 1; f-- > 0;)
			matching_pass(&j, k, by, f);
	matching_find_renamed(&j, k);
	for (enum by by = 0; by < BYS; by++)
		matching_pass(&j, k, by, RENAMED);
	for (enum by by = 0; by < BYS; by++)
		matching_pass(&j, k, by, WHATEVER);
	for (uint32_t side = 0; side < 2; side++) {
		map64_release(&j.renamed[side]);
		map64_release(&j.names[side]);
	}
	free(j.on_cells_done[0]);
	free(j.on_cells_done[1]);
	free(k);
}
