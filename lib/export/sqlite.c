/* SPDX-License-Identifier: MIT
 *
 * A SQLite database: sqlite_schema.h has its tables. What a capture does not know is NULL. Sums
 * above 2^63-1 are that; addresses are stored as they are, so from 2^63 on they are negative
 * numbers that printf('%x') shows right. All is one transaction without a journal: the file is
 * made aside, and one that is not finished is not kept.
 */
#include "lib/export/profile.h"
#include "lib/export/sqlite_schema.h"
#include "lib/export/text.h"

#include "lib/base/id_text.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/base/utf.h"
#include "lib/db/db.h"
#include "lib/trace/reading.h"
#include "lib/trace/tap.h"

#include <stdlib.h>
#include <string.h>

struct sums_of { /* of the frame: entries, count, requested, real */
	uint64_t v[4];
};

struct database {
	struct export export; /* first */
	struct sink_tap tap;  /* before the profile */
	struct export_profile profile;
	struct db *db;
	struct db_query *prepared[STATEMENTS];
	struct db_query *at; /* being bound, and its next parameter */
	unsigned parameter;
	struct err e; /* the first failure */
	struct buf text;
	/* of the capture */
	uint32_t run;
	int64_t frame, events; /* frame: id of the one in progress, or of the last */
	bool in_frame;
	int64_t threads;                  /* ids of those before */
	uint16_t from_allocs, from_types; /* enum event_field */
	struct sums_of sums[DOMAINS];
	struct intern modules;
};

static struct database *of_tap(struct sink_tap *tap)
{
	return (struct database *)((char *)tap - offsetof(struct database, tap));
}

static void failed(struct database *d)
{
	err_prefix(&d->e, "%s", d->profile.options->path);
}

static enum status result(const struct database *d, struct err *e)
{
	if (d->e.code)
		*e = d->e;
	return d->e.code;
}

static void execute(struct database *d, const char *sql)
{
	if (!d->e.code && db_execute(d->db, sql, &d->e))
		failed(d);
}

static void prepare(struct database *d, enum statement s)
{
	if (d->e.code || d->prepared[s])
		return;
	d->prepared[s] = db_prepare(d->db, statements[s], 0, &d->e);
	if (!d->prepared[s])
		failed(d);
}

static void row(struct database *d, enum statement s)
{
	d->at = d->prepared[s];
	d->parameter = 0;
}

static void put_int(struct database *d, int64_t v)
{
	db_put_int(d->at, ++d->parameter, v);
}

static void put_null(struct database *d)
{
	d->parameter++;
}

static void put_if(struct database *d, bool known, int64_t v)
{
	if (known)
		put_int(d, v);
	else
		put_null(d);
}

static void put_id(struct database *d, uint64_t id)
{
	put_if(d, id, (int64_t)id);
}

static void put_sum(struct database *d, bool known, uint64_t v)
{
	put_if(d, known, v < INT64_MAX ? (int64_t)v : INT64_MAX);
}

static void put_text(struct database *d, const char *s, size_t n)
{
	d->text.len = 0;
	utf8_add_text(&d->text, s, n);
	db_put_text(d->at, ++d->parameter, d->text.data, d->text.len);
}

static void put_textz(struct database *d, const char *s)
{
	if (s)
		put_text(d, s, strlen(s));
	else
		put_null(d);
}

static void put_string(struct database *d, const struct intern *in, uint32_t id)
{
	size_t n;
	const char *s = intern_text(in, id, &n);

	if (id)
		put_text(d, s, n);
	else
		put_null(d);
}

static void insert(struct database *d)
{
	if (d->e.code)
		return;
	if (db_step(d->at, &d->e) != ST_NONE)
		failed(d);
	db_reset(d->at);
}

static void run_row(struct database *d, enum statement s)
{
	row(d, s);
	put_int(d, d->run);
}

static void name_row(struct database *d, enum statement s, const struct intern *in, uint32_t id)
{
	row(d, s);
	put_int(d, id);
	put_string(d, in, id);
	insert(d);
}

/* --- while a capture is read --- */

static void export_sqlite_end_frame(struct database *d)
{
	for (unsigned domain = 0; domain < DOMAINS && d->in_frame; domain++) {
		const uint64_t *v = d->sums[domain].v;
		uint16_t has = d->from_allocs | d->from_types;

		if (!v[0] && !v[1] && !v[2] && !v[3])
			continue;
		row(d, INSERT_FRAME_SUM);
		put_int(d, d->frame);
		put_textz(d, domain_name(domain));
		put_sum(d, true, v[0]);
		put_sum(d, has & EV_HAS_COUNT, v[1]);
		put_sum(d, has & EV_HAS_REQUESTED, v[2]);
		put_sum(d, has & EV_HAS_REAL, v[3]);
		insert(d);
	}
	memset(d->sums, 0, sizeof d->sums);
}

static void start_frame(struct database *d, const struct trace *t, const struct event *ev)
{
	export_sqlite_end_frame(d);
	d->in_frame = true;
	row(d, INSERT_FRAME);
	put_int(d, ++d->frame);
	put_int(d, d->run);
	put_if(d, ev->has & EV_HAS_VALUE, ev->value);
	put_string(d, &t->strings, ev->has & EV_HAS_NAME ? ev->name : 0);
	put_if(d, ev->has & EV_HAS_TIME, ev->time);
	insert(d);
}

static void add_to_frame(struct database *d, const struct event *ev)
{
	bool is_alloc = event_allocates(ev->kind);
	uint16_t has = ev->has & (is_alloc ? d->from_allocs : d->from_types);
	uint64_t *v = d->sums[ev->domain < DOMAINS ? ev->domain : DOMAIN_MALLOC].v;

	v[0] += is_alloc;
	if (is_alloc && d->from_allocs & EV_HAS_COUNT)
		v[1] = add_saturating(v[1], ev->has & EV_HAS_COUNT ? ev->count : 1);
	else if (has & EV_HAS_COUNT)
		v[1] = add_saturating(v[1], ev->count);
	if (has & EV_HAS_REQUESTED)
		v[2] = add_saturating(v[2], ev->requested);
	if (has & EV_HAS_REAL)
		v[3] = add_saturating(v[3], ev->real);
}

/* Markers and counters are called by the names in types. */
static uint32_t event_type(struct database *d, const struct trace *t, const struct event *ev)
{
	uint32_t id = ev->type;

	if (event_has_marker(ev->kind))
		return id < t->n_markers ? export_profile_text(&d->profile, t, t->markers[id].name)
					 : 0;
	if (ev->kind == EV_COUNTER)
		return id < t->n_counters
			   ? export_profile_text(&d->profile, t, t->counters[id].name)
			   : 0;
	return id < t->n_types ? export_profile_text(&d->profile, t, t->types[id]) : 0;
}

/* A whole number, or the nearest that the database has with decimals. NULL: in the place of target. */
static void put_reading(struct database *d, const struct event *ev)
{
	bool there = ev && ev->has & EV_HAS_VALUE;

	if (there && reading_fraction(ev))
		db_put_real(d->at, ++d->parameter, decimal_to_double(reading_of(ev)));
	else
		put_if(d, there, there ? ev->value : 0);
}

static void export_sqlite_put_event(struct database *d, const struct trace *t,
				    const struct event *ev)
{
	static const uint16_t numbers[] = {EV_HAS_SEQ,       EV_HAS_ADDRESS, EV_HAS_COUNT,
					   EV_HAS_REQUESTED, EV_HAS_REAL,    EV_HAS_VALUE,
					   EV_HAS_TARGET};
	const int64_t values[] = {(int64_t)ev->seq,       (int64_t)ev->address, (int64_t)ev->count,
				  (int64_t)ev->requested, (int64_t)ev->real,    ev->value,
				  (int64_t)ev->target};

	run_row(d, INSERT_EVENT);
	put_int(d, ++d->events);
	put_textz(d, event_kind_name(ev->kind));
	put_id(d, d->in_frame ? (uint64_t)d->frame : 0);
	put_if(d, ev->has & EV_HAS_TIME, ev->time);
	put_id(d, ev->has & EV_HAS_THREAD && ev->thread && ev->thread < t->n_threads
		      ? (uint64_t)d->threads + ev->thread
		      : 0);
	put_id(d, ev->has & EV_HAS_TYPE ? event_type(d, t, ev) : 0);
	put_id(d, ev->has & EV_HAS_STACK && ev->stack < t->n_stacks ? ev->stack : 0);
	put_textz(d, event_allocates(ev->kind) || ev->kind == EV_FREE || ev->kind == EV_TYPE_TOTAL
			 ? domain_name(ev->domain)
			 : NULL);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (ev->kind != EV_COUNTER || numbers[i] < EV_HAS_VALUE)
			put_if(d, ev->has & numbers[i], values[i]);
		else
			put_reading(d, numbers[i] == EV_HAS_VALUE ? ev : NULL);
	put_string(d, &t->strings, ev->has & EV_HAS_NAME ? ev->name : 0);
	insert(d);
}

static enum status export_sqlite_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	static const uint16_t fields[] = {EV_HAS_COUNT, EV_HAS_REQUESTED, EV_HAS_REAL};
	struct database *d = of_tap(tap);

	d->run++;
	d->events = 0;
	d->in_frame = false;
	d->from_allocs = d->from_types = 0;
	for (size_t m = METRIC_COUNT; m <= METRIC_REAL; m++)
		if (t->metrics[m].state != METRIC_ABSENT)
			*(t->metrics[m].key == METRIC_AT_TYPE ? &d->from_types : &d->from_allocs) |=
			    fields[m];
	return result(d, e);
}

static enum status export_sqlite_batch(struct sink_tap *tap, struct trace *t,
				       const struct sink_batch *b, struct err *e)
{
	struct database *d = of_tap(tap);

	for (const struct event *ev = b->rows, *end = ev + b->n; ev < end && !d->e.code; ev++) {
		if (ev->kind == EV_FRAME)
			start_frame(d, t, ev);
		else if (d->in_frame && (event_allocates(ev->kind) || ev->kind == EV_TYPE_TOTAL))
			add_to_frame(d, ev);
		if (d->profile.options->events)
			export_sqlite_put_event(d, t, ev);
	}
	return result(d, e);
}

static enum status export_sqlite_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	(void)t, (void)e;
	export_sqlite_end_frame(of_tap(tap));
	return ST_OK;
}

static const struct tap_hooks export_sqlite_hooks = {
    .begin = export_sqlite_begin, .batch = export_sqlite_batch, .end = export_sqlite_end};

/* --- at its end --- */

static void export_sqlite_put_run(struct database *d, const struct trace *t)
{
	run_row(d, INSERT_RUN);
	put_textz(d, *d->profile.options->file);
	put_textz(d, trace_get(t, "format"));
	put_int(d, t->complete);
	insert(d);
	for (size_t i = 0; i < t->n_attributes; i++) {
		run_row(d, INSERT_ATTRIBUTE);
		put_textz(d, t->attributes[i].key);
		put_textz(d, t->attributes[i].value);
		insert(d);
	}
	for (unsigned m = 0; m < METRICS; m++) {
		run_row(d, INSERT_METRIC);
		put_textz(d, metric_name(m));
		put_textz(d, metric_state_name(t->metrics[m].state));
		put_int(d, t->metrics[m].key == METRIC_AT_TYPE);
		insert(d);
	}
	for (size_t i = 0; i < t->n_notes; i++) {
		run_row(d, INSERT_NOTE);
		put_textz(d, severity_name(t->notes[i].severity));
		put_textz(d, t->notes[i].text);
		put_sum(d, t->notes[i].count, t->notes[i].count);
		insert(d);
	}
	for (size_t i = 1; i < t->n_threads; i++) {
		const struct thread *th = &t->threads[i];

		row(d, INSERT_THREAD);
		put_int(d, d->threads + (int64_t)i);
		put_int(d, d->run);
		put_string(d, &t->strings, th->name);
		put_int(d, th->process);
		put_int(d, (int64_t)th->tid);
		put_int(d, th->generation);
		insert(d);
	}
	d->threads += (int64_t)t->n_threads;
}

static void put_type_totals(struct database *d, const struct export_profile_run *r)
{
	for (uint32_t type = 0; type < r->t->n_types; type++) {
		const struct tally_type *x = &r->a->types[type];

		if (!x->has)
			continue;
		run_row(d, INSERT_TYPE_TOTAL);
		put_id(d, export_profile_text(&d->profile, r->t, r->t->types[type]));
		put_sum(d, x->has & 1, x->count);
		put_sum(d, x->has & EV_HAS_REQUESTED >> 1, x->requested);
		put_sum(d, x->has & EV_HAS_REAL >> 1, x->real);
		insert(d);
	}
}

static void put_sums(struct database *d, size_t at, const enum sum sums[], size_t n)
{
	unsigned has = columns_has(&d->profile.sums.keys[0].self, at);

	for (size_t k = 0; k < n; k++)
		put_sum(d, has >> sums[k] & 1, export_profile_sum(&d->profile, at, sums[k]));
}

static void begin_row(struct database *d, enum statement s, size_t at)
{
	run_row(d, s);
	put_id(d, export_profile_type(&d->profile, at));
	put_id(d, export_profile_stack(&d->profile, at));
}

/* The capture's. */
static void put_rows(struct database *d)
{
	static const enum sum times[] = {SUM_SAMPLES, SUM_TIME_SELF, SUM_CALLS, SUM_PERIOD};
	static const enum sum sums[] = {SUM_ENTRIES,    SUM_COUNT,          SUM_REQUESTED, SUM_REAL,
					SUM_LIVE_COUNT, SUM_LIVE_REQUESTED, SUM_LIVE_REAL};
	struct export_profile *p = &d->profile;

	for (size_t i = 0; i < p->rows.n && !d->e.code; i++) {
		const unsigned has = columns_has(&p->sums.keys[0].self, i);

		/* A marker may be called as a type is: then it is both. */
		if (has & SUMS_MEASURED) {
			begin_row(d, INSERT_SAMPLE, i);
			put_sums(d, i, times, sizeof times / sizeof *times);
			insert(d);
		}
		if (!(has & ~(unsigned)SUMS_MEASURED))
			continue;
		begin_row(d, INSERT_ALLOCATION, i);
		put_textz(d, domain_name(export_profile_domain(p, i)));
		put_sums(d, i, sums, sizeof sums / sizeof *sums);
		insert(d);
	}
	export_profile_finish_run(p);
}

/* Events were stored with the capture's own stacks, whose names only its end knows. */
static void export_sqlite_merge_stacks(struct database *d, const struct export_profile_run *r)
{
	char sql[160];

	execute(d, "CREATE TEMP TABLE merged(own INTEGER PRIMARY KEY, id INTEGER)");
	prepare(d, INSERT_MERGED);
	for (size_t i = 1; i < r->t->n_stacks && !d->e.code; i++) {
		row(d, INSERT_MERGED);
		put_int(d, (int64_t)i);
		put_int(d, r->stacks[i]);
		insert(d);
	}
	snprintf(sql, sizeof sql,
		 "UPDATE events SET stack = (SELECT id FROM temp.merged WHERE own = stack)"
		 " WHERE run = %u AND stack IS NOT NULL;",
		 (unsigned)d->run);
	execute(d, sql);
	db_finish(d->prepared[INSERT_MERGED]);
	d->prepared[INSERT_MERGED] = NULL;
	execute(d, "DROP TABLE temp.merged");
}

static enum status export_sqlite_captured(void *arg, struct trace *t,
					  const struct export_profile_run *r, struct err *e)
{
	struct database *d = arg;

	export_sqlite_put_run(d, t);
	put_type_totals(d, r);
	put_rows(d);
	if (d->profile.options->events)
		export_sqlite_merge_stacks(d, r);
	return result(d, e);
}

/* --- when all were read --- */

static uint32_t export_sqlite_module_id(struct database *d, const struct names_location *l)
{
	const struct group_names *names = &d->profile.groups.names;
	uint32_t key[2] = {l->module, l->build_id}, before = intern_count(&d->modules), id;
	struct buf text = BUF_INIT;
	const char *s, *name;
	size_t n, n_name;

	if (!l->module)
		return 0;
	id = intern_add(&d->modules, (const char *)key, sizeof key);
	if (id <= before)
		return id;
	s = names_text(names, l->build_id, &n);
	name = names_text(names, l->module, &n_name);
	id_text_add(&text, path_is_of_windows(name, n_name), s, n);
	row(d, INSERT_MODULE);
	put_int(d, id);
	put_string(d, &names->strings, l->module);
	put_textz(d, n ? buf_str(&text) : NULL);
	insert(d);
	buf_release(&text);
	return id;
}

static void export_sqlite_put_location(struct database *d, uint32_t id, uint8_t *files)
{
	const struct group_names *names = &d->profile.groups.names;
	const struct names_location *l = &names->locations[id];
	uint32_t module = export_sqlite_module_id(d, l);

	row(d, INSERT_LOCATION);
	put_int(d, id);
	put_id(d, module);
	put_if(d, l->has_address, (int64_t)l->address);
	put_textz(d, tier_name(l->tier));
	insert(d);
	for (uint32_t i = 0; i < l->n_calls; i++) {
		const struct names_call *c = &names->calls[l->first + i];

		if (c->file && !files[c->file]) {
			files[c->file] = 1;
			name_row(d, INSERT_FILE, &names->strings, c->file);
		}
		row(d, INSERT_CALL);
		put_int(d, id);
		put_int(d, i);
		put_int(d, c->function + INT64_C(1));
		put_id(d, c->file);
		put_id(d, c->line);
		insert(d);
	}
}

/* Location 0 is "[no stack]": stacks that are not there are NULL instead. */
static void export_sqlite_put_names(struct database *d)
{
	const struct export_profile *p = &d->profile;
	const struct group_names *names = &p->groups.names;
	uint8_t *files = mem_zarray(intern_count(&names->strings) + 1u, 1);
	uint32_t *depth = mem_zarray(p->groups.stacks.n, sizeof *depth);

	for (uint32_t i = 1; i < names->n_functions; i++) {
		const struct names_function *f = &names->functions[i];

		row(d, INSERT_FUNCTION);
		put_int(d, i + INT64_C(1));
		put_string(d, &names->strings, f->display);
		put_string(d, &names->strings, f->raw);
		insert(d);
	}
	for (uint32_t i = 1; i < names->n_locations && !d->e.code; i++)
		export_sqlite_put_location(d, i, files);
	for (uint32_t i = 1; i < p->groups.stacks.n && !d->e.code; i++) {
		depth[i] = depth[p->groups.stacks.rows[i].parent] + 1;
		row(d, INSERT_STACK);
		put_int(d, i);
		put_id(d, p->groups.stacks.rows[i].parent);
		put_id(d, p->groups.stacks.rows[i].location);
		put_int(d, depth[i]);
		insert(d);
	}
	for (uint32_t i = 1; i <= intern_count(&p->types); i++) {
		name_row(d, INSERT_TYPE, &p->types, i);
	}
	free(files);
	free(depth);
}

static enum status export_sqlite_finish(struct export *x, struct err *e)
{
	struct database *d = (struct database *)x;

	export_profile_close(&d->profile);
	export_sqlite_put_names(d);
	execute(d, DATABASE_INDEXES);
	execute(d, "COMMIT");
	return result(d, e);
}

static void export_sqlite_release(struct export *x)
{
	struct database *d = (struct database *)x;

	for (size_t i = 0; i < STATEMENTS; i++)
		db_finish(d->prepared[i]);
	db_close(d->db);
	export_profile_release(&d->profile);
	intern_release(&d->modules);
	buf_release(&d->text);
	free(d);
}

static struct export *export_sqlite_open(const struct export_options *o, FILE *out, struct err *e)
{
	struct database *d = mem_zalloc(sizeof *d);

	(void)out;
	export_profile_init(&d->profile, o);
	d->profile.all_stacks = o->events;
	d->profile.captured = export_sqlite_captured;
	d->profile.arg = d;
	sink_tap_init(&d->tap, &d->profile.tally.sink, &export_sqlite_hooks, true);
	d->export = (struct export){
	    .sink = &d->tap.sink, .finish = export_sqlite_finish, .free = export_sqlite_release};
	d->e = (struct err)ERR_INIT;
	d->db = db_open(o->path, DB_SCRATCH, 0, &d->e);
	if (!d->db)
		failed(d);
	execute(d, "BEGIN");
	execute(d, DATABASE_SCHEMA);
	for (enum statement i = 0; i < INSERT_MERGED; i++)
		prepare(d, i);
	if (!result(d, e))
		return &d->export;
	export_sqlite_release(&d->export);
	return NULL;
}

const struct exporter exporter_sqlite = {
    .name = "sqlite",
    .what = "a SQLite database of stacks, sums, frames and (--events) events",
    .endings = {".sqlite", ".db"},
    .flags = EXPORT_BINARY | EXPORT_FILE | EXPORT_FRAMES | EXPORT_FILTERED | EXPORT_VIEW,
    .open = export_sqlite_open,
};
