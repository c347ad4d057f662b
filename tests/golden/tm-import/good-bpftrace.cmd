# Six rows of weights 1, 2, 3, 4, 1, 2 in turn: of main, update and draw.
$GEN/profilers --rows 6 bpftrace 2>err | tm-dump
cat err
$GEN/profilers --rows 6 bpftrace 2>err | tm-top -q --by function
# Stack mode perf; a kernel's stack without a user's, and the other way round; stats(), of 0.17 and later.
cat >b.txt <<'END'
@[
	5649feec4090 draw+16 (/opt/game/bin/game)
	5649fee2bfa6 0x5649fee2bfa6 ([unknown])
, game]: 3
@[
    schedule+70
, , kworker/u8:1]: 2
@[, 
    0x7f8550ed04ac
, ld]: 1
@waits[game, 
    poll+1
]: count 5, average 2, total 10
@waits[game, 
    read+1
]: { .count = 7, .average = 2, .total = 14 }
END
tm-dump -q b.txt
