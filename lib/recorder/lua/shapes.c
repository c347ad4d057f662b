/* SPDX-License-Identifier: MIT
 *
 * Facts: the reference manuals, and that an object in all of these Luas begins with a reference to the object made
 * before, which is found, too (chain), and left out.
 */
#include "lib/recorder/lua/shapes.h"

#include <lauxlib.h>
#include <stdio.h>

enum { NOTED = 2048, ITEMS = 1000, NEST = 12, STATE_MAX = 512 };

struct probe {
	struct lua_shapes *s;
	lua_Alloc next;
	void *ud;
	struct lua_block blocks[NOTED];
	size_t n;
	bool full;
	int chain; /* where an object has the one before; -1 */
};

static void *probe_allocate(void *ud, void *old, size_t osize, size_t nsize)
{
	struct probe *p = ud;
	uintptr_t was = (uintptr_t)old;
	void *q = p->next(p->ud, old, osize, nsize);

	if (nsize && !q)
		return q;
	/* A field that Lua leaves as malloc gave it (gclist) would hold an address of the last owner, which may be found. */
	if (nsize > (was ? osize : 0))
		memset((char *)q + (was ? osize : 0), 0, nsize - (was ? osize : 0));
	for (size_t i = 0; was && i < p->n; i++)
		if (p->blocks[i].address == was) {
			p->blocks[i] = p->blocks[--p->n];
			break;
		}
	if (nsize && p->n < NOTED)
		p->blocks[p->n++] = (struct lua_block){(uintptr_t)q, nsize & (UINT64_MAX >> 8), 0};
	else if (nsize)
		p->full = true;
	return q;
}

/* NULL: it is not of the probe. */
static const struct lua_block *having(const struct probe *p, uint64_t address)
{
	for (size_t i = 0; i < p->n; i++)
		if (address - p->blocks[i].address < p->blocks[i].size)
			return &p->blocks[i];
	return NULL;
}

static const struct lua_block *beginning(const struct probe *p, uint64_t address)
{
	const struct lua_block *b = having(p, address);

	return b && b->address == address ? b : NULL;
}

static uint64_t id_at(lua_State *l, int i)
{
	return (uintptr_t)lua_topointer(l, i);
}

static uint8_t byte_at(uint64_t address)
{
	return *(const uint8_t *)(uintptr_t)address;
}

/* Where the object of id has that word; -1: nowhere, or twice. */
static int offset_of(const struct probe *p, uint64_t id, uint64_t word)
{
	const struct lua_block *b = having(p, id);
	int found = -1;

	for (uint64_t at = id; b && at + p->s->width <= b->address + b->size; at += p->s->width) {
		if (shapes_word(p->s, at) != word || (int)(at - id) == p->chain)
			continue;
		if (found >= 0)
			return -1;
		found = (int)(at - id);
	}
	return found;
}

static const struct lua_block *largest(const struct probe *p)
{
	const struct lua_block *most = p->blocks;

	for (size_t i = 1; i < p->n; i++)
		most = p->blocks[i].size > most->size ? &p->blocks[i] : most;
	return most;
}

/* Where a table with so many items has them. */
static int probe_part(lua_State *l, struct probe *p, int list, int fields)
{
	int found;

	p->n = 0;
	lua_createtable(l, list, fields);
	found = p->n ? offset_of(p, id_at(l, -1), largest(p)->address) : -1;
	lua_pop(l, 1);
	return found;
}

/* The width of references, and what every object begins with. */
static bool probe_chain(lua_State *l, struct probe *p)
{
	uint64_t first, second;

	p->n = 0;
	lua_newtable(l);
	lua_newtable(l);
	first = id_at(l, -2);
	second = id_at(l, -1);
	lua_pop(l, 2);
	p->chain = -1;
	p->chain = offset_of(p, second, first);
	return p->chain >= 0;
}

static uint64_t length_at(uint64_t address, enum lua_length how)
{
	uint32_t number;

	if (how == LENGTH_LOG2)
		return UINT64_C(1) << (byte_at(address) & 31);
	memcpy(&number, (const void *)(uintptr_t)address, sizeof number);
	return (uint64_t)number + (how == LENGTH_MASK);
}

static bool has_length(uint64_t address, enum lua_length how, uint64_t bytes, uint64_t *element)
{
	uint64_t n = length_at(address, how), each = n ? bytes / n : 0;

	if (!each || each * n != bytes || each > 64 || each < 8 || (*element && *element != each))
		return false;
	*element = each;
	return true;
}

/* How long a table's part is, by a number in the table: tables of four lengths agree on where, and in which form. */
static void probe_length(lua_State *l, struct probe *p, int part)
{
	static const int lengths[] = {64, 128, 512, 4096};
	struct lua_shapes *s = p->s;
	uint64_t id[4], bytes[4], empty;
	const struct lua_block *b;

	p->n = 0;
	lua_newtable(l);
	empty = id_at(l, -1);
	s->empty[part] = shapes_word(s, empty + (unsigned)s->table.at[part]);
	for (int i = 0; i < 4; i++) {
		lua_createtable(l, part ? 0 : lengths[i] + 5, part ? lengths[i] : 0);
		id[i] = id_at(l, -1);
		b = having(p, shapes_word(s, id[i] + (unsigned)s->table.at[part]));
		bytes[i] = b ? b->size : 0;
	}
	for (int o = p->chain + (int)s->width; o < (int)s->table_size; o++)
		for (int how = LENGTH_COUNT; how <= LENGTH_LOG2 && s->length_at[part] < 0; how++) {
			uint64_t element = 0;
			bool same = how == LENGTH_LOG2 || o % 4 == 0;

			for (int i = 0; i < 4; i++)
				same = same && has_length(id[i] + (unsigned)o, (enum lua_length)how,
							  bytes[i], &element);
			if (!same)
				continue;
			s->length_at[part] = o;
			s->length_how[part] = (enum lua_length)how;
			s->element[part] = element;
		}
	lua_pop(l, 5);
}

uint64_t shapes_part_bytes(const struct lua_shapes *s, uint64_t id, int part)
{
	uint64_t word = shapes_word(s, id + (unsigned)s->table.at[part]);

	if (s->length_at[part] < 0 || !word || word == s->empty[part])
		return 0;
	return length_at(id + (unsigned)s->length_at[part], s->length_how[part]) * s->element[part];
}

static void probe_table(lua_State *l, struct probe *p)
{
	struct lua_offsets *o = &p->s->table;
	const struct lua_block *b;

	for (int k = 0; k < 2; k++) {
		o->at[k] = probe_part(l, p, k ? 0 : ITEMS, k ? ITEMS : 0);
		if (o->at[k] < 0 ||
		    o->at[k] != probe_part(l, p, k ? 0 : ITEMS / 3, k ? ITEMS / 3 : 0))
			return;
	}
	p->n = 0;
	lua_newtable(l);
	b = having(p, id_at(l, -1));
	lua_pop(l, 1);
	if (!b || o->at[0] == o->at[1])
		return;
	p->s->table_size = b->size;
	o->n = 2;
	for (int k = 0; k < 2; k++)
		probe_length(l, p, k);
}

/* The blocks of strings of these lengths; false: a length is not what the rule says. */
static bool string_rule(lua_State *l, struct probe *p, int round)
{
	static const unsigned lengths[] = {17, 22, 39, 63, 100, 999};
	char text[1024];

	for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		const struct lua_block *b;
		uint64_t bytes, want;

		memset(text, 'x', sizeof text);
		snprintf(text, sizeof text, "%d %p", round, (void *)p);
		text[strlen(text)] = (char)('a' + i);
		p->n = 0;
		lua_pushlstring(l, text, lengths[i]);
		bytes = (uintptr_t)lua_tostring(l, -1);
		lua_pop(l, 1);
		b = having(p, bytes);
		if (!b || (i && (int)(bytes - b->address) != p->s->string_header))
			return false;
		p->s->string_header = (int)(bytes - b->address);
		want = bytes - b->address + lengths[i] + 1;
		want += (unsigned)-(int)want & (unsigned)(round - 1);
		if (want != b->size)
			return false;
	}
	return true;
}

static void probe_string(lua_State *l, struct probe *p)
{
	for (int round = 1; round <= 8 && !p->s->string_round; round *= 2)
		if (string_rule(l, p, round))
			p->s->string_round = round;
}

/* Pushes functions of one definition, with two upvalues each; and the chunk that makes them. Its lines are far apart:
 * what Lua keeps for these is there then. */
static bool push_functions(lua_State *l, const char *chunk, int n)
{
	char text[1024], *at = text;

	at += sprintf(at, "local a, b = ... local function f(x, y) local c = function() return x, "
			  "'tm', 17.25 end ");
	memset(at, '\n', 400);
	at += 400;
	sprintf(at, "if y then return a, b, c, '%s 1', '%s 2' end return a .. b, c end return f",
		chunk, chunk);
	if (luaL_loadbuffer(l, text, strlen(text), chunk))
		return false;
	for (int i = 0; i < n; i++) {
		lua_pushvalue(l, -1 - i);
		lua_pushnumber(l, 1);
		lua_pushnumber(l, 2);
		lua_call(l, 2, 1);
	}
	return true;
}

/* The two functions on the top are of one definition. */
static bool probe_closures(lua_State *l, struct probe *p)
{
	struct lua_shapes *s = p->s;
	uint64_t a = id_at(l, -2), b = id_at(l, -1);
	const struct lua_block *x = having(p, a), *y = having(p, b);
	int found = -1, upvalues, start;
	uint64_t word;

	if (!x || !y || x->size != y->size)
		return false;
	upvalues = (int)(x->address + x->size - a) - 2 * (int)s->width;
	for (int o = 0; o < upvalues; o += (int)s->width) {
		uint64_t of_a = shapes_word(s, a + (unsigned)o),
			 of_b = shapes_word(s, b + (unsigned)o);

		if (o == p->chain || of_a != of_b || !having(p, of_a))
			continue;
		if (found >= 0)
			return false;
		found = o;
	}
	for (int i = 0; i < 2; i++) {
		unsigned o = (unsigned)upvalues + (unsigned)i * s->width;
		uint64_t of_a = shapes_word(s, a + o), of_b = shapes_word(s, b + o);

		if (!beginning(p, of_a) || !beginning(p, of_b) || of_a == of_b)
			return false;
	}
	if (found < 0)
		return false;
	word = shapes_word(s, a + (unsigned)found);
	start = (int)(word - having(p, word)->address);
	if (s->functions &&
	    (s->proto != found || s->proto_start != start || s->upvalues != upvalues))
		return false;
	s->proto = found;
	s->proto_start = start;
	s->upvalues = upvalues;
	return true;
}

/* Blocks that the definition of the function at i refers to, but for functions themselves, and the name of the chunk. */
static void probe_proto(lua_State *l, struct probe *p, int i, const char *chunk,
			struct lua_offsets *o)
{
	const struct lua_block *b =
	    having(p, shapes_word(p->s, id_at(l, i) + (unsigned)p->s->proto));
	size_t length = strlen(chunk);

	for (uint64_t at = b->address; at + p->s->width <= b->address + b->size;
	     at += p->s->width) {
		const struct lua_block *to = beginning(p, shapes_word(p->s, at));
		bool function = false;
		const char *text;

		if (!to || to == b || (int)(at - b->address) == p->chain)
			continue;
		for (int k = lua_gettop(l); k > 0; k--)
			function |= lua_isfunction(l, k) && having(p, id_at(l, k)) == to;
		text = (const char *)(uintptr_t)(to->address + (unsigned)p->s->string_header);
		if (function || (to->size > (unsigned)p->s->string_header + length &&
				 !memcmp(text, chunk, length)))
			continue;
		if (o->n < SHAPE_PARTS)
			o->at[o->n++] = (int)(at - b->address);
	}
}

static void probe_function(lua_State *l, struct probe *p)
{
	static const char *const chunks[] = {"=tracemill looks one", "=tracemill looks another"};
	struct lua_offsets o[2] = {{.n = 0}, {.n = 0}};
	int top = lua_gettop(l);

	p->s->functions = false;
	for (int i = 0; i < 2; i++) {
		p->n = 0;
		if (!push_functions(l, chunks[i], 2) || !probe_closures(l, p)) {
			p->s->functions = false;
			lua_settop(l, top);
			return;
		}
		p->s->functions = true;
		probe_proto(l, p, -1, chunks[i], &o[i]);
		p->s->tag_proto = 0;
		if (p->s->tag >= 0) {
			const struct lua_block *b =
			    having(p, shapes_word(p->s, id_at(l, -1) + (unsigned)p->s->proto));

			p->s->tag_proto = byte_at(b->address + (unsigned)p->s->tag);
		}
		lua_settop(l, top);
	}
	if (o[0].n == o[1].n && !memcmp(o[0].at, o[1].at, o[0].n * sizeof *o[0].at))
		p->s->protos = o[0];
	else
		p->s->functions = false;
}

/* Calls that are blocks of their own: of one size, each with the next. */
static void probe_calls(struct probe *p, uint64_t id, uint64_t end)
{
	struct lua_shapes *s = p->s;

	for (uint64_t at = id; at + s->width <= end; at += s->width) {
		const struct lua_block *first = beginning(p, shapes_word(s, at));

		if (!first || (int)(at - id) == p->chain || first->size > STATE_MAX)
			continue;
		for (unsigned o = 0; o + s->width <= first->size; o += s->width) {
			const struct lua_block *b = first;
			int n = 0;

			/* Back and forth between two is no way to a third. */
			for (; b && b->size == first->size && n < NEST; n++) {
				const struct lua_block *next =
				    beginning(p, shapes_word(s, b->address + o));

				if (next == b || (next == first && n))
					break;
				b = next;
			}
			if (n < NEST / 2)
				continue;
			s->call = (int)(at - id);
			s->next_call = (int)o;
			s->call_size = (int)first->size;
			return;
		}
	}
}

static void probe_thread(lua_State *l, struct probe *p)
{
	static const char nest[] =
	    "local function f(n) if n > 0 then local x = f(n - 1) return x end return n end f(12)";
	struct lua_shapes *s = p->s;
	const struct lua_block *b;
	lua_State *thread;
	uint64_t id;

	p->n = 0;
	thread = lua_newthread(l);
	id = id_at(l, -1);
	b = having(p, id);
	for (uint64_t at = id; b && at + s->width <= b->address + b->size; at += s->width) {
		const struct lua_block *to = beginning(p, shapes_word(s, at));

		/* Several places may have the beginning of one; not all of them have it later. */
		if (to && to != b && (int)(at - id) != p->chain && s->thread.n < SHAPE_PARTS)
			s->thread.at[s->thread.n++] = (int)(at - id);
	}
	s->threads = s->thread.n > 0;
	if (b && s->threads &&
	    !luaL_loadbuffer(thread, nest, sizeof nest - 1, "=tracemill nests") &&
	    !lua_pcall(thread, 0, 0, 0)) {
		b = having(p, id);
		probe_calls(p, id, b->address + b->size);
	}
	lua_pop(l, 1);
}

static uint64_t c_function_size(lua_State *l, struct probe *p, int upvalues)
{
	const struct lua_block *b;

	p->n = 0;
	for (int i = 0; i < upvalues; i++)
		lua_pushnil(l);
	lua_pushcclosure(l, lua_error, upvalues);
	b = having(p, id_at(l, -1));
	lua_pop(l, 1);
	return b ? b->size : 0;
}

static void probe_c_function(lua_State *l, struct probe *p)
{
	uint64_t one = c_function_size(l, p, 1), two = c_function_size(l, p, 2),
		 five = c_function_size(l, p, 5);

	if (!one || two <= one || five - two != 3 * (two - one))
		return;
	p->s->c_upvalue = two - one;
	p->s->c_function = one - p->s->c_upvalue;
}

static uint64_t start_of(const struct probe *p, uint64_t id)
{
	const struct lua_block *b = having(p, id);

	return b ? b->address : 0;
}

/* A byte that is the same in all tables and another in each other kind. */
static void probe_tag(lua_State *l, struct probe *p)
{
	char text[100];
	uint64_t of[6];
	int top = lua_gettop(l);

	p->n = 0;
	lua_newtable(l);
	lua_newtable(l);
	memset(text, 'y', sizeof text);
	snprintf(text, sizeof text, "tag %p", (void *)p);
	lua_pushlstring(l, text, 30);
	lua_pushlstring(l, text, 99);
	lua_newuserdata(l, 8);
	lua_pushnumber(l, 1);
	lua_pushcclosure(l, lua_error, 1);
	for (int i = 0; i < 6; i++)
		of[i] = start_of(p, i == 2 || i == 3 ? (uintptr_t)lua_tostring(l, top + 1 + i)
						     : id_at(l, top + 1 + i));
	lua_settop(l, top);
	p->s->tag = -1;
	for (unsigned o = (unsigned)p->chain + p->s->width; o < 16 && p->s->tag < 0; o++) {
		uint8_t b[6];
		bool same = false;

		for (int i = 0; i < 6; i++)
			b[i] = of[i] ? byte_at(of[i] + o) : 0;
		for (int i = 2; i < 6; i++)
			for (int k = 1; k < i; k++)
				same |= b[i] == b[k] && !(i == 3 && k == 2);
		if (b[0] != b[1] || same)
			continue;
		p->s->tag = (int)o;
		p->s->tag_table = b[0];
		p->s->tag_string = b[2];
		p->s->tag_long_string = b[3];
	}
}

static int probe_all(lua_State *l)
{
	struct probe *p = lua_touserdata(l, 1);
	struct lua_shapes *s = p->s;

	luaL_checkstack(l, 20, "snapshot");
	s->width = sizeof(void *);
	if (!probe_chain(l, p)) {
		s->width = sizeof(void *) / 2;
		if (!probe_chain(l, p)) {
			s->width = 0;
			return 0;
		}
	}
	probe_table(l, p);
	probe_string(l, p);
	probe_tag(l, p);
	if (s->string_header)
		probe_function(l, p);
	probe_c_function(l, p);
	probe_thread(l, p);
	return 0;
}

void shapes_learn(lua_State *l, struct lua_shapes *s)
{
	struct probe p = {.s = s};
	lua_State *own = lua_newthread(l); /* the program's own stack stays as it is */
	bool failed;

	*s = (struct lua_shapes){.tag = -1, .length_at = {-1, -1}};
	lua_pushcfunction(own, probe_all);
	lua_pushlightuserdata(own, &p);
	p.next = lua_getallocf(l, &p.ud);
	lua_setallocf(l, probe_allocate, &p);
	failed = lua_pcall(own, 1, 0, 0);
	lua_setallocf(l, p.next, p.ud);
	lua_pop(l, 1);
	if (failed || p.full)
		*s = (struct lua_shapes){.tag = -1, .length_at = {-1, -1}};
}

const void *shapes_proto(const struct lua_shapes *s, const void *function)
{
	return s->functions ? (const void *)(uintptr_t)(shapes_word(s, (uintptr_t)function +
									   (unsigned)s->proto) -
							(unsigned)s->proto_start)
			    : NULL;
}
