# Two chunks of 3 samples, 2 allocations of 1024 bytes by weight, and readings each; the second one begins 10 s later.
$GEN/jfr plain 2>err >a.jfr
tm-dump a.jfr
cat err
tm-top -q --by function --sort samples --csv a.jfr | cut -d, -f 11,12,17-
# With buffers, allocations are 4096 bytes twice and 10000 bytes once a chunk.
$GEN/jfr tlab 2>err | tm-dump | grep -e ^alloc -e note
cat err
# Of 100 and 50 bytes a chunk, 100 are freed.
$GEN/jfr malloc 2>err | tm-top -q --csv --by type | cut -d, -f 2-8
