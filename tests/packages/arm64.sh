#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tests/packages/arm64.sh    (make check-arm64 sets the environment up)
#
# Debian's packages for arm64: in an empty Debian 12, with nothing but what debian/control asks for, they are built of
# the tarball by a cross compiler; they install beside arm64's own libraries, and under qemu the programs answer the
# golden cases. For root with debootstrap. The recorder under qemu is tests/sh/record_cross.sh.
set -u
# shellcheck source=tests/packages/root.bash
. "$SRC/tests/packages/root.bash"

make_root
tree=$root/t/tracemill-$version
mkdir "$root/t"
tar -xf "$SRC/build/tracemill-$version.tar.gz" -C "$root/t" || exit 1
apt_in_root() { # WORDS...: of apt-get
	in_root apt-get -y --no-install-recommends "$@" >>"$top/apt.log" 2>&1
}
in_root dpkg --add-architecture arm64
apt_in_root update
apt_in_root install crossbuild-essential-arm64
in_root sh -c "cd '/t/${tree##*/}' && apt-get -y --no-install-recommends -a arm64 -P cross build-dep ./" >>"$top/apt.log" 2>&1
status=$?
[ $status = 0 ] || tail -n 15 "$top/apt.log"
check "arm64: what debian/control asks for is to be had" [ $status = 0 ]
in_root sh -c "cd '/t/${tree##*/}' && dpkg-buildpackage -aarm64 -Pcross -us -uc -b -j$(nproc)" >"$top/build.log" 2>&1
status=$?
[ $status = 0 ] || tail -n 20 "$top/build.log"
check "arm64: they are built" [ $status = 0 ]
[ $status = 0 ] || finish
packages=$(cd "$root/t" && for p in tracemill tracemill-capture libtracemill1 libtracemill-dev; do
	echo "/t/${p}_${version}_arm64.deb"
done)
# shellcheck disable=SC2086 # names
apt_in_root install $packages jq procps python3 liblua5.4-0 sqlite3 zip bzip2 xz-utils zstd lz4 libxml2-utils
status=$?
[ $status = 0 ] || tail -n 15 "$top/apt.log"
check "arm64: they install" [ $status = 0 ]
check "arm64: of that machine" eval "[ \"\$(od -An -tu2 -j18 -N2 '$root/usr/bin/tm-top' | tr -d ' ')\" = 183 ]"

# A kernel that starts programs of others by itself (binfmt_misc) is not to be had everywhere.
mkdir -p "$root/wrap/bin"
for program in "$root"/usr/bin/tm-* "$root"/usr/bin/tracemill; do
	program=${program##*/}
	# shellcheck disable=SC2016 # of the script that is written
	printf '#!/bin/sh\nexec qemu-aarch64 -0 "$0" /usr/bin/%s "$@"\n' "$program" >"$root/wrap/bin/$program"
	chmod +x "$root/wrap/bin/$program"
done
mkdir -p "$tree/build/plain"
cp -r "$SRC/build/plain/testdata" "$SRC/build/plain/testdata-gen" "$tree/build/plain/"
# These two take a program of this machine, or the program's own file.
cases=$(cd "$tree/tests" && for c in golden/*/*.cmd; do
	case $c in
	golden/tm-record/usage.cmd | golden/tm-symbolize/files.cmd) ;;
	*) echo "${c%.cmd}" ;;
	esac
done)
skip "arm64: golden/tm-record/usage, golden/tm-symbolize/files (for programs of the machine that runs them)"
# shellcheck disable=SC2086 # names
in_root env SRC="/t/${tree##*/}" BUILD="/t/${tree##*/}/build/plain" BIN=/wrap/bin DATA="/t/${tree##*/}/build/plain/testdata" \
	GEN="/t/${tree##*/}/build/plain/testdata-gen" CC=gcc CXX=g++ JOBS="$(nproc)" V= \
	bash "/t/${tree##*/}/tests/run" $cases >"$top/golden.log" 2>&1
status=$?
[ $status = 0 ] || grep -v '^ok' "$top/golden.log" | head -n 60
check "arm64, under qemu: the golden cases: $(tail -n 1 "$top/golden.log")" [ $status = 0 ]
finish
