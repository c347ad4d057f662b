/* SPDX-License-Identifier: MIT
 *
 * A heap snapshot of Unity, whichever file it came in: native objects, managed types, the bytes of
 * the managed heap, and the crawl that finds the managed objects and what they refer to.
 *
 * What becomes what:
 *  - a native object: OBJECT (id: its address; type: the native type, "native T"; size; name);
 *  - a managed object: OBJECT (id: its address; type: the managed type; size rounded as the VM
 *    rounds). Strings have their first characters as name; strings and arrays without references a
 *    hash of their contents; a shell of a destroyed native object (m_CachedPtr is 0) its state;
 *  - REFERENCE: "connection"; "GC handle" from the native object that owns it, else from the root
 *    "[GC handle]"; "m_CachedPtr"; fields ("a.b" inside a struct); "[17]" elements; roots "static
 *    T.field"; native objects that are managers, persistent or not to be destroyed, or that nothing
 *    refers to, hang below roots that say which.
 *
 * How the VM lays out objects: the first word of an object is its type's info address (IL2CPP), or
 * points to a word that is (Mono's vtable). Field offsets count from the object's start, also
 * those of structs, which have no header where they are embedded; static offsets count from the
 * type's static bytes. Fields of base classes are in the base. Facts read in
 * facebookexperimental/MemorySnapshotAnalyzer@100feb3b (UnityBackend/UnityManagedHeap.cs,
 * UnityManagedTypeSystem.cs), com.unity.memoryprofiler 1.1.12 (ManagedDataCrawler.cs,
 * ConnectionEntriesCache.cs) and pschraut/UnityHeapExplorer@e2c2e916 (MemoryReader.cs).
 */
#ifndef TM_FORMATS_UNITY_HEAP_H
#define TM_FORMATS_UNITY_HEAP_H

#include "formats/reader.h"

enum unity_type_flag { UNITY_VALUE_TYPE = 1, UNITY_ARRAY = 2 };
enum unity_native_flag { UNITY_DONT_DESTROY = 1, UNITY_PERSISTENT = 2, UNITY_MANAGER = 4 };

struct unity_type {
	uint32_t flags;
	uint32_t name, assembly;        /* strings of the trace */
	uint32_t first_field, n_fields; /* in field_indices */
	const uint8_t *statics;         /* in the arena */
	size_t n_statics;
	int32_t base; /* or element */
	int32_t size;
	uint64_t info;
};

struct unity_field {
	int32_t offset, type;
	uint32_t name;
	bool is_static;
};

struct unity_native {
	uint32_t name, flags;
	int32_t type;
	int32_t handle; /* index, -1: none */
	int64_t instance;
	uint64_t size, address;
	uint64_t root;
};

struct unity_section {
	uint64_t start;
	const uint8_t *bytes; /* in the arena */
	size_t n;
};

enum unity_kind { UNITY_OTHER, UNITY_HANDLE, UNITY_NATIVE };

struct unity_connection {
	uint32_t from, to; /* indexes by kind */
	uint8_t from_kind, to_kind;
};

struct unity_vm {
	uint32_t pointer, header, array_header, array_bounds, array_size, granularity;
};

struct unity_heap { /* zeroed is empty and valid */
	struct unity_vm vm;
	struct unity_type *types;
	struct unity_field *fields;
	uint32_t *field_indices;
	struct unity_native *natives;
	uint32_t *native_types; /* names */
	uint64_t *handles;
	struct unity_connection *connections;
	struct unity_section *sections;
	size_t n_types, cap_types, n_fields, cap_fields, n_indices, cap_indices, n_natives,
	    cap_natives, n_native_types, cap_native_types, n_handles, cap_handles, n_connections,
	    cap_connections, n_sections, cap_sections;
	struct arena arena;
};

void unity_heap_release(struct unity_heap *u);
/* Copies bytes that are there. */
const uint8_t *unity_heap_bytes(struct unity_heap *u, const uint8_t *p, size_t n);
/* A connection by the numbers of old files: GC handles first, native objects behind them. */
void unity_heap_connect(struct unity_heap *u, uint64_t from, uint64_t to);
/* The VM's numbers, of which pointer sizes other than 4 and 8 and headers beyond 256 bytes are
 * ST_BAD. */
enum status unity_heap_check(const struct unity_heap *u, struct err *e);
/* Begins the capture, pushes all of it and notes what could not be used. */
enum status unity_heap_push(struct unity_heap *u, struct import *im, struct err *e);

/* For unity_heap_push: formats/unity/crawl.c. */
struct unity_crawl;
struct unity_crawl *unity_crawl_new(struct unity_heap *u, struct import *im);
void unity_crawl_free(struct unity_crawl *c); /* accepts NULL */
/* A reference to a managed object, which will be crawled; from 0: a root. Counted and dropped when
 * there is no object. name: string of the trace. */
enum status unity_crawl_reference(struct unity_crawl *c, uint64_t from, uint64_t to, uint32_t name,
				  struct err *e);
enum status unity_crawl_statics(struct unity_crawl *c, struct err *e);
/* All that is waiting, and what it refers to. natives: address -> index + 1. */
enum status unity_crawl_all(struct unity_crawl *c, const struct map64 *natives, struct err *e);
/* Notes, after the crawl. */
void unity_crawl_notes(const struct unity_crawl *c);

#endif
