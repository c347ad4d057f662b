/* SPDX-License-Identifier: MIT */
#include "lib/find/slide_candidates.h"

#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/base/sort.h"
#include "lib/find/slide.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int slide_candidates_by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void slide_candidates_note(struct trace *t, const char *path, const struct slide_guess *g)
{
	const char *name = path_base(path);

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

/* libX.sym.so and libX.dbg.so of one build fit equally: the one with DWARF takes the other's place.
 * True: there was one. */
static bool slide_candidates_join(struct slide_candidates *s, struct find_file *f, uint64_t slide)
{
	const struct object_build_id *id = object_build_id(f->object);

	for (size_t i = 0; i < s->n; i++) {
		struct slide_candidate *x = &s->items[i];

		if (x->slide != slide || !id->len ||
		    !object_build_id_equal(object_build_id(x->file->object), id))
			continue;
		if (!object_has_dwarf(x->file->object) && object_has_dwarf(f->object)) {
			x->file->wanted = false;
			x->file = f;
			f->wanted = true;
		}
		return true;
	}
	return false;
}

static void try(struct slide_candidates *s, struct trace *t, struct find_file *f,
		const uint64_t *addrs, size_t n)
{
	struct slide_guess g;

	slide_find(file_code(f), addrs, n, &g);
	if (g.sure && slide_candidates_join(s, f, g.best.slide))
		return;
	f->wanted = g.sure || !f->member;
	if (f->wanted)
		slide_candidates_note(t, f->path, &g);
	if (g.sure)
		VEC_PUSH(s->items, s->n, s->cap) =
		    (struct slide_candidate){.file = f, .slide = g.best.slide};
}

static size_t sort_addrs(uint64_t *addrs, size_t n)
{
	size_t unique = 0;

	if (n)
		sort_array(addrs, n, sizeof *addrs, slide_candidates_by_value);
	for (size_t i = 0; i < n; i++)
		if (!unique || addrs[unique - 1] != addrs[i])
			addrs[unique++] = addrs[i];
	return unique;
}

void slide_candidates_check(struct trace *t, struct find_file *f, uint64_t slide, uint64_t *addrs,
			    size_t n)
{
	const struct disasm_code *c = file_code(f);
	const char *slash = strrchr(f->path, '/');
	uint64_t inside = 0, pass = 0;
	struct slide_guess g;

	if (!c->arch || !n)
		return;
	n = sort_addrs(addrs, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = addrs[i] - slide;

		if (c->arch == CODE_ARM)
			at &= ~UINT64_C(1);
		if (!code_part_at(c, at))
			continue;
		inside++;
		pass += code_call_before(c, at);
	}
	if (pass * 10 > inside * 7) /* as of the right file: not worth the search */
		return;
	slide_find(c, addrs, n, &g);
	if (g.sure && g.best.slide != slide && g.best.pass > 2 * pass)
		trace_note(
		    t, NOTE_LOSS, 0,
		    "%s: the slide 0x%" PRIx64 " is wrong, and so are names: it puts %" PRIu64
		    " addresses into the code, and %" PRIu64 " of them follow a call; 0x%" PRIx64
		    " puts %" PRIu64 " there, and %" PRIu64 " of them do: --slide 0x%" PRIx64,
		    slash ? slash + 1 : f->path, slide, inside, pass, g.best.slide, g.best.inside,
		    g.best.pass, g.best.slide);
}

void slide_candidates_find(struct slide_candidates *s, struct trace *t, struct find_files *files,
			   uint64_t *addrs, size_t n)
{
	size_t unique = sort_addrs(addrs, n), members = 0, found = 0;

	if (!n)
		return;
	if (!files_open_members(files, SLIDE_CANDIDATES_MEMBERS))
		trace_note(t, NOTE_LOSS, 0,
			   "only %d libraries of zip files were tried for a slide: name one, as in "
			   "-e FILE/MEMBER",
			   SLIDE_CANDIDATES_MEMBERS);
	for (size_t i = 0; i < files->n; i++) {
		struct find_file *f = files->items[i];

		if (!f->given || f->broken || !f->object || !file_code(f)->arch)
			continue;
		try(s, t, f, addrs, unique);
		members += f->member != NULL;
		found += f->member && f->wanted;
	}
	if (members && !found)
		trace_note(t, NOTE_LOSS, members,
			   "libraries of zip files were tried for a slide, none was found");
}

void slide_candidates_release(struct slide_candidates *s)
{
	free(s->items);
	*s = (struct slide_candidates){.n = 0};
}

struct find_file *slide_candidates_at(const struct slide_candidates *s, uint64_t addr,
				      uint64_t *vaddr)
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
