/* SPDX-License-Identifier: MIT
 *
 * The heap that formats/unity/heap.c writes: types, fields, the bytes of the objects, native objects.
 */
#ifndef TM_TESTDATA_GEN_UNITY_HEAP_H
#define TM_TESTDATA_GEN_UNITY_HEAP_H

#include "lib/base/buf.h"
#include "testdata/gen/gen.h"

#include <stdbool.h>

static bool mono;

static void set(uint8_t *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> i * 8);
}

enum {
	OBJECT,
	INT,
	STRING,
	CHAR,
	INTPTR,
	UNITY_OBJECT,
	PLAYER,
	VEC,
	WEAPON,
	WEAPONS,
	INTS,
	VECS,
	INVENTORY,
	TYPES
};

static const struct type {
	const char *name;
	unsigned flags; /* 1 value, 2 array */
	int base, size;
	int first, n; /* fields */
} types[TYPES] = {
    [OBJECT] = {"System.Object", 0, -1, 16, 0, 0},
    [INT] = {"System.Int32", 1, -1, 4, 0, 1},
    [STRING] = {"System.String", 0, OBJECT, 20, 1, 2},
    [CHAR] = {"System.Char", 1, -1, 2, 3, 1},
    [INTPTR] = {"System.IntPtr", 1, -1, 8, 0, 0},
    [UNITY_OBJECT] = {"UnityEngine.Object", 0, OBJECT, 24, 4, 1},
    [PLAYER] = {"Game.Player", 0, UNITY_OBJECT, 64, 5, 5},
    [VEC] = {"Game.Vec", 1, -1, 16, 10, 2},
    [WEAPON] = {"Game.Weapon", 0, OBJECT, 24, 12, 1},
    [WEAPONS] = {"Game.Weapon[]", 2 | 1 << 16, WEAPON, 8, 0, 0},
    [INTS] = {"System.Int32[]", 2 | 1 << 16, INT, 8, 0, 0},
    [VECS] = {"Game.Vec[]", 2 | 1 << 16, VEC, 8, 0, 0},
    [INVENTORY] = {"Game.Inventory", 0, OBJECT, 40, 13, 3},
};

enum { FIELDS = 16 };
static const struct field {
	const char *name;
	int offset, type, is_static;
} fields[FIELDS] = {
    {"m_value", 16, INT, 0},
    {"m_stringLength", 16, INT, 0},
    {"m_firstChar", 20, CHAR, 0},
    {"m_value", 16, CHAR, 0},
    {"m_CachedPtr", 16, INTPTR, 0},
    {"name", 24, STRING, 0},
    {"weapon", 32, WEAPON, 0},
    {"pos", 40, VEC, 0},
    {"instance", 0, PLAYER, 1},
    {"spot", 8, VEC, 1},
    {"x", 16, INT, 0},
    {"owner", 24, PLAYER, 0},
    {"owner", 16, PLAYER, 0},
    {"weapons", 16, WEAPONS, 0},
    {"numbers", 24, INTS, 0},
    {"spots", 32, VECS, 0},
};

/* The heap: addresses are its start and an offset. */
#define HEAP    UINT64_C(0x20010000000) /* beyond 2^32 */
#define VTABLES UINT64_C(0x20020000000)
#define INFOS   UINT64_C(0x20030000000)
enum { P1 = 0, P2 = 64, S1 = 128, S2 = 160, W1 = 192, W2 = 216, W3 = 240, I1 = 264, I2 = 304 };
enum { A1 = 344, A2 = 400, A3 = 448, A4 = 512, HEAP_SIZE = 560 };
static uint8_t heap[HEAP_SIZE], vtables[TYPES * 8], statics[24];

static void object(unsigned at, unsigned type)
{
	set(heap + at, mono ? VTABLES + type * 8 : INFOS + type * 0x100, 8);
}

static void pointer(unsigned at, unsigned to)
{
	set(heap + at, HEAP + to, 8);
}

static void array(unsigned at, unsigned type, unsigned n)
{
	object(at, type);
	set(heap + at + 24, n, 8);
}

static void string(unsigned at)
{
	object(at, STRING);
	set(heap + at + 16, 4, 4);
	for (unsigned i = 0; i < 4; i++)
		set(heap + at + 20 + i * 2, (uint8_t) "hero"[i], 2);
}

#define HERO UINT64_C(0x7f0000007000)

static void make_heap(void)
{
	for (unsigned i = 0; i < TYPES; i++)
		set(vtables + i * 8, INFOS + i * 0x100, 8);
	object(P1, PLAYER);
	set(heap + P1 + 16, HERO, 8);
	pointer(P1 + 24, S1);
	pointer(P1 + 32, W1);
	set(heap + P1 + 40, HEAP + W2, 4); /* pos.x: a number that looks like half a pointer */
	pointer(P1 + 48, P2);
	object(P2, PLAYER);
	pointer(P2 + 24, S2);
	string(S1);
	string(S2);
	object(W1, WEAPON);
	pointer(W1 + 16, P1);
	object(W2, WEAPON);
	object(W3, WEAPON); /* garbage */
	object(I1, INVENTORY);
	pointer(I1 + 16, A1);
	pointer(I1 + 24, A2);
	pointer(I1 + 32, A3);
	object(I2, INVENTORY);
	pointer(I2 + 24, A4);
	array(A1, WEAPONS, 3);
	pointer(A1 + 32, W1);
	pointer(A1 + 48, W2);
	array(A2, INTS, 3);
	array(A4, INTS, 3);
	for (unsigned i = 0; i < 3; i++) {
		set(heap + A2 + 32 + i * 4, i + 1, 4);
		set(heap + A4 + 32 + i * 4, i + 1, 4);
	}
	array(A3, VECS, 2);
	pointer(A3 + 32 + 8, P1);
	set(statics, HEAP + P1, 8);
	set(statics + 16, HEAP + P2, 8);
}

static const char *const native_types[] = {"MonoBehaviour", "Texture2D", "GameManager"};

static struct native {
	const char *name;
	unsigned type, size, flags;
	int instance, handle;
	uint64_t address;
} natives[] = {{"Hero", 0, 200, 0, 10, 1, HERO},
	       {"Icon", 1, 4096, 0, -12, -1, 0x7f0000008000},
	       {"Icon", 1, 4096, 0, 14, -1, 0x7f0000009000},
	       {"GameManager", 2, 500, 4, 16, -1, 0x7f000000a000}};
enum { NATIVES = 4, HANDLES = 4, VM_NUMBERS = 6 };
static const uint64_t handles[HANDLES] = {HEAP + I1, HEAP + P1, 0, HEAP + I2};
static const uint32_t vm[VM_NUMBERS] = {8, 16, 32, 16, 24, 8};
/* By index: handles are 0 to 3, native objects 4 to 7. */
static const int connections[][2] = {{4, 5}, {4, 1}, {1, 4}};
enum { CONNECTIONS = 3 };

#endif
