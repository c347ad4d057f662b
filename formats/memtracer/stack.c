/* SPDX-License-Identifier: MIT */
#include "formats/memtracer/stack.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <stdlib.h>
#include <string.h>

/* Independent of hash_bytes: two strings that agree in both and in their length are one. */
static uint64_t second_hash(const char *s, size_t n)
{
	uint64_t x = n, word;

	for (; n >= sizeof word; s += sizeof word, n -= sizeof word) {
		memcpy(&word, s, sizeof word);
		x = (x ^ word) * 0x9e3779b97f4a7c15u;
		x ^= x >> 29;
	}
	word = 0;
	if (n)
		memcpy(&word, s, n);
	return hash_u64(x ^ word);
}

static bool is_separator(char c)
{
	return c == ';' || c == ',' || c == ' ' || c == '|' || c == '\n' || c == '\r' || c == '\t';
}

/* Addresses are hexadecimal with or without 0x. */
static bool parse_address(const char *s, size_t n, uint64_t *address)
{
	if (n > 2 && s[0] == '0' && (s[1] | 0x20) == 'x') {
		s += 2;
		n -= 2;
	}
	return num_hex(s, n, address);
}

static void add(struct memtracer_stacks *m, const struct location *l)
{
	VEC_PUSH(m->entries, m->n_entries, m->cap_entries) = *l;
}

static void memtracer_stack_add_addresses(struct memtracer_stacks *m, const char *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		struct location l = {.space = SPACE_RUNTIME, .kind = m->kind};

		len = 1;
		if (is_separator(s[i]))
			continue;
		while (i + len < n && !is_separator(s[i + len]))
			len++;
		if (parse_address(s + i, len, &l.raw)) {
			m->has_addresses = true;
		} else {
			l = (struct location){.space = SPACE_UNKNOWN};
			m->bad++;
		}
		add(m, &l);
	}
}

static uint32_t module_named(struct memtracer_stacks *m, const char *s, size_t n)
{
	uint32_t name = trace_string(m->t, s, n);
	uint32_t *id = map64_put(&m->modules, name);

	if (!*id)
		*id = trace_module(m->t, &(struct module){.name = name});
	return *id;
}

/* The last place of needle in s, or NULL. */
static const char *find_last(const char *s, size_t n, const char *needle)
{
	size_t k = strlen(needle);

	for (size_t i = n; i >= k; i--) {
		if (!memcmp(s + i - k, needle, k))
			return s + i - k;
	}
	return NULL;
}

static const char *find_file(const char *s, size_t n, size_t *file_len, uint64_t *line)
{
	const char *open = n && s[n - 1] == ')' ? find_last(s, n, " (") : NULL;
	const char *colon;
	size_t len;

	if (!open)
		return NULL;
	len = (size_t)(s + n - 1 - (open + 2));
	colon = find_last(open + 2, len, ":");
	if (!colon || !num_dec(colon + 1, (size_t)(s + n - 1 - (colon + 1)), line) ||
	    *line > UINT32_MAX)
		return NULL;
	*file_len = (size_t)(colon - (open + 2));
	return open + 2;
}

/* One entry of atos: "name (in Module) (File.cpp:123)", "name (in Module) + 52",
 * "0x123 (in Module)", and whatever it printed without a module. */
static void memtracer_stack_add_name(struct memtracer_stacks *m, const char *s, size_t n)
{
	struct location l = {.space = SPACE_NAME};
	const char *in, *file;
	size_t file_len = 0, name_len = n;
	uint64_t line = 0;

	while (n && (*s == ' ' || *s == '\t' || *s == '\r')) {
		s++;
		n--;
	}
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r'))
		n--;
	if (!n)
		return;
	name_len = n;
	file = find_file(s, n, &file_len, &line);
	if (file) {
		l.file = trace_string(m->t, file, file_len);
		l.line = (uint32_t)line;
		name_len = (size_t)(file - 2 - s);
	}
	in = find_last(s, name_len, " (in ");
	if (in) {
		const char *module = in + 5;
		const char *end = memchr(module, ')', (size_t)(s + name_len - module));

		if (end) {
			l.module = module_named(m, module, (size_t)(end - module));
			name_len = (size_t)(in - s);
		}
	}
	l.name = trace_string(m->t, s, name_len);
	add(m, &l);
}

/* C++ names hold commas, spaces and bars, but no semicolon. */
static void add_names(struct memtracer_stacks *m, const char *s, size_t n)
{
	size_t start = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i == n || s[i] == ';' || s[i] == '\n') {
			memtracer_stack_add_name(m, s + start, i - start);
			start = i + 1;
		}
	}
}

/* Decoded text has a module somewhere, or neither begins like an address nor consists of what
 * addresses are made of. */
static bool is_decoded(const char *s, size_t n)
{
	bool known_type = false;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '(' && i && n - i > 4 && !memcmp(s + i - 1, " (in ", 5))
			return true;
		known_type |= num_hex_digit(s[i]) < 0 && !is_separator(s[i]) && s[i] != 'x';
	}
	while (n && is_separator(*s)) {
		s++;
		n--;
	}
	return known_type && !(*s >= '0' && *s <= '9');
}

static uint32_t parse(struct memtracer_stacks *m, const char *s, size_t n)
{
	m->n_entries = 0;
	if (is_decoded(s, n))
		add_names(m, s, n);
	else
		memtracer_stack_add_addresses(m, s, n);
	if (m->n_entries > m->cap_locations)
		m->locations =
		    mem_grow(m->locations, &m->cap_locations, m->n_entries, sizeof *m->locations);
	trace_locations(m->t, m->entries, m->n_entries, m->locations);
	return trace_stack_of(m->t, m->locations, m->n_entries);
}

static uint64_t memtracer_stack_row_hash(const void *table, uint32_t id)
{
	const struct memtracer_stacks *m = table;

	return m->rows[id - 1].hash;
}

static bool memtracer_stack_row_equal(const void *table, uint32_t id, const void *key)
{
	const struct memtracer_row *row = &((const struct memtracer_stacks *)table)->rows[id - 1],
				   *other = key;

	return row->hash == other->hash && row->check == other->check && row->size == other->size;
}

static const struct id_rows stack_rows = {memtracer_stack_row_hash, memtracer_stack_row_equal};

uint32_t memtracer_stack(struct memtracer_stacks *m, const char *s, size_t n)
{
	struct memtracer_row row = {
	    .hash = hash_bytes(s, n), .check = second_hash(s, n), .size = n};
	uint32_t id = id_set_find(&m->seen, &stack_rows, m, row.hash, &row);

	if (id)
		return m->rows[id - 1].stack;
	row.stack = parse(m, s, n);
	VEC_PUSH(m->rows, m->n_rows, m->cap_rows) = row;
	id_set_add(&m->seen, &stack_rows, m, row.hash, (uint32_t)m->n_rows);
	return row.stack;
}

void memtracer_stacks_release(struct memtracer_stacks *m)
{
	id_set_release(&m->seen);
	map64_release(&m->modules);
	free(m->rows);
	free(m->entries);
	free(m->locations);
	*m = (struct memtracer_stacks){0};
}
