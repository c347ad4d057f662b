# main has 2 ms of its own, update 5, draw 3.
tm-dump $SRC/tests/fuzz/corpus/instruments/time
tm-top -q --by function $SRC/tests/fuzz/corpus/instruments/time
# Of 4 KiB in 40 blocks load has 3 in 30; of 2000 cycles draw has 1500.
tm-dump -q $SRC/tests/fuzz/corpus/instruments/bytes | grep ^alloc
tm-dump -q $SRC/tests/fuzz/corpus/instruments/cycles | grep ^sample
# Of three rows one has no number, and one no name.
tm-dump $SRC/tests/fuzz/corpus/instruments/damaged | grep -e note -e totals
printf 'Weight\n' | tm-import -f instruments
