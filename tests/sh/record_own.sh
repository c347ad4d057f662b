#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the recorder and the Lua module allocate for themselves is not the program's, and is no loss: libgcc's
# sorting of tables of compiled scripts (__register_frame), which the recorder's walk of a stack causes; blocks of
# a tool inside of the program (tracemill_own); the Lua module's own, in the C library's heap and in Lua's. The
# truth is the same program without stacks, arithmetic, and the program without the module.
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

events() { # allocations and frees of a trace
	tm-dump -q "$1" | awk '/^alloc / { a++ } /^free / { f++ } END { print a + 0, f + 0 }'
}

# A script's code, in a coroutine, calls the engine, which allocates 50 blocks of 123 bytes and frees them.
if [ "$(uname -m)" = x86_64 ]; then
	cat >script.c <<'X'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
extern void __register_frame(void *), __deregister_frame(void *);
static unsigned char tables[128] __attribute__((aligned(8)));
static void describe(unsigned char *e, const void *code) /* sub $8, %rsp; call *%rdi; add $8, %rsp; ret */
{
	static const unsigned char cie[] = {20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0, 0x0c, 7, 16, 0x90, 1, 0, 0};
	uint32_t n = 28;
	uint64_t at = (uintptr_t)code, size = 64;

	memcpy(e, cie, sizeof cie);
	memcpy(e + 24, &n, 4);
	memcpy(e + 28, &n, 4);
	memcpy(e + 32, &at, 8);
	memcpy(e + 40, &size, 8);
}
static void engine(void)
{
	for (int i = 0; i < 50; i++) {
		void *volatile p = malloc(123);

		free(p);
	}
}
static ucontext_t back, coroutine;
static unsigned char *code, stack[1 << 16];
static void script(void)
{
	((void (*)(void (*)(void)))code)(engine);
}
int main(void)
{
	static const unsigned char text[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3};

	code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(code, text, sizeof text);
	describe(tables, code);
	__register_frame(tables);
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof stack;
	coroutine.uc_link = &back;
	makecontext(&coroutine, script, 0);
	swapcontext(&back, &coroutine);
	__deregister_frame(tables);
	return 0;
}
X
	${CC:-cc} -g -O1 script.c -o script || echo "not ok - script.c compiles"
	tm-record --stacks none -o none.tmt -- ./script 2>/dev/null
	tm-record --stacks unwind -o unwind.tmt -- ./script 2>err
	ok "tables of a script: 50 blocks" [ "$(tm-dump -q unwind.tmt | grep -c '^alloc.*requested=123\b')" = 50 ]
	ok "... as many events as without stacks" [ "$(events unwind.tmt)" = "$(events none.tmt)" ]
	ok "... and no loss" [ "$(grep -c loss err)$(tm-dump -q unwind.tmt | grep -c '^note loss')" = 00 ]
else
	echo "skip - tables of a script (its code is for x86-64)"
fi

# 10 blocks of 100 bytes are the program's, 7 of 200 a tool's; the tool's are moved, and freed everywhere.
cat >tool.c <<'X'
#include <stdlib.h>
#include <tracemill.h>
int main(void)
{
	void *volatile own[7], *volatile p;

	for (int i = 0; i < 10; i++) {
		p = malloc(100);
		if (i % 2)
			free(p);
	}
	tracemill_own(1);
	for (int i = 0; i < 7; i++)
		own[i] = malloc(200);
	own[0] = realloc(own[0], 300);
	free(own[1]);
	tracemill_own(0);
	own[2] = realloc(own[2], 100000); /* still its */
	for (int i = 2; i < 7; i++)
		free(own[i]);
	own[0] = NULL; /* never freed, and no leak of the program */
	return 0;
}
X
${CC:-cc} -g -O1 -I"$SRC/lib/recorder" tool.c -o tool || echo "not ok - tool.c compiles"
for how in "" "--stacks none" "--sample 1"; do
	# shellcheck disable=SC2086 # two words
	tm-record -q $how -o x.tmt -- ./tool
	ok "blocks of a tool $how: only the program's are there" [ "$(tm-dump -q x.tmt | awk '
		/^alloc / { a[$0 ~ / requested=100( |$)/]++; for (i = 1; i <= NF; i++) if ($i ~ /^address=/) mine[$i] = 1 }
		/^free / { f++; for (i = 1; i <= NF; i++) if ($i ~ /^address=/) if (!mine[$i]) odd++ }
		END { print a[1], a[0] + 0, f, odd + 0 }')" = "10 0 5 0" ]
done
