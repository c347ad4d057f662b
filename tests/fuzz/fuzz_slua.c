/* SPDX-License-Identifier: MIT
 *
 * The frames of a .sluastat, not packed: a fuzzer does not find its way through
 * checksums. The whole file, too.
 */
#include "tests/fuzz/reading.h"

#include "formats/unreal/slua_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct reading_sink sink;
	struct err e = ERR_INIT, inside = ERR_INIT;
	struct import im = {.t = trace_new(), .sink = &sink.sink};
	struct slua s = {.im = &im};
	struct cursor c;

	reading_sink_init(&sink, NULL, NULL);
	cursor_init(&c, data, n, 0, &inside);
	if (sink.sink.begin(&sink.sink, im.t, &e) || slua_frames(&s, &c, &e))
		abort();
	slua_notes(&s);
	if (sink.sink.end(&sink.sink, im.t, &e))
		abort();
	slua_release(&s);
	trace_free(im.t);
	fuzz_reading("slua", data, n);
	return 0;
}
