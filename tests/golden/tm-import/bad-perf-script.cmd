# Two lines of 20 samples that make no sense, two losses of perf's own; a name that is cut.
$GEN/perf_script --samples 20 damaged | tm-dump | grep -e note -e totals
$GEN/perf_script --samples 20 lost | tm-dump | grep -e note -e totals
$GEN/perf_script --samples 3 plain | head -c -4 | tm-dump | grep -e note -e totals
# A last line without its end is whole where its module is, else it is cut.
printf 'game 12 5.5: 1 cycles:\n\t1234 tick (/bin/game)\n\t1300 main (/bin/game)' >whole
tm-dump whole | grep -e note -e name
head -c -1 whole | tm-dump | grep -e note -e name
printf '# perf\nno sample\n' | tm-import -f perf-script
