#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A counter is what was written, in every place that says it, and limits are exact. The readings are texts of this
# file. Means are arithmetic, of 15 digits: (16.6 + 33.4 + 16.7) / 3 = 66.7 / 3 = 22.2333333333333,
# (41.5 - 0.25 + 40.125) / 3 = 27.125, (0.1 + 95.262 + 12.5) / 3 = 35.954; the mean of all readings of two equal
# runs is that of one. 9007199254740993 is 2^53 + 1, which no double has.
# shellcheck disable=SC2016 # programs in quotes
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
same() { # WHAT WANT GOT
	printf 'want: %s\ngot:  %s\n' "$2" "$3" >err
	check "$1" [ "$2" = "$3" ]
}
column() { # KEY: of CSV in stdin, on one line
	tr -d '\r' | awk -F , -v key="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == key) at = i; next }
		at { printf "%s%s", n++ ? " " : "", $at }'
}

cat >c.csv <<'X'
time_ms,frame,frametime (ms),temp (°C),load (%),pss (B)
0,1,16.6,41.5,0.1,9007199254740993
16.6,2,33.4,-0.25,95.262,9223372036854775807
50,3,16.7,40.125,12.5,1
X
frametime='16.6 33.4 16.7' temp='41.5 -0.25 40.125' load='0.1 95.262 12.5' pss='9007199254740993 9223372036854775807 1'
readings() { # FILE: of tm-dump, a line for each counter
	tm-dump -q "$1" | awk '/^counter [0-9]/ { split($0, q, "\""); name[$2] = q[2]; next }
		/^counter value/ { sub(/value=/, "", $2); sub(/type=/, "", $NF); v[name[$NF]] = v[name[$NF]] (v[name[$NF]] == "" ? "" : " ") $2 }
		END { for (i in v) print i "=" v[i] }' | sort
}
want=$(printf '%s\n' "frametime=$frametime" "load=$load" "pss=$pss" "temp=$temp")

# --- events ---
tm-import -q -o c.tmt c.csv
same 'the file' "$want" "$(readings c.csv)"
same 'a trace' "$want" "$(readings c.tmt)"
tm-filter -q -o f.tmt c.tmt && same 'tm-filter' "$want" "$(readings f.tmt)"
printf 'time_ms,frame,a\n0,1,7\n' >a.csv
tm-import -q --merge -o m.tmt c.tmt a.csv && same 'tm-import --merge' "$(printf '%s\n' 'a=7' "$want")" "$(readings m.tmt)"
tm-export -q --as chrome -o c.json c.tmt
same "Chrome's form, as another program reads it" "$frametime $temp $load" "$(python3 -c '
import json, sys
from decimal import Decimal
events = json.load(open("c.json"), parse_float=Decimal)
events = events["traceEvents"] if isinstance(events, dict) else events
print(*[v for n in ("frametime", "temp", "load") for e in events if e["ph"] == "C" and e["name"] == n for v in e["args"].values()])')"
same 'and read again' "$want" "$(readings c.json)"
tm-export -q --as sqlite --events -o c.db c.tmt
same 'SQLite' "$frametime" "$(sqlite3 c.db "SELECT value FROM events JOIN types ON types.id = type WHERE types.name = 'frametime'" | paste -sd ' ')"
same 'SQLite, whole numbers' "$pss" "$(sqlite3 c.db "SELECT value FROM events JOIN types ON types.id = type WHERE types.name = 'pss'" | paste -sd ' ')"
for row in "frametime $frametime" "temp $temp" "load $load" "pss $pss"; do
	same "frames: ${row%% *}" "${row#* }" "$(tm-frames -q --csv --table frames c.tmt | column "counter:${row%% *}")"
	same "frames as JSON: ${row%% *}" "${row#* }" "$(tm-frames -q --as json --table frames c.tmt | python3 -c '
import json, sys
from decimal import Decimal
d = json.load(sys.stdin, parse_float=Decimal)["sections"][0]
print(*[r["counter:" + sys.argv[1]] for r in d["rows"]])' "${row%% *}")"
done
same 'a mean over frames' '22.2333333333333' "$(tm-frames -q --csv --table statistics c.tmt | column counter:frametime | cut -d ' ' -f 1)"
same 'people see six decimals' 'mean 22.233333' "$(tm-frames -q --table statistics c.tmt | awk '$1 == "mean" { for (i = 2; i <= NF; i++) if ($i ~ /^22/) print $1, $i }')"
printf 'time_ms,frame,a\n0,1,1.25\n1,1,-0.5\n2,1,0.75\n' >several.csv
same 'least, most and mean of a frame' '0.75 -0.5 1.25 0.5' "$(tm-frames -q --csv --table frames several.csv | tr -d '\r' | awk -F , 'NR == 2 { print $(NF - 3), $(NF - 2), $(NF - 1), $NF }')"
printf 'time_ms,a\n0,5\n1,5\n100,5\n' >idle.csv
same 'a step without a reading is no reading of 0' '5 5 5 5 5 5 5' "$(tm-frames -q --every 1ms --csv --table statistics idle.csv | column counter:a)"

# --- limits ---
spikes() { tm-frames -q --csv --table spikes --spike "counter:$1" c.csv | column worst_frame; }
same 'above 33' 2 "$(spikes 'frametime>33')"
same 'above 33.3' 2 "$(spikes 'frametime>33.3')"
same 'not above 33.4' '' "$(spikes 'frametime>33.4')"
same 'above 33.3 ms, of a counter in ms' 2 "$(spikes 'frametime>33.3ms')"
same 'not above 33.4 ms' '' "$(spikes 'frametime>33.4ms')"
same 'above -0.3' 1 "$(spikes 'temp>-0.3')"
same '1.5 times the median' 2 "$(spikes 'frametime>1.5x')"
same 'twice the median, 33.4, is not broken by 33.4' '' "$(spikes 'frametime>2x')"
same 'of the counter that is sorted by' 2 "$(tm-frames -q --csv --table spikes --sort-counter frametime --spike 1.5x c.csv | column worst_frame)"
tm-frames -q --spike 'counter:temp>33ms' c.csv >out 2>err
check 'a limit of time for what is no time is an error' [ $? = 2 ]
gate() { # METRIC LINE...: the exit status
	printf '[rule r]\nmetric = counter:%s\n' "$1" >p.ini
	shift
	printf '%s\n' "$@" >>p.ini
	tm-compare -q --gate p.ini "$base" "$new" >out 2>err
	echo $?
}
tm-compare -q --save-baseline c.tma c.tmt >/dev/null
sed 's/33\.4/33.5/' c.csv >d.csv
for form in 'c.csv c.csv' 'c.tmt c.tma' 'c.tma c.tmt'; do
	base=${form% *} new=${form#* }
	same "$form: at most 33.3" 1 "$(gate frametime:max 'max = 33.3')"
	same "$form: at most 33.4" 0 "$(gate frametime:max 'max = 33.4')"
	same "$form: at most 33.3ms" 1 "$(gate frametime:max 'max = 33.3ms')"
	same "$form: at most 33.4ms" 0 "$(gate frametime:max 'max = 33.4ms')"
	same "$form: a mean at most 22.2" 1 "$(gate frametime 'max = 22.2')"
	same "$form: a mean at most 22.24" 0 "$(gate frametime 'max = 22.24')"
	same "$form: the last at most 40.1" 1 "$(gate temp:last 'max = 40.1')"
	same "$form: a mean at most 27.125" 0 "$(gate temp 'max = 27.125')"
	same "$form: at most -0.5" 1 "$(gate temp:min 'max = -0.5')"
done
base=c.tmt new=d.csv
same 'grown by 0.1, which is more than 0.05' 1 "$(gate frametime:max 'absolute = 0.05')"
same 'and not more than 0.2' 0 "$(gate frametime:max 'absolute = 0.2')"
same 'a table of counters' '22.2333333333333 35.954 27.125' "$(tm-compare -q --csv --table counters c.tma c.tmt | tr -d '\r' | awk -F , '$1 != "pss" && NR > 1 { printf "%s%s", n++ ? " " : "", $3; if ($3 != $4) print "differs" }')"
same 'the largest readings' '33.4 95.262 9223372036854775807 41.5' "$(tm-compare -q --csv --table counters c.tma c.tmt | column base_max)"

# --- aggregates: of one, of two, and two kinds of them in both orders ---
sed 's/\.[0-9]*//g' c.csv >w.csv
tm-compare -q --save-baseline w.tma w.csv >/dev/null
tm-merge -q -o cw.tma c.tma w.tma 2>err
tm-merge -q -o wc.tma w.tma c.tma 2>err
check 'a merge of readings with decimals and of whole ones is the same in any order' cmp -s cw.tma wc.tma
same 'its sum: 66.7 + 16 + 33 + 16' 'reading 131.7 n=6 min=16 max=33.4' "$(tm-dump -q cw.tma | awk '/^counter "frametime"/ { on = 1; next } on { gsub(/@[0-9a-f\/]*/, ""); print; exit }' | sed 's/^[[:space:]]*//; s/  */ /g')"

# --- a history ---
for i in 1 2 3; do tm-history add -q h.db c.tmt --build $i --date 2026-01-0$i >/dev/null 2>err; done
same 'the table of a store' '16.7|16.6|33.4|22.2333333333333' "$(sqlite3 h.db "SELECT last, least, largest, mean FROM tm_counters WHERE name = 'frametime' AND run = 1")"
same 'a trend' '22.2333333333333' "$(tm-history trend --csv --table values --counter frametime h.db | column value | cut -d ' ' -f 1)"
same 'a trend of the largest' '33.4' "$(tm-history trend --csv --table values --counter frametime:max h.db | column value | cut -d ' ' -f 1)"
# A store of version 1, with whole numbers, is brought up to date.
sqlite3 h.db 'CREATE TABLE old (run BIGINT NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL, readings BIGINT NOT NULL,
	last BIGINT, least BIGINT, largest BIGINT, mean DOUBLE PRECISION, PRIMARY KEY (run, name, unit));
	INSERT INTO old SELECT run, name, unit, readings, round(last), round(least), round(largest), mean FROM tm_counters;
	DROP TABLE tm_counters; ALTER TABLE old RENAME TO tm_counters; ALTER TABLE tm_runs DROP COLUMN program; ALTER TABLE tm_runs DROP COLUMN arguments; ALTER TABLE tm_runs DROP COLUMN exit_status; ALTER TABLE tm_sums DROP COLUMN period; ALTER TABLE tm_sums DROP COLUMN waiting_ns; UPDATE tm_store SET schema_version = 1'
same 'a store of version 1 is read' '33' "$(tm-history trend --csv --table values --counter frametime:max h.db | column value | cut -d ' ' -f 1)"
tm-history add -q h.db c.tmt --build 4 --date 2026-01-04 >/dev/null 2>err
same 'and written' '33 33 33 33.4' "$(tm-history trend --csv --table values --counter frametime:max h.db | column value)"

# --- what is no number is a loss, never another number ---
printf 'frame,a,b\n1,nan,1\n2,"33,4",1\n3,33,4,1\n4,inf,1\n5,9223372036854775808,1\n6,1e400,1\n7,0x10,1\n8,7,1\n' >bad.csv
same 'bad readings' '7' "$(readings bad.csv | sed -n 's/^a=//p')"
same 'each is counted' '6 1' "$(tm-dump -q bad.csv | sed -n 's/^note loss count=\([0-9]*\) .*/\1/p' | paste -sd ' ')"
printf '[{"ph":"C","name":"a","pid":1,"tid":1,"ts":0,"args":{"value":1e30}},{"ph":"C","name":"a","pid":1,"tid":1,"ts":1,"args":{"value":"NaN"}},{"ph":"C","name":"a","pid":1,"tid":1,"ts":2,"args":{"value":2.5}}]' >bad.json
same "bad readings of Chrome's form" '2.5 2' "$(readings bad.json | sed -n 's/^a=//p') $(tm-dump -q bad.json | sed -n 's/^note loss count=\([0-9]*\) .*/\1/p')"

# A program's own: 2^63 and more are no readings, whatever their type is called in C and in C++.
cat >own.c <<'X'
#include <tracemill.h>
int main(void)
{
	tracemill_counter("fits", (uint64_t)INT64_MAX);
	tracemill_counter("least", INT64_MIN);
	tracemill_counter("small", (unsigned)-1);
	tracemill_counter("two63", (unsigned long)1 << 63);
	tracemill_counter("most", ~0ull);
	tracemill_counter("size", SIZE_MAX);
	return 0;
}
X
for language in 'c -std=c11' 'c++ -std=c++11'; do
	# shellcheck disable=SC2086
	${CC:-cc} -x $language -Wall -Wextra -Werror -I"$SRC/lib/recorder" own.c -o own && tm-record -q -o own.tmt -- ./own 2>err
	same "tracemill.h, $language: what has 63 bits" 'fits=9223372036854775807 least=-9223372036854775808 small=4294967295' \
		"$(readings own.tmt | paste -sd ' ')"
	same "tracemill.h, $language: the rest is a loss" 3 "$(tm-dump -q own.tmt | sed -n 's/^note loss count=\([0-9]*\) "readings.*/\1/p')"
done

exit "$failed"
