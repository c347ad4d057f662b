/* SPDX-License-Identifier: MIT
 *
 * tm-session: the files of one run as one session: what each is, its clock, and what happened in the worst frames.
 */
#include "cmd/tm-session/session.h"

#include "lib/base/mem.h"
#include "lib/cli/report.h"
#include "lib/trace/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GROWTH = 1000 }; /* hundredths of percent */

/* All of a folder's files may have captures without names. */
static void look_up(struct cli_symbols *symbols, const struct import_options *import,
		    const struct session *s, const struct session *base)
{
	size_t n = s->n + base->n;
	const char **operands = mem_array(n + 1, sizeof *operands);

	for (size_t i = 0; i < n; i++)
		operands[i] = i < s->n ? s->files[i].path : base->files[i - s->n].path;
	cli_autosymbolize(symbols, "tm-session", NULL, import, n, operands);
	free(operands);
}

static void open_folder(struct session *s, const char *path)
{
	struct err e = ERR_INIT;
	struct stat st;

	if (stat(path, &st))
		cli_die(path, "%s", strerror(errno));
	if (!S_ISDIR(st.st_mode))
		cli_die(path, "not a folder; to report on one file: tracemill show FILE");
	if (session_list(s, path, &e))
		cli_die(path, "%s", e.msg);
}

static void write_trace(struct session *s, const struct import_options *import,
			struct cli_symbols *symbols)
{
	struct writer *writer = writer_new(stdout);
	struct err e = ERR_INIT;

	session_place(s, import);
	if (session_write(s, import, symbols, writer_sink(writer), &e))
		cli_fail(s->folder, &e);
	writer_free(writer);
}

int main(int argc, char **argv)
{
	struct cli_import import = {0};
	struct cli_report report = {0};
	struct cli_symbols symbols = {.off = false};
	struct session s = {.n = 0}, base = {.n = 0};
	struct session_limits limits = {.allow_loss = false};
	const char *baseline = NULL, *growth = NULL, *slower = NULL, *trace = NULL;
	const struct opt table[] = {
	    ROW_STRING(0, "baseline", "FOLDER",
		       "compare with this session, and fail if this session is worse", &baseline),
	    ROW_STRING(0, "max-growth", "PERCENT",
		       "--baseline: allowed growth of bytes, allocations and leaks (default 10)",
		       &growth),
	    ROW_STRING(0, "max-slower", "PERCENT",
		       "--baseline: judge times, too, and allow this much", &slower),
	    ROW_FLAG(0, "allow-loss", "judge captures that have lost something",
		     &limits.allow_loss),
	    ROW_STRING(0, "save-trace", "FILE",
		       "write all files to FILE as one trace, on one clock, and end", &trace),
	    CLI_CHECKED_REPORT_ROWS(report),
	    CLI_SYMBOLS_ROW(symbols),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-session", "FOLDER", "Reports on all files of one run together, on one clock.",
	    table};
	struct table_document d = {.program = "tm-session"};
	struct session_numbers numbers = {.n = 0}, base_numbers = {.n = 0};
	struct session_gate *gate = NULL;
	struct session_report *r;
	struct session_holders *holders;
	int n = opt_parse(&program, argc, argv);

	if (n != 1)
		cli_usage("give one folder");
	if ((growth || slower) && !baseline)
		cli_usage("--max-growth and --max-slower need --baseline");
	limits.growth = cli_parse_percent("max-growth", growth, GROWTH);
	limits.slower = cli_parse_percent("max-slower", slower, 0);
	limits.has_slower = slower;
	if (trace && (baseline || report.output))
		cli_usage("--save-trace writes no report: not with --baseline or -o");
	cli_import_done(&import);
	if (trace)
		cli_output(trace);
	else
		cli_report_start(&report);
	open_folder(&s, argv[1]);
	if (baseline)
		open_folder(&base, baseline);
	look_up(&symbols, &import.options, &s, &base);
	cli_sandbox("tm-session", NULL);
	if (!s.n)
		cli_die(argv[1], "the folder has no files");
	if (baseline && !base.n)
		cli_die(baseline, "the folder has no files");
	if (trace) {
		write_trace(&s, &import.options, &symbols);
		session_release(&s);
		cli_symbols_release(&symbols);
		return cli_exit();
	}
	session_read(&s, &import.options, &symbols);
	if (baseline)
		session_read(&base, &import.options, &symbols);
	r = session_report_new(&s);
	holders = session_holders_new(&s, r, &import.options, &symbols);
	if (baseline) {
		session_numbers(&s, &numbers);
		session_numbers(&base, &base_numbers);
		gate = session_gate_new(&base_numbers, &numbers, &limits);
		session_gate_add(gate, &d);
		cli_status(session_gate_status(gate));
	}
	session_report_add(r, &d, report.format == RENDER_TEXT && !report.options.table);
	session_holders_add(holders, &d);
	cli_report_print(&report, &d);
	document_release(&d);
	session_holders_free(holders);
	session_gate_free(gate);
	session_numbers_release(&numbers);
	session_numbers_release(&base_numbers);
	session_report_free(r);
	session_release(&s);
	session_release(&base);
	cli_symbols_release(&symbols);
	return cli_exit();
}
