/* SPDX-License-Identifier: MIT */
#include "lib/cli/aggregate.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/cli/report.h"
#include "lib/cli/session.h"
#include "lib/profile/merge.h"
#include "lib/profile/read.h"
#include "lib/summarize/build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct saver {
	struct cli_loop loop;
	struct aggregate_builder builder;
	struct input_digest digest;
};

static void cli_aggregate_capture_notes(void *arg, struct trace *t)
{
	const struct saver *s = arg;

	cli_report_notes(s->loop.file, t);
}

static enum status cli_aggregate_refuse(void *arg, struct input *in, bool *taken, struct err *e)
{
	(void)arg;
	*taken = aggregate_is(&in->cur);
	return *taken ? err_set(e, ST_UNSUPPORTED, "an aggregate already: tm-merge writes those")
		      : ST_OK;
}

/* The digest of a file, in place of what d was. */
static bool digest_file(const char *path, struct input_digest *d)
{
	struct err e = ERR_INIT;
	struct input in = {0};
	enum status st = input_open(&in, path, &e);

	digest_release(d);
	if (!st) {
		input_want_digest(&in, d);
		st = input_digest(&in, &e);
	}
	input_close(&in);
	if (st)
		cli_fail(path, &e);
	return !st;
}

void cli_save_aggregate(const char *operand, const char *from, const struct import_options *import,
			struct cli_symbols *symbols, const struct grouped_profile_options *what,
			const char *options)
{
	char *operands[] = {mem_strdup(operand)};
	struct grouped_profile_options o = *what;
	struct aggregate_origin origin;
	struct saver s = {.digest = {.hash = 0}};
	struct aggregate_writer w;

	o.captured = cli_aggregate_capture_notes;
	o.arg = &s;
	aggregate_builder_init(&s.builder, &o, options);
	s.loop = (struct cli_loop){.import = import,
				   .symbols = symbols,
				   .sink = frames_sink(&s.builder.frames),
				   .instead = cli_aggregate_refuse,
				   .marks = true,
				   .digest = &s.digest};
	cli_inputs(&s.loop, 1, operands);
	if (s.loop.read && aggregate_builder_has(&s.builder) &&
	    (!from || digest_file(from, &s.digest))) {
		origin = (struct aggregate_origin){s.digest.hash, s.digest.bytes,
						   path_name(from ? from : operand)};
		aggregate_writer_init(&w, cli_out(), NULL);
		aggregate_builder_write(&s.builder, &origin, &w);
		aggregate_writer_end(&w);
		aggregate_writer_release(&w);
	}
	digest_release(&s.digest);
	aggregate_builder_release(&s.builder);
	free(operands[0]);
}

/* As cli_notes prints those of a trace. */
static void add_note(struct buf *b, const struct aggregate_record *r)
{
	static const char *const severities[] = {"info", "guess", "loss"};

	if (r->key.which > NOTE_LOSS || (r->key.which < NOTE_GUESS && !cli_now->verbose))
		return;
	buf_addf(b, "%s: ", severities[r->key.which]);
	buf_add(b, r->key.name.s, strnlen(r->key.name.s, r->key.name.n));
	if (r->counts[0])
		buf_addf(b, ": %" PRIu64, r->counts[0]);
	if (r->counts[1] > 1)
		buf_addf(b, " (in %" PRIu64 " captures)", r->counts[1]);
	buf_addc(b, '\0');
}

enum status cli_aggregate_ready(struct input *in, bool *is, struct err *e)
{
	struct aggregate_record rec = {.has = 0};
	struct buf notes = BUF_INIT;
	struct aggregate_reader r;
	enum status st;

	*is = aggregate_is(&in->cur);
	if (!*is)
		return ST_OK;
	st = input_keep(in);
	if (st)
		return st;
	aggregate_reader_init(&r, &in->cur);
	while (!(st = aggregate_reader_record(&r, &rec, e))) {
		if (rec.key.kind == AGG_NOTE)
			add_note(&notes, &rec);
		if ((rec.key.kind == AGG_KEY || rec.key.kind == AGG_WHOLE) &&
		    !aggregate_known_check(&rec, e)) {
			st = err_failure(e);
			break;
		}
	}
	/* Those of a damaged one are ignored. */
	for (size_t at = 0; st == ST_NONE && at < notes.len; at += strlen(notes.data + at) + 1)
		cli_note(in->name, "%s", notes.data + at);
	buf_release(&notes);
	aggregate_record_release(&rec);
	aggregate_reader_release(&r);
	return st == ST_NONE ? input_rewind(in) : st;
}

static void cli_aggregate_report_pruned(void *arg, enum key by, uint64_t entities,
					const struct tally_sums *lost)
{
	const char *const *file = arg;
	struct buf b = BUF_INIT;

	aggregate_lost_text(&b, lost);
	cli_note(*file, "pruned of its smallest %" PRIu64 " %s%s%s", entities, key_plurals[by],
		 b.len ? ": " : "", buf_str(&b));
	buf_release(&b);
}

struct aggregate_asked cli_aggregate_asked(const struct cli_filter *f, struct buf *words,
					   const char *const *file)
{
	union {
		const char *const *from;
		void *to;
	} arg = {.from = file};

	cli_filter_words(f, words);
	return (struct aggregate_asked){.options = words->len ? buf_str(words) : NULL,
					.pruned = cli_aggregate_report_pruned,
					.arg = arg.to};
}

struct identity_map *cli_maps(const char *option, const struct opt_list *l, bool functions,
			      const struct identity_map *more, size_t n, struct arena *texts)
{
	struct identity_map *to = mem_zarray(l->n + n + 1, sizeof *to);

	for (size_t i = 0; i < l->n; i++)
		if (!identity_map_parse(l->items[i], functions, texts, &to[i]))
			cli_usage("--%s: '%s' is not OLD=NEW", option, l->items[i]);
	for (size_t i = 0; i < n; i++)
		to[l->n + i] = more[i];
	return to;
}
