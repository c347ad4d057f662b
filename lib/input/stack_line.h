/* SPDX-License-Identifier: MIT
 *
 * A line of a log that is a call of a stack, as programs print their own stacks when they crash or
 * leak: addresses in modules, often without names. Which line belongs to which stack is not its
 * matter.
 *
 *	sanitizer	    #1 0x5563f08 in name /src/a.cc:5:8
 *			    #1 0x5563f08  (/lib/libgame.so+0x1f08) (BuildId: 155a1c7a)
 *			    #1 name /src/a.cc:5:8 (libgame.so+0x1f08)	ThreadSanitizer
 *			    #1 0x5563f08  (game:x86_64+0x100001f08)	macOS: with the processor
 *			#2 0x5563f08			in no module that the program knew, or of a handler that asks for none
 *			#2 0x5563f08 <unknown>		Chrome
 *			    #2 0x5563f08  (<unknown module>)
 *			#2 0x5563f08 in ?? ()		GDB
 *	summary		SUMMARY: AddressSanitizer: what (/lib/libgame.so+0x1f08)
 *	android		#01 pc 0001f08  /lib/libgame.so (name+12) (BuildId: 155a1c7a)
 *	java		C  [libgame.so+0x1f08]  name+0x12
 *			C  0x0000000000003b36		in no module
 *	glibc		./game(name+0x12) [0x5563f08]
 *	wasm		    at name (wasm://wasm/game.wasm-e94bbfde:wasm-function[1]:0x7a)
 *			    at http://host/game.wasm:wasm-function[1]:0x7a
 *			name@http://host/game.wasm:wasm-function[1]:0x7a	Firefox
 *
 * and of Windows (stack_line_parse_windows):
 *
 *	unreal	Game-Win64-Shipping 0x00007ff7e7e30000 + 28cd7fc	<PCallStack>, <CallStack> of a thread
 *		0x00007ff7ea6fd7fc Game-Win64-Shipping.exe!UnknownFunction []
 *		0x00007ff7ea6fd7fc Game.exe!FEngineLoop::Tick() [D:\src\a.cpp:12]
 *	unity	0x00007ff7ea6fd7fc (GameAssembly) [C:\src\a.cpp:12] name
 *	windbg	00000061`74dff620 00007ff6`73dd1863     : 0 0 0 0 : game+0x1863		STACK_TEXT of !analyze, k
 *		00 0018ff40 76e33677 game!name+0x12 [C:\src\a.cpp @ 12]
 *		00 00007ff6`73dd1863     : 0 0 0 0 : game+0x1863	kb of x64
 *		00 0018ff40 76e33677 0 0 0 game+0x1863 (FPO: [0,0,0]) (CONV: cdecl)	kv
 *		SYMBOL_NAME:  game+1863		!analyze
 *	own	#0 game.exe+0x1863		a program's own handler
 *		 0# game!name+0x12		Boost.Stacktrace
 *		 1# 0x00007ff673dd1183 in C:\game\game.exe
 *
 * and in two lines, of which the second one is the call (stack_line_parse_fault), of Windows Error Reporting:
 *
 *	event log	Faulting module name: game.dll, version: 1.0.0.0, time stamp: 0x60c8ec2a
 *			Fault offset: 0x00000000001ca037
 *	problem details	Fault Module Name:	game.dll
 *			Exception Offset:	001ca037
 *	Report.wer	Sig[3].Name=Fault Module Name, then Sig[3].Value=game.dll
 *			Sig[7].Name=Exception Offset, then Sig[7].Value=001ca037
 *	event 1001	Event Name: APPCRASH
 *			P4: game.dll
 *			P8: 00000000001ca037
 *
 * Sources: LLVM 19, compiler-rt/lib/sanitizer_common/sanitizer_stacktrace_printer.cpp, and reports
 * of its programs and GCC's; Android's tombstones, logs and malloc_debug (bionic,
 * libc/malloc_debug/README.md) and OpenHarmony's crash logs, which have no blank before parentheses;
 * HotSpot's hs_err files; glibc 2.36's backtrace_symbols and backtrace_symbols_fd; stacks of node 20, and of browsers
 * by "WebAssembly Web API", "Developer-Facing Display Conventions"; crash reports of Unreal and Unity and output of
 * WinDbg that people have published.
 */
#ifndef TM_INPUT_STACK_LINE_H
#define TM_INPUT_STACK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum stack_line_kind {
	STACK_LINE_NONE,
	STACK_LINE_SANITIZER,
	STACK_LINE_THREAD_SANITIZER, /* it prints no addresses */
	STACK_LINE_SUMMARY,
	STACK_LINE_ANDROID,
	STACK_LINE_JAVA,
	STACK_LINE_GLIBC,
	STACK_LINE_WASM,
	STACK_LINE_UNREAL,
	STACK_LINE_UNITY,
	STACK_LINE_WINDBG,
	STACK_LINE_WINDBG_SYMBOL, /* of no stack */
	STACK_LINE_FAULT,         /* its module is in an earlier line */
	STACK_LINE_APPLE,
};

struct stack_text_part { /* n 0: not there */
	const char *s;
	size_t n;
};

/* Texts are borrowed from the line. */
struct stack_line {
	uint8_t kind;
	bool has_number, has_address, has_offset, has_archive;
	bool returns;     /* each call of its stack is a return address, the first one, too */
	bool alone;       /* a place, of no stack: nothing says whether it is a return address */
	uint64_t number;  /* #1 */
	uint64_t address; /* in the process */
	/* In the module, as addresses are at link time; of wasm, in the file; but where there are name and plus and no
	 * module's offset (glibc), has_offset is false. */
	uint64_t offset;
	uint64_t archive; /* where in the APK its library begins */
	uint64_t plus;    /* behind the start of name */
	bool has_plus;
	uint8_t
	    bits; /* of addresses in the process, where the line shows it: 32 or 64; 0: it does not */
	struct stack_text_part module, build_id, name, file; /* build_id: hexadecimal digits */
	struct stack_text_part arch; /* of the module, as Apple's lipo calls it: "x86_64" */
	uint64_t line, column;       /* 0: not known */
	/* Where the call begins: '#', the module of glibc, the C of Java, or the "at" of wasm, which Firefox has not. */
	size_t call;
	/* Where "(module+0x12)" begins; Java: what follows "]"; wasm: the address of the module; else the end. */
	size_t tail;
};

/* Nothing but the address in the process is known. */
static inline bool stack_line_is_bare(const struct stack_line *l)
{
	return l->kind == STACK_LINE_SANITIZER && !l->module.n && !l->name.n;
}

/* False: the n bytes are no such line. */
bool stack_line_parse(const char *s, size_t n, struct stack_line *l);

/* The same of Windows' tools. Their modules have no extension, in most cases, and addresses of Unity have no base. */
bool stack_line_parse_windows(const char *s, size_t n, struct stack_line *l);

/* A call of a crash report of macOS or iOS, which is no line of the above, though Unreal's calls are like it:
 *
 *	4   MyGame   0x00000001027b1a2c 0x1027a0000 + 72236
 *	4   MyGame   0x00000001027b1a2c main + 44 (main.m:16)
 *
 * Its tail begins behind the address in the process, and its offset, if it has one, is from the module's first byte. Sources:
 * Apple, "Adding identifiable symbol names to a crash report" and "Examining the fields in a crash report"; reports that people
 * have published.
 */
bool stack_line_parse_apple(const char *s, size_t n, struct stack_line *l);
bool stack_line_is_apple(const char *s, size_t n);

/* A line of "Binary Images" of such a report:
 *
 *	0x1027a0000 - 0x1027b3fff MyGame arm64  <0b8f0b0e5c3d3a0b8f7a6d5c4b3a2918> /var/containers/MyGame.app/MyGame
 *	       0x10a1b0000 -        0x10a1bfff7 +com.game (1.0 - 1) <18B7E067-D1EB-30CB-8097-04ED600B3628> /Users/x/MyGame
 */
enum { STACK_LINE_UUID = 32 }; /* digits */
struct stack_line_image {
	uint64_t lo, hi;                   /* half-open */
	struct stack_text_part uuid, path; /* uuid: with dashes or without */
};
bool stack_line_parse_image(const char *s, size_t n, struct stack_line_image *m);

/* "game+1863" or "game!name+12", the line behind one that announces it ("FAULTING_IP:"), or with "SYMBOL_NAME:" before
 * it. */
bool stack_line_parse_symbol(const char *s, size_t n, struct stack_line *l);
bool stack_line_announces_symbol(const char *s, size_t n);
/* "Child-SP  RetAddr  Call Site", "STACK_TEXT:": what follows is the first call of a stack. */
bool stack_line_begins_windbg(const char *s, size_t n);

/* A line of Windows Error Reporting that says in which module a program stopped, or where in it. */
struct stack_line_fault {
	struct stack_text_part module; /* n 0: not said here */
	bool has_offset;
	uint64_t offset; /* from the begin of the module in memory */
	uint32_t stamp;  /* the time stamp of the module that was said last; 0: not said */
	uint8_t event;   /* of event 1001: which numbers have what; 0: a name that is not known */
	/* Of Report.wer, from one line to the next: the value with this number is what is wanted. */
	uint8_t wanted; /* enum stack_line_wanted */
	uint64_t number;
};
enum stack_line_wanted {
	STACK_LINE_NO_VALUE,
	STACK_LINE_MODULE,
	STACK_LINE_STAMP,
	STACK_LINE_OFFSET
};
/* f is zeroed before the first line of a text. True: the line says the module or the offset. */
bool stack_line_parse_fault(const char *s, size_t n, struct stack_line_fault *f);

/* What a line says of a module of Windows:
 *
 *	unity	C:\g\game.dll:game.dll (00007FF8A0000000), size: 4096 (...
 *	lm	00007ff7`e7e30000 00007ff7`e7f00000   game       (deferred)
 *		00007ff7`e7e30000 00007ff7`e7f00000   game       Tue Apr 20 21:49:45 2021 (607F4C79)	lmt
 *		ModLoad: 00007ff7`e7e30000 00007ff7`e7f00000   C:\g\game.exe
 *
 * and of the module of the line before:
 *
 *	lmv		    Image name: game.exe
 *			    Timestamp:        Tue Apr 20 21:49:45 2021 (607F4C79)
 *			    Timestamp:        607F4C79 (This is a reproducible build file hash, not a timestamp)
 *			    ImageSize:        000D0000
 *	!analyze	IMAGE_NAME:  game.exe
 *			DEBUG_FLR_IMAGE_TIMESTAMP:  607f4c79
 */
struct stack_line_module {
	struct stack_text_part name; /* n 0: of the module of the line before */
	bool has_base;
	bool is_image;       /* the name may be the full one of the module of the line before */
	uint64_t base, size; /* size 0: not said */
	uint32_t stamp;      /* 0: not said */
};
bool stack_line_parse_module(const char *s, size_t n, struct stack_line_module *m);

/* A module of wasm without the %20 of URLs; to has room for l->module.n bytes. */
size_t stack_line_wasm_module(const struct stack_line *l, char *to);

/* The bytes of its build-id; 0: it has none that is one and fits. */
size_t stack_line_build_id(const struct stack_line *l, uint8_t *bytes, size_t size);

/* A line of a module map, "55d0c0a00000-55d0c0a05000 r-xp 00000000 08:01 12 /usr/bin/game", as crash
 * logs have it at their end: its path. n 0: no mapping, or one without a path. */
struct stack_text_part stack_line_mapped(const char *s, size_t n);

/* Where the parentheses at the end of a text begin, which may hold others; NULL: it ends in none. */
const char *stack_line_parentheses(const char *s, const char *end);

#endif
