/* SPDX-License-Identifier: MIT */
#include "lib/find/call_check.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RIGHT  0.7      /* the least share of a right file */
#define DOUBT  6.907755 /* -ln 0.001 */
#define EXCESS 0.25     /* of what is left above chance: less is a collapse */

static enum code_arch arch_of(const struct object *o)
{
	if (object_is_big_endian(o))
		return CODE_NONE;
	switch (object_arch(o)) {
	case ARCH_X86: return CODE_X86;
	case ARCH_X86_64: return CODE_X86_64;
	case ARCH_ARM: return CODE_ARM;
	case ARCH_ARM64: return CODE_ARM64;
	default: return CODE_NONE;
	}
}

const struct disasm_code *file_code(struct find_file *f)
{
	const struct object_code_part *from;
	struct code_part *parts;
	size_t n;

	if (f->code)
		return f->code;
	f->code = mem_zalloc(sizeof *f->code);
	if (!f->object || !arch_of(f->object))
		return f->code;
	from = object_code(f->object, &n);
	parts = mem_array(n, sizeof *parts);
	for (size_t i = 0; i < n; i++)
		parts[i] = (struct code_part){from[i].lo, from[i].size, from[i].data};
	code_init(f->code, n ? arch_of(f->object) : CODE_NONE, parts, n);
	free(parts);
	return f->code;
}

void file_code_release(struct find_file *f)
{
	if (f->code)
		code_release(f->code);
	free(f->code);
	f->code = NULL;
}

static double divergence(double p, double q)
{
	double sum = 0;

	if (q <= 0 || q >= 1)
		q = q <= 0 ? 1e-9 : 1 - 1e-9;
	if (p > 0)
		sum += p * log(p / q);
	if (p < 1)
		sum += (1 - p) * log((1 - p) / (1 - q));
	return sum;
}

bool call_check_rules_out(uint64_t pass, uint64_t n, double share)
{
	return n && (double)n * divergence((double)pass / (double)n, share) > DOUBT;
}

enum call_verdict call_check_verdict(const struct call_check *c)
{
	double share = c->n ? (double)c->pass / (double)c->n : 0;
	double chance = c->tried ? (double)c->hits / (double)c->tried : 0;

	if (share >= RIGHT)
		return call_check_rules_out(c->pass, c->n, chance) ? CALLS_FIT : CALLS_FEW;
	if (!call_check_rules_out(c->pass, c->n, RIGHT))
		return CALLS_FEW;
	return share - chance < EXCESS * (1 - chance) ? CALLS_CHANCE : CALLS_MIXED;
}

bool call_check_stands_out(const struct call_check *c, uint64_t of)
{
	double share = c->n ? (double)c->pass / (double)c->n : 0;
	double chance = c->tried ? (double)c->hits / (double)c->tried : 0;

	return share >= RIGHT && share > chance && of &&
	       (double)c->n * divergence(share, chance) > DOUBT + log((double)of);
}

struct module_check {
	struct find_file *file;
	const char *name; /* the module's, or the file's */
	struct call_check check;
};

static unsigned percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)(part * 100 / whole) : 0;
}

static void call_check_add_note(struct trace *t, struct module_check *m)
{
	const struct call_check *c = &m->check;
	const char *name = path_base_captured(m->name);
	enum call_verdict v;

	m->check.tried = CALL_CHECK_TRIED;
	m->check.hits = code_chance(file_code(m->file), m->check.tried);
	v = call_check_verdict(c);
	if (v == CALLS_CHANCE)
		trace_note(t, NOTE_LOSS, 0,
			   "%s: %" PRIu64 " of %" PRIu64
			   " return addresses (%u%%) follow a call, random ones do in %u%%: names "
			   "are wrong, since slide, build or offsets are (--slide, -e, --offsets), "
			   "or these are no return addresses (--locations)",
			   name, c->pass, c->n, percent(c->pass, c->n), percent(c->hits, c->tried));
	else
		trace_note(t, v == CALLS_MIXED ? NOTE_GUESS : NOTE_INFO, 0,
			   "%s: %" PRIu64 " of %" PRIu64
			   " return addresses follow a call (%u%%; random addresses: %u%%)%s",
			   name, c->pass, c->n, percent(c->pass, c->n), percent(c->hits, c->tried),
			   v == CALLS_MIXED ? ": some of them are not of this build, or no return "
					      "addresses"
			   : v == CALLS_FEW ? ": too few to tell"
					    : "");
}

void call_check_notes(struct trace *t, const struct trace *maps, const struct find_resolved *bound)
{
	struct module_check *all = mem_array(4, sizeof *all);
	struct map64 index = MAP64_INIT;
	size_t n = 0, cap = 4;

	for (size_t i = 1; i < t->n_locations; i++) {
		const struct find_resolved *b = &bound[i];
		const struct trace *of = b->own_module ? t : maps;
		struct module_check *m;
		uint32_t *at;

		if (b->reason != REASON_RESOLVED || !b->file || b->kind != LOCATION_RETURN ||
		    !file_code(b->file)->arch)
			continue;
		/* Modules may be mapped twice, with one right slide and one wrong. */
		at = map64_put(&index, (uint64_t)b->file->index << 33 | (uint64_t)b->module << 1 |
					   b->own_module);
		if (!*at) {
			VEC_PUSH(all, n, cap) = (struct module_check){
			    .file = b->file,
			    .name = b->module ? trace_text(of, of->modules[b->module].name)
					      : b->file->path};
			*at = (uint32_t)n;
		}
		m = &all[*at - 1];
		if (!*m->name)
			m->name = b->file->path;
		m->check.n++;
		m->check.pass += code_call_before(file_code(b->file), b->vaddr);
	}
	for (size_t i = 0; i < n; i++)
		call_check_add_note(t, &all[i]);
	map64_release(&index);
	free(all);
}
