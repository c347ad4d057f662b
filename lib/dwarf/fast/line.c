/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/line.h"

#include "lib/base/mem.h"
#include "lib/base/sort.h"
#include "lib/dwarf/path.h"

#include <inttypes.h>
#include <stdlib.h>

struct program {
	const struct fast_file *f;
	struct fast_unit unit; /* the unit's, but as wide as the table is */
	struct fast_lines *l;
	const uint8_t *start; /* of the table */
	struct rd r;
	uint8_t min_length, max_ops, opcode_base, line_range;
	int8_t line_base;
	uint8_t lengths[256]; /* operands of standard opcodes */
	struct special {
		uint8_t ops;    /* operation advance */
		uint16_t bytes; /* the same, of one operation in an instruction */
		int16_t line;
	} special[256];
};

/* What is wrong, where the reader stopped. */
#define WRONG(g, r, ...) fast_fault((g)->f, IN_LINE, place_of(g, r), __VA_ARGS__)

static uint64_t place_of(const struct program *g, const struct rd *r)
{
	return g->unit.lines + (r->p ? (uint64_t)(r->p - g->start) : 0);
}

static const char *cut_short(const struct program *g, const struct rd *r)
{
	return WRONG(g, r, "line table: cut short");
}

static const char *many_files(const struct program *g, const struct rd *r)
{
	return WRONG(g, r, "line table: more than %d files", LIMIT_LINE_FILES);
}

static const char *out_of_time(const struct program *g, const struct rd *r)
{
	return WRONG(g, r, "line table: takes longer than the time limit");
}

static void add_file(struct fast_lines *l, struct fast_line_file file)
{
	VEC_PUSH(l->files, l->n_files, l->cap_files) = file;
}

/* The tables of DWARF 2 to 4, which end in an empty name. */
static const char *fast_line_old_tables(struct program *g, struct rd *r)
{
	struct fast_lines *l = g->l;

	VEC_PUSH(l->dirs, l->n_dirs, l->cap_dirs) = (struct fast_line_file){.name = ""};
	add_file(l, (struct fast_line_file){.name = NULL});
	for (;;) {
		struct fast_line_file dir = {.dir = 0};

		dir.name = rd_cstr(r, &dir.n);
		if (!dir.n)
			break;
		VEC_PUSH(l->dirs, l->n_dirs, l->cap_dirs) = dir;
	}
	while (!r->failed) {
		struct fast_line_file file;

		file.name = rd_cstr(r, &file.n);
		if (!file.n)
			break;
		file.dir = rd_uleb(r);
		rd_skip_leb(r);
		rd_skip_leb(r);
		if (l->n_files >= LIMIT_LINE_FILES)
			return many_files(g, r);
		add_file(l, file);
	}
	return r->failed ? cut_short(g, r) : NULL;
}

/* One table of DWARF 5: the forms of an entry's parts, then the entries. */
static const char *fast_line_new_table(struct program *g, struct rd *r, bool files)
{
	struct {
		uint64_t type, form;
	} format[256];
	struct fast_lines *l = g->l;
	size_t n_format = rd_u8(r);
	uint64_t count;

	for (size_t i = 0; i < n_format; i++) {
		format[i].type = rd_uleb(r);
		format[i].form = rd_uleb(r);
	}
	count = rd_uleb(r);
	if (r->failed || (n_format && count > rd_left(r)))
		return cut_short(g, r);
	if (count > LIMIT_LINE_FILES)
		return many_files(g, r);
	for (uint64_t k = 0; k < count && n_format; k++) {
		struct fast_line_file file = {.name = NULL};
		struct fast_line_source source = {.text = NULL};

		for (size_t i = 0; i < n_format; i++) {
			struct fast_value v;

			if (!fast_value_read(&g->unit, r, format[i].form, 0, &v))
				return r->failed
					   ? cut_short(g, r)
					   : WRONG(g, r, "line table: unknown form 0x%" PRIx64,
						   format[i].form);
			if (format[i].type == DW_LNCT_path)
				file.name = fast_value_text(g->f, &g->unit, &v, &file.n);
			else if (format[i].type == DW_LNCT_directory_index &&
				 v.class == CLASS_CONSTANT)
				file.dir = v.v;
			else if (format[i].type == DW_LNCT_LLVM_source && l->wants_sources)
				source.text = fast_value_text(g->f, &g->unit, &v, &source.n);
		}
		if (files && l->wants_sources)
			VEC_PUSH(l->sources, l->n_sources, l->cap_sources) = source;
		if (files)
			add_file(l, file);
		else
			VEC_PUSH(l->dirs, l->n_dirs, l->cap_dirs) = file;
	}
	return NULL;
}

static const char *fast_line_read_header(struct program *g)
{
	struct rd *r = &g->r, tables;
	uint64_t length = rd_u32(r);
	uint16_t version;
	const char *why;

	g->unit.wide = length == UINT32_MAX;
	if (g->unit.wide)
		length = rd_u64(r);
	if (r->failed || length > rd_left(r))
		return cut_short(g, r);
	r->end = r->p + length;
	version = rd_u16(r);
	if (r->failed)
		return cut_short(g, r);
	if (version < 2 || version > 5)
		return fast_fault(g->f, IN_LINE, place_of(g, r) - 2,
				  "line table: unknown version %u", version);
	g->l->version = (uint8_t)version;
	if (version >= 5) {
		g->unit.address_size = rd_u8(r);
		rd_u8(r); /* segment selectors */
	}
	length = rd_offset(r, g->unit.wide);
	if (r->failed || length > rd_left(r))
		return cut_short(g, r);
	tables = *r;
	r->p += length;
	g->min_length = rd_u8(&tables);
	g->max_ops = version >= 4 ? rd_u8(&tables) : 1;
	rd_u8(&tables); /* default_is_stmt */
	g->line_base = (int8_t)rd_u8(&tables);
	g->line_range = rd_u8(&tables);
	g->opcode_base = rd_u8(&tables);
	for (unsigned i = 1; i < g->opcode_base; i++)
		g->lengths[i] = rd_u8(&tables);
	if (tables.failed)
		return cut_short(g, &tables);
	if (!g->line_range || !g->opcode_base || !g->max_ops)
		return WRONG(g, &tables,
			     "line table: line_range %u, opcode_base %u, %u operations per "
			     "instruction make no sense",
			     g->line_range, g->opcode_base, g->max_ops);
	for (unsigned i = g->opcode_base; i < 256; i++) {
		unsigned adjusted = i - g->opcode_base;

		g->special[i].ops = (uint8_t)(adjusted / g->line_range);
		g->special[i].bytes = (uint16_t)(g->special[i].ops * g->min_length);
		g->special[i].line = (int16_t)(g->line_base + (int)(adjusted % g->line_range));
	}
	if (version < 5)
		return fast_line_old_tables(g, &tables);
	why = fast_line_new_table(g, &tables, false);
	return why ? why : fast_line_new_table(g, &tables, true);
}

static size_t first_at_least(const uint64_t *addrs, size_t n, uint64_t addr)
{
	return BISECT(i, 0, n, addrs[i] < addr);
}

struct registers {
	uint64_t addr, line, column, file;
	uint32_t discriminator;
};

/* Where a sequence is among the addresses. */
struct stretch {
	const uint64_t *addrs;
	size_t n;
	struct fast_row *rows;
	struct fast_line_places *places; /* instead of those: every stretch is wanted */
	bool live;                       /* there is a row before of this sequence */
	bool removed;                    /* a linker put the highest address there: see below */
	size_t next;                     /* the first address not below that row's */
};

static uint32_t small(uint64_t v)
{
	return v <= UINT32_MAX ? (uint32_t)v : 0;
}

/* The row holds the addresses from a number on up to end: the number of the first that is not below that. */
static inline size_t fast_line_fill(const uint64_t *addrs, size_t next, size_t n,
				    const struct fast_row *row, uint64_t end, struct fast_row *rows)
{
	for (; next < n && addrs[next] < end; next++)
		if (!rows[next].there || rows[next].addr < row->addr)
			rows[next] = *row;
	return next;
}

/* The stretch of the row before is [row.addr, addr). */
static void fast_line_add(struct stretch *s, const struct registers *before, uint64_t addr)
{
	const struct fast_row row = {
	    .addr = before->addr,
	    .file = before->file < LIMIT_LINE_FILES ? (uint32_t)before->file : LIMIT_LINE_FILES,
	    .line = small(before->line),
	    .column = small(before->column),
	    .discriminator = before->discriminator,
	    .there = true,
	};

	if (s->places) {
		struct fast_line_places *p = s->places;

		if (!p->n || p->all[p->n - 1].key != row.addr)
			VEC_PUSH(p->all, p->n, p->cap) = (struct sort_item){row.addr, 0};
		VEC_PUSH(p->all, p->n, p->cap) = (struct sort_item){addr, 1};
		VEC_PUSH(p->stretches, p->n_stretches, p->cap_stretches) =
		    (struct fast_line_stretch){row, addr};
		return;
	}
	s->next = fast_line_fill(s->addrs, s->next, s->n, &row, addr, s->rows);
}

/* A row at addr that something begins or ends at. What is wanted next: the first address that the
 * stretch from addr on may hold. */
static __attribute__((noinline)) uint64_t fast_line_meet(struct stretch *s,
							 const struct registers *before,
							 uint64_t addr)
{
	if (s->removed)
		return UINT64_MAX;
	/* After a step backwards the end of the row before is not known: it has no stretch. */
	if (s->live && addr >= before->addr)
		fast_line_add(s, before, addr);
	else
		s->next = first_at_least(s->addrs, s->places ? 0 : s->n, addr);
	s->live = true;
	return s->places ? 0 : s->next < s->n ? s->addrs[s->next] : UINT64_MAX;
}

/* Before the first row of a sequence this lets none pass. */
static inline void begin_sequence(struct stretch *s, struct registers *now,
				  struct registers *before, uint64_t *want)
{
	*now = (struct registers){.line = 1, .file = 1};
	s->live = s->removed = false;
	before->addr = UINT64_MAX;
	*want = 0;
}

/* LLVM's linkers give code that they removed the highest address; rows behind it wrap around, to code that is there. */
static void set_address(struct stretch *s, struct registers *now, struct registers *before,
			uint64_t *want, uint64_t addr, unsigned size)
{
	bool removed = size && addr == UINT64_MAX >> (64 - 8 * size);

	now->addr = addr;
	if (removed == s->removed)
		return;
	s->removed = removed;
	s->live = false;
	before->addr = UINT64_MAX;
	*want = 0;
}

/* All of it is inlined, so that registers are the processor's. */
static inline __attribute__((always_inline)) void emit(struct stretch *s, struct registers *now,
						       struct registers *before, uint64_t *want)
{
	if (now->addr < before->addr || now->addr > *want)
		*want = fast_line_meet(s, before, now->addr);
	*before = *now;
	now->discriminator = 0;
}

/* For several operations in one instruction. */
static void fast_line_advance_ops(const struct program *g, uint64_t *addr, uint32_t *op_index,
				  uint64_t ops)
{
	ops += *op_index;
	*addr += g->min_length * (ops / g->max_ops);
	*op_index = (uint32_t)(ops % g->max_ops);
}

/* A number, and what is behind it; NULL: it is cut short. */
struct number {
	const uint8_t *behind;
	uint64_t v;
};

static __attribute__((noinline)) struct number long_number(const uint8_t *p, const uint8_t *end,
							   bool with_sign)
{
	struct rd r = {.p = p, .end = end};
	uint64_t v = with_sign ? (uint64_t)rd_sleb(&r) : rd_uleb(&r);

	return (struct number){r.failed ? NULL : r.p, v};
}

static inline struct number number_at(const uint8_t *p, const uint8_t *end)
{
	if (p < end && *p < 0x80)
		return (struct number){p + 1, *p};
	return long_number(p, end, false);
}

static inline struct number signed_at(const uint8_t *p, const uint8_t *end)
{
	enum { SIGN = 1 << 6, LONG_SIGN = 1 << 13 };
	unsigned v;

	if (end - p < 2)
		return long_number(p, end, true);
	v = p[0];
	if (v < 0x80)
		return (struct number){p + 1, (uint64_t)(v ^ SIGN) - SIGN};
	v = (v & 0x7f) | (unsigned)p[1] << 7;
	if (v >= 1 << 14)
		return long_number(p, end, true);
	return (struct number){p + 2, (uint64_t)(v ^ LONG_SIGN) - LONG_SIGN};
}

static const char *fast_line_add_defined(struct program *g, struct rd *r)
{
	struct fast_line_file file;

	file.name = rd_cstr(r, &file.n);
	file.dir = rd_uleb(r);
	if (r->failed)
		return cut_short(g, r);
	if (g->l->n_files >= LIMIT_LINE_FILES)
		return many_files(g, r);
	add_file(g->l, file);
	return NULL;
}

static const char *fast_line_run(struct program *g, const uint64_t *addrs, size_t n,
				 struct budget *b, struct fast_row *rows,
				 struct fast_line_places *places)
{
	struct stretch s = {.addrs = addrs, .n = n, .rows = rows, .places = places};
	const uint8_t *p = g->r.p, *const end = g->r.end;
	const unsigned opcode_base = g->opcode_base;
	const bool one_op = g->max_ops == 1;
	struct registers now, before = {.addr = 0};
	uint32_t op_index = 0;
	unsigned size;
	struct number v = {p, 0};
	uint64_t want;
	const char *why;
	struct rd r;

	begin_sequence(&s, &now, &before, &want);
	while (p < end) {
		unsigned op = *p++;

		if (op >= opcode_base) {
			now.line += (uint64_t)g->special[op].line;
			if (one_op)
				now.addr += g->special[op].bytes;
			else
				fast_line_advance_ops(g, &now.addr, &op_index, g->special[op].ops);
			emit(&s, &now, &before, &want);
			continue;
		}
		switch (op) {
		case 0:
			v = number_at(p, end);
			if (!v.behind)
				goto cut;
			p = v.behind;
			if (v.v > (size_t)(end - p)) {
				g->r.p = p;
				return cut_short(g, &g->r);
			}
			r = (struct rd){.p = p, .end = p + v.v, .big_endian = g->r.big_endian};
			p = r.end;
			switch (v.v ? rd_u8(&r) : 0) {
			case DW_LNE_end_sequence:
				emit(&s, &now, &before, &want);
				begin_sequence(&s, &now, &before, &want);
				op_index = 0;
				break;
			case DW_LNE_set_address:
				size = v.v - 1 < 8 ? (unsigned)v.v - 1 : 8;
				set_address(&s, &now, &before, &want, rd_uint(&r, size), size);
				op_index = 0;
				break;
			case DW_LNE_set_discriminator:
				now.discriminator = small(rd_uleb(&r));
				break;
			case DW_LNE_define_file:
				why = fast_line_add_defined(g, &r);
				if (why)
					return why;
				break;
			default: break;
			}
			if (budget_spend(b, 2)) {
				g->r.p = p;
				return out_of_time(g, &g->r);
			}
			break;
		case DW_LNS_copy: emit(&s, &now, &before, &want); break;
		case DW_LNS_advance_pc:
			v = number_at(p, end);
			if (one_op)
				now.addr += g->min_length * v.v;
			else
				fast_line_advance_ops(g, &now.addr, &op_index, v.v);
			goto behind_number;
		case DW_LNS_advance_line:
			v = signed_at(p, end);
			now.line += v.v;
			goto behind_number;
		case DW_LNS_set_file:
			v = number_at(p, end);
			now.file = v.v;
			goto behind_number;
		case DW_LNS_set_column:
			v = number_at(p, end);
			now.column = v.v;
			goto behind_number;
		case DW_LNS_set_isa: v = number_at(p, end); goto behind_number;
		case DW_LNS_negate_stmt:
		case DW_LNS_set_basic_block:
		case DW_LNS_set_prologue_end:
		case DW_LNS_set_epilogue_begin: break;
		case DW_LNS_const_add_pc:
			if (one_op)
				now.addr += g->special[255].bytes;
			else
				fast_line_advance_ops(g, &now.addr, &op_index, g->special[255].ops);
			break;
		case DW_LNS_fixed_advance_pc:
			r = (struct rd){.p = p, .end = end, .big_endian = g->r.big_endian};
			now.addr += rd_u16(&r);
			op_index = 0;
			v.behind = r.failed ? NULL : r.p;
			goto behind_number;
		default:
			r = (struct rd){.p = p, .end = end};
			for (unsigned i = 0; i < g->lengths[op]; i++)
				rd_skip_leb(&r);
			v.behind = r.failed ? NULL : r.p;
			goto behind_number;
		}
		continue;
	behind_number:
		if (!v.behind)
			goto cut;
		p = v.behind;
	}
	return NULL;
cut:
	g->r.p = p;
	return cut_short(g, &g->r);
}

/* The table's bytes, near: first enough for most. */
static void fast_line_bring_table(struct program *g)
{
	enum { MOST_TABLES = 8 << 10 };
	const struct fast_file *f = g->f;
	uint64_t left = f->in[IN_LINE].n - g->unit.lines,
		 n = left < MOST_TABLES ? left : MOST_TABLES;
	struct fast_near *near = &g->l->near;
	struct rd r;
	uint64_t length;

	if (!fast_near_bring(near, f, IN_LINE, g->unit.lines, n))
		return;
	r = (struct rd){.p = near->p, .end = near->p + n, .big_endian = f->big_endian};
	length = rd_u32(&r);
	if (length == UINT32_MAX)
		length = rd_u64(&r);
	length = length < left ? length + (uint64_t)(r.p - near->p) : left;
	if (length > left)
		length = left;
	if (length > n && !fast_near_bring(near, f, IN_LINE, g->unit.lines, n = length))
		return;
	g->start = g->r.p = near->p;
	g->r.end = near->p + n;
}

static const char *fast_line_begin(struct program *g)
{
	const struct fast_file *f = g->f;

	g->l->n_files = g->l->n_dirs = g->l->n_sources = 0;
	g->l->relative = f->relative;
	g->r = rd_at(f->in[IN_LINE], g->unit.lines, f->big_endian);
	if (g->r.failed)
		return fast_fault(f, IN_LINE, g->unit.lines,
				  "line table: lies outside the section");
	g->start = g->r.p;
	fast_line_bring_table(g);
	return fast_line_read_header(g);
}

const char *fast_lines_source(const struct fast_file *f, const struct fast_unit *u,
			      struct fast_lines *l, const char *path, size_t *n)
{
	struct program g = {.f = f, .unit = *u, .l = l};
	struct buf named = BUF_INIT;
	const char *text = NULL;

	l->wants_sources = true;
	if (u->has_lines && !fast_line_begin(&g))
		for (size_t i = 0; !text && i < l->n_sources; i++) {
			named.len = 0;
			if (l->sources[i].text && l->sources[i].n &&
			    fast_lines_path(l, u, (uint32_t)i, &named) &&
			    !strcmp(buf_str(&named), path)) {
				text = l->sources[i].text;
				*n = l->sources[i].n;
			}
		}
	l->wants_sources = false;
	buf_release(&named);
	return text;
}

static const char *fast_line_run_table(const struct fast_file *f, const struct fast_unit *u,
				       const uint64_t *addrs, size_t n, struct budget *b,
				       struct fast_lines *l, struct fast_row *rows,
				       struct fast_line_places *places)
{
	struct program g = {.f = f, .unit = *u, .l = l};
	const char *why;

	l->n_files = l->n_dirs = 0;
	l->relative = f->relative;
	if (!u->has_lines)
		return NULL;
	why = fast_line_begin(&g);
	/* Units may share a table, and it is run for each that is looked up: a row belongs to the
	 * unit that owns its address, and only those addresses are looked for. Compilers share
	 * tables with type units, which own none, so a table is run once in their files. Where
	 * thousands of units share a large one on purpose, the worker's budget ends it, and what it
	 * gave up is reported; a cache of rows would have to be bounded just so. */
	if (!why && budget_spend(b, rd_left(&g.r) / 8 + l->n_files))
		why = out_of_time(&g, &g.r);
	if (why) {
		l->n_files = 0;
		return why;
	}
	return fast_line_run(&g, addrs, n, b, rows, places);
}

const char *fast_lines_run(const struct fast_file *f, const struct fast_unit *u,
			   const uint64_t *addrs, size_t n, struct budget *b, struct fast_lines *l,
			   struct fast_row *rows)
{
	const char *why;

	memset(rows, 0, n * sizeof *rows);
	why = fast_line_run_table(f, u, addrs, n, b, l, rows, NULL);
	if (why)
		memset(rows, 0, n * sizeof *rows);
	return why;
}

const char *fast_lines_places(const struct fast_file *f, const struct fast_unit *u,
			      struct budget *b, struct fast_lines *l, struct fast_line_places *all)
{
	all->n_stretches = 0;
	return fast_line_run_table(f, u, NULL, 0, b, l, NULL, all);
}

void fast_lines_rows(const struct fast_line_places *all, const uint64_t *addrs, size_t n,
		     struct fast_row *rows)
{
	uint64_t end = 0;
	size_t next = 0;

	memset(rows, 0, n * sizeof *rows);
	for (size_t i = 0; i < all->n_stretches; i++) {
		const struct fast_line_stretch *s = &all->stretches[i];

		if (s->row.addr != end)
			next = first_at_least(addrs, n, s->row.addr);
		next = fast_line_fill(addrs, next, n, &s->row, s->end, rows);
		end = s->end;
	}
}

void fast_line_places_release(struct fast_line_places *all)
{
	free(all->all);
	free(all->stretches);
	*all = (struct fast_line_places){.n = 0};
}

/* A copy that ends in NUL, at its offset in scratch: the section may be rewritten under us. */
static size_t copy(struct buf *scratch, const char *s, size_t n)
{
	size_t at = scratch->len;

	buf_add(scratch, s, n);
	buf_addc(scratch, 0);
	return at;
}

bool fast_lines_path(struct fast_lines *l, const struct fast_unit *u, uint32_t number,
		     struct buf *out)
{
	const struct fast_line_file *file, *dir = NULL;
	bool home; /* it lies in the compilation directory */
	size_t comp_dir, dir_name, name;

	if (number >= l->n_files || !l->files[number].name)
		return false;
	file = &l->files[number];
	if (file->dir < l->n_dirs && l->dirs[file->dir].name)
		dir = &l->dirs[file->dir];
	home = l->relative && l->version >= 5 && !file->dir;
	if (home)
		dir = NULL;
	l->scratch.len = 0;
	comp_dir = copy(&l->scratch, u->comp_dir, l->relative ? 0 : u->n_comp_dir);
	dir_name = copy(&l->scratch, dir ? dir->name : "", dir ? dir->n : 0);
	name = copy(&l->scratch, file->name, file->n);
	unit_join_path(out, l->version, l->scratch.data + comp_dir, file->dir,
		       l->scratch.data + dir_name, l->scratch.data + name);
	return true;
}

void fast_lines_release(struct fast_lines *l)
{
	free(l->files);
	free(l->dirs);
	free(l->sources);
	buf_release(&l->scratch);
	fast_near_release(&l->near);
	*l = (struct fast_lines){.n_files = 0};
}
