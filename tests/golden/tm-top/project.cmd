# tracemill.ini: found above the working folder; its files are from its own folder on; the command line's option
# replaces it; not with --no-config; said by --explain and -v; wrong lines. 3 of wrap < a, 1 of wrap < b.
mkdir -p p/tools p/deep/er p/symbols
printf 'main;a;wrap 3\nmain;b;wrap 1\n' >x.folded
printf '; ours\n\n sites = tools/wrap.sites\ndebug-dir=symbols\npolicy = tools/none.ini\n' >p/tracemill.ini
printf 'function ^wrap$\n' >p/tools/wrap.sites
printf 'function ^nothing$\n' >p/tools/other.sites
cd p/deep/er
site() { tr -d '\r' | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "site") c = i } NR > 1 { printf " %s", $c } END { print "" }'; }
tm-top -q --csv ../../../x.folded | site
tm-top -q --csv --no-config ../../../x.folded | site
tm-top -q --csv --sites ../../tools/other.sites ../../../x.folded | site
tm-symbolize --explain -o y.tmt ../../../x.folded 2>&1 | grep -o 'tracemill.ini: .*--debug-dir' 
TRACEMILL_CONFIG= tm-top -q --csv ../../../x.folded | site
tm-compare -q ../../../x.folded ../../../x.folded 2>&1 | grep -o 'none.ini: .*'
tm-compare -q --save-baseline base.tma ../../../x.folded; echo "baseline $?"
tm-compare -q --no-config ../../../x.folded ../../../x.folded >/dev/null; echo "no gate $?"
for line in 'sitez = x' 'sites' 'sites =' 'sites = a\0b'; do
	printf '%b\n' "$line" >ours.ini
	TRACEMILL_CONFIG=ours.ini tm-top ../../../x.folded; echo "status $?"
done
TRACEMILL_CONFIG=missing.ini tm-top ../../../x.folded; echo "status $?"
tm-top --help | head -n 1
