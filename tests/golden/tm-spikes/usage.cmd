# What is wrong is said with its option or line and column; status 2, and 3 for a file of rules.
"$GEN/calls" >run.tmt <<'X'
thread Main
> 0 A
< 5000 A
X
try() {
	"$@"
	echo "status $?"
}
rules() {
	cat >rules
	tm-spikes --rules rules run.tmt >out
	echo "status $?"
}
try tm-spikes --threshold 1 run.tmt
try tm-spikes --threshold -1ms run.tmt
try tm-spikes --hook-cost x run.tmt
try tm-spikes --nesting 0 run.tmt
try tm-spikes --nesting 2000000 run.tmt
try tm-spikes -n 100001 run.tmt
try tm-spikes --size 1.. run.tmt
try tm-spikes --pet --suggest run.tmt
try tm-spikes --pet --csv run.tmt
try tm-spikes --sort size run.tmt
try tm-spikes --channel x run.tmt
try tm-spikes --rules none run.tmt
rules <<'X'
threshold = 1ms
X
rules <<'X'
[spikes]
  threshold = 1
X
rules <<'X'
[spikes]
treshold = 1ms
X
rules <<'X'
[spikes]
frame-time = 0
X
rules <<'X'
# a comment
[function x
X
rules <<'X'
[functions x]
X
rules <<'X'
[function]
X
rules <<'X'
[function a]
threshold = 1ms
X
rules <<'X'
[function a]
match = a
X
rules <<'X'
[function a]
match = a(
threshold = 1ms
X
rules <<'X'
[function a]
match = a
threshold = 1ms
threshold = 2ms
X
rules <<'X'
[subsystem a]
match = a
parents = 1ms
X
rules <<'X'
[thread a]
threshold = 1ms
X
rules <<'X'
[function a]
match = a
frame = 5..1
ignore = yes
X
rules <<'X'
[function a]
match = a
ignore = maybe
X
rules <<'X'
[function a]
match =
X
rules <<'X'
[function a]
match
X
printf '[function a]\nmatch = a\0b\n' | rules
try tm-spikes --gate 1 -o out run.tmt
try tm-spikes --gate 0 -o out run.tmt
tm-spikes run.tmt >/dev/full; echo "status $?"
tm-spikes --pet run.tmt >/dev/full; echo "status $?"
tm-spikes --suggest run.tmt >/dev/full; echo "status $?"
printf 'no capture' | try tm-spikes
# Nothing in it that has a time; a gate on what has lost something.
echo '{"f":1,"d":[{"t":"A","s":8,"r":16,"st":["0x10;"],"sz":[16]}]}' >run.mem
try tm-spikes --slide 0 run.mem
printf 'thread T\n> 1 A\n> 2 B\n< 3 A\n' | "$GEN/calls" >odd.tmt
try tm-spikes --gate 0 -o out odd.tmt
try tm-spikes --gate 0 --allow-loss -o out odd.tmt
