/* SPDX-License-Identifier: MIT
 *
 * Facts: System V ABI for AMD64 (registers of arguments and results, the red zone), Intel's Software Developer's Manual
 * (E9, 68, FF /4).
 */
#include "lib/recorder/hooks/wrap_at.h"

#include "lib/recorder/base/memory.h"
#include "lib/recorder/hooks/preload.h"
#include "lib/recorder/wraps.h"

#ifdef CAP_CAN_WRAP
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	JUMP = 5,      /* bytes: E9 rel32 */
	BLOCK = 80,    /* of memory of ours: what a function's jump leads to */
	MOVED = 20,    /* in it: the function's first bytes, and the jump to those behind them */
	FAR = 1 << 30, /* no farther away from the function */
	STEP = 1 << 20,
};

struct wrapped {
	uintptr_t function, moved;
};

static struct wrapped wrapped[CAP_WRAP_AT];
static unsigned n_wrapped;
/* The first thunk that is free, below a number that each taking changes. */
static _Atomic uint64_t unused;

/* The words of the settings, "ADDRESS:BYTES:MOVED:PLACES;": hexadecimal, and a letter for each place of a 32-bit offset in what
 * is moved, which holds if that lies where the function does. */
struct given {
	uint64_t address;
	uint8_t code[CAP_WRAP_BYTES], moved[CAP_WRAP_MOVED];
	unsigned n, n_moved;
	uint8_t places[8];
	unsigned n_places;
};

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const char *read_bytes(const char *p, uint8_t *to, unsigned *n, unsigned most)
{
	for (; digit(*p) >= 0 && digit(p[1]) >= 0 && *n < most; p += 2)
		to[(*n)++] = (uint8_t)(digit(*p) << 4 | digit(p[1]));
	return *p == ':' && *n >= JUMP ? p + 1 : NULL;
}

static const char *read_given(const char *p, struct given *g)
{
	*g = (struct given){.address = 0};
	for (; digit(*p) >= 0; p++)
		g->address = g->address << 4 | (unsigned)digit(*p);
	if (*p++ != ':')
		return NULL;
	p = read_bytes(p, g->code, &g->n, CAP_WRAP_BYTES);
	p = p ? read_bytes(p, g->moved, &g->n_moved, CAP_WRAP_MOVED) : NULL;
	if (!p)
		return NULL;
	for (; *p >= 'a' && *p <= 'z' && g->n_places < sizeof g->places; p++)
		if ((unsigned)(*p - 'a') + 4 <= g->n_moved)
			g->places[g->n_places++] = (uint8_t)(*p - 'a');
	return *p++ == ';' ? p : NULL;
}

/* --- what the stubs call --- */

static uint32_t take_thunk(void)
{
	uint64_t is = atomic_load(&unused), next;

	do {
		uint32_t i = (uint32_t)is;

		if (!i)
			return 0;
		next = ((is >> 32) + 1) << 32 | cap_wraps[i].under;
	} while (!atomic_compare_exchange_weak(&unused, &is, next));
	return (uint32_t)is;
}

static void give_thunk(uint32_t i)
{
	uint64_t is = atomic_load(&unused), next;

	do {
		cap_wraps[i].under = (uint32_t)is;
		next = ((is >> 32) + 1) << 32 | i;
	} while (!atomic_compare_exchange_weak(&unused, &is, next));
}

/* What was left by longjmp or an exception lies below what is called now; on another stack it may not be told. */
static void drop_left(const uintptr_t *slot)
{
	enum { NEAR = 1 << 20 };

	while (cap_wrap_top) {
		uint32_t i = cap_wrap_top;
		const struct cap_wrap *w = &cap_wraps[i];

		if (w->slot && (w->slot > slot || (uintptr_t)slot - (uintptr_t)w->slot > NEAR))
			return;
		cap_wrap_top = w->under;
		give_thunk(i);
	}
}

/* Returns where the function goes on. */
uintptr_t cap_wrap_entered(uint32_t index, uintptr_t *slot);
uintptr_t cap_wrap_entered(uint32_t index, uintptr_t *slot)
{
	const struct wrapped *f = &wrapped[index];
	uint32_t i;

	if (!cap_on())
		return f->moved;
	drop_left(slot);
	i = take_thunk();
	if (!i) {
		atomic_fetch_add_explicit(&cap_shadow_counts.deep, 1, memory_order_relaxed);
		return f->moved;
	}
	cap_wraps[i] = (struct cap_wrap){*slot, f->function, slot, cap_wrap_top, false};
	atomic_signal_fence(memory_order_seq_cst);
	cap_wrap_top = i;
	cap_call_enter(f->function, *slot, (uintptr_t)slot);
	*slot = cap_wrap_thunk(i);
	return f->moved;
}

/* Returns the address to return to. */
uintptr_t cap_wrap_left(uint32_t i);
uintptr_t cap_wrap_left(uint32_t i)
{
	struct cap_wrap *w = &cap_wraps[i];
	uintptr_t real = w->real;
	uint32_t *at = &cap_wrap_top;

	cap_call_exit(w->function, real, (uintptr_t)w->slot);
	while (*at && *at != i)
		at = &cap_wraps[*at].under;
	if (*at == i) {
		*at = w->under;
		give_thunk(i);
	} else {
		w->slot =
		    NULL; /* a fiber that was begun by another thread, which still has it in its list */
	}
	return real;
}

void cap_wrap_entry(void);
void cap_wrap_return(void);

/* Above the stack pointer: the index, and the return address (entry); the number of the thunk, where that was (return). What
 * has arguments or results is kept, with the number of vector registers (rax) and the static chain (r10). */
__asm__(".text\n"
	".hidden cap_wrap_entry\n"
	".globl cap_wrap_entry\n"
	".type cap_wrap_entry, @function\n"
	"cap_wrap_entry:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa %rsp, 16\n"
	"	sub $200, %rsp\n"
	"	.cfi_def_cfa %rsp, 216\n"
	"	mov %rax, (%rsp)\n"
	"	mov %rdi, 8(%rsp)\n"
	"	mov %rsi, 16(%rsp)\n"
	"	mov %rdx, 24(%rsp)\n"
	"	mov %rcx, 32(%rsp)\n"
	"	mov %r8, 40(%rsp)\n"
	"	mov %r9, 48(%rsp)\n"
	"	mov %r10, 56(%rsp)\n"
	"	movups %xmm0, 64(%rsp)\n"
	"	movups %xmm1, 80(%rsp)\n"
	"	movups %xmm2, 96(%rsp)\n"
	"	movups %xmm3, 112(%rsp)\n"
	"	movups %xmm4, 128(%rsp)\n"
	"	movups %xmm5, 144(%rsp)\n"
	"	movups %xmm6, 160(%rsp)\n"
	"	movups %xmm7, 176(%rsp)\n"
	"	mov 200(%rsp), %edi\n"
	"	lea 208(%rsp), %rsi\n"
	"	sub $8, %rsp\n"
	"	.cfi_def_cfa %rsp, 224\n"
	"	call cap_wrap_entered\n"
	"	add $8, %rsp\n"
	"	.cfi_def_cfa %rsp, 216\n"
	"	mov %rax, 200(%rsp)\n"
	"	mov (%rsp), %rax\n"
	"	mov 8(%rsp), %rdi\n"
	"	mov 16(%rsp), %rsi\n"
	"	mov 24(%rsp), %rdx\n"
	"	mov 32(%rsp), %rcx\n"
	"	mov 40(%rsp), %r8\n"
	"	mov 48(%rsp), %r9\n"
	"	mov 56(%rsp), %r10\n"
	"	movups 64(%rsp), %xmm0\n"
	"	movups 80(%rsp), %xmm1\n"
	"	movups 96(%rsp), %xmm2\n"
	"	movups 112(%rsp), %xmm3\n"
	"	movups 128(%rsp), %xmm4\n"
	"	movups 144(%rsp), %xmm5\n"
	"	movups 160(%rsp), %xmm6\n"
	"	movups 176(%rsp), %xmm7\n"
	"	add $200, %rsp\n"
	"	.cfi_def_cfa %rsp, 16\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size cap_wrap_entry, . - cap_wrap_entry\n"
	".hidden cap_wrap_return\n"
	".globl cap_wrap_return\n"
	".type cap_wrap_return, @function\n"
	"cap_wrap_return:\n"
	"	sub $56, %rsp\n"
	"	mov %rax, (%rsp)\n"
	"	mov %rdx, 8(%rsp)\n"
	"	movups %xmm0, 16(%rsp)\n"
	"	movups %xmm1, 32(%rsp)\n"
	"	mov 56(%rsp), %edi\n"
	"	call cap_wrap_left\n"
	"	mov %rax, 56(%rsp)\n"
	"	mov (%rsp), %rax\n"
	"	mov 8(%rsp), %rdx\n"
	"	movups 16(%rsp), %xmm0\n"
	"	movups 32(%rsp), %xmm1\n"
	"	add $56, %rsp\n"
	"	ret\n"
	".size cap_wrap_return, . - cap_wrap_return\n");

/* --- at the start --- */

/* push NUMBER; jmp *TO */
static unsigned put_stub(uint8_t *at, uint32_t number, void (*to)(void))
{
	static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
	uintptr_t address = (uintptr_t)to;

	*at = 0x68;
	memcpy(at + 1, &number, sizeof number);
	memcpy(at + 5, jump, sizeof jump);
	memcpy(at + 11, &address, sizeof address);
	return 19;
}

static void put_jump(uint8_t *at, uintptr_t from, uintptr_t to)
{
	int32_t by = (int32_t)(to - (from + JUMP));

	*at = 0xe9;
	memcpy(at + 1, &by, sizeof by);
}

static int take_bias(struct dl_phdr_info *info, size_t n, void *arg)
{
	(void)n;
	*(uintptr_t *)arg = info->dlpi_addr;
	return 1; /* the program is the first */
}

static uintptr_t bias_of_program(void)
{
	uintptr_t bias = 0;

	dl_iterate_phdr(take_bias, &bias);
	return bias;
}

/* Below the program, where nothing grows into it. */
static uint8_t *map_near(uintptr_t at, size_t size)
{
	for (uintptr_t by = STEP; by < FAR && by < at; by += STEP) {
		void *p =
		    mmap((void *)((at - by) & ~(uintptr_t)0xffff), size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (p != MAP_FAILED)
			return p;
	}
	return NULL;
}

static bool make_thunks(void)
{
	cap_wraps = cap_map(CAP_WRAPS * sizeof *cap_wraps);
	cap_wrap_thunks = cap_map(CAP_WRAPS * CAP_WRAP_THUNK);
	if (!cap_wraps || !cap_wrap_thunks)
		return false;
	for (uint32_t i = 1; i < CAP_WRAPS; i++) {
		put_stub(cap_wrap_thunks + (size_t)i * CAP_WRAP_THUNK, i, cap_wrap_return);
		cap_wraps[i].under = i + 1 < CAP_WRAPS ? i + 1 : 0;
	}
	atomic_store(&unused, 1);
	return !mprotect(cap_wrap_thunks, CAP_WRAPS * CAP_WRAP_THUNK, PROT_READ | PROT_EXEC);
}

static void wrap_one(uintptr_t bias, const struct given *g, uint8_t *block)
{
	uintptr_t function = bias + g->address, behind = function + g->n;
	uint8_t *moved = block + MOVED;

	put_stub(block, n_wrapped, cap_wrap_entry);
	memcpy(moved, g->moved, g->n_moved);
	for (unsigned i = 0; i < g->n_places; i++) {
		int32_t by;

		memcpy(&by, moved + g->places[i], sizeof by);
		by = (int32_t)((uintptr_t)(intptr_t)by + function - (uintptr_t)moved);
		memcpy(moved + g->places[i], &by, sizeof by);
	}
	put_jump(moved + g->n_moved, (uintptr_t)moved + g->n_moved, behind);
	memcpy(moved + CAP_WRAP_RETURN, &behind, sizeof behind);
	wrapped[n_wrapped++] = (struct wrapped){function, (uintptr_t)moved};
}

static bool write_jump(uintptr_t function, uintptr_t to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), lo = function & ~(page - 1);
	size_t size = ((function + JUMP + page - 1) & ~(page - 1)) - lo;

	if (mprotect((void *)lo, size, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	put_jump((uint8_t *)function, function, to);
	mprotect((void *)lo, size, PROT_READ | PROT_EXEC);
	return true;
}

/* Of another program, which was started by exec, the bytes differ: nothing is done there. */
static bool is_program(uintptr_t bias, const char *p)
{
	struct given g;

	while (p && *p) {
		p = read_given(p, &g);
		if (!p || cap_probe(bias + g.address) != EINVAL ||
		    memcmp((void *)(bias + g.address), g.code, g.n) != 0)
			return false;
	}
	return p;
}

void cap_wrap_begin(void)
{
	const char *p = cap.settings.wraps;
	uintptr_t bias = bias_of_program();
	struct given g;
	uint8_t *block;

	if (!*p || !is_program(bias, p) || !read_given(p, &g))
		return;
	block = map_near(bias + g.address, CAP_WRAP_AT * BLOCK);
	if (!block || !make_thunks())
		return;
	for (unsigned i = 0; *p; i++) {
		p = read_given(p, &g);
		wrap_one(bias, &g, block + (size_t)i * BLOCK);
	}
	if (mprotect(block, CAP_WRAP_AT * BLOCK, PROT_READ | PROT_EXEC))
		return;
	for (unsigned i = 0; i < n_wrapped; i++)
		if (write_jump(wrapped[i].function, (uintptr_t)block + (size_t)i * BLOCK) &&
		    cap.outcome)
			atomic_fetch_add(&cap.outcome->wrapped, 1);
}
#else
void cap_wrap_begin(void)
{
}
#endif
