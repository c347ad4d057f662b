# PET_Pause: a call that is entered with the value 1. Its time (50 us) is in no caller's total, as tm-spikes has it: main
# took 100 us, of which 30 in update, 50 paused, 20 its own: total 50. What is called in the pause is the pause's.
"$GEN/script" >run.tmt <<'S'
metric time exact
enter main 0
enter main;update 10000
exit main;update 40000
pause main;PET_Pause 45000
enter main;PET_Pause;Load 50000
exit main;PET_Pause;Load 80000
exit main;PET_Pause 95000
exit main 100000
S
tm-top -q --by function --csv --metrics self-time,total-time,calls run.tmt
tm-spikes -q --threshold 1us --csv --table worst run.tmt | cut -d, -f1,11
echo "marks of what is counted: malloc's records have their real size, the pool's have not"
"$GEN/script" >two.tmt <<'S'
metric count exact
metric requested exact
metric real exact
alloc malloc main;a 100 - 112
alloc pool main;b 200
S
tm-top -q --by function two.tmt | head -n 3
tm-top -q --by function --domain all two.tmt | head -n 3
