/* SPDX-License-Identifier: MIT
 *
 * PET logs, into tm-spikes' engine and out as a PET log again.
 */
#include "lib/report/spikes/pet.h"
#include "tests/fuzz/reading.h"

struct target {
	struct spikes_pet log;
	struct buf out;
};

static enum status spiked(void *arg, const struct spike_seen *s, struct err *e)
{
	struct target *x = arg;

	(void)e;
	if (!s->depth || (s->unmeasured ? s->total || s->limit : s->total <= s->limit))
		abort();
	for (size_t i = 0; i < s->n_texts; i++)
		if (s->texts[i].at > s->depth)
			abort();
	x->out.len = 0;
	spikes_pet_add(&x->log, s, true, &x->out);
	return ST_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct import_options options = {.format = "pet"};
	struct target x = {.out = BUF_INIT};
	struct spike_rules rules;
	struct spikes_options o = {
	    .rules = &rules, .threshold = 1000, .depth = 16, .spiked = spiked, .arg = &x};
	struct spikes s;
	struct err e = ERR_INIT;
	struct input in;
	bool lossy;

	fuzz_reading("pet", data, n);
	spike_rules_init(&rules);
	spikes_init(&s, &o);
	spikes_pet_init(&x.log, &s.functions);
	input_memory(&in, "fuzz", data, n, &e);
	if (capture_read(&in, &options, spikes_sink(&s), &lossy, &e) && !e.msg[0])
		abort();
	input_close(&in);
	spikes_pet_release(&x.log);
	spikes_release(&s);
	spike_rules_release(&rules);
	buf_release(&x.out);
	return 0;
}
