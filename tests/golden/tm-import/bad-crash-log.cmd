# A sum that is one block too high; two crashes before two leaks are two captures; a line that makes
# no sense behind the tenth record; a dump without its map; no stack at all.
$GEN/crash_log --stacks 3 sums 2>truth | tm-dump | grep -e note -e totals
{ $GEN/crash_log --stacks 2 glibc; $GEN/crash_log --stacks 2 lsan; } 2>truth | tm-dump | grep -e ^capture -e note -e totals
$GEN/crash_log --stacks 10 damaged 2>truth | tm-dump | grep -e note -e totals
$GEN/crash_log --stacks 2 heap 2>truth | sed '/MAPS/,$d' | tm-dump | grep -e note -e totals
echo 'SUMMARY: AddressSanitizer: nothing' | tm-import
echo 'Android Native Heap Dump v1.2' | tm-import
