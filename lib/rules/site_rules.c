/* SPDX-License-Identifier: MIT
 *
 * The shipped rules for allocator and runtime code (sites.h).
 */
#include "lib/rules/sites.h"

#include <stddef.h>

/* Of C++ functions the demangled name is matched, and the linkage name where that is shorter to
 * say; function templates are demangled with their result type in front. A rule with RESULT has
 * nothing beside it, and one that begins with "^" has it in each of its alternatives: so rules.shipped
 * is quick to say no. */
#define RESULT SITE_RESULT
/* Arguments of a template, to the bracket that closes them: in "Array<a> Game::List<b>::add" the class is not
 * Array. */
#define ARGUMENTS "(<(?:[^<>]++|(?-1))*+>)"
/* In front of a whole namespace: the name does not go on behind what would be a result's type, as that of
 * "std::vector<a> Game::all<a>()" does. A conversion's operator has a blank, too. */
#define NO_RESULT "(?![\\w:]++(?:" ARGUMENTS "[\\w:]*+)*+(?<!operator)(?: const)?[*&]* [\\w:]+[<(])"
/* In front of a type between Rust's angle brackets: "<&mut [" of "<&mut [T] as ...>". */
#define RUST_TYPE "^<[&*\\[(]*(?:mut |const |dyn )?"

const struct site_rule site_rules[] = {
    {SITE_GROUP, "libc and bionic"},
    {SITE_FUNCTION, "^(?:__libc_|__GI___libc_|__GI___|__GI_|__interceptor_|__)?(?:malloc|calloc|"
		    "realloc|reallocarray|free|cfree|memalign|posix_memalign|aligned_alloc|valloc|"
		    "pvalloc|strdup|strndup|wcsdup|asprintf|vasprintf|mmap|mmap64|mremap|munmap|"
		    "sbrk|brk)(?:@.*)?$"},
    {SITE_FUNCTION, "^(?:_int_malloc|_int_realloc|_int_memalign|_mid_memalign|sysmalloc|"
		    "malloc_hook_ini|malloc_consolidate|tcache_init\\w*|ptmalloc_init\\w*)$"},
    {SITE_FUNCTION, "^scudo(?:::|_)|^Malloc\\(|^debug_(?:malloc|calloc|realloc|memalign)$"},
    {SITE_MODULE, "^(?:libc|libc-[\\d.]+|libc\\.musl-\\w+|libc_malloc_debug|libpthread|ld-linux"
		  "[-\\w]*|ld-musl-\\w+|ld-[\\d.]+)\\.so(?:\\.[\\d.]+)?$|^linker(?:64)?$"},
    {SITE_GROUP, "operator new and the C++ runtime"},
    {SITE_FUNCTION, "^operator (?:new|delete)(?:\\[\\])?(?:\\(|$)|^_Z[nd][wal]"},
    {SITE_FUNCTION, "^__cxa_\\w+$|^_Unwind_\\w+$"},
    {SITE_MODULE,
     "^lib(?:stdc\\+\\+|c\\+\\+|c\\+\\+_shared|c\\+\\+abi|gcc_s)\\.so(?:\\.[\\d.]+)?$"},
    {SITE_GROUP, "the C++ standard library: allocators, containers, strings"},
    {SITE_FUNCTION, RESULT NO_RESULT "(?:std|__gnu_cxx|__cxxabiv1)::"},
    {SITE_FUNCTION, "^_Z(?:N[KVRO]*)?S[tabsiod]|^_Z(?:N[KVRO]*)?9__gnu_cxx"},
    {SITE_FILE, "/include/c\\+\\+/|/c\\+\\+/v1/|/libstdc\\+\\+-v3/"},
    {SITE_GROUP, "Rust's core, alloc and std; hashbrown"},
    {SITE_FUNCTION, "^__(?:rust|rdl|rg)_(?:alloc|realloc|alloc_zeroed|dealloc)$"},
    {SITE_FUNCTION, RESULT "__rustc::__(?:rust|rdl|rg)_\\w+$"},
    {SITE_FUNCTION, "^(?:alloc|hashbrown)::|" RUST_TYPE "(?:alloc|hashbrown|std)::"},
    /* A C++ program may have a namespace core: these are the modules of Rust's. */
    {SITE_FUNCTION,
     "^(?:<[&*\\[(]*(?:mut |const |dyn "
     ")?)?core::(?:alloc|any|array|ascii|async_iter|borrow|cell|char|"
     "clone|cmp|convert|default|error|ffi|fmt|future|hash|hint|intrinsics|iter|marker|mem|net|"
     "num|ops|option|panic|panicking|pin|ptr|range|result|slice|str|sync|task|time|unicode)::"},
    /* Traits and methods that they give to any type, or to one of the language. */
    {SITE_FUNCTION, RUST_TYPE
     "(?:[A-Z]\\d?|str|bool|char|!|[iu](?:8|16|32|64|128|size)|f(?:32|64))(?:; ?\\w+)?[\\])]*"
     "(?: as (?:core|alloc|std|hashbrown)::.*)?>::"},
    /* Linkage names say which crate has the block of methods. */
    {SITE_FUNCTION, "^_R(?:I|N[A-Za-z])*[XM](?:s[0-9A-Za-z]*_)?(?:N[A-Za-z])*C(?:s[0-9A-Za-z]*_)?"
		    "(?:4core|5alloc|3std|9hashbrown)"},
    {SITE_FILE,
     "(?:/rustc[-/][^/]+|/rustlib/src/rust|/rustlib/rustc-src/rust)/library/(?:core|alloc|std)/|"
     "/hashbrown-[\\d.]+/src/"},
    {SITE_GROUP, "xmalloc and its like: GNU programs, git, BSD programs"},
    {SITE_FUNCTION,
     "^_?(?:do_)?x(?:m|c|re|z|n?m)alloc(?:z|_array|z_gently|_failed|2|0)?$|^x(?:(?:reall|2re|2nre|"
     "nre)"
     "alloc(?:array)?|nmalloc|charalloc|ireallocarray|reallocarray|"
     "strn?dup|memdupz?|mmap|mmap_gently|posix_memalign|vasprintf|asprintf|alignalloc|palloc)$"},
    {SITE_FUNCTION, "^(?:do_xmallocz?|do_x?realloc|safe_(?:m|c|re)alloc|checked_(?:m|c|re)alloc|"
		    "e(?:m|c|re)alloc|ck(?:m|c|re)alloc|s_(?:m|c|re)alloc|"
		    "zmalloc|zcalloc|zrealloc|ztrymalloc|ztrycalloc|ztryrealloc)$"},
    {SITE_FUNCTION, "^_obstack_(?:begin|begin_1|newchunk|allocated_p|begin_worker)$|"
		    "^xcallback_obstack\\w*$"},
    {SITE_GROUP, "git's pools, texts and containers; khash, xdiff"},
    {SITE_FUNCTION,
     "^(?:git_(?:inflate_init|inflate_init_gzip_only|deflate_init|deflate_init_gzip|deflate_init_"
     "raw)|"
     "mem_pool_(?:init|alloc|calloc|alloc_block|strn?dup)|mem_pool__ce_c?alloc|"
     "strbuf_(?:grow|init|attach|add(?:ch|str|buf|chars|f)?|vaddf|v?insertf?|splice)|"
     "xstr(?:fmt|vfmt|dup_tolower|dup_toupper)|alloc_(?:(?:blob|tree|tag|object|commit)_)?node|"
     "strvec_push(?:_nodup|f|l|v)?|string_list_(?:insert|append|append_nodup)|"
     "hashmap_(?:init|add|put)|oidmap_(?:init|put)|oidset_(?:init|insert)|oid_array_append|"
     "prio_queue_put|commit_list_(?:insert|append)|\\w+_(?:at_peek|slab_at)|grow_decoration|"
     "kh_(?:init|resize|put)_\\w+|xdl_cha_(?:init|alloc)|xdl_alloc_grow_helper|"
     "ewah_new|bitmap_(?:new|word_alloc|grow)|buffer_(?:grow|push)|alloc_table)$"},
    {SITE_GROUP, "GCC's own heap and vectors"},
    {SITE_FUNCTION,
     "^(?:ggc_(?:internal_(?:cleared_)?alloc|realloc|alloc\\w*)|alloc_page|alloc_anon|"
     "bitmap_(?:element_)?allocat\\w*|bitmap_elt_\\w*alloc\\w*)(?:\\(|$)"},
    {SITE_FUNCTION, RESULT
     "(?:va_heap|va_gc|va_gc_atomic|base_pool_allocator|memory_block_pool)(?:" ARGUMENTS ")?::"},
    {SITE_FUNCTION, RESULT
     "(?:vec|auto_vec|auto_bitmap|hash_table|hash_map|object_allocator|pool_allocator)" ARGUMENTS
     "::(?:reserve|safe_grow\\w*|quick_grow\\w*|safe_push|create|expand|"
     "alloc_entries|allocate)(?:\\(|$)"},
    {SITE_GROUP, "GLib"},
    {SITE_FUNCTION,
     "^g_(?:try_)?(?:malloc0?|realloc)(?:_n)?$|^g_(?:aligned_alloc0?|"
     "slice_(?:alloc0?|copy)|strn?dup|strdup_v?printf|strconcat|strjoinv?|strfreev|"
     "strdupv|memdup2?|strescape|vasprintf)$|^g_(?:array|ptr_array|byte_array|string|"
     "s?list|queue|hash_table|tree|sequence|node|bytes)_\\w+$"},
    {SITE_FUNCTION,
     "^g_(?:aligned_alloc_n|(?:atomic_)?rc_box_(?:alloc0?|alloc_full|dup)|ref_string_\\w+|"
     "strsplit(?:_set)?|strjoin|build_(?:filename|path)(?:v|_va)?|ascii_str(?:down|up)|"
     "quark_from_(?:static_)?string|intern_(?:static_)?string|datalist_\\w+|string_chunk_\\w+|"
     "strv_builder_\\w+|type_create_instance|object_new(?:v|_valist|_internal|_with_properties)?)$|"
     "^quark_(?:from_string|new|strdup)$"},
    {SITE_FUNCTION, "^(?:thread_memory_magazine\\w*|magazine_\\w+|slab_allocator_\\w+|"
		    "allocator_\\w+|standard_(?:m|c|try_m|try_re)alloc)$"},
    {SITE_GROUP, "CPython's allocators, and what its containers grow by"},
    {SITE_FUNCTION,
     "^_?Py(?:Mem|Object)_(?:Raw)?(?:Malloc|Calloc|Realloc|New|NewVar|GC_New|"
     "GC_NewVar|GC_Malloc|GC_Calloc|GC_Alloc|GC_Resize|GC_Link)$|^_PyMem_\\w*(?:Alloc|"
     "Malloc|Calloc|Realloc|Strdup|RawStrdup|RawWcsdup)$|^_PyObject_(?:Arena\\w+|"
     "Debug\\w*lloc)$|^_?PyType_(?:GenericAlloc|AllocNoTrack)$"},
    {SITE_FUNCTION, "^(?:pymalloc_(?:alloc|realloc)|allocate_from_new_pool|new_arena|"
		    "gc_alloc|list_resize|list_preallocate_exact|resize_compact|resize_copy|"
		    "dictresize|insertion_resize|new_keys_object|set_table_resize|"
		    "arena_map_\\w+)$"},
    {SITE_GROUP, "perl's allocators, and what its values grow by"},
    {SITE_FUNCTION, "^(?:Perl|S)_(?:safesys(?:m|c|re)alloc|more_(?:bodies|sv)|get_arena|"
		    "save(?:shared)?(?:pv|pvn|svpv)|sv_grow(?:_fresh)?|av_extend(?:_guts)?|"
		    "save_hek_flags|new_he|new_body|hsplit)$"},
    {SITE_GROUP, "Qt's containers, strings and pointers"},
    {SITE_FUNCTION, RESULT
     "Q(?:ArrayData|ListData|HashData|MapDataBase|MapData|LinkedListData|TypedArrayData|"
     "ArrayDataPointer|List|Vector|Hash|MultiHash|Map|MultiMap|Set|Stack|Queue|VarLengthArray|"
     "LinkedList|ContiguousCache|ContiguousCacheData|Cache|RingBuffer|RingChunk|BitArray|"
     "StringBuilder|String|ByteArray|SharedPointer|WeakPointer|ScopedPointer|"
     "SharedDataPointer|ExplicitlySharedDataPointer)(?:" ARGUMENTS ")?::"},
    {SITE_FUNCTION, RESULT "(?:QtPrivate|QtSharedPointer|QHashPrivate)::"},
    {SITE_FUNCTION, "^q(?:Malloc|Realloc)(?:Aligned)?(?:\\(|$)|"
		    "^reallocateData|^allocateData|^prepareRawData"},
    {SITE_GROUP, "SQLite's allocators"},
    {SITE_FUNCTION,
     "^sqlite3(?:_(?:malloc|realloc)(?:64)?|_v?m?printf|_vmprintf|Mem(?:Malloc|Realloc)|"
     "Malloc(?:Zero)?|Realloc|Db(?:MallocRaw(?:NN)?|MallocZero|Realloc(?:OrFree)?|StrN?Dup|"
     "SpanDup)|PageMalloc|ScratchMalloc|ArrayAllocate|StrAccumEnlarge(?:IfNeeded)?|"
     "V?MPrintf|VdbeMemGrow|VdbeMemClearAndResize)$|^(?:mallocWithAlarm|dbMallocRawFinish|"
     "dbReallocFinish|pcache1Alloc)$"},
    {SITE_GROUP, "zlib and zstd: allocators, and what makes their states"},
    {SITE_FUNCTION,
     "^zcalloc$|^zc_(?:alloc|calloc)$|^(?:Cr_z_|cm_zlib_|zng_|z_|mz_)?(?:deflateInit2?|"
     "inflateInit2?|inflateBackInit|deflateCopy|inflateCopy)_?$"},
    {SITE_FUNCTION,
     "^ZSTD(?:MT)?_(?:custom[MC]alloc|[mc]alloc|cwksp_create|(?:create|init)[CD]\\w+|"
     "createBufferPool|createJobsTable|createSeqPool|expand\\w*Pool|getBuffer|getCCtx|"
     "serialState_reset|resetCCtx_\\w+|resetCStream\\w*|compressBegin\\w*|"
     "CCtx_init_compressStream2)$"},
    {SITE_GROUP, "protobuf, upb"},
    {SITE_FUNCTION, RESULT
     "google::protobuf::(?:Arena|internal::(?:ArenaImpl|SerialArena|ThreadSafeArena|ArenaStringPtr|"
     "RepeatedPtrFieldBase|ExtensionSet|InternalMetadata|MapFieldBase|UntypedMapBase|"
     "KeyMapBase" ARGUMENTS "|MapAllocator" ARGUMENTS
     "|StringBlock|StringTypeHandler|GenericTypeHandler" ARGUMENTS "|ArenaAllocator" ARGUMENTS
     ")|(?:Repeated(?:Ptr)?Field|Map)" ARGUMENTS ")::"},
    {SITE_FUNCTION, RESULT "google::protobuf::(?:internal::)?(?:AllocateMemory|AllocateBlock|"
			   "AllocateAtLeast|DuplicateIfNonNull|NewFromPrototype(?:Helper)?)\\b"},
    {SITE_FUNCTION, "^_?upb_(?:Arena_\\w+|Array_(?:New|Resize|Realloc)\\w*|Map_(?:New|Insert)\\w*|"
		    "global_allocfunc|strtable_\\w+|inttable_\\w+)$"},
    {SITE_GROUP, "OpenSSL, BoringSSL: memory, buffers, stacks, hash tables, numbers"},
    {SITE_FUNCTION,
     "^(?:CRYPTO|OPENSSL)_(?:(?:secure_|clear_)?(?:m|z|c|re)alloc(?:_array|_init)?|"
     "aligned_alloc(?:_array)?|malloc_array|clear_realloc_array|memdup|strn?dup|v?asprintf)$|"
     "^OPENSSL_(?:LH|lh)_(?:new|insert|retrieve_or_insert)$|"
     "^OPENSSL_sk_(?:new|new_null|new_reserve|dup|deep_copy|push|unshift|insert|reserve)$|"
     "^BUF_(?:MEM_(?:new|new_ex|grow|grow_clean|reserve|append)|strn?dup|memdup)$|"
     "^bn_(?:expand2|wexpand|resize_words)$|^CRYPTO_(?:new|set|dup)_ex_data$"},
    {SITE_GROUP, "FFmpeg's memory, buffers, texts, and empty frames and packets"},
    {SITE_FUNCTION,
     "^av_(?:mallocz?(?:_array)?|calloc|realloc(?:p|_f)?(?:_array)?|strn?dup|memdup|asprintf|"
     "dynarray(?:2_add|_add(?:_nofree)?)|fast_(?:realloc|(?:padded_)?mallocz?)|"
     "buffer_(?:allocz?|create|default_alloc|ref|realloc|make_writable|pool_(?:init2?|get))|"
     "refstruct_(?:alloc|pool)\\w*|v?bprintf|bprint_\\w+|dict_(?:set(?:_int)?|copy|parse_string)|"
     "fifo_(?:alloc\\w*|realloc2|grow2?|write\\w*)|frame_(?:alloc|get_buffer)|"
     "packet_(?:alloc|(?:new|add)_side_data)|(?:new|grow)_packet)$|"
     "^ff_(?:fast_mallocz?|refstruct_(?:alloc|pool)\\w*)$"},
    {SITE_GROUP, "V8's zones and memory; node's"},
    {SITE_FUNCTION,
     RESULT "v8::internal::(?:Malloced|AccountingAllocator|Zone|VirtualMemory|VirtualMemoryCage|"
	    "(?:Recycling)?ZoneAllocator" ARGUMENTS "|ZoneList" ARGUMENTS
	    "|FreeStoreAllocationPolicy|ZoneAllocationPolicy|MemoryAllocator|HeapAllocator|"
	    "Identity\\w*Map\\w*)::"},
    {SITE_FUNCTION, RESULT
     "v8::(?:internal|base)::(?:Alloc(?:AtLeast)?WithRetry|AlignedAlloc\\w*|NewArray|StrN?Dup|"
     "AllocatePages|Malloc|Calloc|Realloc|AllocateAtLeast)(?:" ARGUMENTS ")?\\("},
    {SITE_FUNCTION, RESULT "v8::base::(?:OS::Allocate\\w*\\(|(?:PageAllocator|BoundedPageAllocator|"
			   "TemplateHashMapImpl" ARGUMENTS "|SmallVector" ARGUMENTS ")::)"},
    {SITE_FUNCTION,
     RESULT "node::(?:(?:Unchecked)?(?:M|C|Re)alloc|UncheckedRealloc)(?:" ARGUMENTS ")?\\("},
    {SITE_FUNCTION, RESULT "node::(?:NodeArrayBufferAllocator::|MaybeStackBuffer" ARGUMENTS
			   "::AllocateSufficientStorage)"},
    {SITE_GROUP, "SDL's memory and texts"},
    {SITE_FUNCTION,
     "^SDL_(?:malloc|calloc|realloc|strn?dup|wcsdup|v?asprintf|aligned_alloc|SIMDAlloc|"
     "SIMDRealloc|iconv_string)(?:_REAL|_DEFAULT)?$"},
    {SITE_GROUP, "Boost's pools, containers and smart pointers"},
    {SITE_FUNCTION, RESULT
     "boost::(?:(?:details::pool|container|unordered|multi_index|alignment|ptr_container_detail|"
     "default_user_allocator_new_delete|default_user_allocator_malloc_free|"
     "detail::(?:shared_count|sp_\\w+)(?:" ARGUMENTS ")?|asio::detail::thread_info_base|"
     "(?:object_pool|pool|singleton_pool|pool_allocator|fast_pool_allocator|"
     "simple_segregated_storage|circular_buffer|dynamic_bitset|shared_ptr|shared_array|scoped_ptr|"
     "ptr_\\w+)" ARGUMENTS ")::|(?:make|allocate)_shared<|make_unique<)"},
    {SITE_FUNCTION, "^boost::shared_ptr" ARGUMENTS " boost::(?:make|allocate)_shared<"},
    {SITE_FUNCTION, "^boost_cont_\\w+$"},
    {SITE_FILE, "/boost/(?:pool|container|unordered|multi_index|smart_ptr|circular_buffer|align|"
		"ptr_container|dynamic_bitset)/"},
    {SITE_GROUP, "EASTL; EA's allocators"},
    {SITE_FUNCTION, RESULT NO_RESULT "(?:eastl|EA::Allocator)::"},
    {SITE_FUNCTION, "^_ZN?[KVRO]*5eastl"},
    {SITE_FILE, "/EASTL/(?:internal/|allocators/)?\\w+\\.h$"},
    {SITE_GROUP, "Godot's memory and containers"},
    {SITE_FUNCTION, RESULT
     "(?:Memory::(?:re)?alloc_(?:aligned_)?static(?:_zeroed)?\\(|memnew_arr_template<|"
     "(?:DefaultAllocator|PoolAllocator|CowData" ARGUMENTS "|DefaultTypedAllocator" ARGUMENTS
     "|PagedAllocator" ARGUMENTS "|PoolVector" ARGUMENTS "|RID_Alloc" ARGUMENTS ")::|"
     "(?:Vector|LocalVector|List|Map|RBMap|Set|RBSet|HashMap|HashSet|OAHashMap|VMap|VSet)" ARGUMENTS
     "::(?:push_(?:back|front)|append(?:_array)?|resize\\w*|reserve|insert|_?insert\\w*|"
     "_resize_and_rehash|operator\\[\\]|make_hash_table|check_hash_table|create_entry)\\(|"
     "String::(?:copy_from(?:_unchecked)?|parse_utf8|parse_latin1|utf8|ascii|resize)\\()"},
    {SITE_GROUP, "Boehm's collector (bdwgc)"},
    {SITE_FUNCTION, "^_?GC_\\w+$"},
    {SITE_GROUP, "IL2CPP's runtime and API"},
    {SITE_FUNCTION, RESULT "il2cpp::"},
    {SITE_FUNCTION, "^_?il2cpp_\\w+|^_?_ZN[KVRO]*6il2cpp|^(?:SZ|Gen)ArrayNew"},
    {SITE_GROUP, "Mono's runtime and API"},
    {SITE_FUNCTION, "^_?(?:mono|monoeg|sgen|ves_icall)_\\w+$"},
    {SITE_GROUP, "Unreal Engine's allocators, containers, strings, and what makes its objects"},
    {SITE_FUNCTION, RESULT "(?:FMalloc\\w*|FMemory|FMemStackBase|FMemStack|FPlatformMemory|"
			   "F\\w+PlatformMemory|FUseSystemMallocForNew|FLowLevelMemTracker|"
			   "FHeapAllocator|FUObjectAllocator|FNamePool|FNameEntryAllocator|FString|"
			   "FStringView|rml::internal)::"},
    {SITE_FUNCTION, RESULT "T(?:SizedHeap|SizedDefault|Heap|Default|Inline|Fixed|SizedInline|"
			   "NonRelocatableInline)Allocator(?:<|::)"},
    {SITE_FUNCTION, RESULT
     "T(?:Array|ScriptArray|SparseArray|BitArray|IndirectArray|ChunkedArray|Set|ScriptSet|Map|"
     "MultiMap|MapBase|SortableMapBase|SortedMap|Deque|Queue|CircularQueue|List|LinkedList|"
     "DoubleLinkedList|StringBuilder\\w*|SharedPtr|SharedRef|UniquePtr|RefCountPtr)" ARGUMENTS
     "::"},
    {SITE_FUNCTION,
     RESULT "(?:StaticAllocateObject\\(|StaticConstructObject_Internal\\(|NewObject<|"
	    "MakeShared<|MakeUnique<|MakeShareable<)"},
    {SITE_FUNCTION, "^scalable_(?:aligned_)?(?:m|c|re)alloc(?:\\(|$)"},
    {SITE_GROUP, "Unity's memory manager and containers"},
    {SITE_FUNCTION, "^(?:malloc|calloc|realloc|free|free_alloc)_internal\\b"},
    {SITE_FUNCTION,
     RESULT "(?:MemoryManager|MemoryProfiler|BaseAllocator|UnityDefaultAllocator|"
	    "DynamicHeapAllocator|DualThreadAllocator|BucketAllocator|StackAllocator|"
	    "TLSAllocator|ThreadsafeLinearAllocator|LowLevelVirtualAllocator)"
	    "(?:" ARGUMENTS ")?::"},
    {SITE_FUNCTION,
     RESULT "(?:stl_allocator" ARGUMENTS "|dynamic_array_detail|dynamic_array" ARGUMENTS
	    "|core::(?:StringStorageDefault|basic_string|vector|hash_map|hash_set|"
	    "base_hash_map|base_hash_set)" ARGUMENTS ")::"},
    {SITE_FUNCTION,
     "^tlsf_(?:malloc|memalign|realloc|create\\w*|add_pool|free)$|^Baselib_Memory_\\w+$|"
     "^UnsafeUtility_(?:CUSTOM_)?Malloc(?:Tracked)?(?:\\(|_m[0-9A-F]{8,}|$)"},
    {SITE_FUNCTION,
     "^_?(?:List_1|Dictionary_2|HashSet_1|Queue_1|Stack_1)_(?:set_Capacity|EnsureCapacity|"
     "AddWithResize|PushWithResize|Resize|Initialize|IncreaseCapacity|SetCapacity|Grow)_m[0-9A-F]{"
     "8,}"},
    {SITE_GROUP, "Lua and LuaJIT"},
    {SITE_FUNCTION,
     "^_?(?:l_alloc|luamodule_(?:allocate|\\w+_block)|watch_allocate|luaM_\\w+|luaC_newobj\\w*|"
     "luaS_\\w+|luaH_(?:"
     "new|newkey|set|"
     "setint|finishset|resize\\w*)|luaF_(?:newCclosure|newLclosure|newproto|"
     "new_?upval|findupval)|luaD_(?:growstack|reallocstack)|luaE_extendCI|"
     "luaO_(?:pushv?fstring|tostring)|lj_(?:alloc|mem|buf)_\\w+|lj_str_(?:new\\w*|alloc|"
     "resize)|lj_tab_(?:new\\w*|dup|resize|rehash|reasize|set\\w*)|lj_func_new\\w+|"
     "lj_udata_new|lj_cdata_new\\w*|lj_state_grow\\w*|lj_strfmt_\\w+)$"},
    {SITE_FILE, "(?:^|/)lj_(?:alloc|gc|str|tab|buf)\\.[ch]$"},
    {SITE_MODULE, "^liblua(?:jit)?[-\\d.]*\\.so(?:\\.[\\d.]+)?$|^tracemill\\.so$"},
    {SITE_FUNCTION,
     "^(?:luaL_(?:alloc|newstate_alloc|prepbuffsize|buffinitsize|addl?string|addvalue|"
     "pushresult(?:size)?)|lua_(?:createtable|newuserdata(?:uv)?|push(?:l|vf|f)?string|"
     "pushcclosure|setglobal|settable|setfield|seti|rawset[ip]?)|auxsetstr|aux_rawset|pushstr|"
     "internshrstr|createstrobj|growstrtab|newbox|resizebox|prepbuffsize|newprefile|"
     "newupval|resize_array|rehash|setnodevector|firsttry|tryagain)$"},
    {SITE_FUNCTION,
     "^(?:string\\.(?:byte|char|dump|find|format|gmatch|gsub|len|lower|match|pack|rep|reverse|sub|"
     "unpack|upper)|table\\.(?:concat|insert|move|pack|remove|unpack)|utf8\\.(?:char|codepoint)|"
     "io\\.(?:lines|open|read)|os\\.(?:date|getenv|tmpname)|coroutine\\.(?:create|wrap))$"},
    {SITE_GROUP, "what managed runtimes' profilers and hosts call such a function"},
    {SITE_FUNCTION,
     "^_?On(?:Alloc|Malloc|Realloc)(?:Event|Callback)?(?:\\(|$)|^_?(?:Object|Array|String|"
     "Class|GC)_(?:New|NewObject|Alloc|Allocate|AllocateObject)(?:\\(|_m[0-9A-F]{8,}|$)"},
    {SITE_GROUP, "LoliProfiler's agent"},
    {SITE_FUNCTION, "^_?loli_\\w+"},
    {SITE_FUNCTION, RESULT "loli::"},
    {SITE_MODULE, "^libloli\\.so$"},
    {SITE_GROUP, "jemalloc, tcmalloc, mimalloc"},
    {SITE_FUNCTION, "^_?(?:je_|_rjem_|jemalloc_)\\w+$"},
    {SITE_FUNCTION, RESULT "tcmalloc::"},
    {SITE_FUNCTION, "^tc_(?:malloc|calloc|realloc|memalign|new|newarray|free|delete)\\w*$"},
    {SITE_FUNCTION, "\\(anonymous namespace\\)::do_(?:malloc|realloc|memalign)"},
    {SITE_FUNCTION, "^_?mi_\\w+$"},
    {SITE_MODULE, "^lib(?:jemalloc|tcmalloc\\w*|mimalloc[-\\w]*)\\.so(?:\\.[\\d.]+)?$"},
    {SITE_FILE, "/(?:jemalloc|gperftools|tcmalloc|mimalloc)(?:-[\\d.]+)?/(?:src|include)/"},
    {SITE_GROUP, NULL},
};
