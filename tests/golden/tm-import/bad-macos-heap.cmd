# Two rows that are none, and another sum; rounded numbers, which are estimated; nothing but a head.
$GEN/profilers --rows 3 heap-bad 2>err | tm-dump | grep -e note -e ^profile -e totals
printf 'COUNT BYTES AVG   CLASS_NAME  TYPE BINARY\n 24         5K     196.7   non-object\n' | tm-dump -f macos-heap
printf 'Analysis Tool:   /usr/bin/heap\n' | tm-import
