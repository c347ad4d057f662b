/* SPDX-License-Identifier: MIT */
#include "lib/find/bind.h"

#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/path.h"
#include "lib/find/call_check.h"
#include "lib/find/slide_candidates.h"
#include "lib/trace/module_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How a module's undecided addresses read: as offsets, as vaddrs. */
struct reading {
	uint64_t n, as_offset, as_vaddr, same;
	uint64_t offset_calls, vaddr_calls; /* of those that are return addresses, if of any kind */
};

enum { NAMED_MAX = 4 }; /* modules in a note */

struct module_answer { /* what files_find said, once per module */
	struct find_file *file;
	enum reason reason;
	bool asked, by_path;
	char *differs; /* of a file of another build: what does */
	bool unproven; /* given, and nothing shows its build */
	bool narrow;   /* a file for 32 bits was refused */
	bool archive;  /* an APK, whose libraries are mapped from it */
	uint8_t space; /* decided for its offset-or-vaddr locations; SPACES: undecided */
	struct reading reading;
};

struct binder {
	struct trace *t;
	const struct trace *maps;
	struct find_files *files;
	const struct bind_options *o;
	struct module_answer *modules; /* by module id of maps */
	struct module_answer *own;     /* by module id of t; the same when maps is t */
	struct module_index *index;    /* of maps */
	struct map64 slides; /* process -> its first module of which only the slide is known */
	struct module_answer nameless; /* the file for addresses that no module maps */
	struct slide_candidates found; /* with o->find_slides */
	struct find_file *slid;        /* the first file with a given slide, and that slide */
	uint64_t slid_by;
	unsigned address_bits; /* of the highest mapping, rounded up to what arm64 has */
	uint64_t cleared;
};

static bool is_above_4_gib(const struct module *m)
{
	return m->n_ranges && m->ranges[m->n_ranges - 1].hi > UINT64_C(1) << 32;
}

/* "path: GUID differs: the capture has X, the file Y", of the file that files_find did not take. NULL: it refused none. */
static char *refused_differs(const struct find_files *f, const struct object_build_id *captured)
{
	const struct find_file *x;
	const char *differs = files_refused_differs(f, &x);
	struct buf text = BUF_INIT;
	char *s;

	if (!differs)
		return NULL;
	buf_addf(&text, "%s: %s differs", x->path, differs);
	object_add_captured_ids(&text, x->object, captured);
	s = mem_strdup(buf_str(&text));
	buf_release(&text);
	return s;
}

static void release_answers(struct module_answer *answers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(answers[i].differs);
	free(answers);
}

static struct module_answer *bind_file_of(struct binder *b, const struct trace *of, uint32_t id)
{
	struct module_answer *m = of == b->t ? &b->own[id] : &b->modules[id];
	const struct module *module = &of->modules[id];
	struct files_module wanted = {.name = trace_text(of, module->name),
				      .file = module->file ? &of->module_files[module->file] : NULL,
				      .arch = trace_text(of, module->arch),
				      .wide = is_above_4_gib(module)};
	size_t n;
	const char *bytes = intern_text(&of->strings, module->build_id, &n);

	if (m->asked)
		return m;
	m->asked = true;
	if (n <= OBJECT_BUILD_ID_MAX) {
		memcpy(wanted.id.bytes, bytes, n);
		wanted.id.len = (uint8_t)n;
	}
	m->file = files_find(b->files, &wanted, &m->reason);
	m->narrow = files_refused_narrow(b->files);
	m->differs = refused_differs(b->files, &wanted.id);
	m->unproven = m->file && m->file->given && !files_proven(m->file, &wanted);
	m->by_path =
	    m->file && !m->file->given && !wanted.id.len && !files_proven(m->file, &wanted);
	if (b->o->proven && m->by_path) {
		m->file = NULL;
		m->by_path = false;
		m->reason = REASON_NO_FILE;
	}
	m->archive = !m->file && files_has_archive(b->files, wanted.name);
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

/* The module that maps addr, with tag and signature bits cleared if that is what it takes. */
static const struct module *mapped(struct binder *b, const struct location *l, uint64_t *addr,
				   const struct map_range **range, uint8_t *flags)
{
	const struct module *m = module_index_at(b->index, l->process, l->epoch, *addr, range);
	uint64_t plain = *addr & ((UINT64_C(1) << b->address_bits) - 1);

	if (m || plain == *addr)
		return m;
	m = module_index_at(b->index, l->process, l->epoch, plain, range);
	if (m) {
		*addr = plain;
		*flags |= BINDING_STRIPPED_BITS;
	}
	return m;
}

/* A module without ranges whose slide is known takes every address. */
static void find_slides(struct binder *b)
{
	for (size_t i = 1; i < b->maps->n_modules; i++) {
		const struct module *m = &b->maps->modules[i];
		uint32_t *first;

		if (m->n_ranges || !m->has_slide)
			continue;
		first = map64_put(&b->slides, m->process);
		if (!*first)
			*first = (uint32_t)i;
	}
}

/* A file for a capture without modules: the only one given, whatever it is called. */
static struct module_answer *nameless_file(struct binder *b)
{
	static const struct files_module nothing = {.name = ""};
	struct module_answer *m = &b->nameless;

	if (!m->asked)
		m->file = files_find(b->files, &nothing, &m->reason);
	m->asked = true;
	return m;
}

static bool in_code(const struct find_file *f, uint64_t vaddr)
{
	return object_is_code(f->object, vaddr);
}

/* What no module maps, without tags: the caller's. */
static uint64_t *unmapped(struct binder *b, size_t *count)
{
	uint64_t *addrs = mem_array(b->t->n_locations, sizeof *addrs);
	size_t n = 0;

	for (size_t i = 1; i < b->t->n_locations; i++) {
		const struct location *l = &b->t->locations[i];
		const struct map_range *range;
		uint64_t addr = l->raw;
		uint8_t flags = 0;

		if (l->space == SPACE_RUNTIME && !mapped(b, l, &addr, &range, &flags))
			addrs[n++] = addr & ((UINT64_C(1) << b->address_bits) - 1);
	}
	*count = n;
	return addrs;
}

static void find_lost_slides(struct binder *b)
{
	size_t n;
	uint64_t *addrs = unmapped(b, &n);

	slide_candidates_find(&b->found, b->t, b->files, addrs, n);
	free(addrs);
}

static void doubt_slide(struct binder *b)
{
	size_t n;
	uint64_t *addrs;

	if (!b->slid || (b->o->locations && b->o->locations != LOCATION_RETURN))
		return;
	addrs = unmapped(b, &n);
	slide_candidates_check(b->t, b->slid, b->slid_by, addrs, n);
	free(addrs);
}

static void by_found_slide(struct binder *b, const struct location *l, struct find_resolved *out)
{
	uint64_t plain = l->raw & ((UINT64_C(1) << b->address_bits) - 1);

	out->file = slide_candidates_at(&b->found, plain, &out->vaddr);
	out->reason = out->file ? REASON_RESOLVED : REASON_NO_MODULE;
	if (plain != l->raw)
		out->flags |= BINDING_STRIPPED_BITS;
}

static void bind_by_slide(struct binder *b, const struct location *l, struct find_resolved *out)
{
	uint64_t slide = b->o->slide, plain = l->raw & ((UINT64_C(1) << b->address_bits) - 1);
	uint32_t module = map64_get(&b->slides, l->process);
	struct module_answer *m;

	if (b->o->find_slides) {
		by_found_slide(b, l, out);
		return;
	}
	if (!module && !b->o->has_slide) {
		out->reason = REASON_NO_MODULE;
		return;
	}
	if (!b->o->has_slide)
		slide = b->maps->modules[module].slide;
	m = module ? bind_file_of(b, b->maps, module) : nameless_file(b);
	if (m->file && !b->slid) {
		b->slid = m->file;
		b->slid_by = slide;
	}
	out->module = module;
	out->file = m->file;
	out->vaddr = l->raw - slide;
	out->reason = (uint8_t)m->reason;
	if (!out->file || in_code(out->file, out->vaddr))
		return;
	if (in_code(out->file, plain - slide)) {
		out->vaddr = plain - slide;
		out->flags |= BINDING_STRIPPED_BITS;
	} else { /* another module's, then: what is left is the address */
		out->reason = REASON_OUTSIDE;
		out->module = 0;
		out->file = NULL;
		out->vaddr = 0;
	}
}

/* The link-time address of a module's first byte in memory; 0 also if the file, as a PDB, does not say it. */
static uint64_t first_address(const struct object *o)
{
	size_t n;
	const struct object_segment *s = object_segments(o, &n);
	uint64_t lowest = UINT64_MAX;

	if (object_kind(o)->image)
		return object_image_base(o);
	for (size_t i = 0; i < n; i++) {
		uint64_t page = s[i].align > 1 ? s[i].align : 1, vaddr = s[i].vaddr / page * page;

		lowest = vaddr < lowest ? vaddr : lowest;
	}
	return n ? lowest : 0;
}

/* A separate debug file has its segments' addresses, but their offsets are those of another file.
 * All of a module is mapped with one bias, which the mapping of its first byte gives. */
static bool by_first_byte(const struct module *m, const struct object *o, uint64_t addr,
			  uint64_t *vaddr)
{
	size_t n;
	const struct object_segment *s = object_segments(o, &n);

	for (size_t i = 0; i < n; i++)
		if (s[i].executable && s[i].filesz)
			return false;
	if (!n || !m->n_ranges || m->ranges[0].offset)
		return false;
	*vaddr = addr - m->ranges[0].lo + first_address(o);
	return true;
}

/* Of an APK's mapping: the library that is there. */
static void by_archive(struct binder *b, const struct module *m, uint64_t offset,
		       struct find_resolved *out)
{
	out->file = files_in_archive(b->files, trace_text(b->maps, m->name), &offset);
	out->reason = out->file ? REASON_RESOLVED : REASON_NO_FILE;
	if (out->file && object_offset_to_vaddr(out->file->object, offset, &out->vaddr))
		out->reason = REASON_OUTSIDE;
}

/* A PE file is loaded as an image, section by section, whose mapping is told as one from its first byte on: offsets in it
 * are those in memory (RVA). In the headers, which a mapping of the file itself begins with, both are the same. */
static bool by_image(const struct map_range *r, const struct object *o, uint64_t addr,
		     uint64_t *vaddr)
{
	if (r->offset || !object_kind(o)->image)
		return false;
	*vaddr = object_image_base(o) + (addr - r->lo);
	return true;
}

static void bind_by_runtime(struct binder *b, const struct location *l, struct find_resolved *out)
{
	uint64_t addr = l->raw;
	const struct map_range *r;
	const struct module *m = mapped(b, l, &addr, &r, &out->flags);
	struct module_answer *f;

	if (!m) {
		bind_by_slide(b, l, out);
		return;
	}
	out->module = (uint32_t)(m - b->maps->modules);
	f = bind_file_of(b, b->maps, out->module);
	out->file = f->file;
	out->reason = (uint8_t)f->reason;
	/* Without the file its offset is the best identity that a report can show. */
	out->vaddr = m->has_slide ? addr - m->slide : addr - r->lo + r->offset;
	if (f->archive && !m->has_slide)
		by_archive(b, m, out->vaddr, out);
	if (!f->file || m->has_slide)
		return;
	if (object_is_source(f->file->object)) { /* it has no file offsets */
		out->vaddr = addr - (m->ranges[0].lo - m->ranges[0].offset);
		return;
	}
	if (!by_image(r, f->file->object, addr, &out->vaddr) &&
	    object_offset_to_vaddr(f->file->object, addr - r->lo + r->offset, &out->vaddr) &&
	    !by_first_byte(m, f->file->object, addr, &out->vaddr))
		out->reason = REASON_OUTSIDE;
}

static bool plausible(struct object *o, uint64_t vaddr)
{
	size_t n;

	if (!object_is_code(o, vaddr))
		return false;
	object_symbols(o, &n);
	/* A return address may lie right behind its function's last byte. */
	return !n || object_symbol_at(o, vaddr) || (vaddr && object_symbol_at(o, vaddr - 1));
}

static void bind_count_reading(struct module_answer *m, uint64_t raw)
{
	struct reading *r = &m->reading;
	const struct disasm_code *code;
	uint64_t vaddr, thumb;
	bool has;

	if (!m->file)
		return;
	has = !object_offset_to_vaddr(m->file->object, raw, &vaddr);
	r->n++;
	r->same += has && vaddr == raw;
	r->as_offset += has && plausible(m->file->object, vaddr);
	r->as_vaddr += plausible(m->file->object, raw);
	code = file_code(m->file);
	thumb = code->arch == CODE_ARM ? 1 : 0;
	r->offset_calls += has && code_call_before(code, vaddr & ~thumb);
	r->vaddr_calls += code_call_before(code, raw & ~thumb);
}

/* What precedes the addresses is better evidence than where they lie: one reading must have calls
 * as only return addresses have, and the other one beyond doubt not. */
static unsigned space_by_calls(const struct reading *r)
{
	if (r->offset_calls * 2 > r->n && call_check_rules_out(r->vaddr_calls, r->n, 0.5) &&
	    r->vaddr_calls * 2 < r->n)
		return SPACE_FILE_OFFSET;
	if (r->vaddr_calls * 2 > r->n && call_check_rules_out(r->offset_calls, r->n, 0.5) &&
	    r->offset_calls * 2 < r->n)
		return SPACE_VADDR;
	return SPACES;
}

static void bind_decide_space(struct trace *t, uint32_t id, struct module_answer *m)
{
	const char *name = trace_text(t, t->modules[id].name);
	struct reading r = m->reading;
	uint64_t least;

	m->space = SPACES;
	if (!m->file)
		return;
	if (r.same == r.n) { /* no question: both readings are one */
		m->space = SPACE_VADDR;
		return;
	}
	m->space = (uint8_t)space_by_calls(&r);
	if (m->space != SPACES) {
		trace_note(t, NOTE_GUESS, 0,
			   "%s: addresses taken as %s: read so %" PRIu64 " of %" PRIu64
			   " follow a call, as %s %" PRIu64,
			   name, m->space == SPACE_VADDR ? "vaddrs" : "file offsets",
			   m->space == SPACE_VADDR ? r.vaddr_calls : r.offset_calls, r.n,
			   m->space == SPACE_VADDR ? "file offsets" : "vaddrs",
			   m->space == SPACE_VADDR ? r.offset_calls : r.vaddr_calls);
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

/* No link-time address is lower than the module's first byte: a lower number is an offset in memory (RVA), as Windows' tools
 * and Firefox's profiles have it. In a PDB, which does not say the base, all are. A number that may be an offset in the file
 * is one, but in a PE file, of which tools hardly ever print these. */
static bool is_rva(const struct module_answer *m, const struct location *l, bool may_be_offset)
{
	const struct object *o = m->file ? m->file->object : NULL;
	bool image = o && object_kind(o)->image;

	if (!o || (l->space != SPACE_VADDR &&
		   !(l->space == SPACE_OFFSET_OR_VADDR && image && may_be_offset)))
		return false;
	return l->raw < first_address(o) || (image && !object_image_base(o));
}

static void decide_spaces(struct binder *b)
{
	struct trace *t = b->t;
	bool *wanted = mem_zarray(t->n_modules, sizeof *wanted);

	for (size_t i = 1; i < t->n_locations; i++) {
		const struct location *l = &t->locations[i];
		struct module_answer *m;

		if (l->space != SPACE_OFFSET_OR_VADDR || !l->module)
			continue;
		m = bind_file_of(b, t, l->module);
		if (is_rva(m, l, !b->o->offsets))
			continue;
		wanted[l->module] = true;
		bind_count_reading(m, l->raw);
	}
	for (uint32_t id = 1; id < t->n_modules; id++)
		if (wanted[id])
			bind_decide_space(t, id, &b->own[id]);
	free(wanted);
}

static void bind_in_module(struct binder *b, const struct location *l, struct find_resolved *out)
{
	struct module_answer *m = bind_file_of(b, b->t, l->module);
	unsigned space = l->space;
	uint64_t from_offset;

	out->module = l->module;
	out->own_module = true;
	out->file = m->file;
	out->reason = (uint8_t)m->reason;
	out->vaddr = l->raw;
	if (!m->file)
		return;
	if (is_rva(m, l, !b->o->offsets)) {
		out->vaddr = first_address(m->file->object) + l->raw;
		return;
	}
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

static void bind_one(struct binder *b, const struct location *l, struct find_resolved *out)
{
	switch (l->space) {
	case SPACE_RUNTIME: bind_by_runtime(b, l, out); break;
	case SPACE_FILE_OFFSET:
	case SPACE_VADDR:
	case SPACE_OFFSET_OR_VADDR:
		if (l->module)
			bind_in_module(b, l, out);
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
	if (object_arch(out->file->object) == ARCH_ARM && out->vaddr & 1) {
		out->vaddr &= ~UINT64_C(1);
		out->flags |= BINDING_STRIPPED_BITS;
	}
	b->cleared += out->flags & BINDING_STRIPPED_BITS ? 1 : 0;
	if (!in_code(out->file, out->vaddr) && !(out->vaddr && in_code(out->file, out->vaddr - 1)))
		out->reason = REASON_OUTSIDE;
}

/* By id: the locations that have called none in any stack. The caller's. */
static bool *innermost_locations(const struct trace *t)
{
	bool *is = mem_zarray(t->n_locations, sizeof *is);

	for (size_t i = 1; i < t->n_stacks; i++)
		is[t->stacks[i].location] = true;
	for (size_t i = 1; i < t->n_stacks; i++)
		if (t->stacks[i].parent)
			is[t->stacks[t->stacks[i].parent].location] = false;
	return is;
}

/* A return address follows a call, and hardly ever equals a symbol's start. *unknown counts those of files without code. */
static bool is_no_return(const struct find_resolved *r, uint64_t *unknown)
{
	const struct disasm_code *code = file_code(r->file);

	*unknown += code->arch == CODE_NONE;
	return object_is_symbol_start(r->file->object, r->vaddr) ||
	       (code->arch != CODE_NONE && code_holds(code, r->vaddr) &&
		!code_call_before(code, r->vaddr));
}

/* Return addresses hardly ever equal a symbol's start; function entries nearly always do. The innermost address of a stack is
 * a return address in the hook of an allocation, but not in a sample: each is judged by itself. */
static void bind_decide_kinds(struct trace *t, bool is_text, struct find_resolved *out)
{
	/* which logs do not have */
	const char *decides = is_text ? "" : "; --locations decides",
		   *one_decides = is_text ? "" : ": --locations sample (or return) decides";
	uint64_t n = 0, starts = 0, exact = 0, unknown = 0;
	bool *innermost;
	uint8_t kind;

	for (size_t i = 1; i < t->n_locations; i++)
		if (out[i].reason == REASON_RESOLVED && out[i].file && !out[i].kind) {
			n++;
			starts += object_is_symbol_start(out[i].file->object, out[i].vaddr);
		}
	if (!n)
		return;
	kind = starts * 2 > n ? LOCATION_ENTRY : LOCATION_RETURN;
	innermost = innermost_locations(t);
	for (size_t i = 1; i < t->n_locations; i++) {
		if (out[i].kind)
			continue;
		out[i].kind = kind;
		if (kind == LOCATION_RETURN && innermost[i] && out[i].reason == REASON_RESOLVED &&
		    out[i].file && is_no_return(&out[i], &unknown)) {
			out[i].kind = LOCATION_EXACT;
			exact++;
		}
	}
	free(innermost);
	trace_note(t, NOTE_GUESS, 0,
		   "locations taken as %s: %" PRIu64 " of %" PRIu64 " equal a symbol's start%s%s",
		   kind == LOCATION_ENTRY ? "function entries" : "return addresses", starts, n,
		   starts * 5 > n && starts * 5 < n * 4 ? ", which is neither few nor most" : "",
		   decides);
	if (exact)
		trace_note(t, NOTE_GUESS, exact,
			   "innermost addresses follow no call, and are taken as those of "
			   "instructions, as samples have them%s",
			   one_decides);
	if (unknown)
		trace_note(t, NOTE_GUESS, unknown,
			   "innermost addresses are of files without code, such as a PDB alone: "
			   "whether they follow a call is not known, and most are taken as return "
			   "addresses%s",
			   one_decides);
}

/* --locations sample */
static void take_as_samples(const struct trace *t, struct find_resolved *out)
{
	bool *innermost = innermost_locations(t);

	for (size_t i = 1; i < t->n_locations; i++)
		out[i].kind = innermost[i] ? LOCATION_EXACT : LOCATION_RETURN;
	free(innermost);
}

static bool bind_is_by_path(const struct module_answer *m)
{
	return m->by_path;
}

static bool bind_is_from_lowest(const struct module_answer *m)
{
	return m->file && object_is_source(m->file->object);
}

static bool bind_is_other_build(const struct module_answer *m)
{
	return m->reason == REASON_BUILD_ID_DIFFERS;
}

static bool bind_is_replaced(const struct module_answer *m)
{
	return m->reason == REASON_REPLACED && !m->narrow;
}

static bool bind_is_unproven(const struct module_answer *m)
{
	return m->unproven;
}

static bool bind_is_narrow(const struct module_answer *m)
{
	return m->narrow;
}

static void add_modules(const struct trace *of, const struct module_answer *files,
			bool (*is)(const struct module_answer *), struct buf *names, size_t *n)
{
	for (size_t i = 1; i < of->n_modules; i++) {
		const char *name = trace_text(of, of->modules[i].name);

		if (!files[i].asked || !is(&files[i]))
			continue;
		if (!*name && files[i].file) /* of addresses without a map of modules */
			name = files[i].file->path;
		if (++*n > NAMED_MAX)
			continue;
		buf_addf(names, "%s%s", names->len ? ", " : "", path_base_captured(name));
		if (is == bind_is_other_build)
			buf_addf(names, " (%s)", files[i].differs);
	}
}

/* One line for all such modules, with the names of the first. */
static void note_modules(struct binder *b, bool (*is)(const struct module_answer *),
			 enum severity severity, const char *what)
{
	struct buf names = BUF_INIT;
	size_t n = 0;

	add_modules(b->t, b->own, is, &names, &n);
	if (b->maps != b->t)
		add_modules(b->maps, b->modules, is, &names, &n);
	if (n > NAMED_MAX)
		buf_addf(&names, " and %zu more", n - NAMED_MAX);
	if (n)
		trace_note(b->t, severity, 0, "%s: %s", what, buf_str(&names));
	buf_release(&names);
}

void bind_locations(struct trace *t, const struct trace *maps, struct find_files *files,
		    const struct bind_options *o, struct find_resolved *out)
{
	struct binder b = {.t = t, .maps = maps, .files = files, .o = o};

	b.own = mem_zarray(t->n_modules, sizeof *b.own);
	b.modules = maps == t ? b.own : mem_zarray(maps->n_modules, sizeof *b.modules);
	b.index = module_index_new(maps);
	find_slides(&b);
	b.address_bits = address_bits(maps);
	memset(out, 0, t->n_locations * sizeof *out);
	if (!o->offsets)
		decide_spaces(&b);
	if (o->find_slides)
		find_lost_slides(&b);
	for (size_t i = 1; i < t->n_locations; i++) {
		bind_one(&b, &t->locations[i], &out[i]);
		out[i].kind = o->locations && o->locations != LOCATION_SAMPLE
				  ? o->locations
				  : t->locations[i].kind;
	}
	if (o->locations == LOCATION_SAMPLE)
		take_as_samples(t, out);
	else
		bind_decide_kinds(t, o->is_text, out);
	doubt_slide(&b);
	if (!o->is_text)
		note_modules(&b, bind_is_unproven, NOTE_GUESS,
			     "no build-id proves that the given files are of the captured build");
	if (b.cleared)
		trace_note(t, NOTE_INFO, b.cleared,
			   "addresses in which tag, signature or Thumb bits were cleared");
	note_modules(&b, bind_is_by_path, NOTE_GUESS,
		     "read from their captured paths on this machine, no build-id proves that they "
		     "are the same files");
	note_modules(&b, bind_is_from_lowest, NOTE_GUESS,
		     "symbol files without segments: addresses count from the modules' lowest one");
	note_modules(&b, bind_is_other_build, NOTE_LOSS,
		     "not used, since the file found is of another build");
	note_modules(&b, bind_is_replaced, NOTE_LOSS,
		     "not used, since the module was replaced: the file at its path is not the one "
		     "that was loaded (device, inode, size or time)");
	note_modules(&b, bind_is_narrow, NOTE_LOSS,
		     "not used, since the file is for 32 bits, and the module was above 4 GiB");
	module_index_free(b.index);
	map64_release(&b.slides);
	slide_candidates_release(&b.found);
	if (b.modules != b.own)
		release_answers(b.modules, maps->n_modules);
	release_answers(b.own, t->n_modules);
}

uint64_t bound_lookup(const struct find_resolved *b)
{
	return b->kind == LOCATION_RETURN && b->vaddr ? b->vaddr - 1 : b->vaddr;
}
