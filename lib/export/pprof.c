/* SPDX-License-Identifier: MIT
 *
 * pprof's profile.proto: gzip over one protobuf message (profile.proto says where the field
 * numbers are from). Messages of a repeated field may be packed one after the other, since
 * concatenated protobuf messages merge: so nothing is built in memory but ids.
 *
 * A sample is a (type, stack, domain); the type is the label "type", and the domain, when all are
 * exported, the label "domain". Sample types are what the captures know; an address is the
 * link-time one, within the call as pprof has it, and so a mapping starts at 0. Every location has a function, by place where
 * nothing names it, so the profile says that no mapping needs symbols.
 */
#include "lib/export/profile.h"
#include "lib/export/profile.pb-c.h"
#include "lib/export/text.h"

#include "lib/base/id_text.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/base/utf.h"
#include "lib/pack/deflate.h"

#include <stdlib.h>
#include <string.h>

struct pprof {
	struct export export; /* first */
	struct export_profile profile;
	struct gzip *gzip;
	struct intern strings;   /* ids are indexes in the table; "" is 0 */
	struct intern functions; /* (function, file) -> id */
	struct intern mappings;  /* (module, build id) -> id */
	struct pprof_mapping {
		uint32_t module, build_id;
		uint64_t end;
		uint8_t tier; /* the best of its locations */
		bool inlined;
	} * by_id;
	size_t n_mappings, cap_mappings;
	uint32_t *names; /* string of names -> string in the table + 1 */
	uint8_t *used;   /* by location of names */
	struct buf text;
	struct export_profile_column columns[PROFILE_COLUMNS];
	size_t n_columns;
};

struct to_gzip {
	ProtobufCBuffer base; /* first */
	struct gzip *gzip;
};

static void export_pprof_append(ProtobufCBuffer *b, size_t n, const uint8_t *data)
{
	gzip_write(((struct to_gzip *)b)->gzip, data, n);
}

static void put(struct pprof *f, const Pprof__Profile *m)
{
	struct to_gzip to = {{export_pprof_append}, f->gzip};

	pprof__profile__pack_to_buffer(m, &to.base);
}

static void put_text(struct pprof *f, char *text)
{
	Pprof__Profile m = PPROF__PROFILE__INIT;

	m.n_string_table = 1;
	m.string_table = &text;
	put(f, &m);
}

static int64_t add_text(struct pprof *f, const char *s, size_t n)
{
	uint32_t before = intern_count(&f->strings), id;

	if (!n)
		return 0;
	f->text.len = 0;
	utf8_add_text(&f->text, s, n);
	id = intern_add(&f->strings, f->text.data, f->text.len);
	if (id > before) {
		buf_str(&f->text);
		put_text(f, f->text.data);
	}
	return id;
}

static int64_t add_textz(struct pprof *f, const char *s)
{
	return add_text(f, s, strlen(s));
}

static int64_t name_text(struct pprof *f, uint32_t string)
{
	const char *s;
	size_t n;

	if (!string)
		return 0;
	if (!f->names[string]) {
		s = names_text(&f->profile.groups.names, string, &n);
		f->names[string] = (uint32_t)add_text(f, s, n) + 1;
	}
	return f->names[string] - 1;
}

static int64_t id_text(struct pprof *f, const struct pprof_mapping *x)
{
	size_t n, n_module;
	struct group_names *names = &f->profile.groups.names;
	const char *s = names_text(names, x->build_id, &n),
		   *module = names_text(names, x->module, &n_module);
	struct buf b = BUF_INIT;
	int64_t id;

	id_text_add(&b, path_is_of_windows(module, n_module), s, n);
	id = add_text(f, b.data, b.len);
	buf_release(&b);
	return id;
}

static uint64_t export_pprof_function_id(struct pprof *f, const struct names_call *c)
{
	const struct names_function *nf = &f->profile.groups.names.functions[c->function];
	uint32_t key[2] = {c->function, c->file}, before = intern_count(&f->functions);
	uint32_t id = intern_add(&f->functions, (const char *)key, sizeof key);
	Pprof__Function m = PPROF__FUNCTION__INIT, *list = &m;
	Pprof__Profile p = PPROF__PROFILE__INIT;
	const char *raw;
	size_t n;

	if (id <= before)
		return id;
	m.id = id;
	m.name = name_text(f, nf->display);
	/* pprof takes a name that equals its system name for a mangled one, and would cut off what
	 * looks like template arguments. With a file behind it a raw name is no such name. */
	raw = names_text(&f->profile.groups.names, nf->raw, &n);
	if (nf->raw != nf->display && strlen(raw) == n)
		m.system_name = name_text(f, nf->raw);
	m.filename = name_text(f, c->file);
	p.n_function = 1;
	p.function = &list;
	put(f, &p);
	return id;
}

/* profile.proto: of a call, an address within its instruction, not behind it. */
static uint64_t address_within(const struct names_location *l)
{
	return l->address - (l->behind && l->address ? 1 : 0);
}

static uint64_t export_pprof_mapping_id(struct pprof *f, const struct names_location *l)
{
	uint32_t key[2] = {l->module, l->build_id}, id;
	struct pprof_mapping *m;

	if (!l->module)
		return 0;
	id = intern_add(&f->mappings, (const char *)key, sizeof key);
	if (id > f->n_mappings)
		VEC_PUSH(f->by_id, f->n_mappings, f->cap_mappings) =
		    (struct pprof_mapping){.module = l->module, .build_id = l->build_id};
	m = &f->by_id[id - 1];
	if (l->has_address && address_within(l) >= m->end)
		m->end = address_within(l) < UINT64_MAX ? address_within(l) + 1 : UINT64_MAX;
	if (l->tier > m->tier)
		m->tier = l->tier;
	m->inlined |= l->n_calls > 1;
	return id;
}

/* The row without a stack is 0 in names, which no id may be. */
static uint64_t location_id(const struct pprof *f, uint32_t location)
{
	return location ? location : f->profile.groups.names.n_locations;
}

static void export_pprof_put_location(struct pprof *f, uint32_t location)
{
	const struct names_location *l = &f->profile.groups.names.locations[location];
	Pprof__Location m = PPROF__LOCATION__INIT, *list = &m;
	Pprof__Line *lines = mem_array(l->n_calls, sizeof *lines);
	Pprof__Line **line_list = mem_array(l->n_calls, sizeof *line_list);
	Pprof__Profile p = PPROF__PROFILE__INIT;

	for (uint32_t i = 0; i < l->n_calls; i++) {
		const struct names_call *c = &f->profile.groups.names.calls[l->first + i];

		pprof__line__init(&lines[i]);
		lines[i].function_id = export_pprof_function_id(f, c);
		lines[i].line = c->line;
		line_list[i] = &lines[i];
	}
	m.id = location_id(f, location);
	m.mapping_id = export_pprof_mapping_id(f, l);
	m.address = l->has_address ? address_within(l) : 0;
	m.n_line = l->n_calls;
	m.line = line_list;
	p.n_location = 1;
	p.location = &list;
	put(f, &p);
	free(lines);
	free(line_list);
}

static void put_mapping(struct pprof *f, size_t i)
{
	const struct pprof_mapping *x = &f->by_id[i];
	Pprof__Mapping m = PPROF__MAPPING__INIT, *list = &m;
	Pprof__Profile p = PPROF__PROFILE__INIT;

	m.id = i + 1;
	m.memory_limit = x->end;
	m.filename = name_text(f, x->module);
	m.build_id = id_text(f, x);
	m.has_functions = true;
	m.has_filenames = m.has_line_numbers = x->tier == TIER_LINE;
	m.has_inline_frames = x->inlined;
	p.n_mapping = 1;
	p.mapping = &list;
	put(f, &p);
}

static bool is_library(const struct pprof *f, size_t i)
{
	const char *s = names_text(&f->profile.groups.names, f->by_id[i].module, NULL);

	return *s == '[' || strstr(s, ".so");
}

/* The first mapping is what pprof calls the profile by: the executable, where there is one. */
static void put_mappings(struct pprof *f)
{
	for (size_t i = 0; i < f->n_mappings; i++)
		if (!is_library(f, i))
			put_mapping(f, i);
	for (size_t i = 0; i < f->n_mappings; i++)
		if (is_library(f, i))
			put_mapping(f, i);
}

static void export_pprof_put_head(struct pprof *f, enum sum first)
{
	const struct export_profile *p = &f->profile;
	static const char *const units[] = {
	    [SUM_NUMBER] = "count", [SUM_BYTES] = "bytes", [SUM_NS] = "nanoseconds"};
	char nothing[1] = "";
	bool chosen = false;

	put_text(f, nothing);
	f->n_columns = export_profile_columns(p, export_profile_shown(p, first), f->columns);
	for (size_t i = 0; i < f->n_columns; i++) {
		const struct export_profile_column *c = &f->columns[i];
		Pprof__ValueType m = PPROF__VALUE_TYPE__INIT, *list = &m;
		Pprof__Profile message = PPROF__PROFILE__INIT;

		m.type = c->event ? add_textz(f, intern_text(&p->types, c->event, NULL))
				  : add_textz(f, c->metric->sample_type);
		m.unit = c->unit ? add_textz(f, intern_text(&p->types, c->unit, NULL))
				 : add_textz(f, units[metric_table[c->metric->sum].unit]);
		message.n_sample_type = 1;
		message.sample_type = &list;
		if (c->metric->sum == first && !chosen) {
			message.default_sample_type = m.type;
			chosen = true;
		}
		put(f, &message);
	}
}

static void export_pprof_put_comments(struct pprof *f)
{
	const struct export_profile *p = &f->profile;
	struct buf b = BUF_INIT;

	buf_addf(&b, "tm-export %s", TM_VERSION);
	for (uint32_t i = 1; i <= intern_count(&p->formats); i++)
		buf_addf(&b, "%s%s", i > 1 ? ", " : " of ", intern_text(&p->formats, i, NULL));
	for (uint32_t i = 0; i <= intern_count(&p->notes); i++) {
		Pprof__Profile m = PPROF__PROFILE__INIT;
		size_t n;
		const char *s = intern_text(&p->notes, i, &n);
		int64_t id = i ? add_text(f, s, n) : add_text(f, b.data, b.len);

		m.n_comment = 1;
		m.comment = &id;
		put(f, &m);
	}
	buf_release(&b);
}

static void mark_used(struct pprof *f)
{
	const struct export_profile *p = &f->profile;
	uint8_t *stacks = mem_zarray(p->groups.stacks.n, 1);

	for (size_t i = 0; i < p->rows.n; i++)
		stacks[export_profile_stack(p, i)] = 1;
	if (stacks[0])
		f->used[0] = 1;
	for (size_t i = p->groups.stacks.n; i-- > 1;)
		if (stacks[i]) {
			stacks[p->groups.stacks.rows[i].parent] = 1;
			f->used[p->groups.stacks.rows[i].location] = 1;
		}
	free(stacks);
}

static void export_pprof_put_samples(struct pprof *f)
{
	const struct export_profile *p = &f->profile;
	uint64_t *ids = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < p->rows.n; i++) {
		uint32_t type = export_profile_type(p, i);
		Pprof__Label labels[2] = {PPROF__LABEL__INIT, PPROF__LABEL__INIT};
		Pprof__Label *label_list[] = {&labels[0], &labels[1]};
		Pprof__Sample m = PPROF__SAMPLE__INIT, *list = &m;
		Pprof__Profile message = PPROF__PROFILE__INIT;
		int64_t values[PROFILE_COLUMNS];
		size_t depth = 0;

		for (size_t k = 0; k < f->n_columns; k++) {
			uint64_t sum = export_profile_column_sum(p, i, &f->columns[k]);

			values[m.n_value++] = sum < INT64_MAX ? (int64_t)sum : INT64_MAX;
		}
		for (uint32_t k = export_profile_stack(p, i); k || !depth;
		     k = p->groups.stacks.rows[k].parent) {
			ids = mem_grow(ids, &cap, depth + 1, sizeof *ids);
			ids[depth++] = location_id(f, p->groups.stacks.rows[k].location);
			if (!k)
				break;
		}
		if (type) {
			size_t n;
			const char *s = intern_text(&p->types, type, &n);

			labels[m.n_label].key = add_textz(f, "type");
			labels[m.n_label++].str = add_text(f, s, n);
		}
		if (p->options->domain == EXPORT_DOMAIN_ALL) {
			labels[m.n_label].key = add_textz(f, "domain");
			labels[m.n_label++].str =
			    add_textz(f, domain_name(export_profile_domain(p, i)));
		}
		m.value = values;
		m.location_id = ids;
		m.n_location_id = depth;
		m.label = label_list;
		message.n_sample = 1;
		message.sample = &list;
		put(f, &message);
	}
	free(ids);
}

static enum status export_pprof_finish(struct export *x, struct err *e)
{
	struct pprof *f = (struct pprof *)x;
	struct export_profile *p = &f->profile;
	enum sum first;
	enum status st = export_profile_sort(p, false, &first, e);

	if (st)
		return st;
	if (export_profile_check_depth(&f->profile, false, e))
		return err_failure(e);
	export_profile_close(&f->profile);
	f->names = mem_zarray(intern_count(&p->groups.names.strings) + 1u, sizeof *f->names);
	f->used = mem_zarray(p->groups.names.n_locations, sizeof *f->used);
	export_pprof_put_head(f, first);
	export_pprof_put_comments(f);
	mark_used(f);
	for (uint32_t i = 0; i < p->groups.names.n_locations; i++)
		if (f->used[i])
			export_pprof_put_location(f, i);
	put_mappings(f);
	export_pprof_put_samples(f);
	return gzip_finish(f->gzip, e);
}

static void export_pprof_release(struct export *x)
{
	struct pprof *f = (struct pprof *)x;

	export_profile_release(&f->profile);
	gzip_free(f->gzip);
	intern_release(&f->strings);
	intern_release(&f->functions);
	intern_release(&f->mappings);
	buf_release(&f->text);
	free(f->by_id);
	free(f->names);
	free(f->used);
	free(f);
}

static struct export *export_pprof_open(const struct export_options *o, FILE *out, struct err *e)
{
	struct pprof *f = mem_zalloc(sizeof *f);

	(void)e;
	export_profile_init(&f->profile, o);
	f->export = (struct export){.sink = &f->profile.tally.sink,
				    .finish = export_pprof_finish,
				    .free = export_pprof_release};
	f->gzip = gzip_new(out);
	return &f->export;
}

const struct exporter exporter_pprof = {
    .name = "pprof",
    .what = "pprof's profile.proto, gzipped",
    .endings = {".pb.gz", ".pprof"},
    .flags = EXPORT_BINARY | EXPORT_FILTERED | EXPORT_VIEW,
    .open = export_pprof_open,
};
