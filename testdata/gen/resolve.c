/* SPDX-License-Identifier: MIT
 *
 * The answers of a DWARF engine to link-time addresses, in the form of
 * llvm-symbolizer --addresses --inlines: raw names, no help from the symbol table.
 *
 *	resolve [-j JOBS] [-d DIR]... [-e ENGINE] [-q] FILE [ADDRESS... | -]
 *
 * Without addresses: every byte of .text; -: those on standard input, one per line. -q prints no
 * answers. Complaints go to standard error; the last line there
 * counts the answers by kind.
 */
#include "lib/base/buf.h"
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

static void add_text(struct buf *b, const struct dwarf_answers *a, uint32_t id)
{
	size_t n;
	const char *s = dwarf_text(a, id, &n);

	buf_add(b, id ? s : "??", id ? n : 2);
}

static void add_hex(struct buf *b, uint64_t v)
{
	char digits[16];
	size_t n = sizeof digits;

	do {
		digits[--n] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	buf_add(b, "0x", 2);
	buf_add(b, digits + n, sizeof digits - n);
}

static void print(struct buf *b, const struct dwarf_answers *a, uint64_t addr,
		  const struct dwarf_answer *of)
{
	add_hex(b, addr);
	buf_addc(b, '\n');
	if (!of->call)
		buf_adds(b, "??\n??:0:0\n");
	for (uint32_t i = of->call, outer; i; i = outer) {
		struct dwarf_call c;

		if (!dwarf_call_at(a, i, &c))
			break;
		outer = dwarf_outer(&c, i);

		add_text(b, a, c.function);
		buf_addc(b, '\n');
		add_text(b, a, c.file);
		buf_addc(b, ':');
		buf_add_u64(b, c.line);
		buf_addc(b, ':');
		buf_add_u64(b, c.column);
		buf_addc(b, '\n');
	}
	buf_addc(b, '\n');
	if (b->len > 1 << 16) {
		fwrite(b->data, 1, b->len, stdout);
		b->len = 0;
	}
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

static size_t sorted(struct sort_item *items, size_t n, uint64_t **addrs)
{
	size_t kept = 0;

	sort_radix(items, n);
	*addrs = mem_array(n, sizeof **addrs);
	for (size_t i = 0; i < n; i++) {
		if (!kept || (*addrs)[kept - 1] != items[i].key)
			(*addrs)[kept++] = items[i].key;
	}
	free(items);
	return kept;
}

static void add_addr(struct sort_item **items, size_t *n, size_t *cap, const char *s, size_t len)
{
	struct sort_item *item = &VEC_PUSH(*items, *n, *cap);

	item->index = 0;
	if (!num_auto(s, len, &item->key)) {
		fprintf(stderr, "resolve: %.*s: not an address\n", (int)len, s);
		exit(2);
	}
}

static size_t from_arguments(char **args, size_t n_args, uint64_t **addrs)
{
	struct sort_item *items = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < n_args; i++)
		add_addr(&items, &n, &cap, args[i], strlen(args[i]));
	return sorted(items, n, addrs);
}

static size_t from_stdin(uint64_t **addrs)
{
	struct sort_item *items = NULL;
	size_t n = 0, cap = 0, got;
	struct buf b = BUF_INIT;

	while ((got = fread(buf_reserve(&b, 1 << 16), 1, 1 << 16, stdin)))
		b.len += got;
	for (size_t at = 0, end; at < b.len; at = end + 1) {
		for (end = at; end < b.len && b.data[end] != '\n'; end++)
			;
		if (end > at)
			add_addr(&items, &n, &cap, b.data + at, end - at);
	}
	buf_release(&b);
	return sorted(items, n, addrs);
}

int main(int argc, char **argv)
{
	const char **dirs = mem_zarray((size_t)argc, sizeof *dirs);
	struct object_search search = {.dirs = dirs};
	struct dwarf_options options = {.jobs = 1};
	dwarf_answer_fn *engine = dwarf_reference;
	struct dwarf_answers answers;
	struct dwarf_job job = {.out = &answers};
	size_t count[sizeof kinds / sizeof *kinds] = {0};
	struct err e = ERR_INIT;
	uint64_t *addrs = NULL;
	struct buf out = BUF_INIT;
	bool quiet = false;
	int opt;

	while ((opt = getopt(argc, argv, "j:d:e:q")) != -1) {
		if (opt == 'j')
			options.jobs = (unsigned)atoi(optarg);
		else if (opt == 'd')
			dirs[search.n_dirs++] = optarg;
		else if (opt == 'e')
			engine = !strcmp(optarg, "fast")        ? dwarf_fast
				 : !strcmp(optarg, "reference") ? dwarf_reference
								: NULL;
		else if (opt == 'q')
			quiet = true;
		else
			return 2;
	}
	if (optind == argc || !engine) {
		fprintf(stderr, "usage: resolve [-j JOBS] [-d DIR]... [-e ENGINE] [-q] FILE "
				"[ADDRESS... | -]\n");
		return 2;
	}
	if (object_open(&job.object, argv[optind], &e))
		return fail(argv[optind], &e);
	if (object_find_debug(job.object, &search, &e))
		fprintf(stderr, "resolve: no debug file: %s\n", e.msg);
	if (optind + 1 < argc && !strcmp(argv[optind + 1], "-"))
		job.n = from_stdin(&addrs);
	else if (optind + 1 < argc)
		job.n = from_arguments(argv + optind + 1, (size_t)(argc - optind - 1), &addrs);
	else
		job.n = every_byte(job.object, &addrs, &e);
	job.addrs = addrs;
	dwarf_answers_init(&answers, job.n);
	if (engine(&job, 1, &options, &e))
		return fail(argv[optind], &e);
	for (size_t i = 0; i < job.n; i++) {
		if (!quiet)
			print(&out, &answers, addrs[i], &answers.of[i]);
		count[answers.of[i].found]++;
	}
	fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
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
