# Six samples, of which every third is of another event: 4 ms in all. Names and threads stand behind the samples. The call in
# libc.so has no name; each sample has leaf on top, so that leaf has 4 of 4 ms by itself.
$GEN/simpleperf plain 2>err >s.trace
cat err
tm-dump s.trace
tm-top -q --by function --csv s.trace
tracemill show s.trace | head -n 1
