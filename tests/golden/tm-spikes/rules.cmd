# Every setting, on one frame's calls. Main thread (us): Tick 20000 { Physics 3000 { Solve 2500 },
# Script 900 { Native 850 { Save 800 } }, Load 9000 { Read 8500 }, Draw 6500 }.
"$GEN/calls" >run.tmt <<'X'
thread Main
frame 1
> 0 Tick @game.cpp:1
> 0 Physics @physics/world.cpp:10
> 100 Solve @physics/world.cpp:20
< 2600 Solve @physics/world.cpp:20
< 3000 Physics @physics/world.cpp:10
> 3000 Script @vm.cpp:5
> 3010 Native @vm.cpp:6
> 3020 Save @io.cpp:2
< 3820 Save @io.cpp:2
< 3860 Native @vm.cpp:6
< 3900 Script @vm.cpp:5
> 4000 Load @io.cpp:1
> 4100 Read @io.cpp:3
< 12600 Read @io.cpp:3
< 13000 Load @io.cpp:1
> 13000 Draw @draw.cpp:1
< 19500 Draw @draw.cpp:1
< 20000 Tick @game.cpp:1
thread Worker
> 0 Job @job.cpp:1
< 5000 Job @job.cpp:1
X
try() {
	echo "-- $*"
	cat >rules
	tm-spikes --csv --table worst --rules rules "$@" run.tmt | cut -d, -f 1-3,11,16 | sed 1d
}
try </dev/null
try --threshold 5ms </dev/null
# A function's own, and never.
try <<'X'
[spikes]
threshold = 8ms
[function tick]
match = ^Tick$
threshold = never
[function script]
match = ^Script$
threshold = 0.5ms
X
# Children: of all below, but for those that have their own.
try <<'X'
[spikes]
threshold = never
[function script]
match = ^Script$
children = 0.1ms
[function save]
match = ^Save$
threshold = 1ms
X
# All callers of Read may take two seconds, whatever their own rule says.
try <<'X'
[function tick]
match = ^Tick$
threshold = 1ms
[function read]
match = ^Read$
parents = 2s
threshold = 2s
X
# A subsystem, by file; a thread; a thread that is not judged.
try <<'X'
[spikes]
threshold = 4ms
[subsystem physics]
file = ^physics/
threshold = 2.7ms
[thread workers]
match = ^Worker$
threshold = 5ms
X
try <<'X'
[thread main]
match = ^Main$
active = no
X
# Ignored: the call itself; what is below it. The first rule that says so decides.
try <<'X'
[function exception]
match = ^Load$
ignore = no
[function all-of-io]
file = ^io
ignore = yes
[function physics]
match = ^Physics$
ignore-children = yes
X
# Paused: neither it, nor what it calls, nor its time in its callers: Tick has 11000 left.
try <<'X'
[function load]
match = ^Load$
pause = yes
X
# Conditions: thread, frame, time, caller, channel.
cat >conditions <<'X'
[spikes]
threshold = never
[function a]
match = ^Job$
thread = ^Worker$
frame = 1
threshold = 1ms
[function b]
match = ^Job$
match = ^Draw$
thread = ^None$
threshold = 0
[function c]
match = ^Save$
below = ^Script$
threshold = 0.2ms
[function d]
match = ^Read$
below = ^Script$
threshold = 0
[function e]
match = ^Draw$
time = 10ms..14ms
threshold = 6ms
[function f]
match = ^Solve$
frame = 2..
threshold = 0
[function g]
match = ^Physics$
channel = physics
threshold = 1us
X
try <conditions
try --channel physics <conditions
# Texts.
try <<'X'
[spikes]
threshold = never
frame-time = 1ms
[function draw]
match = ^Draw$
threshold = 1ms
message = {function} on {thread}: {ms} ms, {frames} frames, in {frame}; {else} {
[function tick]
match = ^Tick$
description = the whole frame {frame}
X
