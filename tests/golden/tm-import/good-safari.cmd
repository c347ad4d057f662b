# Stacks of main, update in main, and a function without a name below both, of 1, 2 and 3 ms: each is a sample.
$GEN/profilers --rows 3 safari 2>err | tm-dump
cat err
