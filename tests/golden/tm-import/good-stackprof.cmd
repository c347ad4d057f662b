# Stacks of 1, 2, 1 and 2 samples, 100 us each, of main, update, the collector below it, and main.
$GEN/stackprof --samples 4 wall 2>err >a.json
tm-dump a.json
cat err
for variant in cpu object; do
	$GEN/stackprof --samples 4 $variant 2>err | tm-dump | grep ^sample
done
