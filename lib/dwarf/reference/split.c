/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/reference/split.h"

#include "lib/base/mem.h"
#include "lib/object/companion.h"

#include <stdlib.h>
#include <string.h>

/* Sections of a .dwo or .dwp file, with the plain name that libdwarf is shown. */
static const struct {
	const char *name;
	enum section as;
	unsigned column; /* DW_SECT_*: its column in a package's index; 0: all units share it */
	uint16_t since;  /* version of the index that has the column in this meaning */
} dwo_sections[] = {
    {".debug_info.dwo", SECTION_INFO, DW_SECT_INFO, 2},
    {".debug_abbrev.dwo", SECTION_ABBREV, DW_SECT_ABBREV, 2},
    {".debug_str_offsets.dwo", SECTION_STR_OFFSETS, DW_SECT_STR_OFFSETS, 2},
    {".debug_rnglists.dwo", SECTION_RNGLISTS, DW_SECT_RNGLISTS, 5},
    {".debug_str.dwo", SECTION_STR, 0, 2},
};
enum { DWO_SECTIONS = sizeof dwo_sections / sizeof *dwo_sections };

struct reference_splits {
	struct object *object;
	const struct sections *main;
	/* The part at hand. */
	struct sections sections;
	struct object *dwo; /* NULL: not ours to free */
	struct reference_part found;
	/* The package. */
	bool sought;
	struct object *package; /* NULL: none */
	struct object_section package_sections[DWO_SECTIONS];
	struct sections index_sections;
	struct handle *index;
	uint16_t index_version;
	struct buf package_why;
	const struct reference_skeleton *skeleton; /* of the search under way */
	struct buf why;
	struct err e; /* why the file looked at last was refused */
	/* One was refused since libdwarf cannot read it: of this search, the package. */
	bool unread, package_unread;
};

struct reference_splits *reference_splits_new(struct object *o, const struct sections *main)
{
	struct reference_splits *s = mem_zalloc(sizeof *s);

	s->object = o;
	s->main = main;
	return s;
}

static void close_part(struct reference_splits *s)
{
	die_free(s->found.root);
	if (s->found.handle)
		handle_close(s->found.handle);
	object_free(s->dwo);
	s->dwo = NULL;
	s->found = (struct reference_part){.handle = NULL};
}

void reference_splits_free(struct reference_splits *s)
{
	if (!s)
		return;
	close_part(s);
	if (s->index)
		handle_close(s->index);
	if (s->package != s->object)
		object_free(s->package);
	buf_release(&s->package_why);
	buf_release(&s->why);
	free(s);
}

/* ST_BAD: they cannot be read. ST_NONE: it has no units. */
static enum status read_sections(struct object *o, struct object_section in[DWO_SECTIONS],
				 struct err *e)
{
	for (size_t i = 0; i < DWO_SECTIONS; i++) {
		in[i] = (struct object_section){.size = 0};
		if (object_section_joined(o, dwo_sections[i].name, &in[i], e))
			return err_failure(e);
	}
	return in[0].size ? ST_OK : err_set(e, ST_NONE, "has no .debug_info.dwo");
}

/* Shows libdwarf a section, from its byte at on. */
static void show(struct reference_splits *s, enum section as, const struct object_section *in,
		 uint64_t at, uint64_t size)
{
	if (at > in->size)
		at = in->size;
	if (size > in->size - at)
		size = in->size - at;
	s->sections.all[as] = (struct object_section){
	    .name = section_names[as], .data = VEC_AT(in->data, at), .size = size};
}

/* What the unit takes from the linked file. */
static void show_main(struct reference_splits *s)
{
	const struct reference_skeleton *k = s->skeleton;
	uint64_t addr = k->addr_base != UINT64_MAX ? k->addr_base : k->version < 5 ? 0 : 8;
	uint64_t ranges = k->ranges_base != UINT64_MAX ? k->ranges_base : 0;

	s->sections.big_endian = s->main->big_endian;
	s->sections.address_size = s->main->address_size;
	s->sections.part = true;
	s->sections.alt_str = s->main->alt_str;
	s->sections.lists_base = UINT64_MAX; /* the first table of its own section */
	show(s, SECTION_ADDR, &s->main->all[SECTION_ADDR], addr, UINT64_MAX);
	show(s, SECTION_RANGES, &s->main->all[SECTION_RANGES], ranges, UINT64_MAX);
	if (s->sections.all[SECTION_RNGLISTS].size)
		return;
	show(s, SECTION_RNGLISTS, &s->main->all[SECTION_RNGLISTS], 0, UINT64_MAX);
	/* none is the end of the section: no list is there */
	s->sections.lists_base = k->rnglists_base == UINT64_MAX ? UINT64_MAX - 1 : k->rnglists_base;
}

/* Goes to the unit with the skeleton's dwo_id. NULL: found. */
static const char *seek_unit(struct reference_splits *s)
{
	struct reference_part *p = &s->found;
	struct reference_unit u = {.number = 0};
	const struct reference_skeleton *k = s->skeleton;
	enum status st;

	if (!k->dwo_id)
		return "the unit has no dwo_id";
	st = handle_open(&p->handle, &s->sections, &s->e);
	if (st)
		p->handle = NULL;
	while (!st) {
		p->offset = p->end;
		if (p->offset >= s->sections.all[SECTION_INFO].size)
			return "dwo_id differs";
		st = handle_next_unit(p->handle, &u, &p->end, &s->e);
		if (!st && p->end <= p->offset)
			st = err_set(&s->e, ST_BAD, "unit header: the next unit is not behind it");
		if (!st)
			st = handle_root(p->handle, &p->root, &s->e);
		if (st)
			break;
		if (u.version < 5)
			die_id(p->handle, p->root, DW_AT_GNU_dwo_id, &u.dwo_id);
		if (u.dwo_id == k->dwo_id && !u.is_type) {
			s->sections.lists_wide = u.wide;
			return u.version == k->version ? NULL : "its unit is of another kind";
		}
		die_free(p->root);
		p->root = NULL;
	}
	if (st == ST_NONE)
		return "dwo_id differs";
	p->root = NULL;
	s->unread = true;
	return s->e.msg;
}

static const char *split_accept_dwo(void *arg, struct object *c)
{
	struct reference_splits *s = arg;
	struct object_section in[DWO_SECTIONS];
	enum status st;
	const char *why;

	s->e = (struct err)ERR_INIT;
	st = read_sections(c, in, &s->e);
	if (st) {
		s->unread |= st != ST_NONE;
		return s->e.msg;
	}
	for (size_t i = 0; i < DWO_SECTIONS; i++)
		show(s, dwo_sections[i].as, &in[i], 0, UINT64_MAX);
	show_main(s);
	why = seek_unit(s);
	if (why) {
		close_part(s);
		return why;
	}
	if (c != s->object)
		s->dwo = c;
	return NULL;
}

static const char *split_accept_package(void *arg, struct object *c)
{
	/* only these have to do with libdwarf's reading of the index */
	static const char *const names[SECTION_COUNT] = {"", ".debug_info.dwo", ".debug_abbrev.dwo",
							 ".debug_cu_index"};
	enum { SECTION_CU_INDEX = SECTION_STR }; /* its place among those */
	struct reference_splits *s = arg;
	struct sections *x = &s->index_sections;
	enum status st;

	s->e = (struct err)ERR_INIT;
	*x = (struct sections){.names = names,
			       .big_endian = s->main->big_endian,
			       .address_size = s->main->address_size};
	if (object_section(c, ".debug_cu_index", &x->all[SECTION_CU_INDEX], &s->e) ||
	    !x->all[SECTION_CU_INDEX].size)
		return "has no index of units";
	st = read_sections(c, s->package_sections, &s->e);
	if (!st) {
		x->all[SECTION_INFO] = s->package_sections[0];
		x->all[SECTION_ABBREV] = s->package_sections[1];
		st = handle_open(&s->index, x, &s->e);
		if (st)
			s->index = NULL;
	}
	if (!st)
		st = handle_index_version(s->index, &s->index_version, &s->e);
	if (st) {
		s->package_unread |= st != ST_NONE;
		return s->e.msg;
	}
	s->package = c;
	return NULL;
}

/* The unit's sections in the package. NULL: found. */
static const char *seek_in_package(struct reference_splits *s)
{
	struct handle_row row;
	enum status st = handle_index_find(s->index, s->skeleton->dwo_id, &row, &s->e);
	const char *why;

	if (st == ST_NONE)
		return "has no unit with that dwo_id";
	if (st) {
		s->unread = true;
		return s->e.msg;
	}
	for (size_t i = 0; i < DWO_SECTIONS; i++) {
		const struct object_section *in = &s->package_sections[i];
		unsigned column = dwo_sections[i].column;
		bool has = column && s->index_version >= dwo_sections[i].since;
		uint64_t at = has ? row.offset[column] : 0;
		uint64_t size = has ? row.size[column] : column ? 0 : in->size;

		if (at > in->size || size > in->size - at)
			return "a part lies outside its section";
		show(s, dwo_sections[i].as, in, at, size);
	}
	show_main(s);
	why = seek_unit(s);
	if (why)
		close_part(s);
	return why;
}

static bool try_package(struct reference_splits *s)
{
	const char *why;

	s->e = (struct err)ERR_INIT;
	if (!s->sought)
		object_seek_package(s->object, split_accept_package, s, &s->package_why);
	s->sought = true;
	s->unread = s->package_unread;
	buf_adds(&s->why, buf_str(&s->package_why));
	why = s->package ? seek_in_package(s) : "";
	if (!why)
		return true;
	if (!*why)
		return false;
	if (s->why.len)
		buf_adds(&s->why, "; ");
	buf_add_escaped(&s->why, object_debug_path(s->package),
			strlen(object_debug_path(s->package)));
	buf_addf(&s->why, ": %s", why);
	return false;
}

enum status reference_split_find(struct reference_splits *s,
				 const struct reference_skeleton *skeleton,
				 struct reference_part *part, struct err *e)
{
	struct buf tried = BUF_INIT, text = BUF_INIT;
	bool found;

	close_part(s);
	s->skeleton = skeleton;
	s->why.len = 0;
	found = try_package(s) || object_seek_split(s->object, skeleton->dir, skeleton->name,
						    split_accept_dwo, s, &tried);
	if (!found) {
		if (s->why.len && tried.len)
			buf_adds(&s->why, "; ");
		buf_adds(&s->why, buf_str(&tried));
		buf_adds(&text, "split DWARF: functions are in ");
		buf_add_escaped(&text, skeleton->name, strlen(skeleton->name));
		buf_addf(&text, s->why.len ? ": %s" : ", which does not exist%s", buf_str(&s->why));
		s->why.len = 0;
		buf_adds(&s->why, buf_str(&text));
		s->found.why = buf_str(&s->why);
	}
	buf_release(&tried);
	buf_release(&text);
	*part = s->found;
	return !found && s->unread ? err_set(e, ST_BAD, "%s", part->why) : ST_OK;
}
