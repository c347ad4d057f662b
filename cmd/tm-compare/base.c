/* SPDX-License-Identifier: MIT
 *
 * The base that a history has: its newest green runs, those of a build, or those of its newest builds, of which
 * for each thing the least counts.
 */
#include "cmd/tm-compare/compare.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/history/history.h"
#include "lib/profile/read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- which runs can be a base --- */

struct base_left_out {
	size_t n;
	const char *why; /* of the first */
};

static bool base_same_text(const struct cli_compare *c, const char *run, uint32_t string)
{
	const char *now =
	    string && string != PROFILE_MIXED ? entities_text(&c->in.entities, string, NULL) : "";

	return !strcmp(run ? run : "", now);
}

/* Its program has another name: whether it is the same, its sums say. */
static bool base_same_program(struct cli_compare *c, struct history *h, int64_t run)
{
	const struct profile *now = c->in.compare.groups[0].runs[0];
	struct profile was;
	struct err e = ERR_INIT;
	struct buf b = BUF_INIT;
	struct cursor cur;
	bool same = false;

	if (!history_aggregate(h, run, &b, &e)) {
		cursor_init(&cur, b.data, b.len, 0, &e);
		if (!profile_read(&cur, &c->in.entities, &was, &e)) {
			same = doubts_same_program(&c->in.compare, &was, now);
			profile_release(&was);
		}
	}
	buf_release(&b);
	return same;
}

/* Whether arguments tell what a run did: not where each run has its own, such as a seed. */
static bool base_compares_arguments(const struct cli_compare *c, const struct history_runs *runs)
{
	const struct profile *now = c->in.compare.groups[0].runs[0];
	struct map64 seen = MAP64_INIT;
	bool alike = false;
	size_t n = 0;

	for (size_t i = 0; i < runs->n && now->arguments; i++) {
		const char *s = runs->items[i].arguments;
		uint32_t *at = s ? map64_put(&seen, hash_bytes(s, strlen(s)) | 1) : NULL;

		n += s != NULL;
		alike |= at && *at;
		if (at)
			*at = 1;
	}
	map64_release(&seen);
	return now->arguments && (alike || n < 2);
}

/* Why a run is no base of what is judged; NULL: it can be one. known: a run of the same program as this one, which
 * has been asked about; NULL: none has. */
static const char *base_unlike(struct cli_compare *c, struct history *h,
			       const struct history_run *r, const struct history_run *known,
			       const char *known_why, bool arguments)
{
	const struct profile *now = c->in.compare.groups[0].runs[0];

	if (r->exit_status)
		return "its program failed";
	if (arguments && r->arguments && !base_same_text(c, r->arguments, now->arguments))
		return "started with other arguments";
	if (!base_same_text(c, r->format, now->format))
		return "of another format";
	if (!base_same_text(c, r->sampling, now->sampling))
		return "recorded in another way";
	if (!doubts_same_filters(r->options ? r->options : "",
				 now->options ? entities_text(&c->in.entities, now->options, NULL)
					      : ""))
		return "with other filters";
	if (!r->program || !now->program || base_same_text(c, r->program, now->program))
		return NULL;
	if (known)
		return known_why;
	return base_same_program(c, h, r->id) ? NULL : "of another program";
}

/* What does not compare is left out of the runs. */
static void base_leave_out(struct cli_compare *c, struct history *h, struct history_runs *runs,
			   struct base_left_out *out)
{
	const char **why = mem_zarray(runs->n + 1, sizeof *why);
	bool arguments = base_compares_arguments(c, runs);
	size_t n = 0;

	for (size_t i = 0; i < runs->n && !c->allowed.unlike; i++) {
		const struct history_run *r = &runs->items[i];
		size_t k = 0;

		while (k < i && (!r->program || !runs->items[k].program ||
				 (why[k] && strcmp(why[k], "of another program") != 0) ||
				 strcmp(r->program, runs->items[k].program) != 0))
			k++;
		why[i] = base_unlike(c, h, r, k < i ? &runs->items[k] : NULL, why[k], arguments);
		out->why = out->why ? out->why : why[i];
		out->n += why[i] != NULL;
	}
	for (size_t i = 0; i < runs->n; i++)
		if (!why[i])
			runs->items[n++] = runs->items[i];
	runs->n = n;
	free(why);
}

/* Leaves the runs of so many newest builds, whose number it returns. */
static size_t base_leave_builds(struct history_runs *runs, uint64_t most)
{
	const char **names = mem_array(runs->n + 1, sizeof *names);
	size_t n = 0, left = runs->n;

	for (size_t i = runs->n; i-- > 0;) {
		size_t k = 0;

		while (k < n && strcmp(names[k], runs->items[i].build) != 0)
			k++;
		if (k == n && n == most)
			continue;
		if (k == n)
			names[n++] = runs->items[i].build;
		runs->items[--left] = runs->items[i];
	}
	runs->n -= left;
	memmove(runs->items, runs->items + left, runs->n * sizeof *runs->items);
	free(names);
	return n;
}

static void base_label(struct cli_compare *c, const struct history_runs *runs, const char *build,
		       size_t builds)
{
	struct compare_group *g;
	size_t n = runs->n;
	struct buf b = BUF_INIT;

	if (builds > 1)
		buf_addf(&b, "%zu builds (", builds);
	else if (build)
		buf_addf(&b, "%s (", build);
	buf_addf(&b, "%s%zu green run%s%s%s%s", build && builds < 2 ? "" : "median of ", n,
		 plural_s(n), c->base_branch ? " of " : "", c->base_branch ? c->base_branch : "",
		 build ? ")" : "");
	compare_begin_group(c, arena_strndup(&c->in.names, b.data, b.len));
	g = &c->in.compare.groups[c->in.compare.n_groups - 1];
	g->median = true;
	g->builds = builds > 1;
	buf_release(&b);
}

static enum status base_add_runs(struct cli_compare *c, struct history *h,
				 const struct history_runs *runs, struct err *e)
{
	struct buf b = BUF_INIT;
	enum status st = ST_OK;

	for (size_t i = 0; i < runs->n && !st; i++) {
		struct cursor cur;

		b.len = 0;
		st = history_aggregate(h, runs->items[i].id, &b, e);
		cursor_init(&cur, b.data, b.len, 0, e);
		if (!st)
			st = compare_inputs_aggregate(&c->in, &cur, runs->items[i].build, e);
	}
	buf_release(&b);
	return st;
}

/* --- no base --- */

/* Names of builds, or of branches, that are different. */
static void base_add_names(const struct history_runs *runs, bool branches, struct buf *b)
{
	enum { SHOWN = 5 };
	const char *shown[SHOWN];
	bool more = false;
	size_t n = 0;

	for (size_t i = runs->n; i-- > 0;) {
		const char *s = branches ? runs->items[i].branch : runs->items[i].build;
		size_t k = 0;

		while (s && k < n && strcmp(shown[k], s) != 0)
			k++;
		if (s && k == n && n == SHOWN) {
			more = true;
			break;
		}
		if (s && k == n)
			shown[n++] = s;
	}
	for (size_t i = 0; i < n; i++)
		buf_addf(b, "%s%s", i ? ", " : "", shown[i]);
	buf_adds(b, more ? " and more" : "");
}

/* An empty store, or the branch that is judged, of which nothing is there yet, is a beginning; so is a machine of a
 * branch that others have run. Another branch without runs is a mistyped one. */
static enum status base_find_beginning(struct cli_compare *c, struct history *h, bool any_green,
				       struct err *e)
{
	struct history_choice of_branch = {.branch = c->base_branch};
	struct history_runs runs;

	c->is_beginning =
	    !any_green || !c->base_branch || (c->branch && !strcmp(c->branch, c->base_branch));
	if (c->is_beginning)
		return ST_OK;
	if (history_runs(h, &of_branch, &runs, e))
		return err_failure(e);
	c->is_beginning = runs.n > 0;
	history_runs_release(&runs);
	return ST_OK;
}

/* Says what a store without green runs has. */
static enum status base_count_others(struct history *h, struct buf *to, struct err *e)
{
	struct history_choice red = {.status = "red"}, any = {0};
	struct history_runs runs;
	size_t n_red;

	if (history_runs(h, &red, &runs, e))
		return err_failure(e);
	n_red = runs.n;
	history_runs_release(&runs);
	if (history_runs(h, &any, &runs, e))
		return err_failure(e);
	if (!runs.n)
		buf_adds(to, ": the store has no runs");
	else
		buf_addf(to, ": the store has %zu red and %zu of unknown status", n_red,
			 runs.n - n_red);
	history_runs_release(&runs);
	return ST_OK;
}

/* Why there is no base, in c->no_base. */
static enum status base_explain_none(struct cli_compare *c, struct history *h, const char *build,
				     const struct base_left_out *out, struct err *e)
{
	struct history_choice choice = {
	    .branch = c->base_branch, .machine = c->base_machine, .status = "green"};
	struct history_runs runs;
	struct buf b = BUF_INIT;
	enum status st = history_runs(h, &choice, &runs, e);

	if (st)
		return st;
	buf_addf(&b, "no green run%s%s%s%s%s%s to compare with", build ? " of build " : "",
		 build ? build : "", c->base_branch ? " of branch " : "",
		 c->base_branch ? c->base_branch : "", c->base_machine ? " of machine " : "",
		 c->base_machine ? c->base_machine : "");
	if (runs.n) {
		buf_addf(&b, ": there %s %zu, ", runs.n == 1 ? "is" : "are", runs.n);
		if (out->n)
			buf_adds(&b, out->why);
		else
			buf_adds(&b, "of ");
		if (!out->n)
			base_add_names(&runs, false, &b);
	} else {
		history_runs_release(&runs);
		choice.branch = choice.machine = NULL;
		st = history_runs(h, &choice, &runs, e);
		if (st)
			return st;
		if (runs.n) {
			buf_addf(&b, ": the store has %zu of ", runs.n);
			base_add_names(&runs, true, &b);
		}
		st = base_find_beginning(c, h, runs.n > 0, e);
		if (!runs.n && !st)
			st = base_count_others(h, &b, e);
	}
	history_runs_release(&runs);
	c->no_base = arena_strndup(&c->in.names, b.data, b.len);
	buf_release(&b);
	return st;
}

static void base_report_left_out(struct cli_compare *c, const struct history *h,
				 const struct base_left_out *out)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%zu green run%s no base: %s", out->n, out->n == 1 ? " is" : "s are",
		 out->why);
	cli_note(h->shown, "%s", buf_str(&b));
	VEC_PUSH(c->notes, c->n_notes, c->cap_notes) = arena_strndup(&c->in.names, b.data, b.len);
	buf_release(&b);
}

/* --base-last comes before what the policy says. */
static enum status base_read_green(struct cli_compare *c, struct history *h, struct err *e)
{
	bool newest = c->base_last || (!c->policy.against && !c->policy.best_of);
	struct history_choice choice = {.branch = c->base_branch,
					.machine = c->base_machine,
					.status = "green",
					.build = newest ? NULL : c->policy.against};
	uint64_t last = !newest ? 0 : c->base_last ? c->base_last : COMPARE_GREEN;
	const char *build = choice.build;
	struct base_left_out out = {.n = 0};
	struct history_runs runs;
	size_t builds = 0;
	enum status st = history_runs(h, &choice, &runs, e);

	if (st)
		return st;
	base_leave_out(c, h, &runs, &out);
	if (last && runs.n > last) {
		memmove(runs.items, runs.items + runs.n - last, last * sizeof *runs.items);
		runs.n = last;
	}
	if (runs.n && out.n)
		base_report_left_out(c, h, &out);
	if (runs.n && !newest && c->policy.best_of) {
		builds = base_leave_builds(&runs, c->policy.best_of);
		build = runs.items[0].build;
	}
	if (builds && builds < c->policy.best_of)
		cli_note(h->shown, "only %zu green build%s, not %" PRIu64, builds, plural_s(builds),
			 c->policy.best_of);
	if (runs.n) {
		base_label(c, &runs, build, builds);
		st = base_add_runs(c, h, &runs, e);
	} else {
		st = base_explain_none(c, h, build, &out, e);
	}
	if (!st && runs.n && runs.n < last)
		cli_note(h->shown, "only %zu green run%s, not %" PRIu64, runs.n, plural_s(runs.n),
			 last);
	history_runs_release(&runs);
	return st;
}

bool compare_base_read(struct cli_compare *c)
{
	struct err e = ERR_INIT;
	struct history h = {0};
	bool failed;

	if (c->allow_no_base && cli_store_file(c->history) && access(c->history, F_OK)) {
		c->no_base = "no green run to compare with: the store does not exist yet";
		c->is_beginning = true;
		return true;
	}
	failed = history_open(&h, c->history, DB_READ, 60, &e) || db_begin_reading(h.db, &e) ||
		 base_read_green(c, &h, &e);
	if (failed)
		cli_fail(h.shown, &e);
	if (failed)
		compare_unread(c, h.shown, ST_SYS); /* whatever is wrong with it, it is no run */
	else if (c->no_base && !(c->allow_no_base && c->is_beginning)) {
		cli_error(h.shown, "%s", c->no_base);
		cli_status(EXIT_INCONCLUSIVE);
	}
	history_close(&h);
	return !failed;
}
