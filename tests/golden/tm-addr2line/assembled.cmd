# A binary made by hand, so that every byte is known: the symbol f has 2000 and 2001; a.c's line 2 is at
# 2001 and 3 at 2002 (as puts a .loc before data behind the first byte). Behind them is nothing.
cat >a.s <<'S'
	.file 1 "/src/a.c"
	.text
	.globl f
	.type f, @function
f:	.loc 1 2
	.byte 0
	.loc 1 3
	.byte 0
	.size f, 2
	.loc 1 4
	.byte 0
	.section .debug_abbrev, "", @progbits
	.byte 1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 7, 3, 8, 0x1b, 8, 0, 0, 0
	.section .debug_info, "", @progbits
	.long 2f - 1f
1:	.value 4
	.long .debug_abbrev
	.byte 8, 1
	.long .debug_line
	.quad f, 3
	.asciz "a.c"
	.asciz "/src"
2:
	.section .debug_line, "", @progbits
S
as -o a.o a.s && ld -Ttext=0x2000 -e f -o a a.o
for options in '' -f -fs -fp -fpa -fipas; do
	echo "$options:"
	tm-addr2line --lenient $options -e a 2000 2001 2002 2003
done
