/* SPDX-License-Identifier: MIT
 *
 *	heapsnapshot [--objects N] VARIANT >FILE 2>TRUTH
 *
 * A heap snapshot of V8. The root has an element (GC roots), of 0 bytes, and a shortcut to Game, an object of 40
 * bytes. (GC roots) refers to Game, and weakly to the table of a WeakMap (64 bytes), which Game has as "map". Game has
 * N textures, as elements: objects of 32 + 8 * (i % 5) bytes, with an array of 100 bytes each, "pixels", that refers
 * back. Texture 0 is a key of the map, whose value is a string of 24 bytes.
 * VARIANT:
 *
 *	plain     as node 20 writes it
 *	old       without trace_node_id and detachedness
 *	timeline  with stacks: arrays are made by draw (game.js:20), below main (game.js:10)
 *	damaged   plain; a type, a text and a target that the file does not have, and an edge too many
 *	ancient   before 2012: nodes without a table of fields
 *
 * The truth: "objects N", "bytes N", "references N", without (GC roots), which is a kind of roots and no object.
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static long objects = 3;

enum { HIDDEN, ARRAY, STRING, OBJECT, NATIVE, SYNTHETIC };
enum { CONTEXT, ELEMENT, PROPERTY, INTERNAL, SHORTCUT, WEAK };
enum { NONE, ROOTS, GAME, TEXTURE, PIXELS, MAP, PAIR, VALUE, TABLE, ANONYMOUS, MAIN, SCRIPT, DRAW };
enum { ROOT_AT, ROOTS_AT, GAME_AT, TABLE_AT, VALUE_AT, FIRST_AT };

static unsigned fields;
static unsigned long long bytes;
static long references;

static void node(int type, int name, long at, int size, int edges, int made)
{
	printf("%s%d,%d,%ld,%d,%d", at ? "\n," : "", type, name, 2 * at + 1, size, edges);
	if (!is("old"))
		printf(",%d,0", is("timeline") ? made : 0);
	bytes += (unsigned)size;
}

static void edge(int type, long name, long to)
{
	static int any;

	printf("%s%d,%ld,%ld", any++ ? "\n," : "", type, name, to * fields);
	references += type != WEAK;
}

static void meta(void)
{
	printf(
	    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
	    "\"edge_count\"%s],"
	    "\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"native\",\"synthetic\"],"
	    "\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],"
	    "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
	    "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"shortcut\","
	    "\"weak\"],"
	    "\"string_or_number\",\"node\"],"
	    "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\",\"script_"
	    "id\","
	    "\"line\",\"column\"],"
	    "\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\",\"children\"]"
	    "},"
	    "\"node_count\":%ld,\"edge_count\":%ld,\"trace_function_count\":0},\n",
	    is("old") ? "" : ",\"trace_node_id\",\"detachedness\"", FIRST_AT + 2 * objects,
	    2 + 2 + 1 + objects + 1 + 3 * objects + (objects > 0));
}

static void nodes(void)
{
	printf("\"nodes\":[");
	node(SYNTHETIC, NONE, ROOT_AT, 0, 2, 0);
	node(SYNTHETIC, ROOTS, ROOTS_AT, 0, 2, 0);
	node(OBJECT, GAME, GAME_AT, 40, (int)objects + 1, 1);
	node(ARRAY, NONE, TABLE_AT, 64, 1, 0);
	node(STRING, VALUE, VALUE_AT, 24, 0, 0);
	for (long i = 0; i < objects; i++) {
		int type = is("damaged") && i == 1 ? 77 : OBJECT;
		int name = is("damaged") && i == 2 ? 99 : TEXTURE;

		node(type, name, FIRST_AT + 2 * i, 32 + 8 * (int)(i % 5), i ? 1 : 2, 2);
		node(ARRAY, NONE, FIRST_AT + 2 * i + 1, 100, 2, 3);
	}
	printf("],\n\"edges\":[");
	edge(ELEMENT, 1, ROOTS_AT);
	references--;
	edge(SHORTCUT, GAME, GAME_AT);
	edge(PROPERTY, GAME, GAME_AT);
	edge(WEAK, 7, TABLE_AT);
	for (long i = 0; i < objects; i++)
		edge(ELEMENT, i, FIRST_AT + 2 * i);
	edge(PROPERTY, MAP, TABLE_AT);
	edge(INTERNAL, PAIR, VALUE_AT); /* of the table: it is its key's */
	references--;
	for (long i = 0; i < objects; i++) {
		edge(PROPERTY, PIXELS, FIRST_AT + 2 * i + 1);
		if (!i)
			edge(INTERNAL, PAIR, VALUE_AT);
		edge(INTERNAL, TEXTURE, FIRST_AT + 2 * i);
		edge(WEAK, 0, GAME_AT);
	}
	if (is("damaged")) {
		edge(PROPERTY, PIXELS, GAME_AT);
		references--;
	}
	printf("],\n");
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--objects") && i + 1 < argc)
			objects = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	if (is("ancient")) {
		printf("{\"snapshot\":{\"title\":\"x\",\"uid\":1},\"nodes\":[{\"node_fields\":[]},"
		       "0,1,2]}\n");
		return 0;
	}
	fields = is("old") ? 5 : 7;
	meta();
	nodes();
	printf("\"trace_function_infos\":[");
	if (is("timeline"))
		printf("0,%d,%d,0,0,0\n,1,%d,%d,7,10,2\n,2,%d,%d,7,20,2", ANONYMOUS, NONE, MAIN,
		       SCRIPT, DRAW, SCRIPT);
	printf("],\n\"trace_tree\":[%s],\n\"samples\":[],\n\"locations\":[],\n",
	       is("timeline") ? "1,0,0,0,[2,1,1,40,[3,2,3,300,[]]]" : "");
	printf(
	    "\"strings\":[\"\",\"(GC roots)\",\"Game\",\"Texture\",\"pixels\",\"map\","
	    "\"1 / part of key (Texture @%d) -> value (string @%d) pair in WeakMap (table @%d)\","
	    "\"a value\",\"table\",\"(root)\",\"main\",\"game.js\",\"draw\"]}\n",
	    2 * FIRST_AT + 1, 2 * VALUE_AT + 1, 2 * TABLE_AT + 1);
	fprintf(stderr, "objects %ld\nbytes %llu\nreferences %ld\n", FIRST_AT + 2 * objects - 2,
		bytes, references);
	return 0;
}
