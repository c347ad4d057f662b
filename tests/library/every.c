/* SPDX-License-Identifier: MIT
 *
 * Every function of the public headers, with every flag and every member of the options: every BINARY NAMES,
 * in a folder of its own. It is C and C++, and prints "called NAME" for a function and "used NAME" for a
 * constant, which tests/sh/library_every.sh compares with what the headers have. NAMES are lines of an
 * address, a linkage name, and how GNU's and LLVM's tools spell it, separated by tabs.
 */
#include <tracemill/symbolize.h>
#include <tracemill/symbolize_trace.h>
#include <tracemill/trace.h>
#include <tracemill/version.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64, BASE = 0x10000000 };

static const char *binary, *self;
static size_t n_known;
static struct {
	uint64_t address;
	char raw[4096], spelled[2][4096];
} known[MOST];
static int failed;

static int called(const char *name)
{
	printf("called %s\n", name);
	return 0;
}

static unsigned used(const char *name, unsigned value)
{
	printf("used %s\n", name);
	return value;
}

#define CALL(f)  (called(#f), f)
#define USE(x)   used(#x, (unsigned)(x))
#define CLEAR(x) memset(&(x), 0, sizeof(x))
#define SIZED(x) (CLEAR(x), (x).size = sizeof(x))

static void wrong(int line, const char *what, const char *why)
{
	printf("wrong %d: %s (%s)\n", line, what, why ? why : "");
	failed = 1;
}

#define IS(x)       ((x) ? (void)0 : wrong(__LINE__, #x, NULL))
#define OK(s, x)    ((x) ? wrong(__LINE__, #x, tracemill_error(s)) : (void)0)
#define WROTE(w, x) ((x) ? wrong(__LINE__, #x, tracemill_writer_error(w)) : (void)0)

static void no_progress(void *arg, uint64_t done, uint64_t total)
{
	(void)arg;
	(void)done;
	(void)total;
}

static void add_piece(void *arg, size_t from, size_t to, size_t piece, unsigned worker)
{
	(void)piece;
	(void)worker;
	__atomic_add_fetch((size_t *)arg, to - from, __ATOMIC_RELAXED);
}

/* "?": not known. */
static bool is_text(const char *s, size_t n, const char *want)
{
	return !strcmp(want, "?") || (n == strlen(want) && !memcmp(s, want, n));
}

/* All that a handle with these options answers of a batch. */
static void ask(struct tracemill_symbolizer *s, unsigned flags)
{
	struct tracemill_query q[MOST];
	struct tracemill_binary *b = NULL, *same = NULL;
	struct tracemill_views v;
	struct tracemill_details d;
	const char *text;
	uint64_t at = 0;
	size_t n = 0;

	CLEAR(q);
	CLEAR(v);
	OK(s, CALL(tracemill_binary_open)(s, binary, &b));
	for (size_t i = 0; i < n_known; i++) {
		q[i].binary = b;
		q[i].address = known[i].address;
	}
	OK(s, CALL(tracemill_symbolize)(s, q, n_known));
	OK(s, CALL(tracemill_view)(s, q, n_known, &v));
	for (size_t i = 0; i < n_known && !failed; i++) {
		const struct tracemill_call *c = v.calls + v.first[i + 1] - 1;
		const char *want = !(flags & TRACEMILL_DEMANGLE) ? known[i].raw
				   : flags & TRACEMILL_LLVM_SPELLING
				       ? known[i].spelled[TRACEMILL_SPELL_LLVM]
				       : known[i].spelled[TRACEMILL_SPELL_GNU];

		IS(q[i].why == TRACEMILL_FUNCTION && v.first[i] < v.first[i + 1]);
		/* GCC gives a lambda's operator() no linkage name. */
		if (!is_text(c->function, c->n_function, want) &&
		    !((flags & TRACEMILL_DWARF_NAMES) &&
		      is_text(c->function, c->n_function, "operator()")))
			wrong(__LINE__, c->function, want);
		IS(c->line && c->n_file);
		OK(s, CALL(tracemill_resolved)(s, &q[i], &same, &at));
		IS(same == b && at == known[i].address);
		/* The source is there while the library is tested. */
		if (!(flags & TRACEMILL_RELATIVE) && !i) {
			char *path = (char *)calloc(1, c->n_file + 1);

			memcpy(path, c->file, c->n_file);
			OK(s, CALL(tracemill_source)(s, b, q[i].address, path, &text, &n));
			IS(memmem(text, n, "namespace outer", 15));
			free(path);
			IS(tracemill_source(s, NULL, 0, "/nonexistent/file", &text, &n) ==
			   TRACEMILL_NOTHING);
		}
		SIZED(d);
		IS(CALL(tracemill_call_details)(s, c, &d) ==
		   (flags & TRACEMILL_DETAILS ? TRACEMILL_OK : TRACEMILL_MISUSE));
		if (flags & TRACEMILL_DETAILS)
			IS(!strcmp(d.linkage, known[i].raw) || (flags & TRACEMILL_DWARF_NAMES));
	}
	CALL(tracemill_views_release)(&v);
	OK(s, CALL(tracemill_check_files)(s));
	IS(CALL(tracemill_explain_binary)(s, b, &text, &n) ==
	   (flags & TRACEMILL_EXPLAIN ? TRACEMILL_OK : TRACEMILL_MISUSE));
	IS(CALL(tracemill_explain)(s, &q[0], &text, &n) ==
	   (flags & TRACEMILL_EXPLAIN ? TRACEMILL_OK : TRACEMILL_MISUSE));
	IS(!CALL(tracemill_next_warning)(s));
}

/* Its last stub; where GNU ld puts none into .plt alone, nothing. */
static void ask_of_stub(struct tracemill_symbolizer *s, unsigned flags)
{
	struct tracemill_binary *b = NULL;
	struct tracemill_query q;
	struct tracemill_views v;
	uint64_t address = 0, size = 0;
	const char *at;

	CLEAR(q);
	CLEAR(v);
	OK(s, tracemill_binary_open(s, binary, &b));
	if (tracemill_binary_section(s, b, ".plt", &address, &size) || size <= 32)
		return;
	q.binary = b;
	q.address = address + size - 8;
	OK(s, tracemill_symbolize(s, &q, 1));
	OK(s, tracemill_view(s, &q, 1, &v));
	IS(v.first[1] == (flags & TRACEMILL_PLT_NAMES ? 1 : 0));
	if (!failed && v.first[1]) {
		at = (const char *)memchr(v.calls->function, '@', v.calls->n_function);
		IS(at &&
		   is_text(at, v.calls->n_function - (size_t)(at - v.calls->function), "@plt"));
	}
	tracemill_views_release(&v);
}

static void ask_of_binary(struct tracemill_symbolizer *s)
{
	static const unsigned tables[] = {TRACEMILL_CODE, TRACEMILL_OWN_CODE, TRACEMILL_DATA};
	static const unsigned kinds[] = {TRACEMILL_RETURN, TRACEMILL_EXACT};
	static const unsigned abouts[] = {TRACEMILL_TOPIC_CACHE, TRACEMILL_TOPIC_SEARCH,
					  TRACEMILL_TOPIC_MANAGED, TRACEMILL_TOPIC_ARCHIVES,
					  TRACEMILL_TOPIC_VERIFY};
	struct tracemill_binary *b = NULL, *by_id = NULL;
	struct tracemill_binary_facts facts;
	struct tracemill_symbol symbol;
	const struct tracemill_local *locals = NULL;
	struct tracemill_process *p = NULL;
	struct tracemill_query q[2];
	uint64_t address = 0, size = 0, many[2];
	enum tracemill_severity severity;
	char maps[5000];
	size_t n = 0;

	USE(TRACEMILL_CODE), USE(TRACEMILL_OWN_CODE), USE(TRACEMILL_DATA);
	USE(TRACEMILL_RETURN), USE(TRACEMILL_EXACT);
	USE(TRACEMILL_TOPIC_CACHE), USE(TRACEMILL_TOPIC_SEARCH);
	USE(TRACEMILL_TOPIC_MANAGED), USE(TRACEMILL_TOPIC_ARCHIVES);
	USE(TRACEMILL_TOPIC_VERIFY);
	OK(s, tracemill_binary_open(s, binary, &b));
	OK(s, CALL(tracemill_prefetch)(s, b));
	SIZED(facts);
	OK(s, CALL(tracemill_binary_facts)(s, b, &facts));
	IS(facts.has_dwarf && facts.n_build_id);
	(void)CALL(tracemill_binary_by_id)(s, facts.build_id, facts.n_build_id, &by_id);
	OK(s, CALL(tracemill_binary_symbol)(s, b, known[0].raw, strlen(known[0].raw), &address));
	IS(address == known[0].address);
	OK(s, CALL(tracemill_binary_section)(s, b, ".text", &address, &size));
	IS(known[0].address - address < size);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		SIZED(symbol);
		OK(s, CALL(tracemill_symbol_at)(s, b, (enum tracemill_table)tables[i],
						known[0].address, &symbol));
		IS(!strcmp(symbol.name, known[0].raw));
	}
	SIZED(symbol);
	OK(s, CALL(tracemill_symbol_named)(s, b, known[0].raw, strlen(known[0].raw), 0, &symbol));
	IS(symbol.address == known[0].address);
	OK(s, CALL(tracemill_locals)(s, b, known[0].address, &locals, &n));
	IS(tracemill_binary_open(s, "/nonexistent/file", &by_id) == TRACEMILL_SYSTEM);
	IS(strstr(CALL(tracemill_error)(s), "No such file"));
	(void)CALL(tracemill_prewarm)(s, b, &size);
	for (size_t i = 0; i < sizeof abouts / sizeof *abouts; i++)
		while (CALL(tracemill_next_message)(s, (enum tracemill_topic)abouts[i], &severity))
			;
	n = 0;
	OK(s, CALL(tracemill_parallel)(s, 10000, add_piece, &n));
	IS(n == 10000);
	CALL(tracemill_cancel)(s);
	/* This program in two ways: the text of /proc, and a mapping of offset 0 as segments have it. */
	OK(s, CALL(tracemill_process_new)(s, &p));
	snprintf(maps, sizeof maps, "20000000-21000000 r-xp 00000000 00:00 1 %s\n", self);
	OK(s, CALL(tracemill_process_maps)(p, maps, strlen(maps)));
	OK(s, CALL(tracemill_process_mapping)(p, binary, facts.build_id, facts.n_build_id, BASE,
					      BASE + 0x1000000, 0));
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		many[0] = many[1] = BASE + known[0].address + 1;
		CLEAR(q);
		OK(s, CALL(tracemill_bind)(p, many, 2, (enum tracemill_address_kind)kinds[i], q));
		IS(q[0].binary);
		IS(q[0].address == known[0].address + (kinds[i] == TRACEMILL_EXACT));
	}
}

static void demangle_names(void)
{
	static const unsigned spellings[] = {TRACEMILL_SPELL_GNU, TRACEMILL_SPELL_LLVM,
					     TRACEMILL_SPELL_SHORT};
	char to[4096];

	USE(TRACEMILL_SPELL_GNU), USE(TRACEMILL_SPELL_LLVM), USE(TRACEMILL_SPELL_SHORT);
	for (size_t i = 0; i < n_known; i++)
		for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++) {
			size_t n = CALL(tracemill_demangle_as)(
			    (enum tracemill_spelling)spellings[k], known[i].raw,
			    strlen(known[i].raw), to, sizeof to);
			size_t gnu =
			    CALL(tracemill_demangle)(known[i].raw, strlen(known[i].raw), NULL, 0);
			bool mangled = strcmp(known[i].raw, known[i].spelled[k == 1]) != 0;

			IS(mangled == (n != 0) || !strcmp(known[i].spelled[k == 1], "?"));
			IS(gnu == 0 || gnu == strlen(known[i].spelled[0]));
			if (n && k < 2 && !is_text(to, strlen(to), known[i].spelled[k]))
				wrong(__LINE__, to, known[i].spelled[k]);
		}
}

static struct tracemill_symbolizer *handle(const struct tracemill_options *o)
{
	struct tracemill_symbolizer *s = NULL;
	enum tracemill_status status =
	    CALL(tracemill_symbolizer_new_of)(&s, o, TRACEMILL_LIBRARY_VERSION);

	if (status) {
		wrong(__LINE__, "tracemill_symbolizer_new_of", tracemill_status_text(status));
		exit(1);
	}
	return s;
}

#define FLAG(x)       \
	{             \
#x, x \
	}

static const struct flag {
	const char *name;
	unsigned bit;
} flags[] =
    {
	FLAG(TRACEMILL_GUARD_FILES),     FLAG(TRACEMILL_CACHE),
	FLAG(TRACEMILL_NO_SYSTEM_DIRS),  FLAG(TRACEMILL_REFERENCE_ENGINE),
	FLAG(TRACEMILL_EXPLAIN),         FLAG(TRACEMILL_DEMANGLE),
	FLAG(TRACEMILL_LLVM_SPELLING),   FLAG(TRACEMILL_DWARF_NAMES),
	FLAG(TRACEMILL_DETAILS),         FLAG(TRACEMILL_DECLARED),
	FLAG(TRACEMILL_RELATIVE),        FLAG(TRACEMILL_MANAGED_NAMES),
	FLAG(TRACEMILL_LINE_MAP_WINDOW), FLAG(TRACEMILL_MANAGED_BESIDE),
	FLAG(TRACEMILL_PLT_NAMES),
},
  naming_flags[] = {
      FLAG(TRACEMILL_NO_CAPTURED_PATHS), FLAG(TRACEMILL_SLIDE), FLAG(TRACEMILL_FIND_SLIDES),
      FLAG(TRACEMILL_ONLY_NAMELESS),     FLAG(TRACEMILL_TIMES),
};

enum {
	FLAGS = sizeof flags / sizeof *flags,
	NAMING_FLAGS = sizeof naming_flags / sizeof *naming_flags
};

/* Each flag alone, each with what names go through, and all. */
static void with_every_flag(void)
{
	struct tracemill_options o;
	unsigned all = 0;

	SIZED(o);
	for (size_t i = 0; i <= FLAGS; i++) {
		unsigned bit = i < FLAGS ? used(flags[i].name, flags[i].bit) : all;

		all |= bit;
		for (unsigned names = 0; names < 3; names++) {
			struct tracemill_symbolizer *s;

			o.flags = bit | (names ? TRACEMILL_DEMANGLE : 0) |
				  (names == 2 ? TRACEMILL_LLVM_SPELLING : 0);
			s = handle(&o);
			ask(s, o.flags);
			ask_of_stub(s, o.flags);
			CALL(tracemill_symbolizer_free)(s);
		}
	}
}

/* Of all answers so far three are chosen. */
static void ask_again(struct tracemill_symbolizer *s)
{
	struct tracemill_difference difference;
	struct tracemill_verified verified;

	SIZED(verified);
	SIZED(difference);
	OK(s, CALL(tracemill_verify)(s, &verified));
	IS(verified.asked == 3 && verified.equal == 3 && verified.seed == 7);
	IS(!verified.different && !verified.unknown);
	IS(CALL(tracemill_difference)(s, 0, &difference) == TRACEMILL_NOTHING);
	OK(s, tracemill_verify(s, NULL));
}

/* Every member set to something. */
static void with_every_option(const char *folder)
{
	const char *const dirs[] = {folder}, *const none[] = {"none.json"},
			  *const urls[] = {"http://127.0.0.1:1/"};
	struct tracemill_options o;
	struct tracemill_symbolizer *s;
	struct tracemill_binary *b;

	SIZED(o);
	o.flags = TRACEMILL_EXPLAIN | TRACEMILL_DETAILS | TRACEMILL_LINE_MAP_WINDOW;
	o.threads = 2;
	o.debug_dirs = dirs;
	o.n_debug_dirs = 1;
	o.sysroot = "/";
	o.debuginfod_urls = urls;
	o.n_debuginfod_urls = 1;
	o.debuginfod_seconds = 1;
	o.cache_dir = folder;
	o.progress = o.reading = o.fetching = no_progress;
	o.progress_arg = &o;
	o.engine = "fast";
	o.arch = "x86_64";
	o.dwp = "none.dwp";
	o.line_maps = o.method_maps = o.usyms = none;
	o.n_line_maps = o.n_method_maps = o.n_usyms = 1;
	o.line_map_window = 10;
	o.jit_map = "none.map";
	o.keep = 1 << 20;
	o.verify = 3;
	o.verify_seed = 7;
	s = handle(&o);
	ask(s, o.flags);
	ask_again(s);
	ask_of_binary(s);
	CALL(tracemill_symbolizer_exit)(s);
	s = handle(NULL);
	ask(s, 0);
	ask_of_binary(s);
	OK(s, tracemill_binary_open(s, binary, &b));
	OK(s, CALL(tracemill_binary_close)(s, b));
	ask(s, 0);
	tracemill_symbolizer_free(s);
}

/* ---- Traces ---- */

static const struct flag sums[] =
    {
	FLAG(TRACEMILL_SUM_COUNT), FLAG(TRACEMILL_SUM_REQUESTED), FLAG(TRACEMILL_SUM_REAL),
	FLAG(TRACEMILL_SUM_LIVE),  FLAG(TRACEMILL_SUM_TIME),      FLAG(TRACEMILL_SUM_NET),
},
			 fields[] =
			     {
				 FLAG(TRACEMILL_HAS_SEQ),       FLAG(TRACEMILL_HAS_ADDRESS),
				 FLAG(TRACEMILL_HAS_REQUESTED), FLAG(TRACEMILL_HAS_REAL),
				 FLAG(TRACEMILL_HAS_TYPE),      FLAG(TRACEMILL_HAS_STACK),
				 FLAG(TRACEMILL_HAS_TIME),      FLAG(TRACEMILL_HAS_COUNT),
				 FLAG(TRACEMILL_HAS_THREAD),    FLAG(TRACEMILL_HAS_VALUE),
				 FLAG(TRACEMILL_HAS_NAME),      FLAG(TRACEMILL_HAS_DOMAIN),
				 FLAG(TRACEMILL_HAS_TARGET),
},
			 event_kinds[] =
			     {
				 FLAG(TRACEMILL_FRAME),      FLAG(TRACEMILL_ALLOC),
				 FLAG(TRACEMILL_FREE),       FLAG(TRACEMILL_FREED),
				 FLAG(TRACEMILL_TYPE_TOTAL), FLAG(TRACEMILL_ENTER),
				 FLAG(TRACEMILL_EXIT),       FLAG(TRACEMILL_SAMPLE),
				 FLAG(TRACEMILL_COUNTER),    FLAG(TRACEMILL_OBJECT),
				 FLAG(TRACEMILL_REFERENCE),  FLAG(TRACEMILL_DELTA),
				 FLAG(TRACEMILL_LOG),        FLAG(TRACEMILL_PROFILE),
},
			 domains[] =
			     {
				 FLAG(TRACEMILL_MALLOC), FLAG(TRACEMILL_POOL), FLAG(TRACEMILL_MMAP),
				 FLAG(TRACEMILL_MONO),   FLAG(TRACEMILL_LUA),
},
			 spaces[] = {
			     FLAG(TRACEMILL_RUNTIME),   FLAG(TRACEMILL_FILE_OFFSET),
			     FLAG(TRACEMILL_LINK_TIME), FLAG(TRACEMILL_OFFSET_OR_LINK),
			     FLAG(TRACEMILL_NAME),      FLAG(TRACEMILL_UNKNOWN_ADDRESS),
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* One event of each kind, a location of each space for each known function. */
static void write_trace(const char *path, const uint8_t *id, size_t n_id)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	struct tracemill_writer *w = NULL;
	struct tracemill_location l;
	struct tracemill_thread t;
	struct tracemill_event e;
	struct tracemill_note note;
	uint32_t module, type, marker, counter, stack = 0;
	unsigned bits = 0;

	IS(!CALL(tracemill_writer_new_of)(&w, fd, TRACEMILL_LIBRARY_VERSION));
	for (size_t i = 0; i < COUNT(sums); i++)
		bits |= used(sums[i].name, sums[i].bit);
	WROTE(w, CALL(tracemill_writer_sums)(w, bits));
	WROTE(w, CALL(tracemill_writer_attribute)(w, "game", "every"));
	module = CALL(tracemill_writer_module)(w, binary, id, n_id, BASE, BASE + 0x1000000, 0);
	type = CALL(tracemill_writer_type)(w, "Mesh", 4);
	marker = CALL(tracemill_writer_marker)(w, "Update", 6);
	counter = CALL(tracemill_writer_counter)(w, "frames", "1");
	CLEAR(t);
	t.id = 7;
	t.name = CALL(tracemill_writer_string)(w, "main", 4);
	CLEAR(e);
	e.thread = CALL(tracemill_writer_thread)(w, &t);
	IS(module && type && marker && counter && t.name && e.thread);
	for (size_t i = 0; i < n_known; i++)
		for (size_t k = 0; k < COUNT(spaces); k++) {
			uint32_t location;

			CLEAR(l);
			l.space = (uint8_t)used(spaces[k].name, spaces[k].bit);
			l.kind = 2;
			l.address = known[i].address + (l.space == TRACEMILL_RUNTIME ? BASE : 0);
			if (l.space < TRACEMILL_NAME)
				l.module = module;
			if (l.space == TRACEMILL_NAME)
				l.name = t.name;
			location = CALL(tracemill_writer_location)(w, &l);
			stack = CALL(tracemill_writer_stack)(w, stack, location);
			IS(location && stack);
		}
	e.stack = stack;
	e.name = t.name;
	e.count = 1;
	for (size_t i = 0; i < COUNT(fields); i++)
		e.has = (uint16_t)(e.has | used(fields[i].name, fields[i].bit));
	for (size_t i = 0; i < COUNT(event_kinds); i++) {
		bool marked;

		e.kind = (uint8_t)used(event_kinds[i].name, event_kinds[i].bit);
		e.domain = (uint8_t)used(domains[i % COUNT(domains)].name,
					 domains[i % COUNT(domains)].bit);
		marked = (e.kind >= TRACEMILL_ENTER && e.kind <= TRACEMILL_SAMPLE) ||
			 e.kind == TRACEMILL_LOG;
		e.type = e.kind == TRACEMILL_COUNTER ? counter : marked ? marker : type;
		e.address = e.seq = i + 1;
		WROTE(w, CALL(tracemill_writer_event)(w, &e));
	}
	CLEAR(note);
	note.text = "a note";
	WROTE(w, CALL(tracemill_writer_note)(w, &note));
	WROTE(w, CALL(tracemill_writer_finish)(w));
	IS(!*CALL(tracemill_writer_error)(w));
	CALL(tracemill_writer_free)(w);
	close(fd);
}

static bool trace_begin(void *arg, const struct tracemill_trace *t)
{
	(void)t;
	++*(int *)arg;
	return true;
}

static bool trace_events(void *arg, const struct tracemill_trace *t,
			 const struct tracemill_event *events, size_t n)
{
	const char *unit = NULL;
	uint32_t callers = 0;
	size_t len = 0;

	(void)arg;
	for (size_t i = 0; i < n; i++) {
		const struct tracemill_event *e = &events[i];
		uint32_t at = CALL(tracemill_trace_stack)(t, e->stack, &callers);
		struct tracemill_location l = CALL(tracemill_trace_location)(t, at);

		(void)CALL(tracemill_trace_type)(t, e->type);
		(void)CALL(tracemill_trace_marker)(t, e->type);
		(void)CALL(tracemill_trace_counter)(t, e->type, &unit);
		(void)CALL(tracemill_trace_thread)(t, e->thread);
		(void)CALL(tracemill_trace_string)(t, e->name, &len);
		(void)CALL(tracemill_trace_module)(t, l.module);
	}
	return true;
}

static bool trace_end(void *arg, const struct tracemill_trace *t)
{
	struct tracemill_call calls[4];
	struct tracemill_note note;
	size_t named = 0;

	(void)arg;
	IS(!strcmp(CALL(tracemill_trace_attribute)(t, "game"), "every"));
	IS(CALL(tracemill_trace_note)(t, 0, &note));
	for (size_t i = 0; i < COUNT(event_kinds); i++)
		(void)CALL(tracemill_trace_count)(t, (enum tracemill_event_kind)event_kinds[i].bit);
	for (uint32_t i = 1; i < 1 + n_known * COUNT(spaces); i++)
		for (int shown = 0; shown < 2; shown++)
			named += CALL(tracemill_trace_calls)(t, i, shown != 0, calls, 4) > 0;
	/* At least those of the runtime and of link time. */
	IS(named >= 2 * 2 * n_known);
	return true;
}

static void name_trace(struct tracemill_symbolizer *s, const char *path, unsigned bits,
		       const char *file)
{
	char given[5000];
	const char *const files[] = {file}, *const modules[] = {given};
	struct tracemill_trace_symbolizer_options o;
	struct tracemill_trace_symbolizer *n = NULL;
	struct tracemill_stream from;
	struct tracemill_scanned scanned;
	struct tracemill_capture capture;
	struct tracemill_coverage coverage;
	struct tracemill_file used_file;
	struct tracemill_module module;
	struct tracemill_times times;
	struct tracemill_binary_times binary_times;
	struct tracemill_text_sums text_sums;
	struct tracemill_receiver receiver;
	char error[400], line[5000];
	const char *text;
	size_t len = 0;
	int fd, begun = 0;

	SIZED(o);
	o.flags = bits;
	o.locations = 2;
	o.offsets = TRACEMILL_LINK_TIME;
	snprintf(given, sizeof given, "%s=%s", file, file);
	o.files = files;
	o.modules = modules;
	o.n_files = o.n_modules = 1;
	o.slide = BASE;
	OK(s, CALL(tracemill_trace_symbolizer_new)(s, &o, &n));
	OK(s, CALL(tracemill_trace_symbolizer_maps)(n, NULL, 0));
	SIZED(from);
	SIZED(scanned);
	from.ends = NULL;
	from.fd = open(path, O_RDONLY);
	OK(s, CALL(tracemill_trace_symbolizer_scan)(n, &from, &scanned));
	IS(scanned.n == 1 && !scanned.cut);
	fd = open("named.tmt", O_CREAT | O_TRUNC | O_WRONLY, 0600);
	OK(s, CALL(tracemill_trace_symbolizer_copy)(n, fd));
	close(fd);
	if (!(bits & TRACEMILL_ONLY_NAMELESS) || !scanned.already_symbolized) {
		SIZED(capture);
		OK(s, CALL(tracemill_trace_symbolizer_capture)(n, 0, &capture));
		IS(capture.n_locations == n_known * COUNT(spaces));
		SIZED(coverage);
		OK(s, CALL(tracemill_trace_symbolizer_coverage)(n, 0, 0, &coverage));
		IS(coverage.lines >= 2 * n_known);
		SIZED(receiver);
		receiver.begin = trace_begin;
		receiver.events = trace_events;
		receiver.end = trace_end;
		if (CALL(tracemill_trace_read)("named.tmt", &receiver, &begun, error, sizeof error))
			wrong(__LINE__, "tracemill_trace_read", error);
		IS(begun == 1);
	}
	SIZED(used_file);
	OK(s, CALL(tracemill_trace_symbolizer_file)(n, 0, &used_file));
	SIZED(module);
	(void)CALL(tracemill_trace_symbolizer_module)(n, 0, &module);
	OK(s, CALL(tracemill_trace_symbolizer_explain_modules)(n, &text, &len));
	OK(s, CALL(tracemill_trace_symbolizer_explain)(n, 0, 1, &text, &len));
	SIZED(times);
	(void)CALL(tracemill_trace_symbolizer_times)(n, &times);
	SIZED(binary_times);
	(void)CALL(tracemill_trace_symbolizer_binary_times)(n, 0, &binary_times);
	snprintf(line, sizeof line, "    #0 0x%llx  (%s+0x%llx)\n",
		 (unsigned long long)(BASE + known[0].address), binary,
		 (unsigned long long)known[0].address);
	OK(s, CALL(tracemill_trace_symbolizer_text)(n, line, strlen(line), &text, &len));
	IS(strstr(text, known[0].spelled[0]) || strstr(text, known[0].raw) ||
	   strstr(text, known[0].spelled[1]));
	SIZED(text_sums);
	OK(s, CALL(tracemill_trace_symbolizer_text_end)(n, &text_sums));
	close(from.fd);
}

static void traces(void)
{
	struct tracemill_symbolizer *s;
	struct tracemill_binary *b = NULL;
	struct tracemill_binary_facts facts;
	struct tracemill_options o;
	unsigned all = 0;

	SIZED(o);
	o.flags = TRACEMILL_EXPLAIN | TRACEMILL_DEMANGLE | TRACEMILL_LLVM_SPELLING;
	s = handle(&o);
	OK(s, tracemill_binary_open(s, binary, &b));
	SIZED(facts);
	OK(s, tracemill_binary_facts(s, b, &facts));
	write_trace("plain.tmt", facts.build_id, facts.n_build_id);
	name_trace(s, "plain.tmt", 0, binary);
	for (size_t i = 0; i < NAMING_FLAGS; i++) {
		all |= naming_flags[i].bit;
		name_trace(s, "plain.tmt", used(naming_flags[i].name, naming_flags[i].bit), binary);
	}
	name_trace(s, "plain.tmt", all, binary);
	for (unsigned r = 0; r < 32; r++)
		IS(*CALL(tracemill_reason_text)(r));
	tracemill_symbolizer_free(s);
}

int main(int argc, char **argv)
{
	FILE *f = argc == 3 ? fopen(argv[2], "r") : NULL;
	char line[16384];

	if (!f)
		return 2;
	self = argv[0];
	binary = argv[1];
	while (n_known < MOST && fgets(line, sizeof line, f))
		if (sscanf(line, "%llx\t%4095[^\t]\t%4095[^\t]\t%4095[^\n]",
			   (unsigned long long *)&known[n_known].address, known[n_known].raw,
			   known[n_known].spelled[0], known[n_known].spelled[1]) == 4)
			n_known++;
	fclose(f);
	IS(n_known > 3);
	IS(CALL(tracemill_library_version)() >> 16 == TRACEMILL_LIBRARY_VERSION >> 16);
	for (unsigned i = 0; i < 16; i++)
		IS(*CALL(tracemill_status_text)((enum tracemill_status)i));
	demangle_names();
	with_every_flag();
	with_every_option(".");
	traces();
	return failed;
}
