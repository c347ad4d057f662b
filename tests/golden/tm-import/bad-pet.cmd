# What has the words and no entry; a short entry that is not in the listing before it; calls that
# are not numbered in their order; numbers out of range; a listing cut short.
printf 'PET: Thread (x\nnothing else\n' >run.log
tm-import -f pet run.log; echo "status $?"
tm-import run.log; echo "status $?"
cat >run.log <<'X'
PET: Function took too long: -1 MSec Thread: T frame 99999999999999999999
Function Name Trace
0) a
7) b
1) c (f.cpp - LINE: 99999999999)
PET: Thread (T) Function took too long: 99999999999999999 MSec
1) x
PET: Thread (T) Function took too long: 5 MSec
9) b
PET: Thread (U) Function took too long: 6 MSec
2) a
PET: Function took too long: 7 MSec Thread: T
Function Name Tr
X
tm-import run.log | tm-dump
