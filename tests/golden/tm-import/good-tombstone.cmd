# Three threads with 4, 5 and 6 calls; the last one crashed, and comes first. The second call is in a library that an APK names, the
# third in one that it does not. Build-ids are 00 01 .. 0f.
$GEN/tombstone plain 2>err >p.pb
cat err
tm-dump p.pb
tracemill show p.pb | head -n 1
# The text of the same tombstone has the same calls.
for by in stack function module; do
	tm-top -q --csv --by $by p.pb >pb.csv
	$GEN/tombstone text 2>err | tm-top -q --csv --by $by >text.csv
	cmp pb.csv text.csv && wc -l <pb.csv
done
