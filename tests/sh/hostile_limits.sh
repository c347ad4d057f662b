#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 800
#
# Hostile files under `ulimit -v 2000000`, a small container: each ends with a documented status and,
# where something is missing, with a line that says what and why; never by a signal, nor by the
# time limit. Files made for it (testdata/gen/bombs.c), then every file of the corpora, many to one
# start; and sound files with far too little memory for the libraries that read them.
set -u
: "${GEN:?}" "${DATA:?}" "${SRC:?}"
export XDG_CACHE_HOME=$PWD/cache

failed=0
ok() { echo "ok - $1"; }
bad() {
	head -c 2000 err | sed 's/^/    /' | head -n 5
	echo "not ok - $1"
	failed=1
}
if [ -n "${SAN-}" ] || ldd "$BIN/tm-inspect" | grep -q 'lib[a-z]*san'; then
	echo "skip - hostile files with little memory (a sanitizer's shadow needs terabytes of addresses)"
	exit 0
fi
# capped KIB COMMAND...: with so much address space; sets status.
capped() {
	local kib=$1
	shift
	(
		ulimit -v "$kib"
		exec timeout 100 "$@"
	) >out 2>err </dev/null
	status=$?
}
# 0 and 3 to 5 are documented, and a failure has its line
documented() {
	case $status in
	0) return 0 ;;
	3 | 4 | 5) [ -s err ] || [ "$status" = 4 ] ;;
	*) return 1 ;;
	esac
}

# --- three quarters of the memory that there is ---
# Of 2,000,000 KiB: 1,536,000,000 bytes.
mkfifo pipe
(
	ulimit -v 2000000
	exec tm-dump pipe
) >out 2>err &
exec 9>pipe
for _ in $(seq 1000); do
	grep -q '^Max data size  *1536000000 ' /proc/$!/limits && break
	sleep 0.02
done
held=$(sed -n 's/^Max data size  *\([0-9a-z]*\) .*/\1/p' /proc/$!/limits)
if [ "$held" = 1536000000 ]; then
	ok "a program takes three quarters of the memory that there is"
else
	bad "a program takes three quarters of the memory that there is: $held"
fi
exec 9>&-
wait

# --- bombs ---

# bomb KIND 'PATTERN of standard error' 'WANTED output' COMMAND...: an empty one: any
bomb() {
	local kind=$1 pattern=$2 want=$3
	shift 3
	capped 2000000 "$@"
	if ! documented; then
		bad "$kind: $1: status $status"
	elif [ -n "$want" ] && [ "$(head -n 2 out | tr '\n' ' ')" != "$want " ]; then
		bad "$kind: $1: answers $(head -n 2 out | tr '\n' ' ')and not $want"
	elif [ -n "$pattern" ] && ! grep -Eq -- "$pattern" err; then
		bad "$kind: $1: no line like '$pattern'"
	else
		ok "$kind: $*"
	fi
}
mapfile -t kinds < <("$GEN/bombs")
for kind in "${kinds[@]}"; do
	file=./$kind
	[ "$kind" = minidebug ] || "$GEN/bombs" "$kind" >"$file" || bad "$kind was not made"
done
line=(tm-addr2line --no-cache -f -e)
needs='needs [0-9]+ bytes unpacked, but of the limit of [0-9]+ MiB for all sections'
for n in 0 1; do
	how=()
	[ $n = 1 ] && how=(--verify 1)
	bomb zstd-section "section .debug_str: $needs" 'f a.c:1' "${line[@]}" zstd-section "${how[@]}" 0x1000
	bomb zlib-section "section .debug_str: $needs" 'f a.c:1' "${line[@]}" zlib-section "${how[@]}" 0x1000
	bomb zdebug "section .zdebug_str: $needs" 'f a.c:1' "${line[@]}" zdebug "${how[@]}" 0x1000
	bomb origins '' 'f a.c:1' "${line[@]}" origins "${how[@]}" 0x1000
	bomb origin-cycle '' '' "${line[@]}" origin-cycle "${how[@]}" 0x1000
	bomb nested 'nested (too deep|deeper than 4096)' '' "${line[@]}" nested "${how[@]}" 0x1000
done
# six of 300 MiB each are 1.8 GB: half of 2 GB holds three
bomb many-sections "section .debug_ranges: $needs" 'f a.c:1' "${line[@]}" many-sections 0x1000
bomb ranges-shared '' 'p a.c:1' "${line[@]}" ranges-shared 0x1000
bomb ranges-overlap 'long lists overlap, or are shared, too often' '' "${line[@]}" ranges-overlap 0x1000
bomb ranges-units 'long lists overlap, or are shared, too often' '' "${line[@]}" ranges-units 0x1000 0x1f00

# Two workers of the reference engine have half of the 2,048,000,000 bytes between them, in addition to
# what each has from its parent (less than 200 MB).
if [ "$(nproc)" -gt 1 ]; then
	seq -f 0x%.0f 1000 40999 >many
	(
		ulimit -v 2000000
		exec tm-addr2line --no-cache --verify 100000 -e ranges-units <many
	) >out 2>err &
	parent=$!
	disown # it is ended below
	limits=()
	while kill -0 $parent 2>/dev/null && [ ${#limits[@]} != 2 ]; do
		mapfile -t limits < <({
			cat /proc/$parent/task/*/children | tr ' ' '\n' | while read -r p; do
				sed -n 's/^Max address space  *\([0-9]*\) .*/\1/p' "/proc/$p/limits"
			done
		} 2>/dev/null | awk '$1 < 2048000000')
	done
	kill $parent 2>/dev/null
	sum=$((${limits[0]:-0} + ${limits[1]:-0}))
	if [ ${#limits[@]} = 2 ] && [ $sum -gt 1024000000 ] && [ $sum -lt 1424000000 ]; then
		ok "two workers of the reference engine share what one may have"
	else
		bad "two workers of the reference engine share what one may have: ${limits[*]}"
	fi
else
	echo "skip - two workers of the reference engine share what one may have: one processor"
fi
bomb rows '' '' "${line[@]}" rows 0x1000
bomb counts 'section headers lie outside the file' '' "${line[@]}" counts 0x1000
bomb zip 'broken zlib stream|half of the free disk space' '' "${line[@]}" zip!/lib/x86_64/libbomb.so 0x1000
bomb line 'unknown capture format' '' tm-dump line
bomb line 'line is longer than' '' tm-dump -f folded line
bomb json-depth 'nested more than 64 deep' '' tm-import -o /dev/null json-depth
if command -v xz >/dev/null; then
	file=./minidebug
	head -c 300000000 /dev/zero | xz -0 -T1 >zeros.xz
	"$GEN/bombs" minidebug zeros.xz >"$file"
	bomb minidebug 'section .gnu_debugdata: xz: unpacks to more than 256 MiB' '' "${line[@]}" minidebug 0x1000
else
	echo "skip - minidebug: a section of xz (xz is not installed)"
fi
for kind in "${kinds[@]}"; do
	[ -s "$kind" ] || continue
	case $kind in
	line | json-depth) continue ;; # captures
	esac
	capped 2000000 tm-inspect --no-cache "$kind"
	if documented; then ok "$kind: tm-inspect"; else bad "$kind: tm-inspect: status $status"; fi
done
rm -f -- "${kinds[@]}"

# --- every file of the corpora ---

# all WHAT COMMAND...: of the files named in the file "files", 500 to one start
all() {
	local what=$1 n=0 wrong=0
	shift
	while mapfile -t -n 500 some && ((${#some[@]})); do
		n=$((n + ${#some[@]}))
		capped 2000000 "$@" "${some[@]}"
		if ! documented || { [ -s err ] && grep -vq "^$1: " err; }; then
			wrong=$((wrong + 1))
			grep -v "^$1: " err | head -n 3 | sed 's/^/    /'
			echo "    status $status among ${some[0]} ... ${some[-1]}"
		fi
	done <files
	if ((wrong == 0 && n > 0)); then ok "$what: $n files"; else bad "$what: $wrong starts, $n files"; fi
}
find "$SRC/tests/fuzz/corpus" "$DATA/corpus" -type f | sort >files
all 'corpora as binaries' tm-inspect --no-cache
all 'corpora as captures' tm-dump
all 'corpora as captures, added up' tm-top
tm-import --list-formats | awk '/^[a-z].* / { print $1 }' >formats
for dir in "$DATA"/corpus/* "$SRC"/tests/fuzz/corpus/*; do
	format=$(basename "$dir" | tr _ -)
	grep -qx -- "$format" formats || continue
	find "$dir" -type f | sort >files
	all "corpus $(basename "$dir") as $format" tm-dump -f "$format"
done
# addresses in all of them, in one process, which keeps what it has opened
n=0
find "$SRC/tests/fuzz/corpus" "$DATA/corpus" -type f | grep -E '/(ar|breakpad|dwarf|elf|fast|gsym|mach|zip)/' | sort >files
while read -r file; do
	printf '"%s" 0x1000\n"%s" 0x2010\n' "$file" "$file"
	n=$((n + 1))
done <files >questions
(
	ulimit -v 2000000
	exec timeout 200 tm-llvm-symbolizer --no-cache
) <questions >out 2>err
status=$?
if ((status == 0 || status == 3 || status == 4)) && ((n > 0)) && ! grep -qv '^tm-llvm-symbolizer: ' err; then
	ok "addresses in $n files of one process"
else
	bad "addresses in $n files of one process: status $status"
fi

# --- libraries that get no memory ---

"$GEN/trace" --seed 3 --events 20000 >big.tmt
"$GEN/memtracer" --frames 20 --types 3 --stacks 40 --depth 6 >big.mem
packed=
for c in xz zstd; do
	command -v $c >/dev/null && $c -q -k -f big.tmt && packed="$packed big.tmt.${c/zstd/zst}"
done
cp "$BIN/tm-dump" program
ends=0 starved=0
# Below this the dynamic loader gives up (127), or dies of a null pointer of its own before it has
# opened the libraries (so what cannot print its version is passed over); above it all is well;
# between, memory runs out somewhere else each time.
for ((kib = 36000; kib < 90000; kib += 3000)); do
	for command in 'tm-top --focus ^(a|b)+x big.tmt' 'tm-export --as sqlite -o x.db big.tmt' \
		'tm-export --as pprof -o x.pb big.mem' 'tm-inspect --no-cache program' \
		'tm-addr2line --no-cache -f -e program 0x20000' \
		'tm-addr2line --no-cache --verify 1 -f -e program 0x20000' \
		'tm-symbolize -q --no-cache -j 4 -e program big.mem -o y.tmt' ${packed:+"tm-top${packed}"}; do
		rm -f x.db
		capped $((kib - 1024)) "${command%% *}" --version
		[ $status = 0 ] || continue
		# shellcheck disable=SC2086
		capped $kib $command
		ends=$((ends + 1))
		[ $status = 3 ] && starved=$((starved + 1))
		documented || bad "$command with $kib KiB: status $status"
	done
done
if ((ends > 40 && starved > 0)); then
	ok "little memory: $ends starts, $starved of them without enough"
else
	bad "little memory: $ends starts, $starved of them without enough"
fi
# The stack of the first thread does not grow into what is taken: it is as large as it will be
# before the first byte is read.
mkfifo empty
tm-dump empty >out 2>err &
exec 3>empty # opens when tm-dump does
size=$(awk '/\[stack\]$/ { split($1, at, "-"); print at[1], at[2] }' "/proc/$!/maps" | {
	read -r from to
	echo $((16#$to - 16#$from))
})
exec 3>&-
wait $!
if ((size >= 512 * 1024)); then ok "the stack is held"; else bad "the stack has $size bytes"; fi
exit $failed
