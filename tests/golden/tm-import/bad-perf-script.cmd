# Two lines of 20 samples that make no sense, two losses of perf's own; a name that is cut.
$GEN/perf_script --samples 20 damaged | tm-dump | grep -e note -e totals
$GEN/perf_script --samples 20 lost | tm-dump | grep -e note -e totals
$GEN/perf_script --samples 3 plain | head -c -4 | tm-dump | grep -e note -e totals
printf '# perf\nno sample\n' | tm-import -f perf-script
