# Steps of 1 us: 100 bytes in the first and 500 in the third; no frames.
printf 'metric count exact\nmetric requested exact\nthread Main 1\nalloc malloc a@a.c:1 100 0 - 16\nalloc malloc b@b.c:2 500 2500 - 32\n' |
	"$GEN/script" >a.tmt
tm-frames -q --every 1us --sort requested --spike 'requested>99' --new-stacks --csv --table spikes a.tmt | tr -d '\r'
for table in spikes statistics new-stacks; do
	tm-frames -q --every 1us --sort requested --spike 'requested>99' --new-stacks --table $table a.tmt
done
tm-frames -q --every 1us --sort requested --spike 'requested>999' --table spikes a.tmt
tm-frames --every 1us --spread --sort requested --by site a.tmt
