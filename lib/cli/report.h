/* SPDX-License-Identifier: MIT
 *
 * The common parts of programs that print a document (lib/table/document.h): the option rows, the
 * output file, colour and pager.
 *
 *     struct cli_report report = {0};
 *     ... CLI_REPORT_ROWS(report), ... in the option table
 *     opt_parse(...);
 *     cli_report_start(&report);       // checks the options, opens --output
 *     ...
 *     cli_report_print(&report, &document);
 *     return cli_exit();
 */
#ifndef TM_CLI_REPORT_H
#define TM_CLI_REPORT_H

#include "lib/cli/cli.h"
#include "lib/render/render.h"

struct cli_report {
	int as; /* an index into cli_as_check_choices, of which cli_as_choices are the first */
	bool csv, no_pager;
	const char *output;
	int color, plot; /* auto, always, never */
	uint64_t width;
	bool has_width;
	struct render_options options;
	enum render_format format; /* set by cli_report_start */
	bool by_name;              /* the output's name implied it */
};

extern const char *const cli_as_choices[], *const cli_as_check_choices[];
/* An index into cli_when_choices: what is done by itself, or always, or never. */
enum cli_when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };
extern const char *const cli_when_choices[];
#define CLI_REPORT_ROWS(r) CLI_REPORT_ROWS_AS(r, CLI_AS_HELP " or html", cli_as_choices)
/* Of programs whose reports may have rules, and what became of them. */
#define CLI_CHECKED_REPORT_ROWS(r)                                                \
	CLI_REPORT_ROWS_AS(r, CLI_AS_HELP ", html, junit, sarif or code-quality", \
			   cli_as_check_choices)
#define CLI_REPORT_ROWS_AS(r, as_help, choices)                                               \
	ROW_GROUP("printing:"), ROW_CHOICE(0, "as", "FORMAT", as_help, &(r).as, choices),     \
	    ROW_FLAG(0, "csv", "short for --as csv", &(r).csv),                               \
	    ROW_STRING('o', "output", "FILE", "write to FILE when the report is complete",    \
		       &(r).output),                                                          \
	    ROW_STRING(0, "table", "NAME", "print one table only; text, CSV, TSV and JSON",   \
		       &(r).options.table),                                                   \
	    ROW_FLAG(0, "bytes", "exact sizes and times instead of rounded ones",             \
		     &(r).options.exact_bytes),                                               \
	    ROW_FLAG(0, "raw-csv", "CSV and TSV without the guard against formulas",          \
		     &(r).options.raw_csv),                                                   \
	    ROW_CHOICE(0, "plot", "WHEN", "charts in text: auto, always or never", &(r).plot, \
		       cli_when_choices),                                                     \
	    ROW_CHOICE(0, "color", "WHEN", "colours: auto, always or never", &(r).color,      \
		       cli_when_choices),                                                     \
	    {.type = OPT_UNSIGNED,                                                            \
	     .word = "width",                                                                 \
	     .arg = "N",                                                                      \
	     .help = "columns of text; 0: no limit",                                          \
	     .to = (uint64_t *){&(r).width},                                                  \
	     .given = &(r).has_width},                                                        \
	    ROW_FLAG(0, "no-pager", "print to a terminal without $PAGER", &(r).no_pager)
#define CLI_AS_HELP "auto, text, csv, tsv, json, markdown"

/* What does not go together is a usage error. */
void cli_report_start(struct cli_report *r);
/* Prints a document; what the format cannot hold is a usage error. Once per program. */
void cli_report_print(struct cli_report *r, const struct table_document *d);
/* Rows as they are made, CSV or TSV: render_rows_new on standard output, or a usage error. Its
 * end's and its rows' failures are for cli_fail. */
struct render_rows *cli_report_rows(struct cli_report *r, const struct table *t, struct err *e);

/* "zh" where the environment asks for Chinese; NULL. */
const char *cli_language(void);

/* For cli_report_start: runs the pager, which a program in its sandbox could not. What ends before it prints gives
 * the pager no text. */
void cli_pager_prepare(void);
/* For cli_report_print and cli_exit: standard output goes through the pager, if it runs. */
void cli_pager_start(void);
void cli_pager_end(void); /* after standard output was closed */

#endif
