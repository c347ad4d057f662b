/* SPDX-License-Identifier: MIT */
#include "lib/recorder/hooks/frames_at.h"

#include "lib/recorder/capture.h"
#include "lib/recorder/hooks/preload.h"
#include "lib/recorder/hooks/redirect.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#ifdef CAP_CAN_REDIRECT
enum { NAMES = CAP_FRAMES_AT_NAMES, TARGETS = 32 }; /* a stub for each target */

/* Those of all recordings of this process; wanted: a bit for each that this one has. */
static const char *names[NAMES];
static unsigned n_names;
static _Atomic uint32_t wanted;

/* What a stub's call goes on to; real NULL: the name's function as modules define it. One for each name, and behind
 * NAMES one for each other address that a program got for a name. */
static struct frames_target {
	_Atomic uint32_t name;
	_Atomic(void *) real;
} targets[TARGETS];
static _Atomic unsigned n_targets = NAMES;
static _Atomic(struct frames_target *)
    presenting; /* the one whose calls are frames; NULL: none yet */

/* A stub for each target: it keeps the registers that have arguments, and jumps to the real function, which sees its
 * caller's stack and return address. */
#define STUB(n)                      \
	".balign 16\n"               \
	"endbr64\n"                  \
	"push $" #n "\n"             \
	".cfi_adjust_cfa_offset 8\n" \
	"jmp frames_stub_common\n"   \
	".cfi_adjust_cfa_offset -8\n"
#define STUBS_4(a, b, c, d) STUB(a) STUB(b) STUB(c) STUB(d)
/* clang-format off */
__asm__(
    ".pushsection .text\n"
    ".type frames_stubs, @function\n"
    ".balign 16\n"
    "frames_stubs:\n"
    ".cfi_startproc\n"
    STUBS_4(0, 1, 2, 3) STUBS_4(4, 5, 6, 7) STUBS_4(8, 9, 10, 11) STUBS_4(12, 13, 14, 15)
    STUBS_4(16, 17, 18, 19) STUBS_4(20, 21, 22, 23) STUBS_4(24, 25, 26, 27) STUBS_4(28, 29, 30, 31)
    ".cfi_endproc\n"
    ".size frames_stubs, . - frames_stubs\n"
    ".type frames_stub_common, @function\n"
    "frames_stub_common:\n"
    ".cfi_startproc\n"
    ".cfi_def_cfa_offset 16\n"
    "push %rax\n" "push %rdi\n" "push %rsi\n" "push %rdx\n"
    "push %rcx\n" "push %r8\n" "push %r9\n" "push %r10\n"
    ".cfi_adjust_cfa_offset 64\n"
    "sub $128, %rsp\n"
    ".cfi_adjust_cfa_offset 128\n"
    "movaps %xmm0, (%rsp)\n" "movaps %xmm1, 16(%rsp)\n" "movaps %xmm2, 32(%rsp)\n"
    "movaps %xmm3, 48(%rsp)\n" "movaps %xmm4, 64(%rsp)\n" "movaps %xmm5, 80(%rsp)\n"
    "movaps %xmm6, 96(%rsp)\n" "movaps %xmm7, 112(%rsp)\n"
    "mov 192(%rsp), %rdi\n"
    "call frames_called\n"
    "mov %rax, %r11\n"
    "movaps (%rsp), %xmm0\n" "movaps 16(%rsp), %xmm1\n" "movaps 32(%rsp), %xmm2\n"
    "movaps 48(%rsp), %xmm3\n" "movaps 64(%rsp), %xmm4\n" "movaps 80(%rsp), %xmm5\n"
    "movaps 96(%rsp), %xmm6\n" "movaps 112(%rsp), %xmm7\n"
    "add $128, %rsp\n"
    ".cfi_adjust_cfa_offset -128\n"
    "pop %r10\n" "pop %r9\n" "pop %r8\n" "pop %rcx\n"
    "pop %rdx\n" "pop %rsi\n" "pop %rdi\n" "pop %rax\n"
    ".cfi_adjust_cfa_offset -64\n"
    "add $8, %rsp\n"
    ".cfi_adjust_cfa_offset -8\n"
    "jmp *%r11\n"
    ".cfi_endproc\n"
    ".size frames_stub_common, . - frames_stub_common\n"
    ".popsection\n");
/* clang-format on */

extern const char frames_stubs[] __attribute__((visibility("hidden")));

static void *stub_of(unsigned target)
{
	return (void *)(uintptr_t)(frames_stubs + (size_t)target * 16);
}

/* From the stubs: the target's function. */
__attribute__((used, visibility("hidden"))) void *frames_called(uint64_t target);
void *frames_called(uint64_t target)
{
	struct frames_target *t = &targets[target], *first = NULL;
	const char *name = names[atomic_load(&t->name)];
	void *real = atomic_load(&t->real);
	int error = errno;

	if (cap_on() && !cap_self.depth && atomic_load(&wanted) >> atomic_load(&t->name) & 1 &&
	    (atomic_compare_exchange_strong(&presenting, &first, t) || first == t)) {
		bool marked = cap_mark_frame_found();

		if (!first && marked)
			atomic_store(&cap.presents, name);
		else if (!first)
			atomic_store(&presenting, NULL);
		if (!first && cap.outcome)
			atomic_store(&cap.outcome->framed, 1);
	}
	errno = error;
	return real ? real : cap_redirect_real(name);
}

/* The stub that a program gets instead of the address that it asked for. */
static void *frames_stub_for(unsigned name, void *real)
{
	unsigned n = atomic_load(&n_targets);

	if (real == cap_redirect_real(names[name]))
		return stub_of(name);
	for (unsigned i = NAMES; i < n; i++)
		if (atomic_load(&targets[i].name) == name && atomic_load(&targets[i].real) == real)
			return stub_of(i);
	n = atomic_fetch_add(&n_targets, 1);
	if (n >= TARGETS) {
		atomic_store(&n_targets, TARGETS);
		return real;
	}
	atomic_store(&targets[n].name, name);
	atomic_store(&targets[n].real, real);
	return stub_of(n);
}

typedef void *(*by_name)(const char *);
typedef void *(*of_object)(void *, const char *);

static void *seen_address(const char *name, void *real);

/* Functions that give a function by its name. The real ones, which a program may have got by dlsym alone. */
enum { GLX, GLX_ARB, EGL, VULKAN_INSTANCE, VULKAN_DEVICE, RESOLVERS };
static _Atomic(void *) resolver_real[RESOLVERS];
static void *real_resolver(unsigned i);

#define BY_NAME(function, i)                                                    \
	static void *function(const char *name)                                 \
	{                                                                       \
		void *real = real_resolver(i);                                  \
                                                                                \
		return real ? seen_address(name, ((by_name)real)(name)) : NULL; \
	}
#define OF_OBJECT(function, i)                                                            \
	static void *function(void *object, const char *name)                             \
	{                                                                                 \
		void *real = real_resolver(i);                                            \
                                                                                          \
		return real ? seen_address(name, ((of_object)real)(object, name)) : NULL; \
	}
BY_NAME(frames_glx, GLX)
BY_NAME(frames_glx_arb, GLX_ARB)
BY_NAME(frames_egl, EGL)
OF_OBJECT(frames_vulkan_instance, VULKAN_INSTANCE)
OF_OBJECT(frames_vulkan_device, VULKAN_DEVICE)

static const struct {
	const char *name;
	void *hook;
} resolvers[RESOLVERS] = {
    [GLX] = {"glXGetProcAddress", (void *)frames_glx},
    [GLX_ARB] = {"glXGetProcAddressARB", (void *)frames_glx_arb},
    [EGL] = {"eglGetProcAddress", (void *)frames_egl},
    [VULKAN_INSTANCE] = {"vkGetInstanceProcAddr", (void *)frames_vulkan_instance},
    [VULKAN_DEVICE] = {"vkGetDeviceProcAddr", (void *)frames_vulkan_device},
};

static void *real_resolver(unsigned i)
{
	void *real = atomic_load(&resolver_real[i]);

	return real ? real : cap_redirect_real(resolvers[i].name);
}

/* What a program gets for a name instead of the address real. */
static void *seen_address(const char *name, void *real)
{
	if (!real || !name)
		return real;
	for (unsigned i = 0; i < n_names; i++)
		if (!strcmp(names[i], name))
			return frames_stub_for(i, real);
	for (unsigned i = 0; i < RESOLVERS; i++)
		if (!strcmp(resolvers[i].name, name)) {
			atomic_store(&resolver_real[i], real);
			return resolvers[i].hook;
		}
	return real;
}

static bool is_looked_for(const char *name)
{
	for (unsigned i = 0; i < n_names; i++)
		if (!strcmp(names[i], name))
			return true;
	for (unsigned i = 0; i < RESOLVERS; i++)
		if (!strcmp(resolvers[i].name, name))
			return true;
	return false;
}

/* dlsym looks where its caller is: it is jumped to, unless the name alone decides. */
static of_object real_dlsym;
static void *frames_dlsym(void *handle, const char *name)
{
	if (handle == RTLD_NEXT || !name || !is_looked_for(name)) {
		CAP_JUMP return real_dlsym(handle, name);
	}
	return seen_address(name, real_dlsym(handle, name));
}

/* Adds a name of n bytes, of which a copy is kept; without room: not looked for. */
static void want(const char *name, size_t n)
{
	static char texts[4 * CAP_FRAMES_AT];
	static size_t used;
	unsigned i = 0;

	while (i < n_names && (strncmp(names[i], name, n) != 0 || names[i][n]))
		i++;
	if (i == NAMES || (i == n_names && used + n >= sizeof texts))
		return;
	if (i == n_names) {
		memcpy(texts + used, name, n);
		names[i] = texts + used;
		used += n + 1;
		atomic_store(&targets[i].name, i);
		n_names++;
	}
	atomic_fetch_or(&wanted, UINT32_C(1) << i);
}

/* The names of the settings, or the known ones. */
static void take_names(void)
{
	const char *p = cap.settings.frames_at;

	atomic_store(&wanted, 0);
	atomic_store(&cap.presents, NULL);
	atomic_store(&presenting, NULL);
	if (!*p)
		for (const char *const *name = cap_frames_at_known; *name; name++)
			want(*name, strlen(*name));
	else if (strcmp(p, "none") != 0)
		while (*p) {
			size_t n = strcspn(p, ",");

			if (n)
				want(p, n);
			p += n + (p[n] == ',');
		}
}

static bool able; /* names are wanted, and there was room for them */

static bool add_names(void)
{
	bool added = true;

	for (unsigned i = 0; i < n_names; i++)
		added &= cap_redirect_add(names[i], NULL, stub_of(i));
	for (unsigned i = 0; i < RESOLVERS; i++)
		added &= cap_redirect_add(resolvers[i].name, NULL, resolvers[i].hook);
	return added;
}

static bool is_any_there(void)
{
	bool there = *cap.settings.frames_at;

	for (unsigned i = 0; i < n_names; i++)
		there |= cap_redirect_real(names[i]) != NULL;
	for (unsigned i = 0; i < RESOLVERS; i++)
		there |= cap_redirect_real(resolvers[i].name) != NULL;
	return there;
}

void cap_frames_at_begin(void)
{
	take_names();
	able = atomic_load(&wanted) && add_names();
}

void cap_frames_at_look(void)
{
	unsigned depth = cap_self.depth;
	int error = errno;

	if (!able)
		return;
	cap_self.depth = depth | CAP_QUIET;
	cap_redirect_find();
	if (is_any_there()) {
		if (!real_dlsym)
			*(void **)&real_dlsym = cap_next_named("dlsym");
		if (real_dlsym)
			cap_redirect_add("dlsym", *(void **)&real_dlsym, (void *)frames_dlsym);
		cap_redirect_pass(true, true);
	}
	cap_self.depth = depth;
	errno = error;
}
#else
void cap_frames_at_begin(void)
{
}

void cap_frames_at_look(void)
{
}
#endif
