# What is wrong is said with its option, and is status 2.
cat >run.mem <<'X'
{"f":1,"d":[{"t":"A","s":8,"r":16,"st":["0x10;"],"sz":[16]}]}
X
try() {
	"$@"
	echo "status $?"
}
try tm-frames --slide 0 --sort count run.mem
try tm-frames --slide 0 --sort duration run.mem
try tm-frames --slide 0 --by type --sort duration run.mem
try tm-frames --frame 2..1 run.mem
try tm-frames --frame x run.mem
try tm-frames --time 1..2 run.mem
try tm-frames --time 1s run.mem
try tm-frames --size 1..x run.mem
try tm-frames --every 0 run.mem
try tm-frames --every 5 run.mem
try tm-frames --spike real run.mem
try tm-frames --spike 'colour>3x' run.mem
try tm-frames --spike 'real>1s' run.mem
try tm-frames --tops 21 run.mem
try tm-frames --slide 0 --frame 7 run.mem
tm-frames --slide 0 --csv run.mem >/dev/full; echo "status $?"
tm-frames --slide 0 --by type run.mem >/dev/full; echo "status $?"
printf 'no capture' | try tm-frames
