/* SPDX-License-Identifier: MIT
 *
 * Rules for allocator and runtime code (lib/rules/sites.h).
 */
#include "lib/rules/sites.h"

#include "lib/match/match.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

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
	    "luamodule_allocate", "luamodule_put_block", "watch_allocate", "luaM_realloc_",
	    "luaM_malloc_", "luaC_newobj", "lj_mem_newgco", "loli_malloc", "je_malloc", "tc_malloc",
	    "tcmalloc::CentralFreeList::Populate()", "mi_malloc", "_mi_page_malloc", "__rust_alloc",
	    "alloc::vec::Vec<T,A>::reserve",
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
	/* Debian's, whose functions have no names, and LuaJIT's; not a game's own. */
	CHECK_EQ(sites_module(s, "liblua5.4.so.0"), SITE_PASS);
	CHECK_EQ(sites_module(s, "libluajit-5.1.so.2"), SITE_PASS);
	CHECK_EQ(sites_module(s, "libluagame.so"), 0);
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
	    "luaB_print", "lua_pushthread", "luaopen_base", "standard::thing()", "std_dialog()",
	    "Player_Update_m3F1A", "String_Concat_m12345", "stdlib_user", "arena_create",
	    "_ZN4Game5spawnEi", "_ZN7Storage3addEv", "mimic",
	    /* of programs that the rules above name parts of */
	    "strbuf_read_file", "strbuf_getline", "parse_commit_buffer", "unpack_entry",
	    "patch_delta", "luaV_execute", "luaV_concat.part.0", "luaY_parser", "str_rep",
	    "push_string", "xmlParseFile", "xterm_open", "xcalc_window", "read_index_from",
	    "make_node(tree_code)", "build_decl(unsigned int, tree_code, tree_node*, tree_node*)",
	    "lra(_IO_FILE*)", "g_application_run", "gtk_widget_new", "PyList_New",
	    "PyByteArray_Resize", "_PyEval_EvalFrameDefault", "PyUnicode_Append",
	    "QWidget::QWidget(QWidget*, QFlags<Qt::WindowType>)", "QStringBuilderUser::run()",
	    "sqlite3VdbeExec", "sqlite3_prepare_v2", "sqlite3BtreeOpen", "inflate",
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

/* Names of a library: what only hands memory on, and what is somebody's code. Those of C are as the
 * libraries' headers and sources declare them, those of C++ and Rust as demangled. */
struct family {
	const char *passed[64], *stay[24];
};

static void check_family(const struct family *f)
{
	struct sites *s = sites_new();

	for (size_t i = 0; f->passed[i]; i++)
		if (!CHECK_EQ(verdict(s, f->passed[i], NULL), SITE_PASS))
			printf("  %s\n", f->passed[i]);
	for (size_t i = 0; f->stay[i]; i++)
		if (!CHECK_EQ(verdict(s, f->stay[i], NULL), 0))
			printf("  %s\n", f->stay[i]);
	sites_free(s);
}

/* Rust 1.63 to 1.85: legacy names have the impl's own letters, v0's the types. */
TEST(rust)
{
	static const struct family f = {
	    {"alloc::raw_vec::RawVec<T,A>::reserve::do_reserve_and_handle",
	     "alloc::raw_vec::finish_grow", "alloc::raw_vec::RawVec<T,A>::grow_one",
	     "alloc::slice::<impl [T]>::to_vec", "alloc::string::String::with_capacity",
	     "<alloc::string::String as core::clone::Clone>::clone",
	     "<alloc::vec::Vec<T> as alloc::vec::spec_from_iter::SpecFromIter<T,I>>::from_iter",
	     "<[alloc::string::String]>::to_vec", "hashbrown::raw::RawTable<T,A>::reserve_rehash",
	     "<hashbrown::map::HashMap<K,V,S,A> as "
	     "core::iter::traits::collect::Extend<(K,V)>>::extend",
	     "core::iter::traits::iterator::Iterator::collect", "core::iter::adapters::try_process",
	     "core::option::Option<T>::map_or_else", "core::result::Result<T,E>::map",
	     "core::slice::sort::stable::driftsort_main", "core::ops::function::FnOnce::call_once",
	     "core::fmt::write",
	     "<core::iter::adapters::map::Map<I,F> as "
	     "core::iter::traits::iterator::Iterator>::fold",
	     "<&mut core::iter::adapters::Rev<I> as core::iter::traits::iterator::Iterator>::next",
	     "<T as alloc::string::ToString>::to_string",
	     "<T as alloc::slice::<impl [T]>::to_vec_in::ConvertVec>::to_vec",
	     "<I as core::iter::traits::collect::IntoIterator>::into_iter",
	     "<[T] as alloc::borrow::ToOwned>::to_owned", "<str>::to_owned", "<[u8]>::to_vec",
	     "<str as alloc::string::ToString>::to_string",
	     "<&str as core::convert::Into<_>>::into",
	     "<u32 as alloc::string::ToString>::to_string", "<[u8; 32] as core::fmt::Debug>::fmt",
	     "std::collections::hash::map::HashMap<K,V,S>::insert",
	     "std::fs::read_to_string::inner", "std::thread::Builder::spawn_unchecked_",
	     "<std::io::buffered::bufreader::BufReader<R> as std::io::BufRead>::read_line",
	     "<std::path::Path>::to_path_buf", "std::ffi::os_str::OsStr::to_os_string",
	     "__rustc::__rust_realloc", "__rdl_alloc_zeroed",
	     /* of blocks whose crate only the linkage name has */
	     "_RNvMNtCs4Z4K3mGnJ1_5alloc5sliceSh6to_vecCs1234_4game",
	     "_RNvXs_NtNtCsabc_4core3fmt4implsNtCs1_4game3FooNtB5_5Debug3fmt",
	     "_RINvMs0_NtCsb9_9hashbrown3rawINtB6_8RawTableyE14reserve_rehashECs1_4game"},
	    {"game::spawn", "<game::Level as core::clone::Clone>::clone",
	     "<game::Level as core::default::Default>::default",
	     "<game::Level as alloc::string::ToString>::to_string", "game::alloc::Pool::take",
	     "game::core::iter::each", "allocator::Pool::new", "core::Engine::start()",
	     "core::World::spawn(int)", "core::assets::load", "corelib::str::join",
	     "stdx::vec::push", "<str as game::Shout>::shout", "<T as game::Spawn>::spawn",
	     "<[u8] as game::Load>::load",
	     "_RNvXs_CsYZ_4gameNtB4_5LevelNtNtCs1_4core5clone5Clone5clone",
	     "_RNvNtCs1_4game5alloc4take", "_RNvCs1_4game4main", "hashbrowns::take"},
	};

	check_family(&f);
}

TEST(rust_files)
{
	struct sites *s = sites_new();

	CHECK_EQ(
	    sites_file(
		s, "/rustc/9fc6b43126469e3858e2fe86cafb4f0fd5068869/library/alloc/src/vec/mod.rs"),
	    SITE_PASS);
	CHECK_EQ(sites_file(s, "/usr/src/rustc-1.63.0/library/core/src/iter/mod.rs"), SITE_PASS);
	CHECK_EQ(
	    sites_file(s, "/srv/.rustup/toolchains/stable-x86_64-unknown-linux-gnu/lib/rustlib/src/"
			  "rust/library/std/src/fs.rs"),
	    SITE_PASS);
	CHECK_EQ(sites_file(s, "/cargo/registry/src/index.crates.io-6f17d22bba15001f/"
			       "hashbrown-0.14.5/src/raw/mod.rs"),
		 SITE_PASS);
	CHECK_EQ(sites_file(s, "/srv/game/src/library/core/level.rs"), 0);
	CHECK_EQ(sites_file(s, "/srv/rustc_game/library/core/a.rs"), 0);
	CHECK_EQ(
	    sites_file(
		s, "/cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.2/src/de.rs"),
	    0);
	sites_free(s);
}

/* zlib 1.2.13, zstd 1.5.4 (lib/compress, lib/decompress), OpenSSL 3.0's and BoringSSL's mem.c, stack.c,
 * lhash.c, buffer.c, bn_lib.c; Chromium and CMake link zlib under names of their own. */
TEST(compression_and_openssl)
{
	static const struct family f = {
	    {"inflateInit_",
	     "inflateInit2_",
	     "deflateInit_",
	     "deflateInit2_",
	     "inflateBackInit_",
	     "deflateCopy",
	     "Cr_z_inflateInit2_",
	     "cm_zlib_deflateInit_",
	     "zng_deflateInit2",
	     "mz_deflateInit2",
	     "git_inflate_init",
	     "git_deflate_init_raw",
	     "zcalloc",
	     "ZSTD_customMalloc",
	     "ZSTD_customCalloc",
	     "ZSTD_malloc",
	     "ZSTD_cwksp_create",
	     "ZSTD_createCCtx",
	     "ZSTD_createCCtx_advanced",
	     "ZSTD_createDCtx",
	     "ZSTD_createDStream",
	     "ZSTD_createCDict_advanced",
	     "ZSTD_initCStream_internal",
	     "ZSTD_resetCCtx_internal",
	     "ZSTD_resetCCtx_byAttachingCDict",
	     "ZSTD_compressBegin_internal",
	     "ZSTD_CCtx_init_compressStream2",
	     "ZSTDMT_createCCtx_advanced",
	     "ZSTDMT_getBuffer",
	     "CRYPTO_malloc",
	     "CRYPTO_zalloc",
	     "CRYPTO_realloc",
	     "CRYPTO_clear_realloc",
	     "CRYPTO_strdup",
	     "CRYPTO_strndup",
	     "CRYPTO_memdup",
	     "CRYPTO_secure_zalloc",
	     "CRYPTO_aligned_alloc",
	     "OPENSSL_malloc",
	     "OPENSSL_realloc",
	     "OPENSSL_memdup",
	     "OPENSSL_LH_insert",
	     "OPENSSL_LH_new",
	     "OPENSSL_sk_new_null",
	     "OPENSSL_sk_dup",
	     "OPENSSL_sk_deep_copy",
	     "OPENSSL_sk_push",
	     "OPENSSL_sk_insert",
	     "BUF_MEM_grow",
	     "BUF_MEM_grow_clean",
	     "BUF_strdup",
	     "bn_expand2",
	     "bn_wexpand",
	     "CRYPTO_set_ex_data"},
	    {"inflate",
	     "deflate",
	     "inflateReset",
	     "compress2",
	     "gzopen",
	     "uncompress",
	     "inflateInitial",
	     "ZSTD_compress",
	     "ZSTD_compressStream2",
	     "ZSTD_decompress",
	     "POOL_create",
	     "my_deflateInit_",
	     "SSL_CTX_new",
	     "EVP_PKEY_keygen",
	     "X509_new",
	     "BIO_new",
	     "BN_new",
	     "d2i_X509",
	     "PEM_read_bio_X509",
	     "ossl_namemap_add_name",
	     "CRYPTO_gcm128_init",
	     "OPENSSL_init_crypto",
	     "SSL_read"},
	};

	check_family(&f);
}

/* FFmpeg 5.1 and 7: libavutil's mem.h, buffer.h, bprint.h, dict.h, fifo.h, frame.h; libavcodec's packet.h.
 * SDL 2.26: SDL_stdinc.h, and what dynapi renames. */
TEST(ffmpeg_and_sdl)
{
	static const struct family f = {
	    {"av_malloc",
	     "av_mallocz",
	     "av_malloc_array",
	     "av_mallocz_array",
	     "av_calloc",
	     "av_realloc",
	     "av_realloc_f",
	     "av_reallocp",
	     "av_realloc_array",
	     "av_reallocp_array",
	     "av_strdup",
	     "av_strndup",
	     "av_memdup",
	     "av_asprintf",
	     "av_dynarray_add",
	     "av_dynarray_add_nofree",
	     "av_dynarray2_add",
	     "av_fast_realloc",
	     "av_fast_malloc",
	     "av_fast_mallocz",
	     "av_fast_padded_malloc",
	     "av_buffer_alloc",
	     "av_buffer_allocz",
	     "av_buffer_create",
	     "av_buffer_ref",
	     "av_buffer_realloc",
	     "av_buffer_pool_init2",
	     "av_buffer_pool_get",
	     "av_refstruct_alloc_ext_c",
	     "av_bprintf",
	     "av_bprint_finalize",
	     "av_dict_set",
	     "av_dict_copy",
	     "av_fifo_alloc2",
	     "av_fifo_grow2",
	     "av_fifo_write",
	     "av_frame_alloc",
	     "av_frame_get_buffer",
	     "av_packet_alloc",
	     "av_new_packet",
	     "av_grow_packet",
	     "av_packet_new_side_data",
	     "ff_fast_malloc",
	     "SDL_malloc",
	     "SDL_calloc",
	     "SDL_realloc",
	     "SDL_strdup",
	     "SDL_malloc_REAL",
	     "SDL_calloc_REAL",
	     "SDL_realloc_REAL",
	     "SDL_strdup_REAL",
	     "SDL_asprintf_REAL",
	     "SDL_SIMDAlloc",
	     "SDL_SIMDAlloc_REAL",
	     "SDL_aligned_alloc",
	     "SDL_iconv_string_REAL"},
	    {"av_read_frame",
	     "av_frame_ref",
	     "av_opt_set",
	     "av_interleaved_write_frame",
	     "avcodec_open2",
	     "avcodec_alloc_context3",
	     "avformat_open_input",
	     "avformat_new_stream",
	     "avfilter_graph_alloc",
	     "sws_getContext",
	     "ff_get_buffer",
	     "av_mallocs",
	     "my_av_malloc",
	     "SDL_CreateTexture",
	     "SDL_CreateTexture_REAL",
	     "SDL_CreateWindow",
	     "SDL_CreateRGBSurface",
	     "SDL_LoadBMP_RW",
	     "SDL_LoadFile_RW",
	     "SDL_mallocs",
	     "SDL_AllocFormat",
	     "IMG_Load"},
	};

	check_family(&f);
}

/* V8 10 to 12: src/utils/allocation.h, src/zone, src/base; node 18: src/util-inl.h. */
TEST(v8_and_node)
{
	static const struct family f = {
	    {"v8::internal::Malloced::operator new(unsigned long)",
	     "v8::internal::AllocWithRetry(unsigned long)",
	     "v8::internal::AllocAtLeastWithRetry(unsigned long)",
	     "v8::internal::AllocWithRetry(unsigned long, void* (*)(unsigned long))",
	     "v8::internal::AlignedAlloc(unsigned long, unsigned long)",
	     "v8::internal::AlignedAllocWithRetry(unsigned long, unsigned long)",
	     "char* v8::internal::NewArray<char>(unsigned long)",
	     "v8::internal::StrDup(char const*)",
	     "v8::internal::AccountingAllocator::AllocateSegment(unsigned long, bool)",
	     "v8::internal::Zone::NewExpand(unsigned long)",
	     "v8::internal::Zone::Expand(unsigned long)",
	     "v8::internal::Zone::AsanNew(unsigned long)",
	     "v8::internal::Foo* v8::internal::Zone::New<v8::internal::Foo>(int&&)",
	     "v8::internal::ZoneAllocator<int>::allocate(unsigned long)",
	     "v8::internal::ZoneList<v8::internal::Expression*>::Add(v8::internal::Expression* "
	     "const&, "
	     "v8::internal::Zone*)",
	     "v8::internal::VirtualMemory::VirtualMemory(v8::PageAllocator*, unsigned long, void*)",
	     "v8::internal::AllocatePages(v8::PageAllocator*, void*, unsigned long, unsigned long, "
	     "v8::PageAllocator::Permission)",
	     "v8::base::OS::Allocate(void*, unsigned long, unsigned long, "
	     "v8::base::OS::MemoryPermission)",
	     "v8::base::PageAllocator::AllocatePages(void*, unsigned long, unsigned long, int)",
	     "v8::base::SmallVector<int, 8ul>::Grow(unsigned long)",
	     "v8::base::Malloc(unsigned long)",
	     "char* node::Malloc<char>(unsigned long)",
	     "char* node::UncheckedMalloc<char>(unsigned long)",
	     "unsigned char* node::UncheckedRealloc<unsigned char>(unsigned char*, unsigned long)",
	     "node::NodeArrayBufferAllocator::Allocate(unsigned long)",
	     "node::MaybeStackBuffer<char, 1024ul>::AllocateSufficientStorage(unsigned long)"},
	    {"v8::internal::Parser::ParseProgram(v8::internal::Isolate*)",
	     "v8::internal::Factory::NewJSObject(v8::internal::Handle<v8::internal::JSFunction>)",
	     "v8::internal::Isolate::Init(int)", "v8::internal::ZoneStats::Scope::Scope()",
	     "v8::internal::Builtin_ArrayMap(int)", "v8::Isolate::New()", "Zone::Expand(int)",
	     "game::Zone::New()", "node::Buffer::New(v8::Isolate*, unsigned long)",
	     "node::MallocedBuffers::f()", "node::crypto::SecureContext::Init()",
	     "v8::Script::Compile()"},
	};

	check_family(&f);
}

/* The libraries of Lua 5.1 to 5.4, as its profilers name them: those that make strings, tables and handles for their caller.
 * table.sort runs the caller's function, os.execute and io.popen are the program's own business. */
TEST(lua_libraries)
{
	static const struct family f = {
	    {"string.rep", "string.format", "string.gsub", "table.concat", "table.insert",
	     "utf8.char", "io.read", "coroutine.wrap", "table.unpack"},
	    {"table.sort", "os.execute", "io.popen", "string.mine", "my.string.rep", "string.rep2",
	     "table", "stringxrep", "math.random"},
	};

	check_family(&f);
}

/* GLib 2.74: gmem.c, grcbox.c, gquark.c, gobject.c; Qt 6.4; LuaJIT 2.1; Mono 6.8, whose eglib has names of
 * its own. */
TEST(glib_qt_luajit_mono)
{
	static const struct family f = {
	    {"g_malloc0",
	     "g_malloc_n",
	     "g_slice_alloc",
	     "g_slice_alloc0",
	     "g_realloc_n",
	     "g_strdup",
	     "g_strsplit",
	     "g_strjoin",
	     "g_build_filename",
	     "g_build_filenamev",
	     "g_build_path",
	     "g_ascii_strdown",
	     "g_quark_from_string",
	     "quark_from_string",
	     "g_intern_string",
	     "g_rc_box_alloc0",
	     "g_atomic_rc_box_dup",
	     "g_ref_string_new",
	     "g_datalist_id_set_data_full",
	     "g_type_create_instance",
	     "g_object_new",
	     "g_object_new_internal",
	     "g_object_new_valist",
	     "g_hash_table_new_full",
	     "g_aligned_alloc0",
	     "g_string_chunk_insert",
	     "QArrayData::allocate(QArrayData**, long long, long long, long long, "
	     "QArrayData::AllocationOption)",
	     "QArrayData::reallocateUnaligned(QArrayData*, void*, long long, long long, "
	     "QArrayData::AllocationOption)",
	     "qMallocAligned(unsigned long, unsigned long)",
	     "QRingBuffer::reserve(long long)",
	     "QContiguousCacheData::allocateData(int, int)",
	     "QBitArray::resize(int)",
	     "QHash<QString, int>::emplace(QString&&, int&&)",
	     "lj_mem_realloc",
	     "lj_alloc_f",
	     "lj_mem_newgco",
	     "lj_str_new",
	     "lj_str_resize",
	     "lj_tab_new",
	     "lj_tab_newkey",
	     "lj_tab_resize",
	     "lj_tab_dup",
	     "lj_buf_need2",
	     "lj_func_newL_gc",
	     "lj_udata_new",
	     "lj_cdata_newv",
	     "lj_state_growstack",
	     "lj_strfmt_num",
	     "mono_g_malloc",
	     "monoeg_malloc",
	     "monoeg_g_strdup_vprintf",
	     "monoeg_realloc",
	     "mono_mempool_alloc0",
	     "sgen_alloc_internal",
	     "il2cpp::utils::Memory::Malloc(unsigned long)"},
	    {"g_application_run",
	     "g_file_get_contents",
	     "g_dir_open",
	     "g_key_file_load_from_file",
	     "g_markup_parse_context_parse",
	     "gtk_builder_new",
	     "g_bus_get_sync",
	     "g_object_newest",
	     "QWidget::QWidget(QWidget*)",
	     "QObject::QObject(QObject*)",
	     "QFile::open(int)",
	     "QTranslator::load(QString const&)",
	     "QRingBuffers::run()",
	     "lj_parse",
	     "lj_ffrecord_func",
	     "lj_record_ins",
	     "lj_trace_ins",
	     "lj_cf_ffi_new",
	     "monogame_run",
	     "monolith_alloc"},
	};

	check_family(&f);
}

/* Unreal: stacks of crashes that users of 4.10 to 5.3 published. Those of Windows lack the parameters. */
TEST(unreal)
{
	static const struct family f = {
	    {"FMallocBinned2::Malloc(unsigned long, unsigned int)",
	     "FMallocBinned2::ReallocExternal(void*, unsigned long, unsigned int)",
	     "FMallocTBB::Realloc()",
	     "FMallocMimalloc::TryRealloc(void *, unsigned __int64)",
	     "FMemory::Malloc(unsigned long, unsigned int)",
	     "FMemory::Realloc()",
	     "scalable_realloc()",
	     "rml::internal::reallocAligned()",
	     "FHeapAllocator::ForAnyElementType::ResizeAllocation()",
	     "TSizedHeapAllocator<32, FMemory>::ForAnyElementType::ResizeAllocation(int, int, "
	     "unsigned "
	     "long, unsigned int)",
	     "TArray<FString,TSizedDefaultAllocator<32> >::ResizeGrow()",
	     "TArray<FHttpRequest,FDefaultAllocator>::Emplace<FHttpRequest const & __ptr64>()",
	     "TArray<FBAVariableDescription,TSizedDefaultAllocator<32> >::ResizeTo()",
	     "TArray<FPinLink,TSizedDefaultAllocator<32>>::AllocatorResizeAllocation(int)",
	     "FString::AssignRange(char16_t const*, int)",
	     "FString::ParseIntoArray()",
	     "TMap<FString, int>::Add(int)",
	     "TSet<int, DefaultKeyFuncs<int>, A>::Emplace<int>(int&&)",
	     "FNameEntryAllocator::Create<char>(FStringView, int)",
	     "TSharedPtr<FFoo, 1>::TSharedPtr(FFoo*)",
	     "StaticAllocateObject(UClass const*, UObject*, FName)",
	     "StaticConstructObject_Internal(FStaticConstructObjectParameters const&)",
	     "UTexture2D* NewObject<UTexture2D>(UObject*)"},
	    {"FMeshDrawShaderBindings::CopyFrom(FMeshDrawShaderBindings const&)",
	     "FMeshDrawCommand::FMeshDrawCommand(FMeshDrawCommand const&)",
	     "GitSourceControlUtils::RunCommandInternal()",
	     "UFRMConfigInitSubsystem::SaveHttpAuthToken(UConfigManager*)",
	     "FBABlueprintHandler::SetLastVariables()", "UMasterServerFunctions::TransmitRequest()",
	     "FDynamicPassMeshDrawListContext::AddCommand(FMeshDrawCommand const&)",
	     "UWorld::SpawnActor(UClass*)", "TArrayView<int>::ResizeGrow()",
	     "TArray<int> AGame::TPool<int>::Take<int>(int)", "AGame::Load(TArray<int>::RangedFor)",
	     "FStringTable::Load()", "NewObjectList(int)", "TMapper<int>::Add(int)"},
	};

	check_family(&f);
}

/* Unity: stacks of crashes that users of 5 to 2022 published, of players and of the editor; names that
 * il2cpp makes. */
TEST(unity)
{
	static const struct family f = {
	    {"MemoryManager::Allocate(unsigned long, unsigned long, MemLabelId)",
	     "MemoryManager::OutOfMemoryError(unsigned long, unsigned long, MemLabelId, char "
	     "const*, int)",
	     "MemoryManager::Deallocate",
	     "DynamicHeapAllocator::TryDeallocate",
	     "tlsf_free",
	     "tlsf_memalign",
	     "free_alloc_internal",
	     "malloc_internal",
	     "core::StringStorageDefault<char>::assign(char const*, unsigned long)",
	     "core::basic_string<char, core::StringStorageDefault<char> >::append(char const*)",
	     "core::vector<int, 0ul>::push_back(int const&)",
	     "dynamic_array<int, 0ul>::resize_uninitialized(int)",
	     "core::hash_map<int, int>::insert(int)",
	     "Baselib_Memory_AlignedAllocate",
	     "UnsafeUtility_CUSTOM_MallocTracked(long long, int, int, int)",
	     "UnsafeUtility_Malloc_m18FCC67A056C48A4E0F939D08C43F9E876CA1CF6",
	     "GC_malloc_kind",
	     "_GC_malloc_atomic",
	     "__ZN6il2cpp2vm6Object15AllocatePtrFreeEmP11Il2CppClass",
	     "_il2cpp_array_new_specific",
	     "_List_1_set_Capacity_mCC8C09F571316C8738D28C69EA1C8C85609F3480_gshared",
	     "Dictionary_2_Resize_m0123456789ABCDEF0123456789ABCDEF01234567_gshared"},
	    {"AnimationMixerPlayable::SetInputConnection(Playable*, int, int)",
	     "DestroySingleObject", "DebugStringToFile(DebugStringToFileData const&)",
	     "DownloadHandlerTexture::DestroyTexture",
	     "PreloadManager::WaitForAllAsyncOperationsToComplete",
	     "JobQueue::Exec(JobInfo*, long long, int, bool)", "core::Engine::Load(int)",
	     "core::vectorize(int)",
	     "Inventory_1_set_Capacity_mCC8C09F571316C8738D28C69EA1C8C85609F3480",
	     "List_1_Sort_mCC8C09F571316C8738D28C69EA1C8C85609F3480", "Player_Malloc_m1A2B3C4D5E6F",
	     "UnsafeUtility_MemCpy_m18FCC67A056C48A4E0F939D08C43F9E876CA1CF6"},
	};

	check_family(&f);
}

/* Godot 3.2 to 4.3: core/os/memory.h, core/templates; Boost 1.74; EASTL 3.21; protobuf 3.21 and upb. */
TEST(godot_boost_eastl_protobuf)
{
	static const struct family f = {
	    {"Memory::alloc_static(unsigned long, bool)",
	     "Memory::realloc_static(void*, unsigned long, bool)",
	     "Memory::alloc_aligned_static(unsigned long, unsigned long)",
	     "operator new(unsigned long, char const*)",
	     "DefaultAllocator::alloc(unsigned long)",
	     "int* memnew_arr_template<int>(unsigned long)",
	     "CowData<char32_t>::resize(int)",
	     "PagedAllocator<int, false>::alloc()",
	     "PoolVector<Vector3>::resize(int)",
	     "Vector<Ref<Texture> >::push_back(Ref<Texture>)",
	     "HashMap<StringName, Variant>::_resize_and_rehash(unsigned int)",
	     "List<String, DefaultAllocator>::push_back(String const&)",
	     "String::copy_from(char const*)",
	     "String::utf8() const",
	     "RID_Alloc<Texture, true>::allocate_rid()",
	     "boost::pool<boost::default_user_allocator_new_delete>::ordered_malloc_need_resize()",
	     "boost::default_user_allocator_malloc_free::malloc(unsigned long)",
	     "boost::object_pool<Foo, boost::default_user_allocator_new_delete>::construct()",
	     "boost::fast_pool_allocator<int>::allocate()",
	     "boost::container::vector<int>::priv_insert_forward_range_no_capacity(int*)",
	     "boost::container::new_allocator<int>::allocate(unsigned long)",
	     "boost::unordered::detail::table<int>::create_buckets(unsigned long)",
	     "boost::unordered::unordered_map<int, int>::operator[](int const&)",
	     "boost::shared_ptr<Foo>::shared_ptr<Foo>(Foo*)",
	     "boost::detail::shared_count::shared_count<Foo>(Foo*)",
	     "boost::shared_ptr<Foo> boost::make_shared<Foo>()",
	     "boost::circular_buffer<int>::set_capacity(int)",
	     "boost_cont_malloc",
	     "eastl::allocator::allocate(unsigned long, int)",
	     "eastl::vector<int, eastl::allocator>::DoInsertValueEnd(int&&)",
	     "eastl::basic_string<char, eastl::allocator>::append(char const*)",
	     "EA::Allocator::GeneralAllocator::Malloc(unsigned long, int)",
	     "operator new[](unsigned long, char const*, int, unsigned int, char const*, int)",
	     "google::protobuf::internal::ThreadSafeArena::AllocateAligned(unsigned long)",
	     "google::protobuf::Arena::AllocateAlignedNoHook(unsigned long)",
	     "game::Item* "
	     "google::protobuf::Arena::CreateMaybeMessage<game::Item>(google::protobuf::Arena*)",
	     "google::protobuf::RepeatedField<int>::Reserve(int)",
	     "google::protobuf::internal::RepeatedPtrFieldBase::InternalExtend(int)",
	     "google::protobuf::Map<std::string, int>::InnerMap::Resize(unsigned long)",
	     "google::protobuf::internal::ExtensionSet::GrowCapacity(unsigned long)",
	     "google::protobuf::internal::GenericTypeHandler<game::Item>::New(google::protobuf::"
	     "Arena*)",
	     "google::protobuf::internal::MapAllocator<void*>::allocate(unsigned long, void "
	     "const*)",
	     "upb_Arena_Malloc",
	     "_upb_Arena_SlowMalloc"},
	    {"Memory::get_static_memory_usage()",
	     "ResourceLoader::load(String const&)",
	     "Node::add_child(Node*)",
	     "Vector<float>::normalized() const",
	     "Vector::push_back(int)",
	     "String::format(int)",
	     "MemoryCard::alloc_static(int)",
	     "GDScriptParser::parse(String const&)",
	     "boost::asio::io_context::run()",
	     "boost::filesystem::path::parent_path() const",
	     "boost::thread::start_thread()",
	     "boost::program_options::parse_command_line(int)",
	     "boost::shared_ptr<Foo> Game::Pool<Foo>::make<Foo>()",
	     "boosted::pool<int>::take()",
	     "google::protobuf::compiler::Parser::Parse(int)",
	     "google::protobuf::Message::ParseFromString(int)",
	     "google::protobuf::DescriptorPool::FindFileByName(int) const",
	     "game::Item::New(Arena*)",
	     "eastlake::take()",
	     "upb_Decode"},
	};
	struct sites *s = sites_new();

	check_family(&f);
	CHECK_EQ(sites_file(s, "/usr/include/boost/unordered/detail/implementation.hpp"),
		 SITE_PASS);
	CHECK_EQ(sites_file(s, "/usr/include/boost/asio/io_context.hpp"), 0);
	CHECK_EQ(sites_file(s, "/src/EASTL/include/EASTL/vector.h"), SITE_PASS);
	CHECK_EQ(sites_file(s, "/src/EASTL/include/EASTL/internal/hashtable.h"), SITE_PASS);
	CHECK_EQ(sites_file(s, "/src/EASTLGame/vector.cpp"), 0);
	sites_free(s);
}

/* A result's type stands in front of a function template's name, and says nothing of the function. */
TEST(result_types)
{
	static const struct family f = {
	    {"std::pair<int, int> std::make_pair<int, int>(int&&, int&&)",
	     "std::unique_ptr<Foo, std::default_delete<Foo> > std::make_unique<Foo, int>(int&&)",
	     "std::shared_ptr<Foo> const& std::get<1ul, std::shared_ptr<Foo> >(int)",
	     "std::basic_ostream<char>& std::operator<< <std::char_traits<char> "
	     ">(std::basic_ostream<char>&, "
	     "char const*)",
	     "std::enable_if<true, void>::type std::swap<int>(int&, int&)",
	     "std::Foo::operator bool() const", "std::vector<int>::operator[](unsigned long)",
	     "std::function<void (int)>::operator()(int) const",
	     "std::thread::_State_impl<std::thread::_Invoker<std::tuple<void (*)()> > >::_M_run()",
	     "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
	     ">::basic_string(char const*, std::allocator<char> const&)",
	     "boost::shared_ptr<Foo> boost::make_shared<Foo>()",
	     "eastl::pair<int, int> eastl::make_pair<int, int>(int)"},
	    {"std::unique_ptr<Foo, std::default_delete<Foo> > Game::make<Foo>()",
	     "std::vector<int, std::allocator<int> > collect<int>(int)",
	     "std::string const& Game::name<int>(std::vector<int>)",
	     "std::vector<int>::iterator Game::find<std::vector<int> >(int)",
	     "eastl::vector<int> Game::all<int>()", "QList<int> Game::Pool<int>::take<int>()",
	     "TArray<int> UWorld::Collect<int>(TArray<int>)"},
	};

	check_family(&f);
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

/* The shipped rules are not matched as they are written: names of pieces that they are about, and of others. */
TEST(shipped_rules_say_what_their_expressions_do)
{
	static const char *const pieces[] = {"std::",
					     "void ",
					     "Foo<a, b> ",
					     "<",
					     ">",
					     "* ",
					     "& ",
					     "operator<",
					     "(int)",
					     "il2cpp::",
					     "\303\251",
					     "\200",
					     "\351",
					     " ",
					     "::",
					     "const ",
					     "eastl::",
					     "EA::Allocator::",
					     "QList<a>",
					     "loli::x",
					     "F",
					     "TArray<int>::ResizeGrow(",
					     "__gnu_cxx::",
					     "tcmalloc::",
					     "(anonymous namespace)::do_malloc",
					     "malloc",
					     "_Zn",
					     "_ZNSt",
					     "alloc::"};
	enum { PIECES = sizeof pieces / sizeof *pieces, NAMES = 4000, MOST = 200 };
	struct match *rules[MOST];
	struct sites *s = sites_new();
	struct err e = ERR_INIT;
	size_t n_rules = 0, passed = 0, wrong = 0;
	uint32_t state = 1;

	for (const struct site_rule *r = site_rules; r->text; r++)
		if (r->kind == SITE_FUNCTION && n_rules < MOST)
			rules[n_rules++] = match_new((struct match_place){"rules", 0}, r->text,
						     strlen(r->text), 0, &e);
	for (size_t i = 0; i < NAMES; i++) {
		char name[400] = "";
		bool pass = false;

		for (size_t k = 0; k <= i % 7; k++) {
			state = state * 1664525 + 1013904223;
			strcat(name, pieces[(state >> 8) % PIECES]);
		}
		for (size_t k = 0; k < n_rules && !pass; k++)
			pass = match_test(rules[k], name, strlen(name));
		passed += pass;
		wrong += pass != (function_verdict(s, name) == SITE_PASS);
	}
	CHECK_EQ(wrong, 0);
	CHECK(passed > NAMES / 10 && passed < NAMES - NAMES / 10);
	for (size_t k = 0; k < n_rules; k++)
		match_free(rules[k]);
	sites_free(s);
}

TEST_MAIN()
