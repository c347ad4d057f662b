# What is waived, what cannot be decided, and a rule that matches nothing. Runs differ by 1 %; sites
# by type here. Big grows from 1000 to 100000 in every run, Late from 1000 to 1100, Wild in two of
# four new runs only, Same not at all. Of the 70 ways to deal out eight runs the true one alone has
# growth as large as that of Big and of Late: p is 1 / 70.
t() { echo "{\"t\":\"$1\",\"s\":$2,\"r\":$2,\"st\":[\"0x$3;\"],\"sz\":[$2]}"; }
run() { echo "{\"f\":1,\"d\":[$(t Big "$2" 10),$(t Late "$3" 20),$(t Wild "$4" 30),$(t Same "$5" 40)]}" >"$1.mem"; }
run b1 1000 1000 1000 1000; run b2 1010 1005 1010 1000; run b3 990 1000 990 1010; run b4 1005 995 1000 990
run n1 99000 1100 1000 1005; run n2 100000 1095 89000 995; run n3 101000 1105 995 1000; run n4 100500 1100 90000 1000
printf '[rule r]\nmetric = real\nkey = type\neach = yes\npercent = %s\n[waiver w]\nrule = r\nmatch = ^Late\nuntil = 2026-06-30\nreason = soon\n' 0 >p0.ini
sed 's/percent = 0/percent = 2/' p0.ini >p2.ini
gate() { tm-compare -q --slide 0 --table policy --today 2026-06-01 --base b1.mem b2.mem b3.mem b4.mem --new n1.mem n2.mem n3.mem n4.mem "$@"; echo "status $?"; }
echo "nothing allowed, and 2 %: a growth to the hundredfold is no pass"
gate --gate p0.ini
gate --gate p2.ini
echo "without it: what is left is waived, and one that cannot be told"
gate --gate p2.ini --type '^(Late|Wild|Same)'
echo "in CSV, and in SARIF: kinds and suppressions"
gate --gate p2.ini --csv
tm-compare -q --slide 0 --today 2026-06-01 --base b?.mem --new n?.mem --gate p2.ini --as sarif |
	python3 -c 'import json,sys
for r in json.load(sys.stdin)["runs"][0]["results"]: print(r["kind"], r["level"], [s["justification"] for s in r.get("suppressions", [])], r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"])'
echo "a rule whose match hits nothing"
printf '[rule typo]\nmetric = real\nkey = type\nmatch = ^Bgi\nmax = 5\n' >none.ini
gate --gate none.ini
gate --gate none.ini --allow-unmatched

# A pattern that hits nothing, beside the name that it is near to; of one that is near to nothing none is offered.
printf 'main;trail(int) 100\nmain;other 5\n' >trail.folded
cp trail.folded trail2.folded
for pattern in '^trail$' '^tral' '^zzzzz$'; do
	printf '[rule t]\nmetric = samples\nkey = function\nmatch = %s\npercent = 5\n' "$pattern" >t.ini
	tm-compare -q --gate t.ini --csv --table policy trail.folded trail2.folded | tail -n 1 | sed 's/.*none of/none of/'
done
