/* SPDX-License-Identifier: MIT */
#include "lib/cli/front.h"

#include "lib/base/buf.h"
#include "lib/base/text.h"
#include "lib/cli/opt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_STARTED = 127 };

const struct front_program front_programs[] = {
    {NULL, "to begin"},
    {"run", "record a program and rank its allocations"},
    {"show", "identify a file and print its report"},
    {"doctor", "what stops a good recording, and what helps"},
    {"record", "record a program into a trace"},
    {NULL, "to look"},
    {"session", "all files of one run together, on one clock"},
    {"top", "rank code by memory or time"},
    {"frames", "spikes and growth by frame, and one frame in detail"},
    {"spikes", "calls that took longer than their limit"},
    {"heap", "heap snapshots: objects, and who holds them"},
    {"view", "explore captures in a browser, or answer a script"},
    {"dump", "print traces as text"},
    {NULL, "to compare"},
    {"compare", "compare two runs, and fail CI by a policy"},
    {"history", "trends of many runs, and builds that changed them"},
    {"merge", "merge aggregates into one"},
    {NULL, "to prepare"},
    {"symbolize", "add functions and lines to a trace"},
    {"inspect", "check if a binary can be profiled and symbolized"},
    {"import", "convert captures of other tools to a trace"},
    {"filter", "keep a part of a capture, or make it anonymous"},
    {"export", "convert traces to pprof, speedscope, SQLite ..."},
    {NULL, "instead of"},
    {"addr2line", "GNU addr2line"},
    {"llvm-symbolizer", "llvm-symbolizer"},
    {"atos", "atos of macOS"},
    {NULL, NULL},
};

const struct front_program *front_find(const char *name)
{
	if (!strncmp(name, "tm-", 3))
		name += 3;
	for (const struct front_program *p = front_programs; p->what; p++)
		if (p->name && !strcmp(p->name, name))
			return p;
	return NULL;
}

const char *front_near(const char *name)
{
	const char *found = NULL;
	size_t n;

	if (!strncmp(name, "tm-", 3))
		name += 3;
	n = strlen(name);
	for (const struct front_program *p = front_programs; n && p->what; p++) {
		if (!p->name || (strncmp(p->name, name, n) && !text_is_slip(name, n, p->name)))
			continue;
		if (found)
			return NULL;
		found = p->name;
	}
	return found;
}

/* The folder of this program: as built or installed, it has the others too. */
static bool front_beside(struct buf *path, const char *name)
{
	char exe[4096], *slash;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n <= 0)
		return false;
	exe[n] = 0;
	slash = strrchr(exe, '/');
	buf_addf(path, "%.*s/tm-%s", (int)(slash - exe), exe, name);
	return !access(buf_str(path), X_OK);
}

void front_exec(const char *name, char **argv)
{
	struct buf path = BUF_INIT, word = BUF_INIT;

	if (!strncmp(name, "tm-", 3))
		name += 3;
	buf_addf(&word, "tm-%s", name);
	buf_str(&word);
	argv[0] = word.data;
	if (front_beside(&path, name))
		execv(path.data, argv);
	else
		execvp(argv[0], argv);
	buf_release(&path);
}

int front_child(void (*fn)(void *arg), void *arg)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		fn(arg);
		_exit(NOT_STARTED);
	}
	if (pid < 0)
		return NOT_STARTED;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return NOT_STARTED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct front_start {
	const char *name;
	char **argv;
	int out;
};

static void front_start(void *arg)
{
	const struct front_start *s = arg;

	if (s->out < 0 || dup2(s->out, STDOUT_FILENO) >= 0)
		front_exec(s->name, s->argv);
}

int front_run(const char *name, char **argv, int out)
{
	return front_child(front_start, &(struct front_start){name, argv, out});
}

/* --- tm-view: a browser opens the address that it prints --- */

static bool front_is_set(const char *variable)
{
	const char *s = getenv(variable);

	return s && *s;
}

static bool front_has_browser(char **argv)
{
	static const char *const others[] = {"--query", "--lines", "--mcp",     "--listen",
					     "--help",  "-h",      "--version", "-V"};

	if (!isatty(STDOUT_FILENO) || front_is_set("CI") || front_is_set("SSH_CONNECTION") ||
	    front_is_set("SSH_TTY") ||
	    !(front_is_set("DISPLAY") || front_is_set("WAYLAND_DISPLAY")))
		return false;
	for (argv++; *argv; argv++)
		for (size_t i = 0; i < sizeof others / sizeof *others; i++)
			if (!strncmp(*argv, others[i], strlen(others[i])))
				return false;
	return true;
}

/* $BROWSER, as xdg-open and Python's webbrowser read it: its first. */
static void front_start_browser(char *address)
{
	const char *given = getenv("BROWSER"), *chosen = given && *given ? given : "xdg-open";
	char *name = strndup(chosen, strcspn(chosen, ":"));
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		setsid();
		execlp(name, name, address, (char *)NULL);
		_exit(NOT_STARTED);
	}
	free(name);
}

/* Passes on what tm-view prints. */
static _Noreturn void front_pass_on(int from)
{
	char *line = NULL;
	size_t cap = 0;
	bool opened = false;
	FILE *in = fdopen(from, "r");

	signal(SIGCHLD, SIG_IGN);
	for (ssize_t n; in && (n = getline(&line, &cap, in)) > 0;) {
		fwrite(line, 1, (size_t)n, stdout);
		fflush(stdout);
		line[strcspn(line, "\n")] = 0;
		if (!opened && !strncmp(line, "http://", 7)) {
			front_start_browser(line);
			opened = true;
		}
	}
	_exit(0);
}

void front_exec_view(char **argv)
{
	int ends[2];
	pid_t pid;

	if (front_has_browser(argv) && !pipe2(ends, O_CLOEXEC)) {
		fflush(stdout);
		pid = fork();
		if (!pid) {
			close(ends[1]);
			front_pass_on(ends[0]);
		}
		if (pid > 0)
			dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
	}
	front_exec("view", argv);
}

/* --- completion: the names, and behind one of them what its program offers --- */

static void front_names(void)
{
	for (const struct front_program *p = front_programs; p->what; p++)
		if (p->name)
			printf("%s ", p->name);
	fputs("help", stdout);
}

static void front_bash(void)
{
	fputs("_tracemill() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} name=${COMP_WORDS[1]}\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [[ $COMP_CWORD -eq 1 || $name == help ]]; then\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -W '",
	      stdout);
	front_names();
	fputs("' -- \"$cur\")\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tif [[ $name == show ]]; then\n"
	      "\t\tcompopt -o filenames 2>/dev/null\n"
	      "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\t[[ $name != run ]] || name=record\n"
	      "\tdeclare -F \"_tm_${name//-/_}\" >/dev/null ||\n"
	      "\t\t. \"${BASH_SOURCE[0]%/*}/tm-$name\" 2>/dev/null || return\n"
	      "\tCOMP_WORDS=(\"tm-$name\" \"${COMP_WORDS[@]:2}\")\n"
	      "\tCOMP_CWORD=$((COMP_CWORD - 1))\n"
	      "\t\"_tm_${name//-/_}\"\n"
	      "}\n"
	      "complete -F _tracemill tracemill\n",
	      stdout);
}

static void front_zsh(void)
{
	fputs("#compdef tracemill\n"
	      "local state\n"
	      "_arguments '1:command:(",
	      stdout);
	front_names();
	fputs(")' '*::argument:->rest'\n"
	      "[[ $state == rest ]] || return\n"
	      "case $words[1] in\n"
	      "help) ;;\n"
	      "show) _files ;;\n"
	      "run) words[1]=tm-record; _tm-record ;;\n"
	      "*) words[1]=tm-$words[1]; _call_function ret _$words[1] ;;\n"
	      "esac\n",
	      stdout);
}

static void front_fish(void)
{
	fputs("complete -c tracemill -f -n '__fish_use_subcommand' -a '", stdout);
	front_names();
	fputs("'\n"
	      "complete -c tracemill -n 'not __fish_use_subcommand' -a "
	      "'(set -l w (commandline -opc); set -l n $w[2]; "
	      "test $n = run; and set n record; "
	      "complete -C \"tm-$n \"(string join \" \" -- $w[3..-1] (commandline -ct)))'\n",
	      stdout);
}

bool front_complete(const char *shell)
{
	if (!strcmp(shell, "bash"))
		front_bash();
	else if (!strcmp(shell, "zsh"))
		front_zsh();
	else if (!strcmp(shell, "fish"))
		front_fish();
	else
		return false;
	return true;
}
