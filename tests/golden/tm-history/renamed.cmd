# In build b9 grow becomes grow_ring, its caller stays: no step. ai::think (800, called by ai::tick alone) and ai::plan become
# brain::*, as does their caller, which has nothing of its own. old goes and new comes with four times as much: no rename.
# late comes with b9 and is called by main only: a step from 0. slow becomes swift with half as much again: a step of 50 %.
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
	{
		if [ "$n" -lt 9 ]; then
			echo "main;sound;grow $((5000 + n % 3))"
			echo "main;ai::tick;ai::think 800"
			echo "main;ai::tick;ai::plan $((300 + n % 2))"
			echo "main;render;old 1000"
			echo "main;script;slow $((2000 + n % 4))"
		else
			echo "main;sound;grow_ring $((5000 + n % 3))"
			echo "main;brain::tick;brain::think 800"
			echo "main;brain::tick;brain::plan $((300 + n % 2))"
			echo "main;render;new 4000"
			echo "main;script;swift $((3000 + n % 4))"
			echo "main;late 70000"
		fi
		echo "main;render;draw $((9000 + n % 2))"
	} >b$n.folded
	tm-history add -q runs.db b$n.folded --date "2026-01-$((n + 9))" >/dev/null
done
tm-history change-points runs.db --by function
echo "without late, old, new and swift"
tm-history change-points runs.db --by function --name '^(grow|brain|draw)' --gate
echo "status $?"
tm-history trend -q runs.db --by function --name '^grow$' --csv --table values | cut -d, -f3,8,12
tm-history trend runs.db --by function --name late
echo "blame joins what series join, of stacks and by function: +1000 is of swift, which was slow; old and new are two"
tm-history blame runs.db --by function --from b8 --to b9
tm-history blame -q runs.db --csv | tr -d '\r' | cut -d, -f1,5-6
echo "everything falls, and the step up is of a function"
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
	if [ $n -lt 9 ]; then printf 'main;up 1000\nmain;down 9000\n'; else printf 'main;higher 1500\nmain;down 8000\n'; fi >d$n.folded
	tm-history add -q down.db d$n.folded --date "2026-01-$((n + 9))" >/dev/null
done
tm-history blame -q down.db --by function
echo "series do without aggregates, which say who calls what: what is as much is joined, and no more"
sqlite3 runs.db "UPDATE tm_aggregates SET bytes = x'00' WHERE run = 9"
tm-history change-points runs.db --by function -q | grep under
echo "a step of +500, in which +6000 and -5500 are no shares"
for n in 1 2 3 4 5 6 7 8 9 10; do
	if [ $n -lt 9 ]; then x=9000; else x=3500; fi
	printf 'main;a %d\nmain;b %d\n' "$x" $((10000 - x + (n < 9 ? 0 : 500))) >s$n.folded
	tm-history add -q shares.db s$n.folded --date "2026-01-$((n + 9))" >/dev/null
done
tm-history blame shares.db
tm-history trend shares.db --plot never | tail -2
