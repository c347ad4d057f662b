# 5 allocations in two records (a table says 3 of 5 are live): 2 in the stream, of the same 500 bytes, and a line for the
# other 3. Then one of another domain, one without an address, and one of more than 2^32-1 bytes.
printf 'heap profile:   3:  300 [   5:   500] @ heapprofile\n   3:  300 [   5:   500] @ 0x1000 0x2000\n\nMAPPED_LIBRARIES:\n' >h.heap
tm-export --as loli-stream h.heap -o h.bin
tm-import -q -f loli-stream h.bin -o - | tm-dump -q | grep -E '^(alloc|free)'
printf 'metric requested exact\nalloc pool main;a 1 0 - 16\nalloc malloc main;a 5000000000 0 - 16\nalloc malloc main;b 10\n' | "$GEN/script" >s.tmt
tm-export --as loli-stream s.tmt -o s.bin
tm-import -q -f loli-stream s.bin -o - | tm-dump -q | grep -E '^(alloc|free)'
