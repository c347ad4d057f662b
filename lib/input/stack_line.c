/* SPDX-License-Identifier: MIT */
#include "lib/input/stack_line.h"

#include "lib/base/num.h"
#include "lib/base/path.h"
#include "lib/base/text.h"

#include <string.h>

enum {
	LONGEST = 64 << 10,   /* of a line that may be one */
	TRIES = 8,            /* places of a line where a call may begin */
	LEAST_ADDRESS = 4096, /* no code is below */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && is_blank(*s))
		s++;
	return s;
}

static const char *trim_end(const char *s, const char *end)
{
	while (end > s && (is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	return end;
}

static struct stack_text_part part(const char *s, const char *end)
{
	return (struct stack_text_part){s, (size_t)(end - s)};
}

static bool is_text(const char *s, const char *end, const char *word)
{
	return (size_t)(end - s) == strlen(word) && !memcmp(s, word, strlen(word));
}

static bool begins(const char *s, const char *end, const char *word)
{
	return text_begins(s, (size_t)(end - s), word);
}

/* Digits at *s, with or without 0x, behind which *s then is. */
static bool parse_hex(const char **s, const char *end, uint64_t *v)
{
	const char *p = *s + (begins(*s, end, "0x") ? 2 : 0), *from = p;

	while (p < end && num_hex_digit(*p) >= 0)
		p++;
	if (p == from || !num_hex(from, (size_t)(p - from), v))
		return false;
	*s = p;
	return true;
}

static bool parse_decimal(const char **s, const char *end, uint64_t *v)
{
	const char *p = *s;

	while (p < end && is_digit(*p))
		p++;
	if (p == *s || !num_dec(*s, (size_t)(p - *s), v))
		return false;
	*s = p;
	return true;
}

const char *stack_line_parentheses(const char *s, const char *end)
{
	int depth = 0;

	if (end == s || end[-1] != ')')
		return NULL;
	while (end > s) {
		end--;
		depth += *end == ')' ? 1 : *end == '(' ? -1 : 0;
		if (!depth)
			return end;
	}
	return NULL;
}

/* "(BuildId: 155a)" at the end, before which *end then is. */
static void parse_build_id(const char *s, const char **end, struct stack_line *l)
{
	static const char label[] = "BuildId: ";
	const char *open = stack_line_parentheses(s, *end), *id;

	if (!open || !begins(open + 1, *end, label))
		return;
	id = open + sizeof label;
	l->build_id = part(id, *end - 1);
	*end = trim_end(s, open);
}

/* "game:x86_64", as the sanitizers print modules of macOS (ModuleArchToString in sanitizer_common). */
static void parse_arch(struct stack_line *l)
{
	static const char *const archs[] = {"i386",   "x86_64", "x86_64h", "armv6", "armv7",
					    "armv7s", "armv7k", "arm64",   "arm64e"};
	const char *end = l->module.s + l->module.n,
		   *colon = memrchr(l->module.s, ':', l->module.n);

	for (size_t i = 0; colon && colon > l->module.s && i < sizeof archs / sizeof *archs; i++)
		if (is_text(colon + 1, end, archs[i])) {
			l->arch = part(colon + 1, end);
			l->module = part(l->module.s, colon);
			return;
		}
}

/* "(module+0x12)", from open to the closing one at end. */
static bool parse_place(const char *open, const char *end, struct stack_line *l)
{
	const char *plus, *p;

	if (!open || end - open < 3)
		return false;
	plus = memrchr(open, '+', (size_t)(end - open));
	if (!plus || plus == open + 1 || !begins(plus + 1, end, "0x"))
		return false;
	p = plus + 1;
	if (!parse_hex(&p, end, &l->offset) || p != end - 1)
		return false;
	l->has_offset = true;
	l->module = part(open + 1, plus);
	parse_arch(l);
	return true;
}

/* "file:12:3" -> its parts. */
static void stack_line_parse_source(const char *s, const char *end, struct stack_line *l)
{
	uint64_t numbers[2];
	size_t n = 0;

	while (n < 2) {
		const char *colon = memrchr(s, ':', (size_t)(end - s));

		if (!colon || colon == s ||
		    !num_dec(colon + 1, (size_t)(end - colon) - 1, &numbers[n]))
			break;
		n++;
		end = colon;
	}
	if (n) {
		l->line = numbers[n - 1];
		l->column = n > 1 ? numbers[0] : 0;
	}
	if (!is_text(s, end, "<null>") && !is_text(s, end, "??"))
		l->file = part(s, end);
}

/* Where "name /src/a.cc:5:8" has its file: a path may have blanks, a name has them too. */
static const char *source_of(const char *s, const char *end)
{
	const char *slash = memmem(s, (size_t)(end - s), " /", 2), *last;

	if (slash)
		return slash + 1;
	last = memrchr(s, ' ', (size_t)(end - s));
	if (!last)
		return NULL;
	if (is_text(last + 1, end, "<null>"))
		return last + 1;
	/* "operator new(unsigned long)" is no file */
	return memchr(last, ':', (size_t)(end - last)) && is_digit(end[-1]) ? last + 1 : NULL;
}

static void parse_name(const char *s, const char *end, struct stack_line *l)
{
	const char *file = source_of(s, end), *name_end;

	if (file)
		stack_line_parse_source(file, end, l);
	name_end = trim_end(s, file ? file : end);
	if (name_end > s && !is_text(s, name_end, "<null>") && !is_text(s, name_end, "??"))
		l->name = part(s, name_end);
}

/* What stands behind an address in no module that the program knew: nothing, or what Chrome, the sanitizers
 * and GDB have there. */
static bool is_unknown(const char *s, const char *end)
{
	return s == end || is_text(s, end, "<unknown>") || is_text(s, end, "(<unknown module>)") ||
	       is_text(s, end, "in ?? ()");
}

/* Behind "#1 ". */
static bool stack_line_parse_sanitizer(const char *s, const char *at, const char *end,
				       struct stack_line *l)
{
	bool has_place;
	const char *open;

	l->kind = STACK_LINE_SANITIZER;
	if (begins(at, end, "0x")) {
		if (!parse_hex(&at, end, &l->address) || (at < end && !is_blank(*at)))
			return false;
		l->has_address = true;
	} else {
		l->kind = STACK_LINE_THREAD_SANITIZER;
	}
	at = skip_blanks(at, end);
	end = trim_end(at, end);
	l->tail = (size_t)(end - s);
	parse_build_id(at, &end, l);
	open = stack_line_parentheses(at, end);
	has_place = parse_place(open, end, l);
	if (has_place) {
		l->tail = (size_t)(open - s);
		end = trim_end(at, open);
	}
	if (l->kind == STACK_LINE_THREAD_SANITIZER) {
		parse_name(at, end, l);
		return has_place;
	}
	if (!has_place && is_unknown(at, end))
		return l->address >= LEAST_ADDRESS;
	if (begins(at, end, "in "))
		parse_name(at + 3, end, l);
	else if (at < end)
		return false;
	return has_place || l->name.n;
}

/* The "(name+12)" at the end of a path. */
static void parse_android_name(const char *s, const char **end, struct stack_line *l)
{
	const char *open = stack_line_parentheses(s, *end), *plus;

	if (!open)
		return;
	plus = memrchr(open, '+', (size_t)(*end - open));
	if (!plus || plus == open + 1 || !num_dec(plus + 1, (size_t)(*end - plus) - 2, &l->plus))
		return;
	l->has_plus = true;
	l->name = part(open + 1, plus);
	*end = trim_end(s, open);
}

/* OpenHarmony: the bare digits of a build-id. */
static void parse_bare_id(const char *s, const char **end, struct stack_line *l)
{
	const char *open = stack_line_parentheses(s, *end);

	if (!open || *end - open < 18)
		return;
	for (const char *p = open + 1; p < *end - 1; p++)
		if (num_hex_digit(*p) < 0)
			return;
	l->build_id = part(open + 1, *end - 1);
	*end = trim_end(s, open);
}

static void parse_archive(const char *s, const char **end, struct stack_line *l)
{
	static const char label[] = "(offset ";
	const char *open = stack_line_parentheses(s, *end), *p;

	if (!open || !begins(open, *end, label))
		return;
	p = open + sizeof label - 1;
	if (!parse_hex(&p, *end, &l->archive) || p != *end - 1)
		return;
	l->has_archive = true;
	*end = trim_end(s, open);
}

/* Behind "#01 pc ". */
static bool stack_line_parse_android(const char *s, const char *at, const char *end,
				     struct stack_line *l)
{
	const char *from = at;

	if (!parse_hex(&at, end, &l->offset) || at - from < 4 || (at < end && !is_blank(*at)))
		return false;
	l->kind = STACK_LINE_ANDROID;
	l->has_offset = true;
	at = skip_blanks(at, end);
	end = trim_end(at, end);
	l->tail = (size_t)(end - s);
	parse_build_id(at, &end, l);
	if (!l->build_id.n)
		parse_bare_id(at, &end, l);
	parse_android_name(at, &end, l);
	parse_archive(at, &end, l);
	if (!is_text(at, end, "<unknown>"))
		l->module = part(at, end);
	return true;
}

/* "#12 ", anywhere in the line: logs have their own beginnings. */
static bool stack_line_parse_numbered(const char *s, const char *end, struct stack_line *l)
{
	const char *p = s;

	for (size_t i = 0; i < TRIES && p < end && (p = memchr(p, '#', (size_t)(end - p)));
	     i++, p++) {
		const char *at = p + 1;

		*l = (struct stack_line){.has_number = true, .call = (size_t)(p - s)};
		if ((p > s && !is_blank(p[-1])) || !parse_decimal(&at, end, &l->number) ||
		    at == end || !is_blank(*at))
			continue;
		at = skip_blanks(at, end);
		if (begins(at, end, "pc ")
			? stack_line_parse_android(s, skip_blanks(at + 3, end), end, l)
			: stack_line_parse_sanitizer(s, at, end, l))
			return true;
	}
	return false;
}

static bool parse_summary(const char *s, const char *end, struct stack_line *l)
{
	const char *at = memmem(s, (size_t)(end - s), "SUMMARY: ", 9), *open;

	if (!at || !memmem(at, (size_t)(end - at), "Sanitizer: ", 11))
		return false;
	*l = (struct stack_line){.kind = STACK_LINE_SUMMARY, .call = (size_t)(at - s)};
	end = trim_end(at, end);
	parse_build_id(at, &end, l);
	open = stack_line_parentheses(at, end);
	if (!parse_place(open, end, l))
		return false;
	l->tail = (size_t)(open - s);
	return true;
}

/* "C  [libgame.so+0x12]  name+0x12", behind "# " in the file's head. */
static bool stack_line_parse_java(const char *s, const char *end, struct stack_line *l)
{
	const char *at = s, *open, *close, *plus, *p;

	if (begins(at, end, "# "))
		at += 2;
	*l = (struct stack_line){.kind = STACK_LINE_JAVA, .call = (size_t)(at - s)};
	if (end - at < 4 || !strchr("CV", *at) || !is_blank(at[1]))
		return false;
	open = skip_blanks(at + 1, end);
	p = open;
	if (begins(p, end, "0x") && parse_hex(&p, end, &l->address) && p == trim_end(p, end))
		return l->has_address = true;
	if (open == end || *open != '[')
		return false;
	close = memchr(open, ']', (size_t)(end - open));
	plus = close ? memrchr(open, '+', (size_t)(close - open)) : NULL;
	if (!plus || plus == open + 1)
		return false;
	p = plus + 1;
	if (!begins(p, close, "0x") || !parse_hex(&p, close, &l->offset) || p != close)
		return false;
	l->has_offset = true;
	l->module = part(open + 1, plus);
	l->tail = (size_t)(close - s) + 1;
	end = trim_end(close + 1, end);
	p = stack_line_parentheses(close + 1, end); /* newer ones: (game.c:12) */
	if (p && memchr(p, ':', (size_t)(end - p))) {
		stack_line_parse_source(p + 1, end - 1, l);
		end = trim_end(close + 1, p);
	}
	at = skip_blanks(close + 1, end);
	plus = memrchr(at, '+', (size_t)(end - at));
	if (!plus || plus == at)
		return true;
	p = plus + 1;
	if (begins(p, end, "0x") && parse_hex(&p, end, &l->plus) && p == end) {
		l->has_plus = true;
		l->name = part(at, plus);
	}
	return true;
}

/* Before "[0x12]". */
static bool stack_line_parse_glibc_place(const char *s, const char *end, struct stack_line *l)
{
	const char *open = stack_line_parentheses(s, end), *from, *plus, *p;
	const char *module_end = open ? open : end;

	from = s;
	if (*s != '/' && *s != '.') { /* a log's beginning; paths with blanks begin the line */
		const char *blank = memrchr(s, ' ', (size_t)(module_end - s));

		from = blank ? blank + 1 : s;
	}
	if (from == module_end)
		return false;
	l->call = (size_t)(from - s);
	l->module = part(from, module_end);
	if (!open) {
		l->offset = l->address;
		l->has_offset = true;
		return memchr(from, '/', l->module.n);
	}
	if (end - open == 2) { /* not moved: the address is that of the file */
		l->offset = l->address;
		l->has_offset = true;
		return true;
	}
	plus = memrchr(open, '+', (size_t)(end - open));
	p = plus ? plus + 1 : NULL;
	if (!p || !begins(p, end, "0x") || !parse_hex(&p, end, &l->plus) || p != end - 1)
		return false;
	l->has_plus = plus > open + 1;
	if (l->has_plus) {
		l->name = part(open + 1, plus);
	} else {
		l->offset = l->plus;
		l->has_offset = true;
	}
	return true;
}

static bool parse_glibc(const char *s, const char *end, struct stack_line *l)
{
	const char *open, *p;

	*l = (struct stack_line){.kind = STACK_LINE_GLIBC};
	end = trim_end(s, end);
	if (end == s || end[-1] != ']')
		return false;
	open = memrchr(s, '[', (size_t)(end - s));
	p = open ? open + 1 : NULL;
	if (!p || open == s || !begins(p, end, "0x") || !parse_hex(&p, end, &l->address) ||
	    p != end - 1)
		return false;
	l->has_address = true;
	l->tail = (size_t)(end - s);
	return stack_line_parse_glibc_place(s, trim_end(s, open), l);
}

static bool ends_with(const char *s, const char *end, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(end - s) >= n && !memcmp(end - n, what, n);
}

/* Pages load "game.wasm.br", "game.wasm.gz", and of Unity "game.wasm.unityweb" or "game.wasm.code.unityweb": the module
 * is game.wasm. */
static struct stack_text_part unpacked_wasm(const char *url, const char *end)
{
	static const char *const packed[] = {".br", ".gz", ".unityweb", ".code.unityweb"};

	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		if (ends_with(url, end, packed[i]) &&
		    ends_with(url, end - strlen(packed[i]), ".wasm"))
			return part(url, end - strlen(packed[i]));
	return part(url, end);
}

/* The file of a module's address. There is none of "page.js line 12 > WebAssembly.Module", which Firefox says of bytes that a
 * script has, of "<anonymous>", and of "blob:" and "data:", whose addresses are numbers or the bytes themselves. The name in
 * "wasm://wasm/game.wasm-e94bbfde" is the module's own, which may be missing; V8 puts a hash behind it. */
static struct stack_text_part wasm_file(const char *url, const char *end)
{
	static const char scheme[] = "wasm://wasm/";
	const char *name = url + sizeof scheme - 1, *dash;

	if (memmem(url, (size_t)(end - url), " > WebAssembly.", 15) || begins(url, end, "blob:") ||
	    begins(url, end, "data:") || is_text(url, end, "<anonymous>"))
		return part(url, url);
	if (!begins(url, end, scheme)) {
		for (const char *p = url; p < end; p++)
			if (*p == '?' || *p == '#')
				end = p;
		return unpacked_wasm(url, end);
	}
	dash = memrchr(name, '-', (size_t)(end - name));
	return part(name, dash ? dash : name);
}

/* The last " (": names have some, too. NULL: there is none. */
static const char *last_open(const char *s, const char *end)
{
	for (const char *p = end; p - s >= 2; p--)
		if (p[-1] == '(' && p[-2] == ' ')
			return p - 2;
	return NULL;
}

/* "    at name (url:wasm-function[1]:0x7a)", "    at url:...", "name@url:..." */
static bool stack_line_parse_wasm(const char *s, const char *end, struct stack_line *l)
{
	static const char mark[] = ":wasm-function[", *const bare = mark + 1;
	const char *at, *p, *url, *last = trim_end(s, end), *url_end;

	*l = (struct stack_line){.kind = STACK_LINE_WASM};
	at = skip_blanks(s, last);
	l->call = (size_t)(at - s);
	url_end = memmem(at, (size_t)(last - at), mark, sizeof mark - 1);
	if (!url_end) /* "at wasm-function[1]:0x7a", "at name (wasm-function[1]:0x7a)" */
		url_end = begins(at, last, "at ")
			      ? memmem(at, (size_t)(last - at), bare, sizeof mark - 2)
			      : NULL;
	if (!url_end)
		return false;
	p = url_end + sizeof mark - 1 - (*url_end != ':');
	if (!parse_decimal(&p, last, &l->number) || !begins(p, last, "]:0x"))
		return false;
	p += 2;
	if (!parse_hex(&p, last, &l->offset))
		return false;
	l->has_offset = true;
	if (begins(at, url_end, "at ")) {
		at += 3;
		url = last_open(at, url_end);
		if (url ? p != last - 1 || *p != ')' : p != last)
			return false;
		if (url)
			l->name = part(at, url);
		url = url ? url + 2 : at;
	} else {
		const char *scheme = memmem(at, (size_t)(url_end - at), "://", 3);

		url = memrchr(at, '@', (size_t)((scheme ? scheme : url_end) - at));
		if (!url || p != last)
			return false;
		l->name = part(at, url);
		url++;
	}
	l->tail = (size_t)(url - s);
	l->module = wasm_file(url, url_end);
	return true;
}

bool stack_line_parse(const char *s, size_t n, struct stack_line *l)
{
	const char *end = s + n;

	if (!n || n > LONGEST)
		return false;
	return stack_line_parse_numbered(s, end, l) || parse_summary(s, end, l) ||
	       stack_line_parse_java(s, end, l) || parse_glibc(s, end, l) ||
	       stack_line_parse_wasm(s, end, l);
}

/* "Game-Win64-Shipping      0x00007ff7e7e30000 + 28cd7fc", in columns; "<CallStack>" may stand before it, and "</CallStack>"
 * behind it. */
static bool parse_unreal(const char *s, const char *end, struct stack_line *l)
{
	enum { GRANULE = 0xffff }; /* where Windows loads modules */
	const char *last = trim_end(s, end), *at = s, *p, *module_end, *tag;
	uint64_t base;

	*l = (struct stack_line){.kind = STACK_LINE_UNREAL};
	p = memmem(at, (size_t)(last - at), " 0x", 3);
	tag = p ? memrchr(at, '>', (size_t)(p - at)) : NULL;
	at = skip_blanks(tag ? tag + 1 : at, last);
	if (!p || p <= at)
		return false;
	l->call = (size_t)(at - s);
	module_end = trim_end(at, p++);
	if (!parse_hex(&p, last, &base) || base & GRANULE || !base || !begins(p, last, " + "))
		return false;
	p += 3;
	if (!parse_hex(&p, last, &l->offset))
		return false;
	l->tail = (size_t)(p - s);
	p = skip_blanks(p, last);
	if (p != last && *p != '<')
		return false;
	l->has_offset = true;
	l->address = base + l->offset;
	l->has_address = true;
	l->module = part(at, module_end);
	return true;
}

/* Behind "0x00007ff7ea6fd7fc ": "(GameAssembly) [file:12] name", or "Game.exe!UnknownFunction []" */
static bool parse_at_address(const char *s, const char *at, const char *end, struct stack_line *l)
{
	const char *close, *bang, *open;

	if (*at == '(') {
		close = memchr(at, ')', (size_t)(end - at));
		if (!close || close == at + 1)
			return false;
		l->kind = STACK_LINE_UNITY;
		l->module = part(at + 1, close);
		l->tail = (size_t)(close - s) + 1;
		at = skip_blanks(close + 1, end);
		close = *at == '[' && at < end ? memmem(at, (size_t)(end - at), "] ", 2) : NULL;
		if (close) {
			stack_line_parse_source(at + 1, close, l);
			at = skip_blanks(close + 1, end);
		}
		if (at < end && !is_text(at, end, "(function-name not available)"))
			l->name = part(at, end);
		return true;
	}
	bang = memchr(at, '!', (size_t)(end - at));
	open = bang && end[-1] == ']' ? memrchr(bang, '[', (size_t)(end - bang)) : NULL;
	if (!open || bang == at || open[-1] != ' ' || memchr(at, ' ', (size_t)(bang - at)))
		return false;
	if (open + 2 < end)
		stack_line_parse_source(open + 1, end - 1, l);
	l->kind = STACK_LINE_UNREAL;
	l->module = part(at, bang);
	l->tail = (size_t)(end - s);
	if (!is_text(bang + 1, open - 1, "UnknownFunction"))
		l->name = part(bang + 1, open - 1);
	return true;
}

/* Unreal's log has words of its own before the address. */
static bool parse_unity(const char *s, const char *end, struct stack_line *l)
{
	static const char mark[] = "[Callstack] ";
	const char *last = trim_end(s, end), *at = skip_blanks(s, last), *logged, *digits;
	bool narrow;

	logged = memmem(at, (size_t)(last - at), mark, sizeof mark - 1);
	if (logged)
		at = logged + sizeof mark - 1;
	*l = (struct stack_line){.call = (size_t)(at - s)};
	digits = at + 2;
	if (!begins(at, last, "0x") || !parse_hex(&at, last, &l->address) || at == last ||
	    *at != ' ')
		return false;
	narrow = at - digits == 8;
	at = skip_blanks(at, last);
	l->has_address = true;
	if (at == last || !parse_at_address(s, at, last, l))
		return false;
	if (narrow && l->kind == STACK_LINE_UNITY) /* it prints as many digits as a pointer has */
		l->bits = 32;
	return true;
}

/* 8 or 16 digits, the latter with or without "`" in the middle: how many bits they are. 0: it is none. */
static uint8_t parse_windbg_number(const char **s, const char *end)
{
	const char *p = *s;
	size_t n = 0;

	for (; p < end && (num_hex_digit(*p) >= 0 || (*p == '`' && n == 8)); p++)
		n += *p != '`';
	if ((n != 8 && n != 16) || (p < end && !is_blank(*p)))
		return 0;
	*s = skip_blanks(p, end);
	return (uint8_t)(4 * n);
}

/* The number of a call, or the size of its frame. */
static bool parse_windbg_column(const char **s, const char *end, uint64_t *v)
{
	const char *p = *s;

	if (!parse_hex(&p, end, v) || p - *s > 7 || p == end || !is_blank(*p))
		return false;
	*s = skip_blanks(p, end);
	return true;
}

/* Takes " [C:\\src\\a.c @ 12]" off the end. */
static const char *take_windbg_source(const char *s, const char *last, struct stack_line *l)
{
	static const char mark[] = " @ ";
	const char *open = last > s && last[-1] == ']' ? memrchr(s, '[', (size_t)(last - s)) : NULL;
	const char *at = open ? memmem(open, (size_t)(last - open), mark, sizeof mark - 1) : NULL;
	const char *p = at ? at + sizeof mark - 1 : NULL;

	if (!p || open == s || open[-1] != ' ' || !parse_decimal(&p, last, &l->line) ||
	    p != last - 1)
		return last;
	l->file = part(open + 1, at);
	return trim_end(s, open);
}

/* Where " (FPO: [0,0,0]) (CONV: cdecl)" begins at the end, of "kv" of x86. */
static const char *before_conventions(const char *s, const char *last)
{
	const char *open;

	while ((open = stack_line_parentheses(s, last)) &&
	       (begins(open, last, "(FPO: ") || begins(open, last, "(CONV: ")))
		last = trim_end(s, open);
	return last;
}

/* module[!name]+0x12; !analyze has no "0x". */
static bool parse_windbg_symbol(const char *p, const char *last, bool prefix, struct stack_line *l)
{
	const char *plus = memrchr(p, '+', (size_t)(last - p)), *at = plus ? plus + 1 : last, *bang;

	if (!plus || plus == p || begins(at, last, "0x") != prefix ||
	    !parse_hex(&at, last, &l->plus) || at != last)
		return false;
	bang = memchr(p, '!', (size_t)(plus - p));
	l->module = part(p, bang ? bang : plus);
	if (memchr(p, ' ', l->module.n) || !l->module.n)
		return false;
	l->has_plus = bang;
	l->has_offset = !bang;
	if (bang)
		l->name = part(bang + 1, plus);
	else
		l->offset = l->plus;
	return true;
}

/* [number] [frame] return [: words :] module[!name]+0x12 [file @ line] */
static bool parse_windbg(const char *s, const char *end, struct stack_line *l)
{
	const char *last = trim_end(s, end), *at = skip_blanks(s, last), *p = at;

	*l = (struct stack_line){.kind = STACK_LINE_WINDBG, .call = (size_t)(at - s)};
	last = take_windbg_source(s, last, l);
	l->tail = (size_t)(last - s);
	last = before_conventions(s, last);
	if (!(l->bits = parse_windbg_number(&p, last))) {
		uint64_t bytes;

		if (!parse_windbg_column(&p, last, &l->number))
			return false;
		l->has_number = memchr(at, ' ', 4);               /* longer ones are sizes alone */
		if (!(l->bits = parse_windbg_number(&p, last)) && /* "kf": the size of the frame */
		    (!parse_windbg_column(&p, last, &bytes) ||
		     !(l->bits = parse_windbg_number(&p, last))))
			return false;
	}
	if (!parse_windbg_number(&p, last) && (p == last || *p != ':')) /* "kb": no frame */
		return false;
	while (p < last && (*p == ':' || num_hex_digit(*p) >= 0)) {
		const char *word = p;

		if (*p == ':')
			p = skip_blanks(p + 1, last);
		else if (!parse_windbg_number(&p, last))
			break;
		if (p == word)
			break;
	}
	return parse_windbg_symbol(p, last, true, l);
}

/* "0x00007ff673dd1183 in C:\game\game.exe" */
static bool parse_address_in(const char *s, const char *p, const char *last, struct stack_line *l)
{
	static const char in[] = " in ";

	if (!begins(p, last, "0x") || !parse_hex(&p, last, &l->address) || !begins(p, last, in))
		return false;
	l->tail = (size_t)(p - s);
	l->has_address = true;
	p += sizeof in - 1;
	l->module.n = (size_t)(last - p);
	l->module.s = path_base_captured_n(p, &l->module.n);
	return path_is_program(l->module.s, l->module.n);
}

/* "#0 game.exe+0x12", "0# game!name+0x12": a program's own handler, Boost.Stacktrace. The mark shows that it is a call; a
 * module that is not known as one of Windows has a '!'. */
static bool parse_own(const char *s, const char *end, struct stack_line *l)
{
	const char *last = trim_end(s, end), *at = skip_blanks(s, last), *p = at;
	bool marked = p < last && *p == '#';

	*l = (struct stack_line){
	    .kind = STACK_LINE_WINDBG, .has_number = true, .call = (size_t)(at - s)};
	l->tail = (size_t)(last - s);
	p += marked;
	if (!parse_decimal(&p, last, &l->number))
		return false;
	if (p < last && *p == '#' && !marked) {
		/* Boost: RtlCaptureStackBackTrace has its callers alone (stacktrace/detail/collect_msvc.ipp) */
		marked = l->returns = true;
		p++;
	}
	if (!marked || p == last || !is_blank(*p))
		return false;
	p = skip_blanks(p, last);
	return parse_address_in(s, p, last, l) ||
	       (parse_windbg_symbol(p, last, true, l) &&
		(l->has_plus || path_is_program(l->module.s, l->module.n)));
}

/* "game.exe+0x12" alone or, two blanks behind the numbers of a row: so our reports print places without names. */
static bool parse_row(const char *s, const char *end, struct stack_line *l)
{
	const char *last = trim_end(s, end), *at = last;

	while (at > s && !is_blank(at[-1]))
		at--;
	for (const char *p = s; p < at; p++)
		if (!is_blank(*p) &&
		    ((!is_digit(*p) && *p != '.' && *p != '%') || !is_blank(at[-2])))
			return false;
	if (at < last && *at == '#') /* "#0game.exe+0x12" */
		return false;
	*l =
	    (struct stack_line){.kind = STACK_LINE_WINDBG, .alone = true, .call = (size_t)(at - s)};
	l->tail = (size_t)(last - s);
	return parse_windbg_symbol(at, last, true, l) && l->has_offset &&
	       path_is_program(l->module.s, l->module.n);
}

bool stack_line_parse_symbol(const char *s, size_t n, struct stack_line *l)
{
	static const char label[] = "SYMBOL_NAME:";
	const char *last = trim_end(s, s + n), *at = s;

	if (n > LONGEST)
		return false;
	if (begins(s, last, label))
		at = skip_blanks(s + sizeof label - 1, last);
	*l = (struct stack_line){.kind = STACK_LINE_WINDBG_SYMBOL, .call = (size_t)(at - s)};
	last = take_windbg_source(at, last, l);
	l->tail = (size_t)(last - s);
	return parse_windbg_symbol(at, last, false, l);
}

/* "SYMBOL_NAME:  game+1006" */
static bool parse_symbol_name(const char *s, const char *end, struct stack_line *l)
{
	return begins(s, end, "SYMBOL_NAME:") && stack_line_parse_symbol(s, (size_t)(end - s), l);
}

bool stack_line_begins_windbg(const char *s, size_t n)
{
	const char *end = s + n, *at;

	return n && n <= LONGEST &&
	       (begins(s, end, "STACK_TEXT:") ||
		((at = memmem(s, n, "RetAddr", 7)) &&
		 (begins(at, end, "RetAddr  ") || trim_end(at, end) == at + 7)));
}

bool stack_line_announces_symbol(const char *s, size_t n)
{
	const char *end = trim_end(s, s + n);

	return is_text(s, end, "FAULTING_IP:") || is_text(s, end, "FOLLOWUP_IP:");
}

/* Behind the address: "0x1027a0000 + 72236", or "main + 44 (main.m:16)"; "operator + (int) + 44" has two. */
static bool parse_apple_place(const char *at, const char *end, struct stack_line *l)
{
	const char *from = at, *p = at, *plus, *open;
	uint64_t base, v;

	if (begins(p, end, "0x") && parse_hex(&p, end, &base) && begins(p, end, " + ") &&
	    (p += 3) && parse_decimal(&p, end, &v) && p == end) {
		l->has_offset = true;
		l->offset = v;
		return true;
	}
	for (; (plus = memmem(at, (size_t)(end - at), " + ", 3)); at = plus + 3) {
		p = plus + 3;
		if (!parse_decimal(&p, end, &v) || (p < end && !is_blank(*p)))
			continue;
		l->name = part(from, plus);
		l->plus = v;
		l->has_plus = true;
		p = skip_blanks(p, end);
		open = p < end && *p == '(' ? stack_line_parentheses(p, end) : NULL;
		if (open == p && open && memchr(p, ':', (size_t)(end - p)))
			stack_line_parse_source(p + 1, end - 1, l);
		return true;
	}
	return false;
}

bool stack_line_parse_apple(const char *s, size_t n, struct stack_line *l)
{
	enum { NAME_MOST = 200, DIGITS_LEAST = 8 };
	const char *end = s + n, *at, *mark, *name;

	if (!n || n > LONGEST)
		return false;
	end = trim_end(s, end);
	at = skip_blanks(s, end);
	*l = (struct stack_line){
	    .kind = STACK_LINE_APPLE, .has_number = true, .call = (size_t)(at - s)};
	if (!parse_decimal(&at, end, &l->number) || at == end || !is_blank(*at))
		return false;
	mark = memmem(at, (size_t)(end - at < NAME_MOST ? end - at : NAME_MOST), "0x", 2);
	name = mark ? skip_blanks(at, mark) : NULL;
	if (!mark || !is_blank(mark[-1]) || name == mark)
		return false;
	l->module = part(name, trim_end(name, mark));
	at = mark;
	if (!parse_hex(&at, end, &l->address) || at - mark < DIGITS_LEAST + 2 || at == end ||
	    !is_blank(*at))
		return false;
	l->has_address = true;
	at = skip_blanks(at, end);
	l->tail = (size_t)(at - s);
	return parse_apple_place(at, end, l);
}

bool stack_line_is_apple(const char *s, size_t n)
{
	struct stack_line l;

	return stack_line_parse_apple(s, n, &l);
}

bool stack_line_parse_image(const char *s, size_t n, struct stack_line_image *m)
{
	const char *end = s + n, *p, *open, *close;
	size_t digits = 0;

	if (!n || n > LONGEST)
		return false;
	end = trim_end(s, end);
	p = skip_blanks(s, end);
	if (!begins(p, end, "0x") || !parse_hex(&p, end, &m->lo))
		return false;
	p = skip_blanks(p, end);
	if (p == end || *p != '-')
		return false;
	p = skip_blanks(p + 1, end);
	if (!begins(p, end, "0x") || !parse_hex(&p, end, &m->hi) || m->hi < m->lo ||
	    m->hi == UINT64_MAX)
		return false;
	m->hi++;
	open = memchr(p, '<', (size_t)(end - p));
	close = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
	if (!close)
		return false;
	for (p = open + 1; p < close; p++) {
		if (num_hex_digit(*p) < 0 && *p != '-')
			return false;
		digits += *p != '-';
	}
	m->uuid = part(open + 1, close);
	m->path = part(skip_blanks(close + 1, end), end);
	return digits == STACK_LINE_UUID && m->path.n > 0;
}

bool stack_line_parse_windows(const char *s, size_t n, struct stack_line *l)
{
	const char *end = s + n;

	if (!n || n > LONGEST || stack_line_is_apple(s, n))
		return false;
	if (!parse_unity(s, end, l) && !parse_unreal(s, end, l) && !parse_windbg(s, end, l) &&
	    !parse_symbol_name(s, end, l) && !parse_own(s, end, l) && !parse_row(s, end, l))
		return false;
	if (l->has_address && l->address > UINT32_MAX)
		l->bits = 64;
	return true;
}

/* A name of the table, of which enum stack_line_wanted is the value. */
static enum stack_line_wanted fault_key(const char *s, const char *end)
{
	static const struct {
		const char *name;
		enum stack_line_wanted value;
	} keys[] = {{"Faulting module name", STACK_LINE_MODULE},
		    {"Fault Module Name", STACK_LINE_MODULE},
		    {"Fault Module Timestamp", STACK_LINE_STAMP},
		    {"Fault offset", STACK_LINE_OFFSET},
		    {"Exception Offset", STACK_LINE_OFFSET}};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (is_text(s, end, keys[i].name))
			return keys[i].value;
	return STACK_LINE_NO_VALUE;
}

/* Eight digits at most, behind which p may go on. */
static bool parse_stamp(const char *p, const char *end, uint32_t *stamp)
{
	uint64_t v;

	if (!parse_hex(&p, end, &v) || v > UINT32_MAX)
		return false;
	*stamp = (uint32_t)v;
	return true;
}

/* "Sig[3].Name=Fault Module Name": what the line "Sig[3].Value=" will have. True: this line is that one. *p: behind "=". */
static bool fault_signature(const char **p, const char *end, struct stack_line_fault *f,
			    enum stack_line_wanted *is)
{
	const char *s = *p + 4;
	uint64_t number;

	if (!parse_decimal(&s, end, &number))
		return false;
	if (begins(s, end, "].Name=")) {
		f->wanted = fault_key(s + 7, end);
		f->number = number;
		return false;
	}
	if (!begins(s, end, "].Value=") || f->number != number)
		return false;
	*is = f->wanted;
	f->wanted = STACK_LINE_NO_VALUE;
	*p = s + 8;
	return true;
}

/* "Event Name: APPCRASH", in any language, says what lines like "P4: game.dll" have. Other events, as CLR20r3, have the
 * place in managed code. */
static enum stack_line_wanted fault_parameter(const char *key, const char *colon, const char *value,
					      const char *end, struct stack_line_fault *f)
{
	static const struct {
		const char *name;
		uint8_t module, stamp, offset;
	} events[] = {
	    {"APPCRASH", 4, 6, 8}, {"BEX", 4, 6, 7}, {"BEX64", 4, 6, 7}, {"MoAppCrash", 5, 7, 9}};
	const char *p = key + 1;
	uint64_t number;

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (is_text(value, end, events[i].name)) {
			f->event = (uint8_t)(i + 1);
			return STACK_LINE_NO_VALUE;
		}
	if (is_text(key, colon, "Event Name"))
		f->event = 0;
	if (!f->event || *key != 'P' || !parse_decimal(&p, colon, &number) || p != colon)
		return STACK_LINE_NO_VALUE;
	if (number == events[f->event - 1].module)
		return STACK_LINE_MODULE;
	if (number == events[f->event - 1].stamp)
		return STACK_LINE_STAMP;
	return number == events[f->event - 1].offset ? STACK_LINE_OFFSET : STACK_LINE_NO_VALUE;
}

bool stack_line_parse_fault(const char *s, size_t n, struct stack_line_fault *f)
{
	static const char label[] = ", time stamp: ";
	const char *end = s + n, *p, *colon, *value, *comma, *stamp;
	enum stack_line_wanted is = STACK_LINE_NO_VALUE;

	f->module.n = 0;
	f->has_offset = false;
	if (!n || n > LONGEST)
		return false;
	end = trim_end(s, end);
	p = skip_blanks(s, end);
	if (begins(p, end, "Sig[")) {
		if (!fault_signature(&p, end, f, &is))
			return false;
	} else {
		colon = memchr(p, ':', (size_t)(end - p));
		value = colon ? skip_blanks(colon + 1, end) : end;
		if (colon)
			is = fault_key(p, colon);
		if (colon && !is)
			is = fault_parameter(p, colon, value, end, f);
		p = is ? value : end;
	}
	if (is == STACK_LINE_MODULE) {
		comma = memmem(p, (size_t)(end - p), ", version:", 10);
		f->module = part(p, comma ? comma : end);
		stamp = memmem(p, (size_t)(end - p), label, sizeof label - 1);
		f->stamp = 0;
		if (stamp)
			parse_stamp(stamp + sizeof label - 1, end, &f->stamp);
		return f->module.n > 0;
	}
	if (is == STACK_LINE_STAMP) {
		parse_stamp(p, end, &f->stamp);
		return false;
	}
	f->has_offset = is == STACK_LINE_OFFSET && parse_hex(&p, end, &f->offset) && p == end;
	return f->has_offset;
}

/* "C:\g\game.dll:game.dll (00007FF8A0000000), size: 4096 (..." */
static bool parse_unity_module(const char *s, const char *end, struct stack_line_module *m)
{
	static const char mark[] = "), size: ";
	const char *at = memmem(s, (size_t)(end - s), mark, sizeof mark - 1);
	const char *open = at ? memrchr(s, '(', (size_t)(at - s)) : NULL, *p, *colon;

	if (!open || open - s < 2 || open[-1] != ' ')
		return false;
	p = open + 1;
	if (!parse_hex(&p, at, &m->base) || p != at)
		return false;
	p = at + sizeof mark - 1;
	colon = memrchr(s, ':', (size_t)(open - s));
	if (!colon || colon + 1 >= open - 1 || !parse_decimal(&p, end, &m->size))
		return false;
	m->name = part(colon + 1, open - 1);
	m->has_base = true;
	return true;
}

/* "00007ff7`e7e30000 " or "00400000 ", behind which *s then is. */
static bool parse_windbg_address(const char **s, const char *end, uint64_t *v)
{
	const char *p = *s, *low;
	uint64_t high = 0;

	if (!parse_windbg_number(&p, end))
		return false;
	low = memchr(*s, '`', (size_t)(p - *s));
	if (low)
		parse_hex(s, low, &high);
	if (low)
		*s = low + 1;
	parse_hex(s, end, v);
	*v |= high << 32;
	*s = p;
	return true;
}

/* "Tue Apr 20 21:49:45 2021 (607F4C79)" at the end, or "607F4C79 (This is ..." at the begin. */
static void parse_module_stamp(const char *s, const char *end, uint32_t *stamp)
{
	enum { DIGITS = 8 };
	const char *open = stack_line_parentheses(s, end), *p = s;
	uint64_t v;

	if (open && end - open == DIGITS + 2 && (p = open + 1) && parse_hex(&p, end, &v) &&
	    p == end - 1)
		*stamp = (uint32_t)v;
	p = s;
	if (parse_hex(&p, end, &v) && p - s == DIGITS && (p == end || is_blank(*p)))
		*stamp = (uint32_t)v;
}

/* A line of lm, or ModLoad. A module has whole pages. */
static bool parse_listed_module(const char *s, const char *end, struct stack_line_module *m)
{
	enum { IN_PAGE = 0xfff };
	static const char label[] = "ModLoad: ";
	bool load = begins(s, end, label);
	const char *p = load ? s + sizeof label - 1 : s, *name;
	uint64_t last;
	size_t n;

	if (!parse_windbg_address(&p, end, &m->base) || !parse_windbg_address(&p, end, &last) ||
	    (m->base | last) & IN_PAGE || last <= m->base || last - m->base > UINT32_MAX ||
	    p == end)
		return false;
	name = p;
	while (p < end && (load || !is_blank(*p)))
		p++;
	n = (size_t)(p - name);
	name = path_base_captured_n(name, &n);
	if (!n || memchr(name, '!', n) || memchr(name, '+', n))
		return false;
	m->name = (struct stack_text_part){name, n};
	m->has_base = true;
	m->size = last - m->base;
	parse_module_stamp(skip_blanks(p, end), end, &m->stamp);
	return true;
}

/* "Timestamp:", "IMAGE_NAME:" and the like, of the module of a line before. */
static bool parse_module_detail(const char *s, const char *end, struct stack_line_module *m)
{
	const char *p = skip_blanks(s, end), *colon = memchr(p, ':', (size_t)(end - p)), *value;
	uint64_t v;

	if (!colon)
		return false;
	value = skip_blanks(colon + 1, end);
	if (is_text(p, colon, "Image name") || is_text(p, colon, "IMAGE_NAME")) {
		m->is_image = true;
		m->name = part(value, end);
		return m->name.n;
	}
	if (is_text(p, colon, "Timestamp") || is_text(p, colon, "DEBUG_FLR_IMAGE_TIMESTAMP")) {
		parse_module_stamp(value, end, &m->stamp);
		return m->stamp;
	}
	if (!is_text(p, colon, "ImageSize") || !parse_hex(&value, end, &v) || value != end)
		return false;
	m->size = v;
	return m->size;
}

bool stack_line_parse_module(const char *s, size_t n, struct stack_line_module *m)
{
	const char *end = s + n;

	*m = (struct stack_line_module){.size = 0};
	if (!n || n > LONGEST)
		return false;
	end = trim_end(s, end);
	if (parse_unity_module(s, end, m) || parse_listed_module(s, end, m))
		return true;
	*m = (struct stack_line_module){.size = 0};
	return parse_module_detail(s, end, m);
}

size_t stack_line_wasm_module(const struct stack_line *l, char *to)
{
	const char *s = l->module.s, *end = s + l->module.n;
	size_t n = 0;

	for (; s < end; s++) {
		int high = *s == '%' && end - s > 2 ? num_hex_digit(s[1]) : -1;
		int low = high >= 0 ? num_hex_digit(s[2]) : -1;
		bool coded = low >= 0 && (high || low);

		to[n++] = coded ? (char)(high * 16 + low) : *s;
		s += coded ? 2 : 0;
	}
	return n;
}

size_t stack_line_build_id(const struct stack_line *l, uint8_t *bytes, size_t size)
{
	size_t n = l->build_id.n / 2;

	if (l->build_id.n % 2 || n > size)
		return 0;
	for (size_t i = 0; i < n; i++) {
		int high = num_hex_digit(l->build_id.s[2 * i]);
		int low = num_hex_digit(l->build_id.s[2 * i + 1]);

		if (high < 0 || low < 0)
			return 0;
		bytes[i] = (uint8_t)(high * 16 + low);
	}
	return n;
}

struct stack_text_part stack_line_mapped(const char *s, size_t n)
{
	const struct stack_text_part none = {NULL, 0};
	const char *end = s + n, *p;
	uint64_t v;

	if (!n || num_hex_digit(*s) < 0)
		return none;
	p = s;
	if (!parse_hex(&p, end, &v) || p == end || *p++ != '-' || !parse_hex(&p, end, &v) ||
	    p == end || *p != ' ')
		return none;
	p = memchr(p, '/', (size_t)(end - p));
	end = trim_end(s, end);
	return p && p < end && p[-1] == ' ' ? part(p, end) : none;
}
