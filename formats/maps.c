/* SPDX-License-Identifier: MIT
 *
 * /proc/PID/maps and smaps text, and minidumps -> modules. A module is one load of a file: its mappings follow
 * each other, and one that begins the file again begins another load (two linker namespaces may
 * each have their own libc.so). Anonymous memory, [heap] and the like, and device memory that
 * holds no code are no modules; [vdso] is one.
 */
#include "formats/emit.h"
#include "formats/minidump.h"
#include "formats/reader.h"

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 64 << 10, MINIDUMP_MAX = 256 << 20 };
static const uint64_t size_max = (uint64_t)1 << 48;

struct mapping {
	uint64_t lo, hi, offset;
	uint32_t path; /* in maps.paths; 0: none */
	uint32_t name; /* likewise, but of whatever is mapped; 0: nothing has a name */
	bool executable, writable;
	struct smaps_sizes sizes;
};

struct load {
	uint32_t path;
	bool begun; /* has a mapping of offset 0 */
	bool executable;
	uint64_t last_hi, last_offset;
	struct map_range *ranges;
	size_t n, cap;
};

struct maps {
	struct intern paths;
	struct mapping *list;
	size_t n, cap;
	struct load *loads;
	size_t n_loads, cap_loads;
	bool in_mapping; /* details below are of the last of the list */
	uint64_t refused, overlaps, deleted;
};

struct text {
	const char *s, *end;
};

/* The next word of hexadecimal digits, ended by stop, which is passed over too. */
static bool hex_until(struct text *t, char stop, uint64_t *v)
{
	const char *p = memchr(t->s, stop, (size_t)(t->end - t->s));

	if (!p || !num_hex(t->s, (size_t)(p - t->s), v))
		return false;
	t->s = p + 1;
	return true;
}

static bool permissions(struct text *t, struct mapping *m)
{
	static const char *const letters[] = {"r-", "w-", "x-", "ps"};
	const char *p = t->s;

	if (t->end - p < 5 || p[4] != ' ')
		return false;
	for (int i = 0; i < 4; i++)
		if (!strchr(letters[i], p[i]))
			return false;
	m->writable = p[1] == 'w';
	m->executable = p[2] == 'x';
	t->s += 5;
	return true;
}

/* lo-hi perms offset major:minor inode [path] */
static bool maps_parse_mapping(const char *line, size_t n, struct mapping *m, struct text *path)
{
	struct text t = {line, line + n};
	uint64_t device;
	const char *inode;

	if (!hex_until(&t, '-', &m->lo) || !hex_until(&t, ' ', &m->hi) || !permissions(&t, m) ||
	    !hex_until(&t, ' ', &m->offset) || !hex_until(&t, ':', &device) ||
	    !hex_until(&t, ' ', &device))
		return false;
	for (inode = t.s; t.s < t.end && *t.s != ' '; t.s++)
		;
	if (!num_dec(inode, (size_t)(t.s - inode), &device))
		return false;
	while (t.s < t.end && *t.s == ' ')
		t.s++;
	*path = t;
	return true;
}

static bool absurd(const struct mapping *m)
{
	return m->lo >= m->hi || m->hi - m->lo > size_max || m->offset > UINT64_MAX - size_max;
}

/* A line of smaps below its mapping, as "Rss:   12 kB" or "VmFlags: rd ex". */
static bool is_detail(const char *line, size_t n)
{
	size_t i = 0;

	while (i < n && (line[i] == '_' || (line[i] | 0x20) - 'a' + 0u < 26))
		i++;
	return i && i < n && line[i] == ':';
}

/* The end of the map in Android's heap dumps. */
static bool is_end(const char *line, size_t n)
{
	return n == 3 && !memcmp(line, "END", 3);
}

static void maps_parse_line(struct maps *m, const char *line, size_t n)
{
	static const char deleted[] = " (deleted)";
	struct mapping new = {0};
	struct text path;
	size_t len;

	if (!maps_parse_mapping(line, n, &new, &path)) {
		while (n && line[n - 1] == ' ')
			n--;
		m->refused += n && !is_detail(line, n) && !is_end(line, n);
		if (m->in_mapping)
			smaps_line(&m->list[m->n - 1].sizes, line, n);
		return;
	}
	m->in_mapping = false;
	if (absurd(&new)) {
		m->refused++;
		return;
	}
	len = (size_t)(path.end - path.s);
	if (len > sizeof deleted - 1 &&
	    !memcmp(path.end - (sizeof deleted - 1), deleted, sizeof deleted - 1)) {
		len -= sizeof deleted - 1;
		m->deleted++;
	}
	if (len && (path.s[0] != '[' || (len == 6 && !memcmp(path.s, "[vdso]", 6))))
		new.path = intern_add(&m->paths, path.s, len);
	new.name = len ? intern_add(&m->paths, path.s, len) : 0;
	VEC_PUSH(m->list, m->n, m->cap) = new;
	m->in_mapping = true;
}

static int maps_by_address(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Kernels list mappings in order; two texts put together do not. */
static void sort_list(struct maps *m)
{
	size_t i = 1;

	while (i < m->n && m->list[i - 1].lo <= m->list[i].lo)
		i++;
	if (i < m->n)
		sort_array(m->list, m->n, sizeof *m->list, maps_by_address);
}

static bool begins_again(const struct load *l, const struct mapping *m)
{
	if (m->offset || m->writable || !l->begun)
		return false;
	/* the first page mapped once more for the other contents next to the code in it */
	return l->last_offset || l->last_hi != m->lo;
}

static void add_sizes(const struct maps *m, const struct mapping *a, struct smaps *sizes)
{
	size_t n;
	const char *name = intern_text(&m->paths, a->name, &n);

	if (sizes)
		smaps_add(sizes, name, n, &a->sizes);
}

static void maps_into_loads(struct maps *m, struct smaps *sizes)
{
	/* place of a path's latest load + 1, by path id */
	uint32_t *latest = mem_zarray(intern_count(&m->paths) + (size_t)1, sizeof *latest);
	uint64_t hi = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct mapping *a = &m->list[i];
		struct load *l;

		if (a->lo < hi) {
			m->overlaps++;
			continue;
		}
		hi = a->hi;
		add_sizes(m, a, sizes);
		if (!a->path)
			continue;
		if (!latest[a->path] || begins_again(&m->loads[latest[a->path] - 1], a)) {
			VEC_PUSH(m->loads, m->n_loads, m->cap_loads) =
			    (struct load){.path = a->path};
			latest[a->path] = (uint32_t)m->n_loads;
		}
		l = &m->loads[latest[a->path] - 1];
		l->begun |= !a->offset;
		l->executable |= a->executable;
		l->last_hi = a->hi;
		l->last_offset = a->offset;
		VEC_PUSH(l->ranges, l->n, l->cap) = (struct map_range){
		    .lo = a->lo, .hi = a->hi, .offset = a->offset, .executable = a->executable};
	}
	free(latest);
}

static bool is_module(const struct load *l, const char *path)
{
	return l->executable || (path[0] == '/' && strncmp(path, "/dev/", 5) != 0 &&
				 strncmp(path, "/memfd:", 7) != 0);
}

static void maps_add_modules(struct maps *m, struct trace *t)
{
	for (size_t i = 0; i < m->n_loads; i++) {
		struct load *l = &m->loads[i];
		size_t n;
		const char *path = intern_text(&m->paths, l->path, &n);

		if (is_module(l, path))
			trace_module(t, &(struct module){.name = trace_string(t, path, n),
							 .ranges = l->ranges,
							 .n_ranges = (uint32_t)l->n});
		free(l->ranges);
	}

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, m->refused, "lines of the module map are unreadable"),
	    LOSS(NOTE_LOSS, m->overlaps,
		 "mappings of the module map overlap an earlier mapping: left out"),
	    LOSS(NOTE_INFO, m->deleted, "mappings are of files that had been deleted or replaced"),
	};

	TRACE_LOSSES(t, losses);
}

/* The modules of a minidump. */
static enum status maps_read_minidump(struct cursor *in, struct trace *t, struct err *e)
{
	struct minidump d = {.in = NULL};
	enum status st;

	d.size = cursor_available(in, MINIDUMP_MAX);
	d.bytes = in->pos;
	st = cursor_failed(in) ? err_failure(e) : minidump_open(&d, e);
	return st ? st : minidump_modules(&d, t, e);
}

enum status maps_read(struct cursor *in, struct trace *t, struct smaps *sizes, struct err *e)
{
	struct maps m = {0};
	const char *line;
	size_t n = cursor_available(in, 4);

	if (minidump_is(in->pos, n))
		return maps_read_minidump(in, t, e);
	while ((line = cursor_line(in, &n, LINE_LIMIT)))
		maps_parse_line(&m, line, n);
	if (!cursor_failed(in) && !m.n)
		err_set(e, ST_BAD,
			"it is no minidump, and no line is from /proc/PID/maps or smaps");
	if (!cursor_failed(in) && m.n) {
		sort_list(&m);
		maps_into_loads(&m, sizes);
		maps_add_modules(&m, t);
	}
	n = m.n;
	intern_release(&m.paths);
	free(m.list);
	free(m.loads);
	return cursor_failed(in) || !n ? err_failure(e) : ST_OK;
}

bool maps_head(const uint8_t *p, size_t n)
{
	size_t i = 0, dash;

	while (i < n && isxdigit(p[i]))
		i++;
	dash = i++;
	while (i < n && isxdigit(p[i]))
		i++;
	return dash && i < n - 1 && p[dash] == '-' && p[i] == ' ' && strchr("r-", p[i + 1]);
}
