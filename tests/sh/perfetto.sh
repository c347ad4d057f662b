#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 800
#
# Traces of Perfetto against how they were made (testdata/gen/perfetto.c says what row i has): sums by kind, names
# that stand behind, packed, one behind the other, cut at every byte, with lies in them.
# shellcheck disable=SC2016,SC2317
# shellcheck disable=SC2094 # a file is read only
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

make() { # KIND... into file, of 40 rows
	"$GEN/perfetto" --n 40 "$@" >file
}

# "SUM OF COLUMN..." of all rows of a report, columns by their names.
sums() { # FILE COLUMN... [-- OPTIONS OF tm-top]
	local file=$1 columns=()

	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		columns+=("$1")
		shift
	done
	tm-top -q --csv -n 0 --by stack "${@:2}" "$file" 2>err | awk -F , -v want="${columns[*]}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, name, " "); next }
		{ for (i = 1; i <= n; i++) if (name[i] in at) sum[i] += $at[name[i]] }
		END { for (i = 1; i <= n; i++) printf "%.0f%s", sum[i], i < n ? " " : "\n" }'
}

# From the rows: EXPRESSIONS in i, added up.
truth() { # TERM... of awk; 40 rows
	local t

	for t; do
		awk "BEGIN { for (i = 1; i <= 40; i++) s += $t; printf \"%.0f \", s }"
	done | sed 's/ $//'
}

is() { # GOT WANT
	[ "$1" = "$2" ] || { echo "got '$1', want '$2'" >err && false; }
}
says() { # WORDS: the dump of file has them
	tm-dump "${2:-file}" 2>err | grep -qF -e "$1"
}

# --- heap profiles: blocks, bytes, and what is left of them
heap='2*i 1000*i'
left='(i%2?i:2*i) (i%2?600:1000)*i'
for kind in heap old; do
	make $kind
	# shellcheck disable=SC2086
	check "$kind: sums" is "$(sums file count requested live_count live_requested)" "$(truth $heap $left)"
	check "$kind: nothing is lost" eval '! says "note loss"'
	tm-top -q --csv -n 0 --by stack file | sed 1d | cut -d , -f 2- | sort >stacks.$kind
done
check 'tables behind the rows give the same stacks' cmp -s stacks.heap stacks.old
# Rows that 3 divides were told last by the second dump: all freed. 1000 i k and i k, k = 3, else 2.
make dumps
check 'dumps: each callstack as it was told last' \
	is "$(sums file count requested live_count live_requested)" "$(truth 'i*(i%3?3:2)' '1000*i*(i%3?3:2)' '(i%3?3*i:0)' '(i%3?3000*i:0)')"
check 'dumps: what was in use at each' \
	is "$(tm-dump -q file | sed -n 's/^counter value=\([0-9]*\).*/\1/p' | tr '\n' ' ')" \
	"$(truth '1000*i' '(i%3?2000*i:0)' '(i%3?3000*i:0)') "
make heaps
check 'heaps: malloc' is "$(sums file count requested live_count live_requested)" "$(truth i '1000*i' i '1000*i')"
check 'heaps: bytes of both' is "$(sums file count requested -- --domain pool)" "$(truth '1+2' '10*i+i')"
make most
check 'most: what was in use then' is "$(sums file live_count live_requested)" "$(truth '2*i' '7*i')"
check 'most: a note says so' says 'rows are only of the peak'

# --- a heap graph: 40 of 24 bytes and one of 64; 39 to the next, 40 to the first, 1 of the array, 1 root
make graph
check 'graph: objects and references' says 'totals object=41 reference=81'
check 'graph: a name before it was obfuscated' says 'type 1 name="app.Node"'
check 'graph: a field of the class and one of the class above' \
	is "$(tm-dump -q file | grep -c -e 'name="next"') $(tm-dump -q file | grep -c -e 'name="first"')" '39 40'
check 'graph: tm-heap adds it up' is \
	"$(tm-heap -q --csv file | awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n += $at["count"]; b += $at["size"] } END { print n, b }')" \
	"41 $((40 * 24 + 64))"
"$GEN/perfetto" --n 40 heap graph >both
check 'graph: a capture behind the rest' is "$(tm-dump -q both | grep -c ^capture)" 2
cat file file >two
check 'graph: two are two captures' is "$(tm-dump -q two | grep ^totals | grep -c 'object=41')" 2

# --- calls: two threads of 40 frames with three calls each, and one between the threads
make calls
check 'calls: they begin and end' says 'enter=241 exit=241'
check 'calls: the one that goes from thread to thread' is \
	"$(tm-dump -q file | awk '/name="Loading"/ { on = 1; next } on && /^(enter|exit)/ { print $2 }' | tr '\n' ' ')" 'time=6000000 time=8000000 '
# Spikes above 9 ms: the frames. Of themselves: Frame 10 - 4, Update 4 - 1, Physics 1 ms, and 2 ms of the one between.
check 'calls: time' is "$(sums file calls self_ns)" "241 $((2 * 40 * 10 * 1000000 + 2000000))"
check 'calls: tm-spikes finds the frames' is \
	"$(tm-spikes -q --threshold 9ms --as csv -n 0 file 2>err | awk -F , '/Frame/ { n += $1 } END { print n }')" 80
told() { tm-dump -q "$1" | grep -e '^enter' -e '^exit' -e '^thread' | sed 's/ generation=[0-9]*//'; }
told file >calls.want
for variant in late nameless clock; do
	"$GEN/perfetto" --n 40 --variant $variant calls >other
	told other >calls.got
	check "calls: the same, $variant" diff calls.want calls.got
done
"$GEN/perfetto" --n 40 --variant unended calls >other
check 'calls: without an end, of each thread' says 'note guess count=2 "calls have no end' other
# The second half needs what was lost: 20 frames of 6 packets, less what goes from thread to thread.
"$GEN/perfetto" --n 40 --variant lost calls >other
check 'calls: what needs what was lost is left out' says 'note loss count=240 "packets need data' other
check 'calls: what was not lost is there' says 'enter=121 exit=121' other

# --- counters: i kB, i (i + 1) / 2 ms, i + 0.25
make counters
counter() { tm-dump -q file | awk -v type="type=$1" '$NF == type { sub(/.*value=/, ""); s += $1 } END { printf "%.0f\n", s }'; }
check 'counters: bytes' is "$(counter 1)" "$(truth '1000*i')"
check 'counters: told by differences' is "$(counter 2)" "$(truth '1e6*i*(i+1)/2')"
check 'counters: decimals' is "$(counter 3)" "$(truth 'i+0.25')"
make stats
check 'counters: resident memory' is "$(counter 1)" "$(truth '102400*i')"

# --- samples
make samples
check 'samples: one each' says 'totals sample=40 '
check 'samples: what the kernel lost' says 'note loss count=9 '
check 'samples: inlined calls, of which every fifth has one' is \
	"$(tm-dump -q file | grep -c -e 'game.cc')" 8
# What Perfetto's own tests (r8_retrace_compat/tests.py, test_inline_positions) expect of lines 1 to 3 of such a mapping,
# innermost first; by R8's, line 13 of 10:15 is line 103 of 100:105, and a method of another class has another file.
make java
tm-dump -q file | awk '
	/^location/ {
		n = $2; name[n] = file[n] = line[n] = ""
		for (i = 3; i <= NF; i++) {
			if (sub(/^name=/, "", $i)) name[n] = $i
			if (sub(/^file=/, "", $i)) file[n] = $i
			if (sub(/^line=/, "", $i)) line[n] = $i
		}
	}
	/^stack/ { sub(/location=/, "", $3); sub(/parent=/, "", $4); at[$2] = $3; up[$2] = $4 }
	/^sample/ {
		sub(/stack=/, "", $NF)
		for (s = $NF; s; s = up[s]) printf "%s %s %s%s", name[at[s]], file[at[s]], line[at[s]], up[s] ? ", " : "\n"
	}' | tr -d '"' | sed 's/com\.example\.//g; s/ *,/,/g; s/ *$//' >java.got
cat >java.want <<-END
	Main.foo Main.java 54, Main.test Main.java 50
	Main.bar Main.java 59, Main.foo Main.java 55, Main.test Main.java 50
	Main.baz Main.java 64, Main.bar Main.java 60, Main.foo Main.java 55, Main.test Main.java 50
	Main.run Main.java 103
	Other.step
	Main.foo
	B.bar
END
check 'samples: the calls of a line that R8 obfuscated' diff java.want java.got
check 'samples: an obfuscated name without a line may be several' says 'note info count=1 "obfuscated names have several meanings'
make chrome
check "samples: Chrome's, 1 ms apart" is "$(tm-dump -q file | awk '/^sample/ { sub(/time=/, "", $2); sum += $2 } END { printf "%d", sum }')" \
	"$(truth '(i-1)*1000000')"
make sampler
check 'samples: with times' is "$(sums file samples self_ns)" "40 $((40 * 5000000))"
make others
check 'what is not read has its name' says 'GPU render stages 1'

# --- the scheduler: testdata/gen/perfetto.c, put_sched, has the times of a frame, ms: Frame 12, Wait 7 in it, 5 off
make sched
check 'sched: times of calls, of waits, and of what is in no call' is \
	"$(tm-top -q --csv --by function file 2>err | tr -d '\r' | awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["function"], $at["self_ns"], $at["total_ns"] }' | LC_ALL=C sort | tr '\n' ' ')" \
	"$(printf '%s\n' "Frame 200000000 480000000" "Wait 80000000 280000000" "[runnable] 40000000 40000000" "[running] 400000000 400000000" \
		"[sleeping] 160000000 160000000" | LC_ALL=C sort | tr '\n' ' ')"
# 40 frames: thread 101 was 8 ms on the processor and 5 ms off it in calls, 102 was 4 ms on it, and 900, unnamed, 5.
check 'sched: times of threads' is "$(tm-top -q --csv --by thread file 2>err | tr -d '\r' | sed 1d | awk -F , '{ print $NF, $9 }' | tr '\n' ' ')" \
	'thread1 520000000 stranger 200000000 thread2 160000000 '
check 'sched: what a call waited' is "$(tm-spikes -q --csv -n 0 --table worst file 2>err | tr -d '\r' | awk -F , '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ print $at["function"], $at["total_ns"], $at["self_ns"], $at["waiting_ns"] }' | sort | uniq -c | tr -s ' \n' ' ')" \
	' 40 Frame 12000000 5000000 5000000 40 Wait 7000000 2000000 5000000 '
# Of 16 ms, 5 are waits; of steps of 1 ms, which some waits pass as a whole, 200 have 1 ms.
waits() { # EVERY [OPTION...]: how many steps wait how long
	tm-frames -q --csv --every "$@" file 2>err | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == "waiting_ns") at = i; next }
		$at { n[$at]++ } END { for (ns in n) print n[ns], ns }'
}
check 'sched: the waiting of steps' is "$(waits 16ms) $(waits 1ms)" '40 5000000 200 1000000'
check 'sched: of one thread' is "$(waits 16ms --thread thread1)" '40 5000000'
check 'sched: of each function' is "$(waits 16ms --by function | sort)" "$(printf '40 1000000\n40 4000000')"
check 'sched: who waits' is "$(tm-top -q --csv --by thread --sort waiting file 2>err | tr -d '\r' | awk -F , '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf "%s %s ", $NF, $at["waiting_ns"] }')" \
	'thread1 200000000 stranger 0 thread2 0 '
check 'sched: clocks and temperatures' is "$(tm-dump -q file 2>err | awk '/^counter [0-9]/ { name = name " " $3 } /^counter value/ { n++; split($2, v, "="); sum += v[2] }
	END { print n, sum name }')" "80 $(awk 'BEGIN { for (i = 0; i < 40; i++) s += 1000000 + 1000 * (i % 3) + 40.5 + i / 1000; print s }') name=\"cpu3.frequency\" name=\"thermal.skin\""
"$GEN/perfetto" --n 40 --variant late sched >late
check 'sched: names behind' cmp -s <(tm-top -q --csv --by thread file) <(tm-top -q --csv --by thread late)

# --- packed, from a pipe, one behind the other
"$GEN/perfetto" --n 40 heap calls counters samples graph >all
tm-dump -q all >want
for how in zlib zstd; do
	"$GEN/perfetto" --n 40 --pack $how heap calls counters samples graph >packed
	check "packed by $how: the same" cmp -s want <(tm-dump -q packed)
done
check 'from a pipe, packed as a whole: the same' cmp -s want <(gzip <all | tm-dump -q -)
"$GEN/perfetto" --n 40 heap >one
"$GEN/perfetto" --n 40 calls >two
cat one two >both
check 'two in one file: the bytes of one' is "$(sums both count requested)" "$(sums one count requested)"
check 'two in one file: the calls of the other' says 'enter=241 exit=241' both
# The same profile again begins at packet 0: another one.
cat one one >both
check 'two profiles of one process add up' is "$(sums both requested)" "$(($(sums one requested) * 2))"

# --- damage
"$GEN/perfetto" --n 40 --variant lying heap graph >lies
check 'lies: packets that cannot be' says 'note loss count=2 "packets are damaged, and the rest of each was not read; the first is at byte' lies
check 'lies: what is sound is there' is "$(sums lies count requested)" "$(sums one count requested)"
check 'lies: a number that skips some' says 'packets of heap profiles were lost' lies
"$GEN/perfetto" --n 3 heap calls counters samples chrome sampler stats sched system graph >small
"$GEN/cuts" --step 3 --silent 100 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import -f perfetto ||
	failed=1
exit $failed
