/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/split.h"

#include "lib/base/mem.h"
#include "lib/dwarf/fast/split_index.h"
#include "lib/dwarf/fast/whole.h"
#include "lib/dwarf/sections.h"
#include "lib/object/companion.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

/* A .dwo file, or the parts of one unit in a .dwp file. */
struct dwo {
	struct dwo *next;
	struct object *object;     /* NULL: not ours to free */
	const struct object *from; /* the file that it is in */
	uint64_t place;            /* of object_place */
	struct fast_file file;
	struct map64 ids; /* dwo_id -> index in file.units + 1 */
};

struct package {
	struct object *object; /* NULL: none; the splits' own: not ours to free */
	struct fast_bytes index, all[SPLIT_COUNT];
	struct map64 rows; /* row -> its struct dwo's number in splits.rows */
	uint64_t taken, limit;
};

struct fast_splits {
	struct object *object;
	pthread_mutex_t lock; /* of all of it */
	struct dwo *files;
	struct package package;
	struct buf package_why;
	bool package_sought;
	struct err unread; /* why the file looked at last cannot be read */
	struct dwo **rows;
	size_t n_rows, cap_rows;
	struct part_node {
		struct fast_part part;
		struct part_node *next;
	} * parts;
};

struct fast_splits *fast_splits_new(struct object *o)
{
	struct fast_splits *s = mem_zalloc(sizeof *s);

	s->object = o;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void dwo_free(struct dwo *d)
{
	fast_file_release(&d->file);
	map64_release(&d->ids);
	object_free(d->object);
	free(d);
}

void fast_splits_free(struct fast_splits *s)
{
	if (!s)
		return;
	while (s->files) {
		struct dwo *next = s->files->next;

		dwo_free(s->files);
		s->files = next;
	}
	for (size_t i = 0; i < s->n_rows; i++)
		dwo_free(s->rows[i]);
	while (s->parts) {
		struct part_node *next = s->parts->next;

		free((char *)(uintptr_t)s->parts->part.why);
		free(s->parts);
		s->parts = next;
	}
	free(s->rows);
	map64_release(&s->package.rows);
	if (s->package.object != s->object)
		object_free(s->package.object);
	buf_release(&s->package_why);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

bool fast_splits_used(const struct fast_splits *s)
{
	return s && s->parts;
}

enum status fast_splits_intact(const struct fast_splits *s, struct err *e)
{
	for (const struct dwo *d = s ? s->files : NULL; d; d = d->next)
		if (d->object && object_intact(d->object, e))
			return ST_BAD;
	return s && s->package.object ? object_intact(s->package.object, e) : ST_OK;
}

static const char *read_sections(struct fast_splits *s, struct object *o,
				 struct fast_bytes in[SPLIT_COUNT])
{
	for (size_t i = 0; i < SPLIT_COUNT; i++) {
		struct object_section got = {.size = 0};

		s->unread = (struct err)ERR_INIT;
		if (object_section_joined(o, split_section_names[i], &got, &s->unread))
			return s->unread.msg;
		in[i] = (struct fast_bytes){got.data, got.size};
	}
	return in[SPLIT_INFO].n ? NULL : "has no .debug_info.dwo";
}

static const enum fast_section in_of[SPLIT_COUNT] = {
    [SPLIT_INFO] = IN_INFO,
    [SPLIT_ABBREV] = IN_ABBREV,
    [SPLIT_STR_OFFSETS] = IN_STR_OFFSETS,
    [SPLIT_RNGLISTS] = IN_RNGLISTS,
    [SPLIT_STR] = IN_STR,
};

/* Reads the units' headers, and the DIEs of those of DWARF 4, which have the id. in are parts of
 * all. */
static struct dwo *fast_split_dwo_new(const struct fast_file *main,
				      const struct fast_bytes in[SPLIT_COUNT],
				      const struct fast_bytes all[SPLIT_COUNT])
{
	struct dwo *d = mem_zalloc(sizeof *d);
	struct fast_file *f = &d->file;

	for (size_t i = 0; i < SPLIT_COUNT; i++) {
		if (!in[i].n)
			continue;
		f->in_dwo |= (uint16_t)(1u << in_of[i]);
		f->starts[in_of[i]] = (uint64_t)(in[i].p - all[i].p);
	}
	f->in[IN_INFO] = in[SPLIT_INFO];
	f->in[IN_ABBREV] = in[SPLIT_ABBREV];
	f->in[IN_STR] = in[SPLIT_STR];
	f->in[IN_STR_OFFSETS] = in[SPLIT_STR_OFFSETS];
	/* GCC before 12 leaves them in the linked file */
	f->in[IN_RNGLISTS] = in[SPLIT_RNGLISTS].n ? in[SPLIT_RNGLISTS] : main->in[IN_RNGLISTS];
	f->in[IN_ALT_STR] = main->in[IN_ALT_STR];
	f->in[IN_ADDR] = main->in[IN_ADDR];
	f->in[IN_RANGES] = main->in[IN_RANGES];
	f->big_endian = main->big_endian;
	f->first = main->first;
	f->discriminators = main->discriminators;
	f->extras = main->extras;
	f->relative = main->relative;
	f->last = main->last;
	fast_units_index(f);
	for (size_t i = 0; i < f->n_units; i++) {
		struct fast_unit *u = &f->units[i];
		struct fast_value ranges, low, high;
		uint32_t *id;

		if (u->state != UNIT_SOUND || !fast_unit_root(f, u, NULL, &ranges, &low, &high))
			continue;
		u->split = false;
		u->has_lines = false;
		if (u->version < 5) /* its part of .debug_str_offsets has no header */
			u->str_offsets_base = 0;
		id = map64_put(&d->ids, u->dwo_id);
		if (!*id)
			*id = (uint32_t)i + 1;
	}
	return d;
}

/* What one unit is looked for with. */
struct search {
	struct fast_splits *s;
	const struct fast_file *main;
	const struct fast_unit *skeleton;
	struct budget *budget;
	struct dwo *found;
	uint32_t unit; /* index in found's + 1 */
};

/* NULL: it has the unit. */
static const char *check(struct search *x, struct dwo *d)
{
	uint32_t unit = map64_get(&d->ids, x->skeleton->dwo_id);

	budget_spend(x->budget, 64);
	if (!x->skeleton->dwo_id)
		return "the unit has no dwo_id";
	if (!unit)
		return "dwo_id differs";
	if (d->file.units[unit - 1].version != x->skeleton->version ||
	    d->file.units[unit - 1].address_size != x->skeleton->address_size)
		return "its unit is of another kind";
	x->found = d;
	x->unit = unit;
	return NULL;
}

static const char *fast_split_accept_dwo(void *arg, struct object *c)
{
	struct search *x = arg;
	struct fast_splits *s = x->s;
	struct fast_bytes in[SPLIT_COUNT];
	uint64_t place = 0;
	struct dwo *d;
	const char *why;

	if (!object_place(c, &place) && c != s->object)
		return "cannot be read";
	for (d = s->files; d && d->place != place; d = d->next)
		;
	if (d) {
		why = check(x, d);
		if (!why && c != s->object)
			object_free(c);
		return why;
	}
	why = read_sections(s, c, in);
	if (why)
		return why;
	d = fast_split_dwo_new(x->main, in, in);
	d->place = place;
	d->from = c;
	budget_spend(x->budget, 1024 + d->file.n_units * 16);
	why = check(x, d);
	if (why) {
		dwo_free(d);
		return why;
	}
	if (c != s->object) {
		object_close_file(c);
		d->object = c;
	}
	d->next = s->files;
	s->files = d;
	return NULL;
}

static const char *fast_split_accept_package(void *arg, struct object *c)
{
	struct fast_splits *s = arg;
	struct package *p = &s->package;
	struct object_section index;
	struct err e = ERR_INIT;
	const char *why;

	if (object_section(c, ".debug_cu_index", &index, &e) || !index.size)
		return "has no index of units";
	why = read_sections(s, c, p->all);
	if (why)
		return why;
	p->index = (struct fast_bytes){index.data, index.size};
	/* sound parts do not overlap */
	p->limit = p->all[SPLIT_INFO].n * 4 + 65536;
	if (c != s->object)
		object_close_file(c);
	p->object = c;
	return NULL;
}

static void because(struct buf *why, const char *text)
{
	if (why->len)
		buf_adds(why, "; ");
	buf_adds(why, text);
}

static bool fast_split_seek_in_package(struct search *x, struct buf *why)
{
	struct fast_splits *s = x->s;
	struct package *p = &s->package;
	struct fast_bytes part[SPLIT_COUNT];
	const char *wrong;
	uint32_t row, known;
	struct dwo *d;

	if (!s->package_sought)
		object_seek_package(s->object, fast_split_accept_package, s, &s->package_why);
	s->package_sought = true;
	if (s->package_why.len)
		because(why, buf_str(&s->package_why));
	if (!p->object)
		return false;
	wrong = split_index_find(p->index, x->main->big_endian, x->skeleton->dwo_id, p->all, part,
				 &row, &s->unread)
		    ? s->unread.msg
		    : NULL;
	if (!wrong && !row)
		wrong = "has no unit with that dwo_id";
	known = wrong ? 0 : map64_get(&p->rows, row);
	if (!wrong && !known && p->taken > p->limit)
		wrong = "its units overlap too often";
	if (!wrong && !known) {
		d = fast_split_dwo_new(x->main, part, p->all);
		p->taken += part[SPLIT_INFO].n;
		d->from = p->object;
		budget_spend(x->budget, 1024 + d->file.n_units * 16);
		VEC_PUSH(s->rows, s->n_rows, s->cap_rows) = d;
		known = *map64_put(&p->rows, row) = (uint32_t)s->n_rows;
	}
	if (!wrong)
		wrong = check(x, s->rows[known - 1]);
	if (!wrong)
		return true;
	if (why->len)
		buf_adds(why, "; ");
	buf_add_escaped(why, object_debug_path(p->object), strlen(object_debug_path(p->object)));
	buf_addf(why, ": %s", wrong);
	return false;
}

/* The unit, with what its skeleton says. */
static void join(struct fast_part *part, const struct search *x)
{
	const struct fast_unit *skeleton = x->skeleton;

	part->file = &x->found->file;
	part->path = object_debug_path(x->found->from);
	part->unit = x->found->file.units[x->unit - 1];
	part->unit.addr_base = skeleton->addr_base;
	part->unit.base = skeleton->base;
	part->unit.ranges_base = skeleton->gnu_ranges_base;
	if (part->file->in[IN_RNGLISTS].p == x->main->in[IN_RNGLISTS].p)
		part->unit.rnglists_base =
		    skeleton->rnglists_base == UINT64_MAX ? FAST_NO_LISTS : skeleton->rnglists_base;
	if (part->unit.version < 5 && part->unit.addr_base == UINT64_MAX)
		part->unit.addr_base = 0;
}

static void fast_split_seek(struct search *x, struct fast_part *part)
{
	const struct fast_unit *u = x->skeleton;
	char *dir = mem_strndup(u->comp_dir, u->n_comp_dir);
	char *name = mem_strndup(u->dwo_name, u->n_dwo_name);
	struct buf why = BUF_INIT, text = BUF_INIT;

	if (fast_split_seek_in_package(x, &why) ||
	    object_seek_split(x->s->object, dir, name, fast_split_accept_dwo, x, &why)) {
		join(part, x);
	} else {
		part->refused = why.len > 0;
		buf_adds(&text, "split DWARF: functions are in ");
		buf_add_escaped(&text, name, strlen(name));
		buf_addf(&text, why.len ? ": %s" : ", which does not exist%s", buf_str(&why));
		part->why = mem_strdup(buf_str(&text));
	}
	buf_release(&why);
	buf_release(&text);
	free(dir);
	free(name);
}

const struct fast_part *fast_part_of(const struct fast_file *f, struct fast_unit *u,
				     struct budget *b)
{
	struct search x = {.s = f->splits, .main = f, .skeleton = u, .budget = b};
	struct part_node *node;

	if (u->part)
		return u->part;
	node = mem_zalloc(sizeof *node);
	pthread_mutex_lock(&f->splits->lock);
	fast_split_seek(&x, &node->part);
	node->next = f->splits->parts;
	f->splits->parts = node;
	pthread_mutex_unlock(&f->splits->lock);
	u->part = &node->part;
	return u->part;
}

uint64_t dwarf_companions(struct object *o)
{
	struct fast_file f = {.big_endian = object_is_big_endian(o)};
	struct sections s = {.abbrev = NULL};
	struct object_section addr;
	struct err e = ERR_INIT;
	uint64_t digest = 0;

	/* every split unit with code has addresses there */
	if (object_section(o, section_names[SECTION_ADDR], &addr, &e) || sections_load(&s, o, &e)) {
		buf_release(&s.complaint);
		return 0;
	}
	for (size_t i = 0; i < IN_ALT_STR; i++)
		f.in[i] = (struct fast_bytes){s.all[i + 1].data, s.all[i + 1].size};
	fast_units_index(&f);
	for (size_t i = 0; i < f.n_units; i++) {
		struct fast_unit *u = &f.units[i];
		struct fast_value ranges, low, high;
		char *dir, *name;

		if (u->state != UNIT_SOUND || !fast_unit_root(&f, u, NULL, &ranges, &low, &high) ||
		    !u->split)
			continue;
		if (!digest) {
			digest = 1;
			object_probe_package(o, &digest);
		}
		dir = mem_strndup(u->comp_dir, u->n_comp_dir);
		name = mem_strndup(u->dwo_name, u->n_dwo_name);
		object_probe_split(o, dir, name, &digest);
		free(dir);
		free(name);
	}
	buf_release(&s.complaint);
	fast_file_release(&f);
	return digest;
}
