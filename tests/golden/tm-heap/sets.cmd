# The window's 10 closures and 10 widgets are there while it is open and after, not before: 900
# bytes. What is new after it is log, cache and four userdata: 118 bytes.
cd "$DATA/heap"
tm-heap --set leak --table types before.tmt open.tmt after.tmt
tm-heap --set leak --table types all.tmt
tm-heap --set leak --csv --table paths --objects 2 all.tmt | tr -d '\r'
tm-heap --set add --csv --table objects open.tmt after.tmt | tr -d '\r'
# Both have what was before (11 objects, 1104 bytes) and the 20; only one of them: ui and its
# children are open's 4 (380 bytes), with the 6 that after adds 10; either has 41.
for op in and xor or; do tm-heap --set $op --csv --table types open.tmt after.tmt | tr -d '\r'; done
# By type and source alone the widgets are the same as any other ones.
tm-heap --set leak --same source --csv before.tmt open.tmt after.tmt | tr -d '\r'
tm-heap --set add --same type --csv before.tmt after.tmt | tr -d '\r'
