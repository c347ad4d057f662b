# The same text means the same in all files of rules: ' ;' begins a comment, ' #' among blanks is an error, ' \;' is a ';'.
mkdir symbols
printf 'main;a;wrap 3\nmain;b;wrap 1\n' >x.folded
each() { # TEXT behind each value
	printf 'sites = sites%b\ndebug-dir = symbols%b\n' "$1" "$1" >defaults
	printf 'function ^wrap$%b\n' "$1" >sites
	printf '[Ours]\nfunction ^a$%b\n' "$1" >owners
	printf 'leak:^x$%b\n' "$1" >leaks
	printf '[spikes]\nthreshold = 1ms%b\n[function f]\nmatch = ^a$%b\nthreshold = 2ms\n' "$1" "$1" >spikes
	printf '[rule r]\nmetric = samples%b\nkey = function\nmatch = ^wrap%b\nmax = 9\n' "$1" "$1" >policy
	echo "== $1"
	TRACEMILL_CONFIG=defaults tm-symbolize -v -o y.tmt x.folded 2>&1 | grep -e debug-dir -e defaults:
	tm-top -q --csv --sites sites x.folded | tr -s , | sed -n 2p
	tm-top -q --csv --by owner --owners owners x.folded | tr -s , | sed -n 2p
	tm-top -q --csv --suppressions leaks x.folded | wc -l
	tm-spikes -q --rules spikes x.folded | head -n 1
	tm-compare -q --gate policy x.folded x.folded >out
	echo "gate $?"
}
each ''
each ' ;junk'
each '\t; junk # more'
each ' # junk'
each ' \\;junk'
each ';junk'
