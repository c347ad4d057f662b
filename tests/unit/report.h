/* SPDX-License-Identifier: MIT
 *
 * Helpers of the tests of lib/report: small captures pushed by hand, and tables as CSV.
 */
#ifndef TM_TESTS_UNIT_REPORT_H
#define TM_TESTS_UNIT_REPORT_H

#include "lib/base/mem.h"
#include "lib/render/render.h"
#include "lib/report/top/top.h"
#include "tests/unit/test.h"

#include <stdlib.h>

static inline void nothing(void *arg, struct trace *t)
{
	(void)arg;
	(void)t;
}

static inline uint32_t named(struct trace *t, const char *name, uint32_t line)
{
	struct location l = {.space = SPACE_NAME, .name = trace_strz(t, name), .line = line};

	if (line)
		l.file = trace_strz(t, "game.cpp");
	return trace_location(t, &l);
}

static inline void push(struct grouped_profile *p, struct trace *t, const struct event *ev)
{
	struct err e = ERR_INIT;

	CHECK_EQ(sink_event(grouped_profile_sink(p), t, ev, &e), ST_OK);
}

static inline void alloc(struct grouped_profile *p, struct trace *t, const char *type,
			 uint32_t stack, uint64_t count, uint64_t requested)
{
	struct event ev = {.kind = EV_ALLOC,
			   .has = EV_HAS_TYPE | EV_HAS_STACK | EV_HAS_COUNT | EV_HAS_REQUESTED,
			   .type = trace_type(t, type, strlen(type)),
			   .stack = stack,
			   .count = count,
			   .requested = requested};

	push(p, t, &ev);
}

static inline void begin(struct grouped_profile *p, struct trace *t)
{
	struct err e = ERR_INIT;

	CHECK_EQ(grouped_profile_sink(p)->begin(grouped_profile_sink(p), t, &e), ST_OK);
}

static inline void end(struct grouped_profile *p, struct trace *t)
{
	struct err e = ERR_INIT;

	CHECK_EQ(grouped_profile_sink(p)->end(grouped_profile_sink(p), t, &e), ST_OK);
}

static inline char *csv_of(const struct grouped_profile *p, const struct top_options *o)
{
	struct render_options plain = {.raw_csv = true};
	struct table_document d = {.program = "tm-test"};
	struct err e = ERR_INIT;
	struct top *top = top_new(p, o, &e);
	char *text = NULL;
	size_t len = 0;
	FILE *f;

	if (!CHECK(top != NULL))
		return mem_strdup(e.msg);
	f = open_memstream(&text, &len);
	document_table(&d, top_table(top));
	CHECK_EQ(render(&d, RENDER_CSV, &plain, f, &e), ST_OK);
	fclose(f);
	document_release(&d);
	top_free(top);
	return text;
}

/* Only some columns (counted from 0), '|' between rows: what a test is about and no more. */
static inline void expect(const struct grouped_profile *p, const struct top_options *o,
			  const char *columns, const char *want)
{
	char *csv = csv_of(p, o), *rest = NULL;
	struct buf got = BUF_INIT;
	bool first = true;

	for (char *line = strtok_r(csv, "\r\n", &rest); line;
	     line = strtok_r(NULL, "\r\n", &rest)) {
		const char *fields[32] = {line};
		size_t n = 1;

		for (char *c = line; *c; c++)
			if (*c == ',') {
				*c = '\0';
				fields[n++] = c + 1;
			}
		if (first) {
			first = false;
			continue;
		}
		if (got.len)
			buf_addc(&got, '|');
		for (const char *c = columns; *c; c++)
			buf_addf(&got, "%s%s", c == columns ? "" : ",",
				 fields[*c <= '9' ? *c - '0' : *c - 'a' + 10]);
	}
	CHECK_STR(buf_str(&got), want);
	buf_release(&got);
	free(csv);
}

static const struct top_options by_requested = {.sort = SUM_REQUESTED};

#endif
