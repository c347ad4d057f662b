# 20 frames of 10 ms, then 20 of 40 ms, each with a block of 100 B, and a mark that ends them. In a range of times are the frames
# that have a part in it: 100 frames a second before 200 ms, 25 behind. A display of 60 Hz misses one refresh in each of 40 ms,
# which are 25 * 60 = 1500 a minute. From 0 to 100 ms there are 10 frames: that which begins at 100 ms has no part.
{
	printf 'metric count exact\nmetric requested exact\n'
	for i in {0..39}; do
		at=$((i < 20 ? i * 10000000 : 200000000 + (i - 20) * 40000000))
		printf 'frame %d %d\nalloc malloc main;step 100 %d\n' "$i" "$at" "$((at + 1000))"
	done
	echo 'frame 40 1000000000'
} | "$GEN/script" >a.tmt
tm-compare -q --table counters --csv --base-time 1ms..199ms --new-time 205ms..999ms a.tmt | cut -d, -f 1-4
tm-frames -q --time 205ms..999ms --table pacing a.tmt | grep -o '^\[all frames\] *[0-9]* *[0-9]*'
tm-compare -q --per frame --table changes --csv --all --base-time 0ms..100ms --new-time 100ms..200ms a.tmt | cut -d, -f 2,3
tm-compare -q --table runs --csv --base-time 0ms..100ms --new-time 5ms..99ms a.tmt | cut -d, -f 1-4
tm-frames -q --time 0ms..100ms a.tmt | head -n 1
tm-frames -q --time 5ms..99ms a.tmt | head -n 1
cat >p.ini <<'X'
[rule missed]
metric = missed at 60 Hz per minute
max = 1300
X
tm-compare -q --today 2026-01-01 --allow-copies --gate p.ini --time 205ms..999ms --table policy a.tmt a.tmt
