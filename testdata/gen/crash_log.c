/* SPDX-License-Identifier: MIT
 *
 *	crash_log [--stacks N] VARIANT >FILE 2>TRUTH
 *
 * Logs with stacks. Stack i has 1 + i % 4 calls; leak i is of 10 + i bytes in 1 + i % 3 blocks.
 * VARIANT:
 *
 *	lsan      LeakSanitizer, without names        named     the same with names, inlined calls too
 *	asan      use after free: three stacks each   tsan      data races
 *	tombstone Android's file                      logcat    the same in its log, other lines between
 *	leaks     malloc_debug's leaks                old       the same before Android 5
 *	harmony   OpenHarmony's log
 *	hs_err    HotSpot's file                      glibc     backtrace_symbols
 *	hs_err_java  the same, whose calls of Java stand apart
 *	unreachable   libmemunreachable's leaks, each with two similar blocks
 *	heap      native heap dump, version 1.2       heap10, heap11, info   versions, with names
 *	counted   version 1.0 whose numbers of blocks are sound; heap10: each record is one block
 *	crlf      lsan with line ends as Windows writes them
 *	sums      lsan whose sum is one block too high
 *	damaged   heap with a line that makes no sense behind every tenth record
 *
 * The truth: "stacks N", "calls N", and of leaks "bytes N", "blocks N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *end = "\n";
static long stacks, calls, bytes, blocks;

static const char *log_line(void)
{
	return is("logcat")  ? "04-15 12:35:33.304  7412  7412 F DEBUG   : "
	       : is("leaks") ? "04-15 12:35:33.304  7412  7412 E malloc_debug: "
	       : is("old")   ? "E/libc\t( 3500):"
			     : "";
}

static void call(long i, int k)
{
	unsigned at = 0x1000 + (unsigned)(i % 50) * 0x40 + (unsigned)k * 4;
	static const char *const ids[] = {"155a1c7a13d5d903189f55b1aa410341", "93ac61ec5a8eb139"};

	calls++;
	if (is("named") && k % 2)
		printf("    #%d 0x55555555%04x in operator new(unsigned long) "
		       "(/usr/lib/libgame.so+0x%x) (BuildId: %s)%s",
		       k, at, at, ids[0], end);
	else if (is("named"))
		printf("    #%d 0x55555555%04x in game::tick(int)::{lambda()#1} "
		       "/src/my game/tick.cc:%u:5%s",
		       k, at, at % 97 + 1, end);
	else if (is("tsan"))
		printf(k ? "    #%d <null> <null> (game+0x%x) (BuildId: %s)%s"
			 : "    #%d tick(int) /src/tick.cc:7:3 (game+0x%x) (BuildId: %s)%s",
		       k, at, ids[0], end);
	else if (is("tombstone") || is("logcat"))
		printf("%s      #%02d pc %016x  %s (%s) (BuildId: %s)%s", log_line(), k, at,
		       k == 1 ? "/data/app/~~a==/com.game-b==/base.apk!libgame.so (offset 0x1e8000)"
			      : "/apex/com.android.runtime/lib64/bionic/libc.so",
		       k % 2 ? "art::Runtime::Abort(char const*)+552" : "abort+164", ids[k % 2],
		       end);
	else if (is("leaks") || is("old") || is("unreachable"))
		printf("%s          #%02d  pc %08x  /system/lib/libc.so%s%s", log_line(), k, at,
		       k % 2 ? " (newlocale+160)" : "", end);
	else if (is("harmony"))
		printf(
		    "#%02d pc %016x /system/lib64/libutils.z.so(OHOS::A::B(char const*)+12)(%s)%s",
		    k, at, ids[0], end);
	else if (is("hs_err"))
		printf(k == 2 ? "j  com.game.Main.tick(I)V+%u%s"
			      : "C  [libgame.so+0x%x]  tick+0x1c%s",
		       at, end);
	else if (is("glibc"))
		printf(k % 2 ? "./game(tick+0x%x) [0x55555555%04x]%s"
			     : "/usr/lib/libgame.so(+0x%x) [0x7fff5555%04x]%s",
		       at, at, end);
	else
		printf("    #%d 0x55555555%04x  (/usr/lib/libgame.so+0x%x) (BuildId: %s)%s", k, at,
		       at, ids[0], end);
}

static void stack(long i)
{
	stacks++;
	for (int k = 0; k < 1 + (int)(i % 4); k++) {
		call(i, k);
		if (is("logcat") && k % 3 == 1)
			printf(
			    "04-15 12:35:33.304   900   901 I chatty  : uid=1000 expire 4 lines%s",
			    end);
	}
}

static void leak(long i)
{
	bytes += 10 + i;
	blocks += 1 + i % 3;
	printf("%s leak of %ld byte(s) in %ld object(s) allocated from:%s",
	       i % 2 ? "Indirect" : "Direct", 10 + i, 1 + i % 3, end);
	stack(i);
	printf("%s", end);
}

static void heap(long n)
{
	long each = is("heap10") ? 1 : 0;

	for (long i = 0; i < n; i++) {
		long num = each ? each : 1 + i % 3;

		bytes += (10 + i) * num;
		blocks += num;
	}
	printf("Android Native Heap Dump v1.%c\n\n", is("heap10") || is("counted") ? '0'
						     : is("heap11")                ? '1'
										   : '2');
	if (!is("heap10") && !is("heap11") && !is("counted"))
		printf("Build fingerprint: 'google/x/y:1/Z:user/release-keys'\n\n");
	printf("Total memory: %ld\nAllocation records: %ld\nBacktrace size: 16\n\n", bytes,
	       is("counted") ? blocks : n);
	for (long i = 0; i < n; i++) {
		int depth = 1 + (int)(i % 4);

		printf("z %d  sz %8ld  num %4ld  bt", i % 5 == 4, 10 + i, 1 + i % 3);
		for (int k = 0; k < depth; k++)
			printf(is("heap") ? " %x" : " %08x",
			       0x70001000 + (int)(i % 50) * 0x40 + k * 4);
		printf("\n");
		if (is("info")) {
			printf("  bt_info");
			for (int k = 0; k < depth; k++)
				printf(" {\"/system/lib/libc.so\" %x \"%s\" %x}",
				       0x1000 + (int)(i % 50) * 0x40 + k * 4, k % 2 ? "" : "abort",
				       k % 2 ? 0 : 4);
			printf("\n");
		}
		if (is("damaged") && i % 10 == 9)
			printf("z 0 sz what\n");
		calls += depth;
		stacks++;
	}
	printf("MAPS\n70000000-70010000 r-xp 00000000 103:00 815       /system/lib/libc.so\nEND\n");
}

static void reports(long n)
{
	static const char rule[] =
	    "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***";

	for (long i = 0; i < n; i++) {
		if (is("asan")) {
			printf("==%ld==ERROR: AddressSanitizer: heap-use-after-free on address "
			       "0x50200000%04lx at pc 0x1 bp 0x2 sp 0x3%sREAD of size 4 at "
			       "0x502000000078 thread T0%s",
			       100 + i, i, end, end);
			stack(i);
			printf("%sfreed by thread T0 here:%s", end, end);
			stack(i + 1);
			printf("%spreviously allocated by thread T0 here:%s", end, end);
			stack(i + 2);
			printf("%sSUMMARY: AddressSanitizer: heap-use-after-free "
			       "(/usr/lib/libgame.so+0x1000)%s",
			       end, end);
		} else if (is("tsan")) {
			printf(
			    "WARNING: ThreadSanitizer: data race (pid=9405)%s  Write of size 4 at "
			    "0x555556a68ae8 by thread T2:%s",
			    end, end);
			stack(i);
			printf("%s", end);
		} else if (is("leaks") || is("old")) {
			bytes += 10 + i;
			blocks++;
			printf(
			    "%s+++ APP leaked block of size %ld at 0x2be3%04lx (leak %ld of %ld)%s",
			    log_line(), 10 + i, i, i + 1, n, end);
			printf("%s%s%s", log_line(),
			       is("old") ? rule : "Backtrace at time of allocation:", end);
			stack(i);
		} else if (is("tombstone") || is("logcat") || is("harmony")) {
			printf(
			    "%s%s%s%sBuild fingerprint: 'google/raven/raven:13/T/9:userdebug/k'%s",
			    log_line(), rule, end, log_line(), end);
			printf("%spid: 17946, tid: %ld, name: RenderThread  >>> com.game <<<%s",
			       log_line(), 17950 + i % 3, end);
			printf("%ssignal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0%s%s"
			       "backtrace:%s",
			       log_line(), end, log_line(), end);
			stack(i);
		} else if (is("unreachable")) {
			bytes += 3 * (10 + i);
			blocks += 3;
			printf(
			    "  %ld bytes unreachable at a11e%04lx\n   and %ld similar unreachable "
			    "bytes in 2 allocations\n   contents:\n   a11e6758: 65 6d 75 emu\n",
			    10 + i, i, 2 * (10 + i));
			stack(i);
			printf("\n");
		} else if (is("glibc")) {
			printf("assertion %ld failed%s", i, end);
			stack(i);
			printf("%s", end);
		}
	}
}

int main(int argc, char **argv)
{
	long n = 20;
	int i = 1;

	for (; i + 1 < argc && !strcmp(argv[i], "--stacks"); i += 2)
		n = atol(argv[i + 1]);
	if (i + 1 != argc) {
		fprintf(stderr, "usage: see testdata/gen/crash_log.c\n");
		return 2;
	}
	variant = argv[i];
	end = is("crlf") ? "\r\n" : "\n";
	if (is("hs_err")) {
		printf("#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"
		       "#  SIGSEGV (0xb) at pc=0x00007fcc66899a91, pid=6880, tid=6881\n#\n"
		       "# Problematic frame:\n# C  [libgame.so+0x10c0]  tick+0x1c\n#\n\n"
		       "Native frames: (J=compiled Java code, j=interpreted, Vv=VM code, C=native "
		       "code)\n");
		stack(3);
		printf("\nJava frames: (J=compiled Java code, j=interpreted, Vv=VM code)\n"
		       "j  com.game.Main.tick(I)V+4296\n");
		printf(
		    "\n7fcc66870000-7fcc668a0000 r-xp 00000000 08:01 12   /opt/game/libgame.so\n");
	} else if (is("hs_err_java")) {
		printf("# A fatal error has been detected by the Java Runtime Environment:\n#\n"
		       "# Problematic frame:\n# C  [libgame.so+0x10c0]  tick+0x1c\n#\n\n"
		       "Native frames: (J=compiled Java code, j=interpreted, Vv=VM code, C=native "
		       "code)\nC  [libgame.so+0x10c0]  tick+0x1c\n\n"
		       "Java frames: (J=compiled Java code, j=interpreted, Vv=VM code)\n"
		       "j  com.game.Native.tick(J)V+0\n"
		       "J 1523 c2 com.game.Main.tick(I)V (5 bytes) @ 0x00007fcc5d000e3a "
		       "[0x00007fcc5d000e00+0x3a]\n");
		for (long k = 0; k < n; k++)
			printf("j  com.game.Main.run%ld()V+%ld\n", k, 2 * k);
		printf("v  ~StubRoutines::call_stub\n\nsiginfo: si_signo: 11\n\nRegisters:\n");
		stacks = 1;
		calls = n + 4;
	} else if (!strncmp(variant, "heap", 4) || is("counted") || is("info") || is("damaged")) {
		heap(n);
	} else if (is("lsan") || is("named") || is("crlf") || is("sums")) {
		printf("=================================================================%s"
		       "==9172==ERROR: LeakSanitizer: detected memory leaks%s%s",
		       end, end, end);
		for (long k = 0; k < n; k++)
			leak(k);
		printf("SUMMARY: AddressSanitizer: %ld byte(s) leaked in %ld allocation(s).%s",
		       bytes, blocks + is("sums"), end);
	} else {
		reports(n);
	}
	fprintf(stderr, "stacks %ld\ncalls %ld\n", stacks, calls);
	if (bytes)
		fprintf(stderr, "bytes %ld\nblocks %ld\n", bytes, blocks);
	return fflush(stdout) ? 1 : 0;
}
