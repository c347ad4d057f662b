/* SPDX-License-Identifier: MIT
 *
 * tracemill: one command for all programs. tracemill NAME runs tm-NAME; run and show put several together.
 */
#include "lib/base/mem.h"
#include "lib/cli/cli.h"
#include "lib/cli/file_kind.h"
#include "lib/cli/front.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_FOUND = 127 };

static void print_screen(void)
{
	const char *task = "";

	printf("usage: tracemill COMMAND [ARGUMENT...]\n");
	for (const struct front_program *p = front_programs; p->what; p++) {
		if (p->name)
			printf("%-10s  %-15s  %s\n", task, p->name, p->what);
		task = p->name ? "" : p->what;
	}
	printf("Start with: tracemill run ./game; options of a command: tracemill help COMMAND\n");
}

static _Noreturn void not_started(const char *name)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "tm-%s", name);
	cli_error(buf_str(&b), "%s",
		  errno == ENOENT ? "not found beside this program or in PATH" : strerror(errno));
	buf_release(&b);
	exit(errno == ENOENT ? NOT_FOUND : EXIT_INPUT);
}

static _Noreturn void not_known(const char *name)
{
	const char *near = front_near(name);
	struct file_kind k;
	struct err e = ERR_INIT;

	if (near)
		cli_usage("unknown command %s; did you mean %s?", name, near);
	if (!file_look(name, &k, &e))
		cli_usage("unknown command %s; to see what is in that file: tracemill show %s",
			  name, name);
	cli_usage("unknown command %s; to record a program: tracemill run %s", name, name);
}

/* --- show --- */

/* Another program prints the report, and what is wrong. */
static enum exit_status tracemill_show_one(char *path)
{
	char end[] = "--"; /* of options: a name may begin with - */
	struct file_kind k;
	struct err e = ERR_INIT;
	int status;

	if (file_look(path, &k, &e)) {
		cli_fail(path, &e);
		return EXIT_INPUT;
	}
	cli_print(path, strlen(path));
	printf(": %s\n", k.what);
	if (!k.program) {
		if (k.advice)
			printf("  %s\n", k.advice);
		return EXIT_INPUT;
	}
	putchar('\n');
	status = front_run(k.program, (char *[]){NULL, end, path, NULL}, -1);
	if (status == NOT_FOUND) {
		errno = ENOENT; /* that of the child is not known here */
		not_started(k.program);
	}
	if (k.advice) {
		printf("\n%s ", k.advice);
		cli_print(path, strlen(path));
		putchar('\n');
	}
	return status <= EXIT_INCONCLUSIVE ? (enum exit_status)status : EXIT_INPUT;
}

static bool is_binary(const char *path)
{
	struct file_kind k;
	struct err e = ERR_INIT;

	return !file_look(path, &k, &e) && k.program && !strcmp(k.program, "inspect");
}

/* Binaries go beside the captures: -e. */
static _Noreturn void show_view(int n, char **files)
{
	char end[] = "--", exe[] = "-e", **all = mem_zarray(2 * (size_t)n + 3, sizeof *all);
	size_t to = 1;

	for (int i = 0; i < n; i++)
		if (is_binary(files[i])) {
			all[to++] = exe;
			all[to++] = files[i];
			files[i] = NULL;
		}
	all[to++] = end;
	for (int i = 0; i < n; i++)
		if (files[i])
			all[to++] = files[i];
	front_exec_view(all);
	not_started("view");
}

static int tracemill_show(int argc, char **argv)
{
	bool view = false;
	const struct opt table[] = {
	    ROW_FLAG(0, "view", "show the files in a browser, with tm-view", &view),
	    OPT_END,
	};
	const struct opt_program program = {"tracemill show", "FILE...",
					    "Identifies each file and prints its report.", table};
	int n = opt_parse(&program, argc, argv);

	if (!n)
		cli_usage("no file to show");
	for (int i = 1; i <= n; i++)
		if (!strcmp(argv[i], "-"))
			cli_usage("show reads each file twice, so it cannot read standard input");
	cli_sandbox("tracemill", NULL);
	if (view)
		show_view(n, argv + 1);
	for (int i = 1; i <= n; i++) {
		if (i > 1)
			putchar('\n');
		cli_status(tracemill_show_one(argv[i]));
	}
	return cli_exit();
}

/* --- */

/* tm-inspect --recording, its first table, and the rest as it is. */
static void doctor(int argc, char **argv)
{
	char **all = mem_zarray((size_t)argc + 3, sizeof *all);

	if (argc < 2)
		cli_usage("doctor: no program to check");
	all[1] = mem_strdup("--recording");
	all[2] = mem_strdup("--table=verdicts");
	memcpy(all + 3, argv + 1, (size_t)argc * sizeof *all - sizeof *all);
	front_exec("inspect", all);
	not_started("inspect");
}

/* tm-record --report and the rest as it is. */
static void run(int argc, char **argv)
{
	char **all;

	if (argc < 2)
		cli_usage("run: no program to run");
	all = mem_zarray((size_t)argc + 2, sizeof *all);
	all[1] = mem_strdup("--report");
	memcpy(all + 2, argv + 1, (size_t)argc * sizeof *all - sizeof *all);
	front_exec("record", all);
	not_started("record");
}

static int help(const char *name)
{
	const struct front_program *p = name ? front_find(name) : NULL;
	char option[] = "--help";

	if (!name) {
		print_screen();
		return cli_exit();
	}
	if (!p)
		not_known(name);
	name = !strcmp(p->name, "run")      ? "record"
	       : !strcmp(p->name, "doctor") ? "inspect"
					    : p->name;
	if (!strcmp(name, "show"))
		return tracemill_show(2, (char *[]){NULL, option, NULL});
	front_exec(name, (char *[]){NULL, option, NULL});
	not_started(name);
	return EXIT_INPUT;
}

static int own_options(int argc, char **argv)
{
	static const char completion[] = "--completion=";
	const struct opt table[] = {OPT_END};
	const struct opt_program program = {"tracemill", "COMMAND [ARGUMENT...]", "", table};

	if (argc == 2 && !strncmp(argv[1], completion, sizeof completion - 1)) {
		if (!front_complete(argv[1] + sizeof completion - 1))
			cli_usage("--completion: '%s' is not one of bash, zsh, fish",
				  argv[1] + sizeof completion - 1);
		return cli_exit();
	}
	if (strcmp(argv[1], "--help") && strcmp(argv[1], "-h"))
		opt_parse(&program, 2, argv);
	return help(NULL);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "help";
	const struct front_program *p = front_find(word);

	cli_start("tracemill", EXIT_USAGE);
	if (*word == '-')
		return own_options(argc, argv);
	if (!strcmp(word, "help"))
		return help(argc > 2 ? argv[2] : NULL);
	if (!strcmp(word, "run"))
		run(argc - 1, argv + 1);
	if (!strcmp(word, "doctor"))
		doctor(argc - 1, argv + 1);
	if (!strcmp(word, "show"))
		return tracemill_show(argc - 1, argv + 1);
	if (!p)
		not_known(word);
	if (!strcmp(p->name, "view"))
		front_exec_view(argv + 1);
	else
		front_exec(p->name, argv + 1);
	not_started(p->name);
	return EXIT_INPUT;
}
