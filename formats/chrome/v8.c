/* SPDX-License-Identifier: MIT */
#include "formats/chrome/v8.h"

#include "formats/emit.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- JSON --- */

const struct json_row v8_rows[] = {
    {V8_DATA, "cpuProfile{", V8_DATA},
    {V8_DATA, "head{", V8_NODE},
    {V8_DATA, "nodes[", V8_NODES},
    {V8_DATA, "samples[", V8_SAMPLES},
    {V8_DATA, "timeDeltas[", V8_DELTAS},
    {V8_DATA, "timestamps[", V8_TIMES},
    {V8_DATA, "startTime", V8_START},
    {V8_DATA, "endTime", V8_END},
    {V8_NODES, "{", V8_NODE},
    {V8_SAMPLES, "", V8_SAMPLE},
    {V8_DELTAS, "", V8_TIME},
    {V8_TIMES, "", V8_TIME},
    {V8_NODE, "callFrame{", V8_CALL_FRAME},
    {V8_NODE, "children[", V8_CHILDREN},
    {V8_CHILDREN, "{", V8_NODE},
    {V8_CHILDREN, "", V8_CHILD},
    {V8_NODE, "id", V8_ID},
    {V8_NODE, "parent", V8_PARENT},
    {V8_NODE, "selfSize", V8_SIZE},
    {V8_NODE, "functionName", V8_NAME},
    {V8_NODE, "url", V8_URL},
    {V8_NODE, "lineNumber", V8_LINE},
    {V8_CALL_FRAME, "functionName", V8_NAME},
    {V8_CALL_FRAME, "url", V8_URL},
    {V8_CALL_FRAME, "lineNumber", V8_LINE},
    {0},
};

enum status v8_begin(void *json, unsigned place, struct err *e)
{
	struct v8_json *j = json;
	struct v8_profile *p = j->to;

	(void)e;
	if (place == V8_TIMES)
		p->absolute = true;
	if (place != V8_NODE)
		return ST_OK;
	VEC_PUSH(p->nodes, p->n_nodes, p->cap_nodes) =
	    (struct v8_node){.parent = j->n_open ? j->open[j->n_open - 1] : 0};
	VEC_PUSH(j->open, j->n_open, j->cap_open) = (uint32_t)p->n_nodes;
	return ST_OK;
}

enum status v8_end(void *json, unsigned place, struct err *e)
{
	struct v8_json *j = json;

	(void)e;
	j->n_open -= place == V8_NODE;
	return ST_OK;
}

static bool whole(const char *s, size_t n, int64_t *v)
{
	double d;

	if (num_i64(s, n, v))
		return true;
	if (!num_double(s, n, &d) || fabs(d) > 9e18)
		return false;
	*v = (int64_t)d;
	return true;
}

static void set_node(struct v8_json *j, unsigned place, int64_t v)
{
	struct v8_node *node = &j->to->nodes[j->open[j->n_open - 1] - 1];

	if (place == V8_ID)
		node->id = (uint64_t)v;
	else if (place == V8_PARENT)
		node->parent_id = (uint64_t)v;
	else if (place == V8_LINE && v >= 0 && v < UINT32_MAX)
		node->line = (uint32_t)v + 1;
	else if (place == V8_SIZE && v >= 0) {
		node->size = v;
		j->to->sized = true;
	}
}

static void set_text(struct v8_json *j, unsigned place, struct json_value v)
{
	if (place == V8_NAME)
		j->to->nodes[j->open[j->n_open - 1] - 1].name = trace_string(j->im->t, v.s, v.n);
	else if (place == V8_URL)
		j->to->nodes[j->open[j->n_open - 1] - 1].file = trace_string(j->im->t, v.s, v.n);
}

enum status v8_value(void *json, unsigned place, struct json_value value, struct err *e)
{
	struct v8_json *j = json;
	struct v8_profile *p = j->to;
	int64_t v;

	(void)e;
	if (value.kind != JSON_NUMBER) {
		if (value.kind == JSON_STRING)
			set_text(j, place, value);
		return ST_OK;
	}
	if (!whole(value.s, value.n, &v)) {
		p->odd++;
		v = 0;
	}
	switch (place) {
	case V8_SAMPLE: VEC_PUSH(p->samples, p->n_samples, p->cap_samples) = (uint64_t)v; break;
	case V8_TIME: VEC_PUSH(p->times, p->n_times, p->cap_times) = v; break;
	case V8_START: p->start = v; break;
	case V8_END: p->end = v; break;
	case V8_CHILD:
		VEC_PUSH(p->children, p->n_children, p->cap_children) =
		    (struct v8_child){(uint64_t)v, j->open[j->n_open - 1] - 1};
		break;
	default: set_node(j, place, v);
	}
	return ST_OK;
}

/* --- putting together --- */

void v8_append(struct v8_profile *p, struct v8_profile *from)
{
	uint32_t before = (uint32_t)p->n_nodes;

	for (size_t i = 0; i < from->n_nodes; i++) {
		struct v8_node node = from->nodes[i];

		node.parent += node.parent ? before : 0;
		VEC_PUSH(p->nodes, p->n_nodes, p->cap_nodes) = node;
	}
	for (size_t i = 0; i < from->n_children; i++)
		VEC_PUSH(p->children, p->n_children, p->cap_children) =
		    (struct v8_child){from->children[i].id, from->children[i].parent + before};
	for (size_t i = 0; i < from->n_samples; i++)
		VEC_PUSH(p->samples, p->n_samples, p->cap_samples) = from->samples[i];
	for (size_t i = 0; i < from->n_times; i++)
		VEC_PUSH(p->times, p->n_times, p->cap_times) = from->times[i];
	p->absolute |= from->absolute;
	p->sized |= from->sized;
	p->start = from->start ? from->start : p->start;
	p->end = from->end ? from->end : p->end;
	p->odd += from->odd;
}

void v8_clear(struct v8_profile *p)
{
	p->n_nodes = p->n_children = p->n_samples = p->n_times = 0;
	p->absolute = p->sized = false;
	p->start = p->end = 0;
	p->odd = 0;
}

static uint32_t node_of(const struct v8_profile *p, uint64_t id)
{
	return map64_get(&p->by_id, id);
}

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? b < 0 ? INT64_MIN / 2 : INT64_MAX / 2 : sum;
}

/* When each sample was taken, us, in place; none goes back. */
static void v8_to_times(struct v8_profile *p)
{
	int64_t at;

	/* In the plain form the start comes first. */
	if (p->absolute && p->n_times == p->n_samples + 1) {
		p->start = p->times[0];
		memmove(p->times, p->times + 1, --p->n_times * sizeof *p->times);
	}
	at = p->start;
	for (size_t i = 0; i < p->n_times; i++) {
		int64_t next = p->absolute ? p->times[i] : plus(at, p->times[i]);

		if (i && next < p->times[i - 1]) {
			p->backwards++;
			p->times[i] = p->times[i - 1];
		} else {
			p->times[i] = next;
		}
		at = next;
	}
}

void v8_join(struct v8_profile *p)
{
	v8_to_times(p);
	for (size_t i = 0; i < p->n_nodes; i++)
		*map64_put(&p->by_id, p->nodes[i].id) = (uint32_t)i + 1;
	for (size_t i = 0; i < p->n_nodes; i++)
		if (p->nodes[i].parent_id)
			p->nodes[i].parent = node_of(p, p->nodes[i].parent_id);
	for (size_t i = 0; i < p->n_children; i++) {
		uint32_t child = node_of(p, p->children[i].id);

		if (child)
			p->nodes[child - 1].parent = p->children[i].parent + 1;
		else
			p->missing++;
	}
}

static bool is_named(const struct trace *t, const struct v8_node *n, const char *name)
{
	return !strcmp(trace_text(t, n->name), name);
}

static uint32_t location_of(struct trace *t, const struct v8_node *n)
{
	bool file = n->file && *trace_text(t, n->file);
	bool named = n->name && *trace_text(t, n->name);

	return emit_named(t, named ? n->name : trace_strz(t, "(anonymous)"), file ? n->file : 0,
			  file ? n->line : 0);
}

/* The root is in no stack but its own. Of nodes that are their own callers what is known. */
static uint32_t v8_stack_of(struct v8_profile *p, struct trace *t, uint32_t index)
{
	uint32_t *path = NULL, stack = 0, at = index + 1;
	size_t n = 0, cap = 0;

	for (; at; at = p->nodes[at - 1].parent) {
		struct v8_node *node = &p->nodes[at - 1];

		if (node->stack) {
			stack = node->stack - 1;
			break;
		}
		if (node->open) {
			p->loops++;
			break;
		}
		node->open = true;
		path = mem_grow(path, &cap, n + 1, sizeof *path);
		path[n++] = at - 1;
	}
	while (n--) {
		struct v8_node *node = &p->nodes[path[n]];

		if (node->parent || !is_named(t, node, "(root)"))
			stack = trace_stack(t, stack, location_of(t, node));
		node->stack = stack + 1;
		node->open = false;
	}
	free(path);
	return stack;
}

/* --- events --- */

/* us -> ns; what is beyond is the end of time. */
static int64_t to_ns(int64_t us)
{
	int64_t ns;

	return __builtin_mul_overflow(us, 1000, &ns) ? us < 0 ? INT64_MIN / 2 : INT64_MAX / 2 : ns;
}

static enum status v8_push_samples(struct v8_profile *p, struct import *im, uint32_t thread,
				   int64_t zero, struct err *e)
{
	static const char collects[] = "(garbage collector)";
	size_t n = p->n_samples < p->n_times ? p->n_samples : p->n_times;
	uint32_t before = 0,
		 collector = intern_find(&im->t->strings, collects, sizeof collects - 1);
	enum status st = ST_OK;

	p->odd += p->n_samples - n + p->n_times - n;
	for (size_t i = 0; i < n && !st; i++) {
		uint32_t node = node_of(p, p->samples[i]);
		int64_t until = i + 1 < n ? p->times[i + 1] : p->end;
		struct emit_sample sample = {.thread = thread, .samples = KNOWN(1)};

		if (!node) {
			p->missing++;
			continue;
		}
		sample.time = KNOWN(to_ns(plus(p->times[i], -zero)));
		sample.self = KNOWN(until > p->times[i] ? to_ns(plus(until, -p->times[i])) : 0);
		/* What the collector interrupted is below it. */
		sample.stack =
		    collector && p->nodes[node - 1].name == collector
			? trace_stack(im->t, before, location_of(im->t, &p->nodes[node - 1]))
			: (before = v8_stack_of(p, im->t, node - 1));
		st = emit_sample(im, &sample, e);
	}
	return st;
}

static enum status v8_push_sizes(struct v8_profile *p, struct import *im, struct err *e)
{
	enum status st = ST_OK;

	for (size_t i = 0; i < p->n_nodes && !st; i++) {
		struct emit_alloc alloc = {.requested = KNOWN(p->nodes[i].size),
					   .domain = KNOWN(DOMAIN_MALLOC)};

		if (!p->nodes[i].size)
			continue;
		alloc.stack = v8_stack_of(p, im->t, (uint32_t)i);
		st = emit_alloc(im, &alloc, e);
	}
	return st;
}

static void add_notes(const struct v8_profile *p, struct trace *t)
{
	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, p->odd, "impossible samples and times of a profile were left out"),
	    LOSS(NOTE_LOSS, p->missing,
		 "samples or children refer to nodes that are not in the file: left out"),
	    LOSS(NOTE_LOSS, p->loops, "nodes of a profile are their own callers"),
	    LOSS(NOTE_GUESS, p->backwards,
		 "samples are earlier than the sample before: the time before is used"),
	};

	TRACE_LOSSES(t, losses);
}

enum status v8_push(struct v8_profile *p, struct import *im, uint32_t thread, int64_t zero,
		    struct err *e)
{
	enum status st =
	    p->sized ? v8_push_sizes(p, im, e) : v8_push_samples(p, im, thread, zero, e);
	add_notes(p, im->t);
	return st;
}

void v8_release(struct v8_profile *p)
{
	free(p->nodes);
	free(p->children);
	free(p->samples);
	free(p->times);
	map64_release(&p->by_id);
}
