/* SPDX-License-Identifier: MIT
 *
 * The reader of index files. Every count and number in the file is checked where it is used: a
 * checksum shows damage, not malice, and a file may change under its mapping. Text ends at the
 * mapping's end at the latest, where lib/object/map.h has put a NUL.
 */
#include "lib/base/mem.h"
#include "lib/base/pool.h"
#include "lib/base/sort.h"
#include "lib/index/index.h"
#include "lib/index/index_format.h"
#include "lib/object/map.h"

#include <stdlib.h>
#include <sys/stat.h>

struct part {
	uint64_t offset, size;
};

struct index {
	struct map_piece *map;
	uint8_t *data;
	uint64_t size;
	uint64_t body; /* where checked chunks begin */
	uint64_t n_checksums;
	uint8_t *good; /* by chunk: it has been checked */
	/* by number: it has been checked, with all that it leads to */
	uint8_t *good_calls, *good_strings;
	struct store_node *swapped; /* calls, where the processor is big-endian; NULL: not yet */
	struct part parts[PARTS];
	uint64_t n_blocks, n_calls;
	uint32_t n_strings, flags;
};

static enum status bad(struct err *e, const char *what)
{
	return err_set(e, ST_BAD, "%s", what);
}

/* Workers find out the same. */
static bool is_good(const uint8_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static void set_good(uint8_t *p)
{
	__atomic_store_n(p, 1, __ATOMIC_RELAXED);
}

/* False: a checksum differs. Bytes [offset, offset + n) lie inside the body. */
static bool index_check_bytes(struct index *x, uint64_t offset, uint64_t n)
{
	uint64_t first, last;

	if (!n)
		return true;
	first = (offset - x->body) / INDEX_CHUNK;
	last = (offset - x->body + n - 1) / INDEX_CHUNK;
	for (uint64_t i = first; i <= last; i++) {
		uint64_t at = x->body + i * INDEX_CHUNK, left = x->size - at;
		size_t len = left < INDEX_CHUNK ? (size_t)left : INDEX_CHUNK;

		if (is_good(&x->good[i]))
			continue;
		if (hash_bytes_seeded(x->data + at, len, i) != le64(x->data + INDEX_HEADER + 8 * i))
			return false;
		set_good(&x->good[i]);
	}
	return true;
}

/* n bytes at an offset in a part, checked; NULL: damaged, or outside the part. */
static const uint8_t *bytes(struct index *x, enum index_part part, uint64_t offset, uint64_t n)
{
	const struct part *p = &x->parts[part];

	if (offset > p->size || n > p->size - offset ||
	    !index_check_bytes(x, p->offset + offset, n))
		return NULL;
	return x->data + p->offset + offset;
}

static enum status index_read_parts(struct index *x, struct err *e)
{
	uint64_t at = x->body;

	for (size_t i = 0; i < PARTS; i++) {
		struct part *p = &x->parts[i];

		p->offset = le64(x->data + INDEX_PARTS_AT + 16 * i);
		p->size = le64(x->data + INDEX_PARTS_AT + 16 * i + 8);
		if (p->offset != at || p->size > x->size - at ||
		    ((p->size + 7) & ~7ull) > x->size - at)
			return bad(e, "a part lies outside the file");
		at += (p->size + 7) & ~UINT64_C(7);
	}
	if (at != x->size)
		return bad(e, "its parts do not fill it");
	x->n_blocks = x->parts[PART_BLOCKS].size / EACH_BLOCK;
	x->n_calls = x->parts[PART_CALLS].size / EACH_CALL;
	if (x->flags & INDEX_REFUSED) { /* whatever it says: no memory for it */
		x->n_calls = x->n_strings = 0;
		return ST_OK;
	}
	if (x->parts[PART_BLOCKS].size % EACH_BLOCK || x->parts[PART_CALLS].size % EACH_CALL ||
	    x->parts[PART_STARTS].size % 4 ||
	    x->parts[PART_STARTS].size != x->parts[PART_ANSWERS].size ||
	    x->parts[PART_STRINGS].size != ((uint64_t)x->n_strings + 2) * 4 || !x->n_calls ||
	    x->n_calls > INDEX_ASK || x->n_strings > UINT32_MAX - 2)
		return bad(e, "sizes of its parts make no sense");
	return ST_OK;
}

static enum status index_read_header(struct index *x, const void *key, size_t n_key, struct err *e)
{
	const uint8_t *h = x->data;

	if (memcmp(h, INDEX_MAGIC, 8))
		return bad(e, "is no index");
	if (le32(h + 8) != INDEX_VERSION)
		return bad(e, "is of another version");
	x->n_checksums = le64(h + 24);
	if (le64(h + 16) != x->size || x->n_checksums > (x->size - INDEX_HEADER) / 8)
		return bad(e, "its size differs");
	x->body = INDEX_HEADER + 8 * x->n_checksums;
	if ((x->size - x->body + INDEX_CHUNK - 1) / INDEX_CHUNK != x->n_checksums)
		return bad(e, "its size differs");
	if (hash_bytes_seeded(h, INDEX_SEAL_AT,
			      hash_bytes(h + INDEX_HEADER, 8 * (size_t)x->n_checksums)) !=
	    le64(h + INDEX_SEAL_AT))
		return bad(e, "its checksum differs");
	if (le32(h + 32) != n_key || memcmp(h + INDEX_KEY_AT, key, n_key))
		return bad(e, "is of another binary");
	x->flags = le32(h + 12);
	x->n_strings = le32(h + 36);
	return index_read_parts(x, e);
}

enum status index_open(struct index **out, int fd, const void *key, size_t n_key, struct err *e)
{
	struct index *x;
	struct stat st;
	enum status s;

	*out = NULL;
	if (fstat(fd, &st))
		return err_sys(e, "cannot be read");
	if (!S_ISREG(st.st_mode) || st.st_size < INDEX_HEADER || n_key > INDEX_KEY_MAX)
		return bad(e, "is no index");
	x = mem_zalloc(sizeof *x);
	x->size = (uint64_t)st.st_size;
	x->map = map_open(fd, 0, x->size, &x->data);
	s = x->map ? index_read_header(x, key, n_key, e) : err_sys(e, "cannot be mapped");
	if (!s) {
		x->good = mem_zalloc((size_t)x->n_checksums + 1);
		/* from the system as zeroes: only the pages that are used cost something */
		x->good_calls = mem_zalloc((size_t)x->n_calls + 1);
		x->good_strings = mem_zalloc((size_t)x->n_strings + 1);
		if (x->flags & INDEX_REFUSED)
			s = index_check(x, e);
		else if (!map_intact(x->map))
			s = bad(e, "has become shorter while it was read");
	}
	if (s)
		index_free(x);
	else
		*out = x;
	return s;
}

void index_free(struct index *x)
{
	if (!x)
		return;
	map_close(x->map);
	free(x->good);
	free(x->good_calls);
	free(x->good_strings);
	free(x->swapped);
	free(x);
}

uint64_t index_size(const struct index *x)
{
	return x->size;
}

uint64_t index_companions(const struct index *x)
{
	return le64(x->data + INDEX_COMPANIONS_AT);
}

const char *index_refused(const struct index *x)
{
	const struct part *p = &x->parts[PART_TEXT];

	if (!(x->flags & INDEX_REFUSED))
		return NULL;
	return p->size ? (const char *)x->data + p->offset : "";
}

enum status index_check(struct index *x, struct err *e)
{
	if (!index_check_bytes(x, x->body, x->size - x->body) || !map_intact(x->map))
		return bad(e, "a checksum differs");
	return ST_OK;
}

/* A piece of a batch in progress. */
struct batch {
	struct index *x;
	/* the block that holds the address last looked up */
	uint64_t base, next_base; /* next_base is meaningless in the last block */
	bool last;
	uint32_t count, at; /* at: the stretch last used */
	const uint8_t *starts, *answers;
};

/* False: there is no such text, or it is damaged. */
static bool index_good_string(struct index *x, uint32_t id)
{
	uint32_t number = id & ~STORE_BIT, from, to;
	const uint8_t *where, *text;

	if (!id)
		return true;
	if (!(id & STORE_BIT) || !number || number > x->n_strings)
		return false;
	if (is_good(&x->good_strings[number]))
		return true;
	where = bytes(x, PART_STRINGS, (uint64_t)number * 4, 8);
	if (!where)
		return false;
	from = le32(where);
	to = le32(where + 4);
	text = from < to ? bytes(x, PART_TEXT, from, to - from) : NULL;
	if (!text || text[to - from - 1])
		return false;
	set_good(&x->good_strings[number]);
	return true;
}

enum { DEEPEST = 8192 }; /* of calls; engines nest less */

/* The same of a call and those that it is inlined into. */
static bool index_good_call(struct index *x, uint32_t number)
{
	uint32_t c = number;

	for (unsigned depth = 0; c; depth++) {
		const uint8_t *p;
		uint32_t next;

		if (c >= x->n_calls || depth == DEEPEST)
			return false;
		if (is_good(&x->good_calls[c]))
			break;
		p = bytes(x, PART_CALLS, (uint64_t)c * EACH_CALL, EACH_CALL);
		if (!p || !index_good_string(x, le32(p + 4)) || !index_good_string(x, le32(p + 8)))
			return false;
		if (le32(p + 16) == STORE_WIDE &&
		    !bytes(x, PART_CALLS, ((uint64_t)c + 1) * EACH_CALL, EACH_CALL))
			return false;
		next = le32(p);
		if (next && (next <= STORE_BIT || (next & ~STORE_BIT) >= c))
			return false;
		c = next & ~STORE_BIT;
	}
	for (c = number; c;
	     c = le32(x->data + x->parts[PART_CALLS].offset + (uint64_t)c * EACH_CALL) &
		 ~STORE_BIT) {
		if (c >= x->n_calls) /* rewritten meanwhile */
			return false;
		if (is_good(&x->good_calls[c]))
			break;
		set_good(&x->good_calls[c]);
	}
	return true;
}

/* Goes to the last block whose base is at most addr; base is higher than addr if there is no such
 * block.
 */
static bool index_find_block(struct batch *b, uint64_t addr)
{
	const uint8_t *blocks = bytes(b->x, PART_BLOCKS, 0, b->x->parts[PART_BLOCKS].size), *p;
	uint64_t lo;
	uint32_t first;

	if (!blocks)
		return false;
	lo = BISECT(i, 0, b->x->n_blocks, le64(blocks + i * EACH_BLOCK) <= addr);
	b->last = lo == b->x->n_blocks;
	b->next_base = b->last ? 0 : le64(blocks + lo * EACH_BLOCK);
	b->count = b->at = 0;
	if (!lo)
		return true;
	p = blocks + (lo - 1) * EACH_BLOCK;
	b->base = le64(p);
	first = le32(p + 8);
	b->count = le32(p + 12);
	if (!b->count || b->count > INDEX_BLOCK)
		return false;
	b->starts = bytes(b->x, PART_STARTS, (uint64_t)first * 4, (uint64_t)b->count * 4);
	b->answers = bytes(b->x, PART_ANSWERS, (uint64_t)first * 4, (uint64_t)b->count * 4);
	return b->starts && b->answers;
}

/* The last stretch that starts at or before offset, from b->at on. */
static void index_find_stretch(struct batch *b, uint32_t offset)
{
	uint32_t lo = b->at, step = 1, hi;

	while (lo + step < b->count && le32(b->starts + 4 * (size_t)(lo + step)) <= offset) {
		lo += step;
		step *= 2;
	}
	hi = lo + step < b->count ? lo + step : b->count;
	/* lo starts at or before it, hi does not */
	b->at = BISECT(i, lo + 1, hi, le32(b->starts + 4 * (size_t)i) <= offset) - 1;
}

static bool index_answer_one(struct batch *b, uint64_t addr, struct dwarf_answer *to, bool *ask)
{
	uint32_t value;

	if (!b->count || (!b->last && addr >= b->next_base)) {
		if (!index_find_block(b, addr))
			return false;
	}
	to->call = 0;
	to->found = DWARF_NOT_FOUND;
	if (!b->count)
		return true;
	index_find_stretch(b,
			   addr - b->base > UINT32_MAX ? UINT32_MAX : (uint32_t)(addr - b->base));
	value = le32(b->answers + 4 * (size_t)b->at);
	*ask = value == INDEX_ASK;
	if (*ask || !(value & ~INDEX_LINE_ONLY))
		return true;
	to->found = value & INDEX_LINE_ONLY ? DWARF_LINE_ONLY : DWARF_FUNCTION;
	to->call = value | STORE_BIT;
	return index_good_call(b->x, value & ~STORE_BIT);
}

/* The calls as the processor has its numbers. */
static const struct store_node *native_calls(struct index *x)
{
	const uint8_t *p = x->data + x->parts[PART_CALLS].offset;

	_Static_assert(sizeof(struct store_node) == EACH_CALL, "a call is used where it lies");
	_Static_assert(INDEX_LINE_ONLY == STORE_BIT, "its other bits are a number in a store");
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		return (const void *)p;
	if (!x->swapped) {
		x->swapped = mem_array((size_t)x->n_calls, sizeof *x->swapped);
		for (uint64_t i = 0; i < x->n_calls * EACH_CALL / 4; i++)
			((uint32_t *)x->swapped)[i] = le32(p + 4 * i);
	}
	return x->swapped;
}

/* The store is the file. */
static void lay_open(struct index *x, struct dwarf_store *s)
{
	const struct store_node *calls = native_calls(x);

	for (size_t i = 0; i < x->n_calls; i += STORE_BLOCK) {
		if (i >> STORE_BITS >= s->cap_calls)
			s->calls = mem_grow(s->calls, &s->cap_calls, (i >> STORE_BITS) + 1,
					    sizeof *s->calls);
		s->calls[i >> STORE_BITS] = calls + i;
	}
	s->n_calls = (size_t)x->n_calls;
	s->offsets = x->data + x->parts[PART_STRINGS].offset;
	s->n_texts = (size_t)x->n_strings + 1;
	s->bytes = x->data + x->parts[PART_TEXT].offset;
	s->n_bytes = x->parts[PART_TEXT].size;
}

enum { PIECE = 8192 }; /* addresses */

struct whole_batch {
	struct index *x;
	const uint64_t *addrs;
	size_t n;
	struct dwarf_answer *of;
	uint32_t *ask;   /* of a piece at the place of its addresses */
	uint32_t *n_ask; /* by piece */
	bool bad;
};

static void index_answer_piece(size_t item, unsigned worker, void *arg)
{
	struct whole_batch *w = arg;
	struct batch b = {.x = w->x};
	size_t from = item * PIECE, end = from + PIECE < w->n ? from + PIECE : w->n;

	(void)worker;
	for (size_t i = from; i < end; i++) {
		bool wanted = false;

		if (!index_answer_one(&b, w->addrs[i], &w->of[i], &wanted)) {
			__atomic_store_n(&w->bad, true, __ATOMIC_RELAXED);
			return;
		}
		if (wanted)
			w->ask[from + w->n_ask[item]++] = (uint32_t)i;
	}
}

enum status index_answer(struct index *x, const uint64_t *addrs, size_t n,
			 const struct dwarf_options *options, struct dwarf_answers *out,
			 uint32_t *ask, size_t *n_ask, struct err *e)
{
	size_t n_pieces = (n + PIECE - 1) / PIECE;
	struct whole_batch w = {.x = x, .addrs = addrs, .n = n, .of = out->of, .ask = ask};

	*n_ask = 0;
	if (x->flags & INDEX_REFUSED) {
		for (size_t i = 0; i < n; i++)
			ask[i] = (uint32_t)i;
		*n_ask = n;
		return ST_OK;
	}
	out->bare = true;
	out->mute = !options->discriminators;
	w.n_ask = mem_zarray(n_pieces, sizeof *w.n_ask);
	pool_run(options->jobs, n_pieces, index_answer_piece, &w);
	for (size_t i = 0; i < n_pieces; i++) {
		memmove(ask + *n_ask, ask + i * PIECE, w.n_ask[i] * sizeof *ask);
		*n_ask += w.n_ask[i];
	}
	free(w.n_ask);
	if (w.bad || !map_intact(x->map))
		return bad(e, "is damaged");
	lay_open(x, &out->store);
	return ST_OK;
}

bool index_intact(const struct index *x)
{
	return map_intact(x->map);
}
