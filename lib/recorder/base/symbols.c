/* SPDX-License-Identifier: MIT */
#include "lib/recorder/base/symbols.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

static const void *at(uintptr_t base, uintptr_t p)
{
	return (const void *)(p < base ? base + p : p); /* bionic leaves them as in the file */
}

static bool read_dynamic(struct cap_symbols *s, uintptr_t base, const ElfW(Dyn) * d)
{
	*s = (struct cap_symbols){.base = base};
	for (; d && d->d_tag != DT_NULL; d++)
		switch (d->d_tag) {
		case DT_SYMTAB: s->symbol = at(s->base, d->d_un.d_ptr); break;
		case DT_STRTAB: s->names = at(s->base, d->d_un.d_ptr); break;
		case DT_GNU_HASH: s->gnu = at(s->base, d->d_un.d_ptr); break;
		case DT_HASH: s->sysv = at(s->base, d->d_un.d_ptr); break;
		case DT_VERSYM: s->version = at(s->base, d->d_un.d_ptr); break;
		default: break;
		}
	return s->symbol && s->names && (s->gnu || s->sysv);
}

bool cap_symbols_of(const struct dl_phdr_info *info, struct cap_symbols *s)
{
	const ElfW(Dyn) *d = NULL;

	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return read_dynamic(s, info->dlpi_addr, d);
}

/* Of a function that its module chooses as it is loaded (STT_GNU_IFUNC): by its resolver, called as the
 * dynamic linker does. */
static void *chosen(uintptr_t resolver)
{
#if defined __x86_64__ || defined __i386__
	return ((void *(*)(void))resolver)();
#elif defined __aarch64__
	const unsigned long machine[3] = {sizeof machine, getauxval(AT_HWCAP),
					  getauxval(AT_HWCAP2)};

	return ((void *(*)(uint64_t, const void *))resolver)(machine[1] | (uint64_t)1 << 62,
							     machine);
#else
	return ((void *(*)(unsigned long))resolver)(getauxval(AT_HWCAP));
#endif
}

/* The version that who asks for none gets: of several of a name one is not hidden. */
static bool is_default(const struct cap_symbols *s, uint32_t i)
{
	return !s->version || !(s->version[i] & 0x8000);
}

static void *is_it(const struct cap_symbols *s, uint32_t i, const char *name)
{
	const ElfW(Sym) *sym = &s->symbol[i];

	if (sym->st_shndx == SHN_UNDEF || !is_default(s, i) ||
	    strcmp(s->names + sym->st_name, name) != 0)
		return NULL;
	if ((sym->st_info & 15) != STT_GNU_IFUNC)
		return (void *)(s->base + sym->st_value);
	return s->loaded ? chosen(s->base + sym->st_value) : NULL;
}

static const uint32_t *buckets_of(const struct cap_symbols *s)
{
	return s->gnu + 4 + s->gnu[2] * (sizeof(ElfW(Addr)) / 4);
}

static void *by_gnu_hash(const struct cap_symbols *s, const char *name)
{
	const uint32_t *bucket = buckets_of(s), *chain = bucket + s->gnu[0];
	uint32_t hash = 5381, i;

	for (const char *p = name; *p; p++)
		hash = hash * 33 + (unsigned char)*p;
	i = s->gnu[0] ? bucket[hash % s->gnu[0]] : 0;
	for (; i >= s->gnu[1] && i; i++) {
		uint32_t h = chain[i - s->gnu[1]];
		void *p = (h | 1) == (hash | 1) ? is_it(s, i, name) : NULL;

		if (p || h & 1)
			return p;
	}
	return NULL;
}

void *cap_symbol_find(const struct cap_symbols *s, const char *name)
{
	void *p = NULL;

	if (s->gnu)
		return by_gnu_hash(s, name);
	for (uint32_t i = 1; i < s->sysv[1] && !p; i++)
		p = is_it(s, i, name);
	return p;
}

#if defined DLFO_EH_SEGMENT_TYPE && !defined CAP_WRAP
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));

/* How many there are: the last chain's end, or as the other table says. */
static uint32_t count(const struct cap_symbols *s)
{
	const uint32_t *bucket, *chain;
	uint32_t last = 0;

	if (s->sysv)
		return s->sysv[1];
	bucket = buckets_of(s);
	chain = bucket + s->gnu[0];
	for (uint32_t i = 0; i < s->gnu[0]; i++)
		if (bucket[i] > last)
			last = bucket[i];
	if (last < s->gnu[1])
		return s->gnu[1];
	while (!(chain[last - s->gnu[1]] & 1))
		last++;
	return last + 1;
}

static bool symbols_name_at(uintptr_t function, const char **name)
{
	struct dl_find_object o;
	struct cap_symbols s;

	*name = NULL;
	if (!_dl_find_object)
		return false;
	if (_dl_find_object((void *)function, &o) ||
	    !read_dynamic(&s, o.dlfo_link_map->l_addr, o.dlfo_link_map->l_ld))
		return true;
	for (uint32_t i = 1, n = count(&s); i < n; i++) {
		const ElfW(Sym) *sym = &s.symbol[i];

		if (sym->st_shndx != SHN_UNDEF && sym->st_name && (sym->st_info & 15) != STT_TLS &&
		    s.base + sym->st_value == function) {
			*name = s.names + sym->st_name;
			break;
		}
	}
	return true;
}
#else
static bool symbols_name_at(uintptr_t function, const char **name)
{
	(void)function, (void)name;
	return false;
}
#endif

const char *cap_symbol_at(uintptr_t function)
{
	const char *name;
	Dl_info info;

	if (symbols_name_at(function, &name))
		return name;
	return dladdr((const void *)function, &info) && (uintptr_t)info.dli_saddr == function
		   ? info.dli_sname
		   : NULL;
}
