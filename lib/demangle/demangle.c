/* SPDX-License-Identifier: MIT */
#include "lib/demangle/demangle.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/demangle/demangle_llvm.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 << 10, LONGEST_TEXT = 256 << 10 };

struct text {
	struct buf b;
	jmp_buf away;
};

/* A name of 200 bytes can stand for gigabytes: each type may name the one before it twice. There
 * is no other way to stop the printer; it has nothing of its own to free, but for the decoded
 * identifier in which a hostile Rust name may be stopped. */
static void demangle_add(const char *s, size_t n, void *arg)
{
	struct text *t = arg;

	if (n > LONGEST_TEXT - t->b.len)
		longjmp(t->away, 1);
	buf_add(&t->b, s, n);
}

static bool print(struct text *t, const char *raw, int options)
{
	if (setjmp(t->away))
		return false;
	/* Rust's older names are C++ names too. */
	if (rust_demangle_callback(raw, options, demangle_add, t))
		return true;
	t->b.len = 0;
	return cplus_demangle_v3_callback(raw, options, demangle_add, t);
}

char *demangle_with_suffix(const char *raw, const char *suffix, char *(*how)(const char *raw))
{
	char *name = mem_strndup(raw, (size_t)(suffix - raw)), *text = how(name);
	struct buf whole = BUF_INIT;

	free(name);
	if (!text)
		return NULL;
	buf_adds(&whole, text);
	buf_adds(&whole, suffix);
	free(text);
	buf_str(&whole);
	return whole.data;
}

static char *demangle_with(const char *raw, int options)
{
	size_t underscores = strspn(raw, "_");
	struct text t = {.b = BUF_INIT};

	if (!underscores || !raw[underscores] || !strchr("ZR", raw[underscores]) ||
	    strnlen(raw, LONGEST) == LONGEST)
		return NULL;
	/* Mach-O puts one more underscore in front of every name. */
	if (underscores > 1 && raw[underscores] == 'Z')
		raw += underscores - 1;
	if (!print(&t, raw, options) || !t.b.len) {
		buf_release(&t.b);
		return NULL;
	}
	buf_str(&t.b);
	return t.b.data;
}

static void demangle_ignore(const char *s, size_t n, void *arg)
{
	(void)s;
	(void)n;
	(void)arg;
}

bool demangle_is_rust(const char *raw)
{
	return strnlen(raw, LONGEST) < LONGEST &&
	       rust_demangle_callback(raw, DMGL_PARAMS | DMGL_ANSI, demangle_ignore, NULL);
}

char *demangle(const char *raw)
{
	const char *suffix = *raw == '_' ? strchr(raw, '@') : NULL; /* a version, "@plt" */

	if (*raw == '?')
		return demangle_microsoft(raw);
	if (suffix)
		return demangle_with_suffix(raw, suffix, demangle);
	return demangle_with(raw, DMGL_PARAMS | DMGL_ANSI);
}

static bool begins_linkage_name(char c)
{
	return c == '_' || c == '?';
}

/* Where a linkage name may begin in what a capture carries: behind its module, if one is there. NULL: nowhere. */
static const char *linkage_name_in(const char *s, size_t n)
{
	const char *tick, *bang, *at;

	if (!n || begins_linkage_name(*s))
		return n ? s : NULL;
	tick = memrchr(s, '`', n);
	bang = memrchr(s, '!', n);
	at = tick > bang ? tick : bang;
	return at && at + 1 < s + n && begins_linkage_name(at[1]) ? at + 1 : NULL;
}

bool demangle_may_capture(const char *s, size_t n)
{
	return linkage_name_in(s, n);
}

char *demangle_captured(const char *s, size_t n)
{
	static const char word[] = "0123456789_.$"
				   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *start = n < LONGEST ? linkage_name_in(s, n) : NULL;
	struct buf whole = BUF_INIT;
	char *raw, *text;
	size_t len;

	if (!start)
		return NULL;
	raw = mem_strndup(start, (size_t)(s + n - start));
	len = *raw == '?' ? strcspn(raw, " \t+([") : strspn(raw, word);
	if (raw[len] == '[' && raw[len - 1] == '_') /* collapsed stacks mark kernels and JITs so */
		len--;
	raw[len] = '\0';
	text = demangle(raw);
	free(raw);
	if (!text)
		return NULL;
	buf_add(&whole, s, (size_t)(start - s));
	buf_adds(&whole, text);
	buf_add(&whole, start + len, (size_t)(s + n - start) - len);
	free(text);
	buf_str(&whole);
	return whole.data;
}

/* Where the last component of a scoped name begins: past "::" outside of any brackets. An
 * operator's own characters are no brackets. */
static size_t demangle_last_component(const char *s)
{
	size_t start = 0, i = 0;
	int depth = 0;

	while (s[i]) {
		if (i == start && !strncmp(s + i, "operator", 8) && !strpbrk(s + i + 8, ":"))
			return start;
		if (strchr("<({[", s[i]))
			depth++;
		else if (strchr(">)}]", s[i]))
			depth--;
		if (!depth && s[i] == ':' && s[i + 1] == ':') {
			i += 2;
			start = i;
			continue;
		}
		i++;
	}
	return start;
}

char *demangle_short(const char *raw)
{
	char *full = demangle_with(raw, DMGL_ANSI);
	size_t start;

	if (!full)
		return NULL;
	start = demangle_last_component(full);
	if (!full[start]) { /* of a name that ends in "::", as no compiler makes it */
		free(full);
		return NULL;
	}
	memmove(full, full + start, strlen(full + start) + 1);
	return full;
}
