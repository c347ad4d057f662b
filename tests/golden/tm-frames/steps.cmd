# 40 frames with a block of 10 bytes each; that of frame 12 has 4000 bytes more. The first quarter is the start. Of what
# is live 10 * 29 + 4000 are added after it: 4010 of 4290 in frame 12, 93 %. A slope would say 10 bytes a frame.
frames() {
	printf 'metric requested exact\nmetric live exact\nmetric count exact\n'
	for i in $(seq 0 39); do
		printf 'frame %s %s\nalloc malloc tick %s %s - %s\n' $i $((i * 1000)) $((10 + (i == 12) * $1 + (i == 30) * $2)) $((i * 1000 + 5)) $((4096 * (i + 1)))
	done
}
growth() { grep -E 'rises|grows|level'; }
frames 4000 0 | $GEN/script >one.tmt
tm-frames one.tmt | growth
tm-frames --as json one.tmt | jq -c '.numbers | with_entries(select(.key | startswith("growth")))'
# Two steps: 2010 and 3010 of 5290; and none: a slope.
frames 2000 3000 | $GEN/script | tm-frames | growth
frames 0 0 | $GEN/script | tm-frames | growth
