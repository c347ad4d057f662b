# --explain: for each module what was tried for its file, by build-id, name and path, and what an address
# of it is: the program is made by hand, f is [0x2000, 0x2004), at offset 0x1000 of the file.
cat >a.s <<'S'
	.file 1 "/src/a.c"
	.text
	.globl f
	.type f, @function
f:	.loc 1 6
	.byte 0
	.loc 1 2
	.byte 0, 0, 0
	.size f, . - f
	.section .debug_abbrev, "", @progbits
	.byte 1, 0x11, 1, 0x10, 0x17, 0x11, 1, 0x12, 7, 3, 8, 0x1b, 8, 0, 0
	.byte 2, 0x2e, 0, 3, 8, 0x11, 1, 0x12, 7, 0, 0, 0
	.section .debug_info, "", @progbits
	.long 2f - 1f
1:	.value 4
	.long .debug_abbrev
	.byte 8, 1
	.long .debug_line
	.quad f, 4
	.asciz "a.c"
	.asciz "/src"
	.byte 2
	.asciz "f"
	.quad f, 4
	.byte 0
2:
	.section .debug_line, "", @progbits
S
as -o a.o a.s
for name in game=0x0011223344 other=0x0011223355 nameless=none; do
	ld --build-id=${name#*=} -Ttext=0x2000 -e f -o ${name%=*} a.o
done
mkdir -p symbols/below root/opt
cp game symbols/below/1
cp other root/opt/game
ask() {
	tm-symbolize -q --no-cache --explain "$@" >out
	echo "status: $?"
	sed "s,$PWD,/here,g" out
}
"$GEN/trace" --module /opt/game --build-id 0011223344 --base 0x10000 --address 0x11002 >named.tmt
"$GEN/trace" --module /opt/game --base 0x10000 --address 0x11001 >nameless.tmt
ask --sysroot root --debug-dir symbols -e other named.tmt
ask --no-local -e nameless named.tmt
ask --no-local --module-file x=game --module-file game=other named.tmt
ask --no-local -e game nameless.tmt
ask --no-local nameless.tmt
"$GEN/trace" --module /opt/game --base 0x10000 --address 0x15000 | ask --no-local -e game
printf '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x12001;0x99000;"],"sz":[8]}]}\n' >run.mem
ask --slide 0x10000 -e game run.mem
ask -o explained -e game run.mem
wc -l <explained
