# Lost events and samples; a recording that was not ended; a record without a size; a file that is cut; a header alone.
$GEN/perf_data --samples 20 lost 2>err | tm-dump | grep -e note -e totals
$GEN/perf_data --samples 20 unended 2>err | tm-dump | grep -e note -e totals
$GEN/perf_data --samples 60 nosize 2>err | tm-dump | grep -e note -e totals
$GEN/perf_data --samples 20 plain 2>err | head -c 2000 | tm-dump | grep -e note -e totals
$GEN/perf_data plain 2>err | head -c 104 | tm-import
$GEN/perf_data plain 2>err | head -c 20 | tm-import
