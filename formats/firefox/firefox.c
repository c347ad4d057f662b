/* SPDX-License-Identifier: MIT
 *
 * Profiles of the Firefox Profiler: what Firefox writes (gecko), what profiler.firefox.com, samply and others write
 * (processed), and what Firefox's old performance tool saved, which has the former as "profile".
 *
 *	{"meta":{"interval":MS,..},"libs":[..],"shared":{TABLES},"counters":[..],"processes":[PROFILE..],
 *	 "threads":[{"name":S,"tid":N,"pid":N,"samples":TABLE,"stackTable":TABLE,"frameTable":TABLE,
 *	             "funcTable":TABLE,"stringArray":[S..],..}]}
 *
 * A processed table has its columns as lists: {"length":N,"frame":[..],"prefix":[..]}; a table of gecko has rows, and
 * says which place of a row is which column: {"schema":{"prefix":0,"frame":1},"data":[[..],..]}. Tables may stand in any
 * order, and since version 56 threads share some; so all are kept until the file is over.
 *
 * From docs-developer/CHANGELOG-formats.md, src/types/profile.ts and gecko-profile-format.md of firefox-devtools/profiler.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum firefox_place {
	PROFILE = JSON_PLACES,
	META,
	META_VALUE,
	SHARED,
	THREADS,
	THREAD,
	THREAD_VALUE,
	THREAD_TEXT,
	LIST,
	LIST_TEXT,
	TABLE,
	TABLE_VALUE,
	SCHEMA,
	SCHEMA_PLACE,
	COLUMN,
	CELL,
	OTHER_CELL,
	ROW,
	ROW_CELL,
	OTHER_ROW_CELL,
	PROCESSES,
	COUNTERS,
	COUNTER,
	COUNTER_VALUE,
	GROUPS,
	LIBS,
	LIB,
	LIB_VALUE
};

static const struct json_row firefox_rows[] = {
    {JSON_TOP, "{", PROFILE},
    {PROFILE, "profile{", PROFILE},
    {PROFILE, "meta{", META},
    {META, "*", META_VALUE},
    {PROFILE, "libs[", LIBS},
    {THREAD, "libs[", LIBS}, /* of processed ones to version 40 */
    {LIBS, "{", LIB},
    {LIB, "*", LIB_VALUE},
    {PROFILE, "shared{", SHARED},
    {SHARED, "*{", TABLE},
    {SHARED, "*[", LIST},
    {PROFILE, "threads[", THREADS},
    {THREADS, "{", THREAD},
    {THREADS, "", THREAD_TEXT}, /* of a process, as a text: old */
    {THREAD, "*{", TABLE},
    {THREAD, "*[", LIST},
    {THREAD, "*", THREAD_VALUE},
    {LIST, "", LIST_TEXT},
    {TABLE, "schema{", SCHEMA},
    {SCHEMA, "*", SCHEMA_PLACE},
    {TABLE, "*[", COLUMN},
    {TABLE, "*", TABLE_VALUE},
    {COLUMN, "", CELL},
    {COLUMN, "{", OTHER_CELL},
    {COLUMN, "[", ROW},
    {ROW, "", ROW_CELL},
    {ROW, "{", OTHER_ROW_CELL},
    {ROW, "[", OTHER_ROW_CELL},
    {PROFILE, "processes[", PROCESSES},
    {PROCESSES, "{", PROFILE},
    {PROFILE, "counters[", COUNTERS},
    {COUNTERS, "{", COUNTER},
    {COUNTER, "*", COUNTER_VALUE},
    {COUNTER, "samples{", TABLE},
    {COUNTER, "sampleGroups{", GROUPS},
    {COUNTER, "sampleGroups[", GROUPS},
    {COUNTER, "sample_groups[", GROUPS},
    {GROUPS, "{", GROUPS},
    {GROUPS, "samples{", TABLE},
    {0},
};

enum { NO_COLUMN = -1, ROW_FIELDS = 16, DEPTH_MOST = 256 };

enum firefox_table {
	SAMPLES,
	STACKS,
	FRAMES,
	FUNCTIONS,
	SOURCES,
	RESOURCES,
	NATIVE,
	JS,
	MARKERS,
	READINGS,
	TABLES
};
static const char *const table_words[TABLES] = {
    "samples",       "stackTable",        "frameTable",    "funcTable", "sources",
    "resourceTable", "nativeAllocations", "jsAllocations", "markers"};

enum firefox_column {
	C_STACK,
	C_TIME,
	C_DELTAS,
	C_WEIGHT,
	C_FRAME,
	C_PREFIX,
	C_OFFSET,
	C_FUNCTION,
	C_LINE,
	C_LOCATION,
	C_NAME,
	C_FILE,
	C_SOURCE,
	C_COUNT,
	C_ADDRESS,
	C_RESOURCE,
	C_LIB,
	COLUMNS
};
static const struct {
	const char *word;
	enum firefox_column column;
} column_words[] = {
    {"stack", C_STACK},   {"time", C_TIME},           {"timeDeltas", C_DELTAS},
    {"weight", C_WEIGHT}, {"duration", C_WEIGHT},     {"frame", C_FRAME},
    {"prefix", C_PREFIX}, {"prefixOffset", C_OFFSET}, {"func", C_FUNCTION},
    {"line", C_LINE},     {"location", C_LOCATION},   {"name", C_NAME},
    {"fileName", C_FILE}, {"filename", C_FILE},       {"source", C_SOURCE},
    {"count", C_COUNT},   {"address", C_ADDRESS},     {"resource", C_RESOURCE},
    {"lib", C_LIB},
};

struct firefox_column_values {
	double *v; /* NAN: null, or no number */
	size_t n, cap;
};

struct firefox_tables {
	struct firefox_column_values columns[TABLES][COLUMNS];
	uint32_t *strings; /* of the file -> of the trace */
	size_t n_strings, cap_strings;
	bool in_bytes, in_ms; /* the weights of samples */
	size_t rows[TABLES];
};

struct firefox_thread {
	struct firefox_tables t;
	size_t profile;
	uint32_t name;
	uint64_t tid, pid;
};

struct firefox_profile { /* of a process */
	struct firefox_tables shared;
	double interval, start; /* ms */
	size_t caller;          /* profile above and 1, 0: none */
	double version;         /* of a processed one; NAN: gecko */
	uint32_t process;       /* by which its libraries are told from another's */
};

struct firefox_lib {
	size_t profile, thread; /* that lists it; thread: and 1, 0: it is the profile's */
	uint32_t name, path, debug_name, id, code_id; /* strings; id: Breakpad's */
	double start, end, offset;                    /* of gecko */
	uint32_t module;                              /* 0: not made yet */
};

struct firefox_counter {
	struct firefox_tables t;
	uint32_t name;
};

struct firefox {
	struct import *im;
	struct json_result at;
	struct firefox_profile *profiles;
	struct firefox_thread *threads;
	struct firefox_counter *counters;
	struct firefox_lib *libs;
	size_t n_libs, cap_libs;
	size_t n_profiles, cap_profiles, n_threads, cap_threads, n_counters, cap_counters;
	size_t profile; /* and 1, that is open; 0: none */
	double start;   /* of the first process that states it */
	struct buf key;
	enum { IN_NOTHING, IN_SHARED, IN_THREAD, IN_COUNTER } in;
	enum firefox_table table;
	int column;
	/* of a table of rows, whose schema may come behind them: by place in a row */
	int fields[ROW_FIELDS]; /* a column, or NO_COLUMN */
	struct firefox_column_values raw[ROW_FIELDS];
	size_t cell;
	uint64_t texts, odd, loops, markers, negative, no_stack, backwards;
	struct buf text;
	struct emit_places places;
};

/* --- tables --- */

static struct firefox_tables *tables_now(struct firefox *f)
{
	switch (f->in) {
	case IN_THREAD: return f->n_threads ? &f->threads[f->n_threads - 1].t : NULL;
	case IN_SHARED: return f->profile ? &f->profiles[f->profile - 1].shared : NULL;
	case IN_COUNTER: return f->n_counters ? &f->counters[f->n_counters - 1].t : NULL;
	default: return NULL;
	}
}

static int column_of(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof column_words / sizeof *column_words; i++)
		if (text_is(s, n, column_words[i].word))
			return column_words[i].column;
	return NO_COLUMN;
}

static void add_cell(struct firefox *f, int column, double v)
{
	struct firefox_tables *t = tables_now(f);
	struct firefox_column_values *c;

	if (!t || column == NO_COLUMN || f->table == TABLES)
		return;
	c = &t->columns[f->table][column];
	VEC_PUSH(c->v, c->n, c->cap) = v;
}

static double cell(const struct firefox_tables *t, enum firefox_table table,
		   enum firefox_column column, size_t i)
{
	const struct firefox_column_values *c = &t->columns[table][column];

	return i < c->n ? c->v[i] : NAN;
}

/* A place in a table; of what cannot be one, behind all. */
static size_t place_of(double v)
{
	return v >= 0 && v < UINT32_MAX ? (size_t)v : UINT32_MAX;
}

static void add_row_cell(struct firefox *f, double v)
{
	if (f->cell < ROW_FIELDS) {
		struct firefox_column_values *c = &f->raw[f->cell];

		VEC_PUSH(c->v, c->n, c->cap) = v;
	}
	f->cell++;
}

/* A row of gecko may end before its last columns. */
static void end_row(struct firefox *f)
{
	struct firefox_tables *t = tables_now(f);

	while (f->cell < ROW_FIELDS)
		add_row_cell(f, NAN);
	if (t && f->table < TABLES)
		t->rows[f->table]++;
}

/* Rows become columns. */
static void end_table(struct firefox *f)
{
	struct firefox_tables *t = tables_now(f);

	for (unsigned i = 0; i < ROW_FIELDS; i++) {
		if (t && f->table < TABLES && f->raw[i].n && f->fields[i] != NO_COLUMN) {
			struct firefox_column_values *c = &t->columns[f->table][f->fields[i]];

			free(c->v);
			*c = f->raw[i];
		} else {
			free(f->raw[i].v);
		}
		f->raw[i] = (struct firefox_column_values){0};
	}
}

/* --- JSON --- */

static double number_of(struct json_value v)
{
	double d;

	return v.kind == JSON_NUMBER && num_double(v.s, v.n, &d) ? d : NAN;
}

static bool key_is(const struct firefox *f, const char *word)
{
	return text_is(f->key.data ? f->key.data : "", f->key.len, word);
}

static void thread_value(struct firefox *f, struct json_value v)
{
	struct firefox_thread *t = &f->threads[f->n_threads - 1];
	uint64_t n = 0;

	if (key_is(f, "name") && v.kind == JSON_STRING)
		t->name = trace_string(f->im->t, v.s, v.n);
	else if (key_is(f, "tid") && num_dec(v.s, v.n, &n))
		t->tid = n;
	else if (key_is(f, "pid") && num_dec(v.s, v.n, &n))
		t->pid = n;
}

static void lib_value(struct firefox *f, struct json_value v)
{
	static const struct {
		const char *word;
		size_t at;
	} texts[] = {
	    {"name", offsetof(struct firefox_lib, name)},
	    {"path", offsetof(struct firefox_lib, path)},
	    {"debugName", offsetof(struct firefox_lib, debug_name)},
	    {"breakpadId", offsetof(struct firefox_lib, id)},
	    {"codeId", offsetof(struct firefox_lib, code_id)},
	};
	struct firefox_lib *lib = &f->libs[f->n_libs - 1];

	if (v.kind == JSON_STRING && v.n)
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			if (key_is(f, texts[i].word)) {
				uint32_t text = trace_string(f->im->t, v.s, v.n);

				memcpy((char *)lib + texts[i].at, &text, sizeof text);
			}
	if (key_is(f, "start"))
		lib->start = number_of(v);
	else if (key_is(f, "end"))
		lib->end = number_of(v);
	else if (key_is(f, "offset"))
		lib->offset = number_of(v);
}

static enum status firefox_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct firefox *f = arg;
	struct firefox_tables *t;
	double d;

	(void)e;
	switch (place) {
	case META_VALUE:
		d = number_of(v);
		if (f->profile && key_is(f, "interval"))
			f->profiles[f->profile - 1].interval = d;
		else if (f->profile && key_is(f, "startTime"))
			f->profiles[f->profile - 1].start = d;
		else if (f->profile && key_is(f, "preprocessedProfileVersion"))
			f->profiles[f->profile - 1].version = d;
		break;
	case LIB_VALUE: lib_value(f, v); break;
	case THREAD_VALUE: thread_value(f, v); break;
	case THREAD_TEXT: f->texts++; break;
	case LIST_TEXT:
		t = tables_now(f);
		if (t && (key_is(f, "stringArray") || key_is(f, "stringTable")))
			VEC_PUSH(t->strings, t->n_strings, t->cap_strings) =
			    v.kind == JSON_STRING ? trace_string(f->im->t, v.s, v.n) : 0;
		break;
	case SCHEMA_PLACE:
		d = number_of(v);
		if (d >= 0 && d < ROW_FIELDS)
			f->fields[(int)d] = column_of(f->key.data, f->key.len);
		break;
	case TABLE_VALUE:
		t = tables_now(f);
		if (t && f->table == SAMPLES && key_is(f, "weightType")) {
			t->in_bytes = text_is(v.s, v.n, "bytes");
			t->in_ms = text_is(v.s, v.n, "tracing-ms");
		} else if (t && f->table < TABLES && key_is(f, "length")) {
			d = number_of(v);
			t->rows[f->table] = d >= 0 && d < UINT32_MAX ? (size_t)d : 0;
		}
		break;
	case CELL: add_cell(f, f->column, number_of(v)); break;
	case ROW_CELL: add_row_cell(f, number_of(v)); break;
	case COUNTER_VALUE:
		if (key_is(f, "name") && v.kind == JSON_STRING)
			f->counters[f->n_counters - 1].name = trace_string(f->im->t, v.s, v.n);
		break;
	default: break;
	}
	return ST_OK;
}

static enum status firefox_key(void *arg, unsigned in, const char *s, size_t n, struct err *e)
{
	struct firefox *f = arg;

	(void)in;
	(void)e;
	f->key.len = 0;
	buf_add(&f->key, s, n);
	return ST_OK;
}

static void begin_table(struct firefox *f)
{
	f->table = TABLES;
	if (f->in == IN_COUNTER)
		f->table = READINGS;
	else
		for (unsigned i = 0; i < READINGS; i++)
			if (key_is(f, table_words[i]))
				f->table = (enum firefox_table)i;
	for (unsigned i = 0; i < ROW_FIELDS; i++)
		f->fields[i] = NO_COLUMN;
}

static enum status firefox_begin(void *arg, unsigned place, struct err *e)
{
	struct firefox *f = arg;

	(void)e;
	switch (place) {
	case PROFILE:
		VEC_PUSH(f->profiles, f->n_profiles, f->cap_profiles) = (struct firefox_profile){
		    .interval = NAN, .start = NAN, .version = NAN, .caller = f->profile};
		f->profile = f->n_profiles;
		break;
	case SHARED: f->in = IN_SHARED; break;
	case THREAD:
		VEC_PUSH(f->threads, f->n_threads, f->cap_threads) =
		    (struct firefox_thread){.profile = f->profile - 1};
		f->in = IN_THREAD;
		break;
	case COUNTER:
		VEC_PUSH(f->counters, f->n_counters, f->cap_counters) =
		    (struct firefox_counter){.name = 0};
		f->in = IN_COUNTER;
		break;
	case LIB:
		VEC_PUSH(f->libs, f->n_libs, f->cap_libs) =
		    (struct firefox_lib){.profile = f->profile - 1,
					 .thread = f->in == IN_THREAD ? f->n_threads : 0,
					 .start = NAN,
					 .end = NAN};
		break;
	case TABLE: begin_table(f); break;
	case COLUMN: f->column = column_of(f->key.data, f->key.len); break;
	case OTHER_CELL: add_cell(f, f->column, NAN); break;
	case ROW: f->cell = 0; break;
	case OTHER_ROW_CELL: add_row_cell(f, NAN); break;
	default: break;
	}
	return ST_OK;
}

static enum status firefox_end(void *arg, unsigned place, struct err *e)
{
	struct firefox *f = arg;

	(void)e;
	if (place == PROFILE)
		f->profile = f->profiles[f->profile - 1].caller;
	else if (place == SHARED || place == THREAD || place == COUNTER)
		f->in = IN_NOTHING;
	else if (place == ROW)
		end_row(f);
	else if (place == TABLE)
		end_table(f);
	return ST_OK;
}

/* --- stacks --- */

struct firefox_stacks {    /* of a thread, or of those that share them */
	uint32_t *samples; /* by row, of the trace: the innermost address is an instruction */
	uint32_t *callers; /* likewise: it is a return address, as of backtraces of allocations */
	size_t n;
	uint32_t *locations[LOCATION_KINDS]; /* by frame, of the trace; 0: not made yet */
	size_t n_frames;
};

struct lookup {
	struct firefox *f;
	const struct firefox_tables *own, *shared;
	size_t profile, thread; /* thread: and 1 */
};

/* A table of the thread's own, or a shared one. */
static const struct firefox_tables *table_of(const struct lookup *l, enum firefox_table table)
{
	return l->own->rows[table] || !l->shared->rows[table] ? l->own : l->shared;
}

static uint32_t string_at(const struct lookup *l, double i)
{
	const struct firefox_tables *t = l->own->n_strings ? l->own : l->shared;

	return i >= 0 && i < (double)t->n_strings ? t->strings[(size_t)i] : 0;
}

static uint32_t line_of(double line)
{
	return line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;
}

/* --- libraries --- */

static bool is_hex(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && num_hex_digit(s[i]) >= 0)
		i++;
	return i == n;
}

static void hex_bytes(const char *s, size_t n, uint8_t *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(num_hex_digit(s[2 * i]) << 4 | num_hex_digit(s[2 * i + 1]));
}

/* A GUID and an age, as files have them. Breakpad takes the first fields of the GUID for numbers. */
static size_t guid_of(const char *s, size_t n, uint8_t id[20])
{
	static const uint8_t from[] = {3, 2, 1, 0, 5, 4, 7, 6};
	uint64_t age;
	uint8_t text[16];

	if (n < 33 || n > 40 || !is_hex(s, 32) || !num_hex(s + 32, n - 32, &age))
		return 0;
	hex_bytes(s, 16, text);
	for (unsigned i = 0; i < 16; i++)
		id[i] = text[i < 8 ? from[i] : i];
	for (unsigned i = 0; i < 4; i++)
		id[16 + i] = (uint8_t)(age >> 8 * i);
	return 20;
}

/* An id of zeros is none; n may have an age behind it. */
static bool has_any(const uint8_t *id, size_t n)
{
	for (size_t i = 0; i < n && i < 16; i++)
		if (id[i])
			return true;
	return false;
}

/* Of a library of Windows the GUID of its PDB, else its time stamp and size; of others the build-id or UUID, of which
 * Breakpad's id has a part only. */
static uint32_t lib_build_id(struct trace *t, const struct firefox_lib *lib)
{
	size_t n_name, n_id, n_code, n = 0;
	const char *name = intern_text(&t->strings, lib->debug_name, &n_name),
		   *id = intern_text(&t->strings, lib->id, &n_id),
		   *code = intern_text(&t->strings, lib->code_id, &n_code);
	uint8_t bytes[64] = {0};
	uint64_t size;

	if (n_code % 2 == 0 && n_code >= 32 && n_code <= 2 * sizeof bytes && is_hex(code, n_code)) {
		n = n_code / 2;
		hex_bytes(code, n, bytes);
	} else if (n_name > 4 && !strncasecmp(name + n_name - 4, ".pdb", 4)) {
		n = guid_of(id, n_id, bytes);
	}
	if (!has_any(bytes, n) && n_code > 8 && n_code <= 16 && is_hex(code, 8) &&
	    num_hex(code + 8, n_code - 8, &size)) {
		n = 8;
		hex_bytes(code, 4, bytes);
		for (unsigned i = 0; i < 4; i++)
			bytes[4 + i] = (uint8_t)(size >> (24 - 8 * i));
	}
	return has_any(bytes, n) ? trace_string(t, (const char *)bytes, n) : 0;
}

static uint32_t lib_module(struct firefox *f, struct firefox_lib *lib)
{
	struct trace *t = f->im->t;
	struct map_range range = {.executable = true};
	struct module m = {.name = lib->path ? lib->path : lib->name, .ranges = &range};

	if (lib->module)
		return lib->module;
	m.build_id = lib_build_id(t, lib);
	m.process = f->profiles[lib->profile].process;
	if (lib->start >= 0 && lib->end > lib->start && lib->end < 0x1p63) {
		range.lo = (uint64_t)lib->start;
		range.hi = (uint64_t)lib->end;
		range.offset = lib->offset > 0 && lib->offset < 0x1p63 ? (uint64_t)lib->offset : 0;
		m.n_ranges = 1;
	}
	return lib->module = trace_module(t, &m);
}

/* Libraries of a thread, else of its profile; NULL: none has this number. */
static struct firefox_lib *lib_at(const struct lookup *l, double number)
{
	struct firefox *f = l->f;

	for (int of_thread = 1; of_thread >= 0; of_thread--) {
		double at = 0;

		for (size_t i = 0; i < f->n_libs; i++) {
			struct firefox_lib *lib = &f->libs[i];

			if (of_thread ? lib->thread != l->thread
				      : lib->thread || lib->profile != l->profile)
				continue;
			if (at++ == number)
				return lib;
		}
		if (at > 0)
			break;
	}
	return NULL;
}

/* A text that is an address. */
static bool address_of(const struct lookup *l, uint32_t text, uint64_t *address)
{
	size_t n;
	const char *s = intern_text(&l->f->im->t->strings, text, &n);

	return n > 2 && s[0] == '0' && s[1] == 'x' && num_hex(s + 2, n - 2, address);
}

/* A frame whose name is only its address. In a library the address counts from its first byte, and since version 38 it is
 * that of an instruction in the call; in no library, and in gecko, it is that in the process, and of callers where they
 * are returned to. */
static uint32_t address_location(const struct lookup *l, double frame, uint32_t text,
				 enum location_kind kind)
{
	const struct firefox_tables *frames = table_of(l, FRAMES),
				    *functions = table_of(l, FUNCTIONS),
				    *resources = table_of(l, RESOURCES);
	const struct firefox_profile *p = &l->f->profiles[l->profile];
	size_t row = place_of(frame), function = place_of(cell(frames, FRAMES, C_FUNCTION, row)),
	       resource = place_of(cell(functions, FUNCTIONS, C_RESOURCE, function));
	struct location at = {.process = p->process, .space = SPACE_RUNTIME, .kind = kind};
	double address = cell(frames, FRAMES, C_ADDRESS, row),
	       number = cell(frames, FRAMES, C_LIB, row);
	struct firefox_lib *lib;

	if (!address_of(l, text, &at.raw))
		return 0;
	if (isnan(number))
		number = cell(resources, RESOURCES, C_LIB, resource);
	lib = lib_at(l, number);
	if (lib && address >= 0 && address < 0x1p53) {
		at = (struct location){.raw = (uint64_t)address,
				       .module = lib_module(l->f, lib),
				       .space = SPACE_VADDR,
				       .kind = p->version >= 38 ? LOCATION_EXACT : kind};
	}
	return trace_location(l->f->im->t, &at);
}

/* --- locations --- */

/* Of gecko: "name (file:line:column)[source]", of JavaScript; else a name or an address. */
static uint32_t location_named(struct firefox *f, uint32_t text, double line)
{
	struct trace *t = f->im->t;
	size_t n, open, end;
	const char *s = intern_text(&t->strings, text, &n);
	uint32_t name = text, file = 0, row = line_of(line);
	uint64_t number[2];
	int numbers = 0;

	end = n;
	if (end && s[end - 1] == ']')
		while (end && s[end - 1] != '[')
			end--;
	if (end != n && end)
		end--;
	if (!end || s[end - 1] != ')')
		return emit_named(t, name, file, row);
	open = end;
	while (open > 1 && !(s[open - 1] == '(' && s[open - 2] == ' '))
		open--;
	if (open < 2)
		return emit_named(t, name, file, row);
	f->text.len = 0;
	buf_add(&f->text, s, end - 1);
	s = buf_str(&f->text);
	end--;
	for (; numbers < 2; numbers++) {
		size_t colon = end;

		while (colon > open && s[colon - 1] >= '0' && s[colon - 1] <= '9')
			colon--;
		if (colon == end || colon <= open || s[colon - 1] != ':' ||
		    !num_dec(s + colon, end - colon, &number[numbers]))
			break;
		end = colon - 1;
	}
	if (numbers && !row)
		row = line_of((double)number[numbers - 1]);
	name = trace_string(t, s, open - 2);
	file = trace_string(t, s + open, end - open);
	return emit_named(t, name, file, row);
}

static uint32_t firefox_location(const struct lookup *l, double frame, enum location_kind kind)
{
	const struct firefox_tables *frames = table_of(l, FRAMES),
				    *functions = table_of(l, FUNCTIONS),
				    *sources = table_of(l, SOURCES);
	double function, source, line;
	uint32_t name, file, location;

	if (!(frame >= 0))
		return emit_named(l->f->im->t, 0, 0, 0);
	function = cell(frames, FRAMES, C_FUNCTION, place_of(frame));
	line = cell(frames, FRAMES, C_LINE, place_of(frame));
	if (isnan(function)) {
		name = string_at(l, cell(frames, FRAMES, C_LOCATION, place_of(frame)));
		location = address_location(l, frame, name, kind);
		return location ? location : location_named(l->f, name, line);
	}
	if (function < 0)
		return emit_named(l->f->im->t, 0, 0, 0);
	name = string_at(l, cell(functions, FUNCTIONS, C_NAME, place_of(function)));
	file = string_at(l, cell(functions, FUNCTIONS, C_FILE, place_of(function)));
	source = cell(functions, FUNCTIONS, C_SOURCE, place_of(function));
	if (!file && source >= 0)
		file = string_at(l, cell(sources, SOURCES, C_FILE, place_of(source)));
	if (name && !file) {
		struct trace *t = l->f->im->t;
		size_t n;
		const char *s = intern_text(&t->strings, name, &n);

		location = address_location(l, frame, name, kind);
		if (!location)
			location = emit_place(&l->f->places, t, s, n);
		if (location)
			return location;
	}
	return emit_named(l->f->im->t, name, file, line_of(line));
}

/* The row above; a row is never above one before it. */
static bool caller_of(const struct firefox_tables *t, size_t i, size_t *caller)
{
	double prefix = cell(t, STACKS, C_PREFIX, i), offset = cell(t, STACKS, C_OFFSET, i);

	if (offset > 0)
		prefix = (double)i - offset;
	if (!(prefix >= 0))
		return false;
	*caller = place_of(prefix);
	return true;
}

static uint32_t location_at(const struct lookup *l, struct firefox_stacks *s, double frame,
			    enum location_kind kind)
{
	bool known = frame >= 0 && frame < (double)s->n_frames;
	uint32_t *location = known ? &s->locations[kind][(size_t)frame] : NULL;

	if (!known)
		return firefox_location(l, NAN, kind);
	if (!*location)
		*location = firefox_location(l, frame, kind);
	return *location;
}

static void build_stacks(const struct lookup *l, struct firefox_stacks *s)
{
	const struct firefox_tables *t = table_of(l, STACKS), *frames = table_of(l, FRAMES);
	struct trace *to = l->f->im->t;

	s->n = t->columns[STACKS][C_FRAME].n;
	s->samples = mem_zarray(s->n ? s->n : 1, sizeof *s->samples);
	s->callers = mem_zarray(s->n ? s->n : 1, sizeof *s->callers);
	s->n_frames = frames->columns[FRAMES][C_FUNCTION].n > frames->columns[FRAMES][C_LOCATION].n
			  ? frames->columns[FRAMES][C_FUNCTION].n
			  : frames->columns[FRAMES][C_LOCATION].n;
	for (unsigned i = LOCATION_RETURN; i <= LOCATION_EXACT; i++)
		s->locations[i] = mem_zarray(s->n_frames ? s->n_frames : 1, sizeof **s->locations);
	for (size_t i = 0; i < s->n; i++) {
		double frame = cell(t, STACKS, C_FRAME, i);
		size_t caller = 0;
		bool called = caller_of(t, i, &caller);
		uint32_t callers = called && caller < i ? s->callers[caller] : 0;

		l->f->loops += called && caller >= i;
		s->callers[i] = trace_stack(to, callers, location_at(l, s, frame, LOCATION_RETURN));
		s->samples[i] = trace_stack(to, callers, location_at(l, s, frame, LOCATION_EXACT));
	}
}

static void stacks_release(struct firefox_stacks *s)
{
	free(s->samples);
	free(s->callers);
	for (unsigned i = 0; i < LOCATION_KINDS; i++)
		free(s->locations[i]);
}

static uint32_t stack_at(struct firefox *f, const struct firefox_stacks *s, const uint32_t *stacks,
			 double i)
{
	if (i >= 0 && i < (double)s->n)
		return stacks[(size_t)i];
	f->odd += !isnan(i);
	return 0;
}

/* --- events --- */

static struct known_number nanoseconds(double ms)
{
	if (!(ms > -9e12 && ms < 9e12))
		return ABSENT;
	return KNOWN(llround(ms * 1e6));
}

/* Times of rows, ms; deltas become times. */
static void sum_deltas(struct firefox_column_values *deltas)
{
	double sum = 0;

	for (size_t i = 0; i < deltas->n; i++) {
		sum += isnan(deltas->v[i]) ? 0 : deltas->v[i];
		deltas->v[i] = sum;
	}
}

static double time_at(const struct firefox_tables *t, enum firefox_table table, size_t i)
{
	double at = cell(t, table, C_TIME, i);

	return isnan(at) ? cell(t, table, C_DELTAS, i) : at;
}

static enum status firefox_push_sample(struct firefox *f, const struct firefox_thread *t,
				       uint32_t thread, const struct firefox_stacks *s, size_t i,
				       double zero, struct err *e)
{
	double time = time_at(&t->t, SAMPLES, i), next = time_at(&t->t, SAMPLES, i + 1),
	       weight = cell(&t->t, SAMPLES, C_WEIGHT, i), stack = cell(&t->t, SAMPLES, C_STACK, i);
	struct emit_sample sample = {.thread = thread, .time = nanoseconds(time + zero)};
	bool weighs = t->t.columns[SAMPLES][C_WEIGHT].n > 0;

	if (isnan(stack)) {
		f->no_stack++;
		return ST_OK;
	}
	sample.stack = stack_at(f, s, t->t.in_bytes ? s->callers : s->samples, stack);
	if (weighs && !(weight >= 0 && weight < 9e15)) {
		f->negative++;
		return ST_OK;
	}
	if (t->t.in_bytes) {
		struct emit_alloc alloc = {.stack = sample.stack,
					   .thread = thread,
					   .time = sample.time,
					   .requested = KNOWN((uint64_t)weight)};

		return emit_alloc(f->im, &alloc, e);
	}
	if (t->t.in_ms && weighs) {
		sample.self = nanoseconds(weight);
	} else {
		sample.samples = KNOWN(weighs ? llround(weight) : 1);
		f->backwards += next < time;
		sample.self = isnan(next) || next < time ? KNOWN(0) : nanoseconds(next - time);
	}
	return emit_sample(f->im, &sample, e);
}

static enum status firefox_push_bytes(struct firefox *f, const struct firefox_thread *t,
				      uint32_t thread, const struct firefox_stacks *s,
				      enum firefox_table table, double zero, struct err *e)
{
	size_t n = t->t.columns[table][C_WEIGHT].n;
	enum status st = ST_OK;

	for (size_t i = 0; i < n && !st; i++) {
		double bytes = cell(&t->t, table, C_WEIGHT, i);
		struct emit_alloc alloc = {
		    .thread = thread,
		    .time = nanoseconds(cell(&t->t, table, C_TIME, i) + zero),
		    .stack = stack_at(f, s, s->callers, cell(&t->t, table, C_STACK, i))};

		if (!(bytes >= 0 && bytes < 9e15)) {
			f->negative +=
			    !(bytes < 0); /* a free, which has no address that is known */
			continue;
		}
		alloc.requested = KNOWN((uint64_t)bytes);
		st = emit_alloc(f->im, &alloc, e);
	}
	return st;
}

static enum status firefox_push_thread(struct firefox *f, struct firefox_thread *t,
				       struct firefox_stacks *shared, struct err *e)
{
	struct lookup l = {f, &t->t, &f->profiles[t->profile].shared, t->profile,
			   (size_t)(t - f->threads) + 1};
	double zero = f->profiles[t->profile].start - f->start;
	struct firefox_stacks own = {0},
			      *s = t->t.rows[STACKS] || !l.shared->rows[STACKS] ? &own : shared;
	uint32_t thread = 0;
	enum status st = ST_OK;
	size_t n = t->t.columns[SAMPLES][C_STACK].n;

	zero = isnan(zero) ? 0 : zero;
	thread = trace_thread(
	    f->im->t, &(struct thread){.process = t->pid < UINT32_MAX ? (uint32_t)t->pid : 0,
				       .name = t->name,
				       .tid = t->tid});
	if (s == &own || !s->samples)
		build_stacks(&l, s);
	sum_deltas(&t->t.columns[SAMPLES][C_DELTAS]);
	for (size_t i = 0; i < n && !st; i++)
		st = firefox_push_sample(f, t, thread, s, i, zero, e);
	if (!st)
		st = firefox_push_bytes(f, t, thread, s, NATIVE, zero, e);
	if (!st)
		st = firefox_push_bytes(f, t, thread, s, JS, zero, e);
	f->markers += t->t.rows[MARKERS];
	stacks_release(&own);
	return st;
}

/* A reading is what was added since the one before. */
static enum status firefox_push_counter(struct firefox *f, struct firefox_counter *c, struct err *e)
{
	const struct firefox_column_values *counts = &c->t.columns[READINGS][C_COUNT];
	uint32_t counter;
	double sum = 0;
	enum status st = ST_OK;

	if (!counts->n || !c->name)
		return ST_OK;
	counter = emit_counter_id(f->im, intern_text(&f->im->t->strings, c->name, NULL), "");
	sum_deltas(&c->t.columns[READINGS][C_DELTAS]);
	for (size_t i = 0; i < counts->n && !st; i++) {
		decimal v;

		sum += isnan(counts->v[i]) ? 0 : counts->v[i];
		if (decimal_from_double(sum, &v))
			st = emit_decimal(f->im, counter, nanoseconds(time_at(&c->t, READINGS, i)),
					  v, e);
		else
			f->odd++;
	}
	return st;
}

/* --- the file --- */

static enum status firefox_push(struct firefox *f, struct err *e)
{
	struct firefox_stacks *shared = mem_zarray(f->n_profiles, sizeof *shared);
	struct trace *t = f->im->t;
	enum status st;

	trace_metric(t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	for (size_t i = 0; i < f->n_threads; i++)
		if (f->threads[i].t.in_bytes || f->threads[i].t.columns[NATIVE][C_WEIGHT].n ||
		    f->threads[i].t.columns[JS][C_WEIGHT].n)
			trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	f->start = NAN;
	for (size_t i = f->n_profiles; i-- > 0;)
		f->start = isnan(f->profiles[i].start) ? f->start : f->profiles[i].start;
	if (f->start > 1e12 && f->start < 9e12) /* ms since 1970; Firefox is younger than 2001 */
		trace_set_date(t, (int64_t)(f->start * 1e6));
	if (f->n_profiles > 1) /* else addresses are of the only process */
		for (size_t i = f->n_threads; i-- > 0;)
			f->profiles[f->threads[i].profile].process =
			    f->threads[i].pid < UINT32_MAX ? (uint32_t)f->threads[i].pid : 0;
	for (size_t i = 0; i < f->n_libs; i++)
		if (f->libs[i].end > f->libs[i].start)
			lib_module(f, &f->libs[i]);
	st = import_begin(f->im, e);
	for (size_t i = 0; i < f->n_threads && !st; i++)
		st = firefox_push_thread(f, &f->threads[i], &shared[f->threads[i].profile], e);
	for (size_t i = 0; i < f->n_counters && !st; i++)
		st = firefox_push_counter(f, &f->counters[i], e);
	for (size_t i = 0; i < f->n_profiles; i++)
		stacks_release(&shared[i]);
	free(shared);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, f->texts, "threads of other processes are texts: left out"),
	    LOSS(NOTE_LOSS, f->odd, "samples or readings refer to what the file does not have"),
	    LOSS(NOTE_LOSS, f->loops, "stacks have a caller behind them: it was left out"),
	    LOSS(NOTE_LOSS, f->negative, "samples have impossible weights: left out"),
	    LOSS(NOTE_GUESS, f->backwards,
		 "samples are before the sample before them: they have no time"),
	    LOSS(NOTE_INFO, f->no_stack, "samples have no stack: left out"),
	    LOSS(NOTE_INFO, f->markers, "markers were left out"),
	    LOSS(NOTE_INFO, f->at.repaired, "bytes of invalid UTF-8 became U+FFFD"),
	};

	TRACE_LOSSES(t, losses);
	emit_places_note(&f->places, t);
	return st;
}

static void tables_release(struct firefox_tables *t)
{
	for (unsigned i = 0; i < TABLES; i++)
		for (unsigned k = 0; k < COLUMNS; k++)
			free(t->columns[i][k].v);
	free(t->strings);
}

static void firefox_release(struct firefox *f)
{
	for (size_t i = 0; i < f->n_profiles; i++)
		tables_release(&f->profiles[i].shared);
	for (size_t i = 0; i < f->n_threads; i++)
		tables_release(&f->threads[i].t);
	for (size_t i = 0; i < f->n_counters; i++)
		tables_release(&f->counters[i].t);
	for (unsigned i = 0; i < ROW_FIELDS; i++)
		free(f->raw[i].v);
	free(f->profiles);
	free(f->threads);
	free(f->counters);
	free(f->libs);
	buf_release(&f->key);
	buf_release(&f->text);
	emit_places_release(&f->places);
}

static enum status firefox_read(struct import *im, struct err *e)
{
	static const struct json_walker walker = {.rows = firefox_rows,
						  .begin = firefox_begin,
						  .end = firefox_end,
						  .value = firefox_value,
						  .key = firefox_key};
	static const struct json_options options = {.repair_utf8 = true, .max_depth = DEPTH_MOST};
	struct firefox f = {.im = im, .table = TABLES, .column = NO_COLUMN};
	struct err first = ERR_INIT;
	enum status st = json_walk(&im->in->cur, &walker, &f, &options, &f.at, NULL, &first);

	if (!f.n_threads) {
		if (st)
			*e = first;
		else
			st = err_at(e, ST_BAD, 0, "the file has no threads");
	} else {
		enum status pushed = firefox_push(&f, e);

		if (pushed)
			st = pushed;
		else if (st)
			*e = first;
	}
	firefox_release(&f);
	return st;
}

static bool has(const uint8_t *head, size_t n, const char *word)
{
	return memmem(head, n, word, strlen(word)) != NULL;
}

/* An object whose first key is meta, with what meta always has; or the old tool's. */
static int firefox_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char old[] = "{\"label\":";
	size_t i = 0;

	(void)whole;
	if (n > sizeof old && !memcmp(head, old, sizeof old - 1) && has(head, n, "\"duration\":") &&
	    has(head, n, "\"markers\":["))
		return 150;
	while (i < n && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
		i++;
	if (i == n || head[i] != '{')
		return 0;
	if (has(head, n, "\"preprocessedProfileVersion\""))
		return 8 * 28;
	return has(head, n, "\"meta\"") && has(head, n, "\"interval\"") &&
		       has(head, n, "\"processType\"") && has(head, n, "\"startTime\"")
		   ? 150
		   : 0;
}

const struct reader reader_firefox = {
    .name = "firefox",
    .family = "Chrome, node and speedscope",
    .page = "firefox",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_STACKS | CAPABILITY_SAMPLES |
		    CAPABILITY_TIME | CAPABILITY_THREADS | CAPABILITY_COUNTERS |
		    CAPABILITY_ADDRESSES,
    .what =
	"profiles of the Firefox Profiler, Firefox and samply (JSON): samples with their stacks",
    .suffixes = "json",
    .cut = CUT_NEVER, /* times are until the next sample */
    .bid = firefox_bid,
    .read = firefox_read,
};
