# Ten frames: Tick takes 16 ms in each, Physics::Step 2 ms and once 12, Audio::Mix 3 ms on its
# thread twice. Equal stacks are one row; then the worst one by one, and whose they are.
{
	echo 'thread Main'
	for f in 1 2 3 4 5 6 7 8 9 10; do
		t=$((f * 17000))
		step=2000
		[ $f = 4 ] && step=12000
		printf 'frame %s\n> %s Tick @game.cpp:3\n> %s Physics::Step @physics/step.cpp:9\n' $f $t $((t + 100))
		[ $f = 4 ] && echo '! 900 contacts'
		printf '< %s Physics::Step @physics/step.cpp:9\n< %s Tick @game.cpp:3\n' $((t + 100 + step)) $((t + 16000))
	done
	printf 'thread Audio\n> 0 Audio::Mix\n< 3000 Audio::Mix\n> 5000 Audio::Mix\n< 8000 Audio::Mix\n'
} | "$GEN/calls" >run.tmt
cat >owners <<'X'
[Physics]
file ^physics/
[Audio]
function ^Audio::
X
tm-spikes --owners owners -n 3 run.tmt
tm-spikes --owners owners --owner Audio --sort count --csv run.tmt
tm-spikes --frame 4 --thread Main --ignore Physics --csv --table worst run.tmt
tm-spikes --focus Step --csv --table worst -n 2 run.tmt
tm-spikes --suggest --owners owners run.tmt | tee rules
# What it suggests it takes: Tick is legitimate then.
tm-spikes --rules rules --csv run.tmt | cut -d, -f 1,2,12
tm-spikes --rules rules --as json -n 1 run.tmt | head -c 300
