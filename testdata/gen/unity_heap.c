/* SPDX-License-Identifier: MIT
 *
 * One small heap of Unity in every format that holds one, with what it has known:
 *
 *	unity_heap [--mono] [--version N] memsnap2 | memsnap3 | heap | snap
 *	unity_heap --lua snap    the spots are a pool of xLua, whose [1].owner is the third weapon
 *	unity_heap --many N FORMAT    N more native objects, for cuts and rates; how many objects
 *	                              there are then goes to standard error
 *
 * --mono: objects begin with a vtable's address, which holds the type's; --version: of .snap (9 by
 * index, 12 by instance, the default; 18 with ids of 8 bytes) or .heap.
 *
 * Managed (sizes rounded to 8): players P1 and P2 of 64 (P2's native object is destroyed), their
 * names, two strings "hero" of 32; weapons W1, W2 of 24; inventories I1, I2 of 40; I1.weapons: A1 =
 * {W1, null, W2} of 56; I1.numbers: A2 and I2.numbers: A4, both {1, 2, 3}, of 48; I1.spots: A3, two
 * structs of which [0].owner is P1, of 64. 12 objects, 536 bytes. A third weapon is garbage.
 * P1.weapon is W1 and W1.owner P1; P1.pos.owner (a struct in it) is P2.
 * Roots: GC handles of I1 and I2 (a third is P1's by its native object, a fourth is null), statics
 * Player.instance = P1 and Player.spot.owner = P2.
 * Native: Hero 200 (a MonoBehaviour, of P1) -> texture Icon 4096; another texture Icon 4096 that
 * nothing refers to; GameManager 500, a manager. 4 objects, 8892 bytes.
 * .snap also has 5 native allocations: 3 of 100 bytes (120 with overhead and padding) from
 * Game::Load (load.cpp:42) <- Game.Main:Run (int) (main.cs:13), one of 50 (50) from an address
 * without a name, one of 7 (7) without a site.
 */
#include "testdata/gen/unity_heap.h"

#include "lib/base/num.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned version = 12;
static bool lua;
static uint64_t many;

static void write_all(const struct buf *b)
{
	if (fwrite(b->data, 1, b->len, stdout) != b->len || fflush(stdout))
		exit(3);
}

/* By index; what is more than the table has is its second object, elsewhere. */
static struct native native_at(uint64_t i)
{
	struct native x = natives[i < NATIVES ? i : 1];

	if (i >= NATIVES) {
		x.instance += (int)(i * 2);
		x.address += i << 16;
	}
	return x;
}

static void json_bytes(struct buf *b, const uint8_t *p, size_t n, bool base64)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	buf_addc(b, base64 ? '"' : '[');
	for (size_t i = 0; !base64 && i < n; i++)
		buf_addf(b, "%s%u", i ? "," : "", p[i]);
	for (size_t i = 0; base64 && i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
			     (i + 2 < n ? p[i + 2] : 0);

		buf_addc(b, digits[v >> 18]);
		buf_addc(b, digits[v >> 12 & 63]);
		buf_addc(b, i + 1 < n ? digits[v >> 6 & 63] : '=');
		buf_addc(b, i + 2 < n ? digits[v & 63] : '=');
	}
	buf_addc(b, base64 ? '"' : ']');
}

static void json_section(struct buf *b, const uint8_t *p, size_t n, uint64_t start, bool base64)
{
	buf_adds(b, "{\"m_Bytes\":");
	json_bytes(b, p, n, base64);
	buf_addf(b, ",\"m_StartAddress\":%" PRIu64 "}", start);
}

static void json_types(struct buf *b, bool base64)
{
	for (unsigned i = 0; i < TYPES; i++) {
		const struct type *t = &types[i];

		buf_addf(b, "%s{\"m_Name\":\"%s\",\"m_Assembly\":\"Game\",\"m_Fields\":[",
			 i ? "," : "", t->name);
		for (int k = 0; k < t->n; k++) {
			const struct field *f = &fields[t->first + k];

			buf_addf(b,
				 "%s{\"m_Name\":\"%s\",\"m_Offset\":%d,\"m_TypeIndex\":%d,"
				 "\"m_IsStatic\":%s}",
				 k ? "," : "", f->name, f->offset, f->type,
				 f->is_static ? "true" : "false");
		}
		buf_adds(b, "],\"m_StaticFieldBytes\":");
		json_bytes(b, statics, i == PLAYER ? sizeof statics : 0, base64);
		buf_addf(b,
			 ",\"m_BaseOrElementTypeIndex\":%d,\"m_Size\":%d,\"m_TypeInfoAddress\":"
			 "%" PRIu64 ",\"m_TypeIndex\":%u,\"m_Flags\":%u}",
			 t->base, t->size, INFOS + i * 0x100, i, t->flags);
	}
}

static void memsnap(struct buf *b, bool base64)
{
	buf_adds(b, "{\"m_NativeTypes\":[");
	for (unsigned i = 0; i < 3; i++)
		buf_addf(b, "%s{\"m_Name\":\"%s\",\"m_NativeBaseTypeArrayIndex\":-1}", i ? "," : "",
			 native_types[i]);
	buf_adds(b, "],\"m_NativeObjects\":[");
	for (uint64_t i = 0; i < NATIVES + many; i++) {
		struct native x = native_at(i);

		buf_addf(b,
			 "%s{\"m_Name\":\"%s\",\"m_InstanceId\":%d,\"m_Size\":%u,"
			 "\"m_NativeTypeArrayIndex\":%u,\"m_HideFlags\":0,\"m_Flags\":%u,"
			 "\"m_NativeObjectAddress\":%" PRIu64 "}",
			 i ? "," : "", x.name, (int)x.instance, x.size, x.type, x.flags, x.address);
	}
	buf_addf(b, "],\"%s\":[", base64 ? "m_GCHandles" : "m_GcHandles");
	for (unsigned i = 0; i < HANDLES; i++)
		buf_addf(b, "%s{\"m_Target\":%" PRIu64 "}", i ? "," : "", handles[i]);
	buf_adds(b, "],\"m_Connections\":[");
	for (unsigned i = 0; i < CONNECTIONS; i++)
		buf_addf(b, "%s{\"m_From\":%d,\"m_To\":%d}", i ? "," : "", connections[i][0],
			 connections[i][1]);
	buf_adds(b, "],\"m_ManagedHeapSections\":[");
	json_section(b, vtables, sizeof vtables, VTABLES, base64);
	buf_addc(b, ',');
	json_section(b, heap, sizeof heap, HEAP, base64);
	buf_adds(b, "],\"m_ManagedStacks\":[],\"m_TypeDescriptions\":[");
	json_types(b, base64);
	buf_addf(b,
		 "],\"m_VirtualMachineInformation\":{\"m_PointerSize\":%u,"
		 "\"m_ObjectHeaderSize\":%u,\"m_ArrayHeaderSize\":%u,"
		 "\"m_ArrayBoundsOffsetInHeader\":%u,\"m_ArraySizeOffsetInHeader\":%u,"
		 "\"m_AllocationGranularity\":%u}}",
		 vm[0], vm[1], vm[2], vm[3], vm[4], vm[5]);
}

static void net_string(struct buf *b, const char *s)
{
	buf_add_uleb(b, strlen(s));
	buf_adds(b, s);
}

static void heap_section(struct buf *b, const uint8_t *p, size_t n, uint64_t start)
{
	put(b, n, 4);
	buf_add(b, p, n);
	put(b, start, 8);
}

static void heap_types(struct buf *b)
{
	put(b, 1, 4);
	put(b, TYPES, 4);
	for (unsigned i = 0; i < TYPES; i++) {
		const struct type *t = &types[i];
		size_t n = i == PLAYER ? sizeof statics : 0;

		put(b, t->flags & 1, 1);
		put(b, t->flags >> 1 & 1, 1);
		put(b, t->flags >> 16, 4);
		net_string(b, t->name);
		net_string(b, "Game");
		put(b, n, 4);
		buf_add(b, statics, n);
		put(b, (uint64_t)t->base, 4);
		put(b, (uint64_t)t->size, 4);
		put(b, INFOS + i * 0x100, 8);
		put(b, i, 4);
		put(b, 1, 4);
		put(b, (uint64_t)t->n, 4);
		for (int k = 0; k < t->n; k++) {
			const struct field *f = &fields[t->first + k];

			net_string(b, f->name);
			put(b, (uint64_t)f->offset, 4);
			put(b, (uint64_t)f->type, 4);
			put(b, (uint64_t)f->is_static, 1);
		}
	}
}

static void heap_explorer(struct buf *b, unsigned v)
{
	buf_adds(b, "heap");
	put(b, v, 4);
	net_string(b, "2019.4.1f1");
	net_string(b, "Android");
	net_string(b, "");
	if (v >= 2)
		put(b, 0, 1);
	put(b, 1, 4);
	put(b, 3, 4);
	for (unsigned i = 0; i < 3; i++) {
		net_string(b, native_types[i]);
		put(b, UINT32_MAX, 4);
	}
	put(b, 1, 4);
	put(b, NATIVES + many, 4);
	for (uint64_t i = 0; i < NATIVES + many; i++) {
		struct native x = native_at(i);

		put(b, 0, 1);
		put(b, 0, 1);
		put(b, x.flags >> 2, 1);
		net_string(b, x.name);
		put(b, (uint64_t)x.instance, 4);
		put(b, x.size, 4);
		put(b, x.type, 4);
		put(b, 0, 4);
		put(b, x.address, 8);
	}
	put(b, 1, 4);
	put(b, HANDLES, 4);
	for (unsigned i = 0; i < HANDLES; i++)
		put(b, handles[i], 8);
	put(b, v >= 2 ? 2 : 1, 4);
	put(b, CONNECTIONS, 4);
	for (unsigned i = 0; i < CONNECTIONS; i++) {
		for (unsigned k = 0; k < 2 && v >= 2; k++)
			put(b, connections[i][k] < HANDLES ? 1 : 2, 1);
		for (unsigned k = 0; k < 2; k++)
			put(b,
			    (uint64_t)(connections[i][k] -
				       (v >= 2 && connections[i][k] >= HANDLES ? HANDLES : 0)),
			    4);
	}
	put(b, 1, 4);
	put(b, 2, 4);
	heap_section(b, vtables, sizeof vtables, VTABLES);
	heap_section(b, heap, sizeof heap, HEAP);
	heap_types(b);
	put(b, 1, 4);
	for (unsigned i = 0; i < VM_NUMBERS; i++)
		put(b, vm[i], 4);
	put(b, 0, 4);
}

/* --- .snap --- */

enum { CHAPTERS = 59, CHUNK = 64 }; /* small chunks: everything straddles */
static struct chapter {
	int kind; /* 0: absent */
	unsigned element;
	struct buf data;
	uint64_t *ends;
	size_t n, cap;
} chapters[CHAPTERS];

static void value(unsigned i, const uint32_t *v, size_t n)
{
	chapters[i].kind = 1;
	for (size_t k = 0; k < n; k++)
		put(&chapters[i].data, v[k], 4);
}

static void fixed(unsigned i, uint64_t v, unsigned element)
{
	chapters[i].kind = 2;
	chapters[i].element = element;
	chapters[i].n++;
	put(&chapters[i].data, v, element);
}

static void varied(unsigned i, const void *p, size_t n)
{
	struct chapter *c = &chapters[i];

	c->kind = 3;
	buf_add(&c->data, p, n);
	if (c->n == c->cap) {
		c->cap = c->cap * 2 + 16;
		c->ends = realloc(c->ends, c->cap * sizeof *c->ends);
		if (!c->ends)
			exit(3);
	}
	c->ends[c->n++] = c->data.len;
}

static void text(unsigned i, const char *s)
{
	varied(i, s, strlen(s));
}

static void snap_natives(void)
{
	unsigned id = version >= 18 ? 8 : 4;

	for (unsigned i = 0; i < 3; i++) {
		text(5, native_types[i]);
		fixed(6, UINT64_MAX, 4);
	}
	for (uint64_t i = 0; i < NATIVES + many; i++) {
		struct native x = native_at(i);

		fixed(7, x.type, 4);
		fixed(8, 0, 4);
		fixed(9, x.flags, 4);
		fixed(10, (uint64_t)x.instance, id);
		text(11, x.name);
		fixed(12, x.address, 8);
		fixed(13, x.size, 8);
		fixed(14, i + 1, 8);
		if (version >= 10)
			fixed(58, (uint64_t)x.handle, 4);
	}
	for (unsigned i = 0; i < HANDLES; i++)
		fixed(15, handles[i], 8);
	for (unsigned i = 0; i < CONNECTIONS; i++)
		for (unsigned k = 0; k < 2; k++)
			if (version < 10)
				fixed(16 + k, (uint64_t)connections[i][k], 4);
			else if (!i)
				fixed(16 + k, (uint64_t)natives[k].instance, id);
}

static void snap_managed(void)
{
	fixed(18, VTABLES | UINT64_C(1) << 63, 8);
	varied(19, vtables, sizeof vtables);
	fixed(18, HEAP, 8);
	varied(19, heap, sizeof heap);
	for (unsigned i = 0; i < TYPES; i++) {
		struct buf indices = BUF_INIT;

		for (int k = 0; k < types[i].n; k++)
			put(&indices, (uint64_t)(types[i].first + k), 4);
		fixed(22, types[i].flags, 4);
		text(23, lua && i == VECS ? "XLua.ObjectPool.Slot[]" : types[i].name);
		text(24, "Game");
		varied(25, indices.data, indices.len);
		varied(26, statics, i == PLAYER ? sizeof statics : 0);
		fixed(27, (uint64_t)types[i].base, 4);
		fixed(28, (uint64_t)types[i].size, 4);
		fixed(29, INFOS + i * 0x100, 8);
		fixed(30, i, 4);
		buf_release(&indices);
	}
	for (unsigned i = 0; i < FIELDS; i++) {
		fixed(31, (uint64_t)fields[i].offset, 4);
		fixed(32, (uint64_t)fields[i].type, 4);
		text(33, fields[i].name);
		fixed(34, (uint64_t)fields[i].is_static, 1);
	}
}

static void snap_allocation(unsigned i, unsigned site, unsigned size, unsigned more)
{
	fixed(39, 0, 4);
	fixed(40, 1, 8);
	fixed(41, site, 8);
	fixed(42, 0x5000 + i * 0x100, 8);
	fixed(43, size, 8);
	fixed(44, more ? more - 4 : 0, 4);
	fixed(45, more ? 4 : 0, 4);
}

static void snap_allocations(void)
{
	uint8_t stack[16];

	fixed(35, 1, 8);
	text(36, "Objects");
	text(37, "Hero");
	fixed(38, 200, 8);
	for (unsigned i = 0; i < 3; i++)
		snap_allocation(i, 100, 100, 20);
	snap_allocation(3, 200, 50, 0);
	snap_allocation(4, 0, 7, 0);
	text(52, "Default");
	fixed(53, 100, 8);
	fixed(54, 0, 4);
	set(stack, 0x1111, 8);
	set(stack + 8, 0x2222, 8);
	varied(55, stack, 16);
	fixed(53, 200, 8);
	fixed(54, UINT64_MAX, 4);
	set(stack, 0x3333, 8);
	varied(55, stack, 8);
	fixed(56, 0x1111, 8);
	text(57, "0x0000000000001111 (Unity) Game::Load (at src/load.cpp:42)\n");
	fixed(56, 0x2222, 8);
	text(57, "0x0000000000002222 (Unity) Game.Main:Run (int) (at C:/src/main.cs:13)\n");
	fixed(56, 0x3333, 8);
	text(57, "0x0000000000003333 ((<unknown>)) \n");
}

static uint64_t add_chapter(struct buf *b, const struct chapter *c, unsigned block)
{
	uint64_t at = b->len;

	put(b, (uint64_t)c->kind, 2);
	put(b, block, 4);
	if (c->kind == 1) {
		put(b, c->data.len, 4);
		put(b, 0, 8);
	} else if (c->kind == 2) {
		put(b, c->element, 4);
		put(b, c->n, 4);
		put(b, 0, 4);
	} else {
		put(b, c->n, 4);
		put(b, 0, 8);
		for (size_t i = 0; i < c->n; i++)
			put(b, c->ends[i], 8);
	}
	return at;
}

static uint64_t add_block(struct buf *b, const struct chapter *c)
{
	uint64_t at = b->len, size = many ? 64 << 10 : CHUNK;

	buf_add(b, c->data.data, c->data.len);
	put(b, 0, 1); /* nothing is aligned */
	uint64_t table = b->len;

	put(b, size, 8);
	put(b, c->data.len, 8);
	for (uint64_t done = 0; done < c->data.len; done += size)
		put(b, at + done, 8);
	return table;
}

static void snap(struct buf *b)
{
	uint64_t blocks[CHAPTERS], places[CHAPTERS], section, directory;
	unsigned n = 0;

	value(0, &version, 1);
	value(4, vm, VM_NUMBERS);
	snap_natives();
	snap_managed();
	snap_allocations();
	put(b, 0xAEABCDCD, 4);
	for (unsigned i = 0; i < CHAPTERS; i++)
		if (chapters[i].kind)
			blocks[n++] = add_block(b, &chapters[i]);
	n = 0;
	for (unsigned i = 0; i < CHAPTERS; i++)
		places[i] = chapters[i].kind ? add_chapter(b, &chapters[i], n++) : 0;
	section = b->len;
	put(b, 0x20170724, 4);
	put(b, n, 4);
	for (unsigned i = 0; i < n; i++)
		put(b, blocks[i], 8);
	directory = b->len;
	put(b, 0xCDCDAEAB, 4);
	put(b, 0x20170724, 4);
	put(b, section, 8);
	put(b, CHAPTERS, 4);
	for (unsigned i = 0; i < CHAPTERS; i++)
		put(b, places[i], 8);
	put(b, directory, 8);
	put(b, 0xABCDCDAE, 4);
	for (unsigned i = 0; i < CHAPTERS; i++) {
		buf_release(&chapters[i].data);
		free(chapters[i].ends);
	}
}

int main(int argc, char **argv)
{
	struct buf b = BUF_INIT;
	const char *what = "";
	uint64_t v;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--mono"))
			mono = true;
		else if (!strcmp(argv[i], "--lua"))
			lua = true;
		else if (!strcmp(argv[i], "--version") && i + 1 < argc &&
			 num_dec(argv[i + 1], strlen(argv[i + 1]), &v))
			version = (unsigned)v, i++;
		else if (!strcmp(argv[i], "--many") && i + 1 < argc &&
			 num_dec(argv[i + 1], strlen(argv[i + 1]), &v))
			many = v, i++;
		else
			what = argv[i];
	}
	make_heap();
	if (lua)
		pointer(A3 + 32 + 16 + 8, W3);
	if (!strcmp(what, "memsnap2") || !strcmp(what, "memsnap3"))
		memsnap(&b, what[7] == '3');
	else if (!strcmp(what, "heap"))
		heap_explorer(&b, version < 3 ? version : 2);
	else if (!strcmp(what, "snap"))
		snap(&b);
	else
		return 2;
	write_all(&b);
	buf_release(&b);
	if (many) /* 12 are managed */
		fprintf(stderr, "objects %llu\n", (unsigned long long)many + NATIVES + 12);
	return 0;
}
