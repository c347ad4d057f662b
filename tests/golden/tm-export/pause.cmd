# Time that counts for nobody stays so: main is open for 100 us, 50 of which are paused (a call in the pause, too) and 30 in
# update: 20 its own, 50 in all, 1 call each, read back as written. Frames of the game are no calls: a note says so.
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
for as in chrome speedscope; do
	echo "$as"
	tm-export -q --as $as -o run.json run.tmt
	tm-top --by function --csv --metrics self-time,total-time,calls run.json 2>&1
done
echo "what speedscope adds up: opened and closed"
grep -o '"type":"[OC]","frame":[0-9]*,"at":[0-9]*\(,"continued":1\)\{0,1\}' run.json
