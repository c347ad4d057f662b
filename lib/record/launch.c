/* SPDX-License-Identifier: MIT */
#include "lib/record/launch.h"

#include "lib/base/buf.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/record/program.h"
#include "lib/recorder/base/high_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_RUN = 3 };

const char *const launch_stacks[] = {"auto", "fp", "unwind", "none", "shadow", NULL};
const char *const launch_calls[] = {"none", "markers", "all", NULL};

static volatile pid_t child;
static const int passed[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { PASSED = sizeof passed / sizeof *passed };
static struct sigaction before[PASSED]; /* what they did, until the program has ended */

static void launch_pass_on(int sig)
{
	int interrupted = errno;

	if (child > 0)
		kill(child, sig);
	errno = interrupted;
}

/* What realpath fills is PATH_MAX long, which is that. */
bool launch_find_library(const char *given, const char *below, char library[CAP_PATH_MAX])
{
	/* As built or installed; what is in tracemill/ is a package's. */
	static const char *const folders[] = {"lib", "lib/tracemill", "lib64", "lib64/tracemill"};
	struct buf b = BUF_INIT;
	char exe[4096], *slash;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	bool there = false;

	if (given)
		return realpath(given, library);
	if (n <= 0)
		return false;
	exe[n] = 0;
	slash = strrchr(exe, '/');
	for (size_t i = 0; i < sizeof folders / sizeof *folders && !there; i++) {
		b.len = 0;
		buf_addf(&b, "%.*s/../%s/%slibtracemill-capture.so", (int)(slash - exe), exe,
			 folders[i], below);
		there = realpath(buf_str(&b), library);
	}
	buf_release(&b);
	return there;
}

/* By how the program differs from this one. */
static const struct {
	const char *folder, *why, *needed;
} libraries[] = {
    {"", "", ""},
    [PROGRAM_MUSL] = {"musl/", "is built for the C library musl, which does", "musl"},
    [PROGRAM_32_BITS] = {"32/", "has words of 32 bits and does", "these"},
    [PROGRAM_MUSL |
	PROGRAM_32_BITS] = {"32/musl/", "is built for musl of 32 bits, which does", "both"},
};

enum status launch_prepare(struct launch *l, const char *program, const char *given, char **about,
			   struct err *e)
{
	enum status st = program_check(program, about, e);
	unsigned differs;

	if (st) {
		*about = *about ? *about : mem_strdup(program);
		return st;
	}
	snprintf(l->program, sizeof l->program, "%s", *about);
	l->unseen = program_unseen(*about);
	differs = program_differs(*about);
	if (differs && !given && !(l->unseen & PROGRAM_RECORDS_ITSELF) &&
	    !launch_find_library(NULL, libraries[differs].folder, l->library))
		return err_set(
		    e, ST_UNSUPPORTED,
		    "%s not load the capture library of this one: name one that is built "
		    "for %s with --library",
		    libraries[differs].why, libraries[differs].needed);
	free(*about);
	*about = NULL;
	if (l->spikes) {
		int fd = open(l->spikes, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

		if (fd < 0) {
			*about = mem_strdup(l->spikes);
			return err_sys(e, "cannot open");
		}
		close(fd);
	}
	*about = given ? mem_strdup(given) : NULL;
	if (l->unseen & PROGRAM_RECORDS_ITSELF)
		return ST_OK;
	if (!launch_find_library(given, libraries[differs].folder, l->library))
		return err_set(e, ST_BAD, "the capture library is not there");
	return ST_OK;
}

static void add_path(struct buf *b, const char *path)
{
	char folder[4096];

	if (*path != '/' && getcwd(folder, sizeof folder))
		buf_addf(b, "%s/", folder);
	buf_adds(b, path);
}

/* Memory that the program shares with us. */
static int open_outcome(struct launch *l)
{
	int fd = memfd_create("tracemill", 0);
	struct cap_outcome *o = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, sizeof *o))
		o = mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (o != MAP_FAILED) {
		o->mark = CAP_OUTCOME;
		l->outcome = o;
	}
	return fd < 0 ? fd : cap_high_fd(fd, 0);
}

int launch_error(const struct launch *l)
{
	return l->outcome ? (int)atomic_load(&l->outcome->error) : 0;
}

bool launch_open(const struct launch *l)
{
	return l->outcome && atomic_load(&l->outcome->open);
}

enum cap_loaded launch_loaded(const struct launch *l)
{
	return l->outcome ? (enum cap_loaded)atomic_load(&l->outcome->loaded) : CAP_LOADED;
}

void launch_describe(struct buf *b, const struct cap_settings *s)
{
	buf_addf(b,
		 "stacks=%s threshold=%" PRIu64 " sample=%" PRIu64
		 " depth=%u mmap=%d drop=%d rss=%" PRIu64 " calls=%s times=%d",
		 launch_stacks[s->stacks], s->threshold, s->sample, s->depth, s->mmap, s->drop,
		 s->rss_ms, launch_calls[s->calls], s->times);
	if (*s->frames_at)
		buf_addf(b, " frames=%s", s->frames_at);
	if (*s->wraps)
		buf_addf(b, " wraps=%s", s->wraps);
}

static void launch_add_settings(struct buf *b, const struct launch *l, int outcome)
{
	const struct cap_settings *s = &l->settings;
	struct stat st;

	if (!fstat(l->fd, &st))
		buf_addf(b, "inode=%" PRIu64 " ", (uint64_t)st.st_ino);
	buf_addf(b, "pid=%d fd=%d since=%" PRIu64 " children=%d duration=%" PRIu64 " ",
		 (int)getpid(), l->fd, (uint64_t)time(NULL), s->children, s->duration_ms);
	launch_describe(b, s);
	if (outcome >= 0)
		buf_addf(b, " outcome=%d", outcome);
	if (l->path) {
		buf_adds(b, " out=");
		add_path(b, l->path);
	}
}

_Noreturn static void run(const struct launch *l, int outcome, char **argv)
{
	const char *others = getenv("LD_PRELOAD");
	struct buf preload = BUF_INIT, text = BUF_INIT, spikes = BUF_INIT;

	if (l->spare)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	launch_add_settings(&text, l, outcome);
	buf_addf(&preload, "%s%s%s", l->library, others && *others ? ":" : "",
		 others ? others : "");
	if (*l->library)
		setenv("LD_PRELOAD", buf_str(&preload), 1);
	setenv(CAP_VARIABLE, buf_str(&text), 1);
	if (l->spikes) {
		add_path(&spikes, l->spikes);
		setenv("TRACEMILL_SPIKES", buf_str(&spikes), 1);
	}
	execvp(*argv, argv);
	if (l->outcome)
		atomic_store(&l->outcome->loaded, CAP_NOT_RUN);
	l->failed(*argv, strerror(errno));
	_exit(NOT_RUN);
}

/* Those of the terminal have reached the program too; those of one process have not. */
static void launch_pass_on_if_sent(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code <= 0)
		launch_pass_on(sig);
}

pid_t launch(struct launch *l, char **argv)
{
	struct sigaction sent = {.sa_sigaction = launch_pass_on_if_sent,
				 .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigaction all = {.sa_handler = launch_pass_on, .sa_flags = SA_RESTART};
	int outcome = open_outcome(l);
	pid_t pid = fork();

	if (!pid)
		run(l, outcome, argv);
	if (outcome >= 0)
		close(outcome);
	child = pid;
	for (size_t i = 0; i < PASSED; i++)
		sigaction(passed[i], i < 2 ? &sent : &all, &before[i]);
	return pid;
}

int launch_wait(int *sig, struct rusage *used)
{
	int status;

	*sig = 0;
	while (wait4(child, &status, 0, used) < 0)
		if (errno != EINTR)
			return NOT_RUN;
	child = 0;
	for (size_t i = 0; i < PASSED; i++)
		sigaction(passed[i], &before[i], NULL);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	*sig = WTERMSIG(status);
	return 128 + *sig;
}

/* True: what was recorded has its end, and the program goes on. */
static bool launch_outlasts(const struct launch *l, pid_t pid)
{
	const struct timespec pause = {0, 20000000};
	uint64_t end = (uint64_t)clock_ns() + (uint64_t)l->settings.duration_ms * 1000000;
	bool ended = false;

	if (!l->settings.duration_ms || !l->outcome)
		return false;
	for (;;) {
		siginfo_t info = {.si_pid = 0};

		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) || info.si_pid)
			return false;
		if (ended)
			return true;
		ended = (uint64_t)clock_ns() >= end && launch_loaded(l) == CAP_LOADED &&
			!launch_open(l);
		nanosleep(&pause, NULL);
	}
}

int launch_run(struct launch *l, int fd, char **argv, int *sig, void (*over)(void *arg), void *arg,
	       struct rusage *used)
{
	pid_t pid;

	l->fd = fd;
	pid = launch(l, argv);
	close(fd);
	if (l->spare)
		close(STDOUT_FILENO);
	*sig = 0;
	if (pid > 0 && over && launch_outlasts(l, pid))
		over(arg);
	return pid < 0 ? NOT_RUN : launch_wait(sig, used);
}
