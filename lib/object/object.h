/* SPDX-License-Identifier: MIT
 *
 * A binary on disk, of any kind that format.h lists, and, when one is found, the separate file with its debug
 * sections.
 * Everything a hostile file says is checked here: a section that lies outside the file has no
 * data, a count is bounded by the file's size.
 *
 * All addresses are link-time virtual addresses (vaddr); ranges are half-open.
 * Read-only use from several threads is safe once object_open and object_find_debug are done,
 * except object_section, which decompresses on first use, and its like.
 */
#ifndef TM_OBJECT_OBJECT_H
#define TM_OBJECT_OBJECT_H

#include "lib/base/buf.h"
#include "lib/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;
struct map_piece;
struct search_log;

/* The processor that a file is for, whatever its format calls it. */
enum object_arch {
	ARCH_UNKNOWN, /* the file does not say */
	ARCH_X86,
	ARCH_X86_64,
	ARCH_ARM,
	ARCH_ARM64,
	ARCH_PPC,
	ARCH_PPC64,
	ARCH_S390,
	ARCH_SPARC,
	ARCH_MIPS,
	ARCH_M68K,
	ARCH_RISCV,
	ARCH_LOONGARCH,
	ARCH_IA64,
	ARCH_SH,
	ARCH_CSKY,
	ARCH_ARC,
	ARCH_ALPHA,
	ARCH_PARISC,
	ARCH_BPF,
	ARCH_WASM,
	ARCHS,
	/* Another one: the number in the file's header is added to this. */
	ARCH_OTHER = 0x10000,
};

enum { OBJECT_BUILD_ID_MAX = 64 };

struct object_build_id {
	uint8_t bytes[OBJECT_BUILD_ID_MAX];
	uint8_t len;  /* 0: the file has none */
	bool partial; /* only its first bytes are known */
	/* Of a GUID of Windows, which a PDB and the PE file have in common: how often the PDB was written before the PE
	 * file was linked; OBJECT_ANY_AGE: not known. 0: the id is no such GUID. */
	uint32_t age;
};
#define OBJECT_ANY_AGE UINT32_MAX

/* Equal, where 16 bytes zero-padded to 20 count as equal (lib/README.md), and as far as they
 * are known. Of Windows' files the ages are, too; captures have an age as 4 bytes, little-endian, behind the GUID. */
bool object_build_id_equal(const struct object_build_id *a, const struct object_build_id *b);
/* "build-id", "GUID" or "age"; NULL: they are equal. */
const char *object_build_id_differs(const struct object_build_id *a,
				    const struct object_build_id *b);

struct object_segment { /* what is loaded as one piece */
	uint64_t vaddr, offset, filesz, memsz, align;
	bool executable;
};

/* A symbol of code. Of ELF: FUNC, IFUNC and NOTYPE symbols in .symtab, else .dynsym, and OBJECT ones
 * with a size in sections with code: GHC calls its functions so. */
struct object_symbol {
	uint64_t lo, hi;  /* hi from the symbol's size; when size is 0, the next symbol's start, the
			   * section's end or the end of a symbol with a size that it lies in */
	const char *name; /* raw; borrowed from the object */
	bool sized;       /* false: hi is a guess, and a report must label it */
	bool local;       /* another file may have one of this name */
	bool rest;        /* lo is no start: that of the function is elsewhere */
	uint32_t index;   /* ascends in the order of its table */
	const char *file; /* of a local symbol the source's base name; NULL: not known */
};

/* Opens path. ST_UNSUPPORTED when it is of no kind that is read, ST_BAD when it is broken. A file that
 * shrinks later must not kill the program: contents are read, or mapped and guarded. */
enum status object_open(struct object **out, const char *path, struct err *e);
/* Files of a kind that is read here begin so. */
bool object_is_known(const uint8_t head[8]);
/* ST_UNSUPPORTED: what begins so is no object; *e says what it is instead, where that is known. */
enum status object_refuse(const uint8_t *head, size_t n, struct err *e);
/* Which part of a universal Mach-O file: the architecture as lipo calls it, or the UUID. With
 * neither it must have only one. */
struct object_want {
	const char *arch;                 /* NULL: any */
	const struct object_build_id *id; /* NULL or none: any */
	bool lenient; /* a file that is not universal may be for another arch; else it must not */
	bool kin;     /* without that arch, a part for another of the same processor will do */
	bool
	    split; /* the split part of a program's DWARF is wanted, which may be in an object of COFF */
};
enum status object_open_wanted(struct object **out, const char *path,
			       const struct object_want *want, struct err *e);
/* The architectures of a universal Mach-O file, at most max of them (30 are the most); 0: the file
 * is not universal, or cannot be read. */
size_t object_archs(const char *path, const char **names, size_t max);
/* The file that a .dSYM folder stands for, into n bytes at file. False: path is no such folder. */
bool object_in_bundle(const char *path, char *file, size_t n);
/* The Mach-O file in a .dSYM folder. */
enum status object_open_bundle(struct object **out, const char *path,
			       const struct object_want *want, struct err *e);
/* The same of size bytes from base on of fd, which is closed with the object, or at once on
 * failure; path is what it is called. want may be NULL. */
enum status object_open_part(struct object **out, int fd, uint64_t base, uint64_t size,
			     const char *path, const struct object_want *want, struct err *e);
/* The same over n bytes at p, which stay the caller's until object_free. */
enum status object_open_memory(struct object **out, const void *p, size_t n, struct err *e);
void object_free(struct object *o); /* accepts NULL */

/* What is so of all files of one kind. Whatever the kind calls them, sections, segments and build-id
 * have ELF's names and meanings: Mach-O's __debug_info is .debug_info, its UUID is the build-id. */
struct object_kind {
	const char *name; /* "ELF" */
	bool is_source;   /* object_is_source */
	bool unsized;     /* its symbols have no size, and each of them counts as a function */
	bool linkage;     /* object_each_linked knows what is exported and imported */
	bool paged;       /* loaders map its segments as they lie in the file */
	bool unwound;     /* it may have unwind tables */
	bool pdata;       /* its unwind tables are .pdata, or it has none */
	bool image;       /* loaded as a whole: offsets in its mapping are those in memory (RVA) */
};
const struct object_kind *object_kind(const struct object *o);

/* GSYM and Breakpad files say what is at an address themselves (source.h). */
bool object_is_source(const struct object *o);
struct object_call {
	const char *function, *folder, *file; /* borrowed from the object; "" when not known */
	uint32_t line;                        /* 0: not known */
};
/* Of a source: the calls at addr, innermost first, at most max. ST_NONE: no function holds it.
 * ST_BAD: the one that does is broken. */
enum status object_calls_at(const struct object *o, uint64_t addr, struct object_call *calls,
			    size_t max, size_t *n);
/* What was wrong with a source as a whole, one line; NULL: nothing. */
const char *object_source_complaint(const struct object *o);

const struct object_build_id *object_build_id(const struct object *o);
bool object_is_64(const struct object *o);
bool object_is_big_endian(const struct object *o);
enum object_arch object_arch(const struct object *o);
/* As reports call it, "x86-64", and as LLVM's triples begin, "x86_64"; NULL: it has no name here. */
const char *object_arch_name(enum object_arch arch);
const char *object_arch_triple(enum object_arch arch);
/* The processor that lipo calls so; ARCH_UNKNOWN: no name that it has. */
enum object_arch object_arch_by_name(const char *arch);
/* Where a PE file asks to be loaded: its addresses are this and an offset in memory (RVA). 0 of another kind. */
uint64_t object_image_base(const struct object *o);
/* What Windows tells builds of a PE file apart by: the time stamp of its header (or a hash in its place), and its size in
 * memory. False: another kind. */
struct object_pe_stamp {
	uint32_t time, size;
};
bool object_pe_stamp(const struct object *o, struct object_pe_stamp *to);
/* Sizes are compared in pages, of which the loader makes whole ones. */
static inline uint64_t object_pe_pages(uint64_t size)
{
	return (size + 4095) / 4096;
}
/* The two as a captured id, of a module without a GUID: 8 bytes, big-endian. */
enum { OBJECT_PE_ID = 8 };
/* These bytes of a PE file; of length 0: it is none. */
struct object_build_id object_stamp_id(const struct object *o);
/* The id that a capture has of this build: with the age behind a GUID, or the above. */
struct object_build_id object_captured_id(const struct object *o);
/* What of a captured id differs from the file's: "build-id", "GUID", "age", "time stamp" or "size in memory". NULL: nothing,
 * or *known is false: they cannot be compared. */
const char *object_id_differs(const struct object *o, const struct object_build_id *captured,
			      bool *known);
/* ": the program has X, the PDB Y", where X and Y are ids of Windows: GUIDs with their age, or time stamps and sizes. Of other
 * ids nothing. a_has: "the program has"; b_name: "the PDB". */
void object_add_ids(struct buf *to, const char *a_has, const struct object_build_id *a,
		    const char *b_name, const struct object_build_id *b);
/* The same of a captured id, and of the file's, which differs. */
void object_add_captured_ids(struct buf *to, const struct object *o,
			     const struct object_build_id *captured);
const struct object_segment *object_segments(const struct object *o, size_t *n);

/* The file that debug sections come from: the object itself, or what object_find_debug found. */
const char *object_debug_path(const struct object *o);
bool object_debug_is_separate(const struct object *o); /* it has been found in another file */
/* Why nothing shows that the debug information is of this build, though nothing speaks against it; NULL: something does
 * (a build-id, a checksum, times), or there is no other file. */
const char *object_debug_unproven(const struct object *o);
/* What to add to the addresses in it: 0, unless prelink has moved the object after it was split
 * off.
 */
uint64_t object_debug_shift(const struct object *o);
bool object_has_dwarf(const struct object *o); /* .debug_info is there and not empty */
/* What a PE file says its PDB is called, as it was called when it was made; NULL: nothing, or of another kind. */
const char *object_debug_named(const struct object *o);
/* That file's GUID and age, as symbol servers write them. "": the file names none. */
enum { OBJECT_DEBUG_KEY = 48 };
void object_debug_key(const struct object *o, char key[OBJECT_DEBUG_KEY]);
/* The same of a GUID as files have it, and an age. */
void object_pdb_key(const uint8_t guid[16], uint32_t age, char key[OBJECT_DEBUG_KEY]);
/* The age of a file that is a PDB; 0: it is none. */
uint32_t object_pdb_age(const struct object *o);
bool object_has_pdb(const struct object *o); /* its debug file is a PDB, or it is one (pdb.h) */

/* Where a system keeps debug files. */
#define SYSTEM_DEBUG_DIR "/usr/lib/debug"

enum object_part { OBJECT_DEBUG, OBJECT_BINARY };

/* A PDB by what a PE file, or a capture, says of it. */
struct object_pdb_name {
	const char *name;                   /* without folders */
	char key[OBJECT_DEBUG_KEY];         /* as object_debug_key has it */
	const struct object_build_id *guid; /* with the age */
};

/* Knows files by their build-id: an index of folders, a server. */
struct object_finder {
	/* The n-th file for this build-id, the best first; borrowed, until the finder goes. NULL:
	 * there are no more, trail (or NULL) has the reason. May be called from any thread. */
	const char *(*find)(void *arg, const struct object_build_id *id, enum object_part part,
			    size_t n, struct search_log *log);
	/* The file of a PDB, with its GUID and age, as find. NULL: it knows none by name. */
	const char *(*find_pdb)(void *arg, const struct object_pdb_name *pdb,
				struct search_log *log);
	bool
	    remote; /* it asks servers: these know no time stamp and size of a PE file (OBJECT_PE_ID) */
	void *arg;
};

struct object_search {
	const char *const
	    *dirs; /* --debug-dir: trees with .build-id/ab/cdef.debug, or flat folders */
	size_t n_dirs;
	bool system; /* look in /usr/lib/debug as well */
	/* Paths that files of a captured system name are below it, or else as they are; and so is
	 * /usr/lib/debug, before the system's own. NULL: none. */
	const char *sysroot;
	const struct object_finder *finders; /* asked last, in this order */
	size_t n_finders;
	bool symbol_servers; /* one of them asks these */
	const char *dwp;     /* the package of split units, before any that is found; NULL: none */
	bool explain;        /* keep what was tried: object_search_log */
};

/* Finds a separate debug file when the object has no DWARF of its own: in a build-id tree, by
 * .gnu_debuglink (beside the file, in its .debug folder, under each dir; CRC checked unless both
 * have a build-id), and as FILE.debug / FILE.dbg / NAME.sym.so beside it or in a dir. Build-ids
 * must agree when both have one, and without any identity the executable segments: a file that
 * does not is refused and named in the returned text. A file that has only symbols is taken when
 * none has DWARF. ST_OK: found or not needed; ST_NONE:
 * nothing found, *e's text lists what was refused and why ("" when nothing was). */
enum status object_find_debug(struct object *o, const struct object_search *s, struct err *e);
/* What it tried; empty unless the search was to be explained. */
const struct search_log *object_search_log(const struct object *o);
/* DIR/.build-id/ab/cdef and a suffix, into text of n bytes. False: the id is too short for one, or
 * the path too long. */
bool object_build_id_path(const char *dir, const struct object_build_id *id, const char *suffix,
			  char *text, size_t n);

/* Contents of a section by name, decompressed (ELF's zlib and zstd, .zdebug_*), from
 * the debug file when it has it, else from the object. ST_NONE: not there. ST_LIMIT: what all
 * sections of the process may take (mem_budget.h) does not suffice. The bytes live until
 * object_drop_sections. */
struct object_section {
	const char *name;
	const uint8_t *data;
	uint64_t size, addr;
	struct map_piece *map; /* the object's, of which data is; NULL: of none */
};
enum status object_section(struct object *o, const char *name, struct object_section *out,
			   struct err *e);
/* Decompresses those of these sections that are compressed, at once on this many threads; what goes
 * wrong object_section will say. */
void object_unpack(struct object *o, const char *const *names, size_t n, unsigned jobs);
/* The sections of the file itself, whatever its debug file has, by number; 0 is the empty one. */
enum object_section_kind {
	SECTION_EMPTY,
	SECTION_BYTES,  /* of the program, or of tools */
	SECTION_ZEROES, /* it has no bytes in the file */
	SECTION_SYMBOLS,
	SECTION_DYNAMIC_SYMBOLS,
	SECTION_STRINGS,
	SECTION_RELOCATIONS,
	SECTION_RELOCATIONS_ADDEND, /* each with its addend */
	SECTION_NOTES,
	SECTION_OTHER,
};
enum object_section_flag {
	SECTION_LOADED = 1, /* it has memory when the program runs */
	SECTION_CODE = 2,
	SECTION_PACKED = 4,  /* compressed, behind a header that says how */
	SECTION_GROUPED = 8, /* of a group, of which the linker keeps one */
};
struct object_section_info {
	const char *name; /* borrowed; "" when it lies outside the string table */
	uint64_t addr, offset, size;
	enum object_section_kind kind;
	unsigned flags; /* enum object_section_flag */
	bool compressed;
};
size_t object_section_count(const struct object *o);
struct object_section_info object_section_info(const struct object *o, size_t i);
/* Contents of one, decompressed: *data is the caller's (mem_budget.h). ST_NONE: it has none. */
enum status object_section_read(const struct object *o, size_t i, uint8_t **data, uint64_t *size,
				struct err *e);
/* Gives back what object_section gave: decompressed sections are the largest part of a process. */
void object_drop_sections(struct object *o);
/* ST_BAD when a section that object_section gave has lost bytes since, because the file has become
 * shorter: ask when they have been used. What was lost reads as zeroes. */
enum status object_intact(const struct object *o, struct err *e);

/* To know a binary again without reading all of it. The fingerprint: what its headers say of its
 * machine, its segments and these sections (in the debug file, else in it) with samples of the
 * sections' bytes, and what a PDB's directory and identity say; the same wherever the files are. The place: device, inode, size and time of
 * modification of the files that are open; false: none. */
uint64_t object_fingerprint(const struct object *o, const char *const *sections, size_t n);
bool object_place(const struct object *o, uint64_t *place);

/* Sorted by lo. Of symbols with one address, functions come before OBJECT before NOTYPE and globals
 * before weak before local; all are kept. Mapping symbols ($x, $t, $d), section and file symbols
 * are left out, the Thumb bit is cleared. */
const struct object_symbol *object_symbols(struct object *o, size_t *n);
/* The symbols that a function's name may mean: those of object_symbols, and the static functions of a PDB. */
const struct object_symbol *object_named_functions(struct object *o, size_t *n);
/* From here on the symbols of a PDB are all functions of its modules, too, each with its size: static ones have no public
 * symbol. It takes much longer. */
void object_list_functions(struct object *o);
/* Of memory that they take, if they were read; and gives it back: they are read again when they are asked for. */
uint64_t object_symbols_bytes(const struct object *o);
void object_drop_symbols(struct object *o);
/* Why the first of *n symbol tables was left out, which could not be read; NULL: none was, or none has been
 * asked for yet, which this does not do. */
const char *object_symbols_left_out(struct object *o, unsigned *n);
/* Some symbol has a linkage name of C++. */
bool object_has_cxx_symbols(struct object *o);
/* The symbols of a PE file are its exports alone: behind one without a size may be functions that are not exported. */
bool object_has_exports_alone(struct object *o);
/* The innermost best symbol whose [lo, hi) holds vaddr, or NULL. */
const struct object_symbol *object_symbol_at(struct object *o, uint64_t vaddr);
/* Functions of several mangled names are at the address of the one at vaddr: compilers and linkers fold those of
 * equal code. The variants of one constructor or destructor, and clones, are one. */
bool object_is_folded(struct object *o, uint64_t vaddr);
/* The same of the file's own table, whatever its debug file has: its .symtab, else its .dynsym. Of
 * symbols with one address it is the largest by its stated size, and of those the last in the
 * table, as LLVM has it (SymbolizableObjectFile.cpp). NULL where a PDB names functions: it has the symbols' names. */
const struct object_symbol *object_own_symbol_at(struct object *o, uint64_t vaddr);
/* The same of all that has memory when the program runs, code and data. */
const struct object_symbol *object_any_symbol_at(struct object *o, uint64_t vaddr);
/* The n-th of those with this name which are what is taken at their address; NULL: there are no
 * more. */
const struct object_symbol *object_any_symbol_named(struct object *o, const char *name,
						    size_t length, size_t n);
/* Where the first of its table with this name starts. */
bool object_symbol_value(struct object *o, const char *name, size_t length, uint64_t *vaddr);
/* True when some code symbol starts exactly at vaddr. */
bool object_is_symbol_start(struct object *o, uint64_t vaddr);

/* The bytes of the executable sections of the file itself, or of its executable segments where it
 * has no section headers: sorted by lo, not overlapping, borrowed from the object. A debug file has
 * none. n 0: none. */
struct object_code_part {
	uint64_t lo, size;
	const uint8_t *data;
	struct map_piece *map; /* the object's */
};
const struct object_code_part *object_code(struct object *o, size_t *n);

/* Of the file itself: the slots of its GOT that the dynamic linker fills with the address of a symbol, and
 * relocations like them, sorted by slot. The name is "*ABS*" where a function of the file chooses the address. */
struct object_import {
	uint64_t slot, addend; /* addend: 0 where the slot itself has it */
	const char *name;      /* borrowed from the object */
};
const struct object_import *object_imports(struct object *o, size_t *n);
/* The slot that the stub of a PLT at addr jumps through; false: no stub. */
bool object_plt_slot(struct object *o, uint64_t addr, uint64_t *slot);
/* The stub of the PLT that holds vaddr, "malloc@plt", or NULL: no symbol table has it. */
const struct object_symbol *object_stub_at(struct object *o, uint64_t vaddr);

/* The number by which WebAssembly knows the function that holds an address. False: none does, or the file is another
 * kind. */
bool object_function_number(struct object *o, uint64_t vaddr, uint64_t *number);
/* Functions that the file lists, with a name or without: all of a WebAssembly module, of others those of unwind tables. */
size_t object_n_starts(struct object *o);
/* Where the function begins that holds vaddr, by .eh_frame or .debug_frame of a linked ELF file, or by the code section
 * of a WebAssembly module, whether or not it has a symbol: a part of a function that lies apart (.cold) has a start of
 * its own. False: no entry holds it, or it is in a PLT, or the file has none of these. */
bool object_function_start(struct object *o, uint64_t vaddr, uint64_t *start);

/* vaddr of a file offset through its segment; ST_NONE when no segment's file part holds it. */
enum status object_offset_to_vaddr(const struct object *o, uint64_t offset, uint64_t *vaddr);
/* True when vaddr lies in an executable segment. */
bool object_is_code(const struct object *o, uint64_t vaddr);

/* Symbols as the linker and the dynamic linker see them, in the order of the file's own tables. */
struct object_linked {
	const char *name; /* "": it has none */
	uint64_t value;   /* of an import of a PE file: the slot that the loader fills */
	bool undefined;
	bool exported; /* of the dynamic ones: other files may use it */
};
/* Calls see for each symbol of the first table of the kind but ELF's first, which is empty. False: there is no such
 * table, or of this kind of file none is known. *n: how many, the first one with them. */
bool object_each_linked(const struct object *o, bool dynamic, uint64_t *n,
			void (*see)(void *arg, const struct object_linked *s), void *arg);

/* Calls see for each function that .pdata bounds. */
void object_each_bounded(const struct object *o, void (*see)(void *arg, uint64_t lo, uint64_t hi),
			 void *arg);

/* A relocatable file (a .o, a kernel module): all of its sections begin at 0, and here they get
 * addresses behind each other: the first one with code keeps 0, the others come behind the size of
 * the largest. An address as people and llvm-symbolizer give it is an offset in the first section
 * with code that is large enough. */
bool object_is_relocatable(const struct object *o);
bool object_is_core(const struct object *o); /* what a process left, and no program */
uint64_t object_from_flat(const struct object *o, uint64_t address); /* as given -> vaddr */

#endif
