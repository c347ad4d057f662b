/* SPDX-License-Identifier: MIT */
#include "lib/base/err.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 4, 0))) static enum status set(struct err *e, enum status code,
							     uint64_t offset, const char *fmt,
							     va_list ap)
{
	e->code = code;
	e->offset = offset;
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	return code;
}

enum status err_set(struct err *e, enum status code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(e, code, ERR_NO_OFFSET, fmt, ap);
	va_end(ap);
	return code;
}

enum status err_at(struct err *e, enum status code, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(e, code, offset, fmt, ap);
	va_end(ap);
	return code;
}

enum status err_sys(struct err *e, const char *fmt, ...)
{
	int number = errno;
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	set(e, number == EPIPE ? ST_PIPE : ST_SYS, ERR_NO_OFFSET, fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof e->msg - n, ": %s", strerror(number));
	return e->code;
}

enum status err_failure(struct err *e)
{
	return e->code ? e->code : err_set(e, ST_BAD, "cannot be read, for a reason that is lost");
}

enum status err_of_file(struct err *e, const char *what, const char *path)
{
	uint64_t offset = e->offset;

	e->offset = ERR_NO_OFFSET;
	return offset == ERR_NO_OFFSET
		   ? err_prefix(e, "%s '%s'", what, path)
		   : err_prefix(e, "%s '%s': byte %" PRIu64, what, path, offset);
}

enum status err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof e->msg];
	va_list ap;
	size_t n;

	memcpy(old, e->msg, sizeof old);
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	snprintf(e->msg + n, sizeof e->msg - n, ": %s", old);
	return e->code;
}
