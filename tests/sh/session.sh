#!/bin/bash
# SPDX-License-Identifier: MIT
#
# tm-session held to what testdata/gen/session.c says of the run that it simulates: the clocks of its files are found within
# the error that is stated, or said to be unknown; and what was planted is in the report.
set -u
: "${GEN:?}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

ok() { # what, command...
	local what=$1

	shift
	if "$@"; then
		echo "ok - $what"
	else
		echo "not ok - $what"
	fi
}

made() { # options: a session in ./run
	rm -rf run
	"$GEN/session" run "$@" || exit 1
	tm-session --as json run >report 2>said
}

of() { # file, column: of the table of files
	jq -r --arg file "$1" --arg column "$2" \
		'.sections[] | select(.name == "files") | .rows[] | select(.file == $file) | .[$column] // ""' report
}

rows() { # table, columns: tab separated
	jq -r --arg table "$1" --arg columns "$2" \
		'($columns | split(" ")) as $c | .sections[] | select(.name == $table) | .rows[] | [.[$c[]]] | @tsv' report
}

# The file's times become the game's by this offset, in ns, and what is stated is at least what it is off by.
found() { # what, file, ns, by, most: the error that may be stated
	local offset error clock

	offset=$(of "$2" offset_ns) error=$(of "$2" error_ns) clock=$(of "$2" clock)
	ok "$1 ($clock, $offset +/- $error ns)" awk -v o="$offset" -v e="$error" -v want="$3" -v most="$5" -v c="$clock" -v by="$4" '
		BEGIN { d = o - want; exit !(o != "" && e != "" && (d < 0 ? -d : d) <= e && e <= most && c ~ by) }'
}

unknown() { # what, file, why
	local offset clock

	offset=$(of "$2" offset_ns) clock=$(of "$2" clock)
	ok "$1 ($clock)" awk -v o="$offset" -v c="$clock" -v why="$3" 'BEGIN { exit !(o == "" && index(c, "unknown: ") == 1 && index(c, why)) }'
}

# native.tmt is the session's clock: of the files with as many frames its times are fine, and it has native blocks.
made
found 'all clocks are one: the table' frames.csv 0 'by 600 shared frames' 2000
found 'all clocks are one: Lua' lua.tmt 0 'by 600 shared frames' 10
made --lua-offset 12345678 --csv-offset 987654
found 'the table by shared frames' frames.csv -987654000 'by 600 shared frames' 2000
found "Lua's by shared frames" lua.tmt -12345678000 'by 600 shared frames' 10
made --lua-offset 5000000 --lua-late 200
found 'frames that are marked up to 200 us late' lua.tmt -5000000000 'shared frames' 200002
made --lua-offset 5000000 --lua-ppm 80
# The offset is that of the middle of the capture, at 5 s: there the clock is 80 millionths of that ahead, 400 us, to some
# parts of a hundred, as the middle is 5 s.
ok "a clock that runs 80 ppm faster ($(of lua.tmt offset_ns) +/- $(of lua.tmt error_ns) ns)" awk -v o="$(of lua.tmt offset_ns)" -v e="$(of lua.tmt error_ns)" '
	BEGIN { exit !(o < -5000390000 && o > -5000410000 && e < 1000) }'
ok 'its drift is told' awk -v d="$(of lua.tmt drift_ppb)" 'BEGIN { exit !(d > 79990 && d < 80010) }'
# A tenth faster: 100,000 ppm, where 1/1.1 corrects it.
made --lua-ppm 100000
ok "a tenth faster ($(of lua.tmt drift_ppb))" awk -v d="$(of lua.tmt drift_ppb)" 'BEGIN { exit !(d > 99990000 && d < 100010000) }'
made --csv-step 1000000 --csv-offset 3000000
found 'a table of whole ms' frames.csv -3000000000 'by 600 shared frames' 2000000
made --jitter 0 --dates 0
unknown 'even frames match everywhere' frames.csv 'too even'
unknown 'even frames of Lua' lua.tmt 'too even'
unknown 'a log shares nothing with these' game.log 'shares neither'
made --jitter 0 --lua-offset 1000000
ok 'even frames: dates, to a second' awk -v c="$(of lua.tmt clock)" 'BEGIN { exit c !~ /by the dates|too even/ }'
made --csv-other 1 --dates 0
unknown 'frames of another run' frames.csv 'match none'

# The log: native.tmt and lua.tmt have dates, and time 0 of the log is that of the game, --date s later by its clock.
made
found 'a log by its date' game.log 0 'by the dates' 1100000000
mkdir dates
for zone in ' +0800' ' UTC' ''; do
	for second in 01 02 03; do
		printf '2026-02-03 20:00:%s.000%s INFO text\n' $second "$zone"
	done >"dates/log$zone.log"
done
{
	printf '2026-02-30 20:00:00.000Z no such day\n2026-02-03 24:00:00.000Z no such hour\n'
	cat 'dates/log UTC.log'
} >dates/false.log
printf '\033[32m2026-02-03 20:00:%s.000Z\033[0m INFO text\n' 01 02 03 >dates/colours.log
tm-session --as json dates >report 2>said
ok 'a zone behind a blank' [ "$(of 'log +0800.log' began)" = '2026-02-03 12:00:01' ]
ok 'the zone UTC behind a blank' [ "$(of 'log UTC.log' began)" = '2026-02-03 20:00:01' ]
ok 'a line in colours' [ "$(of colours.log began)" = '2026-02-03 20:00:01' ]
ok 'no zone' [ "$(of log.log began)" = '2026-02-03 20:00:01 (zone unknown)' ]
ok 'days and hours that do not exist' [ "$(of false.log began)" = '2026-02-03 20:00:01' ]
made --date 3
ok 'a log whose clock is 3 s wrong: no more than dates is claimed' awk -v c="$(of game.log clock)" 'BEGIN { exit c !~ /by the dates/ }'
made --date 3 --sync 1
# It begins with the time 0 of the game.
found 'a log whose clock is wrong, by a sync marker' game.log 0 'by 1 shared marker' 10000000
ok 'and that its date contradicts the marker' grep -q 'contradict that by 3.00 s' <(of game.log clock)
made --zone 0
found 'a log without a time zone, 8 hours ahead' game.log 0 'by the dates' 1100000000
made --log-time 1
unknown 'a log with times of the day alone' game.log 'shares neither'
made --log-time 1 --sync 1
found 'the same with a sync marker' game.log 0 'by 1 shared marker' 10000000

# A link to a file is the file, wherever that lies; a link to a folder is passed over.
made
mkdir elsewhere && mv run/game.log elsewhere && ln -s ../elsewhere/game.log run/far.log && ln -s ../elsewhere run/folder
tm-session --as json run >report 2>said
found 'a link to a file outside of the folder' far.log 0 'by the dates' 1100000000
ok 'no file by way of a link to a folder' [ "$(of folder file)$(of folder/game.log file)" = '' ]

# What was planted. In frame 300: 3000 x 50 and 5 x 40 bytes of Lua; 2000 x 1000 and 10 x 100 native ones.
made --spike 300 --jank 450 --leak 1 --lua-offset 7000000 --sync 1
rows in-frames 'frame file domain count bytes median_bytes site' >did
ok 'the spike: Lua' grep -q "$(printf '^300\tlua.tmt\tLua\t3005\t150200\t200\tspawn_wave  game.lua:77$')" did
ok 'and what C++ allocated in the same frame' \
	grep -q "$(printf '^300\tnative.tmt\tnative\t2011\t2001064\t1064\tcompress_state  save.cpp:44$')" did
rows worst-frames 'frame duration_ns' >worst
ok 'the jank is the longest frame' awk '$1 == 450 && $2 > 119e6 { n++ } $1 != 450 && $2 > 30e6 { n = 9 } END { exit n != 1 }' worst
rows log 'frame text' >lines
ok "the jank's line of the log" grep -q "$(printf '^450\tWARN loading level 3$')" lines
# 64 bytes a frame, in three quarters of 600 frames.
rows leaks 'site growth' >grown
ok 'the leak, and nothing else' awk -F '\t' '{ n++ } $1 ~ /^add_particle  / && $2 > 64 * 440 && $2 < 64 * 460 { leak = 1 }
	END { exit !(n == 1 && leak) }' grown
# 20 s are loaded before: a step is as many frames as another.
made --leak 1 --wait 20000
rows leaks 'site growth' >grown
ok 'a leak after a long start' awk -F '\t' '$1 ~ /^add_particle  / && $2 > 64 * 440 && $2 < 64 * 460 { leak = 1 } END { exit !leak }' grown
made --spike 300
rows leaks 'site growth' >grown
ok 'no leak where none is' [ ! -s grown ]

# The gate.
rm -rf base
"$GEN/session" base || exit 1
gate() { # what, status, options of the new session
	local what=$1 want=$2

	shift 2
	rm -rf run
	"$GEN/session" run "$@" || exit 1
	tm-session -q --baseline base run >gate 2>said
	ok "gate: $what" [ $? = "$want" ]
}
gate 'the same run' 0 --seed 2
gate 'a leak' 1 --leak 1
ok 'gate: it names the leak' grep -q 'sites that leak' gate
gate 'more bytes' 1 --spike 10
gate 'slower frames are not judged unasked' 0 --jank 30
tm-session -q --baseline base --max-slower 10 run >gate 2>said
ok 'gate: they are if asked' [ $? = 1 ]
rm run/lua.tmt
tm-session -q --baseline base run >gate 2>said
ok 'gate: what is not known any more is inconclusive' [ $? = 5 ]

ok 'gate: 64 bytes a frame leaked are 64' [ "$(
	rm -rf run
	"$GEN/session" run --leak 1 --wait 300
	tm-session -q --as csv --table compared --baseline run run | awk -F, '$2 == "native_bytes_leaked_a_frame_tm_record" { print $3 }'
)" = 64 ]
# No file has a block between two frames: nothing is live then, which is known.
rm -rf base
"$GEN/session" base --scratch 1
gate 'nothing live is no leak' 0 --scratch 1
gate 'a leak where nothing was live' 1 --scratch 1 --leak 1
rm -rf base
"$GEN/session" base --scratch 1 --leak 1
gate 'its repair' 0 --scratch 1
rm -rf base
"$GEN/session" base --marks 0 --leak 1
gate 'no frames: the same leak' 0 --marks 0 --leak 1 --seed 2
gate 'no frames: a leak of ten times as much' 1 --marks 0 --leak 10
# It waits for a while before the first frame: the steps are those of its own time.
rm -rf run
"$GEN/session" run --leak 1 --wait 300
tm-session --as json run >report 2>said
ok 'all six steps rose' [ "$(rows leaks rises)" = 6 ]


rm -rf base
"$GEN/session" base
gate 'a line of a log that is cut says nothing of blocks' 0 --long-line 1
gate 'one sampled run' 5 --sampled 1
ok 'gate: it says why' grep -q 'native bytes a frame (tm-record): cannot be judged: one sampled run is an estimate' gate
ok 'estimates are marked' grep -q 'native, native.tmt: ~.* in ~' gate
cp -r base cut
head -c -40 base/native.tmt >cut/native.tmt
tm-session -q --baseline base cut >gate 2>said
ok 'gate: a file that has lost something is not judged, and named' \
	grep -q 'native bytes a frame (tm-record): cannot be judged: native.tmt has lost something' gate
ok 'gate: the others are judged' grep -q '^Lua bytes a frame.*pass$' gate
mkdir none
tm-session --baseline none run >gate 2>said
ok 'gate: a base without files is an error' [ $? = 3 ]
ok 'gate: with a message' grep -q 'none: the folder has no files' said

# Of a log, the lines that are nearest to a frame are kept, however many are in reach of its clock's error: 0.85 s before the
# frame are 20,001 lines. Frame 450 has 20,003 lines within a second: those, its own, and one 0.9 s behind it.
made --jank 450
ok 'no line of a short log is left out' [ "$(tm-session run 2>said | grep -c 'lines are listed; there are more')" = 0 ]
awk '{ print } /checkpoint 4/ { for (i = 0; i < 20000; i++) print }' run/game.log >long && mv long run/game.log
tm-session --as json run >report 2>said
rows log 'frame text error_ns' >lines
ok 'the nearest line of 20,000' grep -q "$(printf '^450\tWARN loading level 3\t')" lines
ok 'the nearest lines alone' [ "$(grep -c '^450' lines)" = 32 ]
ok 'the error of the clock stands beside each' awk '{ n += $NF >= 1e9 && $NF < 1.1e9 } END { exit !(n == NR && n) }' lines
tm-session run >text 2>said
ok 'in text the others are counted' grep -q 'log, game.log: 19999 other lines may be of this frame' text

# A number has one value: tm-frames says the same of the file that has the clock.
tm-session -q --as json --baseline base base | jq -r '.sections[] | select(.name == "compared") | .rows[] |
	select(.number | test("^frame_|^native_bytes_a_frame")) | "\(.number) \(.new)"' >numbers
tm-frames -q --as json base/native.tmt | jq -r '[.sections[] | select(.name == "statistics") | .rows[]] as $r |
	def of($s): $r[] | select(.statistic == $s);
	"frame_median \(of("p50").duration_ns)", "frame_95 \(of("p95").duration_ns)", "frame_99 \(of("p99").duration_ns)",
	"frame_longest \(of("max").duration_ns)", "native_bytes_a_frame_tm_record \(of("mean").requested)"' >same
ok "tm-frames has the same numbers ($(wc -l <same))" cmp numbers same

# Files of all kinds.
mkdir mixed mixed/sub
cp run/native.tmt mixed/sub/
printf 'text\n' >mixed/notes.txt
head -c -40 run/native.tmt >mixed/cut.tmt
: >mixed/empty
cp /bin/true mixed/true
tm-session --as json mixed >report 2>said
ok 'files of all kinds are listed' [ "$(rows files file | wc -l)" = 5 ]
ok 'a file in a folder below is one of them' [ "$(of sub/native.tmt frames)" = 600 ]
ok 'a file that is cut is read as far as it goes' [ "$(of cut.tmt frames)" -gt 10 ]

# All files as one trace: how far their clocks are apart does not show in it, and each event is in the frame in which its file
# has it, though the clocks are known but to some ns.
frames_of() { # trace
	tm-dump -q "$1" | grep '^frame '
}
made --spike 300
tm-session -q --save-trace one.tmt run
ok 'all files in one trace' [ "$(tm-dump -q one.tmt | grep -c '^capture')" = 1 ]
ok 'the frames are those of the session' [ "$(tm-dump -q one.tmt | grep -c '^frame ')" = 600 ]
# Each: 10 native blocks and 5 of Lua; in frame 300 2000 and 3000 more; load_asset's 10 in 30 frames.
ok 'the blocks of both' [ "$(tm-dump -q one.tmt | grep -c '^alloc ')" = $((600 * 15 + 5000 + 300)) ]
ok 'the counters of the table' [ "$(tm-dump -q one.tmt | grep -c '^counter value')" = "$(tm-dump -q run/frames.csv | grep -c '^counter value')" ]
ok 'the lines of the log' [ "$(tm-dump -q one.tmt | grep -c '^log ')" = "$(wc -l <run/game.log)" ]
tm-frames -q --csv --table frames one.tmt >one.csv
frames_of one.tmt >one.frames
made --spike 300 --lua-offset 12345678 --csv-offset 987654 --lua-ppm 80 --date 7
tm-session -q --save-trace two.tmt run
ok 'clocks that are apart: the same frames' cmp one.frames <(frames_of two.tmt)
ok 'clocks that are apart: the same numbers in each frame' cmp one.csv <(tm-frames -q --csv --table frames two.tmt)
: >run/new.txt
tm-session --save-trace three.tmt run 2>said
ok 'what is no capture is not spoken of' [ "$(grep -c new.txt said)" = 0 ]
"$GEN/session" other --csv-other 1 --marks 1 --dates 0 --seed 9
cp other/frames.csv run/other.csv
tm-session --save-trace three.tmt run 2>said
ok 'a file whose clock is not known is named' grep -q 'run/other.csv: is not in the trace: its clock is not known' said
ok 'and the others are in it' cmp one.csv <(tm-frames -q --csv --table frames three.tmt)
cat run/lua.tmt run/lua.tmt >both.tmt && mv both.tmt run/lua.tmt
tm-session --save-trace three.tmt run 2>said
ok 'of a file with two captures, the first' grep -q 'lua.tmt: loss: captures behind the first, whose clocks are not known: 1' said
ok 'which is the same' cmp one.csv <(tm-frames -q --csv --table frames three.tmt)
mkdir nothing && echo text >nothing/a.txt
tm-session --save-trace nothing.tmt nothing 2>said
ok 'without a capture there is no trace' [ "$? $([ -e nothing.tmt ]; echo $?)" = '3 1' ]
tm-session --save-trace three.tmt --baseline run run 2>said
ok 'nor with a baseline' [ $? = 2 ]
# Frames of two levels, each numbered from 0, 12 and 9 of them.
mkdir levels
awk 'BEGIN { print "time_ms,frame,pss (B)"; t = 1000; for (i = 0; i < 21; i++) { print t "," (i < 12 ? i : i - 12) "," i; t += 10 + i * i % 7 } }' >levels/f.csv
tm-session -q --save-trace levels.tmt levels
ok 'frames whose numbers begin anew are all there' [ "$(tm-dump -q levels.tmt | grep -c '^frame ')" = 21 ]
ok 'and numbered on' [ "$(tm-dump -q levels.tmt | sed -n 's/^frame value=\([0-9]*\) .*/\1/p' | paste -sd ' ')" = "$(seq -s ' ' 0 20)" ]

# A folder in tm-view is the session as --save-trace writes it: the same numbers, and a note on each file.
asked() { # question: of the folder ./run
	tm-view -q --query "$1" run 2>said
}

made --spike 300 --lua-offset 12345678 --csv-offset 987654 --lua-ppm 80 --date 7
ok 'tm-view FOLDER: the same frames as those of the trace' cmp one.csv <(asked 'frames -q --csv --table frames')
ok 'the same sites' cmp <(tm-top -q --csv two.tmt) <(asked 'top -q --csv')
ok 'the same lines of the log' cmp <(tm-frames -q --csv --table log two.tmt) <(asked 'frames -q --csv --table log')
tm-view -q --query 'top -n 1' run >/dev/null 2>said
# The offsets and the drift are those above: the clock of Lua runs 80 ppm fast.
ok 'which file has the clock' grep -q 'guess: native.tmt (a recording of tm-record): its clock and frames are the session' said
ok 'how the clock of another is known' grep -Eq 'guess: lua.tmt \(a recording of the Lua module\): its clock is off by at most [0-9.]+ ns, and known by 600 shared frames; it runs (79.9|80.0|80.1) ppm fast' said
ok 'and of a log' grep -Eq 'guess: game.log .*: its clock is off by at most 1.00 s, and known by the dates' said
cp other/frames.csv run/other.csv
tm-view -q --query 'top -n 1' run >/dev/null 2>said
ok 'a file whose clock is not known is a loss' grep -q 'loss: other.csv (.*): is not here, for its clock is unknown: its frames match none' said
rm run/other.csv
# What lies in the folder and is in no answer is counted and named; 23 files that are no captures: 20 names and a number.
mkdir -p run/1/2/3/4/5/6/7/8/9 && ln -s . run/again && ln -s nowhere run/gone && mkfifo run/pipe && echo x >run/.hidden
for i in {01..23}; do echo "no capture $i" >"run/z$i.txt"; done
tm-view -q --query 'top -n 1' run >/dev/null 2>said
ok 'files that are no captures are named' [ "$(grep -c 'z[0-9]*.txt (.*): is not here, for it is no capture$' said)" = 20 ]
ok 'and counted' grep -q ': 3 more files: are not here, for they are no captures$' said
tm-session --as json run 2>/dev/null | jq -r '.sections[] | select(.name == "files") | .notes[]' >notes
for note in '1 folder lies too deep, passed over: 1/2/3/4/5/6/7/8/9' '1 link to a folder, passed over: again' '1 link without a file, passed over: gone' '1 entry is no file, passed over: pipe'; do
	ok "tm-view: $note" grep -qF ": $note" said
	ok "tm-session: $note" grep -qxF "$note" notes
done
ok 'hidden files are not named' [ "$(cat notes said | grep -c hidden)" = 0 ]
rm -r run/1 run/again run/gone run/pipe run/.hidden run/z??.txt
echo '{"id":1,"query":"frames --csv --table frames"}' | tm-view -q --lines run one.tmt >both 2>said
ok 'a folder and a file: two captures' grep -q 'one.tmt' both
tm-view -q --query top nothing >out 2>said
ok 'a folder without a capture says so' [ "$? $(grep -c 'nothing: no file has a clock' said)" = '3 1' ]
tm-view --follow run >out 2>said
ok '--follow takes no folder' [ "$? $(grep -c 'run is a folder' said)" = '2 1' ]
