# What each file is: testdata/gen/unity_traps.c.
for f in nesting times ticks gap unknown bytes cut length no-session; do
	echo "== $f"
	tm-import -q "$DATA/unity/bad-$f.raw" | tm-dump -q | grep -E '^(frame|sample|note (loss|guess)|note info .*(open|ends of)|totals)'
	echo "status ${PIPESTATUS[0]}"
done 2>&1
