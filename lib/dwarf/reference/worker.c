/* SPDX-License-Identifier: MIT
 *
 * The child process of the reference engine: goes through the units in their order, which is also
 * the fixed order of the owners of one address, and writes what it finds.
 */
#include "lib/base/mem.h"
#include "lib/base/resource_scope.h"
#include "lib/base/sort.h"
#include "lib/dwarf/reference/reference.h"
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	FLUSH_AT = 1 << 18,
	LIMIT_BURIED = 64, /* units with broken headers: each costs a walk over all before it */
};

struct worker {
	const struct reference_slice *slice;
	const uint64_t *addrs; /* of the slice */
	size_t open;           /* how many have no function yet */
	int fd;
	struct reader *reader;
	struct reference_unit unit;
	struct dwarf_answers made; /* strings and calls; those up to sent_* are written */
	uint32_t sent_strings, sent_calls;
	/* by address: */
	uint8_t *found;  /* enum dwarf_found, by earlier workers too */
	uint32_t *all;   /* 0, 1, 2... */
	uint32_t *stamp; /* the unit that took it into query, + 1 */
	/* of the present unit, by place in query: */
	uint32_t *query; /* indexes of addresses, ascending */
	size_t n_query;
	uint32_t *scope, *row, *call;
	uint8_t *result;   /* enum dwarf_found */
	uint32_t *callers; /* by scope: what worker_caller() returns, + 1 */
	size_t cap_callers;
	struct sort_item *items;
	struct buf out, message;
};

static void flush(struct worker *w)
{
	size_t at = 0;

	while (at < w->out.len) {
		ssize_t n = write(w->fd, w->out.data + at, w->out.len - at);

		if (n < 0 && errno != EINTR)
			_exit(1);
		if (n > 0)
			at += (size_t)n;
	}
	w->out.len = 0;
}

static struct buf *begin(struct worker *w, enum message kind)
{
	w->message.len = 0;
	buf_addc(&w->message, (char)kind);
	return &w->message;
}

static void send(struct worker *w)
{
	uint32_t n = (uint32_t)w->message.len;
	uint8_t head[4] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};

	buf_add(&w->out, head, sizeof head);
	buf_add(&w->out, w->message.data, n);
	if (w->out.len >= FLUSH_AT)
		flush(w);
}

static void send_text(struct worker *w, const char *text)
{
	struct buf *b = begin(w, MESSAGE_TEXT);

	if (w->reader && w->unit.number != UINT32_MAX)
		buf_addf(b, "unit at .debug_info+0x%" PRIx64 ": ", w->unit.offset);
	buf_adds(b, text);
	if (b->len > LIMIT_MESSAGE)
		b->len = LIMIT_MESSAGE;
	send(w);
}

/* Strings and calls that answers will refer to. */
static void worker_send_made(struct worker *w)
{
	uint32_t n_strings = intern_count(&w->made.strings);
	struct buf *b;

	while (w->sent_strings < n_strings) {
		size_t n;
		const char *text = intern_text(&w->made.strings, ++w->sent_strings, &n);

		b = begin(w, MESSAGE_STRING);
		buf_add(b, text, n < LIMIT_MESSAGE - 1 ? n : LIMIT_MESSAGE - 1);
		send(w);
	}
	while (w->sent_calls + 1 < w->made.n_calls) {
		const struct dwarf_call *c = &w->made.calls[++w->sent_calls];

		b = begin(w, MESSAGE_CALL);
		buf_add_uleb(b, c->outer);
		buf_add_uleb(b, c->function);
		buf_add_uleb(b, c->file);
		buf_add_uleb(b, c->line);
		buf_add_uleb(b, c->column);
		buf_addc(b, c->extra != 0);
		if (c->extra) {
			const struct dwarf_extra *x = &w->made.extras[c->extra];

			buf_add_uleb(b, x->start + 1); /* none is 0 */
			buf_add_uleb(b, x->name);
			buf_add_uleb(b, x->file);
			buf_add_uleb(b, x->line);
			buf_add_uleb(b, x->discriminator);
		}
		send(w);
	}
}

/* How good an answer is: a better one of a later owner replaces it. */
static unsigned worth(uint8_t found)
{
	return found == DWARF_FUNCTION    ? 3
	       : found == DWARF_LINE_ONLY ? 2
					  : found != DWARF_NOT_FOUND;
}

/* What w->call and w->result say of the addresses in query. */
static void worker_send_answers(struct worker *w)
{
	struct buf *b;

	worker_send_made(w);
	b = begin(w, MESSAGE_ANSWERS);
	for (size_t q = 0; q < w->n_query; q++) {
		uint32_t index = w->query[q];

		if (worth(w->result[q]) <= worth(w->found[index]))
			continue;
		w->found[index] = w->result[q];
		w->open -= w->result[q] == DWARF_FUNCTION;
		buf_add_uleb(b, index);
		buf_add_uleb(b, w->call[q]);
		buf_addc(b, (char)w->result[q]);
		if (b->len > LIMIT_MESSAGE / 2) {
			send(w);
			begin(w, MESSAGE_ANSWERS);
		}
	}
	send(w);
}

/* The unit is broken, or a limit was reached, after all its addresses were known. */
static void give_up(struct worker *w, enum status st, const char *why)
{
	for (size_t q = 0; q < w->n_query; q++) {
		w->call[q] = 0;
		w->result[q] = st == ST_LIMIT ? DWARF_GAVE_UP : DWARF_MALFORMED;
	}
	send_text(w, why);
	worker_send_answers(w);
}

static uint32_t file_of(const struct reference_unit *u, uint32_t number)
{
	return number < u->n_files ? u->files[number] : 0;
}

/* What only drop-ins want of a call in this scope (0: no function is known). */
static uint32_t extra_of(struct worker *w, uint32_t scope, uint32_t discriminator)
{
	struct dwarf_extra x = {.start = DWARF_NO_START};
	struct dwarf_answers *a = &w->made;

	if (!w->slice->extras && (!discriminator || !w->slice->discriminators))
		return 0;
	if (scope && w->slice->extras)
		reader_extra(w->reader, &w->unit, w->unit.scopes[scope - 1].die, &x);
	x.discriminator = discriminator;
	return dwarf_extras_add(&a->extras, &a->n_extras, &a->cap_extras, &x);
}

/* The call that the scope's code was inlined into; 0 for a function of its own. */
static uint32_t worker_caller(struct worker *w, uint32_t scope)
{
	const struct reference_unit *u = &w->unit;
	uint32_t path[LIMIT_DEPTH + 1], n = 0, outer = 0;

	for (; !w->callers[scope - 1] && u->scopes[scope - 1].parent;
	     scope = u->scopes[scope - 1].parent)
		path[n++] = scope;
	if (w->callers[scope - 1])
		outer = w->callers[scope - 1] - 1;
	while (n) {
		const struct unit_scope *s = &u->scopes[path[--n] - 1];
		struct dwarf_call c = {
		    .outer = outer,
		    .function = reader_function(w->reader, u->scopes[s->parent - 1].die),
		    .file = s->has_file ? file_of(u, s->file) : 0,
		    .line = s->line,
		    .column = s->column,
		    .extra = extra_of(w, s->parent, w->slice->extras ? s->discriminator : 0),
		};

		outer = dwarf_answers_call(&w->made, &c);
		w->callers[path[n] - 1] = outer + 1;
	}
	return outer;
}

static void worker_answer(struct worker *w)
{
	const struct reference_unit *u = &w->unit;

	if (u->n_scopes > w->cap_callers)
		w->callers = mem_grow(w->callers, &w->cap_callers, u->n_scopes, sizeof *w->callers);
	if (u->n_scopes)
		memset(w->callers, 0, u->n_scopes * sizeof *w->callers);
	for (size_t q = 0; q < w->n_query; q++) {
		struct dwarf_call c = {0};
		uint32_t scope = w->scope[q];

		w->call[q] = 0;
		w->result[q] = scope ? DWARF_FUNCTION : DWARF_LINE_ONLY;
		if (w->row[q] != UNIT_NO_ROW) {
			c.file = file_of(u, u->rows[w->row[q]].file);
			c.line = u->rows[w->row[q]].line;
			c.column = u->rows[w->row[q]].column;
		} else if (!scope) {
			w->result[q] = DWARF_NOT_FOUND;
			continue;
		}
		if (scope) {
			c.function = reader_function(w->reader, u->scopes[scope - 1].die);
			c.outer = worker_caller(w, scope);
		}
		c.extra = extra_of(w, scope,
				   w->row[q] == UNIT_NO_ROW ? 0 : u->rows[w->row[q]].discriminator);
		w->call[q] = dwarf_answers_call(&w->made, &c);
	}
	worker_send_answers(w);
}

/* The addresses without a function that the unit owns, or all of them when it does not say. */
static void worker_choose(struct worker *w)
{
	const struct reference_unit *u = &w->unit;
	size_t n = 0;

	w->n_query = 0;
	if (!u->ranged) {
		for (uint32_t i = 0; i < w->slice->n; i++) {
			if (w->found[i] != DWARF_FUNCTION)
				w->query[w->n_query++] = i;
		}
		return;
	}
	for (size_t k = 0; k < u->n_ranges; k++) {
		const struct unit_range *r = &u->ranges[k];

		for (size_t i = unit_first_at_least(w->addrs, w->all, w->slice->n, r->lo);
		     i < w->slice->n && w->addrs[i] < r->hi; i++) {
			if (w->found[i] == DWARF_FUNCTION || w->stamp[i] == u->number + 1)
				continue;
			w->stamp[i] = u->number + 1;
			w->items[n++] = (struct sort_item){i, (uint32_t)i};
		}
	}
	sort_radix(w->items, n);
	for (size_t i = 0; i < n; i++)
		w->query[w->n_query++] = w->items[i].index;
}

static void announce_addresses(struct worker *w)
{
	struct buf *b = begin(w, MESSAGE_RUNS);

	for (size_t q = 0, end; q < w->n_query; q = end) {
		for (end = q + 1; end < w->n_query && w->query[end] == w->query[end - 1] + 1;)
			end++;
		buf_add_uleb(b, w->query[q]);
		buf_add_uleb(b, end - q);
		if (b->len > LIMIT_MESSAGE / 2) {
			send(w);
			begin(w, MESSAGE_RUNS);
		}
	}
	send(w);
	flush(w);
}

/* The q-th address is in a function, or in the ranges that the unit has. */
static bool is_matched(const struct worker *w, size_t q)
{
	const struct reference_unit *u = &w->unit;
	uint64_t addr = w->addrs[w->query[q]];

	for (size_t i = 0; i < u->n_ranges && !w->scope[q]; i++)
		if (addr >= u->ranges[i].lo && addr < u->ranges[i].hi)
			return true;
	return w->scope[q];
}

/* Of a unit that does not say all that it owns: those. */
static void worker_keep_matched(struct worker *w)
{
	size_t n = 0;

	for (size_t q = 0; q < w->n_query; q++) {
		if (!is_matched(w, q))
			continue;
		w->query[n] = w->query[q];
		w->scope[n++] = w->scope[q];
	}
	w->n_query = n;
}

/* And the addresses in its rows: of a unit that has nothing else, as old assemblers wrote them, and of DWARF 2,
 * where thunks have nothing else. */
static void keep_with_row(struct worker *w)
{
	const struct reference_unit *u = &w->unit;
	size_t n = 0;

	for (size_t q = 0; q < w->n_query; q++) {
		uint32_t row = w->row[q];

		if (!is_matched(w, q) &&
		    (row == UNIT_NO_ROW || !reader_is_living(w->reader, u->rows[row].addr)))
			continue;
		w->query[n] = w->query[q];
		w->scope[n] = w->scope[q];
		w->row[n++] = row;
	}
	w->n_query = n;
}

static void lose(struct worker *w, const char *why)
{
	begin(w, MESSAGE_LOST);
	send(w);
	send_text(w, why);
}

static void worker_do_unit(struct worker *w)
{
	struct reference_unit *u = &w->unit;
	struct err e = ERR_INIT;
	const char *why = NULL;
	bool by_rows;
	enum status st;

	if (reader_ranges(w->reader, u, &e)) {
		lose(w, e.msg);
		return;
	}
	worker_choose(w);
	if (!w->n_query)
		return;
	if (u->ranged)
		announce_addresses(w);
	st = u->split ? reader_part(w->reader, u, &why, &e) : ST_OK;
	if (!st)
		st = reader_scopes(w->reader, u, &e);
	if (st && !u->ranged) {
		lose(w, e.msg);
		return;
	}
	if (st) {
		give_up(w, st, e.msg);
		return;
	}
	unit_match_scopes(u, w->addrs, w->query, w->n_query, w->scope);
	by_rows = !u->ranged && (u->version < 3 || (u->silent && !u->n_scopes));
	if (!u->ranged && !by_rows)
		worker_keep_matched(w);
	if (!w->n_query)
		return;
	if (why)
		send_text(w, why);
	if (reader_rows(w->reader, u, &e)) /* names are sound all the same */
		send_text(w, e.msg);
	unit_match_rows(u, w->addrs, w->query, w->n_query, w->row);
	if (by_rows)
		keep_with_row(w);
	if (!w->n_query)
		return;
	worker_answer(w);
}

/* Says which unit is to blame if this worker dies. */
static void announce_unit(struct worker *w)
{
	uint64_t offset;
	uint32_t number = reader_peek(w->reader, &offset);
	struct buf *b;

	if (number < w->slice->first_unit)
		return;
	b = begin(w, MESSAGE_UNIT);
	buf_add_uleb(b, number);
	buf_add_uleb(b, offset);
	send(w);
	flush(w);
}

static void worker_do_units(struct worker *w)
{
	const struct reference_slice *s = w->slice;
	struct err e = ERR_INIT;
	size_t n_buried = 0;
	enum status st;

	w->unit.number = UINT32_MAX;
	st = reader_new(&w->reader, s->job->object, &w->made.strings, s->buried, s->n_buried,
			s->relative, &e);
	if (st) {
		w->n_query = s->n;
		memcpy(w->query, w->all, w->n_query * sizeof *w->query);
		give_up(w, st, e.msg);
		return;
	}
	if (*reader_complaint(w->reader))
		send_text(w, reader_complaint(w->reader));
	while (w->open) {
		announce_unit(w);
		st = reader_next(w->reader, &w->unit, &e);
		if (st == ST_NONE)
			break;
		if (st) {
			lose(w, e.msg);
			if (n_buried++ == LIMIT_BURIED || !reader_bury(w->reader))
				break;
			continue;
		}
		if (w->unit.is_type || w->unit.number < s->first_unit)
			continue;
		worker_do_unit(w);
		begin(w, MESSAGE_DONE);
		send(w);
	}
}

static void limit(int what, uint64_t soft, uint64_t hard)
{
	struct rlimit r, old;

	if (getrlimit(what, &old))
		return;
	r.rlim_max = old.rlim_max != RLIM_INFINITY && old.rlim_max < hard ? old.rlim_max : hard;
	r.rlim_cur = soft < r.rlim_max ? soft : r.rlim_max;
	setrlimit(what, &r);
}

/* The address space in use: what the parent has mapped is not the worker's fault. */
static uint64_t mapped(void)
{
	char text[64] = {0};
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	unsigned long long pages = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	for (ssize_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		pages = pages * 10 + (unsigned)(text[i] - '0');
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

_Noreturn static void worker_no_memory(void)
{
	_exit(WORKER_NO_MEMORY);
}

static void worker_confine(const struct worker_limits *limits, pid_t parent)
{
	static const int signals[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM,
				      SIGSEGV, SIGBUS,  SIGFPE, SIGILL,  SIGABRT, SIGXCPU};
	sigset_t none;
	int null;

	/* the default actions again: neither the parent's handlers nor a sanitizer's */
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* The bytes in here cannot be written to, and need not be. */
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		if (!SANDBOX_SANITIZED) /* its report must be seen */
			dup2(null, 2);
	}
	mem_on_failure = worker_no_memory;
	limit(RLIMIT_CORE, 0, 0);
	limit(RLIMIT_CPU, limits->seconds, (uint64_t)limits->seconds + 1);
	if (!SANDBOX_SANITIZED) /* shadow memory is terabytes of address space */
		limit(RLIMIT_AS, mapped() + limits->memory, mapped() + limits->memory);
}

/* Split units are opened here when they are met. What they leave in the binary has its addresses in
 * .debug_addr (DWARF 5, 3.1.2; GNU's extension of DWARF 4 as well). */
static bool may_have_split_units(struct object *o)
{
	struct object_section addresses;
	struct err e = ERR_INIT;

	return object_section(o, ".debug_addr", &addresses, &e) != ST_NONE;
}

static void worker_run(void *arg)
{
	struct worker *w = arg;
	const struct reference_slice *s = w->slice;

	sandbox_enter(sandbox_profile(SANDBOX_READER,
				      may_have_split_units(s->job->object) ? "split units" : NULL));
	w->found = mem_array(s->n, 1);
	w->all = mem_array(s->n, sizeof *w->all);
	w->query = mem_array(s->n, sizeof *w->query);
	w->scope = mem_array(s->n, sizeof *w->scope);
	w->row = mem_array(s->n, sizeof *w->row);
	w->call = mem_array(s->n, sizeof *w->call);
	w->result = mem_array(s->n, 1);
	w->stamp = mem_zarray(s->n, sizeof *w->stamp);
	w->items = mem_array(s->n, sizeof *w->items);
	dwarf_answers_init(&w->made, 0);
	for (size_t i = 0; i < s->n; i++) {
		w->all[i] = (uint32_t)i;
		w->found[i] = s->got.of[i].found;
		w->open += w->found[i] != DWARF_FUNCTION;
	}
	worker_do_units(w);
	begin(w, MESSAGE_END);
	send(w);
	flush(w);
	_exit(0); /* no atexit handlers, and the parent's buffered output stays the parent's */
}

void worker_main(const struct reference_slice *s, const struct worker_limits *limits, int fd,
		 pid_t parent)
{
	struct worker w = {.slice = s, .addrs = s->job->addrs + s->first, .fd = fd};

	worker_confine(limits, parent);
	resource_scope_run(NULL, worker_run, &w); /* the parent's scope is not to be left in here */
	worker_no_memory();
}
