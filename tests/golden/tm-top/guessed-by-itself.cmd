# wrap has 100 of 120 bytes, which is more than half, and five callers of 30 to 10 % of its own: it is passed over. f has 20.
# So a has 30 of 120 (25 %), b 25 (20.83 %), c and f 20 (16.67 %), d 15 (12.50 %), e 10 (8.33 %), in every form and every
# table: at the peak, which is the end, all are live. Nothing is freed, so nothing is temporary.
capture() { # CALLER:BYTES... allocate by wrap, and f has 20
	printf 'metric count exact\nmetric requested exact\nmetric live exact\nalloc malloc main;f 20 1 - 4096\n'
	for c; do printf 'alloc malloc main;%s;wrap %s 2 - %s\n' "${c%:*}" "${c#*:}" "$((n += 8192))"; done
}
rows() { tm-top -q --csv "$@" | awk -F, 'NR > 1 { printf " %s %s", $10, $4 } END { print "" }' | tr -d '\r'; }
n=0
capture a:30 b:25 c:20 d:15 e:10 | "$GEN/script" >f.tmt
tm-top -q f.tmt
rows f.tmt
rows - <f.tmt
tm-top --csv -n 1 f.tmt
for t in peak live; do tm-top -q --csv --table $t f.tmt; done
tm-top -q --as json f.tmt | jq -r '.facts.guessed, (.sections[] | select(.name == "top" or .name == "peak") | [.rows[].site] | join(" "))'
tm-top -q --as markdown f.tmt | grep -c '| wrap |\|passed over, as a guess'
# Asked for, by another order, or not at all: it stays. A rule with "!" keeps it.
rows --by site f.tmt
rows --sort count f.tmt
rows --guess-sites=never f.tmt
rows --guess-sites --by site f.tmt
printf '!function ^wrap$\n' >keep.sites
rows --sites keep.sites f.tmt
# A caller of 70 % of it: no wrapper, of five callers; of ten it is.
capture a:70 b:10 c:10 d:5 e:5 | "$GEN/script" >most.tmt
rows most.tmt
capture a:70 b:10 c:4 d:4 e:2 g:2 h:2 i:2 j:2 k:2 | "$GEN/script" >ten.tmt
rows ten.tmt
# wrap is called by outer alone, and that by five; it is passed over with outer, unless outer allocates otherwise as well.
capture 'a;outer:30' 'b;outer:25' 'c;outer:20' 'd;outer:15' 'e;outer:10' | "$GEN/script" >chain.tmt
rows chain.tmt
{ capture 'a;outer:30' 'b;outer:25' 'c;outer:20' 'd;outer:15' 'e;outer:10'; echo 'alloc malloc main;a;outer 1 3 - 64'; } | "$GEN/script" >both.tmt
rows both.tmt
# Half of all is not more than half: f has 20 of 40. One caller, as of texture in load_level, is the program's own business.
capture a:4 b:4 c:4 d:4 e:4 | "$GEN/script" >half.tmt
rows half.tmt
capture load_level:100 | "$GEN/script" >one.tmt
rows one.tmt
# An aggregate's sites were settled when it was made.
tm-compare -q --save-baseline f.tma f.tmt
rows f.tma
# Advice was tried: two callers of 60 and 40 are told apart, one is not.
capture a:60 b:40 | "$GEN/script" >two.tmt
for f in two one; do tm-top -q --callers 1 $f.tmt | grep '^more than half'; done
tm-top -q --callers 1 --by site f.tmt | grep '^more than half'
