# heaptrack's time stands before what happened at it: 0, then 0x2710 and 0x4e20 ms, so 20 s from the first
# event to the last; 2 allocations of 16 bytes in 20 s are 0.1 a second. The same with all metrics, whose
# way through the tally is another, and in a trace.
printf 'v 10400 3\nX ./a\nI 1000 10\ns 4 main\nt 1 0\na 10 1\n+ 0\nc 2710\n+ 0\nc 4e20\n- 0\n' >a.ht
tm-top -q a.ht | head -n 1
tm-top -q --metrics all a.ht | head -n 1
tm-import -q -o a.tmt a.ht
tm-top -q a.tmt | head -n 1
tm-compare -q --csv --table runs --by type a.ht a.tmt | cut -d, -f1-5
