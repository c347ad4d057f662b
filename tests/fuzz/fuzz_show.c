/* SPDX-License-Identifier: MIT
 *
 * `tracemill show`: the kind of any bytes, whole and cut in half. What has a kind has a text; what a program of
 * ours reads is named as one that exists; what cannot be read says why.
 */
#include "lib/cli/file_kind.h"
#include "lib/cli/front.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void look_at(const uint8_t *data, size_t n)
{
	struct err e = ERR_INIT;
	struct file_kind k;
	struct input in;

	input_memory(&in, "fuzz", data, n, &e);
	if (file_kind_of(&in, "fuzz", &k) ? !e.msg[0]
					  : !k.what[0] || (k.program && !front_find(k.program)))
		abort();
	input_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	look_at(data, n);
	look_at(data, n / 2);
	return 0;
}
