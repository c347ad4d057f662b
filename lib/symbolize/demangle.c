/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/demangle.h"

#include "lib/base/buf.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 64 << 10, LONGEST_TEXT = 256 << 10 };

struct text {
	struct buf b;
	jmp_buf away;
};

/* A name of 200 bytes can stand for gigabytes: each type may name the one before it twice. There
 * is no other way to stop the printer; it has nothing of its own to free, but for the decoded
 * identifier in which a hostile Rust name may be stopped. */
static void add(const char *s, size_t n, void *arg)
{
	struct text *t = arg;

	if (n > LONGEST_TEXT - t->b.len)
		longjmp(t->away, 1);
	buf_add(&t->b, s, n);
}

static bool print(struct text *t, const char *raw)
{
	enum { OPTIONS = DMGL_PARAMS | DMGL_ANSI };

	if (setjmp(t->away))
		return false;
	/* Rust's older names are C++ names too. */
	if (rust_demangle_callback(raw, OPTIONS, add, t))
		return true;
	t->b.len = 0;
	return cplus_demangle_v3_callback(raw, OPTIONS, add, t);
}

char *demangle(const char *raw)
{
	size_t underscores = strspn(raw, "_");
	struct text t = {.b = BUF_INIT};

	if (!underscores || !raw[underscores] || !strchr("ZR", raw[underscores]) ||
	    strnlen(raw, LONGEST) == LONGEST)
		return NULL;
	/* Mach-O puts one more underscore in front of every name. */
	if (underscores > 1 && raw[underscores] == 'Z')
		raw += underscores - 1;
	if (!print(&t, raw) || !t.b.len) {
		buf_release(&t.b);
		return NULL;
	}
	buf_str(&t.b);
	return t.b.data;
}
