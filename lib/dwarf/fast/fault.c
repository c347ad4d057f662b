/* SPDX-License-Identifier: MIT */
#include "lib/dwarf/fast/fault.h"

#include "lib/base/mem.h"
#include "lib/dwarf/fast/unit.h"
#include "lib/dwarf/sections.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct fast_common {
	_Atomic uint64_t lists_read;
	pthread_mutex_t lock; /* of texts */
	struct arena texts;
};

struct fast_common *fast_common_new(void)
{
	struct fast_common *c = mem_zalloc(sizeof *c);

	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void fast_common_free(struct fast_common *c)
{
	if (!c)
		return;
	pthread_mutex_destroy(&c->lock);
	arena_release(&c->texts);
	free(c);
}

_Atomic uint64_t *fast_lists_read(struct fast_common *c)
{
	return &c->lists_read;
}

__attribute__((format(printf, 4, 0))) static const char *keep(const struct fast_file *f,
							      enum fast_section s, uint64_t at,
							      const char *fmt, va_list ap)
{
	char text[300];
	const char *kept;
	size_t n;

	n = (size_t)snprintf(text, sizeof text, "%s%s+0x%" PRIx64 ": ", section_names[s + 1],
			     f->in_dwo >> s & 1 ? ".dwo" : "", f->starts[s] + at);
	vsnprintf(text + n, sizeof text - n, fmt, ap);
	pthread_mutex_lock(&f->common->lock);
	kept = arena_strndup(&f->common->texts, text, strlen(text));
	pthread_mutex_unlock(&f->common->lock);
	return kept;
}

const char *fast_fault(const struct fast_file *f, enum fast_section s, uint64_t at, const char *fmt,
		       ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = keep(f, s, at, fmt, ap);
	va_end(ap);
	return text;
}

const char *fast_fault_of(const struct fast_file *f, enum fast_section s, const uint8_t *p,
			  uint64_t at, const char *fmt, ...)
{
	const char *text;
	va_list ap;

	va_start(ap, fmt);
	text = keep(f, s, p ? (uint64_t)(p - f->in[s].p) : at, fmt, ap);
	va_end(ap);
	return text;
}
