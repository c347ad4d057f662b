/* SPDX-License-Identifier: MIT
 *
 * Rules for allocator and runtime code (lib/rules/sites.h).
 */
#include "lib/rules/sites.h"

#include "lib/match/match.h"
#include "tests/unit/test.h"

#include <stdlib.h>

static unsigned verdict(struct sites *s, const char *display, const char *raw)
{
	return sites_function(s, display, raw ? raw : display);
}

static unsigned function_verdict(struct sites *s, const char *name)
{
	return verdict(s, name, NULL);
}

/* Allocator and runtime names as glibc 2.36, libstdc++ 12, libc++ 14, bdwgc, il2cpp (Unity
 * 2021), UE 4.27 and 5, Lua 5.4 and jemalloc spell them. */
TEST(runtime_code_is_passed_over)
{
	static const char *const names[] = {
	    "malloc", "__libc_malloc", "__GI___libc_malloc", "calloc", "_int_malloc", "strdup",
	    "__strdup", "malloc@plt", "posix_memalign", "operator new(unsigned long)",
	    "operator new[](unsigned long, std::nothrow_t const&)", "operator delete(void*)",
	    "_Znwm", "_Znam", "_ZdlPv", "std::allocator<int>::allocate(unsigned long)",
	    "__gnu_cxx::new_allocator<Foo>::allocate(unsigned long, void const*)",
	    "std::_Vector_base<int, std::allocator<int> >::_M_allocate(unsigned long)",
	    "void std::vector<int, std::allocator<int> >::_M_realloc_insert<int>(int&&)",
	    "std::__1::allocator<char>::allocate(unsigned long)",
	    "std::__ndk1::basic_string<char>::append(char const*)",
	    "Foo* std::__uninitialized_copy<false>::__uninit_copy(Foo*, Foo*, Foo*)",
	    "std::unique_ptr<Foo> std::make_unique<Foo>()", "_ZNSt6vectorIiSaIiEE9push_backEOi",
	    "_ZNKSt3__16vectorIiNS_9allocatorIiEEE8max_sizeEv", "_ZNSs4_Rep9_S_createEmmRKSaIcE",
	    "GC_malloc_kind", "GC_generic_malloc_many", "_GC_malloc",
	    "il2cpp::vm::Object::New(Il2CppClass*)",
	    "il2cpp::gc::GarbageCollector::AllocateObject(int)", "il2cpp_object_new",
	    "il2cpp_codegen_object_new", "SZArrayNew", "mono_gc_alloc_obj", "sgen_alloc_obj_nolock",
	    "FMallocBinned2::MallocExternal(unsigned long, unsigned int)",
	    "FMemory::Malloc(unsigned long, unsigned int)", "FMallocAnsi::Realloc(void*)",
	    "TSizedHeapAllocator<32>::ForAnyElementType::ResizeAllocation(int, int, unsigned long)",
	    "TArray<int, TSizedDefaultAllocator<32> >::ResizeGrow(int)",
	    "MemoryManager::Allocate(unsigned long, unsigned long, MemLabelId)", "malloc_internal",
	    "DynamicHeapAllocator<LowLevelAllocator>::Allocate(unsigned long, int)", "l_alloc",
	    "luaM_realloc_", "luaM_malloc_", "luaC_newobj", "lj_mem_newgco", "loli_malloc",
	    "je_malloc", "tc_malloc", "tcmalloc::CentralFreeList::Populate()", "mi_malloc",
	    "_mi_page_malloc", "__rust_alloc", "alloc::vec::Vec<T,A>::reserve",
	    /* gnulib's xalloc.h, libiberty, git's wrapper.c and strbuf.c */
	    "xmalloc", "xcalloc", "xrealloc", "xstrdup", "xstrndup", "xmemdup", "xmemdupz",
	    "xmallocz", "x2nrealloc", "xnmalloc", "xzalloc", "xreallocarray", "do_xmalloc",
	    "strbuf_grow", "mem_pool_alloc", "_obstack_newchunk",
	    /* git 2.39: strbuf.c, strvec.c, string-list.c, alloc.c, hashmap.c, khash.h,
	     * commit-slab-impl.h, xdiff/xutils.c */
	    "strbuf_addbuf", "strbuf_vinsertf", "xstrfmt", "strvec_pushf", "string_list_append",
	    "alloc_commit_node", "hashmap_put", "kh_resize_oid_map", "author_date_slab_at_peek",
	    "xdl_cha_alloc", "xdl_alloc_grow_helper", "commit_list_insert",
	    /* GCC's ggc.h and vec.h */
	    "ggc_internal_alloc(unsigned long, void (*)(void*), unsigned long, unsigned long)",
	    "ggc_internal_cleared_alloc(unsigned long, void (*)(void*), unsigned long, unsigned "
	    "long)",
	    "ggc_realloc(void*, unsigned long)",
	    "void va_heap::reserve<tree_node*>(vec<tree_node*, va_heap, vl_embed>*&, unsigned int, "
	    "bool)",
	    /* GLib's gmem.h, gslice.h, gstrfuncs.h and containers */
	    "g_malloc", "g_malloc0_n", "g_try_realloc", "g_slice_alloc0", "g_strdup",
	    "g_strdup_printf", "g_ptr_array_maybe_expand", "g_string_append_len",
	    "g_hash_table_insert_node",
	    /* CPython 3.11: Objects/obmalloc.c, Modules/gcmodule.c, Objects/listobject.c */
	    "_PyMem_RawMalloc", "_PyMem_RawCalloc", "PyMem_Realloc", "PyObject_Malloc",
	    "_PyObject_Malloc", "_PyObject_GC_New", "_PyObject_GC_Alloc", "PyType_GenericAlloc",
	    "_PyObject_ArenaMmap", "list_resize", "new_keys_object",
	    /* perl 5.36: util.c, sv.c, av.c, hv.c */
	    "Perl_safesysmalloc", "Perl_safesysrealloc", "Perl_more_bodies", "Perl_sv_grow",
	    "Perl_savepvn", "Perl_av_extend_guts", "S_save_hek_flags", "S_more_sv",
	    /* Qt 5 and 6 */
	    "QArrayData::allocate(unsigned long, unsigned long, unsigned long, "
	    "QFlags<QArrayData::AllocationOption>)",
	    "QString::reallocData(unsigned int, bool)", "QVector<int>::append(int const&)",
	    "QHashData::allocateNode(int)",
	    "QtPrivate::QPodArrayOps<char>::appendInitialize(long long)",
	    /* SQLite 3.40: malloc.c, mem1.c */
	    "sqlite3MemMalloc", "sqlite3Malloc", "sqlite3DbMallocRawNN", "sqlite3_malloc64",
	    "sqlite3DbStrDup", "dbMallocRawFinish",
	    /* zlib's zutil.c, protobuf's arena.h */
	    "zcalloc",
	    "google::protobuf::internal::ThreadSafeArena::AllocateAligned(unsigned long)",
	    /* Lua 5.4: lmem.c, lstring.c, ltable.c, lobject.c; lauxlib.c, lapi.c */
	    "luaL_prepbuffsize", "internshrstr", "luaH_newkey", "luaO_pushfstring",
	    "lua_pushstring", "lua_createtable", "luaL_addstring", "lua_setfield",
	    /* parts and copies that GCC and clang make */
	    "internshrstr.isra.0", "luaH_resize.part.0", "xmalloc.cold", "rehash.lto_priv.3",
	    "do_xmalloc.constprop.0.isra.1", "l_alloc.llvm.8123",
	    /* what hosts of managed code call it */
	    "OnAllocEvent", "Object_New", "Object_New_m1A2B3C4D"};
	struct sites *s = sites_new();

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!CHECK_EQ(verdict(s, names[i], NULL), SITE_PASS))
			printf("  %s\n", names[i]);
	CHECK_EQ(verdict(s, "odd display", "_Znwm"), SITE_PASS);
	CHECK_EQ(sites_module(s, "libc.so.6"), SITE_PASS);
	CHECK_EQ(sites_module(s, "libc.so"), SITE_PASS);
	CHECK_EQ(sites_module(s, "ld-linux-x86-64.so.2"), SITE_PASS);
	CHECK_EQ(sites_module(s, "libstdc++.so.6.0.30"), SITE_PASS);
	CHECK_EQ(sites_module(s, "libc++_shared.so"), SITE_PASS);
	CHECK_EQ(sites_module(s, "libloli.so"), SITE_PASS);
	CHECK_EQ(sites_file(s, "/usr/include/c++/12/bits/stl_vector.h"), SITE_PASS);
	sites_free(s);
}

TEST(the_business_layer_stays)
{
	static const char *const names[] = {
	    "main", "Game::spawn(int)", "malloc_report", "my_malloc", "freeze", "newsletter",
	    "Game::load(int, std::vector<int>)", "void Game::each<std::vector<int> >(int)",
	    "Pool<int, std::allocator<int> >::take()", "Game::operator new_level(int)",
	    "GameState::GC_count()", "UObject::MallocStats()", "TArrayView<int>::ResizeGrow()",
	    "TMap<FString, int>::Add(int)", "luaB_print", "lua_pushthread", "luaopen_base",
	    "standard::thing()", "std_dialog()", "Player_Update_m3F1A", "String_Concat_m12345",
	    "stdlib_user", "arena_create", "_ZN4Game5spawnEi", "_ZN7Storage3addEv", "mimic",
	    /* of programs that the rules above name parts of */
	    "strbuf_read_file", "strbuf_getline", "parse_commit_buffer", "unpack_entry",
	    "patch_delta", "luaV_execute", "luaV_concat.part.0", "luaY_parser", "str_rep",
	    "push_string", "xmlParseFile", "xterm_open", "xcalc_window", "read_index_from",
	    "make_node(tree_code)", "build_decl(unsigned int, tree_code, tree_node*, tree_node*)",
	    "lra(_IO_FILE*)", "g_application_run", "gtk_widget_new", "PyList_New",
	    "PyByteArray_Resize", "_PyEval_EvalFrameDefault", "PyUnicode_Append",
	    "QWidget::QWidget(QWidget*, QFlags<Qt::WindowType>)", "QStringBuilderUser::run()",
	    "sqlite3VdbeExec", "sqlite3_prepare_v2", "sqlite3BtreeOpen", "inflateInit2_",
	    "google::protobuf::Message::ParseFromString(std::string const&)", "OnAllocateLevel",
	    "Object_Newton", "lua_newthread", "Perl_pp_push", "Perl_yyparse",
	    "Perl_runops_standard", "Perl_newSVpvn", "S_regatom"};
	struct sites *s = sites_new();

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!CHECK_EQ(verdict(s, names[i], NULL), 0))
			printf("  %s\n", names[i]);
	CHECK_EQ(sites_module(s, "libUE4.so"), 0);
	CHECK_EQ(sites_module(s, "libcurl.so.4"), 0);
	CHECK_EQ(sites_module(s, "libil2cpp.so"), 0);
	CHECK_EQ(sites_module(s, ""), 0);
	CHECK_EQ(sites_file(s, "/src/c++/game.cpp"), 0);
	CHECK_EQ(sites_file(s, ""), 0);
	sites_free(s);
}

TEST(own_rules)
{
	static const char text[] = "# mine\n\n  function   ^Pool::  \r\n"
				   "!function ^malloc$\n! module libgame\n"
				   "module ^libpool\\.so$\nfile pool\\.(cpp|h)$";
	struct sites *s = sites_new();
	struct err e = ERR_INIT;

	CHECK_EQ(sites_add(s, "test", text, sizeof text - 1, &e), ST_OK);
	CHECK_EQ(verdict(s, "Pool::take()", NULL), SITE_PASS);
	CHECK_EQ(verdict(s, "malloc", NULL), SITE_PASS | SITE_STAY);
	CHECK_EQ(verdict(s, "calloc", NULL), SITE_PASS);
	CHECK_EQ(sites_module(s, "libpool.so"), SITE_PASS);
	CHECK_EQ(sites_module(s, "libgame.so"), SITE_STAY);
	CHECK_EQ(sites_file(s, "src/pool.cpp"), SITE_PASS);
	sites_free(s);
}

TEST(bad_rules_name_their_line)
{
	static const struct {
		const char *text, *line;
	} cases[] = {{"function a\nfunctoin b\n", "line 2"},
		     {"function\n", "line 1"},
		     {"\n\nfile [\n", "line 3"},
		     {"!\n", "line 1"},
		     {"functions x", "line 1"}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sites *s = sites_new();
		struct err e = ERR_INIT;

		CHECK_EQ(sites_add(s, "test", cases[i].text, strlen(cases[i].text), &e), ST_BAD);
		if (!CHECK(strstr(e.msg, cases[i].line) == e.msg))
			printf("  %s\n", e.msg);
		sites_free(s);
	}
}

TEST(list_reads_back)
{
	struct sites *s = sites_new();
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;

	sites_list(&b);
	CHECK(b.len > 1000);
	if (!CHECK_EQ(sites_add(s, "test", b.data, b.len, &e), ST_OK))
		printf("  %s\n", e.msg);
	sites_free(s);
	buf_release(&b);
}

/* Rules that are asked together say what each says alone. */
TEST(shipped_rules_together)
{
	static const char *const names[] = {"",
					    "malloc",
					    "x malloc",
					    "vec<int>::reserve(int)",
					    "a* vec<int>::reserve(int)",
					    "a(b) vec<int>::reserve(int)",
					    "std::map<int>::at",
					    "int std::max<int>()",
					    "qMalloc",
					    "int qMalloc(",
					    "il2cpp::vm::x",
					    "int il2cpp_new",
					    "il2cpp_new",
					    "f(int)::(anonymous namespace)::do_malloc",
					    "(anonymous namespace)::do_malloc",
					    "tc_new",
					    "a tc_new",
					    "loli::x",
					    "a loli_x",
					    "google::protobuf::Arena::f",
					    "a* google::protobuf::AllocateBlock",
					    "operator new",
					    "\xff\xfestd::x",
					    "\xffmalloc",
					    "malloc\xff",
					    "a\xff std::x",
					    "a std::\xff",
					    "\xff(anonymous namespace)::do_malloc",
					    "libc.so.6",
					    "a/libc.so.6",
					    "linker64",
					    "/usr/include/c++/12/vector",
					    "x/jemalloc-5.2/src/a.c"};
	unsigned (*const ask[])(struct sites *, const char *) = {[SITE_FUNCTION] = function_verdict,
								 [SITE_MODULE] = sites_module,
								 [SITE_FILE] = sites_file};
	struct sites *s = sites_new();

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		unsigned alone[SITE_FILE + 1] = {0};

		for (const struct site_rule *r = site_rules; r->text; r++) {
			struct err e = ERR_INIT;
			struct match *m;

			if (r->kind == SITE_GROUP)
				continue;
			m = match_new((struct match_place){"test", 0}, r->text, strlen(r->text), 0,
				      &e);
			if (match_test(m, names[i], strlen(names[i])))
				alone[r->kind] = SITE_PASS;
			match_free(m);
		}
		for (unsigned k = SITE_FUNCTION; k <= SITE_FILE; k++)
			if (!CHECK_EQ(ask[k](s, names[i]), alone[k]))
				printf("  %s\n", names[i]);
	}
	sites_free(s);
}

TEST_MAIN()
