# A log whose times were lost: each entry is a spike, of unknown length: no time is printed, and none is 0. They are
# grouped by their stacks: 7 entries, counted here; the three of Load are one row.
cat >pet.log <<'X'
PET: Function took too long: MSec Thread: MainThread PEAK frame 2323
Function Name Trace
0) 0x82449eb4 - main
1) Tick
2) Load
PET: Thread (MainThread) Function took too long: MSec
1) Tick
PET: Thread (MainThread) Function took too long: MSec
PET: Function took too long: MSec Thread: MainThread frame 2324
Function Name Trace
0) 0x82449eb4 - main
1) Tick
2) Load
PET: Function took too long: MSec Thread: MainThread frame 2325
Function Name Trace
0) 0x82449eb4 - main
1) Tick
2) Load
PET: Thread (MainThread) Function took too long: MSec
0) 0x82449eb4 - main
PET: Function took too long: 16.58 MSec Thread: MainThread frame 2326
Function Name Trace
0) 0x82449eb4 - main
X
grep -c '^PET:' pet.log
tm-spikes --csv --table spikes pet.log | cut -d, -f 1-9,16
tm-spikes pet.log
tm-spikes -q --gate 6 pet.log >out
echo "status $?"
# As a log again: without a time it has none.
tm-spikes -q --pet pet.log | grep -c 'too long: MSec'
