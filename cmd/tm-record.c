/* SPDX-License-Identifier: MIT
 *
 * tm-record: runs a program with the capture library in it, puts that into one that runs, or records what a Unity player or
 * LoliProfiler's agent sends.
 */
#include "cmd/tm-record/attached.h"
#include "cmd/tm-record/noticed.h"
#include "cmd/tm-record/recorded.h"
#include "cmd/tm-record/wrap_at.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/cli/binaries.h"
#include "lib/cli/cli.h"
#include "lib/cli/top.h"
#include "lib/record/agent.h"
#include "lib/record/convert.h"
#include "lib/record/players.h"
#include "lib/record/program.h"
#include "lib/record/unity.h"
#include "lib/recorder/base/high_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TRACE, MEMTRACER, LOLI };
static const char *const form_words[] = {"trace", "memtracer", "loli", NULL};
static const char *const exporter_words[] = {NULL, "memtracer", "loli-stream"};
static const char *const time_words[] = {"rate", "us", "ns", NULL};
enum { FORMS_MAX = 24 }; /* with the one that ends them */
enum { WAIT_MS = 60000, IDLE_S = 30 };
#define NONE            UINT64_MAX
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.,"

static const char *output;
static volatile int stop;

static void record_on_signal(int sig)
{
	stop = sig;
}

static void record_not_run(const char *program, const char *why)
{
	cli_error(program, "%s", why);
}

static void record_report_notes(const struct trace *t)
{
	cli_notes(output, t, 0, NOTE_LOSS);
}

static int failed(const char *file, const struct err *e)
{
	cli_fail(file, e);
	return EXIT_INPUT;
}

/* The output's descriptor; -1: failed. NULL as its name is standard output. */
static int record_open_output(struct launch *l, const char *form, const char *of, int pid,
			      bool file)
{
	static char own[128];

	if (l->settings.children && (!output || !strcmp(output, "-")))
		cli_usage("--pid-children writes a file for each process: give a name with -o");
	if (!output && (file || isatty(STDOUT_FILENO))) {
		snprintf(own, sizeof own, "%.80s.%d.%s", path_base(of), pid,
			 strcmp(form, "trace") ? form : "tmt");
		output = own;
		if (strcmp(form, "trace"))
			cli_note(NULL, "the %s is written to %s", form, own);
	}
	if (output && !strcmp(output, "-"))
		output = NULL;
	l->spare = !output;
	return output ? open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
		      : dup(STDOUT_FILENO);
}

static void report_end(int sig)
{
	if (sig)
		cli_note(
		    NULL,
		    "the program was ended by signal %d (%s): the trace may lack its last 0.1 s",
		    sig, strsignal(sig));
}

/* As the traces' notes give it. */
static void report_lost(const struct launch *l)
{
	for (unsigned i = 0; l->outcome && i < CAP_LOSSES; i++) {
		uint64_t n = atomic_load(&l->outcome->lost[i]);

		if (n)
			cli_note(output, "loss: %s: %" PRIu64, cap_loss_text[i], n);
	}
}

/* The status when the trace is incomplete: the program's, or ours if it has ended well. */
static int report_cut(const struct launch *l, int status, int sig)
{
	int error = launch_error(l);
	const char *why = error == EBADF ? "the program has closed it"
			  : error        ? strerror(error)
					 : "the program ended by a system call of its own";

	if (!error && (sig || !launch_open(l)))
		return status;
	cli_error(output, "the trace is incomplete: %s", why);
	return status ? status : EXIT_INPUT;
}

struct record_over {
	const struct launch *l;
	struct recorded *r;
	bool called;
};

/* The time is over, and the program goes on: what is to be said and done is not put off until it ends. */
static void record_over(void *arg)
{
	struct record_over *o = arg;

	o->called = true;
	o->r->runs = true;
	o->r->ns = (uint64_t)clock_ns() - o->r->ns;
	report_lost(o->l);
	report_cut(o->l, 0, 0);
	recorded_end(o->r);
}

static int record(struct launch *l, int fd, struct recorded *r, char **argv)
{
	struct record_over over = {l, r, false};
	int sig, status;

	l->path = r->path = output;
	r->program = *argv;
	r->apart = l->settings.children;
	r->since = time(NULL);
	r->ns = (uint64_t)clock_ns();
	status = launch_run(l, cap_high_fd(fd, 0), argv, &sig, record_over, &over, &r->used);
	if (over.called)
		return status;
	r->ns = (uint64_t)clock_ns() - r->ns;
	r->status = sig ? 0 : status;
	report_end(sig);
	report_lost(l);
	status = report_cut(l, status, sig);
	status = noticed_end(l, argv, status);
	wrap_at_end(l);
	if (l->outcome && !l->settings.children)
		r->children = atomic_load(&l->outcome->children);
	recorded_end(r);
	return status;
}

static int record_as(struct launch *l, const char *form, int fd, struct serve *server, char **argv)
{
	struct convert c = {.form = exporter_by_name(form),
			    .out = fd < 0 ? NULL : fdopen(fd, "w"),
			    .name = output ? output : "tm-record",
			    .server = server,
			    .wait_ms = output ? 0 : WAIT_MS,
			    .ended = record_report_notes};
	struct err e = ERR_INIT;

	if (!output)
		cli_note(NULL, "the modules are written to %s.maps", c.name);
	if (server)
		cli_note(NULL, "LoliProfiler can attach at 127.0.0.1:%u", serve_port(server));
	if (convert_program(&c, l, argv, &e))
		cli_fail(output, &e);
	report_end(c.sig);
	c.status = noticed_end(l, argv, c.status);
	cli_note(output, "%s", c.summary);
	serve_free(server);
	return c.status ? c.status : cli_exit();
}

static int record_running(struct launch *l, uint64_t pid, const char *given, struct recorded *end)
{
	struct attach a = {.ends = -1};
	struct err e = ERR_INIT;
	char number[24];
	int fd, status = EXIT_INPUT;

	snprintf(number, sizeof number, "%" PRIu64, pid);
	if (!launch_find_library(given, "", l->library)) {
		err_set(&e, ST_BAD, "the capture library is not there");
		return failed(given, &e);
	}
	if (pid > INT32_MAX || !pid)
		err_set(&e, ST_NONE, "no such process");
	else
		attach_look(&a, (pid_t)pid, l->library, &e);
	if (e.code)
		status = failed(number, &e);
	else if ((fd = record_open_output(l, "trace", a.process.name, (int)pid, true)) < 0)
		status = failed(output, (err_sys(&e, "cannot open"), &e));
	else if (!output)
		cli_usage("--pid writes a file: give its name with -o");
	else {
		snprintf(l->program, sizeof l->program, "%s", a.process.exe);
		l->unseen = program_unseen(a.process.exe);
		noticed_start(l);
		status = attached_record(&a, l->library, &l->settings, output, fd, end);
	}
	attach_release(&a);
	return status;
}

/* The output of what another program sends. */
static bool begin_received(bool follow, const char *option)
{
	struct err e = ERR_INIT;

	if (follow && output && !freopen(output, "we", stdout)) {
		err_sys(&e, "cannot open");
		failed(output, &e);
		return false;
	}
	cli_output(follow ? NULL : output);
	cli_sandbox("tm-record", option);
	signal(SIGINT, record_on_signal);
	signal(SIGTERM, record_on_signal);
	return true;
}

static int record_agent(struct agent_options *o)
{
	struct agent_received r = {0};
	struct err e = ERR_INIT;

	if (!begin_received(o->follow, "--receive"))
		return EXIT_INPUT;
	if (agent_record(o, &r, stdout, &e))
		cli_fail(o->place, &e);
	cli_info(o->place, "%" PRIu64 " packets, %" PRIu64 " bytes", r.packets, r.bytes);
	cli_output_done(r.packets);
	return cli_exit();
}

/* The one that announces itself. */
static bool find_player(struct unity_options *o)
{
	static char place[sizeof((struct player *)0)->host + 8];
	struct players all;
	struct err e = ERR_INIT;

	if (players_listen(&all, o->idle_ms, o->stop, &e)) {
		failed(o->place, &e);
		return false;
	}
	for (size_t i = 0; i < all.n; i++)
		(all.n > 1 ? cli_error : cli_note)(NULL, "player %s at %s:%u", all.items[i].id,
						   all.items[i].host, all.items[i].port);
	if (all.n > 1)
		cli_error(NULL, "--unity any: %zu players announce themselves: name one", all.n);
	snprintf(place, sizeof place, "%s:%u", all.items[0].host, all.items[0].port);
	o->place = place;
	return all.n == 1;
}

static int record_player(struct unity_options *o)
{
	struct unity_player u = {.fd = -1};
	struct err e = ERR_INIT;

	if (!begin_received(o->follow, "--unity"))
		return EXIT_INPUT;
	if (!strcmp(o->place, "any") && !find_player(o))
		return EXIT_INPUT;
	if (unity_record(&u, o, stdout, &e))
		cli_fail(o->place, &e);
	if (u.messages && !u.with_data)
		cli_note(o->place,
			 "no profiler data among %" PRIu64
			 " messages: is that another protocol, or another version of it?",
			 u.messages);
	cli_info(o->place, "%" PRIu64 " messages, %" PRIu64 " bytes", u.messages, u.bytes);
	cli_output_done(u.messages);
	return cli_exit();
}

/* In ms; 0: no limit. */
static uint64_t duration_of(const char *text)
{
	struct buf b = BUF_INIT;
	int64_t ns = 0;
	size_t n = text ? strlen(text) : 0;

	if (n && text[n - 1] >= '0' && text[n - 1] <= '9')
		buf_addf(&b, "%ss", text);
	else if (n)
		buf_adds(&b, text);
	if (text && (!num_time(buf_str(&b), b.len, &ns) || ns < 1000000))
		cli_usage("--duration: '%s' is not a time of at least 1ms, such as 0.5 or 500ms",
			  text);
	buf_release(&b);
	return (uint64_t)ns / 1000000;
}

/* Those of the trace first, then those of a report. */
static void list_forms(const char *forms[FORMS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; form_words[i]; i++)
		forms[n++] = form_words[i];
	for (size_t i = 0; cli_as_choices[i] && n < FORMS_MAX - 1; i++)
		forms[n++] = cli_as_choices[i];
}

static void pass_on(struct opt_list *to, const char *word, const char *value)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "--%s=%s", word, value);
	VEC_PUSH(to->items, to->n, to->cap) = buf_str(&b);
}

/* A form of the report is handed on, and the trace stays a trace. */
static int form_of(const char *const *forms, int form, struct opt_list *report)
{
	if (form <= LOLI)
		return form;
	pass_on(report, "as", forms[form]);
	return TRACE;
}

/* Bytes of a block, or a percentage, which is the report's. */
static uint64_t least_of(const char *text, struct opt_list *report)
{
	size_t n = text ? strlen(text) : 0;
	uint64_t bytes = 0;

	if (n > 1 && text[n - 1] == '%')
		pass_on(report, "min", mem_strndup(text, n - 1));
	else if (text && !num_dec(text, n, &bytes))
		cli_usage("--min: '%s' is not a number", text);
	return bytes;
}

/* Names with commas, as the recorder has them: no blanks. */
static void take_frames_at(struct cap_settings *s, const char *names)
{
	size_t n = 1;

	if (names && (!*names || names[strspn(names, NAME_CHARACTERS)]))
		cli_usage("--frames-at: '%s' is not a list of functions with commas, or none",
			  names);
	for (const char *p = names; p && (p = strchr(p, ',')); p++)
		n++;
	if (n > CAP_FRAMES_AT_NAMES)
		cli_usage("--frames-at: at most %d functions", CAP_FRAMES_AT_NAMES);
	if (names && strlen(names) >= sizeof s->frames_at)
		cli_usage("--frames-at: at most %zu bytes", sizeof s->frames_at - 1);
	if (names)
		snprintf(s->frames_at, sizeof s->frames_at, "%s", names);
}

int main(int argc, char **argv)
{
	struct launch l = {.settings.depth = CAP_DEPTH, .failed = record_not_run};
	struct cap_settings *s = &l.settings;
	uint64_t depth = CAP_DEPTH, idle = IDLE_S, port = SERVE_PORT, pid = NONE;
	const char *duration = NULL;
	struct unity_options unity = {.stop = &stop};
	struct agent_options agent = {.stop = &stop};
	int stacks = 0, calls = 0, times = 0, form = 0, fd = -1, status;
	bool serving = false;
	struct serve *server = NULL;
	const char *given = NULL, *min = NULL, *frames_at = NULL;
	const char *forms[FORMS_MAX] = {NULL};
	static struct cli_top top = CLI_TOP_INIT; /* its values are tm-top's to use */
	static struct opt_list report_options, wraps;
	struct err e = ERR_INIT;
	char *about;
	static struct cli_binaries from; /* static: in reach where a usage error ends the program */
	struct recorded end = {.servers = &from.urls, .options = &report_options};
	const struct opt table[] = {
	    ROW_STRING('o', "output", "FILE", "write to FILE instead of standard output", &output),
	    ROW_CHOICE(0, "as", "FORMAT", "trace, memtracer or loli, or the report's format", &form,
		       forms),
	    ROW_FLAG(0, "serve", "send LoliProfiler's stream to a client", &serving),
	    ROW_NUMBER(0, "port", "PORT", "--serve: port at 127.0.0.1 (default: 8000)", &port),
	    ROW_FLAG(0, "pid-children", "also record child processes, one file each", &s->children),
	    ROW_STRING(0, "duration", "TIME", "stop after TIME: 500ms, 2min (no unit: seconds)",
		       &duration),
	    ROW_FLAG(0, "drop", "drop and count events if the output is slow", &s->drop),
	    ROW_STRING(0, "library", "FILE", "use this capture library", &given),
	    ROW_FLAG(0, "report", "print the sites that allocated most, as tm-top does",
		     &end.report),
	    ROW_FLAG(0, "no-symbols", "do not symbolize the trace", &end.no_symbols),
	    ROW_LIST_BARE(0, "debuginfod", "URL", "ask this server, or those of $DEBUGINFOD_URLS",
			  &from.urls, ""),
	    ROW_HEADING("what to record:"),
	    ROW_STRING(0, "min", "BYTES", "record only blocks of BYTES or more", &min),
	    ROW_NUMBER(0, "sample", "BYTES", "record one allocation per BYTES, on average",
		       &s->sample),
	    ROW_FLAG(0, "mmap", "record anonymous mappings, too", &s->mmap),
	    ROW_NUMBER(0, "rss", "MS", "read the process's memory counters every MS ms",
		       &s->rss_ms),
	    ROW_CHOICE(0, "stacks", "HOW", "how to unwind: auto, fp, unwind, none or shadow",
		       &stacks, launch_stacks),
	    ROW_CHOICE(0, "calls", "HOW", "record call times: none, markers or all", &calls,
		       launch_calls),
	    ROW_STRING(0, "frames-at", "FUNCTIONS", "frames begin at calls of these (or none)",
		       &frames_at),
	    ROW_LIST(0, "wrap-at", "FUNCTION", "record calls of this function (repeatable)",
		     &wraps),
	    ROW_CHOICE(0, "times", "UNIT", "times of blocks: at a rate, or of each in us or ns",
		       &times, time_words),
	    ROW_STRING(0, "spikes", "FILE", "write PET's log of slow calls to FILE", &l.spikes),
	    ROW_NUMBER(0, "depth", "N", "locations to keep of a stack (default: 128)", &depth),
	    ROW_HEADING("instead of a program:"),
	    ROW_NUMBER(0, "pid", "PID", "record a running process until Ctrl-C", &pid),
	    ROW_STRING(0, "unity", "PLACE", "record a Unity player at HOST[:PORT], or any",
		       &unity.place),
	    ROW_STRING(0, "receive", "PLACE", "record LoliProfiler's agent at [HOST:]PORT",
		       &agent.place),
	    ROW_FLAG(0, "follow", "--unity, --receive: write what comes at once", &unity.follow),
	    ROW_NUMBER(0, "idle", "SECONDS", "--unity, --receive: longest silence (30)", &idle),
	    ROW_ALIAS("format", "as"),
	    ROW_ALIAS("threshold", "min"),
	    ROW_PASSED("of the report (--report), as in tm-top:", &report_options),
	    CLI_TOP_ROWS(top),
	    OPT_END,
	};
	const struct opt_program program = {
	    "tm-record", "PROGRAM [ARGUMENT...]",
	    "Records the allocations of a program, a running process or a Unity player.", table};
	const struct opt_style leads = {.leads = true};
	int n;

	list_forms(forms);
	n = opt_parse_as(&leads, &program, argc, argv);

	form = form_of(forms, form, &report_options);
	s->threshold = least_of(min, &report_options);
	if (report_options.n && !end.report)
		cli_usage("%.*s is an option of the report: give --report, or use tracemill run",
			  (int)strcspn(report_options.items[0], "="), report_options.items[0]);
	s->duration_ms = duration_of(duration);
	cli_binaries_servers(&from);
	if (from.urls.n && end.no_symbols)
		cli_usage("--debuginfod and --no-symbols exclude each other");
	if (unity.follow && !unity.place && !agent.place)
		cli_usage("--follow needs --unity or --receive");
	if (unity.place && agent.place)
		cli_usage("--unity and --receive exclude each other");
	if ((unity.place || agent.place) && n)
		cli_usage("%s and a program exclude each other",
			  unity.place ? "--unity" : "--receive");
	unity.duration_ms = agent.duration_ms = s->duration_ms;
	unity.idle_ms = (unsigned)(idle < 1 ? 1 : idle > 86400 ? 86400 : idle) * 1000;
	agent.idle_ms = unity.idle_ms;
	agent.follow = unity.follow;
	if (unity.place)
		return record_player(&unity);
	if (agent.place)
		return record_agent(&agent);
	if (pid != NONE && (n || form || serving || s->children || l.spikes || calls ||
			    stacks == CAP_STACKS_SHADOW))
		cli_usage(
		    "--pid records what a process allocates, as a trace: without a program, --as, "
		    "--serve, --pid-children, --calls, --spikes and --stacks shadow");
	if (!n && pid == NONE)
		cli_usage("no program to run");
	if (form == TRACE && !serving)
		cli_output_unpacked(output);
	if (!depth || depth > CAP_DEPTH_MAX)
		cli_usage("--depth: from 1 to %d", CAP_DEPTH_MAX);
	if (port > UINT16_MAX)
		cli_usage("--port: at most %d", UINT16_MAX);
	if ((form || serving) && end.report)
		cli_usage("--report needs a trace: no --as or --serve");
	if ((form || serving) && from.urls.n)
		cli_usage("--debuginfod needs a trace: no --as or --serve");
	if ((form || serving) && s->children)
		cli_usage("--pid-children writes traces: no --as or --serve");
	if (serving && form == MEMTRACER)
		cli_usage("--serve needs --as loli");
	if (wraps.n && pid != NONE)
		cli_usage("--wrap-at needs a program to start: not with --pid");
	cli_sandbox("tm-record", NULL);
	argv[n + 1] = NULL;
	take_frames_at(s, frames_at);
	s->depth = (unsigned)depth;
	s->stacks = (enum cap_stacks)stacks;
	s->calls = (enum cap_calls)calls;
	s->times = (enum cap_times)times;
	if (pid != NONE)
		return record_running(&l, pid, given, &end);
	status = launch_prepare(&l, argv[1], given, &about, &e) ? failed(about, &e) : 0;
	free(about);
	if (status)
		return status;
	wrap_at_prepare(&l, &wraps);
	noticed_start(&l);
	if (serving && !(server = serve_new((uint16_t)port, &e)))
		return failed(NULL, &e);
	if ((!serving || output) && (fd = record_open_output(&l, form_words[form], argv[1],
							     (int)getpid(), end.report)) < 0) {
		err_sys(&e, "cannot open");
		serve_free(server);
		return failed(output, &e);
	}
	form = serving ? LOLI : form;
	return form ? record_as(&l, exporter_words[form], fd, server, argv + 1)
		    : record(&l, fd, &end, argv + 1);
}
