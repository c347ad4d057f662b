# Four blocks of 16, 32, 48 and 64 bytes, of which the first is freed at once: 160 B in all. Step 5
# has no name in the file, step 6 no file; stacks are four functions, callers last.
$GEN/heaptrack_log --events 4 3 >a.heaptrack
tm-dump a.heaptrack | grep -v ^stack
tm-top -q --csv --by stack -n 1 --sort requested a.heaptrack | cut -d , -f 2,4
# Three calls at an address, callees first; modules that are listed anew are another epoch.
$GEN/heaptrack_log --events 4 --variant inline 3 | tm-dump -q | grep -e '^location [456] ' -e '^stack [789] '
$GEN/heaptrack_log --events 21 --variant reload raw3 | tm-dump -q | grep -e attribute -e module -e counter -e '^location 1[12] ' -e note
