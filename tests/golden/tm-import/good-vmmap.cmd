# Three types of 8, 16 and 24 K in 1, 2 and 3 regions, a quarter of them dirty: the summary, and the regions alone.
$GEN/profilers --rows 3 vmmap 2>err | tm-dump
cat err
$GEN/profilers --rows 3 vmmap-regions 2>err | tm-dump | grep -v process
cat err
