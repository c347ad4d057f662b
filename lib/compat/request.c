/* SPDX-License-Identifier: MIT */
#include "lib/compat/request.h"

#include "lib/base/num.h"
#include "lib/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool has_prefix(const char *s, size_t n, char letter)
{
	return n > 1 && s[0] == '0' && (s[1] | 0x20) == letter;
}

static void trim(const char **s, size_t *n)
{
	for (; *n && text_is_space(**s); (*s)++)
		--*n;
	while (*n && text_is_space((*s)[*n - 1]))
		--*n;
}

static bool hexadecimal(const char *s, size_t n, uint64_t *addr)
{
	size_t prefix = has_prefix(s, n, 'x') ? 2 : 0;

	return num_hex(s + prefix, n - prefix, addr);
}

/* WinDbg writes 00007ff6`73dd1019. */
static bool in_halves(const char *s, size_t n, uint64_t *addr)
{
	enum { LOW = 8 };
	uint64_t high, low;

	if (n < LOW + 2 || n > 2 * LOW + 1 || s[n - LOW - 1] != '`' ||
	    !num_hex(s, n - LOW - 1, &high) || !num_hex(s + n - LOW, LOW, &low))
		return false;
	*addr = high << 32 | low;
	return true;
}

bool request_gnu(const char *s, size_t n, uint64_t *addr)
{
	size_t digits = 0;

	trim(&s, &n);
	if (hexadecimal(s, n, addr) || in_halves(s, n, addr))
		return true;
	if (has_prefix(s, n, 'x')) {
		s += 2;
		n -= 2;
	}
	while (digits < n && num_hex_digit(s[digits]) >= 0)
		digits++;
	*addr = 0;
	if (digits && !num_hex(s, digits, addr))
		*addr = UINT64_MAX;
	return false;
}

static bool parse_word(const char **s, size_t *n, const char *word)
{
	size_t length = strlen(word);

	if (*n < length || memcmp(*s, word, length) != 0)
		return false;
	*s += length;
	*n -= length;
	return true;
}

static uint8_t parse_kind(const char **s, size_t *n)
{
	if (parse_word(s, n, "DATA "))
		return REQUEST_DATA;
	if (parse_word(s, n, "FRAME "))
		return REQUEST_FRAME;
	parse_word(s, n, "CODE ");
	return REQUEST_CODE;
}

static size_t until_space(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] != ' ')
		i++;
	return i;
}

/* False: a quotation mark is never closed. */
static bool request_parse_file(const char **s, size_t *n, struct compat_request *r)
{
	if (*n && (**s == '"' || **s == '\'')) {
		const char *end = memchr(*s + 1, **s, *n - 1);

		if (!end)
			return false;
		r->file = *s + 1;
		r->n_file = (size_t)(end - r->file);
		*n -= r->n_file + 2;
		*s = end + 1;
		return true;
	}
	r->file = *s;
	r->n_file = until_space(*s, *n);
	*s += r->n_file;
	*n -= r->n_file;
	return true;
}

static bool small_radix(const char *s, size_t n, unsigned bits, uint64_t *v)
{
	uint64_t x = 0;

	if (!n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] >= '0' + (1 << bits) || x >> (64 - bits))
			return false;
		x = x << bits | (uint64_t)(s[i] - '0');
	}
	*v = x;
	return true;
}

bool request_number(const char *s, size_t n, uint64_t *v)
{
	if (has_prefix(s, n, 'x'))
		return num_hex(s + 2, n - 2, v);
	if (has_prefix(s, n, 'b'))
		return small_radix(s + 2, n - 2, 1, v);
	if (n > 1 && s[0] == '0' && s[1] == 'o')
		return small_radix(s + 2, n - 2, 3, v);
	if (n > 1 && s[0] == '0' && s[1] >= '0' && s[1] <= '9')
		return small_radix(s + 1, n - 1, 3, v);
	return num_dec(s, n, v);
}

static void skip_spaces(const char **s, size_t *n)
{
	for (; *n && text_is_space(**s); (*s)++)
		--*n;
}

/* The file that a prefix announces, or the first word is. NULL, or what is wrong. */
static const char *request_parse_module(const char **s, size_t *n, bool with_file,
					struct compat_request *r)
{
	bool file = false;

	skip_spaces(s, n);
	for (;; skip_spaces(s, n)) {
		bool again = file || r->build_id;

		if (parse_word(s, n, "FILE:"))
			file = true;
		else if (parse_word(s, n, "BUILDID:"))
			r->build_id = true;
		else
			break;
		if (again)
			return "duplicate input file specification prefix";
	}
	if (!file && !r->build_id && !with_file)
		return NULL;
	if ((file || r->build_id) && !with_file)
		return "input file has already been specified";
	if (!*n && file)
		return "must be followed by an input file";
	if (!*n && r->build_id)
		return "must be followed by a hash";
	if (!request_parse_file(s, n, r) && (file || r->build_id))
		return "unbalanced quotes in input file name";
	if (!r->n_file)
		return "no input filename has been specified";
	for (size_t i = 0; r->build_id && i < r->n_file; i++)
		if (num_hex_digit(r->file[i]) < 0)
			return "wrong format of build-id";
	return NULL;
}

/* NAME or NAME+OFFSET; a '+' without a number behind it belongs to the name. */
static void parse_symbol(const char *s, size_t n, struct compat_request *r)
{
	size_t plus = n;

	r->symbol = s;
	r->n_symbol = n;
	r->addr = 0;
	while (plus && s[plus - 1] != '+')
		plus--;
	if (plus > 1 && request_number(s + plus, n - plus, &r->addr))
		r->n_symbol = plus - 1;
}

bool request_gnu_name(const char **s, size_t *n, uint64_t *offset)
{
	size_t end = 0, digits;
	const char *number;

	trim(s, n);
	if (!*n || num_hex_digit(**s) >= 0 || **s == '+')
		return false;
	while (end < *n && (*s)[end] != '+')
		end++;
	number = *s + end + (end < *n);
	digits = *n - end - (end < *n);
	trim(&number, &digits);
	for (size_t i = 0; i < digits; i++)
		if (!(num_hex_digit(number[i]) >= 0 || (i == 1 && (number[i] | 0x20) == 'x')))
			digits = i;
	if (!request_number(number, digits, offset))
		*offset = 0;
	*n = end;
	trim(s, n);
	return true;
}

struct compat_request request_llvm(const char *s, size_t n, bool with_file, bool hex)
{
	struct compat_request r = {0};
	uint8_t kind;
	bool digit;

	while (n && (s[n - 1] == '\r' || s[n - 1] == '\n'))
		n--;
	r.text = s;
	r.n_text = n;
	if (!n)
		return r;
	kind = parse_kind(&s, &n);
	r.why = request_parse_module(&s, &n, with_file, &r);
	if (r.why)
		return r;
	trim(&s, &n);
	n = until_space(s, n);
	if (!n) {
		r.why = "no module offset has been specified";
		return r;
	}
	digit = *s >= '0' && *s <= '9';
	if (hex ? hexadecimal(s, n, &r.addr) : request_number(s, n, &r.addr)) {
		r.kind = kind;
	} else if (digit) {
		r.why = "expected a number as module offset";
	} else {
		parse_symbol(s, n, &r);
		r.kind = kind;
	}
	return r;
}

bool request_atos(const char *s, size_t n, uint64_t *addr)
{
	trim(&s, &n);
	return num_auto(s, n, addr) || hexadecimal(s, n, addr);
}

bool request_below_base(uint64_t address, uint64_t image_base, const char *how, char text[160])
{
	if (address >= image_base)
		return false;
	snprintf(text, 160, "0x%" PRIx64 " is below the image base 0x%" PRIx64 ": %s", address,
		 image_base, how);
	return true;
}

void request_count_above(struct request_above *a, uint64_t address, uint64_t image_end)
{
	if (image_end && address >= image_end && !a->n++)
		a->first = address;
}

bool request_above_end(const struct request_above *a, uint64_t image_base, uint64_t image_end,
		       char text[240])
{
	if (!a->n)
		return false;
	snprintf(
	    text, 240,
	    "%" PRIu64 " address%s above the image's end 0x%" PRIx64 ", the first is 0x%" PRIx64
	    ": where the module was loaded elsewhere, ask for address - load address + 0x%" PRIx64
	    ", or tm-atos -l LOADADDRESS ADDRESS",
	    a->n, a->n == 1 ? " is" : "es are", image_end, a->first, image_base);
	return true;
}
