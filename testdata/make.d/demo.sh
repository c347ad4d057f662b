#!/bin/sh
# SPDX-License-Identifier: MIT
#
# $DATA/demo/<variant>/: the demo program in bin/, and the captures and the truth that it
# wrote when run for 20 frames. Variants: {gcc,clang} x DWARF {4,5} x {-O0,-O2}, and of -O2
# DWARF 5: compressed sections, debug files by debuglink and in a build-id tree, not PIE.
# Those of gcc; demo_clang.sh has the others made. One variant only: demo.sh <compiler>-dwarf<N>-O<N>[-gz|-debuglink|-buildid|-nopie] [frames]
# The capture agent is in no capture: its objects are made once per compiler and DWARF version.

# shellcheck disable=SC2086 # flags and lists are words
set -eu
: "${SRC:?}" "${DATA:?}"
src=testdata/src/demo
cd "$SRC"

# The debug half of "$1" goes to "$2"; what stays in place has none.
split_debug() {
	mkdir -p "$(dirname "$2")"
	objcopy --only-keep-debug "$1" "$2"
	objcopy --strip-all "$1"
}

compiler_of() {
	case $1 in
	gcc-*) echo "${GXX:-g++}" ;;
	clang-*) echo "${CLANGXX:-clang++}" ;;
	*) echo "demo.sh: $1: unknown variant" >&2 && exit 2 ;;
	esac
}

# agent <compiler>-dwarf<N>
agent() {
	dir=$DATA/demo/agent/$1
	if [ -e "$dir/truth.o" ] && [ -z "$(find $src -newer "$dir/truth.o")" ]; then
		return
	fi
	mkdir -p "$dir"
	for part in capture truth; do
		$(compiler_of "$1") -std=c++17 -Wall -Wextra -g "-gdwarf-${1#*-dwarf}" -O1 -fPIC \
			-fno-omit-frame-pointer -c $src/$part.cpp -o "$dir/$part.o"
	done
}

build_id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: *//p'
}

build() {
	variant=$1
	dir=$DATA/demo/$variant
	rest=${variant#*-dwarf}
	cxx=$(compiler_of "$variant")
	dwarf=${rest%%-*}
	rest=${rest#*-}
	opt=${rest%%-*}
	pie=-fPIE link=-pie gz=
	case $rest in
	*-nopie) pie=-fno-pie link=-no-pie ;;
	*-gz) gz=-gz=zlib ;;
	esac

	rm -rf "$dir"
	mkdir -p "$dir/bin" "$dir/obj"
	# Partial inlining makes one function into two frames, and merging tails makes two
	# calls into one: either would make the truth depend on the compiler.
	flags="-std=c++17 -Wall -Wextra -g -gdwarf-$dwarf -$opt $gz -fno-omit-frame-pointer"
	case $cxx in
	*clang*) ;;
	*) flags="$flags -fno-partial-inlining -fno-crossjumping -fno-tree-tail-merge" ;;
	esac
	for part in pool gc jobs engine assets; do
		align=
		# No padding after a function: the address after a last call is the next one's.
		if [ $part = assets ]; then align=-falign-functions=1; fi
		$cxx $flags $align -fPIC -c $src/$part.cpp -o "$dir/obj/$part.o"
	done
	$cxx $flags -shared -Wl,--build-id -Wl,-soname,libengine.so -o "$dir/bin/libengine.so" \
		"$dir"/obj/*.o -lpthread
	rm "$dir"/obj/*.o
	for part in main game ai; do
		$cxx $flags $pie -c $src/$part.cpp -o "$dir/obj/$part.o"
	done
	$cxx $flags $link -Wl,--build-id -Wl,-rpath,"\$ORIGIN" -o "$dir/bin/arcade" "$dir"/obj/*.o \
		"$DATA/demo/agent/${variant%%-*}-dwarf$dwarf"/*.o "$dir/bin/libengine.so" -llz4 -lpthread
	rm -r "$dir/obj"

	case $rest in
	*-debuglink)
		# Both places that a debugger looks in: beside the file and in .debug.
		split_debug "$dir/bin/arcade" "$dir/bin/arcade.debug"
		split_debug "$dir/bin/libengine.so" "$dir/bin/.debug/libengine.so.debug"
		(cd "$dir/bin" && objcopy --add-gnu-debuglink=arcade.debug arcade)
		(cd "$dir/bin/.debug" && objcopy --add-gnu-debuglink=libengine.so.debug ../libengine.so)
		;;
	*-buildid)
		for file in arcade libengine.so; do
			id=$(build_id_of "$dir/bin/$file")
			tail=${id#??}
			split_debug "$dir/bin/$file" "$dir/debug/.build-id/${id%"$tail"}/$tail.debug"
		done
		;;
	esac
	"$dir/bin/arcade" --frames "${2:-20}" --out "$dir"
	: > "$dir/.done"
}

cc=gcc
case ${1:-} in
'') ;;
all-of)
	cc=$2
	;;
agent)
	agent "$2"
	exit
	;;
*)
	rest=${1#*-dwarf}
	agent "${1%%-*}-dwarf${rest%%-*}"
	build "$@"
	exit
	;;
esac

mkdir -p "$DATA/demo"
list=
agents=
cxx=$(compiler_of $cc-)
for rest in dwarf4-O0 dwarf4-O2 dwarf5-O0 dwarf5-O2 dwarf5-O2-gz dwarf5-O2-debuglink \
	dwarf5-O2-buildid dwarf5-O2-nopie; do
	variant=$cc-$rest
	if ! command -v "$cxx" > /dev/null; then
		echo "skip - demo $variant (no $cxx)"
	elif [ ! -e "$DATA/demo/$variant/.done" ] ||
		[ -n "$(find $src "$0" -newer "$DATA/demo/$variant/.done")" ]; then
		list="$list $variant"
		case $agents in
		*"$cc-${rest%%-*}"*) ;;
		*) agents="$agents $cc-${rest%%-*}" ;;
		esac
	fi
done
if [ -n "$list" ]; then
	printf '%s\n' $agents | xargs -P "${JOBS:-2}" -n 1 sh "$0" agent
	printf '%s\n' $list | xargs -P "${JOBS:-2}" -n 1 sh "$0"
fi
