# Frames 0 to 7 begin at 0, 10, 20, 50, 60, 80, 85 and 95 ms, so they last 10, 10, 30, 10, 20, 5 and 10 ms; the
# last one's end is not known. The five longest are 2 and 4, and of those of 10 ms the first three: 0, 1, 3. Two of
# the seven last longer than 16.7 ms.
# Bytes of frame 2: 3000 + 1000, of which load_level has 75 %. Of frame 4: Mesh 500 + 500 by two callers, log 600;
# 1000 of 1600 are 62.5 %. Of frame 1: 100. Frame 0 and 3 allocate nothing. What comes before frame 0 is no frame.
"$GEN/script" >f.tmt <<'Y'
metric count exact
metric requested exact
metric live exact
alloc malloc main;start@main.cpp:1 90000 0 - 4096
frame 0 0
frame 1 10000000
alloc malloc main;tick;log@game.cpp:56 100 11000000 - 8192
free 8192 11000001
frame 2 20000000
alloc malloc main;load_level@level.cpp:44 3000 21000000 - 12288
alloc malloc main;tick;log@game.cpp:56 1000 22000000 - 8192
frame 3 50000000
frame 4 60000000
alloc malloc main;a;Mesh@mesh.cpp:97 500 61000000 - 16384
alloc malloc main;tick;log@game.cpp:56 600 62000000 - 20480
alloc malloc main;b;Mesh@mesh.cpp:97 500 63000000 - 24576
frame 5 80000000
alloc malloc main;tick;log@game.cpp:56 50 81000000 - 28672
frame 6 85000000
frame 7 95000000
alloc malloc main;tick;log@game.cpp:56 9999 96000000 - 32768
Y
tm-top -q --budget 16.7ms f.tmt | sed -n '/^worst/,/^top/p'
tm-top -q --budget 20ms --as markdown f.tmt | grep -A8 worst
tm-top -q --csv --table worst-frames f.tmt
tm-top -q --budget 16.7ms --as json f.tmt | jq -c '.numbers.frames, .numbers.frames_over_budget, (.sections[] | select(.name == "worst-frames").rows[0] | map_values(numbers += 0))'
# Without times the worst frames are those that allocate most: 9999, 4000, 1600, 100 and 50 bytes.
"$GEN/script" >u.tmt <<'Y'
metric count exact
metric requested exact
metric live exact
frame 1
alloc malloc main;log@game.cpp:56 100 - - 8192
frame 2
alloc malloc main;load@level.cpp:44 3000 - - 12288
alloc malloc main;log@game.cpp:56 1000 - - 16384
frame 3
alloc malloc main;log@game.cpp:56 9999 - - 20480
Y
tm-top -q --budget 1ms u.tmt | sed -n '/^worst/,/^top/p'
# Calls: of frame 1, 20 ms, main;ai takes 12 ms and main;draw 6; of frame 2, 10 ms, draw takes all.
"$GEN/script" >calls.tmt <<'Y'
metric time exact
frame 1 0
enter main;ai@ai.cpp:64 1000000
exit main;ai@ai.cpp:64 13000000
enter main;draw@draw.cpp:7 14000000
exit main;draw@draw.cpp:7 20000000
frame 2 20000000
enter main;draw@draw.cpp:7 20000000
exit main;draw@draw.cpp:7 30000000
frame 3 30000000
Y
tm-top -q calls.tmt
# An order that was asked for has no such table, and the note instead.
tm-top -q --sort count -n 1 f.tmt | grep frame
# Two captures: frames are told apart.
tm-top -q --csv --table worst-frames f.tmt calls.tmt | cut -d, -f1-5 | head -n 3
# A frame with calls and blocks, 40 ms: path takes 39 ms and allocates nothing, spawn 1 ms and all 800 bytes. It is long
# by path.
"$GEN/script" >both.tmt <<'Y'
metric count exact
metric requested exact
metric time exact
frame 1 0
enter main;spawn@spawn.cpp:5 0
alloc malloc main;spawn@spawn.cpp:5 800 500000 - 4096
exit main;spawn@spawn.cpp:5 1000000
enter main;path@path.cpp:9 1000000
exit main;path@path.cpp:9 40000000
frame 2 40000000
Y
tm-top -q --csv --table worst-frames both.tmt
# Two workers wait in run all the time: of the 90 ms of frame 1 they have 60, and do not explain it. On the main thread
# load takes 22 of its 30 ms, and parse and upload in it 10 each. Of the 10 ms of frame 2 std::sort takes 7.5 inside of
# draw's 8, and is library code. Of the 20 ms of frame 3 tick has 10, and loop waits: two thirds passed in loop alone.
"$GEN/script" >causes.tmt <<'Y'
metric time exact
metric count exact
metric real exact
thread Main 1
frame 1 0
enter loop@game.cpp:3 0
enter loop@game.cpp:3;tick@game.cpp:10 1000000
enter loop@game.cpp:3;tick@game.cpp:10;load@level.cpp:44 2000000
enter loop@game.cpp:3;tick@game.cpp:10;load@level.cpp:44;parse@level.cpp:60 3000000
exit loop@game.cpp:3;tick@game.cpp:10;load@level.cpp:44;parse@level.cpp:60 13000000
alloc malloc loop@game.cpp:3;tick@game.cpp:10;load@level.cpp:44 700 13000000 768 4096
enter loop@game.cpp:3;tick@game.cpp:10;load@level.cpp:44;upload@mesh.cpp:97 13000000
exit loop@game.cpp:3;tick@game.cpp:10;load@level.cpp:44;upload@mesh.cpp:97 23000000
exit loop@game.cpp:3;tick@game.cpp:10;load@level.cpp:44 24000000
exit loop@game.cpp:3;tick@game.cpp:10 25000000
frame 2 30000000
enter loop@game.cpp:3;draw@draw.cpp:7 30000000
enter loop@game.cpp:3;draw@draw.cpp:7;std::sort 30500000
exit loop@game.cpp:3;draw@draw.cpp:7;std::sort 38000000
exit loop@game.cpp:3;draw@draw.cpp:7 38000000
frame 3 40000000
enter loop@game.cpp:3;tick@game.cpp:10 40000000
exit loop@game.cpp:3;tick@game.cpp:10 50000000
frame 4 60000000
exit loop@game.cpp:3 61000000
thread W1 2
enter run@jobs.cpp:7 0
exit run@jobs.cpp:7 60000000
thread W2 3
enter run@jobs.cpp:7 0
exit run@jobs.cpp:7 60000000
Y
tm-top -q --table worst-frames causes.tmt
tm-top -q --csv --table worst-frames causes.tmt
# The same where nobody looks: no paths of calls are kept.
tm-top -q causes.tmt | sed -n '/^worst/,/^top/p'
tm-top --budget 0 f.tmt
# The mark of frame 2 comes behind 100 bytes of 1 us later: whose they are, only a second reading tells. tm-frames reads twice, and
# frame 1 has 50 bytes, frame 2 has 300.
"$GEN/script" >late.tmt <<'Y'
metric count exact
metric requested exact
metric live exact
frame 1 0
alloc malloc main;log@game.cpp:56 50 1000000 - 8192
alloc malloc main;log@game.cpp:56 100 20001000 - 12288
frame 2 20000000
alloc malloc main;log@game.cpp:56 200 21000000 - 16384
frame 3 30000000
Y
tm-top -q late.tmt | grep -E '^worst|^frames'
tm-frames -q --csv late.tmt | cut -d, -f1-8
