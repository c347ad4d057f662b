# 6 samples of each of two threads, a third in each function itself; the address without a name lies in a binary of the list.
$GEN/profilers --rows 6 sample 2>err | tm-dump
cat err
# The same of live blocks, of 1 KiB each.
$GEN/profilers --rows 6 malloc-history 2>err | tm-dump | grep -v -e ^location -e ^stack
cat err
