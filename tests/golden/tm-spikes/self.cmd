# Seed 003: A begins at 0, B at 10, B ends at 20, A at 30; so A takes 30, 20 of it itself, B 10.
"$GEN/calls" >run.tmt <<'X'
thread Main
> 0 %A
> 10 %B
< 20 %B
< 30 %A
X
tm-spikes --threshold 0 --csv --table worst run.tmt | cut -d, -f 1,2,3,11,15
# A hook costs 1 us for each call below: 29, 19 of it itself; 10 us leave nothing over 15.
tm-spikes --threshold 0 --hook-cost 1us --csv --table worst run.tmt | cut -d, -f 1,2,3,11,15
tm-spikes --threshold 15us --hook-cost 15000 --csv --table worst run.tmt
tm-spikes --threshold 0 --hook-cost 40us --csv --table worst run.tmt | cut -d, -f 1,2,3,11,15
