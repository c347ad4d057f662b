/* SPDX-License-Identifier: MIT
 *
 * lib/input/stack_line.h: lines as the programs that it names print them, copied from their own output
 * (clang 19, GCC 12, glibc 2.36) or from the documents that it names; and lines that are no calls.
 */
#include "lib/input/stack_line.h"

#include "tests/unit/test.h"

static struct stack_line l;

static bool parse(const char *s)
{
	return stack_line_parse(s, strlen(s), &l);
}

static bool is(struct stack_text_part p, const char *want)
{
	return p.n == strlen(want) && !memcmp(p.s, want, p.n);
}

TEST(sanitizers)
{
	CHECK(parse("    #3 0x55555561f5ff  (/tmp/a b/leak+0xcb5ff) (BuildId: 155a1c7a)"));
	CHECK_EQ(l.kind, STACK_LINE_SANITIZER);
	CHECK(l.has_number && l.has_address && l.has_offset);
	CHECK_EQ(l.number, 3);
	CHECK_EQ(l.address, 0x55555561f5ff);
	CHECK_EQ(l.offset, 0xcb5ff);
	CHECK(is(l.module, "/tmp/a b/leak") && is(l.build_id, "155a1c7a") && !l.name.n);

	CHECK(parse("    #1 0x7f9b in gf_dasher_new (/opt/gpac/libgpac.so.8+0x23212a)"));
	CHECK(is(l.module, "/opt/gpac/libgpac.so.8") && is(l.name, "gf_dasher_new"));
	CHECK(!l.build_id.n && !l.file.n);

	CHECK(parse("    #2 0x555555661f08 in outer(int) /tmp/front asan/leak.cc:7:58"));
	CHECK(is(l.name, "outer(int)") && is(l.file, "/tmp/front asan/leak.cc"));
	CHECK(!l.has_offset && l.line == 7 && l.column == 58);

	CHECK(parse("    #0 0x7f9b in __interceptor_malloc ../../src/libsanitizer/asan.cc:144"));
	CHECK(is(l.file, "../../src/libsanitizer/asan.cc") && l.line == 144 && !l.column);

	CHECK(parse("#0 0x1 in operator new(unsigned long) (/a+0x2)\r"));
	CHECK(is(l.name, "operator new(unsigned long)") && l.offset == 2);

	CHECK(parse("    #7 0x1 in std::f<void (*)()>(std::g, void (*&&)()) /c++/invoke.h:61:14"));
	CHECK(is(l.name, "std::f<void (*)()>(std::g, void (*&&)())"));
}

TEST(bare)
{
	static const char *const lines[] = {"#12 0x55d0f1f3d4e3", "#12 0x55d0f1f3d4e3 <unknown>\r",
					    "    #12 0x55d0f1f3d4e3  (<unknown module>)",
					    "#12  0x000055d0f1f3d4e3 in ?? ()"};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		CHECK(parse(lines[i]));
		CHECK(stack_line_is_bare(&l) && l.number == 12 && l.address == 0x55d0f1f3d4e3);
	}
	CHECK(parse("#12 0x55d0f1f3d4e3 in f ()") && !stack_line_is_bare(&l));
	CHECK(parse("#12 0x55d0f1f3d4e3  (/a+0x2)") && !stack_line_is_bare(&l));
	CHECK(!parse("#12 0xfff") && !parse("#12 0x55d0f1f3d4e3 blue") &&
	      !parse("#12 55d0f1f3d4e3"));
	CHECK(!parse("colour #12 0x") && !parse("x#12 0x55d0f1f3d4e3"));
}

TEST(thread_sanitizer)
{
	CHECK(parse("    #1 <null> <null> (race+0xe7a89) (BuildId: 336079f2)"));
	CHECK_EQ(l.kind, STACK_LINE_THREAD_SANITIZER);
	CHECK(is(l.module, "race") && !l.name.n && !l.file.n && l.offset == 0xe7a89);
	CHECK(parse("    #0 std::thread::_M_start() <null> (libstdc++.so.6+0xd4578)"));
	CHECK(is(l.name, "std::thread::_M_start()") && !l.file.n);
	CHECK(parse("    #1 work() /tmp/race.cc:4:41 (race+0xe77ee)"));
	CHECK(is(l.name, "work()") && is(l.file, "/tmp/race.cc") && l.line == 4);
	CHECK(parse("SUMMARY: ThreadSanitizer: data race (/tmp/race+0xe77ee) (BuildId: 33) "));
	CHECK_EQ(l.kind, STACK_LINE_SUMMARY);
	CHECK(is(l.module, "/tmp/race") && l.offset == 0xe77ee);
	CHECK(!parse("SUMMARY: AddressSanitizer: 33 byte(s) leaked in 3 allocation(s)."));
}

TEST(android)
{
	CHECK(parse("    #05 pc 00000c6f  /system/xbin/crasher"));
	CHECK_EQ(l.kind, STACK_LINE_ANDROID);
	CHECK(is(l.module, "/system/xbin/crasher") && l.offset == 0xc6f && l.number == 5);
	CHECK(parse("    #06 pc 000126b3  /system/lib/libc.so (__pthread_start(void*)+30)"));
	CHECK(is(l.name, "__pthread_start(void*)") && l.plus == 30);
	CHECK(parse("04-15 12:35:33.305  7412  7412 E malloc_debug:           #01  pc 00021438  "
		    "/system/lib/libc.so (newlocale+160)"));
	CHECK(is(l.module, "/system/lib/libc.so") && is(l.name, "newlocale"));
	CHECK(parse("#01 pc 000000000006f74c  /data/app/~~D==/com.f-o==/base.apk!libf.so (offset "
		    "0x808000) (Java_com_f_setVolume+148) (BuildId: 940ec10a)"));
	CHECK(is(l.module, "/data/app/~~D==/com.f-o==/base.apk!libf.so"));
	CHECK(l.has_archive && l.archive == 0x808000 && is(l.build_id, "940ec10a"));
	CHECK(parse("  native: #00 pc 000000000006f084  /system/lib64/libc.so (recvmsg+4)"));
	CHECK(parse("#00 pc 000000000006f354 /system/lib64/libipc.z.so(OHOS::A::B(int)+416)"
		    "(42e92dbb9ffc10d3014c54385fe0dffa)"));
	CHECK(is(l.module, "/system/lib64/libipc.z.so") && is(l.name, "OHOS::A::B(int)"));
	CHECK(is(l.build_id, "42e92dbb9ffc10d3014c54385fe0dffa"));
	CHECK(parse("      #02 pc 0000000000001385  <unknown>"));
	CHECK(!l.module.n);
	CHECK(!parse("#01 pcm audio 12345678"));
}

TEST(wasm)
{
	CHECK(parse(
	    "    at t.wasm.g::W::hit(int) (wasm://wasm/t.wasm-e94bbfde:wasm-function[1]:0x7a)"));
	CHECK_EQ(l.kind, STACK_LINE_WASM);
	CHECK(is(l.module, "t.wasm") && is(l.name, "t.wasm.g::W::hit(int)"));
	CHECK(l.number == 1 && l.has_offset && l.offset == 0x7a && l.call == 4);
	CHECK(parse("    at wasm://wasm/e548f8f6:wasm-function[2]:0xd0\r"));
	CHECK(!l.module.n && !l.name.n && l.offset == 0xd0);
	CHECK(parse("    at run (https://host:80/a/game.wasm?v=3:wasm-function[12]:0x1f08)"));
	CHECK(is(l.module, "https://host:80/a/game.wasm") && is(l.name, "run"));
	CHECK(parse("    at std::function<int (char)>::operator()(char) "
		    "(https://h/g.wasm:wasm-function[2]:0x10)"));
	CHECK(is(l.module, "https://h/g.wasm") &&
	      is(l.name, "std::function<int (char)>::operator()(char)"));
	CHECK(parse(
	    "f@http://host/page.js line 12 > WebAssembly.Module:wasm-function[1]:0x7a")); /* Firefox, of bytes */
	CHECK(!l.module.n && is(l.name, "f"));
	CHECK(parse("    at https://h/Build/game.wasm.br?v=3:wasm-function[12]:0x1f08"));
	CHECK(is(l.module, "https://h/Build/game.wasm"));
	CHECK(parse("    at https://h/game.wasm.code.unityweb:wasm-function[12]:0x1f08"));
	CHECK(is(l.module, "https://h/game.wasm"));
	CHECK(parse("    at https://h/game.js.gz:wasm-function[12]:0x1f08"));
	CHECK(is(l.module, "https://h/game.js.gz"));
	CHECK(parse("    at run (wasm-function[12]:0x1f08)"));
	CHECK(!l.module.n && is(l.name, "run") && l.number == 12 && l.offset == 0x1f08);
	CHECK(parse("    at wasm-function[12]:0x1f08"));
	CHECK(!l.module.n && !l.name.n);
	CHECK(parse("g::f(int)@https://host/a@2/game.wasm#x:wasm-function[12]:0x1f08"));
	CHECK(is(l.module, "https://host/a@2/game.wasm") && is(l.name, "g::f(int)"));
	CHECK(!parse("    at run (https://host/game.js:12:3)"));
	CHECK(!parse("    at f (x.wasm:wasm-function[12]:0x1f08) and more"));
	CHECK(!parse("<?>.wasm-function[5]@[wasm code]")); /* Safari has no offsets */
	CHECK(!parse("x.wasm:wasm-function[12]:0x1f08"));
}

TEST(java_and_glibc)
{
	CHECK(parse("# C  [libresolv.so.2+0x7a91]  __libc_res_nquery+0x1c1"));
	CHECK_EQ(l.kind, STACK_LINE_JAVA);
	CHECK(is(l.module, "libresolv.so.2") && is(l.name, "__libc_res_nquery"));
	CHECK_EQ(l.plus, 0x1c1);
	CHECK(parse("V  [libjvm.so+0x8b01e3]  Continuation::freeze0(JavaThread*, bool)+0x37d  "
		    "(continuation.cpp:2640)"));
	CHECK(is(l.name, "Continuation::freeze0(JavaThread*, bool)") && l.line == 2640);
	CHECK(parse("C  0x0000000000003b36"));
	CHECK_EQ(l.kind, STACK_LINE_JAVA);
	CHECK(l.has_address && l.address == 0x3b36 && !l.has_offset && !l.module.n);
	CHECK(!parse("C  0x0000000000003b36 is the address"));
	CHECK(!parse("C  [+0x424]  __kernel_vsyscall+0x10"));
	CHECK(!parse("J 12 C1 java.lang.Thread.run()V (5 bytes) @ 0x00007f [0x00007f+0x1]"));

	CHECK(parse("./bt(+0x1161)[0x55c451bc3161]"));
	CHECK_EQ(l.kind, STACK_LINE_GLIBC);
	CHECK(is(l.module, "./bt") && l.has_offset && l.offset == 0x1161);
	CHECK(parse("/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x85) [0x7fd3a0ffc305]"));
	CHECK(is(l.name, "__libc_start_main") && l.has_plus && !l.has_offset && l.plus == 0x85);
	CHECK(parse("12:00:01 error: ./my(+0x10) [0x55]"));
	CHECK(is(l.module, "./my"));
	CHECK(parse("./bt_nopie[0x40114e]"));
	CHECK(l.has_offset && l.offset == 0x40114e);
	CHECK(parse("prog() [0x401136]") && is(l.module, "prog"));
	CHECK(!parse("value [0x12]"));
	CHECK(!parse("f(x) [0x12]"));
	CHECK(!parse("[0x7fd3a0ffc305]"));
}

TEST(mappings)
{
	static const char map[] =
	    "7fcc66870000-7fcc668a0000 r-xp 00000000 08:01 12   /opt/a b.so\r";

	CHECK(is(stack_line_mapped(map, sizeof map - 1), "/opt/a b.so"));
	CHECK(!stack_line_mapped("7f-", 3).n);
	CHECK(!stack_line_mapped("7f00-8000 rw-p 0 00:00 0", 24).n);
}

TEST(bytes_of_build_ids)
{
	uint8_t bytes[4];

	CHECK(parse("#0 0x1  (/a+0x2) (BuildId: 0A1b)"));
	CHECK_EQ(stack_line_build_id(&l, bytes, sizeof bytes), 2);
	CHECK(bytes[0] == 0x0a && bytes[1] == 0x1b);
	CHECK(parse("#0 0x1  (/a+0x2) (BuildId: 0A1)"));
	CHECK_EQ(stack_line_build_id(&l, bytes, sizeof bytes), 0);
	CHECK(parse("#0 0x1  (/a+0x2) (BuildId: 0011223344)"));
	CHECK_EQ(stack_line_build_id(&l, bytes, sizeof bytes), 0);
}

TEST(cut_anywhere)
{
	static const char *const lines[] = {
	    "    #1 0x7f9b in gf_dasher_new (/opt/gpac/libgpac.so.8+0x23212a) (BuildId: 1234)",
	    "    #1 std::f(int) /a/b.cc:1:2 (libgpac.so.8+0x23212a) (BuildId: 1234)",
	    "#01 pc 000000000006f74c  /d/base.apk!l.so (offset 0x808000) (f(int)+148) (BuildId: "
	    "ab)",
	    "V  [libjvm.so+0x8b01e3]  C::freeze0(J*, bool)+0x37d  (c.cpp:2640)",
	    "12:00:01 error: ./my(f+0x10) [0x55]",
	    "SUMMARY: ThreadSanitizer: data race (/tmp/race+0xe77ee) (BuildId: 33) "};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		for (size_t n = strlen(lines[i]) + 1; n-- > 0;) {
			char *copy = malloc(n ? n : 1); /* its end is seen by ASan */

			memcpy(copy, lines[i], n);
			if (stack_line_parse(copy, n, &l))
				CHECK(l.call <= n && l.tail <= n);
			stack_line_mapped(copy, n);
			free(copy);
		}
}

static bool parse_windows(const char *s)
{
	return !parse(s) && stack_line_parse_windows(s, strlen(s), &l);
}

/* As reports that people have published. */
TEST(windows)
{
	struct stack_line_module m;
	const char *s;

	CHECK(parse_windows("Dauntless-Win64-Shipping 0x00007ff7e7e30000 + 28cd7fc \r"));
	CHECK_EQ(l.kind, STACK_LINE_UNREAL);
	CHECK(is(l.module, "Dauntless-Win64-Shipping") && l.offset == 0x28cd7fc && l.has_offset);
	CHECK_EQ(l.address, 0x7ff7e7e30000 + 0x28cd7fc);
	CHECK(!parse_windows("a 0x00007ff7e7e30010 + 28cd7fc"));
	CHECK(parse_windows(
	    "LogWindows: Error: [Callstack] 0x00007ff7ea6fd7fc G.exe!UnknownFunction []"));
	CHECK(is(l.module, "G.exe") && !l.name.n && !l.has_offset && l.address == 0x7ff7ea6fd7fc);

	CHECK(parse_windows("0x00007FFB3EE90103 (GameAssembly) mono_class_has_parent"));
	CHECK_EQ(l.kind, STACK_LINE_UNITY);
	CHECK(is(l.module, "GameAssembly") && is(l.name, "mono_class_has_parent") && !l.file.n);
	CHECK(parse_windows("0x00007FF86CD9F0F7 (UnityPlayer) [C:\\b\\Player.cpp:80] Player::Run"));
	CHECK(is(l.name, "Player::Run") && is(l.file, "C:\\b\\Player.cpp") && l.line == 80);
	CHECK(parse_windows("0x00007FFB4537AEBC (aowlspt-host) (function-name not available)"));
	CHECK(is(l.module, "aowlspt-host") && !l.name.n);
	CHECK_EQ(l.bits, 64);
	CHECK(parse_windows("game.exe+0x1091"));
	CHECK(is(l.module, "game.exe") && l.offset == 0x1091 && !l.name.n);
	CHECK(parse_windows("1        1  100.00%  game.exe+0x1091"));
	CHECK(is(l.module, "game.exe") && l.offset == 0x1091);
	CHECK(!parse_windows("loaded game.exe+0x1091"));
	CHECK(!parse_windows("game+0x1091"));
	CHECK(parse_windows("0x00401071 (game) (function-name not available)"));
	CHECK_EQ(l.bits, 32);

	CHECK(parse_windows(
	    "00000061`74dffc80 00007ff6`73dd1307     : 00007ff6`40000000 00000000`00000008 "
	    "00000000`00000008 00000061`74dfdf70 : ex+0x1863"));
	CHECK_EQ(l.kind, STACK_LINE_WINDBG);
	CHECK(is(l.module, "ex") && l.has_offset && l.offset == 0x1863);
	CHECK(parse_windows("0018ff40 76e33677 7efde000 0018ff94 77d39d72 game!f<int>::g+0x12"));
	CHECK(is(l.module, "game") && is(l.name, "f<int>::g") && l.plus == 0x12 && !l.has_offset);
	CHECK(parse_windows("0a 00000061`74dffc80 00007ff6`73dd1307 ex+0x1863"));
	CHECK(!parse_windows("00000061`74dffc80 ex+0x1863"));
	/* "kf" has the sizes of frames, which the first one has not. */
	CHECK(parse_windows("01       1f0 000000d5`50affba0 00007ffa`ce6f7374     game!run+0x81"));
	CHECK(is(l.module, "game") && l.plus == 0x81 && l.has_number && l.number == 1);
	CHECK(parse_windows("      1f0 000000d5`50affba0 00007ffa`ce6f7374     game!run+0x81"));
	CHECK(is(l.module, "game") && is(l.name, "run"));
	CHECK(parse_windows("    18af0 0018ff40 76e33677 game+0x1863"));
	CHECK(l.offset == 0x1863 && !l.has_number);
	CHECK(!parse_windows("01 1f0 20 000000d5`50affba0 00007ffa`ce6f7374     game!run+0x81"));
	/* Calls that have a file already: the next one is behind a call all the same. */
	CHECK(parse_windows(
	    "04 000000d5`50affba0 00007ffa`ce6f7374     game!run+0x81 [C:\\a b\\g.c @ 35] "));
	CHECK(is(l.name, "run") && l.plus == 0x81 && is(l.file, "C:\\a b\\g.c") && l.line == 35);
	CHECK(parse_windows("00 0018ff40 76e33677 operator[]+0x12"));
	CHECK(!parse_windows("00 0018ff40 76e33677 game!run+0x81 [C:\\a.c @ x]"));
	CHECK(
	    parse_windows("[Callstack] 0x00007ff7ea6fd7fc G.exe!F::Tick() [D:\\a b\\L.cpp:5400]"));
	CHECK(is(l.module, "G.exe") && is(l.name, "F::Tick()"));
	CHECK(is(l.file, "D:\\a b\\L.cpp") && l.line == 5400);
	/* A program's own handler, and Boost.Stacktrace. */
	CHECK(parse_windows("  #0 game.exe+0x1183\r") && l.kind == STACK_LINE_WINDBG);
	CHECK(is(l.module, "game.exe") && l.has_offset && l.offset == 0x1183);
	CHECK(l.has_number && !l.number && l.call == 2);
	CHECK(parse_windows(" 12# game!World::Load+0x61"));
	CHECK(is(l.module, "game") && is(l.name, "World::Load") && l.plus == 0x61);
	CHECK(l.has_number && l.number == 12);
	CHECK(parse_windows(" 1# 0x00007FF673DD1183 in C:\\game\\game.exe"));
	CHECK(is(l.module, "game.exe") && l.has_address && l.address == 0x7ff673dd1183);
	CHECK(l.number == 1 && !l.has_offset && !l.name.n && l.tail == 22);
	CHECK(!parse_windows(" 1# 0x00007FF673DD1183 in /usr/bin/game"));
	CHECK(!parse_windows(" 1# 0x00007FF673DD1183"));
	CHECK(!parse_windows("0 game.exe+0x1183") && !parse_windows("#0# game.exe+0x1183"));
	CHECK(!parse_windows("#1 main+0x12") && !parse_windows("#0game.exe+0x1183"));
	CHECK(!parse_windows("0x1 (") && !parse_windows("0x1 ()") && !parse_windows("0x1 a!b"));
	CHECK(!parse_windows("   ") && !parse_windows("\t\r"));
	CHECK(!parse_windows("STACK_TEXT:  ") && !parse_windows(""));

	s = "C:\\g\\a b.dll:a b.dll (00007FF8A0000000), size: 4096 (result: 0), SymType: "
	    "'-exported-'";
	CHECK(stack_line_parse_module(s, strlen(s), &m));
	CHECK(is(m.name, "a b.dll") && m.base == 0x7ff8a0000000 && m.size == 4096);
	CHECK(!stack_line_parse_module("(1), size: 1", 12, &m));
}

/* Forms of reports that people have published. */
TEST(faults)
{
	struct stack_line_fault f = {.number = 0};
#define FAULT(text) stack_line_parse_fault(text, strlen(text), &f)

	CHECK(FAULT(
	    "Faulting module name: coreclr.dll, version: 5.0.621.22011, time stamp: 0x607f4c79\r"));
	CHECK(is(f.module, "coreclr.dll") && !f.has_offset);
	CHECK(!FAULT("Exception code: 0xc0000005") && !f.module.n);
	CHECK(FAULT("Fault offset: 0x00000000001ca037") && f.has_offset && f.offset == 0x1ca037);
	CHECK(FAULT("  Fault Module Name:    Blur.exe") && is(f.module, "Blur.exe"));
	CHECK(FAULT("  Exception Offset:\t0032ce66") && f.offset == 0x32ce66);
	CHECK(!FAULT("Fault offset: ") && !FAULT("Fault offset: 0x12 x") && !FAULT("Fault offset"));
	/* A buffer overrun has the offset before the code. */
	CHECK(!FAULT("Sig[3].Name=Fault Module Name") && FAULT("Sig[3].Value=a b.dll"));
	CHECK(is(f.module, "a b.dll"));
	CHECK(!FAULT("Sig[6].Name=Exception Offset") && !FAULT("Sig[7].Value=c0000409"));
	CHECK(FAULT("Sig[6].Value=0000000000012f40") && f.offset == 0x12f40);
	CHECK(!FAULT("Sig[6].Value=0000000000012f40") && !FAULT("Sig[") && !FAULT("Sig[6]") &&
	      !FAULT(""));
	/* Event 1001, published by Microsoft and others; in CLR20r3 P8 is an offset in IL. */
	CHECK(!FAULT("P4: ntdll.dll") && !FAULT("P8: 12"));
	CHECK(!FAULT("Event Name: APPCRASH") && !FAULT("P1: game.exe"));
	CHECK(FAULT("P4: ESENT.dll") && is(f.module, "ESENT.dll"));
	CHECK(!FAULT("P6: a3266cf3") && f.stamp == 0xa3266cf3 && !FAULT("P7: c0000005"));
	CHECK(FAULT("P8: 00000000000cc6e4") && f.offset == 0xcc6e4);
	CHECK(!FAULT("    Event Name: BEX64") && FAULT("    P4: ntdll.dll") &&
	      !FAULT("P6: ac56554b"));
	CHECK(FAULT("P7: 000000000008fc3f") && f.offset == 0x8fc3f && !FAULT("P8: c0000409"));
	CHECK(!FAULT("Ereignisname: MoAppCrash") && !FAULT("P4: 65bd666e") &&
	      FAULT("P5: combase.dll"));
	CHECK(!FAULT("P8: 80070424") && FAULT("P9: 00000000000e8bf4") && f.offset == 0xe8bf4);
	CHECK(!FAULT("Event Name: CLR20r3") && !FAULT("P4: dsac") && !FAULT("P8: 0"));
#undef FAULT
}

TEST_MAIN()
