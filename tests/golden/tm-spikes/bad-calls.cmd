# What is not as it should be is counted, and the rest is judged.
one() {
	"$GEN/calls" >run.tmt
	tm-spikes --threshold 0 --csv --table worst "$@" run.tmt | cut -d, -f 1-3,10,11,15 | sed 1d
}
# An exit that nothing entered; B has no exit; C is open at the end; D has no times.
one <<'X'
thread T
< 5 X
> 10 A
> 20 B
> 30 BB
< 35 BB
< 40 A
> 50 D
> - E
< 60 E
< - D
> 70 C
X
# Time goes back by 30: inside of A (which then seems short), and at B's end.
one <<'X'
thread T
> 100 A
> 120 B
< 90 B
< 130 A
X
# Exits that do not say of what are of the innermost call; threads do not mix; recursion.
one <<'X'
thread T
> 0 R
> 1 R
thread U
> 2 V
thread T
< 11 R
thread U
< 12
thread T
< 20
X
# Deeper than --nesting: the calls below it count in the self time of the last that is judged.
one --nesting 2 <<'X'
thread T
> 0 A
> 1 B
> 2 C
> 3 D
< 4 D
< 5 C
< 6 B
< 7 A
X
# A call of nothing that is known; extreme times.
printf 'thread T\n> -9223372036854775 A\n> 0\n< 1\n< 9223372036854775 A\n' | one
