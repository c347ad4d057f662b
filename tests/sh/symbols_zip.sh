#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tier: all
#
# Symbols as Unity's Android builds leave them: a folder or a zip file with libil2cpp.sym.so, which has
# a symbol table, and libil2cpp.dbg.so, which has DWARF, for each ABI. What comes out is what the
# unstripped library gives.
set -u
status=0
ok() { echo "ok - $1"; }
not_ok() {
	echo "not ok - $1"
	[ -s "${2:-/dev/null}" ] && sed 's/^/# /' "$2" | head -n 20
	status=1
}

: "${DATA:?}" "${GEN:?}"
library=$DATA/il2cpp/g++-5-O1/libil2cpp.so
if [ ! -e "$library" ] || ! command -v bsdtar >/dev/null && ! command -v zip >/dev/null; then
	echo "skip - symbols in a zip file (no library, or neither bsdtar nor zip)"
	exit 0
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

pack() { # FILE stored|deflated MEMBER...
	local file=$1 how=$2
	shift 2
	rm -f "$file"
	if command -v bsdtar >/dev/null; then
		bsdtar --format zip --options "zip:compression=$([ "$how" = stored ] && echo store || echo deflate)" \
			-cf "$file" "$@"
	else
		zip -q "$([ "$how" = stored ] && echo -0 || echo -6)" "$file" "$@"
	fi
}

mkdir -p arm64-v8a x86
cp "$library" arm64-v8a/libil2cpp.dbg.so
cp "$library" arm64-v8a/libil2cpp.sym.so
strip --strip-debug arm64-v8a/libil2cpp.sym.so
cp "$DATA/il2cpp/clang++-5-O2/libil2cpp.so" x86/libil2cpp.sym.so 2>/dev/null || : >x86/libil2cpp.sym.so
base=0x70000000
lo=$(nm "$library" | awk '/ Player_Update/ { print "0x" $1 }')
printf '70000000-70010000 r-xp 00000000 08:01 12 /data/app/libil2cpp.so\n' >maps
printf '{"f":1,"d":[{"t":"A","s":8,"r":8,"st":["0x%x;0x%x;"],"sz":[8]}]}\n' \
	$((base + lo + 30)) $((base + lo + 8)) >run.mem
# What is bound, without the names of files, which are different.
run() {
	tm-symbolize "$@" --no-local --maps maps run.mem 2>err | tm-dump -q --no-events |
		sed -n 's/object="[^"]*"//; /^binding\|^  call/p'
}
run -e "$library" >want
for how in stored deflated; do
	pack symbols.zip $how arm64-v8a/*.so x86/*.so
	run -e symbols.zip >got
	if grep -q 'Game.cpp' want && cmp want got; then ok "a zip, $how"; else not_ok "a zip, $how" got; fi
	run -e symbols.zip/arm64-v8a >got
	if cmp want got; then ok "a folder of a zip, $how"; else not_ok "a folder of a zip, $how" got; fi
	run -e libil2cpp.so=symbols.zip/arm64-v8a/libil2cpp.dbg.so >got
	if cmp want got; then ok "a member of a zip, $how"; else not_ok "a member of a zip, $how" got; fi
	pack only.zip $how arm64-v8a/libil2cpp.sym.so
	run -e only.zip >got
	if grep -q 'only a symbol table' err && grep -q 'call function="Player.Update"' got &&
		! grep -q 'Game.cpp' got; then
		ok "a symbol table only, and a word of it, $how"
	else
		not_ok "a symbol table only, and a word of it, $how" err
	fi
done
run -e arm64-v8a/libil2cpp.sym.so -e arm64-v8a/libil2cpp.dbg.so >got
if cmp want got; then ok "the file with DWARF first"; else not_ok "the file with DWARF first" got; fi
cp "$library" arm64-v8a/libil2cpp.so
strip arm64-v8a/libil2cpp.so
run -e arm64-v8a/libil2cpp.so >got
if cmp want got; then ok "libil2cpp.dbg.so beside the stripped library"; else not_ok "dbg.so beside" err; fi

# A capture that has lost its slide: the libraries of the zip are tried.
demo=$DATA/demo/gcc-dwarf5-O2
if [ -r "$demo/arcade.mem" ] && [ "$(uname -m)" = x86_64 ]; then
	mkdir -p lost/x86_64 lost/arm64-v8a
	cp "$demo/bin/libengine.so" lost/x86_64/libengine.dbg.so
	strip -o lost/x86_64/libengine.sym.so --strip-debug "$demo/bin/libengine.so"
	cp "$library" lost/arm64-v8a/libengine.dbg.so
	places() {
		tm-dump -q --no-events "$1" | sed -n 's/object="[^"]*"//; /^binding .*resolved\|^  call/p'
	}
	tm-symbolize -q --slide auto --no-local -e "$demo/bin/libengine.so" "$demo/arcade.mem" -o plain.tmt
	for how in stored deflated; do
		(cd lost && pack ../lost.zip $how x86_64/*.so arm64-v8a/*.so)
		tm-symbolize --slide auto --no-local -e lost.zip "$demo/arcade.mem" -o zip.tmt 2>err
		places plain.tmt >want
		places zip.tmt >got
		if grep -q 'call.*file=' want && cmp want got && grep -q 'libengine.[a-z]*.so: slide 0x.* found' err &&
			[ "$(grep -c slide err)" = 1 ]; then
			ok "--slide auto: the library of the zip, $how"
		else
			not_ok "--slide auto: the library of the zip, $how" err
		fi
	done
	tm-symbolize --slide auto --no-local -e only.zip "$demo/arcade.mem" 2>err >/dev/null
	if grep -q 'libraries of zip files were tried for a slide, none was found' err; then
		ok "--slide auto: none of the zip fits"
	else
		not_ok "--slide auto: none of the zip fits" err
	fi
fi

# Damage: a cut, a size that is not true (a bomb), a wrong checksum. One line, and no file of that.
pack symbols.zip deflated arm64-v8a/libil2cpp.dbg.so
size=$(stat -c %s symbols.zip)
directory=$(($(od -An -tu4 -j $((size - 6)) -N4 symbols.zip)))
damaged() { # WHAT MESSAGE
	run -q -e damaged.zip >got
	if [ "$(wc -l <err)" = 1 ] && grep -q "$2" err && ! grep -q Game.cpp got; then
		ok "$1: $(sed 's/.*damaged.zip[^:]*: //' err)"
	else
		not_ok "$1" err
	fi
}
poke() { # OFFSET BYTES
	cp symbols.zip damaged.zip
	printf '%b' "$2" | dd of=damaged.zip bs=1 seek="$1" conv=notrunc 2>/dev/null
}
head -c $((size / 2)) symbols.zip >damaged.zip
damaged "a zip that is cut" 'end of its directory'
poke $((directory + 24)) '\377\377\377\160'
damaged "a size that deflate cannot reach" 'cannot unpack to'
poke $((directory + 24)) '\1\0\0\0'
damaged "a size that is too small" 'longer than stated'
poke $((directory + 16)) '\1\2\3\4'
damaged "a checksum" 'checksum'
poke $((directory + 42)) '\377\377\377\160'
damaged "a member outside the file" 'outside the zip'
# bsdtar has one entry for the folder too; the counts come after that in any case.
poke $((size - 12)) '\377\377'
damaged "a directory of too many members" 'more than the zip directory holds'
bad=0 n=0
for ((at = directory; at < size; at++)); do
	byte=$(od -An -tu1 -j $at -N1 symbols.zip)
	poke $at "\\x$(printf %02x $((byte ^ 1 << (at % 8))))"
	timeout 20 tm-symbolize -q -e damaged.zip --no-local --maps maps run.mem >out 2>err
	got=$?
	n=$((n + 1))
	if [ $got -ne 0 ] && [ $got -ne 3 ]; then
		echo "  a bit of byte $at: status $got"
		bad=1
	fi
done
if [ $bad = 0 ]; then ok "$n zip files with a flipped bit in the directory"; else not_ok "flipped bits"; fi
exit $status
