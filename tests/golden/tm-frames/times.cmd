# Frame 1 lasts 40 ms and frame 2 20 ms; of the third no end is known, and
# with nothing behind its mark tm-top does not count it. The call of Tick in frame 1
# goes on into frame 2: 30 ms passed in it there, 5 in 2. Script takes 10 of 40 ms (25 %), 3 of 20.
"$GEN/script" >f.tmt <<'X'
metric time exact
metric net exact
thread main
frame 1 0
sample Script 1 10000000 10000000 1000000
delta lua Script 500
enter Tick 10000000
frame 2 40000000
exit Tick 45000000
sample Script 2 3000000 3000000 46000000
delta lua Script -200
delta mono Script 64
frame 3 60000000
X
tm-frames f.tmt
tm-frames --spike 33.3ms --spike 20% --spike 'self-time>30ms' --table spikes f.tmt
tm-frames --table frames --focus Script --spike 20% f.tmt
# A limit without a metric is of what is sorted by: a duration of 40 ms is above 1.5 x 20 (of two the lower
# is the median), and of self time, which is 40, 8 and 0, above 1.5 x 8; a number of bytes is no time.
tm-frames --sort duration --spike 1.5x --table spikes f.tmt
tm-frames --sort self-time --spike 1.5x --table spikes f.tmt
tm-frames --sort duration --spike 760 --table spikes f.tmt || echo "status $?"
tm-frames --frame 2 f.tmt
tm-frames --frame 2 --as json f.tmt | grep -o '"numbers":{[^}]*}'
tm-frames --frame 3 f.tmt
tm-frames --by function f.tmt
tm-top --by frame f.tmt
tm-top --by frame --sort total-time f.tmt
# Without times of frames the main thread's calls tell how long a frame was.
"$GEN/script" >g.tmt <<'X'
metric time exact
thread worker
frame 1
sample Job 1 900 900
thread Main
sample Update 1 300 200
sample Update;Draw 2 100 100
frame 2
sample Update 1 500 500
X
tm-frames --table frames --spike 400ns g.tmt
tm-frames --frame 2 g.tmt
# Two captures have this frame: no duration is that of both.
tm-frames --frame 2 f.tmt g.tmt | head -n 1
