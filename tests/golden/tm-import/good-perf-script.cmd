# Sample i has the function i % 7 innermost, its callers with smaller numbers, at most four; periods are
# 1000000 + i ns. 3 samples: 3000003 ns.
$GEN/perf_script --samples 3 plain >game.perf
tm-dump game.perf
# Calls without addresses; two kinds of events; no times.
$GEN/perf_script --samples 3 inline | tm-dump -q | grep -e '^location' -e note
$GEN/perf_script --samples 4 two | tm-dump | grep -e ^marker -e ^sample -e ^counter -e note
$GEN/perf_script --samples 3 bare | tm-dump -q | grep -e ^capture -e ^thread -e ^sample
