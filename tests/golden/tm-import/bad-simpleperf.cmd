# A damaged call, a file and an event that are not there, another number of samples than is stated, samples that were lost; a file
# that is cut behind its samples, or before them; another version; a record that is too long.
$GEN/simpleperf bad 2>err >b.trace
tm-dump b.trace | grep -e ^note -e ^totals -e ^sample -e ^counter
$GEN/simpleperf plain 2>err >s.trace
head -c 300 s.trace | tm-dump | grep -e ^note -e ^totals -e ^sample
head -c 60 s.trace | tm-import -o x.tmt
$GEN/simpleperf old 2>err | tm-import -o x.tmt
printf 'SIMPLEPERF\001\000\377\377\377\377abc' | tm-import -o x.tmt
printf 'SIMPLEPERF\001\000' | tm-import -o x.tmt
printf 'SIMPLEPERF\001\000\000\000\000\000' | tm-dump
