/* SPDX-License-Identifier: MIT
 *
 * The state of tm-view as JSON: version, files with their notes, limits.
 */
#include "lib/base/clock.h"
#include "lib/render/json.h"
#include "lib/trace/origin.h"
#include "lib/view/view.h"

static void number(struct buf *b, const char *key, uint64_t v)
{
	json_key(b, key);
	buf_add_u64(b, v);
}

static void text(struct buf *b, const char *key, const char *v)
{
	json_key(b, key);
	json_string(b, v);
}

static void view_state_notes(const struct event_store *k, struct buf *b)
{
	bool first = true;

	json_key(b, "notes");
	buf_addc(b, '[');
	for (size_t i = 0; i < k->n; i++)
		for (size_t j = 0; k->captures[i].t && j < k->captures[i].t->n_notes; j++) {
			const struct trace_note *n = &k->captures[i].t->notes[j];

			if (n->severity < NOTE_GUESS)
				continue;
			buf_adds(b, first ? "{" : ",{");
			first = false;
			text(b, "severity", severity_name(n->severity));
			text(b, "text", n->text);
			number(b, "count", n->count);
			buf_addc(b, '}');
		}
	buf_addc(b, ']');
}

/* Which events there are says which views can say something. */
static void kinds(const struct event_store *k, struct buf *b)
{
	json_key(b, "kinds");
	buf_addc(b, '{');
	for (unsigned kind = 1; kind < EV_KINDS; kind++) {
		uint64_t n = 0;

		for (size_t i = 0; i < k->n; i++)
			if (k->captures[i].t)
				n += k->captures[i].t->events[kind];
		if (n)
			number(b, event_kind_name(kind), n);
	}
	buf_addc(b, '}');
}

/* null: it is not looked at again. Only a trace that is whole says that it has ended; what is silent may
 * have ended without a word where the system does not say who writes it. */
static void growth(const struct view_file *f, struct buf *b)
{
	static const char *const words[] = {NULL, "goes on", "ended", "no writer"};

	text(b, "growth", words[f->growth]);
	if (f->growth)
		number(b, "silent_ms", (uint64_t)(clock_ms() - f->grew));
}

/* Of the first capture; of a folder it is that whose clock is the session's. A build-id is no label: it is told as such. */
static void view_state_origin(const struct view_file *f, struct buf *b)
{
	const struct trace *t = f->store->n ? f->store->captures[0].t : NULL;
	const char *device = f->device, *build = f->build;
	struct buf id = BUF_INIT;

	device = (device && *device) || !t ? device : trace_device(t);
	build = (build && *build) || !t ? build : trace_build_label(t);
	if (device && *device)
		text(b, "device", device);
	if (build && *build)
		text(b, "build", build);
	if (t)
		trace_build_id(t, &id);
	if (id.len)
		text(b, "build_id", buf_str(&id));
	buf_release(&id);
}

static void view_state_file(const struct view_file *f, struct buf *b)
{
	const struct event_store *k = f->store;
	uint64_t stacks = 0, types = 0;

	for (size_t i = 0; i < k->n; i++) {
		stacks += k->captures[i].t ? k->captures[i].t->n_stacks - 1 : 0;
		types += k->captures[i].t ? k->captures[i].t->n_types - 1 : 0;
	}
	buf_addc(b, '{');
	text(b, "name", f->name);
	text(b, "error", k->why.code ? k->why.msg : NULL);
	if (k->why.code && k->why.offset != ERR_NO_OFFSET)
		number(b, "error_at", k->why.offset);
	json_key(b, "lossy");
	buf_adds(b, k->lossy ? "true" : "false");
	json_key(b, "folder");
	buf_adds(b, f->folder ? "true" : "false");
	json_key(b, "aggregate");
	buf_adds(b, k->raw.len ? "true" : "false");
	number(b, "captures", k->n);
	number(b, "events", k->events + (k->n && k->captures[k->n - 1].open ? k->n_staged : 0));
	number(b, "stacks", stacks);
	number(b, "types", types);
	number(b, "bytes", k->bytes);
	number(b, "load_ns", f->ns);
	number(b, "file_bytes", f->size);
	number(b, "taken_percent", f->taken);
	growth(f, b);
	view_state_origin(f, b);
	kinds(k, b);
	view_state_notes(k, b);
	buf_addc(b, '}');
}

void view_state(const struct view *v, struct buf *to)
{
	buf_addc(to, '{');
	text(to, "tracemill", TM_VERSION);
	number(to, "version", v->version);
	json_key(to, "follow");
	buf_adds(to, v->follow ? "true" : "false");
	json_strings(to, "sources", v->source_dirs, v->n_source_dirs);
	json_strings(to, "binaries", v->runner.binaries, v->runner.n_binaries);
	json_strings(to, "debug_dirs", v->debug_dirs, v->n_debug_dirs);
	text(to, "gate", v->gate);
	text(to, "home", v->home);
	text(to, "language", v->language);
	json_key(to, "limits");
	buf_addc(to, '{');
	number(to, "rows", v->runner.rows);
	number(to, "seconds", v->runner.seconds);
	number(to, "bytes", v->runner.bytes);
	buf_addc(to, '}');
	json_key(to, "files");
	buf_addc(to, '[');
	for (size_t i = 0; i < v->n_files; i++) {
		if (i)
			buf_addc(to, ',');
		view_state_file(&v->files[i], to);
	}
	buf_adds(to, "]}");
}
