#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# What a report of a real program shows first is no allocator: for each program a list of functions that only
# hand on others' allocations, taken from its sources (they are named), and of some that are its own work. Of
# the first ten rows none may be of the first list; one of the second must be there.
# timeout: 600
# shellcheck disable=SC2034,SC2086 # judge reads them; numbers and commands are words
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

# SQLite 3.40: src/malloc.c, src/mem1.c, src/pcache1.c. Debian's program has no names, its static library has.
refused='sqlite3MemMalloc sqlite3MemRealloc sqlite3Malloc sqlite3MallocZero sqlite3Realloc sqlite3DbMallocRaw
 sqlite3DbMallocRawNN sqlite3DbMallocZero sqlite3DbRealloc sqlite3DbStrDup dbMallocRawFinish pcache1Alloc'
accepted='sqlite3(Vdbe|Pager|Btree|Pcache)[A-Za-z0-9_]*|pcache[A-Za-z0-9_]*|sqlite3_step'
cat >sql.c <<'X'
#include <sqlite3.h>
int main(void)
{
	sqlite3 *db;

	return sqlite3_open(":memory:", &db) ||
	       sqlite3_exec(db, "create table t(a,b); create index i on t(b);"
	                        "with recursive n(i) as (select 1 union all select i+1 from n where i<900) "
	                        "insert into t select i, hex(randomblob(i)) from n;"
	                        "select group_concat(b) from t group by a % 7 order by b;", 0, 0, 0);
}
X
sqlite=$(pkg-config --variable=libdir sqlite3 2>/dev/null)/libsqlite3.a
if [ -e "$sqlite" ] && $CC -O1 sql.c "$sqlite" -lm -lz -ldl -lpthread -o sql 2>err &&
	tm-record -q -o sql.tmt ./sql 2>err; then
	judge "sqlite3" sql.tmt
else
	echo "skip - sqlite3 (no libsqlite3.a here)"
fi

# git 2.39: wrapper.c, strbuf.c and .h, mem-pool.c, alloc.c, strvec.c, string-list.c, hashmap.c, oidmap.c, oidset.c,
# oid-array.c, khash.h, prio-queue.c, commit.c (its lists), commit-slab-impl.h, read-cache.c (pools of entries),
# ewah/bitmap.c and ewah_bitmap.c, xdiff/xutils.c, decorate.c. Debian's has no names: GIT=FILE is one that has.
git=${GIT:-git}
refused='do_xmalloc xmalloc do_xmallocz xmallocz xmallocz_gently xmemdupz xstrdup xstrndup xrealloc xcalloc
 xstrdup_tolower xstrdup_toupper xstrfmt xstrvfmt xmmap xmmap_gently
 strbuf_init strbuf_grow strbuf_attach strbuf_add strbuf_addch strbuf_addstr strbuf_addbuf strbuf_addchars
 strbuf_addf strbuf_vaddf strbuf_insert strbuf_insertf strbuf_vinsertf strbuf_splice
 mem_pool_init mem_pool_alloc_block mem_pool_alloc mem_pool_calloc mem_pool_strdup mem_pool_strndup
 alloc_node alloc_blob_node alloc_tree_node alloc_tag_node alloc_object_node alloc_commit_node
 strvec_push strvec_push_nodup strvec_pushf strvec_pushl strvec_pushv
 add_entry string_list_insert string_list_append string_list_append_nodup
 alloc_table rehash hashmap_init hashmap_add hashmap_put oidmap_init oidmap_put oidset_init oidset_insert
 oid_array_append kh_init_oid_set kh_resize_oid_set kh_put_oid_set kh_init_oid_map kh_resize_oid_map kh_put_oid_map
 kh_init_oid_pos kh_resize_oid_pos kh_put_oid_pos kh_init_str kh_resize_str kh_put_str kh_resize_odb_path_map
 kh_put_odb_path_map prio_queue_put commit_list_insert commit_list_append
 indegree_slab_at indegree_slab_at_peek author_date_slab_at author_date_slab_at_peek buffer_slab_at buffer_slab_at_peek
 commit_depth_at_peek revision_sources_at_peek
 commit_graph_data_slab_at commit_graph_data_slab_at_peek mem_pool__ce_alloc mem_pool__ce_calloc
 buffer_grow buffer_push ewah_new bitmap_new bitmap_word_alloc bitmap_grow
 xdl_cha_init xdl_cha_alloc xdl_alloc_grow_helper grow_decoration'
accepted='unpack_[a-z_]*|cache_or_unpack_entry|get_delta_base[a-z_]*|add_delta_base_cache|patch_delta|create_delta[a-z_]*'
accepted+='|parse_[a-z_]*|lookup_[a-z_]*|create_object|read_[a-z_]*|loose_[a-z_]*|diff[a-z_]*|xdl_(prepare|classify|optimize|do)[a-z_]*'
accepted+='|(add|open|alloc)_pack[a-z_]*|init_tree_desc|do_[a-z]*_ref[a-z_]*|try_delta|add_to_pack|show_[a-z_]*|cmd_[a-z_]*'
if command -v "$git" >/dev/null && export HOME=$PWD GIT_CONFIG_NOSYSTEM=1 && "$git" init -q repo 2>err; then
	(
		cd repo || exit
		"$git" config user.name A
		"$git" config user.email a@b.c
		for i in $(seq 40); do
			for f in $(seq 12); do seq $((i * f)) $((i * f + 300)) >file$f; done
			"$git" add . && "$git" commit -qm "change $i"
		done
	) >out 2>err
fi
for c in 'log -p --stat' 'diff HEAD~30' 'pack-objects --all --stdout -q' 'blame file3'; do
	if [ -d repo ] && (cd repo && tm-record -q -o ../git.tmt "$git" $c </dev/null) >out 2>err &&
		tm-top -q -n 0 --callers 0 --by function --cumulative git.tmt 2>err | grep -q ' x[mc]alloc'; then
		judge "git ${c%% *}" git.tmt
	else
		echo "skip - git ${c%% *} (it is not here, or has no names)"
	fi
done

# Lua 5.4: lmem.c, lgc.c (luaC_newobj), lstring.c, ltable.c (what grows a table), lfunc.c, ldo.c and lstate.c (what
# grows a stack), lobject.c (texts), lauxlib.c (the state's allocator, buffers and their boxes), lapi.c: what makes a
# value for its caller, or grows its table. A script's own work is in luaV_execute and in the libraries' functions.
refused='firsttry tryagain luaM_growaux_ luaM_shrinkvector_ luaM_realloc_ luaM_saferealloc_ luaM_malloc_ luaC_newobj
 luaS_resize luaS_createlngstrobj createstrobj growstrtab internshrstr luaS_newlstr luaS_new luaS_newudata
 luaH_new luaH_resize luaH_resizearray setnodevector rehash luaH_newkey luaH_finishset luaH_set luaH_setint
 luaF_newCclosure luaF_newLclosure luaF_newproto newupval luaF_findupval
 luaD_reallocstack luaD_growstack luaE_extendCI luaO_pushvfstring luaO_pushfstring luaO_tostring pushstr
 l_alloc resizebox newbox prepbuffsize luaL_prepbuffsize luaL_buffinitsize luaL_addlstring luaL_addstring
 luaL_addvalue luaL_pushresult luaL_pushresultsize
 lua_createtable lua_newuserdatauv lua_pushlstring lua_pushstring lua_pushvfstring lua_pushfstring lua_pushcclosure
 auxsetstr aux_rawset lua_setglobal lua_settable lua_setfield lua_seti lua_rawset lua_rawsetp lua_rawseti'
accepted='luaV_execute|luaV_concat|pushclosure|str_[a-z]*|tconcat|tinsert|make_[a-z]*|name_[a-z]*|luaY_parser|luaK_code'
cat >host.c <<'X'
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#define NO __attribute__((noinline))
NO int make_enemy(lua_State *l)
{
	lua_createtable(l, 0, 8);
	for (int i = 0; i < 6; i++) {
		lua_pushinteger(l, i);
		lua_setfield(l, -2, (const char *[]){"x", "y", "z", "hp", "armour", "speed"}[i]);
	}
	return 1;
}
NO int name_enemy(lua_State *l)
{
	luaL_Buffer b;

	luaL_buffinit(l, &b);
	for (int i = 0; i < 3000; i++)
		luaL_addstring(&b, "enemy");
	lua_pushfstring(l, "%d", (int)luaL_checkinteger(l, 1));
	luaL_addvalue(&b);
	luaL_pushresult(&b);
	return 1;
}
NO int make_mesh(lua_State *l)
{
	lua_newuserdatauv(l, 4096, 1);
	return 1;
}
int main(int n, char **args)
{
	lua_State *l = luaL_newstate();

	luaL_openlibs(l);
	lua_register(l, "make_enemy", make_enemy);
	lua_register(l, "name_enemy", name_enemy);
	lua_register(l, "make_mesh", make_mesh);
	return n < 2 || luaL_dofile(l, args[1]);
}
X
cat >game.lua <<'X'
local all = {}
for i = 1, 300 do
	local e = make_enemy()
	e.name, e.mesh, e.list = name_enemy(i), make_mesh(), {}
	for k = 1, 40 do e.list[k] = {k, "item " .. i .. " of " .. k} end
	e.text = string.rep("x", i) .. table.concat({i, "a", "b"}, ",")
	e.update = function() return e.text end
	all[#all + 1] = e
end
X
lua=$(pkg-config --variable=libdir lua5.4 2>/dev/null)/liblua5.4.a
# shellcheck disable=SC2046 # flags are words
if [ -e "$lua" ] && $CC -O1 $(pkg-config --cflags lua5.4) host.c "$lua" -lm -ldl -o host 2>err &&
	tm-record -q -o lua.tmt ./host game.lua 2>err; then
	judge "a Lua host" lua.tmt
	check '... its three functions' [ "$(grep -cxE 'make_enemy|name_enemy|make_mesh' names)" = 3 ]
	check '... and the script' grep -qx 'luaV_execute' names
else
	echo "skip - a Lua host (no liblua5.4.a here)"
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
