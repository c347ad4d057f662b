# At a.c:11 the base has audio_init. What stands there in the new build is audio_init renamed if it has about as much (within a
# fifth): 105 blocks of 100, as runs differ. It is a new thing if it has a thousand times as much, or of what says nothing.
# The same answer from captures and from their aggregates, and by site and by stack.
capture() { # NAME BLOCKS BYTES
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nalloc malloc main@a.c:30;common@a.c:5 3000 1 - 4096\n'
	for ((i = 1; i <= $2; i++)); do echo "alloc malloc main@a.c:31;start@a.c:21;$1@a.c:11 $3 2 - $((8192 * i))"; done
}
printf '%s\n' '[rule leaks]' 'metric = live-requested' 'key = stack' 'absolute = 4KiB' 'new = 0' \
	'[rule sites]' 'metric = requested' 'key = site' 'absolute = 4KiB' 'new = 0' >new.ini
capture audio_init 100 100 | "$GEN/script" >base.tmt
capture sound_init 105 100 | "$GEN/script" >renamed.tmt
capture net_pump 100 100000 | "$GEN/script" >other.tmt
for f in base renamed other; do tm-compare -q --save-baseline $f.tma $f.tmt; done
verdicts() { tm-compare -q --gate new.ini --table policy "$@" | awk '/^(pass|fail|inconclusive) / { printf " %s %s:%s", $1, $2, ($0 ~ /by a guess/ ? " guessed" : "") } END { print "" }'; }
for new in renamed.tmt renamed.tma other.tmt other.tma; do
	for base in base.tmt base.tma; do
		echo "$base $new:$(verdicts $base $new)"
	done
done
# A caller that is renamed, at its line: its stacks are those of before.
sed 's/start@/begin@/' <(capture audio_init 100 100) | "$GEN/script" >caller.tmt
echo "caller:$(verdicts base.tmt caller.tmt)"
# Calls have times, and no blocks: 100 ms of 110 ms is nearly as much, 10 is not.
for call in old:100 now:110 else:10; do
	printf 'metric calls exact\nmetric time exact\nenter main@a.c:30 0\nenter main@a.c:30;%s@a.c:11 10\nexit main@a.c:30;%s@a.c:11 %s\nexit main@a.c:30 1000000000\n' \
		"${call%:*}" "${call%:*}" "$((10 + ${call#*:} * 1000000))" | "$GEN/script" >"${call%:*}.tmt"
done
for new in now else; do
	tm-compare -q --by function --csv old.tmt $new.tmt | tr -d '\r' |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { printf " %s was:%s %s>%s", $at["function"], $at["was"], $at["base_self_ns"], $at["new_self_ns"] } END { print "" }'
done
