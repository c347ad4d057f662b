/* SPDX-License-Identifier: MIT
 *
 * Requests to tm-view: a line of its JSON door, a line of the Model Context Protocol, a
 * question, a request's path and headers. Nothing is started: no program answers.
 */
#include "lib/view/mcp.h"
#include "lib/view/route.h"
#include "lib/view/view.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct query_program programs[] = {{.name = NULL}};
static const char *const files[] = {"a.tmt"}, *const folders[] = {"src", "it's"};

/* One line of JSON at most, or nothing. */
static void check_line(const struct buf *b)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;

	if (b->len && (b->data[b->len - 1] != '\n' || memchr(b->data, '\n', b->len - 1)))
		abort();
	if (b->len && !value_parse(&a, b->data, b->len, &e) && e.code != ST_LIMIT)
		abort();
	arena_release(&a);
}

static void check_route(const char *text)
{
	struct route_door d = {.token = "0123456789abcdef0123456789abcdef",
			       .hosts = {"127.0.0.1:80", "localhost:80"}};
	struct route_request r = {
	    .method = "GET", .path = text, .host = "127.0.0.1:80", .origin = NULL};
	char name[ROUTE_NAME];

	if (route_of(&d, &r, name) != ROUTE_FORBIDDEN &&
	    strncmp(text, "/0123456789abcdef0123456789abcdef/", 34) != 0)
		abort();
	r.path = "/0123456789abcdef0123456789abcdef/state";
	r.host = text;
	if (route_of(&d, &r, name) == ROUTE_STATE && strcmp(text, "127.0.0.1:80") != 0 &&
	    strcmp(text, "localhost:80") != 0)
		abort();
	r.host = "localhost:80";
	r.origin = text;
	if (route_of(&d, &r, name) == ROUTE_STATE && strncmp(text, "http://", 7) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	atomic_int working = 0;
	struct view v = {.runner = {.programs = programs,
				    .files = files,
				    .n_files = 1,
				    .rows = 9,
				    .working = &working},
			 .source_dirs = folders,
			 .n_source_dirs = 2};
	struct mcp *m = mcp_new(&v);
	struct argv_list words = {.n = 0};
	struct arena arena = ARENA_INIT;
	struct buf b = BUF_INIT, text = BUF_INIT;
	struct err e = ERR_INIT;

	buf_add(&text, data, n);
	buf_str(&text);
	for (size_t i = 0; i < n; i++) /* a line has no end in it */
		if (text.data[i] == '\n')
			text.data[i] = ' ';
	view_line(&v, text.data, n, &b);
	check_line(&b);
	b.len = 0;
	mcp_line(m, text.data, n, &b);
	check_line(&b);
	argv_split(&words, &arena, text.data, n, &e);
	check_route(text.data);
	argv_release(&words);
	arena_release(&arena);
	buf_release(&b);
	buf_release(&text);
	mcp_free(m);
	return 0;
}
