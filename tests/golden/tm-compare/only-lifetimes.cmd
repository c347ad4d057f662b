# Two runs of the same program: of three sites' blocks only the lifetimes differ (10 and 70, 20 and 50, 30 and 35 ns), so
# nothing has changed, whichever format has columns for them. In the third run one site has 1 byte more: one row in each.
run() { # FREED-AT... BYTES
	printf 'metric count exact\nmetric requested exact\nmetric real exact\nmetric live exact\n'
	printf 'alloc malloc main;a 100 0 112 16\nalloc malloc main;b 200 0 208 32\nalloc malloc main;c %s 0 320 48\n' "$4"
	printf 'free 16 %s\nfree 32 %s\nfree 48 %s\n' "$1" "$2" "$3"
}
run 10 20 30 300 | "$GEN/script" >a.tmt
run 70 50 35 300 | "$GEN/script" >b.tmt
run 70 50 35 301 | "$GEN/script" >c.tmt
tm-top -q --csv --metrics lifetime a.tmt | cut -d, -f3,5 | sort
tm-top -q --csv --metrics lifetime b.tmt | cut -d, -f3,5 | sort
for new in b c; do
	echo "against $new"
	tm-compare -q --table changes a.tmt $new.tmt | head -n 1
	tm-compare -q --as markdown a.tmt $new.tmt | grep -o '[0-9]* of [0-9]* changed sites*' | head -n 1
	tm-compare -q --as html a.tmt $new.tmt | grep -o '[0-9]* of [0-9]* changed sites*' | sort -u
	tm-compare -q --csv --table changes a.tmt $new.tmt | wc -l
	tm-compare -q --as tsv --table changes a.tmt $new.tmt | wc -l
	tm-compare -q --as json a.tmt $new.tmt | python3 -c 'import json, sys; print(*(len(s["rows"]) for s in json.load(sys.stdin)["sections"] if s["name"] == "changes"), "rows")'
done
