# Ten builds of known sums, with a step of 1000 bytes in b at the ninth. The counter rises by 100 a build: it is a trend.
for n in 1 2 3 4 5 6 7 8 9 10; do
	printf '%s\n' 'metric requested exact' 'metric count exact' 'frame 1' "alloc malloc main;a $((5000 + n % 3))" \
		"alloc malloc main;b $((n < 9 ? 2000 : 3000))" "counter heap B $((100 * n))" | "$GEN/script" >b$n.tmt
	tm-history add -q runs.db b$n.tmt --date 2026-01-$((n + 9)) --branch main --machine m$((n % 2)) --commit c$n
done
tm-history list runs.db
tm-history change-points runs.db --by function
tm-history change-points runs.db --by function --alpha 0.001
tm-history blame runs.db
tm-history trend runs.db --plot always --since 2026-01-12 --sort count --per frame
tm-history trend runs.db --counter heap:max --csv
tm-history trend runs.db --last 3 --by function --name b --csv
printf '[rule b]\nmetric = requested\nkey = function\nmatch = ^b$\nmax = 1M\n[rule s]\nmetric = requested\nkey = stack\nnew = 0\n[rule h]\nmetric = counter:heap:last\nmax = 5\n' >p.ini
tm-history trend runs.db --rules p.ini
