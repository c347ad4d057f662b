# What is kept, what becomes of type totals, frees and frames, and what the notes say.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"A","s":8,"r":16,"st":["0x10;"],"sz":[16]},{"t":"B","s":9,"r":32,"st":["0x20;"],"sz":[32]}]}
{"f":2,"d":[{"t":"B","s":5,"r":16,"st":["0x20;"],"sz":[16]}]}
X
csv() { tm-top -q --csv --by type "$@" | tr -d '\r'; }
tm-filter -q --slide 0 --type '^B$' run.mem | csv
tm-filter -q --slide 0 --focus 0x10 run.mem | csv
tm-filter -q --slide 0 --focus 0x10 run.mem | tm-dump -q --no-tables --no-events | grep -E '^(capture|note)'
tm-filter -q --slide 0 --frame 2.. run.mem | tm-top -q --csv --by frame | tr -d '\r'
printf '# types\n^A$\n^C$\n' >types
tm-filter -q --slide 0 --type @types run.mem | csv
