# A number of samples below 0; nothing but a head; cut short.
$GEN/profilers --rows 6 metrickit-bad 2>err | tm-dump | grep -e note -e totals
printf '{"hangDiagnostics":[{"callStackTree":{"callStacks":[]}}]}' | tm-import
$GEN/profilers --rows 6 metrickit 2>err | head -c 900 | tm-import
