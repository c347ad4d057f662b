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
