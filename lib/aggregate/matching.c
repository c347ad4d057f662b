/* SPDX-License-Identifier: MIT */
#include "lib/aggregate/matching.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/base/text.h"
#include "lib/group/apart.h"
#include "lib/rules/clones.h"

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

	n = without_clone_notes(s, n);
	n = clones_cut(s, n);
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
		else if (s[i] == '(' && i)
			return i;
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

enum { FOLDERS_MAX = 16, WHATEVER = 17 /* the file counts for nothing */ };
enum by { BY_CANONICAL, BY_BARE_AND_LINE, BY_BARE, BYS };

struct keyed {
	uint64_t key;
	uint32_t thing;
	const struct matching_thing *things; /* all, for the order */
};

static int text_order(const struct matching_thing *x, const struct matching_thing *y)
{
	int r;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	r = strverscmp(x->name, y->name);
	return r ? r : strcmp(x->file, y->file);
}

static int matching_order(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int r;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	r = text_order(&x->things[x->thing], &y->things[y->thing]);
	return r ? r : x->thing < y->thing ? -1 : x->thing > y->thing;
}

static uint64_t key_of(const struct matching_thing *t, enum by by, size_t folders)
{
	const char *end = folders == WHATEVER ? "" : path_end(t->file, folders);
	uint64_t name = by == BY_CANONICAL ? t->canonical : t->bare, key;

	if (!name || !end || (by == BY_BARE_AND_LINE && !t->line))
		return 0;
	key = hash_bytes_seeded(end, strlen(end), name);
	if (by == BY_BARE_AND_LINE)
		key = hash_u64(key ^ t->line);
	return key ? key : 1;
}

struct joining {
	const struct matching_thing *things;
	uint32_t *row;
	bool *settled;
};

static void join_all(struct joining *j, const struct keyed *k, size_t n)
{
	uint32_t least = k[0].thing;

	for (size_t i = 1; i < n; i++)
		least = k[i].thing < least ? k[i].thing : least;
	for (size_t i = 0; i < n; i++) {
		j->row[k[i].thing] = least;
		j->settled[k[i].thing] = true;
	}
}

/* The first of one kind with the first of the other, and so on. */
static void join_pairs(struct joining *j, const struct keyed *k, size_t n)
{
	uint64_t in = j->things[k[0].thing].in;

	for (size_t a = 0, b = 0; a < n && b < n; a++, b++) {
		while (a < n && j->things[k[a].thing].in != in)
			a++;
		while (b < n && j->things[k[b].thing].in == in)
			b++;
		if (a < n && b < n)
			join_all(j, (struct keyed[]){k[a], k[b]}, 2);
	}
}

/* Those of one key. */
static void matching_join_place(struct joining *j, const struct keyed *k, size_t n, enum by by,
				bool files)
{
	uint64_t seen = 0, kinds[2] = {j->things[k[0].thing].in, 0};
	/* Names of one canonical form are in their order; of another form only lines decide it. */
	bool unique = true, bare = by == BY_CANONICAL, ordered = true;
	bool unknown = files;
	size_t counts[2] = {0, 0};

	for (size_t i = 0; i < n; i++) {
		const struct matching_thing *t = &j->things[k[i].thing];

		unique &= !(seen & t->in);
		seen |= t->in;
		bare |= t->is_bare;
		unknown |= !*t->file;
		ordered &= by == BY_CANONICAL || t->line;
		if (t->in != kinds[0] && !kinds[1])
			kinds[1] = t->in;
		for (size_t kind = 0; kind < 2; kind++)
			counts[kind] += t->in == kinds[kind];
	}
	if (seen == kinds[0] || !bare || !unknown)
		return;
	if (unique)
		join_all(j, k, n);
	else if (ordered && counts[0] == counts[1] && counts[0] + counts[1] == n &&
		 !(kinds[0] & kinds[1]))
		join_pairs(j, k, n);
}

static void matching_pass(struct joining *j, size_t n, enum by by, size_t folders)
{
	struct keyed *k = mem_array(n + 1, sizeof *k);
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t key = j->settled[i] ? 0 : key_of(&j->things[i], by, folders);

		if (key)
			k[m++] = (struct keyed){key, (uint32_t)i, j->things};
	}
	sort_array(k, m, sizeof *k, matching_order);
	for (size_t i = 0, end; i < m; i = end) {
		for (end = i + 1; end < m && k[end].key == k[i].key; end++)
			;
		matching_join_place(j, k + i, end - i, by, folders != WHATEVER);
	}
	free(k);
}

void matching_join(const struct matching_thing *things, size_t n, uint64_t groups, uint32_t *row)
{
	bool *settled = mem_array(n + 1, sizeof *settled);
	struct joining j = {things, row, settled};
	size_t folders = 0;

	for (size_t i = 0; i < n; i++) {
		size_t slashes = 0;

		row[i] = (uint32_t)i;
		settled[i] = !things[i].in || things[i].in == groups;
		for (const char *s = things[i].file; *s && !settled[i]; s++)
			slashes += *s == '/' || *s == '\\';
		folders = slashes > folders ? slashes : folders;
	}
	folders = folders < FOLDERS_MAX ? folders : FOLDERS_MAX;
	for (enum by by = 0; by < BYS; by++)
		for (size_t k = folders + 1; k-- > 0;)
			matching_pass(&j, n, by, k);
	for (enum by by = 0; by < BYS; by++)
		matching_pass(&j, n, by, WHATEVER);
	free(settled);
}
