/* SPDX-License-Identifier: MIT
 *
 * Error codes and messages: a function that can fail returns an enum status and, when the status is
 * not ST_OK or ST_NONE, has put one line of text into the caller's struct err. No allocation, no
 * destructor. Only lib/cli prints. Messages are lower case, without a full stop, what failed first:
 * "string table: count 4000000000 is larger than the file".
 */
#ifndef TM_BASE_ERR_H
#define TM_BASE_ERR_H

#include <stdarg.h>
#include <stdint.h>

enum status {
	ST_OK = 0,
	ST_NONE,        /* nothing there; not an error, no text */
	ST_BAD,         /* the input breaks its format's rules, or is cut short */
	ST_UNSUPPORTED, /* well formed, but nothing here reads it */
	ST_ABSENT,      /* sound input, which has no data for the question: a mistake in usage */
	ST_LIMIT,       /* a stated limit was reached */
	ST_SYS,         /* the system said no: errno's text is in the message */
	ST_PIPE,        /* the reader of our output went away: end quietly */
};

#define ERR_NO_OFFSET UINT64_MAX

struct err {
	enum status code;
	uint64_t offset; /* byte offset in the (decompressed) input, or ERR_NO_OFFSET */
	char msg[400];   /* what and where inside the file; the file's name is added by lib/cli */
};

#define ERR_INIT                                       \
	{                                              \
		.code = ST_OK, .offset = ERR_NO_OFFSET \
	}

/* Each sets *e and returns the code, so that `return err_set(e, ST_BAD, "...")` is one line. */
enum status err_set(struct err *e, enum status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
enum status err_at(struct err *e, enum status code, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds ": " and strerror(errno). Returns ST_PIPE for EPIPE, else ST_SYS. */
enum status err_sys(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "what: " before the text that is there. */
enum status err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The code of e after a call that failed, as by NULL: never ST_OK, so that a loss whose reason went into another
 * struct err than the caller's does not pass for success. */
enum status err_failure(struct err *e);
/* For a file other than the one being read: puts "what 'path': byte N: " before the text, and
 * takes the offset away, which would be read as one in the input. */
enum status err_of_file(struct err *e, const char *what, const char *path);

#endif
