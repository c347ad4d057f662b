#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# What a report of a real program shows first is no allocator: for each program a list of functions that only
# hand on others' allocations, taken from its sources (they are named), and of some that are its own work. Of
# the first ten rows none may be of the first list; one of the second must be there.
# timeout: 600
# shellcheck disable=SC2034 # judge reads them
set -u
: "${SRC:?}" "${BIN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
CC=${CC:-cc} CXX=${CXX:-c++}

# The first ten sites of a trace, by their names without parameters, one a line.
sites() { # TRACE
	tm-top -q -n 10 --width 0 --callers 0 "$1" 2>err | awk '
		/^ *#/ { at = index($0, "site"); next }
		at && /^ *[0-9]+ / { s = substr($0, at); sub(/  .*/, "", s); sub(/[(<].*/, "", s); print s }'
}
judge() { # WHAT TRACE, refused and accepted in $refused, $accepted
	sites "$2" >names
	bad=$(grep -xF -f <(tr ' ' '\n' <<<"$refused" | grep .) names | tr '\n' ' ')
	check "$1: none of the first ten rows is an allocator${bad:+: $bad}" [ -z "$bad" ]
	good=$(grep -cxE "$accepted" names)
	check "$1: its own work is there" [ "$good" -gt 0 ]
	if [ "$good" = 0 ] || [ -n "$bad" ]; then
		sed 's/^/    /' names
	fi
}

# GCC 12: libiberty/xmalloc.c, gcc/ggc-page.cc, gcc/bitmap.cc, libiberty/obstack.c.
cc1plus=$($CXX -print-prog-name=cc1plus 2>/dev/null)
cat >t.cc <<'X'
template <int N> struct fib { static const int v = fib<N - 1>::v + fib<N - 2>::v; };
template <> struct fib<0> { static const int v = 0; };
template <> struct fib<1> { static const int v = 1; };
int words(const char *s, int n) { int sum = fib<40>::v; while (n--) sum += s[n] * n; return sum; }
X
refused='xmalloc xcalloc xrealloc xstrdup ggc_internal_alloc ggc_internal_cleared_alloc ggc_realloc
 alloc_page bitmap_element_allocate _obstack_newchunk _obstack_begin' accepted='_?cpp_[a-z_]*|ht_create|init_ttree|gcc::.*|lra.*|make_node.*'
if [ -x "$cc1plus" ] && tm-record -q -o cc.tmt "$cc1plus" -quiet -O1 t.cc -o t.s 2>err &&
	tm-top -q -n 30 --callers 0 cc.tmt 2>err | grep -q '_cpp_\|init_ttree'; then
	judge "cc1plus" cc.tmt
else
	echo "skip - cc1plus (it is not here, or has no names)"
fi

# CPython 3.11: Objects/obmalloc.c, Modules/gcmodule.c, Objects/listobject.c (list_resize).
python=/usr/bin/python3.11
refused='_PyMem_RawMalloc _PyMem_RawCalloc _PyMem_RawRealloc PyMem_Malloc PyMem_Realloc PyObject_Malloc
 PyObject_Realloc _PyObject_Malloc _PyObject_Realloc _PyObject_GC_New _PyObject_GC_NewVar gc_alloc
 _PyObject_GC_Alloc PyType_GenericAlloc list_resize new_keys_object'
accepted='[A-Za-z_]*(List|list|Unicode|unicode|Dict|dict|Bytes|bytes|Eval|marshal|Marshal|Tuple|r_object|code)[A-Za-z_0-9]*'
if [ -x $python ] && tm-record -q -o py.tmt $python -c 'x = [str(i) * 30 for i in range(30000)]' 2>err &&
	tm-top -q -n 30 --callers 0 py.tmt 2>err | grep -q Py; then
	judge "python3" py.tmt
else
	echo "skip - python3 (it is not here, or has no names)"
fi

# SQLite 3.40: src/malloc.c, src/mem1.c. Debian's has no names.
refused='sqlite3MemMalloc sqlite3MemRealloc sqlite3Malloc sqlite3MallocZero sqlite3Realloc sqlite3DbMallocRaw
 sqlite3DbMallocRawNN sqlite3DbMallocZero sqlite3DbRealloc sqlite3DbStrDup dbMallocRawFinish pcache1Alloc'
accepted='sqlite3(Vdbe|Pager|Btree|Pcache)[A-Za-z0-9_]*|pcache[A-Za-z0-9_]*|sqlite3_step'
if command -v sqlite3 >/dev/null && tm-record -q -o sql.tmt sqlite3 :memory: \
	'create table t(a,b); insert into t values(1,hex(randomblob(9999)));' >out 2>err &&
	tm-top -q -n 10 --callers 0 sql.tmt 2>err | grep -q ' sqlite3[A-Z]'; then
	judge "sqlite3" sql.tmt
else
	echo "skip - sqlite3 (it is not here, or has no names)"
fi

# An engine after Unreal's Core/Public/HAL/MallocBinned2.h, UnrealMemory.h and Containers/Array.h; UWorld and
# its actors are the game.
cat >ue.cpp <<'X'
#include <cstdlib>
#define NO __attribute__((noinline))
struct FMallocBinned2 { NO void *Malloc(size_t n) { void *p = malloc(n); __asm__ volatile("" ::: "memory"); return p; } };
static FMallocBinned2 GMalloc;
struct FMemory { NO static void *Malloc(size_t n) { void *p = GMalloc.Malloc(n); __asm__ volatile("" ::: "memory"); return p; } };
template <int N> struct TSizedHeapAllocator { struct ForAnyElementType {
	NO void *ResizeAllocation(size_t n) { void *p = FMemory::Malloc(n); __asm__ volatile("" ::: "memory"); return p; } }; };
struct UObject { NO static void *Spawn(size_t n) { void *p = FMemory::Malloc(n); __asm__ volatile("" ::: "memory"); return p; } };
struct AActor { TSizedHeapAllocator<32>::ForAnyElementType a;
	NO void Tick(int i) { a.ResizeAllocation(100 + i); __asm__ volatile("" ::: "memory"); }
	NO void BeginPlay(int i) { a.ResizeAllocation(300 + i); __asm__ volatile("" ::: "memory"); } };
struct UWorld { AActor actor; NO void Tick() { for (int i = 0; i < 50; i++) { actor.Tick(i); actor.BeginPlay(i); UObject::Spawn(64); } } };
int main() { UWorld w; for (int i = 0; i < 20; i++) w.Tick(); }
X
refused='FMallocBinned2::Malloc FMemory::Malloc TSizedHeapAllocator TSizedHeapAllocator<32>::ForAnyElementType::ResizeAllocation'
accepted='AActor::Tick|AActor::BeginPlay|UObject::Spawn'
if $CXX -g -O1 ue.cpp -o ue 2>err && tm-record -q -o ue.tmt ./ue 2>err; then
	judge "an engine like Unreal" ue.tmt
	check '... all three of its places' [ "$(grep -cxE "$accepted" names)" = 3 ]
else
	echo "not ok - ue.cpp compiles and is recorded"
fi

exit $failed
