/* SPDX-License-Identifier: MIT
 *
 * tm-record: runs a program with the capture library in it.
 */
#include "lib/base/buf.h"
#include "lib/capture/settings.h"
#include "lib/cli/cli.h"
#include "lib/record/program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const stack_words[] = {"auto", "fp", "unwind", "none", NULL};

enum { OUR_FD = 200 }; /* out of the way of what programs open and close by number */

static pid_t child;

static void pass_on(int sig)
{
	if (child > 0)
		kill(child, sig);
}

/* Beside us, as built or installed. */
static char *find_library(const char *given)
{
	struct buf b = BUF_INIT;
	char exe[4096], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (given)
		return realpath(given, NULL);
	if (n <= 0)
		return NULL;
	exe[n] = 0;
	slash = strrchr(exe, '/');
	buf_addf(&b, "%.*s/../lib/libtracemill-capture.so", (int)(slash - exe), exe);
	path = realpath(buf_str(&b), NULL);
	free(b.data);
	return path;
}

/* The output's descriptor, and its path for messages and children. */
static int open_output(const char **path, bool children)
{
	static char own[64];
	int fd;

	if (children && (!*path || !strcmp(*path, "-")))
		cli_usage("--pid-children writes a file for each process: say its name with -o");
	if (!*path && isatty(STDOUT_FILENO)) {
		snprintf(own, sizeof own, "tm-record.%d.tmt", (int)getpid());
		*path = own;
		cli_note(NULL, "the trace is written to %s", own);
	}
	if (!*path || !strcmp(*path, "-")) {
		*path = NULL;
		fd = fcntl(STDOUT_FILENO, F_DUPFD, OUR_FD);
		return fd < 0 ? dup(STDOUT_FILENO) : fd;
	}
	fd = open(*path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd >= 0) {
		int far = fcntl(fd, F_DUPFD, OUR_FD);

		if (far >= 0) {
			close(fd);
			fd = far;
		}
	}
	return fd;
}

static const char *absolute(const char *path)
{
	struct buf b = BUF_INIT;
	char folder[4096];

	if (*path != '/' && getcwd(folder, sizeof folder))
		buf_addf(&b, "%s/", folder);
	buf_adds(&b, path);
	return buf_str(&b);
}

static void settings(struct buf *b, const struct cap_settings *s, int fd, const char *path)
{
	struct stat st;

	if (!fstat(fd, &st))
		buf_addf(b, "inode=%" PRIu64 " ", (uint64_t)st.st_ino);
	buf_addf(b,
		 "pid=%d fd=%d since=%" PRIu64 " stacks=%s threshold=%" PRIu64 " sample=%" PRIu64
		 " depth=%u mmap=%d children=%d drop=%d duration=%" PRIu64 " rss=%" PRIu64,
		 (int)getpid(), fd, (uint64_t)time(NULL), stack_words[s->stacks], s->threshold,
		 s->sample, s->depth, s->mmap, s->children, s->drop, s->duration_ms, s->rss_ms);
	if (path)
		buf_addf(b, " out=%s", path);
}

_Noreturn static void run(char **argv, const char *library, const struct cap_settings *s, int fd,
			  const char *path)
{
	const char *others = getenv("LD_PRELOAD");
	struct buf preload = BUF_INIT, text = BUF_INIT;

	if (path)
		path = absolute(path);
	else
		dup2(STDERR_FILENO, STDOUT_FILENO);
	settings(&text, s, fd, path);
	buf_addf(&preload, "%s%s%s", library, others && *others ? ":" : "", others ? others : "");
	setenv("LD_PRELOAD", buf_str(&preload), 1);
	setenv(CAP_VARIABLE, buf_str(&text), 1);
	execvp(*argv, argv);
	cli_error(*argv, "%s", strerror(errno));
	_exit(EXIT_INPUT);
}

static int wait_for(pid_t pid)
{
	int status;

	signal(SIGINT, SIG_IGN); /* the terminal sends them to the program too */
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, pass_on);
	signal(SIGHUP, pass_on);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_INPUT;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	cli_note(NULL, "the program was ended by signal %d (%s): the trace is cut there",
		 WTERMSIG(status), strsignal(WTERMSIG(status)));
	return 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct cap_settings s = {.depth = CAP_DEPTH};
	const char *output = NULL, *given = NULL;
	uint64_t depth = CAP_DEPTH, seconds = 0;
	int stacks = 0, fd, status;
	struct err e = ERR_INIT;
	char *library, *path;
	bool stripped;
	const struct opt table[] = {
	    ROW_STRING('o', "output", "FILE", "write there instead of standard output", &output),
	    ROW_FLAG(0, "pid-children", "processes that it starts write FILE.PID", &s.children),
	    ROW_NUMBER(0, "duration", "SECONDS", "record for so long; the program goes on",
		       &seconds),
	    ROW_FLAG(0, "drop", "drop events, and count them, when the output is too slow",
		     &s.drop),
	    ROW_STRING(0, "library", "FILE", "the capture library, instead of the one beside this",
		       &given),
	    ROW_HEADING("what is recorded:"),
	    ROW_NUMBER(0, "threshold", "BYTES", "only blocks of so many bytes and more",
		       &s.threshold),
	    ROW_NUMBER(0, "sample", "BYTES", "a sample every so many bytes, on average", &s.sample),
	    ROW_FLAG(0, "mmap", "anonymous mappings too", &s.mmap),
	    ROW_NUMBER(0, "rss", "MS", "counters of the process's memory, so often", &s.rss_ms),
	    ROW_CHOICE(0, "stacks", "HOW", "auto, fp, unwind or none", &stacks, stack_words),
	    ROW_NUMBER(0, "depth", "N", "locations that are kept of a stack (default: 128)",
		       &depth),
	    OPT_END,
	};
	const struct opt_program program = {"tm-record", "-- PROGRAM [ARGUMENT...]",
					    "Records the allocations of a program.", table};
	int n = opt_parse(&program, argc, argv);

	if (!n)
		cli_usage("no program to run");
	if (!depth || depth > CAP_DEPTH_MAX)
		cli_usage("--depth is 1 to %d", CAP_DEPTH_MAX);
	argv[n + 1] = NULL;
	s.depth = (unsigned)depth;
	s.stacks = (enum cap_stacks)stacks;
	s.duration_ms = seconds * 1000;
	status = (int)program_check(argv[1], &path, &e);
	if (status) {
		cli_error(path ? path : argv[1], "%s", e.msg);
		free(path);
		return EXIT_INPUT;
	}
	stripped = program_stripped(path);
	free(path);
	library = find_library(given);
	if (!library) {
		cli_error(given, "the capture library is not there");
		return EXIT_INPUT;
	}
	fd = open_output(&output, s.children);
	if (fd < 0) {
		cli_error(output, "%s", strerror(errno));
		return EXIT_INPUT;
	}
	if (stripped)
		cli_note(argv[1], "is stripped: its functions have names only with its debug file");
	child = fork();
	if (!child)
		run(argv + 1, library, &s, fd, output);
	close(fd);
	if (!output)
		close(STDOUT_FILENO);
	free(library);
	return child < 0 ? EXIT_INPUT : wait_for(child);
}
