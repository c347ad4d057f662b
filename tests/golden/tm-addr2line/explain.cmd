# --explain, of a binary made by hand so that every byte is known: f is [2000, 2008); in it g is inlined at
# [2001, 2002) and [2004, 2006), called from line 7. Every path that is tried for its debug file: one has
# another build-id, one is damaged, the right one is somewhere below a folder.
cat >a.s <<'S'
	.file 1 "/src/a.c"
	.text
	.globl f
	.type f, @function
f:	.loc 1 6
	.byte 0
	.loc 1 2
	.byte 0
	.loc 1 8
	.byte 0, 0
	.loc 1 3
	.byte 0, 0
	.loc 1 9
	.byte 0, 0
	.size f, . - f
	.section .debug_abbrev, "", @progbits
	.byte 1, 0x11, 1, 0x10, 0x17, 0x11, 1, 0x12, 7, 3, 8, 0x1b, 8, 0, 0
	.byte 2, 0x2e, 1, 3, 8, 0x11, 1, 0x12, 7, 0, 0
	.byte 3, 0x1d, 0, 0x31, 0x13, 0x55, 0x17, 0x58, 0x0b, 0x59, 0x0b, 0, 0
	.byte 4, 0x2e, 0, 3, 8, 0x20, 0x0b, 0, 0, 0
	.section .debug_ranges, "", @progbits
	.quad 1, 2, 4, 6, 0, 0
	.section .debug_info, "", @progbits
0:	.long 2f - 1f
1:	.value 4
	.long .debug_abbrev
	.byte 8, 1
	.long .debug_line
	.quad f, 8
	.asciz "a.c"
	.asciz "/src"
3:	.byte 4
	.asciz "g"
	.byte 1
	.byte 2
	.asciz "f"
	.quad f, 8
	.byte 3
	.long 3b - 0b
	.long .debug_ranges
	.byte 1, 7
	.byte 0
	.byte 0
2:
	.section .debug_line, "", @progbits
S
as -o a.o a.s && ld --build-id=0x00112233445566778899aabbccddeeff -Ttext=0x2000 -e f -o whole a.o
ld --build-id=0x00112233445566778899aabbccddee00 -Ttext=0x2000 -e f -o other a.o
mkdir -p symbols/any/where .debug
objcopy --only-keep-debug whole symbols/any/where/name
objcopy --only-keep-debug other .debug/a.dbg
head -c 100 whole >a.dbg
objcopy --strip-all whole stripped
(cd .debug && objcopy --add-gnu-debuglink=a.dbg ../stripped ../a)
ask() {
	tm-addr2line --no-cache --explain "$@" >out
	echo "status: $?"
	sed "s,$PWD,/here,g" out
}
ask -e a --debug-dir symbols 2000 2001 2005 2007 2008 zork
ask -e a 2001
ask -e whole 2003
ask --lenient -e a.dbg 2000
# A symbol file says itself what is at an address.
printf 'MODULE Linux x86_64 000000000000000000000000000000000 a\nFILE 0 /src/a.c\nFUNC 2000 8 0 f\n2000 8 5 0\n' >a.sym
ask -e a.sym 2004
# What logs have, and what is no request here.
tm-addr2line -e a.sym a.exe+0x2004 >out
