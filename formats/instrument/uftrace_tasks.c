/* SPDX-License-Identifier: MIT
 *
 * The tables of a uftrace directory: sessions, tasks, mappings and modules.
 */
#include "formats/instrument/uftrace.h"

#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"

#include <stdlib.h>

enum { LINE_LIMIT = 1 << 20, TASKS_MAX = 1 << 20, SESSIONS_MAX = 1024, FORKS_MAX = 64 };

enum status uftrace_open(const struct uftrace *u, struct input *in, const char *name, char **path,
			 struct err *e)
{
	struct buf b = BUF_INIT;
	enum status st;

	buf_addf(&b, "%s/%s", u->folder, name);
	*path = mem_strdup(buf_str(&b));
	buf_release(&b);
	st = input_open(in, *path, e);
	if (st)
		err_of_file(e, name, *path);
	return st;
}

/* The value of key=value or key="value" in a line; NULL: none. */
static const char *uftrace_tasks_value(const char *line, size_t n, const char *key, size_t *len)
{
	size_t n_key = strlen(key);
	const char *end = line + n, *stop;

	for (const char *s = line; s < end;) {
		const char *space = memchr(s, ' ', (size_t)(end - s));

		if ((size_t)(end - s) > n_key && !memcmp(s, key, n_key) && s[n_key] == '=') {
			s += n_key + 1;
			stop = s < end && *s == '"' ? "\"" : " ";
			s += *stop == '"';
			stop = memchr(s, *stop, (size_t)(end - s));
			*len = (size_t)((stop ? stop : end) - s);
			return s;
		}
		s = space ? space + 1 : end;
	}
	return NULL;
}

static bool number(const char *line, size_t n, const char *key, uint64_t *v)
{
	size_t len;
	const char *s = uftrace_tasks_value(line, n, key, &len);

	return s && num_dec(s, len, v);
}

/* SECONDS.NANOSECONDS, nine digits of them */
static bool timestamp(const char *line, size_t n, uint64_t *ns)
{
	size_t len;
	const char *s = uftrace_tasks_value(line, n, "timestamp", &len);
	uint64_t seconds;

	return s && len > 10 && s[len - 10] == '.' && num_dec(s, len - 10, &seconds) &&
	       num_dec(s + len - 9, 9, ns) &&
	       !__builtin_mul_overflow(seconds, 1000000000u, &seconds) &&
	       !__builtin_add_overflow(*ns, seconds, ns);
}

/* A file of symbols that is not there is empty. */
static void read_symbols(struct uftrace *u, struct uftrace_symbols *s, const char *name,
			 void (*read)(struct uftrace_symbols *s, struct input *in, struct trace *t))
{
	struct err e = ERR_INIT;
	struct input in;
	char *file;

	if (!uftrace_open(u, &in, name, &file, &e))
		read(s, &in, u->im->t);
	input_close(&in);
	free(file);
}

/* NAME.sym, or where that is of another module NAME-XXXX.sym, with four digits of the build-id, or of a sum
 * of the path's bytes. */
static struct uftrace_symbols *uftrace_tasks_symbols_of(struct uftrace *u, const char *path,
							size_t n, const char *id, size_t n_id)
{
	uint64_t key = hash_bytes_seeded(id ? id : "", n_id, hash_bytes(path, n));
	uint32_t *place = map64_put(&u->symbol_files, key);
	struct uftrace_symbols *s;
	struct buf name = BUF_INIT;
	size_t n_base = n;
	const char *base = path_base_n(path, &n_base);
	uint16_t sum = 0;

	if (*place)
		return u->files[*place - 1];
	s = mem_zalloc(sizeof *s);
	VEC_PUSH(u->files, u->n_files, u->cap_files) = s;
	*place = (uint32_t)u->n_files;
	buf_add(&name, base, n_base);
	buf_add(&name, ".sym", 4);
	read_symbols(u, s, buf_str(&name), uftrace_symbols_read);
	if (!uftrace_symbols_are_of(s, path, n, id, n_id)) {
		uftrace_symbols_release(s);
		name.len = 0;
		for (size_t i = 0; i < n; i++)
			sum = (uint16_t)(sum + (signed char)path[i]);
		buf_add(&name, base, n_base);
		if (n_id >= 4)
			buf_addf(&name, "-%.4s.sym", id);
		else
			buf_addf(&name, "-%04x.sym", sum);
		read_symbols(u, s, buf_str(&name), uftrace_symbols_read);
	}
	if (s->n) {
		name.len -= 4;
		buf_add(&name, ".dbg", 4);
		read_symbols(u, s, buf_str(&name), uftrace_symbols_read_places);
	}
	u->refused += s->refused;
	buf_release(&name);
	return s;
}

static void uftrace_tasks_add_module(struct uftrace *u, uint32_t epoch,
				     const struct map_range *range, const char *path, size_t n,
				     const char *build_id, size_t n_id)
{
	struct trace *t = u->im->t;
	struct module m = {.name = trace_string(t, path, n),
			   .epoch_lo = epoch,
			   .epoch_hi = epoch + 1,
			   .n_ranges = 1};
	struct map_range r = *range;
	uint8_t id[64];
	struct uftrace_symbols *symbols = uftrace_tasks_symbols_of(u, path, n, build_id, n_id);

	if (n_id && n_id % 2 == 0 && n_id / 2 <= sizeof id) {
		for (size_t i = 0; i < n_id; i += 2) {
			int hi = num_hex_digit(build_id[i]), lo = num_hex_digit(build_id[i + 1]);

			if (hi < 0 || lo < 0)
				n_id = 0;
			else
				id[i / 2] = (uint8_t)(hi << 4 | lo);
		}
		if (n_id)
			m.build_id = trace_string(t, (const char *)id, n_id / 2);
	}
	m.ranges = &r;
	trace_module(t, &m);
	VEC_PUSH(u->modules, u->n_modules, u->cap_modules) =
	    (struct uftrace_module){range->lo, range->hi, epoch, symbols};
}

/* LO-HI PERMISSIONS OFFSET DEVICE INODE PATH [build-id:HEX] */
static bool uftrace_tasks_parse_mapping(struct uftrace *u, uint32_t epoch, const char *s, size_t n)
{
	static const char mark[] = " build-id:";
	const char *end = s + n, *dash = memchr(s, '-', n), *word = s, *path, *id;
	struct map_range r = {.executable = true};
	size_t n_id = 0, len[5];
	const char *words[5];

	for (int i = 0; i < 5; i++) {
		const char *space = memchr(word, ' ', (size_t)(end - word));

		if (!space)
			return false;
		words[i] = word;
		len[i] = (size_t)(space - word);
		for (word = space; word < end && *word == ' ';)
			word++;
	}
	path = word;
	if (!dash || dash >= words[0] + len[0] || !num_hex(s, (size_t)(dash - s), &r.lo) ||
	    !num_hex(dash + 1, (size_t)(words[0] + len[0] - dash - 1), &r.hi) || r.lo >= r.hi ||
	    !num_hex(words[2], len[2], &r.offset) || len[1] < 3)
		return false;
	if (path == end || *path == '[' || words[1][2] != 'x')
		return true; /* no code of a file */
	id = memmem(path, (size_t)(end - path), mark, sizeof mark - 1);
	if (id) {
		n_id = (size_t)(end - id) - (sizeof mark - 1);
		end = id;
		id += sizeof mark - 1;
	}
	uftrace_tasks_add_module(u, epoch, &r, path, (size_t)(end - path), id, n_id);
	return true;
}

static enum status uftrace_tasks_read_map(struct uftrace *u, uint32_t epoch, struct err *e)
{
	struct buf name = BUF_INIT;
	struct input in;
	enum status st;
	const char *line;
	char *path;
	size_t n;

	buf_addf(&name, "sid-%s.map", u->sessions[epoch].id);
	st = uftrace_open(u, &in, buf_str(&name), &path, e);
	while (!st && (line = cursor_line(&in.cur, &n, LINE_LIMIT)))
		u->refused += n && !uftrace_tasks_parse_mapping(u, epoch, line, n);
	if (!st && cursor_failed(&in.cur))
		st = err_of_file(e, "map", path);
	input_close(&in);
	free(path);
	buf_release(&name);
	return st;
}

static bool uftrace_tasks_parse_session(struct uftrace *u, const char *line, size_t n)
{
	struct uftrace_session s = {.time = 0};
	uint64_t pid;
	size_t len;
	const char *id = uftrace_tasks_value(line, n, "sid", &len);

	if (!id || !len || len >= sizeof s.id || !timestamp(line, n, &s.time) ||
	    !number(line, n, "pid", &pid) || pid > UINT32_MAX || u->n_sessions == SESSIONS_MAX)
		return false;
	/* It becomes part of a file's name. */
	for (size_t i = 0; i < len; i++)
		if (num_hex_digit(id[i]) < 0)
			return false;
	memcpy(s.id, id, len);
	s.pid = (uint32_t)pid;
	VEC_PUSH(u->sessions, u->n_sessions, u->cap_sessions) = s;
	return true;
}

static bool uftrace_tasks_parse(struct uftrace *u, const char *line, size_t n)
{
	struct uftrace_task task;
	struct uftrace_start start;
	uint32_t *seen, before;
	uint64_t parent;
	bool fork = !memcmp(line, "FORK", 4);

	if (!number(line, n, "pid", &task.pid))
		return false;
	task.tid = task.pid;
	if (fork ? !number(line, n, "ppid", &parent) || parent >= UINT32_MAX
		 : !number(line, n, "tid", &task.tid))
		return false;
	if (fork)
		*map64_put(&u->parents, task.pid) = (uint32_t)parent + 1;
	seen = map64_put(&u->seen, task.tid);
	before = *seen;
	*seen = fork && before != 2 ? 1 : 2;
	if (!fork && before == 2 && u->n_starts < TASKS_MAX && timestamp(line, n, &start.time)) {
		start.tid = task.tid;
		VEC_PUSH(u->starts, u->n_starts, u->cap_starts) = start;
	}
	if (before || u->n_tasks == TASKS_MAX)
		return true;
	VEC_PUSH(u->tasks, u->n_tasks, u->cap_tasks) = task;
	return true;
}

/* A library that was loaded later: no map says where it ends, so its last symbol does. */
static bool uftrace_tasks_parse_library(struct uftrace *u, const char *line, size_t n)
{
	const char *base, *path, *id;
	size_t n_base, n_path, n_id;
	struct uftrace_symbols *s;
	struct map_range r = {.executable = true};

	base = uftrace_tasks_value(line, n, "base", &n_base);
	path = uftrace_tasks_value(line, n, "libname", &n_path);
	id = uftrace_tasks_value(line, n, "sid", &n_id);
	if (!base || !path || !n_path || !id || !num_hex(base, n_base, &r.lo))
		return false;
	for (uint32_t i = 0; i < u->n_sessions; i++) {
		if (strlen(u->sessions[i].id) != n_id || memcmp(u->sessions[i].id, id, n_id) != 0)
			continue;
		s = uftrace_tasks_symbols_of(u, path, n_path, NULL, 0);
		if (!s->n || __builtin_add_overflow(r.lo, s->all[s->n - 1].address | 0xfff, &r.hi))
			return true;
		u->guessed_ends++;
		uftrace_tasks_add_module(u, i, &r, path, n_path, NULL, 0);
		return true;
	}
	return false;
}

static void parse_line(struct uftrace *u, const char *line, size_t n, bool libraries)
{
	bool ok = true;

	if (n < 5 || line[4] != ' ')
		ok = !n;
	else if (libraries)
		ok = memcmp(line, "DLOP", 4) != 0 || uftrace_tasks_parse_library(u, line, n);
	else if (!memcmp(line, "SESS", 4))
		ok = uftrace_tasks_parse_session(u, line, n);
	else if (!memcmp(line, "TASK", 4) || !memcmp(line, "FORK", 4))
		ok = uftrace_tasks_parse(u, line, n);
	u->refused += !ok;
}

/* Twice: libraries are put into sessions, which may come after them. */
static enum status read_lines(struct uftrace *u, bool libraries, struct err *e)
{
	struct input in;
	char *path;
	const char *line;
	size_t n;
	enum status st = uftrace_open(u, &in, "task.txt", &path, e);

	while (!st && (line = cursor_line(&in.cur, &n, LINE_LIMIT)))
		parse_line(u, line, n, libraries);
	if (!st && cursor_failed(&in.cur))
		st = err_of_file(e, "tasks", path);
	input_close(&in);
	free(path);
	return st;
}

static int uftrace_tasks_by_address(const void *a, const void *b)
{
	const struct uftrace_module *x = a, *y = b;

	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static int uftrace_tasks_by_start(const void *a, const void *b)
{
	const struct uftrace_start *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

enum status uftrace_tasks(struct uftrace *u, struct err *e)
{
	enum status st = read_lines(u, false, e);

	for (uint32_t i = 0; !st && i < u->n_sessions; i++) {
		struct err missing = ERR_INIT;

		/* Without a map there are addresses still. */
		if (uftrace_tasks_read_map(u, i, &missing))
			trace_note(u->im->t, NOTE_LOSS, 0, "%s", missing.msg);
	}
	if (!st)
		st = read_lines(u, true, e);
	if (u->n_starts)
		sort_array(u->starts, u->n_starts, sizeof *u->starts, uftrace_tasks_by_start);
	if (u->n_modules)
		sort_array(u->modules, u->n_modules, sizeof *u->modules, uftrace_tasks_by_address);
	return st;
}

uint64_t uftrace_next_start(const struct uftrace *u, uint64_t tid, uint64_t after)
{
	const struct uftrace_start *s = u->starts;
	size_t lo =
	    BISECT(i, 0, u->n_starts, s[i].tid < tid || (s[i].tid == tid && s[i].time <= after));

	return lo < u->n_starts && u->starts[lo].tid == tid ? u->starts[lo].time : UINT64_MAX;
}

uint32_t uftrace_epoch(const struct uftrace *u, uint64_t pid, uint64_t time)
{
	for (int forks = 0; forks < FORKS_MAX; forks++) {
		uint32_t parent, best = UINT32_MAX;

		for (uint32_t i = 0; i < u->n_sessions; i++)
			if (u->sessions[i].pid == pid &&
			    (best == UINT32_MAX || u->sessions[i].time <= time))
				best = i;
		if (best != UINT32_MAX)
			return best;
		parent = map64_get(&u->parents, pid);
		if (!parent)
			break;
		pid = parent - 1;
	}
	return 0;
}

const struct uftrace_module *uftrace_module_at(const struct uftrace *u, uint32_t epoch,
					       uint64_t address)
{
	const struct uftrace_module *m = u->modules;
	size_t lo = BISECT(i, 0, u->n_modules,
			   m[i].epoch < epoch || (m[i].epoch == epoch && m[i].lo <= address));

	m = lo ? &u->modules[lo - 1] : NULL;
	return m && m->epoch == epoch && address >= m->lo && address < m->hi ? m : NULL;
}

void uftrace_release(struct uftrace *u)
{
	for (size_t i = 0; i < u->n_files; i++) {
		uftrace_symbols_release(u->files[i]);
		free(u->files[i]);
	}
	free(u->files);
	free(u->folder);
	free(u->sessions);
	free(u->tasks);
	free(u->starts);
	free(u->modules);
	map64_release(&u->parents);
	map64_release(&u->seen);
	map64_release(&u->symbol_files);
	*u = (struct uftrace){.im = u->im};
}
