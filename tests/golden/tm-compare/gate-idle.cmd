# Rules that check nothing are not kept: what they are about is gone from the new side, under no name that is known to be
# its own; the runs know nothing of the key; or all is too small for them. voice() has 100,000 bytes in the base; the
# new side calls it speak(), and quiet() is the same in both.
mem() { printf '{"f":1,"d":[{"t":"T","s":1,"r":1,"st":["%s() (in Game) (src/%s.cpp:5);main (in Game) (src/m.cpp:3);"],"sz":[%s]},{"t":"U","s":1,"r":1,"st":["quiet() (in Game) (src/b.cpp:9);main (in Game) (src/m.cpp:4);"],"sz":[500000]}]}\n' "$@"; }
mem voice snd 100000 >a.mem
mem speak talk 900000 >b.mem
mem voice snd 100001 >c.mem
# Without types, as a folded stack has none.
gate() { tm-compare -q --slide 0 --gate p.ini --csv --table policy "${@:3}" "$1" "$2" | cut -d, -f1,2,6- | sed 1d; echo "status ${PIPESTATUS[0]}"; }
rule() { printf '[rule %s]\nmetric = real\n' "$1"; printf '%s\n' "${@:2}"; }
{
	rule limit 'key = function' 'match = ^voice' 'max = 200KiB'
	rule growth 'key = function' 'match = ^voice' 'percent = 20'
	rule sites 'key = site' 'each = yes' 'match = ^voice' 'percent = 20'
	rule one 'key = function' 'match = ^voice' 'match = ^quiet' 'each = yes' 'percent = 20'
} >p.ini
echo "renamed"
gate a.mem b.mem
echo "as it was"
gate a.mem c.mem
echo "that is said to be no matter"
gate a.mem b.mem --allow-unmatched
echo "a rule that breaks is broken, whatever else it names"
rule two 'key = function' 'match = ^voice' 'match = ^speak' 'max = 1KiB' >p.ini
gate a.mem b.mem
echo "without owners, without things of that size, without any of this metric"
{
	rule owners 'key = owner' 'each = yes' 'percent = 5'
	rule new 'key = site' 'new = 0' 'absolute = 1GiB'
	rule large 'key = site' 'each = yes' 'absolute = 1GiB'
	rule often 'key = site' 'each = yes' 'percent = 5' 'count = 1000'
} >p.ini
gate a.mem c.mem
