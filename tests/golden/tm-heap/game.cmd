# After the window was closed (testdata/gen/heap.c has the list): 37 objects, of which the
# tables are 500 + 100 + 64 + 4 x 80 + 48 + 32 + 10 x 50 + 30 + 24 bytes, all held by _G.
tm-heap "$DATA/heap/after.tmt" | sed "s|$DATA/||"
tm-heap --csv "$DATA/heap/after.tmt" | tr -d '\r'
tm-heap --by site --table sites --sort count -n 3 - <"$DATA/heap/after.tmt"
tm-heap --by root --csv --bytes "$DATA/heap/after.tmt" | tr -d '\r'
tm-heap --table objects --sort retained --objects 4 - <"$DATA/heap/after.tmt"
