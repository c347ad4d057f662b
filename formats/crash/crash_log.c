/* SPDX-License-Identifier: MIT
 *
 * Logs with stacks of crashes and leaks: reports of AddressSanitizer, HWASan, LeakSanitizer, TSan,
 * MSan and UBSan, Android's tombstones and what they look like in logcat, malloc_debug's leaks,
 * HotSpot's hs_err files, glibc's backtraces. What a line of a stack is, lib/input/stack_line.h
 * knows; here the lines become stacks, and the lines before them say of what:
 *
 *	Direct leak of 408 byte(s) in 1 object(s) allocated from:	an allocation
 *	+++ app leaked block of size 100 at 0x2be3b0b0 (leak 1 of 2)	the same
 *	24 bytes unreachable at a11e6748				the same
 *	READ of size 4 at 0x502000000078 thread T0			a sample
 *
 * Reports that disagree with their own sums say so.
 */
#include "formats/emit.h"
#include "lib/input/stack_line.h"

#include "lib/base/buf.h"
#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 1 << 20, HEADING = 200, STACK_MOST = 1 << 16 };

/* What a heading says of the stack below it. */
struct crash_heading {
	bool is_leak, has_address;
	uint64_t bytes, blocks, address;
	const char *type; /* of a leak */
	uint32_t name;    /* of a sample's marker; 0: none was there */
};

struct crash_log {
	struct import *im;
	struct crash_heading heading;
	struct buf text; /* of the last line of words */
	bool has_cause;  /* which is a signal, and not to be replaced */
	uint32_t thread;
	struct map64 modules; /* hash of name, build-id and offset -> module */
	uint32_t *line;       /* locations of the stack that is open, innermost first */
	size_t n_line, cap_line;
	uint8_t kind;    /* of its lines */
	uint64_t next;   /* number of its next call */
	bool apart;      /* another line came since */
	bool java_title; /* the line before this one is that of Java's calls */
	bool java_calls,
	    repeated;   /* the stack that is open has calls of Java: they come again below */
	uint64_t again; /* such calls */
	bool begun, of_leaks, cut;
	uint64_t stacks, bytes, blocks, bare, deep, java_heads, java_stacks;
	/* By the reports' own sums. */
	bool has_said;
	uint64_t said_bytes, said_blocks, said_leaked;
	uint64_t leaked; /* blocks, of malloc_debug */
};

/* Where the text goes on behind a word and the number that follows it; NULL: it has none. */
static const char *behind_number(const char *s, const char *end, const char *word, uint64_t *v)
{
	const char *p = memmem(s, (size_t)(end - s), word, strlen(word)), *from;

	if (!p)
		return NULL;
	from = p += strlen(word);
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return num_dec(from, (size_t)(p - from), v) ? p : NULL;
}

/* The number before a word. */
static bool number_before(const char *s, const char *end, const char *word, uint64_t *v)
{
	const char *p = memmem(s, (size_t)(end - s), word, strlen(word)), *from = p;

	while (from && from > s && from[-1] >= '0' && from[-1] <= '9')
		from--;
	return p && num_dec(from, (size_t)(p - from), v);
}

/* The same of an address. */
static const char *behind_address(const char *s, const char *end, const char *word, uint64_t *v)
{
	const char *p = memmem(s, (size_t)(end - s), word, strlen(word)), *from;

	if (!p)
		return NULL;
	from = p += strlen(word);
	while (p < end && num_hex_digit(*p) >= 0)
		p++;
	return num_hex(from, (size_t)(p - from), v) ? p : NULL;
}

/* --- calls --- */

static uint32_t crash_module(struct crash_log *x, const struct stack_line *l)
{
	uint64_t key = hash_bytes_seeded(l->module.s, l->module.n,
					 hash_bytes(l->build_id.s, l->build_id.n) + l->archive);
	const char *inner = memrchr(l->module.s, '!', l->module.n);
	struct stack_text_part m = l->module;
	uint32_t *id =
	    map64_put(&x->modules, l->arch.n ? hash_bytes_seeded(l->arch.s, l->arch.n, key) : key);
	struct buf name = BUF_INIT;
	uint8_t bytes[64];
	size_t n;

	if (*id)
		return *id;
	if (inner)
		m = (struct stack_text_part){inner + 1, (size_t)(m.s + m.n - inner) - 1};
	if (l->kind == STACK_LINE_WASM) {
		buf_reserve(&name, m.n);
		name.len = stack_line_wasm_module(l, name.data);
	} else {
		buf_add(&name, m.s, m.n);
	}
	if (l->has_archive && !inner)
		buf_addf(&name, " (offset 0x%" PRIx64 ")", l->archive);
	n = stack_line_build_id(l, bytes, sizeof bytes);
	*id = trace_module(
	    x->im->t,
	    &(struct module){.name = trace_string(x->im->t, name.data, name.len),
			     .arch = l->arch.n ? trace_string(x->im->t, l->arch.s, l->arch.n) : 0,
			     .build_id = n ? trace_string(x->im->t, (const char *)bytes, n) : 0});
	buf_release(&name);
	return *id;
}

static uint32_t part_string(struct crash_log *x, struct stack_text_part p)
{
	return p.n ? trace_string(x->im->t, p.s, p.n) : 0;
}

static uint32_t crash_location(struct crash_log *x, const struct stack_line *l)
{
	struct location at = {.raw = l->offset, .space = SPACE_VADDR, .kind = LOCATION_EXACT};

	at.name = part_string(x, l->name);
	at.file = part_string(x, l->file);
	at.line = l->line <= UINT32_MAX ? (uint32_t)l->line : 0;
	/* A name with its line is the call itself, which may be inlined at the same address. */
	if (at.name && (at.file || !l->has_offset)) {
		at.raw = 0;
		at.space = SPACE_NAME;
		at.kind = LOCATION_UNSTATED;
	} else if (!l->has_offset || (!l->module.n && l->kind != STACK_LINE_WASM)) {
		at.raw = l->has_address ? l->address : 0;
		at.space = l->has_address ? SPACE_RUNTIME : SPACE_UNKNOWN;
		if (stack_line_is_bare(l))
			at.kind = l->number ? LOCATION_RETURN : LOCATION_UNSTATED;
		else if (l->kind == STACK_LINE_JAVA && x->n_line)
			at.kind = LOCATION_RETURN;
	} else if (l->kind == STACK_LINE_WASM) {
		at.space = SPACE_FILE_OFFSET;
	} else if (l->kind == STACK_LINE_GLIBC || (l->kind == STACK_LINE_JAVA && x->n_line)) {
		at.kind = LOCATION_RETURN;
	}
	/* Of WebAssembly, a module without a name is the one that tm-symbolize is given. */
	if ((l->module.n || at.space == SPACE_FILE_OFFSET) && at.space != SPACE_RUNTIME)
		at.module = crash_module(x, l);
	return trace_location(x->im->t, &at);
}

/* --- stacks --- */

static enum status begin_log(struct crash_log *x, struct err *e)
{
	struct trace *t = x->im->t;

	x->begun = true;
	x->of_leaks = x->heading.is_leak;
	if (x->of_leaks) {
		trace_metric(t, METRIC_COUNT, METRIC_EXACT, METRIC_AT_ALL);
		trace_metric(t, METRIC_REQUESTED, METRIC_EXACT, METRIC_AT_ALL);
		/* What a leak checker does not call a leak may be live as well. */
		trace_metric(t, METRIC_LIVE, METRIC_LOWER_BOUND, METRIC_AT_ALL);
	}
	return import_begin(x->im, e);
}

static enum status crash_log_push_leak(struct crash_log *x, uint32_t stack, struct err *e)
{
	const struct crash_heading *h = &x->heading;
	const struct emit_alloc alloc = {.stack = stack,
					 .count = KNOWN(h->blocks),
					 .requested = KNOWN(h->bytes),
					 .type = trace_type(x->im->t, h->type, strlen(h->type)),
					 .address = KNOWN_IF(h->has_address, h->address)};

	x->bytes += h->bytes;
	x->blocks += h->blocks;
	x->bare += !stack;
	return emit_alloc(x->im, &alloc, e);
}

static enum status push_sample(struct crash_log *x, uint32_t stack, struct err *e)
{
	struct emit_sample sample = {.stack = stack, .thread = x->thread, .calls = KNOWN(1)};

	if (x->heading.name)
		sample.marker = trace_marker(x->im->t, &(struct marker){x->heading.name, 0});
	return emit_sample(x->im, &sample, e);
}

/* A leak in a log that began with crashes belongs to another capture, since those have no bytes. */
static enum status next_log(struct crash_log *x, struct err *e)
{
	enum status st;

	if (!x->begun || x->of_leaks || !x->heading.is_leak)
		return ST_OK;
	st = import_next(x->im, e);
	map64_release(&x->modules);
	x->begun = false;
	x->thread = 0;
	return st;
}

/* The stack that is open, or the leak that has none. */
static enum status end_stack(struct crash_log *x, struct err *e)
{
	enum status st = ST_OK;
	uint32_t stack = trace_stack_of(x->im->t, x->line, x->n_line);

	x->n_line = 0;
	if (!stack && !x->heading.is_leak)
		return ST_OK;
	if (!x->begun)
		st = begin_log(x, e);
	if (!st)
		st = x->heading.is_leak ? crash_log_push_leak(x, stack, e)
					: push_sample(x, stack, e);
	x->stacks++;
	x->java_calls = x->repeated = false;
	x->heading = (struct crash_heading){.is_leak = false};
	return st;
}

/* --- what comes before a stack --- */

/* A log's own beginning: "04-15 12:35:33.304  7412  7412 E malloc_debug: ", "==12==". */
static const char *behind_beginning(const char *s, const char *end)
{
	const char *p = s;
	uint64_t pid;

	if (end - s > 18 && num_hex_digit(*s) >= 0 && (s[2] == '-' || s[4] == '-')) {
		p = memmem(s + 18, (size_t)(end - s) - 18, ": ", 2);
		return p ? p + 2 : s;
	}
	if (end - s > 4 && *s == '=' && s[1] == '=' && behind_number(s, end, "==", &pid)) {
		p = behind_number(s, end, "==", &pid);
		return end - p > 2 && *p == '=' && p[1] == '=' ? p + 2 : s;
	}
	return s;
}

/* What a person reads of a line: without addresses, which would make every heading another one. */
static uint32_t crash_log_heading_name(struct crash_log *x)
{
	const char *s = buf_at(&x->text, 0), *end = s + x->text.len;
	struct buf b = BUF_INIT;
	uint32_t id;

	s = behind_beginning(s, end);
	while (s < end && b.len < HEADING) {
		if (end - s > 2 && s[0] == '0' && s[1] == 'x' && num_hex_digit(s[2]) >= 0) {
			for (s += 2; s < end && num_hex_digit(*s) >= 0; s++)
				;
			buf_adds(&b, "...");
		} else if (b.len || !strchr(" #\t=*", *s)) {
			buf_addc(&b, *s++);
		} else {
			s++;
		}
	}
	while (b.len && strchr(" :\r", b.data[b.len - 1]))
		b.len--;
	id = b.len ? trace_string(x->im->t, b.data, b.len) : 0;
	buf_release(&b);
	return id;
}

/* pid: 6936, tid: 6996, name: Binder_1  >>> /system/bin/mediaserver <<< */
static void parse_thread(struct crash_log *x, const char *s, const char *end)
{
	struct thread th = {.process = 0};
	uint64_t pid;
	const char *p = behind_number(s, end, "pid: ", &pid), *name_end;

	p = p ? behind_number(p, end, ", tid: ", &th.tid) : NULL;
	p = p ? memmem(p, (size_t)(end - p), ", name: ", 8) : NULL;
	if (!p)
		return;
	p += 8;
	name_end = memmem(p, (size_t)(end - p), "  >>> ", 6);
	if (!name_end)
		name_end = end;
	th.process = pid <= UINT32_MAX ? (uint32_t)pid : 0;
	th.name = trace_string(x->im->t, p, (size_t)(name_end - p));
	x->thread = trace_thread(x->im->t, &th);
}

/* SUMMARY: AddressSanitizer: 33 byte(s) leaked in 3 allocation(s). */
static void parse_sums(struct crash_log *x, const char *s, const char *end)
{
	uint64_t bytes, blocks;
	const char *p = behind_number(s, end, "Sanitizer: ", &bytes);

	p = p ? behind_number(p, end, " byte(s) leaked in ", &blocks) : NULL;
	if (!p)
		return;
	x->said_bytes += bytes;
	x->said_blocks += blocks;
	x->has_said = true;
}

static bool crash_log_parse_leak(struct crash_log *x, const char *s, const char *end)
{
	struct crash_heading h = {.is_leak = true, .blocks = 1};
	bool indirect;
	uint64_t i, of;
	const char *p = behind_number(s, end, "irect leak of ", &h.bytes);

	if (p) {
		p = behind_number(p, end, " byte(s) in ", &h.blocks);
		indirect = memmem(s, (size_t)(end - s), "Indirect", 8);
		h.type = indirect ? "indirect leak" : "direct leak";
	} else if ((p = behind_number(s, end, " leaked block of size ", &h.bytes))) {
		h.type = "leaked block";
		h.address = 0;
		p = behind_address(p, end, " at 0x", &h.address);
		h.has_address = p;
		x->leaked++;
		p = p ? behind_number(p, end, "(leak ", &i) : NULL;
		p = p ? behind_number(p, end, " of ", &of) : NULL;
		if (p && i == 1)
			x->said_leaked += of;
	}
	if (p)
		x->heading = h;
	return p;
}

/* Android's libmemunreachable: "24 bytes unreachable at a11e6748" and, below, "and 24 similar
 * unreachable bytes in 1 allocation", which belongs to it. */
static bool parse_unreachable(struct crash_log *x, const char *s, const char *end)
{
	struct crash_heading h = {.is_leak = true, .blocks = 1, .type = "unreachable"};

	if (!number_before(s, end, " bytes unreachable at ", &h.bytes))
		return false;
	h.has_address = behind_address(s, end, " unreachable at ", &h.address);
	x->heading = h;
	return true;
}

static bool parse_similar(struct crash_log *x, const char *s, const char *end)
{
	uint64_t bytes, blocks;

	if (!x->heading.is_leak || x->n_line ||
	    !number_before(s, end, " similar unreachable bytes in ", &bytes) ||
	    !behind_number(s, end, " unreachable bytes in ", &blocks))
		return false;
	x->heading.bytes += bytes;
	x->heading.blocks += blocks;
	return true;
}

/* A line of words; the last one before a stack is its heading, or the signal that was its cause. */
static enum status crash_log_parse_words(struct crash_log *x, const char *s, size_t n,
					 struct err *e)
{
	const char *end = s + n;
	enum status st = ST_OK;
	bool cause = memmem(s, n, ", fault addr ", 13) ||
		     (n > 3 && !memcmp(s, "#  ", 3) && memmem(s, n, " at pc=", 7));

	while (end > s && (end[-1] == ' ' || end[-1] == '\r'))
		end--;
	if (s == end)
		return ST_OK;
	if (memmem(s, n, "leak", 4) || memmem(s, n, "unreachable", 11)) {
		struct crash_heading was = x->heading;

		if (parse_similar(x, s, end))
			return ST_OK;
		if (crash_log_parse_leak(x, s, end) || parse_unreachable(x, s, end)) {
			struct crash_heading now = x->heading;

			x->heading = was; /* whose stack is open; or a leak that has none */
			if (was.is_leak || x->n_line)
				st = end_stack(x, e);
			x->heading = now;
			return st ? st : next_log(x, e);
		}
		parse_sums(x, s, end);
	}
	parse_thread(x, s, end);
	if (x->has_cause && !cause)
		return ST_OK;
	x->has_cause = cause;
	x->text.len = 0;
	buf_add(&x->text, s, (size_t)(end - s) < HEADING * 2 ? (size_t)(end - s) : HEADING * 2);
	return ST_OK;
}

/* HotSpot's calls that have no address: "j  a.B.c()V+1", "J 12 C1 a.B.c()V (5 bytes) @ ...",
 * "v  ~StubRoutines::call_stub". */
static bool crash_log_parse_java_name(struct crash_log *x, const char *s, size_t n)
{
	const char *end = s + n, *p = s + 1;
	struct location at = {.space = SPACE_NAME};
	uint32_t location;

	if (x->kind != STACK_LINE_JAVA || (!x->n_line && !x->java_title) || n < 4 ||
	    !strchr("jJAv", *s) || *p != ' ')
		return false;
	if (x->repeated) {
		x->again++;
		return true;
	}
	while (p < end && *p == ' ')
		p++;
	if (*s == 'J') {
		const char *mark = memmem(p, (size_t)(end - p), " (", 2);

		end = mark ? mark : end;
		mark = memrchr(p, ' ', (size_t)(end - p));
		p = mark ? mark + 1 : p;
	}
	if (p == end)
		return false;
	at.name = trace_string(x->im->t, p, (size_t)(end - p));
	location = trace_location(x->im->t, &at);
	x->java_stacks += !x->n_line;
	x->java_calls = true;
	if (x->n_line < STACK_MOST)
		VEC_PUSH(x->line, x->n_line, x->cap_line) = location;
	else
		x->deep++;
	return true;
}

/* HotSpot's walk of native calls ends where it does not know the way on, mostly at the first of Java: then
 * the calls of Java that the thread has are those behind. */
static bool java_frames_begin(struct crash_log *x, const char *s, size_t n)
{
	static const char title[] = "Java frames: (";

	if (n < sizeof title || memcmp(s, title, sizeof title - 1) != 0)
		return false;
	if (!x->n_line) {
		x->heading.name = crash_log_heading_name(x);
		x->has_cause = false;
		x->text.len = 0;
		x->java_calls = false;
	}
	x->kind = STACK_LINE_JAVA;
	x->java_title = true;
	x->apart = false;
	x->repeated = x->java_calls;
	return true;
}

/* --- the whole --- */

static bool goes_on(const struct crash_log *x, const struct stack_line *l)
{
	if (!x->n_line || x->kind != l->kind)
		return false;
	return l->has_number ? l->number == x->next : !x->apart;
}

static enum status crash_log_parse_call(struct crash_log *x, const struct stack_line *l,
					const char *s, struct err *e)
{
	enum status st = ST_OK;
	uint32_t location;

	if (l->kind == STACK_LINE_SUMMARY)
		return ST_OK;
	if (l->kind == STACK_LINE_JAVA && *s == '#') { /* it comes again below */
		x->java_heads++;
		return ST_OK;
	}
	if (!goes_on(x, l)) {
		if (x->n_line)
			st = end_stack(x, e);
		if (!st && !x->heading.is_leak)
			x->heading.name = crash_log_heading_name(x);
		x->text.len = 0;
		x->has_cause = false;
		x->kind = l->kind;
	}
	if (l->kind == STACK_LINE_JAVA && x->repeated) {
		x->again++;
		return st;
	}
	x->java_stacks += l->kind == STACK_LINE_JAVA && !x->n_line;
	x->apart = false;
	x->next = l->number + 1;
	location = crash_location(x, l);
	if (x->n_line < STACK_MOST)
		VEC_PUSH(x->line, x->n_line, x->cap_line) = location;
	else
		x->deep++;
	return st;
}

/* Other programs' lines may come between the calls of Android's stacks; these are not calls. */
static bool is_new(const char *s, size_t n)
{
	static const char *const words[] = {"pid: ",    " leaked block ", "*** *** ***",
					    "acktrace", "signal ",        "unreachable"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(s, n, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Numbered calls may have blank lines between them, as sanitizers' have on Android. */
static bool ends_stack(const struct crash_log *x, const char *s, size_t n)
{
	if (!n) /* Java's calls come behind a blank line */
		return x->kind == STACK_LINE_GLIBC;
	return x->kind != STACK_LINE_ANDROID || is_new(s, n);
}

static enum status parse_line(struct crash_log *x, const char *s, size_t n, struct err *e)
{
	struct stack_line l;
	enum status st = ST_OK;

	if (stack_line_parse(s, n, &l))
		return crash_log_parse_call(x, &l, s, e);
	if (crash_log_parse_java_name(x, s, n) || java_frames_begin(x, s, n))
		return ST_OK;
	x->apart = true;
	x->java_title = false;
	if (x->n_line && ends_stack(x, s, n))
		st = end_stack(x, e);
	return st ? st : crash_log_parse_words(x, s, n, e);
}

static void crash_log_add_notes(const struct crash_log *x)
{
	struct trace *t = x->im->t;

	if (x->has_said && (x->said_bytes != x->bytes || x->said_blocks != x->blocks))
		trace_note(t, NOTE_LOSS, 0,
			   "the reports state %" PRIu64 " bytes in %" PRIu64 " blocks, but "
			   "the log has %" PRIu64 " bytes in %" PRIu64 " blocks",
			   x->said_bytes, x->said_blocks, x->bytes, x->blocks);

	const struct trace_loss losses[] = {
	    LOSS(NOTE_LOSS, x->said_leaked > x->leaked ? x->said_leaked - x->leaked : 0,
		 "leaked blocks that malloc_debug counted are not in the log"),
	    LOSS(NOTE_INFO, x->bare, "leaks have no stack"),
	    LOSS_WITH(NOTE_LOSS, x->deep, "calls above the limit of {} in a stack were left out",
		      STACK_MOST),
	    LOSS(NOTE_INFO, x->again, "calls of Java are in the file twice, and count once"),
	    LOSS(NOTE_INFO, x->java_heads && !x->java_stacks ? x->java_heads : 0,
		 "heads of Java crash reports have their stacks in other files"),
	    LOSS_IF(NOTE_LOSS, x->cut, "the last line has no newline: the log may be cut short"),
	};

	TRACE_LOSSES(t, losses);
}

static enum status crash_log_read(struct import *im, struct err *e)
{
	struct crash_log x = {.im = im};
	struct cursor *c = &im->in->cur;
	enum status st = ST_OK;
	const char *s;
	size_t n;

	while (!st && (s = cursor_line(c, &n, LINE_LIMIT))) {
		x.cut = n && (const char *)c->pos == s + n;
		st = parse_line(&x, s, n, e);
	}
	if (!st && cursor_failed(c))
		st = err_failure(e);
	if (!st || x.begun) {
		struct err later = ERR_INIT;
		enum status last = end_stack(&x, st ? &later : e);

		st = st ? st : last;
	}
	if (!st && !x.stacks)
		st = err_at(e, ST_BAD, 0, "no line of the log is a stack entry");
	if (x.begun)
		crash_log_add_notes(&x);
	map64_release(&x.modules);
	buf_release(&x.text);
	free(x.line);
	return st;
}

static bool in_indented_line(const char *begin, const char *at)
{
	const char *line = memrchr(begin, '\n', (size_t)(at - begin));

	line = line ? line + 1 : begin;
	return *line == ' ' || *line == '\t';
}

/* "==12==ERROR: AddressSanitizer: " in a line without indent, or at the begin of a line "WARNING: ThreadSanitizer: " and
 * "SUMMARY: ...": a changelog names sanitizers, too, cites their summaries, and indents their reports. */
static bool has_sanitizer(const char *s, size_t n)
{
	static const char word[] = "Sanitizer: ";
	const char *begin = s, *end = s + n, *at, *name;

	for (; (at = memmem(s, (size_t)(end - s), word, sizeof word - 1)); s = at + 1) {
		for (name = at; name > begin && isalpha((unsigned char)name[-1]); name--)
			;
		if (name - begin < 3 || name[-1] != ' ' || name[-2] != ':')
			continue;
		for (name -= 2; name > begin && isupper((unsigned char)name[-1]); name--)
			;
		if (name == begin || name[-1] == '\n' ||
		    (name[-1] == '=' && !in_indented_line(begin, name)))
			return true;
	}
	return false;
}

/* Words that only such logs have count more than a line that looks like a call. */
static int crash_log_bid(const uint8_t *head, size_t n, bool whole)
{
	static const char *const words[] = {
	    " leaked block of size ",
	    "*** *** *** *** *** *** *** ***",
	    "A fatal error has been detected by the Java Runtime",
	    "Build fingerprint: '",
	    "Native frames:",
	};
	const char *s = (const char *)head, *end = s + n, *p;
	bool worded;
	int called = 0, last = 0;
	struct stack_line l;

	(void)whole;
	if (memchr(s, 0, n))
		return 0;
	worded = has_sanitizer(s, n);
	for (size_t i = 0; !worded && i < sizeof words / sizeof *words; i++)
		worded = memmem(s, n, words[i], strlen(words[i]));
	for (; called < 2 && s < end && (p = memchr(s, '\n', (size_t)(end - s))); s = p + 1) {
		last = stack_line_parse(s, (size_t)(p - s), &l) && l.module.n ? last + 1 : 0;
		called = last > called ? last : called;
	}
	return worded && called ? 40 : called > 1 ? 12 : worded ? 8 : 0;
}

const struct reader reader_crash_log = {
    .name = "crash-log",
    .family = "Logs",
    .page = "crash",
    .capabilities = CAPABILITY_ALLOCATIONS | CAPABILITY_LIVE | CAPABILITY_STACKS |
		    CAPABILITY_ADDRESSES | CAPABILITY_BUILD_IDS,
    .what = "logs with stacks: sanitizers, tombstones, malloc_debug, hs_err, backtraces",
    .suffixes = "log,txt",
    .guesses = true,
    .cut = CUT_NEVER, /* a stack without its last lines is another one */
    .bid = crash_log_bid,
    .read = crash_log_read,
};
