/* SPDX-License-Identifier: MIT
 *
 * Requests to a store of sessions: the method, the path behind the token, Content-Range and labels, a line each; the label's name is Repr-Digest, too.
 * What is taken keeps the promises of its header.
 */
#include "lib/base/mem.h"
#include "lib/store/request.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_request(const struct store_request *r, uint64_t length)
{
	bool upload = r->wish == STORE_WISH_UPLOAD;

	if (upload && (!*r->meta.name || strchr("._-", *r->meta.name) || strchr(r->meta.name, '/')))
		abort();
	if (upload && r->file.total != STORE_UNKNOWN && r->n != STORE_UNKNOWN &&
	    (r->from > r->file.total || r->n > r->file.total - r->from))
		abort();
	if (upload && length != STORE_UNKNOWN && r->n != length)
		abort();
	if ((r->wish == STORE_WISH_CAPTURE || r->wish == STORE_WISH_NOTE) && !r->id)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const methods[] = {"GET", "PUT", "HEAD", "POST"};
	char *text = mem_strndup((const char *)data, n), *lines[4] = {text, NULL, NULL, NULL};
	struct store_meta m = {.n = 0};
	struct store_request r;
	struct err e = ERR_INIT;

	for (size_t i = 1; i < 4 && lines[i - 1]; i++) {
		lines[i] = strchr(lines[i - 1], '\n');
		if (lines[i])
			*lines[i]++ = 0;
	}
	for (size_t i = 0; i < 4; i++)
		for (uint64_t length = 0; length < 3; length++) {
			uint64_t of = length == 2 ? STORE_UNKNOWN : length * 10;

			if (!store_request(&r, methods[i], lines[0], lines[1], lines[2], of, &e))
				check_request(&r, of);
		}
	if (lines[3] && !store_meta_label(&m, lines[2], lines[3], &e) &&
	    (!store_meta_get(&m, lines[2]) || strcmp(store_meta_get(&m, lines[2]), lines[3]) != 0))
		abort();
	free(text);
	return 0;
}
