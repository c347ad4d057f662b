/* SPDX-License-Identifier: MIT */
#include "lib/library/handle.h"

#include <inttypes.h>

enum tracemill_status handle_status(enum status st)
{
	switch (st) {
	case ST_OK: return TRACEMILL_OK;
	case ST_NONE: return TRACEMILL_NOTHING;
	case ST_BAD: return TRACEMILL_BAD;
	case ST_UNSUPPORTED:
	case ST_ABSENT: return TRACEMILL_UNSUPPORTED;
	case ST_LIMIT: return TRACEMILL_LIMIT;
	case ST_SYS: return TRACEMILL_SYSTEM;
	case ST_PIPE: return TRACEMILL_PIPE;
	}
	return TRACEMILL_SYSTEM;
}

const char *tracemill_status_text(enum tracemill_status status)
{
	switch (status) {
	case TRACEMILL_OK: return "fine";
	case TRACEMILL_NOTHING: return "there is none";
	case TRACEMILL_BAD: return "broken or cut short";
	case TRACEMILL_UNSUPPORTED: return "not supported";
	case TRACEMILL_LIMIT: return "a limit was reached";
	case TRACEMILL_SYSTEM: return "the system said no";
	case TRACEMILL_MEMORY: return "memory ran out";
	case TRACEMILL_CANCELLED: return "cancelled";
	case TRACEMILL_MISUSE: return "an argument that is not allowed";
	case TRACEMILL_VERSIONS: return "header and library are of different versions";
	case TRACEMILL_PIPE: return "the reader of the output is gone";
	}
	return "no such status";
}

uint32_t tracemill_library_version(void)
{
	return TRACEMILL_LIBRARY_VERSION;
}

enum tracemill_status handle_misuse(struct library_handle *h, const char *what)
{
	err_set(&h->e, ST_BAD, "%s", what);
	return TRACEMILL_MISUSE;
}

enum tracemill_status handle_no_memory(struct library_handle *h)
{
	err_set(&h->e, ST_LIMIT, "%s", tracemill_status_text(TRACEMILL_MEMORY));
	return TRACEMILL_MEMORY;
}

void handle_place(struct err *e)
{
	if (e->offset != ERR_NO_OFFSET)
		err_prefix(e, "byte %" PRIu64, e->offset);
	e->offset = ERR_NO_OFFSET;
}

enum tracemill_status handle_fail(struct library_handle *h, const struct err *e)
{
	h->e = *e;
	handle_place(&h->e);
	return handle_status(e->code);
}

enum tracemill_status handle_run(struct library_handle *h, void (*fn)(void *arg), void *arg)
{
	enum resource_scope_end end;

	h->e.code = ST_OK;
	h->e.msg[0] = '\0';
	atomic_store(&h->cancelled, false);
	if (!h->scope)
		h->scope = resource_scope_new(&h->cancelled);
	if (!h->scope)
		return handle_no_memory(h);
	end = resource_scope_run(h->scope, fn, arg);
	return end == RESOURCE_SCOPE_DONE ? TRACEMILL_OK : handle_end(h, end);
}

enum tracemill_status handle_end(struct library_handle *h, enum resource_scope_end end)
{
	resource_scope_free(h->scope);
	h->scope = NULL;
	if (end == RESOURCE_SCOPE_NO_MEMORY)
		return handle_no_memory(h);
	err_set(&h->e, ST_LIMIT, "%s", tracemill_status_text(TRACEMILL_CANCELLED));
	return TRACEMILL_CANCELLED;
}

void handle_cancel(struct library_handle *h)
{
	atomic_store(&h->cancelled, true);
}

void handle_release(struct library_handle *h)
{
	resource_scope_free(h->scope);
	h->scope = NULL;
}
