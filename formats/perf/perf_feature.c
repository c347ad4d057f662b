/* SPDX-License-Identifier: MIT
 *
 * Features: data behind the records of a file, or in records of a stream. Those that say
 * something of samples are read; the others are named in a note.
 */
#include "formats/perf/perf_data.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/input/protobuf.h"

#include <stdlib.h>

enum {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOST = 3,
	FEATURE_KERNEL = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_COMMAND = 11,
	FEATURE_EVENTS = 12,
	FEATURE_COMPRESSED = 27,
	FEATURE_FILE = 128,
	FEATURE_META = 129,
	FEATURE_FILE2 = 132,
	NAME_MOST = 64 << 10,
	PATH_MOST = 4096,
	BUILD_ID_MOST = 20,
};

static const char *const names[] = {[1] = "tracing_data",
				    [7] = "nrcpus",
				    [8] = "cpudesc",
				    [9] = "cpuid",
				    [10] = "total_mem",
				    [13] = "cpu_topology",
				    [14] = "numa_topology",
				    [15] = "branch_stack",
				    [16] = "pmu_mappings",
				    [17] = "group_desc",
				    [18] = "auxtrace",
				    [19] = "stat",
				    [20] = "cache",
				    [21] = "sample_time",
				    [22] = "mem_topology",
				    [23] = "clockid",
				    [24] = "dir_format",
				    [25] = "bpf_prog_info",
				    [26] = "bpf_btf",
				    [28] = "cpu_pmu_caps",
				    [29] = "clock_data",
				    [30] = "hybrid_topology",
				    [31] = "pmu_caps",
				    [130] = "debug_unwind",
				    [131] = "debug_unwind_file",
				    [133] = "etm_branch_list",
				    [134] = "init_map"};

/* --- texts --- */

/* A text with its length before it, padded with zeros. NULL: it is broken. */
static const char *text_of(struct cursor *c, size_t *n)
{
	uint32_t len = cursor_u32(c);
	const char *s = len <= cursor_window(c) ? (const char *)cursor_bytes(c, len, "text") : NULL;

	*n = s ? strnlen(s, len) : 0;
	return s;
}

static void set_attribute(struct perf_data *x, const char *key, const char *s, size_t n)
{
	char *text = mem_strndup(s, n);

	trace_set(x->im->t, key, text);
	free(text);
}

static bool read_text(struct perf_data *x, struct cursor *c, const char *key)
{
	size_t n;
	const char *s = text_of(c, &n);

	if (s)
		set_attribute(x, key, s, n);
	return s != NULL;
}

static bool read_arch(struct perf_data *x, struct cursor *c)
{
	size_t n;
	const char *s = text_of(c, &n);

	if (!s)
		return false;
	x->is_x86_64 = n == 6 && !memcmp(s, "x86_64", 6);
	set_attribute(x, "perf.arch", s, n);
	return true;
}

static bool perf_feature_read_command(struct perf_data *x, struct cursor *c)
{
	uint32_t count = cursor_u32(c);
	struct buf b = BUF_INIT;
	bool sound = count <= cursor_window(c) / 4;

	for (uint32_t i = 0; sound && i < count; i++) {
		size_t n;
		const char *s = text_of(c, &n);

		if (s && b.len)
			buf_addc(&b, ' ');
		if (s)
			buf_add(&b, s, n);
		sound = s != NULL;
	}
	if (b.len)
		set_attribute(x, "perf.command", b.data, b.len);
	buf_release(&b);
	return sound;
}

/* The events' names, by their ids or by their order. */
static bool perf_feature_read_events(struct perf_data *x, struct cursor *c)
{
	uint32_t count = cursor_u32(c), size = cursor_u32(c);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t ids;
		uint64_t id = 0;
		const char *s;
		size_t n;

		cursor_skip(c, size, "attribute");
		ids = cursor_u32(c);
		s = text_of(c, &n);
		if (!s || ids > cursor_window(c) / 8)
			return false;
		for (uint32_t k = 0; k < ids; k++)
			id = cursor_u64(c);
		if (ids && map64_get(&x->ids, id))
			perf_attr_named(x, id, s, n);
		else if (i < x->n_attrs && n)
			x->attrs[i].name = trace_string(x->im->t, s, n);
	}
	return !cursor_failed(c);
}

/* --- build-ids --- */

/* pid, 20 bytes of id and 4 of which the first is its length, path. */
void perf_build_id(struct perf_data *x, struct cursor *c, uint16_t misc)
{
	const uint8_t *p = cursor_bytes(c, 28, "build-id");
	size_t left = cursor_window(c), len = BUILD_ID_MOST, n;
	const char *path = (const char *)c->pos;
	uint32_t *known, id;

	if (!p) {
		x->broken_features++;
		return;
	}
	if (misc & PERF_MISC_BUILD_ID_SIZE && p[24] && p[24] <= BUILD_ID_MOST)
		len = p[24];
	n = strnlen(path, left < PATH_MOST ? left : PATH_MOST);
	id = trace_string(x->im->t, (const char *)p + 4, len);
	known = map64_put(&x->build_ids, trace_string(x->im->t, path, n));
	*known = id;
}

static bool perf_feature_read_build_ids(struct perf_data *x, struct cursor *c)
{
	while (!cursor_done(c)) {
		uint16_t misc, size;
		const uint8_t *p;
		struct err own = ERR_INIT;
		struct cursor one;

		cursor_u32(c);
		misc = cursor_u16(c);
		size = cursor_u16(c);
		p = size >= 8 ? cursor_bytes(c, size - 8u, "build-id") : NULL;
		if (!p)
			return false;
		cursor_init(&one, p, size - 8u, 0, &own);
		perf_build_id(x, &one, misc);
	}
	return true;
}

/* --- what simpleperf names --- */

static void add_function(struct perf_function **list, size_t *n, size_t *cap, uint64_t lo,
			 uint64_t size, uint32_t name)
{
	uint64_t hi = lo + size < lo ? UINT64_MAX : lo + size;

	if (*n < PERF_NAMES_MOST)
		VEC_PUSH(*list, *n, *cap) = (struct perf_function){lo, hi, name};
}

static int perf_feature_by_address(const void *a, const void *b)
{
	const struct perf_function *f = a, *g = b;

	return f->lo < g->lo ? -1 : f->lo > g->lo ? 1 : f->hi < g->hi ? -1 : f->hi > g->hi;
}

static struct perf_file *add_file(struct perf_data *x, const char *s, size_t n, uint32_t type)
{
	uint32_t path = trace_string(x->im->t, s, n), *index;

	VEC_PUSH(x->files, x->n_files, x->cap_files) = (struct perf_file){
	    .path = path, .type = type, .offset = UINT64_MAX, .first = x->n_functions};
	index = map64_put(&x->file_of_path, path);
	*index = (uint32_t)x->n_files;
	return &x->files[x->n_files - 1];
}

static void end_file(struct perf_data *x, struct perf_file *f)
{
	f->n = x->n_functions - f->first;
	sort_array(VEC_AT(x->functions, f->first), f->n, sizeof *x->functions,
		   perf_feature_by_address);
}

enum { FILE_KERNEL, FILE_MODULE, FILE_ELF, FILE_DEX, FILE_MAP, FILE_UNKNOWN };

/* path, type, lowest address, functions, and what depends on the type. */
static bool perf_feature_read_file(struct perf_data *x, struct cursor *c)
{
	size_t n;
	const char *s = cursor_cstr(c, &n);
	uint32_t type, count;
	struct perf_file *f;

	if (!s)
		return false;
	type = cursor_u32(c);
	f = add_file(x, s, n, type);
	f->min_vaddr = cursor_u64(c);
	count = cursor_u32(c);
	if (count > cursor_window(c) / 13)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t lo = cursor_u64(c);
		uint32_t size = cursor_u32(c);

		s = cursor_cstr(c, &n);
		if (!s)
			return false;
		add_function(&x->functions, &x->n_functions, &x->cap_functions, lo, size,
			     trace_string(x->im->t, s, n));
	}
	if (type == FILE_ELF && cursor_window(c) >= 8)
		f->offset = cursor_u64(c);
	end_file(x, f);
	return true;
}

static bool read_files(struct perf_data *x, struct cursor *c)
{
	while (!cursor_done(c)) {
		uint32_t size = cursor_u32(c);
		const uint8_t *p = size <= cursor_window(c) ? cursor_bytes(c, size, "file") : NULL;
		struct err own = ERR_INIT;
		struct cursor one;

		if (!p)
			return false;
		cursor_init(&one, p, size, 0, &own);
		if (!perf_feature_read_file(x, &one))
			return false;
	}
	return true;
}

static void read_symbol(struct perf_data *x, struct pb b)
{
	uint64_t lo = 0, size = 0;
	struct pb_field f, name = {0};

	while (pb_next(&b, &f))
		switch (f.number) {
		case 1: lo = f.value; break;
		case 2: size = f.value; break;
		case 3: name = f; break;
		}
	if (name.wire == PB_BYTES && name.n)
		add_function(&x->functions, &x->n_functions, &x->cap_functions, lo, size,
			     trace_string(x->im->t, (const char *)name.s, name.n));
}

/* The same as a protobuf message. */
static bool perf_feature_read_file_message(struct perf_data *x, struct pb b)
{
	struct perf_file at = {.offset = UINT64_MAX}, *f;
	struct pb_field field, path = {0};
	struct pb all = b, elf;

	while (pb_next(&b, &field))
		switch (field.number) {
		case 1: path = field; break;
		case 2: at.type = (uint32_t)field.value; break;
		case 3: at.min_vaddr = field.value; break;
		case 6:
			at.offset = 0; /* which a message leaves out */
			elf = pb_of(&field);
			while (pb_next(&elf, &field))
				at.offset = field.number == 1 ? field.value : at.offset;
			break;
		}
	if (b.bad || path.wire != PB_BYTES)
		return false;
	f = add_file(x, path.n ? (const char *)path.s : "", path.n, at.type);
	f->min_vaddr = at.min_vaddr;
	f->offset = at.offset;
	while (pb_next(&all, &field))
		if (field.number == 4 && field.wire == PB_BYTES)
			read_symbol(x, pb_of(&field));
	end_file(x, f);
	return true;
}

static bool read_file_messages(struct perf_data *x, struct cursor *c)
{
	while (!cursor_done(c)) {
		uint32_t size = cursor_u32(c);
		const uint8_t *p = size <= cursor_window(c) ? cursor_bytes(c, size, "file") : NULL;

		if (!p || !perf_feature_read_file_message(x, (struct pb){p, p + size, false}))
			return false;
	}
	return true;
}

/* Lines of "cpu-cycles,0,0": name, type, config. */
static void perf_feature_name_events(struct perf_data *x, const char *s, size_t n)
{
	const char *end = s + n;

	while (s < end) {
		const char *line = memchr(s, '\n', (size_t)(end - s)), *stop = line ? line : end;
		const char *config = memrchr(s, ',', (size_t)(stop - s));
		const char *type = config ? memrchr(s, ',', (size_t)(config - s)) : NULL;
		uint64_t t, v;

		if (type && num_dec(type + 1, (size_t)(config - type) - 1, &t) &&
		    num_dec(config + 1, (size_t)(stop - config) - 1, &v))
			for (size_t i = 0; i < x->n_attrs; i++)
				if (x->attrs[i].type == t && x->attrs[i].config == v)
					x->attrs[i].name =
					    trace_string(x->im->t, s, (size_t)(type - s));
		s = line ? line + 1 : end;
	}
}

static bool read_meta(struct perf_data *x, struct cursor *c)
{
	x->simpleperf = true;
	while (!cursor_done(c)) {
		size_t n, len;
		const char *key = cursor_cstr(c, &n), *value = key ? cursor_cstr(c, &len) : NULL;

		if (!value)
			return false;
		if (!strcmp(key, "event_type_info"))
			perf_feature_name_events(x, value, len);
		else if (!strcmp(key, "simpleperf_version"))
			set_attribute(x, "perf.simpleperf", value, len);
	}
	return true;
}

void perf_feature(struct perf_data *x, unsigned bit, struct cursor *c)
{
	bool sound = true;

	switch (bit) {
	case FEATURE_BUILD_ID: sound = perf_feature_read_build_ids(x, c); break;
	case FEATURE_HOST: sound = read_text(x, c, "perf.host"); break;
	case FEATURE_KERNEL: sound = read_text(x, c, "perf.kernel"); break;
	case FEATURE_VERSION: sound = read_text(x, c, "perf.version"); break;
	case FEATURE_ARCH: sound = read_arch(x, c); break;
	case FEATURE_COMMAND: sound = perf_feature_read_command(x, c); break;
	case FEATURE_EVENTS: sound = perf_feature_read_events(x, c); break;
	case FEATURE_COMPRESSED: break; /* its records say it */
	case FEATURE_FILE: sound = read_files(x, c); break;
	case FEATURE_FILE2: sound = read_file_messages(x, c); break;
	case FEATURE_META: sound = read_meta(x, c); break;
	default:
		if (bit < 256)
			x->skipped[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	x->broken_features += !sound;
}

void perf_features_note(struct perf_data *x)
{
	struct buf b = BUF_INIT;
	uint64_t n = 0;

	for (unsigned bit = 0; bit < 256; bit++) {
		if (!(x->skipped[bit / 64] >> bit % 64 & 1))
			continue;
		buf_adds(&b, n++ ? ", " : "");
		if (bit < sizeof names / sizeof *names && names[bit])
			buf_adds(&b, names[bit]);
		else
			buf_addf(&b, "%u", bit);
	}
	if (n)
		trace_note(x->im->t, NOTE_INFO, n, "features of the file were not read: %s",
			   buf_str(&b));
	if (x->broken_features)
		trace_note(x->im->t, NOTE_LOSS, x->broken_features,
			   "features or build-ids are damaged from one place on");
	if (x->n_functions == PERF_NAMES_MOST)
		trace_note(x->im->t, NOTE_LOSS, 0,
			   "function names above the limit of %d were "
			   "left out",
			   PERF_NAMES_MOST);
	buf_release(&b);
}

/* --- names by address --- */

static uint32_t name_at(const struct perf_function *list, size_t n, uint64_t address)
{
	size_t lo = BISECT(i, 0, n, list[i].lo <= address);

	return lo && address < list[lo - 1].hi ? list[lo - 1].name : 0;
}

static uint32_t kernel_name_at(struct perf_data *x, uint64_t ip)
{
	if (x->kernel_unsorted)
		sort_array(x->kernel_functions, x->n_kernel_functions, sizeof *x->kernel_functions,
			   perf_feature_by_address);
	x->kernel_unsorted = false;
	return name_at(x->kernel_functions, x->n_kernel_functions, ip);
}

uint32_t perf_function_at(struct perf_data *x, const struct perf_dso *dso, const struct perf_map *m,
			  uint64_t ip)
{
	uint32_t index = dso ? dso->names : 0, name = 0;
	const struct perf_file *f = index ? &x->files[index - 1] : NULL;
	uint64_t at = ip;

	if (f && !m->jit && (f->type == FILE_ELF || f->type == FILE_DEX)) {
		at = ip - m->lo + m->offset;
		if (f->type == FILE_ELF)
			at = f->offset == UINT64_MAX ? ip - m->lo + f->min_vaddr
						     : at - f->offset + f->min_vaddr;
	}
	if (f && f->type != FILE_MODULE)
		name = name_at(VEC_AT(x->functions, f->first), f->n, at);
	if (!name && (!dso || dso->whole || dso->unlinked))
		name = kernel_name_at(x, ip);
	return name;
}

/* "ffffffff81000000 T _text", of which one lasts until the next. */
void perf_kallsyms(struct perf_data *x, const char *s, size_t n)
{
	const char *end = s + n;
	size_t first = x->n_kernel_functions;

	while (s < end) {
		const char *line = memchr(s, '\n', (size_t)(end - s)), *stop = line ? line : end;
		const char *blank = memchr(s, ' ', (size_t)(stop - s));
		uint64_t address;

		if (blank && stop - blank > 3 && num_hex(s, (size_t)(blank - s), &address) &&
		    address && strchr("tTwW", blank[1])) {
			const char *name = blank + 3, *tab;

			tab = memchr(name, '\t', (size_t)(stop - name));
			add_function(
			    &x->kernel_functions, &x->n_kernel_functions, &x->cap_kernel_functions,
			    address, 0,
			    trace_string(x->im->t, name, (size_t)((tab ? tab : stop) - name)));
		}
		s = line ? line + 1 : end;
	}
	sort_array(VEC_AT(x->kernel_functions, first), x->n_kernel_functions - first,
		   sizeof *x->kernel_functions, perf_feature_by_address);
	for (size_t i = first; i + 1 < x->n_kernel_functions; i++)
		x->kernel_functions[i].hi = x->kernel_functions[i + 1].lo;
	x->kernel_unsorted = true;
}
