#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Times are since the capture's start, whatever clock a format has: the same capture, written when the clock said
# 7 s and an hour later, has the same events, and the first of them is at 0. Then facts of captures that are
# no traces: numbers that are texts, all counters in the statistics, and whether a file was read to its end.
# shellcheck disable=SC2317
# shellcheck disable=SC2238 # a file called as a program is
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
# Of clocks in us; the capture takes 500 us.
capture() { # FORMAT START
	local t=$2 end=$(($2 + 500))

	case $1 in
	lualloc)
		printf 'lualloc 1 lua=5.4 clock=us\na\t0\t4\t10\t4\t%d\t0\t1000\na\t0\t4\t20\t4\t%d\t0\t2000\nend 2\n' "$t" $end
		;;
	lualloc-frames)
		printf 'lualloc 1 lua=5.4 clock=us\nframe 1 %d\na\t0\t4\t10\t4\t%d\t1\t1000\nframe 2 %d\nend 1\n' \
			"$t" $((t + 100)) $end
		;;
	chrome)
		printf '[{"ph":"X","name":"a","ts":%d,"dur":500,"pid":1,"tid":1}]\n' "$t"
		;;
	speedscope)
		printf '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},'
		printf '"profiles":[{"type":"evented","name":"t","unit":"microseconds","startValue":%d,"endValue":%d,' "$t" $end
		printf '"events":[{"type":"O","frame":0,"at":%d},{"type":"C","frame":0,"at":%d}]}]}\n' "$t" $end
		;;
	instrument-text)
		printf 'enter 0x1000 0x2000 %d.%06d\nexit 0x1000 0x2000 %d.%06d\n' \
			$((t / 1000000)) $((t % 1000000)) $((end / 1000000)) $((end % 1000000))
		;;
	perf-script)
		printf 'game 7 %d.%06d: 1 cycles:\n\t1000 a (/game)\n\ngame 7 %d.%06d: 1 cycles:\n\t1000 a (/game)\n\n' \
			$((t / 1000000)) $((t % 1000000)) $((end / 1000000)) $((end % 1000000))
		;;
	cpuprofile)
		printf '{"nodes":[{"id":1,"callFrame":{"functionName":"a","url":"","lineNumber":0}}],'
		printf '"startTime":%d,"endTime":%d,"samples":[1,1],"timeDeltas":[0,500]}\n' "$t" $end
		;;
	esac
}
times() { tm-dump -q "$1" | grep -o ' time=-\?[0-9]\+' | sort -n -t = -k 2 | sed -n '1p;$p' | tr -d '\n'; }

for format in lualloc lualloc-frames chrome speedscope instrument-text perf-script cpuprofile; do
	capture $format 7000007 >a
	capture $format 3600000007 >b
	equals "$format: from its start on" "$(times a)" ' time=0 time=500000'
	equals "$format: an hour later" "$(times b)" ' time=0 time=500000'
done

printf '{"traceEvents":[{"ph":"C","name":"fps","ts":1,"args":{"v":"7.5"}},%s]}\n' \
	'{"ph":"C","name":"two","ts":2,"args":{"a":"1e1","b":"x","c":3}}' >texts
equals 'chrome: counters that are texts' "$(tm-dump -q texts | grep -o '^counter value=[^ ]*' | tr '\n' ' ')" \
	'counter value=7.5 counter value=10 counter value=3 '

# Eight counters, as in the rows; a ninth is in CSV alone.
printf 'frame,a,b,c,d,e,f,g,h,i\n1,1,2,3,4,5,6,7,8,9\n2,1,2,3,4,5,6,7,8,10\n' >counters.csv
equals 'statistics of as many counters as the rows have' \
	"$(COLUMNS=200 tm-frames -q --table statistics counters.csv | grep -c '^max  *0  *1  *1  *1  *2  *1  *3  *1  *4  *1  *5  *1  *6  *1  *7  *1  *8  *1$')" 1

if command -v python3 >/dev/null; then
	complete() { # FILE
		rm -f out.sqlite
		tm-export -q --as sqlite -o out.sqlite "$1" 2>/dev/null
		python3 -c 'import sqlite3; print(sqlite3.connect("out.sqlite").execute("SELECT complete FROM runs").fetchone()[0])'
	}
	capture chrome 7 >whole
	tm-import -q -o whole.tmt whole
	capture speedscope 7 >f
	head -c -30 f >cut
	head -c -3 whole.tmt >cut.tmt
	equals 'sqlite: what was read to its end is complete, what was cut is not' \
		"$(complete whole) $(complete whole.tmt) $(complete cut) $(complete cut.tmt)" '1 1 0 0'
fi
exit $failed
