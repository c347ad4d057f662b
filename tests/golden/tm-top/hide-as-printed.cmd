# The line that advises --hide is typed as it was printed, for names with letters that expressions mean otherwise. Callers a
# and b of 60 and 40 of 100 are the two rows then, for each name.
for name in 'lua5.4!0x1230d' 'Pool<int[4]>::get(int*,...)' 'operator^=' 'a|b$c{2}?+' plain; do
	printf 'metric count exact\nmetric requested exact\nalloc malloc main;a;%s 60 1\nalloc malloc main;b;%s 40 2\n' "$name" "$name" |
		"$GEN/script" >n.tmt
	advice=$(tm-top -q --callers 1 n.tmt | sed -n 's/^more than half comes from .*: \(--hide .*\) shows its callers.*/\1/p')
	echo "$advice"
	eval "tm-top -q --csv $advice n.tmt" | awk -F, 'NR > 1 { printf " %s %s", $10, $4 } END { print "" }' | tr -d '\r'
done
# In a narrow terminal the words of the advice stand on lines of their own, but its quotes are on one.
printf 'main;a;eng::Alloc::get(unsigned long) 60\nmain;b;eng::Alloc::get(unsigned long) 40\n' >n.folded
tm-top -q --callers 1 --width 60 n.folded | sed -n '/^more than half/,/callers/p'
