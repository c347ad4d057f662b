# 16.7 ms is 16700000 ns; 41.5 stays, the mean of 60 and 59 is 59.5; the blank was not read.
cat >good.csv <<'X'
time_ms,frame,pss (B),temperature,fps (fps)
0,1,104857600,41,60
5,1,104857700,-3,59
16.7,2,,41.5,58
X
tm-dump --no-tables good.csv
tm-frames --csv --table frames good.csv | tr -d '\r' | cut -d, -f 2,4,5,20-
tm-frames --every 10ms --table frames good.csv
# Bad: no numbers, too few and too many fields (of such a line nothing counts), nothing, no counters, another first
# column.
printf 'frame,a,b\r\n1,x,2\r\n2\r\n3,1,2,3\r\n4,nan,99999999999999999999\r\n' >bad.csv
tm-dump --no-tables bad.csv
printf 'frame,\n' | tm-dump --no-tables -
printf 'frame\n1\n' | tm-dump --no-tables -f counters -
printf '' | tm-dump -f counters -
printf 'when,a\n1,2\n' | tm-dump -f counters -
