/* SPDX-License-Identifier: MIT
 *
 * The front end for lines of JSON: a question or a request in each.
 */
#include "lib/render/json.h"
#include "lib/view/view.h"

#include <string.h>

/* Between two values of JSON a line end means nothing; strings have no line ends. */
static void add_flat(struct buf *to, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != '\n' && s[i] != '\r')
			buf_addc(to, s[i]);
}

static bool is_json(const struct buf *b)
{
	static const char begin[] = "{\"schema\":\"tracemill-report\"";

	return b->len >= sizeof begin - 1 && !memcmp(b->data, begin, sizeof begin - 1);
}

/* A question with its answer as one line of JSON:
 *	{"id":..,"query":"top","exit":0,"messages":"..","answer":{..}}
 * id is copied from the request, where it has one; answer is an object where the program printed
 * JSON, else a string. */
static void view_answer_line(const struct view_value *id, const char *query,
			     const struct query_result *a, struct buf *to)
{
	buf_addc(to, '{');
	if (id) {
		json_key(to, "id");
		value_write(to, id);
	}
	json_key(to, "query");
	json_string(to, query);
	json_key(to, "exit");
	buf_addf(to, "%d", a->status);
	if (a->ended) {
		json_key(to, "ended");
		json_string(to, a->ended);
	}
	json_key(to, "messages");
	json_text(to, buf_at(&a->messages, 0), a->messages.len);
	json_key(to, "answer");
	if (!a->ended && is_json(&a->text))
		add_flat(to, a->text.data, a->text.len);
	else
		json_text(to, buf_at(&a->text, 0), a->ended ? 0 : a->text.len);
	buf_addc(to, '}');
}

static void refuse(const struct view_value *id, const char *query, const struct err *e,
		   struct buf *to)
{
	struct query_result a = {.status = 2};

	buf_addf(&a.messages, "tm-view: %s\n", e->msg);
	view_answer_line(id, query, &a, to);
	buf_release(&a.messages);
}

void view_line(const struct view *v, const char *line, size_t n, struct buf *to)
{
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	const struct view_value *request = NULL, *id = NULL;
	const char *query = line;
	struct query_args q;
	struct query_result a;

	if (n && *line == '{') {
		request = value_parse(&arena, line, n, &e);
		id = value_get(request, "id");
		query = value_string(request, "query");
		if (request && !query)
			err_set(&e, ST_BAD, "no \"query\" in it");
	}
	if (e.code || !query ||
	    query_args_make(&q, &v->runner, query, request ? strlen(query) : n, &e)) {
		refuse(id, query, &e, to);
	} else {
		if (query_result_start(&a, &v->runner, &q, &e)) {
			query_result_wait(&a);
			view_answer_line(id, query, &a, to);
			query_result_release(&a);
		} else {
			refuse(id, query, &e, to);
		}
		query_args_release(&q);
	}
	buf_addc(to, '\n');
	arena_release(&arena);
}
