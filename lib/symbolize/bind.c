/* SPDX-License-Identifier: MIT */
#include "lib/symbolize/bind.h"

#include "lib/base/mem.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct module_file { /* what files_find said, once per module */
	struct file *file;
	enum reason reason;
	bool asked, by_path;
	uint8_t space; /* decided for its offset-or-vaddr locations; SPACES: undecided */
};

struct binder {
	struct trace *t;
	const struct trace *maps;
	struct files *files;
	const struct bind_options *o;
	struct module_file *modules; /* by module id of maps */
	struct module_file *own;     /* by module id of t; the same when maps is t */
	unsigned address_bits;       /* of the highest mapping, rounded up to what arm64 has */
	uint64_t cleared;
};

static struct module_file *file_of(struct binder *b, const struct trace *of, uint32_t id)
{
	struct module_file *m = of == b->t ? &b->own[id] : &b->modules[id];
	const struct module *module = &of->modules[id];
	struct object_build_id build_id = {.len = 0};
	size_t n;
	const char *bytes = intern_text(&of->strings, module->build_id, &n);

	if (m->asked)
		return m;
	m->asked = true;
	if (n <= OBJECT_BUILD_ID_MAX) {
		memcpy(build_id.bytes, bytes, n);
		build_id.len = (uint8_t)n;
	}
	m->file = files_find(b->files, trace_text(of, module->name), &build_id, &m->reason);
	m->by_path = m->file && !m->file->given && !build_id.len;
	return m;
}

static unsigned address_bits(const struct trace *maps)
{
	uint64_t highest = 0;

	for (size_t i = 1; i < maps->n_modules; i++)
		if (maps->modules[i].n_ranges) {
			uint64_t hi = maps->modules[i].ranges[maps->modules[i].n_ranges - 1].hi;

			highest = hi > highest ? hi : highest;
		}
	/* User space of arm64 has 39 or 48 bits; the bits above hold the signature or the tag. */
	return !highest || highest > UINT64_C(1) << 39 ? 48 : 39;
}

static const struct map_range *range_at(const struct module *m, uint64_t addr)
{
	for (uint32_t i = 0; i < m->n_ranges; i++)
		if (addr >= m->ranges[i].lo && addr < m->ranges[i].hi)
			return &m->ranges[i];
	return NULL;
}

/* The module that maps addr, with tag and signature bits cleared if that is what it takes. */
static const struct module *mapped(struct binder *b, const struct location *l, uint64_t *addr,
				   uint8_t *flags)
{
	const struct module *m = trace_module_at(b->maps, l->process, l->epoch, *addr);
	uint64_t plain = *addr & ((UINT64_C(1) << b->address_bits) - 1);

	if (m || plain == *addr)
		return m;
	m = trace_module_at(b->maps, l->process, l->epoch, plain);
	if (m) {
		*addr = plain;
		*flags |= BINDING_STRIPPED_BITS;
	}
	return m;
}

/* A module without ranges whose slide is known takes every address. */
static uint32_t slide_module(const struct binder *b, const struct location *l, uint64_t *slide)
{
	if (b->o->has_slide)
		*slide = b->o->slide;
	for (size_t i = 1; i < b->maps->n_modules; i++) {
		const struct module *m = &b->maps->modules[i];

		if (m->process == l->process && !m->n_ranges && m->has_slide) {
			if (!b->o->has_slide)
				*slide = m->slide;
			return (uint32_t)i;
		}
	}
	return 0;
}

static bool in_code(const struct file *f, uint64_t vaddr)
{
	return object_is_code(f->object, vaddr);
}

static void by_slide(struct binder *b, const struct location *l, struct bound *out)
{
	static const struct object_build_id no_id;
	uint64_t slide = 0, plain = l->raw & ((UINT64_C(1) << b->address_bits) - 1);
	uint32_t module = slide_module(b, l, &slide);
	enum reason reason;

	if (!module && !b->o->has_slide) {
		out->reason = REASON_NO_MODULE;
		return;
	}
	out->module = module;
	if (module) {
		struct module_file *m = file_of(b, b->maps, module);

		out->file = m->file;
		reason = m->reason;
	} else {
		out->file = files_find(b->files, "", &no_id, &reason);
	}
	out->vaddr = l->raw - slide;
	out->reason = (uint8_t)reason;
	if (!out->file || in_code(out->file, out->vaddr))
		return;
	if (in_code(out->file, plain - slide)) {
		out->vaddr = plain - slide;
		out->flags |= BINDING_STRIPPED_BITS;
	} else {
		out->reason = REASON_OUTSIDE;
	}
}

static void by_runtime(struct binder *b, const struct location *l, struct bound *out)
{
	uint64_t addr = l->raw;
	const struct module *m = mapped(b, l, &addr, &out->flags);
	const struct map_range *r;
	struct module_file *f;

	if (!m) {
		by_slide(b, l, out);
		return;
	}
	out->module = (uint32_t)(m - b->maps->modules);
	f = file_of(b, b->maps, out->module);
	out->file = f->file;
	out->reason = (uint8_t)f->reason;
	r = range_at(m, addr);
	/* Without the file its offset is the best identity that a report can show. */
	out->vaddr = m->has_slide ? addr - m->slide : addr - r->lo + r->offset;
	if (!f->file || m->has_slide)
		return;
	if (object_offset_to_vaddr(f->file->object, addr - r->lo + r->offset, &out->vaddr))
		out->reason = REASON_OUTSIDE;
}

/* How a module's undecided addresses read: as offsets, as vaddrs. */
struct reading {
	uint64_t n, as_offset, as_vaddr, same;
};

static bool plausible(struct object *o, uint64_t vaddr)
{
	size_t n;

	if (!object_is_code(o, vaddr))
		return false;
	object_symbols(o, &n);
	/* A return address may stand right behind its function's last byte. */
	return !n || object_symbol_at(o, vaddr) || (vaddr && object_symbol_at(o, vaddr - 1));
}

static void decide_space(struct binder *b, uint32_t id)
{
	struct module_file *m = file_of(b, b->t, id);
	struct reading r = {0};
	struct trace *t = b->t;
	const char *name = trace_text(b->t, b->t->modules[id].name);
	uint64_t least;

	m->space = SPACES;
	if (!m->file)
		return;
	for (size_t i = 1; i < t->n_locations; i++) {
		const struct location *l = &t->locations[i];
		uint64_t vaddr;
		bool has;

		if (l->space != SPACE_OFFSET_OR_VADDR || l->module != id)
			continue;
		has = !object_offset_to_vaddr(m->file->object, l->raw, &vaddr);
		r.n++;
		r.same += has && vaddr == l->raw;
		r.as_offset += has && plausible(m->file->object, vaddr);
		r.as_vaddr += plausible(m->file->object, l->raw);
	}
	if (r.same == r.n) { /* no question: both readings are one */
		m->space = SPACE_VADDR;
		return;
	}
	least = r.n / 10 ? r.n / 10 : 1;
	if (r.as_offset >= r.as_vaddr + least)
		m->space = SPACE_FILE_OFFSET;
	else if (r.as_vaddr >= r.as_offset + least)
		m->space = SPACE_VADDR;
	if (m->space == SPACES)
		trace_note(t, NOTE_GUESS, 0,
			   "%s: addresses fit as file offsets (%" PRIu64 " of %" PRIu64
			   ") about as well as vaddrs (%" PRIu64
			   "): ambiguous; --offsets file or vaddr decides",
			   name, r.as_offset, r.n, r.as_vaddr);
	else
		trace_note(t, NOTE_GUESS, 0,
			   "%s: addresses taken as %s: %" PRIu64 " of %" PRIu64
			   " fit as file offsets, %" PRIu64 " as vaddrs",
			   name, m->space == SPACE_VADDR ? "vaddrs" : "file offsets", r.as_offset,
			   r.n, r.as_vaddr);
}

static void in_module(struct binder *b, const struct location *l, struct bound *out)
{
	struct module_file *m = file_of(b, b->t, l->module);
	unsigned space = l->space;
	uint64_t from_offset;

	out->module = l->module;
	out->own_module = true;
	out->file = m->file;
	out->reason = (uint8_t)m->reason;
	out->vaddr = l->raw;
	if (!m->file)
		return;
	if (space == SPACE_OFFSET_OR_VADDR)
		space = b->o->offsets ? b->o->offsets : m->space;
	if (space == SPACE_VADDR)
		return;
	if (object_offset_to_vaddr(m->file->object, l->raw, &from_offset)) {
		out->reason = space == SPACES ? REASON_AMBIGUOUS : REASON_OUTSIDE;
		return;
	}
	if (space == SPACE_FILE_OFFSET || from_offset == l->raw)
		out->vaddr = from_offset;
	else
		out->reason = REASON_AMBIGUOUS;
}

static void bind_one(struct binder *b, const struct location *l, struct bound *out)
{
	switch (l->space) {
	case SPACE_RUNTIME: by_runtime(b, l, out); break;
	case SPACE_FILE_OFFSET:
	case SPACE_VADDR:
	case SPACE_OFFSET_OR_VADDR:
		if (l->module)
			in_module(b, l, out);
		else
			out->reason = REASON_NO_MODULE;
		break;
	case SPACE_NAME: out->reason = REASON_RESOLVED; return;
	default:
		out->module = l->module;
		out->own_module = true;
		out->reason = REASON_UNKNOWN_LOCATION;
		break;
	}
	if (out->reason != REASON_RESOLVED)
		return;
	if (object_machine(out->file->object) == EM_ARM && out->vaddr & 1) {
		out->vaddr &= ~UINT64_C(1);
		out->flags |= BINDING_STRIPPED_BITS;
	}
	b->cleared += out->flags & BINDING_STRIPPED_BITS ? 1 : 0;
	if (!in_code(out->file, out->vaddr) && !(out->vaddr && in_code(out->file, out->vaddr - 1)))
		out->reason = REASON_OUTSIDE;
}

/* Return addresses hardly ever equal a symbol's start; function entries nearly always do. */
static void decide_kinds(struct trace *t, struct bound *out)
{
	uint64_t n = 0, starts = 0;
	uint8_t kind;

	for (size_t i = 1; i < t->n_locations; i++)
		if (out[i].reason == REASON_RESOLVED && out[i].file && !out[i].kind) {
			n++;
			starts += object_is_symbol_start(out[i].file->object, out[i].vaddr);
		}
	if (!n)
		return;
	kind = starts * 2 > n ? LOCATION_ENTRY : LOCATION_RETURN;
	for (size_t i = 1; i < t->n_locations; i++)
		if (!out[i].kind)
			out[i].kind = kind;
	trace_note(t, NOTE_GUESS, 0,
		   "locations taken as %s: %" PRIu64 " of %" PRIu64
		   " equal a symbol's start%s; --locations decides",
		   kind == LOCATION_ENTRY ? "function entries" : "return addresses", starts, n,
		   starts * 5 > n && starts * 5 < n * 4 ? ", which is neither few nor most" : "");
}

void bind_locations(struct trace *t, const struct trace *maps, struct files *files,
		    const struct bind_options *o, struct bound *out)
{
	struct binder b = {.t = t, .maps = maps, .files = files, .o = o};
	uint64_t by_path = 0;

	b.own = mem_zarray(t->n_modules, sizeof *b.own);
	b.modules = maps == t ? b.own : mem_zarray(maps->n_modules, sizeof *b.modules);
	b.address_bits = address_bits(maps);
	memset(out, 0, t->n_locations * sizeof *out);
	if (!o->offsets) {
		bool *wanted = mem_zarray(t->n_modules, sizeof *wanted);

		for (size_t i = 1; i < t->n_locations; i++)
			if (t->locations[i].space == SPACE_OFFSET_OR_VADDR)
				wanted[t->locations[i].module] = true;
		for (uint32_t id = 1; id < t->n_modules; id++)
			if (wanted[id])
				decide_space(&b, id);
		free(wanted);
	}
	for (size_t i = 1; i < t->n_locations; i++) {
		bind_one(&b, &t->locations[i], &out[i]);
		out[i].kind = o->locations ? o->locations : t->locations[i].kind;
	}
	decide_kinds(t, out);
	if (b.cleared)
		trace_note(t, NOTE_INFO, b.cleared,
			   "addresses in which tag, signature or Thumb bits were cleared");
	for (size_t i = 1; i < t->n_modules; i++)
		by_path += b.own[i].by_path;
	for (size_t i = 1; maps != t && i < maps->n_modules; i++)
		by_path += b.modules[i].by_path;
	if (by_path)
		trace_note(
		    t, NOTE_GUESS, by_path,
		    "modules read from their captured paths on this machine; no build-id proves "
		    "that they are the same files");
	if (b.modules != b.own)
		free(b.modules);
	free(b.own);
}

uint64_t bound_lookup(const struct bound *b)
{
	return b->kind == LOCATION_RETURN && b->vaddr ? b->vaddr - 1 : b->vaddr;
}
