# Classes of 16, 32 and 48 bytes: 2, 3 and 4 blocks were allocated, and none, 1 and 2 are there: 128 bytes. The table of one
# arena is part of the merged one.
$GEN/profilers --rows 3 jemalloc-text 2>err | tm-dump
cat err
$GEN/profilers --rows 3 jemalloc-json 2>err | tm-dump
