# The first sample is of another event: the clock's periods are times all the same, 1 ms + 2 ms.
cat >p.script <<'S'
p 1 1.000000:          3 page-faults: 
	    1000 load (/bin/p)

p 1 1.001000:    1000000 cpu-clock: 
	    2000 main (/bin/p)

p 1 1.002000:    2000000 cpu-clock: 
	    2000 main (/bin/p)

S
tm-top -q --by type --csv --metrics self-time,samples,period p.script
tm-top -q --by type --csv --metrics self-time,samples,period <p.script
