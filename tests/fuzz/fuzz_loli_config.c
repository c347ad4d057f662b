/* SPDX-License-Identifier: MIT
 *
 * The configuration of LoliProfiler's agent (formats/loli/config.h).
 */
#include "formats/loli/config.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct loli_config c = {0};
	struct err e = ERR_INIT;
	struct cursor in;

	cursor_init(&in, data, n, 0, &e);
	if (loli_config_parse(&c, &in, &e) && !e.msg[0])
		abort();
	if (c.text.len && c.text.data[c.text.len - 1])
		abort();
	loli_config_release(&c);
	return 0;
}
