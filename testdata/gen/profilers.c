/* SPDX-License-Identifier: MIT
 *
 *	profilers [--rows N] VARIANT >FILE 2>TRUTH
 *
 * Reports of several profilers, which list stacks of main (a.c:1, or its like), update below it, and draw below update. Row
 * i is of main when i % 3 is 0, of update when 1, of draw when 2, and has i % 4 + 1 samples, ms or blocks.
 * VARIANT:
 *
 *	safari         samples of 1 ms for each
 *	v8-log         ticks, as long in us; the innermost of update is C++, and one address has no code
 *	ghc            a tree, of which each node comes once: ticks, entries and bytes (100 a tick)
 *	papyrus        calls of two stacks: N times main, and update within it
 *	pmcstat        callers below a function: draw N samples, all of update, half of that from main
 *	perf-report    row i has weight(i) of the events, but rows of one event each; half of row 0 is from main, a quarter
 *	               from start, which main calls
 *	cleopatra      samples, as long in ms
 *	art-trace      enters and exits of two threads: N times main, and update within it, as long in us
 *	art-streamed   the same, as ART streams it
 *	sample         trees of two threads, N samples each: a third in each function
 *	malloc-history the same of blocks, of 1 KiB each
 *	memleak        two lists: row i of the second one has i + 1 blocks of 16 bytes, of a stack of 3
 *	bpftrace       a map of rows, each with its number behind the stack; and a map of numbers, and one of histograms
 *	xctrace        samples as long in ms, of two threads in turn; what comes again is a reference; draw has no name
 *	xctrace-cycles the same in cycles, as Xcode 15 and later write it
 *	xctrace-heap   row i is a block of 16 * (i + 1) bytes, of which each third was freed
 *	xctrace-sums   row i is a class, of which i + 1 blocks of 48 bytes are live, and one was freed
 *	metrickit      a hang whose main thread has the rows as roots, their samples in what they call; and a crash of two
 *	               threads, of three calls and of one
 *	vmmap          a summary: type i has 8 * (i + 1) K, a quarter of it dirty, in i + 1 regions; and a zone of malloc
 *	vmmap-regions  the regions alone: i + 1 of type i, of 8 K each
 *	leaks          row i is a class that leaked 32 bytes, and holds i % 4 blocks of 16
 *	leaks-stacks   the same, with a stack before each row
 *	leaks-3.0      row i leaked i + 1 bytes, with its stack in a line
 *	heap           class i has i + 1 blocks of 48 bytes
 *	jemalloc-text  size classes of (i + 1) * 16 bytes: i + 2 blocks were allocated, and i are there
 *	jemalloc-json  the same
 *	mimalloc       row i is a class of 16 * (i + 1) bytes: (i + 2) KiB were allocated, and 1 KiB is there; the second of
 *	               two printouts
 *	mimalloc-old   the same of versions without a column of what is there
 *	VARIANT-bad    the same, damaged: numbers that are none, rows that are no rows
 *
 * The truth: lines "WORD N".
 */
#include "testdata/gen/gen.h"

#include <stdio.h>
#include <stdlib.h>

static long rows = 6;
static bool bad;

static long weight(long i)
{
	return i % 4 + 1;
}

static long sum(void)
{
	long n = 0;

	for (long i = 0; i < rows; i++)
		n += weight(i);
	return n;
}

static void truth(const char *word, long n)
{
	fprintf(stderr, "%s %ld\n", word, n);
}

static void safari(void)
{
	static const char *const frames[] = {
	    "{\"sourceID\":\"1\",\"name\":\"main\",\"line\":1,\"column\":2,\"url\":\"game.js\"}",
	    "{\"sourceID\":\"1\",\"name\":\"update\",\"line\":11,\"column\":2,\"url\":\"game.js\"}",
	    "{\"sourceID\":\"1\",\"name\":\"\",\"line\":21,\"column\":2,\"url\":\"game.js\"}"};
	double time = 4;

	printf("{\"version\":1,\"recording\":{\"displayName\":\"x\",\"startTime\":4,\"endTime\":9,"
	       "\"instrumentTypes\":[\"timeline-record-type-script\"],"
	       "\"records\":[{\"type\":\"timeline-record-type-cpu\",\"timestamp\":4.1}],"
	       "\"sampleStackTraces\":[");
	for (long i = 0; i < rows; i++) {
		time += (double)weight(i) / 1000;
		printf("%s{\"timestamp\":%.6f,\"stackFrames\":[", i ? "," : "", time);
		for (long k = i % 3; k >= 0; k--)
			printf("%s%s", frames[k], k ? "," : "");
		printf("]}");
	}
	printf("],\"sampleDurations\":[");
	for (long i = 0; i < rows - bad; i++)
		if (bad && i == 1)
			printf(",\"long\"");
		else
			printf("%s%.6f", i ? "," : "", (double)weight(i) / 1000);
	printf("]},\"overview\":{}}\n");
	truth("samples", rows);
	truth("ms", sum());
}

static void v8_log(void)
{
	long us = 0;

	printf("{\n  \"code\": [{\"name\":\"/usr/bin/node\",\"type\":\"SHARED_LIB\"},"
	       "{\"name\":\"main "
	       "game.js:1:1\",\"type\":\"JS\",\"kind\":\"Unopt\",\"func\":0,\"tm\":1},"
	       "{\"name\":\"T v8::update(int)\",\"type\":\"CPP\"},"
	       "{\"name\":\"ArrayPush\",\"type\":\"CODE\",\"kind\":\"Builtin\"}],\n"
	       "\"functions\":[{\"name\":\"main game.js:1:1\",\"codes\":[1]}],\n\"ticks\":[");
	for (long i = 0; i < rows; i++) {
		us += weight(i);
		printf("%s{\"tm\":%ld,\"vm\":0,\"s\":[", i ? ",\n" : "", us);
		if (i == 1)
			printf("-1,140737,");
		if (i % 3 == 2)
			printf("3,16,");
		if (i % 3)
			printf("%d,32,", bad && i == 1 ? 99 : 2);
		printf("1,48]}");
	}
	if (bad)
		printf(",{\"tm\":-5,\"vm\":0,\"s\":[1,4]}");
	printf("]}\n");
	truth("samples", rows);
	truth("us", sum());
}

static void ghc(void)
{
	long deep = rows < 3 ? 3 : rows;

	printf(
	    "{\n\"program\": \"game\",\n\"arguments\": [],\n\"rts_arguments\": [\"-pj\"],\n"
	    "\"total_time\":        0.01,\n\"total_ticks\": %ld,\n\"tick_interval\": 1000,\n"
	    "\"total_alloc\":%ld,\n\"cost_centres\": [\n"
	    "{\"id\": 1, \"label\": \"MAIN\", \"module\": \"MAIN\", \"src_loc\": \"<built-in>\", "
	    "\"is_caf\": false}, "
	    "{\"id\": 2, \"label\": \"update\", \"module\": \"Game\", \"src_loc\": "
	    "\"Game.hs:(11,1)-(14,20)\", \"is_caf\": false}, "
	    "{\"id\": 3, \"label\": \"draw\", \"module\": \"Game\", \"src_loc\": "
	    "\"Game.hs:21:1-9\", "
	    "\"is_caf\": false}\n],\n\"profile\": ",
	    bad ? sum() + 1 : sum(), sum() * 100);
	/* main's children are update and draw, by turns */
	printf("{\"id\": 1, \"entries\": 0, \"alloc\": %ld, \"ticks\": %ld, \"children\": [",
	       weight(0) * 100, weight(0));
	for (long i = 1; i < deep; i++)
		printf("%s{\"id\": %ld, \"entries\": %ld, \"alloc\": %ld, \"ticks\": %ld, "
		       "\"children\": []}",
		       i > 1 ? "," : "", bad && i == 1 ? 9 : 2 + i % 2, i, weight(i) * 100,
		       weight(i));
	printf("]}}\n");
	truth("nodes", deep);
	truth("ticks", sum());
}

static void papyrus(void)
{
	long ms = 500;

	printf("Script_game log opened (PC)\n");
	for (long i = 0; i < rows; i++) {
		int stack = i % 2 ? 77 : 3053;

		printf("%ld:QUEUE_PUSH:%d:1:None:game.??.main\n", ms, stack);
		printf("%ld:PUSH:%d:1:quest (24021278):game..main\n", ms, stack);
		printf("%ld:PUSH:%d:2:None:game..update\n", ms += 1, stack);
		if (bad && i == 1)
			printf("later:POP:%d:2:None:game..update\n%ld:POP:%d\nhello\n", stack, ms,
			       stack);
		printf("%ld:POP:%d:2:None:game..update\n", ms += weight(i), stack);
		printf("%ld:POP:%d:1:quest (24021278):game..main\n", ms += 1, stack);
	}
	printf("Log closed\n");
	truth("calls", 2 * rows);
	truth("ms", sum() + 2 * rows);
}

static void pmcstat(void)
{
	printf("@ inst_retired.any [%ld samples]\n\n", rows);
	printf("100.0%%  [%ld]     draw @ /boot/kernel/game.ko\n", rows);
	printf(" 100.0%%  [%ld]      update\n", rows);
	printf("  50.00%%  [%ld]       main @ /boot/kernel/kernel\n", rows / 2);
	if (bad)
		printf("  50.00%%  [many]       main\nhello\n  90.00%%  [%ld]       start\n", rows);
	printf("\n");
	truth("samples", rows);
}

static void perf_report(void)
{
	static const char head[] = "# Overhead  Command  Shared Object      Symbol\n"
				   "# ........  .......  .................  ..............\n#\n";

	printf("# To display the perf.data header info, please use --header/--header-only "
	       "options.\n#\n#\n# Total Lost Samples: %d\n#\n# Samples: 4K of event 'cpu-clock'\n"
	       "# Event count (approx.): 40000\n#\n%s",
	       bad ? 7 : 0, head);
	/* 100 of 10000 hundredths are 400 events */
	for (long i = 0; i < rows; i++) {
		printf("    %2ld.00%%  game     %-17s  [.] draw%ld\n", weight(i),
		       i % 3 == 2 ? "[kernel.kallsyms]" : "game", i);
		if (!i && bad)
			printf("            |\n            ---main\n               draw0\n\n");
		else if (!i)
			printf("            |          \n            ---draw0\n               |    "
			       "      \n"
			       "               |--0.50%%--update (inlined)\n               |       "
			       "   main\n"
			       "               |          \n                --0.25%%--start\n"
			       "                          0x7f00001234\n\n");
	}
	if (bad)
		printf("     nan%%  game     game               [.] odd\n"
		       "            |--many--main\n");
	printf("     0.50%%  game     libgame.so         [.] 0x0000000000001a45\n"
	       "     0.25%%  game     [unknown]          [k] 0x00007f0000004321\n"
	       "     0.00%%  game     game               [.] never\n\n\n");
	printf("# Samples: 8  of event 'page-faults'\n# Event count (approx.): 1000\n#\n"
	       "# Children      Self       Samples  Command  Symbol\n"
	       "# ........  ........  ............  .......  ..........\n#\n"
	       "   100.00%%     0.00%%             0  game     [.] main\n");
	if (bad)
		printf("            |\n            ---main\n               draw\n");
	printf("    60.00%%    60.00%%             5  game     [.] draw\n"
	       "    40.00%%    40.00%%             3  game     [.] load\n\n");
	if (bad)
		printf("# Samples: 9  of events 'a, b'\n# Event count (approx.): 9\n#\n%s"
		       "    60.00%%  40.00%%  game     game               [.] draw\n",
		       head);
	printf("\n#\n# (Tip: Show estimate cost per function: perf report --children)\n#\n");
	truth("time", 400 * sum() + 200 + 100);
	truth("faults", 1000);
}

static void tree(bool blocks)
{
	static const char *const places[] = {
	    "main  (in game) + 910  [0x1000017be]  main.c:353",
	    "update(int (*) [2])  (in game) + 162  [0x100000d22,0x100000d30]",
	    "???  (in game)  load address 0x100000000 + 0xb53  [0x100000b53]"};

	if (blocks)
		printf("Process:         game [4242]\nAnalysis Tool:   /usr/bin/malloc_history\n\n"
		       "Physical footprint:         1.5G\n----\n\n");
	else
		printf("Analysis of sampling game (pid 4242) every 1 millisecond\n"
		       "Process:         game [4242]\nAnalysis Tool:   /usr/bin/sample\n\n"
		       "Physical footprint:         443.5M\nPhysical footprint (peak):  "
		       "546.2M\n----\n\n");
	printf("Call graph:\n");
	if (blocks)
		printf("    %ld (%ldK) << TOTAL >>\n", rows, rows);
	for (int thread = 0; thread < (blocks ? 1 : 2); thread++) {
		const char *more = "";

		if (!blocks && !thread)
			printf("    %ld Thread_1166804   DispatchQueue_1: com.apple.main-thread  "
			       "(serial)\n",
			       rows);
		else if (!blocks)
			printf("    %ld Thread_77: worker\n", rows);
		for (int k = 0; k < 3; k++) {
			printf("    +%s %ld ", more, rows - k * (rows / 3));
			if (blocks)
				printf("(%ldK) ", rows - k * (rows / 3));
			printf("%s\n", places[k]);
			more = k ? " ! " : " ";
		}
		if (bad)
			printf("    + many update  (in game)\n\thello\n    +   9999999 main  (in "
			       "game)\n");
	}
	printf("\nTotal number in stack (recursive counted multiple, when >=5):\n        9       "
	       "main\n\n"
	       "Binary Images:\n"
	       "       0x100000000 -        0x100002fff +game (0) "
	       "<7DBD2D57-A2D7-3F65-9B9E-A1F4D75DF533> /Users/x/game\n");
	truth(blocks ? "blocks" : "samples", blocks ? rows : 2 * rows);
}

static void cleopatra(void)
{
	long ms = 1000;

	printf("{\n  \"format\": \"profileJSONWithSymbolicationTable,1\",\n  \"meta\": "
	       "{\"interval\": 1, \"version\": 2},\n  \"profileJSON\": [");
	for (long i = 0; i < rows; i++) {
		printf("%s\n    {\"frames\": [7", i ? "," : "");
		for (long k = 1; k <= i % 3; k++)
			printf(", %ld", bad && i == 1 ? 99 : 7 + k);
		printf("], \"extraInfo\": {\"time\": %ld}}", ms);
		ms += bad && i == 1 ? -weight(i) : weight(i);
	}
	printf("],\n  \"symbolicationTable\": {\"7\": \"main (in game.exe)\", \"8\": "
	       "\"update\", \"9\": \"draw\"%s}\n}\n",
	       bad ? ", \"many\": \"x\"" : "");
	truth("samples", rows);
}

static void put_text(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

static void put_record(struct buf *b, long thread, long method, long us)
{
	put(b, (uint64_t)thread, 2);
	put(b, (uint64_t)method, 4);
	put(b, (uint64_t)us / 2, 4); /* the processor's */
	put(b, (uint64_t)us, 4);
}

static void art_as(bool streamed)
{
	static const char *const methods[] = {"0x10\tgame.Main\tmain\t()V\tMain.java\n",
					      "0x20\tgame.Main\tupdate\t()V\tMain.java\n"};
	static const char summary[] = "*version\n3\ndata-file-overflow=false\nclock=dual\n"
				      "elapsed-time-usec=100\nnum-method-calls=";
	struct buf b = {0};
	long us = 0, records = 4 * rows;

	if (!streamed) {
		put_text(&b, summary);
		buf_addf(&b, "%ld\nvm=art\n*threads\n21\tmain\n22\tworker\n*methods\n", records);
		put_text(&b, methods[0]);
		put_text(&b, methods[1]);
		put_text(&b, bad ? "no method\n*end\n" : "*end\n");
	}
	put_text(&b, "SLOW");
	put(&b, streamed ? 0xf3 : 3, 2);
	put(&b, 32, 2);
	put(&b, 12345, 8);
	put(&b, 14, 2);
	put(&b, 0, 8);
	put(&b, 0, 6);
	if (streamed) {
		for (int i = 0; i < 2; i++) {
			put(&b, 0, 2);
			put(&b, 1, 1);
			put(&b, strlen(methods[i]), 2);
			put_text(&b, methods[i]);
		}
		put(&b, 0, 2);
		put(&b, 2, 1);
		put(&b, 21, 2);
		put(&b, 4, 2);
		put_text(&b, "main");
	}
	for (long i = 0; i < rows; i++) {
		long thread = i % 2 ? 22 : 21;

		put_record(&b, thread, 0x10, us);
		put_record(&b, thread, bad && !i ? 0x30 : 0x20, us + 1);
		put_record(&b, thread, bad && !i ? 0x23 : 0x21, us += 1 + weight(i));
		put_record(&b, thread, 0x11, us += 1);
	}
	if (streamed) {
		put(&b, 0, 2);
		put(&b, 3, 1);
		put(&b, sizeof summary - 1 + 8, 4);
		put_text(&b, summary);
		buf_addf(&b, "%ld\n", bad ? records + 1 : records);
	}
	fwrite(b.data, 1, b.len, stdout);
	buf_release(&b);
	truth("calls", 2 * rows);
	truth("us", sum() + 2 * rows);
}

static void art_trace(void)
{
	art_as(false);
}

static void art_streamed(void)
{
	art_as(true);
}

static void memleak(void)
{
	long blocks = 0;

	printf("Attaching to pid 5193, Ctrl+C to quit.\n"
	       "[11:16:33] Top 1 stacks with outstanding allocations:\n"
	       "\t99 bytes in 9 allocations from stack\n\t\t main+0x6d [game]\n\n"
	       "[11:16:34] Top %ld stacks with outstanding allocations:\n",
	       rows);
	for (long i = 0; i < rows; i++) {
		if (!i)
			printf("\taddr = 948cd0 size = 16\n");
		printf("\t%ld bytes in %ld allocations from stack\n", 16 * (i + 1), i + 1);
		printf(i % 2 ? "\t\t0x000055d0c0a0106d\toperator+(int)+0x%lx [game]\n"
			     : "\t\t %ld [<000055d0c0a0106d>] [unknown] [game]\n",
		       i);
		printf("\t\t [unknown] [libgame.so]\n\t\t main+0x6d [game]\n");
		if (bad && !i)
			printf("hello\n\tmany bytes in 2 allocations from stack\n");
		blocks += i + 1;
	}
	if (bad)
		printf(
		    "\t16 bytes in 99999999999999 allocations from stack\n\t\t main+0x6d [game]\n");
	truth("blocks", blocks);
	truth("bytes", 16 * blocks);
	truth("rows", rows);
}

static void leaks_as(bool stacks, bool old)
{
	long blocks = 0, bytes = 0;

	for (long i = 0; i < rows; i++) {
		blocks += old ? 1 : 1 + i % 4;
		bytes += old ? i + 1 : 32 + 16 * (i % 4);
	}
	printf("Process:         game [7]\nAnalysis Tool:   /usr/bin/leaks\n\n"
	       "Physical footprint:         1284K\n----\n\nleaks Report Version: %s\n"
	       "Process 7: 569 nodes malloced for 61 KB\n"
	       "Process 7: %ld leaks for %ld total leaked bytes.\n\n",
	       old      ? "3.0"
	       : stacks ? "4.0, multi-line stacks"
			: "4.0",
	       bad ? blocks + 1 : blocks, bytes);
	if (!old && !stacks)
		printf("    %ld (%ld bytes) << TOTAL >>\n\n", blocks, bytes);
	for (long i = 0; i < rows; i++) {
		if (old) {
			printf("Leak: 0x7ffb6ac0%04lx  size=%ld  zone: DefaultMallocZone_0x1   "
			       "length: 7  "
			       "\"10 [2]\"\n",
			       i, i + 1);
			if (i % 2)
				printf("\tCall stack: [thread 0x10a974380]: | start | main "
				       "main.c:3 | malloc \n");
			continue;
		}
		if (stacks)
			printf("STACK OF 1 INSTANCE OF 'ROOT LEAK: <Cache%ld>':\n"
			       "2   dyld                 0x1aea9be50 start + 2544\n"
			       "1   game                 0x1001bf220 main + 16  main.c:%ld\n"
			       "0   libsystem            0x1aec2ec20 operator new(unsigned long) + "
			       "32 \n====\n",
			       i, i + 1);
		printf("    %ld (%ld bytes) ROOT LEAK: <Cache%ld 0x7f9326e00560> [32]\n", 1 + i % 4,
		       32 + 16 * (i % 4), i % 2);
		for (long k = 0; k < i % 4; k++)
			printf(
			    "       1 (16 bytes) __strong next --> 0x7f9326d00480 [%s]  length: 7  "
			    "\"10.2.13\"\n",
			    bad && i == 1 ? "many" : "16");
		printf("       parent --> CYCLE BACK TO <Cache 0x7f9326e00560> [32]\n\n");
	}
	truth("blocks", blocks);
	truth("bytes", bytes);
}

static void leaks(void)
{
	leaks_as(false, false);
}

static void leaks_stacks(void)
{
	leaks_as(true, false);
}

static void leaks_lines(void)
{
	leaks_as(false, true);
}

static void bpftrace(void)
{
	static const char *const stacks[] = {"    main+115\n", "    update+24\n    main+115\n",
					     "    draw(int, char const*)+3\n    update+24\n"
					     "    main+115\n"};

	printf("Attaching 1 probe...\n^C\n\n@[%s\n    0x7fbcc729e24a\n]: \n"
	       "[1]                    1 |@@@@                 |\n"
	       "[2, 4)                 4 |@@@@@@@@@@@@@@@@@@@@@|\n\n@plain[7]: 12\n",
	       "game,");
	for (long i = 0; i < rows; i++)
		printf("@ticks[\n%s, game, %ld]: %ld\n", stacks[i % 3], i, weight(i));
	if (bad)
		printf("@ticks[\n%s, game, 0]: %ld\n@ticks[\n    main+1\n]: (1, 2)\n"
		       "@ticks[\n    main+1\n, \n    start+1\n]: 1\n@ticks[\n    main+1\n",
		       stacks[0], weight(0));
	truth("samples", bad ? sum() + weight(0) + 1 : sum());
	truth("rows", rows);
}

static void xctrace_frame(long k, long id)
{
	static const char *const names[] = {"main", "update&lt;int&gt;", "0x100001031"};

	printf("<frame id=\"%ld\" name=\"%s\" addr=\"0x1000010%ld1\"><binary ref=\"1\"/>", 40 + k,
	       names[k], k + 1);
	if (!k)
		printf("<source line=\"1\"><path id=\"%ld\">/src/a.c</path></source>", id);
	printf("</frame>");
}

/* Ids: 1 to 3 the binary, thread and stack of row 0; 10 i and more those of row i. */
static void xctrace_as(bool cycles)
{
	printf("<?xml version=\"1.0\"?>\n<trace-query-result>\n<node xpath='//trace-toc[1]/run[1]'>"
	       "<schema name=\"%s\"><col><mnemonic>time</mnemonic></col></schema>\n"
	       "<binary id=\"1\" name=\"game\" UUID=\"0102030405060708-0910111213141516\" "
	       "load-addr=\"0x100000000\" path=\"/opt/game\"/>\n",
	       cycles ? "cpu-profile" : "time-profile");
	for (long i = 0; i < rows; i++) {
		long id = 1000 + 20 * i;

		printf("<row><sample-time id=\"%ld\" fmt=\"x\">%ld</sample-time>", id,
		       (i + 1) * 1000000);
		if (i < 2)
			printf(
			    "<thread id=\"%ld\" fmt=\"%s 0x%ld (game, pid: 7)\"><tid id=\"%ld\">%ld"
			    "</tid><process id=\"%ld\"><pid id=\"%ld\">7</pid></process></thread>",
			    10 + i, i ? "worker" : "Main Thread", 70 + i, id + 1, 70 + i, id + 2,
			    id + 3);
		else
			printf("<thread ref=\"%ld\"/><process ref=\"1002\"/>", 10 + i % 2);
		if (i < 4)
			printf("<%s id=\"%ld\" fmt=\"x\">%ld</%s>",
			       cycles ? "cycle-weight" : "weight", 20 + i,
			       weight(i) * (cycles ? 1000 : 1000000),
			       cycles ? "cycle-weight" : "weight");
		else
			printf("<%s ref=\"%ld\"/>", cycles ? "cycle-weight" : "weight",
			       bad && i == 5 ? 9999 : 20 + i % 4);
		if (i >= 3) {
			printf("<tagged-backtrace ref=\"%ld\"/>", 30 + i % 3);
		} else {
			printf("<tagged-backtrace id=\"%ld\"><backtrace id=\"%ld\">", 30 + i,
			       id + 4);
			for (long k = i; k >= 0; k--)
				if (k < i)
					printf("<frame ref=\"%ld\"/>", 40 + k);
				else
					xctrace_frame(k, id + 5);
			printf("</backtrace></tagged-backtrace>");
		}
		printf("</row>\n");
	}
	if (bad)
		printf("<row><weight ref=\"20\"/><sentinel/></row>\n<row><core>1</core></row>\n");
	printf("</node></trace-query-result>\n");
	truth("samples", rows);
	truth("weight", bad ? sum() - weight(5) + weight(0) : sum());
}

static void xctrace(void)
{
	xctrace_as(false);
}

static void xctrace_cycles(void)
{
	xctrace_as(true);
}

static void xctrace_table(bool sums)
{
	long live = 0, bytes = 0;

	printf("<?xml version=\"1.0\"?>\n<trace-query-result>\n<node "
	       "xpath='//trace-toc[1]/run[1]'>\n");
	for (long i = 0; i < rows; i++) {
		if (sums)
			printf(
			    "<row category=\"Malloc %ld&lt;x&gt;\" persistent-bytes=\"%ld\" "
			    "count-persistent=\"%ld\" total-bytes=\"%ld\" transient-bytes=\"48\" "
			    "count-events=\"%ld\" count-transient=\"1\" count-total=\"%ld\"/>\n",
			    i, 48 * (i + 1), i + 1, 48 * (i + 2), i + 3, i + 2);
		else
			printf("<row address=\"0x%lx\" category=\"Malloc %ld Bytes\" live=\"%s\" "
			       "responsible-caller=\"make(int)\" responsible-library=\"game\" "
			       "size=\"%ld\" timestamp=\"00:00.000.000\"/>\n",
			       4096 + 64 * i, i % 4 * 16, i % 3 == 2 ? "false" : "true",
			       16 * (i + 1));
		live += sums ? i + 1 : i % 3 != 2;
		bytes += sums ? 48 * (i + 1) : i % 3 != 2 ? 16 * (i + 1) : 0;
	}
	if (bad)
		printf("<row category=\"\" size=\"16\"/>\n<row category=\"x\" size=\"many\"/>\n"
		       "<row category=\"x\" size=\"99999999999999\"/>\n");
	printf("</node></trace-query-result>\n");
	truth("live", live);
	truth("bytes", bytes);
	truth("rows", rows);
}

static void xctrace_heap(void)
{
	xctrace_table(false);
}

static void xctrace_sums(void)
{
	xctrace_table(true);
}

static void metrickit_frame(const char *binary, long offset, long samples, bool more)
{
	printf("{\"binaryUUID\":\"01020304-0506-0708-0910-111213141516\","
	       "\"offsetIntoBinaryTextSegment\":%ld,\"sampleCount\":%ld%s",
	       offset, samples, more ? ",\"subFrames\":[" : "");
	if (!more)
		printf(",\"binaryName\":\"%s\",\"address\":%ld}", binary, 4294967296 + offset);
}

static void metrickit_close(const char *binary, long offset)
{
	printf("],\"binaryName\":\"%s\",\"address\":%ld}", binary, 4294967296 + offset);
}

/* The samples of a row are those of its innermost call, i % 3 below the root. */
static void metrickit(void)
{
	printf(
	    "{\"timeStampBegin\":\"2026-11-30 00:00:00\",\"hangDiagnostics\":[{\"callStackTree\":{"
	    "\"callStacks\":[{\"threadAttributed\":true,\"callStackRootFrames\":[");
	for (long i = 0; i < rows; i++) {
		printf(i ? "," : "");
		for (long k = 0; k < i % 3; k++)
			metrickit_frame("game", 4099 + 16 * k, weight(i), true);
		metrickit_frame("game", 4096 + 16 * (i % 3), weight(i), false);
		for (long k = i % 3; k--;)
			metrickit_close("game", 4099 + 16 * k);
	}
	printf(
	    "]}],\"callStackPerThread\":true},\"diagnosticMetaData\":{\"hangDuration\":\"9 sec\","
	    "\"osVersion\":\"iPhone OS 18.6.2\",\"pid\":%s}}],\n\"crashDiagnostics\":[{"
	    "\"callStackTree\":{\"callStackPerThread\":true,\"callStacks\":[{\"threadAttributed\":"
	    "true,"
	    "\"callStackRootFrames\":[",
	    bad ? "null" : "7");
	metrickit_frame("libsystem", 64, 1, true);
	metrickit_frame("game", 4128, bad ? -1 : 1, true);
	metrickit_frame("game", 4112, 1, false);
	metrickit_close("game", 4128);
	metrickit_close("libsystem", 64);
	printf("]},{\"threadAttributed\":false,\"callStackRootFrames\":[");
	metrickit_frame("libsystem", 96, 1, false);
	printf("]}]},\"diagnosticMetaData\":{\"signal\":11}}]}\n");
	truth("samples", sum() + 2);
	truth("rows", rows);
}

static void vmmap_head(void)
{
	printf("Process:         game [7]\nAnalysis Tool:   /usr/bin/vmmap\n\n"
	       "Physical footprint:         11.5M\nPhysical footprint (peak):  14.2M\n----\n\n");
}

static void vmmap(void)
{
	long n = rows * (rows + 1) / 2;

	vmmap_head();
	printf(
	    "==== Summary for process 7\n"
	    "Writable regions: Total=529.4M written=120K(0%%) resident=216K(0%%)\n\n"
	    "                                VIRTUAL RESIDENT    DIRTY   REGION\n"
	    "REGION TYPE                        SIZE     SIZE     SIZE    COUNT (non-coalesced)\n"
	    "===========                     ======= ========    =====  =======\n");
	for (long i = 0; i < rows; i++)
		printf("Type %-4ld (empty)           %10ldK %10ldK %7ldK %7ld%s\n", i, 8 * (i + 1),
		       4 * (i + 1), 2 * (i + 1), i + 1,
		       i % 2 ? "         see MALLOC ZONE table below" : "");
	if (bad)
		printf("Other        many     4K      2K      1\nOther    4K\n");
	printf(
	    "===========                     ======= ========    =====  =======\n"
	    "TOTAL                       %ldK %ldK %ldK %ld\n\n"
	    "                       VIRTUAL    DIRTY ALLOCATION      BYTES DIRTY+SWAP          "
	    "REGION\n"
	    "MALLOC ZONE               SIZE     SIZE      COUNT  ALLOCATED  FRAG SIZE  %% FRAG   "
	    "COUNT\n"
	    "===========            =======  =======  =========  =========  =========  ======  "
	    "======\n"
	    "DefaultMallocZone_0x108221000   1.5G     48K   166   2880    42K     88%%       1\n",
	    8 * n, 4 * n, 2 * n, n);
	truth("dirty", 2048 * n);
	truth("rows", rows);
	truth("readings", 2 + 4 * (rows + 1) + 6);
}

static void vmmap_regions(void)
{
	vmmap_head();
	printf("==== Writable regions for process 7\n"
	       "REGION TYPE           START - END         [ VSIZE  RSDNT  DIRTY   SWAP] PRT/MAX "
	       "SHRMOD\n");
	for (long i = 0; i < rows; i++)
		for (long k = 0; k <= i; k++)
			printf("Type %-4ld (empty)   %lx-%lx [    8K     4K   2048     0K] rw-/rwx "
			       "SM=PRV  x [1]\n",
			       i, 4096 + 65536 * i + 8192 * k, 4096 + 65536 * i + 8192 * (k + 1));
	if (bad)
		printf("Type   1000-2000   [   8K    4K\nType   1000-2000  [  8K  x  2K  0K]\n");
	printf("\n==== Legend\nSM=sharing mode:\n");
	truth("dirty", 2048 * rows * (rows + 1) / 2);
	truth("rows", rows);
}

static void heap(void)
{
	long blocks = rows * (rows + 1) / 2;

	printf(
	    "Process:         game [7]\nAnalysis Tool:   /usr/bin/heap\n\n"
	    "Physical footprint:         11.5M\nPhysical footprint (peak):  14.2M\n----\n\n"
	    "All zones: %ld nodes malloced - Sizes: 48[%ld]\n\nAll zones: %ld nodes (%ld bytes)\n\n"
	    "   COUNT      BYTES       AVG   CLASS_NAME                        TYPE    BINARY\n"
	    "   =====      =====       ===   ==========                        ====    ======\n",
	    blocks, blocks, bad ? blocks + 1 : blocks, blocks * 48);
	for (long i = 0; i < rows; i++)
		if (!i)
			printf("       1         48      48.0   non-object\n");
		else
			printf("    %4ld   %8ld      48.0   Class%ld (Storage)                   "
			       "%s    %s\n",
			       i + 1, (i + 1) * 48, i, i % 2 ? "ObjC" : "C  ", "game");
	if (bad)
		printf("    many        48      48.0   Other\n       1\n");
	printf("\n");
	truth("blocks", blocks);
	truth("rows", rows);
}

static void jemalloc_text(void)
{
	long bytes = 0;

	for (long i = 0; i < rows; i++)
		bytes += i * (i + 1) * 16;
	printf("___ Begin jemalloc statistics ___\nVersion: \"5.3.0\"\nArenas: 2\n"
	       "Allocated: %ld, active: 5431296, metadata: 4888448 (n_thp 0), resident: 14172160, "
	       "mapped: 21950464, retained: 0\n",
	       bytes);
	for (int arena = -1; arena < 1; arena++) {
		printf(arena < 0 ? "Merged arenas stats:\n" : "arenas[0]:\n");
		printf("large:                        3321856               4         0\n"
		       "bins:           size ind    allocated      nmalloc (#/sec)      ndalloc "
		       "(#/sec)  "
		       " nshards      curregs\n                     ---\n");
		for (long i = 0; i < rows; i++) {
			if (i == rows / 2)
				printf("large:          size ind    allocated      nmalloc (#/sec) "
				       "     ndalloc (#/sec)    nrequests (#/sec)  curlextents\n");
			printf("    %ld   %ld   %ld   %ld   0   2   0   1   %s%ld\n", (i + 1) * 16,
			       i, i * (i + 1) * 16, i + 2, i < rows / 2 ? "" : "0   ",
			       bad && i == 1 ? -1 : i);
		}
	}
	printf("--- End jemalloc statistics ---\n");
	truth("bytes", bytes);
	truth("rows", rows);
}

static void jemalloc_json(void)
{
	long bytes = 0;

	for (long i = 0; i < rows; i++)
		bytes += i * (i + 1) * 16;
	printf("{\"jemalloc\":{\"version\":\"5.3.0\",\"arenas\":{\"narenas\":2");
	for (int large = 0; large < 2; large++) {
		printf(",\"%s\":[", large ? "lextent" : "bin");
		for (long i = large ? rows / 2 : 0; i < (large ? rows : rows / 2); i++)
			printf("%s{\"size\":%ld}", i > (large ? rows / 2 : 0) ? "," : "",
			       (i + 1) * 16);
		printf("]");
	}
	printf("},\"stats\":{\"allocated\":%ld,\"active\":5431296,\"retained\":0},"
	       "\"stats.arenas\":{",
	       bytes);
	for (int arena = 0; arena < 2; arena++) {
		printf("%s\"%s\":{\"nthreads\":1", arena ? "," : "", arena ? "merged" : "0");
		for (int large = 0; large < 2; large++) {
			printf(",\"%s\":[", large ? "lextents" : "bins");
			for (long i = large ? rows / 2 : 0; i < (large ? rows : rows / 2); i++)
				printf("%s{\"nmalloc\":%ld,\"ndalloc\":2,\"%s\":%ld}",
				       i > (large ? rows / 2 : 0) ? "," : "", i + 2,
				       large ? "curlextents" : "curregs", bad && i == 1 ? -1 : i);
			printf("]");
		}
		printf("}");
	}
	printf("}}}\n");
	truth("bytes", bytes);
	truth("rows", rows);
}

/* As mimalloc rounds: one decimal, and what is behind it is cut. */
static void mimalloc_printout(bool old, double seconds, long mib)
{
	const long there =
	    bad && seconds < 6 ? 7 : 1; /* KiB of a class: those of the last one count */

	printf("heap stats:     peak       total       freed     %s   unit       count   \n",
	       old ? "" : "current     ");
	for (long i = 0; i < rows; i++) {
		const char *size = old ? "kb" : "KiB";

		printf("normal %3ld:     1.0 %-3s  %5ld.0 %-3s  %5ld.0 %-3s", i + 1, size, i + 2,
		       size, i + 1, size);
		if (!old)
			printf("     %ld.0 KiB ", there);
		printf("  %4ld   %s %8ld.%ld %c    not all freed!\n", 16 * (i + 1), old ? "b" : "B",
		       i, i % 10, old ? 'k' : 'K');
	}
	if (old)
		return;
	printf("\nheap stats:     peak       total       freed     current        unit       count "
	       "  \n"
	       "    normal:     5.6 Mi     13.1 Mi     12.9 Mi    211.9 Ki    111   B     124.0 K  "
	       "  not all freed!\n"
	       "malloc req:     7.8 MiB    14.9 MiB    14.7 MiB   %s                          not "
	       "all freed\n\n"
	       "  reserved:    %ld.0 MiB    %ld.0 MiB     0         %ld.0 MiB                      "
	       "    \n",
	       bad ? "many    " : "192.4 KiB", mib, mib, mib);
	printf("     reset:     0      \n    purged:    55.5 MiB\n"
	       "  segments:     2           2           1           1                              "
	       "  not all freed!\n"
	       "-abandoned:     0           0           0           0                              "
	       "  ok\n"
	       "     pages:     0           0           2.4 Ki     -2.4 Ki                         "
	       "  ok\n"
	       "-abandoned:     0           0           0           0                              "
	       "  ok\n"
	       " -noretire:     2.7 Ki \n   threads:     2           2           2           0     "
	       "                           ok\n"
	       "  searches:     1.2 avg\nnuma nodes:     1\n   elapsed: %9.3f s\n"
	       "   process: user: 7.505 s, system: 0.524 s, faults: 3, rss: 416.8 MiB%s\n",
	       seconds, mib > 64 ? ", commit: 1.0 GiB" : "");
}

static void mimalloc(void)
{
	mimalloc_printout(false, 0.25, 64);
	if (bad)
		printf("hello\nnormal   1:     1.0 KiB\n");
	mimalloc_printout(false, 6.178, 128);
	if (bad)
		mimalloc_printout(false, 1.5, 64);
	printf("mimalloc: process done: 0x7f9ece561840\n");
	truth("live", 1024 * rows);
	truth("all", 1024 * (rows * (rows + 1) / 2 + rows));
}

static void mimalloc_old(void)
{
	mimalloc_printout(true, 0, 0);
	truth("live", 1024 * rows);
	truth("all", 1024 * (rows * (rows + 1) / 2 + rows));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(void);
	} writers[] = {{"safari", safari},
		       {"v8-log", v8_log},
		       {"ghc", ghc},
		       {"papyrus", papyrus},
		       {"pmcstat", pmcstat},
		       {"perf-report", perf_report},
		       {"cleopatra", cleopatra},
		       {"art-trace", art_trace},
		       {"art-streamed", art_streamed},
		       {"memleak", memleak},
		       {"leaks", leaks},
		       {"leaks-stacks", leaks_stacks},
		       {"leaks-3.0", leaks_lines},
		       {"heap", heap},
		       {"vmmap", vmmap},
		       {"vmmap-regions", vmmap_regions},
		       {"metrickit", metrickit},
		       {"xctrace", xctrace},
		       {"xctrace-cycles", xctrace_cycles},
		       {"xctrace-heap", xctrace_heap},
		       {"xctrace-sums", xctrace_sums},
		       {"bpftrace", bpftrace},
		       {"jemalloc-text", jemalloc_text},
		       {"jemalloc-json", jemalloc_json},
		       {"mimalloc", mimalloc},
		       {"mimalloc-old", mimalloc_old}};
	size_t n;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--rows") && i + 1 < argc)
			rows = atol(argv[++i]);
		else
			variant = argv[i];
	if (!variant)
		return 2;
	n = strlen(variant);
	bad = n > 4 && !strcmp(variant + n - 4, "-bad");
	n -= bad ? 4 : 0;
	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
		if (strlen(writers[i].name) == n && !memcmp(writers[i].name, variant, n)) {
			writers[i].write();
			return 0;
		}
	if (n == 6 && !memcmp(variant, "sample", n))
		tree(false);
	else if (n == 14 && !memcmp(variant, "malloc-history", n))
		tree(true);
	else
		return 2;
	return 0;
}
