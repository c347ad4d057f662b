/* SPDX-License-Identifier: MIT
 *
 * tarantool's LuaJIT: the memory profiler (memprof, "ljm" version 3) and the sampling profiler of
 * VM and host (sysprof, "ljp" version 2). Both begin with a symbol table (formats/lua/symtab.h). From that
 * LuaJIT's lj_memprof.h, lj_sysprof.h and lj_sysprof.c, and a memprof file. Numbers are ULEB128.
 *
 * memprof: an event's header has its kind in bits 0-1 (0 symbol, 1 allocation, 2 free, 3
 * reallocation) and its source in bits 2-4 (1 the VM itself; 2 Lua: address, line; 3 C: address;
 * 4 trace: number); then the old address and size, then the new ones. A reallocation is a FREE and
 * an ALLOC with one number (seq). A symbol event has the entry's body, its kind is the source.
 *
 * sysprof: an event's header is the VM's state: 1-3 have a Lua stack, 0, 4-8 none, both a host
 * stack behind it; 9 is a trace; 10-12 are symbols. Stacks are innermost first. Lua frames: 1
 * address, line; 2 address of a C function; 3 number of a built-in function. A sample is one tick
 * of a timer whose interval (10 ms by default) is not in the file.
 *
 * In both, 0x80 ends the events.
 */
#include "formats/lua/symtab.h"
#include "formats/lua/text.h"
#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMPROF_VERSION = 3, SYSPROF_VERSION = 2, END = 0x80 };
enum { SOURCE_INTERNAL = 1, SOURCE_LUA, SOURCE_C, SOURCE_TRACE };
enum { STATE_LUA_FIRST = 1, STATE_LUA_LAST = 3, STATE_TRACE = 9, STATE_SYMBOLS, STATE_END = 13 };
enum {
	FRAME_LUA = 1,
	FRAME_C,
	FRAME_BUILTIN,
	FRAME_INNERMOST,
	FRAME_CALLER
};                                /* host's: last two */
enum { SAMPLE_FRAMES = 1 << 14 }; /* of samples that wait */

/* What is known of a frame beside its location. C: of a Lua stack, a C function; of the host's, one
 * that enters the VM. */
enum { USE_C = 1, USE_BETWEEN = 2, USE_UNKNOWN = 4, USE_BITS = 3 };

static const char *const states[] = {"interpreter", "Lua function", "fast function",  "C function",
				     "GC",          "trace exit",   "trace recorder", "optimizer",
				     "assembler",   "trace"};

struct tarantool {
	struct import *im;
	struct lua_symtab symbols;
	uint64_t seq;
	uint32_t internal; /* its stack */
	uint32_t markers[STATE_SYMBOLS];
	struct frame_row {
		uint32_t location, use;
	} * rows, *lua, *host; /* of one sample: the latter two are parts of rows */
	size_t cap_rows, n_lua, n_host;
	/* Samples that wait: they are read ahead, and their stacks looked up together. */
	struct frame_read {
		uint64_t address; /* or number, of a built-in function */
		uint32_t line;
		uint8_t kind;
	} * frames;
	size_t n_frames, cap_frames;
	struct sample_read {
		uint32_t first, n_lua, n; /* frames, the Lua stack's first */
		uint8_t state;
	} samples[TRACE_PATHS];
	struct sample_read cut; /* the last one, of which a part is there */
	size_t n_samples;
	struct map64 uses; /* frame -> location << USE_BITS | use */
	uint32_t *path;    /* of both stacks of all, outermost first */
	size_t n_path, cap_path;
	uint64_t unplaced;
};

/* --- memprof --- */

static uint32_t tarantool_source_stack(struct tarantool *m, struct cursor *c, unsigned source)
{
	uint64_t address;

	switch (source) {
	case SOURCE_LUA:
		address = cursor_uleb(c);
		return trace_stack(m->im->t, 0,
				   lua_symtab_lua(&m->symbols, address, cursor_uleb(c)));
	case SOURCE_C:
		return trace_stack(m->im->t, 0,
				   lua_symtab_c(&m->symbols, cursor_uleb(c), LOCATION_ENTRY));
	case SOURCE_TRACE:
		return trace_stack(m->im->t, 0, lua_symtab_trace(&m->symbols, cursor_uleb(c)));
	default:
		if (!m->internal)
			m->internal = trace_stack(
			    m->im->t, 0,
			    emit_named(m->im->t, trace_strz(m->im->t, "INTERNAL"), 0, 0));
		return m->internal;
	}
}

static enum status tarantool_memprof_event(struct tarantool *m, struct cursor *c, uint8_t header,
					   uint64_t at, struct err *e)
{
	unsigned kind = header & 3, source = header >> 2 & 7;
	uint64_t old = 0, old_size = 0, new = 0, new_size = 0;
	enum status st = ST_OK;
	uint32_t stack;

	if (header & 0x60 || source > SOURCE_TRACE || source < (kind ? 1 : SOURCE_LUA))
		return err_at(e, ST_BAD, at, "unknown event header 0x%02x", header);
	if (!kind) {
		lua_symtab_entry(&m->symbols, c, (enum lua_symbol_kind)(source - SOURCE_LUA));
		return cursor_failed(c) ? err_failure(e) : ST_OK;
	}
	stack = tarantool_source_stack(m, c, source);
	if (kind & 2) {
		old = cursor_uleb(c);
		old_size = cursor_uleb(c);
	}
	if (kind & 1) {
		new = cursor_uleb(c);
		new_size = cursor_uleb(c);
	}
	if (cursor_failed(c))
		return err_failure(e);
	m->seq++;
	if (kind & 2)
		st = emit_free(m->im,
			       &(struct emit_free){.seq = KNOWN(m->seq),
						   .address = old,
						   .requested = KNOWN(old_size),
						   .stack = stack,
						   .domain = KNOWN(DOMAIN_LUA)},
			       e);
	if (!st && kind & 1)
		st = emit_alloc(m->im,
				&(struct emit_alloc){.seq = KNOWN(m->seq),
						     .address = KNOWN(new),
						     .requested = KNOWN(new_size),
						     .stack = stack,
						     .domain = KNOWN(DOMAIN_LUA)},
				e);
	return st;
}

static void begin_memprof(struct trace *t)
{
	trace_set(t, "tarantool.profiler", "memprof");
	trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
	trace_metric(t, METRIC_LIVE, METRIC_LOWER_BOUND, METRIC_AT_ALL);
}

/* --- sysprof --- */

/* The functions of the C API in which the VM runs. */
static bool enters_vm(const char *name)
{
	static const char *const words[] = {"lua_call", "lua_pcall", "lua_cpcall", "lua_resume"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(name, words[i]))
			return true;
	return false;
}

/* What distinguishes frames of one address; a function has many lines, which must not all begin to
 * look in one place. */
static uint32_t tarantool_frame_check(const struct frame_read *f)
{
	return f->kind == FRAME_LUA ? f->line : UINT32_C(1) << 31 | f->kind;
}

static uint64_t tarantool_frame_key(const struct frame_read *f)
{
	return f->address ^ (uint64_t)f->line << 32;
}

static void tarantool_add_frame(struct tarantool *m, unsigned kind, uint64_t address, uint64_t line)
{
	struct frame_read f = {
	    .address = address, .line = lua_symtab_line(line), .kind = (uint8_t)kind};

	VEC_PUSH(m->frames, m->n_frames, m->cap_frames) = f;
	map64_prefetch(&m->uses, tarantool_frame_key(&f));
}

static enum status tarantool_read_lua_stack(struct tarantool *m, struct cursor *c, struct err *e)
{
	while (!cursor_failed(c)) {
		uint64_t at = cursor_offset(c), address, line;
		uint8_t kind = cursor_u8(c);

		if (kind == END || cursor_failed(c))
			break;
		address = cursor_uleb(c);
		if (kind < FRAME_LUA || kind > FRAME_BUILTIN)
			return err_at(e, ST_BAD, at, "unknown kind of Lua frame: %u", kind);
		line = kind == FRAME_LUA ? cursor_uleb(c) : 0;
		tarantool_add_frame(m, kind, address, line);
	}
	return cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status read_host_stack(struct tarantool *m, struct cursor *c, struct err *e)
{
	unsigned kind = FRAME_INNERMOST;
	uint64_t address;

	while ((address = cursor_uleb(c)) && !cursor_failed(c)) {
		tarantool_add_frame(m, kind, address, 0);
		kind = FRAME_CALLER;
	}
	return cursor_failed(c) ? err_failure(e) : ST_OK;
}

static void tarantool_first_use(struct tarantool *m, const struct frame_read *f,
				struct frame_row *r)
{
	struct lua_symtab *s = &m->symbols;
	uint64_t between = s->between, unknown = s->unknown_lua;
	bool exact, host = false;
	char name[40];

	r->use = 0;
	switch (f->kind) {
	case FRAME_LUA: r->location = lua_symtab_lua(s, f->address, f->line); break;
	case FRAME_C:
		r->location = lua_symtab_c(s, f->address, LOCATION_ENTRY);
		r->use = USE_C;
		break;
	case FRAME_BUILTIN:
		snprintf(name, sizeof name, "[builtin#%" PRIu64 "]", f->address);
		r->location = emit_named(m->im->t, trace_strz(m->im->t, name), 0, 0);
		break;
	default:
		/* What the signal interrupted may be a function's first instruction. */
		r->location = lua_symtab_c(
		    s, f->address, f->kind == FRAME_CALLER ? LOCATION_RETURN : LOCATION_UNSTATED);
		host = true;
	}
	if (host && enters_vm(trace_text(m->im->t, lua_symtab_c_name(s, f->address, &exact))))
		r->use = USE_C;
	r->use |=
	    (s->between > between ? USE_BETWEEN : 0) | (s->unknown_lua > unknown ? USE_UNKNOWN : 0);
	s->between = between; /* counted with the others */
	s->unknown_lua = unknown;
	if (r->location >> (32 - USE_BITS))
		return;
	*map64_put_checked(&m->uses, tarantool_frame_key(f), tarantool_frame_check(f)) =
	    r->location << USE_BITS | r->use;
}

/* Both stacks of a sample. False: a frame was not seen since the symbols are these, so that there
 * may be rows to add. */
static bool tarantool_frames(struct tarantool *m, const struct sample_read *sample, bool add)
{
	const struct frame_read *frames = VEC_AT(m->frames, sample->first);

	m->rows = mem_grow(m->rows, &m->cap_rows, sample->n, sizeof *m->rows);
	for (size_t i = 0; i < sample->n; i++) {
		struct frame_row *r = &m->rows[i];
		uint32_t known = map64_get_checked(&m->uses, tarantool_frame_key(&frames[i]),
						   tarantool_frame_check(&frames[i]));

		*r = (struct frame_row){known >> USE_BITS, known & ((1u << USE_BITS) - 1)};
		if (!known && !add)
			return false;
		if (!known)
			tarantool_first_use(m, &frames[i], r);
	}
	for (size_t i = 0; i < sample->n; i++) {
		m->symbols.between += (m->rows[i].use & USE_BETWEEN) != 0;
		m->symbols.unknown_lua += (m->rows[i].use & USE_UNKNOWN) != 0;
	}
	m->lua = m->rows;
	m->n_lua = sample->n_lua;
	m->host = m->rows + sample->n_lua;
	m->n_host = sample->n - sample->n_lua;
	return true;
}

static void tarantool_step(struct tarantool *m, const struct frame_row *r)
{
	VEC_PUSH(m->path, m->n_path, m->cap_path) = r->location;
}

/* One path of the two. The Lua functions that run between two C functions are put where the host's
 * stack enters the VM; those that have no such place are callers of all. A C function that Lua
 * called is on both stacks: the host's counts. */
static void tarantool_join(struct tarantool *m)
{
	size_t lua = m->n_lua, entries = 0, chunks = m->n_lua > 0;

	for (size_t i = 0; i < m->n_host; i++)
		entries += (m->host[i].use & USE_C) != 0;
	for (size_t i = 1; i < m->n_lua; i++)
		chunks += m->lua[i].use & USE_C && !(m->lua[i - 1].use & USE_C);
	m->unplaced += m->n_lua && m->n_host && !entries;
	/* Without a place for each chunk, the outermost ones go before the host's stack. */
	for (; chunks > entries && lua; chunks--) {
		while (lua && (!(m->lua[lua - 1].use & USE_C) || chunks == 1))
			tarantool_step(m, &m->lua[--lua]);
		while (lua && m->lua[lua - 1].use & USE_C)
			tarantool_step(m, &m->lua[--lua]);
	}
	for (size_t i = m->n_host; i-- > 0;) {
		tarantool_step(m, &m->host[i]);
		if (!(m->host[i].use & USE_C))
			continue;
		if (entries-- > chunks)
			continue;
		while (lua && !(m->lua[lua - 1].use & USE_C))
			tarantool_step(m, &m->lua[--lua]);
		while (lua && m->lua[lua - 1].use & USE_C)
			lua--;
	}
	while (lua)
		tarantool_step(m, &m->lua[--lua]);
}

static uint32_t state_marker(struct tarantool *m, unsigned state)
{
	if (!m->markers[state]) {
		struct marker row = {.name = trace_strz(m->im->t, states[state]),
				     .category = trace_strz(m->im->t, "vm state")};

		m->markers[state] = trace_marker(m->im->t, &row);
	}
	return m->markers[state];
}

/* Samples from *first on, as many as add no row that the events of those before must not see. */
static enum status tarantool_push_some(struct tarantool *m, size_t *first, struct err *e)
{
	const struct sample_read *samples = m->samples + *first;
	struct trace_path paths[TRACE_PATHS];
	enum status st = ST_OK;
	size_t n = 0, at = 0;

	m->n_path = 0;
	for (; n < m->n_samples - *first && tarantool_frames(m, &samples[n], !n); n++) {
		size_t before = m->n_path;

		tarantool_join(m);
		paths[n].n = (uint32_t)(m->n_path - before);
	}
	for (size_t i = 0; i < n; at += paths[i++].n)
		paths[i].locations = VEC_AT(m->path, at);
	trace_paths_seek(m->im->t, paths, n);
	for (size_t i = 0; !st && i < n; i++) {
		uint32_t stack = trace_path_stack(m->im->t, &paths[i]);

		st = emit_samples(m->im, stack, state_marker(m, samples[i].state), 1, e);
	}
	*first += n;
	return st;
}

static enum status tarantool_push_samples(struct tarantool *m, struct err *e)
{
	enum status st = ST_OK;
	size_t first = 0;

	while (!st && first < m->n_samples)
		st = tarantool_push_some(m, &first, e);
	m->n_samples = m->n_frames = 0;
	return st;
}

static enum status tarantool_read_sample(struct tarantool *m, struct cursor *c, uint8_t state,
					 struct err *e)
{
	struct sample_read x = {.first = (uint32_t)m->n_frames, .state = state};
	enum status st = ST_OK;

	if (state >= STATE_LUA_FIRST && state <= STATE_LUA_LAST)
		st = tarantool_read_lua_stack(m, c, e);
	x.n_lua = (uint32_t)m->n_frames - x.first;
	if (!st)
		st = read_host_stack(m, c, e);
	x.n = (uint32_t)m->n_frames - x.first;
	if (st) {
		m->cut = x;
		return st;
	}
	m->samples[m->n_samples++] = x;
	return m->n_samples < TRACE_PATHS && m->n_frames < SAMPLE_FRAMES
		   ? ST_OK
		   : tarantool_push_samples(m, e);
}

/* What waits, also before damage; of a sample that is cut the locations are known. */
static enum status tarantool_end_samples(struct tarantool *m, enum status st, struct err *e)
{
	struct err later = ERR_INIT;
	enum status out = tarantool_push_samples(m, &later);

	if (!out && m->cut.n)
		tarantool_frames(m, &m->cut, true);
	if (out)
		*e = later;
	return out ? out : st;
}

static enum status tarantool_sysprof_event(struct tarantool *m, struct cursor *c, uint8_t state,
					   uint64_t at, struct err *e)
{
	enum status st;
	uint32_t stack;

	if (state < STATE_TRACE)
		return tarantool_read_sample(m, c, state, e);
	st = tarantool_push_samples(m, e);
	if (st)
		return st;
	if (state >= STATE_END)
		return err_at(e, ST_BAD, at, "unknown VM state of an event: %u", state);
	if (state >= STATE_SYMBOLS) {
		map64_release(&m->uses); /* they may be nearer */
		lua_symtab_entry(&m->symbols, c, (enum lua_symbol_kind)(state - STATE_SYMBOLS));
		return cursor_failed(c) ? err_failure(e) : ST_OK;
	}
	if (state == STATE_TRACE) {
		uint64_t number = cursor_uleb(c), address = cursor_uleb(c), line = cursor_uleb(c);

		if (cursor_failed(c))
			return err_failure(e);
		stack = trace_stack(m->im->t, 0,
				    lua_symtab_trace_at(&m->symbols, number, address, line));
		return emit_samples(m->im, stack, state_marker(m, state), 1, e);
	}
	return ST_OK;
}

static void begin_sysprof(struct trace *t)
{
	trace_set(t, "tarantool.profiler", "sysprof");
	trace_set(t, "tarantool.unit", "samples, interval not captured");
}

/* --- both --- */

static enum status tarantool_read_events(struct tarantool *m, struct cursor *c, bool memory,
					 struct err *e)
{
	enum status st;

	while (!cursor_failed(c)) {
		uint64_t at = cursor_offset(c);
		uint8_t header = cursor_u8(c);

		if (cursor_failed(c) || header == END)
			break;
		st = memory ? tarantool_memprof_event(m, c, header, at, e)
			    : tarantool_sysprof_event(m, c, header, at, e);
		if (st)
			return tarantool_end_samples(m, st, e);
	}
	st = tarantool_end_samples(m, ST_OK, e);
	if (st)
		return st;
	if (!cursor_failed(c) && !cursor_done(c))
		trace_note(m->im->t, NOTE_LOSS, 0,
			   "bytes after the end of the events, at byte %" PRIu64 ", were not "
			   "read",
			   cursor_offset(c));
	return cursor_failed(c) ? err_failure(e) : ST_OK;
}

static enum status tarantool_read_profile(struct tarantool *m, struct cursor *c, struct err *e)
{
	uint64_t at = cursor_offset(c);
	const uint8_t *magic = cursor_bytes(c, 3, "magic of the profile");
	bool memory = magic && !memcmp(magic, "ljm", 3);
	uint8_t version;
	enum status st;

	if (!magic)
		return err_failure(e);
	if (!memory && memcmp(magic, "ljp", 3) != 0)
		return err_at(e, ST_BAD, at,
			      "neither \"ljm\" nor \"ljp\" follows the symbol "
			      "table");
	version = cursor_u8(c);
	if (!cursor_failed(c) && version != (memory ? MEMPROF_VERSION : SYSPROF_VERSION))
		return err_at(e, ST_UNSUPPORTED, at,
			      "unknown %s version %u: tracemill reads "
			      "version %d",
			      memory ? "memprof" : "sysprof", version,
			      memory ? MEMPROF_VERSION : SYSPROF_VERSION);
	cursor_skip(c, 3, "header of the profile");
	if (cursor_failed(c))
		return err_failure(e);
	if (memory)
		begin_memprof(m->im->t);
	else
		begin_sysprof(m->im->t);
	st = import_begin(m->im, e);
	return st ? st : tarantool_read_events(m, c, memory, e);
}

static enum status tarantool_read(struct import *im, struct err *e)
{
	struct tarantool m = {.im = im, .symbols = {.t = im->t}};
	struct cursor *c = &im->in->cur;
	enum status st = ST_OK;

	cursor_skip(c, 3, "magic");
	st = lua_symtab_read(&m.symbols, c);
	if (!st)
		st = tarantool_read_profile(&m, c, e);
	lua_symtab_notes(&m.symbols);
	if (m.unplaced)
		trace_note(im->t, NOTE_GUESS, m.unplaced,
			   "Lua stacks were put above the host stacks that have no function "
			   "which enters the VM");
	lua_symtab_release(&m.symbols);
	map64_release(&m.uses);
	free(m.frames);
	free(m.rows);
	free(m.path);
	return st;
}

static int tarantool_bid(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= 4 && !memcmp(head, "ljs", 3) && head[3] < 32 ? 32 : 0;
}

const struct reader reader_tarantool = {
    .name = "tarantool",
    .family = "Lua",
    .page = "lua",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS |
		    CAPABILITY_SAMPLES | CAPABILITY_TIME,
    .what = "tarantool's LuaJIT: memprof (allocations) and sysprof (samples)",
    .suffixes = "bin",
    .bid = tarantool_bid,
    .read = tarantool_read,
};
