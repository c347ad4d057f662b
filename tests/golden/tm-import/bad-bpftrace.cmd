# A value that is no count, two stacks in a key, a key without its end; keys printed again.
$GEN/profilers --rows 6 bpftrace-bad 2>err | tm-dump | grep -e note -e totals
cat err
printf '@[\n    main+1\n]: 2\n\n@[\n    main+1\n]: 5\n' | tm-dump | grep -e note -e ^sample
# Histograms and plain maps alone.
printf 'Attaching 1 probe...\n\n@usecs: \n[4, 8)    12 |@@@@@|\n@n: 7\n' | tm-import
printf '@h[\n    main+1\n]: \n[4, 8)    12 |@@@@@|\n' | tm-import
