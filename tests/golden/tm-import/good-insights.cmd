# Frames i of 16 ms, in which World takes 4, 6 and 8 ms, of which Wait has all but half a ms; Draw takes 10 ms of another
# thread: with the lists of threads and timers before them; then with numbers or names alone, and summed up by Insights.
$GEN/insights --frames 3 session 2>truth | tm-dump | grep -v -e ^enter -e ^exit
cat truth
for v in session events named stats; do
	$GEN/insights --frames 3 $v 2>/dev/null | tm-top -q --by function --csv | cut -d, -f9-11,22-
done
# As the Timers panel exports it: UTF-16 with a mark, and without columns of single calls.
printf '\377\376' >u.csv
printf 'Name,Count,Incl,Excl\r\nTick,2,0.0300005,0.0100000\r\n' | iconv -f UTF-8 -t UTF-16LE >>u.csv
tm-dump u.csv | grep ^sample
