/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/found_slides.h"

#include "lib/base/mem.h"
#include "lib/symbolize/slide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void tell(struct trace *t, const char *path, const struct slide_guess *g)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (g->sure)
		trace_note(t, NOTE_GUESS, 0,
			   "%s: slide 0x%" PRIx64 " found: %" PRIu64 " of the %" PRIu64
			   " addresses in its code follow a call, of the next best 0x%" PRIx64
			   " %" PRIu64 " of %" PRIu64,
			   name, g->best.slide, g->best.pass, g->best.inside, g->next.slide,
			   g->next.pass, g->next.inside);
	else if (!g->tried)
		trace_note(t, NOTE_LOSS, 0, "%s: no slide puts an address behind one of its calls",
			   name);
	else
		trace_note(t, NOTE_LOSS, 0,
			   "%s: its slide was not found: the best, 0x%" PRIx64 ", puts %" PRIu64
			   " of %" PRIu64
			   " addresses in its code behind calls, the next, 0x%" PRIx64 ", %" PRIu64
			   " of %" PRIu64 ", which is too close to chance; --slide ADDR",
			   name, g->best.slide, g->best.pass, g->best.inside, g->next.slide,
			   g->next.pass, g->next.inside);
}

void found_slides_find(struct found_slides *s, struct trace *t, const struct files *files,
		       uint64_t *addrs, size_t n)
{
	size_t unique = 0;

	if (!n)
		return;
	qsort(addrs, n, sizeof *addrs, by_value);
	for (size_t i = 0; i < n; i++)
		if (!unique || addrs[unique - 1] != addrs[i])
			addrs[unique++] = addrs[i];
	for (size_t i = 0; i < files->n; i++) {
		struct file *f = files->items[i];
		struct slide_guess g;

		if (!f->given || f->broken || !f->object || !file_code(f)->arch)
			continue;
		f->wanted = true;
		slide_find(file_code(f), addrs, unique, &g);
		tell(t, f->path, &g);
		if (g.sure)
			VEC_PUSH(s->items, s->n, s->cap) =
			    (struct found_slide){.file = f, .slide = g.best.slide};
	}
}

void found_slides_release(struct found_slides *s)
{
	free(s->items);
	*s = (struct found_slides){.n = 0};
}

struct file *found_slides_at(const struct found_slides *s, uint64_t addr, uint64_t *vaddr)
{
	for (size_t i = 0; i < s->n; i++) {
		uint64_t at = addr - s->items[i].slide;

		if (!code_part_at(file_code(s->items[i].file), at & ~UINT64_C(1)))
			continue;
		*vaddr = at;
		return s->items[i].file;
	}
	return NULL;
}
