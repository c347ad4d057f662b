/* SPDX-License-Identifier: MIT */
#include "lib/report/baseline.h"

#include "lib/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECTION_HEAD = 24, ROW_MIN = 8 };

struct reader {
	struct cursor c; /* over the section */
	struct things *t;
	struct summary *s;
	uint32_t *strings; /* the file's -> ours; [0] is 0 */
	size_t n_strings;
	uint32_t *nodes;
	size_t n_nodes;
	enum sum sums[64]; /* of the file's list; SUMS: not known here */
	size_t n_sums;
	bool seen_strings, seen_meta, seen_nodes, seen_counters;
};

/* A count of things that take at least so many bytes each. */
static size_t counted(struct reader *r, size_t least, const char *what)
{
	uint64_t n = cursor_uleb(&r->c);

	if (cursor_failed(&r->c))
		return 0;
	if (n > cursor_window(&r->c) / least) {
		cursor_fail(&r->c, ST_BAD, "%s: the count is larger than the rest of the section",
			    what);
		return 0;
	}
	return (size_t)n;
}

static uint32_t string(struct reader *r)
{
	uint64_t id = cursor_uleb(&r->c);

	if (cursor_failed(&r->c))
		return 0;
	if (id > r->n_strings) {
		cursor_fail(&r->c, ST_BAD, "there is no such string");
		return 0;
	}
	return r->strings[id];
}

static uint32_t u32(struct reader *r, const char *what)
{
	uint64_t v = cursor_uleb(&r->c);

	if (v > UINT32_MAX)
		cursor_fail(&r->c, ST_BAD, "%s: more than 32 bits", what);
	return cursor_failed(&r->c) ? 0 : (uint32_t)v;
}

static void read_sums(struct reader *r, struct sums *s)
{
	uint64_t has = cursor_uleb(&r->c), values = cursor_uleb(&r->c);

	*s = (struct sums){.has = 0};
	if (cursor_failed(&r->c))
		return;
	if ((values & ~has) || (r->n_sums < 64 && has >> r->n_sums)) {
		cursor_fail(&r->c, ST_BAD, "sums that the file does not list");
		return;
	}
	for (size_t i = 0; i < r->n_sums && !cursor_failed(&r->c); i++) {
		uint64_t v = values >> i & 1 ? cursor_uleb(&r->c) : 0;

		if (!(has >> i & 1) || r->sums[i] == SUMS)
			continue;
		s->has |= SUM_BIT(r->sums[i]);
		s->v[r->sums[i]] = v;
	}
}

static void read_known(struct reader *r, struct run_known *k)
{
	for (size_t i = 0; i < r->n_sums && !cursor_failed(&r->c); i++) {
		uint64_t state = cursor_uleb(&r->c), lack = cursor_uleb(&r->c);

		if (state > METRIC_ESTIMATED || lack > LACK_NOT_ASKED) {
			cursor_fail(&r->c, ST_BAD, "a metric's state is none");
			return;
		}
		if (r->sums[i] == SUMS)
			continue;
		k->state[r->sums[i]] = (uint8_t)state;
		k->lack[r->sums[i]] = (uint8_t)lack;
	}
}

static void read_strings(struct reader *r)
{
	size_t n = counted(r, 1, "strings"), before_len = 0;
	const uint8_t *before = NULL;

	r->strings = mem_zarray(n + 1, sizeof *r->strings);
	for (size_t i = 1; i <= n; i++) {
		uint64_t len = cursor_uleb(&r->c);
		const uint8_t *s;
		int order;

		if (len > cursor_window(&r->c))
			cursor_fail(&r->c, ST_BAD, "a string is longer than the section");
		s = cursor_failed(&r->c) ? NULL : cursor_bytes(&r->c, (size_t)len, "string");
		if (!s)
			return;
		order =
		    before ? memcmp(before, s, before_len < len ? before_len : (size_t)len) : -1;
		if (!len || order > 0 || (!order && before_len >= len)) {
			cursor_fail(&r->c, ST_BAD, "strings are not in order");
			return;
		}
		r->strings[i] = things_string(r->t, (const char *)s, (size_t)len);
		r->n_strings = i;
		before = s;
		before_len = (size_t)len;
	}
}

static uint32_t mixed_string(struct reader *r)
{
	uint64_t id = cursor_uleb(&r->c);

	if (id > r->n_strings + 1)
		cursor_fail(&r->c, ST_BAD, "there is no such string");
	return cursor_failed(&r->c) ? 0 : !id ? RUN_MIXED : r->strings[id - 1];
}

static void read_sum_list(struct reader *r)
{
	r->n_sums = counted(r, 1, "sums");
	if (r->n_sums > 64) {
		cursor_fail(&r->c, ST_BAD, "more than 64 sums");
		r->n_sums = 0;
	}
	for (size_t i = 0; i < r->n_sums; i++) {
		const char *s = things_text(r->t, string(r), NULL);
		unsigned k = 0;

		while (k < SUMS && strcmp(sum_names[k].key, s) != 0)
			k++;
		for (size_t j = 0; j < i && k < SUMS; j++)
			if (r->sums[j] == k)
				cursor_fail(&r->c, ST_BAD, "a sum is listed twice");
		r->sums[i] = (enum sum)k;
	}
}

static void read_frames(struct reader *r)
{
	size_t n = counted(r, 5, "frames");

	for (size_t i = 0; i < n && !cursor_failed(&r->c); i++) {
		uint64_t number = cursor_uleb(&r->c);
		struct aggregate_frame f = {.number = (int64_t)(number >> 1 ^ (0 - (number & 1)))};

		for (size_t k = 0; k <= SUM_REAL; k++)
			f.v[k] = cursor_uleb(&r->c);
		if (i <= SUM_REAL)
			r->s->worst[i] = f;
	}
}

static void read_meta(struct reader *r)
{
	struct summary *s = r->s;
	size_t n;

	read_sum_list(r);
	s->captures = cursor_uleb(&r->c);
	s->frames = cursor_uleb(&r->c);
	s->duration = cursor_uleb(&r->c);
	for (size_t i = 0; i <= NOTE_LOSS; i++)
		s->notes[i] = cursor_uleb(&r->c);
	s->format = mixed_string(r);
	s->sampling = mixed_string(r);
	s->options = string(r);
	n = counted(r, 2, "modules");
	for (size_t i = 0; i < n && !cursor_failed(&r->c); i++) {
		struct summary_module m = {.name = string(r)};

		m.build_id = string(r);
		VEC_PUSH(s->modules, s->n_modules, s->cap_modules) = m;
	}
	read_known(r, &s->known);
	read_sums(r, &s->all);
	read_sums(r, &s->unfiltered);
	if (counted(r, 2, "tiers") != TIERS + 1)
		cursor_fail(&r->c, ST_UNSUPPORTED, "other tiers of coverage than these");
	for (size_t i = 0; i <= TIERS; i++)
		read_sums(r, &s->coverage[i]);
	read_frames(r);
}

static int64_t read_signed(struct reader *r)
{
	uint64_t v = cursor_uleb(&r->c);

	return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static void read_counters(struct reader *r)
{
	struct summary *s = r->s;
	size_t n = counted(r, 14, "counters");

	for (size_t i = 0; i < n && !cursor_failed(&r->c); i++) {
		struct summary_counter c = {.name = string(r)};
		uint64_t bits;

		c.unit = string(r);
		c.stats.n = cursor_uleb(&r->c);
		c.stats.last = read_signed(r);
		c.stats.min = read_signed(r);
		c.stats.max = read_signed(r);
		bits = cursor_u64(&r->c);
		memcpy(&c.stats.sum, &bits, sizeof bits);
		if (!c.name || !c.stats.n || c.stats.min > c.stats.max || !isfinite(c.stats.sum))
			cursor_fail(&r->c, ST_BAD, "a counter makes no sense");
		VEC_PUSH(s->counters, s->n_counters, s->cap_counters) = c;
	}
	summary_sort_counters(s, r->t);
}

static void read_nodes(struct reader *r)
{
	size_t n = counted(r, 4, "calls");

	r->nodes = mem_zarray(n + 1, sizeof *r->nodes);
	for (size_t i = 1; i <= n; i++) {
		uint64_t parent = cursor_uleb(&r->c);
		struct thing f = {.name = string(r)};

		f.raw = string(r);
		f.module = string(r);
		if (parent >= i)
			cursor_fail(&r->c, ST_BAD, "a caller stands behind its call");
		if (cursor_failed(&r->c))
			return;
		r->nodes[i] =
		    things_node(r->t, r->nodes[parent], things_add(r->t, KEY_FUNCTION, &f));
		r->n_nodes = i;
	}
}

static void read_row(struct reader *r, enum key key, struct thing *before, bool first)
{
	enum { INSIDE = 1, ADDRESS = 2, TOTALS = 4 };
	struct summary_key *k = &r->s->keys[key];
	struct thing t = {.name = string(r)};
	struct sums self, total = {.has = 0};
	uint32_t flags, thing;
	uint64_t node = 0;

	t.raw = string(r);
	t.module = string(r);
	t.file = string(r);
	t.line = u32(r, "line");
	flags = u32(r, "flags");
	t.inside = flags & INSIDE;
	t.has_address = flags & ADDRESS;
	if (t.has_address)
		t.address = cursor_uleb(&r->c);
	if (key == KEY_STACK) {
		t.hash = cursor_u64(&r->c);
		t.canonical = cursor_u64(&r->c);
		node = cursor_uleb(&r->c);
		if (node > r->n_nodes)
			cursor_fail(&r->c, ST_BAD, "there is no such call");
	}
	read_sums(r, &self);
	if (flags & TOTALS)
		read_sums(r, &total);
	if (cursor_failed(&r->c))
		return;
	if (key == KEY_STACK)
		t.node = node ? r->nodes[node] : 0;
	if (!first && things_order(r->t, key, before, &t) >= 0) {
		cursor_fail(&r->c, ST_BAD, "rows are not in order");
		return;
	}
	*before = t;
	thing = things_add(r->t, key, &t);
	columns_add(&k->self, thing, &self);
	if (flags & TOTALS)
		columns_add(&k->total, thing, &total);
}

static void read_rows(struct reader *r)
{
	const char *word = things_text(r->t, string(r), NULL);
	struct thing before = {.name = 0};
	struct summary_key *k;
	enum key key = 0;
	size_t n;

	while (key < KEYS && strcmp(key_words[key], word) != 0)
		key++;
	if (key == KEYS || cursor_failed(&r->c)) {
		r->c.pos = r->c.end; /* a key of a later version */
		return;
	}
	k = &r->s->keys[key];
	if (k->held)
		cursor_fail(&r->c, ST_BAD, "the key '%s' is there twice", word);
	k->held = true;
	read_known(r, &k->known);
	k->cut = cursor_uleb(&r->c);
	read_sums(r, &k->rest);
	cursor_uleb(&r->c); /* whether there are totals: each row says it too */
	n = counted(r, ROW_MIN, "rows");
	for (size_t i = 0; i < n && !cursor_failed(&r->c); i++)
		read_row(r, key, &before, !i);
}

static enum status read_section(struct reader *r, const uint8_t *kind)
{
	if (!memcmp(kind, "strs", 4) && !r->seen_strings) {
		r->seen_strings = true;
		read_strings(r);
	} else if (!memcmp(kind, "meta", 4) && r->seen_strings && !r->seen_meta) {
		r->seen_meta = true;
		read_meta(r);
	} else if (!memcmp(kind, "ctrs", 4) && r->seen_meta && !r->seen_counters) {
		r->seen_counters = true;
		read_counters(r);
	} else if (!memcmp(kind, "node", 4) && r->seen_strings && !r->seen_nodes) {
		r->seen_nodes = true;
		read_nodes(r);
	} else if (!memcmp(kind, "rows", 4) && r->seen_meta && r->seen_nodes) {
		read_rows(r);
	} else if (!memcmp(kind, "strs", 4) || !memcmp(kind, "meta", 4) ||
		   !memcmp(kind, "node", 4) || !memcmp(kind, "rows", 4) ||
		   !memcmp(kind, "ctrs", 4)) {
		return cursor_fail(&r->c, ST_BAD, "section '%.4s' stands in a wrong place",
				   (const char *)kind);
	} else {
		r->c.pos = r->c.end;
	}
	if (!cursor_failed(&r->c) && r->c.pos != r->c.end)
		cursor_fail(&r->c, ST_BAD, "section '%.4s' has bytes left over",
			    (const char *)kind);
	return cursor_failed(&r->c) ? r->c.e->code : ST_OK;
}

static enum status read_sections(struct reader *r, struct cursor *c, struct err *e)
{
	struct buf checksums = BUF_INIT;
	enum status st = ST_OK;
	bool end = false;

	while (!st && !end) {
		uint64_t at = cursor_offset(c), length, sum;
		const uint8_t *p = cursor_bytes(c, 4, "section");
		uint8_t kind[4];
		uint64_t seed;

		if (!p)
			break;
		memcpy(kind, p, 4);
		seed = kind[0] | kind[1] << 8 | kind[2] << 16 | (uint64_t)kind[3] << 24;
		if (cursor_u32(c))
			cursor_fail(c, ST_BAD, "section: a spare field is not 0");
		length = cursor_u64(c);
		sum = cursor_u64(c);
		if (!cursor_failed(c) && length > BASELINE_MAX) {
			st = err_at(e, ST_BAD, at,
				    "section: the length is larger than any baseline");
			break;
		}
		p = cursor_bytes(c, (size_t)length, "section");
		if (!p)
			break;
		if (hash_bytes_seeded(p, (size_t)length, seed) != sum) {
			st = err_at(e, ST_BAD, at, "section: the checksum does not hold");
			break;
		}
		cursor_init(&r->c, p, (size_t)length, at + SECTION_HEAD, e);
		end = !memcmp(kind, "end ", 4);
		if (!end) {
			buf_add(&checksums, (const uint8_t[8]){0}, 8);
			for (int i = 0; i < 8; i++)
				checksums.data[checksums.len - 8 + (size_t)i] =
				    (char)(sum >> (8 * i));
			st = read_section(r, kind);
		} else if (length != 8 || !checksums.len ||
			   cursor_u64(&r->c) != hash_bytes(checksums.data, checksums.len)) {
			st = err_at(e, ST_BAD, at, "sections are missing or moved");
		}
	}
	buf_release(&checksums);
	if (!st && cursor_failed(c))
		st = e->code;
	if (!st && !(r->seen_strings && r->seen_meta && r->seen_nodes))
		st = err_at(e, ST_BAD, cursor_offset(c), "sections are missing");
	if (!st && !cursor_done(c))
		st = err_at(e, ST_BAD, cursor_offset(c), "bytes behind the end");
	return st;
}

bool baseline_is(struct cursor *c)
{
	return cursor_available(c, 8) >= 8 && !memcmp(c->pos, BASELINE_MAGIC, 8);
}

enum status baseline_read(struct cursor *c, struct things *t, struct summary *s, struct err *e)
{
	struct reader r = {.t = t, .s = s};
	enum status st;
	uint16_t major;

	*s = (struct summary){.captures = 0};
	if (!baseline_is(c))
		return err_set(e, ST_BAD, "this is no baseline");
	c->e = e;
	cursor_skip(c, 8, "magic");
	major = cursor_u16(c);
	cursor_u16(c);
	if (cursor_u32(c))
		cursor_fail(c, ST_BAD, "a spare field is not 0");
	if (cursor_failed(c))
		return e->code;
	if (major != 1)
		return err_at(e, ST_UNSUPPORTED, 8, "a baseline of version %u; this reads 1",
			      (unsigned)major);
	st = read_sections(&r, c, e);
	free(r.strings);
	free(r.nodes);
	if (st)
		summary_release(s);
	return st;
}
