# What each file is: testdata/gen/unity_traps.c. A calls B: A 30 in total, 20 itself, B 10 (0x14, 0xa).
for f in a-b allocations late-names frames back stats; do
	echo "== $f"
	tm-import -q "$DATA/unity/good-$f.raw" | tm-dump -q | grep -Ev '^(attribute|capture|note info .*"(messages|blocks|markers|values))'
done
