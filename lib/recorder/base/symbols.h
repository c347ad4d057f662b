/* SPDX-License-Identifier: MIT
 *
 * A module's dynamic symbols, in its memory as the dynamic linker has put it there. Nothing is
 * allocated; the module must stay meanwhile.
 *
 * Facts: System V ABI, chapter 5 (DT_HASH); DT_GNU_HASH as binutils writes it: buckets, first
 * hashed symbol, words of a filter, a shift; the filter; the buckets; a word for each hashed
 * symbol: its hash, whose lowest bit ends a bucket's chain. Versions: the Linux Standard Base, chapter
 * "Symbol Versioning"; bit 15 of a symbol's entry hides it from who asks for no version.
 */
#ifndef TM_RECORDER_BASE_SYMBOLS_H
#define TM_RECORDER_BASE_SYMBOLS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct cap_symbols {
	uintptr_t base;
	const ElfW(Sym) * symbol;
	const char *names;
	const uint32_t *gnu, *sysv;
	const ElfW(Versym) * version; /* NULL: the module has none */
	bool loaded;                  /* to its end: what chooses its functions may be called */
};

/* In a callback of dl_iterate_phdr; false: none. */
bool cap_symbols_of(const struct dl_phdr_info *info, struct cap_symbols *s);
/* Where the symbol is; NULL: none of this name is defined, or its module chooses it as it is loaded and is
 * not said to be loaded. */
void *cap_symbol_find(const struct cap_symbols *s, const char *name);

/* The name of the function that begins at this address; NULL: its module does not say. glibc (2.35
 * on) says whose address it is without a lock; elsewhere dladdr takes the dynamic linker's. */
const char *cap_symbol_at(uintptr_t function);

#endif
