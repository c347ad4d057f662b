#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 800
#
# tm-export's formats, each held to what reads it (go's pprof, SQLite, the rules of speedscope's
# and Chrome's JSON), to the demo's own totals, and to tm-top's tables.
# shellcheck disable=SC2016,SC2086,SC2317 # check evaluates; names have no blanks
set -u
: "${SRC:?}" "${DATA:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

demo=$DATA/demo/gcc-dwarf5-O2
if [ ! -f "$demo/truth.totals" ]; then
	echo "skip - tm-export on the demo (no demo captures here)"
	exit 0
fi
export HOME=$PWD GOTOOLCHAIN=local

truth() { sed -n "s/^$1	//p" "$demo/truth.totals"; }
sql() { sqlite3 -batch -noheader -separator '	' "$@"; }

# same WHAT A B: equal files with something in them
same() {
	equal() { [ -s "$2" ] && diff "$1" "$2" >err; }
	check "$1 ($(wc -l <"$3") rows)" equal "$2" "$3"
}

for capture in mem stream; do
	tm-symbolize -q -e "$demo/bin/arcade" -e "$demo/bin/libengine.so" --maps "$demo/arcade.maps" \
		--locations return -o $capture.tmt "$demo/arcade.$capture"
	tm-import -q --maps "$demo/arcade.maps" -o $capture.raw.tmt "$demo/arcade.$capture"
done

# Self of each function by name, and total where one row has the name: "name self total".
top() { # TRACE COLUMN
	tm-top --no-symbols -q --csv -n 0 --by function "$1" >top.csv
	sql :memory: ".import --csv top.csv t" \
		"SELECT function, SUM(\"$2\"), iif(COUNT(*) = 1, MAX(\"total_$2\"), '-') FROM t
		 GROUP BY function HAVING SUM(\"$2\") + SUM(\"total_$2\") > 0" | LC_ALL=C sort
}

# --- pprof ---

pprof() { # FILE SAMPLE_TYPE: the same rows
	go tool pprof -top -nodecount=0 -nodefraction=0 -edgefraction=0 -unit=B \
		-sample_index="$2" "$1" 2>err | sed '1,/flat%/d' |
		sed -E 's/ \((partial-)?inline\)$//; s/^ *([0-9]+)B? +[0-9.]+% +[0-9.]+% +([0-9]+)B? +[0-9.]+% +(.*)$/\3\t\1\t\2/' |
		LC_ALL=C sort
}

# Totals of names that several functions of tm-top have are added up by pprof: left out.
held() { awk -F '\t' -v OFS='\t' 'NR == FNR { if ($3 == "-") several[$1]; next }
	{ if ($1 in several) $3 = "-"; print }' "$1" "$2"; }

has_pprof() { command -v go >/dev/null && [ -x "$(go tool -n pprof 2>/dev/null)" ]; }
if has_pprof; then
	for row in mem:real:alloc_real stream:count:alloc_objects stream:requested:alloc_requested \
		stream:live_count:inuse_objects stream:live_requested:inuse_requested \
		stream.raw:requested:alloc_requested; do
		IFS=: read -r file column type <<<"$row"
		tm-export -q --as pprof -o $file.pb.gz "$file.tmt"
		top "$file.tmt" "$column" >want
		pprof $file.pb.gz "$type" >all
		held want all >got
		same "pprof -top of $file, $type, is tm-top's" got want
	done
	for row in mem:real:alloc_real stream:live_requested:inuse_requested; do
		IFS=: read -r file column type <<<"$row"
		tm-top --no-symbols -q --csv -n 0 --sort "${column/_/-}" --source . \
			--source-dir "$SRC/testdata" $file.tmt >source.csv
		sql :memory: ".import --csv source.csv t" \
			"SELECT function || ':' || line, SUM(\"$column\"),
			 iif(COUNT(*) = 1, MAX(\"total_$column\"), '-') FROM t
			 WHERE depth = 1 AND read_from <> '' AND \"total_$column\" <> ''
			 GROUP BY function, line, file" | LC_ALL=C sort >want
		go tool pprof -list . -unit=B -sample_index=$type -source_path "$SRC/testdata" \
			$file.pb.gz 2>err |
			awk -v OFS='\t' '
				sub(/^ROUTINE =* /, "") { sub(/ in [^ ]*$/, ""); name = $0; next }
				match($0, /^ +[0-9.]+B? +[0-9.]+B? +[0-9]+:/) {
					split(substr($0, 1, RLENGTH - 1), part, " ")
					if (part[1] part[2] != "..")
						print name ":" part[3], part[1] + 0, part[2] + 0
				}' | LC_ALL=C sort >all
		held want all >got
		same "pprof -list of $file, $type, is tm-top --source" got want
	done
	go tool pprof -raw mem.pb.gz >raw 2>err
	check "pprof -raw: types as labels" grep -q 'type:\[Particle\[\]\]' raw
	id=$(readelf -n "$demo/bin/libengine.so" | sed -n 's/.*Build ID: //p')
	check "pprof -raw: build-ids" grep -q "${id:-none}" raw
	go tool pprof -comments mem.pb.gz >comments 2>err
	check "pprof -comments" grep -q '^tm-export .* of memtracer$' comments
	go tool pprof -tags mem.pb.gz 2>err | tr -d ' ' >tags
	check "pprof -tags: types' sums" grep -q '14.7kB(28.99%):Particle\[\]' tags
	tm-export -q --as pprof -o two.pb.gz mem.tmt mem.tmt
	go tool pprof -top -unit=B -diff_base mem.pb.gz two.pb.gz 2>err >difference
	check "two captures are twice one" \
		eval 'grep -q "^ *$(truth mem.total | cut -f 2)B" difference'
	tm-export --as pprof --sort count mem.tmt >out 2>err
	status=$?
	check "pprof: a metric that is not there" \
		eval '[ $status = 2 ] && grep -q "no stack of the captures has .count" err'
else
	echo "skip - pprof reads what we write (no go)"
fi
check "pprof: one gzip member, the same twice" \
	eval 'tm-export -q --as pprof mem.tmt >a.gz && tm-export -q --as pprof mem.tmt | cmp -s - a.gz && gzip -t a.gz'

# --- folded ---

tm-export -q --as folded mem.tmt >mem.folded
awk '{ sum += $NF } END { print sum }' mem.folded >got
truth mem.total | cut -f 2 >want
same "folded: the sum is the truth's" got want
# Self: the last entry. Total: each name once a line.
awk '{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, name, ";"); self[name[k]] += n; delete once
	for (i = 1; i <= k; i++) if (!(name[i] in once)) { once[name[i]]; total[name[i]] += n } }
	END { for (x in total) print x "\t" self[x] + 0 "\t" total[x] }' mem.folded | LC_ALL=C sort >all
top mem.tmt real >want
held want all >got
same "folded: functions are tm-top's" got want
tm-export -q --as folded --types mem.tmt | sed -E 's/.*;([^;]*) ([0-9]+)$/\1\t\2/' |
	awk -F '\t' -v OFS='\t' '{ n[$1] += $2 } END { for (x in n) print x, n[x] }' | LC_ALL=C sort >got
truth mem.type | cut -f 1,3 | LC_ALL=C sort >want
same "folded --types" got want
tm-export -q --as folded --sort live-requested stream.tmt | awk '{ s += $NF } END { print s }' >got
truth stream.live | cut -f 2 >want
same "folded --sort live-requested" got want
tm-export -q --as folded stream.raw.tmt >raw.folded
check "folded, no symbols: module and offset" grep -q 'libengine.so+0x' raw.folded

# --- speedscope ---

# What its schema asks for, and what the schema cannot say.
cat >rules.jq <<'END'
def need(ok; what): if ok then empty else what end;
(.shared.frames | length) as $n |
[ need(."$schema" == "https://www.speedscope.app/file-format-schema.json"; "schema"),
  need([.shared.frames[] | (.name | type == "string") and
    ((.file // "") | type == "string") and ((.line // 1) | type == "number") and
    ((keys - ["name", "file", "line", "col"]) == [])] | all; "frames"),
  need((.profiles | length) > .activeProfileIndex; "active"),
  (.profiles[] |
    need(.unit | IN("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"); "unit"),
    need((.name | type) == "string"; "name"),
    need(.startValue <= .endValue; "range"),
    if .type == "sampled" then
      need((keys - ["endValue", "name", "samples", "startValue", "type", "unit", "weights"]) == []; "keys"),
      need((.samples | length) == (.weights | length); "as many weights as samples"),
      need((.weights | add // 0) == .endValue - .startValue; "weights fill the range"),
      need([.samples[] | length > 0 and all(.[]; . >= 0 and . < $n)] | all; "samples")
    else
      need(.type == "evented"; "type"),
      need(reduce .events[] as $e ({open: [], at: 0, ok: true};
          .ok = (.ok and $e.at >= .at and $e.frame < $n) | .at = $e.at |
          if $e.type == "O" then .open += [$e.frame]
          else .ok = (.ok and .open[-1] == $e.frame) | .open = .open[:-1] end)
        | .ok and .open == []; "balanced and in order")
    end) ] | join(", ")
END
valid() { # FILE
	jq -r -f rules.jq "$1" >err 2>&1 && [ "$(cat err)" = "" ]
}
if command -v jq >/dev/null; then
	for file in mem stream stream.raw; do
		tm-export -q --as speedscope "$file.tmt" >$file.speedscope
		check "speedscope: $file keeps the format's rules" valid $file.speedscope
	done
	jq -r '.shared.frames as $f | .profiles[] | select(.name == "real") | . as $p |
		range(.samples | length) | . as $i |
		([$p.samples[$i][] | $f[.].name] | join(";")) + " " + ($p.weights[$i] | tostring)' \
		mem.speedscope | LC_ALL=C sort >lines
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); s[$0] += n } END { for (x in s) print x, s[x] }' lines |
		LC_ALL=C sort >got
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); s[$0] += n } END { for (x in s) print x, s[x] }' mem.folded |
		LC_ALL=C sort >want
	same "speedscope: stacks are the folded ones" got want
	check "speedscope: files and lines" \
		eval 'jq -e "[.shared.frames[] | select(.file != null and .line > 0)] | length > 20" mem.speedscope >/dev/null'
	"$GEN/export" spans >spans.tmt
	tm-export --as speedscope spans.tmt >spans.speedscope 2>notes
	check "speedscope: enter and exit keep the rules" valid spans.speedscope
	jq -r '.shared.frames as $f | .profiles[] | select(.type == "evented") |
		.name + ": " + ([.events[] | .type + $f[.frame].name + "@" + (.at | tostring)] | join(" "))' \
		spans.speedscope >got
	"$GEN/export" spans.speedscope >want
	same "speedscope: what was entered and left" got want
	check "speedscope: what was not balanced is told" \
		eval 'grep -q "exits without an enter left out.*: 1$" notes && grep -q "still open at the end.*: 2$" notes'

	# --- Chrome trace events ---

	for file in mem stream spans; do
		tm-export -q --as chrome $file.tmt >$file.chrome
		phases() { jq -e '
			[.traceEvents[] | (.ph | IN("M", "X", "B", "E", "C")) and (.pid | type == "number") and
			(.tid | type == "number") and (.name | type == "string") and
			(.ph == "M" or (.ts | type == "number")) and (.ph != "X" or .dur >= 0) and
			(.ph != "C" or ([.args[] | type == "number"] | all))] | length > 0 and all' $file.chrome >err 2>&1; }
		check "chrome: $file is JSON of the known phases" phases
	done
	jq -r '[.traceEvents[] | select(.ph == "X")] as $f | .traceEvents as $e | $f[] | . as $x |
		def sum($n): [$e[] | select(.ph == "C" and .ts == $x.ts and .name == $n + " (malloc)") | .args.bytes] | add // 0;
		[.args.number, sum("requested bytes"), sum("real bytes")] | @tsv' mem.chrome >got
	truth mem.frame | cut -f 1-3 >want
	same "chrome: frames are the truth's" got want
	jq -r '[.traceEvents[] | select(.ph == "C" and .name == "requested bytes (malloc)") | .args.bytes] | add' \
		stream.chrome >got
	truth stream.allocs | cut -f 2 >want
	jq -r '[.traceEvents[] | select(.ph == "C" and (.name | startswith("requested bytes"))) | .args.bytes] | add' \
		stream.chrome >got
	same "chrome: a capture without frames, in slices" got want
	jq -r '.traceEvents[] | select(.ph | IN("B", "E", "X", "C")) | [.ph, .name, .ts + 0] | @tsv' spans.chrome >got
	"$GEN/export" spans.chrome >want
	same "chrome: enter, exit, samples, counters" got want
else
	echo "skip - JSON formats (no jq)"
fi

# --- SQLite ---

if command -v sqlite3 >/dev/null; then
	tm-export -q --as sqlite --events -o mem.db mem.tmt
	tm-export -q --as sqlite -o stream.db stream.tmt
	for db in mem stream; do
		[ "$(sql $db.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" = ok ]
		check "sqlite: $db.db is sound" [ $? = 0 ]
	done
	sql mem.db "SELECT t.name, tt.requested, a.real, a.entries FROM type_totals tt
		JOIN types t ON t.id = tt.type
		JOIN (SELECT type, SUM(real) AS real, SUM(entries) AS entries FROM allocations GROUP BY type) a
		ON a.type = tt.type" | LC_ALL=C sort >got
	truth mem.type | LC_ALL=C sort >want
	same "sqlite: types are the truth's" got want
	sql mem.db "SELECT f.number, s.requested, s.real, s.entries FROM frames f
		JOIN frame_sums s ON s.frame = f.id ORDER BY f.id" >got
	truth mem.frame >want
	same "sqlite: frames are the truth's" got want
	sql mem.db "SELECT f.number, SUM(iif(kind = 'type-total', requested, 0)),
		SUM(iif(kind = 'alloc', real, 0)), SUM(kind = 'alloc')
		FROM events e JOIN frames f ON f.id = e.frame WHERE kind <> 'frame' GROUP BY f.id" >got
	same "sqlite --events: frames from events" got want
	sql mem.db "SELECT type, stack, SUM(real), COUNT(*) FROM events WHERE kind = 'alloc'
		GROUP BY 1, 2 ORDER BY 1, 2" >got
	sql mem.db "SELECT type, stack, real, entries FROM allocations ORDER BY 1, 2" >want
	same "sqlite --events: their stacks are those of the sums" got want
	sql stream.db "SELECT SUM(count), SUM(requested) FROM allocations;
		SELECT SUM(live_count), SUM(live_requested) FROM allocations" >got
	truth 'stream.\(allocs\|live\)' >want
	sed -n 's/^stream.\(allocs\|live\)	//p' "$demo/truth.totals" >want
	same "sqlite: sums and live blocks" got want
	sql stream.db "WITH RECURSIVE up(stack, at) AS (SELECT id, id FROM stacks UNION ALL
		SELECT up.stack, s.parent FROM up JOIN stacks s ON s.id = up.at WHERE s.parent IS NOT NULL),
		under AS (SELECT DISTINCT up.stack, c.function FROM up JOIN stacks s ON s.id = up.at
		JOIN calls c ON c.location = s.location)
		SELECT f.name, MAX(f.id), SUM(a.requested) FROM under u JOIN allocations a ON a.stack = u.stack
		JOIN functions f ON f.id = u.function GROUP BY f.id" | cut -f 1,3 | LC_ALL=C sort >got
	tm-top -q --csv -n 0 --by function stream.tmt >top.csv
	sql :memory: ".import --csv top.csv t" \
		"SELECT function, total_requested FROM t WHERE function <> '[no stack]'" | LC_ALL=C sort >want
	same "sqlite: totals by a recursive query are tm-top's" got want
	check "sqlite: what is not known is NULL" \
		eval '[ "$(sql mem.db "SELECT COUNT(*), COUNT(count), COUNT(requested), COUNT(live_real) FROM allocations")" = "$(sql mem.db "SELECT COUNT(*), 0, 0, 0 FROM allocations")" ]'
	echo precious >kept.db
	echo nonsense >nonsense
	tm-export -q --as sqlite -o kept.db nonsense 2>err
	status=$?
	check "sqlite: a file stays when everything failed" \
		eval '[ $status = 3 ] && [ "$(cat kept.db)" = precious ] && ! compgen -G "kept.db?*" >/dev/null'
	tm-export --as sqlite mem.tmt >out 2>err
	check "sqlite: needs -o" [ $? = 2 ]
	tm-export --as sqlite -o /dev/null mem.tmt >out 2>err
	check "sqlite: into what is no file" [ $? = 2 ]
	check "sqlite: and it stays" [ -c /dev/null ]
else
	echo "skip - SQLite (no sqlite3)"
fi

# --- hostile names, cut traces, full disks ---

"$GEN/export" hostile >hostile.tmt
tm-export -q --as folded --types hostile.tmt >got 2>err
"$GEN/export" hostile.folded >want
same "folded: separators, controls and bytes that are no UTF-8 in names" got want
if command -v jq >/dev/null; then
	tm-export -q --as speedscope hostile.tmt >hostile.speedscope
	check "speedscope: hostile names" valid hostile.speedscope
	tm-export -q --as chrome hostile.tmt >hostile.chrome
	check "chrome: hostile names" eval 'jq -e ".traceEvents | length > 2" hostile.chrome >err 2>&1'
fi
tm-export -q --as pprof hostile.tmt -o hostile.pb.gz
if has_pprof; then
	go tool pprof -raw hostile.pb.gz >raw 2>err
	check "pprof: hostile names" grep -q 'quote "' raw
fi
"$GEN/export" long >long.tmt
for format in pprof folded speedscope chrome sqlite; do
	timeout 60 tm-export -q --as $format -o long.out long.tmt >out 2>err
	status=$?
	check "$format: a name of 10 MB" eval '[ $status = 0 ] && [ "$(stat -c %s long.out)" -lt 2000000 ]'
	head -c -20 stream.tmt >cut.tmt # its events are one chunk; the totals behind it are cut
	tm-export --as $format -o cut.out cut.tmt >out 2>err
	status=$?
	check "$format: a cut trace is salvaged and told" eval '[ $status = 0 ] && grep -q "loss: " err'
	: >empty
	tm-export -q --as $format -o empty.out empty 2>err
	status=$?
	check "$format: an empty input" eval '[ $status = 3 ] && [ "$(wc -l <err)" = 1 ] && [ ! -e empty.out ]'
	if [ $format != sqlite ] && [ -w /dev/full ]; then
		tm-export -q --as $format stream.tmt >/dev/full 2>err
		status=$?
		full() { [ $status = 3 ] && grep -q 'No space left' err; }
		check "$format: a full disk" full
	fi
done

exit $failed
