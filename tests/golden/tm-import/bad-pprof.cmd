# Rows below 0 (every third of 6: their sums are those of the others, 3 + 4 + 6 + 7 = 20 objects), rows
# that refer to what is not there, rows with a value too few, a file that is cut in its strings.
$GEN/pprof --rows 6 --functions 3 below >below.pb
tm-dump below.pb | grep -e note -e totals
$GEN/pprof --rows 6 --functions 3 missing | tm-dump | grep -e note -e totals
$GEN/pprof --rows 6 --functions 3 odd | tm-dump | grep -e note -e totals
# Rows 1 and 3 of 4 have 4 and 6 objects in use of 3 and 5: 2 + 4 + 4 + 6 = 16 allocated. As text, 5 of 3.
$GEN/pprof --rows 4 --functions 3 above >above.pb
tm-dump above.pb | grep -e note -e totals
tm-top -q --csv --by type above.pb | cut -d , -f 2-8
printf 'heap profile: 7: 70 [6: 60] @ heapprofile\n5: 50 [3: 30] @ 0x10\n2: 20 [3: 30] @ 0x20\n' | tm-dump | grep -e note -e ^profile
head -c -20 below.pb >cut.pb
tm-import -o cut.tmt cut.pb
$GEN/pprof --rows 6 nothing | tm-import -f pprof
