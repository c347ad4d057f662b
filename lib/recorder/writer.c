/* SPDX-License-Identifier: MIT
 *
 * The writer: records to events, with the rows that they need before them.
 */
#include "lib/recorder/capture.h"

#include "lib/recorder/base/memory.h"
#include "lib/recorder/fibers.h"
#include "lib/recorder/module_names.h"
#include "lib/recorder/stacks/sites.h"
#include "lib/recorder/timing.h"
#include "lib/trace/reading_digits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TIDS = 1 << 22, FLUSH_NS = 100000000 }; /* PID_MAX_LIMIT of 64-bit Linux */

/* The metrics of the header, as in lib/trace/model.h, which is not for in here. */
enum { COUNT, REQUESTED, REAL, LIVE, TIME, N_METRICS };
enum { ABSENT, EXACT, LOWER_BOUND, ESTIMATED };
enum { INFO, GUESS, LOSS };

static struct {
	uint32_t number, row;
} fiber_rows[CAP_FIBERS + 1];  /* by place: of the trace */
static struct cap_pcs strands; /* rows of the trace by number */

static uint8_t *text(uint8_t *p, const char *s)
{
	size_t n = strlen(s);

	p = cap_uleb(p, n);
	for (size_t i = 0; i < n; i++)
		*p++ = (uint8_t)s[i];
	return p;
}

static uint8_t *attribute(uint8_t *p, const char *key, const char *value)
{
	return text(text(p, key), value);
}

static uint8_t *decimal(uint8_t *p, const char *key, uint64_t v)
{
	char digits[24] = {0}, *s = digits + sizeof digits - 1;

	*s = 0;
	do
		*--s = (char)('0' + v % 10);
	while (v /= 10);
	return attribute(p, key, s);
}

static uint8_t *hexadecimal(uint8_t *p, const char *key, uint64_t v)
{
	char digits[17] = {0};

	for (int i = 15; i >= 0; i--, v >>= 4)
		digits[i] = "0123456789abcdef"[v & 15];
	return attribute(p, key, digits);
}

static uint64_t before[CAP_LOSSES]; /* of captures that this process has written */

static void cap_writer_count_losses(uint64_t n[CAP_LOSSES])
{
	uint32_t rings = atomic_load(&cap.rings.n);

	n[CAP_LOSS_UNREADY] = atomic_load(&cap.unready);
	n[CAP_LOSS_NESTED] = atomic_load(&cap.nested);
	n[CAP_LOSS_RINGLESS] = atomic_load(&cap.rings.full);
	n[CAP_LOSS_DROPPED] = atomic_load(&cap.dropped);
	n[CAP_LOSS_WAITED] = atomic_load(&cap.rings.waited) + atomic_load(&cap.stacks.waited) +
			     atomic_load(&cap.live.waited) + atomic_load(&cap.waited);
	n[CAP_LOSS_NAMES] = atomic_load(&cap.nameless);
	n[CAP_LOSS_READINGS] = atomic_load(&cap.no_numbers);
	n[CAP_LOSS_FREES] = atomic_load(&cap.live.lost);
	n[CAP_LOSS_DEPTH] = n[CAP_LOSS_STRAY] = 0;
	for (uint32_t i = 0; i < rings; i++) {
		struct cap_ring *ring = atomic_load(&cap.rings.ring[i]);

		n[CAP_LOSS_DEPTH] += atomic_load_explicit(&ring->deep, memory_order_relaxed);
		n[CAP_LOSS_STRAY] += atomic_load_explicit(&ring->stray, memory_order_relaxed);
	}
	n[CAP_LOSS_TABLE] = atomic_load(&cap.stacks.cut);
	n[CAP_LOSS_MAPPINGS] = atomic_load(&cap.mappings.lost);
	n[CAP_LOSS_SHADOW_DEPTH] = atomic_load(&cap_shadow_counts.deep);
	n[CAP_LOSS_SHADOW_NESTED] = atomic_load(&cap_shadow_counts.nested);
	n[CAP_LOSS_SHADOW_FOREIGN] = atomic_load(&cap_shadow_counts.foreign);
	n[CAP_LOSS_SHADOW_ORPHANS] = atomic_load(&cap_shadow_counts.orphans);
	n[CAP_LOSS_JUMPS] = cap.settings.calls ? atomic_load(&cap_spikes.lost) : 0;
	n[CAP_LOSS_TEXTS] = atomic_load(&cap_spikes.untold);
	n[CAP_LOSS_SITES] = atomic_load(&cap_sites.lost);
	n[CAP_LOSS_MODULES] = cap.modules.lost;
	for (unsigned i = 0; i < CAP_LOSSES; i++)
		n[i] -= before[i];
}

void cap_losses_forget(void)
{
	uint64_t more[CAP_LOSSES];

	cap_writer_count_losses(more);
	for (unsigned i = 0; i < CAP_LOSSES; i++)
		before[i] += more[i];
}

/* Events that are not in the trace. */
static uint64_t events_of(const uint64_t n[CAP_LOSSES])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAP_LOSS_EVENTS; i++)
		sum += n[i];
	return sum;
}

/* Of times, in ns: the finer ones of allocations would be most of a trace's bytes. But calls may
 * be shorter than that. */
static int64_t resolution(void)
{
	return cap.settings.times == CAP_TIMES_NS || cap.settings.calls ||
		       atomic_load(&cap.scripted)
		   ? 1
		   : 1000;
}

/* end: of the recording; below 0: it goes on. */
static void cap_writer_header(int64_t end)
{
	static const char *const stacks[] = {"auto", "fp", "unwind", "none", "shadow"};
	const struct cap_settings *s = &cap.settings;
	uint8_t payload[1024], *p = payload, state, live;
	uint64_t lost[CAP_LOSSES],
	    n = 10 + !s->times + (s->sample > 0) + (s->threshold > 0) + s->attached + (end >= 0);

	cap_writer_count_losses(lost);
	/* A running program may have functions' addresses that it calls past us. */
	state = s->sample                                        ? ESTIMATED
		: s->threshold || s->attached || events_of(lost) ? LOWER_BOUND
								 : EXACT;
	/* A block whose free was lost would be reported as live. */
	live =
	    s->sample || s->attached || events_of(lost) || lost[CAP_LOSS_FREES] ? ESTIMATED : state;
	*p++ = 0; /* flags */
	*p++ = N_METRICS;
	for (unsigned m = 0; m < N_METRICS; m++) {
		*p++ = m == TIME   ? (s->calls || atomic_load(&cap.scripted) ? EXACT : ABSENT)
		       : m == LIVE ? live
				   : state;
		*p++ = 0;
	}
	p = cap_uleb(p, n);
	p = attribute(p, "format", "capture");
	p = attribute(p, "clock", "monotonic");
	p = decimal(p, "time_resolution_ns", (uint64_t)resolution());
	p = decimal(p, TRACE_DATE, cap.date);
	if (s->times == CAP_TIMES_RATE)
		p = decimal(p, "block_times.within_ns", 2 * CAP_TIMES_NS_APART);
	p = decimal(p, "capture.pid", cap.pid);
	p = attribute(p, "capture.program", cap.program);
	p = hexadecimal(p, "capture.run", cap_origin_id(&cap.origin, cap.pid));
	p = hexadecimal(p, "capture.arguments", cap.origin.arguments);
	p = attribute(p, "capture.mode", s->sample ? "sample" : s->threshold ? "threshold" : "all");
	p = attribute(p, "capture.stacks", stacks[s->stacks]);
	if (s->sample)
		p = decimal(p, "capture.sample_interval", s->sample);
	if (s->threshold)
		p = decimal(p, "capture.threshold", s->threshold);
	if (s->attached)
		p = decimal(p, "capture.attached", 1);
	if (end >= 0)
		p = decimal(p, TRACE_END, (uint64_t)end);
	cap_output_chunk(&cap.out, CHUNK_HEADER, payload, (uint32_t)(p - payload));
}

/* Of the process that was started: whether it has said its last word. */
static void set_open(bool open)
{
	if (!cap.outcome || cap.settings.pid != cap.pid)
		return;
	atomic_store(&cap.outcome->open, open);
	if (open)
		atomic_store(&cap.outcome->loaded, CAP_LOADED);
}

/* The end has the date of the beginning, though the clock on the wall was set between them. */
static uint64_t date_of_start(void)
{
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	return (uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_nsec -
	       (uint64_t)(cap_now() - cap.start);
}

void cap_write_begin(int fd)
{
	if (!cap.columns)
		cap.columns = cap_map(COLUMN_ENCODER_ROOM);
	set_open(true);
	cap.date = date_of_start();
	memset(fiber_rows, 0, sizeof fiber_rows);
	cap_pcs_clear(&strands);
	cap_output_begin(&cap.out, fd, *cap.path ? cap.path : NULL, cap.columns, resolution());
	cap_pcs_clear(&cap.pcs);
	cap.nodes = 0;
	cap.epoch = 0;
	cap.flushed = cap.drained = cap.start;
	cap.rounded = 0;
	for (uint32_t i = 0; i < atomic_load(&cap.rings.n); i++) {
		struct cap_ring *ring = atomic_load(&cap.rings.ring[i]);

		if (ring)
			ring->tid = 0; /* it announces itself again */
	}
	for (uint32_t i = 1; i <= atomic_load(&cap.n_names); i++)
		cap.name[i].string = cap.name[i].counter = cap.name[i].type = 0;
	cap_writer_header(-1);
}

/* Its name without a NUL; the size, 0: it is not known. */
static size_t cap_writer_thread_name(uint32_t tid, char name[CAP_COMM])
{
	char path[64];
	uint8_t digits[24], *end;
	ssize_t n;
	int fd;

	memset(path, 0, sizeof path);
	strcpy(path, "/proc/self/task/");
	end = decimal(digits, "", tid); /* two lengths, then the digits */
	memcpy(path + strlen(path), digits + 2, (size_t)(end - digits - 2));
	strcat(path, "/comm");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, name, CAP_COMM);
	close(fd);
	return n > 1 ? (size_t)n - 1 : 0;
}

static void thread_row(struct cap_ring *ring)
{
	uint64_t name = ring->n_comm ? cap_output_string(&cap.out, ring->comm, ring->n_comm) : 0;
	uint8_t *p = cap_output_row(&cap.out, CHUNK_THREADS, ++cap.out.threads, 50);

	p = cap_uleb(p, 0);
	p = cap_uleb(p, ring->tid);
	p = cap_uleb(p, ring->generation);
	p = cap_uleb(p, name);
	cap_output_rows(&cap.out, p);
}

static void thread(struct cap_ring *ring, uint32_t tid)
{
	if (!cap.generation)
		cap.generation = cap_map(TIDS * sizeof *cap.generation);
	ring->tid = tid;
	ring->generation = cap.generation ? cap.generation[tid % TIDS]++ : 0;
	ring->n_comm = (uint32_t)cap_writer_thread_name(tid, ring->comm);
	thread_row(ring);
	ring->thread = (uint32_t)cap.out.threads;
}

/* The thread's row comes again when it has named itself since, with the new name. */
static void rename_thread(struct cap_ring *ring, const char *name, size_t size)
{
	if (!size || (size == ring->n_comm && !memcmp(name, ring->comm, size)))
		return;
	memcpy(ring->comm, name, size);
	ring->n_comm = (uint32_t)size;
	thread_row(ring);
}

/* Of threads that still run. The others have said it as they ended. */
static void look_at_names(void)
{
	uint32_t n = atomic_load(&cap.rings.n);

	for (uint32_t i = 0; i < n; i++) {
		struct cap_ring *ring = atomic_load(&cap.rings.ring[i]);
		char name[CAP_COMM];
		size_t size;

		if (!ring || !ring->tid || atomic_load(&ring->owner) != ring->tid)
			continue;
		size = cap_writer_thread_name(ring->tid, name);
		rename_thread(ring, name, size);
	}
}

static uint32_t name_row(uint32_t i)
{
	struct cap_name *name = &cap.name[i];

	if (i && !name->string)
		name->string =
		    (uint32_t)cap_output_string(&cap.out, name->text, strlen(name->text));
	return i ? name->string : 0;
}

/* A row without a number of the system's: what a thread runs in turns. */
static uint32_t strand_of(uint32_t number, uint64_t name)
{
	uint8_t *p = cap_output_row(&cap.out, CHUNK_THREADS, ++cap.out.threads, 50);

	p = cap_uleb(p, 0);
	p = cap_uleb(p, 0);
	p = cap_uleb(p, number);
	cap_output_rows(&cap.out, cap_uleb(p, name));
	return (uint32_t)cap.out.threads;
}

/* The row of its name: "fiber 3". */
static uint64_t numbered(const char *name, uint32_t number)
{
	char text[CAP_NAME_MAX + 12], digits[12], *s = digits + sizeof digits;
	size_t n = strnlen(name, CAP_NAME_MAX - 1), k;

	for (uint32_t v = number; v || s == digits + sizeof digits; v /= 10)
		*--s = (char)('0' + v % 10);
	*--s = ' ';
	k = (size_t)(digits + sizeof digits - s);
	memcpy(text, name, n);
	memcpy(text + n, s, k);
	return cap_output_string(&cap.out, text, n + k);
}

/* A fiber's calls are on its own row wherever it runs. */
static uint32_t fiber_row(const struct cap_record *rec)
{
	uint32_t number = (uint32_t)rec->requested, place = rec->fiber;

	if (fiber_rows[place].number == number)
		return fiber_rows[place].row;
	fiber_rows[place].row =
	    strand_of(number, rec->name ? name_row(rec->name) : numbered("fiber", number));
	fiber_rows[place].number = number;
	return fiber_rows[place].row;
}

/* A script's strand of calls: likewise, with a number in its name. */
static uint32_t strand_row(const struct cap_record *rec)
{
	uint32_t number = (uint32_t)rec->requested, *id = cap_pcs_put(&strands, number);
	uint32_t row;

	if (id && *id)
		return *id;
	/* Not the number of a fiber. */
	row = strand_of(THREAD_SCRIPT | number,
			numbered(rec->name ? cap.name[rec->name].text : "script", number));
	if (id)
		*id = row;
	return row;
}

struct place {
	uint64_t name, file;
	uint32_t line;
};

/* What a marker says of a location. */
static struct place cap_writer_name_of(uint64_t pc)
{
	const struct cap_site *site = NULL;
	struct place place = {0, 0, 0};

	if (pc & CAP_SITE)
		site = pc == CAP_AWAY ? NULL : cap_site_at((uint32_t)pc);
	else if (pc & CAP_ENTRY)
		site = cap_site_at(cap_site_find(pc & ~CAP_ENTRY));
	if (site) {
		place.name = cap_output_string(&cap.out, site->name, strlen(site->name));
		if (*site->file)
			place.file = cap_output_string(&cap.out, site->file, strlen(site->file));
		place.line = site->line;
	} else if (pc & CAP_SITE) {
		static const char *const names[] = {"PET_Pause", "(switched out)"};
		const char *name = names[pc == CAP_AWAY];

		place.name = cap_output_string(&cap.out, name, strlen(name));
	}
	return place;
}

static uint8_t *add_name(uint8_t *p, const struct place *place)
{
	p = cap_uleb(p, place->name);
	p = cap_uleb(p, place->file);
	return cap_uleb(p, place->line);
}

/* The nodes up to n that are not written yet. */
static void cap_writer_stacks(uint32_t n)
{
	uint64_t previous = 0;
	struct place name;
	uint8_t *p;

	if (n <= cap.nodes)
		return;
	for (uint32_t i = cap.nodes + 1; i <= n; i++) {
		struct cap_node *node = &cap.stacks.nodes[i];
		uint32_t *id = cap_pcs_put(&cap.pcs, node->pc);
		uint64_t first = cap.out.locations + 1;

		if (id && *id) {
			node->location = *id;
			continue;
		}
		name = cap_writer_name_of(node->pc);
		p = cap_output_row(&cap.out, CHUNK_LOCATIONS, first, 80);
		if (cap.out.fresh)
			previous = 0;
		if (node->pc & CAP_SITE) {
			*p++ = 4 | 1 << 7; /* by name */
			p = cap_uleb(p, zigzag(0 - (int64_t)previous));
			p = cap_uleb(p, 0);
			cap_output_rows(&cap.out, add_name(p, &name));
			previous = 0;
			node->location = (uint32_t)++cap.out.locations;
			if (id)
				*id = node->location;
			continue;
		}
		*p++ = (uint8_t)((node->pc & CAP_ENTRY ? 3 : 1) << 3 | /* runtime; entry, return */
				 (cap.epoch ? 1 << 6 : 0) | (name.name ? 1 << 7 : 0));
		p = cap_uleb(p, zigzag((int64_t)((node->pc & ~CAP_ENTRY) - previous)));
		p = cap_uleb(p, 0);
		if (cap.epoch) {
			p = cap_uleb(p, 0);
			p = cap_uleb(p, cap.epoch);
		}
		if (name.name)
			p = add_name(p, &name);
		cap_output_rows(&cap.out, p);
		previous = node->pc & ~CAP_ENTRY;
		node->location = (uint32_t)++cap.out.locations;
		if (id)
			*id = node->location;
	}
	for (uint32_t i = cap.nodes + 1; i <= n; i++) {
		const struct cap_node *node = &cap.stacks.nodes[i];

		p = cap_output_row(&cap.out, CHUNK_STACKS, i, 24);
		p = cap_uleb(p, i - node->parent);
		p = cap_uleb(p, node->location);
		cap_output_rows(&cap.out, p);
	}
	cap.nodes = n;
	cap.out.stacks = n;
}

static uint32_t counter_row(uint32_t i)
{
	struct cap_name *name = &cap.name[i];
	uint64_t unit;
	uint8_t *p;

	if (name->counter)
		return name->counter;
	name_row(i);
	unit = name->unit ? cap_output_string(&cap.out, name->unit, strlen(name->unit)) : 0;
	p = cap_output_row(&cap.out, CHUNK_COUNTERS, ++cap.out.counters, 32);
	p = cap_uleb(p, name->string);
	p = cap_uleb(p, unit);
	cap_output_rows(&cap.out, p);
	name->counter = (uint32_t)cap.out.counters;
	return name->counter;
}

/* The text that was gathered. */
static void put_text(struct event *ev, struct cap_ring *ring)
{
	ev->has |= EV_HAS_NAME;
	ev->name = (uint32_t)cap_output_string(&cap.out, ring->text, ring->n_text);
	ring->n_text = 0;
}

static uint32_t type_row(uint32_t i)
{
	struct cap_name *name = &cap.name[i];
	uint8_t *p;

	if (name->type)
		return name->type;
	name_row(i);
	p = cap_output_row(&cap.out, CHUNK_TYPES, ++cap.out.types, 16);
	cap_output_rows(&cap.out, cap_uleb(p, name->string));
	name->type = (uint32_t)cap.out.types;
	return name->type;
}

/* Of a recording that began in the middle: a block that was there before, which is no event of it.
 * Without memory to know, all are. */
static bool cap_writer_is_old(const struct cap_record *rec)
{
	uint64_t block = rec->address | (uint64_t)rec->domain << 56;

	if (!cap.blocks.slots || (rec->kind != CAP_ALLOC && rec->kind != CAP_FREE))
		return false;
	if (rec->kind == CAP_ALLOC) {
		if (!cap_blocks_add(&cap.blocks, block))
			cap_blocks_release(&cap.blocks);
		return false;
	}
	if (cap_blocks_remove(&cap.blocks, block))
		return false;
	atomic_fetch_add_explicit(&cap.old, 1, memory_order_relaxed);
	return true;
}

/* A multiple of the events' unit. Mostly that is the one before, for which nothing is divided. */
static int64_t rounded(int64_t time)
{
	int64_t unit = cap.out.gather.unit;

	if ((uint64_t)time - (uint64_t)cap.rounded < (uint64_t)unit)
		return cap.rounded;
	time -= time % unit;
	if (time >= 0)
		cap.rounded = time;
	return time;
}

/* Blocks that follow an event closely have its time. So none of them comes to be on the other side of a
 * frame's mark or of a call, which have their own. */
static int64_t cap_writer_time(const struct cap_record *rec)
{
	int64_t time = rec->time - cap.start;
	bool block = rec->kind == CAP_ALLOC || rec->kind == CAP_FREE || rec->kind == CAP_TYPED;

	if (block && cap.settings.times == CAP_TIMES_RATE &&
	    time - cap.rounded < CAP_TIMES_NS_APART && cap.rounded - time < 2 * CAP_TIMES_NS_APART)
		return cap.rounded;
	return rounded(time);
}

/* A record that has text in place of a time. */
static bool append_text(struct cap_ring *ring, const struct cap_record *rec)
{
	if (rec->kind == CAP_NAMED) {
		if (ring->tid)
			rename_thread(ring, rec->text, rec->count);
		return true;
	}
	if (rec->kind != CAP_TEXT)
		return false;
	for (uint32_t i = 0; i < rec->count && ring->n_text < CAP_TEXTS; i++)
		ring->text[ring->n_text++] = rec->text[i];
	return true;
}

static void cap_writer_on_record(void *arg, struct cap_ring *ring, const struct cap_record *rec)
{
	struct event ev;

	(void)arg;
	if (append_text(ring, rec) || cap_writer_is_old(rec))
		return;
	event_clear(&ev);
	ev.time = cap_writer_time(rec);
	ev.has = EV_HAS_TIME;
	if (rec->stack > cap.nodes) /* with those that other records have */
		cap_writer_stacks(rec->stack > cap.seen.nodes ? rec->stack : cap.seen.nodes);
	switch (rec->kind) {
	case CAP_ENTER:
	case CAP_EXIT:
		ev.kind = rec->kind == CAP_ENTER ? EV_ENTER : EV_EXIT;
		ev.has = EV_HAS_THREAD | EV_HAS_STACK | (rec->count ? EV_HAS_TIME : 0);
		ev.value = (int64_t)rec->address;
		if (ev.value || ev.kind == EV_EXIT)
			ev.has |= EV_HAS_VALUE;
		ev.thread = rec->fiber == CAP_STRAND ? strand_row(rec)
			    : rec->fiber             ? fiber_row(rec)
						     : ring->thread;
		ev.stack = rec->stack;
		if (ring->n_text)
			put_text(&ev, ring);
		break;
	case CAP_LINE:
		ev.kind = EV_LOG;
		ev.has |= EV_HAS_THREAD | EV_HAS_TYPE;
		ev.thread = ring->thread;
		ev.type = cap_output_severity(&cap.out, rec->count);
		put_text(&ev, ring);
		break;
	case CAP_THREAD: thread(ring, (uint32_t)rec->address); return;
	case CAP_FRAME:
		ev.kind = EV_FRAME;
		ev.has |= EV_HAS_VALUE | (rec->name ? EV_HAS_NAME : 0);
		ev.value = (int64_t)rec->address;
		ev.name = name_row(rec->name);
		break;
	case CAP_COUNTER:
		ev.kind = EV_COUNTER;
		ev.has |= EV_HAS_TYPE;
		reading_put(&ev, (int64_t)rec->address, rec->requested);
		ev.type = counter_row(rec->name);
		break;
	default:
		ev.kind = rec->kind == CAP_FREE ? EV_FREE : EV_ALLOC;
		ev.has |= EV_HAS_THREAD;
		if (rec->kind != CAP_TYPED)
			ev.has |= EV_HAS_ADDRESS;
		if (rec->name) {
			ev.has |= EV_HAS_TYPE;
			ev.type = type_row(rec->name);
		}
		ev.thread = ring->thread;
		ev.address = rec->address;
		ev.domain = rec->domain;
		if (ev.domain)
			ev.has |= EV_HAS_DOMAIN;
		if (ev.kind == EV_FREE)
			break;
		ev.has |= EV_HAS_REQUESTED | EV_HAS_REAL;
		ev.requested = rec->requested;
		ev.real = rec->real;
		if (ev.real == CAP_UNKNOWN)
			ev.has &= (uint16_t)~EV_HAS_REAL;
		ev.stack = rec->stack;
		if (ev.stack)
			ev.has |= EV_HAS_STACK;
		ev.count = rec->count;
		if (ev.count != 1)
			ev.has |= EV_HAS_COUNT;
	}
	cap_output_event(&cap.out, &ev);
}

static struct stat log_stat; /* st_ino is 0: not known */

void cap_log_open(void)
{
	if (fstat(STDERR_FILENO, &log_stat))
		log_stat.st_ino = 0;
}

/* Not strerror, which may translate and allocate. */
static const char *error_text(int error)
{
	switch (error) {
	case EBADF: return "the program has closed it";
	case EDQUOT: return "Disk quota exceeded";
	case EFBIG: return "File too large";
	case EIO: return "Input/output error";
	case ENOSPC: return "No space left on device";
	case EPIPE: return "Broken pipe";
	default: return NULL;
	}
}

static char *append(char *p, const char *end, const char *s)
{
	while (*s && p < end)
		*p++ = *s++;
	return p;
}

void cap_log(const char *what, int error)
{
	const char *why = error_text(error);
	char line[256], number[16] = {0}, *digit = number + sizeof number - 1, *p = line;
	const char *end = line + sizeof line - 1;
	struct stat st;

	/* A daemon may have a file of its own there. */
	if (log_stat.st_ino && (fstat(STDERR_FILENO, &st) || st.st_ino != log_stat.st_ino ||
				st.st_dev != log_stat.st_dev))
		return;
	for (unsigned v = (unsigned)error; v; v /= 10)
		*--digit = (char)('0' + v % 10);
	p = append(p, end, "tracemill: ");
	p = append(append(p, end, what), end, ": ");
	p = why ? append(p, end, why) : append(append(p, end, "error "), end, digit);
	*p++ = '\n';
	cap_output_write(STDERR_FILENO, line, (size_t)(p - line));
}

/* Once; tm-record sees it too. */
static void look_at_output(void)
{
	static _Atomic bool said;

	if (!cap.out.error || atomic_exchange(&said, true))
		return;
	if (cap.outcome)
		atomic_store(&cap.outcome->error, (uint32_t)cap.out.error);
	cap_log("recording stopped: cannot write the trace", cap.out.error);
}

/* Not when another thread is scanning: it may be waiting for the dynamic linker, and that for us. Where
 * addresses have another meaning from now on, that thread is waited for a little: afterwards it is not known what
 * they were. */
static void write_modules(bool ended)
{
	enum { SCAN_MS = 100 };
	bool locked = cap_trylock(&cap.modules.lock);

	if (!locked && cap.modules.epoch != cap.epoch)
		locked = cap_lock_wait(&cap.modules.lock, SCAN_MS);
	/* What a destructor has allocated while its module went is of that module. */
	if ((locked && cap.modules.went) || cap.modules.epoch != cap.epoch)
		cap_writer_stacks(cap.modules.nodes_before);
	if (locked) {
		cap_module_names_write(ended);
		cap_modules_write(&cap.modules, &cap.out);
		cap.seen = cap.modules.seen;
	}
	if (cap.modules.epoch != cap.epoch) {
		cap_pcs_clear(&cap.pcs);
		cap.epoch = cap.modules.epoch;
	}
	if (locked)
		cap_unlock(&cap.modules.lock);
}

/* Calls of a script need finer times, and the header says that there are calls. */
static void write_finer(void)
{
	cap_output_flush(&cap.out);
	cap.out.gather.unit = resolution();
	cap_writer_header(-1);
}

void cap_write(enum cap_write what)
{
	int64_t now = cap_now();
	uint64_t full = cap.out.full;

	if (cap.out.gather.unit != resolution())
		write_finer();

	write_modules(false);
	if (what != CAP_WRITE_KNOWN)
		cap.seen.nodes = atomic_load_explicit(&cap.stacks.n, memory_order_acquire);
	cap_rings_drain(&cap.rings, what == CAP_WRITE_KNOWN ? cap.seen.records : UINT64_MAX,
			cap_writer_on_record, NULL);
	if (cap.out.full != full) /* what waits now came behind the drain before */
		cap.flushed = cap.drained;
	cap.drained = now;
	if (what == CAP_WRITE_FLUSH || now - cap.flushed > FLUSH_NS) {
		look_at_names();
		cap_output_flush(&cap.out);
		cap.flushed = now;
	}
	if (cap.out.fd < 0 && cap_on())
		atomic_store(&cap.state, CAP_DONE);
	look_at_output();
}

/* Of those that it has waited for; a shell that runs a game has nothing of it. */
static bool has_children(void)
{
	struct rusage u;

	return !getrusage(RUSAGE_CHILDREN, &u) && u.ru_maxrss > 0;
}

static uint64_t children_time(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_CHILDREN, &u))
		return 0;
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void write_presents(void)
{
	static const char words[] = "frames begin at calls of ";
	const char *name = atomic_load(&cap.presents);
	char text[sizeof words + CAP_FRAMES_AT];
	size_t n;

	if (!name)
		return;
	n = strnlen(name, CAP_FRAMES_AT - 1);
	memcpy(text, words, sizeof words - 1);
	memcpy(text + sizeof words - 1, name, n);
	text[sizeof words - 1 + n] = 0;
	cap_output_note(&cap.out, INFO, 0, text);
}

void cap_write_end(const char *end)
{
	const struct cap_settings *s = &cap.settings;
	uint64_t lost[CAP_LOSSES], rests;

	cap_write(CAP_WRITE_FLUSH);
	if (cap.out.fd < 0)
		return;
	write_modules(true);
	if (s->sample)
		cap_output_note(&cap.out, INFO, 0,
				"Poisson sampling: counts and bytes are estimates without bias");
	if (s->threshold)
		cap_output_note(&cap.out, INFO, 0, "smaller blocks were not recorded");
	write_presents();
	if (s->attached)
		cap_output_note(
		    &cap.out, INFO, 0,
		    "attached to a running process: calls through addresses that it had "
		    "before were not seen");
	if (atomic_load(&cap.old))
		cap_output_note(&cap.out, INFO, atomic_load(&cap.old),
				"frees of blocks from before the attach");
	rests = atomic_exchange(&cap.mappings.rests, 0);
	if (rests)
		cap_output_note(&cap.out, INFO, rests,
				"what remains of mappings of which a part was unmapped counts as "
				"a new allocation");
	if (atomic_load(&cap.guessed))
		cap_output_note(&cap.out, GUESS, atomic_load(&cap.guessed),
				"stacks in which a script's functions stand at a guessed place");
	cap_writer_count_losses(lost);
	for (unsigned i = 0; i < CAP_LOSSES; i++) {
		if (lost[i])
			cap_output_note(&cap.out, LOSS, lost[i], cap_loss_text[i]);
		if (cap.outcome)
			atomic_fetch_add(&cap.outcome->lost[i], lost[i]);
	}
	if (cap.outcome && cap.settings.pid == cap.pid)
		atomic_store(&cap.outcome->children, children_time());
	if (!s->children && has_children())
		cap_output_note(&cap.out, INFO, 0, TRACE_NOTE_STARTED);
	if (end)
		cap_output_note(&cap.out, INFO, 0, end);
	cap_output_flush(&cap.out);
	cap_writer_header(rounded(cap_now() - cap.start));
	cap_output_totals(&cap.out);
	set_open(false);
	look_at_output();
}
