/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/source.h"

#include "lib/base/buf.h"
#include "lib/dwarf/budget.h"

#include <inttypes.h>
#include <string.h>

enum { CALLS_MAX = 256, SECONDS = 60, CHUNK = 1024 };

static uint32_t add_text(struct dwarf_answers *a, const char *s)
{
	return *s ? intern_add(&a->strings, s, strlen(s)) : 0;
}

static uint32_t add_path(struct dwarf_answers *a, const struct object_call *c, struct buf *path)
{
	if (!*c->folder || *c->file == '/')
		return add_text(a, c->file);
	path->len = 0;
	buf_adds(path, c->folder);
	if (path->data[path->len - 1] != '/')
		buf_addc(path, '/');
	buf_adds(path, c->file);
	return intern_add(&a->strings, path->data, path->len);
}

static struct dwarf_answer dwarf_source_answer(struct dwarf_answers *a, const struct object *o,
					       uint64_t addr, struct buf *path)
{
	struct object_call calls[CALLS_MAX];
	size_t n;
	uint32_t outer = 0;
	enum status st = object_calls_at(o, addr, calls, CALLS_MAX, &n);

	if (st)
		return (struct dwarf_answer){.found =
						 st == ST_BAD ? DWARF_MALFORMED : DWARF_NOT_FOUND};
	while (n--) {
		struct dwarf_call c = {.outer = outer,
				       .function = add_text(a, calls[n].function),
				       .file = add_path(a, &calls[n], path),
				       .line = calls[n].line};

		outer = dwarf_answers_call(a, &c);
	}
	return (struct dwarf_answer){.call = outer, .found = DWARF_FUNCTION};
}

void dwarf_source(struct dwarf_job *job, const struct dwarf_options *options)
{
	const double end = clock_seconds() + (options->seconds ? options->seconds : SECONDS);
	const char *complaint = object_source_complaint(job->object);
	struct buf path = BUF_INIT;
	uint64_t bad = 0;
	bool over = false;

	if (complaint)
		dwarf_answers_complain(job->out, complaint, strlen(complaint));
	for (size_t i = 0; i < job->n; i++) {
		over = over || (i % CHUNK == 0 && clock_seconds() > end);
		if (over)
			job->out->of[i] = (struct dwarf_answer){.found = DWARF_GAVE_UP};
		else
			job->out->of[i] =
			    dwarf_source_answer(job->out, job->object, job->addrs[i], &path);
		bad += job->out->of[i].found == DWARF_MALFORMED;
	}
	path.len = 0;
	if (bad)
		buf_addf(&path, "%" PRIu64 " addresses are in damaged functions", bad);
	if (bad)
		dwarf_answers_complain(job->out, path.data, path.len);
	buf_release(&path);
}
