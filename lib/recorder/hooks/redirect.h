/* SPDX-License-Identifier: MIT
 *
 * The redirection of calls of named functions to functions of the recorder. Addresses that the dynamic linker has
 * put into the modules' slots (R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT) are replaced. A slot is replaced only if it
 * has the address of the real function, or none yet: one that leads elsewhere (to an allocator that is a module's
 * own) stays.
 *
 * Facts: System V ABI, chapter 5, and its supplement for AMD64, chapters 4 and 5; which pages of
 * PT_GNU_RELRO the dynamic linker protects, as glibc's _dl_protect_relro does it.
 */
#ifndef TM_RECORDER_HOOKS_REDIRECT_H
#define TM_RECORDER_HOOKS_REDIRECT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Only on x86-64 with glibc, and not in a program that has the recorder linked in. */
#if defined __x86_64__ && defined __LP64__ && defined __GLIBC__ && !defined CAP_WRAP
#define CAP_CAN_REDIRECT 1
#endif

struct cap_redirects {
	_Atomic uint64_t places;     /* slots that were replaced */
	_Atomic uint64_t unwritable; /* that could not be */
};
extern struct cap_redirects cap_redirects;

/* A call of the name shall call hook. The name stays borrowed; not during a pass. real: the function that is
 * called now; NULL: no module has it yet, and cap_redirect_find looks again. A name that is there already is kept.
 * False: no memory, or too many names. */
bool cap_redirect_add(const char *name, void *real, void *hook);
/* The real functions of names that had none. Takes the dynamic linker's lock. */
void cap_redirect_find(void);
/* The real function of this name, or NULL. */
void *cap_redirect_real(const char *name);

/* Looks at each module's slots: on, and they lead to the hooks; off, and each slot has what it had before. With
 * the lock that a fork waits for, so that no copy is made while the dynamic linker's lock is held. wait: for that
 * lock; a caller that may itself have the dynamic linker's lock does not wait, and may have to come again. */
void cap_redirect_pass(bool on, bool wait);

#endif
