/* SPDX-License-Identifier: MIT */
#include "lib/recorder/hooks/redirect.h"

#include <stddef.h>

struct cap_redirects cap_redirects;

#ifdef CAP_CAN_REDIRECT
#include "lib/recorder/base/memory.h"
#include "lib/recorder/base/symbols.h"
#include "lib/recorder/capture.h"
#include "lib/recorder/hooks/next.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char own_start[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

enum { PLACES = 1 << 16, NAMES = 256 };

/* What a call of the name does, and what it shall do; by a hash of the name. */
struct redirect_name {
	const char *name;
	void *real, *hook;
};
struct redirect_place {
	uintptr_t slot, before;
};

static struct redirect_name names[NAMES];
static unsigned n_names;
static struct redirect_place *places; /* room for PLACES; by slot; 0: free */

static struct redirect_name *find_name(const char *name)
{
	uint32_t hash = 5381;

	for (const char *p = name; *p; p++)
		hash = hash * 33 + (unsigned char)*p;
	for (uint32_t i = hash % NAMES;; i = (i + 1) % NAMES)
		if (!names[i].name || !strcmp(names[i].name, name))
			return &names[i];
}

static struct redirect_place *find_place(uintptr_t slot)
{
	uint32_t i = (uint32_t)((slot >> 3) * 0x9e3779b97f4a7c15 >> 32) % PLACES;

	while (places[i].slot && places[i].slot != slot)
		i = (i + 1) % PLACES;
	return &places[i];
}

/* A module as the callback of dl_iterate_phdr has it. */
struct redirect_module {
	struct cap_symbols symbols;
	const ElfW(Rela) * rela[2];
	size_t n[2];
	uintptr_t lo, hi, relro_lo, relro_hi;
};

static bool describe_module(const struct dl_phdr_info *info, struct redirect_module *m)
{
	uintptr_t base = info->dlpi_addr, page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const ElfW(Dyn) *d = NULL;

	*m = (struct redirect_module){.lo = UINTPTR_MAX};
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t lo = base + p->p_vaddr, hi = lo + p->p_memsz;

		if (p->p_type == PT_DYNAMIC)
			d = (const void *)lo;
		if (p->p_type == PT_LOAD) {
			m->lo = lo < m->lo ? lo : m->lo;
			m->hi = hi > m->hi ? hi : m->hi;
		}
		if (p->p_type == PT_GNU_RELRO) {
			m->relro_lo = lo & ~(page - 1);
			m->relro_hi = hi & ~(page - 1);
		}
	}
	if (!d || !cap_symbols_of(info, &m->symbols))
		return false;
	for (bool plt_has_addend = true; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_PLTREL)
			plt_has_addend = d->d_un.d_val == DT_RELA;
		if (d->d_tag == DT_JMPREL && plt_has_addend)
			m->rela[0] = (const void *)d->d_un.d_ptr;
		if (d->d_tag == DT_PLTRELSZ)
			m->n[0] = d->d_un.d_val / sizeof(ElfW(Rela));
		if (d->d_tag == DT_RELA)
			m->rela[1] = (const void *)d->d_un.d_ptr;
		if (d->d_tag == DT_RELASZ)
			m->n[1] = d->d_un.d_val / sizeof(ElfW(Rela));
	}
	/* The kernel's own module has them as in the file, and has none of these. */
	for (unsigned k = 0; k < 2; k++)
		if ((uintptr_t)m->rela[k] < m->lo || (uintptr_t)m->rela[k] >= m->hi)
			m->n[k] = 0;
	return true;
}

static bool put_slot(const struct redirect_module *m, uintptr_t slot, uintptr_t value)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = (void *)(slot & ~(page - 1));
	bool closed = slot >= m->relro_lo && slot < m->relro_hi;

	if (closed && mprotect(at, page, PROT_READ | PROT_WRITE))
		return false;
	atomic_store((_Atomic uintptr_t *)slot, value);
	if (closed)
		mprotect(at, page, PROT_READ);
	return true;
}

static void lead_slot(const struct redirect_module *m, uintptr_t slot,
		      const struct redirect_name *x, bool lazy)
{
	uintptr_t now = atomic_load((_Atomic uintptr_t *)slot);
	struct redirect_place *place = find_place(slot);

	if (now == (uintptr_t)x->hook || (now != (uintptr_t)x->real && !lazy))
		return;
	if (atomic_load(&cap_redirects.places) >= PLACES / 2) {
		atomic_fetch_add(&cap_redirects.unwritable, 1);
		return;
	}
	*place = (struct redirect_place){slot, now};
	atomic_fetch_add(put_slot(m, slot, (uintptr_t)x->hook) ? &cap_redirects.places
							       : &cap_redirects.unwritable,
			 1);
}

static void restore_slot(const struct redirect_module *m, uintptr_t slot,
			 const struct redirect_name *x)
{
	const struct redirect_place *place = find_place(slot);

	if (place->slot && atomic_load((_Atomic uintptr_t *)slot) == (uintptr_t)x->hook)
		put_slot(m, slot, place->before);
}

static bool is_in(const struct redirect_module *m, const void *function)
{
	return (uintptr_t)function >= m->lo && (uintptr_t)function < m->hi;
}

static int redirect_see(struct dl_phdr_info *info, size_t size, void *arg)
{
	const bool *lead = arg;
	struct redirect_module m;

	(void)size;
	if (info->dlpi_addr == (uintptr_t)own_start || !describe_module(info, &m))
		return 0;
	for (unsigned k = 0; k < 2; k++)
		for (size_t i = 0; i < m.n[k]; i++) {
			const ElfW(Rela) *r = &m.rela[k][i];
			unsigned type = ELF64_R_TYPE(r->r_info);
			const ElfW(Sym) *sym = &m.symbols.symbol[ELF64_R_SYM(r->r_info)];
			uintptr_t slot = m.symbols.base + r->r_offset, now;
			const struct redirect_name *x;

			if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
			    slot < m.lo || slot + sizeof slot > m.hi || slot % sizeof slot)
				continue;
			x = find_name(m.symbols.names + sym->st_name);
			if (!x->hook || !x->real)
				continue;
			now = atomic_load((_Atomic uintptr_t *)slot);
			if (*lead)
				lead_slot(&m, slot, x,
					  type == R_X86_64_JUMP_SLOT && now >= m.lo && now < m.hi &&
					      (sym->st_shndx == SHN_UNDEF || is_in(&m, x->real)));
			else
				restore_slot(&m, slot, x);
		}
	return 0;
}

bool cap_redirect_add(const char *name, void *real, void *hook)
{
	struct redirect_name *x = find_name(name);

	if (!places)
		places = cap_map(PLACES * sizeof *places);
	if (!places || (!x->name && n_names == NAMES / 2))
		return false;
	if (!x->name) {
		*x = (struct redirect_name){name, real, hook};
		n_names++;
	}
	return true;
}

void cap_redirect_find(void)
{
	for (unsigned i = 0; i < NAMES; i++)
		if (names[i].name && !names[i].real)
			names[i].real = cap_next_named(names[i].name);
}

void *cap_redirect_real(const char *name)
{
	return find_name(name)->real;
}

void cap_redirect_pass(bool on, bool wait)
{
	if (!places)
		return;
	if (wait)
		cap_lock(&cap.modules.lock);
	else if (!cap_trylock(&cap.modules.lock))
		return;
	dl_iterate_phdr(redirect_see, &on);
	cap_unlock(&cap.modules.lock);
}
#else
bool cap_redirect_add(const char *name, void *real, void *hook)
{
	(void)name, (void)real, (void)hook;
	return false;
}

void cap_redirect_find(void)
{
}

void *cap_redirect_real(const char *name)
{
	(void)name;
	return NULL;
}

void cap_redirect_pass(bool on, bool wait)
{
	(void)on, (void)wait;
}
#endif
