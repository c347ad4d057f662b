/* SPDX-License-Identifier: MIT */
#include "lib/recorder/lua/sizes.h"

#include <sys/uio.h>
#include <unistd.h>

enum { STATE_BYTES = 32 << 10, CHAIN_MAX = 1 << 24 };

bool sizes_begin(struct lua_sizes *z, lua_State *l, const struct lua_watch *w)
{
	uint64_t known = 0;

	*z = (struct lua_sizes){.total = (uint64_t)lua_gc(l, LUA_GCCOUNT, 0) * 1024 +
					 (uint64_t)lua_gc(l, LUA_GCCOUNTB, 0)};
	z->blocks = watch_sorted(w, &z->n);
	z->owned = z->blocks ? own_zeroed(z->n / 8 + 1, 1) : NULL;
	if (!z->owned) {
		sizes_end(z);
		return false;
	}
	for (size_t i = 0; i < z->n; i++)
		known += z->blocks[i].size;
	z->older = z->total > known ? z->total - known : 0;
	shapes_learn(l, &z->shapes);
	return true;
}

void sizes_end(struct lua_sizes *z)
{
	own_free(z->blocks);
	own_free(z->owned);
	*z = (struct lua_sizes){.n = 0};
}

bool sizes_owned(const struct lua_sizes *z, size_t i)
{
	return z->owned[i / 8] >> i % 8 & 1;
}

/* The bytes of the block that has the address; 0: there is none, or it is another's already. */
static uint64_t take(struct lua_sizes *z, uint64_t address)
{
	size_t i = blocks_find(z->blocks, z->n, address);

	if (i == z->n || sizes_owned(z, i))
		return 0;
	z->owned[i / 8] |= (uint8_t)(1u << i % 8);
	return z->blocks[i].size;
}

/* The block that begins there; n: none. */
static size_t begins(const struct lua_sizes *z, uint64_t address)
{
	size_t i = blocks_find(z->blocks, z->n, address);

	return i < z->n && z->blocks[i].address == address ? i : z->n;
}

static uint64_t take_parts(struct lua_sizes *z, const struct lua_offsets *o, uint64_t id)
{
	uint64_t sum = 0;

	for (unsigned k = 0; k < o->n; k++) {
		size_t i = begins(z, shapes_word(&z->shapes, id + (unsigned)o->at[k]));

		if (i < z->n)
			sum += take(z, z->blocks[i].address);
	}
	return sum;
}

static uint64_t take_calls(struct lua_sizes *z, uint64_t id)
{
	const struct lua_shapes *s = &z->shapes;
	uint64_t sum = 0, at = id + (unsigned)s->call;

	for (int n = 0; s->call_size && n < CHAIN_MAX; n++) {
		uint64_t block = shapes_word(s, at);
		size_t i = begins(z, block);

		if (i == z->n || z->blocks[i].size != (unsigned)s->call_size || sizes_owned(z, i))
			break;
		sum += take(z, block);
		at = block + (unsigned)s->next_call;
	}
	return sum;
}

/* What an object from before the module has at least; 0: not known. */
static uint64_t older_size(const struct lua_shapes *s, int type, bool is_c, uint64_t content)
{
	uint64_t size;

	switch (type) {
	case LUA_TSTRING:
		size = (unsigned)s->string_header + content + 1;
		return s->string_round
			   ? (size + (unsigned)s->string_round - 1) & -(uint64_t)s->string_round
			   : content;
	case LUA_TUSERDATA: return content;
	case LUA_TTABLE: return s->table_size;
	case LUA_TFUNCTION:
		return s->functions && !is_c ? (unsigned)s->upvalues + content * s->width : 0;
	default: return 0;
	}
}

/* Of a table, those from before the module. */
static uint64_t older_parts(struct lua_sizes *z, uint64_t id)
{
	const struct lua_shapes *s = &z->shapes;
	uint64_t sum = 0;

	for (int k = 0; k < 2; k++) {
		uint64_t word = shapes_word(s, id + (unsigned)s->table.at[k]);
		bool inside =
		    word - id < s->table_size * 16; /* LuaJIT: a short array is behind its table */

		if (!inside && begins(z, word) == z->n)
			sum += shapes_part_bytes(s, id, k);
	}
	z->older_told += sum;
	return sum;
}

bool sizes_object(struct lua_sizes *z, int type, bool is_c, uint64_t id, uint64_t content,
		  uint64_t *size)
{
	const struct lua_shapes *s = &z->shapes;
	uint64_t own = take(z, id);

	*size = own;
	if (!own) {
		*size = older_size(s, type, is_c, content);
		z->older_told += *size;
	}
	if (type == LUA_TTABLE && s->table.n)
		*size += take_parts(z, &s->table, id) + older_parts(z, id);
	if (type == LUA_TTHREAD && s->threads)
		*size += take_parts(z, &s->thread, id) + take_calls(z, id);
	return *size > 0;
}

bool sizes_hidden(struct lua_sizes *z, enum lua_hidden kind, uint64_t block, uint64_t *size)
{
	*size = take(z, block);
	if (*size && kind == HIDDEN_PROTO)
		*size += take_parts(z, &z->shapes.protos, block);
	if (*size && kind == HIDDEN_TABLE)
		*size += take_parts(z, &z->shapes.table, block);
	return *size > 0;
}

static enum lua_hidden kind_of(const struct lua_sizes *z, const struct lua_block *b)
{
	const struct lua_shapes *s = &z->shapes;
	uint8_t tag;

	if (s->tag < 0 || b->size < 16)
		return HIDDEN_OTHER;
	tag = *(const uint8_t *)(uintptr_t)(b->address + (unsigned)s->tag);
	if ((tag == s->tag_string || tag == s->tag_long_string) &&
	    b->size > (unsigned)s->string_header)
		return HIDDEN_STRING;
	if (tag == s->tag_table && b->size >= s->table_size)
		return HIDDEN_TABLE;
	return s->functions && tag == s->tag_proto ? HIDDEN_PROTO : HIDDEN_OTHER;
}

/* The bytes at address are copied before: they may be no memory that can be read. */
static void look(const struct lua_sizes *z, const uint8_t *bytes, uint64_t n, sizes_found found,
		 void *arg)
{
	unsigned width = z->shapes.width;

	for (uint64_t at = 0; width && at + width <= n; at += width) {
		uint64_t word = 0;
		size_t i;

		memcpy(&word, bytes + at, width);
		i = word ? begins(z, word) : z->n;
		if (i < z->n && !sizes_owned(z, i))
			found(arg, kind_of(z, &z->blocks[i]), word);
	}
}

void sizes_refers(const struct lua_sizes *z, uint64_t address, uint64_t bytes, sizes_found found,
		  void *arg)
{
	uint8_t copy[4096];

	while (bytes) {
		size_t n = bytes < sizeof copy ? bytes : sizeof copy;
		struct iovec to = {copy, n}, from = {(void *)(uintptr_t)address, n};
		ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);

		if (got <= 0)
			return;
		look(z, copy, (uint64_t)got, found, arg);
		address += n;
		bytes -= n;
	}
}

static void look_into(const struct lua_sizes *z, size_t i, sizes_found found, void *arg)
{
	look(z, (const void *)(uintptr_t)z->blocks[i].address, z->blocks[i].size, found, arg);
}

void sizes_proto_refers(const struct lua_sizes *z, uint64_t block, sizes_found found, void *arg)
{
	const struct lua_offsets *o = &z->shapes.protos;
	size_t own = begins(z, block);

	if (own == z->n)
		return;
	look_into(z, own, found, arg);
	for (unsigned k = 0; k < o->n; k++) {
		size_t i = begins(z, shapes_word(&z->shapes, block + (unsigned)o->at[k]));

		if (i < z->n)
			look_into(z, i, found, arg);
	}
}

void sizes_function_refers(const struct lua_sizes *z, uint64_t id, unsigned upvalues,
			   sizes_found found, void *arg)
{
	const struct lua_shapes *s = &z->shapes;
	size_t i;

	if (!s->functions)
		return;
	i = blocks_find(z->blocks, z->n, shapes_word(s, id + (unsigned)s->proto));
	if (i < z->n)
		found(arg, HIDDEN_PROTO, z->blocks[i].address);
	for (unsigned k = 0; k < upvalues; k++) {
		i = begins(z, shapes_word(s, id + (unsigned)s->upvalues + (uint64_t)k * s->width));
		if (i < z->n)
			found(arg, HIDDEN_UPVALUE, z->blocks[i].address);
	}
}

void sizes_state_refers(const struct lua_sizes *z, uint64_t id, sizes_found found, void *arg)
{
	sizes_refers(z, id, STATE_BYTES, found, arg);
}
