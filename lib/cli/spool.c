/* SPDX-License-Identifier: MIT
 *
 * Any capture as a trace in an unlinked file, for programs that read it twice.
 */
#include "lib/cli/cli.h"
#include "lib/trace/encode.h"
#include "lib/trace/writer.h"

#include <string.h>
#include <unistd.h>

enum status cli_as_trace(struct input *in, const struct import_options *o, FILE **file,
			 struct err *e)
{
	struct cli_watch watch;
	struct writer *writer;
	const uint8_t *head;
	size_t n;
	bool lossy;
	enum status st = input_head(in, &head, &n);
	int fd;

	*file = NULL;
	if (st ||
	    (o->format ? !strcmp(o->format, "trace")
		       : n >= TRACE_MAGIC_SIZE && !memcmp(head, TRACE_MAGIC, TRACE_MAGIC_SIZE)))
		return st;
	fd = input_temporary(e);
	if (fd < 0)
		return err_failure(e);
	*file = fdopen(fd, "w+");
	if (!*file) {
		close(fd);
		return err_sys(e, "temporary file");
	}
	writer = writer_new(*file);
	st = capture_read(in, o, cli_watch(&watch, in, writer_sink(writer)), &lossy, e);
	writer_free(writer);
	if (!st && (fflush(*file) || lseek(fd, 0, SEEK_SET)))
		st = err_sys(e, "temporary file");
	return st;
}
