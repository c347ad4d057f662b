/* SPDX-License-Identifier: MIT
 *
 * Messages on stderr, and the exit status that follows from them.
 */
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/base/text.h"
#include "lib/cli/cli.h"
#include "lib/cli/opt.h"
#include "lib/cli/report.h"
#include "lib/cli/session.h"
#include "lib/match/match.h"
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static struct cli_session process = {.program = "tracemill", .usage_status = EXIT_USAGE};
_Thread_local struct cli_session *cli_now = &process;

FILE *cli_out(void)
{
	return cli_now->out ? cli_now->out : stdout;
}

FILE *cli_err(void)
{
	return cli_now->err ? cli_now->err : stderr;
}

void cli_leave(int status)
{
	cli_now->status = status;
	if (RESOURCE_SCOPE_HOLDS && cli_now->host)
		resource_scope_leave(RESOURCE_SCOPE_LEFT);
	exit(status);
}

static void msg_out_of_memory(void)
{
	fprintf(stderr, "%s: out of memory\n", process.program);
	cli_output_done(false);
}

/* A file opened later must not become standard output, nor take our messages. The file put in here
 * cannot be used either, so that its use is still an error. */
static void hold_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0) {
			int held = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);

			if (held > STDERR_FILENO) /* the lowest free one is what open gives */
				close(held);
		}
}

/* The first thread's stack grows as it is used, and where it cannot, because other memory has taken
 * all that the process may have, it dies of a signal and not of a failed call. So what a program
 * needs of it at most is taken here; one page of it is touched. */
static void hold_stack(void)
{
	enum { MOST = 1 << 19, OTHERS = 2 }; /* a small limit of it is shared with what is there */
	struct rlimit limit;
	size_t size = MOST;
	void *room;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur / OTHERS < size)
		size = (size_t)limit.rlim_cur / OTHERS;
	room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		mem_exhausted();
	munmap(room, size);
	*(volatile char *)__builtin_alloca(size) = 0;
}

void cli_start(const char *name, int on_usage)
{
	cli_now->usage_status = on_usage;
	cli_now->program = name;
	if (cli_now->host)
		return;
	hold_standard_streams();
	mem_on_failure = msg_out_of_memory;
	hold_stack();
}

/* One write per message, so that lines of programs in one pipeline do not mix. */
__attribute__((format(printf, 2, 0))) static void print(const char *file, const char *fmt,
							va_list ap)
{
	struct buf text = BUF_INIT, line = BUF_INIT;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n >= 0)
		vsnprintf(buf_reserve(&text, (size_t)n + 1), (size_t)n + 1, fmt, again);
	va_end(again);
	buf_adds(&line, cli_now->program);
	buf_adds(&line, ": ");
	if (file) {
		buf_add_visible(&line, file, strlen(file), "\\");
		buf_adds(&line, ": ");
	}
	buf_add_visible(&line, text.data, n > 0 ? (size_t)n : 0, "\\");
	buf_addc(&line, '\n');
	cli_progress_clear();
	fwrite(line.data, line.len, 1, cli_err());
	buf_release(&text);
	buf_release(&line);
}

void cli_error(const char *file, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(file, fmt, ap);
	va_end(ap);
}

void cli_note(const char *file, const char *fmt, ...)
{
	va_list ap;

	if (cli_now->quiet)
		return;
	va_start(ap, fmt);
	print(file, fmt, ap);
	va_end(ap);
}

void cli_info(const char *file, const char *fmt, ...)
{
	va_list ap;

	if (!cli_now->verbose || cli_now->quiet)
		return;
	va_start(ap, fmt);
	print(file, fmt, ap);
	va_end(ap);
}

/* To a program, a path that its sandbox denies looks like another user's file. */
static void report_denied(const char *file, const struct err *e)
{
	if (file && sandbox_entered() && strstr(e->msg, strerror(EACCES)) && !access(file, R_OK))
		cli_error(file, "the sandbox allows only files that existed and were named at the "
				"start (--no-sandbox allows all)");
}

void cli_fail(const char *file, const struct err *e)
{
	if (ferror(cli_out())) {
		cli_output_fail(e->code == ST_PIPE ? NULL : e->msg);
		return;
	}
	if (e->offset == ERR_NO_OFFSET)
		cli_error(file, "%s", e->msg);
	else
		cli_error(file, "byte %" PRIu64 ": %s", e->offset, e->msg);
	report_denied(file, e);
	cli_status(e->code == ST_ABSENT ? EXIT_USAGE : EXIT_INPUT);
}

void cli_output_fail(const char *why)
{
	if (!cli_now->output_told && why)
		cli_error(cli_output_name(), "%s", why);
	cli_now->output_told = true;
	if (why)
		cli_status(EXIT_INPUT);
}

void cli_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(NULL, fmt, ap);
	va_end(ap);
	if (!cli_now->host) /* a question of tm-view has no --help */
		fprintf(stderr, "%s: try %s --help\n", cli_now->program, cli_now->program);
	cli_leave(cli_now->usage_status);
}

unsigned cli_parse_percent(const char *option, const char *text, unsigned otherwise)
{
	unsigned whole = 0, part = 0;
	char end = 0;
	int dot = 0, digits = 0;

	if (!text)
		return otherwise;
	if (strspn(text, "0123456789.") == strlen(text) &&
	    sscanf(text, "%3u%c", &whole, &end) == 1 && whole <= 100)
		return whole * 100;
	if (strspn(text, "0123456789.") == strlen(text) &&
	    sscanf(text, "%3u.%n%2u%n%c", &whole, &dot, &part, &digits, &end) == 2 && whole < 100)
		return whole * 100 + (digits - dot == 1 ? part * 10 : part);
	cli_usage("%s: '%s' is not a percentage from 0 to 100 with at most two decimals", option,
		  text);
}

void cli_trace_note(const char *file, const char *text, uint64_t count, enum severity severity,
		    enum severity least)
{
	if (severity < least && !cli_now->verbose)
		return;
	if (count)
		cli_note(file, "%s: %s: %" PRIu64, severity_name(severity), text, count);
	else
		cli_note(file, "%s: %s", severity_name(severity), text);
}

void cli_notes(const char *file, const struct trace *t, size_t first, enum severity least)
{
	for (size_t i = first; i < t->n_notes && !t->notes_told; i++) {
		const struct trace_note *n = &t->notes[i];

		cli_trace_note(file, n->text, n->count, n->severity, least);
	}
}

void cli_report_notes(const char *file, const struct trace *t)
{
	cli_notes(file, t, 0, NOTE_GUESS);
	if (t->events[EV_OBJECT])
		cli_note(file, "objects of a heap's snapshot, which tm-heap shows: %" PRIu64,
			 t->events[EV_OBJECT]);
}

static int rank(enum exit_status s)
{
	switch (s) {
	case EXIT_FINE: return 0;
	case EXIT_INCONCLUSIVE: return 1;
	case EXIT_INCOMPLETE: return 2;
	case EXIT_GATE: return 3;
	case EXIT_INPUT: return 4;
	case EXIT_USAGE: return 5;
	}
	return 5;
}

void cli_status(enum exit_status s)
{
	if (rank(s) > rank((enum exit_status)cli_now->status))
		cli_now->status = s;
}

/* Each pattern of the program, whoever used it. */
static void msg_report_timeouts(void)
{
	enum { TOLD = 20 };
	const struct match_timeout *items;
	size_t n = match_all_timeouts(&items);

	for (size_t i = 0; i < n && i < TOLD; i++) {
		char line[40] = "";

		if (items[i].from.line)
			snprintf(line, sizeof line, "line %zu: ", items[i].from.line);
		cli_error(
		    items[i].from.name,
		    "%sgave up %" PRIu64
		    " time%s, counted as no match: the expression '%.200s' backtracks too much",
		    line, items[i].times, plural_s(items[i].times), items[i].pattern);
	}
	if (n > TOLD)
		cli_error(NULL, "gave up on %zu more expressions", n - TOLD);
}

/* A mistyped name looks like nothing to report otherwise. */
static void report_unmatched(void)
{
	const struct match_nothing *o;

	for (size_t i = 0; (o = match_option_at(i)); i++) {
		bool near = *o->near != '\0';

		if (o->asked && !o->matched)
			cli_note(NULL, "%s '%.200s' matches nothing%s%s%s", o->option, o->pattern,
				 near ? ": did you mean '" : "", o->near, near ? "'?" : "");
	}
}

int cli_exit(void)
{
	bool failed;
	int number = 0;

	cli_progress_clear();
	cli_text_end();
	failed = ferror(cli_out());
	msg_report_timeouts();
	report_unmatched();
	errno = 0;
	if (cli_now->host ? fflush(cli_out()) : fclose(stdout)) {
		failed = true;
		number = errno;
	}
	/* What failed first is why; a stream that has failed may close well. */
	if (cli_now->put_errno)
		number = cli_now->put_errno;
	if (failed && number != EPIPE && !cli_now->output_told) {
		cli_error(cli_output_name(), "%s", number ? strerror(number) : "write error");
		cli_status(EXIT_INPUT);
	}
	if (!cli_now->host) {
		cli_pager_end();
		cli_output_done(!failed);
	}
	return cli_now->status;
}

void cli_die(const char *file, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(file, fmt, ap);
	va_end(ap);
	cli_status(EXIT_INPUT);
	cli_leave(cli_exit());
}

void cli_bad_rules(const char *file, const char *option, const struct err *e)
{
	if (e->code == ST_SYS || !option)
		cli_error(file, "%s", e->msg);
	else
		cli_error(file, "%s: %s", option, e->msg);
	cli_status(e->code == ST_BAD ? EXIT_USAGE : EXIT_INPUT);
	cli_leave(cli_exit());
}
