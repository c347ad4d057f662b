/* SPDX-License-Identifier: MIT */
#include "lib/aggregate/matching.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/group/apart.h"
#include "lib/rules/clones.h"

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

/* The length of a number at s that counts unnamed things, by the p bytes before it. */
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

	if (n == 9 && !memcmp(s, "[unknown]", 9))
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
	*l = (struct matching_lines){.n = 0};
}

/* By how much a line has moved: between two bounds, which are one where it is sure. */
struct shift {
	bool known, sure;
	int64_t least, most;
};

static struct shift matching_shift(const struct matching_lines *l, const struct matching_thing *a,
				   const struct matching_thing *b)
{
	struct matching_anchor key = {a->file_id, b->file_id, a->line, 0};
	size_t at = BISECT(i, 0, l->n, matching_anchor_order(&l->items[i], &key) < 0);
	const struct matching_anchor *after = at < l->n ? &l->items[at] : NULL,
				     *before = at ? &l->items[at - 1] : NULL;
	struct shift s = {.known = true};
	int64_t x, y;

	if (after && (after->file_a != key.file_a || after->file_b != key.file_b))
		after = NULL;
	if (after && after->line_a == key.line_a)
		before = after;
	if (before && (before->file_a != key.file_a || before->file_b != key.file_b))
		before = NULL;
	if (!before && !after)
		return (struct shift){.known = false};
	x = before ? (int64_t)before->line_b - before->line_a : 0;
	y = after ? (int64_t)after->line_b - after->line_a : x;
	s.sure = before && after && x == y;
	s.least = x < y ? x : y;
	s.most = x < y ? y : x;
	return s;
}

enum { FOLDERS_MAX = 16, RENAMED = 17, WHATEVER = 18 /* the file counts for nothing */ };
enum by { BY_CANONICAL, BY_BARE_AND_LINE, BY_BARE, BY_CORE, BYS };

struct joining {
	const struct matching_thing *things[2];
	size_t n[2];
	const struct matching_lines *lines;
	uint32_t *to; /* by things[1] */
	bool *settled[2];
	struct map64 renamed[2]; /* file of one side -> of the other */
};

struct keyed {
	uint64_t key;
	uint32_t thing, side;
	const struct matching_thing *of;
};

static int float_order(float a, float b)
{
	return a < b ? -1 : a > b;
}

static int place_order(const struct matching_thing *x, const struct matching_thing *y)
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
	return r ? r : x->thing < y->thing ? -1 : x->thing > y->thing;
}

static void join(struct joining *j, const struct keyed *a, const struct keyed *b)
{
	j->to[b->thing] = a->thing;
	j->settled[0][a->thing] = j->settled[1][b->thing] = true;
}

/* What says the same. */
static void matching_settle(struct joining *j)
{
	struct map64 at = MAP64_INIT;

	for (uint32_t i = 0; i < j->n[0]; i++)
		if (j->things[0][i].same)
			*map64_put(&at, j->things[0][i].same) = i + 1;
	for (uint32_t i = 0; i < j->n[1]; i++) {
		const struct matching_thing *b = &j->things[1][i], *a;
		uint32_t found = b->same ? map64_get(&at, b->same) : 0;

		if (!found || j->settled[0][found - 1])
			continue;
		a = &j->things[0][found - 1];
		if ((a->is_open || b->is_open) && (!a->build || a->build != b->build))
			continue;
		j->to[i] = found - 1;
		j->settled[0][found - 1] = j->settled[1][i] = true;
	}
	map64_release(&at);
}

/* How good it is to join some of a family: first the largest weight, then the least of the others. */
struct score {
	int weight;
	float moved, grown; /* lines further than the anchors say; change in counts and sizes */
	int64_t far;        /* lines */
};

static bool better(const struct score *x, const struct score *y)
{
	if (x->weight != y->weight)
		return x->weight > y->weight;
	if (x->moved != y->moved)
		return x->moved < y->moved;
	if (x->grown != y->grown)
		return x->grown < y->grown;
	return x->far < y->far;
}

static float ratio(float a, float b)
{
	return a == b ? 0 : fabsf(log2f((a + 1) / (b + 1)));
}

/* weight 0: these two must not be joined. */
static struct score matching_score(const struct joining *j, const struct matching_thing *a,
				   const struct matching_thing *b, enum by by)
{
	struct score s = {.weight = 1};
	struct shift moved = matching_shift(j->lines, a, b);
	int64_t by_lines = (int64_t)b->line - a->line;

	if (a->line && b->line) {
		s.far = by_lines < 0 ? -by_lines : by_lines;
		if (moved.known)
			s.moved = (float)(by_lines < moved.least  ? moved.least - by_lines
					  : by_lines > moved.most ? by_lines - moved.most
								  : 0);
		/* What lies where it must outweighs two others. */
		if (moved.sure && s.moved == 0)
			s.weight = 3;
	}
	if (by == BY_BARE_AND_LINE &&
	    (!a->line || !b->line || (moved.known ? s.moved > 0 : s.far > 0)))
		s.weight = 0;
	if (by != BY_CANONICAL && !a->is_bare && !b->is_bare)
		s.weight = 0;
	if (a->count > 0 && b->count > 0)
		s.grown =
		    4 * ratio(a->bytes / a->count, b->bytes / b->count) + ratio(a->count, b->count);
	return s;
}

static struct score sum(const struct score *a, const struct score *b)
{
	return (struct score){a->weight + b->weight, a->moved + b->moved, a->grown + b->grown,
			      a->far + b->far};
}

/* A family in the order of its lines: the best way to join it, worked out from its end. */
static void matching_align(struct joining *j, const struct keyed *a, size_t n_a,
			   const struct keyed *b, size_t n_b, enum by by)
{
	enum { JOIN, SKIP_A, SKIP_B };
	struct score *best = mem_zarray((n_a + 1) * (n_b + 1), sizeof *best);
	uint8_t *how = mem_array((n_a + 1) * (n_b + 1), sizeof *how);

	for (size_t i = n_a; i-- > 0;)
		for (size_t k = n_b; k-- > 0;) {
			struct score *to = &best[i * (n_b + 1) + k];
			struct score pair = matching_score(j, a[i].of, b[k].of, by), both;
			bool first = place_order(a[i].of, b[k].of) < 0;

			how[i * (n_b + 1) + k] = first ? SKIP_A : SKIP_B;
			*to = best[first ? (i + 1) * (n_b + 1) + k : i * (n_b + 1) + k + 1];
			both = best[first ? i * (n_b + 1) + k + 1 : (i + 1) * (n_b + 1) + k];
			if (better(&both, to)) {
				*to = both;
				how[i * (n_b + 1) + k] = first ? SKIP_B : SKIP_A;
			}
			both = sum(&pair, &best[(i + 1) * (n_b + 1) + k + 1]);
			if (pair.weight && !better(to, &both)) {
				*to = both;
				how[i * (n_b + 1) + k] = JOIN;
			}
		}
	for (size_t i = 0, k = 0; i < n_a && k < n_b;) {
		switch (how[i * (n_b + 1) + k]) {
		case JOIN: join(j, &a[i++], &b[k++]); break;
		case SKIP_A: i++; break;
		default: k++; break;
		}
	}
	free(best);
	free(how);
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

static uint64_t key_of(const struct joining *j, uint32_t side, const struct matching_thing *t,
		       enum by by, size_t folders)
{
	const char *end = folders >= RENAMED ? "" : path_end(t->file, folders);
	uint64_t name = by == BY_CANONICAL ? t->canonical : by == BY_CORE ? t->core : t->bare, key;
	uint32_t file = t->file_id, renamed;

	if (!name || !end || (by == BY_BARE_AND_LINE && !t->line))
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
			const struct matching_thing *t = &j->things[side][i];
			uint64_t key = j->settled[side][i] ? 0 : key_of(j, side, t, by, folders);

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
		matching_join_family(j, k + i, end - i, by, folders);
	}
}

struct vote {
	uint32_t file_a, file_b, n;
};

static void vote(struct map64 *at, struct vote **votes, size_t *n, size_t *cap,
		 const struct matching_thing *a, const struct matching_thing *b)
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
		const char *name = path_end(j->things[side][i].file, 0);

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
		const struct matching_thing *t = &j->things[side][i];
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
			vote(&at, &votes, &n, &cap, &j->things[0][j->to[i]], &j->things[1][i]);
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

static size_t folders_of(const struct joining *j)
{
	size_t folders = 0;

	for (uint32_t side = 0; side < 2; side++)
		for (size_t i = 0; i < j->n[side]; i++) {
			size_t slashes = 0;

			for (const char *s = j->things[side][i].file; *s && !j->settled[side][i];
			     s++)
				slashes += *s == '/' || *s == '\\';
			folders = slashes > folders ? slashes : folders;
		}
	return folders < FOLDERS_MAX ? folders : FOLDERS_MAX;
}

void matching_assign(const struct matching_thing *a, size_t n_a, const struct matching_thing *b,
		     size_t n_b, const struct matching_lines *lines, uint32_t *to)
{
	struct joining j = {{a, b},
			    {n_a, n_b},
			    lines,
			    to,
			    {mem_zarray(n_a + 1, 1), mem_zarray(n_b + 1, 1)},
			    {MAP64_INIT, MAP64_INIT}};
	struct keyed *k = mem_array(n_a + n_b + 1, sizeof *k);
	size_t folders;

	for (size_t i = 0; i < n_b; i++)
		to[i] = MATCHING_NONE;
	matching_settle(&j);
	folders = folders_of(&j);
	for (enum by by = 0; by < BYS; by++)
		for (size_t f = folders + 1; f-- > 0;)
			matching_pass(&j, k, by, f);
	matching_find_renamed(&j, k);
	for (enum by by = 0; by < BYS; by++)
		matching_pass(&j, k, by, RENAMED);
	for (enum by by = 0; by < BYS; by++)
		matching_pass(&j, k, by, WHATEVER);
	map64_release(&j.renamed[0]);
	map64_release(&j.renamed[1]);
	free(j.settled[0]);
	free(j.settled[1]);
	free(k);
}
