# A graph that begins with main is none of callers; a share that is no number; two lines of callees; a table of two events.
$GEN/profilers --rows 6 perf-report-bad 2>err | tm-dump | grep -e note -e ^sample -e totals
printf '#\n# Samples: 1  of event x\n# Event count (approx.): 1\n' | tm-import
