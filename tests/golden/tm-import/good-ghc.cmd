# MAIN, and draw and update below it: 1, 2 and 3 ticks of 1 ms, 100 bytes for each; entries 0, 1 and 2.
$GEN/profilers --rows 3 ghc 2>err | tm-dump
cat err
