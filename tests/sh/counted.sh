#!/bin/bash
# SPDX-License-Identifier: MIT
#
# How much a program allocates, by its own arithmetic and by a counter that has nothing of ours
# (tests/counted/preload.c), in every place that says it. Of tests/counted/counted.cpp:
#
#	many     1,000,000 x 10                                      1,000,000 blocks    10,000,000 bytes
#	objects  60,000 x 24 (new), 40,000 x 7 (new[])                 100,000 blocks     1,720,000 bytes
#	grow     realloc to 16, 32, ... 16,000: 16 x 1000 x 1001 / 2     1,000 blocks     8,008,000 bytes
#	worker   4 threads x 25,000 of 16, 32, 48, 64                  100,000 blocks     4,000,000 bytes
#
# 1,201,000 blocks of 23,728,000 bytes; what the C and C++ libraries allocate beside them the counter says.
# shellcheck disable=SC2016,SC2034 # programs in quotes; check evaluates
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
same() { # WHAT WANT GOT
	diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") >err
	check "$1" [ "$2" = "$3" ]
}
columns() { # KEY...: of CSV in stdin
	tr -d '\r' | awk -F , -v keys="$*" 'NR == 1 { n = split(keys, k, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ for (i = 1; i <= n; i++) printf "%s%s", (i > 1 ? " " : ""), $at[k[i]]; print "" }'
}
# "NAME COUNT" of all lines: the four functions, and the sum of everything.
functions() {
	awk '{ all += $NF } { n = $1; sub(/\(.*/, "", n) } n ~ /^(many|objects|grow|worker)$/ { sum[n] += $NF }
		END { print "all", all; for (i in sum) print i, sum[i] }' | LC_ALL=C sort
}

g++ -g -O1 -pthread -o counted "$SRC/tests/counted/counted.cpp" &&
	gcc -O2 -shared -fPIC -o preload.so "$SRC/tests/counted/preload.c" -ldl || exit 1
COUNTED=beside LD_PRELOAD=$PWD/preload.so ./counted
read -r calls bytes <beside
own_calls=1201000 own_bytes=23728000
check "the counter has the program's own, and of the libraries less than 0.1 MB" \
	eval '[ $((calls - own_calls)) -ge 0 -a $((calls - own_calls)) -lt 100 -a $((bytes - own_bytes)) -ge 0 -a $((bytes - own_bytes)) -lt 100000 ]'

tm-record -o c.tmt ./counted 2>said
check 'recorded' [ $? = 0 ]
want=$(printf '%s\n' "all $calls" 'grow 1000' 'many 1000000' 'objects 100000' 'worker 100000')

same "the recorder's summary" "$calls" "$(sed -n 's/^tm-record: \([0-9]*\) allocations.*/\1/p' said)"
same 'tracemill run' "$calls" "$(tracemill run -o run.tmt ./counted 2>&1 | sed -n 's/.*[^0-9]\([0-9]*\) allocations.*/\1/p;s/^\([0-9]*\) allocations.*/\1/p' | head -n 1)"
same 'tm-top: its first line' "$calls" "$(tm-top -q c.tmt | sed -n 's/^\([0-9]*\) allocations.*/\1/p')"
same 'tm-top: the sum below the text' "$calls" "$(tm-top -q -n 0 c.tmt | awk '/\(all [0-9]*\)$/ { print $1 }')"
same 'tm-top: text' "${want#*$'\n'}" "$(tm-top -q -n 0 --by function c.tmt | awk '$1 ~ /^[0-9]+$/ { for (i = 3; i <= NF; i++) if ($i ~ /^(many|objects|grow|worker)\(/) print $i, $2 }' | functions | grep -v all)"
for by in function site stack; do
	same "tm-top: CSV by $by" "$want" "$(tm-top -q -n 0 --csv --by $by c.tmt | columns "${by/stack/site}" count | functions)"
done
same 'tm-top: bytes' "10000000 1720000 4000000 8008000 $bytes" "$(tm-top -q -n 0 --csv --by function c.tmt | columns function requested |
	awk '{ sum += $NF; sub(/\(.*/, "", $1) } $1 ~ /^(many|objects|grow|worker)$/ { v[$1] = $NF } END { print v["many"], v["objects"], v["worker"], v["grow"], sum }')"
same 'tm-top: threads' "$(printf 'worker-%s 25000\n' 1 2 3 4)" "$(tm-top -q -n 0 --csv --by thread c.tmt | columns thread count | grep worker | LC_ALL=C sort)"
for form in json html markdown; do
	tm-top -q -n 0 --by function --as $form -o "top.$form" c.tmt
	same "tm-top: $form" "$want" "$(python3 "$SRC/tests/counted/read.py" $form "top.$form")"
done
same 'tm-frames' "$calls $bytes" "$(tm-frames -q --every 1h --csv --table frames c.tmt | columns count requested | awk '{ n += $1; b += $2 } END { print n, b }')"
same 'tm-dump: events' "$calls $bytes" "$(tm-dump -q --no-tables c.tmt | awk '/^alloc/ { n++; sub(/.* requested=/, ""); b += $1 } END { print n, b }')"
same 'tm-dump: totals' "$calls" "$(tm-dump -q c.tmt | sed -n 's/^totals .*alloc=\([0-9]*\).*/\1/p')"
same 'tm-compare: functions' "$want" "$(tm-compare -q -n 0 --all --csv --by function --table changes c.tmt c.tmt | columns function new_count | functions)"
same 'tm-compare: runs' "$calls $bytes $calls $bytes" "$(tm-compare -q --csv --table runs c.tmt c.tmt | columns count requested | paste -sd ' ')"
tm-compare -q --save-baseline c.tma c.tmt >/dev/null
same 'an aggregate' "$want" "$(tm-top -q -n 0 --csv --by function c.tma | columns function count | functions)"
for form in folded pprof speedscope; do
	tm-export -q --as $form --sort count -o "as.$form" c.tmt
	same "tm-export: $form" "$want" "$(python3 "$SRC/tests/counted/read.py" $form as.$form)"
done
tm-export -q --as sqlite -o c.db c.tmt
same 'tm-export: SQLite' "$calls $bytes" "$(sqlite3 -separator ' ' c.db 'SELECT sum(count), sum(requested) FROM allocations')"
same 'tm-view: a query' "$want" "$(tm-view -q --query 'top -n 0 --by function --csv' c.tmt | columns function count | functions)"
exit "$failed"
