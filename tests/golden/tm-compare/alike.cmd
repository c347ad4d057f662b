# What most functions have in common. Runs differ by 2 % everywhere, functions by 3 % besides; 20 functions have 15 % more at a
# limit of 10 %: four of them are sure by themselves, and all together are. A waiver for all together waives just that. The
# truth is the mean over functions of the logarithms of their medians.
python3 -c '
from math import exp, log
from random import Random
from statistics import median
r = Random(4)
base = [r.randrange(20000, 90000) for _ in range(20)]
def runs(name, by):
    told = []
    for k in range(5):
        machine = r.gauss(0, .02)
        told.append([round(b * by * exp(machine + r.gauss(0, .03))) for b in base])
        with open("%s%d.folded" % (name, k), "w") as f:
            f.writelines("main;f%02d %d\n" % (i, v) for i, v in enumerate(told[-1]))
    return [median(run[i] for run in told) for i in range(20)]
was, now = runs("b", 1), runs("n", 1.15)
runs("s", 1)
print("truth: %.0f %%" % (100 * (exp(sum(log(b / a) for a, b in zip(was, now)) / 20) - 1)))'
printf '[rule each]\nmetric = samples\nkey = function\neach = yes\npercent = 10\n' >p.ini
gate() { # NEW
	tm-compare -q --gate p.ini --table policy --base b?.folded --new $1?.folded |
		sed -n 's/^\([a-z]*\)  *each .*+10 %  \([^;]*\);.*/\1: \2/p; s/^    \(Taken .*(limit +10 %)\).*/\1/p; s/^    \(f[0-9]* has\).*/\1 more/p; s/^ *match = ^.(all.*/waiver: &/p; /1 waived/s/.*\(1 waived\).*/\1/p'
	echo "status ${PIPESTATUS[0]}"
}
gate s
gate n
printf '[waiver w]\nrule = each\nmatch = ^[(]all functions alike[)]$\nuntil = 2999-01-01\nreason = wanted\n' >>p.ini
gate n

# A run that ended early: 45 % less in sum, 8 of 20 functions have nothing. And functions that were renamed: no such note.
for k in 0 1 2 3 4; do
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo "main;f$i $((1000 + i + k))"; done >w$k.folded
	head -n 12 w$k.folded >c$k.folded
	sed 's/f1/g1/' w$k.folded >r$k.folded
done
printf '[rule sites]\nmetric = samples\nkey = site\neach = yes\npercent = 10\n' >q.ini
for new in c r; do
	tm-compare -q --gate q.ini --table policy --base w?.folded --new $new?.folded >$new.txt 2>&1
	echo "status $?, $(grep -c 'the new runs finish' $new.txt)"
done
tm-compare -q --gate q.ini --base w?.folded --new c?.folded 2>&1 | grep 'the new runs finish'
