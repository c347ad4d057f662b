# Leak i is of 10 + i bytes in 1 + i % 3 blocks, its stack has 1 + i % 4 calls: 33 bytes in 6 blocks.
$GEN/crash_log --stacks 3 lsan >leaks.log 2>truth
tm-dump leaks.log
# Names and lines that are there; threads and the signal of a tombstone; the call of Java between.
$GEN/crash_log --stacks 3 named 2>truth | tm-dump -q | grep ^location
$GEN/crash_log --stacks 4 logcat 2>truth | tm-dump -q | grep -e ^thread -e ^marker -e ^sample
$GEN/crash_log hs_err 2>truth | tm-dump -q | grep -e ^location -e ^marker -e ^sample
# A heap dump: (10 + 2 * 11 + 3 * 12) bytes, its map, its names.
$GEN/crash_log --stacks 3 info >heap.txt 2>truth
tm-dump heap.txt
