# PET_Pause: a call that is entered with the value 1. Its time (50 us) counts for nobody, nor does what is called in it:
# main took 100 us, of which 30 in update, 50 paused, 20 its own: total 50, and 2 calls in all. So it is in every report.
"$GEN/script" >run.tmt <<'S'
metric time exact
frame 1 0
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
tm-top -q --by type --csv --metrics self-time,total-time,calls run.tmt
echo "without a name's calls, and of a part: 60 us to 90 us are paused, 20 us to 50 us are 20 of update and 5 of main"
tm-top -q --by function --csv --metrics self-time,total-time,calls --hide PET_Pause run.tmt
tm-top -q --by function --csv --metrics self-time,total-time,calls --time 60us..90us run.tmt
tm-top -q --by function --csv --metrics self-time,total-time --time 20us..50us run.tmt
tm-top -q --tree --csv --metrics self-time,total-time,calls run.tmt
tm-top -q --peek main --csv --metrics self-time,total-time,calls run.tmt
tm-frames -q --csv run.tmt | cut -d, -f 2,21,22
echo "as tm-filter leaves it"
tm-filter -q --time 20us..90us -o part.tmt run.tmt
tm-top -q --by function --csv --metrics self-time,total-time part.tmt
tm-spikes -q --threshold 1us --csv --table worst run.tmt | cut -d, -f1,11
tm-spikes -q --threshold 1us run.tmt | grep "took longer"
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
