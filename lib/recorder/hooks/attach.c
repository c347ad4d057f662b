/* SPDX-License-Identifier: MIT
 *
 * A recording of a process that was running: tm-record has loaded this library into it by dlopen and
 * calls tracemill_attach. No symbol of ours comes before the program's then, so its calls are led to
 * the hooks where the dynamic linker has put the functions' addresses: the slots of relocations
 * R_X86_64_JUMP_SLOT and R_X86_64_GLOB_DAT of every module. A slot is only touched if it has the
 * address of the function that our hook calls, or none yet: one that leads elsewhere (to an allocator
 * that is a module's own) stays.
 *
 * At the end each slot gets back what was in it. This library stays: a thread may be in a hook, or
 * have a hook's address.
 *
 * Facts: System V ABI, chapter 5, and its supplement for AMD64, chapters 4 and 5; which pages of
 * PT_GNU_RELRO the dynamic linker protects, as glibc's _dl_protect_relro does it.
 */
#include "lib/recorder/base/memory.h"
#include "lib/recorder/base/symbols.h"
#include "lib/recorder/hooks/preload.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

CAP_PUBLIC uintptr_t tracemill_attach(const char *text);

static struct cap_attached attached;

extern const char own_start[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

#if defined __x86_64__ && defined __LP64__ && defined __GLIBC__ && !defined CAP_WRAP
enum { PLACES = 1 << 16, NAMES = 256 };

/* What a call of the name does, and what it shall do; by a hash of the name. */
struct attach_name {
	const char *name;
	void *real, *hook;
};
struct attach_place {
	uintptr_t slot, before;
};

static struct attach_name names[NAMES];
static struct attach_place *places; /* room for PLACES; by slot; 0: free */
static _Atomic bool leading;        /* calls to us */
static uint32_t beat;
static int64_t heard;
static bool looked_again;

static void *(*real_dlopen)(const char *, int);

static const char *const hooked[] = {
    "malloc", "calloc", "realloc", "reallocarray", "free", "memalign", "aligned_alloc",
    "posix_memalign", "valloc", "pvalloc", "mmap", "mmap64", "munmap", "mremap", "_exit", "_Exit",
    "abort", "daemon", "dlclose", "unshare", "setns", "execve", "execv", "execvpe", "execvp",
    "fexecve", "execl", "execlp", "execle",
    /* C++'s operators new and delete */
    "_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t", "_ZnwmSt11align_val_tRKSt9nothrow_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm",
    "_ZdlPvRKSt9nothrow_t", "_ZdaPvRKSt9nothrow_t", "_ZdlPvSt11align_val_t",
    "_ZdaPvSt11align_val_t", "_ZdlPvmSt11align_val_t", "_ZdaPvmSt11align_val_t",
    "_ZdlPvSt11align_val_tRKSt9nothrow_t", "_ZdaPvSt11align_val_tRKSt9nothrow_t"};

static struct attach_name *find_name(const char *name)
{
	uint32_t hash = 5381;

	for (const char *p = name; *p; p++)
		hash = hash * 33 + (unsigned char)*p;
	for (uint32_t i = hash % NAMES;; i = (i + 1) % NAMES)
		if (!names[i].name || !strcmp(names[i].name, name))
			return &names[i];
}

static struct attach_place *find_place(uintptr_t slot)
{
	uint32_t i = (uint32_t)((slot >> 3) * 0x9e3779b97f4a7c15 >> 32) % PLACES;

	while (places[i].slot && places[i].slot != slot)
		i = (i + 1) % PLACES;
	return &places[i];
}

/* A module as the callback of dl_iterate_phdr has it. */
struct attach_module {
	struct cap_symbols symbols;
	const ElfW(Rela) * rela[2];
	size_t n[2];
	uintptr_t lo, hi, relro_lo, relro_hi;
};

static bool attach_describe(const struct dl_phdr_info *info, struct attach_module *m)
{
	uintptr_t base = info->dlpi_addr, page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const ElfW(Dyn) *d = NULL;

	*m = (struct attach_module){.lo = UINTPTR_MAX};
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

static bool attach_put(const struct attach_module *m, uintptr_t slot, uintptr_t value)
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

static void attach_lead(const struct attach_module *m, uintptr_t slot, const struct attach_name *x,
			bool lazy)
{
	uintptr_t now = atomic_load((_Atomic uintptr_t *)slot);
	struct attach_place *place = find_place(slot);

	if (now == (uintptr_t)x->hook || (now != (uintptr_t)x->real && !lazy))
		return;
	if (atomic_load(&attached.places) >= PLACES / 2) {
		atomic_fetch_add(&attached.unwritable, 1);
		return;
	}
	*place = (struct attach_place){slot, now};
	atomic_fetch_add(
	    attach_put(m, slot, (uintptr_t)x->hook) ? &attached.places : &attached.unwritable, 1);
}

static void attach_give_back(const struct attach_module *m, uintptr_t slot,
			     const struct attach_name *x)
{
	const struct attach_place *place = find_place(slot);

	if (place->slot && atomic_load((_Atomic uintptr_t *)slot) == (uintptr_t)x->hook)
		attach_put(m, slot, place->before);
}

static int attach_see(struct dl_phdr_info *info, size_t size, void *arg)
{
	const bool *lead = arg;
	struct attach_module m;

	(void)size;
	if (info->dlpi_addr == (uintptr_t)own_start || !attach_describe(info, &m))
		return 0;
	for (unsigned k = 0; k < 2; k++)
		for (size_t i = 0; i < m.n[k]; i++) {
			const ElfW(Rela) *r = &m.rela[k][i];
			unsigned type = ELF64_R_TYPE(r->r_info);
			const ElfW(Sym) *sym = &m.symbols.symbol[ELF64_R_SYM(r->r_info)];
			uintptr_t slot = m.symbols.base + r->r_offset, now;
			const struct attach_name *x;

			if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
			    slot < m.lo || slot + sizeof slot > m.hi || slot % sizeof slot)
				continue;
			x = find_name(m.symbols.names + sym->st_name);
			if (!x->hook)
				continue;
			now = atomic_load((_Atomic uintptr_t *)slot);
			if (*lead)
				attach_lead(&m, slot, x,
					    type == R_X86_64_JUMP_SLOT && now >= m.lo &&
						now < m.hi && sym->st_shndx == SHN_UNDEF);
			else
				attach_give_back(&m, slot, x);
		}
	return 0;
}

/* With the lock that a fork waits for, so that no copy is made while the dynamic linker's is held. A
 * caller that may itself have the latter does not wait. */
static void attach_pass(bool lead, bool wait)
{
	if (wait)
		cap_lock(&cap.modules.lock);
	else if (!cap_trylock(&cap.modules.lock))
		return;
	dl_iterate_phdr(attach_see, &lead);
	cap_unlock(&cap.modules.lock);
}

static void attach_look(void)
{
	unsigned depth = cap_self.depth;
	int error = errno;

	cap_self.depth = depth | CAP_QUIET;
	if (atomic_load(&leading))
		attach_pass(true, false);
	cap_self.depth = depth;
	errno = error;
}

/* What is looked for along its caller's run path, or beside it, must see that as its caller: it is
 * jumped to, and the helper looks what has come. */
static void *attach_open(const char *file, int mode)
{
	void *p;

	if (!atomic_load(&leading) || !file || !strchr(file, '/') || strchr(file, '$')) {
		if (atomic_load(&leading))
			cap_helper_wake();
		CAP_JUMP return real_dlopen(file, mode);
	}
	p = real_dlopen(file, mode);
	attach_look();
	return p;
}

static int attach_find_hooks(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct attach_module m;

	(void)size;
	(void)arg;
	if (info->dlpi_addr != (uintptr_t)own_start || !attach_describe(info, &m))
		return 0;
	for (unsigned i = 0; i < sizeof hooked / sizeof *hooked; i++)
		*find_name(hooked[i]) =
		    (struct attach_name){hooked[i], NULL, cap_symbol_find(&m.symbols, hooked[i])};
	return 1;
}

/* Once. By the modules' own symbols: what dlsym gives for a function of a library may be an address that
 * the program's file has for it (a call in it, if that is not position-independent). */
static bool attach_names(void)
{
	if (places)
		return true;
	dl_iterate_phdr(attach_find_hooks, NULL);
	for (unsigned i = 0; i < NAMES; i++) {
		if (names[i].name)
			names[i].real = cap_next_named(names[i].name);
		if (!names[i].real)
			names[i].hook = NULL;
	}
	*(void **)&real_dlopen = cap_next_named("dlopen");
	*find_name("dlopen") =
	    (struct attach_name){"dlopen", *(void **)&real_dlopen, (void *)attach_open};
	places = cap_map(PLACES * sizeof *places);
	return places && cap_malloc_ready();
}

static void attach_end(const char *note)
{
	atomic_store(&leading, false);
	attach_pass(false, true);
	cap_finish(note);
	cap_output_close(&cap.out);
	atomic_store(&attached.old, atomic_load(&cap.old));
	atomic_store(&attached.state, CAP_ATTACH_ENDED);
}

static void attach_tick(void)
{
	uint32_t now = atomic_load(&attached.beat);

	atomic_store(&attached.old, atomic_load(&cap.old));
	if (!looked_again) { /* a thread may have been binding a function meanwhile */
		looked_again = true;
		attach_pass(true, true);
	}
	if (now != beat) {
		beat = now;
		heard = cap_now();
	}
	if (atomic_load(&attached.leave))
		attach_end("detached: the program went on");
	else if (cap_now() - heard > (int64_t)CAP_SILENCE_MS * 1000000)
		attach_end("detached, since tm-record was gone: the program went on");
}

static void attach_loaded(void)
{
	cap_lock(&cap.modules.lock); /* for which a fork waits */
	cap_next_find(true);
	cap_unlock(&cap.modules.lock);
	attach_pass(true, true);
	cap_engine_look();
}

static enum cap_attach attach_begin(const char *text)
{
	static struct cap_settings s;

	/* Not what was started with us, even when its recording has ended. */
	if (cap_on() || atomic_load(&cap.ready) != cap_late)
		return CAP_ATTACH_TWICE;
	cap_late = true;
	if (!cap_settings_parse(&s, text) || !attach_names())
		return CAP_ATTACH_NO_ROOM;
	s.pid = (uint64_t)getpid();
	memset(&attached, 0, sizeof attached);
	attached.mark = CAP_ATTACHED;
	attached.outcome.mark = CAP_OUTCOME;
	looked_again = false;
	heard = cap_now();
	if (!cap_start_late(&s))
		return CAP_ATTACH_NO_OUTPUT;
	cap_self.depth |= CAP_QUIET;
	cap.outcome = &attached.outcome;
	atomic_store(&attached.outcome.open, 1);
	atomic_store(&attached.outcome.loaded, CAP_LOADED);
	atomic_store(&attached.state, CAP_ATTACH_ON);
	cap.loaded = attach_loaded;
	cap.ticked = attach_tick;
	if (!cap_process_ready())
		return CAP_ATTACH_NO_ROOM;
	atomic_store(&leading, true);
	attach_pass(true, true);
	return CAP_ATTACH_ON;
}
#else
static enum cap_attach attach_begin(const char *text)
{
	(void)text;
	return CAP_ATTACH_NO_ROOM;
}
#endif

CAP_PUBLIC uintptr_t tracemill_attach(const char *text)
{
	unsigned depth = cap_self.depth;
	int error = errno;
	enum cap_attach got;

	cap_self.depth = depth | CAP_QUIET;
	got = attach_begin(text);
	cap_self.depth = depth;
	errno = error;
	return got == CAP_ATTACH_ON ? (uintptr_t)&attached : (uintptr_t)got;
}
