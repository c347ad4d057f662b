# Three samples of functions 0 to 2, each called by those before it; periods are 1000000 + i: 3000003 cycles. A sample
# is no cycle: both columns say what they count.
$GEN/perf_script --samples 3 plain 2>err | sed 's/ cpu-clock:\([^ ]*\)/ cycles:/' >cycles.perf
grep -c ' cycles:' cycles.perf
tm-top -q cycles.perf
tm-top -q --by function --sort period cycles.perf
tm-top -q --tree cycles.perf
tm-top -q --csv --by function cycles.perf | head -1
tm-top -q --as json --by function cycles.perf | jq -r '.sections[].title, .sections[0].columns[].title' | sort -u
tm-top -q --tree --as json cycles.perf | jq -r '.sections[] | .title, .metric'
# Two captures of one event; and one of two events.
tm-top -q cycles.perf cycles.perf | head -4
$GEN/perf_script --samples 4 two 2>err | tm-top -q | head -4
# Instructions that callgrind counted are not samples.
printf '%s\n' 'events: Ir' 'fl=x.c' 'fn=a' '1 10' 'cfn=b' 'calls=1 2' '1 30' 'fn=b' '2 30' 'totals: 40' >ir.out
tm-top -q ir.out
tm-top -q --tree ir.out | head -3
# A name that is no word of an event stays in its file.
printf '%s\n' 'events: I,r' 'fl=x.c' 'fn=a' '1 10' >odd.out
tm-top -q odd.out | head -3
