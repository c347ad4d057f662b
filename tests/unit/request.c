/* SPDX-License-Identifier: MIT
 *
 * Requests of the drop-ins. GNU's and llvm's readings are those of binutils 2.40 and LLVM 19, seen
 * by asking them (-a prints what they read).
 */
#include "lib/compat/request.h"

#include "lib/compat/print.h"
#include "lib/demangle/demangle.h"
#include "lib/demangle/demangle_llvm.h"
#include "lib/input/lines.h"
#include "tests/unit/test.h"

static bool gnu(const char *s, uint64_t want, bool good)
{
	uint64_t addr = 77;

	return request_gnu(s, strlen(s), &addr) == good && addr == want;
}

TEST(gnu_addresses)
{
	CHECK(gnu("10a0", 0x10a0, true));
	CHECK(gnu("0X10A0", 0x10a0, true));
	CHECK(gnu(" \t10a0\r", 0x10a0, true));
	CHECK(gnu("ffffffffffffffff", UINT64_MAX, true));
	CHECK(gnu("0000000000000000000000001", 1, true));
	CHECK(gnu("00007ff6`73dd1019", 0x7ff673dd1019, true)); /* WinDbg's */
	CHECK(gnu("1`40001019", 0x140001019, true));
	CHECK(gnu("1`4000101", 1, false));
	CHECK(gnu("`40001019", 0, false));
	CHECK(gnu("", 0, false));
	CHECK(gnu("zzz", 0, false));
	CHECK(gnu("0x", 0, false));
	CHECK(gnu("-5", 0, false));
	CHECK(gnu("10a0zz", 0x10a0, false));
	CHECK(gnu("10 20", 0x10, false));
	CHECK(gnu("10000000000000000", UINT64_MAX, false));
	CHECK(gnu("12345678901234567890", UINT64_MAX, false));
}

static bool llvm(const char *s, bool with_file, bool hex, unsigned kind, const char *file,
		 uint64_t addr)
{
	struct compat_request r = request_llvm(s, strlen(s), with_file, hex);

	if (r.kind != kind || (kind != REQUEST_BAD && r.addr != addr))
		return false;
	if (!file)
		return !r.file;
	return r.file && r.n_file == strlen(file) && !memcmp(r.file, file, r.n_file);
}

TEST(llvm_requests)
{
	CHECK(llvm("0x10a0", false, false, REQUEST_CODE, NULL, 0x10a0));
	CHECK(llvm("4256", false, false, REQUEST_CODE, NULL, 4256));
	CHECK(llvm("010", false, false, REQUEST_CODE, NULL, 8));
	CHECK(llvm("0o17", false, false, REQUEST_CODE, NULL, 15));
	CHECK(llvm("0b101", false, false, REQUEST_CODE, NULL, 5));
	CHECK(llvm("0", false, false, REQUEST_CODE, NULL, 0));
	CHECK(llvm("  0x10\r", false, false, REQUEST_CODE, NULL, 16));
	CHECK(llvm("0x10 junk", false, false, REQUEST_CODE, NULL, 16));
	CHECK(llvm("10a0", false, true, REQUEST_CODE, NULL, 0x10a0));
	CHECK(llvm("0x10a0", false, true, REQUEST_CODE, NULL, 0x10a0));
	CHECK(llvm("CODE 0x10", false, false, REQUEST_CODE, NULL, 16));
	CHECK(llvm("DATA 0x10", false, false, REQUEST_DATA, NULL, 16));
	CHECK(llvm("FRAME a 0x10", true, false, REQUEST_FRAME, "a", 16));
	CHECK(llvm("a 0x10", true, false, REQUEST_CODE, "a", 16));
	CHECK(llvm("\"a b\" 0x10", true, false, REQUEST_CODE, "a b", 16));
	CHECK(llvm("'a b'0x10", true, false, REQUEST_CODE, "a b", 16));

	CHECK(llvm("", false, false, REQUEST_BAD, NULL, 0));
	CHECK(llvm("0x", false, false, REQUEST_BAD, NULL, 0));
	CHECK(llvm("08", false, false, REQUEST_BAD, NULL, 0));
	CHECK(llvm("0x10\tx", false, false, REQUEST_BAD, NULL, 0));
	CHECK(llvm("18446744073709551616", false, false, REQUEST_BAD, NULL, 0));
	CHECK(llvm("0x10", true, false, REQUEST_BAD, "0x10", 0));
	CHECK(llvm("\"a 0x10", true, false, REQUEST_BAD, NULL, 0));
	CHECK(llvm("FILE:a 0x10", false, false, REQUEST_BAD, NULL, 0));
	CHECK(llvm("FILE:FILE:a 0x10", true, false, REQUEST_BAD, NULL, 0));
	CHECK(llvm("BUILDID:ag 0x10", true, false, REQUEST_BAD, "ag", 0));
	CHECK(llvm("0b10000000000000000000000000000000000000000000000000000000000000000", false,
		   false, REQUEST_BAD, NULL, 0));
}

static bool symbol(const char *s, bool hex, const char *name, uint64_t offset)
{
	struct compat_request r = request_llvm(s, strlen(s), false, hex);

	return r.kind == REQUEST_CODE && r.symbol && r.addr == offset &&
	       r.n_symbol == strlen(name) && !memcmp(r.symbol, name, r.n_symbol);
}

TEST(llvm_names)
{
	CHECK(symbol("main", false, "main", 0));
	CHECK(symbol("main junk", false, "main", 0));
	CHECK(symbol("main+4", false, "main", 4));
	CHECK(symbol("main+0x10", false, "main", 16));
	CHECK(symbol("operator++8", false, "operator+", 8));
	CHECK(symbol("main+zz", false, "main+zz", 0));
	CHECK(symbol("main+", false, "main+", 0));
	CHECK(symbol("+4", false, "+4", 0));
	CHECK(symbol("-1", false, "-1", 0));
	CHECK(symbol("zone", true, "zone", 0));
	CHECK(llvm("face", false, true, REQUEST_CODE, NULL, 0xface));
	CHECK(llvm("FILE: a 0x10", true, false, REQUEST_CODE, "a", 16));
	CHECK(llvm("DATA FILE:'a b' 0x10", true, false, REQUEST_DATA, "a b", 16));
	CHECK(llvm("BUILDID:0Af 0x10", true, false, REQUEST_CODE, "0Af", 16));
}

TEST(atos_addresses)
{
	uint64_t addr;

	CHECK(request_atos("0x10", 4, &addr) && addr == 16);
	CHECK(request_atos("10", 2, &addr) && addr == 10);
	CHECK(request_atos("1f", 2, &addr) && addr == 31);
	CHECK(!request_atos("zz", 2, &addr));
	CHECK(!request_atos("", 0, &addr));
}

static bool is_short(const char *raw, const char *want)
{
	char *s = demangle_short(raw);
	bool ok = s && !strcmp(s, want);

	if (!ok)
		printf("  %s: %s\n", raw, s ? s : "NULL");
	free(s);
	return ok;
}

/* What DW_AT_name is, by the C++ grammar. */
TEST(short_names)
{
	CHECK(is_short("_ZN6shapes3BoxIiE6halvedEv", "halved"));
	CHECK(is_short("_ZN1aC1Ev", "a"));
	CHECK(is_short("_ZN1aD1Ev", "~a"));
	CHECK(is_short("_ZNK1aclEi", "operator()"));
	CHECK(is_short("_ZN1alsEi", "operator<<"));
	CHECK(is_short("_ZN1aptEv", "operator->"));
	CHECK(is_short("_ZZN12_GLOBAL__N_17lambdasEiENKUliE_clEi", "operator()"));
	CHECK(is_short("_Z1fIN1a1bEEvv", "f<a::b>"));
	CHECK(!demangle_short("_Z2::"));
}

#ifdef HAVE_LLVM_DEMANGLE
static bool is_llvm(const char *raw, const char *want)
{
	char *s = demangle_llvm(raw);
	bool ok = s && !strcmp(s, want);

	if (!ok)
		printf("  %s: %s\n", raw, s ? s : "NULL");
	free(s);
	return ok;
}

/* As llvm-cxxfilt 19 prints them; but Rust's, which have neither $LT$ nor a hash for us. */
TEST(llvm_spelling)
{
	CHECK(is_llvm("_ZN1aI1bI1cEE1fEv", "a<b<c>>::f()"));
	CHECK(is_llvm("_Z1fv.cold", "f() (.cold)"));
	CHECK(is_llvm("_ZL5names.rel", "names (.rel)"));
	CHECK(is_llvm("_ZZ1fvENKUlvE_clEv", "f()::'lambda'()::operator()() const"));
	CHECK(is_llvm("_ZZ1fvENKUliE0_clEi", "f()::'lambda0'(int)::operator()(int) const"));
	CHECK(is_llvm("_Z1fITkSt8integraliLi3EQgtT0_Li1EET_S0_", "int f<int, 3>(int)"));
	CHECK(is_llvm("_Z1gITk3BigiTpTnDaJLi1ELi2EEEvT_PFS0_S0_E",
		      "void g<int, 1, 2>(int, int (*)(int))"));
	CHECK(is_llvm("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
		      "core::fmt::Write::write_fmt"));
	CHECK(is_llvm("_Dmain", "D main"));
	CHECK(is_llvm("_D8demangle4testi", "demangle.test"));
	CHECK(is_llvm("?f@a@@YAXH@Z", "a::f(int)"));
	CHECK(!demangle_llvm("_Done"));
	CHECK(is_llvm("___Z3foov_block_invoke_2", "invocation function for block in foo()"));
	CHECK(is_llvm("____Z3foov_block_invoke", "invocation function for block in foo()"));
	CHECK(!demangle_llvm("main"));
	CHECK(!demangle_llvm("_Z"));
	CHECK(!demangle_llvm(""));
}

/* A list of many types: a name as long as its pieces, "2aa" for each. */
TEST(llvm_long_names)
{
	for (size_t n = 500; n <= 20000; n *= 5) {
		char *raw = mem_zalloc(n * 3 + 16), *want = mem_zalloc(n * 4 + 16), *s;
		char *to = raw + sprintf(raw, "_Z1f1TIJ"), *text = want + sprintf(want, "f(T<");

		for (size_t i = 0; i < n; i++) {
			to += sprintf(to, "2aa");
			text += sprintf(text, i ? ", aa" : "aa");
		}
		strcpy(to, "EE");
		strcpy(text, ">)");
		s = demangle_llvm(raw);
		CHECK(s && !strcmp(s, want));
		free(s);
		free(raw);
		free(want);
	}
}

/* As deep as it is long. llvm-cxxfilt 19's stack holds 30,000 of them. */
TEST(llvm_deep_names)
{
	static char raw[60000], want[60000];
	char *s;

	memset(raw, 'P', 30000);
	memcpy(raw, "_Z1f", 4);
	raw[30000] = 'i';
	memset(want, '*', 30002);
	memcpy(want, "f(int", 5);
	want[5 + 29996] = ')';
	want[5 + 29997] = 0;
	s = demangle_llvm(raw);
	CHECK(s && !strcmp(s, want));
	free(s);
}

/* Each type is a pair of the one before: 2 to the 30th parts. LLVM's alone does not come back,
 * and neither do names that libiberty cannot read. */
TEST(llvm_bombs)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (int known = 0; known < 2; known++) {
		char name[1000] = "_Z1f1PIiiES_IS0_S0_E";
		size_t n;

		if (!known)
			snprintf(name, sizeof name, "_Z1fITnDaLi1EEv1PIiiES_IS0_S0_E");
		for (int i = 1; i < 30; i++) {
			n = strlen(name);
			snprintf(name + n, sizeof name - n, "S_IS%c_S%c_E", digits[i], digits[i]);
		}
		CHECK(!demangle_llvm(name));
	}
}
#endif

static struct input_lines pipe_of(const char *text, size_t n)
{
	struct input_lines in = {0};
	int ends[2];

	if (pipe(ends) || write(ends[1], text, n) != (ssize_t)n)
		abort();
	close(ends[1]);
	in.fd = ends[0];
	return in;
}

TEST(lines)
{
	static const char text[] = "one\n\n\0three\nlast";
	struct input_lines in = pipe_of(text, sizeof text - 1);
	struct err e = ERR_INIT;

	CHECK_EQ(lines_next(&in, &e), ST_OK);
	CHECK_EQ(in.n, 4);
	CHECK_STR(in.items[0].s, "one");
	CHECK_EQ(in.items[1].n, 0);
	CHECK_EQ(in.items[2].n, 6);
	CHECK_STR(in.items[2].s + 1, "three");
	CHECK_STR(in.items[3].s, "last");
	CHECK_EQ(lines_next(&in, &e), ST_NONE);
	CHECK_EQ(lines_next(&in, &e), ST_NONE);
	close(in.fd);
	lines_release(&in);
}

/* A line is read when it comes, so that its sender gets the answer, though the pipe stays
 * open. */
TEST(lines_as_they_come)
{
	struct input_lines in = {0};
	struct err e = ERR_INIT;
	int ends[2];

	CHECK_EQ(pipe(ends), 0);
	in.fd = ends[0];
	CHECK_EQ(write(ends[1], "a\nb", 3), 3);
	CHECK_EQ(lines_next(&in, &e), ST_OK);
	CHECK_EQ(in.n, 1);
	CHECK_STR(in.items[0].s, "a");
	CHECK_EQ(write(ends[1], "c\n", 2), 2);
	CHECK_EQ(lines_next(&in, &e), ST_OK);
	CHECK_EQ(in.n, 1);
	CHECK_STR(in.items[0].s, "bc");
	close(ends[1]);
	CHECK_EQ(lines_next(&in, &e), ST_NONE);
	close(ends[0]);
	lines_release(&in);
}

TEST(indented_json)
{
	static const char json[] = "[{\"a\":\"x,{\\\"}\",\"b\":[1,2]}]\n";
	struct buf b = BUF_INIT;

	print_indented(&b, json, sizeof json - 1);
	CHECK_STR(buf_str(&b), "[\n  {\n    \"a\": \"x,{\\\"}\",\n    \"b\": [\n      1,\n      2\n"
			       "    ]\n  }\n]\n");
	buf_release(&b);
}

TEST_MAIN()
