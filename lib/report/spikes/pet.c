/* SPDX-License-Identifier: MIT */
#include "lib/report/spikes/pet.h"

#include "lib/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void spikes_pet_init(struct spikes_pet *p, const struct spike_functions *f)
{
	*p = (struct spikes_pet){.functions = f};
}

void spikes_pet_release(struct spikes_pet *p)
{
	for (size_t i = 0; i < p->n_threads; i++)
		free(p->threads[i].path);
	free(p->threads);
	*p = (struct spikes_pet){.functions = p->functions};
}

void spikes_pet_capture(struct spikes_pet *p)
{
	for (size_t i = 0; i < p->n_threads; i++)
		p->threads[i].n = 0;
}

static struct spikes_pet_thread *thread_of(struct spikes_pet *p, uint32_t id)
{
	if (id >= p->n_threads) {
		size_t n = (size_t)id + 1 > 2 * p->n_threads ? (size_t)id + 1 : 2 * p->n_threads;

		p->threads = mem_realloc(p->threads, n, sizeof *p->threads);
		memset(&p->threads[p->n_threads], 0, (n - p->n_threads) * sizeof *p->threads);
		p->n_threads = n;
	}
	return &p->threads[id];
}

/* Samples come without their calls' lifetimes: one whose stack is the outer part of the listing
 * before it is taken as of the same calls. */
static bool listed(struct spikes_pet *p, const struct spike_seen *s)
{
	struct spikes_pet_thread *th;
	bool part;

	if (!s->sample)
		return s->listed;
	th = thread_of(p, s->thread);
	part = s->depth < th->n && !memcmp(th->path, s->path, s->depth * sizeof *s->path);
	if (!part && s->depth > th->cap)
		th->path = mem_grow(th->path, &th->cap, s->depth, sizeof *th->path);
	if (!part)
		memcpy(th->path, s->path, s->depth * sizeof *s->path);
	th->n = s->depth;
	return part;
}

/* A log has lines: what could be taken for another one is escaped. */
static void add_line_text(struct buf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < ' ')
			buf_addf(out, "\\x%02x", (unsigned char)s[i]);
		else
			buf_addc(out, s[i]);
}

static void spikes_pet_add_call(const struct spikes_pet *p, const struct spike_seen *s, size_t i,
				struct buf *out)
{
	const struct spike_function *f = &p->functions->items[s->path[i]];
	size_t n, n_file;
	const char *name = spike_function_name(p->functions, s->path[i], &n);
	const char *file = names_text(&p->functions->names, f->file, &n_file);

	buf_addf(out, "%zu) ", i);
	if (f->has_address)
		buf_addf(out, "0x%08" PRIx64 " - ", f->address);
	if (!f->has_address || n < 2 || memcmp(name, "0x", 2) != 0) /* the name is the address */
		add_line_text(out, name, n);
	if (n_file && !f->has_address) {
		buf_adds(out, " (");
		add_line_text(out, file, n_file);
		buf_adds(out, " - LINE: ");
		if (f->line)
			buf_addf(out, "%" PRIu32, f->line);
		buf_addc(out, ')');
	}
	buf_addc(out, '\n');
	for (size_t k = 0; k < s->n_texts; k++)
		if (s->texts[k].at == i) {
			buf_adds(out, "Description: ");
			add_line_text(out, s->texts[k].s, s->texts[k].n);
			buf_addc(out, '\n');
		}
}

static void add_thread(const struct spike_seen *s, struct buf *out)
{
	const struct trace *t = s->t;
	size_t n;
	const char *name = intern_text(&t->strings, t->threads[s->thread].name, &n);

	if (s->thread && !n)
		buf_addf(out, "%" PRIu64, t->threads[s->thread].tid);
	else
		add_line_text(out, name, s->thread ? n : 0);
}

static void add_time(const struct spike_seen *s, struct buf *out)
{
	buf_addc(out, ' ');
	if (!s->unmeasured) {
		spike_add_ms(out, s->total);
		buf_addc(out, ' ');
	}
	buf_adds(out, "MSec");
}

void spikes_pet_add(struct spikes_pet *p, const struct spike_seen *s, bool peak, struct buf *out)
{
	bool any = false;

	for (size_t k = 0; k < s->n_texts; k++) {
		if (s->texts[k].at < s->depth)
			continue;
		buf_adds(out, any ? "!!!!! " : "!!!!!\n!!!!! ");
		add_line_text(out, s->texts[k].s, s->texts[k].n);
		buf_addc(out, '\n');
		any = true;
	}
	if (listed(p, s)) {
		buf_adds(out, "PET: Thread (");
		add_thread(s, out);
		buf_adds(out, ") Function took too long:");
		add_time(s, out);
		buf_addc(out, '\n');
		spikes_pet_add_call(p, s, s->depth - 1, out);
		return;
	}
	buf_adds(out, "PET: Function took too long:");
	add_time(s, out);
	buf_adds(out, " Thread: ");
	add_thread(s, out);
	if (peak)
		buf_adds(out, " PEAK");
	if (s->has_frame)
		buf_addf(out, " frame %" PRId64, s->frame);
	buf_adds(out, "\nFunction Name Trace\n");
	for (size_t i = 0; i < s->depth; i++)
		spikes_pet_add_call(p, s, i, out);
}
