# Captures that know blocks and calls: what has calls and no blocks has 0 bytes, and what has blocks and no calls took
# 0 ns, while what a capture does not know at all stays blank.
head() { printf 'metric count exact\nmetric requested exact\nmetric live exact\n%sthread Main 1\n' "$1"; }
times=$'metric time exact\n'
alloc='alloc malloc main@m.c:1 5 5 - 512'
# f is called in both, and allocates 1000000 bytes in the second alone, which stay.
{ head "$times"; printf '%s\nenter f@f.c:2 1000\nexit f@f.c:2 2000\n' "$alloc"; } | "$GEN/script" >a1.tmt
{ head "$times"; printf '%s\nenter f@f.c:2 1000\nalloc malloc f@f.c:2 1000000 1500 - 4096\nexit f@f.c:2 2000\n' "$alloc"; } |
	"$GEN/script" >a2.tmt
for by in site function; do
	tm-compare -q --table changes --by $by --sort requested a1.tmt a2.tmt
done
tm-compare -q --table changes --by function --sort live a1.tmt a2.tmt
tm-compare -q --table changes --csv --all --by function --sort requested a1.tmt a2.tmt | cut -d, -f1-5,10-13 | tr -d '\r'
tm-compare -q --table changes --as json --by function --sort requested a1.tmt a2.tmt |
	jq -c '.sections[0].rows[] | [.function, .base_requested, .new_requested, .delta_requested, .change]'
tm-compare -q --table changes --by function --sort requested a2.tmt a1.tmt
# f allocates in both, and is called in the second alone: 3 of the 10 ms that main's call takes.
main() { head "$times"; printf 'enter main@m.c:1 0\nalloc malloc f@f.c:2 100 5 - 512\n%bexit main@m.c:1 10000000\n' "$1"; }
main '' | "$GEN/script" >k1.tmt
main 'enter f@f.c:2 1000000\nexit f@f.c:2 4000000\n' | "$GEN/script" >k2.tmt
tm-compare -q --table changes --by function --sort self-time k1.tmt k2.tmt
tm-compare -q --table changes --by function --sort total-time k1.tmt k2.tmt
tm-compare -q --table changes --by function --sort calls k1.tmt k2.tmt
# The gate: of two functions one has 3 ms more, and of two one has 1000000 bytes more.
printf '[rule t]\nmetric = self-time\nkey = function\neach = yes\npercent = 10\n' >t.ini
printf '[rule b]\nmetric = requested\nkey = function\neach = yes\npercent = 10\n' >b.ini
tm-compare -q --today 2026-06-01 --gate t.ini --table policy k1.tmt k2.tmt || echo "status $?"
tm-compare -q --today 2026-06-01 --gate b.ini --table policy a1.tmt a2.tmt || echo "status $?"
# A baseline has the same.
for run in a1 a2 k1; do tm-compare -q --save-baseline $run.tma $run.tmt; done
tm-compare -q --table changes --by function --sort requested a1.tma a2.tma
tm-compare -q --today 2026-06-01 --gate t.ini --table policy k1.tma k2.tmt || echo "status $?"
# So have frames of one capture: f is called in both, and allocates 7000 bytes in the second.
{
	head "$times"
	printf 'frame 1 0\nenter f@f.c:2 1000\nexit f@f.c:2 2000\nalloc malloc main@m.c:1 5 2500 - 512\n'
	printf 'frame 2 10000\nenter f@f.c:2 11000\nalloc malloc f@f.c:2 7000 11500 - 4096\nexit f@f.c:2 12000\n'
} | "$GEN/script" >frames.tmt
tm-compare -q --table changes --by function --sort requested --base-frame 1 --new-frame 2 frames.tmt
# The second run alone has times: no change of f's is known, and f has its 5 bytes in both.
{ head ''; printf 'alloc malloc f@f.c:2 5 5 - 512\n'; } | "$GEN/script" >none.tmt
{ head "$times"; printf 'alloc malloc f@f.c:2 5 5 - 512\nenter g@g.c:2 1000\nexit g@g.c:2 2000\n'; } | "$GEN/script" >some.tmt
tm-compare -q --table changes --csv --all --by function --sort requested none.tmt some.tmt | tr -d '\r' | cut -d, -f1-5
tm-compare -q --table changes --by function --sort self-time none.tmt some.tmt || echo "status $?"
