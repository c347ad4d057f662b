# A length beyond its packet, one beyond its message, and numbers of packets that skip some.
$GEN/perfetto --n 9 --variant lying heap graph | tm-dump | grep -e note -e totals
# The second half needs what was lost; the last call has no end.
$GEN/perfetto --n 4 --variant lost calls | tm-dump | grep -e note -e totals
$GEN/perfetto --n 4 --variant unended calls | tm-dump | grep -e note -e totals
# Cut within its third packet, and within the last.
$GEN/perfetto --n 2 heap | head -c 90 | tm-import -f perfetto -o cut.tmt
$GEN/perfetto --n 2 calls | head -c -3 | tm-import -o cut.tmt
# Nothing that is read.
$GEN/perfetto others | tm-dump
