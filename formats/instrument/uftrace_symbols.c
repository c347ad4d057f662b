/* SPDX-License-Identifier: MIT */
#include "formats/instrument/uftrace_symbols.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"

#include <stdlib.h>

enum { LINE_LIMIT = 1 << 20 };

static int uftrace_symbols_by_address(const void *a, const void *b)
{
	const struct uftrace_symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	/* Of several names at one address the one that came first; no name gives way. */
	if (!x->name != !y->name)
		return x->name ? 1 : -1;
	return x->name < y->name ? 1 : x->name > y->name ? -1 : 0;
}

/* "00000000000011d9 T leaf", and where a symbol has no name "00000000000210e0 P "; __sym_end and
 * __dynsym_end are where uftrace's knowledge ends. */
static bool take_line(struct uftrace_symbols *s, const char *line, size_t n, struct trace *t)
{
	const char *space = memchr(line, ' ', n);
	size_t digits = space ? (size_t)(space - line) : 0;
	struct uftrace_symbol y = {.name = 0};

	if (!digits || n < digits + 2 || !num_hex(line, digits, &y.address) ||
	    (n > digits + 2 && line[digits + 2] != ' '))
		return false;
	if (line[digits + 1] != '?' && n > digits + 3)
		y.name = trace_string(t, line + digits + 3, n - digits - 3);
	VEC_PUSH(s->all, s->n, s->cap) = y;
	return true;
}

void uftrace_symbols_read(struct uftrace_symbols *s, struct input *in, struct trace *t)
{
	const char *line;
	size_t n;

	while ((line = cursor_line(&in->cur, &n, LINE_LIMIT)))
		if (n && *line != '#')
			s->refused += !take_line(s, line, n, t);
	s->refused += cursor_failed(&in->cur);
	if (s->n)
		sort_array(s->all, s->n, sizeof *s->all, uftrace_symbols_by_address);
}

uint32_t uftrace_symbols_name(const struct uftrace_symbols *s, uint64_t address)
{
	size_t lo = BISECT(i, 0, s->n, s->all[i].address <= address);

	return lo ? s->all[lo - 1].name : 0;
}

void uftrace_symbols_release(struct uftrace_symbols *s)
{
	free(s->all);
	*s = (struct uftrace_symbols){.n = 0};
}
