/* SPDX-License-Identifier: MIT */
#include "lib/cli/report.h"

#include "lib/cli/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_MAX = 10000, LOG_WIDTH = 120 };

#define AS_TABLES "auto", "text", "csv", "tsv", "json", "markdown", "html"
const char *const cli_as_choices[] = {AS_TABLES, NULL};
const char *const cli_as_check_choices[] = {AS_TABLES, "junit", "sarif", "code-quality", NULL};
const char *const cli_when_choices[] = {"auto", "always", "never", NULL};

static bool paged(const struct cli_report *r)
{
	return r->format == RENDER_TEXT && !r->no_pager && r->options.terminal;
}

static enum render_format format_named(const char *word)
{
	unsigned f = 0;

	while (strcmp(render_format_words[f], word) != 0)
		f++;
	return (enum render_format)f;
}

void cli_report_start(struct cli_report *r)
{
	enum render_format named = RENDER_TEXT;
	bool written = !r->output || render_format_of(r->output, &named);
	const char *as = cli_as_check_choices[r->as];

	if (r->csv && r->as && strcmp(as, "csv") != 0)
		cli_usage("--csv cannot be combined with --as %s", as);
	r->format = r->csv ? RENDER_CSV : r->as ? format_named(as) : named;
	if (r->options.table && r->format != RENDER_TEXT && r->format != RENDER_CSV &&
	    r->format != RENDER_TSV && r->format != RENDER_JSON)
		cli_usage("--table goes with text, csv, tsv and json: %s has the whole report",
			  render_format_words[r->format]);
	if (r->has_width && r->width > WIDTH_MAX)
		cli_usage("--width: %" PRIu64 " is more than %d", r->width, WIDTH_MAX);
	r->by_name = named && !r->csv && !r->as;
	if (!written && !r->csv && !r->as)
		cli_usage("-o %s: unknown ending: use .txt, .csv, .tsv, .json, .md, .html, .xml or "
			  ".sarif, or give the format with --as",
			  r->output);
	if (r->output)
		cli_output_report(r->output);
	r->options.terminal = cli_terminal();
	if (paged(r))
		cli_pager_prepare();
}

/* What a log is read at: a job of CI has no terminal, and says that it is one. */
static unsigned log_width(const struct cli_report *r)
{
	const char *ci = getenv("CI");

	return r->output || !ci || !*ci || !strcmp(ci, "false") ? 0 : LOG_WIDTH;
}

static unsigned terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

static bool is_set(const char *variable)
{
	const char *s = getenv(variable);

	return s && *s;
}

static bool dumb(void)
{
	const char *s = getenv("TERM");

	return !s || !*s || !strcmp(s, "dumb");
}

/* As POSIX has it: the first that is set says which. */
const char *cli_language(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
	const char *s = NULL;

	for (size_t i = 0; i < 3 && (!s || !*s); i++)
		s = getenv(variables[i]);
	return s && !strncmp(s, "zh", 2) ? "zh" : NULL;
}

void cli_report_print(struct cli_report *r, const struct table_document *d)
{
	bool terminal = r->options.terminal;
	const struct cli_host *host = cli_now->host;
	struct err e = ERR_INIT;
	enum status st = ST_NONE;

	cli_progress_clear();
	r->options.width = r->has_width ? (unsigned)r->width
			   : terminal   ? terminal_width()
					: log_width(r);
	r->options.colour = r->color == WHEN_ALWAYS ||
			    (r->color == WHEN_AUTO && terminal && !is_set("NO_COLOR") && !dumb());
	r->options.language = cli_language();
	r->options.plot = r->plot == WHEN_ALWAYS || (r->plot == WHEN_AUTO && terminal);
	if (paged(r))
		cli_pager_start();
	if (host && host->write && r->format == RENDER_JSON)
		st = host->write(host->arg, d, &r->options, cli_out(), &e);
	if (st == ST_NONE)
		st = render(d, r->format, &r->options, cli_out(), &e);
	if (st == ST_UNSUPPORTED && r->by_name && !r->options.table)
		cli_usage("-o %s: %s", r->output, e.msg);
	if (st == ST_UNSUPPORTED)
		cli_usage("--%s: %s", r->options.table ? "table" : "as", e.msg);
	if (st != ST_OK)
		cli_fail(NULL, &e);
}

struct render_rows *cli_report_rows(struct cli_report *r, const struct table *t, struct err *e)
{
	if (r->format != RENDER_CSV && r->format != RENDER_TSV)
		cli_usage("these rows are for --as csv or --as tsv");
	return render_rows_new(t, r->format, &r->options, cli_out(), e);
}
