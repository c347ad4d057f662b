# callgrind counts instructions: 10 + 30, and 10 + 50; perf's periods are cycles. Keys stay.
printf '%s\n' 'events: Ir' 'fl=x.c' 'fn=a' '1 10' 'fn=b' '2 30' >a.out
printf '%s\n' 'events: Ir' 'fl=x.c' 'fn=a' '1 10' 'fn=b' '2 50' >b.out
tm-compare -q a.out b.out
tm-compare -q --csv a.out b.out | head -1 | cut -d, -f1-5
tm-compare -q --as json a.out b.out | jq -r '.sections[] | .title, .columns[1].title'
$GEN/perf_script --samples 3 plain 2>err | sed 's/ cpu-clock:\([^ ]*\)/ cycles:/' >cycles.perf
$GEN/perf_script --samples 4 plain 2>err | sed 's/ cpu-clock:\([^ ]*\)/ cycles:/' >more.perf
tm-compare -q --sort period cycles.perf more.perf | head -3
tm-compare -q cycles.perf more.perf | head -3
