/* SPDX-License-Identifier: MIT
 *
 * The frames of a .sluastat, without what packs them: a fuzzer does not find its way through
 * checksums. The whole file, too.
 */
#include "tests/fuzz/reading.h"

#include "formats/slua_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct reading_sink sink = {{reading_edge, reading_event, reading_edge, NULL}, NULL};
	struct err e = ERR_INIT, inside = ERR_INIT;
	struct import im = {.t = trace_new(), .sink = &sink.sink};
	struct slua s = {.im = &im};
	struct cursor c;

	cursor_init(&c, data, n, 0, &inside);
	if (slua_frames(&s, &c, &e))
		abort();
	slua_notes(&s);
	slua_release(&s);
	trace_free(im.t);
	fuzz_reading("slua", data, n);
	return 0;
}
