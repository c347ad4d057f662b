/* SPDX-License-Identifier: MIT
 *
 * The settings by which a LoliProfiler agent recorded, loli3.conf. Lines of key:value; the agent stops at the
 * key "saved", after which the desktop keeps presets. In no capture, so it is given in addition.
 */
#ifndef TM_FORMATS_LOLI_CONFIG_H
#define TM_FORMATS_LOLI_CONFIG_H

#include "lib/base/buf.h"
#include "lib/base/cursor.h"

enum loli_mode {
	LOLI_MODE_UNKNOWN, /* no such line, or no configuration at all */
	LOLI_MODE_STRICT,  /* every allocation of at least threshold bytes */
	LOLI_MODE_LOOSE,   /* sampled every threshold bytes; smaller sizes are estimates */
	LOLI_MODE_NOSTACK, /* everything, a library name for a stack */
};

enum loli_build { LOLI_BUILD_UNKNOWN, LOLI_BUILD_UNWIND, LOLI_BUILD_INSTRUMENTED };

struct loli_config {
	enum loli_mode mode;
	enum loli_build build;
	bool has_threshold, hook_mmap;
	uint64_t threshold; /* bytes; the agent's own default is in force when it is absent */
	uint64_t refused;   /* lines that are no key:value, or whose value makes no sense */
	struct buf text;    /* the recognized lines: key, NUL, value, NUL, ... */
};

enum { LOLI_THRESHOLD_DEFAULT = 512 };

/* ST_BAD when there is no known key at all. */
enum status loli_config_parse(struct loli_config *c, struct cursor *in, struct err *e);
enum status loli_config_read(struct loli_config *c, const char *path, struct err *e);
void loli_config_release(struct loli_config *c);

#endif
