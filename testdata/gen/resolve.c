/* SPDX-License-Identifier: MIT
 *
 * Asks a DWARF engine about link-time addresses and prints what it says, in the form of
 * llvm-symbolizer --addresses --inlines: raw names, no help from the symbol table.
 *
 *	resolve [-j JOBS] [-d DIR]... [-e ENGINE] FILE [ADDRESS...]
 *
 * Without addresses: every byte of .text. Complaints go to standard error; the last line there
 * counts the answers by kind.
 */
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/sort.h"
#include "lib/dwarf/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[] = {"not found", "function", "line only",
				    "malformed", "gave up",  "no DWARF"};

static int fail(const char *what, const struct err *e)
{
	fprintf(stderr, "resolve: %s: %s\n", what, e->msg);
	return 3;
}

static void print(const struct dwarf_answers *a, uint64_t addr, const struct dwarf_answer *of)
{
	printf("0x%" PRIx64 "\n", addr);
	if (!of->call)
		printf("??\n??:0:0\n");
	for (uint32_t i = of->call; i; i = a->calls[i].outer) {
		const struct dwarf_call *c = &a->calls[i];

		printf("%s\n%s:%" PRIu32 ":%" PRIu32 "\n",
		       c->function ? intern_text(&a->strings, c->function, NULL) : "??",
		       c->file ? intern_text(&a->strings, c->file, NULL) : "??", c->line,
		       c->column);
	}
	putchar('\n');
}

static size_t every_byte(struct object *o, uint64_t **addrs, struct err *e)
{
	struct object_section text = {0};

	if (object_section(o, ".text", &text, e))
		return 0;
	*addrs = mem_array(text.size, sizeof **addrs);
	for (uint64_t i = 0; i < text.size; i++)
		(*addrs)[i] = text.addr + i;
	return text.size;
}

static size_t sorted(char **args, size_t n, uint64_t **addrs)
{
	struct sort_item *items = mem_array(n, sizeof *items);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!num_auto(args[i], strlen(args[i]), &items[i].key)) {
			fprintf(stderr, "resolve: %s: not an address\n", args[i]);
			exit(2);
		}
	}
	sort_radix(items, n);
	*addrs = mem_array(n, sizeof **addrs);
	for (size_t i = 0; i < n; i++) {
		if (!kept || (*addrs)[kept - 1] != items[i].key)
			(*addrs)[kept++] = items[i].key;
	}
	free(items);
	return kept;
}

int main(int argc, char **argv)
{
	const char **dirs = mem_zarray((size_t)argc, sizeof *dirs);
	struct object_search search = {.dirs = dirs};
	struct dwarf_options options = {.jobs = 1};
	const struct dwarf_engine *engine = &dwarf_reference;
	struct dwarf_answers answers;
	struct dwarf_job job = {.out = &answers};
	size_t count[sizeof kinds / sizeof *kinds] = {0};
	struct err e = ERR_INIT;
	uint64_t *addrs = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "j:d:e:")) != -1) {
		if (opt == 'j')
			options.jobs = (unsigned)atoi(optarg);
		else if (opt == 'd')
			dirs[search.n_dirs++] = optarg;
		else if (opt == 'e')
			engine = dwarf_engine_by_name(optarg);
		else
			return 2;
	}
	if (optind == argc || !engine) {
		fprintf(stderr,
			"usage: resolve [-j JOBS] [-d DIR]... [-e ENGINE] FILE [ADDRESS...]\n");
		return 2;
	}
	if (object_open(&job.object, argv[optind], &e))
		return fail(argv[optind], &e);
	if (object_find_debug(job.object, &search, &e))
		fprintf(stderr, "resolve: no debug file: %s\n", e.msg);
	if (optind + 1 < argc)
		job.n = sorted(argv + optind + 1, (size_t)(argc - optind - 1), &addrs);
	else
		job.n = every_byte(job.object, &addrs, &e);
	job.addrs = addrs;
	dwarf_answers_init(&answers, job.n);
	if (engine->run(&job, 1, &options, &e))
		return fail(argv[optind], &e);
	for (size_t i = 0; i < job.n; i++) {
		print(&answers, addrs[i], &answers.of[i]);
		count[answers.of[i].found]++;
	}
	for (size_t i = 0; i < answers.n_complaints; i++)
		fprintf(stderr, "resolve: %s\n",
			intern_text(&answers.strings, answers.complaints[i], NULL));
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (count[i])
			fprintf(stderr, "%s: %zu  ", kinds[i], count[i]);
	}
	fputc('\n', stderr);
	dwarf_answers_release(&answers);
	object_free(job.object);
	free(addrs);
	free(dirs);
	return fflush(stdout) || ferror(stdout) ? 3 : 0;
}
