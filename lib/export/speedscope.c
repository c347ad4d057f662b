/* SPDX-License-Identifier: MIT
 *
 * speedscope's JSON (its file format is described by speedscope.app/file-format-schema.json): a
 * table of frames, and profiles that refer to it. There is a "sampled" profile for each value
 * that the captures know, its stacks outermost first, and an "evented" one for each thread that
 * enters and leaves markers. Numbers are exact up to 2^53 where they are read as doubles.
 *
 * A pause ends what is open; behind it that is opened again, marked "continued", which speedscope passes over and our
 * reader counts as no further call.
 *
 * What is entered and left comes before the stacks' sums are known, so it waits in a temporary
 * file, in a chain of blocks for each thread.
 */
#include "lib/export/events.h"
#include "lib/export/profile.h"
#include "lib/export/text.h"

#include "lib/base/mem.h"
#include "lib/trace/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct speedscope {
	struct export export; /* first */
	struct sink_tap tap;  /* before the profile */
	struct export_profile profile;
	struct export_events events;
	FILE *out;
	struct intern frames; /* (name, file, line), (0, marker or type, ~0) -> id */
	struct intern texts;  /* names of markers and types */
	uint32_t *by_call;    /* frame + 1; made when all calls are known */
	uint64_t sampled;     /* samples of the capture that have a time */
	struct buf json;
};

enum { FRAME_TEXT = UINT32_MAX }; /* in place of a line */

static void flush(struct speedscope *f)
{
	fwrite(f->json.data, 1, f->json.len, f->out);
	f->json.len = 0;
}

static uint32_t frame(struct speedscope *f, uint32_t name, uint32_t file, uint32_t line)
{
	uint32_t key[3] = {name, file, line};

	return intern_add(&f->frames, (const char *)key, sizeof key) - 1;
}

static uint32_t text_frame(struct speedscope *f, const char *s, size_t n)
{
	return frame(f, 0, intern_add(&f->texts, s, n), FRAME_TEXT);
}

static uint32_t call_frame(struct speedscope *f, uint32_t call)
{
	const struct group_names *n = &f->profile.groups.names;
	const struct names_call *c = &n->calls[call];

	if (!f->by_call[call])
		f->by_call[call] =
		    frame(f, n->functions[c->function].display, c->file, c->line) + 1;
	return f->by_call[call] - 1;
}

static struct speedscope *of_tap(struct sink_tap *tap)
{
	return (struct speedscope *)((char *)tap - offsetof(struct speedscope, tap));
}

static enum status export_speedscope_begin(struct sink_tap *tap, struct trace *t, struct err *e)
{
	struct speedscope *f = of_tap(tap);

	(void)e;
	f->sampled = 0;
	events_begin(&f->events, t, *f->profile.options->file);
	return ST_OK;
}

static enum status export_speedscope_batch(struct sink_tap *tap, struct trace *t,
					   const struct sink_batch *b, struct err *e)
{
	struct speedscope *f = of_tap(tap);
	enum status st = ST_OK;

	for (const struct event *ev = b->rows, *end = ev + b->n; !st && ev < end; ev++) {
		if (ev->kind == EV_ENTER || ev->kind == EV_EXIT)
			st = events_add(&f->events, t, ev, e);
		f->sampled += ev->kind == EV_SAMPLE && ev->has & (EV_HAS_VALUE | EV_HAS_TARGET);
	}
	return st;
}

/* A call enters the function itself, not what is inlined at its entry. */
static void name_events(struct speedscope *f, struct trace *t)
{
	struct group_names *n = &f->profile.groups.names;

	names_capture(n, t);
	for (size_t i = f->events.first_what; i < f->events.n_whats; i++) {
		uint32_t at = names_location(n, t, f->events.whats[i].location);
		const struct names_location *l = &n->locations[at];
		const struct names_call *c = &n->calls[l->first + l->n_calls - 1];

		f->events.whats[i].frame =
		    frame(f, n->functions[c->function].display, c->file, c->line);
	}
}

static enum status export_speedscope_end(struct sink_tap *tap, struct trace *t, struct err *e)
{
	struct speedscope *f = of_tap(tap);

	(void)e;
	events_end(&f->events, t);
	if (f->sampled && t->events[EV_ENTER])
		trace_note(
		    t, NOTE_LOSS, f->sampled,
		    "samples stand beside calls: the profile 'time' alone has them, and it is "
		    "not read again beside calls");
	name_events(f, t);
	return ST_OK;
}

static const struct tap_hooks export_speedscope_hooks = {.begin = export_speedscope_begin,
							 .batch = export_speedscope_batch,
							 .end = export_speedscope_end};

static void export_speedscope_put_stack(struct speedscope *f, size_t row)
{
	const struct export_profile *p = &f->profile;
	const struct names_location *l = &p->groups.names.locations[0];
	uint32_t *path = NULL;
	uint32_t type = export_profile_type(p, row);
	size_t depth = 0, cap = 0;

	buf_addc(&f->json, '[');
	for (uint32_t k = export_profile_stack(p, row); k; k = p->groups.stacks.rows[k].parent) {
		path = mem_grow(path, &cap, depth + 1, sizeof *path);
		path[depth++] = p->groups.stacks.rows[k].location;
	}
	do {
		if (depth)
			l = &p->groups.names.locations[path[--depth]];
		for (uint32_t k = l->first + l->n_calls; k-- > l->first;) {
			buf_add_u64(&f->json, call_frame(f, k));
			if (depth || k > l->first)
				buf_addc(&f->json, ',');
		}
	} while (depth);
	free(path);
	if (p->options->types && type) {
		size_t n;
		const char *s = intern_text(&p->types, type, &n);

		buf_addf(&f->json, ",%" PRIu32, text_frame(f, s, n));
	}
	buf_addc(&f->json, ']');
}

static const char *unit(const struct export_profile *p, const struct export_profile_column *c)
{
	const char *s = c->unit ? intern_text(&p->types, c->unit, NULL) : "";

	enum sum_unit unit = metric_table[c->metric->sum].unit;

	return unit == SUM_NS || !strcmp(s, "ns")         ? "nanoseconds"
	       : unit == SUM_BYTES || !strcmp(s, "bytes") ? "bytes"
							  : "none";
}

static void export_speedscope_put_sampled(struct speedscope *f,
					  const struct export_profile_column *c)
{
	const struct export_profile *p = &f->profile;
	const char *comma = "", *name = c->event ? intern_text(&p->types, c->event, NULL)
						 : export_metric_name(c->metric->sum);
	uint64_t sum = 0;

	buf_adds(&f->json, "{\"type\":\"sampled\",\"name\":");
	text_add_json(&f->json, name, strlen(name));
	buf_addf(&f->json, ",\"unit\":\"%s\",\"samples\":[", unit(p, c));
	for (size_t i = 0; i < p->rows.n; i++)
		if (export_profile_column_sum(p, i, c)) {
			buf_adds(&f->json, comma);
			export_speedscope_put_stack(f, i);
			comma = ",\n";
			flush(f);
		}
	buf_adds(&f->json, "],\"weights\":[");
	comma = "";
	for (size_t i = 0; i < p->rows.n; i++)
		if (export_profile_column_sum(p, i, c)) {
			buf_addf(&f->json, "%s%" PRIu64, comma, export_profile_column_sum(p, i, c));
			sum = add_saturating(sum, export_profile_column_sum(p, i, c));
			comma = ",";
			flush(f);
		}
	buf_addf(&f->json, "],\"startValue\":0,\"endValue\":%" PRIu64 "}", sum);
}

static void export_speedscope_put_event(void *arg, size_t number, const struct events_entry *entry,
					uint32_t frame)
{
	struct speedscope *f = arg;

	buf_addf(&f->json, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRId64 "%s}",
		 number ? ",\n" : "", entry->enter ? 'O' : 'C', frame, entry->at,
		 entry->continued ? ",\"continued\":1" : "");
	flush(f);
}

static enum status put_evented(struct speedscope *f, size_t thread, struct err *e)
{
	const struct events_thread *t = &f->events.threads[thread];

	buf_adds(&f->json, "{\"type\":\"evented\",\"name\":");
	text_add_json(&f->json, t->name, strlen(t->name));
	buf_addf(&f->json,
		 ",\"unit\":\"nanoseconds\",\"startValue\":%" PRId64 ",\"endValue\":%" PRId64
		 ",\"events\":[",
		 t->first, t->last);
	if (events_replay(&f->events, thread, export_speedscope_put_event, f, e))
		return err_failure(e);
	buf_adds(&f->json, "]}");
	flush(f);
	return ST_OK;
}

static void export_speedscope_put_frames(struct speedscope *f)
{
	const struct group_names *names = &f->profile.groups.names;

	buf_adds(&f->json, "\"shared\":{\"frames\":[");
	for (uint32_t i = 1; i <= intern_count(&f->frames); i++) {
		uint32_t key[3];
		const char *s;
		size_t n;

		memcpy(key, intern_text(&f->frames, i, NULL), sizeof key);
		s = key[2] == FRAME_TEXT ? intern_text(&f->texts, key[1], &n)
					 : names_text(names, key[0], &n);
		buf_adds(&f->json, i > 1 ? ",\n{\"name\":" : "{\"name\":");
		text_add_json(&f->json, s, n);
		if (key[2] != FRAME_TEXT && key[1]) {
			s = names_text(names, key[1], &n);
			buf_adds(&f->json, ",\"file\":");
			text_add_json(&f->json, s, n);
			if (key[2])
				buf_addf(&f->json, ",\"line\":%" PRIu32, key[2]);
		}
		buf_addc(&f->json, '}');
		flush(f);
	}
	buf_adds(&f->json, "]}");
}

/* The form has no other text of ours: "tm-export 0.2.0, filtered: --focus load". */
static void export_speedscope_put_exporter(struct speedscope *f)
{
	static const char filtered[] = TRACE_FILTERED_COMMENT;
	const struct intern *notes = &f->profile.notes;
	struct buf b = BUF_INIT;

	buf_addf(&b, "tm-export %s", TM_VERSION);
	for (uint32_t i = 1; i <= intern_count(notes); i++) {
		size_t n;
		const char *s = intern_text(notes, i, &n);

		if (n > sizeof filtered && !memcmp(s, filtered, sizeof filtered - 1)) {
			buf_addf(&b, ", %s", s);
			break;
		}
	}
	text_add_json(&f->json, b.data, b.len);
	buf_release(&b);
}

static enum status export_speedscope_finish(struct export *x, struct err *e)
{
	struct speedscope *f = (struct speedscope *)x;
	const struct export_profile *p = &f->profile;
	const char *file = *p->options->file ? *p->options->file : "";
	unsigned active = 0, profiles = 0;
	struct export_profile_column columns[PROFILE_COLUMNS];
	enum sum first = SUMS;
	bool found = false;
	size_t n;

	if (export_profile_sort(&f->profile, false, &first, e) && !f->events.n_threads)
		return err_failure(e);
	*e = (struct err)ERR_INIT;
	if (export_profile_check_depth(&f->profile, false, e))
		return err_failure(e);
	export_profile_close(&f->profile);
	f->by_call = mem_zarray(p->groups.names.n_calls, sizeof *f->by_call);
	buf_adds(&f->json, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
			   "\"exporter\":");
	export_speedscope_put_exporter(f);
	buf_adds(&f->json, ",\"name\":");
	text_add_json(&f->json, file, strlen(file));
	buf_adds(&f->json, ",\n\"profiles\":[");
	n = export_profile_columns(p, export_profile_shown(p, first), columns);
	for (size_t i = 0; i < n; i++) {
		if (!export_profile_has(p, columns[i].metric->sum))
			continue;
		if (profiles)
			buf_adds(&f->json, ",\n");
		if (columns[i].metric->sum == first && !found) {
			active = profiles;
			found = true;
		}
		profiles++;
		export_speedscope_put_sampled(f, &columns[i]);
	}
	for (size_t i = 0; i < f->events.n_threads; i++) {
		if (profiles++)
			buf_adds(&f->json, ",\n");
		if (put_evented(f, i, e))
			return err_failure(e);
	}
	buf_addf(&f->json, "],\n\"activeProfileIndex\":%u,\n", active);
	export_speedscope_put_frames(f);
	buf_adds(&f->json, "}\n");
	flush(f);
	return export_written(f->out, e);
}

static void export_speedscope_release(struct export *x)
{
	struct speedscope *f = (struct speedscope *)x;

	export_profile_release(&f->profile);
	events_release(&f->events);
	intern_release(&f->frames);
	intern_release(&f->texts);
	free(f->by_call);
	buf_release(&f->json);
	free(f);
}

static struct export *export_speedscope_open(const struct export_options *o, FILE *out,
					     struct err *e)
{
	struct speedscope *f = mem_zalloc(sizeof *f);

	(void)e;
	export_profile_init(&f->profile, o);
	sink_tap_init(&f->tap, &f->profile.tally.sink, &export_speedscope_hooks, true);
	f->export = (struct export){.sink = &f->tap.sink,
				    .finish = export_speedscope_finish,
				    .free = export_speedscope_release};
	f->out = out;
	return &f->export;
}

const struct exporter exporter_speedscope = {
    .name = "speedscope",
    .what = "speedscope's JSON: stacks, and enter and exit by thread",
    .endings = {".speedscope.json"},
    .flags = EXPORT_FILTERED | EXPORT_VIEW,
    .open = export_speedscope_open,
};
