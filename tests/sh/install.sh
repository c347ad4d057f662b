#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 900
#
# What `make install`, `make uninstall` and `make dist` do, and that libtracemill's interface is the
# one of its last release: libabigail reads it from the library's DWARF.
set -u
. "$SRC/tests/check.bash"
export NODEPS=1
unset MAKEFLAGS MFLAGS MAKELEVEL

tool() { # COMMAND WHAT; false, with a line, where it is not
	command -v "$1" >/dev/null 2>&1 && return
	echo "skip - $2 (no $1 here)"
	false
}
# shellcheck disable=SC2317 # check calls them
no() { ! "$@"; }
# shellcheck disable=SC2317
into() { # FILE COMMAND...
	"${@:2}" >"$1"
}
made() { # as what runs here was made
	make -s -C "$SRC" SAN="${SAN-}" CC="${CC:-cc}" PREFIX=/opt/t DESTDIR="$PWD/to" "$@" >out 2>err
}

# --- installed, and gone again ---

check "make install" made install
root=$PWD/to/opt/t
broken=$(find to \( -xtype l -o -lname '/*' \) -printf '%P -> %l\n' | head)
check "no link leads nowhere ($broken)" [ -z "$broken" ]
size=$(du -sb "$root" | cut -f 1)
# 3.3 MB are tm-view's: it has its rooms in itself, built with resource scopes, and not in the shared library.
# tm-session, walks of minidumps, and 14 readers took 0.4 MB more; open sessions of a store, tm-export's transforms and what
# logs of Windows say 0.2 MB; sizes of variables of PDBs, causes of frames, and the page's trends and judging 0.1 MB;
# readers of CapFrameX's records, meminfo, tombstones and simpleperf's reports 0.4 MB: 9 KB each, in every program that reads captures. Those of perf report and of mimalloc take
# 0.05 MB, and the examples 0.1 MB. A folder in tm-view takes 0.05 MB of it, and the recorder's wraps 0.05 MB.
# Walks by -e, Apple's images, ends of sizeless symbols and the page's new answers take 0.2 MB.
[ -n "${SAN-}" ] || check "at most 16.4 MB ($size bytes)" [ "$size" -le 16400000 ]
# Libraries that would cost each start milliseconds are loaded by those that need them, when they do.
loaded=$(ldd "$root/bin/tm-top" | grep -oE 'lib(capstone|gnutls|microhttpd)[^ ]*' | tr '\n' ' ')
check "tm-top loads no library for instructions or for servers ($loaded)" [ -z "$loaded" ]
loaded=$(for p in "$root"/bin/*; do
	ldd "$p" 2>/dev/null | grep -oE 'lib(capstone|gnutls|microhttpd)[^ ]*' | sed "s,^,${p##*/} ,"
done)
check "no program begins with a disassembler or a server ($loaded)" [ -z "$loaded" ]
mkdir broken
touch broken/libcapstone.so.{4,5,6} broken/libmicrohttpd.so.12
LD_LIBRARY_PATH=$PWD/broken "$root/bin/tm-inspect" "$root/bin/tm-top" >inspected 2>err
check "tm-inspect names the library that it cannot load" \
	grep -q '^tm-inspect: cannot load libcapstone.so.[4-6]: .*frame pointers are unknown' err
check "and goes on with what it knows without" grep -q '^build-id  *yes' inspected
check "and no more" grep -q '^frame-pointers  *unknown  *prologues were not checked: cannot load libcapstone' inspected
check "tm-view does, too" \
	grep -q 'cannot load libmicrohttpd.so.12: ' <("$root/bin/tm-record" -q --no-symbols -o v.tmt true 2>&1
		LD_LIBRARY_PATH=$PWD/broken "$root/bin/tm-view" v.tmt 2>&1)
bad=
for p in "$root"/bin/*; do
	[ "$("$p" --version </dev/null 2>err | head -n 1 | cut -d ' ' -f 3)" = "$(cat "$SRC/VERSION")" ] || bad="$bad ${p##*/}"
done
check "every program starts from there ($bad)" [ -z "$bad" ]
export PKG_CONFIG_SYSROOT_DIR=$PWD/to PKG_CONFIG_PATH=$root/lib/pkgconfig
# shellcheck disable=SC2086,SC2046 # options
check "pkg-config's words compile a program outside of the tree" "${CC:-cc}" ${SAN:+-fsanitize=$SAN} -g -o outside \
	"$SRC/examples/library/symbolize.c" $(pkg-config --cflags --libs tracemill) 2>err
at=$(nm outside | sed -n 's/ T main$//p')
mv to moved
check "which hold when all of it is moved" eval '[ -x moved/opt/t/libexec/tracemill/compat/addr2line ] &&
	[ -f "$(PKG_CONFIG_SYSROOT_DIR="" PKG_CONFIG_PATH=$PWD/moved/opt/t/lib/pkgconfig pkg-config --variable=includedir tracemill)/tracemill/symbolize.h" ]'
mv moved to
check "the examples are there" [ -f "$root/share/doc/tracemill/examples/library/symbolize.c" ]
check "which names an address" grep -q main <(LD_LIBRARY_PATH=$root/lib ./outside outside <<<"$at" 2>err)
check "tm-record finds its runtime there" "$root/bin/tm-record" -q --no-symbols -o x.tmt true 2>err
if [ ! -f "$BUILD/lib/musl/libtracemill-capture.so" ]; then
	echo "skip - for a program of musl (a build of this kind has no library for it)"
elif musl-gcc -x c -o musl - <<<'int main(void) { return 0; }' 2>err; then
	check "for a program of musl, too" "$root/bin/tm-record" -q --no-symbols -o x.tmt ./musl 2>err
else
	echo "skip - for a program of musl (no musl-gcc here)"
fi
check "the desktop's entry starts a program that is installed" \
	[ -x "$root/bin/$(sed -n 's/^Exec=\([^ ]*\).*/\1/p' "$root/share/applications/tracemill-view.desktop")" ]
if tool desktop-file-validate "the desktop's entry"; then
	check "freedesktop.org's validator has nothing to say of the entry" \
		desktop-file-validate "$root/share/applications/tracemill-view.desktop" 2>err
fi
if tool update-mime-database "the type of traces"; then
	check "the type is taken into a database" update-mime-database "$root/share/mime" 2>err
	# As shared-mime-info's own tools have compiled them.
	check "by its name" grep -q '^50:application/x-tracemill-trace:\*.tmt$' "$root/share/mime/globs2"
	# mime's own form: ">0=", two bytes of length, the bytes, which are a trace's.
	{ printf '>0=\0\10' && head -c 8 x.tmt; } | od -An -v -tx1 | tr -d ' \n' >want
	check "by its first bytes" grep -q "$(cat want)" <(od -An -v -tx1 "$root/share/mime/magic" | tr -d ' \n')
	find "$root/share/mime" -type f ! -path '*/packages/*' -delete
fi
check "make uninstall" made uninstall
left=$(find to ! -type d | head -n 3)
check "leaves no file ($left)" [ -z "$left" ]
left=$(find to -type d -name '*tracemill*' | head -n 3)
check "and no folder of its own ($left)" [ -z "$left" ]

# --- a release ---

if [ -d "$SRC/.git" ] && tool git "make dist"; then
	version=$(cat "$SRC/VERSION")
	tarball=$SRC/build/tracemill-$version.tar.gz
	check "make dist" made dist
	cp "$tarball" first.tar.gz
	sleep 1 # a time in it would be another
	(umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 made dist)
	check "the same bytes again, in another time zone and umask" cmp first.tar.gz "$tarball"
	tar -xf first.tar.gz
	(cd "$SRC" && git ls-tree -r --name-only HEAD) | LC_ALL=C sort >want
	(cd "tracemill-$version" && find . ! -type d -printf '%P\n') | LC_ALL=C sort >got
	check "what is committed, no more and no less" cmp want got
	mkdir without
	printf '#!/bin/sh\necho "git $*" >>"%s"\nexit 1\n' "$PWD/asked" >without/git
	chmod +x without/git
	# What it would do: every file that it needs is there.
	check "it can be built without git" into out env PATH="$PWD/without:$PATH" \
		make -s -n -C "tracemill-$version" all 2>err
	check "and does not ask for it" [ ! -e asked ]
fi
if tool rpmspec "rpm/tracemill.spec"; then
	check "rpmspec reads the packages of RPM systems" into names rpmspec -q "$SRC/rpm/tracemill.spec" 2>err
	check "of this version" [ "$(sed 's/.*-\([0-9.]*\)-[0-9]*\.[a-z]*.*$/\1/' names | sort -u)" = "$(cat "$SRC/VERSION")" ]
fi

# --- the interface ---

if [ -n "${SAN-}" ] || [ "$(uname -m)" != x86_64 ]; then
	echo "skip - the interface of the library (the table is that of a plain build for x86-64)"
elif tool abidiff "the interface of the library"; then
	baseline=$SRC/tests/library/libtracemill.abi
	made abi ABI="$PWD/now.abi"
	# shellcheck disable=SC2317
	is_same_as() { # BASELINE; functions that are new are no matter
		abidiff --no-added-syms "$1" now.abi >err 2>&1
	}
	check "the library's interface is that of tests/library/libtracemill.abi" is_same_as "$baseline"
	# That it can fail: a function that is not there any more, a member of another size.
	sed "s/name='tracemill_symbolize' /name='tracemill_symbolise' /g; s/'tracemill_symbolize'/'tracemill_symbolise'/g" \
		"$baseline" >gone.abi
	check "a function that is gone is seen" no is_same_as gone.abi
	sed "/<class-decl name='tracemill_query'/,/<\/class-decl>/s/layout-offset-in-bits='64'/layout-offset-in-bits='96'/" \
		"$baseline" >moved.abi
	check "so is a member in another place" no is_same_as moved.abi
fi
exit $failed
