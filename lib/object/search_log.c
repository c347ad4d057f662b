/* SPDX-License-Identifier: MIT */
#include "lib/object/search_log.h"

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void search_log_add(struct search_log *t, bool taken, const char *path, const char *fmt, ...)
{
	char why[512];
	va_list ap;

	if (!t)
		return;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	VEC_PUSH(t->all, t->n, t->cap) = (struct search_log_step){
	    .path = mem_strdup(path), .why = mem_strdup(why), .taken = taken};
}

void search_log_release(struct search_log *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->all[i].path);
		free(t->all[i].why);
	}
	free(t->all);
	*t = (struct search_log){.n = 0};
}
