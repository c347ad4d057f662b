# A frame of 100.5 us, of which 50 us are update, of which 10 us are draw; inner ones first in the file.
$GEN/chrome --frames 1 complete >a.json
tm-dump a.json
# Texts for threads, an array without its end, counters, what overlaps, sampled stacks.
$GEN/chrome --frames 2 names | tm-dump -q | grep -e ^thread -e totals
$GEN/chrome --frames 1 open | tm-dump -q | grep -e note -e totals
$GEN/chrome --frames 2 counters | tm-dump -q | grep -e ^counter -e note
$GEN/chrome --frames 3 async | tm-dump -q | grep -e ^thread -e ^sample -e note
$GEN/chrome --frames 3 samples | tm-dump -q | grep -e ^location -e ^stack -e ^sample
# Two threads with a whole profile each (Chrome before 70): both count their nodes from 1.
profile() { printf '{"ph":"I","name":"CpuProfile","pid":1,"tid":%d,"ts":9,"args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"%s"}}],"startTime":0,"endTime":%d,"samples":[1],"timeDeltas":[0]}}}}' "$@"; }
echo "[$(profile 2 main 3000),$(profile 3 worker 5000)]" >two.json
tm-top -q --csv --by function two.json | cut -d , -f 9-11,22-
