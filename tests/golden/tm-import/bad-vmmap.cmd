# Rows that are none, of both tables; nothing but a head; a number that is cut.
$GEN/profilers --rows 3 vmmap-bad 2>err | tm-dump | grep -e note -e totals
$GEN/profilers --rows 3 vmmap-regions-bad 2>err | tm-dump | grep -e note -e totals
printf 'Analysis Tool:   /usr/bin/vmmap\n' | tm-import
printf '==== Summary for process 7\n  VIRTUAL   REGION\nREGION TYPE   SIZE   COUNT\n====== ==== ====\nStack     16,5K    1\nHeap   8K   1\n' | tm-dump
