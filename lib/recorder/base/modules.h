/* SPDX-License-Identifier: MIT
 *
 * The modules of the process, from dl_iterate_phdr: path, slide, build-id, loaded segments.
 *
 * A row of a trace cannot be changed, so a module's row does not say when it is unloaded; that it
 * has been matters only when another one is loaded at its addresses. Then a new map epoch begins:
 * all modules that are there are written again for it, and stacks are interned anew. A module is
 * another one if its file is, also where all that is mapped of it looks the same.
 *
 * cap_modules_scan waits for the dynamic linker's lock, whose owner may be waiting for the writer:
 * so its caller does not hold the writer's lock, and the writer only tries lock below; who
 * finds another one looking for long goes on without.
 */
#ifndef TM_RECORDER_BASE_MODULES_H
#define TM_RECORDER_BASE_MODULES_H

#include "lib/recorder/base/lock.h"
#include "lib/recorder/base/module_file.h"
#include "lib/recorder/base/output.h"

enum { CAP_MODULES = 4096, CAP_SEGMENTS = 16, CAP_BUILD_ID = 64, CAP_NAME = 1024 };

struct cap_segment {
	uint64_t lo, hi, offset;
	bool executable;
};

struct cap_module {
	uint64_t slide;
	uint8_t n_segments, n_build_id;
	bool gone, seen;
	bool program;     /* what was started, whose name is not where it is found */
	bool reported;    /* which file the last row of it is of */
	bool named;       /* the writer's: its functions are, for when the file is out of reach */
	uint32_t written; /* epoch for which it was, plus 1; 0: not yet */
	uint64_t row;     /* the last one of the trace */
	struct cap_module_file file;
	uint8_t build_id[CAP_BUILD_ID];
	struct cap_segment segment[CAP_SEGMENTS];
	char name[CAP_NAME];
};

/* What is made of addresses: records' numbers, nodes of stacks. */
struct cap_made {
	const _Atomic uint64_t *records;
	const _Atomic uint32_t *nodes;
};

struct cap_seen {
	uint64_t records;
	uint32_t nodes;
};

struct cap_modules {
	struct cap_lock lock;
	struct cap_module *rows; /* room for CAP_MODULES */
	uint32_t n;
	/* the dynamic linker's counts of what it loaded and unloaded; the first is read unlocked */
	_Atomic uint64_t adds;
	uint64_t subs;
	uint64_t lost; /* modules for which there was no room */
	uint32_t epoch;
	struct cap_made made;
	struct cap_seen seen;  /* at the last scan: all that is of modules that it knows */
	uint32_t nodes_before; /* nodes when the last module went: of the map before */
	bool changed;          /* since the last cap_modules_write */
	bool went;             /* one has, and is not named */
	char text[8192];       /* of the list of mappings, while it is read */
};

bool cap_modules_init(struct cap_modules *m, struct cap_made made);
/* Looks at what is loaded, when it is not what was there before or always is set. True when
 * addresses have lost their meaning: what is known of them is to be forgotten. */
bool cap_modules_scan(struct cap_modules *m, bool always);
/* Writes the rows of what is new. The caller has tried lock. */
void cap_modules_write(struct cap_modules *m, struct cap_output *o);
/* For another output: nothing has been written. */
void cap_modules_again(struct cap_modules *m);

#endif
