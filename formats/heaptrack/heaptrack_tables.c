/* SPDX-License-Identifier: MIT
 *
 * The tables of a heaptrack file: strings, modules, instruction pointers and stacks.
 */
#include "formats/heaptrack/heaptrack.h"
#include "formats/heaptrack/heaptrack_word.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Digits are looked at once: files have tens of millions of them. */
bool heaptrack_number(struct heaptrack_line *l, uint64_t *v)
{
	const char *s = l->s;
	uint64_t x = 0;

	if (s == l->end || *s != ' ')
		return false;
	while (++s < l->end && *s != ' ') {
		int digit = num_hex_digit(*s);

		if (digit < 0 || x >> 60)
			return false;
		x = x << 4 | (uint64_t)digit;
	}
	if (s == l->s + 1)
		return false;
	l->s = s;
	*v = x;
	return true;
}

/* A text: up to the line's end, or with its length before it (sized), of which name says that more
 * fields follow. */
static bool heaptrack_tables_parse_text(struct heaptrack_line *l, bool sized, bool name,
					const char **s, size_t *n)
{
	uint64_t len;

	if (sized && !heaptrack_number(l, &len))
		return false;
	if (l->s == l->end || *l->s != ' ')
		return false;
	*s = l->s + 1;
	if (!sized) {
		const char *blank = name ? memchr(*s, ' ', (size_t)(l->end - *s)) : NULL;

		len = (size_t)((blank ? blank : l->end) - *s);
	} else if (len > (size_t)(l->end - *s)) {
		return false;
	}
	*n = (size_t)len;
	l->s = *s + len;
	return true;
}

bool heaptrack_string(struct heaptrack_tables *x, struct heaptrack_line *l)
{
	const char *s;
	uint32_t id;
	size_t n;
	bool sound = heaptrack_tables_parse_text(l, x->sized, false, &s, &n) && l->s == l->end;

	/* Also one that makes no sense has a number. */
	id = sound ? trace_string(x->t, s, n) : 0;
	VEC_PUSH(x->strings, x->n_strings, x->cap_strings) = id;
	return sound;
}

static uint32_t string_at(const struct heaptrack_tables *x, uint64_t number)
{
	return number && number <= x->n_strings ? x->strings[number - 1] : 0;
}

static uint32_t module_at(struct heaptrack_tables *x, uint64_t number)
{
	uint32_t name = string_at(x, number), *id;

	if (!name)
		return 0;
	id = map64_put(&x->modules, name);
	if (!*id)
		*id = trace_module(x->t, &(struct module){.name = name});
	return *id;
}

/* False: an address before has it too. */
static bool add_location(struct heaptrack_tables *x, const struct location *l)
{
	uint32_t id = trace_location(x->t, l), *of;

	VEC_PUSH(x->locations, x->n_locations, x->cap_locations) = id;
	x->ip_of = mem_grow_zero(x->ip_of, &x->cap_ip_of, (size_t)id + 1, sizeof *x->ip_of);
	of = &x->ip_of[id];
	if (*of && *of <= x->n_ips)
		x->ips[*of - 1].own = false;
	if (!*of)
		*of = (uint32_t)x->n_ips + 1;
	return *of == x->n_ips + 1;
}

/* Since version 3 (heaptrack 1.3) an address is one less than the return address, so it is in the call. */
static uint8_t kind_of(const struct heaptrack_tables *x)
{
	return x->sized ? LOCATION_EXACT : LOCATION_RETURN;
}

/* ADDRESS MODULE [FUNCTION [FILE LINE [FUNCTION FILE LINE]...]]: the innermost call, then what it
 * was inlined into. */
bool heaptrack_ip(struct heaptrack_tables *x, struct heaptrack_line *l)
{
	struct heaptrack_ip ip = {.first = (uint32_t)x->n_locations};
	struct location at = {.space = SPACE_RUNTIME, .kind = kind_of(x)};
	uint64_t module = 0, function = 0, file = 0, line = 0;
	bool sound = heaptrack_number(l, &at.raw);

	heaptrack_number(l, &module);
	at.module = module_at(x, module);
	heaptrack_number(l, &function);
	if (heaptrack_number(l, &file))
		heaptrack_number(l, &line);
	at.name = string_at(x, function);
	at.file = string_at(x, file);
	at.line = line <= UINT32_MAX ? (uint32_t)line : 0;
	if (l->s != l->end && at.name) { /* several calls share the address */
		at.raw = 0;
		at.space = SPACE_NAME;
		at.kind = LOCATION_UNSTATED;
	}
	ip.own = add_location(x, &at);
	while (at.space == SPACE_NAME && heaptrack_number(l, &function) &&
	       heaptrack_number(l, &file) && heaptrack_number(l, &line)) {
		at.name = string_at(x, function);
		at.file = string_at(x, file);
		at.line = line <= UINT32_MAX ? (uint32_t)line : 0;
		if (at.name && x->n_locations - ip.first == HEAPTRACK_CALLS_MOST)
			x->more_calls++;
		else if (at.name)
			add_location(x, &at);
	}
	ip.n = (uint32_t)(x->n_locations - ip.first);
	ip.own &= ip.n == 1;
	VEC_PUSH(x->ips, x->n_ips, x->cap_ips) = ip;
	return sound && l->s == l->end;
}

bool heaptrack_stack(const struct heaptrack_tables *x, uint64_t number, uint32_t *stack)
{
	*stack = number && number <= x->n_stacks ? x->stacks[number - 1] : 0;
	return number <= x->n_stacks;
}

/* IP PARENT: a number of an address and of the trace of its callers; in raw files the address. */
bool heaptrack_trace(struct heaptrack_tables *x, struct heaptrack_line *l, bool raw)
{
	uint64_t ip = 0, parent = 0;
	bool sound = heaptrack_number(l, &ip) && heaptrack_number(l, &parent) && l->s == l->end;
	uint32_t stack, depth = parent && parent <= x->n_depths ? x->depths[parent - 1] : 0, n;

	sound &= heaptrack_stack(x, parent, &stack);
	n = raw && ip ? 1 : ip && ip <= x->n_ips ? x->ips[ip - 1].n : 0;
	if (n > HEAPTRACK_STACK_MOST - depth) {
		x->more_calls += n;
	} else if (raw && ip) {
		struct location at = {
		    .raw = ip, .space = SPACE_RUNTIME, .kind = kind_of(x), .epoch = x->epoch};

		stack = trace_stack(x->t, stack, trace_location(x->t, &at));
	} else if (ip && ip <= x->n_ips) {
		const struct heaptrack_ip *calls = &x->ips[ip - 1];

		/* heaptrack writes a trace once, so one of an address whose location no other has is
		 * a new row: it is not looked for. Where a file repeats it, two rows are equal. */
		if (calls->own)
			stack = trace_stack_new(x->t, stack, x->locations[calls->first]);
		for (uint32_t i = calls->own ? 0 : calls->n; i-- > 0;)
			stack = trace_stack(x->t, stack, x->locations[calls->first + i]);
	} else {
		sound &= !ip;
	}
	depth += n <= HEAPTRACK_STACK_MOST - depth ? n : 0;
	VEC_PUSH(x->depths, x->n_depths, x->cap_depths) = depth;
	VEC_PUSH(x->stacks, x->n_stacks, x->cap_stacks) = stack;
	return sound;
}

/* Those of addresses with a location of their own. */
size_t heaptrack_traces_parse(struct heaptrack_tables *x, const uint8_t *p, const uint8_t *end,
			      uint64_t *lines)
{
	enum { LETTER = 't' | ' ' << 8 };
	const uint8_t *start = p;

	while (end - p >= 2 * (1 + HEAPTRACK_WORD) && le16(p) == LETTER) {
		const struct heaptrack_ip *from;
		uint64_t ip, parent;
		unsigned n, n_parent;
		uint32_t depth, stack;

		if (!heaptrack_word(p + 2, ' ', &ip, &n) ||
		    !heaptrack_word(p + 2 + n + 1, '\n', &parent, &n_parent) || !ip ||
		    ip > x->n_ips || parent > x->n_stacks)
			break;
		from = &x->ips[ip - 1];
		depth = parent ? x->depths[parent - 1] : 0;
		stack = parent ? x->stacks[parent - 1] : 0;
		if (!from->own || depth >= HEAPTRACK_STACK_MOST)
			break;
		stack = trace_stack_new(x->t, stack, x->locations[from->first]);
		VEC_PUSH(x->depths, x->n_depths, x->cap_depths) = depth + 1;
		VEC_PUSH(x->stacks, x->n_stacks, x->cap_stacks) = stack;
		p += 2 + n + 1 + n_parent + 1;
		++*lines;
	}
	return (size_t)(p - start);
}

bool heaptrack_exe(struct heaptrack_tables *x, struct heaptrack_line *l)
{
	const char *s;
	size_t n;

	if (!heaptrack_tables_parse_text(l, x->sized, false, &s, &n))
		return false;
	x->exe = intern_text(&x->t->strings, trace_string(x->t, s, n), &x->n_exe);
	return true;
}

/* NAME BASE [VADDR SIZE]...: a module that is mapped now; "-" begins the list anew. "x" is the
 * executable. */
bool heaptrack_module(struct heaptrack_tables *x, struct heaptrack_line *l)
{
	struct map_range ranges[64];
	struct module m = {.epoch_lo = x->epoch, .epoch_hi = x->epoch + 1, .ranges = ranges};
	uint64_t vaddr, size;
	const char *s;
	size_t n;

	if (!heaptrack_tables_parse_text(l, x->sized, true, &s, &n))
		return false;
	if (text_is(s, n, "-")) {
		x->epoch += x->listed;
		x->listed = false;
		return true;
	}
	if (text_is(s, n, "x") && x->exe)
		m.name = trace_string(x->t, x->exe, x->n_exe);
	else
		m.name = trace_string(x->t, s, n);
	if (!heaptrack_number(l, &m.slide))
		return false;
	m.has_slide = true;
	while (m.n_ranges < sizeof ranges / sizeof *ranges && heaptrack_number(l, &vaddr) &&
	       heaptrack_number(l, &size))
		if (size && m.slide + vaddr + size > m.slide + vaddr)
			ranges[m.n_ranges++] = (struct map_range){
			    m.slide + vaddr, m.slide + vaddr + size, vaddr, true};
	x->listed = true;
	trace_module(x->t, &m);
	return l->s == l->end;
}

void heaptrack_tables_release(struct heaptrack_tables *x)
{
	map64_release(&x->modules);
	free(x->strings);
	free(x->ips);
	free(x->ip_of);
	free(x->locations);
	free(x->stacks);
	free(x->depths);
}
