# Complete samples: judged by their callers in the stack; several calls by their mean; callers'
# limits given from below count for what comes after, the largest of them; a blank time is not 0.
"$GEN/calls" >run.tmt <<'X'
thread Main
frame 7
= 9000 8000 1 Tick;Load;Read
= 12000 3000 1 Tick;Load
= 20000 1000 1 Tick
= 40000 20000 10 Tick;Draw
= 4000 - 1 Tick;Draw
= - - 1 Tick;Draw
= 5000 5000 1 %Marker
! 1) what Draw says
= 3600 1 1 Tick;Draw
= -5 1 1 Tick
X
cat >rules <<'X'
[spikes]
threshold = 2ms
[function draw]
match = ^Draw$
threshold = 3.5ms
X
tm-spikes --rules rules --csv --table worst run.tmt | cut -d, -f 1-5,7,11,15,16
cat >>rules <<'X'
[function read]
match = ^Read$
parents = 15ms
[function tick]
match = ^Tick$
children = never
X
tm-spikes -q --rules rules --hook-cost 5 --csv --table worst run.tmt | cut -d, -f 1-5,7,11,15,16
# Tick may take 15 ms for Read, not the 1 ms that Load, which comes after it, gives.
cat >>rules <<'X'
[function load]
match = ^Load$
parents = 1ms
X
tm-spikes -q --rules rules --hook-cost 5 --csv --table worst run.tmt | cut -d, -f 1-5,7,11,15,16
