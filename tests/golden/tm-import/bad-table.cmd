# NaN, 1e999, a row too long (left out), one cut short, a header in the middle, a time that goes back; a blank is no reading.
$GEN/table -n 40 gaps | tm-dump | grep -e ^note -e ^totals
# A table without a header, an empty one, and words that are wrong.
printf '1,2\n' | tm-import -f presentmon
printf '' | tm-import -f mangohud
printf 'a,b\n1,2\n' | tm-import --columns 'time=a'
printf 'a,b\n1,2\n' | tm-import --columns 'colour=a:ms'
printf 'a,b\n1,2\n' | tm-import --columns 'duration=c:ms' 
# Columns that appear, without the header at the end.
$GEN/table -n 200 unreal | head -n 150 | tm-dump | grep -e ^note -e ^totals
# Zeros for ever are no line.
head -c 3000000 /dev/zero | tm-import -f unreal-csv
# A counter that no header has.
printf 't,dt\n0,16\n16,17\n' >x.csv
tm-import --columns 'duration=dt:ms,counter=nosuch:%' -o x.tmt x.csv
# A role that is given twice, one that is too much, and a frame that takes less than no time.
printf 't,d\n1,2\n' | tm-import --columns 'time=t:s,time=d:s'
printf 't,d\n1,2\n' | tm-import --columns 'time=t:s,end=t:s,duration=d:s'
printf 't,d\n1,5\n2,-3\n3,4\n' | tm-import --columns 'time=t:s,duration=d:ms' | tm-frames --as csv
# CapFrameX: values that are none, a frame without a duration, a column cut short, a run without frames, other devices; a
# file that is cut among its sensors, or before its frames; no frames at all; too deep.
$GEN/table -n 5 capframex-bad 2>err >c.json
tm-dump c.json | grep -e ^note -e ^totals -e ^frame
head -c 700 c.json | tm-dump | grep -e ^note -e ^totals -e ^frame
head -c 150 c.json | tm-import -f capframex -o x.tmt
printf '{"Runs":[{"CaptureData":{"TimeInSeconds":[1]}}]}' | tm-import -f capframex -o x.tmt
printf '{"Runs":[{"CaptureData":{"MsBetweenPresents":[5,1e300,-1],"TimeInSeconds":[1e18,1e300]}}]}' | tm-dump -f capframex
