# Ticks of 10 ms: 1 + 2 + 3 + 4; calls: 1 from outside, and 10, 20 and 30 from the first function.
$GEN/gmon plain 2>err >gmon.out
tm-dump gmon.out
cat err
for variant in narrow big; do
	$GEN/gmon $variant 2>err | tm-dump | cmp - <(tm-dump gmon.out) && echo $variant is plain
done
$GEN/gmon blocks 2>err | tm-dump --no-tables | tail -n 3
tm-top -q --by location --csv gmon.out | cut -d, -f1-16
