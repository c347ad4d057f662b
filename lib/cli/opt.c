/* SPDX-License-Identifier: MIT */
#include "lib/cli/cli.h"
#include "lib/cli/complete.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

static bool want_help, want_version, no_sandbox;
static int progress;
static const char *const progress_choices[] = {"auto", "always", "never", NULL};

static const struct opt common[] = {
    ROW_HEADING("every program:"),
    ROW_FLAG('q', "quiet", "no notes, errors only", &cli_quiet),
    ROW_FLAG('v', "verbose", "more notes", &cli_verbose),
    ROW_CHOICE(0, "progress", "WHEN", "auto, always or never", &progress, progress_choices),
    ROW_FLAG(0, "no-sandbox", "may call the system for anything, open any file", &no_sandbox),
    ROW_FLAG('h', "help", "this text", &want_help),
    ROW_FLAG('V', "version", "the version", &want_version),
    OPT_END,
};

const char *(*opt_guard)(const char *word, const char *file);

/* What is parsed. */
static const struct opt_program *program;
static struct opt_style style;
static struct opt_list *many; /* what the arguments up to the next option belong to */

static bool is_flag(const struct opt *o)
{
	return o->type == OPT_FLAG || o->type == OPT_CLEAR || o->type == OPT_SWITCH;
}

static const struct opt *find_letter(char letter)
{
	const struct opt *tables[] = {program->options, common};

	if (letter == 'v' && style.v_is_version)
		letter = 'V';
	for (int i = 0; i < 2; i++)
		for (const struct opt *o = tables[i]; o->type != OPT_END_ROW; o++)
			if (o->type != OPT_HEADING && o->letter && o->letter == letter)
				return o;
	return NULL;
}

static const struct opt *find_word(const char *word, size_t n)
{
	const struct opt *tables[] = {program->options, common}, *beginning = NULL;
	bool several = false;

	for (int i = 0; i < 2; i++)
		for (const struct opt *o = tables[i]; o->type != OPT_END_ROW; o++) {
			if (o->type == OPT_HEADING || !o->word || strncmp(o->word, word, n) != 0)
				continue;
			if (!o->word[n])
				return o;
			several |= beginning && beginning->to != o->to;
			beginning = o;
		}
	return style.prefixes && n && !several ? beginning : NULL;
}

/* A common row is shown with the letter and under the word that are still its own. */
static void print_rows(const struct opt *o)
{
	for (; o->type != OPT_END_ROW; o++) {
		bool letter = o->letter && find_letter(o->letter) == o;
		char left[64];

		if (o->type == OPT_HEADING) {
			printf("\n%s\n", o->help);
			continue;
		}
		if (!o->help || find_word(o->word, strlen(o->word)) != o)
			continue;
		snprintf(left, sizeof left, "%c%c%s--%s%s%s%s%s", letter ? '-' : ' ',
			 letter ? o->letter : ' ', letter ? ", " : "  ", o->word,
			 o->bare || !o->arg ? "" : " ", o->bare && o->arg ? "[=" : "",
			 o->arg ? o->arg : "", o->bare && o->arg ? "]" : "");
		printf("  %-26s %s\n", left, o->help);
	}
}

static void help(void)
{
	const struct opt_program *p = program;

	printf("usage: %s [option...] %s\n%s\n\n", p->name, p->operands, p->what);
	print_rows(p->options);
	print_rows(common);
	printf("\nsee %s(1), tracemill(7)\n", p->name);
}

bool opt_is_slip(const char *a, size_t na, const char *b)
{
	size_t nb = strlen(b), head = 0, tail = 0;

	while (head < na && head < nb && a[head] == b[head])
		head++;
	while (tail < na - head && tail < nb - head && a[na - 1 - tail] == b[nb - 1 - tail])
		tail++;
	na -= head + tail;
	nb -= head + tail;
	if (na == 2 && nb == 2)
		return a[head] == b[head + 1] && a[head + 1] == b[head];
	return head + tail > 1 && na <= 1 && nb <= 1;
}

/* --cum for --cumulative, --mpas for --maps; NULL when nothing is near, or more than one. */
static const char *near_word(const char *word, size_t n)
{
	const struct opt *tables[] = {program->options, common};
	const char *found = NULL;

	for (int i = 0; i < 2; i++)
		for (const struct opt *o = tables[i]; o->type != OPT_END_ROW; o++) {
			if (o->type == OPT_HEADING || !o->help || !n)
				continue;
			if (strncmp(o->word, word, n) && !opt_is_slip(word, n, o->word))
				continue;
			if (found)
				return NULL;
			found = o->word;
		}
	return found;
}

static void set_choice(const struct opt *o, const char *value)
{
	struct buf all = BUF_INIT;

	for (int i = 0; o->choices[i]; i++)
		if (!strcmp(o->choices[i], value)) {
			*(int *)o->to = i;
			return;
		}
	for (int i = 0; o->choices[i]; i++)
		buf_addf(&all, "%s%s", i ? ", " : "", o->choices[i]);
	cli_usage("--%s: '%s' is none of its values: %s", o->word, value, buf_str(&all));
}

static void set_switch(const struct opt *o, const char *value)
{
	bool off = value && !strcmp(value, "false");

	if (value && !off && strcmp(value, "true") != 0)
		cli_usage("--%s: '%s' is neither true nor false", o->word, value);
	*(bool *)o->to = !off;
}

/* What is named here can be read in the sandbox. The rest of uftrace's data is beside its info. */
static void may_read(const char *path)
{
	const char *slash = strrchr(path, '/');

	sandbox_allow(SANDBOX_READ, path);
	if (!strcmp(slash ? slash + 1 : path, "info"))
		sandbox_allow(SANDBOX_READ,
			      slash ? mem_strndup(path, (size_t)(slash - path) + 1) : ".");
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

/* FILE, FILES, DIR; NAME=FILE; lists with files behind a name; expressions in a file: @FILE. NULL:
 * it names none. */
static const char *file_in(const struct opt *o, const char *value)
{
	const char *equals = o->arg && strchr(o->arg, '=') ? strchr(value, '=') : NULL;

	if (o->type != OPT_STRING && o->type != OPT_LIST && o->type != OPT_MANY)
		return NULL;
	if (o->type == OPT_MANY || (o->arg && (ends_in(o->arg, "FILE") ||
					       ends_in(o->arg, "FILES") || ends_in(o->arg, "DIR"))))
		return equals ? equals + 1 : value;
	return *value == '@' ? value + 1 : NULL;
}

static void names_files(const struct opt *o, const char *value)
{
	const char *file = file_in(o, value);

	if (file)
		may_read(file);
}

static void ask_guard(const struct opt *o, const char *value)
{
	bool names = value && o->type != OPT_MANY; /* those are inputs: cli_kept */
	const char *why = opt_guard ? opt_guard(o->word, names ? file_in(o, value) : NULL) : NULL;

	if (why)
		cli_usage("--%s: %s", o->word, why);
}

static void set(const struct opt *o, const char *value)
{
	bool ok = true;

	ask_guard(o, value);
	switch (o->type) {
	case OPT_FLAG: *(bool *)o->to = true; break;
	case OPT_SWITCH: set_switch(o, value); break;
	case OPT_CLEAR: *(bool *)o->to = false; break;
	case OPT_STRING:
		*(const char **)o->to = value;
		names_files(o, value);
		break;
	case OPT_MANY:
	case OPT_LIST: {
		struct opt_list *l = o->to;

		if (o->type == OPT_MANY) {
			VEC_PUSH(l->items, l->n, l->cap) = NULL;
			many = l;
		}
		VEC_PUSH(l->items, l->n, l->cap) = value;
		names_files(o, value);
		break;
	}
	case OPT_UNSIGNED: ok = num_dec(value, strlen(value), o->to); break;
	case OPT_ADDRESS: ok = num_auto(value, strlen(value), o->to); break;
	case OPT_CHOICE: set_choice(o, value); break;
	case OPT_HEADING:
	case OPT_END_ROW: break;
	}
	if (!ok)
		cli_usage("--%s: '%s' is not a number", o->word, value);
	if (o->given)
		*o->given = true;
}

/* -abcVALUE or -abc VALUE; returns how many further arguments were taken. */
static int short_options(const char *arg, const char *following)
{
	for (const char *c = arg + 1; *c; c++) {
		const struct opt *o = find_letter(*c);

		if (!o)
			cli_usage("no option -%c", *c);
		if (o->bare && c[1] == '=') {
			set(o, c + 2);
			return 0;
		}
		if (is_flag(o) || o->bare) {
			set(o, o->bare);
			continue;
		}
		if (c[1]) {
			set(o, c + 1 + (style.dash_words && c[1] == '='));
			return 0;
		}
		if (!following)
			cli_usage("-%c needs a value", *c);
		set(o, following);
		return 1;
	}
	return 0;
}

static int long_option(const char *arg, const char *following)
{
	const char *word = arg + (arg[1] == '-' ? 2 : 1), *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : strlen(word);
	const struct opt *o = find_word(word, n);

	if (!o) {
		const char *near = near_word(word, n);

		cli_usage("no option --%.*s%s%s%s", (int)n, word, near ? "; is it --" : "",
			  near ? near : "", near ? "?" : "");
	}
	if (is_flag(o) || o->bare) {
		if (equals && (o->type == OPT_FLAG || o->type == OPT_CLEAR))
			cli_usage("--%s takes no value", o->word);
		set(o, equals ? equals + 1 : o->bare);
		return 0;
	}
	if (!equals && !following)
		cli_usage("--%s needs a value", o->word);
	set(o, equals ? equals + 1 : following);
	return equals ? 0 : 1;
}

static bool is_long(const char *arg)
{
	return arg[1] == '-' || (style.dash_words && arg[2] && arg[2] != '=' &&
				 find_word(arg + 1, strcspn(arg + 1, "=")));
}

static bool has_word(const struct opt *o)
{
	return find_word(o->word, strlen(o->word)) == o;
}

static bool has_letter(const struct opt *o)
{
	return find_letter(o->letter) == o;
}

/* --completion=SHELL is in no table: nobody types it, and it is no beginning of another word. */
static void completion(int argc, char **argv)
{
	const struct complete c = {program, common, has_word, has_letter};
	static const char option[] = "--completion=";

	if (argc != 2 || strncmp(argv[1], option, sizeof option - 1) != 0)
		return;
	if (!complete_print(&c, argv[1] + sizeof option - 1))
		cli_usage("--completion: '%s' is none of its values: bash, zsh, fish",
			  argv[1] + sizeof option - 1);
	exit(cli_exit());
}

int opt_parse_as(const struct opt_style *s, const struct opt_program *p, int argc, char **argv)
{
	int operands = 0;
	bool only_operands = false;

	program = p;
	style = *s;
	cli_start(p->name, style.usage_status ? style.usage_status : EXIT_USAGE);
	completion(argc, argv);
	for (int i = 1; i < argc; i++) {
		const char *following = i + 1 < argc ? argv[i + 1] : NULL;

		if (many && (argv[i][0] != '-' || !argv[i][1])) {
			VEC_PUSH(many->items, many->n, many->cap) = argv[i];
			may_read(argv[i]);
			continue;
		}
		many = NULL;
		if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
			argv[++operands] = argv[i];
			only_operands |= style.leads;
		} else if (!strcmp(argv[i], "--"))
			only_operands = true;
		else if (is_long(argv[i]))
			i += long_option(argv[i], following);
		else
			i += short_options(argv[i], following);
	}
	cli_progress_mode(progress);
	for (int i = 1; i <= operands && strstr(p->operands, "FILE"); i++)
		may_read(argv[i]);
	if (no_sandbox)
		sandbox_off("--no-sandbox");
	if (want_help)
		help();
	else if (want_version)
		printf("%s (tracemill) %s\n", p->name, TM_VERSION);
	if (want_help || want_version)
		exit(cli_exit());
	return operands;
}

int opt_parse(const struct opt_program *p, int argc, char **argv)
{
	static const struct opt_style plain;

	return opt_parse_as(&plain, p, argc, argv);
}

void opt_list_release(struct opt_list *l)
{
	free(l->items);
	*l = (struct opt_list){.n = 0};
}
