#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The formats of reports, read by somebody else's reader: JSON and SARIF by a schema validator,
# JUnit by xmllint, CSV by Python's module; and the pager on a terminal.
# shellcheck disable=SC2016,SC2034 # check evaluates
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

report() { "$GEN/report" "$@"; }

python=
for p in python3 /usr/bin/python3; do
	if [ -z "$python" ] && "$p" -c 'import jsonschema' 2>/dev/null; then
		python=$p
	fi
done

kinds='sample hostile empty big'
for k in $kinds; do
	for f in json sarif junit code-quality markdown csv tsv text html; do
		report --kind "$k" --as "$f" >"$k.$f" 2>err
		status=$?
		check "$k: $f is printed" eval '[ $status = 0 ] && [ ! -s err ]'
	done
done

cat >validate.py <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.Draft7Validator(schema).validate(json.load(open(sys.argv[2], encoding="utf-8")))
END

cat >csvcheck.py <<'END'
import csv, io, json, sys
# The same values by two readers. JSON has U+FFFD for what is not UTF-8.
report = json.load(open(sys.argv[2], encoding="utf-8"))
table = [s for s in report["sections"] if s["kind"] == "table"][0]
raw = open(sys.argv[1], "rb").read().decode("utf-8", errors="surrogateescape")
rows = list(csv.DictReader(io.StringIO(raw, newline="")))
assert len(rows) == len(table["rows"]), (len(rows), len(table["rows"]))
for got, want in zip(rows, table["rows"]):
    assert int(got["depth"]) == want["_depth"]
    for column in table["columns"]:
        g, w = got[column["key"]], want[column["key"]]
        if w is None:
            assert g == "", (column, g)
        elif column["type"] == "text":
            assert not g or g[0] not in "=+-@\t\r\n", g
            g = g[1:] if g[:1] == "'" else g
            g = "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in g)
            assert g == w, (g, w)
        else:
            assert float(g) == w, (g, w)
END

cat >quality.py <<'END'
import json, sys
# What GitLab's manual asks of an issue ("Code quality report format").
issues = json.load(open(sys.argv[1], encoding="utf-8"))
assert isinstance(issues, list)
for i in issues:
    assert i["description"] and isinstance(i["check_name"], str)
    assert i["severity"] in ("info", "minor", "major", "critical", "blocker"), i
    assert not i["location"]["path"].startswith(("/", "./")), i
    assert i["location"]["lines"]["begin"] >= 1, i
    assert len(i["fingerprint"]) == 16
prints = [i["fingerprint"] for i in issues]
assert len(set(prints)) == len(prints), "a fingerprint stands for two"
assert len(issues) == int(sys.argv[2]), len(issues)
END

if [ -n "$python" ]; then
	# Three that break a rule, one waived, one rule that is inconclusive.
	for k in 'sample 5' 'hostile 5' 'empty 0'; do
		"$python" quality.py "${k% *}.code-quality" "${k#* }" >log 2>&1
		status=$?
		check "${k% *}: issues as GitLab wants them" eval '[ $status = 0 ] || { tail -n 5 log; false; }'
	done
	for k in sample hostile empty; do
		"$python" validate.py "$SRC/man/tracemill-report.schema.json" $k.json >log 2>&1
		status=$?
		check "$k: the JSON is as its schema says" eval '[ $status = 0 ] || { tail -n 5 log; false; }'
		"$python" validate.py "$SRC/tests/schema/sarif.json" $k.sarif >log 2>&1
		status=$?
		check "$k: the SARIF is as the standard says" eval '[ $status = 0 ] || { tail -n 5 log; false; }'
		"$python" csvcheck.py $k.csv $k.json >log 2>&1
		status=$?
		check "$k: CSV and JSON say the same" eval '[ $status = 0 ] || { tail -n 5 log; false; }'
	done
	sed 's/"kind":"table"/"kind":"tible"/' sample.json >broken.json
	"$python" validate.py "$SRC/man/tracemill-report.schema.json" broken.json >log 2>&1
	status=$?
	check 'the schema can say no' eval '[ $status != 0 ]'
else
	echo 'skip - JSON and SARIF: there is no jsonschema for Python'
fi

if command -v xmllint >/dev/null; then
	for k in sample hostile empty; do
		xmllint --noout --schema "$SRC/tests/schema/junit.xsd" $k.junit 2>log
		status=$?
		check "$k: the JUnit XML is well formed and valid" eval '[ $status = 0 ] || { cat log; false; }'
	done
else
	echo 'skip - JUnit: there is no xmllint'
fi

# --- sizes ---

size() { wc -c <"$1"; }
check 'Markdown of a big report fits into a comment' [ "$(size big.markdown)" -lt 65536 ]
check 'and says what it left out' grep -q '^\*Not shown.*: 4[0-9]* rows' big.markdown
# 16 rows of 1 to 16 bytes, of which 6 are folded: the row of sums, 136, is the last.
seq 16 | sed 's/.*/alloc malloc main;f& &/' | { printf 'metric requested exact\n'; cat; } | "$GEN/script" >rows.tmt
check 'Markdown has its sums behind the rows that are folded' \
	[ "$(tm-top -q --as markdown -n 0 --by function rows.tmt | grep -A1 -E '^\|.*(136 B)' | tail -n 1)" = '' ]
check 'Markdown of a small one leaves out nothing' eval '! grep -q "Not shown" sample.markdown'

# Ten megabytes of a name.
{
	printf '{"f":1,"d":[{"t":"'
	head -c 10000000 /dev/zero | tr '\0' '='
	printf '","s":8,"r":16,"st":["0x10;"],"sz":[16]},{"t":"b","s":1,"r":8,"st":["0x10;"],"sz":[8]}]}\n'
} >long.mem
for f in json markdown csv tsv text html; do
	tm-top -q --slide 0 --by type --as $f -o long.$f long.mem
	status=$?
	check "a name of 10 MB: $f" eval '[ $status = 0 ] && [ "$(size long.$f)" -lt 21000000 ]'
done
check 'a name of 10 MB fits into a comment' [ "$(size long.markdown)" -lt 65536 ]

# --- the pager ---

# Also where script is there and a pseudo terminal is not, as in many build roots.
if script -qec true /dev/null </dev/null >out 2>&1; then
	cat >pager <<'END'
#!/bin/sh
echo "pager: $* LESS=$LESS"
cat
END
	chmod +x pager
	on_terminal() { # COMMAND
		script -qec "stty cols 80; $1" /dev/null </dev/null | tr -d '\r'
	}
	export TERM=xterm
	unset LESS NO_COLOR
	PAGER='./pager  one two' on_terminal "$GEN/report --table policy" >out
	check 'a terminal gets a pager, with its words' grep -q '^pager: one two LESS=FRX$' out
	check 'and colour' grep -q "$(printf '\033')\\[31mfail" out
	NO_COLOR=1 PAGER=./pager on_terminal "$GEN/report --table policy" >out
	check 'NO_COLOR is heeded' eval '! grep -q "$(printf "\033")" out'
	PAGER=./pager on_terminal "$GEN/report --no-pager --color never" >out
	check '--no-pager' eval '! grep -q ^pager: out && grep -q "^5 rules" out'
	check 'a terminal gets charts' grep -q '█' out
	PAGER=./pager on_terminal "tm-top /gone; echo status \$?" >out
	check 'without a report the pager has no text, and ends before the program' eval \
		'tail -n 1 out | grep -q "status 3$" && grep -q "^tm-top: /gone: " out'
	PAGER='./none at all' on_terminal "$GEN/report" >out
	check 'a pager that cannot be run is not missed' grep -q '^5 rules' out
	PAGER=true on_terminal "$GEN/report --kind big; echo status \$?" >out
	check 'a pager that goes away is no failure' grep -q '^status 0' out
	PAGER=./pager on_terminal "$GEN/report --as csv" >out
	check 'only text is for a pager' eval '! grep -q ^pager: out'
	PAGER=./pager on_terminal "$GEN/report -o to.txt; cat to.txt" >out
	check 'a file gets no pager and no colour' eval '! grep -q ^pager: out && ! grep -q "$(printf "\033")" to.txt'
else
	echo 'skip - the pager (no script(1), or no pseudo terminals)'
fi

exit $failed
