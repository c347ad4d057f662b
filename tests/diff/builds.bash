# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# For the scripts that compare our programs with others: programs to compare on, addresses in them,
# and the lists in tests/diff of what differs for a reason.
: "${SRC:?}"
src=$SRC/testdata/src/dwarf
ran=" "        # names of the builds that were compared
: >differences # what differed: "BUILD CLASS" or "BUILD OURS THEIRS"

have() {
	command -v "$1" >/dev/null 2>&1
}

needs() { # TEST TOOL...: ends the script when a tool is not there
	local test=$1 tool

	shift
	for tool; do
		if ! have "$tool"; then
			echo "skip - $test (no $tool)"
			exit 0
		fi
	done
}

# build NAME COMPILER FLAGS...: of C++ and C; -fuse-ld, -Wl and -static only when linking
build() {
	local name=$1 cc=$2 cxx=g++ flag link=() flags=()

	shift 2
	[ "$cc" = clang ] && cxx=clang++
	for flag; do
		case $flag in
		-fuse-ld=* | -Wl,* | -static) link+=("$flag") ;;
		-flto) link+=("$flag") && flags+=("$flag") ;;
		*) flags+=("$flag") ;;
		esac
	done
	"$cc" -g "${flags[@]}" -c "$src/plain.c" -o plain.o &&
		"$cxx" -g "${flags[@]}" -c "$src/main.cpp" -o main.o &&
		"$cxx" -g "${flags[@]}" -c "$src/other.cpp" -o other.o &&
		"$cxx" -g "${flags[@]}" "${link[@]}" -o "$name" main.o other.o plain.o
}

# build_c NAME COMPILER FLAGS...: of C alone, without a library, for any target
build_c() {
	local name=$1 cc=$2

	shift 2
	"$cc" -g -ffreestanding -fno-stack-protector -nostdlib -static "$@" -o "$name" "$src/scopes.c"
}

# cross NAME TARGET FLAGS...: NAME of C++ and C, NAME-c of C alone, by clang and lld without any
# library of that target: what the C++ library would define stays undefined, nothing is run
cross() {
	local name=$1 flags=(--target="$2" -g -ffreestanding -fno-PIC "${@:3}") f
	local cxx=(-fno-exceptions -fno-rtti -I include)

	mkdir -p include
	echo 'extern "C" [[noreturn]] void abort();' >include/cstdlib
	for f in main other; do
		clang++ "${flags[@]}" "${cxx[@]}" -c "$src/$f.cpp" -o $f.o || return 1
	done
	clang "${flags[@]}" -c "$src/plain.c" -o plain.o &&
		clang "${flags[@]}" -c "$src/scopes.c" -o scopes.o &&
		ld.lld --unresolved-symbols=ignore-all -e 0 -o "$name" main.o other.o plain.o &&
		ld.lld --unresolved-symbols=ignore-all -o "$name-c" scopes.o
}

section() { # FILE NAME: size and address, in hex
	objdump -h "$1" | awk -v name="$2" '$2 == name { print $3, $4 }'
}

# From the first code section to behind the last, and what is nowhere.
addresses() { # FILE STEP
	local first last

	read -r _ first < <(section "$1" .init) || read -r _ first < <(section "$1" .text)
	read -r _ last < <(section "$1" .fini) ||
		last=$(section "$1" .text | while read -r n at; do printf '%x' $((16#$at + 16#$n)); done)
	seq $((16#$first)) "$2" $((16#$last + 40)) | xargs printf '0x%x\n'
	printf '0x%s\n' 0 1 ffffffffffffffff 7fffffffffff 123456789
}

sized_symbols() { # FILE: "FROM TO" of each, 16 digits
	local from size _

	nm -S --defined-only "$1" 2>/dev/null | grep -E '^[0-9a-f]{8,16} [0-9a-f]{8,16} [tTwWiVu] ' |
		while read -r from size _; do
			printf '%016x %016x\n' $((16#$from)) $((16#$from + 16#$size))
		done
}

# One line per answer, each begins with an address: "ADDRESS|FUNCTION|FILE:LINE|FUNCTION|..."
flatten() {
	awk '/^0x/ { if (s) print s; s = $0; next } $0 != "" { s = s "|" $0 } END { print s }'
}

# check_list FILE: of tests/diff; sorted, no row twice or without a reason, and for the builds that
# ran none that no longer occurs
check_list() {
	local list=tests/diff/$1 rows name first second why bad

	rows=$(grep -v '^#' "$SRC/$list")
	if [ "$rows" = "$(echo "$rows" | sort -u)" ]; then
		echo "ok - $list is sorted"
	else
		echo "not ok - $list is sorted"
	fi
	bad=$(echo "$rows" | while read -r name first second why; do
		[ -n "$why" ] || echo "  no reason: $name $first $second"
		[[ $ran == *" $name "* ]] || continue
		grep -Fxq -- "$name $first" differences || grep -Fxq -- "$name $first $second" differences ||
			echo "  no longer occurs: $name $first $second"
	done)
	if [ -z "$bad" ]; then
		echo "ok - every row of $list has a reason and occurs"
	else
		echo "$bad"
		echo "not ok - every row of $list has a reason and occurs"
	fi
}
