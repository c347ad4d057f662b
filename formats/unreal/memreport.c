/* SPDX-License-Identifier: MIT
 *
 * Unreal Engine's .memreport: what the command "memreport -full" of versions 4.2x to 5.6 writes, one
 * text after the other of some thirty commands. Their contents overlap (a texture is in the list of
 * textures, in its class, in what the RHI has), so that each of its tables is a format of its own: the
 * file as a whole, which is found by itself, has the classes and all totals; the parts are asked for by
 * name.
 *
 *	memreport            "Obj List" without a class: classes; totals of all sections: counters
 *	memreport-objects    "Obj List: class=C": the objects of each class that was asked for
 *	memreport-pools      "Allocator Stats": block sizes of the binned allocator
 *	memreport-resources  "Tracked RHIResources": the largest ones, by name
 *	memreport-rhi        "RHI resource memory": kinds of memory
 *	memreport-targets    "Pooled Render Targets"
 *	memreport-textures   "Listing all textures."
 *
 * A row is an allocation: its type, and a stack of the parts of its path, so that folders have totals.
 * Numbers have two decimals of a KB or three of a MB there, and are rounded to bytes.
 *
 * Facts: reports of 4.2x, 4.27 and 5.0 to 5.6, for Windows and Android (tracemill-memreport(5)).
 */
#include "formats/unreal/memreport_line.h"

#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MR_LINE = 1 << 20, MR_FOLDERS = 256 };

enum mr_section {
	MR_NONE,
	MR_PLATFORM,
	MR_ALLOCATOR,
	MR_STATS,
	MR_CLASSES, /* of all objects */
	MR_OBJECTS, /* of one class, and the table of classes behind it */
	MR_RHI,
	MR_TRACKED,
	MR_TARGETS,
	MR_TEXTURES,
	MR_CONFIG,
	MR_ACTORS,
	MR_SECTIONS
};

struct memreport {
	struct import *im;
	enum mr_section want, section;
	struct mr_columns columns; /* of the list of objects */
	bool in_table, in_pools;   /* behind its head */
	struct map64 counters,
	    lists; /* strings that were there: names, and classes whose list was */
	struct buf name;
	uint32_t *path; /* locations, outermost first */
	size_t n_path, cap_path;
	uint64_t rows, counted, unread, refused, first_refused, number;
	uint64_t elsewhere[MR_SECTIONS]; /* rows of tables that another format has */
	uint64_t shown, matched;         /* of tracked resources */
	bool cut;
};

/* --- what it becomes --- */

static uint32_t string_of(struct memreport *m, struct mr_text t)
{
	return trace_string(m->im->t, t.s, mr_length(t));
}

static enum status count_named(struct memreport *m, const char *unit, int64_t value, struct err *e)
{
	uint32_t name = trace_string(m->im->t, m->name.data, m->name.len);
	uint32_t *known = map64_put(&m->counters, name);

	if (m->want != MR_CLASSES || *known) /* sections repeat some */
		return ST_OK;
	*known = 1;
	m->counted++;
	return emit_counter(
	    m->im, trace_counter(m->im->t, &(struct counter){name, trace_strz(m->im->t, unit)}),
	    ABSENT, value, e);
}

/* The counter "what name". */
static enum status count(struct memreport *m, const char *what, struct mr_text name,
			 const char *unit, int64_t value, struct err *e)
{
	m->name.len = 0;
	buf_adds(&m->name, what);
	if (*what && name.s < name.end)
		buf_addc(&m->name, ' ');
	buf_add(&m->name, name.s, mr_length(name));
	return count_named(m, unit, value, e);
}

static void add_step(struct memreport *m, struct mr_text name)
{
	if (name.s < name.end)
		VEC_PUSH(m->path, m->n_path, m->cap_path) =
		    emit_named(m->im->t, string_of(m, name), 0, 0);
}

/* "/Game/Maps/Town.Town:Level.Lamp" is in /Game, in /Game/Maps, and in Town.Town:Level.Lamp. */
static uint32_t memreport_stack_of(struct memreport *m, struct mr_text name)
{
	uint32_t stack = 0;
	const char *last = name.s;

	if (name.s == name.end)
		return 0;
	m->n_path = 0;
	for (const char *s = name.s + 1; s < name.end && m->n_path < MR_FOLDERS; s++) {
		if (*s != '/' || *name.s != '/')
			continue;
		add_step(m, (struct mr_text){name.s, s});
		last = s + 1;
	}
	add_step(m, (struct mr_text){last, name.end});
	for (size_t i = 0; i < m->n_path; i++)
		stack = trace_stack(m->im->t, stack, m->path[i]);
	return stack;
}

struct mr_block {
	struct mr_text type, name; /* name: a path; may be empty */
	const char *suffix;        /* of the type, or NULL */
	int64_t count, requested, real;
};

static enum status memreport_push(struct memreport *m, const struct mr_block *b, struct err *e)
{
	struct emit_alloc alloc = {.domain = KNOWN(DOMAIN_MALLOC),
				   .count = KNOWN(b->count),
				   .requested = KNOWN(b->requested),
				   .real = KNOWN(b->real)};

	if (m->section != m->want) {
		m->elsewhere[m->section] += b->suffix == NULL;
		return ST_OK;
	}
	m->name.len = 0;
	buf_add(&m->name, b->type.s, mr_length(b->type));
	if (b->suffix)
		buf_adds(&m->name, b->suffix);
	alloc.type = trace_type(m->im->t, m->name.data, m->name.len);
	alloc.stack = memreport_stack_of(m, b->name);
	m->rows++;
	return emit_alloc(m->im, &alloc, e);
}

static enum status refuse_row(struct memreport *m)
{
	if (m->section == m->want && !m->refused++)
		m->first_refused = m->number;
	return ST_OK;
}

/* --- totals --- */

/* Up to the next comma or parenthesis. */
static struct mr_text label_of(struct mr_text line)
{
	struct mr_text label = {line.s, line.s};

	while (label.end < line.end && !strchr(",(", *label.end))
		label.end++;
	return mr_trim(label);
}

static struct mr_text without_marks(struct mr_text t)
{
	while (t.s < t.end && strchr(", ", *t.s))
		t.s++;
	while (t.s < t.end && strchr(":= ", t.end[-1]))
		t.end--;
	return t;
}

static enum status memreport_count_sizes(struct memreport *m, const char *what, struct mr_text head,
					 struct mr_text line, struct err *e)
{
	struct mr_text before, label;
	enum status st = ST_OK;
	int64_t bytes;

	for (bool first = true; !st && mr_next_size(&line, &before, &bytes); first = false) {
		label = label_of(line);
		if (label.s == label.end && !first)
			label = without_marks(before);
		m->name.len = 0;
		buf_adds(&m->name, what);
		if (*what && head.s < head.end)
			buf_addc(&m->name, ' ');
		buf_add(&m->name, head.s, mr_length(head));
		if (m->name.len && label.s < label.end)
			buf_addc(&m->name, ' ');
		buf_add(&m->name, label.s, mr_length(label));
		st = count_named(m, "B", bytes, e);
		while (line.s < line.end && *line.s != ',')
			line.s++;
	}
	return st;
}

/* "Process Physical Memory: 1120.75 MB used, 1216.52 MB peak"; "Hash: 0.07mb"; "X = 0.25 MB". */
static enum status parse_sizes(struct memreport *m, const char *what, struct mr_text line,
			       struct err *e)
{
	struct mr_text rest = line, head;
	int64_t bytes;

	if (!mr_next_size(&rest, &head, &bytes) || head.s == head.end)
		return ST_OK;
	line.s = head.end;
	return memreport_count_sizes(m, what, without_marks(head), line, e);
}

/* "[used/ unused] = [9.12 / 0.00] MB" */
static enum status parse_pair(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_text name, first, second;
	int64_t used, unused;
	enum status st;

	if (!mr_split(&line, " [used/ unused] = [", &name) || !mr_split(&line, " / ", &first) ||
	    !mr_split(&line, "] MB", &second) || !mr_number(first, 1 << 20, &used) ||
	    !mr_number(second, 1 << 20, &unused))
		return ST_NONE;
	m->name.len = 0;
	buf_add(&m->name, name.s, mr_length(name));
	buf_adds(&m->name, " used");
	st = count_named(m, "B", used, e);
	m->name.len -= 4;
	buf_adds(&m->name, "unused");
	return st ? st : count_named(m, "B", unused, e);
}

/* "  327680  -  PageAllocator Used - STAT_PageAllocatorUsed - STATGROUP_Memory - STATCAT_Advanced", of
 * 5.0 on in MB. The name is no id: some come twice. */
static bool memreport_parse_stat(struct mr_text line, struct mr_text *id, struct mr_text *text,
				 int64_t *bytes)
{
	struct mr_text number, rest = mr_trim(line), part;
	double scale = 1;

	if (!mr_split(&rest, " - ", &number))
		return false;
	number = mr_trim(number);
	if (mr_length(number) > 2 && !memcmp(number.end - 2, "MB", 2)) {
		number.end -= 2;
		scale = 1 << 20;
	}
	if (!mr_number(number, scale, bytes))
		return false;
	*text = mr_trim(rest);
	/* From the right: names may hold the separators. */
	for (int i = 0; i < 3; i++) {
		const char *p = text->end;

		while (p - text->s > 3 && memcmp(p - 3, " - ", 3) != 0)
			p--;
		if (p - text->s <= 3)
			return false;
		part = (struct mr_text){p, text->end};
		text->end = p - 3;
		*id = mr_trim(part);
	}
	*text = mr_trim(*text);
	return text->s < text->end && (mr_begins(*id, "STAT_") || mr_begins(*id, "MCR_"));
}

static enum status parse_stat(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_text id, text;
	enum status st;
	int64_t bytes;

	if (memreport_parse_stat(line, &id, &text, &bytes))
		return count(m, "", id, "B", bytes, e);
	st = parse_pair(m, line, e);
	return st == ST_NONE ? parse_sizes(m, "", line, e) : st;
}

/* --- rows --- */

/* Resources are not among what the objects have. */
static enum status push_row(struct memreport *m, struct mr_text type, struct mr_text name,
			    const struct mr_row *r, struct err *e)
{
	struct mr_block own = {type, name, NULL, r->v[MR_COUNT], r->v[MR_NUM], r->v[MR_MAX]};
	struct mr_block more = {
	    type, name, " (resources)", 0, r->v[MR_RESOURCES], r->v[MR_RESOURCES]};
	enum status st = memreport_push(m, &own, e);

	return st || !r->v[MR_RESOURCES] ? st : memreport_push(m, &more, e);
}

/* "22213 Objects (Total: 42.044M / Max: 48.201M / Res: 104.026M | ..." */
static enum status parse_sum(struct memreport *m, struct mr_text line, bool *is_sum, struct err *e)
{
	static const char *const words[] = {"Total: ", "Max: ", "Res: "};
	static const char *const names[] = {"objects", "objects max", "object resources"};
	struct mr_text number, part;
	enum status st = ST_OK;
	int64_t v;

	*is_sum = mr_split(&line, " Objects (", &number) && mr_number(mr_trim(number), 1, &v);
	if (!*is_sum || m->section != MR_CLASSES)
		return ST_OK;
	st = count(m, "objects count", (struct mr_text){NULL, NULL}, "", v, e);
	for (int i = 0; !st && i < 3; i++)
		if (mr_split(&line, words[i], &part) && mr_split(&line, "M", &number) &&
		    mr_number(number, 1 << 20, &v))
			st = count(m, names[i], (struct mr_text){NULL, NULL}, "B", v, e);
	return st;
}

static enum status parse_class(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_row r;
	bool is_sum;
	enum status st = parse_sum(m, line, &is_sum, e);

	if (is_sum)
		m->in_table = false;
	if (is_sum || !m->in_table) {
		m->in_table |= !is_sum && mr_head(line, "Class", &m->columns);
		return st;
	}
	if (!mr_row(line, &m->columns, &r))
		return refuse_row(m);
	return push_row(m, r.name, r.name, &r, e);
}

static enum status memreport_parse_object(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_text type, name;
	struct mr_row r;
	bool is_sum;
	enum status st = parse_sum(m, line, &is_sum, e);
	struct mr_columns c;

	if (is_sum || mr_head(line, "Class", &c)) {
		m->in_table = false;
		return st;
	}
	if (!m->in_table) {
		m->in_table = mr_head(line, "Object", &m->columns);
		return st;
	}
	if (!mr_row(line, &m->columns, &r))
		return refuse_row(m);
	name = r.name;
	if (!mr_split(&name, " ", &type))
		return refuse_row(m);
	r.v[MR_COUNT] = 1;
	return push_row(m, type, mr_trim(name), &r, e);
}

/* Block size, pools, most of them, blocks, all that were, two sizes, used, slack, waste, percent. */
static enum status memreport_parse_pool(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_text words[11] = {{NULL, NULL}}, rest = mr_trim(line), first = rest;
	struct mr_block b = {.suffix = NULL};
	int64_t slack, waste, size;

	if (!m->in_pools) {
		m->in_pools = mr_begins(rest, "----------");
		return ST_OK;
	}
	if (!mr_split(&rest, " ", &first) || !mr_number(first, 1, &size)) {
		m->in_pools = false; /* their sum */
		return ST_OK;
	}
	rest = mr_trim(line);
	for (int i = 11; i-- > 0;)
		words[i] = mr_last_word(&rest);
	if (mr_trim(rest).s != mr_trim(rest).end)
		return refuse_row(m);
	for (int i = 7; i < 10; i++)
		words[i].end -= words[i].end > words[i].s && words[i].end[-1] == 'K';
	if (!mr_number(words[3], 1, &b.count) || !mr_number(words[7], 1024, &b.requested) ||
	    !mr_number(words[8], 1024, &slack) || !mr_number(words[9], 1024, &waste) ||
	    b.count < 0 || b.requested < 0 || slack < 0 || waste < 0)
		return refuse_row(m);
	b.type = words[0];
	b.real = (int64_t)((uint64_t)b.requested + (uint64_t)slack + (uint64_t)waste);
	return memreport_push(m, &b, e);
}

static enum status memreport_parse_rhi(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_text name;
	struct mr_block b = {.count = 1};

	line = mr_trim(line);
	if (!memreport_parse_stat(line, &name, &b.name, &b.requested)) {
		if (mr_begins(line, "RHI resource memory"))
			return ST_OK;
		return memreport_count_sizes(m, "RHI", (struct mr_text){line.s, line.s}, line, e);
	}
	if (m->want != MR_RHI) {
		m->elsewhere[MR_RHI]++;
		return count(m, "", name, "B", b.requested, e);
	}
	if (b.requested < 0)
		return refuse_row(m);
	b.type = b.name;
	b.real = b.requested;
	return memreport_push(m, &b, e);
}

/* "Name: A.B - Type: Buffer - Size: 2048.000000000 MB - Flags: Resident | UAV - Owner: None" */
static enum status memreport_parse_tracked(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_block b = {.count = 1};
	struct mr_text size, part;
	int64_t v;

	if (mr_skip_word(&line, "Showing ")) {
		if (mr_split(&line, " of ", &part) && mr_number(part, 1, &v)) {
			m->shown = (uint64_t)v;
			if (mr_split(&line, " ", &part) && mr_number(part, 1, &v))
				m->matched = (uint64_t)v;
		}
		return ST_OK;
	}
	if (!mr_skip_word(&line, "Name: ")) {
		line = mr_trim(line);
		if (mr_skip_word(&line, "Total tracked resource size: "))
			return memreport_count_sizes(m, "RHI tracked",
						     (struct mr_text){line.s, line.s}, line, e);
		return parse_sizes(m, "RHI tracked", line, e);
	}
	if (!mr_split(&line, " - Type: ", &b.name) || !mr_split(&line, " - Size: ", &b.type) ||
	    !mr_split(&line, " MB", &size) || !mr_number(size, 1 << 20, &b.requested) ||
	    b.requested < 0)
		return refuse_row(m);
	b.real = b.requested;
	return memreport_push(m, &b, e);
}

/* "   5.134MB 1284x 524           1mip(s) SceneColor (FloatRGBA)   Unused frames: 1" */
static enum status memreport_parse_target(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_block b = {.count = 1};
	struct mr_text size, rest, part;
	const char *open;

	line = mr_trim(line);
	if (mr_begins(line, "Pooled Render Targets"))
		return ST_OK;
	if (memmem(line.s, mr_length(line), "MB total, ", 10))
		return memreport_count_sizes(m, "render targets", (struct mr_text){line.s, line.s},
					     line, e);
	rest = line;
	if (!mr_split(&rest, "MB ", &size) || !mr_number(size, 1 << 20, &b.requested) ||
	    b.requested < 0 || !mr_split(&rest, "mip(s) ", &part))
		return refuse_row(m);
	if (mr_split(&rest, "Unused frames:", &part))
		rest = part;
	rest = mr_trim(rest);
	open = rest.s < rest.end ? memrchr(rest.s, '(', mr_length(rest)) : NULL;
	if (!open || rest.end[-1] != ')')
		return refuse_row(m);
	b.name = mr_trim((struct mr_text){rest.s, open});
	b.type = (struct mr_text){open + 1, rest.end - 1};
	b.real = b.requested;
	return memreport_push(m, &b, e);
}

/* "2048x2048 (5461 KB, 0), 512x512 (341 KB), PF_BC5, TEXTUREGROUP_World, /Game/T.T, YES, 3": at most,
 * in memory, format, group, name. The type is group and format. */
static enum status memreport_parse_texture(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_block b = {.count = 1};
	struct mr_text most, now, format, group, part;
	char type[256];

	line = mr_trim(line);
	if (mr_skip_word(&line, "Total ")) {
		if (mr_split(&line, "size: InMem=", &part)) {
			part = mr_trim(part);
			m->name.len = 0;
			buf_adds(&m->name, "textures ");
			buf_add(&m->name, part.s, mr_length(part));
			if (!mr_next_size(&line, &part, &b.real))
				return refuse_row(m);
			m->name.len -= m->name.data[m->name.len - 1] == ' ';
			return count_named(m, "B", b.real, e);
		}
		return ST_OK;
	}
	if (mr_begins(line, "Listing ") || mr_begins(line, "MaxAllowedSize:") ||
	    mr_begins(line, "Cooked/OnDisk:"))
		return ST_OK;
	if (!mr_split(&line, "), ", &most) || !mr_split(&line, " (", &part) ||
	    !mr_split(&line, " KB), ", &now) || !mr_number(now, 1024, &b.requested) ||
	    b.requested < 0 || !mr_split(&line, ", ", &format) || !mr_split(&line, ", ", &group) ||
	    !mr_split(&line, ", ", &b.name) ||
	    mr_length(format) + mr_length(group) > sizeof type - 2)
		return refuse_row(m);
	memcpy(type, group.s, mr_length(group));
	type[mr_length(group)] = ' ';
	memcpy(type + mr_length(group) + 1, format.s, mr_length(format));
	b.type = (struct mr_text){type, type + mr_length(group) + 1 + mr_length(format)};
	b.real = b.requested;
	return memreport_push(m, &b, e);
}

/* "Total          3467296          3813676" */
static enum status parse_config(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_text most = mr_last_word(&line), used = mr_last_word(&line);
	int64_t v;

	(void)most;
	if (!mr_is(mr_trim(line), "Total") || !mr_number(used, 1, &v))
		return ST_OK;
	return count(m, "config cache", (struct mr_text){NULL, NULL}, "B", v, e);
}

static enum status parse_actors(struct memreport *m, struct mr_text line, struct err *e)
{
	int64_t v;

	if (!mr_skip_word(&line, "Total: ") || !mr_number(line, 1, &v))
		return ST_OK;
	return count(m, "spawned actors", (struct mr_text){NULL, NULL}, "", v, e);
}

/* --- the section that a line belongs to --- */

static const struct {
	const char *begins;
	enum mr_section section;
} headings[] = {
    {"Allocator Stats for ", MR_ALLOCATOR},
    {"FMallocBinned", MR_ALLOCATOR},
    {"Memory Stats:", MR_STATS},
    {"RHI resource memory", MR_RHI},
    {"Tracked RHIResources", MR_TRACKED},
    {"Pooled Render Targets:", MR_TARGETS},
    {"Deferred Render Targets:", MR_NONE},
    {"Listing all textures", MR_TEXTURES},
    {"Listing all sounds", MR_NONE},
    {"Listing spawned actors", MR_ACTORS},
    {"Listing ", MR_NONE},
    {"Levels:", MR_NONE},
    {"Particle", MR_NONE},
    {"Config cache memory usage:", MR_CONFIG},
    {"MemReport: ", MR_NONE},
};

/* "Obj List: class=StaticMesh -alphasort"; a list that comes again says the same. */
static enum mr_section list_of(struct memreport *m, struct mr_text line)
{
	struct mr_text before, class;
	bool all = !mr_split(&line, "class=", &before);
	uint32_t *known;

	class = line;
	mr_split(&line, " ", &class);
	known = map64_put(&m->lists, all ? UINT32_MAX : string_of(m, class));
	if (*known)
		return MR_NONE;
	*known = 1;
	return all ? MR_CLASSES : MR_OBJECTS;
}

static bool heading(struct memreport *m, struct mr_text line)
{
	if (mr_begins(line, "Obj List:")) {
		m->section = list_of(m, line);
		m->in_table = false;
		return true;
	}
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
		if (mr_begins(line, headings[i].begins)) {
			m->section = headings[i].section;
			m->in_pools = false;
			return true;
		}
	return false;
}

static enum status memreport_parse_row(struct memreport *m, struct mr_text line, struct err *e)
{
	switch (m->section) {
	case MR_PLATFORM:
	case MR_STATS: return parse_stat(m, line, e);
	case MR_ALLOCATOR:
		return m->want == MR_ALLOCATOR || isdigit((unsigned char)*mr_trim(line).s) ||
			       mr_begins(mr_trim(line), "----------")
			   ? memreport_parse_pool(m, line, e)
			   : parse_sizes(m, "allocator", line, e);
	case MR_CLASSES: return m->want == MR_CLASSES ? parse_class(m, line, e) : ST_OK;
	case MR_OBJECTS: return memreport_parse_object(m, line, e);
	case MR_RHI: return memreport_parse_rhi(m, line, e);
	case MR_TRACKED: return memreport_parse_tracked(m, line, e);
	case MR_TARGETS: return memreport_parse_target(m, line, e);
	case MR_TEXTURES: return memreport_parse_texture(m, line, e);
	case MR_CONFIG: return parse_config(m, line, e);
	case MR_ACTORS: return parse_actors(m, line, e);
	case MR_NONE:
	case MR_SECTIONS: break;
	}
	m->unread++;
	return ST_OK;
}

/* Lines of their own, most before the first section. The command line is left out: it has the names of users and what
 * signs them in. */
static bool memreport_parse_attribute(struct memreport *m, struct mr_text line)
{
	static const char *const keys[][2] = {{"Changelist: ", "unreal.changelist"},
					      {"Config: ", "unreal.config"},
					      {"Device Name: ", "unreal.device"},
					      {"Device Profile: ", "unreal.profile"},
					      {"Time Since Boot: ", "unreal.running"},
					      {"CommandLine Options:", NULL},
					      {"Local PlayerController: ", NULL},
					      {"Platform Memory Stats for ", "unreal.platform"}};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		char *value;

		if (!mr_skip_word(&line, keys[i][0]))
			continue;
		m->section = i + 1 == sizeof keys / sizeof *keys ? MR_PLATFORM : m->section;
		line = mr_trim(line);
		value = mem_strndup(line.s, mr_length(line));
		if (keys[i][1])
			trace_set(m->im->t, keys[i][1], value);
		free(value);
		return true;
	}
	return false;
}

/* "Shown 168 entries with name Lumen. Size: 1258.29/5173.68 MB (24.32% ...)" */
static enum status parse_shown(struct memreport *m, struct mr_text line, struct err *e)
{
	struct mr_text name, size;
	int64_t bytes;

	if (!mr_split(&line, " entries with ", &name) || !mr_split(&line, ". Size: ", &name) ||
	    !mr_split(&line, "/", &size) || !mr_number(size, 1 << 20, &bytes))
		return ST_OK;
	return count(m, "RHI tracked", name, "B", bytes, e);
}

static enum status memreport_parse_lines(struct memreport *m, struct err *e)
{
	struct cursor *c = &m->im->in->cur;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	while (!st && (s = cursor_line(c, &n, MR_LINE))) {
		struct mr_text line = {s, s + n};

		m->number++;
		if (mr_trim(line).s == mr_trim(line).end)
			continue;
		m->cut = (const char *)c->pos == s + n;
		if (mr_begins(line, "Shown "))
			st = parse_shown(m, line, e);
		else if (!memreport_parse_attribute(m, line) && !heading(m, line))
			st = memreport_parse_row(m, line, e);
	}
	return !st && cursor_failed(c) ? err_failure(e) : st;
}

/* --- the whole --- */

static const struct reader_part memreport_parts[] = {
    {"memreport-objects", CAPABILITY_TYPES | CAPABILITY_OBJECTS,
     "of a .memreport: objects of the classes that it lists"},
    {"memreport-pools", CAPABILITY_TYPES | CAPABILITY_OBJECTS,
     "of a .memreport: block sizes of the binned allocator"},
    {"memreport-resources", CAPABILITY_TYPES | CAPABILITY_OBJECTS,
     "of a .memreport: the largest resources of the RHI"},
    {"memreport-rhi", CAPABILITY_TYPES | CAPABILITY_OBJECTS,
     "of a .memreport: memory of the RHI by kind"},
    {"memreport-targets", CAPABILITY_TYPES | CAPABILITY_OBJECTS,
     "of a .memreport: pooled render targets"},
    {"memreport-textures", CAPABILITY_TYPES | CAPABILITY_OBJECTS,
     "of a .memreport: textures by group and format"},
    {NULL, 0, NULL},
};

/* Of the file as a whole, and of each of its parts. */
static const struct {
	enum mr_section want;
	const char *what; /* that a report without it lacks */
} sections[] = {
    {MR_CLASSES, "a list of classes or a total"},
    {MR_OBJECTS, "a list of a class"},
    {MR_ALLOCATOR, "pools of the binned allocator"},
    {MR_TRACKED, "tracked resources of the RHI"},
    {MR_RHI, "memory of the RHI"},
    {MR_TARGETS, "render targets"},
    {MR_TEXTURES, "a list of all textures"},
};

/* Of a report whose list of classes was not asked for, as "memreport" without -full is. */
static void memreport_note_others(const struct memreport *m)
{
	const char *formats[MR_SECTIONS] = {NULL};
	struct buf b = BUF_INIT;

	for (size_t i = 0; memreport_parts[i].name; i++)
		formats[sections[i + 1].want] = memreport_parts[i].name;
	for (size_t i = 0; i < MR_SECTIONS; i++)
		if (formats[i] && m->elsewhere[i])
			buf_addf(&b, "%s -f %s has %" PRIu64 " rows", b.len ? "," : ":", formats[i],
				 m->elsewhere[i]);
	trace_note(m->im->t, NOTE_GUESS, 0,
		   "read as a list of classes, but the report has no "
		   "such list%s",
		   buf_str(&b));
	buf_release(&b);
}

static void memreport_add_notes(const struct memreport *m)
{
	struct trace *t = m->im->t;
	const struct trace_loss losses[] = {
	    LOSS_WITH(NOTE_LOSS, m->refused,
		      "rows of tables have an unknown form, the first is line {}",
		      m->first_refused),
	    LOSS_IF(NOTE_GUESS, m->cut, "the last line has no newline: it is read as it is"),
	    LOSS(NOTE_GUESS,
		 m->want == MR_TRACKED && m->shown < m->matched ? m->matched - m->shown : 0,
		 "resources are not in the report, which has only the largest"),
	};

	TRACE_LOSSES(t, losses);
	if (m->want == MR_CLASSES && !m->rows)
		memreport_note_others(m);
	if (m->want == MR_CLASSES && m->unread)
		trace_note(t, NOTE_INFO, m->unread,
			   "lines are of sections that other formats read: see "
			   "memreport-textures and others in tm-import --list-formats");
}

static enum status memreport_read(struct import *im, struct err *e)
{
	static const enum metric metrics[] = {METRIC_COUNT, METRIC_REQUESTED, METRIC_REAL};
	size_t asked = im->part ? (size_t)(im->part - memreport_parts) + 1 : 0;
	struct memreport m = {.im = im, .want = sections[asked].want};
	enum status st;

	for (int i = 0; i < 3; i++)
		trace_metric(im->t, metrics[i],
			     m.want == MR_TRACKED ? METRIC_LOWER_BOUND : METRIC_EXACT,
			     METRIC_AT_ALL);
	st = import_begin(im, e);
	if (!st)
		st = memreport_parse_lines(&m, e);
	if (!st && !m.rows && !m.counted)
		st = err_at(e, ST_BAD, 0, "the report of Unreal Engine lacks %s",
			    sections[asked].what);
	memreport_add_notes(&m);
	map64_release(&m.counters);
	map64_release(&m.lists);
	buf_release(&m.name);
	free(m.path);
	return st;
}

static int memreport_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char platform[] = "\nPlatform Memory Stats for ";
	static const char command[] = "\nMemReport: Begin command \"";
	static const char process[] = "\nProcess Physical Memory: ";

	(void)whole;
	if (n && memchr(head, 0, n))
		return 0;
	if (memmem(head, n, command, sizeof command - 1))
		return 100;
	return memmem(head, n, platform, sizeof platform - 1) &&
		       memmem(head, n, process, sizeof process - 1)
		   ? 100
		   : 0;
}

const struct reader reader_memreport = {
    .name = "memreport",
    .family = "Unreal Engine",
    .page = "memreport",
    .capabilities = CAPABILITY_TYPES | CAPABILITY_COUNTERS | CAPABILITY_OBJECTS,
    .what = "Unreal Engine's .memreport: classes of objects, and all totals",
    .suffixes = "memreport",
    .parts = memreport_parts,
    .cut = CUT_AT_LINE,
    .bid = memreport_bid,
    .read = memreport_read,
};
