# A frame of 100.5 us, in which update has 50, of which find has 10; of another thread a load; and a plot.
tm-dump $SRC/tests/fuzz/corpus/tracy_csv/each
tm-top -q --by function $SRC/tests/fuzz/corpus/tracy_csv/each
# Three calls of one function and six of another, with what they call.
tm-dump -q $SRC/tests/fuzz/corpus/tracy_csv/sums | grep -e ^location -e ^sample
# Of three rows one has no time, and one too few columns.
tm-dump $SRC/tests/fuzz/corpus/tracy_csv/damaged | grep -e note -e totals
printf 'name,src_file\n' | tm-import -f tracy-csv
