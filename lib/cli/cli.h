/* SPDX-License-Identifier: MIT
 *
 * The common parts of all programs: messages, exit status, the input loop, progress. Only this
 * folder prints to stderr. A main is: option table, opt_parse, cli_inputs (or its own pass),
 * cli_exit.
 */
#ifndef TM_CLI_CLI_H
#define TM_CLI_CLI_H

#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/cli/opt.h"
#include "lib/event_store/event_store.h"
#include "lib/input/lines.h"
#include "lib/trace/tap.h"

#include <stdio.h>

/* Exit status, the same in every program (lib/README.md, Manners). */
enum exit_status {
	EXIT_FINE = 0,
	EXIT_GATE = 1, /* a gate or policy failed */
	EXIT_USAGE = 2,
	EXIT_INPUT = 3,      /* input unreadable or damaged beyond use; output not writable */
	EXIT_INCOMPLETE = 4, /* symbols incomplete where completeness was asked for */
	EXIT_INCONCLUSIVE = 5,
};

/* One line on stderr: "tm-top: file: text"; file may be NULL. Bytes that could drive a
 * terminal are escaped. */
void cli_error(const char *file, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cli_note(const char *file, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* not with -q */
void cli_info(const char *file, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* with -v */
/* The same; then the program ends with EXIT_INPUT. */
_Noreturn void cli_die(const char *file, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A file of rules that option names (NULL: that need not be said): what is wrong in it is a usage error, what cannot be read EXIT_INPUT. */
_Noreturn void cli_bad_rules(const char *file, const char *option, const struct err *e);
/* The error of a status, with its offset; ST_PIPE is silent. Raises the status to EXIT_INPUT, of ST_ABSENT to
 * EXIT_USAGE. */
void cli_fail(const char *file, const struct err *e);
/* The same of standard output, said once; NULL: its reader is gone, which is silent and no failure. */
void cli_output_fail(const char *why);
/* A usage error found after parsing: prints it and ends the program with 2. */
_Noreturn void cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* An option's percentage in hundredths, "2" or "0.5"; `otherwise` where it is not given (NULL). Other
 * text is a usage error. */
unsigned cli_parse_percent(const char *option, const char *text, unsigned otherwise);
/* Prints the trace's notes from number first on that are at least this severe; with -v all. */
void cli_notes(const char *file, const struct trace *t, size_t first, enum severity least);
/* One note (count 0: it has none). */
void cli_trace_note(const char *file, const char *text, uint64_t count, enum severity severity,
		    enum severity least);
/* The same of a capture that has been read, in programs that show no objects of snapshots. */
void cli_report_notes(const char *file, const struct trace *t);

/* Raises the status the program will end with: of several 2, 3, 1, 4, 5, 0 in that order. */
void cli_status(enum exit_status s);
/* For programs that write a trace: path NULL is standard output, which must not be a terminal.
 * A regular file is written aside and gets its name by cli_exit, if something was written and all
 * of it was. Nothing is left when the program is ended, by SIGKILL too where the file system has
 * files without a name (O_TMPFILE: not NFS); elsewhere it is there as NAME.XXXXXX, and only a
 * signal that can be caught removes it. */
void cli_output(const char *path);
/* Only the check that its name is not of something packed: a usage error. */
void cli_output_unpacked(const char *path);
/* The same for other bytes, whose form may be a packed one: a trace's name must not say so. */
void cli_output_binary(const char *path);
/* The same for text, which may be for a terminal. */
void cli_output_report(const char *path);
/* The same for what opens its file by a path, which this is until the file is complete: /proc/self/fd/N, or NAME.XXXXXX
 * where the file system has no files without a name. NULL: no regular file. */
const char *cli_output_by_name(const char *path);
/* Before cli_exit: false throws away the incomplete file. */
void cli_output_done(bool written);
/* True when standard output is a pipe: the next program reports what travels in the trace. */
bool cli_into_pipe(void);
/* Flushes and closes standard output (a failure is status 3), ends progress, returns the status. */
int cli_exit(void);

/* Once options are parsed and what is written is open, before the first byte of an input: the
 * program's profile holds from here on (lib/sandbox/profiles.c; when: of an exception, or NULL),
 * unless --no-sandbox; -v says what holds. Files and folders of the command line can be read. */
void cli_sandbox(const char *program, const char *when);
/* Before that, for autosymbolize.h: the same, and what tm-symbolize may do. */
void cli_sandbox_symbols(const char *program, const char *when);
/* Before that, for a store of runs: true when it is a file, next to which SQLite then makes others;
 * false: the address of a server. */
bool cli_store_file(const char *store);

/* For opt.c, msg.c. */
void cli_start(const char *name, int on_usage); /* the status of a usage error */
const char *cli_output_name(void);              /* for messages */
void cli_text_end(void);                        /* of cli_text_stream */
void cli_progress_mode(void);                   /* once the session has it */

/* Option rows of whatever reads captures: -f/--format, --maps, --config, --slide, --locations,
 * --offsets. Put CLI_IMPORT_ROWS(o) into the table and call cli_import_done after parsing. */
struct cli_import {
	struct import_options options;
	int locations, offsets;
	const char *slide;
	bool may_find_slide, find_slide; /* set the first before cli_import_done: --slide auto */
};
extern const char *const cli_location_choices[], *const cli_offset_choices[];
#define CLI_IMPORT_ROWS(i) CLI_IMPORT_ROWS_OF(i, "runtime address minus link-time address")
#define CLI_IMPORT_ROWS_OF(i, slide_text)                                                      \
	ROW_GROUP("reading captures:"),                                                        \
	    ROW_STRING('f', "format", "NAME", "format of the inputs (default: detected)",      \
		       &(i).options.format),                                                   \
	    ROW_STRING(0, "maps", "FILE",                                                      \
		       "module map of the process: /proc/PID/maps, smaps, .dmp",               \
		       &(i).options.maps),                                                     \
	    ROW_STRING(0, "config", "FILE", "LoliProfiler's loli3.conf", &(i).options.config), \
	    ROW_STRING(0, "slide", "ADDR", slide_text, &(i).slide),                            \
	    ROW_CHOICE(0, "locations", "KIND",                                                 \
		       "kind of addresses in stacks: return, exact, entry or sample",          \
		       &(i).locations, cli_location_choices),                                  \
	    ROW_CHOICE(0, "offsets", "SPACE", "LoliProfiler's addresses: file or vaddr",       \
		       &(i).offsets, cli_offset_choices)
void cli_import_done(struct cli_import *i);

/* The one input loop: every operand (none: standard input, "-" too) is read into the sink; a
 * bad one is reported and the rest go on. name is the file's, for the sink's messages; may be
 * NULL. after is called per file that gave something; may be NULL. */
struct cli_loop {
	const struct import_options *import;
	struct sink *sink;
	void (*after)(void *arg, const char *file);
	/* Reads what is no capture: *taken says whether it was; may be NULL. */
	enum status (*instead)(void *arg, struct input *in, bool *taken, struct err *e);
	void *arg;
	struct cli_symbols
	    *symbols; /* of autosymbolize.h, for captures without names; may be NULL */
	bool
	    marks; /* frames are asked for: all marks have to be known, if need be by two readings */
	bool
	    frames_selected; /* with marks: a note tells that --frame finds no frames in a capture */
	const char *file;    /* the operand being read */
	bool lossy;          /* some input was salvaged */
	size_t read;         /* inputs that gave something */
	enum status failed;  /* why the last one did not; ST_OK: it did */
	struct input_digest *digest; /* NULL, or zeroed: that of the one operand */
};
void cli_inputs(struct cli_loop *l, int n, char **operands);
/* Of the number of operands: with none, standard input is read, which is an error of use where it is
 * a terminal. What is typed is no capture; "-" says that it is meant. */
void cli_reject_tty(int n);
/* An operand that is in memory (session.h); NULL: it is not. */
const struct event_store *cli_preloaded(const char *operand);
struct tally_options;
void cli_prefetch(const char *operand, const struct tally_options *o); /* struct cli_host */

/* For programs that look at a trace twice: when the input is not a trace, it is imported into an
 * unlinked file (*file, to be closed by the caller), which then stands at its first byte. A trace is
 * left alone: *file stays NULL. */
enum status cli_as_trace(struct input *in, const struct import_options *o, FILE **file,
			 struct err *e);

/* A module map for a trace, whose own tables must stay as they are: its text. */
enum status cli_read_maps(const char *path, struct buf *text, struct err *e);

/* A folder given with --option that is not there: an error and EXIT_INPUT. */
void cli_need_folder(const char *option, const char *path);

/* For programs that answer requests, one in each line. Operands are requests; without any they are
 * lines of standard input (path NULL) or of a file, answered in the pieces that lib/input/lines.h
 * makes, with standard output flushed behind each. */
typedef void (*cli_answer)(void *arg, const struct input_line *lines, size_t n);
void cli_requests(int n, char **operands, cli_answer answer, void *arg);
void cli_request_lines(const char *path, cli_answer answer, void *arg);
/* Lines of standard input that are a text and no requests: up to longest bytes of each; what was
 * cut off is said. */
void cli_text_lines(size_t longest, cli_answer answer, void *arg);
/* The same of a log, which may be UTF-16, as files may (text_mark.h). */
void cli_log_lines(size_t longest, cli_answer answer, void *arg);
/* Text in another tool's form to standard output: as it is, since programs read it; but to a
 * terminal with what is hidden escaped, save line ends and tabs. */
void cli_print(const char *s, size_t n);
/* The same without the escapes, for what is bytes or has been escaped. */
void cli_write(const char *s, size_t n);
void cli_flush(void);                            /* what was put leaves the buffer */
void cli_print_colored(const char *s, size_t n); /* the same, and colours are obeyed */
void cli_write_stderr(const char *s, size_t n);  /* the same to standard error */
bool cli_terminal(void);                         /* standard output is one */
/* The same as a stream, which cli_exit closes. */
FILE *cli_text_stream(void);
/* Writes what has gathered once it is worth it, so that memory does not grow with the output. */
void cli_flush_if_large(struct buf *out);
/* For programs that take another tool's place: which of these names it was called by, also as
 * TRIPLE-NAME or NAME-14; NULL: by its own, which begins with tm-. */
const char *cli_called(const char *argv0, const char *const *names);

/* Progress on stderr for work over half a second, on a terminal or with --progress=always. total 0:
 * not known. Cheap to call often. */
void cli_progress(const char *what, uint64_t done, uint64_t total);
/* The same for work that does not say how far it is: how long it takes so far, until anything else is said or
 * cli_progress_clear. what stays valid. */
void cli_progress_working(const char *what);
void cli_progress_clear(void);
/* A sink that passes all on to another one, and reports the progress of reading that input. */
struct cli_watch {
	struct sink_tap tap; /* first */
	const struct input *in;
	uint64_t events;
};
struct sink *cli_watch(struct cli_watch *w, const struct input *in, struct sink *to);

#endif
