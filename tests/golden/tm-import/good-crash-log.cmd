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
# HotSpot stopped in no module: the call is kept, and the next one is where it returns to.
printf '%s\n' '# Problematic frame:' '# C  0x0000000000020820' '' 'Native frames: (C=native code)' 'C  0x0000000000020820' \
	'C  [libgame.so+0x10c0]  tick+0x1c' 'j  a.B.c()V+1' '' | tm-dump -q | grep -e ^location -e ^sample
