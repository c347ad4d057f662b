/* SPDX-License-Identifier: MIT
 *
 * The private declarations that the files of lib/object share.
 */
#ifndef TM_OBJECT_IMPL_H
#define TM_OBJECT_IMPL_H

#include "lib/base/mem.h"
#include "lib/object/map.h"
#include "lib/object/object.h"
#include "lib/object/search_log.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* One section header; the contents are still in the file. */
struct section_header {
	const char *name; /* in image.names; "" when it lies outside the string table */
	uint64_t addr, offset, size;
	uint8_t kind;  /* enum object_section_kind */
	uint8_t flags; /* enum object_section_flag */
	/* Of symbols the section with their names; of relocations that with their symbols, and the
	 * one that they change. */
	uint32_t link, info;
};

static inline bool section_has_bytes(const struct section_header *s)
{
	return s->kind != SECTION_ZEROES && s->kind != SECTION_EMPTY;
}

/* The headers of one file, and where its bytes are: an open file or borrowed memory. */
struct object_image {
	const struct object_format *format; /* the row of its kind; NULL: not opened */
	char *path;
	int fd; /* -1: the bytes are at mem */
	const uint8_t *mem;
	uint64_t base, size; /* it begins at base of fd: a member of an archive */
	dev_t dev;
	ino_t ino;
	bool is_64, big_endian, is_core;
	uint32_t arch;    /* enum object_arch */
	const char *lipo; /* what lipo calls the processor; NULL: not of Mach-O */
	uint16_t machine; /* the number of the processor in the file's header; 0: it has none */
	struct object_segment *segments; /* in the file's order */
	size_t n_segments;
	struct section_header *sections;
	size_t n_sections;
	char *names;
	struct object_build_id build_id;
	/* Of a relocatable file (reloc.c): addresses below it are offsets in a section. 0: it is
	 * not */
	uint64_t flat;
	struct image_symtab {
		uint64_t offset, n, names, n_names;
	} symtab; /* of a table that is in no section */
	struct pe_image {
		uint64_t base;
		uint32_t exports, exports_size; /* RVA, as the next two */
		uint32_t imports, unwind, unwind_size;
		uint32_t entry; /* RVA; 0: none */
		char *pdb;      /* what its CodeView record names; NULL: none */
		uint32_t pdb_age;
		struct object_pe_stamp stamp;
	} pe; /* of a PE file (pe.c) */
	struct mach_image {
		uint64_t text;             /* where __TEXT begins in memory */
		uint32_t starts, n_starts; /* LC_FUNCTION_STARTS: where in the file, bytes */
	} mach;                            /* of a Mach-O file (mach.c) */
	uint64_t wasm_imports; /* functions of others, which come before a module's own (wasm.c) */
	struct object_source *source;
	struct pdb_file *pdb; /* of a PDB (pdb.h) */
};

/* image.c. A released image must have been opened or have fd -1 and zeroes. */
enum status image_open(struct object_image *f, const char *path, struct err *e);
enum status image_open_wanted(struct object_image *f, const char *path,
			      const struct object_want *want, struct err *e);
/* size bytes from base on of fd, which is taken; path is what it is called. */
enum status image_open_part(struct object_image *f, int fd, uint64_t base, uint64_t size,
			    const char *path, const struct object_want *want, struct err *e);
enum status image_open_memory(struct object_image *f, const void *p, size_t n, struct err *e);
void image_release(struct object_image *f);
/* Exactly n bytes at offset; a file that has become shorter is ST_BAD. */
enum status image_read(const struct object_image *f, uint64_t offset, void *to, size_t n,
		       struct err *e);
static inline bool image_same_machine(const struct object_image *a, const struct object_image *b)
{
	return a->is_64 == b->is_64 && a->big_endian == b->big_endian && a->arch == b->arch &&
	       a->machine == b->machine;
}
/* The first section of that name that has bytes in the file, or NULL. */
const struct section_header *image_section(const struct object_image *f, const char *name);

/* section.c. The contents of s: *data is the caller's (mem_budget.h), with a NUL after the last
 * byte. ST_LIMIT: the allowance has no more. */
enum status section_read(const struct object_image *f, const struct section_header *s,
			 uint8_t **data, uint64_t *size, struct err *e);
bool section_is_compressed(const struct section_header *s);
/* The same without reading it, for a large section that is not compressed; NULL: section_read. */
struct map_piece *section_map(const struct object_image *f, const struct section_header *s,
			      uint8_t **data, uint64_t *size);
/* The CRC32 that .gnu_debuglink holds, of the whole file. */
enum status section_file_crc(const struct object_image *f, uint32_t *crc, struct err *e);
/* .NAME or the legacy .zNAME. */
const struct section_header *section_find(const struct object_image *f, const char *name);

/* reloc.c: sections of a relocatable file get addresses, and segments for its code. */
void reloc_lay_out(struct object_image *f);
/* The relocations of s on its contents; a section that takes no part in symbolizing is left alone.
 */
enum status reloc_apply(const struct object_image *f, const struct section_header *s, uint8_t *data,
			uint64_t size, struct err *e);

/* reloc_type.c: what a relocation does with size bytes, and with S + A of the symbol and the
 * addend. */
enum reloc_op {
	RELOC_NOTHING,
	RELOC_SET,
	RELOC_RELATIVE, /* less the place itself */
	RELOC_ADD,      /* to what is there */
	RELOC_SUB,
	RELOC_SET_6, /* the low 6 bits of a byte */
	RELOC_ADD_6,
	RELOC_SUB_6,
	RELOC_SET_ULEB, /* a ULEB128 number, which keeps its length */
	RELOC_ADD_ULEB,
	RELOC_SUB_ULEB,
};
struct reloc_type {
	uint8_t op, size;
};
/* NULL: the machine has none of that number that a debug section could have. */
const struct reloc_type *reloc_type_find(const struct object_image *f, uint32_t type);

/* symbols.c */
enum {
	SYMTAB_NAMES = 4
}; /* blocks of names: a PDB's publics and functions, COFF's symbols, exports */
struct symtab {
	struct object_symbol *all;
	size_t n;
	char *names[SYMTAB_NAMES]; /* of each table */
	/* [at[i].lo, at[i + 1].lo) belongs to all[at[i].symbol]: sized symbols only. */
	struct symbol_span {
		uint64_t lo;
		uint32_t symbol; /* SYMBOL_NONE: a gap */
	} * at;
	size_t n_at;
	/* So that few steps find a span: those of coarse[i] and before begin below base + (i <<
	 * shift). NULL: there are no spans. */
	uint32_t *coarse;
	size_t n_coarse;
	uint64_t base;
	unsigned shift;
	uint32_t *guesses; /* indexes of the symbols without a size, by lo */
	size_t n_guesses;
	bool own;          /* all of them are of the file's own table */
	bool exports;      /* they are what a PE file exports, and no others */
	bool cxx;          /* some are linkage names of C++ ("_Z") */
	unsigned left_out; /* tables that are there and could not be read */
	struct err why;    /* of the first of them */
};

struct object_code;
struct object_starts;
struct object_stubs;

#define SYMBOL_NONE UINT32_MAX

void symtab_load(struct symtab *s, struct object *o);
void symtab_load_own(struct symtab *s, struct object *o); /* when the other one is not it */
void symtab_load_any(struct symtab *s, struct object *o); /* data, too */
void symtab_release(struct symtab *s);
uint64_t symtab_bytes(const struct symtab *s); /* of memory */

/* Of the symbols read so far, parallel to symtab.all. */
struct symtab_loading {
	size_t cap, cap_ranks, cap_ends, n_ranks, n_ends;
	uint8_t *ranks;
	uint64_t *ends;
	size_t n_names;
	bool data;      /* what is no code, too */
	bool functions; /* of a PDB those of its modules, too */
};

/* A symbol in the order of its table. Of those at one address the one with the lowest rank, below
 * SYMBOL_RANKS, is the best; one without a size ends at end at the latest. */
enum { SYMBOL_RANKS = 12 };
static inline void symtab_add(struct symtab *s, struct symtab_loading *l, struct object_symbol x,
			      unsigned rank, uint64_t end)
{
	s->cxx |= x.name[0] == '_' && x.name[1] == 'Z';
	VEC_PUSH(s->all, s->n, l->cap) = x;
	VEC_PUSH(l->ranks, l->n_ranks, l->cap_ranks) = (uint8_t)rank;
	VEC_PUSH(l->ends, l->n_ends, l->cap_ends) = end;
}
/* Sorts what was added, and finds the ends. */
void symtab_finish(struct symtab *s, struct symtab_loading *l);
/* A table that cannot be read, be it for want of memory, is missed by who looks for a name. f may
 * be NULL. */
void symtab_leave_out(struct symtab *s, const struct object_image *f, const struct err *e);

/* minidebug.c */
struct minidebug {
	struct object_image file; /* path NULL: none */
	uint8_t *data;            /* its bytes */
	size_t size;
	bool tried;
};

/* The ELF file in .gnu_debugdata, unpacked when first wanted; NULL: none, or *e says why it is
 * unusable. One thread at a time. */
const struct object_image *minidebug_file(struct object *o, struct err *e);
void minidebug_release(struct minidebug *m);

struct object_cached_section {
	struct object_section section; /* name and data owned */
	struct map_piece *map;         /* data is its, or NULL */
	struct object_cached_section *next;
};

struct object {
	struct object_image file;
	struct object_image debug; /* fd -1 and path NULL: none */
	bool debug_proven;         /* by a build-id or a checksum */
	struct object_cached_section *cache;
	pthread_mutex_t lock; /* of symbols */
	atomic_bool symbols_loaded;
	bool own_loaded, any_loaded, listed_loaded;
	bool functions; /* object_list_functions */
	struct symtab symbols, own, any;
	struct symtab listed;               /* object_named_functions */
	struct object_code *code;           /* NULL: not asked for yet */
	struct object_stubs *_Atomic stubs; /* the same */
	struct object_starts *_Atomic starts;
	struct search_log log;
	/* of the last search, for the files that hold parts of the debug information */
	char **dirs;
	size_t n_dirs;
	char *dwp, *sysroot;
	bool system;
	const struct object_finder *finders; /* the search's, which outlives the object */
	size_t n_finders;
	struct minidebug mini;
	struct debug_map *map; /* debug_map.h */
	struct source_map *source_map;
	struct object *supplement;
	char *supplement_missing;
};

/* debuglink.c: object_find_debug without what companion.c does */
enum status debug_file_find(struct object *o, const struct object_search *s, struct err *e);

/* companion.c */
void companion_release(struct object *o);

/* code.c */
void object_code_release(struct object_code *c); /* accepts NULL */
/* object_code for who holds the object's lock. */
const struct object_code_part *object_code_locked(struct object *o, size_t *n);

/* starts.c */
void object_starts_release(struct object_starts *t); /* accepts NULL */

/* plt.c */
void object_stubs_release(struct object_stubs *t); /* accepts NULL */

#endif
