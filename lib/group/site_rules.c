/* SPDX-License-Identifier: MIT */
#include "lib/group/sites.h"

#include <stddef.h>

/* Of C++ functions the demangled name is matched, and the linkage name where that is shorter to
 * say; function templates are demangled with their result type in front. */
#define RESULT "^(?:[\\w:*& ]+[ *&])?"

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
    {SITE_FUNCTION, "^<?(?:alloc|hashbrown)::"},
    {SITE_GROUP, "Boehm's collector (bdwgc)"},
    {SITE_FUNCTION, "^_?GC_\\w+$"},
    {SITE_GROUP, "IL2CPP's runtime and API"},
    {SITE_FUNCTION, RESULT "il2cpp::|^_?il2cpp_\\w+|^_ZN[KVRO]*6il2cpp|^(?:SZ|Gen)ArrayNew"},
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
    {SITE_FUNCTION, "^(?:malloc|calloc|realloc|free)_internal\\b|" RESULT
		    "(?:MemoryManager|MemoryProfiler|BaseAllocator|UnityDefaultAllocator|"
		    "DynamicHeapAllocator|DualThreadAllocator|BucketAllocator|StackAllocator|"
		    "TLSAllocator|ThreadsafeLinearAllocator|LowLevelVirtualAllocator)"
		    "(?:<.*>)?::"},
    {SITE_FUNCTION, RESULT "(?:stl_allocator<.*>|dynamic_array_detail|core::StringStorageDefault"
			   "<.*>)::"},
    {SITE_GROUP, "Lua and LuaJIT"},
    {SITE_FUNCTION, "^_?(?:l_alloc|luaM_\\w+|luaC_newobj\\w*|luaS_\\w+|luaH_(?:new|resize\\w*)|"
		    "lj_alloc_\\w+|lj_mem_\\w+)$"},
    {SITE_GROUP, "LoliProfiler's agent"},
    {SITE_FUNCTION, "^_?loli_\\w+|" RESULT "loli::"},
    {SITE_MODULE, "^libloli\\.so$"},
    {SITE_GROUP, "jemalloc, tcmalloc, mimalloc"},
    {SITE_FUNCTION, "^_?(?:je_|_rjem_|jemalloc_)\\w+$"},
    {SITE_FUNCTION,
     RESULT "tcmalloc::|^tc_(?:malloc|calloc|realloc|memalign|new|newarray|free|"
	    "delete)\\w*$|\\(anonymous namespace\\)::do_(?:malloc|realloc|memalign)"},
    {SITE_FUNCTION, "^_?mi_\\w+$"},
    {SITE_MODULE, "^lib(?:jemalloc|tcmalloc\\w*|mimalloc[-\\w]*)\\.so(?:\\.[\\d.]+)?$"},
    {SITE_FILE, "/(?:jemalloc|gperftools|tcmalloc|mimalloc)(?:-[\\d.]+)?/(?:src|include)/"},
    {SITE_GROUP, NULL},
};
