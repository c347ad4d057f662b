#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# expects: signals
#
# tm-record in other tools' forms: what their readers make of them is what the trace of the same
# program says, and what the program knows (testdata/src/record/managed.c, blocks.c). And
# LoliProfiler's connection, with a stand-in for its desktop application (testdata/gen/attach.c).
set -u
# shellcheck source=tests/capture.bash
. "$SRC/tests/capture.bash"

CC=${CC:-cc}
for p in managed blocks; do
	if ! $CC -std=c11 -D_GNU_SOURCE -g -O1 -fno-omit-frame-pointer -I"$SRC" \
		"$SRC/testdata/src/record/$p.c" -o "$p" -lpthread; then
		echo "not ok - $p.c compiles"
		exit 1
	fi
done

same() { # what, file, file
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		echo "ok - $1"
	else
		diff "$2" "$3" | head -n 5
		echo "not ok - $1"
	fi
}

# Per frame and type: FRAME TYPE REQUESTED REAL, of a trace of either kind.
typed() {
	tm-dump -q "$1" | awk '
		function field(name, i) {
			for (i = 2; i <= NF; i++)
				if (index($i, name "=") == 1)
					return substr($i, length(name) + 2)
			return ""
		}
		$1 == "type" { name[$2] = substr($0, index($0, "name=") + 5) }
		$1 == "frame" { f = field("value") }
		$1 == "alloc" || $1 == "type-total" {
			k = f " " name[field("type")]
			if (field("type") == "")
				next
			if ($1 == "type-total" || field("requested") != "")
				s[k] += field("requested")
			if ($1 == "alloc")
				r[k] += field("real")
		}
		END { for (k in r) printf "%s %.0f %.0f\n", k, s[k], r[k] }' | sed 's/\\\(.\)/\1/g; s/ "/ /; s/" / /' | sort
}

tm-record -q -o m.tmt -- ./managed 10 2>said
sed 's/ [0-9]*$//' said | sort >want
typed m.tmt >got
same "typed allocations: what the program knows, by frame and type" want got
ok "typed allocations: the count, too" [ "$(awk '{ n += $NF } END { print n }' said)" = "$(tm-dump -q m.tmt | grep -c '^alloc.*domain=mono')" ]
tm-record -o k.tmt -- ./managed 10 kill 2>said
sed '/^tm-record: /d; s/ [0-9]*$//' said | sort >want
typed k.tmt >got
same "typed allocations: a frame is out before the next begins" want got

tm-record --as memtracer -o m.mem -- ./managed 10 2>said
sed '/^tm-record: /d; s/ [0-9]*$//' said | sort >want
tm-import -q --maps m.mem.maps -o back.tmt m.mem
typed back.tmt >got
same "memtracer: the reader has what the program knows" want got
ok "memtracer: an empty frame is one" grep -q '^{"f":4,"d":\[\]}$' m.mem
ok "memtracer: every line is JSON, sizes of stacks sum up, none over 2^31-1" [ "$(jq -s '[.[].d[] |
	select((.st | length) == (.sz | length) and (.sz | add) == .r and .r < 2147483648 and .s < 2147483648)] | length' m.mem)" = \
	"$(jq -s '[.[].d[]] | length' m.mem)" ]
tm-symbolize -q --maps m.mem.maps m.mem 2>/dev/null | tm-top -q --csv --by function --total 2>/dev/null >top ||
	tm-symbolize -q --maps m.mem.maps m.mem | tm-top -q --csv >top
ok "memtracer: with the modules, names come back" grep -q 'managed\.c' top
tm-export -q --as memtracer -o again.mem back.tmt
tm-import -q -o again.tmt again.mem
typed again.tmt >got
same "memtracer: read and written again, the same" want got

# LoliProfiler: the same trace, both ways; then a run of its own.
blocks_of() { # without what that form has not: real bytes, threads, time
	tm-dump -q "$1" | awk '
		$1 == "alloc" || $1 == "free" {
			line = $1
			for (i = 2; i <= NF; i++)
				if ($i ~ /^(address|requested)=/)
					line = line " " $i
			print line
		}'
}
tm-record -o b.tmt -- ./blocks random 2>/dev/null
tm-export -q --as loli-stream -o b.bin b.tmt
tm-export -q --as maps -o b.maps b.tmt
tm-import -q --maps b.maps -o back.tmt b.bin
blocks_of b.tmt >want
blocks_of back.tmt >got
same "loli: $(wc -l <want) records, one by one" want got
tm-symbolize -q b.tmt | tm-top -q --csv | cut -d, -f1-4,6-7,10- >want
tm-symbolize -q back.tmt | tm-top -q --csv | cut -d, -f1-4,6-7,10- >got
sed -i 's/,100.00,/,,/' want got
same "loli: the same sites, with names" want got
ok "loli: packets of at most 3000 records" [ "$(tm-dump -q b.tmt | grep -c '^\(alloc\|free\)')" -le \
	"$(($(wc -c <b.bin) * 250))" ]
tm-record --as loli -o l.bin -- ./blocks random 2>said
tm-import -q --maps l.bin.maps -o back.tmt l.bin
ok "loli: recorded so, what the program knows" [ "$(tm-dump -q back.tmt | awk '
	$1 == "alloc" { a++; sub(/.*requested=/, ""); s += $1 } $1 == "free" { f++ }
	END { printf "allocs %d frees %d requested %d", a, f, s }')" = "$(sed -n 's/ real.*//p' said)" ]
ok "loli: nothing is missing by its numbers" [ "$(tm-dump -q back.tmt | grep -c 'note loss')" = 0 ]
tm-record --as loli -o k.bin -- ./blocks kill 2>/dev/null
ok "loli: a killed program's records are there, as is its status" [ "$? $(tm-import -q k.bin | tm-dump -q | grep -c '^alloc')" = "137 1000" ]
tm-record --as loli -o /dev/full -- ./blocks family >out 2>err
ok "a full disk: status 3, and the program runs on" [ "$? $(grep -c ^allocs err)" = "3 1" ]
tm-record --as memtracer -- ./managed 10 2>err | head -n 1 >line
ok "the form on standard output" grep -q '^{"f":0,' line
rm -f tm-record.maps

# Serving.
port=$((20000 + $$ % 20000))
served() { # options of attach, then of tm-record and the program
	local how=$1

	shift
	# shellcheck disable=SC2086 # words
	"$GEN/attach" "$port" $how >served 2>attached &
	tm-record --serve --port "$port" "$@" 2>said
	status=$?
	wait $!
}
served "" -v -- ./blocks random
tm-import -q -o back.tmt served
ok "serve: all records reach the client" [ "$status $(tm-dump -q back.tmt | awk '
	$1 == "alloc" { a++; sub(/.*requested=/, ""); s += $1 } $1 == "free" { f++ }
	END { printf "allocs %d frees %d requested %d", a, f, s }')" = "0 $(sed -n 's/ real.*//p' said)" ]
ok "serve: in no sandbox, which would hold the program, and says so" grep -q ' sandbox: off: ' said
served "leave 100000" -o kept.bin -- ./blocks random
tm-import -q -o back.tmt kept.bin
ok "serve: the client leaves; the file has all" [ "$status $(tm-dump -q back.tmt | grep -c ^alloc)" = "0 100000" ]
ok "serve: what nobody took is told" grep -q 'no client read' said
served "silent 500" -- ./blocks random
ok "serve: a client that is slow to read" [ "$(tm-import -q served | tm-dump -q | grep -c ^alloc)" = 100000 ]
"$GEN/attach" "$port" silent 500 >served 2>attached &
tm-record --serve --port "$port" -o e.bin -- ./blocks idle 2>said &
recorder=$!
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.05; done
sleep 0.3
for _ in 1 2; do (exec 3<>"/dev/tcp/127.0.0.1/$port" && cat <&3) >turned 2>/dev/null; done
pkill -9 -P $recorder
wait $recorder 2>/dev/null
wait
ok "serve: clients that come while one is there are told of" grep -q 'turned away, since one is served at a time: ' said
served noise -- ./blocks random
ok "serve: a client that talks nonsense" [ "$(tm-import -q served | tm-dump -q | grep -c ^alloc)" = 100000 ]
"$GEN/attach" "$port" dump 1 >served 2>attached &
client=$!
tm-record --serve --port "$port" -o d.bin -- ./blocks idle 2>said &
recorder=$!
wait $client
ok "serve: the dump is answered" grep -q answered attached
ok "serve: and the program's map is there" grep -q '^Rss:' d.bin.smaps
pkill -9 -P $recorder
wait $recorder 2>/dev/null
tm-import -q --maps d.bin.smaps -o back.tmt served
ok "serve: with the dump, modules of the records" [ "$(tm-dump -q back.tmt | grep -c '^module.*blocks')" -ge 1 ]
"$GEN/player" 0 /dev/null >taken &
holder=$!
until grep -qs port taken; do sleep 0.05; done
tm-record --serve --port "$(sed -n 's/port //p' taken)" -- ./blocks family >out 2>err
ok "serve: a port in use is an error, and nothing runs" [ "$? $(grep -c 'cannot listen' err) $(grep -c ^allocs err)" = "3 1 0" ]
kill $holder
wait $holder 2>/dev/null
rm -f tm-record.*
exit 0
