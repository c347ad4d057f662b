/* SPDX-License-Identifier: MIT
 *
 * Names that stand anywhere in the file: of processes and threads, and symbols of addresses.
 */
#include "formats/perfetto/perfetto.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"

#include <stdlib.h>
#include <string.h>

uint32_t perfetto_name(struct perfetto *x, const void *s, size_t n)
{
	return intern_add(&x->names.strings, s, n < TRACE_STRING_MAX ? n : TRACE_STRING_MAX);
}

uint32_t perfetto_string(struct perfetto *x, uint32_t name)
{
	size_t n;
	const char *s = intern_text(&x->names.strings, name, &n);

	return trace_string(x->im->t, s, n);
}

/* --- processes and threads --- */

/* What a program says of itself goes before what the kernel knows, which is cut off. */
static void set_name(struct map64 *m, uint64_t key, uint32_t name, bool of_kernel)
{
	uint32_t *at = name ? map64_put(m, key) : NULL;

	if (at && (!*at || !of_kernel))
		*at = name;
}

static uint64_t thread_key(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

/* A command line's first word is the process's name. */
static void parse_process(struct perfetto *x, struct pb b)
{
	uint32_t pid = 0, name = 0;
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.number == 1)
			pid = (uint32_t)f.value;
		else if (f.number == 3 && f.wire == PB_BYTES && f.n && !name)
			name = perfetto_name(x, f.s, f.n);
	if (b.bad)
		return;
	set_name(&x->names.processes, pid, name, true);
	perfetto_thread_pid(x, pid, pid);
}

static void perfetto_parse_thread(struct perfetto *x, struct pb b)
{
	uint32_t pid = 0, tid = 0, name = 0;
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: tid = (uint32_t)f.value; break;
		case 3: pid = (uint32_t)f.value; break;
		case 2:
			if (f.wire == PB_BYTES && f.n)
				name = perfetto_name(x, f.s, f.n);
			break;
		}
	if (b.bad)
		return;
	set_name(&x->names.threads, thread_key(pid, tid), name, true);
	perfetto_thread_pid(x, tid, pid);
}

void perfetto_process_tree(struct perfetto *x, struct pb b)
{
	struct pb_field f;

	while (pb_next(&b, &f))
		if (f.wire == PB_BYTES && f.number == 1)
			parse_process(x, pb_of(&f));
		else if (f.wire == PB_BYTES && f.number == 2)
			perfetto_parse_thread(x, pb_of(&f));
}

void perfetto_process_descriptor(struct perfetto *x, struct pb b, uint32_t *pid)
{
	uint32_t name = 0, line = 0;
	struct pb_field f;

	*pid = 0;
	while (pb_next(&b, &f))
		if (f.number == 1)
			*pid = (uint32_t)f.value;
		else if (f.number == 6 && f.wire == PB_BYTES && f.n)
			name = perfetto_name(x, f.s, f.n);
		else if (f.number == 2 && f.wire == PB_BYTES && f.n && !line)
			line = perfetto_name(x, f.s, f.n);
	if (!b.bad)
		set_name(&x->names.processes, *pid, name ? name : line, false);
}

void perfetto_thread_descriptor(struct perfetto *x, struct pb b, uint32_t *pid, uint32_t *tid,
				int64_t *reference)
{
	uint32_t name = 0;
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: *pid = (uint32_t)f.value; break;
		case 2: *tid = (uint32_t)f.value; break;
		case 6: *reference = (int64_t)f.value; break;
		case 5:
			if (f.wire == PB_BYTES && f.n)
				name = perfetto_name(x, f.s, f.n);
			break;
		}
	if (!b.bad)
		set_name(&x->names.threads, thread_key(*pid, *tid), name, false);
}

uint32_t perfetto_thread(struct perfetto *x, uint32_t pid, uint32_t tid)
{
	uint32_t name = map64_get(&x->names.threads, thread_key(pid, tid));

	if (!name && pid == tid)
		name = map64_get(&x->names.processes, pid);
	name = name ? name : map64_get(&x->sched.comms, tid);
	return trace_thread(
	    x->im->t, &(struct thread){
			  .process = pid, .tid = tid, .name = name ? perfetto_string(x, name) : 0});
}

uint32_t perfetto_process(struct perfetto *x, uint32_t pid)
{
	uint32_t name = map64_get(&x->names.processes, pid);

	return trace_thread(
	    x->im->t,
	    &(struct thread){.process = pid, .name = name ? perfetto_string(x, name) : 0});
}

/* --- symbols --- */

static uint64_t symbol_key(const void *module, size_t n, uint64_t pc)
{
	return hash_u64(hash_bytes(module, n) ^ hash_u64(pc));
}

static struct perfetto_line line_of(struct perfetto *x, struct pb b)
{
	struct perfetto_line l = {0};
	struct pb_field f;

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: l.function = f.n ? perfetto_name(x, f.s, f.n) : 0; break;
		case 2: l.file = f.n ? perfetto_name(x, f.s, f.n) : 0; break;
		case 3: l.line = (uint32_t)f.value; break;
		}
	return l;
}

static void perfetto_parse_symbol(struct perfetto *x, struct pb b, const struct pb_field *path,
				  const struct pb_field *build_id)
{
	struct perfetto_names *names = &x->names;
	struct perfetto_symbol s = {.first = names->n_lines};
	struct pb_field f;
	uint64_t pc = 0;

	while (pb_next(&b, &f))
		if (f.number == 1)
			pc = f.value;
		else if (f.number == 2 && f.wire == PB_BYTES && s.n < PERFETTO_LINES_MOST) {
			struct perfetto_line l = line_of(x, pb_of(&f));

			VEC_PUSH(names->lines, names->n_lines, names->cap_lines) = l;
			s.n++;
		} else {
			names->more_lines += f.number == 2;
		}
	if (!s.n)
		return;
	VEC_PUSH(names->symbols_list, names->n_symbols, names->cap_symbols) = s;
	if (build_id->n)
		*map64_put(&names->symbols, symbol_key(build_id->s, build_id->n, pc)) =
		    (uint32_t)names->n_symbols;
	if (path->n)
		*map64_put(&names->symbols, symbol_key(path->s, path->n, pc)) =
		    (uint32_t)names->n_symbols;
}

void perfetto_module_symbols(struct perfetto *x, struct pb b)
{
	struct pb_field f, path = {0}, build_id = {0};
	uint8_t plain[PERFETTO_BUILD_ID_MOST];
	struct pb again = b;
	size_t n;

	while (pb_next(&b, &f))
		if (f.wire == PB_BYTES && f.number == 1)
			path = f;
		else if (f.wire == PB_BYTES && f.number == 2)
			build_id = f;
	n = perfetto_plain_build_id(path_is_of_windows((const char *)path.s, path.n),
				    (const char *)build_id.s, build_id.n, plain);
	if (n) {
		build_id.s = plain;
		build_id.n = n;
	}
	while (pb_next(&again, &f))
		if (f.wire == PB_BYTES && f.number == 3)
			perfetto_parse_symbol(x, pb_of(&f), &path, &build_id);
}

const struct perfetto_symbol *perfetto_symbol_of(struct perfetto *x, uint32_t path,
						 uint32_t build_id, uint64_t pc)
{
	const uint32_t of[] = {build_id, path};
	const struct trace *t = x->im->t;

	for (size_t i = 0; i < 2 && x->names.n_symbols; i++) {
		size_t n;
		const char *s = intern_text(&t->strings, of[i], &n);
		uint32_t at = n ? map64_get(&x->names.symbols, symbol_key(s, n, pc)) : 0;

		if (at)
			return &x->names.symbols_list[at - 1];
	}
	return NULL;
}

void perfetto_names_release(struct perfetto_names *n)
{
	intern_release(&n->strings);
	map64_release(&n->processes);
	map64_release(&n->threads);
	map64_release(&n->symbols);
	map64_release(&n->classes);
	map64_release(&n->members);
	free(n->symbols_list);
	free(n->lines);
	map64_release(&n->members_seen);
	free(n->member_list);
}
