/* SPDX-License-Identifier: MIT */
#include "lib/cli/cli.h"
#include "lib/cli/complete.h"
#include "lib/cli/defaults.h"
#include "lib/cli/option_owners.h"
#include "lib/cli/session.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef TM_WITHOUT
#define BUILT_WITHOUT "built without " TM_WITHOUT "\n"
#else
#define BUILT_WITHOUT ""
#endif

enum { WIDE = 80, TEXT_AT = 29 }; /* columns of the help */

static const char *const progress_choices[] = {"auto", "always", "never", NULL};

static void start_session(struct cli_session *s, const struct opt_program *p,
			  const struct opt_style *style)
{
	const struct opt common[] = {
	    ROW_GROUP("every program:"),
	    ROW_FLAG('q', "quiet", "errors only, no notes", &s->quiet),
	    ROW_FLAG('v', "verbose", "more notes", &s->verbose),
	    ROW_CHOICE(0, "progress", "WHEN", "show progress: auto, always or never", &s->progress,
		       progress_choices),
	    ROW_FLAG(0, "no-sandbox", "run without the sandbox", &s->no_sandbox),
	    ROW_FLAG(0, "no-config", "ignore tracemill.ini", &s->no_config),
	    ROW_FLAG('h', "help", "print this text and end", &s->want_help),
	    ROW_FLAG('V', "version", "print the version and end", &s->want_version),
	    OPT_END,
	};

	_Static_assert(sizeof common == sizeof s->common, "one row each");
	memcpy(s->common, common, sizeof common);
	s->parsed = p;
	s->style = *style;
}

static bool is_flag(const struct opt *o)
{
	return o->type == OPT_FLAG || o->type == OPT_CLEAR || o->type == OPT_SWITCH;
}

static bool is_row(const struct opt *o)
{
	return o->type != OPT_HEADING && o->type != OPT_GROUP && o->type != OPT_ALIAS &&
	       o->type != OPT_PASSED;
}

/* The list that gets the option for another program; NULL: it is the program's own. */
static struct opt_list *passed_to(const struct opt *row)
{
	struct opt_list *to = NULL;

	for (const struct opt *o = cli_now->parsed->options; o->type != OPT_END_ROW; o++) {
		if (o->type == OPT_PASSED)
			to = o->to;
		if (o == row)
			return to;
	}
	return NULL;
}

static const struct opt *find_letter(char letter)
{
	const struct opt *tables[] = {cli_now->parsed->options, cli_now->common};

	if (letter == 'v' && cli_now->style.v_is_version)
		letter = 'V';
	for (int i = 0; i < 2; i++)
		for (const struct opt *o = tables[i]; o->type != OPT_END_ROW; o++)
			if (is_row(o) && o->letter && o->letter == letter)
				return o;
	return NULL;
}

static const struct opt *find_word(const char *word, size_t n)
{
	const struct opt *tables[] = {cli_now->parsed->options, cli_now->common}, *beginning = NULL;
	bool several = false;

	for (int i = 0; i < 2; i++)
		for (const struct opt *o = tables[i]; o->type != OPT_END_ROW; o++) {
			if (!o->word || strncmp(o->word, word, n) != 0)
				continue;
			if (!o->word[n])
				return o;
			several |= beginning && beginning->to != o->to;
			beginning = o;
		}
	return cli_now->style.prefixes && n && !several ? beginning : NULL;
}

/* From column `at` on, where a line is already `column` long; what does not fit goes below. */
static void print_wrapped(const char *text, size_t column, size_t at)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (column > at && column + n + 1 > WIDE) {
			fprintf(cli_out(), "\n%*s", (int)at, "");
			column = at;
		} else if (column > at) {
			fputc(' ', cli_out());
			column++;
		}
		fprintf(cli_out(), "%.*s", (int)n, text);
		column += n;
		text += n + strspn(text + n, " ");
	}
	fputc('\n', cli_out());
}

static bool is_shown(const struct opt *o)
{
	return is_row(o) && o->help && find_word(o->word, strlen(o->word)) == o;
}

/* A common row is shown with the letter and under the word that are still its own. */
static void opt_print_row(const struct opt *o)
{
	bool letter = o->letter && find_letter(o->letter) == o;
	struct buf all = BUF_INIT;
	int n = fprintf(cli_out(), "  %c%c%s--%s%s%s%s%s", letter ? '-' : ' ',
			letter ? o->letter : ' ', letter ? ", " : "  ", o->word,
			o->bare || !o->arg ? "" : " ", o->bare && o->arg ? "[=" : "",
			o->arg ? o->arg : "", o->bare && o->arg ? "]" : "");

	buf_adds(&all, o->help);
	if (cli_now->want_all && o->type == OPT_CHOICE && o->choices[0] &&
	    !strstr(o->help, o->choices[1])) {
		buf_adds(&all, ":");
		/* Without a word, it is the default. */
		for (int i = !*o->choices[0], first = i; o->choices[i]; i++)
			buf_addf(&all, "%s %s", i > first ? "," : "", o->choices[i]);
	}
	if (n > TEXT_AT - 1)
		n = fprintf(cli_out(), "\n") - 1;
	n += fprintf(cli_out(), "%*s", TEXT_AT - n, "");
	print_wrapped(buf_str(&all), (size_t)n, TEXT_AT);
	buf_release(&all);
}

/* The words of a group's rows; returns the row behind them. */
static const struct opt *print_group(const struct opt *group)
{
	const struct opt *o = group + 1;
	struct buf words = BUF_INIT;

	for (; o->type != OPT_END_ROW && o->type != OPT_GROUP && o->type != OPT_HEADING; o++)
		if (is_shown(o))
			buf_addf(&words, "%s--%s", words.len ? " " : "", o->word);
	print_wrapped(group->help, 0, 0);
	fprintf(cli_out(), "  ");
	print_wrapped(buf_str(&words), 2, 2);
	buf_release(&words);
	return o;
}

/* The words and letters of all that follow, with --help all. */
static void print_passed(const struct opt *o)
{
	struct buf words = BUF_INIT;

	buf_adds(&words, o->help);
	if (!cli_now->want_all)
		buf_adds(&words, " --help all has the list");
	for (; cli_now->want_all && o->type != OPT_END_ROW; o++)
		if (o->word && is_shown(o)) {
			buf_addf(&words, " --%s", o->word);
			if (o->letter && find_letter(o->letter) == o)
				buf_addf(&words, " -%c", o->letter);
		}
	fputc('\n', cli_out());
	print_wrapped(buf_str(&words), 0, 0);
	buf_release(&words);
}

static void opt_print_rows(const struct opt *o, bool behind_rows)
{
	while (o->type != OPT_END_ROW) {
		if (o->type == OPT_PASSED) {
			print_passed(o);
			return;
		}
		if (o->type == OPT_GROUP && !cli_now->want_all) {
			if (behind_rows)
				fputc('\n', cli_out());
			behind_rows = false;
			o = print_group(o);
			continue;
		}
		behind_rows = true;
		if (o->type == OPT_HEADING || o->type == OPT_GROUP)
			fprintf(cli_out(), "\n%s\n", o->help);
		else if (is_shown(o))
			opt_print_row(o);
		o++;
	}
}

static void print_old(void)
{
	struct buf all = BUF_INIT;

	for (const struct opt *o = cli_now->parsed->options; o->type != OPT_END_ROW; o++)
		if (o->type == OPT_ALIAS)
			buf_addf(&all, "%s --%s is --%s",
				 all.len ? ";" : "until the next version:", o->word, o->arg);
	if (all.len) {
		fputc('\n', cli_out());
		print_wrapped(buf_str(&all), 0, 0);
	}
	buf_release(&all);
}

static void help(void)
{
	const struct opt_program *p = cli_now->parsed;

	fprintf(cli_out(), "usage: %s [option...] %s\n", p->name, p->operands);
	print_wrapped(p->what, 0, 0);
	fputc('\n', cli_out());
	opt_print_rows(p->options, false);
	opt_print_rows(cli_now->common, false);
	if (cli_now->want_all)
		print_old();
	fprintf(cli_out(), "\n%ssee %.*s(1), tracemill(7)\n",
		cli_now->want_all ? "" : "--help all explains every option; ",
		(int)strcspn(p->name, " "), p->name); /* "tracemill show" is in tracemill(1) */
}

/* --cum for --cumulative, --mpas for --maps; NULL when nothing is near, or more than one. */
static const char *near_word(const char *word, size_t n)
{
	const struct opt *tables[] = {cli_now->parsed->options, cli_now->common};
	const char *found = NULL;

	for (int i = 0; i < 2; i++)
		for (const struct opt *o = tables[i]; o->type != OPT_END_ROW; o++) {
			if (!is_row(o) || !o->help || !n)
				continue;
			if (strncmp(o->word, word, n) && !text_is_slip(word, n, o->word))
				continue;
			if (found)
				return NULL;
			found = o->word;
		}
	return found;
}

/* --by sites for site, func for function; NULL when nothing is near, or more than one. */
static const char *near_choice(const struct opt *o, const char *value)
{
	const char *found = NULL;
	size_t n = strlen(value);

	for (int i = 0; n && o->choices[i]; i++) {
		if (strncmp(o->choices[i], value, n) && !text_is_slip(value, n, o->choices[i]))
			continue;
		if (found)
			return NULL;
		found = o->choices[i];
	}
	return found;
}

static int choice_of(const struct opt *o, const char *value)
{
	struct buf all = BUF_INIT;
	const char *near = near_choice(o, value);

	for (int i = 0; o->choices[i]; i++)
		if (!strcmp(o->choices[i], value))
			return i;
	if (near)
		cli_usage("--%s: '%s' is not a known value; did you mean %s?", o->word, value,
			  near);
	for (int i = 0; o->choices[i]; i++)
		buf_addf(&all, "%s%s", i ? ", " : "", o->choices[i]);
	cli_usage("--%s: '%s' is not one of its values: %s", o->word, value, buf_str(&all));
}

static void set_choice(const struct opt *o, const char *value)
{
	const char *comma = o->also ? strchr(value, ',') : NULL;
	char *first = comma ? mem_strndup(value, (size_t)(comma - value)) : NULL;

	*(int *)o->to = choice_of(o, first ? first : value);
	if (comma)
		*o->also = choice_of(o, comma + 1);
	free(first);
}

static void set_switch(const struct opt *o, const char *value)
{
	bool off = value && !strcmp(value, "false");

	if (value && !off && strcmp(value, "true") != 0)
		cli_usage("--%s: '%s' is neither true nor false", o->word, value);
	*(bool *)o->to = !off;
}

/* What is named here can be read in the sandbox. The rest of uftrace's data is next to its info. */
static void may_read(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (cli_now->host) /* it has been entered */
		return;
	VEC_PUSH(cli_now->named.items, cli_now->named.n, cli_now->named.cap) = path;
	sandbox_allow(SANDBOX_READ, path);
	if (!strcmp(slash ? slash + 1 : path, "info"))
		sandbox_allow(SANDBOX_READ,
			      slash ? mem_strndup(path, (size_t)(slash - path) + 1) : ".");
}

/* A value that a later one replaces. */
static void forget_named(const char *value)
{
	struct opt_list *l = &cli_now->named;
	size_t n = 0;

	for (size_t i = 0; value && i < l->n; i++)
		if (l->items[i] != value)
			l->items[n++] = l->items[i];
	if (value)
		l->n = n;
}

static bool is_file(const char *path, const struct stat *file)
{
	struct stat st;

	return !stat(path, &st) && st.st_ino == file->st_ino && st.st_dev == file->st_dev;
}

bool opt_names_file(const char *path, const struct stat *file)
{
	const struct opt_list *l = &cli_now->named;

	for (size_t i = 0; i < l->n; i++) {
		const char *equals = strchr(l->items[i], '='); /* FILE or MODULE=FILE */

		if (l->items[i] != path &&
		    (is_file(l->items[i], file) || (equals && is_file(equals + 1, file))))
			return true;
	}
	return false;
}

static bool ends_in(const char *s, const char *end)
{
	return text_ends(s, strlen(s), end);
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

const char *opt_refused(const char *word, const char *file)
{
	const struct cli_host *h = cli_now->host;

	return h && h->refuse ? h->refuse(h->arg, word, file) : NULL;
}

static void ask_guard(const struct opt *o, const char *value)
{
	bool names = value && o->type != OPT_MANY; /* those are inputs: cli_preloaded */
	const char *why = opt_refused(o->word, names ? file_in(o, value) : NULL);

	if (why)
		cli_usage("--%s: %s", o->word, why);
}

static void opt_assign(const struct opt *o, const char *value)
{
	bool ok = true;

	switch (o->type) {
	case OPT_FLAG: *(bool *)o->to = true; break;
	case OPT_SWITCH: set_switch(o, value); break;
	case OPT_CLEAR: *(bool *)o->to = false; break;
	case OPT_STRING:
		forget_named(*(const char **)o->to);
		*(const char **)o->to = value;
		names_files(o, value);
		break;
	case OPT_MANY:
	case OPT_LIST: {
		struct opt_list *l = o->to;

		if (o->type == OPT_MANY) {
			VEC_PUSH(l->items, l->n, l->cap) = NULL;
			cli_now->many = l;
		}
		VEC_PUSH(l->items, l->n, l->cap) = value;
		names_files(o, value);
		break;
	}
	case OPT_UNSIGNED: ok = num_dec(value, strlen(value), o->to); break;
	case OPT_ADDRESS: ok = num_auto(value, strlen(value), o->to); break;
	case OPT_CHOICE: set_choice(o, value); break;
	case OPT_HEADING:
	case OPT_GROUP:
	case OPT_PASSED:
	case OPT_ALIAS:
	case OPT_END_ROW: break;
	}
	if (!ok)
		cli_usage("--%s: '%s' is not a number", o->word, value);
	if (o->given)
		*o->given = true;
}

static void opt_set(const struct opt *o, const char *value)
{
	struct opt_list *passed = passed_to(o);
	struct buf b = BUF_INIT;

	ask_guard(o, value);
	opt_assign(o, value);
	if (!passed)
		return;
	buf_addf(&b, is_flag(o) ? "--%s" : "--%s=%s", o->word, value);
	VEC_PUSH(passed->items, passed->n, passed->cap) = buf_str(&b);
}

/* -abcVALUE or -abc VALUE; returns how many further arguments were taken. */
static int opt_short_options(const char *arg, const char *following)
{
	for (const char *c = arg + 1; *c; c++) {
		const struct opt *o = find_letter(*c);

		if (!o)
			cli_usage("unknown option -%c", *c);
		if (o->bare && c[1] == '=') {
			opt_set(o, c + 2);
			return 0;
		}
		if (is_flag(o) || o->bare) {
			opt_set(o, o->bare);
			continue;
		}
		if (c[1]) {
			opt_set(o, c + 1 + (cli_now->style.dash_words && c[1] == '='));
			return 0;
		}
		if (!following)
			cli_usage("-%c needs a value", *c);
		opt_set(o, following);
		return 1;
	}
	return 0;
}

/* The programs that have this option, when this one has not; NULL: none has, or what this one takes is another tool's. */
static const char *find_owners(const char *word, size_t n)
{
	for (const struct option_owners *o = option_owners; !cli_now->style.drop_in && o->word; o++)
		if (strlen(o->word) == n && !memcmp(o->word, word, n))
			return o->programs;
	return NULL;
}

static int opt_long_option(const char *arg, const char *following)
{
	const char *word = arg + (arg[1] == '-' ? 2 : 1), *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : strlen(word);
	const struct opt *o = find_word(word, n);

	if (!o) {
		const char *near = near_word(word, n), *owners = find_owners(word, n);

		cli_usage("unknown option --%.*s%s%s%s%s%s", (int)n, word,
			  owners ? ", an option of " : "", owners ? owners : "",
			  near ? "; did you mean --" : "", near ? near : "", near ? "?" : "");
	}
	if (o->type == OPT_ALIAS) {
		VEC_PUSH(cli_now->olds.items, cli_now->olds.n, cli_now->olds.cap) = o->word;
		VEC_PUSH(cli_now->olds.items, cli_now->olds.n, cli_now->olds.cap) = o->arg;
		o = find_word(o->arg, strlen(o->arg));
	}
	if (is_flag(o) || o->bare) {
		if (equals && (o->type == OPT_FLAG || o->type == OPT_CLEAR))
			cli_usage("--%s takes no value", o->word);
		opt_set(o, equals ? equals + 1 : o->bare);
		return 0;
	}
	if (!equals && !following)
		cli_usage("--%s needs a value", o->word);
	opt_set(o, equals ? equals + 1 : following);
	return equals ? 0 : 1;
}

/* Once each, when it is known whether notes are wanted. */
static void report_old(void)
{
	for (size_t i = 0; i < cli_now->olds.n; i += 2) {
		size_t first = 0;

		while (strcmp(cli_now->olds.items[first], cli_now->olds.items[i]))
			first += 2;
		if (first == i)
			cli_note(NULL,
				 "--%s is deprecated and ends with the next version: use --%s",
				 cli_now->olds.items[i], cli_now->olds.items[i + 1]);
	}
	opt_list_release(&cli_now->olds);
}

static bool is_given(const struct opt *o)
{
	return o->type == OPT_LIST ? ((const struct opt_list *)o->to)->n > 0
				   : *(const char *const *)o->to != NULL;
}

/* Found once: options borrow from them, also those of a program that answers within this one. */
static struct cli_defaults defaults;
static bool defaults_found;

/* Those of the project, where the command line does not say otherwise; for programs that this
 * program starts, too. */
static void opt_set_defaults(void)
{
	const struct cli_defaults *d = &defaults;
	const struct opt *explain = find_word("explain", strlen("explain"));
	struct err e = ERR_INIT;
	bool *ours;

	if (cli_now->no_config && !cli_now->host)
		setenv("TRACEMILL_CONFIG", "", 1);
	if (!defaults_found && defaults_find(&defaults, &e))
		cli_usage("%s", e.msg);
	if (!defaults_found)
		defaults_found = true;
	if (cli_now->no_config)
		return;
	ours = mem_zarray(d->n + 1, sizeof *ours);
	for (size_t i = 0; i < d->n; i++) {
		const struct opt *o = find_word(d->rows[i].word, strlen(d->rows[i].word));

		ours[i] = o && o->arg && !strcmp(o->arg, d->rows[i].arg) && !is_given(o);
	}
	for (size_t i = 0; i < d->n; i++) {
		struct opt o;

		if (!ours[i])
			continue;
		o = *find_word(d->rows[i].word, strlen(d->rows[i].word));
		o.given = NULL;
		opt_assign(&o, d->rows[i].value);
		(explain && *(const bool *)explain->to ? cli_note : cli_info)(
		    d->path, "--%s %s", d->rows[i].word, d->rows[i].value);
	}
	free(ours);
}

void opt_allow_defaults(void)
{
	for (size_t i = 0; i < defaults.n; i++)
		if (!strchr(defaults.rows[i].arg, '='))
			sandbox_allow(SANDBOX_READ, defaults.rows[i].value);
}

const char *opt_default(const char *word, size_t i)
{
	for (size_t k = 0; k < defaults.n && !cli_now->no_config; k++)
		if (!strcmp(defaults.rows[k].word, word) && !i--)
			return defaults.rows[k].value;
	return NULL;
}

static bool is_long(const char *arg)
{
	return arg[1] == '-' || (cli_now->style.dash_words && arg[2] && arg[2] != '=' &&
				 find_word(arg + 1, strcspn(arg + 1, "=")));
}

static bool opt_has_word(const struct opt *o)
{
	return find_word(o->word, strlen(o->word)) == o;
}

static bool opt_has_letter(const struct opt *o)
{
	return find_letter(o->letter) == o;
}

/* --completion=SHELL is in no table: users do not type it, and it is no beginning of another
 * word. */
static void completion(int argc, char **argv)
{
	const struct cli_complete c = {cli_now->parsed, cli_now->common, opt_has_word,
				       opt_has_letter};
	static const char option[] = "--completion=";

	if (argc != 2 || strncmp(argv[1], option, sizeof option - 1) != 0)
		return;
	if (!complete_print(&c, argv[1] + sizeof option - 1))
		cli_usage("--completion: '%s' is not one of bash, zsh, fish",
			  argv[1] + sizeof option - 1);
	cli_leave(cli_exit());
}

int opt_parse_as(const struct opt_style *s, const struct opt_program *p, int argc, char **argv)
{
	int operands = 0;
	bool only_operands = false;

	start_session(cli_now, p, s);
	cli_start(p->name, s->usage_status ? s->usage_status : EXIT_USAGE);
	completion(argc, argv);
	for (int i = 1; i < argc; i++) {
		const char *following = i + 1 < argc ? argv[i + 1] : NULL;

		if (cli_now->many && (argv[i][0] != '-' || !argv[i][1])) {
			VEC_PUSH(cli_now->many->items, cli_now->many->n, cli_now->many->cap) =
			    argv[i];
			may_read(argv[i]);
			continue;
		}
		cli_now->many = NULL;
		if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
			argv[++operands] = argv[i];
			only_operands |= cli_now->style.leads;
		} else if (!strcmp(argv[i], "--"))
			only_operands = true;
		else if (is_long(argv[i]))
			i += opt_long_option(argv[i], following);
		else
			i += opt_short_options(argv[i], following);
		if (cli_now->want_help && i + 1 < argc && !strcmp(argv[i + 1], "all")) {
			cli_now->want_all = true;
			i++;
		}
	}
	report_old();
	if (!cli_now->style.drop_in && !cli_now->want_help && !cli_now->want_version)
		opt_set_defaults();
	cli_progress_mode();
	for (int i = 1; i <= operands && strstr(p->operands, "FILE"); i++)
		may_read(argv[i]);
	if (cli_now->no_sandbox && !cli_now->host)
		sandbox_off("--no-sandbox");
	if (cli_now->want_help)
		help();
	else if (cli_now->want_version)
		fprintf(cli_out(), "%s (tracemill) %s\n" BUILT_WITHOUT, p->name, TM_VERSION);
	if (cli_now->want_help || cli_now->want_version)
		cli_leave(cli_exit());
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
