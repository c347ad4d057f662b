/* SPDX-License-Identifier: MIT
 *
 * Command-line options: a table in main, one row per option, from which parsing, --help and the
 * test that compares --help with the manual page all come. Understands -n5, -n 5, --top=5,
 * --top 5, bundled short flags and --. What only drop-ins for other tools need: struct opt_style,
 * ROW_SWITCH, ROW_CLEAR, ROW_OPTIONAL, and rows without help, which are more words for a row above.
 * A wrong option prints one line and ends with status 2;
 * --help and --version print to standard output and end with 0, as does --completion=SHELL, which
 * must be the only argument and prints what makes bash, zsh or fish complete the options. --help is
 * one screen: rows after a ROW_GROUP, which several programs have, are their words there; --help all
 * says what each does.
 *
 * What a word means, the same in every program: lib/cli/options.txt, to which tests/lint/options.sh
 * holds the tables.
 */
#ifndef TM_CLI_OPT_H
#define TM_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stat;

enum opt_type {
	OPT_END_ROW,
	OPT_HEADING, /* help only: a line between groups */
	OPT_GROUP,   /* the same before rows that several programs have */
	/* What follows are the options of another program, for which the list (to) gets what is given, as
	 * "--word" or "--word=value". --help has their words only. A word or letter above is not theirs. */
	OPT_PASSED,
	OPT_ALIAS,  /* word was the name of what is now called arg; taken, and said to be old */
	OPT_FLAG,   /* bool *: set to true */
	OPT_SWITCH, /* bool *: set to true, or as --word=true or =false says */
	OPT_CLEAR,  /* bool *: set to false */
	OPT_STRING, /* const char **: borrowed from argv */
	OPT_LIST,   /* struct opt_list *: may be given again */
	/* struct opt_list *: takes all arguments up to the next option; each time it is given, a
	 * NULL comes before what it took */
	OPT_MANY,
	OPT_UNSIGNED, /* uint64_t *: decimal, k/M/G suffix not accepted */
	OPT_ADDRESS,  /* uint64_t *: decimal or 0x hex */
	OPT_CHOICE,   /* int *: index into choices; also: of a second one behind a comma */
};

struct opt_list { /* zeroed is empty; items are borrowed from argv */
	const char **items;
	size_t n, cap;
};

struct opt {
	enum opt_type type;
	char letter;      /* 0: none */
	const char *word; /* without -- */
	const char *arg;  /* name of the argument in help; NULL for flags */
	const char *help; /* one line, lower case, no full stop; NULL: not shown */
	void *to;
	bool *given;                /* set to true when the option is there; may be NULL */
	const char *const *choices; /* OPT_CHOICE: NULL-terminated */
	int *also; /* OPT_CHOICE: left alone without a comma; NULL: no second one */
	/* The value of --word alone. Such an option takes a value only behind =, never the next
	 * argument. NULL: a value is needed. */
	const char *bare;
};

/* clang-format off */
/* Rows are written with these, so that the compiler checks what each points to. */
#define ROW_HEADING(text) {.type = OPT_HEADING, .help = text}
#define ROW_GROUP(text) {.type = OPT_GROUP, .help = text}
#define ROW_PASSED(text, p) {.type = OPT_PASSED, .help = text, .to = (struct opt_list *){p}}
#define ROW_ALIAS(w, now) {.type = OPT_ALIAS, .word = w, .arg = now}
#define ROW_FLAG(l, w, h, p) \
	{.type = OPT_FLAG, .letter = l, .word = w, .help = h, .to = (bool *){p}}
#define ROW_SWITCH(l, w, h, p) \
	{.type = OPT_SWITCH, .letter = l, .word = w, .help = h, .to = (bool *){p}}
#define ROW_CLEAR(l, w, h, p) \
	{.type = OPT_CLEAR, .letter = l, .word = w, .help = h, .to = (bool *){p}}
#define ROW_STRING(l, w, a, h, p) \
	{.type = OPT_STRING, .letter = l, .word = w, .arg = a, .help = h, .to = (const char **){p}}
#define ROW_LIST(l, w, a, h, p) \
	{.type = OPT_LIST, .letter = l, .word = w, .arg = a, .help = h, .to = (struct opt_list *){p}}
/* --word or --word=VALUE; --word alone adds b. */
#define ROW_LIST_BARE(l, w, a, h, p, b) \
	{.type = OPT_LIST, .letter = l, .word = w, .arg = a, .help = h, \
	 .to = (struct opt_list *){p}, .bare = b}
#define ROW_MANY(l, w, a, h, p) \
	{.type = OPT_MANY, .letter = l, .word = w, .arg = a, .help = h, .to = (struct opt_list *){p}}
#define ROW_NUMBER(l, w, a, h, p) \
	{.type = OPT_UNSIGNED, .letter = l, .word = w, .arg = a, .help = h, .to = (uint64_t *){p}}
#define ROW_ADDRESS(l, w, a, h, p, g) \
	{.type = OPT_ADDRESS, .letter = l, .word = w, .arg = a, .help = h, .to = (uint64_t *){p}, \
	 .given = g}
#define ROW_CHOICE(l, w, a, h, p, c) \
	{.type = OPT_CHOICE, .letter = l, .word = w, .arg = a, .help = h, .to = (int *){p}, \
	 .choices = c}
/* One of c, or two with a comma between. */
#define ROW_CHOICES(l, w, a, h, p, q, c) \
	{.type = OPT_CHOICE, .letter = l, .word = w, .arg = a, .help = h, .to = (int *){p}, \
	 .also = q, .choices = c}
/* --word or --word=VALUE, one of c; --word alone is the choice b. */
#define ROW_OPTIONAL(l, w, a, h, p, c, b) \
	{.type = OPT_CHOICE, .letter = l, .word = w, .arg = a, .help = h, .to = (int *){p}, \
	 .choices = c, .bare = b}
#define OPT_END {.type = OPT_END_ROW}
/* clang-format on */

struct opt_program {
	const char *name;     /* "tm-top" */
	const char *operands; /* "[FILE...]" */
	const char *what;     /* one line */
	const struct opt *options;
};

/* How a program parses that takes the place of another tool; zeroed is how all others do. */
struct opt_style {
	bool drop_in;      /* the defaults of a project (defaults.h) are not for it */
	bool dash_words;   /* -word is --word where there is such a word, and -e=FILE is -e FILE */
	bool prefixes;     /* the beginning of a word will do where no other begins so */
	bool v_is_version; /* not --verbose */
	bool leads;        /* the first operand ends the options: the rest is another program's */
	int usage_status;  /* of a usage error; 0: EXIT_USAGE */
};

/* Parses argv; operands are moved to the front of argv+1 and their number is returned. Adds
 * --help, --version, -q, -v, --progress to every table that has no such word or letter. Never
 * returns on a usage error. */
int opt_parse(const struct opt_program *p, int argc, char **argv);
int opt_parse_as(const struct opt_style *s, const struct opt_program *p, int argc, char **argv);
void opt_list_release(struct opt_list *l);
/* Why an option, or a file that it names (or NULL), is not for who asks (struct cli_host); NULL: it may be. */
const char *opt_refused(const char *word, const char *file);
/* Whether an operand or an option other than the one that gave path names this file, too. */
bool opt_names_file(const char *path, const struct stat *file);
/* Before the sandbox, of a program that others answer within: what the project's defaults name may be read by
 * these, though it is no option of this one. The guard does not ask for them. */
void opt_allow_defaults(void);
/* For a part of a program that has no such option: the i-th of the project's defaults of --word; NULL: no more. */
const char *opt_default(const char *word, size_t i);

#endif
