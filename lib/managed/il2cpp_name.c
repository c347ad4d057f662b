/* SPDX-License-Identifier: MIT */
#include "lib/managed/il2cpp_name.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HASH = 40, LONGEST = 64 << 10 };

struct text {
	const char *s;
	size_t n;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hash(const char *s, size_t n)
{
	if (n < HASH)
		return false;
	for (size_t i = 0; i < HASH; i++)
		if (!is_digit(s[i]) && (s[i] < 'A' || s[i] > 'F'))
			return false;
	return true;
}

static bool ends_with(struct text t, const char *end)
{
	size_t n = strlen(end);

	return t.n > n && !memcmp(t.s + t.n - n, end, n);
}

static bool begins_with(struct text t, const char *with)
{
	size_t n = strlen(with);

	return t.n > n && !memcmp(t.s, with, n);
}

size_t il2cpp_bare(const char *name)
{
	return strcspn(name, "(.[ ");
}

/* The part behind the hash. Those that only say how the method was compiled are dropped; a thunk
 * is another function than its method, and says so. Longest first. */
static struct text il2cpp_parse_suffix(struct text *t)
{
	static const char *const dropped[] = {"_gshared_inline", "_RuntimeMethod_var",
					      "_MethodInfo_var", "_gshared", "_inline"};
	static const char *const thunks[] = {"_OpenGenericInterfaceInvoker",
					     "_OpenGenericVirtualInvoker",
					     "_ClosedStaticInvoker",
					     "_OpenInterfaceInvoker",
					     "_OpenVirtualInvoker",
					     "_ClosedInstInvoker",
					     "_OpenGenericInterface",
					     "_OpenGenericVirtual",
					     "_OpenStaticInvoker",
					     "_OpenInstInvoker",
					     "_MulticastInvoker",
					     "_AdjustorThunk",
					     "_OpenInterface",
					     "_OpenVirtual",
					     "_OpenStatic",
					     "_Multicast",
					     "_OpenInst"};

	for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
		if (ends_with(*t, dropped[i])) {
			t->n -= strlen(dropped[i]);
			break;
		}
	}
	for (size_t i = 0; i < sizeof thunks / sizeof *thunks; i++) {
		if (ends_with(*t, thunks[i])) {
			t->n -= strlen(thunks[i]);
			return (struct text){thunks[i] + 1, strlen(thunks[i]) - 1};
		}
	}
	return (struct text){"", 0};
}

static struct text parse_prefix(struct text *t)
{
	static const char *const prefixes[] = {"ReversePInvokeWrapper_", "DelegatePInvokeWrapper_",
					       "RuntimeInvoker_"};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		size_t n = strlen(prefixes[i]);

		if (!begins_with(*t, prefixes[i]))
			continue;
		t->s += n;
		t->n -= n;
		return (struct text){prefixes[i], n - 1};
	}
	return (struct text){"", 0};
}

static bool parse_hash(struct text *t)
{
	size_t digits = 0;

	if (t->n > HASH + 2 && is_hash(t->s + t->n - HASH, HASH) &&
	    !memcmp(t->s + t->n - HASH - 2, "_m", 2)) {
		t->n -= HASH + 2;
		return true;
	}
	while (digits < t->n && is_digit(t->s[t->n - 1 - digits]))
		digits++;
	/* Fewer may be in any name: mat_mul_m4. */
	if (digits < 8 || digits > 10 || t->n < digits + 3 ||
	    memcmp(t->s + t->n - digits - 2, "_m", 2) != 0)
		return false;
	t->n -= digits + 2;
	return true;
}

bool il2cpp_generated(const char *raw)
{
	const char *end = raw + strnlen(raw, LONGEST), *s = raw;
	struct text t = {raw, il2cpp_bare(raw)};

	while ((s = strstr(s, "_m")) && end - s >= HASH + 2) {
		s += 2;
		if (is_hash(s, HASH))
			return true;
	}
	il2cpp_parse_suffix(&t);
	return parse_hash(&t);
}

/* The characters that escapes stand for, where they do: "U3C" is a "<" only with its "U3E", or else
 * a GPU3Cache would lose its name. */
static char escaped(const char *s, size_t n)
{
	static const struct {
		char digits[3], c;
	} table[] = {{"3C", '<'}, {"3E", '>'}, {"5B", '['}, {"5D", ']'}, {"24", '$'},
		     {"3D", '='}, {"2C", ','}, {"7C", '|'}, {"2A", '*'}};

	for (size_t i = 0; n >= 3 && s[0] == 'U' && i < sizeof table / sizeof *table; i++)
		if (!memcmp(s + 1, table[i].digits, 2))
			return table[i].c;
	return 0;
}

/* True where what follows the escape fits what it stands for. */
static bool fits(char c, const char *s, size_t n, size_t at, unsigned depth)
{
	char next = at + 3 < n ? s[at + 3] : 0, before = at ? s[at - 1] : 0;

	switch (c) {
	case '=':
	case '|': return is_digit(next);
	case ',': return depth > 0;
	case '*': return !next || next == '_' || next == 'U';
	case '$': return !before || before == '_' || next == 'U' || depth > 0;
	default: return false;
	}
}

static void il2cpp_unescape(struct buf *out, const char *s, size_t n)
{
	char *decoded = mem_zalloc(n + 1);
	size_t *open = mem_array(n / 3 + 1, sizeof *open), n_open = 0;

	for (size_t i = 0; i < n; i++) {
		char c = escaped(s + i, n - i);

		if (c == '<' || c == '[')
			open[n_open++] = i;
		if ((c == '>' || c == ']') && n_open) {
			size_t from = open[n_open - 1];

			if (escaped(s + from, n - from) == (c == '>' ? '<' : '[')) {
				decoded[from] = c == '>' ? '<' : '[';
				decoded[i] = c;
				n_open--;
			}
		}
		if (c && !decoded[i] && fits(c, s, n, i, (unsigned)n_open))
			decoded[i] = c;
		i += c ? 2 : 0;
	}
	for (size_t i = 0; i < n; i++) {
		buf_addc(out, decoded[i] ? decoded[i] : s[i]);
		i += decoded[i] ? 2 : 0;
	}
	free(open);
	free(decoded);
}

/* A type as a name has it: escaped, and with its hash if it has one. */
static void add_type(struct buf *out, const char *s, size_t n)
{
	if (n > HASH + 2 && is_hash(s + n - HASH, HASH) && !memcmp(s + n - HASH - 2, "_t", 2))
		n -= HASH + 2;
	il2cpp_unescape(out, s, n);
}

static bool is_word(const char *s, size_t n)
{
	return n && !memchr(s, '_', n);
}

/* A method's name of which every "_" is accounted for. */
static bool is_method(const char *s, size_t n)
{
	static const char *const accessors[] = {"get_", "set_", "add_", "remove_", "op_"};
	struct text t = {s, n};

	if (n && s[0] == '<')
		return true;
	for (size_t i = 0; i < sizeof accessors / sizeof *accessors; i++)
		if (begins_with(t, accessors[i]))
			return is_word(s + strlen(accessors[i]), n - strlen(accessors[i]));
	return is_word(s, n);
}

/* Where the "_" between type and method is; 0: there may be more than one. Only a compiler's own
 * names begin with "<", so a "_<" can be nothing else. */
static size_t il2cpp_boundary(const char *s, size_t n, size_t *arity)
{
	size_t i = 0, depth = 0;

	*arity = 0;
	for (size_t k = 1; k + 1 < n; k++)
		if (s[k] == '_' && s[k + 1] == '<')
			return k;
	if (n && s[0] == '<') { /* <Start>d__5 */
		for (; i < n; i++) {
			depth += s[i] == '<';
			depth -= s[i] == '>';
			if (!depth)
				break;
		}
		i += 2;
		if (i + 2 < n && s[i] == '_' && s[i + 1] == '_')
			i += 2;
	}
	while (i < n && s[i] != '_')
		i++;
	*arity = i;
	if (i + 2 < n && is_digit(s[i + 1])) { /* List_1 */
		size_t k = i + 1;

		while (k < n && is_digit(s[k]))
			k++;
		if (k < n && s[k] == '_')
			i = k;
	}
	if (*arity == i)
		*arity = 0;
	return i + 1 < n && is_method(s + i + 1, n - i - 1) ? i : 0;
}

static void il2cpp_add_method(struct buf *out, struct text t)
{
	static const char *const constructors[] = {"__cctor", "__ctor"};
	struct buf plain = BUF_INIT;
	size_t at, arity;
	const char *s;

	il2cpp_unescape(&plain, t.s, t.n);
	s = buf_str(&plain);
	for (size_t i = 0; i < 2; i++) {
		struct text all = {s, plain.len};

		if (ends_with(all, constructors[i])) {
			buf_add(out, s, plain.len - strlen(constructors[i]));
			buf_addf(out, ".%s", constructors[i] + 2);
			buf_release(&plain);
			return;
		}
	}
	at = il2cpp_boundary(s, plain.len, &arity);
	if (at && arity)
		buf_addf(out, "%.*s`%.*s.%s", (int)arity, s, (int)(at - arity - 1), s + arity + 1,
			 s + at + 1);
	else if (at)
		buf_addf(out, "%.*s.%s", (int)at, s, s + at + 1);
	else
		buf_add(out, s, plain.len);
	buf_release(&plain);
}

/* _TisInt32_t680F..., with what follows it up to the next one. */
static const char *generic_argument(const char *s, const char *end)
{
	for (; end - s > 4; s++)
		if (!memcmp(s, "_Tis", 4) && s[4] >= 'A' && s[4] <= 'Z')
			return s;
	return NULL;
}

static void add_generic(struct buf *out, struct text t)
{
	const char *end = t.s + t.n, *at = generic_argument(t.s, end), *next;

	if (!at || at == t.s) {
		il2cpp_add_method(out, t);
		return;
	}
	il2cpp_add_method(out, (struct text){t.s, (size_t)(at - t.s)});
	for (char c = '<'; at; at = next, c = ',') {
		next = generic_argument(at + 4, end);
		buf_addc(out, c);
		add_type(out, at + 4, (size_t)((next ? next : end) - at - 4));
	}
	buf_addc(out, '>');
}

/* RuntimeInvoker_Void_t700C..._Int32_t680F...: a row of types. */
static void add_types(struct buf *out, struct text t)
{
	const char *s = t.s, *end = t.s + t.n;

	for (const char *p = s; p < end; p++) {
		if (end - p >= HASH + 2 && p[0] == '_' && p[1] == 't' && is_hash(p + 2, HASH)) {
			il2cpp_unescape(out, s, (size_t)(p - s));
			p += HASH + 1;
			s = p + 1;
		}
	}
	il2cpp_unescape(out, s, (size_t)(end - s));
}

char *il2cpp_display(const char *name)
{
	size_t whole = strnlen(name, LONGEST), n = il2cpp_bare(name);
	struct text t = {name, n}, thunk, prefix;
	const char *clone = name + n;
	struct buf out = BUF_INIT;
	bool hashed;

	if (whole == LONGEST || !n)
		return NULL;
	thunk = il2cpp_parse_suffix(&t);
	hashed = parse_hash(&t);
	if (!hashed && memcmp(name, "RuntimeInvoker_", n < 15 ? n : 15) != 0)
		return NULL;
	prefix = parse_prefix(&t);
	if (!hashed && (!prefix.n || !t.n))
		return NULL;
	if (!hashed)
		add_types(&out, t);
	else
		add_generic(&out, t);
	if (prefix.n)
		buf_addf(&out, " [%.*s]", (int)prefix.n, prefix.s);
	if (thunk.n)
		buf_addf(&out, " [%.*s]", (int)thunk.n, thunk.s);
	/* GCC's way of saying it, which the demangler has too */
	if (*clone == '.')
		buf_addf(&out, " [clone %s]", clone);
	else if ((clone = strstr(clone, " [clone ")))
		buf_adds(&out, clone);
	buf_str(&out);
	return out.data;
}
