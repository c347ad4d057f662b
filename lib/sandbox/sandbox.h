/* SPDX-License-Identifier: MIT
 *
 * The sandbox: the system calls and paths left to a process while it reads untrusted files: system
 * calls by seccomp (calls.c), paths by Landlock (paths.c). profiles.c is the table of each
 * program's rights; tracemill(7), SANDBOX, is the same for people.
 *
 * A process enters its profile once, before it has threads (but for those of sandbox_enter_thread) and before the first
 * byte of an input is looked at; there is no way back, and children are in it too. Only from a profile with SANDBOX_NARROWS
 * it enters another one, whose rights are fewer. What it will need by name is
 * allowed before: sandbox_allow. Where the kernel has no Landlock, any file can be opened for
 * reading; where it has no seccomp, only paths are held; sandbox_enter says which it was.
 *
 * Off: with sandbox_off; in builds with a sanitizer or for coverage, whose libraries write files
 * and start programs at the end; with LD_PRELOAD or LD_AUDIT in the environment, since what they
 * load (valgrind's, a recorder's) has calls of its own.
 */
#ifndef TM_SANDBOX_SANDBOX_H
#define TM_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* Of an open process; 0 opens nothing at all, and lives from what it has open. */
enum sandbox_right {
	SANDBOX_NAMED = 1 << 0,    /* opens what sandbox_allow was given, for reading */
	SANDBOX_ANY_FILE = 1 << 1, /* opens any file for reading */
	SANDBOX_SPOOL = 1 << 2, /* makes files without a name in $TMPDIR, and reads what is there */
	SANDBOX_FILES = 1 << 3, /* makes, writes and removes files (SANDBOX_STORE, _CACHE) */
	SANDBOX_CODE = 1 << 4,  /* maps memory to execute: loads libraries */
	SANDBOX_THREADS = 1 << 5,
	SANDBOX_WORKERS = 1 << 6, /* forks, and ends what it has forked */
	SANDBOX_NETWORK = 1 << 7,
	SANDBOX_SERVE = 1 << 8,    /* answers who connects: what listens was opened before */
	SANDBOX_FREE = 1 << 9,     /* not held */
	SANDBOX_NARROWS = 1 << 10, /* enters a profile with fewer rights later */
};

struct sandbox_profile {
	const char *program; /* or what a child is */
	const char *when;    /* what makes it an exception; NULL: how the program usually is */
	unsigned rights;
	const char *why; /* it has rights that a reader has not */
};

/* Ends in a row without program. */
extern const struct sandbox_profile sandbox_profiles[];
/* The row of exactly that; there must be one. */
const struct sandbox_profile *sandbox_profile(const char *program, const char *when);

/* Children with a row of their own. */
#define SANDBOX_READER  "reference reader"   /* lib/dwarf/reference/worker.h */
#define SANDBOX_FETCHER "debuginfod fetcher" /* lib/find/debuginfod.h */
/* A program before its own row: its rights then are both rows'. */
#define SANDBOX_SYMBOLS "symbols" /* lib/cli/autosymbolize.h */

enum sandbox_path {
	SANDBOX_READ,    /* a file, or a folder and what is below */
	SANDBOX_STORE,   /* files there are made, read, written and removed */
	SANDBOX_CACHE,   /* the same, and folders */
	SANDBOX_EMPTIED, /* empty folders there are removed */
	SANDBOX_NAMES,   /* files there get names and lose them */
};

/* Before sandbox_enter; the path is borrowed. What is not there then is not allowed. */
void sandbox_allow(enum sandbox_path how, const char *path);
/* Of what was allowed before nothing is: in a child with a profile of its own. */
void sandbox_allow_nothing(void);
/* Nor is this path, the pointer that was given, in a profile that is entered from now on. */
void sandbox_forget(const char *path);
void sandbox_off(const char *why);

/* --- a thread that does what the others cannot --- */

/* A call, each of whose arguments is a number or a text of sandbox_text. */
struct sandbox_call {
	long number;
	unsigned n;
	unsigned long arguments[5];
};

/* Before sandbox_enter: s where nothing that is in the sandbox can change or replace it. */
const char *sandbox_text(const char *s);
/* Before sandbox_enter: this descriptor, and those above it, can be neither closed nor replaced by what is in the sandbox.
 * One at most. */
void sandbox_keep(int fd);
/* The calling thread, before sandbox_enter in another one: it reads and writes what is open, and makes these calls,
 * whatever the others make of it; names are those of files in folder. */
void sandbox_enter_thread(const char *folder, const struct sandbox_call *calls, size_t n);

/* Gives what holds now, in words for --verbose, good until the next call. A profile without the
 * right to what was allowed does not get it. */
const char *sandbox_enter(const struct sandbox_profile *p);
/* True once the kernel holds anything. */
bool sandbox_entered(void);

/* Status of a process that made a call outside of its profile, after a line that names it on
 * standard error; the same as that of an input that cannot be read. */
enum { SANDBOX_STATUS = 3 };
/* Called just before that, by a signal handler; may be NULL. */
extern void (*sandbox_on_breach)(void);

/* Whether this is a build with a sanitizer, by the macros of both compilers. */
#ifdef __has_feature
#define SANDBOX_FEATURE(x) __has_feature(x)
#else
#define SANDBOX_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
    SANDBOX_FEATURE(address_sanitizer) || SANDBOX_FEATURE(thread_sanitizer) || \
    SANDBOX_FEATURE(memory_sanitizer)
#define SANDBOX_SANITIZED 1
#else
#define SANDBOX_SANITIZED 0
#endif

#endif
