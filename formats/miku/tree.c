/* SPDX-License-Identifier: MIT */
#include "formats/miku/tree.h"

#include "lib/base/mem.h"
#include "lib/base/utf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_LONGEST = 16 << 20 };

struct miku_level {
	uint32_t node, left; /* nodes below that are still to come */
	uint64_t end;        /* offset behind its blob */
};

const char *miku_layout_name(enum miku_layout l)
{
	static const char *const names[] = {"A0", "A1", "A2", "A3",     "B0",    "B1",
					    "C",  "D",  "E",  "E-beta", "E-tool"};

	return names[l];
}

static enum status broken(struct miku_tree *t, struct cursor *c, const char *what)
{
	t->broken |= !cursor_failed(c);
	return cursor_fail(c, ST_BAD, "sample: %s", what);
}

static uint32_t add_name(struct miku_names *names, const char *s, size_t n)
{
	if (!utf8_valid(s, n)) {
		names->repair.len = 0;
		utf8_add_repaired(&names->repair, s, n);
		names->repaired++;
		s = names->repair.data;
		n = names->repair.len;
	}
	return intern_add(&names->text, s, n);
}

/* Line ends are there of functions whose chunk's name is its source. */
static bool is_printable(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < ' ' && !(p[i] >= '\t' && p[i] <= '\r'))
			return false;
	return utf8_valid((const char *)p, n);
}

/* i32 length and UTF-8. */
static uint32_t text(struct miku_names *names, struct cursor *c, bool strict, bool *bad)
{
	uint32_t n = cursor_u32(c);
	const uint8_t *p;

	if (!cursor_failed(c) && n > NAME_LONGEST) {
		*bad = true;
		cursor_fail(c, ST_BAD, "string: impossible length: %d", (int32_t)n);
	}
	p = cursor_bytes(c, n, "string");
	if (p && strict && !is_printable(p, n)) {
		*bad = true;
		cursor_fail(c, ST_BAD, "string: not text");
		return 0;
	}
	return p ? add_name(names, (const char *)p, n) : 0;
}

/* Whether a string may have this number, and what is wrong when it may not. */
static const char *refuse(const struct miku_names *names, bool is_reference, uint32_t number)
{
	size_t n = names->n - names->first;

	if (number > INT32_MAX)
		return "impossible number";
	if (names->lossy || (is_reference && number < n) ||
	    (!is_reference && (number == n || (names->fresh && !number))))
		return NULL;
	return is_reference ? "used before its definition" : "not the next number";
}

uint32_t miku_mstr(struct miku_names *names, struct cursor *c, bool strict, bool *bad)
{
	uint8_t is_reference = cursor_u8(c);
	uint32_t number = cursor_u32(c), id;
	bool fresh = names->fresh;
	const char *why;
	char lost[32];

	if (cursor_failed(c))
		return 0;
	why = is_reference > 1 ? "a flag is neither 0 nor 1" : refuse(names, is_reference, number);
	names->fresh = false;
	if (why) {
		*bad = true;
		cursor_fail(c, ST_BAD, "string %u: %s", number, why);
		return 0;
	}
	if (is_reference) {
		if (number < names->n - names->first && names->numbered[names->first + number])
			return names->numbered[names->first + number];
		id = map64_get(&names->sparse, (uint64_t)names->first << 32 | number);
		if (id)
			return id;
		names->lost++;
		snprintf(lost, sizeof lost, "<str#%u>", number);
		return intern_add(&names->text, lost, strlen(lost));
	}
	id = text(names, c, strict, bad);
	if (!id)
		return 0;
	if (!number && names->n != names->first && fresh) {
		names->first = names->n;
		names->lossy = false;
		names->restarts++;
	}
	if (number < names->n - names->first)
		names->numbered[names->first + number] = id;
	else if (number == names->n - names->first)
		VEC_PUSH(names->numbered, names->n, names->cap) = id;
	else
		*map64_put(&names->sparse, (uint64_t)names->first << 32 | number) = id;
	return id;
}

static float number32(struct miku_tree *t, struct cursor *c)
{
	uint32_t bits = cursor_u32(c);
	float v;

	memcpy(&v, &bits, sizeof v);
	if (isfinite(v) && v >= 0)
		return v;
	t->bad_floats++;
	return 0;
}

static int64_t seconds(struct cursor *c)
{
	uint32_t bits = cursor_u32(c);
	float v;

	memcpy(&v, &bits, sizeof v);
	return isfinite(v) && v >= 0 && v < 9e9f ? llround((double)v * 1e9) : MIKU_NO_TIME;
}

static int64_t signed32(struct cursor *c)
{
	return (int32_t)cursor_u32(c);
}

static int64_t ticks(struct cursor *c, bool wide)
{
	int64_t v = wide ? (int64_t)cursor_u64(c) : signed32(c);

	return v < 0 ? MIKU_NO_TIME : v;
}

/* The fields before the name, other than calls. */
static void miku_tree_read_head(struct miku_tree *t, struct miku_node *n, enum miku_layout l,
				struct cursor *c)
{
	int32_t frame = (int32_t)cursor_u32(c);
	float fps = 0, power = 0;
	uint32_t pss = 0;

	if (l >= MIKU_C && l != MIKU_E_TOOL)
		fps = number32(t, c);
	if (l == MIKU_D || l == MIKU_E) {
		pss = cursor_u32(c);
		power = number32(t, c);
	}
	if (l >= MIKU_C) {
		n->lua = signed32(c);
		n->mono = signed32(c);
	} else {
		n->lua = (int64_t)cursor_u64(c);
		n->mono = l >= MIKU_B0 ? (int64_t)cursor_u64(c) : 0;
	}
	if (t->n == 1) {
		t->frame = frame;
		t->fps = fps;
		t->pss = pss;
		t->power = power;
	}
}

static void current(struct miku_tree *t, size_t node, int64_t lua, int64_t mono)
{
	if (node)
		return;
	t->current_lua = lua;
	t->current_mono = mono;
}

static enum status miku_tree_open_node(struct miku_tree *t, struct miku_names *names,
				       enum miku_layout l, struct cursor *c, uint64_t end)
{
	uint32_t index = (uint32_t)t->n, below;
	struct miku_node *n;

	if (t->n >= UINT32_MAX - 1)
		return cursor_fail(c, ST_LIMIT, "sample: a root has more than %u nodes",
				   UINT32_MAX);
	VEC_PUSH(t->nodes, t->n, t->cap) = (struct miku_node){0};
	n = &t->nodes[index];
	n->parent = t->n_open ? t->open[t->n_open - 1].node : index;
	n->calls = (int32_t)cursor_u32(c);
	miku_tree_read_head(t, n, l, c);
	n->name = miku_blobs(l) ? text(names, c, t->strict, &t->broken)
				: miku_mstr(names, c, t->strict, &t->broken);
	if (t->strict && !cursor_failed(c) && !names->text.rows[n->name].len)
		return broken(t, c, "a node has no name");
	n->time = l < MIKU_B0 ? seconds(c) : ticks(c, l == MIKU_B0 || l == MIKU_B1);
	if (miku_blobs(l)) {
		below = cursor_u32(c);
		if (!cursor_failed(c) &&
		    (cursor_offset(c) > end || below > (end - cursor_offset(c)) / 4))
			return broken(t, c, "a node has more children than bytes");
	} else {
		int64_t lua = signed32(c), mono = signed32(c);

		current(t, index, lua, mono);
		below = cursor_u16(c);
	}
	if (cursor_failed(c)) {
		t->n--;
		return err_failure(c->e);
	}
	VEC_PUSH(t->open, t->n_open, t->cap_open) = (struct miku_level){index, below, end};
	return ST_OK;
}

/* What follows the nodes below: the screenshot, and the heaps. */
static enum status miku_tree_close_node(struct miku_tree *t, enum miku_layout l, struct cursor *c)
{
	const struct miku_level *top = &t->open[--t->n_open];
	int64_t lua = 0, mono = 0;
	bool named = false;
	uint8_t has = 1;
	uint32_t n;

	if (!miku_blobs(l))
		return ST_OK;
	if (l > MIKU_A0)
		has = cursor_u8(c);
	if (has > 1)
		return broken(t, c, "a flag of a screenshot is neither 0 nor 1");
	if (has) {
		n = cursor_u32(c);
		cursor_skip(c, n, "screenshot's name");
		named = n > 0;
	}
	if (has && l >= MIKU_A2) {
		n = cursor_u32(c);
		cursor_skip(c, n, "screenshot");
		t->pictures += n > 0;
		named = named && !n;
	}
	t->picture_names += named;
	if (l == MIKU_A3 || l == MIKU_B0 || l == MIKU_B1)
		lua = (int64_t)cursor_u64(c);
	if (l == MIKU_B1)
		mono = (int64_t)cursor_u64(c);
	if (l == MIKU_C || l == MIKU_D) {
		lua = signed32(c);
		mono = signed32(c);
	}
	current(t, top->node, lua, mono);
	if (!cursor_failed(c) && cursor_offset(c) != top->end)
		return broken(t, c, "a node does not have the length that it states");
	return cursor_failed(c) ? err_failure(c->e) : ST_OK;
}

static enum status open_below(struct miku_tree *t, struct miku_names *names, enum miku_layout l,
			      struct cursor *c)
{
	struct miku_level *top = &t->open[t->n_open - 1];
	uint64_t end = 0;

	top->left--;
	if (miku_blobs(l)) {
		uint32_t n = cursor_u32(c);

		end = cursor_offset(c) + n;
		if (!cursor_failed(c) && end > top->end)
			return broken(t, c, "a node is longer than its parent");
	}
	return miku_tree_open_node(t, names, l, c, end);
}

enum status miku_tree_read(struct miku_tree *t, struct miku_names *names, enum miku_layout layout,
			   struct cursor *c, uint64_t end)
{
	enum status st;

	t->n = t->n_open = 0;
	t->frame = 0;
	t->fps = t->power = 0;
	t->pss = 0;
	t->current_lua = t->current_mono = 0;
	t->broken = false;
	st = miku_tree_open_node(t, names, layout, c, end);
	while (!st && t->n_open)
		st = t->open[t->n_open - 1].left ? open_below(t, names, layout, c)
						 : miku_tree_close_node(t, layout, c);
	return st;
}

void miku_tree_release(struct miku_tree *t)
{
	free(t->nodes);
	free(t->open);
	*t = (struct miku_tree){0};
}

void miku_names_release(struct miku_names *names)
{
	intern_release(&names->text);
	map64_release(&names->sparse);
	buf_release(&names->repair);
	free(names->numbered);
	*names = (struct miku_names){0};
}
