# A log of known content (testdata/gen/mono.c): allocations with stacks whose names come later, a
# collection, a call, a sample, counters, and a heap snapshot as a capture of its own.
tm-import "$DATA/mono/17.mlpd" | tm-dump
# Data version 14 says the same but for the name of the root.
tm-import -q "$DATA/mono/14.mlpd" | tm-dump -q --no-tables | grep -E '^(alloc|object|reference|totals)'
# Compressed as a whole, as the profiler does itself.
gzip -c "$DATA/mono/17.mlpd" | tm-import -q | cmp - <(tm-import -q "$DATA/mono/17.mlpd") && echo same
