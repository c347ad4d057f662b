#!/bin/bash
# SPDX-License-Identifier: MIT
#
# make diff-builds: programs of many compilers, languages, options and ways of linking and stripping, each asked
# at some 2,000 addresses evenly over its code, of tm-llvm-symbolizer and llvm-symbolizer 19. What
# differs is of a class of classes.bash, and languages.txt has a row for each build and class, with the
# reason; a row of a build that is there and whose difference is not fails, as does a difference without
# a row. What is not of a class is to be at most 1 of 1,000 addresses.
# A compiler that is not here is said; .ci/deps builds installs all of them.
set -u
: "${SRC:?}"
known=$SRC/tests/diff/languages.txt
only=${1-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
. "$SRC/tests/diff/builds.bash"
. "$SRC/tests/diff/classes.bash"
needs languages llvm-symbolizer-19 gcc g++ nm objdump
export DEBUGINFOD_URLS=
bad=0
: >differences
: >totals

# Every section of code, by one step.
ask() { # NAME FILE
	local from size total=0 step ranges

	mapfile -t ranges < <(readelf -SW "$2" | sed 's/^ *\[ *[0-9]*\] *//' | awk '$2 == "PROGBITS" && $7 ~ /X/ { print $3, $5 }')
	for range in "${ranges[@]}"; do
		total=$((total + 16#${range#* }))
	done
	step=$((total / 2000 + 1))
	for range in "${ranges[@]}"; do
		from=$((16#${range% *})) size=$((16#${range#* }))
		seq $from $step $((from + size - 1))
	done | sort -nu | xargs printf '0x%x\n' >addrs
	classify "$1" "$2" || bad=$((bad + 1))
}

# try NAME COMMAND...: makes the file NAME, and asks of it
try() {
	local name=$1

	shift
	[[ $name == *$only* ]] || return 0
	if ! have "$1" && [ "$(type -t "$1")" != function ]; then
		echo "skip - $name (no $1)"
	elif ! "$@" >log 2>&1 || [ ! -f "$name" ]; then
		echo "skip - $name (does not build: $(grep -v '^ ' log | tail -n 1 | cut -c 1-150))"
	else
		ask "$name" "$name"
	fi
}

# C and C++: cxx NAME C-COMPILER C++-COMPILER OPTION...
cxx() {
	local name=$1 cc=$2 plus=$3

	shift 3
	have "$cc" || return 1
	# shellcheck disable=SC2086 # linking is several words
	"$cc" -g "$@" -c "$src/plain.c" -o "$name-plain.o" && "$plus" -g "$@" -c "$src/main.cpp" -o "$name-main.o" &&
		"$plus" -g "$@" -c "$src/other.cpp" -o "$name-other.o" &&
		"$plus" -g "$@" ${linking-} -o "$name" "$name-main.o" "$name-other.o" "$name-plain.o"
}
g() { # NAME OPTION...
	try "gcc$1" cxx "gcc$1" gcc g++ "${@:2}"
}
c() {
	try "clang$1" cxx "clang$1" clang-19 clang++-19 "${@:2}"
}

g -O0 -O0
g -O2 -O2
g -Os -Os
g -O3-4 -O3 -gdwarf-4
g -g1 -O2 -g1
g -no-pie -O2 -no-pie
g -types-4 -O2 -gdwarf-4 -fdebug-types-section
g -types-5 -O2 -fdebug-types-section
linking=-Wl,--gc-sections g -sections -O2 -ffunction-sections
g -split-4 -O2 -gdwarf-4 -gsplit-dwarf
g -split-5 -O2 -gsplit-dwarf
g -lto -O2 -flto
g -gz -O2 -gz
g -blocks -O2 -freorder-blocks-and-partition
g -profile -O2 -fprofile-generate
linking=-Wl,--compress-debug-sections=zstd g -ld-zstd -O2
linking=-static g -static -O2
linking=-static-pie g -static-pie -O2 -fPIE

c -O0 -O0
c -O2 -O2
c -O2-4 -O2 -gdwarf-4
c -gmlt -O2 -gmlt
c -lines -O2 -gline-tables-only
c -g1 -O1 -g1
c -split-4 -O2 -gdwarf-4 -gsplit-dwarf
c -split-5 -O2 -gsplit-dwarf
c -split-inlining -O2 -gsplit-dwarf -fsplit-dwarf-inlining
c -types -O2 -fdebug-types-section
c -aranges -O2 -gdwarf-aranges
c -simple-names -O2 -gsimple-template-names
c -sections -O2 -fbasic-block-sections=all
c -dwarf64 -O2 -gdwarf64
c -gz-zlib -O2 -gz=zlib
c -gz-zstd -O2 -gz=zstd
linking=-fuse-ld=lld c -lto -O2 -flto
linking=-fuse-ld=lld c -thinlto -O2 -flto=thin
linking=-Wl,--emit-relocs c -relocs -O2
linking='-fuse-ld=lld -Wl,--gdb-index' c -gdb-index -O2 -ggnu-pubnames
linking='-fuse-ld=lld -Wl,--icf=all' c -icf -O2 -ffunction-sections
c -unique-names -O2 -funique-internal-linkage-names
c -address-map -O2 -fbasic-block-address-map

# Two compilers' units of two versions in one program.
mixed() {
	gcc -g -gdwarf-2 -O2 -c "$src/plain.c" -o m-plain.o && g++ -g -gdwarf-5 -O2 -c "$src/main.cpp" -o m-main.o &&
		clang++-19 -g -gdwarf-4 -O2 -c "$src/other.cpp" -o m-other.o && g++ -o mixed m-main.o m-other.o m-plain.o
}
try mixed mixed
mixed_4_5() {
	gcc -g -gdwarf-5 -O2 -c "$src/plain.c" -o n-plain.o && g++ -g -gdwarf-4 -O2 -c "$src/main.cpp" -o n-main.o &&
		g++ -g -gdwarf-5 -O2 -c "$src/other.cpp" -o n-other.o && g++ -o mixed-4-5 n-main.o n-other.o n-plain.o
}
try mixed-4-5 mixed_4_5

# By what a run of the program did.
trained() { # NAME CC CXX OPTION
	cxx "$1" "$2" "$3" -O2 "$4" && { ./"$1" >/dev/null || [ $? -lt 126 ]; }
}
gcc_trained() {
	trained gcc-profile-use gcc g++ -fprofile-generate && cxx gcc-profile-use gcc g++ -O2 -fprofile-use -Wno-missing-profile
}
clang_trained() {
	LLVM_PROFILE_FILE=clang.profraw trained clang-profile-use clang-19 clang++-19 -fprofile-instr-generate &&
		llvm-profdata-19 merge -o clang.profdata clang.profraw &&
		cxx clang-profile-use clang-19 clang++-19 -O2 -fprofile-instr-use=clang.profdata
}
bolted() {
	linking=-Wl,--emit-relocs cxx to-bolt clang-19 clang++-19 -O2 &&
		llvm-bolt-19 to-bolt -o bolt -update-debug-sections -reorder-blocks=ext-tsp -split-functions
}
try gcc-profile-use gcc_trained
have clang-19 && have llvm-profdata-19 && try clang-profile-use clang_trained
have llvm-bolt-19 && try bolt bolted

# Packages of .dwo files, which are gone then.
packed() { # NAME COMPILER C++ PACKER OPTION...
	local name=$1 cc=$2 plus=$3 packer=$4

	shift 4
	cxx "$name" "$cc" "$plus" -O2 -gsplit-dwarf "$@" && timeout 60 "$packer" -e "$name" -o "$name.dwp" && rm -f "$name"-*.dwo
}
have dwp && try gcc-dwp-4 packed gcc-dwp-4 gcc g++ dwp -gdwarf-4
have llvm-dwp-19 && have clang-19 && try clang-dwp-4 packed clang-dwp-4 clang-19 clang++-19 llvm-dwp-19 -gdwarf-4 &&
	try clang-dwp-5 packed clang-dwp-5 clang-19 clang++-19 llvm-dwp-19

# An object, whose only section of code is at 0; several would be, and an address then is of none of them.
unlinked() {
	gcc -g -O2 -c "$src/plain.c" -o to-join.o && gcc -r -nostdlib -o unlinked to-join.o
}
try unlinked unlinked

# Debug information elsewhere.
whole() {
	cxx "$1" gcc g++ -O2
}
debuglink() {
	whole debuglink && objcopy --only-keep-debug debuglink debuglink.debug && strip debuglink &&
		objcopy --add-gnu-debuglink=debuglink.debug debuglink
}
debug_folder() {
	whole debug-folder && mkdir -p .debug && objcopy --only-keep-debug debug-folder .debug/debug-folder.debug &&
		strip debug-folder && objcopy --add-gnu-debuglink=.debug/debug-folder.debug debug-folder
}
eu_strip() {
	whole eu-strip && eu-strip -f eu-strip.debug eu-strip
}
minidebug() {
	whole minidebug && nm minidebug --format=posix --defined-only | awk '$2 ~ /[tT]/ { print $1 }' >keep &&
		objcopy --only-keep-debug minidebug m.debug && objcopy -S --keep-symbols=keep m.debug m.mini && xz -f m.mini &&
		strip minidebug && objcopy --add-section .gnu_debugdata=m.mini.xz minidebug
}
dwz_alone() {
	whole dwz && dwz dwz
}
dwz_4() {
	cxx dwz-4 gcc g++ -O2 -gdwarf-4 && dwz dwz-4
}
dwz_shared() {
	whole dwz-m && cp dwz-m second && dwz -m shared.debug dwz-m second
}
try debuglink debuglink
try debug-folder debug_folder
have eu-strip && try eu-strip eu_strip
try minidebug minidebug
have dwz && try dwz dwz_alone && try dwz-4 dwz_4 && try dwz-m dwz_shared

# musl: C alone.
musl() {
	musl-gcc -g -O2 "${@:2}" -o "$1" "$work/deep.c"
}
cat >deep.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int key; };
static inline struct node *push(struct node *list, int key) { struct node *n = malloc(sizeof *n); if (!n) abort(); n->key = key; n->next = list; return n; }
static int sum(const struct node *n) { int s = 0; for (; n; n = n->next) s += n->key; return s; }
static int by_key(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv) { struct node *list = NULL; int keys[4] = {argc, 3, 1, 2}; qsort(keys, 4, sizeof *keys, by_key);
	for (int i = 0; i < 4; i++) list = push(list, keys[i]); printf("%s %d\n", argv[0], sum(list)); return 0; }
C
have musl-gcc && try musl musl musl && try musl-static musl musl-static -static && try musl-static-pie musl musl-static-pie -static-pie -fPIE

# Other languages: recursion, something inlined, something of the library.
cat >tree.go <<'GO'
package main

import (
	"fmt"
	"sort"
)

type tree struct {
	left, right *tree
	key         int
}

func (t *tree) put(key int) *tree {
	if t == nil {
		return &tree{key: key}
	}
	if key < t.key {
		t.left = t.left.put(key)
	} else {
		t.right = t.right.put(key)
	}
	return t
}
func twice(x int) int { return x * 2 }
func main() {
	var t *tree
	keys := []int{5, 2, 8}
	sort.Slice(keys, func(a, b int) bool { return keys[a] < keys[b] })
	for _, k := range keys {
		t = t.put(twice(k))
	}
	fmt.Println(t.key)
}
GO
cat >tree.rs <<'RS'
use std::collections::{BTreeMap, HashMap};
#[inline]
fn twice(x: u64) -> u64 { x.wrapping_mul(2) }
trait Shape { fn area(&self) -> u64; }
struct Square(u64);
impl Shape for Square { fn area(&self) -> u64 { self.0 * self.0 } }
fn total(all: &[Box<dyn Shape>]) -> u64 { all.iter().map(|s| twice(s.area())).sum() }
fn main() {
    let all: Vec<Box<dyn Shape>> = (1..9).map(|n| Box::new(Square(n)) as Box<dyn Shape>).collect();
    let mut map = BTreeMap::new();
    let mut hash = HashMap::new();
    for word in std::env::args() { *map.entry(word.clone()).or_insert(0) += 1; hash.insert(word, total(&all)); }
    println!("{:?} {:?}", map, hash);
}
RS
cat >tree.f90 <<'F90'
module shapes
contains
  recursive function fib(n) result(r)
    integer, intent(in) :: n
    integer :: r
    if (n < 2) then
      r = n
    else
      r = fib(n - 1) + fib(n - 2)
    end if
  end function
end module
program tree
  use shapes
  real :: a(100)
  a = [(sqrt(real(i)), i = 1, 100)]
  print *, fib(10), sum(a), maxval(a)
end program
F90
mkdir -p ada
cat >ada/tree.adb <<'ADA'
with Ada.Text_IO; use Ada.Text_IO;
procedure Tree is
   type Vector is array (Positive range <>) of Integer;
   function Fib (N : Integer) return Integer is
   begin
      return (if N < 2 then N else Fib (N - 1) + Fib (N - 2));
   end Fib;
   V : Vector (1 .. 9);
   Sum : Integer := 0;
begin
   for I in V'Range loop
      V (I) := Fib (I);
      Sum := Sum + V (I);
   end loop;
   Put_Line (Integer'Image (Sum));
exception
   when Constraint_Error => Put_Line ("bad");
end Tree;
ADA
cat >tree.ml <<'ML'
type tree = Leaf | Node of tree * int * tree
let rec put t k = match t with Leaf -> Node (Leaf, k, Leaf)
  | Node (l, x, r) -> if k < x then Node (put l k, x, r) else Node (l, x, put r k)
let rec sum = function Leaf -> 0 | Node (l, x, r) -> sum l + x + sum r
let () = Printf.printf "%d\n" (sum (List.fold_left put Leaf (List.init 20 (fun i -> i * 7 mod 13))))
ML
cat >tree.hs <<'HS'
import qualified Data.List as L
data Tree = Leaf | Node Tree Int Tree
put :: Tree -> Int -> Tree
put Leaf k = Node Leaf k Leaf
put (Node l x r) k = if k < x then Node (put l k) x r else Node l x (put r k)
total :: Tree -> Int
total Leaf = 0
total (Node l x r) = total l + x + total r
main :: IO ()
main = print (total (L.foldl' put Leaf [i * 7 `mod` 13 | i <- [1 .. 20]]))
HS
cat >tree.nim <<'NIM'
import tables, strutils
proc fib(n: int): int = (if n < 2: n else: fib(n - 1) + fib(n - 2))
var t = initTable[string, int]()
for i in 1 .. 9: t[repeat("x", i)] = fib(i)
echo t
NIM
cat >tree.d <<'D'
import std.stdio, std.algorithm, std.array;
struct S { int a; int twice() { return a * 2; } }
void main() { auto all = [3, 1, 2].map!(x => S(x).twice).array; all.sort!((a, b) => a > b); writeln(all.sum); }
D
golang() { # NAME OPTION...
	GOCACHE=$work/go.cache GOPATH=$work/gopath GOFLAGS=-mod=mod GO111MODULE=off nice go build "${@:2}" -o "$1" tree.go
}
try go golang go
try go-trimpath golang go-trimpath -trimpath
try go-plain-sections golang go-plain-sections -ldflags=-compressdwarf=false
try go-pie golang go-pie -buildmode=pie
try go-debug golang go-debug -gcflags=all='-N -l'
try go-no-dwarf golang go-no-dwarf -ldflags=-w
try go-stripped golang go-stripped -ldflags=-s
try rust-O rustc -g -O -o rust-O tree.rs
try rust-debug rustc -g -o rust-debug tree.rs
try rust-v0 rustc -g -O -C symbol-mangling-version=v0 -o rust-v0 tree.rs
try rust-lines rustc -C debuginfo=line-tables-only -O -o rust-lines tree.rs
try rust-1 rustc -C debuginfo=1 -O -o rust-1 tree.rs
try rust-split rustc -g -O -C split-debuginfo=unpacked -o rust-split tree.rs
try rust-lto rustc -g -O -C lto=fat -o rust-lto tree.rs
try fortran gfortran -g -O2 -o fortran tree.f90
try fortran-static gfortran -g -O2 -static -o fortran-static tree.f90
try ada-O2 gnatmake -q -g -O2 -D "$work" -o ada-O2 ada/tree.adb
try ocaml ocamlopt -g -o ocaml tree.ml
try haskell ghc -g -O -o haskell tree.hs
try nim nim c --debugger:native -d:release --nimcache:"$work/nim.cache" -o:nim tree.nim
try d ldc2 -g -O -of=d tree.d

# A row of the list: BUILD CLASS, then the reason. Rows of builds that are not here are not judged.
grep -v '^#' "$known" | awk 'NF { print $1, $2 }' | sort -u >listed
awk '{ print $1, $2 }' differences | sort | uniq -c | awk '{ print $2, $3, $1 }' >found
awk '{ print $1, $2 }' found | sort -u >rows
awk '{ print $1 }' totals | sort -u >there
comm -23 rows listed >news
comm -13 rows listed | awk 'NR == FNR { there[$1] = 1; next } $1 in there' there - >stale
while read -r name class; do
	grep -F -- "$name $class " differences | head -n 2 | sed 's/^/news: /'
done <news
sed 's/^/stale: /' stale
awk 'FILENAME == "found" { set[$1] = set[$1] " " $2 " " $3; if ($2 == "other") other[$1] = $3; next }
	{ printf "%-20s %6d addresses, %6d equal;%s\n", $1, $2, $3, set[$1]
	  n += $2; same += $3; left += other[$1]
	  if (other[$1] * 1000 > $2) { print "too many: " $1; failed = 1 } }
	END { printf "%d addresses: %d the same chain, %d set aside by class, %d otherwise\n", n, same, n - same - left, left; exit failed }' found totals
failed=$?
[ ! -s news ] && [ ! -s stale ] && [ $bad = 0 ] && [ $failed = 0 ]
