/* SPDX-License-Identifier: MIT
 *
 * The command loop of the drop-ins: lines out of bytes that come in pieces, and what each dialect
 * makes of a line.
 */
#include "lib/compat/request.h"
#include "lib/input/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void parse(const struct input_line *l)
{
	uint64_t addr = 0, again = 0;
	char text[32];

	/* An address that GNU's dialect takes is the same when it is written canonically. */
	if (request_gnu(l->s, l->n, &addr)) {
		snprintf(text, sizeof text, "0x%llx", (unsigned long long)addr);
		must(request_gnu(text, strlen(text), &again) && again == addr);
		must(request_atos(text, strlen(text), &again) && again == addr);
	}
	request_atos(l->s, l->n, &addr);
	for (int i = 0; i < 4; i++) {
		struct compat_request r = request_llvm(l->s, l->n, i & 1, i & 2);

		must(r.n_text <= l->n);
		must(r.kind == REQUEST_BAD || !(i & 1) || r.file);
		must(!r.file || (r.file >= l->s && r.file + r.n_file <= l->s + l->n));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct input_lines in = {0};
	struct err e = ERR_INIT;
	size_t wanted = 0, got = 0;
	int ends[2];

	if (n > 32 << 10 || pipe(ends)) /* what a pipe holds without a reader */
		return 0;
	must(write(ends[1], data, n) == (ssize_t)n);
	close(ends[1]);
	in.fd = ends[0];
	for (size_t i = 0; i < n; i++)
		wanted += data[i] == '\n';
	wanted += n && data[n - 1] != '\n';
	while (!lines_next(&in, &e)) {
		must(in.n > 0);
		for (size_t i = 0; i < in.n; i++) {
			must(in.items[i].n <= LINES_LONGEST && !in.items[i].s[in.items[i].n]);
			parse(&in.items[i]);
		}
		got += in.n;
	}
	must(got == wanted);
	lines_release(&in);
	close(ends[0]);
	return 0;
}
