/* SPDX-License-Identifier: MIT
 *
 * An entry is made in memory of the thread's and written at once, to a file that is opened for it:
 * the program may close what it likes, and spikes are rare. Nothing is locked meanwhile but the
 * table of the worst so far.
 */
#include "lib/recorder/spike_log.h"

#include "lib/recorder/base/memory.h"
#include "lib/recorder/base/signal_guard.h"
#include "lib/recorder/base/symbols.h"
#include "lib/recorder/capture.h"
#include "lib/recorder/stacks/sites.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ENTRY = 512 << 10, PEAKS = 1 << 17, PEAKS_MOST = 1 << 16 };

static char path[CAP_PATH_MAX];
static void (*_Atomic sink)(const char *text, size_t n);
static _Atomic bool said;

static struct cap_lock lock; /* of the worst so far, by stack and thread's name */
static struct peak {
	uint64_t key, ns;
} * peaks;
static unsigned n_peaks;

struct text {
	char *s;
	size_t n;
};

static void add(struct text *t, const char *s, size_t n)
{
	if (n > ENTRY - t->n)
		n = ENTRY - t->n;
	memcpy(t->s + t->n, s, n);
	t->n += n;
}

static void adds(struct text *t, const char *s)
{
	add(t, s, strlen(s));
}

/* What could be taken for another line is escaped. */
static void add_line(struct text *t, const char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		const char escaped[] = {'\\', 'x', hex[c >> 4], hex[c & 15]};

		if (c < ' ')
			add(t, escaped, sizeof escaped);
		else
			add(t, s + i, 1);
	}
}

static void add_number(struct text *t, uint64_t v, unsigned base, unsigned least)
{
	char digits[24], *p = digits + sizeof digits;
	unsigned n = 0;

	do {
		*--p = "0123456789abcdef"[v % base];
		v /= base;
		n++;
	} while (v || n < least);
	add(t, p, n);
}

/* Two decimals, and a third one where it is not 0. */
static void add_ms(struct text *t, uint64_t ns)
{
	uint64_t us = ns / 1000, part = us % 1000;

	add_number(t, us / 1000, 10, 1);
	add(t, ".", 1);
	add_number(t, part / 10, 10, 2);
	if (part % 10)
		add_number(t, part % 10, 10, 1);
}

static void add_name(struct text *t, uintptr_t function)
{
	const char *name = cap_symbol_at(function);

	if (name)
		add_line(t, name, strlen(name));
}

static void spike_log_add_call(struct text *t, const struct cap_shadow *s, unsigned i)
{
	const struct cap_timed *c = &s->timing->calls[i];
	const struct cap_site *site = cap_site_at(c->site);
	uintptr_t function = s->calls[i].function;

	add_number(t, c->visible - 1, 10, 1);
	adds(t, ") ");
	if (function) {
		adds(t, "0x");
		add_number(t, function, 16, 8);
		adds(t, " - ");
	}
	if (site)
		add_line(t, site->name, strlen(site->name));
	else if (function)
		add_name(t, function);
	if (site && !function && *site->file) {
		adds(t, " (");
		add_line(t, site->file, strlen(site->file));
		adds(t, " - LINE: ");
		if (site->line)
			add_number(t, site->line, 10, 1);
		adds(t, ")");
	}
	adds(t, "\n");
	if (c->describe.n) {
		adds(t, "Description: ");
		add_line(t, &s->timing->text[c->describe.at], c->describe.n);
		adds(t, "\n");
	}
}

static bool spike_log_is_peak(uint64_t stack, const char *thread, uint64_t ns)
{
	uint64_t key = chunk_checksum(1, thread, strlen(thread)) ^ stack;
	bool peak = false;
	sigset_t before;

	key += !key;
	if (!cap_lock_held(&lock, &before))
		return false;
	if (!peaks)
		peaks = cap_map(PEAKS * sizeof *peaks);
	for (size_t i = key % PEAKS; peaks; i = (i + 1) % PEAKS) {
		if (peaks[i].key && peaks[i].key != key)
			continue;
		peak = peaks[i].key ? ns > peaks[i].ns : n_peaks < PEAKS_MOST;
		n_peaks += peak && !peaks[i].key;
		if (peak)
			peaks[i] = (struct peak){key, ns};
		break;
	}
	cap_unlock_held(&lock, &before);
	return peak;
}

static void complain(int error)
{
	if (!atomic_exchange(&said, true))
		cap_log("cannot write the log of spikes", error);
}

static void spike_log_write_out(const char *s, size_t n)
{
	int cancel = cap_uncancelled();
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	while (fd >= 0 && n) {
		long done = cap_output_write(fd, s, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			break;
		s += done;
		n -= (size_t)done;
	}
	if (n)
		complain(errno);
	if (fd >= 0)
		close(fd);
	cap_cancelled(cancel);
}

static void spike_log_fill(struct text *t, const struct cap_shadow *s, uint64_t ns)
{
	const struct cap_timed *c = cap_timing_top(s);
	char thread[24] = "";
	bool peak, listed = c->visible <= s->timing->listed;

	prctl(PR_GET_NAME, thread);
	peak = spike_log_is_peak(c->path, thread, ns);
	if (!*thread) {
		struct text number = {thread, 0};

		add_number(&number, (uint64_t)syscall(SYS_gettid), 10, 1);
		thread[number.n] = 0;
	}
	if (c->message.n) {
		adds(t, "!!!!!\n!!!!! ");
		add_line(t, &s->timing->text[c->message.at], c->message.n);
		adds(t, "\n");
	}
	adds(t, listed ? "PET: Thread (" : "PET: Function took too long: ");
	if (listed) {
		add_line(t, thread, strlen(thread));
		adds(t, ") Function took too long: ");
		add_ms(t, ns);
		adds(t, " MSec\n");
		spike_log_add_call(t, s, s->n - 1);
		return;
	}
	add_ms(t, ns);
	adds(t, " MSec Thread: ");
	add_line(t, thread, strlen(thread));
	if (peak)
		adds(t, " PEAK");
	if (atomic_load(&cap_spikes.framed)) {
		int64_t frame = atomic_load(&cap_spikes.frame);

		adds(t, frame < 0 ? " frame -" : " frame ");
		add_number(t, frame < 0 ? 0 - (uint64_t)frame : (uint64_t)frame, 10, 1);
	}
	adds(t, "\nFunction Name Trace\n");
	for (unsigned i = 0; i < s->n; i++)
		if (!(s->timing->calls[i].flags & TIMED_HIDDEN))
			spike_log_add_call(t, s, i);
}

void cap_spike_log(struct cap_shadow *s, uint64_t ns)
{
	void (*to)(const char *, size_t) = atomic_load(&sink);
	struct text t = {s->timing->log, 0};
	unsigned depth = cap_self.depth;
	int error = errno;

	if (!t.s)
		t.s = s->timing->log = cap_map(ENTRY);
	if (!t.s) {
		atomic_fetch_add(&cap_spikes.untold, 1);
		return;
	}
	cap_self.depth |= CAP_QUIET;
	spike_log_fill(&t, s, ns);
	if (t.n == ENTRY)
		atomic_fetch_add(&cap_spikes.untold, 1);
	if (*path)
		spike_log_write_out(t.s, t.n);
	cap_self.depth = depth;
	if (to)
		to(t.s, t.n);
	errno = error;
}

static void decide(void)
{
	bool any = *path || atomic_load(&sink);

	atomic_store(&cap_spikes.log, any);
	if (any)
		cap_spikes_start();
}

bool cap_spike_log_file(const char *to)
{
	size_t n = to ? strlen(to) : 0;
	size_t folder = 0;

	if (n && *to != '/' && getcwd(path, sizeof path)) {
		folder = strlen(path);
		if (folder + 1 < sizeof path)
			path[folder++] = '/';
	}
	if (n >= sizeof path - folder) {
		*path = 0;
		decide();
		return false;
	}
	if (n)
		memcpy(path + folder, to, n);
	path[n ? folder + n : 0] = 0;
	decide();
	return true;
}

void cap_spike_log_sink(void (*to)(const char *text, size_t n))
{
	atomic_store(&sink, to);
	decide();
}

void cap_spike_log_fork(void)
{
	cap_lock_reset(&lock);
}
