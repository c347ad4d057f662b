/* SPDX-License-Identifier: MIT
 *
 * The private declarations of lib/sandbox.
 */
#ifndef TM_SANDBOX_IMPL_H
#define TM_SANDBOX_IMPL_H

#include "lib/sandbox/sandbox.h"

#include <stddef.h>

struct sandbox_grant {
	enum sandbox_path how;
	const char *path;
};

struct sandbox_held {
	unsigned rights;    /* of the profile, without those that there was no grant for */
	bool refuses_files; /* it may make files, but was given no folder for them */
	bool stores;        /* it has a folder for a store */
	const struct sandbox_grant *grants;
	size_t n;
	const struct sandbox_call *calls; /* with exactly these arguments */
	size_t n_calls;
	const char *spool;   /* folder of temporary files */
	bool unnamed_spool;  /* its file system makes files without a name */
	const char *program; /* for the line about a breach */
};

/* Below, nothing can be mapped or unmapped: nothing of ours is there but texts (sandbox_text). */
enum { SANDBOX_LOW = 1 << 20 };
/* No descriptor from this one on can be closed or replaced. */
extern int sandbox_kept_fd;

/* 0: the calls are held; else errno. */
int sandbox_hold_calls(const struct sandbox_held *h);
/* The version of Landlock that holds the paths; negative: -errno. */
int sandbox_hold_paths(const struct sandbox_held *h);

#endif
