# Lines that are no rows, and rows with more samples than what is above them; nothing but the head.
$GEN/profilers --rows 6 sample-bad 2>err | tm-dump | grep -e note -e ^sample -e totals
printf 'Analysis of sampling x (pid 1) every 1 millisecond\n' | tm-import
