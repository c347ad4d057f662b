# heaptrack's interpreted file: a free names a size and a stack. Two blocks of a kind are allocated, at 10 and 20 ms; at 30 ms
# one is freed and one allocated, and at 40 ms two are freed and one is allocated. If the oldest is freed first, the blocks
# live for 20, 20 and 10 ms; if the newest, for 10, 10 and 30 ms: the file does not say, so neither lifetimes nor temporary
# blocks are printed, nor what is live of a range that begins later. The allocations, the peak of 32 B, and what is live at
# the end, or at a moment, are known.
printf 'v 10400 3\nX ./a\nI 1000 10\ns 4 main\nt 1 0\na 10 1\nc a\n+ 0\nc 14\n+ 0\nc 1e\n- 0\n+ 0\nc 28\n- 0\n- 0\n+ 0\n' >a.ht
tm-top -q a.ht
tm-top -q --metrics all a.ht
tm-top -q --time 15ms.. a.ht
tm-top -q --time ..25ms a.ht | head -n 2
for metric in temporary lifetime; do
	tm-top -q --sort $metric a.ht
done
tm-top -q --leaks --time 15ms.. a.ht
tm-frames -q --every 10ms --csv a.ht | cut -d, -f2,6,11,14,20
tm-filter -q --time 15ms.. a.ht | tm-top -q
tm-top -q --as json --time 15ms.. a.ht | grep -o '"facts":.*,"sections"'
