# u takes 1000 us from 0, then 1 us; v, 4 us, lies in the range. From 500 us on u has 500 + 1 us and one
# enter: 501 us is the mean of nothing, so there is no mean of it; in the whole it is 1001 / 2 us. A
# range without a part of a call has means: u's 1 us.
"$GEN/script" >u.tmt <<'X'
metric time exact
enter u 0
exit u 1000000
enter u 1000000
exit u 1001000
enter v 1002000
exit v 1006000
X
for range in 0..2ms 500us..2ms 1000us..2ms; do
	tm-top --time $range --by function --csv u.tmt
done
tm-top --time 500us..2ms --by function u.tmt
tm-top --time 500us..2ms --by function --sort mean-time u.tmt
tm-compare -q --time 500us..2ms --by function --sort mean-time u.tmt u.tmt
# Nor of what tm-filter cut, in its file and in an aggregate of it; where it cut no call there is.
for range in 500us..2ms 1000us..2ms; do
	tm-filter --time $range u.tmt -o cut.tmt
	tm-compare -q --save-baseline cut.tma cut.tmt
	for f in cut.tmt cut.tma; do tm-top -q --by function --csv $f; done
done
