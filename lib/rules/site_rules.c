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
    {SITE_FUNCTION, RESULT "(?:std|__gnu_cxx|__cxxabiv1)::"},
    {SITE_FUNCTION, "^_Z(?:N[KVRO]*)?S[tabsiod]|^_Z(?:N[KVRO]*)?9__gnu_cxx"},
    {SITE_FILE, "/include/c\\+\\+/|/c\\+\\+/v1/|/libstdc\\+\\+-v3/"},
    {SITE_GROUP, "Rust's alloc and collections"},
    {SITE_FUNCTION, "^__(?:rust|rdl|rg)_(?:alloc|realloc|alloc_zeroed|dealloc)$"},
    {SITE_FUNCTION, RESULT "__rustc::__(?:rust|rdl|rg)_\\w+$"},
    {SITE_FUNCTION, "^<?(?:alloc|hashbrown)::"},
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
     "^(?:mem_pool_(?:init|alloc|calloc|alloc_block|strn?dup)|mem_pool__ce_c?alloc|"
     "strbuf_(?:grow|init|attach|add(?:ch|str|buf|chars|f)?|vaddf|v?insertf?|splice)|"
     "xstr(?:fmt|vfmt|dup_tolower|dup_toupper)|alloc_(?:(?:blob|tree|tag|object|commit)_)?node|"
     "strvec_push(?:_nodup|f|l|v)?|string_list_(?:insert|append|append_nodup)|"
     "hashmap_(?:init|add|put)|oidmap_(?:init|put)|oidset_(?:init|insert)|oid_array_append|"
     "prio_queue_put|commit_list_(?:insert|append)|(?:\\w+_at_peek|\\w+_slab_at)|grow_decoration|"
     "kh_(?:init|resize|put)_\\w+|xdl_cha_(?:init|alloc)|xdl_alloc_grow_helper|"
     "ewah_new|bitmap_(?:new|word_alloc|grow)|buffer_(?:grow|push)|alloc_table)$"},
    {SITE_GROUP, "GCC's own heap and vectors"},
    {SITE_FUNCTION,
     "^(?:ggc_(?:internal_(?:cleared_)?alloc|realloc|alloc\\w*)|alloc_page|alloc_anon|"
     "bitmap_(?:element_)?allocat\\w*|bitmap_elt_\\w*alloc\\w*)(?:\\(|$)"},
    {SITE_FUNCTION,
     RESULT "(?:va_heap|va_gc|va_gc_atomic|base_pool_allocator|memory_block_pool)(?:<.*>)?::"},
    {SITE_FUNCTION,
     RESULT "(?:vec|auto_vec|auto_bitmap|hash_table|hash_map|object_allocator|pool_allocator)"
	    "<.*>::(?:reserve|safe_grow\\w*|quick_grow\\w*|safe_push|create|expand|"
	    "alloc_entries|allocate)(?:\\(|$)"},
    {SITE_GROUP, "GLib"},
    {SITE_FUNCTION,
     "^g_(?:try_)?(?:malloc0?|realloc)(?:_n)?$|^g_(?:aligned_alloc0?|"
     "slice_(?:alloc0?|copy)|strn?dup|strdup_v?printf|strconcat|strjoinv?|strfreev|"
     "strdupv|memdup2?|strescape|vasprintf)$|^g_(?:array|ptr_array|byte_array|string|"
     "s?list|queue|hash_table|tree|sequence|node|bytes)_\\w+$"},
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
     "LinkedList|StringBuilder|String|ByteArray|SharedPointer|WeakPointer|ScopedPointer|"
     "SharedDataPointer|ExplicitlySharedDataPointer)(?:<.*>)?::"},
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
    {SITE_GROUP, "zlib, protobuf"},
    {SITE_FUNCTION, "^zcalloc$|^zc_(?:alloc|calloc)$"},
    {SITE_FUNCTION,
     RESULT "google::protobuf::(?:Arena|internal::(?:ArenaImpl|SerialArena|"
	    "ThreadSafeArena|ArenaStringPtr|RepeatedPtrFieldBase)|Repeated(?:Ptr)?Field<.*>)::"},
    {SITE_FUNCTION, RESULT "google::protobuf::(?:internal::)?(?:AllocateMemory|AllocateBlock)\\b"},
    {SITE_GROUP, "Boehm's collector (bdwgc)"},
    {SITE_FUNCTION, "^_?GC_\\w+$"},
    {SITE_GROUP, "IL2CPP's runtime and API"},
    {SITE_FUNCTION, RESULT "il2cpp::"},
    {SITE_FUNCTION, "^_?il2cpp_\\w+|^_ZN[KVRO]*6il2cpp|^(?:SZ|Gen)ArrayNew"},
    {SITE_GROUP, "Mono's runtime and API"},
    {SITE_FUNCTION, "^_?(?:mono|sgen|ves_icall)_\\w+$"},
    {SITE_GROUP, "Unreal Engine's allocators"},
    {SITE_FUNCTION, RESULT "(?:FMalloc\\w*|FMemory|FMemStackBase|FMemStack|FPlatformMemory|"
			   "F\\w+PlatformMemory|FUseSystemMallocForNew|FLowLevelMemTracker)::"},
    {SITE_FUNCTION, RESULT "T(?:SizedHeap|SizedDefault|Heap|Default|Inline|Fixed|SizedInline|"
			   "NonRelocatableInline)Allocator(?:<|::)"},
    {SITE_FUNCTION, RESULT "T(?:Array|ScriptArray|SparseArray|BitArray)<.*>::(?:Resize\\w*|"
			   "AllocatorResizeAllocation|Realloc\\w*)(?:\\(|<|$)"},
    {SITE_GROUP, "Unity's memory manager"},
    {SITE_FUNCTION, "^(?:malloc|calloc|realloc|free)_internal\\b"},
    {SITE_FUNCTION,
     RESULT "(?:MemoryManager|MemoryProfiler|BaseAllocator|UnityDefaultAllocator|"
	    "DynamicHeapAllocator|DualThreadAllocator|BucketAllocator|StackAllocator|"
	    "TLSAllocator|ThreadsafeLinearAllocator|LowLevelVirtualAllocator)"
	    "(?:<.*>)?::"},
    {SITE_FUNCTION, RESULT "(?:stl_allocator<.*>|dynamic_array_detail|core::StringStorageDefault"
			   "<.*>)::"},
    {SITE_GROUP, "Lua and LuaJIT"},
    {SITE_FUNCTION, "^_?(?:l_alloc|luaM_\\w+|luaC_newobj\\w*|luaS_\\w+|luaH_(?:new|newkey|set|"
		    "setint|finishset|resize\\w*)|luaF_(?:newCclosure|newLclosure|newproto|"
		    "new_?upval|findupval)|luaD_(?:growstack|reallocstack)|luaE_extendCI|"
		    "luaO_(?:pushv?fstring|tostring)|lj_alloc_\\w+|lj_mem_\\w+)$"},
    {SITE_FUNCTION,
     "^(?:luaL_(?:alloc|newstate_alloc|prepbuffsize|buffinitsize|addl?string|addvalue|"
     "pushresult(?:size)?)|lua_(?:createtable|newuserdata(?:uv)?|push(?:l|vf|f)?string|"
     "pushcclosure|setglobal|settable|setfield|seti|rawset[ip]?)|auxsetstr|aux_rawset|pushstr|"
     "internshrstr|createstrobj|growstrtab|newbox|resizebox|prepbuffsize|newprefile|"
     "newupval|resize_array|rehash|setnodevector|firsttry|tryagain)$"},
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
