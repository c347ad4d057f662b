# Two lines are no rows, and start has more samples than update, which it calls; nothing but the head.
$GEN/profilers --rows 6 pmcstat-bad 2>err | tm-dump | grep -e note -e ^sample -e totals
printf '@ x [1 samples]\n' | tm-import
