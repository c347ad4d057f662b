# A type and a text that are not there, and an edge of no node; cut in its texts, and in its nodes.
$GEN/heapsnapshot damaged 2>err | tm-dump | grep -e note -e totals -e '^object'
$GEN/heapsnapshot plain 2>err >a.heapsnapshot
head -c 1200 a.heapsnapshot | tm-dump | grep -e note -e totals
head -c 1000 a.heapsnapshot | tm-import | wc -c
