# Rows below 0 (every third of 6: their sums are those of the others, 3 + 4 + 6 + 7 = 20 objects), rows
# that refer to what is not there, rows with a value too few, a file that is cut in its strings.
$GEN/pprof --rows 6 --functions 3 below >below.pb
tm-dump below.pb | grep -e note -e totals
$GEN/pprof --rows 6 --functions 3 missing | tm-dump | grep -e note -e totals
$GEN/pprof --rows 6 --functions 3 odd | tm-dump | grep -e note -e totals
head -c -20 below.pb >cut.pb
tm-import -o cut.tmt cut.pb
$GEN/pprof --rows 6 nothing | tm-import -f pprof
