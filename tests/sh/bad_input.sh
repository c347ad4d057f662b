#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 800
#
# Bad input is normal input: the documented status (0 salvaged, 3 unreadable), one line that says
# what and where, never a signal, never a hang, bounded memory.
set -u
: "${GEN:?}"

# shellcheck source=tests/nobody.bash
. "$SRC/tests/nobody.bash"

failed=0
programs='tm-import tm-dump tm-symbolize tm-top tm-frames tm-filter'
limit=100 # MiB
step=1
[ "${DAYS-}" = all ] || step=$((5 + DAY % 3)) # other places each day
if [ -n "${SAN-}" ] || ldd "$BIN/tm-import" | grep -q san; then
	limit=0 step=29 # a sanitizer's runtime starts slowly and is large
fi
for p in $programs; do
	command -v "$p" >/dev/null || programs=${programs/$p/}
done

ok() { echo "ok - $1"; }
bad() {
	sed 's/^/    /' err | head -n 5
	echo "not ok - $1"
	failed=1
}

# expect STATUS 'PATTERN of the line' WHAT PROGRAM ARGUMENT...: for 3 just one line.
expect() {
	local want=$1 pattern=$2 what=$3 got lines

	shift 3
	what="$1: $what"
	"$GEN/rss" -o rss timeout 60 "$@" >out 2>err </dev/null
	got=$?
	lines=$(wc -l <err)
	if [ "$got" != "$want" ]; then
		bad "$what: status $got, expected $want"
	elif [ "$want" = 3 ] && [ "$lines" != 1 ]; then
		bad "$what: $lines lines on standard error"
	elif [ -n "$pattern" ] && ! grep -Eq "^$1: $pattern" err; then
		bad "$what: no line like '$pattern'"
	elif ((limit)) && [ "$(cut -d ' ' -f 4 rss)" -gt $((limit * 1024)) ]; then
		bad "$what: $(cut -d ' ' -f 4 rss) KiB of memory"
	else
		ok "$what"
	fi
}

# --- fixtures, a few kB each ---

"$GEN/memtracer" --frames 2 --types 3 --stacks 4 --depth 6 >a.mem
"$GEN/trace" --seed 3 --events 12 >a.tmt
"$GEN/loli" -n 12 -s 3 -d 4 loli-106 >a.loli 2>/dev/null
"$GEN/loli" -n 12 -s 3 -d 4 loli-105 >a105.loli 2>/dev/null
"$GEN/loli" -n 12 -s 3 -d 4 stream >a.stream 2>/dev/null
"$GEN/loli" -n 12 -s 3 -d 4 cache >a.cache 2>/dev/null
"$GEN/loli" -n 12 -s 3 -d 4 text >a.text 2>/dev/null
packed=
for c in gzip:gz zstd:zst xz:xz; do
	if command -v "${c%:*}" >/dev/null; then
		"${c%:*}" -c <a.mem >"a.mem.${c#*:}"
		packed="$packed a.mem.${c#*:}"
	else
		echo "skip - a capture compressed by ${c%:*} (not installed)"
	fi
done
for p in $programs; do
	for f in a.mem a.tmt a.loli a105.loli a.stream a.cache a.text $packed; do
		if [ ! -s "$f" ]; then
			echo "not ok - $f was not made"
			failed=1
		fi
		[ "$p" = tm-import ] && expect 0 '' "$f as it is" "$p" "$f"
	done
done

# --- cut at every byte (three of four programs: at some) ---

# How many cuts may go unsaid: those after which a sound, shorter file is left.
silent() {
	case $1 in
	*.mem) echo 3 ;;         # behind a line, and before its end; the same for the last
	*.stream | *.cache) echo 1 ;; # behind a packet or block
	*.text) echo -1 ;;       # a shorter last number cannot be told from a whole one
	*) echo 0 ;;
	esac
}
for f in a.mem a.tmt a.loli a105.loli a.stream a.cache a.text $packed; do
	for p in $programs; do
		each=$step quiet=-1
		case $p/$f in
		tm-import/*.mem.*) each=$((3 * step)) quiet=0 ;;
		tm-import/*) quiet=$(silent "$f") ;;
		*) each=$((17 * step)) ;;
		esac
		size=$(stat -c %s "$f")
		if ((size / each > 1000)); then
			each=$((size / 1000))
		fi
		"$GEN/cuts" --step $each --silent "$quiet" --rss $limit "$f" "$p" || failed=1
	done
done

# --- no capture at all ---

: >empty
mkdir folder
printf '\211PNG\r\n\032\n\0\0\0\rIHDR' >picture.png
head -c 300 /dev/urandom | tr '\0-\377' 'a-z0-9\n' | head -c 200 >noise.txt
cp "$BIN/tm-import" binary.elf
printf '\211TMT\r\n\032\n\377\0\0\0\0\0\0\0' >later.tmt
printf '\211TMT\r\n\032\nx' >mark.tmt
# shellcheck disable=SC2086 # names
open=$(nobody_folder $programs) || exit 1
trap 'rm -rf "$open"' EXIT
cp a.mem "$open/secret" && chmod 0 "$open/secret"
for p in $programs; do
	expect 3 'empty: empty file' 'an empty file' "$p" empty
	expect 3 'folder: is a directory' 'a folder' "$p" folder
	expect 3 'missing: cannot open: No such file' 'a missing file' "$p" missing
	expect 3 'picture.png: not a capture that tracemill reads, but a picture' 'a picture' "$p" picture.png
	expect 3 'noise.txt: unknown capture format' 'letters' "$p" noise.txt
	expect 3 'binary.elf: .*a program or library .ELF' 'a program' "$p" binary.elf
	expect 3 'later.tmt: byte 0: trace of version 255.0' 'a trace of another version' "$p" later.tmt
	expect 3 'mark.tmt: byte 0: start of a trace' 'half a mark' "$p" mark.tmt
	expect 3 "a\\\\x1b\\[31mb: cannot open" 'a name that would drive the terminal' "$p" $'a\e[31mb'
	(cd "$open" && as_nobody "bin/$p" secret) >out 2>err
	if [ $? = 3 ] && grep -qx "$p: secret: cannot open: Permission denied" err; then
		ok "$p: no permission"
	else
		bad "$p: no permission"
	fi
	if [ -w /dev/full ]; then
		for f in a.mem a.tmt a.loli; do
			"$p" "$f" >/dev/full 2>err
			got=$?
			if [ $got = 3 ] && [ "$(grep -c 'No space left' err)" = 1 ] &&
				! grep -v 'No space left' err | grep -Evq 'coverage: |guess: |loss: |which tm-heap shows|has no list of modules: '; then
				ok "$p: $f, a full disk"
			else
				bad "$p: $f, a full disk: status $got"
			fi
		done
	else
		echo "skip - $p: a full disk (no /dev/full)"
	fi
done

# --- MemTracer: values ---

variant() { # NAME STATUS PATTERN
	"$GEN/memtracer" --frames 3 --variant "$1" >"v.$1"
	for p in $programs; do
		expect "$2" "$3" "MemTracer, $1" "$p" "v.$1"
	done
}
variant truncated 0 ''
variant negative 0 ''
variant overflow 0 ''
variant mistyped 0 ''
variant fraction 0 ''
variant uneven 0 ''
variant over 0 ''
variant token 0 ''
variant utf8 0 ''
variant deep 0 ''
variant million 0 ''
for v in negative overflow mistyped fraction token truncated; do
	if tm-dump "v.$v" >out && grep -q '^note loss' out; then
		ok "MemTracer, $v: the loss is noted"
	else
		bad "MemTracer, $v: the loss is noted"
	fi
done
if tm-dump v.million >out && grep -q '^totals .* stacks=1000000 ' out; then
	ok 'MemTracer: a stack of a million addresses is kept whole'
else
	bad 'MemTracer: a stack of a million addresses is kept whole'
fi
printf '{"f":1,"d":[{"t":"A","s":-5,"r":99999999999999999999,"st":["0x10;"],"sz":[1]}]}\n' >numbers.mem
printf '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x10;"],"sz":[8]}]}\n' >>numbers.mem
expect 0 'numbers.mem: loss: ' 'numbers below and above their range' tm-import numbers.mem
printf '{"f":1,"d":[{"t":"\377\376A","s":5,"r":8,"st":["0x10;"],"sz":[8]}]}\n' >utf.mem
expect 0 '' 'a type name that is not UTF-8' tm-import utf.mem
printf '%s' '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x10;"],"sz":[8]}]}' | iconv -t UTF-16LE >utf16.mem
expect 3 'utf16.mem: ' 'UTF-16 without its mark' tm-import utf16.mem
head -c 100000 /dev/zero | tr '\0' '[' >brackets.mem
expect 3 'brackets.mem: ' 'a hundred thousand open brackets' tm-import brackets.mem
{
	printf '{"f":1,"d":[{"t":"'
	head -c 3000000 /dev/zero | tr '\0' x
	printf '","s":5,"r":8,"st":["0x10;"],"sz":[8]}]}\n'
} >name.mem
expect 0 'name.mem: loss: names longer than 65536 bytes' 'a name of 3 MB' tm-import name.mem

# --- LoliProfiler: counts larger than the file ---

printf '\244\263\302\321\0\0\0j\177\377\377\377' >counts.loli
expect 3 'counts.loli: byte ' 'a .loli with a count of 2 G' tm-import counts.loli
printf '\377\377\377\177\0\0\0\0\377\377\377\177xxxx' >counts.stream
expect 3 'counts.stream: ' 'a packet of 2 GB' tm-import -f loli-stream counts.stream
printf '\177\377\377\377\0\0\0\1' >counts.cache
expect 3 'counts.cache: byte ' 'a cache block of 2 G records' tm-import -f loli-cache counts.cache
for f in loli-stream loli-cache loli loli-text memtracer trace; do
	head -c 5000 "$BIN/tm-import" >junk
	expect 3 'junk: ' "machine code as $f" tm-import -f "$f" junk
	expect 3 'empty: empty file' "nothing as $f" tm-import -f "$f" empty
done

# --- compressed input: damage, and gzip of gzip of ... ---

if command -v gzip >/dev/null; then
	{ gzip -c <a.mem; echo junk; } >trailing.mem.gz
	expect 0 'trailing.mem.gz: loss: compressed data: other bytes follow' 'bytes behind the gzip data' \
		tm-import trailing.mem.gz
	cp a.mem layers
	for _ in 1 2 3 4 5 6; do
		gzip -c <layers >layers.gz
		mv layers.gz layers
	done
	expect 3 'layers: (byte 0: )?compressed more than 4 times' 'compressed six times' tm-import layers
fi

# --- binaries ---

cc=${CC:-cc}
write_program() { printf 'int f(int x)\n{\n\treturn x * %s;\n}\nint main(void)\n{\n\treturn f(2);\n}\n' "$1" >prog.c; }
build() { $cc -g -O1 -fno-pie -no-pie -Wl,--build-id prog.c -o "$1" 2>err; }
write_program 3
if build one && write_program 70000 && build two; then
	address=0x$(nm one | awk '$3 == "f" {print $1}')
	build_id=$(readelf -n one | awk '/Build ID/ {print $3}')
	id=$(readelf -n two | awk '/Build ID/ {print $3}')
	if [ "$build_id" = "$id" ]; then
		bad 'two builds have two build-ids'
	fi
	printf '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["%s;"],"sz":[8]}]}\n' "$address" >prog.mem
	expect 3 'absent: ' 'a missing file for -e' tm-symbolize -q -e absent prog.mem -o /dev/null
	expect 3 'folder: ' 'a folder for -e' tm-symbolize -q -e folder prog.mem -o /dev/null
	expect 3 'a.mem: ' 'a text for -e' tm-symbolize -q -e a.mem prog.mem -o /dev/null
	"$GEN/trace" --module one --build-id "$build_id" --base 0x400000 --address "$address" >built.tmt
	mkdir other
	cp two other/one
	expect 0 "built.tmt: coverage: 1 location: 1 with line" 'the right build' \
		tm-symbolize -e one built.tmt -o right.tmt
	expect 0 "built.tmt: .*build-id differs" 'another build of the program' \
		tm-symbolize -e other/one built.tmt -o wrong.tmt
	tm-dump right.tmt >out && tm-dump wrong.tmt >out2
	if grep -Eq '^  call function="f" .*line=[23]( |$)' out && ! grep -q '^  call' out2 &&
		grep -q '^binding 1 .*"build-id differs"' out2; then
		ok 'tm-symbolize: another build gives no names'
	else
		cp out2 err
		bad 'tm-symbolize: another build gives no names'
	fi
	strip --strip-all -o stripped one
	expect 0 '' 'a binary without debug information' tm-symbolize --slide 0 -e stripped prog.mem -o nodebug.tmt
	tm-dump nodebug.tmt >out
	if grep -Eq '^binding .*(no function or symbol|no DWARF)' out; then
		ok 'tm-symbolize: without debug information the reason is said'
	else
		cp out err
		bad 'tm-symbolize: without debug information the reason is said'
	fi
	size=$(stat -c %s one)
	n=0 wrong=0
	for ((cut = 0; cut < size; cut += size / (step > 9 ? 20 : 150))); do
		head -c $cut one >short
		timeout 60 tm-symbolize --slide 0 -e short prog.mem -o cut.tmt >out 2>err
		got=$?
		n=$((n + 1))
		case $got in
		0) ;;
		3) grep -q '^tm-symbolize: short: ' err || wrong=$((wrong + 1)) ;;
		*) wrong=$((wrong + 1)) ;;
		esac
	done
	if ((wrong == 0 && n >= 20)); then
		ok "tm-symbolize: a binary cut short at $n places"
	else
		bad "tm-symbolize: $wrong of $n binaries cut short"
	fi
else
	echo "skip - binaries that do not fit ($cc cannot build for it)"
fi

exit $failed
