/* SPDX-License-Identifier: MIT
 *
 * Facts: the protocol's pages (base protocol, lifecycle, tools, server/discover, caching) and its schema.ts,
 * revisions 2025-06-18 and 2026-07-28.
 */
#include "lib/view/mcp.h"

#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/render/json.h"
#include "lib/view/tree_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PARSE_ERROR = -32700,
	INVALID_REQUEST = -32600,
	NO_METHOD = -32601,
	INVALID_PARAMS = -32602,
	UNSUPPORTED_VERSION = -32022
};
enum { PAGE = 50, PAGE_MAX = 500, TEXT_MAX = 1 << 20 };

struct mcp {
	const struct view *view;
	struct tree_cache nodes;
};

struct call { /* of a tool */
	struct mcp *m;
	const struct view_value *arguments;
	struct buf *to; /* an object's members, with its braces */
	struct err *e;
};

struct tool {
	const char *name, *what;
	const char *properties; /* of its input, as JSON; filters are added where wanted */
	const char *required;   /* a JSON array; NULL: none */
	bool filters, pages;
	enum status (*run)(struct call *c);
};

struct mcp *mcp_new(const struct view *v)
{
	struct mcp *m = mem_zalloc(sizeof *m);

	m->view = v;
	return m;
}

void mcp_free(struct mcp *m)
{
	if (!m)
		return;
	tree_cache_release(&m->nodes);
	free(m);
}

/* --- questions from arguments --- */

/* --option=value, so that a value is never an option. */
static void add_option(struct buf *b, const char *option, const char *value)
{
	struct buf word = BUF_INIT;

	buf_addf(&word, "--%s=%s", option, value);
	buf_addc(b, ' ');
	buf_add_shell(b, buf_str(&word));
	buf_release(&word);
}

static void add_arguments(struct buf *b, const struct view_value *arguments,
			  const char *const *names)
{
	for (; *names; names++) {
		const char *value = value_string(arguments, *names);

		if (value)
			add_option(b, *names, value);
	}
}

static void add_filters(struct buf *b, const struct view_value *arguments)
{
	static const char *const names[] = {"focus", "ignore", "type", "thread",
					    "frame", "time",   NULL};

	add_arguments(b, arguments, names);
}

/* The file of the question, behind all options. */
static void add_file(struct buf *b, const struct view_value *arguments)
{
	const char *file = value_string(arguments, "file");

	if (file) {
		buf_adds(b, " -- ");
		buf_add_shell(b, file);
	}
}

static enum status page_of(struct call *c, uint64_t *offset, uint64_t *limit, uint64_t page,
			   uint64_t most)
{
	if (!value_number(c->arguments, "offset", 0, 1000000000, offset) ||
	    !value_number(c->arguments, "limit", page, most, limit) || !*limit)
		return err_set(c->e, ST_BAD, "offset and limit are numbers; limit at most %" PRIu64,
			       most);
	return ST_OK;
}

/* --- answers --- */

static void number_member(struct buf *b, const char *key, uint64_t v)
{
	json_key(b, key);
	buf_add_u64(b, v);
}

static void text_member(struct buf *b, const char *key, const char *v)
{
	json_key(b, key);
	json_string(b, v);
}

static void mcp_add_table(struct buf *b, const struct table_section *s, uint64_t offset,
			  uint64_t limit)
{
	const struct table *t = s->table;
	struct table_row r = {.cells = mem_zarray(t->n_columns + 1, sizeof *r.cells)};

	buf_addc(b, '{');
	text_member(b, "name", section_name(s));
	text_member(b, "title", t->title);
	json_key(b, "rows");
	buf_addc(b, '[');
	for (uint64_t i = offset; i < t->n_rows && i - offset < limit; i++) {
		if (i > offset)
			buf_addc(b, ',');
		row_fill(t, (size_t)i, &r);
		json_row(b, t, &r, false);
	}
	free(r.cells);
	buf_addc(b, ']');
	number_member(b, "offset", offset);
	number_member(b, "of", t->n_rows);
	if (t->n_rows > offset + limit)
		number_member(b, "next_offset", offset + limit);
	json_key(b, "totals");
	buf_addc(b, '[');
	for (size_t i = 0; i < t->n_totals; i++) {
		if (i)
			buf_addc(b, ',');
		json_row(b, t, &(struct table_row){.cells = t->totals + i * t->n_columns}, true);
	}
	buf_addc(b, ']');
	json_strings(b, "notes", t->notes, t->n_notes);
	buf_addc(b, '}');
}

/* The tables as text; a page of the first one. */
static void *mcp_make_tables(const struct query_form *f, const struct table_document *d, size_t *n)
{
	struct buf made = BUF_INIT, *b = &made;
	bool first = true;
	char *text;

	text_member(b, "title", document_title(d));
	json_facts(b, d);
	json_key(b, "tables");
	buf_addc(b, '[');
	for (size_t i = 0; i < d->n_sections; i++) {
		if (d->sections[i].kind != SECTION_TABLE)
			continue;
		if (!first)
			buf_addc(b, ',');
		mcp_add_table(b, &d->sections[i], first ? f->offset : 0, first ? f->limit : PAGE);
		first = false;
	}
	buf_addc(b, ']');
	*n = b->len;
	text = resource_scope_outside(b->len + 1);
	memcpy(text, b->data, b->len);
	buf_release(b);
	return text;
}

static enum status mcp_answer_tables(struct call *c, const char *question, uint64_t offset,
				     uint64_t limit)
{
	const struct query_form form = {mcp_make_tables, offset, limit};
	struct query_result a;
	char *text = query_ask(&a, &c->m->view->runner, question, &form, c->e);

	if (text) {
		text_member(c->to, "command", question);
		buf_addc(c->to, ',');
		buf_adds(c->to, text);
		text_member(c->to, "messages", a.messages.len ? a.messages.data : "");
	}
	query_result_release(&a);
	free(text);
	return text ? ST_OK : err_failure(c->e);
}

/* One row more than the page has shows whether there is another. */
static void add_rows(struct buf *b, uint64_t offset, uint64_t limit)
{
	buf_addf(b, " --top=%" PRIu64, offset + limit + 1);
}

static enum status tabled(struct call *c, struct buf *question, bool rows)
{
	uint64_t offset, limit;
	enum status st = page_of(c, &offset, &limit, PAGE, PAGE_MAX);

	if (!st) {
		if (rows)
			add_rows(question, offset, limit);
		add_file(question, c->arguments);
		st = mcp_answer_tables(c, buf_str(question), offset, limit);
	}
	buf_release(question);
	return st;
}

/* --- tools --- */

static enum status mcp_run_load(struct call *c)
{
	json_key(c->to, "loaded");
	view_state(c->m->view, c->to);
	return ST_OK;
}

static enum status mcp_run_summary(struct call *c)
{
	struct buf q = BUF_INIT;

	buf_adds(&q, "top");
	add_filters(&q, c->arguments);
	return tabled(c, &q, true);
}

static enum status mcp_run_top(struct call *c)
{
	static const char *const names[] = {"by", "sort", "metrics", NULL};
	struct buf q = BUF_INIT;

	buf_adds(&q, "top --table=top");
	add_arguments(&q, c->arguments, names);
	add_filters(&q, c->arguments);
	return tabled(c, &q, true);
}

static enum status mcp_run_frames(struct call *c)
{
	static const char *const names[] = {"sort", "spike", "every", NULL};
	struct buf q = BUF_INIT;

	buf_adds(&q, "frames");
	add_arguments(&q, c->arguments, names);
	add_filters(&q, c->arguments);
	return tabled(c, &q, true);
}

static enum status mcp_run_compare(struct call *c)
{
	static const char *const names[] = {"by",        "sort",      "per",      "base-frame",
					    "new-frame", "base-time", "new-time", NULL};
	struct buf q = BUF_INIT;

	buf_adds(&q, "compare");
	add_arguments(&q, c->arguments, names);
	add_filters(&q, c->arguments);
	return tabled(c, &q, true);
}

static enum status mcp_run_heap(struct call *c)
{
	static const char *const names[] = {"by", "sort", "who", "type", "snapshot", "set", NULL};
	struct buf q = BUF_INIT;

	buf_adds(&q, "heap");
	add_arguments(&q, c->arguments, names);
	return tabled(c, &q, true);
}

static enum status mcp_run_spikes(struct call *c)
{
	static const char *const names[] = {"threshold", "sort", NULL};
	struct buf q = BUF_INIT;

	buf_adds(&q, "spikes");
	add_arguments(&q, c->arguments, names);
	add_filters(&q, c->arguments);
	return tabled(c, &q, true);
}

static enum status mcp_run_callers(struct call *c)
{
	const char *function = value_string(c->arguments, "function");
	struct buf q = BUF_INIT;

	buf_adds(&q, "top --table=peek");
	add_option(&q, "peek", function);
	add_filters(&q, c->arguments);
	return tabled(c, &q, false);
}

static enum status mcp_run_query(struct call *c)
{
	struct buf q = BUF_INIT;
	uint64_t offset, limit;
	enum status st = page_of(c, &offset, &limit, PAGE, PAGE_MAX);

	buf_adds(&q, value_string(c->arguments, "question"));
	if (!st)
		st = mcp_answer_tables(c, buf_str(&q), offset, limit);
	buf_release(&q);
	return st;
}

static void mcp_add_node(struct buf *b, const struct tree_cache_tree *t, size_t number, size_t i)
{
	const struct tree_cache_node *n = &t->items[i];
	struct table_column percent = {.type = COLUMN_PERCENT};
	struct table_cell share = cell_ratio(false, n->total, t->items[0].total);

	buf_addf(b, "{\"node\":\"%zu.%zu\"", number, i);
	text_member(b, "name", n->name);
	if (n->at)
		text_member(b, "at", n->at);
	json_key(b, "total");
	buf_add_u128(b, n->total);
	json_key(b, "self");
	buf_add_u128(b, n->self);
	if (share.present) {
		json_key(b, "percent");
		cell_exact(b, &percent, &share);
	}
	number_member(b, "children", n->children);
	buf_addc(b, '}');
}

/* The heaviest first; equal ones as the report has them. */
static int mcp_by_weight(const void *a, const void *b)
{
	const struct tree_cache_node *const *x = a, *const *y = b;

	if ((*x)->total != (*y)->total)
		return (*x)->total < (*y)->total ? 1 : -1;
	return *x < *y ? -1 : *x > *y;
}

static struct tree_cache_tree *tree_of(struct call *c, size_t *number, size_t *node)
{
	static const char *const names[] = {"sort", NULL};
	const char *id = value_string(c->arguments, "node");
	struct buf q = BUF_INIT;
	struct tree_cache_tree *t;

	/* The root of the first tree has that name before anybody asked for it, too. */
	if (id && (c->m->nodes.n || strcmp(id, "1.0") != 0))
		return tree_cache_find(&c->m->nodes, c->m->view, id, number, node, c->e);
	buf_adds(&q, "top --by=stack --top=1 --table=stacks");
	add_arguments(&q, c->arguments, names);
	add_filters(&q, c->arguments);
	add_file(&q, c->arguments);
	*node = 0;
	t = tree_cache_of(&c->m->nodes, c->m->view, buf_str(&q), number, c->e);
	buf_release(&q);
	return t;
}

static enum status mcp_run_children(struct call *c)
{
	const struct tree_cache_node **list;
	struct tree_cache_tree *t;
	size_t number, node, n = 0;
	uint64_t offset, limit;

	if (page_of(c, &offset, &limit, PAGE, PAGE_MAX))
		return err_failure(c->e);
	t = tree_of(c, &number, &node);
	if (!t)
		return err_failure(c->e);
	list = mem_array((size_t)t->items[node].children + 1, sizeof *list);
	for (size_t i = 1; i < t->n; i++)
		if (t->items[i].parent == node)
			list[n++] = &t->items[i];
	qsort(list, n, sizeof *list, mcp_by_weight);
	text_member(c->to, "command", t->question);
	text_member(c->to, "unit", t->flame->type);
	if (t->flame->metric)
		text_member(c->to, "metric", t->flame->metric);
	json_key(c->to, "of");
	mcp_add_node(c->to, t, number, node);
	json_key(c->to, "children");
	buf_addc(c->to, '[');
	for (uint64_t i = offset; i < n && i - offset < limit; i++) {
		if (i > offset)
			buf_addc(c->to, ',');
		mcp_add_node(c->to, t, number, (size_t)(list[i] - t->items));
	}
	buf_addc(c->to, ']');
	number_member(c->to, "offset", offset);
	if (n > offset + limit)
		number_member(c->to, "next_offset", offset + limit);
	free(list);
	return ST_OK;
}

static enum status mcp_run_path(struct call *c)
{
	size_t number, node;
	struct tree_cache_tree *t = tree_of(c, &number, &node);
	bool first = true;

	if (!t)
		return err_failure(c->e);
	text_member(c->to, "command", t->question);
	text_member(c->to, "unit", t->flame->type);
	if (t->flame->metric)
		text_member(c->to, "metric", t->flame->metric);
	json_key(c->to, "path");
	buf_addc(c->to, '[');
	for (;; node = t->items[node].parent) {
		if (!first)
			buf_addc(c->to, ',');
		first = false;
		mcp_add_node(c->to, t, number, node);
		if (!node)
			break;
	}
	buf_addc(c->to, ']');
	return ST_OK;
}

static enum status mcp_run_source(struct call *c)
{
	static const char *const names[] = {"sort", NULL};
	const struct view *v = c->m->view;
	struct buf q = BUF_INIT;

	buf_adds(&q, "top --table=source");
	add_option(&q, "source", value_string(c->arguments, "function"));
	for (size_t i = 0; i < v->n_source_dirs; i++)
		add_option(&q, "source-dir", v->source_dirs[i]);
	add_arguments(&q, c->arguments, names);
	add_filters(&q, c->arguments);
	return tabled(c, &q, false);
}

/* Of what looks into binaries loaded files are no operands. */
static enum status mcp_run_instructions(struct call *c)
{
	static const char *const names[] = {"sort", NULL};
	const char *function = value_string(c->arguments, "function");
	const char *file = value_string(c->arguments, "file");
	const struct view *v = c->m->view;
	uint64_t offset, limit;
	struct buf q = BUF_INIT;
	enum status st = page_of(c, &offset, &limit, PAGE, PAGE_MAX);

	buf_adds(&q, "inspect --table=instructions");
	if (function)
		add_option(&q, "disassemble", function);
	for (size_t i = 0; i < v->n_debug_dirs; i++)
		add_option(&q, "debug-dir", v->debug_dirs[i]);
	add_arguments(&q, c->arguments, names);
	add_filters(&q, c->arguments);
	if (file)
		add_option(&q, "trace", file);
	if (!st)
		st = mcp_answer_tables(c, buf_str(&q), offset, limit);
	buf_release(&q);
	return st;
}

static enum status mcp_run_dominators(struct call *c)
{
	static const char *const names[] = {"min", "sort", "type", "snapshot", NULL};
	struct buf q = BUF_INIT;

	buf_adds(&q, "heap --dominators");
	add_arguments(&q, c->arguments, names);
	return tabled(c, &q, true);
}

/* clang-format off */
#define STRING(name, what) "\"" name "\":{\"type\":\"string\",\"description\":\"" what "\"}"
#define NUMBER(name, what) "\"" name "\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"" what "\"}"
#define FILTERS \
	STRING("focus", "keep stacks with a call that matches this expression") "," \
	STRING("ignore", "drop stacks with such a call") "," \
	STRING("type", "keep allocations of a matching type") "," \
	STRING("thread", "keep a thread") "," \
	STRING("frame", "keep these frames of the game: 100..200") "," \
	STRING("time", "keep this time: 1.5s..2s") "," \
	STRING("file", "of this capture only; all that are loaded otherwise")
#define PAGES \
	NUMBER("offset", "rows to pass over: next_offset of the page before") "," \
	NUMBER("limit", "rows of a page, at most 500 (50)")
#define BY STRING("by", "site, function, location, stack, type, file, module, frame, thread or owner; two of them: type,site")
#define SORT STRING("sort", "auto, count, requested, real, live, peak, temporary, lifetime, self-time, total-time, calls, waiting, samples, period, lua-net, mono-net")

static const struct tool tools[] = {
    {"load", "What is loaded: files, their events, what was lost or guessed, limits.", "", NULL,
     false, false, mcp_run_load},
    {"summary", "The run in numbers, and the sites that allocate or take most.", "", NULL, true,
     true, mcp_run_summary},
    {"top", "Ranks by a key and a metric, a page at a time.",
     BY "," SORT "," STRING("metrics", "these metrics, with commas between; all"), NULL, true,
     true, mcp_run_top},
    {"children", "The calls below a node of the call tree, heaviest first; without a node those of "
     "the root. Nodes keep their names.",
     STRING("node", "as an answer named it: 1.7") "," SORT, NULL, true, true, mcp_run_children},
    {"callers", "Callers and callees of matching functions.",
     STRING("function", "an expression"), "[\"function\"]", true, true, mcp_run_callers},
    {"path", "From a node of the call tree to the root.", STRING("node", "as an answer named it"),
     "[\"node\"]", false, false, mcp_run_path},
    {"frames", "A row for each frame of the game: duration, allocations, counters, and spikes.",
     SORT "," STRING("spike", "what a spike is: 33ms, 3x the median") ","
     STRING("every", "steps of so much time instead of frames"), NULL, true, true, mcp_run_frames},
    {"compare", "Two files, or two ranges of one: what grew and what shrank.",
     BY "," SORT "," STRING("per", "run, frame or second") ","
     STRING("base-frame", "frames of the base") "," STRING("new-frame", "frames to judge") ","
     STRING("base-time", "time of the base") "," STRING("new-time", "time to judge"), NULL, true,
     true, mcp_run_compare},
    {"heap", "Snapshots of heaps: what there is, and who holds it.",
     STRING("by", "type, site, root or owner") "," STRING("sort", "size, count or retained") ","
     STRING("who", "who holds an object (its id), or objects of a type (an expression)") ","
     STRING("type", "keep objects of a matching type") ","
     STRING("set", "objects of two snapshots: add, and, or, xor; of three: leak") ","
     STRING("file", "of this capture only"), NULL, false, true, mcp_run_heap},
    {"spikes", "Calls that took longer than they may.",
     STRING("threshold", "what a call may take: 1ms") "," STRING("sort", "worst, count, sum or p95"),
     NULL, true, true, mcp_run_spikes},
    {"dominators", "The tree of what holds what alone in a snapshot of a heap, largest first: what would "
     "be free without it.",
     STRING("min", "leave out what has less, in percent (0.5)") "," STRING("sort", "count or retained") ","
     STRING("type", "keep objects of a matching type") "," STRING("snapshot", "its number (the last)") ","
     STRING("file", "of this capture only"), NULL, false, true, mcp_run_dominators},
    {"source_lines", "Matching functions with what each of their lines costs, and the lines' text where "
     "--source-dir has it.",
     STRING("function", "an expression") "," SORT, "[\"function\"]", true, true, mcp_run_source},
    {"instructions", "The instructions of a function with what each of them costs, and its source line; without a "
     "function those of the five that cost most. Needs tm-view -e BINARY.",
     STRING("function", "a name, or an address of its binary: 0x4690") "," SORT, NULL, true, true,
     mcp_run_instructions},
    {"query", "Any question as on the command line: top --by type --leaks. The programs: top, frames, "
     "compare, heap, spikes, inspect.",
     STRING("question", "its words"), "[\"question\"]", false, true, mcp_run_query},
};
/* clang-format on */

enum { TOOLS = sizeof tools / sizeof *tools };

/* --- the protocol --- */

static void begin_reply(struct buf *to, const struct view_value *id)
{
	buf_adds(to, "{\"jsonrpc\":\"2.0\",\"id\":");
	if (id)
		value_write(to, id);
	else
		buf_adds(to, "null");
}

/* Of a result since 2026-07-28; clients before it pass over what they do not know. */
#define COMPLETE "\"resultType\":\"complete\""
#define KEPT     COMPLETE ",\"ttlMs\":3600000,\"cacheScope\":\"private\""

static void reply_error(struct buf *to, const struct view_value *id, int code, const char *text)
{
	begin_reply(to, id);
	buf_addf(to, ",\"error\":{\"code\":%d,\"message\":", code);
	json_string(to, text);
	buf_adds(to, "}}\n");
}

/* What a model is told of this server first. */
#define INSTRUCTIONS                                                                               \
	"Captures of games and engines are loaded: allocations, times of calls, frames, heaps. "   \
	"Begin with summary; "                                                                     \
	"then top, frames or compare, and children and callers for what is large in them. Absent " \
	"values are left "                                                                         \
	"out, never 0."
#define SERVER_INFO "{\"name\":\"tm-view\",\"title\":\"tracemill\",\"version\":\"" TM_VERSION "\"}"

/* Revisions that begin with initialize, and those whose every request says its own. */
static const char *const sessions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
static const char *const stateless[] = {"2026-07-28"};

static bool is_among(const char *version, const char *const *list, size_t n)
{
	for (size_t i = 0; version && i < n; i++)
		if (!strcmp(version, list[i]))
			return true;
	return false;
}

static void reply_initialize(struct buf *to, const struct view_value *id,
			     const struct view_value *params)
{
	const char *asked = value_string(params, "protocolVersion");
	bool known = is_among(asked, sessions, sizeof sessions / sizeof *sessions);

	begin_reply(to, id);
	buf_addf(to,
		 ",\"result\":{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},"
		 "\"serverInfo\":" SERVER_INFO ",\"instructions\":\"" INSTRUCTIONS "\"}}\n",
		 known ? asked : sessions[0]);
}

static void reply_discover(struct buf *to, const struct view_value *id)
{
	begin_reply(to, id);
	buf_adds(to, ",\"result\":{\"supportedVersions\":[\"");
	buf_adds(to, stateless[0]);
	buf_adds(to, "\"],\"capabilities\":{\"tools\":{}},\"serverInfo\":" SERVER_INFO
		     ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":" SERVER_INFO
		     "},\"instructions\":\"" INSTRUCTIONS "\"," KEPT "}}\n");
}

static void reply_unsupported(struct buf *to, const struct view_value *id, const char *asked)
{
	begin_reply(to, id);
	buf_addf(to,
		 ",\"error\":{\"code\":%d,\"message\":\"this revision is not supported\","
		 "\"data\":{\"supported\":[\"%s\"],\"requested\":",
		 UNSUPPORTED_VERSION, stateless[0]);
	json_string(to, asked);
	buf_adds(to, "}}}\n");
}

static void add_tool(struct buf *to, const struct tool *t)
{
	bool any = *t->properties;

	buf_addc(to, '{');
	text_member(to, "name", t->name);
	text_member(to, "description", t->what);
	buf_addf(to, ",\"inputSchema\":{\"type\":\"object\",\"properties\":{%s", t->properties);
	if (t->filters)
		buf_addf(to, "%s%s", any ? "," : "", FILTERS);
	any |= t->filters;
	if (t->pages)
		buf_addf(to, "%s%s", any ? "," : "", PAGES);
	buf_adds(to, "}");
	if (t->required)
		buf_addf(to, ",\"required\":%s", t->required);
	buf_adds(to, "},\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}");
}

static void reply_tools(struct buf *to, const struct view_value *id)
{
	begin_reply(to, id);
	buf_adds(to, ",\"result\":{\"tools\":[");
	for (size_t i = 0; i < TOOLS; i++) {
		if (i)
			buf_addc(to, ',');
		add_tool(to, &tools[i]);
	}
	buf_adds(to, "]," KEPT "}}\n");
}

static const struct tool *find_tool(const char *name)
{
	for (size_t i = 0; name && i < TOOLS; i++)
		if (!strcmp(tools[i].name, name))
			return &tools[i];
	return NULL;
}

/* What is missing; NULL: nothing. */
static const char *missing(const struct tool *t, const struct view_value *arguments)
{
	static const char *const words[] = {"function", "node", "question"};
	char quoted[32];

	for (size_t i = 0; t->required && i < sizeof words / sizeof *words; i++) {
		snprintf(quoted, sizeof quoted, "\"%s\"", words[i]);
		if (strstr(t->required, quoted) && !value_string(arguments, words[i]))
			return words[i];
	}
	return NULL;
}

/* Whether JSON text of properties has this one, and whether as a string. */
static bool has_property(const char *properties, const char *key, bool *string)
{
	char quoted[64];
	const char *at;

	if (snprintf(quoted, sizeof quoted, "\"%s\":{\"type\":\"", key) >= (int)sizeof quoted)
		return false;
	at = strstr(properties, quoted);
	*string = at && !strncmp(at + strlen(quoted), "string", 6);
	return at;
}

/* An argument that is misspelled or of another type would be an answer to another question. */
static enum status check_arguments(const struct tool *t, const struct view_value *arguments,
				   struct err *e)
{
	if (!arguments)
		return ST_OK;
	if (arguments->kind != VALUE_OBJECT)
		return err_set(e, ST_BAD, "arguments are not an object");
	for (const struct view_value *v = arguments->first; v; v = v->next) {
		bool string = false,
		     known = has_property(t->properties, v->key, &string) ||
			     (t->filters && has_property(FILTERS, v->key, &string)) ||
			     (t->pages && has_property(PAGES, v->key, &string));

		if (!known)
			return err_set(e, ST_BAD, "%s has no argument %s: tools/list has them",
				       t->name, v->key);
		if (string && v->kind != VALUE_STRING && v->kind != VALUE_NULL)
			return err_set(e, ST_BAD, "%s is not a string", v->key);
		if (string && v->kind == VALUE_STRING && strlen(v->text) != v->len)
			return err_set(e, ST_BAD, "%s has a NUL", v->key);
	}
	return ST_OK;
}

static void mcp_reply_call(struct mcp *m, struct buf *to, const struct view_value *id,
			   const struct view_value *params)
{
	const struct tool *t = find_tool(value_string(params, "name"));
	const struct view_value *arguments = value_get(params, "arguments");
	struct buf content = BUF_INIT;
	struct err e = ERR_INIT;
	struct call c = {m, arguments, &content, &e};
	const char *lacks = t ? missing(t, arguments) : NULL;
	enum status st;

	if (!t) {
		reply_error(to, id, INVALID_PARAMS, "no such tool: tools/list has them");
		return;
	}
	buf_addc(&content, '{');
	st =
	    lacks ? err_set(&e, ST_BAD, "%s is missing", lacks) : check_arguments(t, arguments, &e);
	st = st ? st : t->run(&c);
	if (!st && content.len > TEXT_MAX)
		st = err_set(&e, ST_LIMIT,
			     "the page is longer than 1 MiB: ask for fewer rows (limit)");
	buf_addc(&content, '}');
	begin_reply(to, id);
	buf_adds(to, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
	if (st)
		json_string(to, e.msg);
	else
		json_text(to, content.data, content.len);
	buf_adds(to, "}]");
	if (!st) {
		buf_adds(to, ",\"structuredContent\":");
		buf_add(to, content.data, content.len);
	}
	buf_addf(to, ",\"isError\":%s," COMPLETE "}}\n", st ? "true" : "false");
	buf_release(&content);
}

static void mcp_answer_request(struct mcp *m, const struct view_value *request, struct buf *to)
{
	const struct view_value *id = value_get(request, "id"),
				*params = value_get(request, "params");
	const char *method = value_string(request, "method");
	const char *version =
	    value_string(value_get(params, "_meta"), "io.modelcontextprotocol/protocolVersion");

	if (!method)
		/* A reply to what was never asked is no request. */
		id = value_get(request, "result") || value_get(request, "error") ? NULL : id;
	if (!id && (method || value_get(request, "result") || value_get(request, "error")))
		return; /* a notification */
	if (!method)
		reply_error(to, id, INVALID_REQUEST, "no method");
	else if (version && !is_among(version, stateless, sizeof stateless / sizeof *stateless))
		reply_unsupported(to, id, version);
	else if (!strcmp(method, "server/discover"))
		reply_discover(to, id);
	else if (!strcmp(method, "initialize"))
		reply_initialize(to, id, params);
	else if (!strcmp(method, "ping")) {
		begin_reply(to, id);
		buf_adds(to, ",\"result\":{}}\n");
	} else if (!strcmp(method, "tools/list"))
		reply_tools(to, id);
	else if (!strcmp(method, "tools/call"))
		mcp_reply_call(m, to, id, params);
	else
		reply_error(to, id, NO_METHOD, "no such method");
}

void mcp_line(struct mcp *m, const char *line, size_t n, struct buf *to)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	size_t blank = 0;
	const struct view_value *request;

	while (blank < n && strchr(" \t\r", line[blank]) && line[blank])
		blank++;
	if (blank < n) {
		request = value_parse(&arena, line, n, &e);
		if (!request)
			reply_error(to, NULL, PARSE_ERROR, e.msg);
		else if (request->kind != VALUE_OBJECT)
			reply_error(to, NULL, INVALID_REQUEST, "no object");
		else
			mcp_answer_request(m, request, to);
	}
	arena_release(&arena);
}
