/* SPDX-License-Identifier: MIT */
#include "lib/render/html_flame.h"

#include "lib/base/intern.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/render/html_data.h"
#include "lib/render/json.h"
#include "lib/render/xml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Nodes in pre-order. */
struct walk {
	uint32_t *order; /* of f's nodes */
	uint32_t *up;    /* see html_flame.h */
};

static void html_flame_walk(const struct flame *f, struct walk *w)
{
	size_t n = f->n_nodes;
	uint32_t *first = mem_zarray(n, sizeof *first), *next = mem_zarray(n, sizeof *next);
	uint32_t at = FLAME_ROOT;

	w->order = mem_zarray(n, sizeof *w->order);
	w->up = mem_zarray(n, sizeof *w->up);
	for (size_t i = n; i-- > 1;) {
		next[i] = first[f->nodes[i].parent];
		first[f->nodes[i].parent] = (uint32_t)i;
	}
	for (size_t k = 1; k < n; k++) {
		if (first[at]) {
			at = first[at];
		} else {
			for (w->up[k] = 1; !next[at]; w->up[k]++)
				at = f->nodes[at].parent;
			at = next[at];
		}
		w->order[k] = at;
	}
	free(first);
	free(next);
}

/* Not the first member: what is before it may be written out already. */
static void array(struct buf *b, const char *key)
{
	buf_addf(b, ",\"%s\":[", key);
}

static void html_flame_number(struct buf *b, uint64_t v)
{
	if (b->data[b->len - 1] != '[')
		buf_addc(b, ',');
	buf_add_u64(b, v);
}

/* A name in a module. Ids by use: those of the many nodes are short. */
struct html_function {
	uint32_t name, at; /* strings; at may be 0 */
	uint32_t id, uses;
};

static int html_function_most_used_first(const void *a, const void *b)
{
	const struct html_function *x = a, *y = b;

	if (x->uses != y->uses)
		return x->uses > y->uses ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

static void html_flame_functions(const struct flame *f, const struct walk *w,
				 struct render_out *out)
{
	struct intern strings = INTERN_INIT;
	struct map64 ids = MAP64_INIT;
	struct html_function *functions = mem_zarray(f->n_nodes, sizeof *functions);
	uint32_t *of = mem_array(f->n_nodes, sizeof *of), *rank, n = 0;
	struct buf *b = &out->text;

	for (size_t k = 0; k < f->n_nodes; k++) {
		const struct flame_node *node = &f->nodes[w->order[k]];
		uint32_t name = intern_add(&strings, node->name, html_cut(node->name, node->len));
		uint32_t at =
		    node->at ? intern_add(&strings, node->at, html_cut(node->at, node->at_len)) : 0;
		uint32_t *id = map64_put(&ids, (uint64_t)name << 32 | at);

		if (!*id) {
			functions[n] = (struct html_function){.name = name, .at = at, .id = n};
			*id = ++n;
		}
		of[k] = *id - 1;
		functions[of[k]].uses++;
	}
	sort_array(functions, n, sizeof *functions, html_function_most_used_first);
	rank = mem_zarray(n, sizeof *rank);
	for (uint32_t i = 0; i < n; i++)
		rank[functions[i].id] = i;
	array(b, "function");
	for (size_t k = 0; k < f->n_nodes; k++)
		html_flame_number(b, rank[of[k]]);
	buf_addc(b, ']');
	array(b, "name");
	for (uint32_t i = 0; i < n; i++)
		html_flame_number(b, functions[i].name - 1);
	buf_addc(b, ']');
	array(b, "at");
	for (uint32_t i = 0; i < n; i++)
		buf_addf(b, "%s%" PRId64, i ? "," : "", (int64_t)functions[i].at - 1);
	buf_addc(b, ']');
	out_flush(out, false);
	array(b, "strings");
	for (uint32_t id = 1; id <= intern_count(&strings); id++) {
		size_t len;
		const char *s = intern_text(&strings, id, &len);

		buf_adds(b, id > 1 ? ",\n" : "\n");
		html_shown(b, s, len);
	}
	buf_addc(b, ']');
	free(rank);
	free(of);
	free(functions);
	map64_release(&ids);
	intern_release(&strings);
}

static uint64_t html_flame_of(const struct flame *f, size_t k, uint32_t node)
{
	return node < f->more[k].n ? f->more[k].self[node] : 0;
}

static bool has_own(const struct flame *f, uint32_t node)
{
	bool any = f->nodes[node].self || (f->differential && f->nodes[node].base);

	for (size_t k = 0; !any && k < f->n_more; k++)
		any = html_flame_of(f, k, node) != 0;
	return any;
}

static void html_flame_titles(const struct flame *f, struct buf *b)
{
	json_key(b, "measure");
	json_string(b, f->measure);
	array(b, "more");
	for (size_t k = 0; k < f->n_more; k++) {
		buf_adds(b, k ? ",{" : "{");
		json_key(b, "title");
		json_string(b, f->more[k].title);
		json_key(b, "type");
		json_string(b, json_types[f->more[k].type]);
		buf_addc(b, '}');
	}
	buf_addc(b, ']');
}

/* own: its nodes, in pre-order. */
static void html_flame_sums(const struct flame *f, const uint32_t *own, size_t n,
			    struct render_out *out)
{
	struct buf *b = &out->text;

	array(b, "self");
	for (size_t i = 0; i < n; i++)
		html_flame_number(b, f->nodes[own[i]].self);
	buf_addc(b, ']');
	if (f->differential) {
		array(b, "base");
		for (size_t i = 0; i < n; i++)
			html_flame_number(b, f->nodes[own[i]].base);
		buf_addc(b, ']');
	}
	if (f->n_more)
		html_flame_titles(f, b);
	buf_adds(b, "}</script>\n");
	for (size_t k = 0; k < f->n_more; k++) {
		buf_adds(b, "<script type=\"application/json\">[");
		for (size_t i = 0; i < n; i++)
			html_flame_number(b, html_flame_of(f, k, own[i]));
		buf_adds(b, "]</script>\n");
		out_flush(out, false);
	}
}

void html_flame_data(const struct flame *f, struct render_out *out)
{
	struct buf *b = &out->text;
	struct walk w;
	uint32_t *own = mem_array(f->n_nodes + 1, sizeof *own);
	size_t n = 0, before = 0;

	html_flame_walk(f, &w);
	buf_adds(b, "<script type=\"application/json\">{");
	json_key(b, "type");
	json_string(b, json_types[f->type]);
	html_flame_functions(f, &w, out);
	out_flush(out, false);
	array(b, "up");
	for (size_t k = 0; k < f->n_nodes; k++)
		html_flame_number(b, w.up[k]);
	buf_addc(b, ']');
	array(b, "own");
	for (size_t k = 0; k < f->n_nodes; k++)
		if (has_own(f, w.order[k])) {
			html_flame_number(b, k - before);
			before = k;
			own[n++] = w.order[k];
		}
	buf_addc(b, ']');
	out_flush(out, false);
	html_flame_sums(f, own, n, out);
	free(own);
	free(w.order);
	free(w.up);
}

static void html_flame_value(const struct flame *f, uint64_t v, uint64_t all, struct buf *b)
{
	struct table_column value = {.type = f->type}, part = {.type = COLUMN_PERCENT};
	struct table_cell cell = cell_number(v), share = cell_share(v, all);

	cell_for_people(b, &value, &cell, false);
	if (share.present) {
		buf_adds(b, ", ");
		cell_for_people(b, &part, &share, false);
	}
}

/* An icicle, each node left of those that came behind it; what is narrower than a pixel is not there. */
static void still(const struct flame *f, size_t n_all, struct buf *b)
{
	enum { ROW = 18, WIDE = 1000 };
	size_t n = f->n_nodes, drawn = 0, deepest = 0;
	uint64_t *total = mem_array(n, sizeof *total), all;
	uint32_t *depth = mem_zarray(n, sizeof *depth);
	double *left = mem_zarray(n, sizeof *left), *used = mem_zarray(n, sizeof *used);

	flame_totals(f, total, NULL);
	all = total[FLAME_ROOT];
	for (size_t i = 1; i < n; i++) {
		uint32_t parent = f->nodes[i].parent;

		depth[i] = depth[parent] + 1;
		left[i] = left[parent] + used[parent];
		used[parent] += all ? (double)total[i] * WIDE / (double)all : 0;
		if (total[i] && total[i] >= all / WIDE && depth[i] > deepest)
			deepest = depth[i];
	}
	buf_addf(b, "<div class=\"graph\"><div class=\"rows\" style=\"height:%zupx\">\n",
		 (deepest + 1) * ROW);
	for (size_t i = 0; i < n; i++) {
		const struct flame_node *node = &f->nodes[i];

		if (!total[i] || total[i] < all / WIDE)
			continue;
		drawn++;
		buf_addf(b,
			 "<div class=\"node still\" style=\"left:%.2f%%;width:%.2f%%;top:%" PRIu32
			 "px\" title=\"",
			 left[i] * 100 / WIDE, (double)total[i] * 100 / (double)all,
			 depth[i] * ROW);
		xml_text(b, node->name, html_cut(node->name, node->len));
		buf_adds(b, ": ");
		html_flame_value(f, total[i], all, b);
		buf_adds(b, "\">");
		xml_text(b, node->name, html_cut(node->name, node->len));
		buf_adds(b, "</div>\n");
	}
	buf_addf(
	    b,
	    "</div></div>\n<p class=\"cut\">Scripts do not run here: of %zu nodes these are the "
	    "%zu heaviest.</p>\n",
	    n_all, drawn);
	free(total);
	free(depth);
	free(left);
	free(used);
}

void html_flame_picture(const struct flame *f, struct buf *b)
{
	struct flame small = FLAME_INIT;
	size_t cut = flame_prune(f, HTML_STILL, &small);

	small.type = f->type;
	buf_adds(b, "<noscript>\n");
	if (f->n_nodes)
		still(cut ? &small : f, f->n_nodes, b);
	buf_adds(b, "</noscript>\n");
	flame_release(&small);
}
