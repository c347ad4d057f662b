/* SPDX-License-Identifier: MIT
 *
 * Threads and mappings of the processes in a perf capture, and so the location of an address. An
 * address of a file is identified by its offset there, so that stacks of all processes are the
 * same, wherever a library was loaded.
 *
 * Processes that have forked share their mappings until one of them maps something more.
 */
#include "formats/perf/perf_data.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <stdlib.h>

enum { NAME_MOST = 4096, COMM_MOST = 256 };
static const uint32_t of_kernel = UINT32_MAX;
/* Where x86-64 links its kernel; it runs somewhere above. */
static const uint64_t x86_text = UINT64_C(0xffffffff81000000);

/* --- processes and threads --- */

static void maps_drop(struct perf_data *x, struct perf_maps *m)
{
	if (!m || --m->users)
		return;
	x->maps_all -= m->n;
	free(m->items);
	free(m);
}

/* The process's own, to be changed. */
static struct perf_maps *maps_own(struct perf_data *x, struct perf_maps **place)
{
	struct perf_maps *old = *place, *own;

	if (!old || old->users > 1) {
		own = mem_zalloc(sizeof *own);
		own->users = 1;
		if (old && x->maps_all + old->n > PERF_MAPS_ALL) {
			x->more_maps += old->n;
		} else if (old && old->n) {
			own->items = mem_grow(NULL, &own->cap, old->n, sizeof *own->items);
			memcpy(own->items, old->items, old->n * sizeof *own->items);
			own->n = old->n;
			x->maps_all += own->n;
		}
		maps_drop(x, old);
		*place = own;
	}
	(*place)->version = ++x->maps_version;
	return *place;
}

struct perf_process *perf_process(struct perf_data *x, uint32_t pid)
{
	uint32_t *index = map64_put(&x->process_of, pid);

	if (!*index && x->n_free_processes)
		*index = x->free_processes[--x->n_free_processes];
	else if (!*index) {
		VEC_PUSH(x->processes, x->n_processes, x->cap_processes) = (struct perf_process){0};
		*index = (uint32_t)x->n_processes;
	}
	x->processes[*index - 1].pid = pid;
	return &x->processes[*index - 1];
}

static struct perf_thread *perf_map_thread_of(struct perf_data *x, uint32_t pid, uint32_t tid)
{
	uint32_t *index = map64_put(&x->thread_of, tid);
	struct perf_thread *th;
	bool new = !*index;

	if (new && x->n_free_threads)
		*index = x->free_threads[--x->n_free_threads];
	else if (new) {
		VEC_PUSH(x->threads, x->n_threads, x->cap_threads) = (struct perf_thread){0};
		*index = (uint32_t)x->n_threads;
	}
	th = &x->threads[*index - 1];
	if (new || th->pid != pid) {
		*th = (struct perf_thread){.pid = pid};
		perf_process(x, pid)->threads++;
	}
	return th;
}

uint32_t perf_thread_row(struct perf_data *x, uint32_t pid, uint32_t tid)
{
	struct perf_thread *th = perf_map_thread_of(x, pid, tid);
	struct thread row = {.process = pid, .tid = tid, .name = th->comm};

	if (!th->row && !row.name && !tid && !pid)
		row.name = trace_strz(x->im->t, "swapper");
	if (!th->row)
		th->row = trace_thread_named(x->im->t, row);
	return th->row;
}

void perf_on_comm(struct perf_data *x, const struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);
	uint32_t pid = cursor_u32(&c), tid = cursor_u32(&c);
	struct perf_thread *th;

	if (cursor_failed(&c)) {
		x->odd++;
		return;
	}
	th = perf_map_thread_of(x, pid, tid);
	th->comm =
	    trace_string(x->im->t, (const char *)c.pos,
			 strnlen((const char *)c.pos,
				 cursor_window(&c) < COMM_MOST ? cursor_window(&c) : COMM_MOST));
	th->row = 0;
	if (r->misc & PERF_MISC_COMM_EXEC) { /* another program: nothing is mapped any more */
		struct perf_process *p = perf_process(x, pid);

		maps_drop(x, p->maps);
		p->maps = NULL;
	}
}

/* Of forks and exits. False: it makes no sense. */
static bool read_task(struct perf_data *x, const struct perf_record *r, uint32_t task[4])
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);

	for (int i = 0; i < 4; i++) /* pid, ppid, tid, ptid */
		task[i] = cursor_u32(&c);
	x->odd += cursor_failed(&c);
	return !cursor_failed(&c);
}

void perf_on_fork(struct perf_data *x, const struct perf_record *r)
{
	uint32_t task[4], index, comm;
	struct perf_maps *maps;
	struct perf_process *child;

	if (!read_task(x, r, task))
		return;
	index = map64_get(&x->thread_of, task[3]);
	comm = index ? x->threads[index - 1].comm : 0;
	index = map64_get(&x->process_of, task[1]);
	maps = index ? x->processes[index - 1].maps : NULL;
	perf_map_thread_of(x, task[0], task[2])->comm = comm;
	index = map64_get(&x->thread_of, task[2]);
	x->threads[index - 1].row = 0;
	/* What was running before the recording is recorded as forks too, and its mappings then. */
	if (task[0] == task[1] || r->misc & PERF_MISC_FORK_EXEC)
		return;
	child = perf_process(x, task[0]);
	if (maps)
		maps->users++;
	maps_drop(x, child->maps);
	child->maps = maps;
}

void perf_on_exit(struct perf_data *x, const struct perf_record *r)
{
	uint32_t task[4], thread, process;

	if (!read_task(x, r, task))
		return;
	thread = map64_get(&x->thread_of, task[2]);
	if (!thread || x->threads[thread - 1].pid != task[0])
		return;
	map64_remove(&x->thread_of, task[2]);
	VEC_PUSH(x->free_threads, x->n_free_threads, x->cap_free_threads) = thread;
	process = map64_get(&x->process_of, task[0]);
	if (!process || --x->processes[process - 1].threads)
		return;
	maps_drop(x, x->processes[process - 1].maps);
	x->processes[process - 1] = (struct perf_process){0};
	map64_remove(&x->process_of, task[0]);
	VEC_PUSH(x->free_processes, x->n_free_processes, x->cap_free_processes) = process;
}

/* --- mappings --- */

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static bool is_anonymous(const char *name)
{
	return begins(name, "//anon") || begins(name, "/dev/zero") ||
	       begins(name, "/anon_hugepage") || begins(name, "[stack") || begins(name, "[heap]") ||
	       begins(name, "[anon:") || begins(name, "/SYSV") || begins(name, "[unknown]") ||
	       !*name;
}

static bool is_kernel_itself(const char *name)
{
	return begins(name, "[kernel.kallsyms]") || begins(name, "[guest.kernel.kallsyms");
}

static uint32_t perf_map_dso_of(struct perf_data *x, uint32_t name, uint32_t build_id, bool kernel)
{
	struct {
		uint32_t name, build_id, kernel;
	} key = {name, build_id, kernel};
	uint32_t before = intern_count(&x->dso_keys), id;
	const char *text = trace_text(x->im->t, name);

	id = intern_add(&x->dso_keys, (const char *)&key, sizeof key);
	if (id > before)
		VEC_PUSH(x->dsos, x->n_dsos, x->cap_dsos) = (struct perf_dso){
		    .name = name,
		    .build_id = build_id,
		    .anonymous = !kernel && is_anonymous(text),
		    .whole = kernel && is_kernel_itself(text),
		    .unlinked = kernel && !is_kernel_itself(text),
		    .names = map64_get(&x->file_of_path, name),
		};
	return id - 1;
}

/* The first that ends above it. */
static size_t first_above(const struct perf_maps *m, uint64_t address)
{
	return BISECT(i, 0, m->n, m->items[i].hi <= address);
}

static const struct perf_map *map_at(const struct perf_maps *m, uint64_t address)
{
	size_t i = m ? first_above(m, address) : 0;

	return m && i < m->n && m->items[i].lo <= address ? &m->items[i] : NULL;
}

/* Takes the place of what is there: n of old from index at become the k of new. */
static void replace_maps(struct perf_data *x, struct perf_maps *m, size_t at, size_t n,
			 const struct perf_map *new, size_t k)
{
	size_t behind = m->n - at - n;

	if (m->n - n + k > m->cap)
		m->items = mem_grow(m->items, &m->cap, m->n - n + k, sizeof *m->items);
	if (behind)
		memmove(m->items + at + k, m->items + at + n, behind * sizeof *m->items);
	memcpy(m->items + at, new, k * sizeof *m->items);
	m->n = m->n - n + k;
	x->maps_all += k;
	x->maps_all -= n;
}

static void put_map(struct perf_data *x, struct perf_maps *m, struct perf_map new)
{
	size_t at = first_above(m, new.lo), end = at, k = 0;
	struct perf_map parts[3];

	while (end < m->n && m->items[end].lo < new.hi)
		end++;
	if (m->n - (end - at) + 3 > PERF_MAPS_MOST || x->maps_all + 3 > PERF_MAPS_ALL) {
		x->more_maps++;
		return;
	}
	if (end > at && m->items[at].lo < new.lo) {
		parts[k] = m->items[at];
		parts[k++].hi = new.lo;
	}
	parts[k++] = new;
	if (end > at && m->items[end - 1].hi > new.hi) {
		parts[k] = m->items[end - 1];
		parts[k].offset += new.hi - parts[k].lo;
		parts[k++].lo = new.hi;
	}
	replace_maps(x, m, at, end - at, parts, k);
}

/* Of the kernel the name has a symbol behind it: "[kernel.kallsyms]_text". */
static uint32_t name_of(struct perf_data *x, const char *s, size_t n, bool kernel)
{
	const char *end = kernel ? memchr(s, ']', n) : NULL;

	if (end && begins(s, "[") && (is_kernel_itself(s) || end[1] == 0))
		n = (size_t)(end - s) + 1;
	return trace_string(x->im->t, s, n);
}

void perf_on_mmap(struct perf_data *x, const struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);
	uint32_t pid = cursor_u32(&c), name, build_id = 0, prot = 0;
	struct perf_map m = {0};
	unsigned mode = r->misc & PERF_MISC_CPUMODE;
	bool kernel = mode == PERF_KERNEL || (mode != PERF_USER && pid == of_kernel);
	const uint8_t *id = NULL;
	uint64_t length;
	size_t n;

	cursor_u32(&c);
	m.lo = cursor_u64(&c);
	length = cursor_u64(&c);
	m.offset = cursor_u64(&c);
	if (r->type == PERF_MMAP2) {
		id = cursor_bytes(&c, 24, "mapping");
		prot = cursor_u32(&c);
		cursor_u32(&c);
	}
	n = cursor_window(&c) < NAME_MOST ? cursor_window(&c) : NAME_MOST;
	n = strnlen((const char *)c.pos, n);
	if (cursor_failed(&c) || n == cursor_window(&c)) { /* the text has an end */
		x->odd++;
		return;
	}
	if (mode > PERF_USER && mode != PERF_HYPERVISOR) /* a guest's */
		return;
	m.hi = length > UINT64_MAX - m.lo ? UINT64_MAX : m.lo + length;
	if (!length)
		return;
	name = name_of(x, (const char *)c.pos, n, kernel);
	if (id && r->misc & PERF_MISC_MMAP_BUILD_ID && id[0] && id[0] <= 20)
		build_id = trace_string(x->im->t, (const char *)id + 4, id[0]);
	if (!build_id)
		build_id = map64_get(&x->build_ids, name);
	m.dso = perf_map_dso_of(x, name, build_id, kernel);
	x->dsos[m.dso].lo = m.lo;
	x->dsos[m.dso].hi = m.hi;
	m.jit = prot & 0x4000 && x->simpleperf; /* simpleperf's own bit */
	put_map(x, maps_own(x, kernel ? &x->kernel : &perf_process(x, pid)->maps), m);
}

void perf_on_ksymbol(struct perf_data *x, const struct perf_record *r)
{
	struct err own = ERR_INIT;
	struct cursor c = perf_fields(x, r, &own);
	uint64_t lo = cursor_u64(&c);
	uint32_t size = cursor_u32(&c);
	uint16_t flags;
	size_t n;

	cursor_u16(&c);
	flags = cursor_u16(&c);
	n = strnlen((const char *)c.pos,
		    cursor_window(&c) < NAME_MOST ? cursor_window(&c) : NAME_MOST);
	if (cursor_failed(&c)) {
		x->odd++;
		return;
	}
	if (flags & 1 || !size || x->n_kernel_functions >= PERF_NAMES_MOST) /* it is gone */
		return;
	VEC_PUSH(x->kernel_functions, x->n_kernel_functions, x->cap_kernel_functions) =
	    (struct perf_function){lo, lo + size < lo ? UINT64_MAX : lo + size,
				   trace_string(x->im->t, (const char *)c.pos, n)};
	x->kernel_unsorted = true;
}

/* --- addresses --- */

static void make_module(struct perf_data *x, struct perf_dso *dso)
{
	struct map_range range = {dso->lo, dso->hi, 0, true};
	struct module row = {.name = dso->name, .build_id = dso->build_id};

	/* Else the link address of its code is unknown. */
	if (dso->whole && x->is_x86_64 && dso->lo >= x86_text) {
		row.has_slide = true;
		row.slide = dso->lo - x86_text;
		row.ranges = &range;
		row.n_ranges = 1;
		x->kernel_guessed = 1;
	}
	dso->module = trace_module(x->im->t, &row);
}

uint32_t perf_location(struct perf_data *x, const struct perf_process *process, uint64_t ip,
		       enum perf_mode mode, uint8_t kind)
{
	struct location l = {.raw = ip, .space = SPACE_RUNTIME, .kind = kind};
	const struct perf_map *m = NULL;
	struct perf_dso *dso = NULL;

	if (mode == PERF_KERNEL)
		m = map_at(x->kernel, ip);
	else if (mode == PERF_USER && process)
		m = map_at(process->maps, ip);
	else
		x->guests++;
	if (m) {
		dso = &x->dsos[m->dso];
		if (!dso->module)
			make_module(x, dso);
		l.module = dso->module;
	} else {
		x->unmapped += mode == PERF_USER;
	}
	if (m && mode == PERF_USER && !dso->anonymous && !m->jit) {
		l.space = SPACE_FILE_OFFSET;
		l.raw = ip - m->lo + m->offset;
	} else if (mode == PERF_USER && process) {
		l.process = process->pid;
	}
	if (m || mode == PERF_KERNEL)
		l.name = perf_function_at(x, dso, m, ip);
	return trace_location(x->im->t, &l);
}

void perf_maps_release(struct perf_data *x)
{
	for (size_t i = 0; i < x->n_processes; i++)
		maps_drop(x, x->processes[i].maps);
	maps_drop(x, x->kernel);
	intern_release(&x->dso_keys);
	map64_release(&x->process_of);
	map64_release(&x->thread_of);
	free(x->dsos);
	free(x->processes);
	free(x->threads);
	free(x->free_processes);
	free(x->free_threads);
	free(x->kernel_functions);
}
