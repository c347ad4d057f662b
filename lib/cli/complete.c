/* SPDX-License-Identifier: MIT */
#include "lib/cli/complete.h"

#include <stdio.h>
#include <string.h>

enum wants { WANTS_NOTHING, WANTS_TEXT, WANTS_FILE, WANTS_FOLDER, WANTS_CHOICE };

static enum wants wants(const struct opt *o)
{
	if (o->type == OPT_CHOICE)
		return WANTS_CHOICE;
	if (!o->arg || o->type == OPT_SWITCH)
		return WANTS_NOTHING;
	if (strstr(o->arg, "FILE") || strstr(o->arg, "PATH"))
		return WANTS_FILE;
	return strstr(o->arg, "DIR") ? WANTS_FOLDER : WANTS_TEXT;
}

static bool operands_are_files(const struct cli_complete *c)
{
	return strstr(c->program->operands, "FILE");
}

/* Calls each for the rows of the program and the common ones that --help shows. */
static void each_row(const struct cli_complete *c,
		     void (*each)(const struct cli_complete *c, const struct opt *o))
{
	const struct opt *tables[] = {c->program->options, c->common};

	for (size_t i = 0; i < 2; i++)
		for (const struct opt *o = tables[i]; o->type != OPT_END_ROW; o++)
			if (o->word && o->help && c->has_word(o))
				each(c, o);
}

static void put_choices(const struct opt *o)
{
	for (size_t i = 0; o->choices[i]; i++)
		printf("%s%s", i ? " " : "", o->choices[i]);
}

/* In single quotes, with a backslash before what is in special. */
static void put_quoted(const char *s, const char *special)
{
	for (; *s; s++) {
		if (*s == '\'')
			fputs("'\\''", stdout);
		else if (strchr(special, *s))
			printf("\\%c", *s);
		else
			putchar(*s);
	}
}

static void put_function_name(const char *program)
{
	putchar('_');
	for (; *program; program++)
		putchar(*program == '-' ? '_' : *program);
}

/* --- bash --- */

static void complete_bash_words(const struct cli_complete *c, const struct opt *o)
{
	printf(" --%s", o->word);
	if (o->letter && c->has_letter(o))
		printf(" -%c", o->letter);
}

static void complete_bash_value(const struct cli_complete *c, const struct opt *o)
{
	enum wants w = wants(o);

	if (w == WANTS_NOTHING)
		return;
	/* What takes a value behind = only is not followed by one. */
	if (o->bare)
		printf("\t--%s=", o->word);
	else
		printf("\t--%s | --%s=", o->word, o->word);
	if (!o->bare && o->letter && c->has_letter(o))
		printf(" | -%c", o->letter);
	fputs(") ", stdout);
	switch (w) {
	case WANTS_CHOICE:
		fputs("words='", stdout);
		put_choices(o);
		putchar('\'');
		break;
	case WANTS_FILE: fputs("kind=-f", stdout); break;
	case WANTS_FOLDER: fputs("kind=-d", stdout); break;
	default: fputs("return", stdout); break;
	}
	fputs(" ;;\n", stdout);
}

/* = is a word of its own where COMP_WORDBREAKS has it, and part of the word where not. */
static void complete_bash(const struct cli_complete *c)
{
	const char *name = c->program->name;

	put_function_name(name);
	printf("() {\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} words= "
	       "kind= i\n"
	       "\tCOMPREPLY=()\n"
	       "\tif [[ $cur == --*=* ]]; then\n"
	       "\t\toption=${cur%%%%=*}= cur=${cur#*=}\n"
	       "\telif [[ $cur == = ]]; then\n"
	       "\t\toption=$option= cur=\n"
	       "\telif [[ $option == = && $COMP_CWORD -gt 2 ]]; then\n"
	       "\t\toption=${COMP_WORDS[COMP_CWORD - 2]}=\n"
	       "\tfi\n"
	       "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	       "\t\t[[ ${COMP_WORDS[i]} != -- ]] || { option= kind=%s; break; }\n"
	       "\tdone\n"
	       "\tcase $option in\n",
	       operands_are_files(c) ? "-f" : "none");
	each_row(c, complete_bash_value);
	fputs("\tesac\n"
	      "\tif [[ -z $words$kind && $cur == -* ]]; then\n"
	      "\t\twords='",
	      stdout);
	each_row(c, complete_bash_words);
	printf("'\n"
	       "\telif [[ -z $words$kind ]]; then\n"
	       "\t\tkind=%s\n"
	       "\tfi\n"
	       "\tcase $kind in\n"
	       "\tnone) ;;\n"
	       "\t-*) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen $kind -- "
	       "\"$cur\") ;;\n"
	       "\t*) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
	       "\tesac\n"
	       "}\n"
	       "complete -F ",
	       operands_are_files(c) ? "-f" : "none");
	put_function_name(name);
	printf(" %s\n", name);
}

/* --- zsh --- */

static void complete_zsh_row(const struct cli_complete *c, const struct opt *o)
{
	enum wants w = wants(o);
	bool letter = o->letter && c->has_letter(o), value = w != WANTS_NOTHING;
	const char *word_end = !value ? "" : o->bare ? "=-" : "=";

	fputs("\t'", stdout);
	if (o->type == OPT_LIST)
		putchar('*');
	else if (letter)
		printf("(-%c --%s)", o->letter, o->word);
	if (letter)
		printf("'{-%c%s,--%s%s}'", o->letter, value ? (o->bare ? "-" : "+") : "", o->word,
		       word_end);
	else
		printf("--%s%s", o->word, word_end);
	putchar('[');
	put_quoted(o->help, "[]\\:");
	putchar(']');
	if (value)
		printf(":%s%s:", o->bare ? ":" : "", o->arg);
	switch (w) {
	case WANTS_CHOICE:
		putchar('(');
		put_choices(o);
		putchar(')');
		break;
	case WANTS_FILE: fputs("_files", stdout); break;
	case WANTS_FOLDER: fputs("_files -/", stdout); break;
	default: break;
	}
	fputs("' \\\n", stdout);
}

static void zsh(const struct cli_complete *c)
{
	printf("#compdef %s\n_arguments -s -S \\\n", c->program->name);
	each_row(c, complete_zsh_row);
	puts(operands_are_files(c) ? "\t'*:file:_files'" : "\t'*:operand:'");
}

/* --- fish --- */

static void complete_fish_row(const struct cli_complete *c, const struct opt *o)
{
	printf("complete -c %s -l %s", c->program->name, o->word);
	if (o->letter && c->has_letter(o))
		printf(" -s %c", o->letter);
	switch (wants(o)) {
	case WANTS_CHOICE:
		fputs(o->bare ? " -a '" : " -x -a '", stdout);
		put_choices(o);
		putchar('\'');
		break;
	case WANTS_FILE: fputs(" -r -F", stdout); break;
	case WANTS_FOLDER: fputs(" -x -a '(__fish_complete_directories)'", stdout); break;
	case WANTS_TEXT: fputs(" -x", stdout); break;
	case WANTS_NOTHING: break;
	}
	fputs(" -d '", stdout);
	for (const char *s = o->help; *s; s++) /* fish's quotes know backslashes */
		printf(*s == '\'' || *s == '\\' ? "\\%c" : "%c", *s);
	puts("'");
}

static void fish(const struct cli_complete *c)
{
	if (!operands_are_files(c))
		printf("complete -c %s -f\n", c->program->name);
	each_row(c, complete_fish_row);
}

bool complete_print(const struct cli_complete *c, const char *shell)
{
	if (!strcmp(shell, "bash"))
		complete_bash(c);
	else if (!strcmp(shell, "zsh"))
		zsh(c);
	else if (!strcmp(shell, "fish"))
		fish(c);
	else
		return false;
	return true;
}
