#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Which name tm-llvm-symbolizer takes, as llvm-symbolizer 19 does (SymbolizableObjectFile.cpp): the
# binary's own table, .symtab or else .dynsym; then DWARF's; and, where llvm has none, the debug
# file's table. Of symbols at one address the largest, then the last in the table. The symbols are made
# here, so what is right follows from the rule; llvm-symbolizer 19 is asked, too, where it is there.
set -u
for tool in gcc objcopy strip nm; do
	if ! command -v $tool >/dev/null 2>&1; then
		echo "skip - llvm_names (no $tool)"
		exit 0
	fi
done
failed=0
check() {
	local what=$1

	shift
	if "$@"; then
		echo "ok - $what"
	else
		echo "not ok - $what"
		failed=1
	fi
}
name_at() { # PROGRAM FILE ADDRESS: the name alone
	"$1" --no-demangle --obj="$2" "$3" 2>err | head -n 1
}
names() { # FILE SYMBOL OFFSET NAME: of the address at the symbol
	local at llvm

	at=$(nm -D "$1" 2>/dev/null | cat - <(nm "${unstripped:-$1}") | sed -n "s/^0*\([0-9a-f]*\) . $2\$/\1/p" | head -n 1)
	at=$(printf 0x%x $((16#$at + $3)))
	check "$1, $2+$3: $4" [ "$(name_at 'tm-llvm-symbolizer' "$1" "$at")" = "$4" ]
	if [ "${5-$4}" != skip ] && command -v llvm-symbolizer-19 >/dev/null 2>&1; then
		llvm=$(name_at llvm-symbolizer-19 "$1" "$at")
		check "$1, $2+$3: llvm says ${5-$4}" [ "$llvm" = "${5-$4}" ]
	fi
}

# Local symbols come first in a table, so a global alias is the last; sized ones go before those
# without a size, whatever the order, and the larger ones before the smaller.
cat >alias.s <<'ASM'
	.text
	.type both.localalias, @function
both.localalias:
	.globl both
	.type both, @function
both:
	.skip 16, 0x90
	.size both.localalias, 16
	.size both, 16

	.globl whole_local
	.type whole_local, @function
whole_local:
	.globl code_end
	.set code_end, whole_local
	.skip 24, 0x90
	.size whole_local, 24
	.type code_end, @notype

	.type large_local, @function
large_local:
	.globl small_global
	.type small_global, @function
small_global:
	.skip 32, 0x90
	.size large_local, 32
	.size small_global, 8

	.globl info_table
	.type info_table, @object
info_table:
	.skip 40, 0x90
	.size info_table, 40
	.globl next
	.type next, @function
next:
	.skip 8, 0x90
	.size next, 8
	.section .note.GNU-stack, "", @progbits
ASM
gcc -nostdlib -shared -o alias.so alias.s || exit 1
for at in 0 9; do
	names alias.so both $at both
	names alias.so whole_local $at whole_local
	names alias.so large_local $at large_local
	names alias.so info_table $at info_table
done
check "tm-addr2line: a function that is an object" \
	[ "$(tm-addr2line -fe alias.so "$(printf %x $((16#$(nm alias.so | sed -n 's/ . info_table$//p') + 9)))" | head -n 1)" = info_table ]

# A stripped library and its debug file: its own .dynsym goes first, then DWARF; the debug file's .symtab
# is for what has neither.
cat >lib.c <<'C'
__attribute__((visibility("hidden"))) int hidden_impl(int x) { return x * 3; }
extern __typeof(hidden_impl) shown __attribute__((alias("hidden_impl")));
static __attribute__((noinline)) int quiet(int x) { return x + 7; }
int caller(int x) { return quiet(x) + hidden_impl(x); }
__asm__(".text; .type bare, @function; bare: .skip 12, 0x90; .size bare, 12");
C
unstripped=lib.so
gcc -g -O1 -shared -fPIC -o lib.so lib.c && cp lib.so whole.so && objcopy --only-keep-debug lib.so lib.debug &&
	objcopy --strip-all --add-gnu-debuglink=lib.debug lib.so cut.so || exit 1
names cut.so hidden_impl 1 shown
names cut.so quiet 1 quiet
names cut.so caller 1 caller
names cut.so bare 1 bare '??'
# The debug link's file has all names: so does the library itself, where it has not been stripped.
names whole.so bare 1 bare
check "tm-addr2line names what DWARF names" \
	[ "$(tm-addr2line -fe cut.so "$(nm lib.so | sed -n 's/ . hidden_impl$//p')" | head -n 1)" = hidden_impl ]
exit $failed
