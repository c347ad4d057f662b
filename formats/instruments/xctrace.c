/* SPDX-License-Identifier: MIT
 *
 * What "xctrace export --xpath" writes of a recording of Instruments, as XML: the table of samples of Time Profiler and
 * CPU Profiler, and the statistics and the list of Allocations:
 *
 *	<trace-query-result><node xpath='...'><schema name="time-profile">...</schema>
 *	<row><sample-time id="1">57246708</sample-time>
 *	 <thread id="2" fmt="main 0x8480c1 (game, pid: 49374)"><tid id="3">8683713</tid><process id="4">...</thread>
 *	 <weight id="9" fmt="1.00 ms">1000000</weight>
 *	 <backtrace id="10"><frame id="11" name="update" addr="0x102af5d99">
 *	  <binary id="12" name="game" UUID="..." load-addr="0x102af4000" path="..."/>
 *	  <source line="7"><path id="23">/src/main.c</path></source></frame><frame ref="8"/></backtrace></row>
 *
 *	<row address="0x10133c000" category="Malloc 48 Bytes" live="true" responsible-caller="f()" size="48"/>
 *	<row category="Malloc 48 Bytes" count-persistent="171" persistent-bytes="8208" count-transient="0"
 *	 transient-bytes="0"/>
 *
 * What comes again has ref, the id of where it stands. Stacks are innermost first; each address lies behind its
 * instruction. Facts: exports in public repositories (jonhoo/inferno, tests/data/collapse-xctrace), and descriptions of
 * the tables of Allocations.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/xml.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 64, FRAMES_MOST = 1 << 16 };

/* Elements that count. */
enum element {
	E_OTHER,
	E_ROW,
	E_TIME,
	E_THREAD,
	E_TID,
	E_WEIGHT,
	E_TAGGED,
	E_BACKTRACE,
	E_FRAME,
	E_BINARY,
	E_SOURCE,
	E_PATH,
	ELEMENTS
};

static const char *const element_names[ELEMENTS] = {
    "",          "row",   "sample-time", "thread", "tid", "weight", "tagged-backtrace",
    "backtrace", "frame", "binary",      "source", "path"};

struct open_element {
	enum element is;
	uint64_t id;
	uint64_t v; /* what its id will stand for */
	bool has;
};

struct xctrace {
	struct import *im;
	struct xml xml;
	struct open_element open[DEPTH_MOST];
	size_t n_open, deeper;
	struct map64 of_id;      /* id -> index + 1 */
	struct map64 library_of; /* name -> module */
	uint64_t *values;
	size_t n_values, cap_values;
	/* of the backtrace and of the frame that are open */
	uint32_t *locations;
	size_t n_locations, cap_locations;
	struct location frame;
	struct buf name, thread_name;
	uint64_t *loads; /* by module: where it lies; 0: not known */
	size_t n_loads;
	/* of the row */
	bool has_time, has_weight, has_stack, has_thread;
	int64_t time, weight;
	uint32_t stack, thread;
	bool cycles, begun;
	uint32_t event;
	struct emit_blocks blocks;
	uint64_t samples, rows, odd, no_stack, deep;
};

static enum element element_of(const struct xml *x)
{
	for (int i = E_ROW; i < ELEMENTS; i++)
		if (xml_is(x, element_names[i]))
			return (enum element)i;
	if (xml_is(x, "event-time"))
		return E_TIME;
	return xml_is(x, "cycle-weight") ? E_WEIGHT : E_OTHER;
}

static bool number_of(const struct xml *x, const char *name, uint64_t *v)
{
	const char *s;
	size_t n;

	return xml_attribute(x, name, &s, &n) && num_auto(s, n, v);
}

/* An attribute without its entities, as a string; 0: there is none, or it is blank. */
static uint32_t string_of(struct xctrace *p, const char *name)
{
	const char *s;
	size_t n;

	if (!xml_attribute(&p->xml, name, &s, &n) || !n)
		return 0;
	xml_unescape(&p->name, s, n);
	return trace_string(p->im->t, p->name.data, p->name.len);
}

/* ---- what elements say ---- */

static uint32_t add_binary(struct xctrace *p)
{
	struct module m = {.name = string_of(p, "path")};
	const char *s;
	size_t n;
	uint32_t module;

	if (!m.name)
		m.name = string_of(p, "name");
	if (xml_attribute(&p->xml, "UUID", &s, &n))
		m.build_id = emit_uuid(p->im->t, s, n);
	module = m.name ? trace_module(p->im->t, &m) : 0;
	p->loads = mem_grow_zero(p->loads, &p->n_loads, module + 1u, sizeof *p->loads);
	number_of(&p->xml, "load-addr", &p->loads[module]);
	return module;
}

/* "main 0x8480c1 (game, pid: 49374)": the words before the number. */
static void set_thread_name(struct xctrace *p)
{
	const char *s, *at;
	size_t n;

	p->thread_name.len = 0;
	if (!xml_attribute(&p->xml, "fmt", &s, &n))
		return;
	at = memmem(s, n, " 0x", 3);
	at = at ? at : memmem(s, n, " (", 2);
	n = at ? (size_t)(at - s) : n;
	while (n && text_is_blank(s[n - 1]))
		n--;
	xml_unescape(&p->thread_name, s, n);
}

static void begin_frame(struct xctrace *p)
{
	const char *s;
	size_t n;
	uint64_t address = 0;

	p->frame = (struct location){.space = SPACE_UNKNOWN};
	number_of(&p->xml, "addr", &address);
	p->frame.raw = address;
	if (!xml_attribute(&p->xml, "name", &s, &n) || !n)
		return;
	if (text_begins(s, n, "0x") && num_hex(s + 2, n - 2, &address)) {
		p->frame.raw = address;
		return;
	}
	xml_unescape(&p->name, s, n);
	p->frame.name = trace_string(p->im->t, p->name.data, p->name.len);
}

/* One without a name is a place in its binary; addresses are of the byte behind the instruction. */
static uint64_t end_frame(struct xctrace *p)
{
	struct location *l = &p->frame;
	uint64_t load = l->module < p->n_loads ? p->loads[l->module] : 0;

	if (l->name) {
		l->space = SPACE_NAME;
		l->raw = 0;
	} else if (l->raw) {
		l->kind = LOCATION_RETURN;
		l->space = SPACE_RUNTIME;
		if (l->module && load && l->raw >= load) {
			l->raw -= load;
			l->space = SPACE_FILE_OFFSET;
		} else {
			l->module = 0;
		}
	}
	return trace_location(p->im->t, l);
}

static void add_frame(struct xctrace *p, uint64_t location)
{
	if (p->n_locations == FRAMES_MOST) {
		p->deep++;
		return;
	}
	VEC_PUSH(p->locations, p->n_locations, p->cap_locations) = (uint32_t)location;
}

/* What is known of an element goes to the one that it is in, or to the row. */
static void tell(struct xctrace *p, enum element is, uint64_t v)
{
	struct open_element *outer = p->n_open ? &p->open[p->n_open - 1] : NULL;
	enum element in = outer ? outer->is : E_OTHER;

	switch (is) {
	case E_TID:
		if (in == E_THREAD)
			outer->v = v;
		break;
	case E_THREAD:
		p->thread = (uint32_t)v;
		p->has_thread = true;
		break;
	case E_TIME:
		p->time = (int64_t)v;
		p->has_time = v <= INT64_MAX;
		break;
	case E_WEIGHT:
		p->weight = (int64_t)v;
		p->has_weight = v <= INT64_MAX;
		break;
	case E_FRAME: add_frame(p, v); break;
	case E_TAGGED:
	case E_BACKTRACE:
		if (in == E_TAGGED) {
			outer->v = v;
			outer->has = true;
		}
		p->stack = (uint32_t)v;
		p->has_stack = true;
		break;
	case E_BINARY: p->frame.module = (uint32_t)v; break;
	case E_PATH:
		if (in == E_SOURCE)
			p->frame.file = (uint32_t)v;
		break;
	case E_OTHER:
	case E_ROW:
	case E_SOURCE:
	case ELEMENTS:
	default: break;
	}
}

/* ---- rows ---- */

static enum status begin_samples(struct xctrace *p, struct err *e)
{
	if (p->begun)
		return ST_OK;
	p->begun = true;
	if (!p->cycles)
		trace_metric(p->im->t, METRIC_TIME, METRIC_ESTIMATED, METRIC_AT_ALL);
	return import_begin(p->im, e);
}

static enum status push_sample(struct xctrace *p, struct err *e)
{
	struct emit_sample s = {.thread = p->has_thread ? p->thread : 0,
				.time = KNOWN_IF(p->has_time, p->time),
				.samples = KNOWN(1)};

	if (!p->has_weight) {
		p->odd++;
		return ST_OK;
	}
	p->samples++;
	p->no_stack += !p->has_stack;
	s.stack = p->has_stack ? p->stack : trace_stack(p->im->t, 0, emit_named(p->im->t, 0, 0, 0));
	if (p->cycles) {
		s.marker = p->event;
		s.period = KNOWN(p->weight);
	} else {
		s.self = KNOWN(p->weight);
	}
	if (begin_samples(p, e))
		return err_failure(e);
	return emit_sample(p->im, &s, e);
}

static enum status push_blocks(struct xctrace *p, uint32_t type, uint32_t stack, uint64_t count,
			       uint64_t bytes, enum profile_fate fate, struct err *e)
{
	const struct emit_profile row = {.type = type,
					 .stack = stack,
					 .domain = KNOWN(DOMAIN_MALLOC),
					 .known = 1 << BLOCKS_COUNT | 1 << BLOCKS_REAL};
	const int64_t v[BLOCKS_AMOUNTS] = {
	    [BLOCKS_COUNT] = (int64_t)count, [BLOCKS_REAL] = (int64_t)bytes};

	return count ? emit_blocks(&p->blocks, &row, v, fate, e) : ST_OK;
}

static uint32_t library_of(struct xctrace *p, uint32_t name)
{
	uint32_t *module = map64_put(&p->library_of, name);

	if (!*module)
		*module = trace_module(p->im->t, &(struct module){.name = name});
	return *module;
}

/* A row of a table of Allocations: a block, or all of a category. */
static enum status push_heap_row(struct xctrace *p, struct err *e)
{
	uint64_t v[4] = {0};
	uint32_t type, category = string_of(p, "category"), caller, library, stack = 0;
	const char *s;
	size_t n;
	bool block = number_of(&p->xml, "size", &v[0]), live;

	if (!category || (!block && (!number_of(&p->xml, "count-persistent", &v[0]) ||
				     !number_of(&p->xml, "persistent-bytes", &v[1]) ||
				     !number_of(&p->xml, "count-transient", &v[2]) ||
				     !number_of(&p->xml, "transient-bytes", &v[3])))) {
		p->odd++;
		return ST_OK;
	}
	for (int i = 0; i < 4; i++)
		if (v[i] > BLOCKS_MOST) {
			p->odd++;
			return ST_OK;
		}
	if (!p->begun) {
		p->begun = true;
		trace_metric(p->im->t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
		trace_metric(p->im->t, METRIC_REAL, METRIC_EXACT, METRIC_AT_ALL);
		emit_blocks_live(&p->blocks, METRIC_EXACT);
		if (import_begin(p->im, e))
			return err_failure(e);
	}
	p->rows++;
	s = trace_text(p->im->t, category);
	type = trace_type(p->im->t, s, strlen(s));
	if (!block) {
		if (push_blocks(p, type, 0, v[0], v[1], PROFILE_LIVE, e))
			return err_failure(e);
		return push_blocks(p, type, 0, v[2], v[3], PROFILE_FREED, e);
	}
	live =
	    !xml_attribute(&p->xml, "live", &s, &n) || text_is(s, n, "true") || text_is(s, n, "1");
	caller = string_of(p, "responsible-caller");
	library = string_of(p, "responsible-library");
	if (caller) {
		struct location l = {.space = SPACE_NAME, .name = caller};

		if (library)
			l.module = library_of(p, library);
		stack = trace_stack(p->im->t, 0, trace_location(p->im->t, &l));
	}
	return push_blocks(p, type, stack, 1, v[0], live ? PROFILE_LIVE : PROFILE_FREED, e);
}

/* ---- pieces ---- */

static enum status xctrace_open(struct xctrace *p, struct err *e)
{
	struct open_element *at;
	enum element is = element_of(&p->xml);
	uint64_t id = 0;

	if (p->deeper || p->n_open == DEPTH_MOST) {
		p->deeper++;
		return ST_OK;
	}
	if (number_of(&p->xml, "ref", &id)) { /* it stands for what had this id */
		uint32_t index = map64_get(&p->of_id, id);

		if (index)
			tell(p, is, p->values[index - 1]);
		else
			p->odd += is != E_OTHER;
		id = 0;
		is = E_OTHER;
	} else if (!number_of(&p->xml, "id", &id)) {
		id = 0;
	}
	at = &p->open[p->n_open++];
	*at = (struct open_element){.is = is, .id = id};
	if (is == E_ROW) {
		uint64_t number;

		p->has_time = p->has_weight = p->has_stack = p->has_thread = false;
		if (number_of(&p->xml, "size", &number) ||
		    number_of(&p->xml, "count-persistent", &number)) {
			at->is = E_OTHER;
			return push_heap_row(p, e);
		}
	} else if (is == E_BACKTRACE || is == E_TAGGED) {
		p->n_locations = 0;
	} else if (is == E_THREAD) {
		set_thread_name(p);
	} else if (is == E_FRAME) {
		begin_frame(p);
	} else if (is == E_BINARY) {
		at->v = add_binary(p);
		at->has = true;
	} else if (is == E_SOURCE) {
		uint64_t line = 0;

		number_of(&p->xml, "line", &line);
		p->frame.line = line <= UINT32_MAX ? (uint32_t)line : 0;
	} else if (is == E_WEIGHT && xml_is(&p->xml, "cycle-weight") && !p->cycles) {
		p->cycles = true;
		p->event =
		    trace_marker(p->im->t, &(struct marker){trace_strz(p->im->t, "cycles"), 0});
	}
	return ST_OK;
}

static void xctrace_text(struct xctrace *p)
{
	struct open_element *at = p->n_open ? &p->open[p->n_open - 1] : NULL;
	const char *s = buf_str(&p->xml.text);
	decimal d;

	if (!at || p->deeper)
		return;
	if (at->is == E_PATH) {
		at->v = trace_string(p->im->t, s, p->xml.text.len);
		at->has = true;
	} else if ((at->is == E_TIME || at->is == E_WEIGHT || at->is == E_TID) &&
		   decimal_parse(s, p->xml.text.len, &d) <= DECIMAL_ROUNDED && d >= 0) {
		at->v = (uint64_t)decimal_whole(d);
		at->has = true;
	}
}

static enum status xctrace_close(struct xctrace *p, struct err *e)
{
	struct open_element at;

	if (p->deeper) {
		p->deeper--;
		return ST_OK;
	}
	if (!p->n_open)
		return ST_OK;
	at = p->open[--p->n_open];
	if (at.is == E_ROW)
		return push_sample(p, e);
	if (at.is == E_THREAD) {
		struct thread th = {
		    .tid = at.v,
		    .name = p->thread_name.len
				? trace_string(p->im->t, p->thread_name.data, p->thread_name.len)
				: 0};

		at.v = th.tid ? trace_thread(p->im->t, &th) : trace_thread_named(p->im->t, th);
		at.has = true;
	} else if (at.is == E_FRAME) {
		at.v = end_frame(p);
		at.has = true;
	} else if ((at.is == E_BACKTRACE || (at.is == E_TAGGED && !at.has)) && p->n_locations) {
		at.v = trace_stack_of(p->im->t, p->locations, p->n_locations);
		at.has = true;
	}
	if (!at.has)
		return ST_OK;
	if (at.id) {
		*map64_put(&p->of_id, at.id) = (uint32_t)p->n_values + 1;
		VEC_PUSH(p->values, p->n_values, p->cap_values) = at.v;
	}
	tell(p, at.is, at.v);
	return ST_OK;
}

static enum status read_pieces(struct xctrace *p, struct err *e)
{
	enum xml_piece piece;
	enum status st = ST_OK;

	while (!st && (piece = xml_next(&p->xml)))
		switch (piece) {
		case XML_OPEN: st = xctrace_open(p, e); break;
		case XML_CLOSE: st = xctrace_close(p, e); break;
		case XML_TEXT: xctrace_text(p); break;
		case XML_END:
		default: break;
		}
	return st ? st : cursor_failed(p->xml.in) ? err_failure(e) : ST_OK;
}

static enum status xctrace_read(struct import *im, struct err *e)
{
	struct xctrace *p = mem_zalloc(sizeof *p);
	enum status st;

	p->im = p->blocks.im = im;
	p->xml.in = &im->in->cur;
	st = read_pieces(p, e);
	if (!st && !p->samples && !p->rows)
		st = err_set(
		    e, ST_BAD,
		    "no row is a sample with its weight, or of Allocations: export the table "
		    "time-profile or cpu-profile, or the list of Allocations");

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, p->odd, "rows or references of the export cannot be read: left out"),
	    LOSS(NOTE_LOSS, p->deep, "stacks are too deep: their outer calls were left out"),
	    LOSS(NOTE_INFO, p->no_stack, "samples have no stack"),
	};

	if (im->begun)
		TRACE_LOSSES(im->t, losses);
	xml_release(&p->xml);
	map64_release(&p->of_id);
	map64_release(&p->library_of);
	free(p->values);
	free(p->locations);
	free(p->loads);
	buf_release(&p->name);
	buf_release(&p->thread_name);
	free(p);
	return st;
}

static int xctrace_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char mark[] = "<trace-query-result>";
	const uint8_t *at = memmem(head, n, mark, sizeof mark - 1), *p = head;

	(void)whole;
	while (p < head + n && text_is_space((char)*p))
		p++;
	return at && *p == '<' && at - p < 512 ? 8 * (int)(sizeof mark - 1) : 0;
}

const struct reader reader_xctrace = {
    .name = "xctrace",
    .family = "macOS and iOS",
    .page = "instruments",
    .capabilities = CAPABILITY_STACKS | CAPABILITY_SAMPLES | CAPABILITY_TIME | CAPABILITY_THREADS |
		    CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_TYPES |
		    CAPABILITY_ADDRESSES | CAPABILITY_BUILD_IDS,
    .what = "tables of xctrace export (XML): samples of Instruments, and Allocations",
    .suffixes = "xml",
    .cut = CUT_BUT_LAST,
    .bid = xctrace_bid,
    .read = xctrace_read,
};
