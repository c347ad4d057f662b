/* SPDX-License-Identifier: MIT
 *
 * Numbers of nodes while the capture they are of grows (lib/view).
 */
#include "lib/view/tree_cache.h"
#include "lib/base/mem.h"
#include "lib/render/render.h"
#include "lib/table/flame.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct flame_node *stacks; /* what the report that answers has of them */
static size_t n_stacks;

static int unused_run(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

static void answer(void *arg, struct query_args *q, FILE *out, FILE *err)
{
	const struct flame flame = {
	    .name = "stacks", .type = COLUMN_BYTES, .nodes = stacks, .n_nodes = n_stacks};
	struct table_section section = {.kind = SECTION_FLAME, .flame = &flame};
	const struct table_document d = {
	    .program = "tm-top", .sections = &section, .n_sections = 1};
	const struct render_options o = {.width = 0};
	struct err e = ERR_INIT;

	(void)arg, (void)out, (void)err;
	CHECK_EQ(query_form_write(q, &d, &o, NULL, &e), ST_OK);
}

static int status(void)
{
	return 0;
}

static const struct query_program programs[] = {{"top", unused_run, NULL, NULL}, {.name = NULL}};
static const char *const files[] = {"a.tmt"};

#define NODE(text, above, own)                                                     \
	(struct flame_node)                                                        \
	{                                                                          \
		.parent = above, .name = text, .len = sizeof text - 1, .self = own \
	}
#define STACKS(...)                                   \
	(stacks = (struct flame_node[]){__VA_ARGS__}, \
	 n_stacks = sizeof(struct flame_node[]){__VA_ARGS__} / sizeof *stacks)

static const char *name_of(struct tree_cache *m, const struct view *v, const char *id,
			   double *total)
{
	struct err e = ERR_INIT;
	size_t number, node;
	struct tree_cache_tree *t = tree_cache_find(m, v, id, &number, &node, &e);

	*total = t ? (double)t->items[node].total : -1;
	return t ? t->items[node].name : "";
}

static struct view view_of_stacks(void)
{
	static atomic_int working;

	return (struct view){.runner = {.programs = programs,
					.files = files,
					.n_files = 1,
					.answer = answer,
					.working = &working,
					.status = status,
					.rows = 9,
					.seconds = 20,
					.bytes = 1 << 20},
			     .version = 1};
}

/* all -> a -> c, all -> b; then b grows past a, d comes below a and another a below b. */
TEST(nodes_keep_their_numbers)
{
	struct view v = view_of_stacks();
	struct tree_cache m = {.n = 0};
	struct err e = ERR_INIT;
	struct tree_cache_tree *t;
	size_t number;
	double total;

	STACKS(NODE("all", 0, 0), NODE("a", 0, 5), NODE("c", 1, 2), NODE("b", 0, 3));
	t = tree_cache_of(&m, &v, "top", &number, &e);
	CHECK(t && number == 1);
	CHECK_STR(name_of(&m, &v, "1.1", &total), "a");
	CHECK(total == 7);
	v.version++;
	STACKS(NODE("all", 0, 0), NODE("b", 0, 30), NODE("a", 1, 1), NODE("a", 0, 5),
	       NODE("d", 3, 1), NODE("c", 3, 4));
	CHECK_STR(name_of(&m, &v, "1.1", &total), "a");
	CHECK(total == 10);
	CHECK_STR(name_of(&m, &v, "1.2", &total), "c");
	CHECK(total == 4);
	CHECK_STR(name_of(&m, &v, "1.3", &total), "b");
	CHECK(total == 31);
	CHECK_STR(name_of(&m, &v, "1.4", &total), "a");
	CHECK(total == 1);
	CHECK_STR(name_of(&m, &v, "1.5", &total), "d");
	CHECK_EQ(m.trees[0]->items[2].parent, 1);
	CHECK_EQ(m.trees[0]->items[5].parent, 1);
	CHECK_EQ(m.trees[0]->items[4].parent, 3);
	CHECK_EQ(m.trees[0]->items[1].children, 2);
	v.version++; /* c is gone, and no other is called by its number */
	STACKS(NODE("all", 0, 0), NODE("a", 0, 5), NODE("x", 1, 1));
	CHECK_STR(name_of(&m, &v, "1.1", &total), "a");
	CHECK_STR(name_of(&m, &v, "1.2", &total), "");
	CHECK_STR(name_of(&m, &v, "1.6", &total), "x");
	tree_cache_release(&m);
}

/* A tree whose answer made room: its numbers are refused once the file has grown, not given to others. */
TEST(nodes_that_were_put_aside)
{
	struct view v = view_of_stacks();
	struct tree_cache m = {.n = 0};
	struct err e = ERR_INIT;
	size_t number;
	double total;
	char question[32];

	STACKS(NODE("all", 0, 0), NODE("a", 0, 5));
	for (int i = 0; i <= TREE_CACHE_KEPT; i++) {
		snprintf(question, sizeof question, "top -n %d", i + 1);
		CHECK(tree_cache_of(&m, &v, question, &number, &e));
	}
	CHECK_STR(name_of(&m, &v, "1.1", &total), "a"); /* asked again: the same file */
	CHECK_STR(name_of(&m, &v, "2.1", &total), "a"); /* which puts others aside */
	v.version++;
	STACKS(NODE("all", 0, 0), NODE("b", 0, 5));
	CHECK_STR(name_of(&m, &v, "3.1", &total), "");
	CHECK(tree_cache_of(&m, &v, "top -n 3", &number, &e));
	CHECK_EQ(number, TREE_CACHE_KEPT + 2);
	tree_cache_release(&m);
}

TEST_MAIN()
