/* SPDX-License-Identifier: MIT
 *
 * GCC's unwinder, where it is built for glibc 2.35 and later, asks _dl_find_object for the tables
 * of an address (its struct is in glibc's <dlfcn.h>). Where such a compiler is used with musl, as
 * Debian's musl-gcc does, this answers instead.
 */
#include <link.h>

#if !defined __GLIBC__ && !defined __BIONIC__
#include <stdint.h>
#include <string.h>

struct found {
	unsigned long long flags;
	void *start, *end, *map, *eh_frame;
	unsigned long long reserved[7];
};

#ifdef CAP_WRAP /* the unwinder is linked into the program beside this, not into this */
__attribute__((visibility("default"), weak))
#endif
int _dl_find_object(void *address, struct found *result);

struct search {
	uintptr_t address;
	struct found *result;
};

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	const ElfW(Phdr) *here = NULL, *table = NULL;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD &&
		    s->address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
			here = p;
		else if (p->p_type == PT_GNU_EH_FRAME)
			table = p;
	}
	if (!here || !table)
		return 0;
	memset(s->result, 0, sizeof *s->result);
	s->result->start = (void *)(info->dlpi_addr + here->p_vaddr);
	s->result->end = (char *)s->result->start + here->p_memsz;
	s->result->eh_frame = (void *)(info->dlpi_addr + table->p_vaddr);
	return 1;
}

int _dl_find_object(void *address, struct found *result)
{
	struct search s = {(uintptr_t)address, result};

	return dl_iterate_phdr(look, &s) ? 0 : -1;
}
#endif
