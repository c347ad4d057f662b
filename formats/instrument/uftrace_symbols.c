/* SPDX-License-Identifier: MIT */
#include "formats/instrument/uftrace_symbols.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"

#include <stdlib.h>

enum { LINE_LIMIT = 1 << 20, NESTED_MOST = 16 };

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

/* "00000000000011d9 T leaf", since 0.14 "00000000000011d9 0000001b T leaf" with the size in bytes; where a
 * symbol has no name "00000000000210e0 P ". Without sizes __sym_end and __dynsym_end are where uftrace's
 * knowledge ends. */
static bool parse_line(struct uftrace_symbols *s, const char *line, size_t n, struct trace *t)
{
	const char *end = line + n, *space = memchr(line, ' ', n), *type;
	struct uftrace_symbol y = {.name = 0};

	if (!space || space == line || end - space < 2 ||
	    !num_hex(line, (size_t)(space - line), &y.address))
		return false;
	type = space + 1;
	if (end - type > 1 && type[1] != ' ') { /* a type is one letter */
		space = memchr(type, ' ', (size_t)(end - type));
		if (!space || end - space < 2 || !num_hex(type, (size_t)(space - type), &y.size))
			return false;
		type = space + 1;
	}
	if (end - type > 1 && type[1] != ' ')
		return false;
	if (*type != '?' && end - type > 2)
		y.name = trace_string(t, type + 2, (size_t)(end - type) - 2);
	VEC_PUSH(s->all, s->n, s->cap) = y;
	return true;
}

/* "# path name: /usr/bin/game", "# build-id: 0123..."; the others say how many symbols there are. */
static void parse_head(struct uftrace_symbols *s, const char *line, size_t n)
{
	static const char path[] = "# path name: ", id[] = "# build-id: ";
	bool is_path = n >= sizeof path && !memcmp(line, path, sizeof path - 1);
	bool is_id = n >= sizeof id && !memcmp(line, id, sizeof id - 1);
	size_t skip = is_path ? sizeof path - 1 : sizeof id - 1;
	char **to = is_path ? &s->path : &s->build_id;

	if (is_path || is_id) {
		free(*to);
		*to = mem_strndup(line + skip, n - skip);
	}
}

void uftrace_symbols_read(struct uftrace_symbols *s, struct input *in, struct trace *t)
{
	const char *line;
	size_t n;

	while ((line = cursor_line(&in->cur, &n, LINE_LIMIT)))
		if (n && *line == '#')
			parse_head(s, line, n);
		else if (n)
			s->refused += !parse_line(s, line, n, t);
	s->refused += cursor_failed(&in->cur);
	if (s->n)
		sort_array(s->all, s->n, sizeof *s->all, uftrace_symbols_by_address);
}

/* All symbols of the address. */
static void place(struct uftrace_symbols *s, uint64_t address, uint32_t file, uint32_t line)
{
	for (size_t i = BISECT(k, 0, s->n, s->all[k].address < address);
	     i < s->n && s->all[i].address == address; i++) {
		s->all[i].file = file;
		s->all[i].line = line;
	}
}

/* Behind "F: " or "L: ": a number, and a text. False: it makes no sense. */
static bool parse_place(struct uftrace_symbols *s, const char *line, size_t n, struct trace *t,
			uint64_t *function)
{
	const char *end = line + n, *number = line + 3, *space;
	uint64_t at;

	if (n < 5 || line[1] != ':' || line[2] != ' ')
		return false;
	space = memchr(number, ' ', (size_t)(end - number));
	if (!space)
		return false;
	if (*line == 'F')
		return num_hex(number, (size_t)(space - number), function);
	if (!num_dec(number, (size_t)(space - number), &at) || at > UINT32_MAX || end - space < 2)
		return false;
	if (*function != UINT64_MAX && at)
		place(s, *function, trace_string(t, space + 1, (size_t)(end - space) - 1),
		      (uint32_t)at);
	return true;
}

void uftrace_symbols_read_places(struct uftrace_symbols *s, struct input *in, struct trace *t)
{
	uint64_t function = UINT64_MAX;
	const char *line;
	size_t n;

	while ((line = cursor_line(&in->cur, &n, LINE_LIMIT)))
		if (n && (*line == 'F' || *line == 'L') && !parse_place(s, line, n, t, &function)) {
			function = UINT64_MAX;
			s->refused++;
		}
	s->refused += cursor_failed(&in->cur);
}

const struct uftrace_symbol *uftrace_symbols_at(const struct uftrace_symbols *s, uint64_t address)
{
	size_t lo = BISECT(i, 0, s->n, s->all[i].address <= address);

	/* One may lie within another. */
	for (size_t i = 0; i < NESTED_MOST && i < lo; i++) {
		const struct uftrace_symbol *y = &s->all[lo - 1 - i];

		if (!y->size || address - y->address < y->size)
			return y;
	}
	return NULL;
}

bool uftrace_symbols_are_of(const struct uftrace_symbols *s, const char *path, size_t n,
			    const char *build_id, size_t n_id)
{
	if (n_id && s->build_id && *s->build_id)
		return strlen(s->build_id) == n_id && !memcmp(s->build_id, build_id, n_id);
	return !s->path || (strlen(s->path) == n && !memcmp(s->path, path, n));
}

void uftrace_symbols_release(struct uftrace_symbols *s)
{
	free(s->all);
	free(s->path);
	free(s->build_id);
	*s = (struct uftrace_symbols){.n = 0};
}
