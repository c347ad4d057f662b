# Runs of one build are one group. The machine of a day takes 100, 130 or 160, which both runs of a build share: of 16 runs
# the last two are far off, of 8 builds one (three levels, each of two or three builds). b9 to b12 have 300 more: the step
# lies between b8 and b9, also where b3 was run once more after all of them, and a run that is called by its file, as each
# night's is, is a build of its own.
add() { # BUILD DAY VALUES...
	for v in "${@:3}"; do
		echo "main;f $v" >r.folded
		tm-history add -q runs.db r.folded --build "$1" --date "2026-01-$2" >/dev/null || echo "add $?"
		rm r.folded
	done
}
day=10
for level in 100 130 160 100 130 160 100 130; do
	add "b$((day - 9))" $((day++)) $((level + 1)) $((level + 2))
done
add b8 17 133
add b9 18 401 402
tm-history change-points runs.db
add b10 19 431 432
add b11 20 461
add b12 21 431 432
add b3 22 161
tm-history change-points -q runs.db --alpha 0.2 --csv | cut -d, -f1,7-10,12-15
tm-history trend -q runs.db --csv --table values --since 2026-01-20 | cut -d, -f6-8,12
echo "by night"
for night in 1 2 3 4 5 6 7 8 9 10; do
	echo "main;f $((night < 9 ? 100 + night : 200 + night))" >night.folded
	tm-history add -q nights.db night.folded --date "2026-01-$((night + 9))" >/dev/null
done
tm-history change-points nights.db --csv | cut -d, -f1,7-10,12-15
