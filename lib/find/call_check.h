/* SPDX-License-Identifier: MIT
 *
 * The call-site check: a return address that fits a binary comes right after a call. Where they do so no more
 * often than random addresses, the slide, the build or the offset convention is wrong, and so are all names that
 * would be found.
 *
 * The verdict needs few addresses and no margin by taste. With KL the divergence of the share that
 * passes from another share, exp(-n KL) bounds how likely that other share gives it (Chernoff): it
 * is ruled out below 1 in 1000. Right files have shares near 1; 0.7 leaves room for what unwinders
 * get wrong.
 */
#ifndef TM_FIND_CALL_CHECK_H
#define TM_FIND_CALL_CHECK_H

#include "lib/disasm/code.h"
#include "lib/find/bind.h"

enum call_verdict {
	CALLS_FEW,    /* too few addresses to decide */
	CALLS_FIT,    /* as of the right file */
	CALLS_MIXED,  /* neither: some fit */
	CALLS_CHANCE, /* as of random addresses */
};

struct call_check { /* of one file */
	uint64_t n, pass;
	uint64_t tried, hits; /* random addresses, and how many of them passed */
};

enum { CALL_CHECK_TRIED = 20000 };

/* The code of a file that is open; its arch is CODE_NONE where there is no code or it is for
 * another processor. Lives as long as the file. */
const struct disasm_code *file_code(struct find_file *f);
void file_code_release(struct find_file *f);

enum call_verdict call_check_verdict(const struct call_check *c);
/* True when the share of pass in n is, beyond doubt, not the other one. */
bool call_check_rules_out(uint64_t pass, uint64_t n, double share);

/* True when the share is that of a right file, beyond what the best of so many reaches by chance.
 */
bool call_check_stands_out(const struct call_check *c, uint64_t of);

/* Checks the bound return addresses of t and adds a note for each module: NOTE_LOSS when its
 * addresses fit no better than random ones, NOTE_GUESS for a mixture, else NOTE_INFO. */
void call_check_notes(struct trace *t, const struct trace *maps, const struct find_resolved *bound);

#endif
