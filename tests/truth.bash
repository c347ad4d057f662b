# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# truth KIND WHAT GOT WANT: a check whose expected value, never 0, comes from outside of tracemill: from
# another tool, the C library's own counts, the arithmetic of a program. KIND says from which.
# field FILE.csv COLUMN [NAME-COLUMN NAME]: a cell of a CSV report: of the row of that name, else the
# sum of the column.
truth() {
	if [ -n "$4" ] && [ "$4" != 0 ] && [ "$3" = "$4" ]; then
		echo "ok - $1: $2: $4"
	else
		echo "not ok - $1: $2: $3, expected $4"
	fi
}

field() {
	python3 - "$@" <<'end'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline='')))
if len(sys.argv) > 3:
    rows = [r for r in rows if r[sys.argv[3]] == sys.argv[4]]
print(sum(int(r[sys.argv[2]] or 0) for r in rows) if rows else 'no row')
end
}
