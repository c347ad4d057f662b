/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/verify.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/index/debug_source.h"

#include <stdlib.h>
#include <string.h>

/* An answer that is in the choice now. */
struct chosen {
	uint64_t key; /* those with the lowest keys are chosen */
	struct object *object;
	const char *path;
	uint64_t addr;
	bool relative;
	uint8_t found; /* enum dwarf_found */
	char *ours;
};

struct verify {
	uint64_t most, seed;
	struct chosen *all; /* a heap: the highest key is first */
	size_t n, cap;
	struct map64 seen; /* keys that were ever chosen: what left has a key too high by now */
	struct verify_case *cases;
	char **theirs; /* by case */
	size_t n_cases;
	size_t *unequal; /* cases, by number */
	size_t n_unequal;
	struct intern complaints;
};

struct verify *verify_new(uint64_t n, uint64_t seed)
{
	struct verify *v = mem_zalloc(sizeof *v);

	v->most = n;
	v->seed = seed;
	return v;
}

static void forget_cases(struct verify *v)
{
	for (size_t i = 0; i < v->n_cases; i++)
		free(v->theirs[i]);
	free(v->theirs);
	free(v->cases);
	free(v->unequal);
	v->unequal = NULL;
	v->n_unequal = 0;
	v->theirs = NULL;
	v->cases = NULL;
	v->n_cases = 0;
	intern_release(&v->complaints);
}

void verify_free(struct verify *v)
{
	if (!v)
		return;
	forget_cases(v);
	for (size_t i = 0; i < v->n; i++)
		free(v->all[i].ours);
	free(v->all);
	map64_release(&v->seen);
	free(v);
}

/* Answers in words. */

static void add_call(struct buf *b, const struct dwarf_answers *a, const struct dwarf_call *c)
{
	size_t n_name, n_file;
	const char *name = dwarf_text(a, c->function, &n_name);
	const char *file = dwarf_text(a, c->file, &n_file);

	if (n_name)
		buf_add_visible(b, name, n_name, "\\");
	else
		buf_addc(b, '?');
	buf_adds(b, " at ");
	if (n_file)
		buf_add_visible(b, file, n_file, "\\");
	else
		buf_addc(b, '?');
	buf_addf(b, ":%u", c->line);
	if (c->column)
		buf_addf(b, ":%u", c->column);
}

static char *verify_text(const struct dwarf_answers *a, struct dwarf_answer answer)
{
	static const char *const words[] = {
	    [DWARF_NOT_FOUND] = "nothing",
	    [DWARF_FUNCTION] = "nothing",
	    [DWARF_LINE_ONLY] = "nothing",
	    [DWARF_MALFORMED] = "the debug information of this address is damaged",
	    [DWARF_GAVE_UP] = "a limit of time or memory was reached",
	    [DWARF_ABSENT] = "the file has no DWARF",
	};
	struct buf b = BUF_INIT;
	struct dwarf_call c;
	const char *before = "";
	char *text;

	for (uint32_t id = answer.call; dwarf_call_at(a, id, &c); id = dwarf_outer(&c, id)) {
		buf_adds(&b, before);
		add_call(&b, a, &c);
		before = ", inlined into ";
	}
	text = mem_strdup(b.len ? buf_str(&b) : words[answer.found]);
	buf_release(&b);
	return text;
}

/* The choice. */

static void sift_down(struct chosen *all, size_t n, size_t at)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		struct chosen swap = all[at];

		child += child + 1 < n && all[child + 1].key > all[child].key;
		if (all[child].key <= swap.key)
			return;
		all[at] = all[child];
		all[child] = swap;
	}
}

static void sift_up(struct chosen *all, size_t at)
{
	for (; at && all[(at - 1) / 2].key < all[at].key; at = (at - 1) / 2) {
		struct chosen swap = all[at];

		all[at] = all[(at - 1) / 2];
		all[(at - 1) / 2] = swap;
	}
}

void verify_offer(struct verify *v, const struct dwarf_job *job, const char *path,
		  const struct dwarf_options *options)
{
	uint64_t of_path = v ? hash_bytes_seeded(path, strlen(path), v->seed) : 0;

	for (size_t i = 0; v && v->most && i < job->n; i++) {
		uint64_t key = hash_u64(of_path + hash_u64(job->addrs[i] + v->seed));
		struct chosen c = {.key = key, .object = job->object, .path = path};

		if ((v->n == v->most && key >= v->all[0].key) || map64_get(&v->seen, key))
			continue;
		*map64_put(&v->seen, key) = 1;
		c.addr = job->addrs[i];
		c.relative = options->relative;
		c.found = job->out->of[i].found;
		c.ours = verify_text(job->out, job->out->of[i]);
		if (v->n < v->most) {
			VEC_PUSH(v->all, v->n, v->cap) = c;
			sift_up(v->all, v->n - 1);
		} else {
			free(v->all[0].ours);
			v->all[0] = c;
			sift_down(v->all, v->n, 0);
		}
	}
}

void verify_forget(struct verify *v, const struct object *o)
{
	for (size_t i = 0; v && i < v->n; i++)
		if (v->all[i].object == o)
			v->all[i].object = NULL;
}

/* The questions to libdwarf. */

static int by_file(const void *a, const void *b)
{
	const struct chosen *const *x = a, *const *y = b;
	int order = strcmp((*x)->path, (*y)->path);

	if (!order)
		order = ((*x)->object > (*y)->object) - ((*x)->object < (*y)->object);
	if (!order)
		order = (*x)->relative - (*y)->relative;
	return order ? order : ((*x)->addr > (*y)->addr) - ((*x)->addr < (*y)->addr);
}

/* Why there is nothing to compare; NULL: there is. */
static const char *no_case(const struct chosen *c)
{
	const struct debug_source *from;

	if (!c->object)
		return "there is no file";
	from = debug_source_of(c->object);
	if (from->no_second_opinion)
		return from->no_second_opinion;
	return c->found == DWARF_GAVE_UP ? "no answer was given: a limit was reached" : NULL;
}

static void verify_judge(struct verify *v, size_t i, const struct chosen *c,
			 const struct dwarf_answers *got, struct dwarf_answer theirs)
{
	struct verify_case *x = &v->cases[i];

	v->theirs[i] = verify_text(got, theirs);
	x->theirs = v->theirs[i];
	if (theirs.found == DWARF_MALFORMED && c->found == DWARF_MALFORMED)
		x->outcome = VERIFY_EQUAL; /* both call it damaged */
	else if (theirs.found == DWARF_MALFORMED)
		x->theirs = "libdwarf cannot read the debug information of this address";
	else if (theirs.found == DWARF_GAVE_UP)
		x->theirs = "libdwarf reached a limit of time or memory";
	else if (theirs.found == DWARF_ABSENT)
		x->theirs = "libdwarf finds no DWARF in the file";
	else if (c->object && debug_source_leaves(c->object, (enum dwarf_found)theirs.found))
		x->theirs = "libdwarf finds no DWARF of this address, and the file has a PDB, too";
	else
		x->outcome = strcmp(c->ours, x->theirs) ? VERIFY_DIFFERENT : VERIFY_EQUAL;
}

static void verify_complain(struct verify *v, const char *path, const struct dwarf_answers *got)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < got->n_complaints; i++) {
		text.len = 0;
		buf_addf(&text, "%s: libdwarf: %s", path,
			 intern_text(&got->strings, got->complaints[i], NULL));
		intern_add(&v->complaints, text.data, text.len);
	}
	buf_release(&text);
}

/* Asks of the n choices from first on, which are of one file. */
static enum status ask_of_file(struct verify *v, struct chosen *const *order, size_t first,
			       size_t n, unsigned jobs, struct err *e)
{
	const struct dwarf_options options = {.jobs = jobs, .relative = order[first]->relative};
	uint64_t *addrs = mem_array(n, sizeof *addrs);
	struct dwarf_answers got;
	struct dwarf_job job = {
	    .object = order[first]->object, .addrs = addrs, .n = n, .out = &got};
	enum status st;

	/* a debug file has the addresses from before its object was moved */
	for (size_t i = 0; i < n; i++)
		addrs[i] = order[first + i]->addr - object_debug_shift(job.object);
	dwarf_answers_init(&got, n);
	st = dwarf_reference(&job, 1, &options, e);
	for (size_t i = 0; !st && i < n; i++)
		verify_judge(v, first + i, order[first + i], &got, got.of[i]);
	verify_complain(v, order[first]->path, &got);
	dwarf_answers_release(&got);
	free(addrs);
	return st;
}

enum status verify_run(struct verify *v, unsigned jobs, struct err *e)
{
	struct chosen **order = mem_array(v->n, sizeof *order);
	enum status st = ST_OK;

	forget_cases(v);
	for (size_t i = 0; i < v->n; i++)
		order[i] = &v->all[i];
	sort_array(order, v->n, sizeof *order, by_file);
	v->n_cases = v->n;
	v->cases = mem_zarray(v->n, sizeof *v->cases);
	v->theirs = mem_zarray(v->n, sizeof *v->theirs);
	for (size_t i = 0, end; !st && i < v->n; i = end) {
		const struct chosen *c = order[i];
		const char *why = no_case(c);

		v->cases[i] = (struct verify_case){c->path, c->addr, VERIFY_UNKNOWN, c->ours, why};
		for (end = i + 1; !why && end < v->n; end++) {
			const struct chosen *x = order[end];

			if (x->object != c->object || x->relative != c->relative || no_case(x))
				break;
			v->cases[end] =
			    (struct verify_case){x->path, x->addr, VERIFY_UNKNOWN, x->ours, NULL};
		}
		if (!why)
			st = ask_of_file(v, order, i, end - i, jobs, e);
	}
	free(order);
	v->unequal = mem_array(v->n_cases, sizeof *v->unequal);
	for (size_t i = 0; i < v->n_cases; i++)
		if (v->cases[i].outcome != VERIFY_EQUAL)
			v->unequal[v->n_unequal++] = i;
	return st;
}

const struct verify_case *verify_unequal(const struct verify *v, size_t i)
{
	return i < v->n_unequal ? &v->cases[v->unequal[i]] : NULL;
}

const struct verify_case *verify_cases(const struct verify *v, size_t *n)
{
	*n = v->n_cases;
	return v->cases;
}

const char *verify_complaint(const struct verify *v, size_t i)
{
	return i < intern_count(&v->complaints) ? intern_text(&v->complaints, (uint32_t)i + 1, NULL)
						: NULL;
}
