/* SPDX-License-Identifier: MIT
 *
 * What a file of a session is, and how its clock is known, in words.
 */
#include "cmd/tm-session/session.h"

#include "lib/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const why_words[] = {
    [CLOCK_NOTHING_SHARED] = "unknown: it shares neither frames nor sync markers nor a date",
    [CLOCK_NO_TIMES] = "unknown: it has no times",
    [CLOCK_NO_MATCH] = "unknown: its frames match none of another file's",
    [CLOCK_EVEN] = "unknown: its frames are too even to be told apart",
    [CLOCK_AMBIGUOUS] = "unknown: its frames match in more than one way",
    [CLOCK_DISAGREE] = "unknown: its markers are of different moments",
};

/* What wrote a trace of ours. */
const char *session_kind(const struct session_file *f)
{
	const char *format = f->survey.format;

	return !format                                  ? f->what
	       : !strcmp(format, TRACE_OF_RECORDER)     ? "a recording of tm-record"
	       : !strcmp(format, TRACE_OF_LUA_RECORDER) ? "a recording of the Lua module"
							: f->what;
}

/* Drift is what corrects that. */
double session_clock_runs(const struct session_file *f)
{
	return 1 / (1 + f->clock.drift) - 1;
}

static void way_text(const struct session *s, const struct session_file *f, struct buf *b)
{
	const struct session_clock *c = &f->clock;

	if (c->by == CLOCK_FRAMES)
		buf_addf(b, "by %" PRIu64 " shared frame%s", c->shared, plural_s(c->shared));
	else if (c->by == CLOCK_MARKERS)
		buf_addf(b, "by %" PRIu64 " shared marker%s", c->shared, plural_s(c->shared));
	else
		buf_adds(b,
			 "by the dates at which the files begin, if their clocks were set alike");
	if (f->through != s->reference)
		buf_addf(b, ", through %s", s->files[f->through].name);
	if (c->dates) {
		buf_adds(b, "; the dates at which the files begin contradict that by ");
		time_text(b, c->dates < 0 ? -(uint64_t)c->dates : (uint64_t)c->dates);
	}
	if (s->median >= 0 && !session_placed(s, f))
		buf_adds(b, "; too coarse to assign lines to single frames");
}

void session_clock_text(const struct session *s, const struct session_file *f, struct buf *b)
{
	double runs = session_clock_runs(f) * 1e6;

	if (f->clock.by == CLOCK_ITSELF)
		buf_adds(b, "the session's");
	else if (f->clock.by == CLOCK_UNKNOWN)
		buf_adds(b, why_words[f->clock.why]);
	else
		way_text(s, f, b);
	if (f->clock.drift != 0.0)
		buf_addf(b, "; it runs %.1f ppm %s", fabs(runs), runs > 0 ? "fast" : "slow");
	if (f->survey.captures > 1)
		buf_addf(b, "; the first of %" PRIu64 " captures", f->survey.captures);
}

/* A file that is not in the trace has lost its times; one without times is a snapshot, which none has. */
static void note_file(const struct session *s, const struct session_file *f, struct trace *t)
{
	struct buf clock = BUF_INIT, error = BUF_INIT;

	session_clock_text(s, f, &clock);
	time_text(&error, (uint64_t)f->clock.error);
	if (f->reading_failed)
		trace_note(t, NOTE_LOSS, 0, "%s (%s): could not be read", f->name, session_kind(f));
	else if (f->clock.by == CLOCK_ITSELF)
		trace_note(t, NOTE_GUESS, 0, "%s (%s): its clock and frames are the session's",
			   f->name, session_kind(f));
	else if (f->clock.by)
		trace_note(t, NOTE_GUESS, 0,
			   "%s (%s): its clock is off by at most %s, and known %s", f->name,
			   session_kind(f), buf_str(&error), buf_str(&clock));
	else
		trace_note(t, f->survey.extent.any ? NOTE_LOSS : NOTE_GUESS, 0,
			   "%s (%s): is not here, for its clock is %s", f->name, session_kind(f),
			   buf_str(&clock));
	buf_release(&clock);
	buf_release(&error);
}

/* What else lies in the folder: a folder may hold thousands. */
void session_note(const struct session *s, struct trace *t)
{
	struct buf b = BUF_INIT;
	size_t unknown = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct session_file *f = &s->files[i];

		if (f->surveyed || f->reading_failed)
			note_file(s, f, t);
		else if (unknown++ < SESSION_NAMED)
			trace_note(t, NOTE_GUESS, 0,
				   f->capture ? "%s (%s): is not here, for no capture is in it"
					      : "%s (%s): is not here, for it is no capture",
				   f->name, session_kind(f));
	}
	if (unknown > SESSION_NAMED)
		trace_note(t, NOTE_GUESS, 0,
			   "%zu more files: are not here, for they are no captures",
			   unknown - SESSION_NAMED);
	for (enum session_passed why = 0; why < PASSED_REASONS; why++) {
		b.len = 0;
		if (session_passed_over(s, why, &b))
			trace_note(t, NOTE_GUESS, 0, "%s", buf_str(&b));
	}
	buf_release(&b);
}
