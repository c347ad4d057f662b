/* SPDX-License-Identifier: MIT
 *
 * The private declarations that the files of lib/object share.
 */
#ifndef TM_OBJECT_IMPL_H
#define TM_OBJECT_IMPL_H

#include "lib/object/map.h"
#include "lib/object/object.h"
#include "lib/object/trail.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* One section header; the contents are still in the file. */
struct elf_section {
	const char *name; /* in image.names; "" when it lies outside the string table */
	uint64_t flags, addr, offset, size;
	uint32_t type, link, info;
};

/* The headers of one ELF file, and where its bytes are: an open file or borrowed memory. Mach-O
 * files (mach.c) and symbol files (source.h) are described as if they were ELF. */
struct object_image {
	uint8_t kind; /* enum object_kind */
	char *path;
	int fd; /* -1: the bytes are at mem */
	const uint8_t *mem;
	uint64_t base, size; /* it begins at base of fd: a member of an archive */
	dev_t dev;
	ino_t ino;
	bool is_64, big_endian, is_core;
	uint16_t machine;
	struct object_segment *segments; /* PT_LOAD, in the file's order */
	size_t n_segments;
	struct elf_section *sections;
	size_t n_sections;
	char *names;
	struct object_build_id build_id;
	/* Of a relocatable file (reloc.c): addresses below it are offsets in a section. 0: it is
	 * not */
	uint64_t flat;
	struct mach_symtab {
		uint64_t offset, n, names, n_names;
	} mach; /* LC_SYMTAB */
	struct object_source *source;
};

/* elf.c. A released image must have been opened or have fd -1 and zeroes. */
enum status image_open(struct object_image *f, const char *path, struct err *e);
enum status image_open_wanted(struct object_image *f, const char *path,
			      const struct object_want *want, struct err *e);
/* size bytes from base on of fd, which is taken; path is what it is called. */
enum status image_open_part(struct object_image *f, int fd, uint64_t base, uint64_t size,
			    const char *path, struct err *e);
enum status image_open_memory(struct object_image *f, const void *p, size_t n, struct err *e);
void image_release(struct object_image *f);
/* Exactly n bytes at offset; a file that has become shorter is ST_BAD. */
enum status image_read(const struct object_image *f, uint64_t offset, void *to, size_t n,
		       struct err *e);
/* The first section of that name that has bytes in the file, or NULL. */
const struct elf_section *image_section(const struct object_image *f, const char *name);

/* section.c. The contents of s: *data is the caller's (allowance.h), with a NUL after the last
 * byte. ST_LIMIT: the allowance has no more. */
enum status section_read(const struct object_image *f, const struct elf_section *s, uint8_t **data,
			 uint64_t *size, struct err *e);
bool section_is_compressed(const struct elf_section *s);
/* The same without reading it, for a large section that is not compressed; NULL: section_read. */
struct map_piece *section_map(const struct object_image *f, const struct elf_section *s,
			      uint8_t **data, uint64_t *size);
/* The CRC32 that .gnu_debuglink holds, of the whole file. */
enum status section_file_crc(const struct object_image *f, uint32_t *crc, struct err *e);
/* .NAME or the legacy .zNAME. */
const struct elf_section *section_find(const struct object_image *f, const char *name);

/* reloc.c: sections of a relocatable file get addresses, and segments for its code. */
void reloc_lay_out(struct object_image *f);
/* The relocations of s on its contents; a section that takes no part in symbolizing is left alone.
 */
enum status reloc_apply(const struct object_image *f, const struct elf_section *s, uint8_t *data,
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

struct buf;
/* dsym.c: finds the debug file of a Mach-O file; what was refused and why is added to the text. */
bool dsym_find(struct object *o, const struct object_search *s, struct buf *refused);

/* symbols.c */
struct symtab {
	struct object_symbol *all;
	size_t n;
	char *names[2]; /* of each table */
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
	struct object_cached_section *cache;
	pthread_mutex_t lock; /* of symbols */
	atomic_bool symbols_loaded;
	bool own_loaded, any_loaded;
	struct symtab symbols, own, any;
	struct object_code *code;           /* NULL: not asked for yet */
	struct object_stubs *_Atomic stubs; /* the same */
	struct object_starts *_Atomic starts;
	struct trail trail;
	/* of the last search, for the files that hold parts of the debug information */
	char **dirs;
	size_t n_dirs;
	char *dwp, *sysroot;
	bool system;
	const struct object_finder *finders; /* the search's, which outlives the object */
	size_t n_finders;
	struct minidebug mini;
	struct object *supplement;
	char *supplement_missing;
};

/* debuglink.c: object_find_debug without what companion.c does */
enum status debug_file_find(struct object *o, const struct object_search *s, struct err *e);

/* companion.c */
void companion_release(struct object *o);

/* code.c */
void object_code_release(struct object_code *c); /* accepts NULL */

/* starts.c */
void object_starts_release(struct object_starts *t); /* accepts NULL */

/* plt.c */
void object_stubs_release(struct object_stubs *t); /* accepts NULL */

#endif
