#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 800
#
# Profiles of pprof against how they were made (testdata/gen/pprof.c) and, where Go is installed,
# against what go tool pprof says of them and of profiles that Go's runtime wrote; what tm-export
# writes is read with the same sums; cut at every byte.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

# "SUM OF COLUMN..." of all rows of a report, columns by their names.
sums() { # FILE COLUMN...
	local file=$1

	shift
	tm-top -q --csv -n 0 --by stack "$file" 2>err | awk -F , -v want="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, name, " "); next }
		{ for (i = 1; i <= n; i++) if (name[i] in at) sum[i] += $at[name[i]] }
		END { for (i = 1; i <= n; i++) printf "%.0f%s", sum[i], i < n ? " " : "\n" }'
}

# The values of pprof's own rows, added up by sample type.
raw() {
	go tool pprof -raw "$1" 2>err | awk '
		/^Samples:/ { on = 1; next }
		/^Locations/ { exit }
		on && /^[^ ].*\// { next }
		on && /^ *-?[0-9]+ .*:|^ *-?[0-9]+:/ {
			sub(/:.*/, ""); for (i = 1; i <= NF; i++) sum[i] += $i; if (NF > n) n = NF
		}
		END { for (i = 1; i <= n; i++) printf "%.0f%s", sum[i], i < n ? " " : "\n" }'
}

# What each function has, but for the number of records.
functions() {
	tm-top -q --csv -n 0 --by function "$1" |
		awk -F , 'NR > 1 { print $2, $4, $5, $6, $7, $8, $9, $10, $(NF - 1) }' | sort
}

columns() { # those of tm-top for a kind of profile
	case $1 in
	heap | allocs) echo count requested live_count live_requested ;;
	objects) echo live_count live_requested ;;
	goroutine) echo samples ;;
	delay | mutex) echo calls self_ns ;;
	*) echo samples self_ns ;;
	esac
}

for kind in heap cpu inline objects delay; do
	"$GEN/pprof" --rows 300 --functions 40 $kind >$kind.pb 2>truth
	awk -v kind=$kind '$1 != "rows" { printf "%s%.0f", sep, kind == "delay" && $1 == "delay" ? $2 * 1000 : $2; sep = " " }
		END { print "" }' truth >want
	# shellcheck disable=SC2046
	sums $kind.pb $(columns $kind) >got
	check "$kind: the sums are the generator's" equal want got
	gzip -kf $kind.pb
	check "$kind: the same from a pipe, compressed" \
		cmp -s <(tm-dump -q $kind.pb) <(tm-dump -q - <$kind.pb.gz)
	if command -v go >/dev/null; then
		raw $kind.pb >want.go
		awk -v us=$kind '{ printf "%.0f", $1; for (i = 2; i <= NF; i++) printf " %.0f", us == "delay" ? $i * 1000 : $i; print "" }' \
			want.go >want
		check "$kind: the sums are pprof's own" equal want got
	fi
	tm-export -q --as pprof -o back.pb.gz $kind.pb
	# shellcheck disable=SC2046
	sums back.pb.gz $(columns $kind) >back
	check "$kind: written and read again, the same sums" equal got back
	functions $kind.pb >got
	functions back.pb.gz >back
	[ $kind = cpu ] || check "$kind: written and read again, the same functions" equal got back
done

# Values of many types, and what perf sampled of several events: each has its own sum by type, and keeps it.
"$GEN/pprof" --rows 300 --functions 40 events >events.pb 2>truth
by_type() { # FILE: "NAME VALUE" of each type that has periods
	tm-top -q --csv -n 0 --by type "$1" 2>err | tr -d '\r' | awk -F , '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["period"] { print $at["type"], $at["period"] }' | sort
}
awk '$1 == "faults" { print $1, n++ ? "(pages)" : "(count)", $2 } $1 == "wall" { printf "wall %.0f\n", $2 * 1000000 }' truth | sort >want
by_type events.pb >got
check 'many types: each has the sum of the generator' equal want got
awk '{ n[$1] = $2 } END { printf "%.0f %.0f\n", n["samples"], n["cpu"] * 1000000 }' truth >want
sums events.pb samples self_ns >got
check '... samples are those that are called so, whatever comes before the time' equal want got
tm-export -q --as pprof -o back.pb.gz events.pb
by_type events.pb >got
by_type back.pb.gz >back
check '... written and read again, the same by type' equal got back
sums events.pb samples self_ns >got
sums back.pb.gz samples self_ns >back
check '... and the same samples and times' equal got back
if command -v go >/dev/null; then
	# Types of the profile stand in the order of tm-export: samples, wall, both kinds of faults, and time.
	raw back.pb.gz | tr ' ' '\n' | sort -n >back
	awk '$1 != "rows" { printf "%.0f\n", $1 == "cpu" || $1 == "wall" ? $2 * 1000000 : $2 }' truth | sort -n >want
	check "... and pprof has the generator's sums of what was written" equal want back
fi
"$GEN/pprof" --rows 4 --functions 2 heap >small.pb 2>truth
"$GEN/cuts" --silent 0 --step 3 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small.pb tm-import -f pprof || failed=1
gzip -kf small.pb
"$GEN/cuts" --step 3 --silent 0 small.pb.gz tm-import -f pprof || failed=1

# --- what Go's runtime writes ---

if ! command -v go >/dev/null; then
	echo "skip - profiles of a Go program (go is not installed)"
	exit $failed
fi
cat >main.go <<'X'
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type node struct {
	next *node
	data [300]byte
}

var keep []*node

func build(n int) (h *node) {
	for i := 0; i < n; i++ {
		h = &node{next: h}
	}
	return h
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	runtime.MemProfileRate = 4096
	runtime.SetMutexProfileFraction(1)
	f, _ := os.Create("go.cpu.pb.gz")
	pprof.StartCPUProfile(f)
	pprof.Do(context.Background(), pprof.Labels("job", "fib"), func(context.Context) { fib(33) })
	keep = append(keep, build(20000))
	build(10000)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			for k := 0; k < 10; k++ {
				mu.Lock()
				time.Sleep(time.Millisecond)
				mu.Unlock()
			}
			wg.Done()
		}()
	}
	wg.Wait()
	pprof.StopCPUProfile()
	f.Close()
	runtime.GC()
	for _, n := range []string{"heap", "mutex", "goroutine"} {
		g, _ := os.Create("go." + n + ".pb.gz")
		pprof.Lookup(n).WriteTo(g, 0)
		g.Close()
	}
}
X
if ! GOCACHE=$PWD/cache go run main.go 2>err; then
	echo "skip - profiles of a Go program ($(head -n 1 err))"
	exit $failed
fi
for kind in heap cpu mutex goroutine; do
	raw go.$kind.pb.gz >want
	# shellcheck disable=SC2046
	sums go.$kind.pb.gz $(columns $kind) >got
	check "Go's $kind: the sums are pprof's own" equal want got
	check "Go's $kind: nothing is lost" eval '! tm-dump -q go.$kind.pb.gz | grep "^note loss" >err'
done
go tool pprof -top -sample_index=inuse_space -nodecount=5 go.heap.pb.gz 2>err |
	awk 'on { print $NF == "(inline)" ? $(NF - 1) : $NF; exit } /flat%/ { on = 1 }' >want
tm-top -q --csv -n 1 --by function --sort live-requested go.heap.pb.gz 2>err |
	awk -F , 'NR > 1 { print $(NF - 1) }' >got
check "Go's heap: the first function is pprof's" equal want got
rm -rf cache
# What is exported of return addresses is within the call, as pprof has it: each address by itself is at the line of its call.
cat >calls.c <<'END'
#include <stdlib.h>
static void *volatile keep[64];
__attribute__((noinline)) void leaf(int i) { keep[i & 63] = malloc(100 + i);
}
__attribute__((noinline)) void middle(int i) { leaf(i);
	leaf(i + 1);
	leaf(i + 2); }
int main(void) { for (int i = 0; i < 10; i++) middle(i);
	return 0; }
END
if cc -g -O1 -fno-omit-frame-pointer calls.c -o calls 2>err && tm-record -q -o calls.tmt ./calls >err 2>&1; then
	tm-symbolize -q --no-cache -e calls calls.tmt -o named.tmt
	tm-export -q --as pprof -o calls.pb.gz named.tmt 2>err
	tm-dump -q calls.pb.gz | sed -n 's/^location .* vaddr exact \(0x[0-9a-f]*\) .* file="\(.*calls.c\)" line=\([0-9]*\)$/\1 \2:\3/p' >rows
	cut -d ' ' -f 2 rows >want
	cut -d ' ' -f 1 rows | tm-addr2line --no-cache -e calls 2>err | sed 's/ (discriminator .*//' >got
	check 'exported addresses are within their calls' equal want got
	check 'and more than four calls are compared' [ "$(wc -l <rows)" -gt 4 ]
else
	echo 'skip - exported addresses: no program can be recorded'
fi
exit $failed
