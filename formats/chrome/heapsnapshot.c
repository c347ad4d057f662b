/* SPDX-License-Identifier: MIT
 *
 * Heap snapshots of V8 (.heapsnapshot), and those with the stacks of allocations (.heaptimeline):
 *
 *	{"snapshot":{"meta":{"node_fields":[NAME..],"node_types":[[NAME..],..],"edge_fields":[..],"edge_types":[[..],..],
 *	             "trace_function_info_fields":[..],"trace_node_fields":[..]},"node_count":N,"edge_count":N},
 *	 "nodes":[N..],"edges":[N..],"trace_function_infos":[N..],"trace_tree":[N,N,N,N,[..]],"strings":[S..]}
 *
 * A node and an edge are as many numbers as meta has fields of them. The edges of the first node come first; to_node
 * is a place in nodes. The first node is the root. Texts come last, so that the file is read twice.
 *
 * From V8's heap-snapshot-generator.h and DevTools' HeapSnapshot.ts: what a class is called, and which edges hold.
 */
#include "formats/emit.h"
#include "formats/reader.h"
#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/input/json_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MOST = 32, DEPTH_MOST = 1 << 16, ALLOCATED_FIELDS = 5 };

enum snapshot_place {
	WHOLE = JSON_PLACES,
	SNAPSHOT,
	META,
	NODE_FIELDS,
	NODE_FIELD,
	NODE_TYPES,
	NODE_TYPE_LIST,
	NODE_TYPE,
	EDGE_FIELDS,
	EDGE_FIELD,
	EDGE_TYPES,
	EDGE_TYPE_LIST,
	EDGE_TYPE,
	NODE_COUNT,
	EDGE_COUNT,
	EXTRA,
	NODES,
	NODE_NUMBER,
	EDGES,
	EDGE_NUMBER,
	FUNCTIONS,
	FUNCTION_NUMBER,
	TREE,
	TREE_NUMBER,
	STRINGS,
	TEXT
};

static const struct json_row snapshot_rows[] = {
    {JSON_TOP, "{", WHOLE},
    {WHOLE, "snapshot{", SNAPSHOT},
    {SNAPSHOT, "meta{", META},
    {META, "node_fields[", NODE_FIELDS},
    {NODE_FIELDS, "", NODE_FIELD},
    {META, "node_types[", NODE_TYPES},
    {NODE_TYPES, "[", NODE_TYPE_LIST},
    {NODE_TYPE_LIST, "", NODE_TYPE},
    {META, "edge_fields[", EDGE_FIELDS},
    {EDGE_FIELDS, "", EDGE_FIELD},
    {META, "edge_types[", EDGE_TYPES},
    {EDGE_TYPES, "[", EDGE_TYPE_LIST},
    {EDGE_TYPE_LIST, "", EDGE_TYPE},
    {SNAPSHOT, "node_count", NODE_COUNT},
    {SNAPSHOT, "edge_count", EDGE_COUNT},
    {SNAPSHOT, "extra_native_bytes", EXTRA},
    {WHOLE, "nodes[", NODES},
    {NODES, "", NODE_NUMBER},
    {WHOLE, "edges[", EDGES},
    {EDGES, "", EDGE_NUMBER},
    {WHOLE, "trace_function_infos[", FUNCTIONS},
    {FUNCTIONS, "", FUNCTION_NUMBER},
    {WHOLE, "trace_tree[", TREE},
    {TREE, "", TREE_NUMBER},
    {TREE, "[", TREE}, /* the callees */
    {WHOLE, "strings[", STRINGS},
    {STRINGS, "", TEXT},
    {0},
};

/* Where in a node or an edge a field is; NO_FIELD: it has none. */
enum node_field {
	OF_TYPE,
	OF_NAME,
	OF_ID,
	OF_SIZE,
	OF_EDGES,
	OF_TRACE,
	OF_DETACHED,
	NODE_FIELDS_KNOWN
};
enum edge_field { OF_KIND, OF_LABEL, OF_TARGET, EDGE_FIELDS_KNOWN };

static const char *const node_words[] = {"type",       "name",          "id",          "self_size",
					 "edge_count", "trace_node_id", "detachedness"};
static const char *const edge_words[] = {"type", "name_or_index", "to_node"};

/* By what a type is called. */
enum node_class { CLASS_OWN, CLASS_SYNTHETIC, CLASS_OTHER };
enum edge_class { EDGE_NAMED, EDGE_INDEXED, EDGE_HIDDEN, EDGE_INTERNAL, EDGE_SHORTCUT, EDGE_WEAK };

struct record {                      /* of which the numbers come one by one */
	unsigned n;                  /* fields */
	unsigned at;                 /* of the next number */
	unsigned field[FIELDS_MOST]; /* by place: a field above and 1, or 0 */
	uint64_t v[FIELDS_MOST];     /* by field */
	unsigned known;              /* bits of fields */
};

struct snapshot {
	struct import *im;
	struct json_result at;
	bool second; /* the reading that pushes */
	bool output_failed;
	struct record node, edge;
	struct {
		uint32_t type; /* of the trace, where the class has no name of its own */
		uint8_t class;
	} node_types[FIELDS_MOST];
	uint8_t edge_types[FIELDS_MOST];
	unsigned n_node_types, n_edge_types;
	struct snapshot_node {
		uint32_t id, edges;
	} * nodes;
	size_t n, cap;
	uint32_t *texts; /* of the file -> of the trace */
	size_t n_texts, cap_texts;
	size_t from; /* of the next edge */
	uint64_t edges_left;
	size_t ordinal; /* of the next node, when pushed */
	struct known_number node_count, edge_count, extra;
	/* of a .heaptimeline */
	struct snapshot_function {
		uint64_t name, file, line;
	} * functions;
	size_t n_functions, cap_functions;
	uint64_t function[6];
	unsigned function_at;
	struct snapshot_call { /* a node of the tree of calls */
		uint64_t id, function;
		uint32_t caller; /* of calls, and 1; 0: none */
	} * calls;
	size_t n_calls, cap_calls;
	struct {
		uint32_t caller; /* as above */
		unsigned at;
	} * open; /* lists of the tree that are open */
	size_t n_open, cap_open;
	uint32_t field_of_call;
	struct map64 stacks; /* by id */
	struct map64 roots;  /* V8's own: a node's place -> what they are called */
	uint32_t elements, hidden, detached, global;
	struct buf text;
	uint64_t bad, weak, shortcuts, own, tables, dangling, wide, no_type;
};

/* --- meta --- */

static void add_field(struct record *r, const char *const *words, size_t n_words,
		      struct json_value v)
{
	if (r->n == FIELDS_MOST)
		return;
	for (unsigned i = 0; i < n_words; i++)
		if (text_is(v.s, v.n, words[i])) {
			r->field[r->n] = i + 1;
			r->known |= 1U << i;
		}
	r->n++;
}

static void add_node_type(struct snapshot *s, struct json_value v)
{
	static const struct {
		const char *word, *shown; /* NULL: by the names of the objects */
	} known[] = {{"object", NULL},
		     {"native", NULL},
		     {"synthetic", NULL},
		     {"hidden", "(system)"},
		     {"code", "(compiled code)"}};
	const char *shown = NULL;
	enum node_class class = CLASS_OTHER;

	if (s->n_node_types == FIELDS_MOST)
		return;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (text_is(v.s, v.n, known[i].word)) {
			class = known[i].shown                   ? CLASS_OTHER
				: text_is(v.s, v.n, "synthetic") ? CLASS_SYNTHETIC
								 : CLASS_OWN;
			shown = known[i].shown;
		}
	s->text.len = 0;
	if (shown)
		buf_adds(&s->text, shown);
	else
		buf_addf(&s->text, "(%.*s)", (int)v.n, v.s);
	s->node_types[s->n_node_types].class = (uint8_t) class;
	s->node_types[s->n_node_types++].type =
	    trace_type(s->im->t, buf_str(&s->text), s->text.len);
}

static void add_edge_type(struct snapshot *s, struct json_value v)
{
	static const struct {
		const char *word;
		enum edge_class class;
	} known[] = {{"element", EDGE_INDEXED},
		     {"hidden", EDGE_HIDDEN},
		     {"internal", EDGE_INTERNAL},
		     {"shortcut", EDGE_SHORTCUT},
		     {"weak", EDGE_WEAK}};
	enum edge_class class = EDGE_NAMED;

	if (s->n_edge_types == FIELDS_MOST)
		return;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (text_is(v.s, v.n, known[i].word))
			class = known[i].class;
	s->edge_types[s->n_edge_types++] = (uint8_t) class;
}

static enum status check_meta(const struct snapshot *s, struct err *e)
{
	const unsigned of_node =
	    1U << OF_TYPE | 1U << OF_NAME | 1U << OF_ID | 1U << OF_SIZE | 1U << OF_EDGES;
	const unsigned of_edge = (1U << EDGE_FIELDS_KNOWN) - 1;

	if ((s->node.known & of_node) == of_node && s->edge.known == of_edge)
		return ST_OK;
	return err_set(
	    e, ST_UNSUPPORTED,
	    "a heap snapshot without the fields that V8 writes since 2012 before its nodes");
}

/* --- objects --- */

/* Of an id of the file's texts, which may be that of no text. */
static uint32_t text_of(struct snapshot *s, uint64_t id)
{
	if (id < s->n_texts)
		return s->texts[id];
	s->bad++;
	return 0;
}

static uint32_t type_named(struct snapshot *s, uint32_t name, bool detached)
{
	size_t n;
	const char *text = intern_text(&s->im->t->strings, name, &n);

	s->text.len = 0;
	if (detached && (n < 9 || memcmp(text, "Detached ", 9) != 0))
		buf_adds(&s->text, "Detached ");
	buf_add(&s->text, text, n);
	return trace_type(s->im->t, buf_str(&s->text), s->text.len);
}

/* "(Stack roots)" is no object: what it refers to has the root "[Stack roots]". */
static bool note_root(struct snapshot *s, uint32_t name)
{
	size_t n;
	const char *text = intern_text(&s->im->t->strings, name, &n);

	if (n < 3 || text[0] != '(' || text[n - 1] != ')')
		return false;
	s->text.len = 0;
	buf_addf(&s->text, "[%.*s]", (int)n - 2, text + 1);
	*map64_put(&s->roots, s->ordinal) = trace_string(s->im->t, buf_str(&s->text), s->text.len);
	return true;
}

static enum status push_node(struct snapshot *s, struct err *e)
{
	const uint64_t *v = s->node.v;
	uint32_t name = text_of(s, v[OF_NAME]);
	struct emit_object o = {.id = v[OF_ID], .size = KNOWN(v[OF_SIZE])};
	enum node_class class = CLASS_OTHER;
	enum status st;

	if (!s->ordinal++ || !v[OF_ID]) /* the root */
		return ST_OK;
	if (v[OF_TYPE] < s->n_node_types) {
		class = s->node_types[v[OF_TYPE]].class;
		o.type = s->node_types[v[OF_TYPE]].type;
	} else {
		s->no_type++;
	}
	if (name && !*intern_text(&s->im->t->strings, name, NULL))
		name = 0;
	if (class == CLASS_SYNTHETIC && note_root(s, name))
		return ST_OK;
	if (class != CLASS_OTHER)
		o.type = name ? type_named(s, name, v[OF_DETACHED] == 2) : o.type;
	else
		o.name = name;
	if (s->node.known & 1U << OF_TRACE && v[OF_TRACE])
		o.stack = map64_get(&s->stacks, v[OF_TRACE]);
	st = emit_object(s->im, &o, e);
	s->output_failed |= st != ST_OK;
	return st;
}

static enum status end_node(struct snapshot *s, struct err *e)
{
	const uint64_t *v = s->node.v;

	if (s->second)
		return push_node(s, e);
	if (s->n == UINT32_MAX - 1)
		return err_set(e, ST_LIMIT, "more than 2^32 objects");
	s->wide += v[OF_ID] > UINT32_MAX;
	VEC_PUSH(s->nodes, s->n, s->cap) = (struct snapshot_node){
	    (uint32_t)v[OF_ID], v[OF_EDGES] > UINT32_MAX ? UINT32_MAX : (uint32_t)v[OF_EDGES]};
	return ST_OK;
}

/* --- edges --- */

/* What a map without strong keys has is held by table and key together, and V8 names the edges of both alike:
 * "7 / part of key (Object @3) -> value (Object @5) pair in WeakMap (table @9)". */
static bool of_table(const struct snapshot *s, uint32_t name, uint32_t id)
{
	static const char mark[] = " pair in WeakMap (table @";
	size_t n;
	const char *text = intern_text(&s->im->t->strings, name, &n), *p;
	uint64_t table;

	if (n < sizeof mark || text[n - 1] != ')' || !memmem(text, n, " / part of key (", 16))
		return false;
	p = memrchr(text, '@', n);
	if (!p || p - text < (ptrdiff_t)sizeof mark - 2 ||
	    memcmp(p - (sizeof mark - 2), mark, sizeof mark - 1) != 0)
		return false;
	return num_dec(p + 1, (size_t)(text + n - 1 - (p + 1)), &table) && table == id;
}

/* The node that has the next edge. */
static bool next_source(struct snapshot *s)
{
	while (!s->edges_left && s->from < s->n) {
		s->edges_left = s->nodes[s->from].edges;
		s->from++;
	}
	if (!s->edges_left)
		return false;
	s->edges_left--;
	return true;
}

static uint32_t edge_name(struct snapshot *s, enum edge_class class)
{
	const char *text;
	uint32_t name;
	size_t n;

	/* The root's elements have no name. */
	if (class == EDGE_INDEXED)
		return s->from == 1 ? 0 : s->elements;
	if (class == EDGE_HIDDEN)
		return s->hidden;
	name = text_of(s, s->edge.v[OF_LABEL]);
	text = intern_text(&s->im->t->strings, name, &n);
	if (!n || strspn(text, "0123456789") != n)
		return name;
	/* The root's shortcuts lead to global objects, and V8 counts them where they have no name; the elements of its
	 * own arrays are internal and counted, too. */
	return s->from == 1 && class == EDGE_SHORTCUT ? s->global
	       : class == EDGE_INTERNAL               ? s->elements
						      : name;
}

static enum status end_edge(struct snapshot *s, struct err *e)
{
	const uint64_t *v = s->edge.v;
	uint64_t target = v[OF_TARGET] / s->node.n;
	enum edge_class class = EDGE_NAMED;
	uint32_t id, name, root;
	size_t from;
	enum status st;

	if (!s->second)
		return ST_OK;
	if (!next_source(s)) {
		s->dangling++;
		return ST_OK;
	}
	from = s->from - 1;
	root = map64_get(&s->roots, from + 1);
	id = from && !root ? s->nodes[from].id : 0;
	if (v[OF_TARGET] % s->node.n || target >= s->n) {
		s->bad++;
		return ST_OK;
	}
	if (v[OF_KIND] < s->n_edge_types)
		class = (enum edge_class)s->edge_types[v[OF_KIND]];
	else
		s->no_type++;
	name = edge_name(s, class);
	s->weak += class == EDGE_WEAK;
	s->shortcuts += class == EDGE_SHORTCUT && from;
	s->own += target == from || !target;
	if (class == EDGE_WEAK || (class == EDGE_SHORTCUT && from) || target == from || !target)
		return ST_OK;
	if (class == EDGE_INTERNAL && of_table(s, name, id)) {
		s->tables++;
		return ST_OK;
	}
	if (map64_get(&s->roots, target + 1))
		return ST_OK;
	st = emit_reference(s->im, id, s->nodes[target].id, root ? root : name, ABSENT, e);
	s->output_failed |= st != ST_OK;
	return st;
}

/* --- stacks --- */

static void end_function(struct snapshot *s)
{
	const uint64_t *v = s->function; /* id, name, script's name, script's id, line, column */

	VEC_PUSH(s->functions, s->n_functions, s->cap_functions) =
	    (struct snapshot_function){v[1], v[2], v[4]};
	s->function_at = 0;
}

/* Numbers of calls: id, function, count, size, and the list of callees. */
static void tree_number(struct snapshot *s, uint64_t v)
{
	unsigned at;

	if (!s->n_open)
		return;
	at = s->open[s->n_open - 1].at++ % (ALLOCATED_FIELDS - 1);
	if (at == 0)
		VEC_PUSH(s->calls, s->n_calls, s->cap_calls) =
		    (struct snapshot_call){.id = v, .caller = s->open[s->n_open - 1].caller};
	else if (at == 1 && s->n_calls)
		s->calls[s->n_calls - 1].function = v;
}

static void build_stacks(struct snapshot *s)
{
	struct trace *t = s->im->t;
	uint32_t *stacks = mem_zarray(s->n_calls + 1, sizeof *stacks);

	for (size_t i = 0; i < s->n_calls; i++) {
		const struct snapshot_call *c = &s->calls[i];
		uint32_t location;

		stacks[i + 1] = stacks[c->caller];
		if (!c->caller) /* of all */
			continue;
		if (c->function < s->n_functions) {
			const struct snapshot_function *f = &s->functions[c->function];
			uint32_t file = f->file ? text_of(s, f->file) : 0;

			location = emit_named(t, text_of(s, f->name), file,
					      f->line < UINT32_MAX ? (uint32_t)f->line : 0);
		} else {
			location = emit_named(t, 0, 0, 0);
			s->bad++;
		}
		stacks[i + 1] = trace_stack(t, stacks[c->caller], location);
		*map64_put(&s->stacks, c->id) = stacks[i + 1];
	}
	free(stacks);
}

/* --- JSON --- */

static enum status next_number(struct snapshot *s, struct record *r, uint64_t v,
			       enum status (*end)(struct snapshot *, struct err *), struct err *e)
{
	unsigned field = r->field[r->at++];

	if (field)
		r->v[field - 1] = v;
	if (r->at < r->n)
		return ST_OK;
	r->at = 0;
	return end(s, e);
}

static enum status snapshot_number(struct snapshot *s, unsigned place, uint64_t v, struct err *e)
{
	switch (place) {
	case NODE_NUMBER: return next_number(s, &s->node, v, end_node, e);
	case EDGE_NUMBER: return next_number(s, &s->edge, v, end_edge, e);
	case NODE_COUNT: s->node_count = KNOWN(v); break;
	case EDGE_COUNT: s->edge_count = KNOWN(v); break;
	case EXTRA: s->extra = KNOWN(v); break;
	case FUNCTION_NUMBER:
		if (!s->second) {
			s->function[s->function_at++] = v;
			if (s->function_at == 6)
				end_function(s);
		}
		break;
	case TREE_NUMBER:
		if (!s->second)
			tree_number(s, v);
		break;
	default: break;
	}
	return ST_OK;
}

static enum status heapsnapshot_value(void *arg, unsigned place, struct json_value v, struct err *e)
{
	struct snapshot *s = arg;
	uint64_t n;

	if (v.kind == JSON_NUMBER) {
		if (!num_dec(v.s, v.n, &n)) {
			n = UINT64_MAX;
			s->bad++;
		}
		return snapshot_number(s, place, n, e);
	}
	if (place == TEXT && !s->second)
		VEC_PUSH(s->texts, s->n_texts, s->cap_texts) =
		    v.kind == JSON_STRING ? trace_string(s->im->t, v.s, v.n) : 0;
	if (v.kind != JSON_STRING || s->second)
		return ST_OK;
	switch (place) {
	case NODE_FIELD: add_field(&s->node, node_words, NODE_FIELDS_KNOWN, v); break;
	case EDGE_FIELD: add_field(&s->edge, edge_words, EDGE_FIELDS_KNOWN, v); break;
	case NODE_TYPE: add_node_type(s, v); break;
	case EDGE_TYPE: add_edge_type(s, v); break;
	default: break;
	}
	return ST_OK;
}

static enum status heapsnapshot_begin(void *arg, unsigned place, struct err *e)
{
	struct snapshot *s = arg;

	if (place == NODES || place == EDGES)
		return check_meta(s, e);
	if (place == TREE && !s->second) {
		uint32_t caller = (uint32_t)s->n_calls;

		VEC_PUSH(s->open, s->n_open, s->cap_open).caller = caller;
		s->open[s->n_open - 1].at = 0;
	}
	return ST_OK;
}

static enum status heapsnapshot_end(void *arg, unsigned place, struct err *e)
{
	struct snapshot *s = arg;

	(void)e;
	if (place == TREE && !s->second && s->n_open)
		s->n_open--;
	return ST_OK;
}

static enum status heapsnapshot_parse(struct snapshot *s, struct err *e)
{
	static const struct json_walker walker = {.rows = snapshot_rows,
						  .begin = heapsnapshot_begin,
						  .end = heapsnapshot_end,
						  .value = heapsnapshot_value};
	static const struct json_options options = {.repair_utf8 = true, .max_depth = DEPTH_MOST};

	s->node.at = s->edge.at = 0;
	return json_walk(&s->im->in->cur, &walker, s, &options, &s->at, NULL, e);
}

static enum status heapsnapshot_push(struct snapshot *s, struct err *e)
{
	struct trace *t = s->im->t;
	enum status st = input_rewind(s->im->in);

	trace_set(t, TRACE_OBJECT_IDS, TRACE_OBJECT_KEPT);
	s->elements = trace_strz(t, "[]");
	s->hidden = trace_strz(t, "(hidden)");
	s->global = trace_strz(t, "[global object]");
	build_stacks(s);
	s->bad = 0;
	s->second = true;
	if (!st)
		st = import_begin(s->im, e);
	if (!st && s->extra.is) {
		uint32_t counter = emit_counter_id(s->im, "v8.native.extra", "B");

		st = emit_counter(s->im, counter, ABSENT, (int64_t)s->extra.v, e);
	}
	if (!st)
		st = heapsnapshot_parse(s, e);
	return st;
}

static void heapsnapshot_losses(const struct snapshot *s)
{
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, s->bad, "numbers of nodes and edges are impossible"),
	    LOSS(NOTE_LOSS, s->wide,
		 "nodes have an id above 2^32: what refers to them is not known"),
	    LOSS(NOTE_LOSS, s->dangling, "edges are of no node: left out"),
	    LOSS(NOTE_LOSS, s->no_type, "nodes and edges have a type that the file does not name"),
	    LOSS_IF(NOTE_LOSS, s->node_count.is && s->node_count.v != s->n,
		    "the file states another number of nodes than it has"),
	    LOSS(NOTE_INFO, s->weak, "weak references hold nothing: left out"),
	    LOSS(NOTE_INFO, s->tables,
		 "references of WeakMaps to values were left out: those of their keys count"),
	    LOSS(NOTE_INFO, s->shortcuts, "shortcuts stand for other references: left out"),
	    LOSS(NOTE_INFO, s->own, "objects refer to themselves or to the root"),
	    LOSS(NOTE_INFO, s->at.repaired, "bytes of invalid UTF-8 became U+FFFD"),
	};

	TRACE_LOSSES(s->im->t, losses);
}

static void heapsnapshot_release(struct snapshot *s)
{
	free(s->nodes);
	free(s->texts);
	free(s->functions);
	free(s->calls);
	free(s->open);
	map64_release(&s->stacks);
	map64_release(&s->roots);
	buf_release(&s->text);
}

static enum status heapsnapshot_read(struct import *im, struct err *e)
{
	struct snapshot s = {.im = im};
	struct err first = ERR_INIT;
	enum status st = heapsnapshot_parse(&s, &first);

	if ((st && st != ST_BAD && st != ST_LIMIT) || (st && !s.n)) {
		*e = first;
	} else if (!s.n) {
		st = err_at(e, ST_BAD, 0, "the file has no nodes");
	} else {
		st = heapsnapshot_push(&s, e);
		heapsnapshot_losses(&s);
	}
	heapsnapshot_release(&s);
	return st;
}

/* {"snapshot":{ and, behind it, "meta" and "node_fields". */
static int heapsnapshot_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const words[] = {"{", "\"snapshot\"", ":", "{"};
	size_t i = 0;

	(void)whole;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		size_t len = strlen(words[k]);

		while (i < n &&
		       (head[i] == ' ' || head[i] == '\n' || head[i] == '\r' || head[i] == '\t'))
			i++;
		if (n - i < len || memcmp(head + i, words[k], len) != 0)
			return 0;
		i += len;
	}
	return memmem(head, n, "\"node_fields\"", 13) ? 200 : 0;
}

const struct reader reader_heapsnapshot = {
    .name = "heapsnapshot",
    .family = "Chrome, node and speedscope",
    .page = "chrome",
    .capabilities =
	CAPABILITY_TYPES | CAPABILITY_STACKS | CAPABILITY_OBJECTS | CAPABILITY_REFERENCES,
    .what = "heap snapshots of V8 (.heapsnapshot, .heaptimeline): objects, sizes and references",
    .suffixes = "heapsnapshot,heaptimeline",
    .rewinds = true,
    .bid = heapsnapshot_bid,
    .read = heapsnapshot_read,
};
