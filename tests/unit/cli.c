/* SPDX-License-Identifier: MIT
 *
 * Option parsing. It ends the process on errors, so each case runs in a child, whose status and
 * texts come back through files.
 */
#include "lib/cli/cli.h"
#include "lib/cli/session.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	bool all, brief;
	const char *name;
	struct opt_list list;
	uint64_t number, address;
	bool has_address;
	int color;
} got;

static const char *const colors[] = {"auto", "red", NULL};
static const struct opt options[] = {
    ROW_HEADING("some:"),
    ROW_FLAG('a', "all", "take all", &got.all),
    ROW_FLAG('b', "brief", "say less", &got.brief),
    ROW_STRING('n', "name", "NAME", "a name", &got.name),
    ROW_LIST('l', "list", "ITEM", "may come again", &got.list),
    ROW_NUMBER('N', "number", "N", "a number", &got.number),
    ROW_ADDRESS(0, "address", "ADDR", "an address", &got.address, &got.has_address),
    ROW_CHOICE(0, "color", "WHICH", "auto or red", &got.color, colors),
    OPT_END,
};
static const struct opt_program program = {"tm-test", "[FILE...]", "Tests options.", options};

enum { MAX_ARGS = 12 };

/* What the child does after parsing: prints what it got. */
static void print_got(int n, char **argv)
{
	printf("%d%d %s", got.all, got.brief, got.name ? got.name : "-");
	for (size_t i = 0; i < got.list.n; i++)
		printf(" l=%s", got.list.items[i]);
	printf(" %" PRIu64 " %d:%" PRIx64 " %d q%d |", got.number, got.has_address, got.address,
	       got.color, cli_now->quiet);
	for (int i = 1; i <= n; i++)
		printf(" %s", argv[i]);
}

static void slurp(FILE *f, char *text, size_t size)
{
	size_t n;

	rewind(f);
	n = fread(text, 1, size - 1, f);
	text[n] = '\0';
	fclose(f);
}

/* args: words separated by a blank. Returns the exit status. */
static int run(const char *args, char out[4096], char err[4096])
{
	char words[1024], *argv[MAX_ARGS + 2] = {NULL};
	FILE *o = tmpfile(), *e = tmpfile();
	int argc = 1, status = -1;
	pid_t child;

	snprintf(words, sizeof words, "%s", args);
	argv[0] = words + strlen(words);
	for (char *w = strtok(words, " "); w && argc <= MAX_ARGS; w = strtok(NULL, " "))
		argv[argc++] = w;
	if (!CHECK(o && e))
		return -1;
	fflush(stdout);
	child = fork();
	if (!child) {
		dup2(fileno(o), STDOUT_FILENO);
		dup2(fileno(e), STDERR_FILENO);
		print_got(opt_parse(&program, argc, argv), argv);
		fflush(stdout);
		_exit(cli_exit());
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
	slurp(o, out, 4096);
	slurp(e, err, 4096);
	return WEXITSTATUS(status);
}

TEST(options_are_understood_in_every_spelling)
{
	static const struct {
		const char *args, *want;
	} cases[] = {
	    {"", "00 - 0 0:0 0 q0 |"},
	    {"-a -b", "11 - 0 0:0 0 q0 |"},
	    {"-ab", "11 - 0 0:0 0 q0 |"},
	    {"-abnX", "11 X 0 0:0 0 q0 |"},
	    {"-nX f", "00 X 0 0:0 0 q0 | f"},
	    {"-n X f", "00 X 0 0:0 0 q0 | f"},
	    {"--name=X f", "00 X 0 0:0 0 q0 | f"},
	    {"--name X f", "00 X 0 0:0 0 q0 | f"},
	    {"--name= f", "00  0 0:0 0 q0 | f"},
	    {"--name=a=b", "00 a=b 0 0:0 0 q0 |"},
	    {"-n -a", "00 -a 0 0:0 0 q0 |"},
	    {"-n X -n Y", "00 Y 0 0:0 0 q0 |"},
	    {"-l x --list=y -lz", "00 - l=x l=y l=z 0 0:0 0 q0 |"},
	    {"-N 18446744073709551615", "00 - 18446744073709551615 0:0 0 q0 |"},
	    {"-N5", "00 - 5 0:0 0 q0 |"},
	    {"--address 0x10", "00 - 0 1:10 0 q0 |"},
	    {"--address 10", "00 - 0 1:a 0 q0 |"},
	    {"--color=red -q", "00 - 0 0:0 1 q1 |"},
	    {"f -a g", "10 - 0 0:0 0 q0 | f g"},
	    {"f -- -a g", "00 - 0 0:0 0 q0 | f -a g"},
	    {"-a - f", "10 - 0 0:0 0 q0 | - f"},
	    {"-- --", "00 - 0 0:0 0 q0 | --"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char out[4096], err[4096];

		CHECK_EQ(run(cases[i].args, out, err), 0);
		CHECK_STR(out, cases[i].want);
		CHECK_STR(err, "");
	}
}

TEST(usage_errors_are_one_line_and_status_2)
{
	static const struct {
		const char *args, *want;
	} cases[] = {
	    {"--nothing", "unknown option --nothing"},
	    {"--nothing=5", "unknown option --nothing"},
	    {"--al", "unknown option --al; did you mean --all?"},
	    {"-ax", "unknown option -x"},
	    {"-n", "-n needs a value"},
	    {"-an", "-n needs a value"},
	    {"--name", "--name needs a value"},
	    {"--all=yes", "--all takes no value"},
	    {"-N x", "--number: 'x' is not a number"},
	    {"-N -1", "--number: '-1' is not a number"},
	    {"-N 5k", "--number: '5k' is not a number"},
	    {"-N=5", "--number: '=5' is not a number"},
	    {"--number=", "--number: '' is not a number"},
	    {"-N 18446744073709551616", "--number: '18446744073709551616' is not a number"},
	    {"--address 0x", "--address: '0x' is not a number"},
	    {"--color=blue", "--color: 'blue' is not one of its values: auto, red"},
	    {"--alll", "unknown option --alll; did you mean --all?"},
	    {"--numbre 5", "unknown option --numbre; did you mean --number?"},
	    {"--hlep", "unknown option --hlep; did you mean --help?"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char out[4096], err[4096], want[200];

		snprintf(want, sizeof want, "tm-test: %s\ntm-test: try tm-test --help\n",
			 cases[i].want);
		CHECK_EQ(run(cases[i].args, out, err), 2);
		CHECK_STR(out, "");
		CHECK_STR(err, want);
	}
}

TEST(help_lists_every_row)
{
	static const char *const words[] = {"usage: tm-test [option...] [FILE...]\n",
					    "Tests options.\n",
					    "\nsome:\n",
					    "-a, --all",
					    "--name NAME",
					    "--address ADDR",
					    "--color WHICH",
					    "auto or red"};
	char out[4096], err[4096];

	CHECK_EQ(run("--help", out, err), 0);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		CHECK(strstr(out, words[i]) != NULL);
	/* what all programs have is named in short, and listed by --help all */
	CHECK(strstr(out, "--help --version\n") != NULL);
	CHECK(!strstr(out, "-h, --help"));
	CHECK_STR(err, "");
	CHECK_EQ(run("--help all", out, err), 0);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		CHECK(strstr(out, words[i]) != NULL);
	CHECK(strstr(out, "-h, --help") && strstr(out, "-V, --version"));
	CHECK_STR(err, "");
	CHECK_EQ(run("-h -N x", out, err), 2); /* errors come before */
	CHECK_EQ(run("--version", out, err), 0);
	CHECK_STR(out, "tm-test (tracemill) " TM_VERSION "\n");
}

/* lib/README.md: of several statuses 2, 3, 1, 4, 5, 0 in that order. */
TEST(the_worst_status_wins)
{
	static const enum exit_status order[] = {EXIT_FINE, EXIT_INCONCLUSIVE, EXIT_INCOMPLETE,
						 EXIT_GATE, EXIT_INPUT,        EXIT_USAGE};

	for (int a = 0; a < 6; a++)
		for (int b = 0; b < 6; b++) {
			int status = -1;
			pid_t child;

			fflush(stdout);
			child = fork();
			if (!child) {
				cli_status(order[a]);
				cli_status(order[b]);
				_exit(cli_exit());
			}
			CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
			CHECK_EQ(WEXITSTATUS(status), order[a > b ? a : b]);
		}
}

/* What only drop-ins for other tools need. */
TEST(styles_of_other_tools)
{
	static const char *const kinds[] = {"none", "short", "long", NULL};
	static bool on, off, version_like;
	static int kind;
	static const char *file;
	const struct opt rows[] = {
	    ROW_SWITCH('i', "inlines", "a switch", &on),
	    ROW_CLEAR(0, "no-inlines", "the same", &on),
	    ROW_OPTIONAL('f', "functions", "KIND", "may have a value", &kind, kinds, "long"),
	    ROW_STRING('e', "exe", "FILE", "needs one", &file),
	    ROW_STRING(0, "obj", "FILE", NULL, &file),
	    ROW_FLAG(0, "verbose", "not the common one", &version_like),
	    ROW_FLAG(0, "offline", "begins as off does", &off),
	    OPT_END,
	};
	const struct opt_program p = {"tm-test", "", "", rows};
	const struct opt_style dash = {.dash_words = true}, prefixes = {.prefixes = true};
	char all[][20] = {"x", "-inlines=false", "--functions", "a", "-obj=b", "-if=short", "-e=c"};
	char begun[][20] = {"x", "--inl", "--func=none", "--ex", "d", "--no-i", "--off"};
	char *argv[8] = {NULL};

	for (int i = 0; i < 7; i++)
		argv[i] = all[i];
	CHECK_EQ(opt_parse_as(&dash, &p, 7, argv), 1);
	CHECK_STR(argv[1], "a");
	CHECK(on);
	CHECK_EQ(kind, 1);
	CHECK_STR(file, "c");
	for (int i = 0; i < 7; i++)
		argv[i] = begun[i];
	CHECK_EQ(opt_parse_as(&prefixes, &p, 7, argv), 0);
	CHECK(!on && off && !version_like);
	CHECK_EQ(kind, 0);
	CHECK_STR(file, "d");
}

/* What a file's name or its bytes could do to a terminal. */
TEST(messages_are_one_line_without_control_bytes)
{
	FILE *e = tmpfile();
	char text[4096];
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		struct err failure = ERR_INIT;

		dup2(fileno(e), STDERR_FILENO);
		cli_start("tm-test", EXIT_USAGE);
		err_at(&failure, ST_BAD, 17, "a \"b\"\n\x1b[31m");
		cli_fail("x\ny", &failure);
		_exit(cli_exit());
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	CHECK_EQ(WEXITSTATUS(status), 3);
	slurp(e, text, sizeof text);
	CHECK_STR(text, "tm-test: x\\ny: byte 17: a \"b\"\\n\\x1b[31m\n");
}

TEST_MAIN()
