/* SPDX-License-Identifier: MIT
 *
 * Facts: Intel's Software Developer's Manual vol. 2, for branches by their bytes (EB, 70 to 7F, E0 to E3; E8, E9, 0F 80 to 8F).
 */
#include "cmd/tm-record/wrap_at.h"

#include "lib/cli/cli.h"
#include "lib/inspect/listing.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { JUMP = 5 };

static unsigned n_wrapped;

struct first_bytes {
	uint8_t code[CAP_WRAP_BYTES]; /* as they are */
	unsigned n;
	uint8_t moved[CAP_WRAP_MOVED]; /* as they are to be elsewhere */
	unsigned n_moved;
	char places[8]; /* of offsets in moved: letters, as the settings have them */
	unsigned n_places;
};

/* jrcxz and loop, which have no longer form, are none. */
static bool is_short_branch(const struct instruction *i)
{
	return i->size == 2 && (i->bytes[0] == 0xeb || (i->bytes[0] & 0xf0) == 0x70);
}

static bool is_count_branch(const struct instruction *i)
{
	return i->size == 2 && (i->bytes[0] & 0xfc) == 0xe0;
}

static bool is_call(const struct instruction *i)
{
	return i->known && !strncmp(i->name, "call", 4);
}

static bool is_near_branch(const struct instruction *i)
{
	return (i->size == 5 && (i->bytes[0] == 0xe8 || i->bytes[0] == 0xe9)) ||
	       (i->size == 6 && i->bytes[0] == 0x0f && (i->bytes[1] & 0xf0) == 0x80);
}

/* Where a branch of known target leads to. */
static bool target_of(const struct instruction *i, uint64_t *to)
{
	int32_t by;

	if (is_short_branch(i) || is_count_branch(i)) {
		*to = i->addr + i->size + (uint64_t)(int64_t)(int8_t)i->bytes[1];
		return true;
	}
	if (!is_near_branch(i))
		return false;
	memcpy(&by, i->bytes + i->size - 4, sizeof by);
	*to = i->addr + i->size + (uint64_t)(int64_t)by;
	return true;
}

/* "[rip + 0x1234]", "[rip - 8]": the offset is in the bytes, once. */
static bool rip_place(const struct instruction *i, unsigned *at)
{
	const char *p = strstr(i->operands, "rip");
	int32_t by, is;
	unsigned n = 0;

	p = p + strcspn(p, "+-]");
	by = *p == ']' ? 0 : (int32_t)strtol(p + 2, NULL, 0) * (*p == '-' ? -1 : 1);
	for (unsigned k = 1; k + 4 <= i->size; k++) {
		memcpy(&is, i->bytes + k, sizeof is);
		if (is == by) {
			*at = k;
			n++;
		}
	}
	return n == 1;
}

static void put_moved(struct first_bytes *p, const uint8_t *bytes, unsigned n)
{
	memcpy(p->moved + p->n_moved, bytes, n);
	p->n_moved += n;
}

/* The offset to an address, whose 4 bytes are at `at` of what was moved last; it is counted from the function's first byte
 * on, as if the moved bytes were there. */
static void put_offset(struct first_bytes *p, unsigned at, unsigned end, uint64_t lo, uint64_t to)
{
	int32_t by = (int32_t)(to - lo - end);

	memcpy(p->moved + at, &by, sizeof by);
	p->places[p->n_places++] = (char)('a' + at);
}

/* A short branch becomes a near one. */
static void move_branch(struct first_bytes *p, const struct instruction *i, uint64_t lo)
{
	uint8_t near[6] = {0x0f, (uint8_t)(0x80 | (i->bytes[0] & 0x0f))};
	uint64_t to = 0;

	target_of(i, &to);
	if (i->bytes[0] == 0xeb)
		put_moved(p, (const uint8_t[]){0xe9, 0, 0, 0, 0}, 5);
	else if (is_short_branch(i))
		put_moved(p, near, sizeof near);
	else
		put_moved(p, i->bytes, i->size);
	put_offset(p, p->n_moved - 4, p->n_moved, lo, to);
}

/* push the address behind it, which lies beyond its block; jmp. So the callee returns to the function, which unwinders
 * know. */
static void move_call(struct first_bytes *p, const struct instruction *i, uint64_t lo)
{
	uint8_t push[6] = {0xff, 0x35};
	int32_t by = CAP_WRAP_RETURN - (int32_t)(p->n_moved + sizeof push);
	uint64_t to = 0;

	target_of(i, &to);
	memcpy(push + 2, &by, sizeof by);
	put_moved(p, push, sizeof push);
	put_moved(p, (const uint8_t[]){0xe9, 0, 0, 0, 0}, 5);
	put_offset(p, p->n_moved - 4, p->n_moved, lo, to);
}

/* NULL: it is taken; else why it cannot be moved. */
static const char *take_instruction(struct first_bytes *p, const struct instruction *i, uint64_t lo)
{
	unsigned at;
	int32_t by;

	if (!i->known)
		return "its first bytes are no instruction";
	if (is_count_branch(i))
		return "it begins with a branch that reaches only its own surroundings (jrcxz, "
		       "loop)";
	if (is_call(i) && i->bytes[0] != 0xe8)
		return "it begins with a call by a pointer";
	if (p->n + i->size > CAP_WRAP_BYTES || p->n_moved + 11 > CAP_WRAP_MOVED ||
	    p->n_moved + i->size > CAP_WRAP_MOVED || p->n_places == sizeof p->places)
		return "its first instructions are too long";
	if (is_call(i)) {
		move_call(p, i, lo);
	} else if (is_short_branch(i) || is_near_branch(i)) {
		move_branch(p, i, lo);
	} else if (strstr(i->operands, "rip")) {
		if (!rip_place(i, &at))
			return "an offset in its first instructions is not found";
		memcpy(&by, i->bytes + at, sizeof by);
		put_moved(p, i->bytes, i->size);
		put_offset(p, p->n_moved - i->size + at, p->n_moved, lo,
			   i->addr + i->size + (uint64_t)(int64_t)by);
	} else {
		put_moved(p, i->bytes, i->size);
	}
	memcpy(p->code + p->n, i->bytes, i->size);
	p->n += i->size;
	return NULL;
}

/* Nothing may lead between the jump's bytes; and what branches to the first is no call. */
static const char *look_for_targets(struct disasm *d, const struct extent *f, unsigned n)
{
	struct instruction i;
	uint64_t to;

	for (uint64_t at = f->lo; disasm_at(d, at, f->hi, &i); at += i.size)
		if (target_of(&i, &to) && to >= f->lo + is_call(&i) && to < f->lo + n)
			return "a branch leads to its first instructions";
	return NULL;
}

static const char *read_prologue(struct disasm *d, const struct extent *f, struct first_bytes *p)
{
	const char *why = NULL;
	struct instruction i;

	*p = (struct first_bytes){.n = 0};
	if (f->hi - f->lo < JUMP)
		return "it is shorter than the jump of 5 bytes";
	for (uint64_t at = f->lo; !why && p->n < JUMP; at += i.size) {
		if (!disasm_at(d, at, f->hi, &i))
			return "its code cannot be read";
		why = take_instruction(p, &i, f->lo);
	}
	return why ? why : look_for_targets(d, f, p->n);
}

static void add_words(struct cap_settings *s, const struct extent *f, const struct first_bytes *p)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s%" PRIx64 ":", s->wraps, f->lo);
	for (unsigned i = 0; i < p->n; i++)
		buf_addf(&b, "%02x", p->code[i]);
	buf_addc(&b, ':');
	for (unsigned i = 0; i < p->n_moved; i++)
		buf_addf(&b, "%02x", p->moved[i]);
	buf_addf(&b, ":%.*s;", (int)p->n_places, p->places);
	if (b.len >= sizeof s->wraps)
		cli_usage("--wrap-at: too many functions");
	memcpy(s->wraps, buf_str(&b), b.len + 1);
	buf_release(&b);
}

static void wrap_name(struct launch *l, struct inspect *x, const char *name)
{
	struct extent *all = NULL;
	size_t n = listing_find_all(x, name, &all);
	struct first_bytes p;
	const char *why;

	if (!n)
		cli_usage("--wrap-at: '%s' is not a function of %s", name, l->program);
	for (size_t i = 0; i < n; i++) {
		why = read_prologue(x->disasm, &all[i], &p);
		if (why)
			cli_usage("--wrap-at: %s cannot be wrapped: %s", name, why);
		if (++n_wrapped > CAP_WRAP_AT)
			cli_usage("--wrap-at: at most %d functions", CAP_WRAP_AT);
		add_words(&l->settings, &all[i], &p);
	}
	free(all);
}

void wrap_at_prepare(struct launch *l, const struct opt_list *names)
{
	const struct object_search search = {.dirs = NULL};
	struct inspect x = {0};
	struct err e = ERR_INIT;

	if (!names->n)
		return;
	if (inspect_open_code(&x, l->program, &search, &e))
		cli_die(l->program, "--wrap-at: %s", e.msg);
	if (!x.file.code || x.file.code->arch != CODE_X86_64)
		cli_usage("--wrap-at: only programs of x86-64 can be wrapped");
	x.disasm = x.disasm ? x.disasm : disasm_new(x.file.code, false);
	if (!x.disasm)
		cli_die(l->program, "--wrap-at: capstone is not installed");
	for (size_t i = 0; i < names->n; i++)
		wrap_name(l, &x, names->items[i]);
	inspect_release(&x);
	l->settings.calls = CAP_CALLS_ALL;
}

void wrap_at_end(const struct launch *l)
{
	uint32_t n = l->outcome ? atomic_load(&l->outcome->wrapped) : 0;

	if (n < n_wrapped && launch_loaded(l) == CAP_LOADED)
		cli_error(l->program,
			  "--wrap-at: %u of %u functions were wrapped: the system "
			  "does not let code be changed, or the program is another",
			  n, n_wrapped);
}
