/* SPDX-License-Identifier: MIT
 *
 * The modules of captures as text of /proc/PID/maps (proc(5)), for formats that have addresses and
 * no modules of their own: LoliProfiler's stream, MemTracer. The text knows no time: where two
 * modules were at one place, one after the other, the later one is written.
 */
#include "lib/export/export.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/sort.h"

#include <inttypes.h>
#include <stdlib.h>

struct line {
	struct map_range range;
	uint32_t path; /* of paths */
};

struct maps {
	struct export export; /* first */
	struct sink sink;
	FILE *out;
	struct intern paths;
	struct line *lines; /* ascending */
	size_t n, cap;
	uint64_t replaced;
};

/* The first line that ends behind the address. */
static size_t place(const struct maps *m, uint64_t lo)
{
	return BISECT(i, 0, m->n, m->lines[i].range.hi <= lo);
}

/* Before what is there: from the newest capture's newest module to the oldest. */
static void add(struct maps *m, const struct map_range *r, uint32_t path)
{
	size_t at = place(m, r->lo);

	if (r->lo >= r->hi)
		return;
	if (at < m->n && m->lines[at].range.lo < r->hi) {
		const struct line *old = &m->lines[at];

		m->replaced += old->path != path || old->range.lo != r->lo ||
			       old->range.hi != r->hi || old->range.offset != r->offset;
		return;
	}
	VEC_PUSH(m->lines, m->n, m->cap) = (struct line){0};
	memmove(m->lines + at + 1, m->lines + at, (m->n - 1 - at) * sizeof *m->lines);
	m->lines[at] = (struct line){*r, path};
}

static enum status export_maps_begin(struct sink *s, struct trace *t, struct err *e)
{
	(void)s, (void)t, (void)e;
	return ST_OK;
}

static enum status export_maps_batch(struct sink *s, struct trace *t, const struct sink_batch *b,
				     struct err *e)
{
	(void)s, (void)t, (void)b, (void)e;
	return ST_OK;
}

static enum status export_maps_end(struct sink *s, struct trace *t, struct err *e)
{
	struct maps *m = (struct maps *)((char *)s - offsetof(struct maps, sink));

	(void)e;
	for (size_t i = t->n_modules; i-- > 1;) {
		const struct module *module = &t->modules[i];
		size_t n;
		const char *name = intern_text(&t->strings, module->name, &n);
		uint32_t path = intern_add(&m->paths, name, n);

		for (uint32_t k = 0; n && k < module->n_ranges; k++)
			add(m, &module->ranges[k], path);
	}
	return ST_OK;
}

static enum status export_maps_finish(struct export *x, struct err *e)
{
	struct maps *m = (struct maps *)x;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < m->n; i++) {
		const struct line *l = &m->lines[i];
		size_t n;
		const char *path = intern_text(&m->paths, l->path, &n);

		b.len = 0;
		buf_addf(
		    &b, "%" PRIx64 "-%" PRIx64 " r-%cp %08" PRIx64 " 00:00 0                  ",
		    l->range.lo, l->range.hi, l->range.executable ? 'x' : '-', l->range.offset);
		for (size_t k = 0; k < n; k++) /* as the kernel does */
			if (path[k] == '\n')
				buf_adds(&b, "\\012");
			else
				buf_addc(&b, path[k]);
		buf_addc(&b, '\n');
		fwrite(b.data, 1, b.len, m->out);
	}
	buf_release(&b);
	x->lacks = m->n ? NULL : "is a module with its addresses";
	snprintf(x->summary, sizeof x->summary,
		 "%zu mappings; %" PRIu64 " are not in it: another was there later", m->n,
		 m->replaced);
	return export_written(m->out, e);
}

static void export_maps_release(struct export *x)
{
	struct maps *m = (struct maps *)x;

	intern_release(&m->paths);
	free(m->lines);
	free(m);
}

static struct export *export_maps_open(const struct export_options *o, FILE *out, struct err *e)
{
	struct maps *m = mem_zalloc(sizeof *m);

	(void)o, (void)e;
	m->sink = (struct sink){
	    .begin = export_maps_begin, .batch = export_maps_batch, .end = export_maps_end};
	m->export = (struct export){
	    .sink = &m->sink, .finish = export_maps_finish, .free = export_maps_release};
	m->out = out;
	return &m->export;
}

const struct exporter exporter_maps = {
    .name = "maps",
    .what = "the modules as text of /proc/PID/maps, for --maps",
    .endings = {".maps"},
    .open = export_maps_open,
};
